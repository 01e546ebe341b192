#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Classes come and go as objects are sampled: one that is redefined has other lines from then on,
# and what was made before keeps its own; and of one that is unloaded the objects live on, and so does
# the program.
# limit: 1200
# level: all
. "$(dirname "$0")/../e2e/lib.sh"
need_root
need gctrace jq
. "$ROOT/tests/runtimes/hotspot/lib.sh"
need_java

# What was said of sites so far, by type and innermost frame: "Before Maker.make(Maker.java:4)".
sites() {	# EXPRESSION of jq: which
	jq -r "select(.event == \"site\" and ($1)) | .type + \" \" + .stack[0]" "$TMP/follow.out" \
		2>/dev/null | sort -u
}

start_following() {
	start follow gctrace follow -p "$(pid program)" --by site -o json --every 1s --top 0
}

stop_following() {
	stop follow INT
	expect_equal 0 "$status" "the exit status of gctrace follow"
}

of_made='.type == "Before" or .type == "After"'
is_told() { sites "$of_made" | grep -q "^$1 "; }

of_making='.type == "byte[]" and (.stack | join(" ") | contains("Unloading.make("))
	and (.stack[0] | test("^Making[.]|unloaded"))'
unloaded() { awk '$1 == "alive" { n = $3 } END { print n + 0 }' "$TMP/program.out"; }

# Its class is given other lines as it makes objects.
change_class() {	# JVM; $how
	javac -cp "$TMP/classes" -d "$TMP/classes/loaded" \
		"$ROOT/tests/runtimes/hotspot/redefined/Maker.java" || fail "javac"
	printf '%s: %s\n' Premain-Class Redefined Can-Redefine-Classes true \
		Can-Retransform-Classes true >"$TMP/manifest"
	"$1/bin/jar" cfm "$TMP/agent.jar" "$TMP/manifest" -C "$TMP/classes" Redefined.class || fail "jar"
	agent=-agentpath:$hotspot_library=sample=512
	program "$1" "-javaagent:$TMP/agent.jar" -XX:+UseSerialGC "-Dhow=$how" Redefined
	start_following
	WAIT=300 wait_for is_told Before || { fail "nothing is told"; show "$TMP/follow.err"; }
	touch "$TMP/go"
	WAIT=300 wait_for is_told After || { fail "nothing is told"; show "$TMP/program.err"; }
	stop_following
	expect_equal "After Maker.make(Maker.java:5)
Before Maker.make(Maker.java:4)" "$(sites "$of_made")" "what was made in which line"
	stop program KILL
}

for jvm in $(jvms); do
	version=$(version_of "$jvm")

	for how in redefined retransformed; do
		t "Java $version: a class that is $how: lines are those of the code that ran"
		change_class "$jvm"
		pass
	done

	t "Java $version: classes that are unloaded: what they made lives on, and the program does"
	agent=-agentpath:$hotspot_library=sample=0
	program "$jvm" -XX:+UseG1GC Unloading
	start_following
	WAIT=300 wait_for '[ -n "$(sites "$of_making")" ]' || fail "nothing is told"
	before=$(unloaded)
	WAIT=300 wait_for '[ "$(unloaded)" -gt $((before + 2000)) ]' || fail "nothing is unloaded"
	stop_following
	sites "$of_making" >"$TMP/made"
	expect "$TMP/made" '^byte\[\] Making\.make\(Making\.java:5\)$'
	expect_not "$TMP/made" '^byte\[\] (Making\.make\(Making\.java:[^5]|Making\.[^m])'
	jq -c 'select(.event == "summary")' "$TMP/follow.out" >"$TMP/summary"
	expect "$TMP/summary" '"complete":true,"lost":\{\}'
	touch "$TMP/go"
	join program
	expect_equal 0 "$status" "the program's exit status"
	pass
done
