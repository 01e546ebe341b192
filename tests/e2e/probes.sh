#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What is told before anything is attached: `doctor` of the host, `probes` of a process or of all;
# and each reason for which a process is refused.
# parallel: yes
. "$(dirname "$0")/lib.sh"
need_root
need /usr/bin/python3 setpriv unshare

valid() {	# every line of the last output is one of the schema
	/usr/bin/python3 "$ROOT/tests/e2e/schema_check.py" "$ROOT/docs/gctrace.schema.json" "$TMP/out" \
		>"$TMP/schema" 2>&1 || { fail "not as the schema says"; show "$TMP/schema"; }
}

can_validate() { /usr/bin/python3 -c 'import jsonschema' 2>/dev/null; }

refused() {	# STATUS REGEX COMMAND…
	local want=$1 words=$2
	shift 2
	run "$@"
	expect_status "$want"
	expect "$TMP/err" "$words"
	! grep -vq '^gctrace: ' "$TMP/err" || fail "a line of stderr does not say who speaks"
	expect_not "$TMP/err" "$(printf '\033')"
}

t "doctor: a verdict on each, and a host that is ready has status 0"
run gctrace doctor
for check in kernel btf lockdown capabilities bpf perf uprobes memlock seccomp ptrace proc; do
	expect "$TMP/out" "^$check +(ok|warning|MISSING) "
done
if grep -q MISSING "$TMP/out"; then
	expect_status 1
	expect "$TMP/out" 'cannot attach'
else
	expect_status 0
	expect "$TMP/out" 'This host is ready'
fi
expect "$TMP/out" "kernel .* $(uname -r)"
pass

t "doctor: without rights it names the capability and says what to do, status 1"
run setpriv --bounding-set -all --inh-caps -all --reuid 65534 --regid 65534 --clear-groups \
	"$BUILD/gctrace" doctor
if grep -q 'Permission denied' "$TMP/err"; then
	skip "the build directory cannot be read by others"
else
	expect_status 1
	expect "$TMP/out" '^capabilities +MISSING CAP_BPF, CAP_PERFMON and CAP_SYS_PTRACE are missing'
	expect "$TMP/out" '-> run as root \(sudo\)'
	expect "$TMP/out" '^perf_event_paranoid|^bpf +MISSING'
	pass
fi

t "doctor: in a user namespace root is not root"
run unshare --user --map-root-user "$BUILD/gctrace" doctor
if [ "$status" = 1 ] && grep -q 'unshare:' "$TMP/err"; then
	skip "user namespaces are not permitted here"
else
	expect_status 1
	expect "$TMP/out" '^capabilities +MISSING this is a user namespace'
	pass
fi

t "doctor: its NDJSON"
if can_validate; then
	run gctrace doctor -o json
	valid
	expect "$TMP/out" '^\{"event":"header"'
	expect "$TMP/out" '"event":"check","name":"lockdown"'
	tail -n 1 "$TMP/out" | grep -q '"event":"summary","complete":true' || fail "no summary"
	pass
else
	skip "python3-jsonschema is not installed"
fi

start vm minivm --seed 1
start py /usr/bin/python3 -c 'print("ready", flush=True); import time; time.sleep(600)'
wait_for grep -qs ready "$TMP/py.out"
wait_for "gctrace probes -p $(pid vm) >/dev/null 2>&1"

t "probes: a runtime built with our header offers every level"
run gctrace probes -p "$(pid vm)"
expect_status 0
# Its arguments are numbers, not programs that it runs.
expect "$TMP/out" "^pid $(pid vm) \(minivm\)\$"
expect "$TMP/out" 'probes in +/.*/minivm \(gctrace: 16\)'
for level in collections pools moves survivals dump allocations; do
	expect "$TMP/out" "^  $level +yes "
done
[ ! -s "$TMP/err" ] || fail "there is something on stderr"
pass

t "probes: each site, its semaphore, and who is attached"
run gctrace probes -v -p "$(pid vm)"
expect "$TMP/out" '^    gctrace:batch, semaphore down$'
expect_not "$TMP/out" 'somebody is attached'
start trace gctrace -p "$(pid vm)"
wait_for "gctrace probes -p $(pid vm) | grep -q 'somebody is attached to:.* gc__start'" ||
	fail "the semaphore of an attached probe was not seen up"
stop trace INT
wait_for "! gctrace probes -p $(pid vm) | grep -q 'somebody is attached'" ||
	fail "a semaphore stayed up"
pass

t "probes: CPython says what it tells, and why it tells no more"
if readelf -n /usr/bin/python3 2>/dev/null | grep -q 'Provider: python'; then
	run gctrace probes -p "$(pid py)"
	expect_status 0
	expect "$TMP/out" 'runtime +CPython'
	expect "$TMP/out" '^  collections +yes '
	expect "$TMP/out" '^  moves +no +CPython never moves'
	pass
else
	skip "/usr/bin/python3 has no probes"
fi

t "probes: without -p, all processes that have some"
run gctrace probes
expect_status 0
expect "$TMP/out" "^ +$(pid vm) minivm "
expect_not "$TMP/out" "^ +$$ "
pass

t "probes: their NDJSON"
if can_validate; then
	run gctrace probes -o json
	valid
	expect "$TMP/out" "\"event\":\"process\",\"pid\":$(pid vm),.*\"attachable\":true"
	run gctrace probes -o json -p "$(pid vm)"
	expect_status 0
	valid
	expect "$TMP/out" '"event":"level","pid":[0-9]+,"name":"dump","available":true'
	expect "$TMP/out" '"event":"probe".*"name":"request__dump".*"semaphore":"0x.*"in_use":false'
	pass
else
	skip "python3-jsonschema is not installed"
fi

t "a reader that has seen enough ends it quietly"
gctrace probes -o json -v -p "$(pid vm)" 2>"$TMP/err" | head -n 1 >"$TMP/out"
expect_equal "0" "${PIPESTATUS[0]}" "the exit status"
[ ! -s "$TMP/err" ] || { fail "something was said"; show "$TMP/err"; }
pass

t "refused: no such process, a kernel thread, a thread, a zombie, an unknown name"
sh -c 'exit 0' &
gone=$!
wait "$gone"
refused 1 "there is no process $gone" gctrace probes -p "$gone"
if [ ! -e /proc/2/exe ] && [ -d /proc/2 ]; then
	refused 1 'thread of the kernel' gctrace probes -p 2
fi
start threads /usr/bin/python3 -c 'import threading, time
threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
print("ready", flush=True); time.sleep(600)'
wait_for grep -qs ready "$TMP/threads.out"
# shellcheck disable=SC2012
thread=$(ls "/proc/$(pid threads)/task" | grep -vx "$(pid threads)" | head -n 1)
refused 1 "is a thread .* of process $(pid threads)" gctrace probes -p "$thread"
start zombie /usr/bin/python3 -c 'import os, time
pid = os.fork()
if pid == 0: os._exit(0)
os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
print(pid, flush=True); time.sleep(600)'
wait_for test -s "$TMP/zombie.out"
refused 1 'zombie' gctrace probes -p "$(cat "$TMP/zombie.out")"
refused 1 'no process has the name' gctrace probes -p no-such-name
pass

t "refused: a name that several have, with their list"
start py2 /usr/bin/python3 -c 'print("ready", flush=True); import time; time.sleep(600)'
wait_for grep -qs ready "$TMP/py2.out"
run gctrace probes -p "$(basename "$(readlink -f /usr/bin/python3)")"
expect_status 1
expect "$TMP/err" 'give the pid of one'
expect "$TMP/err" "^  $(pid py) "
expect "$TMP/err" "^  $(pid py2) "
pass

t "refused: another user's process, naming the capability"
run setpriv --bounding-set -all --inh-caps -all --reuid 65534 --regid 65534 --clear-groups \
	"$BUILD/gctrace" probes -p "$(pid py)"
if grep -q 'gctrace: Permission denied\|execv\|setpriv: ' "$TMP/err"; then
	skip "the build directory cannot be read by others"
else
	expect_status 1
	expect "$TMP/err" 'CAP_SYS_PTRACE'
	pass
fi

t "who may not look is told it in the list and in NDJSON"
as_nobody() {
	setpriv --bounding-set -all --inh-caps -all --reuid 65534 --regid 65534 --clear-groups "$@"
}
if ! as_nobody "$BUILD/gctrace" version >/dev/null 2>&1; then
	skip "the build directory cannot be read by others"
else
	run as_nobody "$BUILD/gctrace" probes
	expect "$TMP/err" 'processes that the kernel forbids to look at: [0-9]+; run gctrace as root'
	run as_nobody "$BUILD/gctrace" probes -o json -p "$(pid py),$(pid vm),99999999"
	expect_status 1
	expect "$TMP/out" '"event":"summary","complete":false,"processes":0,"forbidden":2'
	run as_nobody "$BUILD/gctrace" probes -o json -p 99999999
	expect "$TMP/out" '"event":"summary","complete":false,"processes":0,"forbidden":0'
	pass
fi

t "what even root may not look into is named, with the reason"
gctrace probes -p 1 >/dev/null 2>"$TMP/one"
if grep -q 'lets nobody here read /proc/1/' "$TMP/one"; then
	run gctrace probes
	expect "$TMP/err" 'lets nobody here read /proc/1/[a-z]+ \(.*, of user 0\), not even with'
	run gctrace probes -o json -p 1
	expect_status 1
	expect "$TMP/out" '"event":"summary","complete":false,"processes":0,"forbidden":1'
	pass
else
	skip "root may look into process 1"
fi

t "a hostile name of a process is escaped, in text and in NDJSON"
cp "$(readlink -f /usr/bin/python3)" "$TMP/evil"$'\033[2J\n'"pid 1"
start evil "$TMP/evil"$'\033[2J\n'"pid 1" -c 'print("ready", flush=True); import time; time.sleep(600)'
wait_for grep -qs ready "$TMP/evil.out" || fail "the copy did not start"
run gctrace probes -v -p "$(pid evil)"
expect "$TMP/out" '\\x1b\[2J\\npid 1'
expect_not "$TMP/out" "$(printf '\033')"
expect_equal 1 "$(grep -c '^pid ' "$TMP/out")" "lines that begin with a pid"
run gctrace probes -o json -p "$(pid evil)"
expect_not "$TMP/out" "$(printf '\033')"
expect "$TMP/out" '\\u001b\[2J\\npid 1'
pass
