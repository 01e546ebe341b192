#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# HotSpot, untouched, under real load: the collections, causes, pools and pauses that gctrace tells
# are those of the JVM's own log and beans, with each collector that this build of it has.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/jvms.bash"
need java javac jq python3
need_root

HERE=$ROOT/tests/runtimes
compare() { /usr/bin/env python3 "$HERE/hotspot_compare.py" "$@"; }

javac -d "$TMP" "$HERE/Load.java" 2>"$TMP/javac.err" || skip_all "javac: $(head -n 1 "$TMP/javac.err")"
launcher=()

# Start a JVM that waits for $TMP/go; the log is $TMP/jvm.log.
jvm() {	# MILLISECONDS JVM-OPTION…
	local ms=$1
	shift
	rm -f "$TMP"/go* "$TMP"/jvm.* "$TMP"/trace.*
	start jvm ${launcher[@]+"${launcher[@]}"} java "$@" -Xmx128m \
		"-Xlog:gc*,gc+heap=debug,safepoint:file=$TMP/jvm.log:timenanos,level,tags:filecount=0" \
		-cp "$TMP" Load "$TMP/go" "$TMP/jvm.beans" "$ms"
	wait_for grep -qs ready "$TMP/jvm.out" || { fail "the JVM did not start"; show "$TMP/jvm.err"; }
}

trace() {	# OPTION…
	start trace gctrace -p "$(pid jvm)" -o json "$@"
	wait_for grep -qs '"event":"header"' "$TMP/trace.out" ||
		{ fail "gctrace did not attach"; show "$TMP/trace.err"; }
}

# Collections that the log has by now: those before gctrace.
logged() { sed -n 's/.* GC(\([0-9]*\)).*/\1/p' "$TMP/jvm.log" | sort -n | tail -n 1; }

# Both end by themselves.
finish() {
	join jvm
	[ $status = 0 ] || { fail "the JVM's exit status is $status"; show "$TMP/jvm.err"; }
	join trace
	[ $status = 0 ] || { fail "gctrace's exit status is $status"; show "$TMP/trace.err"; }
}

check() {	# COLLECTOR [FIRST]
	run compare "$1" "$TMP/trace.out" "$TMP/jvm.log" "$TMP/jvm.beans" ${2+"$2"}
	cat "$TMP/out"
	[ $status = 0 ] || { fail "gctrace and the JVM disagree"; show "$TMP/err"; }
}

first() {
	local last
	last=$(logged)
	echo $((${last:--1} + 1))
}

# Attach to a load that is going on, and let it go on until gctrace has seen enough of it.
in_the_middle() {	# COLLECTOR
	touch "$TMP/go.hold" "$TMP/go"
	wait_for grep -qs 'GC(10)' "$TMP/jvm.log" || fail "the JVM does not collect"
	trace
	wait_for '[ "$(grep -c "\"event\":\"gc\"" "$TMP/trace.out")" -ge 10 ]' ||
		fail "gctrace does not see collections"
	rm "$TMP/go.hold"
	finish
	check "$1" tail
}

has() { java "-XX:+Use$1GC" -version >/dev/null 2>&1; }

for option in $(collectors G1 Parallel Serial Z Shenandoah); do
	collector=$option
	[ $option = Z ] && collector=ZGC
	t "$collector: collections, causes, pools and pauses are those of the JVM's log and beans"
	if ! has $option; then
		skip "this build of the JVM does not have $collector"
		continue
	fi
	jvm 2500 "-XX:+Use${option}GC"
	trace
	first=$(first)
	touch "$TMP/go"
	finish
	head -n 1 "$TMP/trace.out" >"$TMP/header"
	expect "$TMP/header" "\"runtime\":\"HotSpot\".*\"collector\":\"$collector\""
	check $collector "$first"
	pass
done

t "attached in the middle of the load: from then on nothing is missing"
if has Parallel; then
	jvm 500 -XX:+UseParallelGC
	in_the_middle Parallel
	pass
else
	skip "this build of the JVM does not have Parallel"
fi

t "attached in the middle of concurrent cycles"
if has Shenandoah; then
	jvm 500 -XX:+UseShenandoahGC
	in_the_middle Shenandoah
	pass
else
	skip "this build of the JVM does not have Shenandoah"
fi

t "without shared counters the causes come from a return probe"
jvm 1500 -XX:+UseSerialGC -XX:+PerfDisableSharedMem
trace
first=$(first)
touch "$TMP/go"
finish
check Serial "$first"
pass

t "a JVM that puts few causes in words is promised no more than some"
rm -f "$TMP"/go* "$TMP"/jvm.* "$TMP"/trace.*
start jvm java -XX:+UseSerialGC -XX:-UsePerfData -Xmx128m -cp "$TMP" Load "$TMP/go" "$TMP/jvm.beans" 1500
wait_for grep -qs ready "$TMP/jvm.out"
trace
touch "$TMP/go"
finish
head -n 1 "$TMP/trace.out" >"$TMP/header"
expect "$TMP/header" '"known":\["collections","some_causes","pools","fates"\]'
pass

t "under a seccomp filter the causes come from the counters, and the JVM lives"
launcher=(sandbox)
jvm 1500 -XX:+UseSerialGC
trace
first=$(first)
touch "$TMP/go"
finish
check Serial "$first"
pass

t "under a seccomp filter and without counters no cause is told, and the JVM lives"
jvm 1500 -XX:+UseSerialGC -XX:+PerfDisableSharedMem
trace
touch "$TMP/go"
finish
expect "$TMP/trace.out" '"event":"gc".*"kind":"full"'
expect_not "$TMP/trace.out" '"cause":"'
pass
launcher=()

t "started by gctrace run: the first collection is seen"
rm -f "$TMP"/jvm.* "$TMP"/trace.*
touch "$TMP/go"
start trace gctrace run -o json -- sh -c 'exec java "$@" >"$0"' "$TMP/jvm.out" -XX:+UseSerialGC \
	-Xmx128m "-Xlog:gc*,gc+heap=debug,safepoint:file=$TMP/jvm.log:timenanos,level,tags:filecount=0" \
	-cp "$TMP" Load "$TMP/go" "$TMP/jvm.beans" 1500
join trace
[ $status = 0 ] || { fail "gctrace's exit status is $status"; show "$TMP/trace.err"; }
grep -v '"event":"header"' "$TMP/trace.out" >"$TMP/trace.lines"
mv "$TMP/trace.lines" "$TMP/trace.out"
check Serial 0
pass

t "a JVM that is starting is headed when it has chosen its collector"
rm -f "$TMP"/jvm.* "$TMP"/trace.*
touch "$TMP/go"
start trace gctrace run -o json -- sh -c 'exec java "$@" >"$0"' "$TMP/jvm.out" -Xmx128m -cp "$TMP" \
	Load "$TMP/go" "$TMP/jvm.beans" 1500
join trace
expect_status 0
head -n 1 "$TMP/trace.out" >"$TMP/header"
expect "$TMP/header" '"runtime":"HotSpot".*"collector":"[A-Z]'
expect "$TMP/header" '"known":\["collections","causes","pools","fates"\]'
pass

t "lines for people: runtime, version and collector above, kind and cause in each"
jvm 1000 -XX:+UseSerialGC
start trace gctrace -p "$(pid jvm)"
wait_for grep -qs HotSpot "$TMP/trace.out"
touch "$TMP/go"
finish
expect "$TMP/trace.out" 'HotSpot'
expect "$TMP/trace.out" 'Serial'
expect "$TMP/trace.out" ' young .*Allocation Failure'
expect "$TMP/trace.out" ' full .*System\.gc\(\)'
if [ "$(awk 'length > 100' "$TMP/trace.out" | wc -l)" != 0 ]; then
	fail "lines of more than 100 columns"
	awk 'length > 100' "$TMP/trace.out" >"$TMP/long"
	show "$TMP/long"
fi
pass
