#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# HotSpot, with the agent: whoever is killed, whenever, and however often somebody comes and goes, the
# program lives on, with the memory that it had, and a later gctrace finds all as it should be.
# parallel: yes
# limit: 3600
# level: all
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/hotspot/lib.sh"
need jq
need_root
need_java

visits=${VISITS:-20}
fleeting_dumps=${FLEETING_DUMPS:-10}

is_whole() {
	run gctrace heap -p "$(pid program)" --top 0 -o json
	expect_status 0
	expect_whole "$TMP/out"
}

is_told() { is_whole; }

# A collector that always is in a concurrent cycle, and how it comes to be.
always_collecting() {
	cat <<-'END'
	G1 -XX:InitiatingHeapOccupancyPercent=1 -XX:-G1UseAdaptiveIHOP
	Z
	Shenandoah -XX:+UnlockDiagnosticVMOptions -XX:ShenandoahGCHeuristics=aggressive
	END
}

# How many times since line FROM of its log the JVM walked its heap in the midst of a concurrent phase,
# which is logged as it ends, with how long it took.
walks_in_phases() {	# FROM
	tail -n "+$1" "$TMP/log" | awk -F '[][s]+' '
		/Safepoint "HeapWalkOperation"/ { walks[++count] = $2 }
		/ Concurrent .*[0-9]ms$/ {
			at = $2; ms = $0; sub(/.* /, "", ms)
			for (i = count; i && walks[i] > at - ms / 1000; i--) if (walks[i] < at) n++
		}
		END { print n + 0 }'
}

# What the JVM has for tags; those of this program's objects are some MiB.
tags_kib() {
	"$jvm/bin/jcmd" "$(pid program)" VM.native_memory summary |
		sed -n 's/^- *Serviceability (reserved=\([0-9]*\)KB.*/\1/p'
}

# Pages of the agent's marks, which alone ask for huge pages here: how many places, how much.
marks() {
	awk '/^Rss:/ { kib = $2 } /^VmFlags:.* hg( |$)/ { places++; sum += kib }
		END { print places + 0, sum + 0 }' "/proc/$(pid program)/smaps"
}

for jvm in $(jvms); do
	version=$(version_of "$jvm")

	t "Java $version: 500 threads that allocate, classes that come and go: dumps are whole, and it lives on"
	program "$jvm" -Dthreads=500 Busy
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

	while read -r collector options; do
		t "Java $version, $collector: dumps in the midst of concurrent cycles"
		# shellcheck disable=SC2206
		options=("-XX:+Use${collector}GC" $options)
		if ! has "$jvm" "${options[@]}"; then
			skip "this build of the JVM does not have it"
			continue
		fi
		program "$jvm" "${options[@]}" "-Xlog:gc*,safepoint:file=$TMP/log:uptime:filecount=0" Busy
		begun=$(wc -l <"$TMP/log")
		for ((dumps = 0; dumps < 100; dumps++)); do
			is_whole
			[ "$(walks_in_phases "$begun")" -lt 2 ] || break
		done
		[ "$(walks_in_phases "$begun")" -ge 2 ] || fail "no dump was made in one"
		is_as_before
		stop program KILL
		pass
	done < <(always_collecting)

	t "Java $version: gctrace is killed in the midst of a dump, over and over"
	program "$jvm" Busy
	gctrace_is_killed
	is_as_before
	stop program KILL
	pass

	t "Java $version: dumped $visits times: its memory is what it was"
	# Its heap is there from the beginning, and what the JVM compiles it has compiled. The first dumps
	# have the JVM make room for what it needs for them, which stays.
	steady=(-Xms256m -XX:+AlwaysPreTouch)
	program "$jvm" "${steady[@]}" Busy
	start untouched "$jvm/bin/java" -XX:-UsePerfData -Xmx256m -cp "$TMP/classes" "${steady[@]}" \
		Busy "$TMP/never" "$TMP/classes/loaded/"
	WAIT=300 wait_for '[ "$(rounds)" -ge 2000000 ]' || fail "it does not work"
	for _ in 1 2 3 4 5 6 7 8 9 10; do is_whole; done
	looks=50 # the memory of a compilation that others keep from its end goes in that time
	before=$(least) its_before=$(least untouched)
	for ((visit = 0; visit < visits; visit++)); do is_whole; done
	after=$(least) its_after=$(least untouched)
	stop untouched KILL
	echo "$before KiB before, $after KiB after $visits dumps;" \
		"one that nobody dumped meanwhile: $its_before KiB, $its_after KiB"
	[ "$after" -lt $((before * 102 / 100)) ] || fail "it has grown from $before to $after KiB"
	is_as_before
	stop program KILL
	pass

	for mode in addresses tags; do
		t "Java $version, objects named by $mode: no tags and no marks are left when a dump is over"
		[ $mode = addresses ] || agent=$agent=tags
		program "$jvm" -XX:NativeMemoryTracking=summary Busy
		agent=-agentpath:$hotspot_library
		expect_equal "0 0" "$(marks)" "places and KiB of marks before a dump"
		is_whole
		is_whole
		wait_for '[ "$(tags_kib)" -lt 1024 ]' || fail "$(tags_kib) KiB for tags are left"
		case $(marks) in
		"0 "*) fail "no marks were made: is nothing looked at?" ;;
		*" 0") ;;
		*) fail "places and KiB of marks: $(marks)" ;;
		esac
		stop program KILL
		pass
	done

	t "Java $version: the program is killed in the midst of a dump"
	program_is_killed program "$jvm" Busy
	pass

	t "Java $version: the program ends while dumps are made, and says what it always says"
	program "$jvm" Busy
	start_dumping
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
