#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace sample --hold: what is exact by it is right, and the program does not suffer from it: not
# if gctrace is killed in the midst, and not if a debugger has it.
# parallel: no
# limit: 900
. "$(dirname "$0")/lib.sh"
need_root
need jq /usr/bin/python3

[ "$(nproc)" -gt 1 ] || skip_all "there is one CPU, on which everybody else is off it anyway"

threads_of() { ls "/proc/$1/task" 2>/dev/null | wc -l; }

t "what is called EXACT is right, in 999 of 1,000"
start program whereabouts 16 20 "$TMP/truth"
wait_for '[ "$(threads_of "$(pid program)")" = 17 ]' || fail "the program did not start"
run gctrace sample -p "$(pid program)" --hold -n 300 -o json
if grep -q 'real-time priority' "$TMP/err"; then
	skip_all "no real-time priority here"
fi
expect_status 0
expect "$TMP/err" 'loses its CPU for some [0-9.]+ [mu]?s .* at most 500 us'
join program
/usr/bin/python3 "$ROOT/tests/e2e/sample_truth.py" "$TMP/truth" "$TMP/out" 1000 >"$TMP/matrix" ||
	fail "not as the program knows it"
cat "$TMP/matrix"
pass

# Frames deep in the memory of a thread that runs are another's when they are read: only by --hold
# is the whole of them exact.
cat >"$TMP/spin.py" <<-'END'
	def inner(n):
	    x = 0
	    for i in range(n):
	        x += i
	    return x
	def outer():
	    while True:
	        inner(1000)
	print("ready", flush=True)
	outer()
END
spin() {
	start spin /usr/bin/python3 "$TMP/spin.py"
	wait_for grep -qs ready "$TMP/spin.out"
}
held() { jq 'select(.event == "summary") | .holds // 0' "$TMP/out"; }

guesses() {	# rows of which a guess is left that a hold is for
	jq -c 'select(.event == "sample") | .poor // [] | select(. - ["location"] != [])' \
		"$TMP/out" | wc -l
}
# A thread is held three times at most for one row. So if three times the rows that are guesses all
# the same is less than was held, holds were of use, however many of them a busy machine spoilt; and
# where everybody waits for a CPU there is nobody to be held, and no guess either.
of_use() { [ "$(guesses)" = 0 ] || [ $((3 * $(guesses))) -lt "$(held)" ]; }

t "threads that run are caught with their stacks, and it is told what that took"
spin
for _ in 1 2 3 4 5; do
	run gctrace sample -p "$(pid spin)" --hold --stacks -n 300 --rate 300 -o json \
		--record "$TMP/held.gctrace"
	expect_status 0
	[ "$(held)" -gt 0 ] && of_use && break
done
told=$(held)
if grep -q '"managed_frames":true' "$TMP/out"; then
	of_use || fail "$(guesses) rows are guesses, and $told times a thread was held"
	[ "$told" = 0 ] ||
		expect "$TMP/out" '"event":"summary".*"held_ns":[0-9]+,"longest_hold_ns":[0-9]+'
fi
run gctrace sample -p "$(pid spin)" --hold --stacks -n 100
expect_status 0
pass

t "a recording tells that of the whole, and says so of a part"
run gctrace sample "$TMP/held.gctrace" --summary -o json
expect_status 0
expect_equal "$told" "$(held)" "how many were held"
expect_not "$TMP/err" 'lost their CPU'
for part in "-n 3" "-t $(pid spin)"; do
	run gctrace sample "$TMP/held.gctrace" $part --summary -o json
	expect_status 0
	expect "$TMP/err" 'lost their CPU by --hold is known of a whole recording only'
	expect_equal 0 "$(held)" "how many were held, in a part"
done
pass

# A cpuset with one CPU in it; "" where there is none to be had.
cpuset_of() {
	local root set
	for root in /sys/fs/cgroup/cpuset /sys/fs/cgroup; do
		set=$root/gctrace-test-$$
		[ -e "$root/cgroup.procs" ] || continue
		echo +cpuset >"$root/cgroup.subtree_control"
		if mkdir "$set" && echo "$1" >"$set/cpuset.cpus" && echo 0 >"$set/cpuset.mems"; then
			echo "$set"
			return
		fi
		rmdir "$set"
	done 2>/dev/null
}

t "a CPU that gctrace may not have is told"
read -r ours its < <(taskset -cp $$ | sed 's/.*: //' | tr , '\n' |
	awk -F- '{ for (i = $1; i <= $NF; i++) print i }' | head -n 2 | paste -s -d ' ')
set=$(cpuset_of "$ours")
if [ -n "$set" ]; then
	taskset -cp "$its" "$(pid spin)" >"$TMP/taskset"
	for _ in 1 2 3 4 5; do
		run bash -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' - "$set" \
			gctrace sample -p "$(pid spin)" --hold --stacks -n 300 --rate 300 -o json
		expect_status 0
		grep -q 'are not held' "$TMP/err" && break
	done
	rmdir "$set"
	expect "$TMP/err" 'loses its CPU for the time that its stack takes to read'
	if grep -q '"managed_frames":true' "$TMP/out"; then
		expect "$TMP/err" "threads that run on CPU $its are not held"
	fi
	expect_equal 0 "$(held)" "how many were held"
	taskset -cp "$ours,$its" "$(pid spin)" >"$TMP/taskset"
	pass
else
	skip "there is no cpuset to be had"
fi

t "gctrace is killed in the midst: the program goes on"
for _ in 1 2 3 4 5; do
	start gctrace gctrace sample -p "$(pid spin)" --hold --stacks --rate 5000 -o json
	wait_for 'grep -q "\"event\":\"sample\"" "$TMP/gctrace.out"' || fail "there are no samples"
	kill -KILL "$(pid gctrace)"
	before=$(cut -d' ' -f14 "/proc/$(pid spin)/stat")
	wait_for '[ "$(cut -d" " -f14 "/proc/$(pid spin)/stat")" != "$before" ]' ||
		fail "the program makes no progress"
done
expect_equal 0 "$(awk '/^TracerPid/ { print $2 }' "/proc/$(pid spin)/status")" "its tracer"
expect_equal "" "$(awk '/^State:.*[tTZ]/' "/proc/$(pid spin)/status")" "its state"
pass

t "a program that a debugger has is no other case"
if command -v strace >/dev/null; then
	start strace strace -f -o /dev/null -p "$(pid spin)"
	wait_for '[ "$(awk "/^TracerPid/ { print \$2 }" "/proc/$(pid spin)/status")" != 0 ]' ||
		fail "strace has not come"
	run gctrace sample -p "$(pid spin)" --hold --stacks -n 50 -o json
	expect_status 0
	expect "$TMP/out" '"event":"sample".*"accuracy"'
	stop strace INT
	pass
else
	skip "there is no strace"
fi
stop spin KILL
