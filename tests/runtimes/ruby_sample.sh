#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace sample on Ruby and Mono, untouched, for which there is no walker: that a thread waits is
# certain; what it does else is a guess by the function that it is in, and says so.
# parallel: yes
# limit: 900
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/sample.bash"
need_root
need jq

HERE=$ROOT/tests/runtimes

guessed() {	# who does not wait is nowhere for certain, but for threads that do one thing only
	expect "$TMP/out" '"event":"header".*"managed_frames":false'
	expect_equal "" "$(jq -r 'select(.event == "sample" and .state != "waiting" and
		(.name | startswith("SGen") | not) and (.location == "JIT" or .location == "GC") and
		((.poor // []) | index("location") | not)) | .location' "$TMP/out" | sort -u)" \
		"locations that are called certain"
	expect "$TMP/out" '"event":"sample".*"location":"BLOCKING"'
}

t "Ruby: waiting is EXACT and right in 999 of 1,000, the rest is a guess"
if ! command -v ruby >/dev/null; then
	skip "no ruby"
elif ! ruby -e 'exit Thread.current.respond_to?(:native_thread_id)'; then
	start program ruby -e '$stdout.sync = true
		Thread.new { x = 0; loop { x += 1 } }
		Thread.new { sleep }
		puts "ready"
		loop { GC.start; sleep 0.001 }'
	wait_for grep -qs ready "$TMP/program.out"
	run gctrace sample -p "$(pid program)" --rate 200 -n "$sweeps" -o json
	expect_status 0
	guessed
	expect "$TMP/out" '"location":"JIT"'
	stop program KILL
	pass
else
	start program ruby "$HERE/whereabouts.rb" "$TMP/stop" "$TMP/truth"
	wait_for grep -qs ready "$TMP/program.out" || { fail "it did not start"; show "$TMP/program.err"; }
	sample_program
	guessed
	judge_samples ruby "Ruby $(ruby -e 'print RUBY_VERSION') (\`whereabouts.rb\`)" 'spin=JIT=' 'sleep=BLOCKING=' \
		'collects=GC=' 'read=BLOCKING='
	pass
fi
[ -z "${SAMPLE_MATRICES-}" ] || exit 0

t "Mono: compiled code is a guess, waiting is not"
cat >"$TMP/Busy.cs" <<-'END'
	using System;
	using System.Threading;
	class Busy {
	    static long x;
	    static void Main() {
	        new Thread(() => { while (true) x++; }) { IsBackground = true }.Start();
	        new Thread(() => { while (true) { GC.Collect(); Thread.Sleep(1); } })
	            { IsBackground = true }.Start();
	        Console.WriteLine("ready");
	        Thread.Sleep(Timeout.Infinite);
	    }
	}
END
if command -v mono mcs >/dev/null && mcs -out:"$TMP/busy.exe" "$TMP/Busy.cs" >"$TMP/mcs.out" 2>&1; then
	start busy mono "$TMP/busy.exe"
	wait_for grep -qs ready "$TMP/busy.out"
	run gctrace sample -p "$(pid busy)" --rate 200 -n "$sweeps" -o json
	expect_status 0
	guessed
	expect "$TMP/out" '"location":"JIT"'
	stop busy KILL
	pass
else
	skip "no Mono, or no compiler for it"
fi
