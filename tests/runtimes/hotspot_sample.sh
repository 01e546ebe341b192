#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace sample on HotSpot, each version that is installed: threads that know where they are
# (Places.java) against what is said of them, as a confusion matrix; the JVM's own threads against its
# log (Chores.java); and the stacks of threads that wait (Parked.java) against jstack's, with each of
# the JVM's compilers.
# parallel: no
# limit: 3600
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/sample.bash"
. "$(dirname "$0")/jvms.bash"
need java javac javap jdb jq /usr/bin/python3
need_root

HERE=$ROOT/tests/runtimes
WAIT=600

# The class that is loaded again and again is taken away as the program starts: so each time anew.
build() {
	javac --release 17 -d "$TMP" "$HERE/Places.java" "$HERE/Parked.java" "$HERE/Chores.java" \
		2>"$TMP/javac.err"
}
build || skip_all "javac: $(head -n 1 "$TMP/javac.err")"
javap -c -p -cp "$TMP" Places | awk '
	/ interpreted\(/ { on = 1 }
	on && /^ *[0-9]+: / { sub(":", "", $1); print $1 }
	on && /^$/ { on = 0 }' >"$TMP/bytecodes"

program() {	# JVM WORD…
	local jvm=$1
	shift
	start program "$jvm/bin/java" -Xmx256m -cp "$TMP" "$@"
	wait_for grep -qs ready "$TMP/program.out" ||
		{ fail "the program did not start"; show "$TMP/program.err"; }
}

# A busy machine has fewer samples that are EXACT: so many more sweeps are made than need be.
least=$(at_level all && echo 10000 || echo 5000)

truth() {	# JVM VERSION OPTION…
	local least_sweeps=$((least * 2 / 5))
	rm -f "$TMP/end"
	build
	program "$1" -XX:CompileCommand=quiet '-XX:CompileCommand=dontinline,Places::*' \
		-XX:CompileCommand=exclude,Places::interpreted Places 12 "$TMP/end" "$TMP/truth"
	run gctrace sample -p "$(pid program)" --rate 300 -o json \
		-n $((sweeps > least_sweeps ? sweeps : least_sweeps)) --fields stack,method,location,pc "${@:3}"
	expect_status 0
	touch "$TMP/end"
	join program
	expect_equal 0 "$status" "the program's exit status"
	/usr/bin/python3 "$HERE/hotspot_sample_truth.py" "$2" "$TMP/truth" "$TMP/out" "$TMP/bytecodes" \
		"$least" >"$TMP/matrix" || fail "not as the program knows it"
	cat "$TMP/matrix"
}

# What the JVM's own threads do, by its log (hotspot_chores.py).
chores() {	# JVM VERSION COLLECTOR
	local task
	rm -f "$TMP/end" "$TMP/log" "$TMP/jit"
	program "$1" -Xmx128m "-XX:+Use$3" -XX:+UnlockDiagnosticVMOptions -XX:+LogCompilation \
		"-XX:LogFile=$TMP/jit" "-Xlog:gc,gc+start,vmoperation=debug,jit+compilation=debug:\
file=$TMP/log:tn,ti:filecount=0" Chores "$TMP/end"
	wait_for 'grep -q " Pause " "$TMP/log" && grep -q "Hot::mix" "$TMP/log"'
	for task in "/proc/$(pid program)/task/"*; do
		echo "${task##*/} $(cat "$task/comm")"
	done >"$TMP/threads"
	run gctrace sample -p "$(pid program)" --rate 300 -n "$sweeps" -o json
	expect_status 0
	cp "$TMP/out" "$TMP/samples"
	touch "$TMP/end"
	join program
	/usr/bin/python3 "$HERE/hotspot_chores.py" "$TMP/log" "$TMP/jit" "$TMP/threads" >"$TMP/truth"
	judge_samples "hotspot-$2-$3" "HotSpot $2, its own threads with ${3%GC} (\`Chores.java\`)" \
		'collects=!,GC=' 'collects_too=!,GC=' 'marks=!,GC=' 'compiles=!,COMPILER=' \
		'stops_others=!,NATIVE=' 'is_stopped=!,NATIVE,BLOCKING='
}

# Samples of awake threads by the beginning of their name, which is the kernel's or longer.
places_of() {	# NAME
	jq -r --arg name "$1" 'select(.event == "sample" and .state != "waiting" and .location and
		(.name | startswith($name))) | .location' "$TMP/out" | sort -u | xargs
}

exact_places_of() {	# NAME
	jq -c 'select(.poor // [] | index("location") | not)' "$TMP/out" >"$TMP/exact"
	mv "$TMP/exact" "$TMP/out.exact"
	jq -r --arg name "$1" 'select(.event == "sample" and .state != "waiting" and .location and
		(.name | startswith($name))) | .location' "$TMP/out.exact" | sort -u | xargs
}

# A debugger that follows every method, and a recording: their threads are seldom awake, so until
# they are met. Both run Java, and the debugger's library follows the recording's methods, too.
watched() {	# JVM
	local port tries=0
	rm -f "$TMP/end"
	program "$1" -Xmx128m "-XX:StartFlightRecording=settings=profile,filename=$TMP/jfr" \
		-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=127.0.0.1:0 \
		Chores "$TMP/end"
	port=$(sed -n 's/^Listening .* address: //p' "$TMP/program.out")
	[ -p "$TMP/typed" ] || mkfifo "$TMP/typed"
	exec 8<>"$TMP/typed"
	echo "trace go methods" >&8
	start debugger sh -c 'exec "$0" -attach "$1" <"$2"' "$1/bin/jdb" "127.0.0.1:$port" "$TMP/typed"
	debugs= records=
	while [ $((tries += 1)) -le 20 ] &&
		! { [[ $debugs == *DEBUGGER* ]] && [[ $records == *PROFILER* ]]; }; do
		run gctrace sample -p "$(pid program)" --rate 300 -n 300 -o json
		expect_status 0
		debugs+=" $(places_of JDWP)" records+=" $(places_of JFR)"
		debugs=${debugs% } records=${records% }
	done
	stop debugger KILL
	stop program KILL
	debugs=$(xargs -n 1 <<<"$debugs" | sort -u | grep -vx JIT | xargs)
	records=$(xargs -n 1 <<<"$records" | sort -u | grep -vxE 'JIT|DEBUGGER' | xargs)
}

parked() {	# JVM OPTION…
	local jvm=$1
	shift
	program "$jvm" "$@" Parked
	run gctrace sample -p "$(pid program)" -n 5 --stacks -o json
	expect_status 0
	"$jvm/bin/jstack" "$(pid program)" >"$TMP/jstack" 2>"$TMP/jstack.err" ||
		fail "jstack: $(head -n 1 "$TMP/jstack.err")"
	/usr/bin/python3 "$HERE/hotspot_sample_stacks.py" "$TMP/out" "$TMP/jstack" 12 >"$TMP/stacks" ||
		fail "not the stacks that jstack prints"
	cat "$TMP/stacks"
	stop program KILL
}

for jvm in $(jvms); do
	version=$(version_of "$jvm")
	t "$version: what is called EXACT is right, in 999 of 1,000"
	truth "$jvm" "$version"
	pass

	for collector in $(collectors G1 Parallel Serial); do
		t "$version, $collector: its own threads collect and compile when its log says so"
		chores "$jvm" "$version" "${collector}GC"
		pass
	done
	[ -z "${SAMPLE_MATRICES-}" ] || continue

	t "$version: --hold, which makes more of it EXACT, is as right"
	if [ "$(nproc)" -gt 1 ] && chrt -f 1 true 2>/dev/null; then
		truth "$jvm" "$version" --hold
		pass
	else
		skip "there is one CPU, or no real-time priority"
	fi

	t "$version: threads of the debugger's and of a recording, awake"
	watched "$jvm"
	expect_equal DEBUGGER "$debugs" "where JDWP threads are"
	expect_equal PROFILER "$records" "where JFR threads are"
	pass

	t "$version: a shell that becomes a JVM"
	rm -f "$TMP/end"
	rm -f "$TMP/is_told"
	start program bash -c 'until [ -e "$0" ]; do sleep 0.1; done; exec "$@"' "$TMP/is_told" \
		"$jvm/bin/java" -Xmx128m -XX:+UseSerialGC -cp "$TMP" Chores "$TMP/end"
	start sample gctrace sample -p "$(pid program)" --rate 200 -n 2000 -o json
	wait_for 'grep -q "\"event\":\"sample\"" "$TMP/sample.out"' || fail "nothing is told"
	touch "$TMP/is_told"
	join sample
	expect_status 0
	stop program KILL
	cp "$TMP/sample.out" "$TMP/out"
	cp "$TMP/sample.err" "$TMP/err"
	expect "$TMP/err" 'has executed another program, java: '
	expect "$TMP/err" '\(java\) runs HotSpot '
	expect_equal COMPILER "$(exact_places_of C2)" "where it is exact of C2 threads, at work"
	expect "$TMP/out" '"method":"Chores\.allocate\(\)V'
	pass

	for options in -Xmixed $(at_level all &&
		echo -Xint -Xcomp -XX:TieredStopAtLevel=1 -XX:-TieredCompilation); do
		t "$version $options: the stacks of threads that wait are those that jstack prints"
		parked "$jvm" $options
		pass
	done
done
