#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A JVM's leaks of many shapes, each planted in a sound heap: each is the first finding, with the
# name of what holds it; a sound heap is accused of nothing. By hprof files, by --via jvm, and by
# the agent.
# limit: 600
. "$(dirname "$0")/../e2e/lib.sh"
need gctrace java javac jmap jq

javac -d "$TMP/classes" "$ROOT/tests/runtimes/hotspot/Leaks.java" 2>"$TMP/javac.err" ||
	skip_all "javac: $(head -n 1 "$TMP/javac.err")"

# The shape, what its first finding says, how it is held. Extended regular expressions.
leaks='
executor	ThreadPoolExecutor .*LinkedBlockingQueue	static Leaks\$Mail\.executor
queue	ConcurrentLinkedQueue 	static Leaks\$Inbox\.messages
chain	Leaks\$Log .*Leaks\$Chain	static Leaks\$Log\.log
treemap	java\.util\.TreeMap 	static Leaks\$Prices\.byTime
threadlocals	50 Leaks\$Worker together .*Leaks\$Context	.
list	java\.util\.ArrayList 	static Leaks\$Audit\.entries
cache	ConcurrentHashMap 	static Leaks\$Sessions\.byId
listeners	Leaks\$CopyList .*Leaks\$Widget; held by Leaks\$Bus\.listeners	static Leaks\$Bus\.bus
mapoflists	java\.util\.HashMap 	static Leaks\$Groups\.members
deque	java\.util\.ArrayDeque 	static Leaks\$Undo\.steps
priorities	PriorityQueue .*Leaks\$Job	static Leaks\$Scheduler\.jobs
interned	ConcurrentHashMap 	static Leaks\$Names\.interned
nested	java\.util\.HashMap 	static Leaks\$Tenants\.all
lru	Leaks\$Lru 	static Leaks\$Pages\.recent
grid	byte\[\]\[\]\[\] 	static Leaks\$Grid\.cells
loaders	java\.util\.ArrayList .*ClassLoader	static Leaks\$Plugins\.loaders
delays	DelayQueue .*Leaks\$Delay	static Leaks\$Retries\.queue
timer	java\.util\.TaskQueue .*Leaks\$Task	static Leaks\$Clock\.timer
skiplist	ConcurrentSkipListMap 	static Leaks\$Ladder\.steps
linkedlist	java\.util\.LinkedList 	static Leaks\$Ring\.items
shared	Leaks\$Order together 	static Leaks\$ByNumber\.orders
futures	CompletableFuture 	static Leaks\$Futures\.last
tree	Leaks\$Tree 	static Leaks\$Forest\.top
finalizers	Finalizer	.
'

begin() {	# JVM-OPTION...
	mkfifo "$TMP/shapes"
	start jvm sh -c 'exec "$@" <"$0"' "$TMP/shapes" java "$@" -Xmx200m -cp "$TMP/classes" Leaks
	exec 8>"$TMP/shapes"
	wait_for grep -qs ready "$TMP/jvm.out" || { fail "the JVM did not start"; show "$TMP/jvm.err"; }
}

plant() {	# SHAPE
	echo "$1" >&8
	wait_for grep -qsx "planted $1" "$TMP/jvm.out" || { fail "$1 was not planted"; show "$TMP/jvm.err"; }
}

end() {
	exec 8>&-
	join jvm
	rm "$TMP/shapes"
}

look() {	# SUBJECT...
	run timeout 60 gctrace heap "$@" --top 1 -o json
	expect_status 0
	jq -r 'select(.event == "finding") | .text' "$TMP/out" >"$TMP/findings"
	jq -r 'select(.event == "finding") | .held_by // [] | join("\t")' "$TMP/out" >"$TMP/held"
}

# The first finding is the leak, and is as large.
is_first() {	# SHAPE TEXT HOLDER
	head -n 1 "$TMP/findings" | grep -qE -- "$2" || { fail "$1: $(head -n 1 "$TMP/findings")"; return; }
	head -n 1 "$TMP/held" | grep -qE -- "$3" || fail "$1 is held by $(head -n 1 "$TMP/held")"
	names_all "$1"
}

# No finding hides what it is about.
names_all() {
	! grep -qE '^a (java\.lang\.)?Object\[\]|several roots' "$TMP/findings" ||
		fail "$1: $(cat "$TMP/findings")"
}

by_file() {
	rm -f "$TMP/heap.hprof"
	timeout 60 jmap "-dump:live,format=b,file=$TMP/heap.hprof" "$(pid jvm)" >"$TMP/jmap" 2>&1 ||
		{ fail "jmap makes no dump"; show "$TMP/jmap"; }
	look "$TMP/heap.hprof"
}
by_jvm() { look -p "$(pid jvm)" --via jvm; }
by_agent() { look -p "$(pid jvm)" --load-agent; }

# Nothing in it is a tenth and more but what the program says: it is named by its field.
sound() {	# BY
	t "a sound heap, $1: what is large in it is named, and nothing of the platform"
	plant none
	"by_$1"
	! grep -vE 'held by Leaks\$Shop\.|^a Leaks\$|no root reaches it' "$TMP/findings" ||
		fail "$(cat "$TMP/findings")"
	names_all none
	pass
}

all_shapes() {	# BY SHAPE...
	local by=$1 shape text holder
	shift
	while IFS=$'\t' read -r shape text holder; do
		[ -n "$shape" ] || continue
		[ $# = 0 ] || [[ " $* " == *" $shape "* ]] || continue
		t "a leak of the shape \"$shape\" is the first finding, $by"
		plant "$shape"
		"by_$by"
		is_first "$shape" "$text" "$holder"
		pass
	done <<<"$leaks"
}

begin -XX:+UseSerialGC
sound file
all_shapes file
end

begin -XX:+UseG1GC
sound jvm
all_shapes jvm executor chain treemap threadlocals shared loaders
if [ "$(id -u)" = 0 ]; then
	sound agent
	all_shapes agent

	t "a constant in compiled code is named so, and no path begins at one if a static leads there"
	plant constant
	run timeout 60 gctrace heap -p "$(pid jvm)" --load-agent --roots --top 0 -o json
	expect_status 0
	jq -r 'select(.event == "root" and .level == "root" and .root_kind == "constant") | .name' \
		"$TMP/out" >"$TMP/constants"
	expect "$TMP/constants" 'Leaks\$Hot\.run, constant in its compiled code'
	jq -r 'select(.event == "root" and .level == "root") | .name | select(test("JNI local"))' \
		"$TMP/out" >"$TMP/locals"
	expect_not "$TMP/locals" 'Leaks'
	run timeout 60 gctrace path -p "$(pid jvm)" --load-agent --type 'Leaks$Big' -o json
	expect "$TMP/out" '"steps":\[\{"level":"root","kind":"static"'
	pass
else
	skip "the agent's dump takes root"
fi
end
