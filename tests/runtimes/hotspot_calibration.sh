#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# HotSpot, with the agent: are estimates by allocation site as good as they say? A program allocates
# known amounts at many places; each is an experiment, in which the truth must be inside the 95 %
# interval that gctrace states. Of 100 places 86 or more are: fewer come by chance less than once in
# a thousand runs. (The figures are printed; 92 is what docs/runtimes.md promises on average.)
# parallel: yes
# limit: 1800
# level: all
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/hotspot/lib.sh"
need gctrace python3
need_root
need_java

has_rounds() { [ "$(grep -c '"event":"samples"' "$TMP/follow.out")" -ge "$1" ]; }

calibrate() {	# JVM PATTERN PLACES BYTES MS LEAST [OPTION…]
	local rounds least=$6 even=
	[ "$2" != collected ] || even=even
	rm -f "$TMP/go"
	start program "$1/bin/java" -Xmx2g "${@:7}" -cp "$TMP/classes" Calibration "$2" "$3" "$4" \
		"$TMP/go" "$5"
	wait_for grep -qs ready "$TMP/program.out" || fail "the program did not start"
	start follow gctrace follow -p "$(pid program)" --load-agent --by site -o json --every 1s --top 0
	wait_for grep -qs '"event":"header"' "$TMP/follow.out" || show "$TMP/follow.err"
	wait_for 'grep -qs gctrace-sample /proc/$(pid program)/task/*/comm' || fail "no thread samples"
	sleep 1 # until it has begun; were it later, the first places would lack something
	touch "$TMP/go"
	WAIT=300 wait_for grep -qs done "$TMP/program.out" || fail "the program comes to no end"
	rounds=$(grep -c '"event":"samples"' "$TMP/follow.out")
	wait_for has_rounds $((rounds + 2)) || fail "no more rounds"
	stop follow INT
	expect_status 0
	run python3 "$ROOT/tests/runtimes/hotspot_calibration.py" "$TMP/program.out" \
		"$TMP/follow.out" "$least" $even
	cat "$TMP/out"
	[ $status = 0 ] || { fail "estimates are not as good as they say"; show "$TMP/err"; }
	kill -KILL "$(pid program)"
	join program
}

while read -r jvm; do
	for pattern in steady mixed bursts; do
		t "$(version_of "$jvm"), $pattern: the truth is inside the interval at 100 places"
		calibrate "$jvm" $pattern 100 $((32 << 20)) 0 86
		pass
	done
	t "$(version_of "$jvm"): a site that allocates evenly for a second is seen evenly"
	calibrate "$jvm" steady 20 $((32 << 20)) 1000 15
	pass
	t "$(version_of "$jvm"): threads that start all the time widen the intervals"
	calibrate "$jvm" churning 20 $((32 << 20)) 300 15
	grep -q '"repeats":' "$TMP/follow.out" || fail "repeats are not told"
	pass
	t "$(version_of "$jvm"), Parallel: nothing is sampled too often after a collection"
	calibrate "$jvm" collected 200 $((2 << 20)) 0 176 -XX:+UseParallelGC
	pass
done < <(jvms)
