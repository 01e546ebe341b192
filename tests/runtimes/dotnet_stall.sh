#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A heap dump of .NET makes exactly one blocking collection, and the stop that gctrace reports is
# the whole one: not shorter than what the runtime calls the collection's pause (without the walk
# of the heap), and inside the time in which a thread of the program did not run. A background
# collection that begins while the runtime carries out ForceGC costs the dump a second try, which
# nobody can forbid: a dump beside which one was made may make two, and is not counted then.
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/dotnet/lib.sh"
need jq
need_root
need_programs

# Its own words of the collection of a dump come when the program runs again.
made() { grep -c "^$1 " "$TMP/program.out"; }	# gc|background

dumps() {	# THREADS OBJECTS
	local before beside stopped own gap counted=0
	program blocked "$@"
	for _ in $(seq 12); do
		[ $counted -lt 4 ] || break
		before=$(made gc) beside=$(made background)
		run timeout 120 gctrace heap -p "$(pid program)" --top 0 -o json
		expect_status 0
		wait_for "[ \$(grep -c '^gc ' '$TMP/program.out') -gt $before ]"
		[ $(($(made gc) - before)) != 2 ] || [ "$(made background)" = "$beside" ] || continue
		counted=$((counted + 1))
		expect_equal 1 $(($(made gc) - before)) "blocking collections of a dump"
		stopped=$(jq 'select(.event == "header" and .stopped_ns) | .stopped_ns' "$TMP/out")
		read -r _ _ own gap < <(grep '^gc ' "$TMP/program.out" | tail -n 1)
		echo "stopped for ${stopped:-?} ns, the runtime says $own, the gap is $gap"
		[ $((${stopped:-0} * 100)) -ge $((own * 95)) ] || fail "that is a part of the stop"
		# Beside others the thread may run on while those are being stopped.
		[ "$1" -gt 0 ] || [ $((${stopped:-0} * 95)) -le $((gap * 100)) ] ||
			fail "the program ran in that stop"
	done
	expect_equal 4 $counted "dumps of one collection"
	stop program KILL
}

t "a dump of an idle program makes one blocking collection, and its whole stop is reported"
dumps 0 1000000
pass

t "while threads allocate it does so too"
dumps 4 300000
pass
