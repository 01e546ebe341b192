#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace sample on Node with a perf map: functions and locations are those that the program knows.
# parallel: yes
# limit: 900
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/sample.bash"
need_root
need node jq

sweeps=${SAMPLE_SWEEPS:-1200} # of one thread

t "what is called EXACT is right, in 999 of 1,000"
start program sh -c 'cd "$0" && exec node --perf-basic-prof "$@"' "$TMP" \
	"$ROOT/tests/runtimes/whereabouts.js" "$TMP/stop" "$TMP/truth"
wait_for grep -qs ready "$TMP/program.out" || { fail "it did not start"; show "$TMP/program.err"; }
map=/tmp/perf-$(pid program).map
sample_program
# What leads to native code and back is JavaScript of Node's own; V8 interrupts a loop for its own work.
judge_samples node "Node $(node --version) with \`--perf-basic-prof\` (\`whereabouts.js\`)" \
	'spin=JIT,NATIVE=^(spin |v8::)' 'callNative=NATIVE=.' 'sleep=BLOCKING=.'
rm -f "$map"
pass
