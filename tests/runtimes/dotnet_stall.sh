#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A heap dump of .NET makes exactly one blocking collection, and the stop that gctrace reports is
# the whole one: not shorter than what the runtime calls the collection's pause (without the walk
# of the heap), and inside the time in which a thread of the program did not run.
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/dotnet/lib.sh"
need jq
need_root
need_programs

# Its own words of the collection of a dump come when the program runs again.
blocking() { grep -c '^gc ' "$TMP/program.out"; }

dumps() {	# THREADS OBJECTS
	local before stopped own gap
	program blocked "$@"
	for _ in 1 2 3 4; do
		before=$(blocking)
		run timeout 120 gctrace heap -p "$(pid program)" --top 0 -o json
		expect_status 0
		wait_for "[ \$(grep -c '^gc ' '$TMP/program.out') -gt $before ]"
		expect_equal 1 $(($(blocking) - before)) "blocking collections of a dump"
		stopped=$(jq 'select(.event == "header" and .stopped_ns) | .stopped_ns' "$TMP/out")
		read -r _ _ own gap < <(tail -n 1 "$TMP/program.out")
		echo "stopped for ${stopped:-?} ns, the runtime says $own, the gap is $gap"
		[ $((${stopped:-0} * 100)) -ge $((own * 95)) ] || fail "that is a part of the stop"
		# Beside others the thread may run on while those are being stopped.
		[ "$1" -gt 0 ] || [ $((${stopped:-0} * 95)) -le $((gap * 100)) ] ||
			fail "the program ran in that stop"
	done
	stop program KILL
}

t "a dump of an idle program makes one blocking collection, and its whole stop is reported"
dumps 0 1000000
pass

t "while threads allocate it does so too"
dumps 4 300000
pass
