#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What people see fits into 100 columns and ends in no blank: every command, on every runtime that
# is there, on stdout and stderr, in a pipe and on terminals of several widths.
# parallel: yes
. "$(dirname "$0")/lib.sh"
need_root

# The lines of the last run; the longest that a word of the host's own may make it (a path) is 100.
fits() {	# WHAT [COLUMNS]
	local file
	for file in "$TMP/out" "$TMP/err"; do
		grep -nE "^.{$((${2:-100} + 1)),}" "$file" >"$TMP/wide" &&
			{ fail "$1: a line of ${file##*/} is longer than ${2:-100}"; show "$TMP/wide"; }
		grep -nE ' $' "$file" >"$TMP/blank" &&
			{ fail "$1: a line of ${file##*/} ends in a blank"; show "$TMP/blank"; }
	done
	[ -s "$TMP/out" ] || [ -s "$TMP/err" ] || fail "$1 says nothing"
}

# looks NAME: each way to look at the target of that name
looks() {
	local p words
	p=$(pid "$1")
	for words in "-n 2" "-n 2 -v" "-n 2 --moves -v" "-n 2 --timestamps" \
		"-n 2 --timestamps --moves --color always" "-n 1 --top-pauses 0 --min-pause 1h" \
		"-p $$ -n 1"; do
		# shellcheck disable=SC2086
		run gctrace -p "$p" -d 3s $words
		sed -i 's/\x1b\[[0-9;]*m//g' "$TMP/out"
		fits "$1: gctrace $words"
	done
	for words in "" "-v"; do
		# shellcheck disable=SC2086
		run gctrace probes $words -p "$p"
		fits "$1: gctrace probes $words"
	done
	run gctrace follow -p "$p" -d 2s
	fits "$1: gctrace follow"
	run gctrace record -p "$p" -d 1s --output "$TMP/$1.trace"
	fits "$1: gctrace record"
	run gctrace "$TMP/$1.trace" -v
	fits "$1: gctrace FILE"
}

t "what is said without a process"
while read -r words; do
	# shellcheck disable=SC2086
	run gctrace $words
	fits "gctrace $words"
done <<-END

	--help
	version
	doctor
	doctor x
	probes
	-p -1
	-p 999999999
	-p 4194304
	-p no-such-name-anywhere
	-p $$
	probes -p $$
	--formt json
	-o yaml -p 1
	run -- true
	run -- false
	record -p $$
	export
	export /no/such/file --as hprof
	diff
	diff /no/such/file@1 /no/such/file@2
	/no/such/file
END
pass

t "doctor, on terminals and without rights"
for columns in 60 80 100 200; do
	run env COLUMNS=$columns gctrace doctor
	fits "doctor in $columns columns" $((columns < 100 ? columns : 100))
done
run setpriv --bounding-set -all --inh-caps -all --reuid 65534 --regid 65534 --clear-groups \
	"$BUILD/gctrace" doctor
fits "doctor without rights"
run setpriv --bounding-set -all --inh-caps -all --reuid 65534 --regid 65534 --clear-groups \
	"$BUILD/gctrace" -p $$
fits "a trace without rights"
pass

t "the small virtual machine"
start minivm minivm --rate 20 --objects 20000 --collector concurrent --full-every 5
wait_for grep -qs pid "$TMP/minivm.out" || fail "it did not start"
looks minivm
for columns in 40 60 80 100 200; do
	run env COLUMNS=$columns gctrace -p "$(pid minivm)" -n 5
	grep -E '^ *[0-9]+\.[0-9]{3} ' "$TMP/out" >"$TMP/lines"
	mv "$TMP/lines" "$TMP/out"
	fits "collections in $columns columns" "$columns"
done
pass

t "a heap, its paths, what changed"
run gctrace record -p "$(pid minivm)" -n 40 --moves --dump=200ms --output "$TMP/heaps"
fits "record --dump"
while read -r words; do
	# shellcheck disable=SC2086
	run gctrace ${words//FILE/$TMP/heaps}
	[ "$status" = 0 ] || fail "gctrace $words ends with $status"
	sed -i "s,$TMP/heaps,FILE,g" "$TMP/out" "$TMP/err"
	fits "gctrace $words"
done <<-END
	heap FILE@1
	heap FILE@last
	heap FILE --list
	heap FILE@1 --roots --top 0
	heap FILE@1 --tree=100 --top 0
	heap FILE@1 --by package --top 0
	heap FILE@1 --type no.such.type.has.been.seen.in.this.small.virtual.machine.ever
	heap FILE@last --age-at-least 1000000
	heap FILE@1 --objects --type shop.*
	heap -p $(pid minivm) --dry-run FILE
	path FILE@1 --type parse.Node --top 100
	path FILE@1 --type shop.Customer --retained
	path FILE@1 --type=* --merge --top 0
	diff FILE@1 FILE@2 --top 0
	follow FILE --type no.such.type
END
while read -r columns words; do
	# shellcheck disable=SC2086
	run env COLUMNS=$columns gctrace ${words//FILE/$TMP/heaps}
	[ "$status" = 0 ] || fail "gctrace $words ends with $status"
	sed -i "s,$TMP/heaps,FILE,g" "$TMP/out" "$TMP/err"
	grep -v '^gctrace: ' "$TMP/err" >"$TMP/said"
	mv "$TMP/said" "$TMP/err"
	fits "gctrace $words in $columns columns" "$columns"
done <<-END
	60 path FILE@1 --type parse.Node --top 100
	80 path FILE@1 --type parse.Node --top 100
	80 path FILE@1 --type=* --merge --top 0
	80 heap FILE@1
	80 heap FILE@1 --tree=100 --top 0
	80 heap FILE@1 --roots --top 0
	80 follow FILE -v
	80 FILE -v --timestamps
	60 FILE
END
pass

t "CPython"
start python /usr/bin/python3 -c 'import gc, time
print("ready", flush=True)
while True:
    time.sleep(0.05)
    kept = []
    for i in range(100):
        kept.append([kept])
    del kept
    gc.collect()'
if ! wait_for grep -qs ready "$TMP/python.out"; then
	fail "it did not start"
elif ! gctrace probes -p "$(pid python)" >/dev/null 2>&1; then
	skip "/usr/bin/python3 has no probes"
else
	looks python
	run gctrace -p "$(pid python)" -n 2
	expect "$TMP/out" '^# known: .*how many objects died$'
	expect_not "$TMP/out" 'not told by this process: .*died'
	expect "$TMP/out" ' [0-9.]+ obj$'
	pass
fi
stop python

t "Ruby"
if ! command -v ruby >/dev/null; then
	skip "ruby is not installed"
else
	start ruby ruby -e '$stdout.sync = true; puts "ready"
		loop { 1000.times { [0] * 100 }; GC.start; sleep 0.05 }'
	wait_for grep -qs ready "$TMP/ruby.out" || fail "it did not start"
	if gctrace probes -p "$(pid ruby)" >/dev/null 2>&1; then
		looks ruby
		pass
	else
		skip "this build of ruby has no probes"
	fi
	stop ruby
fi

cat >"$TMP/Work.java" <<-'END'
	public class Work {
		static Object[] cache = new Object[100000];
		public static void main(String[] a) throws Exception {
			System.out.println("ready");
			for (int i = 0;; i++) {
				cache[i % cache.length] = new byte[1000];
				if (i % 20000 == 0) { Thread.sleep(20); System.gc(); }
			}
		}
	}
END
if command -v javac >/dev/null && javac -d "$TMP" "$TMP/Work.java" 2>/dev/null; then
	compiled=yes
else
	compiled=no
fi
for collector in G1 Parallel Serial Z Shenandoah; do
	t "HotSpot with $collector"
	if [ $compiled = no ]; then
		skip "there is no JDK"
		continue
	fi
	start java java -XX:+UnlockExperimentalVMOptions "-XX:+Use${collector}GC" -Xmx256m -cp "$TMP" Work
	if ! wait_for 'grep -qs ready "$TMP/java.out" || ! lib_runs "$(pid java)"'; then
		fail "it did not start"
	elif ! lib_runs "$(pid java)"; then
		join java
		skip "this JVM does not have it"
		continue
	elif gctrace probes -p "$(pid java)" >/dev/null 2>&1; then
		looks java
		run gctrace probes
		fits "gctrace probes"
		pass
	else
		skip "this build of HotSpot has no probes"
	fi
	stop java
done
