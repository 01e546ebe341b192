#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The end has a bound, whatever target and reader do: that gctrace ends at all is the verdict, and
# that it says what it did not get. How long it takes is for tests/bench/run to print.
# parallel: yes
. "$(dirname "$0")/lib.sh"
need_root
need jq

summary() { jq -r "select(.event == \"summary\") | $1" "$TMP/$2"; }
attached() { wait_for "[ \"\$(semaphores $1 | grep -c 'batch 1')\" = 1 ]"; }	# PID
# It is let alone, and goes on.
let_alone() {	# NAME
	wait_for "semaphores $(pid "$1") >'$TMP/semaphores' 2>&1" ||
		{ fail "a semaphore stayed up"; show "$TMP/semaphores"; }
	lib_runs "$(pid "$1")" || fail "the target has ended"
	stop "$1"
}
# What is missing is said and counted, by whichever bound it was cut off; or nothing is.
consistent() {	# OUT ERR
	local complete
	complete=$(summary .complete "$1")
	case $status:$complete in
	0:true | 3:false) ;;
	3:) expect "$TMP/$2" 'took longer than the 2 s' ;;
	*) fail "status $status, complete: $complete"; show "$TMP/$1" "$TMP/$2" ;;
	esac
}
# A limit for what does not end, far beyond what a busy machine makes of the bound.
bounded() { timeout -s KILL 120 gctrace "$@"; }

for what in generations moves; do
	t "endless $what: the time of -d ends it, and what is lost is counted"
	start flood endless "$what"
	run bounded -p "$(pid flood)" -d 1s --moves -o json
	consistent out err
	let_alone flood
	pass

	t "endless $what: SIGTERM ends it, and what is lost is counted"
	start flood endless "$what"
	start trace gctrace -p "$(pid flood)" --moves -o json
	attached "$(pid flood)"
	work "$(pid flood)" 1
	stop trace TERM
	consistent trace.out trace.err
	let_alone flood
	pass
done

t "endless generations, recorded: the recording can be read, and says what it lacks"
start flood endless generations
run bounded record -p "$(pid flood)" -d 1s --output "$TMP/recording"
expect_status 3
run bounded "$TMP/recording" -o json
expect_status 3
expect_equal false "$(summary .complete out)" "complete"
let_alone flood
pass

t "a dump that does not end: SIGINT ends heap, which says that it is not whole; status 3"
start flood endless dump
start heap gctrace heap -p "$(pid flood)"
wait_for "[ \"\$(semaphores $(pid flood) | grep -c 'request__dump 1')\" = 1 ]"
work "$(pid flood)" 1
stop heap INT
expect_status 3
expect "$TMP/heap.err" 'dump is not whole|took longer than'
let_alone flood
pass

for command in "record --dump --output $TMP/dump" follow; do
	t "a dump that does not end: -d ends ${command%% *}, status 3"
	start flood endless dump
	# shellcheck disable=SC2086
	run bounded $command -p "$(pid flood)" -d 1s
	expect_status 3
	expect "$TMP/err" 'dump is not whole|took longer than'
	let_alone flood
	pass
done

# A pipe that somebody has open for reading and never reads.
mkfifo "$TMP/pipe"
exec 8<>"$TMP/pipe"
for end in "-d 1s" INT TERM; do
	t "nobody reads what is shown: $end ends it, and it is said"
	start flood endless collections
	if [ "$end" = "-d 1s" ]; then
		bounded -p "$(pid flood)" -d 1s -o json >"$TMP/pipe" 2>"$TMP/err"
		status=$?
	else
		gctrace -p "$(pid flood)" -o json >"$TMP/pipe" 2>"$TMP/err" &
		lib_pids[trace]=$!
		attached "$(pid flood)"
		work "$(pid flood)" 1
		stop trace "$end"
	fi
	# By which of them, says how busy the machine is.
	case $status in
	1) expect "$TMP/err" 'standard output is not being read' ;;
	3) expect "$TMP/err" 'took longer than the 2 s' ;;
	*) fail "status $status" ;;
	esac
	let_alone flood
	pass
done

t "nobody reads what is shown nor what is said: it ends all the same"
start flood endless collections
bounded -v -p "$(pid flood)" -d 1s >"$TMP/pipe" 2>&8
status=$?
case $status in 1 | 3) ;; *) fail "status $status" ;; esac
let_alone flood
exec 8<&-
pass

t "a program that gctrace runs is waited for, though the trace has ended long ago"
run gctrace run -d 100ms -- /bin/sh -c 'sleep 4; exit 7'
expect_status 7
pass

t "a program that gctrace runs gets the signal, and has the time it needs"
start run gctrace run -- /bin/sh -c \
	'trap "sleep 4; exit 8" TERM; echo ready >&2; while :; do sleep 0.1; done'
wait_for grep -q ready "$TMP/run.err"
stop run TERM
expect_status 8
pass
