#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace sample: where threads are. A program that knows it itself (tests/tools/whereabouts) is
# compared with what is said of it; then the cases in which there is little to say, or nothing.
# parallel: yes
# limit: 900
. "$(dirname "$0")/lib.sh"
need_root
need jq /usr/bin/python3 unshare

valid() {	# every line of the last output is one of the schema
	/usr/bin/python3 -c 'import jsonschema' 2>/dev/null || return 0
	/usr/bin/python3 "$ROOT/tests/e2e/schema_check.py" "$ROOT/docs/gctrace.schema.json" \
		"$TMP/out" >"$TMP/schema" 2>&1 ||
		{ fail "not as the schema says"; show "$TMP/schema"; }
}

threads_of() { ls "/proc/$1/task" 2>/dev/null | wc -l; }

# ---------------------------------------------------------------------------------------------
# The truth

# What comes of a busy machine is fewer samples a second, so the program runs until there are
# enough.
truth() {	# LEAST OPTION…
	local least=$1
	shift
	start program whereabouts 32 20 "$TMP/truth"
	wait_for '[ "$(threads_of "$(pid program)")" = 33 ]' || fail "the program did not start"
	run gctrace sample -p "$(pid program)" -o json "$@"
	expect_status 0
	join program
	expect_equal 0 "$status" "the program's exit status"
	/usr/bin/python3 "$ROOT/tests/e2e/sample_truth.py" "$TMP/truth" "$TMP/out" "$least" \
		>"$TMP/matrix" ||
		fail "not as the program knows it"
	cat "$TMP/matrix"
}

t "what is called EXACT is right, in 999 of 1,000 and of at least 10,000"
truth 10000
expect_equal true "$(jq -r 'select(.event == "summary") | .complete' "$TMP/out")" "complete"
pass
[ -z "${SAMPLE_MATRICES-}" ] || exit 0

t "with --exact nothing is left that is not, and it is as right"
truth 1000 --exact -n 200
expect_equal 0 "$(jq -c 'select(.event == "sample" and .accuracy != "EXACT" and
	.state != "ending")' "$TMP/out" | wc -l)" "samples that are not EXACT"
pass

t "a sweep is one row for each thread, at times between its start and its end"
start program whereabouts 20 0 -
wait_for '[ "$(threads_of "$(pid program)")" = 21 ]' || fail "the program did not start"
run gctrace sample -p "$(pid program)" -n 20 -o json --stacks
expect_status 0
valid
jq -c 'select(.event == "sweep" or .event == "sample")' "$TMP/out" >"$TMP/rows"
/usr/bin/python3 - "$TMP/rows" <<-'END' || fail "a row is missing, double, or of another time"
	import json, sys
	sweeps, rows = {}, {}
	for line in map(json.loads, open(sys.argv[1])):
	    if line["event"] == "sweep":
	        sweeps[line["sweep"]] = line
	    else:
	        rows.setdefault(line["sweep"], []).append(line)
	assert sorted(sweeps) == list(range(1, 21)), sorted(sweeps)
	for number, sweep in sweeps.items():
	    tids = [row["tid"] for row in rows[number]]
	    assert len(tids) == len(set(tids)) == sweep["threads"] == 21, (number, tids)
	    for row in rows[number]:
	        # A thread that has not run since is where it was, but seen now.
	        assert 0 <= row["time_ns"] - sweep["start_ns"] <= sweep["took_ns"], (sweep, row)
END
pass

t "the sums are those of the samples"
jq -s '[.[] | select(.event == "sample")] | length' "$TMP/out" >"$TMP/samples"
expect_equal "$(cat "$TMP/samples")" \
	"$(jq 'select(.event == "summary") | .samples' "$TMP/out")" "samples"
expect_equal "$(cat "$TMP/samples")" \
	"$(jq -s '[.[] | select(.event == "thread") | .samples] | add' "$TMP/out")" "of threads"
expect_equal "$(cat "$TMP/samples")" \
	"$(jq 'select(.event == "summary") | [.locations[]] | add' "$TMP/out")" "by location"
pass

t "every stack is told before it is used, once"
jq -r '.stack_id as $id | select($id) | "\(.event) \($id)"' "$TMP/out" >"$TMP/stacks"
awk '$1 == "stack" { told++; if (known[$2]++) print "told twice: " $2 }
	$1 == "sample" { used++; if (!($2 in known)) print "used and not told: " $2 }
	END { if (!told || !used) print told + 0 " told, " used + 0 " used" }' \
	"$TMP/stacks" >"$TMP/wrong"
expect_equal "" "$(cat "$TMP/wrong")" "stacks, in the order of the lines"
pass

t "functions of a stripped program have the names of its debug file"
if command -v objcopy >/dev/null && cat >"$TMP/stripped.c" <<-'END' &&
	#include <unistd.h>
	static __attribute__((noinline)) int sleeps(void) { return pause() + 1; }
	static __attribute__((noinline)) int waits_here(void) { return sleeps() + 1; }
	int main(void) { return waits_here(); }
END
	${CC:-cc} -g -O0 -Wl,--build-id=none -o "$TMP/stripped" "$TMP/stripped.c"; then
	objcopy --only-keep-debug "$TMP/stripped" "$TMP/stripped.debug"
	objcopy --strip-all "$TMP/stripped"
	(cd "$TMP" && objcopy --add-gnu-debuglink=stripped.debug stripped)
	start stripped "$TMP/stripped"
	wait_for 'grep -qs . "/proc/$(pid stripped)/wchan" &&
		[ "$(cat "/proc/$(pid stripped)/comm")" = stripped ]'
	run gctrace sample -p "$(pid stripped)" -n 20 --stacks -o json
	expect_status 0
	expect "$TMP/out" '"event":"stack".*"waits_here \(stripped\)"'
	expect_not "$TMP/err" 'debug file'
	truncate -s 300M "$TMP/stripped.debug"
	run gctrace sample -p "$(pid stripped)" -n 20 --stacks -o json
	expect_status 0
	expect_not "$TMP/out" 'waits_here'
	sed 's/^gctrace: *//' "$TMP/err" | paste -sd ' ' >"$TMP/line"
	expect "$TMP/line" 'functions of [^ ]*/stripped are not told .* no more than 256 MiB in all'
	expect_equal 1 "$(grep -o 'no build id' "$TMP/line" | wc -l)" "warnings"
	stop stripped KILL
	pass
else
	skip "there is no compiler, or no objcopy"
fi

# ---------------------------------------------------------------------------------------------
# What is asked for

t "-t: only these threads"
tid=$(ls "/proc/$(pid program)/task" | tail -n 1)
run gctrace sample -p "$(pid program)" -t "$tid" -n 5 -o json
expect_status 0
expect_equal "$tid" "$(jq -r 'select(.event == "sample") | .tid' "$TMP/out" | sort -u)" "threads"
run gctrace sample -p "$(pid program)" -t 1 -n 5
expect_status 1
expect "$TMP/err" 'it has none of those that -t names'
pass

t "--fields: no other, and flags say which"
run gctrace sample -p "$(pid program)" --fields location -n 3 -o json
expect_status 0
valid
# What ran while it was looked at has none.
expect_equal "4 true" "$(jq -r 'select(.event == "sample") |
	select(.flags != 0 or .accuracy != "NONE") |
	"\(.flags) \(.accuracy != "NONE")"' "$TMP/out" | sort -u)" "flags"
expect_not "$TMP/out" '"event":"sample".*"method"'
run gctrace sample -p "$(pid program)" --fields method -n 3 -o json
expect_status 0
valid
expect_not "$TMP/out" 'UNKNOWN|locations'
run gctrace sample -p "$(pid program)" --fields method -n 3
expect_status 0
expect_not "$TMP/out" UNKNOWN
run gctrace sample -p "$(pid program)" --fields method,place
expect_status 2
expect "$TMP/err" 'takes stack, method, location and pc, not "place"'
pass

same() {	# as the lines of that run say
	timeout 100 /usr/bin/python3 "$ROOT/tests/e2e/sample_exports.py" "$@" >"$TMP/compared" ||
		{ fail "$1: not as the lines say"; show "$TMP/compared"; }
}

t "--as: folded and pprof have what the lines have"
for as in folded/all folded-running/running folded-waiting/waiting; do
	run gctrace sample -p "$(pid program)" -n 50 -o json --as "${as%/*}" --output "$TMP/folded"
	expect_status 0
	same folded "$TMP/out" "$TMP/folded" "${as#*/}"
done
run gctrace sample -p "$(pid program)" -n 50 -o json --as pprof --output "$TMP/pprof"
expect_status 0
if command -v go >/dev/null; then
	PPROF_TMPDIR=$TMP HOME=$TMP timeout 120 go tool pprof -raw "$TMP/pprof" >"$TMP/raw" \
		2>"$TMP/pprof.err" || { fail "pprof"; show "$TMP/pprof.err"; }
	same pprof "$TMP/out" "$TMP/raw"
	PPROF_TMPDIR=$TMP HOME=$TMP timeout 120 go tool pprof -top -nodecount=0 -nodefraction=0 \
		-sample_index=samples "$TMP/pprof" >"$TMP/top" 2>"$TMP/pprof.err" ||
		{ fail "pprof"; show "$TMP/pprof.err"; }
	expect "$TMP/top" '^File: whereabouts$'
	expect "$TMP/top" ' 100% of 1050 total'
fi
pass

t "--record: a recording shows, sums up and exports what was seen live"
run gctrace sample -p "$(pid program)" -n 50 -o json --record "$TMP/file.gctrace" --as folded \
	--output "$TMP/folded"
expect_status 0
cp "$TMP/out" "$TMP/live"
run gctrace sample "$TMP/file.gctrace" -o json --as folded --output "$TMP/again"
expect_status 0
cmp -s "$TMP/live" "$TMP/out" || fail "other lines"
cmp -s "$TMP/folded" "$TMP/again" || fail "another export"
valid
run gctrace sample "$TMP/file.gctrace" -o json --as pprof --output "$TMP/pprof"
if command -v go >/dev/null; then
	PPROF_TMPDIR=$TMP HOME=$TMP timeout 120 go tool pprof -raw "$TMP/pprof" >"$TMP/raw" \
		2>"$TMP/pprof.err" || { fail "pprof"; show "$TMP/pprof.err"; }
	same pprof "$TMP/out" "$TMP/raw"
fi
start text gctrace sample -p "$(pid program)" -n 20 --record "$TMP/text.gctrace"
join text
run gctrace sample "$TMP/text.gctrace"
cmp -s "$TMP/text.out" "$TMP/out" || fail "another text"
pass

t "--record: -t, -n and --summary choose among what the file has"
tid=$(ls "/proc/$(pid program)/task" | tail -n 1)
run gctrace sample "$TMP/file.gctrace" -t "$tid" -n 7 -o json
expect_status 0
expect_equal "7 $tid" \
	"$(jq -r 'select(.event == "sample") | .tid' "$TMP/out" | sort | uniq -c | xargs)" \
	"samples of the thread"
run gctrace sample "$TMP/file.gctrace" --rate 10
expect_status 2
expect "$TMP/err" 'rate is for running processes'
run gctrace "$TMP/file.gctrace"
expect_status 0
expect "$TMP/err" 'has samples of threads: gctrace sample shows them'
expect_not "$TMP/err" 'skipped'
start vm minivm --seed 1 --quiet
run gctrace record -p "$(pid vm)" --output "$TMP/other.gctrace" -d 300ms
expect_status 0
stop vm KILL
run gctrace sample "$TMP/other.gctrace"
expect_status 1
expect "$TMP/err" 'has no samples of threads: gctrace sample -p PID --record FILE'
pass

t "--record: a whole file without a sweep, or without what is asked for, is no success"
run gctrace sample -p "$(pid program)" -t 1 -n 5 --record "$TMP/none.gctrace"
expect_status 1
run gctrace sample "$TMP/none.gctrace" --as folded --output "$TMP/nothing"
expect_status 1
expect "$TMP/err" 'is whole, but has no sweep over threads: .* sample -p PID --record FILE'
[ ! -e "$TMP/nothing" ] || fail "there is an export"
run gctrace sample "$TMP/none.gctrace" -o json
expect_status 1
head -c $(($(stat -c %s "$TMP/none.gctrace") - 1)) "$TMP/none.gctrace" >"$TMP/cut.gctrace"
run gctrace sample "$TMP/cut.gctrace"
expect_status 3
run gctrace sample "$TMP/file.gctrace" -d 1ns
expect_status 1
expect "$TMP/err" 'no sweep over threads in its first 1 ns: a longer -d'
run gctrace sample "$TMP/file.gctrace" -t 1
expect_status 1
expect "$TMP/err" 'has no sample of a thread that -t names$'
pass

t "--record: what is cut off or damaged is told, and the rest is read"
size=$(stat -c %s "$TMP/file.gctrace")
head -c $((size - 60)) "$TMP/file.gctrace" >"$TMP/cut.gctrace"
run gctrace sample "$TMP/cut.gctrace" -o json
expect_status 3
expect "$TMP/err" 'cut off'
expect_equal false "$(jq 'select(.event == "summary") | .complete' "$TMP/out")" "complete"
valid
run gctrace sample "$TMP/cut.gctrace" --allow-loss
expect_status 0
expect "$TMP/out" '^incomplete: .*of the recording damaged or missing'
/usr/bin/python3 - "$TMP/file.gctrace" "$TMP/bad.gctrace" <<-'END'
	import sys
	data = bytearray(open(sys.argv[1], "rb").read())
	at = data.index(b"\xffGCTBLK\n", data.index(b"\xffGCTBLK\n", 80) + 8)
	data[at + 60] ^= 1
	open(sys.argv[2], "wb").write(data)
END
run gctrace sample "$TMP/bad.gctrace"
expect_status 3
expect "$TMP/err" 'damaged or missing'
pass

t "--record: a gctrace that is killed leaves what came until then"
start killed gctrace sample -p "$(pid program)" --record "$TMP/killed.gctrace"
wait_for '[ "$(gctrace sample "$TMP/killed.gctrace" -o json 2>/dev/null |
	grep -c "\"event\":\"sweep\"")" -gt 20 ]' || fail "nothing is in the file"
stop killed KILL
run gctrace sample "$TMP/killed.gctrace" --summary
expect_status 3
expect "$TMP/out" '21 threads'
pass

t "--record: the disk is full: said, status 1"
run gctrace sample -p "$(pid program)" --rate 1000 -d 60s --summary --record /dev/full
expect_status 1
expect "$TMP/err" 'cannot write to /dev/full'
pass

t "--as: into the recording itself is refused, before anything starts"
run gctrace sample -p "$(pid program)" -n 3 --record "$TMP/both.gctrace"
expect_status 0
cp "$TMP/both.gctrace" "$TMP/both.before"
mkdir -p "$TMP/beside"
for output in "$TMP/both.gctrace" "$TMP/beside/../both.gctrace"; do
	run gctrace sample "$TMP/both.gctrace" --as folded --output "$output"
	expect_status 2
	expect "$TMP/err" 'cannot be both the recording and what is exported'
	for new in both.gctrace both.new; do
		run gctrace sample -p "$(pid program)" -n 3 --record "$TMP/$new" --as folded \
			--output "${output%/*}/$new"
		expect_status 2
		expect "$TMP/err" 'cannot be both the recording and what is exported'
	done
done
cmp -s "$TMP/both.gctrace" "$TMP/both.before" || fail "the recording was written to"
[ ! -e "$TMP/both.new" ] || fail "a file was made"
run gctrace sample -p "$(pid program)" -n 3 --record /dev/null --as folded --output /dev/null
expect_status 0
pass

t "--as: without a sample there is no file, and what was there stays"
echo old >"$TMP/old"
run gctrace sample -p "$(pid program)" -t 1 -n 5 --as folded --output "$TMP/old"
expect_status 1
expect_equal old "$(cat "$TMP/old")" "the file"
run gctrace sample -p "$(pid program)" --as pprof
expect_status 2
expect "$TMP/err" 'into which file'
pass

t "text: a line for each sample, and the sums"
run gctrace sample -p "$(pid program)" -n 3
expect_status 0
expect "$TMP/out" "^# .*; pid $(pid program) \(whereabouts\)"
expect "$TMP/out" '^ +[0-9.]+ +[0-9]+ whereabouts +(BLOCKING|NATIVE) +EXACT'
expect "$TMP/out" '^location +share +samples +exact$'
expect "$TMP/out" '^63 samples in 3 sweeps over .*, 21 threads'
run gctrace sample -p "$(pid program)" -n 3 --summary --top 2
expect_not "$TMP/out" '^ +[0-9.]+ +[0-9]+ whereabouts +(BLOCKING|NATIVE) +EXACT'
expect "$TMP/out" '^\.\.\. and 19 more'
pass

t "on a terminal a table that is painted anew, as wide as it is; where that cannot be, lines"
if command -v script >/dev/null; then
	screen="stty cols 70 rows 9; gctrace sample -p $(pid program) -d 1s"
	run env TERM=xterm script -qec "$screen" "$TMP/tty"
	expect_status 0
	expect "$TMP/tty" $'\033\\[J'
	expect "$TMP/tty" '^\.\.\. and 16 more'
	run env TERM=dumb script -qec "gctrace sample -p $(pid program) -n 2" "$TMP/tty"
	expect_status 0
	expect_not "$TMP/tty" $'\033'
	expect "$TMP/tty" '^42 samples in 2 sweeps'
	pass
else
	skip "script is not installed"
fi

t "--at gc: a sweep while a collection is under way, or it is told that it was missed"
start vm minivm --rate 50 --quiet
run gctrace sample -p "$(pid vm)" --at gc -d 3s -o json
expect_status 0
valid
jq -c 'select(.event == "sweep")' "$TMP/out" >"$TMP/sweeps"
missed=$(jq 'select(.event == "summary") | .missed_sweeps // 0' "$TMP/out")
[ $(($(wc -l <"$TMP/sweeps") + missed)) -gt 0 ] || fail "no collection was told"
expect_equal "" "$(jq -c 'select(.gc_start_ns > .start_ns or .gc == null)' "$TMP/sweeps")" \
	"sweeps before their collection"
expect_equal "" "$(jq .gc "$TMP/sweeps" | sort | uniq -d)" "collections with two sweeps"
stop vm
pass

t "--at gc: a rate, which would have no effect, is refused"
run gctrace sample -p "$(pid program)" --at gc --rate 500 -n 1
expect_status 2
expect "$TMP/err" '--rate has no effect with --at gc'
pass

t "--at gc: a process without such probes is refused, with the reason"
run gctrace sample -p "$(pid program)" --at gc -n 1
expect_status 1
expect "$TMP/err" 'runs no runtime that gctrace knows'
pass

# ---------------------------------------------------------------------------------------------
# Ugly cases

t "the process ends in the midst: an end, no error"
start gctrace gctrace sample -p "$(pid program)" -o json
wait_for 'grep -q "\"event\":\"sample\"" "$TMP/gctrace.out"' || fail "there are no samples"
stop program KILL
join gctrace
expect_equal 0 "$status" "the exit status"
expect "$TMP/gctrace.out" '"event":"summary"'
pass

t "Ctrl-C: the sums all the same"
start program whereabouts 4 0 -
start gctrace gctrace sample -p "$(pid program)"
wait_for 'grep -q "whereabouts" "$TMP/gctrace.out"' || fail "there are no samples"
stop gctrace INT
expect_equal 0 "$status" "the exit status"
expect "$TMP/gctrace.out" '^complete: nothing was lost$'
stop program
pass

t "code in memory that was mapped for something else before: known as soon as it is met"
cat >"$TMP/code.py" <<-'END'
	import ctypes, mmap, platform, struct, sys, threading, time
	libc = ctypes.CDLL(None, use_errno=True)
	arm = platform.machine() == "aarch64"
	# Count down from the first argument, and return.
	code = struct.pack("<III", 0xf1000400, 0x54ffffe1, 0xd65f03c0) if arm else \
	    bytes.fromhex("48ffcf75fbc3")
	room = mmap.mmap(-1, 64 * 65536)
	start = ctypes.addressof(ctypes.c_char.from_buffer(room))
	libc.mprotect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
	print("ready", flush=True)
	for at in range(0, 64 * 65536, 65536):
	    room[at:at + len(code)] = code
	    libc.mprotect(start + at, 4096, mmap.PROT_READ | mmap.PROT_EXEC)
	    end = time.monotonic() + 0.5
	    while time.monotonic() < end:
	        ctypes.CFUNCTYPE(None, ctypes.c_uint64)(start + at)(20000000)
END
start program /usr/bin/python3 "$TMP/code.py"
wait_for grep -q ready "$TMP/program.out"
run gctrace sample -p "$(pid program)" -n 400 -o json
expect_status 0
jq -r 'select(.event == "sample" and .accuracy != "NONE") | .location // "none"' "$TMP/out" |
	sort | uniq -c >"$TMP/told"
awk '{ all += $1 } $2 == "none" { none = $1 } END { exit !(none * 4 < all) }' "$TMP/told" ||
	{ fail "code that is mapped is not known"; show "$TMP/told"; }
stop program
pass

t "a function that comes to where another one was has its own name"
cat >"$TMP/comes.c" <<-'END'
	void NAME(volatile int *stop) { while (!*stop) ; }
END
cat >"$TMP/in_turn.c" <<-'END'
	#include <dlfcn.h>
	#include <pthread.h>
	#include <stdio.h>
	#include <time.h>
	#include <unistd.h>
	static volatile int stop;
	static void (*function)(volatile int *);
	static void *spin(void *arg) { function(&stop); return arg; }
	int main(int count, char **libraries)
	{
		while (access(libraries[1], F_OK))
			usleep(1000);
		for (int i = 2; i + 1 < count; i += 2) {
			const clock_t begin = clock();
			void *library = dlopen(libraries[i], RTLD_NOW);
			pthread_t thread;
			function = (void (*)(volatile int *))dlsym(library, libraries[i + 1]);
			printf("%p\n", (void *)function);
			fflush(stdout);
			stop = 0;
			pthread_create(&thread, NULL, spin, NULL);
			do
				usleep(400000);
			while (clock() - begin < CLOCKS_PER_SEC / 4);
			stop = 1;
			pthread_join(thread, NULL);
			dlclose(library);
		}
		return 0;
	}
END
for name in comes_first comes_then; do
	${CC:-cc} -O1 -shared -fPIC -DNAME=$name -o "$TMP/lib$name.so" "$TMP/comes.c" ||
		fail "it does not compile"
done
${CC:-cc} -o "$TMP/in_turn" "$TMP/in_turn.c" -ldl -lpthread || fail "it does not compile"
turns=()
for _ in 1 2 3 4 5 6; do
	turns+=("$TMP/libcomes_first.so" comes_first "$TMP/libcomes_then.so" comes_then)
done
start in_turn "$TMP/in_turn" "$TMP/is_seen" "${turns[@]}"
start sample gctrace sample -p "$(pid in_turn)" -o json
wait_for 'grep -q "\"event\":\"sample\"" "$TMP/sample.out"' || fail "nothing is told"
touch "$TMP/is_seen"
join sample
expect_status 0
cp "$TMP/sample.out" "$TMP/out"
valid
expect "$TMP/out" '"comes_first \(libcomes_first.so\)"'
expect "$TMP/out" '"comes_then \(libcomes_then.so\)"'
join in_turn
pass

t "and from its first sample on: each thread was in one of them only"
if ! printf '6.11\n%s\n' "$(uname -r)" | sort -CV; then
	skip "Linux $(uname -r) does not tell what is mapped at an address (6.11 does)"
else
	jq -r 'select(.event == "sample" and .accuracy == "EXACT" and .method != null) |
		select(.method | startswith("comes_")) | "\(.tid) \(.method)"' "$TMP/out" |
		sort -u >"$TMP/turns"
	expect_equal 12 "$(cut -d' ' -f1 "$TMP/turns" | sort -u | wc -l)" "threads"
	expect_equal 12 "$(wc -l <"$TMP/turns")" "threads and their functions"
	pass
fi

t "the first thread ends, others go on: they are told as before, to their end"
cat >"$TMP/first_ends.c" <<-'END'
	#include <pthread.h>
	#include <stdint.h>
	#include <stdlib.h>
	#include <unistd.h>
	void spin_on(void) { for (volatile long turns = 0; turns < 100000000; turns++) ; }
	static void *run(void *arg) { for (;;) spin_on(); return arg; }
	static void *stop(void *arg) { sleep((unsigned int)(uintptr_t)arg); exit(0); }
	int main(int count, char **words)
	{
		pthread_t thread;
		pthread_create(&thread, NULL, run, NULL);
		pthread_create(&thread, NULL, stop, (void *)(uintptr_t)atoi(words[count - 1]));
		sleep(2);
		pthread_exit(NULL);
	}
END
cat >"$TMP/first_ends.py" <<-'END'
	import ctypes, os, platform, threading, time
	def spin_on():
	    end = time.monotonic() + 5
	    while time.monotonic() < end:
	        pass
	    os._exit(0)
	threading.Thread(target=spin_on).start()
	time.sleep(2)
	ctypes.CDLL(None).syscall(93 if platform.machine() == "aarch64" else 60, 0)
END
# Samples of who runs, or would if a CPU was free, after the first thread's end: they are there,
# and in spin_on.
goes_on() {	# PROGRAM ARGUMENT…
	start program "$@"
	run gctrace sample -p "$(pid program)" -o json --rate 50
	expect_status 0
	valid
	join program
	jq -n 'reduce inputs as $row ({ended: false, all: 0, known: 0};
		if $row.event != "sample" then .
		elif $row.tid == $row.pid then .ended = ($row.state == "ending")
		elif .ended and ($row.state == "running" or $row.state == "ready") and
			$row.accuracy != "NONE"
		then .all += 1 | .known += (if $row.method // "" | test("^spin_on") then 1 else 0 end)
		else . end)' "$TMP/out" >"$TMP/told"
	grep -q '"runtime":"CPython".*"managed_frames":false' "$TMP/out" ||
		jq -e '.known * 10 >= .all * 8' "$TMP/told" >"$TMP/verdict" &&
		jq -e '.all >= 5' "$TMP/told" >"$TMP/verdict" ||
		{ fail "$1: its other threads are not told"; show "$TMP/told"; }
}
${CC:-cc} -O1 -o "$TMP/first_ends" "$TMP/first_ends.c" -lpthread || fail "it does not compile"
goes_on "$TMP/first_ends" 15
goes_on /usr/bin/python3 "$TMP/first_ends.py"
pass

t "an exec: from then on it is the next program that is told, by its own runtime"
cat >"$TMP/first.py" <<-'END'
	import os, sys, threading, time
	def spin_first():
	    end = time.monotonic() + 5
	    while time.monotonic() < end:
	        pass
	    os.execv(sys.executable, ["python3", sys.argv[1]])
	threading.Thread(target=spin_first).start()
	time.sleep(1000)
END
cat >"$TMP/second.py" <<-'END'
	import os, time
	def spin_second():
	    end = time.monotonic() + 2
	    while time.monotonic() < end:
	        pass
	spin_second()
	os.execv("/bin/sh", ["sh", "-c", "while :; do :; done"])
END
start program sh -c 'until [ -e "$1" ]; do sleep 0.1; done; exec /usr/bin/python3 "$2" "$3"' - \
	"$TMP/is_told" "$TMP/first.py" "$TMP/second.py"
start sample gctrace sample -p "$(pid program)" -o json
wait_for 'grep -q "\"event\":\"sample\"" "$TMP/sample.out"' || fail "nothing is told"
touch "$TMP/is_told"
wait_for 'grep -q "has executed another program, sh: " "$TMP/sample.err"' || fail "no third exec"
work "$(pid program)" 1
stop sample INT
expect_status 0
cp "$TMP/sample.out" "$TMP/out"
cp "$TMP/sample.err" "$TMP/err"
valid
expect_equal 3 "$(grep -c "process $(pid program) has executed another program, " "$TMP/err")" \
	"execs that are told"
expect "$TMP/err" "process $(pid program) \(python3\) runs CPython 3"
expect "$TMP/err" 'has executed another program, sh: '
# Methods in the order in which they come, guesses too (of Python that runs it is one): each
# program's own.
jq -r 'select(.event == "sample") | .method // "" |
	capture("^(?<name>spin_[a-z]+)") | .name' "$TMP/out" | uniq >"$TMP/told"
if grep -q 'runs CPython 3' "$TMP/err" && [ -s "$TMP/told" ]; then
	expect_equal "spin_first spin_second" "$(xargs <"$TMP/told")" "what ran, in turn"
fi
# And nothing of the runtime once it is a shell.
expect_equal "" "$(jq -c 'select(.event == "sample" and .name == "sh" and
	(.location == "JIT" or (.method // "" | test("[.]py:"))))' "$TMP/out" | head -n 3)" \
	"the shell's samples that are the interpreter's"
stop program KILL
pass

t "a program that does nothing but execute itself: told to its end, without a flood"
cat >"$TMP/again" <<-'END'
	[ $1 -lt 600 ] && exec sh "$0" $(($1 + 1)) "$2"
	until [ -e "$2" ]; do sleep 0.1; done
	echo over
END
start program sh "$TMP/again" 0 "$TMP/enough"
start sample gctrace sample -p "$(pid program)" -o json --rate 1000 --stacks --exact
wait_for '[ "$(tr "\0" " " <"/proc/$(pid program)/cmdline" | cut -d " " -f 3)" = 600 ]' ||
	fail "it does not go on"
seen=$(wc -l <"$TMP/sample.out")
wait_for '[ "$(wc -l <"$TMP/sample.out")" -gt $((seen + 400)) ]' || fail "nothing more is told"
touch "$TMP/enough"
join sample
expect_status 0
cp "$TMP/sample.out" "$TMP/out"
cp "$TMP/sample.err" "$TMP/err"
valid
join program
expect "$TMP/program.out" over
expect_equal "waiting" "$(jq -r 'select(.event == "sample") | .state' "$TMP/out" | tail -n 200 |
	grep -m 1 waiting)" "the state in the end"
[ "$(grep -c 'has executed another program' "$TMP/err")" -le 10 ] || fail "each one is told"
pass

t "threads come and go"
cat >"$TMP/threads.py" <<-'END'
	import threading, time
	while True:
	    some = [threading.Thread(target=time.sleep, args=(0.001 * i,)) for i in range(20)]
	    for one in some:
	        one.start()
	    for one in some:
	        one.join()
END
start program /usr/bin/python3 "$TMP/threads.py"
run gctrace sample -p "$(pid program)" -n 100 -o json --stacks
expect_status 0
valid
[ "$(jq -r 'select(.event == "sample") | .tid' "$TMP/out" | sort -u | wc -l)" -gt 10 ] ||
	fail "there were few threads"
stop program
pass

t "1,000 threads"
cat >"$TMP/many.py" <<-'END'
	import threading, time
	threading.stack_size(65536)
	for _ in range(1000):
	    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
	time.sleep(600)
END
start program /usr/bin/python3 "$TMP/many.py"
wait_for '[ "$(threads_of "$(pid program)")" = 1001 ]' || fail "there are not so many threads"
# Those that have only begun run, or are in a futex: 202, on arm64 98.
wait_for '! cat /proc/"$(pid program)"/task/*/syscall | grep -qE "^(running|202 |98 )"' ||
	fail "they do not sleep"
run gctrace sample -p "$(pid program)" -n 3 -o json
expect_status 0
expect_equal "1001 1001 1001" \
	"$(jq -r 'select(.event == "sweep") | .threads' "$TMP/out" | xargs)" "threads in each sweep"
expect_equal 3003 "$(jq -r 'select(.event == "sample" and .location == "BLOCKING" and
	.accuracy == "EXACT") | .tid' "$TMP/out" | wc -l)" "exact samples that wait"
stop program
pass

t "in another pid namespace: our ids"
start box unshare --pid --fork --mount-proc whereabouts 3 0 -
wait_for 'inner=$(pgrep -P "$(pid box)") && [ "$(threads_of "$inner")" = 4 ]' ||
	fail "the program did not start"
run gctrace sample -p "$inner" -n 3 -o json
expect_status 0
expect_equal "$(ls "/proc/$inner/task" | sort | xargs)" \
	"$(jq -r 'select(.event == "sample") | .tid' "$TMP/out" | sort -u | xargs)" "threads"
pass

t "gctrace in the same pid namespace as well, beside another process of that id outside"
cat >"$TMP/inside" <<-'END'
	whereabouts 3 0 - &
	until [ "$(ls /proc/$!/task | wc -l)" = 4 ]; do :; done
	gctrace sample -p $! -n 3 -o json
	result=$?
	ls /proc/$!/task | sort | xargs >&2
	kill $!
	exit $result
END
run unshare --pid --fork --mount-proc bash "$TMP/inside"
expect_status 0
expect_equal "$(tail -n 1 "$TMP/err")" \
	"$(jq -r 'select(.event == "sample") | .tid' "$TMP/out" | sort -u | xargs)" "threads"
kill -KILL "$inner"
pass

t "without rights: what is missing, status 1"
start program whereabouts 2 0 -
run setpriv --bounding-set -all --inh-caps -all --reuid 65534 --regid 65534 --clear-groups \
	"$BUILD/gctrace" sample -p "$(pid program)" -n 1
if grep -q 'Permission denied' "$TMP/err" && ! grep -q '^gctrace: ' "$TMP/err"; then
	skip "the build directory cannot be read by others"
else
	expect_status 1
	expect "$TMP/err" '^gctrace: '
	[ ! -s "$TMP/out" ] || fail "there is output"
	pass
fi

t "one process, which has to be named"
run gctrace sample
expect_status 2
run gctrace sample -p "$(pid program)" -p $$
expect_status 1
expect "$TMP/err" 'one process at a time'
pass
