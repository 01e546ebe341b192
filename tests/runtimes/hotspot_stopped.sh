#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A JVM that stands still for a collection when gctrace attaches to it: said, shown while it lasts,
# and counted as what is inside the trace, with performance counters and without; and one that does
# not stand still, or that gctrace has started, is not said to.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/jvms.bash"
need java javac jq python3
need_root

HERE=$ROOT/tests/runtimes
javac -d "$TMP" "$HERE/Full.java" "$HERE/Load.java" 2>"$TMP/javac.err" ||
	skip_all "javac: $(head -n 1 "$TMP/javac.err")"

full_up() {	# JVM OPTION…
	local jvm=$1
	shift
	start full "$jvm/bin/java" -XX:+UseSerialGC "$@" -Xmx1500m -cp "$TMP" Full
	wait_for grep -qs ready "$TMP/full.out" ||
		{ fail "the JVM did not start"; show "$TMP/full.err"; }
}

full_down() {
	kill -KILL "$(pid full)"
	join full
}

# A JVM whose libjvm.so lacks a word: JDK NEW-DIRECTORY WORD…
without() {
	local jdk=$1 new=$2 f
	shift 2
	mkdir -p "$new/bin" "$new/lib/server"
	cp "$jdk/bin/java" "$new/bin"
	for f in "$jdk"/conf "$jdk"/lib/* "$jdk"/lib/server/*; do
		case ${f#"$jdk/"} in lib/server | lib/server/libjvm.so) continue ;; esac
		ln -s "$f" "$new/${f#"$jdk/"}"
	done
	python3 - "$jdk/lib/server/libjvm.so" "$new/lib/server/libjvm.so" "$@" <<'END'
import sys
library = open(sys.argv[1], "rb").read()
for word in sys.argv[3:]:
    library = library.replace(word.encode(), b"X" * len(word))
open(sys.argv[2], "wb").write(library)
END
}
symbol=SafepointTracing29_last_safepoint_begin_time_ns # when a stop began
flags=(_is_gc_active _is_stw_gc_active)		       # of the heap

five() {	# WHAT: what each trace within one collection, or two, says
	local attach
	rm -f "$TMP/all"
	for attach in 1 2 3 4 5; do
		run gctrace -p "$(pid full)" -d 0.2s -o json
		expect_status 0
		tail -n 1 "$TMP/out" >"$TMP/summary"
		jq -e '.edge_pauses >= 1 and .paused_share > 0.5 and .paused_share <= 1' \
			"$TMP/summary" >"$TMP/verdict" ||
			{ fail "it is not paused most of the time"; show "$TMP/out"; }
		cat "$TMP/out" >>"$TMP/all"
	done
	expect "$TMP/all" "\"stopped_for\":\"$1\",\"stopped_since_ns\":[0-9]"
	expect_not "$TMP/all" stopped_not_visible
}

# Leave the JVM stopped within a collection, so that it lasts for as long as the test looks at it.
halt_amid() {
	kill -STOP "$(pid full)"
	gctrace -p "$(pid full)" -d 0.2s -o json >"$TMP/look" 2>"$TMP/look.err"
	grep -q '"stopped_for"' "$TMP/look" && return
	kill -CONT "$(pid full)"
	return 1
}

on_terminal() {	# REGEX
	command -v script >"$TMP/script" || return 0
	run timeout 120 script -qec "gctrace -p $(pid full) -d 3s" "$TMP/tty"
	expect "$TMP/tty" "pid $(pid full): $1 (s|min)"
}

t "attached amid full collections that follow one another: five of five say so"
java=$(readlink -f "$(command -v java)")
full_up "${java%/bin/java}"
five "full collection"
full_down
pass

for jvm in $(jvms); do
	version=$(version_of "$jvm")

	for option in -XX:-UsePerfData -XX:+PerfDisableSharedMem; do
		t "the same without performance counters: Java $version, $option"
		full_up "$jvm" $option
		five "stop for a collection"
		full_down
		pass
	done

	t "a collection in progress is shown while it lasts, and counted: Java $version"
	full_up "$jvm" -XX:-UsePerfData
	wait_for halt_amid || fail "no collection in progress is said"
	expect_equal "0 1 true 1" "$(jq -rc 'select(.event == "summary") |
		"\(.collections) \(.edge_pauses) \(.edge_pause_total_ns > 0) \(.paused_share)"' \
		"$TMP/look")" "collections, pauses, time, share"
	expect_equal true "$(jq -rc 'select(.event == "header") | .stopped_since_ns < .start_ns' \
		"$TMP/look")" "it began before the trace"
	run gctrace record -p "$(pid full)" -d 0.5s --output "$TMP/still.rec"
	run gctrace "$TMP/still.rec"
	expect "$TMP/out" 'in progress when the trace began: a stop for a collection, for about'
	on_terminal "stop for a collection in progress for [0-9.]+"
	full_down
	pass

	t "without symbols, too; when it began is then not known: Java $version"
	without "$jvm" "$TMP/bare-$version" $symbol
	full_up "$TMP/bare-$version" -XX:-UsePerfData
	wait_for halt_amid || fail "no collection in progress is said"
	expect_equal "0 1 true 1" "$(jq -rc 'select(.event == "summary") |
		"\(.collections) \(.edge_pauses) \(.edge_pause_total_ns > 0) \(.paused_share)"' \
		"$TMP/look")" "collections, pauses, time, share"
	expect_not "$TMP/look" 'stopped_since_ns'
	run gctrace -p "$(pid full)" -d 0.5s
	expect "$TMP/out" 'a stop for a collection; when it began is not visible'
	on_terminal "stop for a collection in progress for at least [0-9.]+"
	full_down
	pass

	t "where nothing says so, that is said: Java $version"
	without "$jvm" "$TMP/mute-$version" $symbol "${flags[@]}"
	full_up "$TMP/mute-$version" -XX:-UsePerfData
	run gctrace -p "$(pid full)" -d 0.2s -o json
	expect "$TMP/out" '"event":"header".*"stopped_not_visible":true'
	expect_not "$TMP/out" '"stopped_for"'
	run gctrace -p "$(pid full)" -d 0.2s
	expect "$TMP/out" 'not visible: whether a collection was in progress when the trace began'
	full_down
	pass

	t "one that does not stand still is not said to: Java $version"
	for option in -XX:+UsePerfData -XX:-UsePerfData -XX:+PerfDisableSharedMem; do
		rm -f "$TMP/go"
		start quiet "$jvm/bin/java" $option -cp "$TMP" Load "$TMP/go" "$TMP/beans" 100
		wait_for grep -qs ready "$TMP/quiet.out" || fail "the JVM did not start"
		run gctrace -p "$(pid quiet)" -d 0.2s -o json
		expect "$TMP/out" '"event":"header"'
		expect_not "$TMP/out" '"stopped_|"edge_pauses"'
		stop quiet
	done
	pass

	t "nor is one that gctrace has started: Java $version"
	touch "$TMP/go"
	for of in "$jvm" "$TMP/bare-$version" "$TMP/mute-$version"; do
		run gctrace run -o json -- sh -c 'exec "$@" >"$0"' "$TMP/run.out" \
			"$of/bin/java" -XX:-UsePerfData -Xmx128m -cp "$TMP" \
			Load "$TMP/go" "$TMP/beans" 300
		expect_status 0
		expect "$TMP/out" '"event":"gc"'
		expect_not "$TMP/out" '"stopped_'
	done
	pass
done
