#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A process that is killed in the very moment in which the kernel lowers a semaphore for it leaves
# that up (kernel 6.18: "failed to unregister, leaking uprobe"). So another one does it for gctrace
# (user/attach/closer.h); and where that is killed as well, the next gctrace has it lowered.
# limit: 900
. "$(dirname "$0")/../e2e/lib.sh"
need_root
need pgrep

tries=${TRIES:-150}

is_left_up() { semaphores "$(pid vm)" | grep -Eq 'request__dump[[:space:]]+[1-9]'; }

# With dumps one after the other it is lowered a third of the time. $1: it alone, or with its helpers.
kill_one() {
	local helpers=
	start recorder gctrace record -p "$(pid vm)" --dump=10ms --output "$TMP/left"
	WAIT=60 wait_for is_left_up || fail "the request does not go up"
	[ "$1" = alone ] || helpers=$(pgrep -P "$(pid recorder)")
	sleep "0.$(printf %03d $((RANDOM % 500)))"
	kill -KILL "$(pid recorder)" $helpers
	stop recorder KILL
	rm -f "$TMP/left"
	sleep 0.7 # longer than the kernel works
}

start vm minivm --objects 20000 --quiet
wait_for "[ -n \"$(pid vm)\" ] && semaphores $(pid vm) >/dev/null 2>&1"

t "killed at any moment, gctrace leaves no request up"
for ((try = 0; try < tries; try++)); do
	kill_one alone
	is_left_up && { fail "the request stayed up, try $try"; break; }
done
pass

t "a request that gctrace and its helpers have left up is lowered, and the dump is made"
for ((try = 0; try < tries; try++)); do
	kill_one "and its helpers"
	is_left_up && break
done
if [ $try = "$tries" ]; then
	skip "the kernel has lowered it $tries times"
else
	run gctrace heap -p "$(pid vm)" -o json
	expect_status 0
	wait_for "semaphores $(pid vm) >/dev/null" || fail "semaphores are up"
	pass
fi
