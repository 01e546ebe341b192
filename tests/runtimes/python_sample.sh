#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace sample on CPython, untouched: functions and locations are those that the program knows.
# parallel: yes
# limit: 900
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/sample.bash"
need_root
need jq

# Each minor version that is there: the distribution's, and those that a version manager keeps.
interpreters() {
	local candidate version
	for candidate in /usr/bin/python3 "$HOME"/.pyenv/versions/3.*/bin/python3; do
		[ -x "$candidate" ] || continue
		version=$("$candidate" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
		case $version in 3.11 | 3.12 | 3.13) echo "$version $candidate" ;; esac
	done | sort -u -k 1,1
}

rules=('spin=JIT,NATIVE=^(spin|go) \(' 'call_native=NATIVE=^(call_native|go) \('
	'sleep=BLOCKING=^sleep \(' 'collect=GC=^(collect|go) \('
	'wait_at_door=BLOCKING=^wait_at_door \(' 'read_byte=BLOCKING=^read_byte \(')

interpreters >"$TMP/interpreters"
while read -r version python; do
	t "CPython $version: what is called EXACT is right, in 999 of 1,000"
	start program "$python" "$ROOT/tests/runtimes/whereabouts.py" "$TMP/stop" "$TMP/truth"
	wait_for grep -qs ready "$TMP/program.out" || fail "the program did not start"
	sample_program
	expect "$TMP/samples" '"event":"header".*"managed_frames":true'
	judge_samples "python-$version" "CPython $version (\`whereabouts.py\`)" "${rules[@]}"
	pass
	[ -z "${SAMPLE_MATRICES-}" ] || continue

	t "CPython $version: --hold, which makes more of it EXACT, is as right"
	start program "$python" "$ROOT/tests/runtimes/whereabouts.py" "$TMP/stop" "$TMP/truth"
	wait_for grep -qs ready "$TMP/program.out" || fail "the program did not start"
	if [ "$(nproc)" -gt 1 ] && chrt -f 1 true 2>/dev/null; then
		sample_program --hold --stacks
		judge_samples "python-$version-hold" "CPython $version with \`--hold\`" \
			"${rules[@]}"
		pass
	else
		stop program KILL
		skip "there is one CPU, or no real-time priority"
	fi

	t "CPython $version: a stack is the interpreter's, outermost last"
	start sleeper "$python" -c 'import time
def inner(): time.sleep(1000)
class Outer:
    def method(self): inner()
print("ready", flush=True)
Outer().method()'
	wait_for grep -qs ready "$TMP/sleeper.out"
	wait_for 'grep -q select_poll\\\|nanosleep "/proc/$(pid sleeper)/wchan" || sleep 0.5'
	run gctrace sample -p "$(pid sleeper)" -n 1 --stacks -o json
	expect_status 0
	frames='inner \(<string>:2\)","Outer.method \(<string>:4\)","<module> \(<string>:1\)"'
	expect "$TMP/out" "\"event\":\"stack\".*$frames\]"
	stop sleeper KILL
	pass
done <"$TMP/interpreters"

[ -z "${SAMPLE_MATRICES-}" ] || exit 0
t "a version that gctrace does not know says so, and has locations all the same"
other=
for candidate in "$HOME"/.pyenv/versions/3.{8,9,10,14}*/bin/python3; do
	[ -x "$candidate" ] && other=$candidate
done
if [ -n "$other" ]; then
	start old "$other" -c 'import time; print("ready", flush=True); time.sleep(1000)'
	wait_for grep -qs ready "$TMP/old.out"
	run gctrace sample -p "$(pid old)" -n 3 -o json
	expect_status 0
	expect "$TMP/out" '"managed_frames":false'
	expect "$TMP/out" '"event":"sample".*"location":"BLOCKING"'
	stop old KILL
	pass
else
	skip "no other version is here"
fi
