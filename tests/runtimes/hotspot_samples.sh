#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# HotSpot, with the agent: sampled objects are never confused with others, live as long as the
# program's own books say, lie where they are said to, and have seen as many collections as it has.
# parallel: yes
# limit: 1800
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/hotspot/lib.sh"
need python3
need_root
need_java

sampled() { agent=-agentpath:$hotspot_library=sample=$1; }

# Loads it again, with options.
load_with() {	# JVM LIBRARY OPTIONS
	"$1/bin/jcmd" "$(pid program)" VM.version >/dev/null
	run python3 "$ROOT/tests/runtimes/hotspot/load_agent.py" "$(pid program)" "$2" "$3"
}

# How often the agent's thread for samples has gone to sleep.
sleeps() {
	awk '/^voluntary_ctxt_switches/ { n += $2 } END { print n + 0 }' \
		$(grep -l '^gctrace-sample' /proc/"$(pid program)"/task/*/comm | sed 's|comm$|status|') \
		/dev/null 2>/dev/null
}

# It has gone round: begins, sets the interval, tells what it knows.
it_goes_round() {
	local from
	wait_for 'grep -qs gctrace-sample /proc/$(pid program)/task/*/comm'
	from=$(sleeps)
	sleep 0.5
	wait_for "[ \"\$(sleeps)\" -ge $((from + 3)) ]" || fail "the agent's thread does not go round"
}

recorded() { grep -qs 'heap dump of' "$TMP/record.err"; }

start_recording() {
	rm -f "$TMP/recording"
	start record gctrace record -p "$(pid program)" --dump --samples --output "$TMP/recording"
	wait_for recorded || { fail "nothing is recorded"; show "$TMP/record.err"; }
	# The agent has seen the semaphore; it takes samples soon.
	it_goes_round
}

all_is_told() {
	local bytes
	bytes=$(stat -c %s "$TMP/recording")
	it_goes_round
	[ "$(stat -c %s "$TMP/recording")" = "$bytes" ]
}

let_it_book() {
	touch "$TMP/go"
	WAIT=300 wait_for grep -qs booked "$TMP/program.out" || fail "the program comes to no end"
}

# It books until it is done; what the collector finds out behind that is awaited.
book() {
	let_it_book
	sleep "${1:-2}"
	wait_for all_is_told || fail "it is told without end"
	stop record INT
	[ "$status" = 0 ] || { fail "gctrace record ends with $status"; show "$TMP/record.err"; }
}

end_program() {
	rm -f "$TMP/go" "$TMP/go.truth"
	join program
	expect_equal 0 "$status" "the program's exit status"
}

is_true() {	# [all]
	run samples_truth "$TMP/recording" "$(pid program)" "$TMP/go.truth" "$@"
	tail -n 2 "$TMP/out"
	[ "$status" = 0 ] || { fail "what is told is not so"; show "$TMP/out"; }
}

# Where objects move beside the program the agent goes round ever more seldom.
settling() { case $1 in Z | Shenandoah) echo 4 ;; *) echo 1 ;; esac; }

PATH=$BUILD/tests/proof:$PATH

# Who is attached asks for no samples.
asks_for_none() {	# GCTRACE'S ARGUMENTS…
	start asking gctrace "$@"
	wait_for grep -qs 'heap dump of' "$TMP/asking.err" || show "$TMP/asking.err"
	semaphores "$(pid program)" >"$TMP/up"
	expect "$TMP/up" '^gctrace batch [1-9]'
	expect "$TMP/up" '^gctrace object__alloc 0'
	stop asking INT
}

# What 200 threads allocate whose first sample is drawn by the JVM's own interval. The true figure lies
# within the interval that is told, or near it: that is one of 95 %, so it may be missed by a little.
tell_elders() {	# JVM INTERVAL
	local bytes
	agent=
	program "$1" -XX:+UseSerialGC Elders
	start follow gctrace follow -p "$(pid program)" --load-agent --by type --sample-every "$2" \
		-o json
	it_goes_round
	touch "$TMP/go"
	WAIT=300 wait_for grep -qs allocated "$TMP/program.out" || fail "the program comes to no end"
	it_goes_round
	stop follow INT
	bytes=$(awk '/^allocated/ { print $2 }' "$TMP/program.out")
	jq -r --argjson bytes "$bytes" 'select(.event == "site" and .type == "long[]") |
		.estimated.allocated_bytes as [$low, $high] | (($high - $low) / 2) as $half |
		"\(.allocated_bytes / $bytes) [\($low / $bytes), \($high / $bytes)]",
		if $bytes > $low - $half and $bytes < $high + $half then "is true" else empty end' \
		"$TMP/follow.out" >"$TMP/told"
	cat "$TMP/told"
	expect "$TMP/told" '^is true$'
	stop program KILL
}

for jvm in $(jvms); do
	version=$(version_of "$jvm")

	t "Java $version: nothing is sampled for who records or follows heap dumps"
	sampled 0
	program "$jvm" -XX:+UseSerialGC Books
	asks_for_none record -p "$(pid program)" --dump --output "$TMP/recording"
	asks_for_none follow -p "$(pid program)" --every 10m
	run grep -s gctrace-sample /proc/"$(pid program)"/task/*/comm
	[ "$status" = 1 ] || fail "its agent takes samples"
	let_it_book
	end_program
	pass

	for collector in $(collectors Serial Parallel G1 Shenandoah Z); do
		# With generations nothing is followed: tests/runtimes/hotspot_sites.sh.
		[ "$collector" != Z ] || [ "${version%%.*}" -lt 23 ] || continue
		t "Java $version, $collector: every allocation sampled: who lives, where, and how old"
		if ! has "$jvm" "-XX:+Use${collector}GC"; then
			skip "this build of the JVM does not have it"
			continue
		fi
		sampled 0
		program "$jvm" "-XX:+Use${collector}GC" -Dobjects=8000 -Darrays=50 -Dcollect=4000 \
			-Dcritical=1 -Dclasses=1 Books
		start_recording
		book "$(settling "$collector")"
		is_true all
		end_program
		pass

		t "Java $version, $collector: one in 16 KiB sampled: estimates are within their intervals"
		sampled 16384
		program "$jvm" "-XX:+Use${collector}GC" -Dobjects=60000 -Dgarbage=1024 Books
		start_recording
		book "$(settling "$collector")"
		is_true
		end_program
		pass
	done

	t "Java $version: 200 threads that allocate"
	sampled 4096
	program "$jvm" -XX:+UseG1GC -Dthreads=200 -Dobjects=2000 -Dgarbage=256 -Darrays=2000 \
		-Dcritical=2 -Dclasses=4 Books
	start_recording
	book
	is_true
	end_program
	pass

	for every in 16KiB 8MiB; do
		t "Java $version: threads that are there before: their first sample is an older one ($every)"
		tell_elders "$jvm" "$every"
		pass
	done

	t "Java $version: the interval is set as it runs, and who asks is told all once more"
	sampled 2147483647
	program "$jvm" -XX:+UseParallelGC -Dobjects=60000 -Dgarbage=1024 Books
	start_recording
	load_with "$jvm" "$hotspot_library" sample=8192
	expect "$TMP/out" 'return code: 4001'
	it_goes_round
	let_it_book
	load_with "$jvm" "$hotspot_library" sample=8192
	it_goes_round
	stop record INT
	is_true
	expect "$TMP/out" 'samples, every 8192 bytes'
	expect "$TMP/out" '[3-9] lists of all, [1-9][0-9]* told again'
	end_program
	pass

	t "Java $version: gctrace is killed and comes again: samples begin anew, and are right"
	sampled 0
	program "$jvm" -XX:+UseG1GC -Dobjects=8000 Books
	start_recording
	stop record KILL
	wait_for 'semaphores "$(pid program)" >"$TMP/up" 2>&1' || fail "a semaphore stayed up"
	sleep 0.5
	start_recording
	book
	is_true all
	end_program
	pass

	t "Java $version: another agent has the JVM's only sampler: that is said, and it is awaited"
	if ! cc -shared -fPIC -I"$jvm/include" -I"$jvm/include/linux" -o "$TMP/taker.so" \
		"$ROOT/tests/runtimes/hotspot/taker.c" 2>"$TMP/cc.err"; then
		skip "no agent can be built: $(head -n 1 "$TMP/cc.err")"
		continue
	fi
	sampled 8192
	program "$jvm" "-agentpath:$TMP/taker.so" -XX:+UseSerialGC -Dobjects=60000 \
		-Dgarbage=256 Books
	start_recording
	load_with "$jvm" "$TMP/taker.so" drop
	expect "$TMP/out" 'return code: 0'
	load_with "$jvm" "$hotspot_library" sample=4096
	it_goes_round
	book
	is_true
	expect "$TMP/out" 'notice: another agent in this process has the JVM.s only sampler'
	expect "$TMP/out" 'samples, every 4096 bytes'
	end_program
	pass
done
