#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# HotSpot's sampled objects for long, $SAMPLES_SECONDS (1800) with each JVM: they die and others
# come, their handles and places are used again, and neither the program nor gctrace grows.
#
# The same program runs beside it untouched, in the same time. What the program grows more than that
# one may be 4 MiB, which the C library's heaps of a JVM's threads take in the first minutes;
# gctrace may grow by 4 MiB. There are thousands of samples a second: in half an hour a word of each that
# stayed behind would be 40 MiB and more. The optimising compiler is left out: what it needs for a
# moment, some 25 MiB, stays with the C library for good, and it may come at any time to either.
# limit: 9000
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/../runtimes/hotspot/lib.sh"
need_root
need_java

seconds=${SAMPLES_SECONDS:-1800}
allowed=4096 # KiB
agent=-agentpath:$hotspot_library=sample=131072
options=(-Xms256m -Xmx256m -XX:+AlwaysPreTouch -XX:+UseG1GC -XX:TieredStopAtLevel=1)

start_control() {	# JVM
	start control "$1/bin/java" "${options[@]}" -XX:-UsePerfData -cp "$TMP/classes" Busy \
		"$TMP/go" "$TMP/classes/loaded/"
}

control_rounds() { awk '$1 == "alive" { n = $2 } END { print n + 0 }' "$TMP/control.out"; }

# Their heaps are there, and what the JVMs compile they have compiled.
are_warm() { [ "$(rounds)" -ge 1000000 ] && [ "$(control_rounds)" -ge 1000000 ]; }

for jvm in $(jvms); do
	t "Java $(version_of "$jvm"): $seconds s of deaths: nothing grows"
	program "$jvm" "${options[@]}" Busy
	start_control "$jvm"
	WAIT=1200 wait_for are_warm || fail "they do not work"
	start record gctrace record -p "$(pid program)" --dump --samples --output "$TMP/recording"
	wait_for grep -qs 'heap dump of' "$TMP/record.err" || fail "nothing is recorded"
	sleep $((seconds / 10)) # what the JVM needs for as many handles as there ever are
	before=$(least program) control_before=$(least control) its_before=$(least record)
	rounds_before=$(rounds)
	for ((left = seconds; left > 0; left -= 30)); do
		sleep $((left < 30 ? left : 30))
		lives_on
	done
	grown=$(($(least program) - before)) control_grown=$(($(least control) - control_before))
	its_grown=$(($(least record) - its_before))
	echo "grown by $grown KiB from $before, untouched by $control_grown from $control_before," \
		"gctrace by $its_grown from $its_before, in $(($(rounds) - rounds_before)) rounds"
	[ $((grown - control_grown)) -le $allowed ] ||
		fail "it has grown by $grown KiB, untouched by $control_grown"
	[ "$its_grown" -le $allowed ] || fail "gctrace has grown by $its_grown KiB"
	stop record INT
	expect_equal 0 "$status" "the exit status of gctrace record"
	wait_for 'semaphores "$(pid program)" >"$TMP/up" 2>&1' || fail "a semaphore stayed up"
	lives_on
	stop program KILL
	stop control KILL
	pass
done
