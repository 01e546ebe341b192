#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# HotSpot, with the agent: whoever is killed, whenever, and however often somebody comes and goes, the
# program lives on, with the memory that it had, and a later gctrace finds all as it should be.
# parallel: yes
# limit: 1200
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/hotspot/lib.sh"
need jq
need_root
need_java

visits=${VISITS:-20}
fleeting_dumps=${FLEETING_DUMPS:-10}

rounds() { awk '$1 == "alive" { n = $2 } END { print n + 0 }' "$TMP/program.out"; }
resident_kib() { awk '$1 == "VmRSS:" { print $2 }' "/proc/$(pid program)/status"; }

# It does work from now on, and finds its objects to be what they were.
lives_on() {
	local from
	from=$(rounds)
	wait_for "[ \"\$(rounds)\" -gt $((from + 20)) ]" ||
		{ fail "it does no work any more"; show "$TMP/program.err"; }
}

is_whole() {
	run gctrace heap -p "$(pid program)" --top 0 -o json
	expect_status 0
	jq -c 'select(.event == "summary")' "$TMP/out" >"$TMP/summary"
	expect "$TMP/summary" '"complete":true'
	expect "$TMP/summary" '"missing":\{\},"odd":\{\}'
}

# Nobody is subscribed, and one who comes now is told all.
is_as_before() {
	lives_on
	wait_for 'semaphores "$(pid program)" >"$TMP/up" 2>&1' ||
		{ fail "a semaphore stayed up"; show "$TMP/up"; }
	is_whole
	lives_on
}

for jvm in $(jvms); do
	version=$(version_of "$jvm")

	t "Java $version: 200 threads that allocate, classes that come and go: dumps are whole, and it lives on"
	program "$jvm" -Dthreads=200 Busy
	for _ in 1 2 3 4 5; do is_whole; done
	is_as_before
	stop program KILL
	pass

	t "Java $version: classes that come while a dump is made, and go right behind its pause, have names"
	program "$jvm" -XX:+UseSerialGC -Dthreads=12 Fleeting
	for ((dump = 0; dump < fleeting_dumps; dump++)); do
		is_whole
		grep -q '"event":"type".*"name":"Loaded\(/0x[0-9a-f]*\)\?\(\[\]\)*"' "$TMP/out" ||
			fail "no object of such a class was there"
	done
	is_as_before
	stop program KILL
	pass

	t "Java $version: gctrace is killed in the midst of a dump, over and over"
	program "$jvm" Busy
	for ms in 0 20 50 100 150 200 300 400; do
		rm -f "$TMP/recording"
		start record gctrace record -p "$(pid program)" --dump=100ms --output "$TMP/recording"
		wait_for '! semaphores "$(pid program)" >/dev/null 2>&1'
		sleep "0.$(printf %03d $ms)"
		stop record KILL
		lives_on
	done
	is_as_before
	pass

	t "Java $version: dumped $visits times: its memory is what it was"
	# Its heap comes and goes: the least of some looks is what it needs.
	least() {
		local least=0 now
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			now=$(resident_kib)
			[ "$least" = 0 ] || [ "$now" -lt "$least" ] && least=$now
			sleep 0.2
		done
		echo "$least"
	}
	is_whole
	before=$(least)
	for ((visit = 0; visit < visits; visit++)); do is_whole; done
	after=$(least)
	echo "$before KiB before, $after KiB after $visits dumps"
	[ "$after" -lt $((before * 110 / 100)) ] || fail "it has grown from $before to $after KiB"
	is_as_before
	stop program KILL
	pass

	t "Java $version: the program is killed in the midst of a dump"
	for ms in 30 100 250; do
		program "$jvm" Busy
		rm -f "$TMP/recording"
		start record gctrace record -p "$(pid program)" --dump=100ms --output "$TMP/recording"
		wait_for '! semaphores "$(pid program)" >/dev/null 2>&1'
		sleep "0.$(printf %03d $ms)"
		stop program KILL
		join record
		[ "$status" -le 3 ] || fail "exit status $status of gctrace"
		run gctrace "$TMP/recording" -o json
		[ "$status" = 0 ] || [ "$status" = 3 ] || fail "the recording cannot be read: $status"
	done
	pass

	t "Java $version: the program ends while dumps are made, and says what it always says"
	program "$jvm" Busy
	rm -f "$TMP/recording"
	start record gctrace record -p "$(pid program)" --dump=100ms --output "$TMP/recording"
	wait_for grep -qs 'heap dump of' "$TMP/record.err" || fail "no heap dump was made"
	touch "$TMP/go"
	join program
	expect_equal 0 "$status" "the program's exit status"
	expect_equal "" "$(cat "$TMP/program.err")" "what is on its stderr"
	expect_equal "" "$(grep -v '^alive\|^ready' "$TMP/program.out")" "what it has said"
	join record
	[ "$status" -le 3 ] || fail "exit status $status of gctrace"
	pass
done
