#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Sizes of objects in a JVM's own dumps are those of its histogram, class by class, however it lays
# objects out; and what is not known is marked as an estimate.
# limit: 600
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/hotspot/lib.sh"
need_root
need gctrace java javac jq python3
javac -d "$TMP/classes" "$ROOT/tests/runtimes/Shop.java" 2>"$TMP/javac.err" ||
	skip_all "javac: $(head -n 1 "$TMP/javac.err")"

sizes_are_right() {	# WHAT TYPES
	run /usr/bin/env python3 "$ROOT/tests/runtimes/hotspot_hprof.py" sizes "$2" "$TMP/histo"
	[ "$status" = 0 ] || { fail "$1: not what the JVM counts"; show "$TMP/out"; }
	echo "$1: $(tail -n 1 "$TMP/out")"
}

says() {	# FILE ACCURACY
	jq -r 'select(.event == "header").accuracy' "$1" >"$TMP/accuracy"
	expect_equal "$2" "$(cat "$TMP/accuracy")" "accuracy"
}

while read -r jvm; do
	version=$(version_of "$jvm")
	for options in "-XX:+UseG1GC" "-XX:ObjectAlignmentInBytes=16" "-XX:+UseZGC" \
		"-XX:+UseSerialGC -XX:-UseCompressedOops" \
		"-XX:ObjectAlignmentInBytes=32 -XX:+UseZGC" \
		"-XX:-UseCompressedClassPointers" "-XX:+UseCompactObjectHeaders"; do
		t "Java $version, $options: the size of each class is the JVM's"
		# shellcheck disable=SC2086
		if ! has "$jvm" $options; then
			skip "this build of the JVM does not take $options"
			continue
		fi
		# shellcheck disable=SC2086
		start jvm "$jvm/bin/java" $options -Xmx256m -cp "$TMP/classes" Shop 20000
		wait_for grep -qs ready "$TMP/jvm.out" ||
			{ fail "the JVM did not start"; show "$TMP/jvm.err"; }
		rm -f "$TMP/hprof"
		run timeout 60 "$jvm/bin/jcmd" "$(pid jvm)" GC.heap_dump "$TMP/hprof"
		expect_status 0
		run timeout 60 gctrace heap -p "$(pid jvm)" --via jvm --top 0 -o json
		expect_status 0
		cp "$TMP/out" "$TMP/live"
		timeout 60 "$jvm/bin/jcmd" "$(pid jvm)" GC.class_histogram >"$TMP/histo" 2>&1
		stop jvm
		says "$TMP/live" exact
		expect_not "$TMP/live" '"estimated":true'
		sizes_are_right "by the JVM" "$TMP/live"
		run gctrace heap "$TMP/hprof" --top 0 -o json
		cp "$TMP/out" "$TMP/types"
		sizes_are_right "from the file" "$TMP/types"
		if grep -q '"estimated":true' "$TMP/types"; then
			says "$TMP/types" estimated_sizes
			run gctrace heap "$TMP/hprof"
			expect "$TMP/out" '^# but the sizes of .* are estimates'
		else
			says "$TMP/types" exact
		fi
		pass
	done
done < <(jvms)
