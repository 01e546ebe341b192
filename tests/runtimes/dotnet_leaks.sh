#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A .NET process's leaks of many shapes, each planted in a sound heap: each is the first finding, with
# the name of what holds it.
# limit: 600
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/dotnet/lib.sh"
need jq
need_root
need_programs

# The shape, what its first finding says, how it is held. Extended regular expressions.
leaks='
events	EventHandler|Widget	static .*Bus\.
cache	ConcurrentDictionary	static .*Sessions\.
tasks	Task	static .*Futures\.
weaktable	Object|ConditionalWeakTable|List	static .*Tags\.
dictionary	Dictionary	static .*Prices\.
linkedlist	LinkedList	static .*Ring\.
channel	Channel|Queue	static .*Inbox\.
queue	ConcurrentQueue	static .*Mail\.
chain	Log .*Chain	static .*Log\.
tree	SortedDictionary|TreeSet	static .*Ladder\.
list	List	static .*Audit\.
priorities	PriorityQueue	static .*Scheduler\.
nested	Dictionary	static .*Tenants\.
shared	Order together	static .*By(Number|Customer)\.
threadstatics	50 .*Context together	static .*Leaks\.own
stack	ConcurrentStack	static .*Stack\.
'

mkfifo "$TMP/shapes"
start program sh -c 'exec env "$@" <"$0"' "$TMP/shapes" "${agent[@]}" "${programs[@]}" leaks
exec 8>"$TMP/shapes"
wait_for grep -qs ready "$TMP/program.out" || { fail "the program did not start"; show "$TMP/program.err"; }

look() {	# SHAPE
	echo "$1" >&8
	wait_for grep -qsx "planted $1" "$TMP/program.out" || fail "$1 was not planted"
	run timeout 60 gctrace heap -p "$(pid program)" --top 1 -o json
	expect_status 0
	jq -r 'select(.event == "finding") | .text' "$TMP/out" >"$TMP/findings"
	jq -r 'select(.event == "finding") | .held_by // [] | join("\t")' "$TMP/out" >"$TMP/held"
	! grep -qE '^a (System\.)?Object\[\]|several roots' "$TMP/findings" ||
		fail "$1: $(cat "$TMP/findings")"
}

t "a sound heap: nothing is accused but what the program has made"
look none
! grep -vE 'Programs\.Leaks|no root reaches it' "$TMP/findings" || fail "$(cat "$TMP/findings")"
pass

while IFS=$'\t' read -r shape text holder; do
	[ -n "$shape" ] || continue
	t "a leak of the shape \"$shape\" is the first finding"
	look "$shape"
	head -n 1 "$TMP/findings" | grep -qE -- "$text" || fail "$shape: $(cat "$TMP/findings")"
	head -n 1 "$TMP/held" | grep -qE -- "$holder" ||
		fail "$shape is held by $(head -n 1 "$TMP/held"): $(head -n 1 "$TMP/findings")"
	pass
done <<<"$leaks"

exec 8>&-
ended_well program
