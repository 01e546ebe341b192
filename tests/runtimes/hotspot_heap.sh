#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# HotSpot, with the agent: a heap dump has what the JVM's own histogram has, class by class, and names
# what holds each thing, by its field; with each collector, loaded at the start or into what runs.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/hotspot/lib.sh"
need jq python3
need_root
need_java

# A class of hotspot/Graph.java, and the path to an object of it.
paths() {
	cat <<-'END'
	InStatic       static Graph\.inStatic \(
	InMap          static Graph\.byName \(java\.util\.HashMap\) → \.table\[[0-9]+\] \(java\.util\.HashMap\$Node\) → \.value
	InLocal        thread holder of locals: Graph\.holdLocal, local [0-9]+ \(
	InThreadLocal  .*→ \.threadLocals \(java\.lang\.ThreadLocal\$ThreadLocalMap\) → \.table\[[0-9]+\] .* → \.value
	InThreadField  thread (main: Graph\.main, local [0-9]+|holder of a field: thread object) \(Graph\$FieldThread\) → \.held
	InLocked       (thread holder of locals: Graph\.holdLocal, local [0-9]+|monitor) \(
	InWeak         static Graph\.weakHeld \(
	InSoft         static Graph\.soft \(java\.lang\.ref\.SoftReference\) → \.referent
	InPhantom      static Graph\.phantomHeld \(
	InWeakMap      static Graph\.weakMap \(java\.util\.WeakHashMap\) → \.table\[[0-9]+\] .* → \.value
	InLambda       static Graph\.lambda \(Graph\$\$Lambda[$/].*\) → \.arg\$1
	InInner        static Graph\.inner \(Graph\$Inner\) → \.held
	InAnonymous    static Graph\.anonymous \(Graph\$1\) → \.val\$byAnonymous
	InArray        static Graph\.array\[1999\]
	InMatrix       static Graph\.matrix\[2\]\[1\]\[4\]
	InList         static Graph\.list \(java\.util\.ArrayList\) → \.elementData\[0\]
	InEnumMap      static Graph\.enumMap \(java\.util\.EnumMap\) → \.vals\[1\]
	InEnum         static Graph\$Colour\.RED \(Graph\$Colour\) → \.held
	InRecord       static Graph\.pair \(Graph\$Pair\) → \.held
	InInterface    static Graph\$Constants\.HELD \(
	InBase         static Graph\.derived \(Graph\$Derived\) → \.heldByBase
	InDerived      static Graph\.derived \(Graph\$Derived\) → \.heldByDerived
	InLoaded       static Graph\.fromLoader \(Loaded\) → \.<class> \(java\.lang\.Class\) → \.Loaded\.held
	InClassValue   .*\(java\.lang\.Class\) → \.classValueMap \(java\.lang\.ClassValue\$ClassValueMap\)
	END
}

what_holds_is_named() {
	local class path
	find_paths 'Graph$In*'
	while read -r class path; do
		expect "$TMP/paths" "^Graph\\\$$class $path"
	done < <(paths)
}

is_whole() {
	run gctrace heap "$TMP/recording" --top 0 -o json
	expect_status 0
	cp "$TMP/out" "$TMP/heap.json"
	expect_whole "$TMP/heap.json"
	# What only a weak reference holds is there or collected, but reached by nothing.
	jq -c 'select(.event == "type" and .name == "Graph$OnlyWeak") | .reached_objects' \
		"$TMP/heap.json" >"$TMP/weak"
	expect_not "$TMP/weak" '[1-9]'
}

for jvm in $(jvms); do
	for option in $(collectors G1 Parallel Serial Z Shenandoah); do
		t "Java $(version_of "$jvm"), $option: what holds each object is named, and counts are the JVM's own"
		if ! has "$jvm" "-XX:+Use${option}GC"; then
			skip "this build of the JVM does not have it"
			continue
		fi
		program "$jvm" "-XX:+Use${option}GC" Graph
		dump_of_program
		what_holds_is_named
		is_whole
		# It collects first, so that both see what is alive; the first one leaves a thread behind.
		run "$jvm/bin/jcmd" "$(pid program)" GC.class_histogram
		dump_of_program
		is_whole
		run "$jvm/bin/jcmd" "$(pid program)" GC.class_histogram
		cp "$TMP/out" "$TMP/histogram"
		run python3 "$ROOT/tests/runtimes/hotspot/histogram.py" "$TMP/heap.json" "$TMP/histogram"
		cat "$TMP/out"
		[ "$status" = 0 ] || fail "the dump and the JVM's histogram differ"
		ended_well
		pass
	done

	t "Java $(version_of "$jvm"): loaded into what runs, once; each wish is one dump; nothing stays behind"
	agent=
	program "$jvm" Graph
	load_agent "$jvm"
	expect "$TMP/out" 'return code: 0'
	load_agent "$jvm"
	expect "$TMP/out" 'return code: 4001'
	for _ in 1 2 3; do
		dump_of_program
		run gctrace heap "$TMP/recording" --list -o json
		expect_equal 1 "$(grep -c '"event":"dump"' "$TMP/out")" "dumps"
		is_whole
	done
	what_holds_is_named
	wait_for 'semaphores "$(pid program)" >"$TMP/up" 2>&1' ||
		{ fail "a semaphore stayed up"; show "$TMP/up"; }
	run "$jvm/bin/jcmd" "$(pid program)" Thread.print
	expect_not "$TMP/out" '"gctrace'
	if [ "$(version_of "$jvm" | cut -d. -f1)" -lt 21 ]; then
		expect_equal "" "$(grep -v 'Graph\$InLocal' "$TMP/program.err")" "what is on its stderr"
	fi
	ended_well
	agent=-agentpath:$hotspot_library
	pass

	t "Java $(version_of "$jvm"): where no addresses are found, objects are named by tags, and that is said"
	agent=-agentpath:$hotspot_library=tags
	program "$jvm" Graph
	dump_of_program
	is_whole
	what_holds_is_named
	run gctrace heap "$TMP/recording"
	expect "$TMP/out" '^# HotSpot .*, objects named by tags'
	ended_well
	agent=-agentpath:$hotspot_library
	pass
done
