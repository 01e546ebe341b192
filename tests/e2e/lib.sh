# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# What shell tests are written with. A test file (tests/e2e/X.sh, tests/runtimes/X.sh) is run by
# tests/run, or by hand as `BUILD=build bash tests/e2e/X.sh`, and begins:
#
#   #!/bin/bash
#   # SPDX-License-Identifier: BSD-2-Clause
#   # What this file shows, in a line or two.
#   # parallel: yes            (may run beside another test file; without this line: alone)
#   # limit: 300               (seconds for the whole file; without this line: 600)
#   # level: all               (for `make check-all`; without this line also for `make check`)
#   . "$(dirname "$0")/../e2e/lib.sh"
#
# Each test has a name and exactly one verdict:
#
#   t "a killed gctrace leaves every semaphore at 0"
#   start vm minivm --seed 1
#   wait_for 'grep -q ready "$TMP/vm.out"' || fail "the VM did not start"
#   run gctrace -p "$(pid vm)" -n 3
#   expect_status 0
#   pass
#
# pass, fail WHY, skip WHY     the verdict; the first one counts, so `pass` may close every test
# show FILE…                   say more about a failure: the files are printed
# skip_all WHY                 nothing in this file can run here: one skip, and the file ends
# need COMMAND…, need_root     skip_all unless they are here
# at_level all                 true in `make check-all` and by hand: for what repeats a behaviour with
#                              another collector, version or size
# start NAME COMMAND…          in the background; output in $TMP/NAME.out and $TMP/NAME.err; when it
#                              returns the command has been executed: it is no copy of this shell
# pid NAME                     its process
# stop NAME [SIGNAL]           signal it (TERM) and wait; its exit status is in $status
# unit_test NAME               the unit test tests/unit/NAME_test.c as it was built last: plainly, or with
#                              sanitizers, as `make check` does
# work PID SECONDS             wait until it has computed for that much longer, or ends
# join NAME                    wait until it ends by itself; its exit status is in $status
# run COMMAND…                 in the foreground; $status, output in $TMP/out and $TMP/err
# wait_for CONDITION           until the command, or the quoted line, succeeds; 60 s ($WAIT) at most
# expect_status N, expect FILE REGEX, expect_not FILE REGEX, expect_equal WANT GOT WHAT
#
# A word that is no command is a failure of the test that says it, whatever it does with the status
# 127: a check that is spelt wrong would pass. Only `run WORD…` is let alone, where a test may want
# to see just that.
#
# gctrace and minivm are those of $BUILD, and so are the programs of tests/tools: `semaphores PID`
# tells which semaphores of a process are up, and exits 0 if none is. $TMP is an empty directory,
# $ROOT the source tree. What was started is killed and $TMP removed however the file ends. KEEP=1
# keeps $TMP.

set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$ROOT/$BUILD ;; esac
PATH=$BUILD:$BUILD/tests/tools:$PATH
export BUILD PATH LC_ALL=C.UTF-8
TMP=$(mktemp -d "${TMPDIR:-/tmp}/gctrace-test.XXXXXX")
chmod 755 "$TMP"
status=0
lib_test= lib_verdict= lib_failed=0 lib_tests=0
declare -A lib_pids=()

# One line of result: for tests/run into its file, for people on stdout.
lib_result() {
	local verdict=$1 name=$2 why
	why=$(printf '%s' "${3-}" | tr '\n\t' '  ')
	[ -z "${TEST_RESULTS-}" ] || printf '%s\t%s\t%s\n' "$verdict" "$name" "$why" >>"$TEST_RESULTS"
	printf '%-4s %s%s\n' "$verdict" "$name" "${why:+: $why}"
	lib_verdict=$verdict
	if [ "$verdict" = fail ]; then lib_failed=1; fi
}

# Bash calls it in a process of its own, so what it has to say is left in a file, which is looked
# at before any verdict.
command_not_found_handle() {
	echo "${BASH_SOURCE[1]}: line ${BASH_LINENO[0]}: $1: command not found" >&2
	[ "${FUNCNAME[1]-}" = run ] ||
		echo "$1 (${BASH_SOURCE[1]##*/}:${BASH_LINENO[0]})" >>"$TMP/.no-commands"
	return 127
}

unit_test() {
	ls -t "$BUILD/tests/unit/$1_test" "$BUILD/san/tests/unit/$1_test" 2>/dev/null | head -n 1
}

lib_look_for_no_commands() {
	local words
	[ -s "$TMP/.no-commands" ] || return 0
	words=$(sort -u "$TMP/.no-commands" | paste -s -d ' ')
	rm "$TMP/.no-commands"
	fail "no command: $words"
}

lib_close() {
	lib_look_for_no_commands
	[ -n "$lib_test" ] && [ -z "$lib_verdict" ] && lib_result fail "$lib_test" "$1"
	lib_test= lib_verdict=
}

t() {
	lib_close "it came to no verdict"
	lib_test=$1
	lib_tests=$((lib_tests + 1))
}

pass() {
	lib_look_for_no_commands
	[ -n "$lib_verdict" ] || lib_result pass "$lib_test"
}

# Outside of all tests it is the file that fails.
fail() {
	[ "$lib_verdict" = fail ] || lib_result fail "${lib_test:-$(basename "$0" .sh)}" "${1-}"
}

skip() {
	lib_look_for_no_commands
	[ -n "$lib_verdict" ] || lib_result skip "$lib_test" "${1-}"
}

show() {
	local f
	for f; do
		echo "--- $f"
		cat -v "$f" 2>&1 | head -n 60
	done
}

skip_all() {
	lib_tests=$((lib_tests + 1))
	lib_result skip "$(basename "$0" .sh)" "$1"
	exit 0
}

need() {
	local c
	for c; do
		command -v "$c" >/dev/null 2>&1 || skip_all "$c is not installed"
	done
}

at_level() { [ "${LEVEL:-all}" = "$1" ]; }

need_root() { [ "$(id -u)" = 0 ] || skip_all "it needs root"; }

start() {
	local name=$1
	shift
	# Here, not by the child: who waits for a word of it must not find that of the one before.
	: >"$TMP/$name.out"
	: >"$TMP/$name.err"
	"$@" >"$TMP/$name.out" 2>"$TMP/$name.err" </dev/null &
	lib_pids[$name]=$!
	case $(type -t "$1") in file) wait_for lib_executed $! ;; esac
}

# Until it executes, the child of a shell has the words that the shell was called with.
lib_executed() {	# PID
	! cmp -s "/proc/$1/cmdline" "/proc/$$/cmdline" || ! lib_runs "$1"
}

# Time of its own, not ours: on a busy machine it may take long.
work() {
	local until hz
	hz=$(getconf CLK_TCK)
	until=$(($(lib_ticks "$1") + $(awk -v s="$2" -v hz="$hz" 'BEGIN { print int(s * hz) }')))
	wait_for "! lib_runs $1 || [ \"\$(lib_ticks $1)\" -ge $until ]"
}

lib_ticks() { sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | awk '{ n = $12 + $13 } END { print n + 0 }'; }

pid() { echo "${lib_pids[$1]}"; }

join() {
	status=0
	wait "${lib_pids[$1]}" || status=$?
	unset "lib_pids[$1]"
}

# A process that does not heed the signal in that time is killed, and that is a failure.
stop() {
	local p=${lib_pids[$1]}
	kill -s "${2:-TERM}" "$p" 2>/dev/null
	if ! wait_for "! lib_runs $p"; then
		fail "$1 did not end on SIG${2:-TERM}"
		kill -KILL "$p"
	fi
	join "$1"
}

# Running: there, and not a zombie that only waits for its parent.
lib_runs() {
	local state
	state=$(sed 's/.*) //; s/ .*//' "/proc/$1/stat" 2>/dev/null)
	[ -n "$state" ] && [ "$state" != Z ]
}

run() {
	status=0
	"$@" >"$TMP/out" 2>"$TMP/err" </dev/null || status=$?
}

wait_for() {
	local until=$((SECONDS + ${WAIT:-60}))
	while :; do
		if [ $# = 1 ]; then eval "$1" && return 0; else "$@" && return 0; fi
		[ $SECONDS -lt $until ] || return 1
		sleep 0.05
	done
}

expect_status() {
	[ "$status" = "$1" ] && return 0
	fail "exit status $status, not $1"
	show "$TMP/err"
	return 1
}

# The lines of a file, a message of gctrace that was wrapped as the one line that it is: where it
# is wrapped depends on how long this machine's paths are.
lib_unwrapped() { sed -e ':again' -e '$!N' -e 's/\ngctrace:   / /; tagain' -e 'P;D' "$1"; }

expect() {
	grep -Eq -e "$2" "$1" || lib_unwrapped "$1" | grep -Eq -e "$2" && return 0
	fail "no line of ${1##*/} matches: $2"
	show "$1"
	return 1
}

expect_not() {
	lib_unwrapped "$1" | grep -Eq -e "$2" || return 0
	fail "a line of ${1##*/} matches: $2"
	show "$1"
	return 1
}

expect_equal() {
	[ "$1" = "$2" ] && return 0
	if [ ${#1} -gt 150 ] || [ ${#2} -gt 150 ]; then
		fail "$3: something else, see below"
		printf '  expected %s\n  found    %s\n' "$1" "$2"
	else
		fail "$3: \`$2', not \`$1'"
	fi
	return 1
}

lib_end() {
	local code=$? name
	trap - EXIT
	lib_close "the file ended in the middle of it (status $code)"
	for name in "${!lib_pids[@]}"; do
		kill -CONT "${lib_pids[$name]}" 2>/dev/null
		kill -KILL "${lib_pids[$name]}" 2>/dev/null
	done
	wait 2>/dev/null
	if declare -F cleanup >/dev/null; then cleanup; fi
	lib_look_for_no_commands
	if [ "${KEEP-}" = 1 ]; then echo "kept: $TMP"; else rm -rf "$TMP"; fi
	[ -z "${TEST_RESULTS-}" ] || printf 'end\t\t\n' >>"$TEST_RESULTS"
	[ "$lib_tests" -gt 0 ] || { echo "no test was run"; exit 1; }
	[ $code = 0 ] || exit "$code"
	exit "$lib_failed"
}
trap lib_end EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
trap 'exit 129' HUP
