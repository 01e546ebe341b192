#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# .NET, with the agent: whoever is killed, whenever, and whoever comes and goes how often, the program
# lives on, with the memory that it had, and a later gctrace finds all as it should be.
# parallel: yes
# limit: 1800
# level: all
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/dotnet/lib.sh"
need jq
need_root
need_programs

visits=${VISITS:-20}

record_options=(--moves)

is_told() {
	run gctrace -p "$(pid program)" -n 3 -d 30s -o json
	expect_status 0
	expect "$TMP/out" '"event":"summary".*"complete":true'
}

t "200 threads that allocate: collections, moves and a dump, and the program lives on"
program busy 200 0
run gctrace -p "$(pid program)" --moves -n 30 -d 60s -o json
expect_status 0
# It may be too busy to answer in time, and says so; not for ever.
for _ in 1 2 3; do
	run gctrace heap -p "$(pid program)" -o json
	grep -q 'did not answer' "$TMP/err" || break
done
expect_status 0
expect_whole "$TMP/out"
is_as_before
stop program KILL
pass

t "gctrace is killed in the midst of a dump, over and over"
program busy 20 0
gctrace_is_killed
is_as_before
pass

t "attached to and left $visits times: its memory is what it was"
# The first session in a process's life has the runtime load its source of events, which stays.
run gctrace -p "$(pid program)" --moves -n 2 -d 30s -o json
# The least of ten seconds, so that it has collected often, though others may have the CPUs.
looks=50
before=$(least)
for ((visit = 0; visit < visits; visit++)); do
	run gctrace -p "$(pid program)" --moves -n 2 -d 30s -o json
	expect_status 0 || break
done
after=$(least)
echo "$before KiB before, $after KiB after $visits visits"
# A twentieth: how many collections it had lately makes as much of a difference.
[ "$after" -lt $((before * 105 / 100)) ] || fail "it has grown from $before to $after KiB"
is_as_before
stop program KILL
pass

t "visits and heap dumps leave no memory behind"
program population "$TMP/go" "$TMP/truth" 200000 # and does nothing any more
run gctrace heap -p "$(pid program)" -o json
expect_status 0
looks=10
before=$(least)
for ((visit = 0; visit < visits; visit++)); do
	run gctrace -p "$(pid program)" --moves -d 300ms -o json
	expect_status 0 || break
done
for _ in 1 2 3; do
	run gctrace heap -p "$(pid program)" -o json
	expect_status 0 || break
done
after=$(least)
echo "$before KiB before, $after KiB after $visits visits and 3 dumps"
[ "$after" -lt $((before * 101 / 100)) ] || fail "it has grown from $before to $after KiB"
stop program KILL
pass

# What stays is the runtime's own, of the first session in its life: its source of events.
t "a first heap dump leaves 6 MB behind at most, whatever the heap"
for count in 10000 300000; do
	program population "$TMP/go" "$TMP/truth" "$count"
	before=$(resident_kib)
	run gctrace heap -p "$(pid program)" -o json
	expect_status 0
	after=$(resident_kib)
	echo "$before KiB before, $after KiB after it"
	[ "$after" -lt $((before + 6144)) ] || fail "it has grown from $before to $after KiB"
	stop program KILL
done
pass

t "attached to as it ends, at one moment and another: it ends well"
agent_of_others=("${agent[@]}")
agent=()
for seconds in 0 0.02 0.05 0.1 0.15 0.2 0.3 0.4; do
	program population "$TMP/end" "$TMP/truth" 1000
	start trace gctrace -p "$(pid program)" --load-agent --moves -o json
	work "$(pid trace)" $seconds
	touch "$TMP/end"
	ended_well program
	join trace
	[ "$status" -le 1 ] || { fail "exit status $status of gctrace"; show "$TMP/trace.err"; }
	[ "$status" = 0 ] || expect "$TMP/trace.err" 'has ended|there is no process|ended meanwhile'
	rm "$TMP/end"
done
agent=("${agent_of_others[@]}")
pass

t "the program is killed in the midst of a dump"
program_is_killed program busy 20 0
pass
