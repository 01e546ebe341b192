#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Targets that do what they can to whoever looks at them: memory that never comes, texts and mappings
# without end. gctrace ends in time, says what it did not get, and no other process suffers.
# parallel: yes
. "$(dirname "$0")/lib.sh"
need_root
need jq prlimit

# It holds nothing back for longer than five seconds, whatever becomes of this test.
hostile_to() {	# WHAT
	rm -rf "$TMP/in" "$TMP/there"
	mkfifo "$TMP/in"
	mkdir "$TMP/there"
	(cd "$TMP/there" && exec hostile "$1" <"$TMP/in" >"$TMP/hostile.out" 2>"$TMP/hostile.err") &
	exec 7>"$TMP/in"
	wait_for "grep -q ready '$TMP/hostile.out' || [ -s '$TMP/hostile.err' ]"
	P=$(sed -n 's/^ready //p' "$TMP/hostile.out")
	[ -n "$P" ] || { skip "this host lets nobody do it: $(cat "$TMP/hostile.err")"; return 1; }
}

# It held out until gctrace had ended: gctrace did not wait for it.
let_go() {
	expect_not "$TMP/hostile.out" 'gave up'
	echo >&7
	exec 7>&-
	wait
}

# A wait without end shows as this limit; a gctrace that takes in all as one of memory.
bounded() { run prlimit --as=$((2 << 30)) timeout 60 gctrace "$@"; }

readers() { pgrep -x gctrace-reader -s 0 | wc -l; }

summary() { jq -r "select(.event == \"summary\") | $1" "$TMP/out"; }

t "a thread's stack that is never there: samples go on, the reads are counted, status 3"
if hostile_to stack; then
	bounded sample -p "$P" -n 3 --stacks -o json
	expect_status 3
	expect_equal 3 "$(summary .sweeps)" "sweeps"
	[ "$(summary '.lost.unanswered // 0')" -ge 1 ] || fail "no read was counted as failed"
	expect "$TMP/err" 'not answered in time'
	let_go
	bounded sample -p $$ -n 1
	expect_status 0
	pass
fi

t "a thread's stack that is never there: the other commands do not care"
if hostile_to stack; then
	bounded probes -p "$P"
	expect_status 0
	bounded -p "$P" -d 100ms
	expect_status 0
	let_go
	pass
fi

t "semaphores that are never there: no command waits for them"
if hostile_to semaphore; then
	bounded probes -v -p "$P"
	expect_status 0
	bounded -p "$P" -d 100ms
	expect_status 0
	bounded heap -p "$P"
	expect_status 1
	expect "$TMP/err" 'cannot see whether another tracer'
	let_go
	pass
fi

t "a command line that is never there: no command waits for it"
if hostile_to cmdline; then
	bounded probes -p "$P"
	expect_status 0
	bounded -p "$P" -d 100ms
	expect_status 0
	bounded -p no-such-name
	expect_status 1
	let_go
	pass
fi

t "a command line and an environment of 64 GiB: so much is read and no more, which is said"
if hostile_to zeros; then
	bounded probes -p "$P"
	expect_status 0
	expect "$TMP/err" "cmdline has more than 128 KiB"
	bounded -p "$P" -d 100ms
	expect_status 0
	bounded -p no-such-name
	expect_status 1
	expect "$TMP/err" 'no process has the name'
	bounded probes
	expect_status 0
	expect "$TMP/out" "^ *(pid )?$P "
	let_go
	pass
fi

t "thousands of mappings with paths of 40 KB: taken in up to a limit, which is said"
if hostile_to files; then
	bounded probes -p "$P"
	expect_status 0
	expect "$TMP/err" 'more mapped than gctrace takes in|longer than'
	bounded sample -p "$P" -n 2
	expect_status 0
	let_go
	pass
fi
