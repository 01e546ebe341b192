#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace run: programs and what they start, from their first collection on; what they map while
# they run; what becomes of them however gctrace ends.
# parallel: yes
. "$(dirname "$0")/lib.sh"
need_root
need jq python3
CC=${CC:-gcc}

library() { $CC -std=gnu11 -O2 -fPIC -shared -I"$ROOT/include" "$ROOT/tests/e2e/late/library.c" -o "$1"; }

# Numbers of the collections in a file of NDJSON, of one process or of all, in a line.
numbers() {
	jq -r --argjson pid "${2:-null}" \
		'select(.event == "gc" and ($pid == null or .pid == $pid)) | .gc' "$1" | xargs
}

# Processes that are headed, in the order of their headers.
headed() { jq -r 'select(.event == "header") | .pid' "$1" | xargs; }

complete() {
	expect_equal true "$(jq -r 'select(.event == "summary") | .complete' "$1" | sort -u | xargs)" \
		"complete"
}

# Nothing of a family is stopped, by a job's signal or by ptrace.
none_stopped() {	# NAME-OF-PROGRAM
	local p
	for p in $(pgrep -f "$1"); do
		case $(sed 's/.*) //; s/ .*//' "/proc/$p/stat" 2>/dev/null) in
		T | t)
			echo "process $p is stopped"
			return 1
			;;
		esac
	done
}

t "minivm: every collection from the first to the last is that of its truth"
run gctrace run -o json --moves --output "$TMP/trace" -- \
	minivm --deterministic --objects 3000 --collections 30 --full-every 7 --truth "$TMP/truth"
expect_status 0
minivm --print-truth "$TMP/truth" >"$TMP/told"
expect_equal "$(seq 30 | xargs)" "$(numbers "$TMP/trace")" "collections"
complete "$TMP/trace"
run python3 "$ROOT/tests/e2e/stream_compare.py" --moves "$TMP/trace" "$TMP/told"
expect_status 0 || show "$TMP/out"
expect_not "$TMP/out" event
pass

t "a program behind a shell, which executes it or waits for it"
for shell in "exec minivm --collections 5 --quiet" "minivm --collections 5 --quiet; true"; do
	run gctrace run -o json -- sh -c "$shell"
	expect_status 0
	expect_equal "1 2 3 4 5" "$(numbers "$TMP/out")" "collections"
	complete "$TMP/out"
done
pass

t "several children, each a process of its own, one after the other and together"
run gctrace run -o json -- sh -c '
	minivm --collections 4 --quiet & minivm --collections 6 --quiet & wait
	minivm --collections 2 --quiet'
expect_status 0
set -- $(headed "$TMP/out")
expect_equal 3 $# "processes"
expect_equal "1 2" "$(numbers "$TMP/out" "${3-0}")" "collections of the third"
expect_equal 12 "$(numbers "$TMP/out" | wc -w)" "collections"
complete "$TMP/out"
run gctrace run -- sh -c 'minivm --collections 1 --quiet; minivm --collections 1 --quiet'
expect_equal 1 "$(grep -c '^ *time.* pid  *gc' "$TMP/out")" "titles with a column for the pid"
expect_equal 1 "$(grep -c '^ *time s *gc ' "$TMP/out")" "titles without one"
pass

t "a program that executes itself anew: both images from their first collection on"
run gctrace run -o json -- minivm --exec 4 --collections 3 --quiet
n=$(numbers "$TMP/out")
case $n in
"1 2 3 4 1 2 3" | "1 2 3") ;;
*) fail "collections $n" ;;
esac
run gctrace run -o json -- sh -c 'minivm --exec 3 --quiet --duration 3'
[ "$(numbers "$TMP/out" | grep -o '1 2 3 1 2 3' | wc -l)" -ge 1 ] ||
	{ fail "images: $(numbers "$TMP/out")"; show "$TMP/err"; }
expect_equal 1 "$(headed "$TMP/out" | xargs -n 1 | sort -u | wc -l)" "processes"
complete "$TMP/out"
pass

t "a library that is loaded later: found by itself, from its first collection on"
library "$TMP/a.so" && cp "$TMP/a.so" "$TMP/b.so" || fail "the library does not build"
run gctrace run -o json -- late 300 5 "$TMP/a.so" "$TMP/b.so"
expect_status 2
expect_equal "1 2 3 4 5 1 2 3 4 5" "$(numbers "$TMP/out")" "collections"
complete "$TMP/out"
pass

t "the same in threads that block all signals"
run gctrace run -o json -- late 0 3 block "$TMP/a.so"
expect_status 1
expect_equal "1 2 3" "$(numbers "$TMP/out")" "collections"
pass

t "the same in a process that gctrace is attached to by -p"
# Nothing to attach to yet is an error; so beside a library that is there.
start late late 600000 1 "$TMP/a.so"
run gctrace -p "$(pid late)" -o json
expect_status 1
stop late
start late late 0 200 "$TMP/a.so" await "$TMP/go" "$TMP/a.so" "$TMP/b.so"
wait_for "grep -q a.so /proc/$(pid late)/maps"
start trace gctrace -p "$(pid late)" -o json
wait_for grep -qs . "$TMP/trace.out" || fail "gctrace does not attach"
touch "$TMP/go"
join late
join trace
expect_status 0
expect "$TMP/trace.out" '"gc":200'
expect_equal 1 "$(numbers "$TMP/trace.out" | grep -o '399 400 [0-9 ]* 199 200$' | wc -l)" "libraries seen"
pass

t "a child that goes on by itself after fork() is traced, and its semaphores fall"
run gctrace run -o json -- late 0 4 "$TMP/a.so" fork "$TMP/a.so"
expect_status 2
set -- $(headed "$TMP/out")
expect_equal 2 $# "processes"
expect_equal "1 2 3 4" "$(numbers "$TMP/out" "${1-0}")" "collections of the parent"
expect_equal "5 6 7 8" "$(numbers "$TMP/out" "${2-0}")" "collections of the child"
start trace gctrace run -n 1 -- sh -c "late 0 5 $TMP/a.so fork $TMP/a.so; sleep 0.2; exec late 0 500 $TMP/b.so fork $TMP/a.so"
child() { pgrep -f "^late 0 500 $TMP/b.so" | tail -n 1; }
wait_for '[ -n "$(child)" ] && wait_for grep -q complete "$TMP/trace.out"'
wait_for "semaphores \$(child) >$TMP/up" || { fail "a semaphore stayed up"; show "$TMP/up"; }
kill "$(child)" $(pgrep -f "^late 0 500 $TMP/b.so")
join trace
pass

t "exit status: the program's, and 128 and the signal that killed it"
for code in 0 1 3 77 255; do
	run gctrace run -- sh -c "exit $code"
	expect_status $code
done
run gctrace run -- sh -c 'kill -9 $$'
expect_status 137
run gctrace run -- sh -c 'kill -TERM $$'
expect_status 143
run gctrace run -- "$TMP/nothing"
expect_status 1
expect "$TMP/err" "cannot start $TMP/nothing: No such file"
touch "$TMP/noexec"
run gctrace run -- "$TMP/noexec"
expect_status 1
expect "$TMP/err" 'Permission denied'
run gctrace run
expect_status 2
pass

t "not root: refused before the program is started, and the capability is named"
if command -v setpriv >/dev/null; then
	run setpriv --reuid 65534 --regid 65534 --clear-groups "$BUILD/gctrace" run -- touch "$TMP/touched"
	expect_status 1
	expect "$TMP/err" 'CAP_[A-Z_]+ (is|are) missing'
	[ ! -e "$TMP/touched" ] || fail "the program ran"
	pass
else
	skip "setpriv is not installed"
fi

t "in another pid namespace: refused before the program is started"
run unshare -p -f --mount-proc gctrace run -- touch "$TMP/touched"
expect_status 1
expect "$TMP/err" "host's pid namespace"
[ ! -e "$TMP/touched" ] || fail "the program ran"
pass

t "nobody reads the trace any more: it ends quietly, the program does not"
status=0
(gctrace run -- sh -c "minivm --collections 10 --quiet; echo \$? >'$TMP/program'" 2>"$TMP/err"
	echo $? >"$TMP/status") | head -n 1 >"$TMP/out"
wait_for "[ -s '$TMP/status' ]"
expect_equal 0 "$(cat "$TMP/status")" "status"
expect_equal 0 "$(cat "$TMP/program")" "status of the program"
[ ! -s "$TMP/err" ] || { fail "it complained"; show "$TMP/err"; }
pass

t "nobody reads the trace for a while: the program and its children run on, and it is told"
status=0
mkfifo "$TMP/pipe"
exec 9<>"$TMP/pipe" # a reader that does not read, yet
gctrace run -o json -- sh -c "minivm --rate 0 --collections 2000 --quiet
	minivm --collections 1 --quiet; minivm --collections 1 --quiet; echo >'$TMP/ran'" \
	>"$TMP/pipe" 2>"$TMP/err" 9<&- &
traced=$!
wait_for "[ -s '$TMP/ran' ]" || fail "it was held as long as nobody read"
cat <"$TMP/pipe" >"$TMP/out" 9<&- &
reader=$!
exec 9<&-
wait $traced || status=$?
wait $reader
expect_equal 3 "$status" "status"
expect "$TMP/err" 'unseen while standard output was not being read'
tail -n 1 "$TMP/out" | grep -q '"event":"summary".*"complete":false' || fail "no summary"
pass

t "a program without probes: it is said what it is, and that nothing was seen"
run gctrace run -- true
expect_status 0
expect "$TMP/err" 'nothing could be seen: what the program had mapped has no probes'
run gctrace run -o json -- sh -c 'exit 5'
expect_status 5
expect "$TMP/out" '"event":"summary"'
if command -v node >/dev/null; then
	run gctrace run -- sh -c 'node -e 0'
	expect "$TMP/err" 'nothing could be seen: pid [0-9]+ \(.*\) runs Node.js'
fi
pass

t "a program that ends before it maps anything"
cat >"$TMP/tiny.c" <<-'END'
	void _start(void);
	void _start(void)
	{
	#if defined(__x86_64__)
		__asm__ volatile("syscall" : : "a"(231), "D"(9));
	#else
		register long n __asm__("x8") = 94, s __asm__("x0") = 9;
		__asm__ volatile("svc 0" : : "r"(n), "r"(s));
	#endif
	}
END
if $CC -nostdlib -static -o "$TMP/tiny" "$TMP/tiny.c" 2>"$TMP/cc.err"; then
	run gctrace run -- "$TMP/tiny"
	expect_status 9
	expect "$TMP/err" 'nothing could be seen'
	pass
else
	skip "no program without a C library can be made: $(head -n 1 "$TMP/cc.err")"
fi

t "children one after the other: each ends with its summary, and its memory is given back"
start trace gctrace run -o json --output "$TMP/trace" -- sh -c '
	for i in $(seq 80); do minivm --collections 1 --quiet --objects 100 --heap 4m; done'
rss() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$(pid trace)/status"; }
summaries() { grep -c '"event":"summary"' "$TMP/trace"; }
wait_for '[ "$(summaries)" -ge 20 ]' || fail "no summaries while it runs"
few=$(rss)
WAIT=60 wait_for '[ "$(summaries)" -ge 70 ]' || fail "no summaries while it runs"
many=$(rss)
join trace
expect_status 0
expect_equal 81 "$(summaries)" "summaries"
complete "$TMP/trace"
[ $((many - few)) -lt 1500 ] || fail "50 images more, and $((many - few)) KiB"
pass

t "java, from collection 1"
if command -v java >/dev/null && java -XX:+UseSerialGC -version >/dev/null 2>&1; then
	cat >"$TMP/Churn.java" <<-'END'
		class Churn {
			public static void main(String[] arguments) {
				byte[][] kept = new byte[64][];
				for (int i = 0; i < 400000; i++)
					kept[i % 64] = new byte[1024];
			}
		}
	END
	run gctrace run -o json --output "$TMP/trace" -- sh -c "java -XX:+UseSerialGC -Xmx32m \
		-Xlog:gc:file=$TMP/gc.log $TMP/Churn.java"
	expect_status 0
	logged=$(grep -c 'Pause' "$TMP/gc.log")
	[ "$logged" -ge 5 ] || fail "the JVM's log has $logged collections"
	expect_equal "$logged" "$(numbers "$TMP/trace" | wc -w)" "collections"
	complete "$TMP/trace"
	pass
else
	skip "no java here"
fi

t "SIGINT and SIGTERM are passed on once, and the status is the program's"
for signal in INT TERM; do
	# Once it has come, time for a second one; it comes to no program for which it is ignored.
	[ $signal = INT ] && left=5 || left=300
	start trace gctrace run -- bash -c "trap 'echo got $signal; left=5' $signal; left=$left; echo ready
		while [ \$left -gt 0 ]; do left=\$((left - 1)); sleep 0.2; done; exit 21"
	wait_for 'grep -q ready "$TMP/trace.out"'
	# CAP_KILL is 5; the others are those that gctrace -p keeps.
	expect_equal "$(printf %016x $((1 << 2 | 1 << 5 | 1 << 19 | 1 << 38 | 1 << 39 | 1 << 40)))" \
		"$(sed -n 's/^CapPrm:\t//p' "/proc/$(pid trace)/status")" "capabilities"
	kill -$signal "$(pid trace)"
	join trace
	# Started in the background by a shell, SIGINT is ignored, by the program as by all others.
	expect_status 21
	[ $signal = INT ] || expect_equal 1 "$(grep -c "got $signal" "$TMP/trace.out")" "signals"
done
pass

t "a second signal ends gctrace, and leaves the program running"
start trace gctrace run -- sh -c "trap '' TERM; exec late 0 3000 $TMP/a.so"
wait_for 'grep -q explicit "$TMP/trace.out"'
program=$(pgrep -P "$(pid trace)" -x late)
kill -TERM "$(pid trace)"
sleep 3 # a second one counts a second after the first was heard
kill -TERM "$(pid trace)"
join trace
expect_status 143
lib_runs "$program" || fail "the program is gone"
wait_for "semaphores $program >$TMP/up 2>&1" || { fail "a semaphore stayed up"; show "$TMP/up"; }
none_stopped "late 0 3000 $TMP" || fail "it is stopped"
kill -KILL "$program"
pass

t "-n ends the trace, the program goes on untraced, and its status is waited for"
start trace gctrace run -n 2 -- sh -c 'minivm --quiet; exit 4'
wait_for 'grep -q complete "$TMP/trace.out"'
program=$(pgrep -P "$(pgrep -d , -P "$(pid trace)" -x sh)" -x minivm)
wait_for "semaphores $program >$TMP/up" || { fail "a semaphore stayed up"; show "$TMP/up"; }
wait_for "grep -q '^TracerPid:.0' /proc/$program/status" || fail "it is still followed"
wait_for 'grep -q "^gctrace: the program goes on, untraced" "$TMP/trace.err"' ||
	{ fail "not said that it is waited for"; show "$TMP/trace.err"; }
kill -TERM "$program"
join trace
expect_status 4
pass

t "gctrace is killed at any moment: programs run on, none is left stopped"
cat >"$TMP/family" <<-END
	#!/bin/sh
	echo "\$1" >>$TMP/started
	for i in 1 2 3 4; do
		/bin/true
		late 0 1 $TMP/a.so $TMP/b.so
		minivm --collections 2 --quiet --objects 1000 --nursery 64k
	done
	echo "\$1" >>$TMP/finished
END
chmod +x "$TMP/family"
: >"$TMP/started" >"$TMP/finished"
for i in $(seq 15); do
	start trace gctrace run --output "$TMP/killed" -- "$TMP/family" "$i"
	[ "$i" -le 12 ] || wait_for grep -qx "$i" "$TMP/started"
	sleep "0.$(printf %03d $((i * 83 % 1000)))"
	kill -KILL "$(pid trace)"
	join trace
done
# Those of them that were killed before they let go of the program never ran it.
wait_for "! pgrep -f '$TMP/family' >/dev/null" ||
	{ fail "it still runs after ${WAIT:-60} s"; pgrep -af "$TMP/family"; }
none_stopped "$TMP/family" || fail "some of it is stopped"
none_stopped "late 0 1 $TMP" || fail "some of it is stopped"
expect_equal "$(sort -n "$TMP/started" | xargs)" "$(sort -n "$TMP/finished" | xargs)" "which ran to their end"
pass

t "five hundred short-lived children: all run, nothing is said of them, and what it costs"
began=$(date +%s%N)
sh -c 'for i in $(seq 500); do /bin/true || exit 1; done'
alone=$((($(date +%s%N) - began) / 1000000))
began=$(date +%s%N)
run gctrace run -- sh -c 'for i in $(seq 500); do /bin/true || exit 1; done; echo done'
followed=$((($(date +%s%N) - began) / 1000000))
expect_status 0
expect "$TMP/out" '^done'
expect_equal 1 "$(lib_unwrapped "$TMP/err" | wc -l)" "messages on stderr"
echo "500 children: $alone ms alone, $followed ms under gctrace run"
pass

t "the program's own standard input and output are its own"
status=0
echo hello | gctrace run --output "$TMP/trace" -- cat >"$TMP/out" 2>"$TMP/err" || status=$?
expect_status 0
expect_equal hello "$(cat "$TMP/out")" "output"
pass
