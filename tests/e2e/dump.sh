#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Heap dumps on request: what comes is what minivm wrote down, object by object, from the live
# process and from a recording; and whatever ends a dump early leaves nothing behind.
# limit: 600
. "$(dirname "$0")/lib.sh"
PATH=$BUILD/tests/proof:$PATH
need_root
need gctrace minivm dump_truth semaphores

# NAME OPTION...: a minivm that writes objects down for its dumps only, and has collected.
start_vm() {
	local name=$1
	shift
	rm -f "$TMP/$name.truth"
	start "$name" minivm --quiet --truth "$TMP/$name.truth" --truth-every 1000000000 "$@"
	wait_for "[ \"\$(stat -c %s '$TMP/$name.truth' 2>/dev/null || echo 0)\" -gt 20000 ]" ||
		fail "$name does not collect"
}

is_up() { semaphores "$1" | grep -Eq "request__$2[[:space:]]+[1-9]"; }

nothing_up() {
	wait_for "semaphores $1 >/dev/null" || {
		fail "semaphores are up"
		semaphores "$1" | grep -v ' 0$'
	}
}

# A word of the line that dump_truth prints.
word() { sed -n "s/.*\b$1=\([0-9]*\).*/\1/p" "$TMP/out"; }

# It goes on: three collections are seen.
runs_on() {
	run timeout 60 gctrace -p "$1" -n 3
	[ "$status" = 0 ] || fail "no collections afterwards"
}

whole() {	# the dump came, and is what it was
	expect_status 0 || show "$TMP/out"
	expect_equal 1 "$(word outcome)" outcome
	expect_equal 0 "$(word lost)" losses
	[ "$(word objects)" -gt 10000 ] || fail "$(word objects) objects"
}

for report in batch single; do
	for threads in 1 8; do
		t "a live dump is the truth: $report, $threads collector threads"
		start_vm vm --objects 30000 --report $report --gc-threads $threads
		run timeout 120 dump_truth "$(pid vm)" "$TMP/vm.truth"
		whole
		nothing_up "$(pid vm)"
		stop vm
		pass
	done
done

t "a second dump of the same process, objects in parts, a concurrent collector, hostile names"
start_vm vm --objects 30000 --collector concurrent --split-references 3 --names hostile
for i in 1 2; do
	run timeout 120 dump_truth "$(pid vm)" "$TMP/vm.truth"
	whole
	expect_equal $i "$(word dump)" "number of the dump"
done
pass

t "a list without descent"
run timeout 120 dump_truth --flat "$(pid vm)" "$TMP/vm.truth"
whole
nothing_up "$(pid vm)"
stop vm
pass

t "a million objects through a ring of 1 MiB: the target waits, nothing is lost"
start_vm vm --objects 900000 --dump-pace 20 --collector compact
start watcher bash -c "until semaphores $(pid vm) | grep -Eq 'request__pause[[:space:]]+[1-9]'; do
	sleep 0.01; done"
run timeout 300 dump_truth --ring=1048576 --slow=24000 "$(pid vm)" "$TMP/vm.truth"
whole
[ "$(word held)" -ge 1 ] || fail "the target was never asked to wait"
[ "$(word used_most)" -le 1048576 ] || fail "more than the ring"
[ "$(word objects)" -ge 700000 ] || fail "only $(word objects) objects"
wait_for "! lib_runs $(pid watcher)" || fail "nobody saw request__pause up"
nothing_up "$(pid vm)"
runs_on "$(pid vm)"
stop vm
pass

t "a recording holds dumps among the collections; FILE@N names them"
start_vm vm --objects 30000 --collector compact
run timeout 120 gctrace record -p "$(pid vm)" -d 6s --dump=2s --output "$TMP/dumps" -o json
expect_status 0
expect "$TMP/err" 'heap dump of .* objects'
expect "$TMP/out" '"event":"summary".*"complete":true'
[ "$(grep -c 'heap dump of' "$TMP/err")" -ge 2 ] || fail "fewer than two dumps in six seconds"
last=$(grep -c 'heap dump of' "$TMP/err")
for n in 1 2 first last "$last"; do
	run timeout 120 dump_truth "$TMP/dumps@$n" "$TMP/vm.truth"
	expect_status 0 || show "$TMP/out"
	expect_equal 1 "$(word ended)" "the end of dump $n"
	[ "$(word objects)" -gt 10000 ] || fail "$(word objects) objects"
done
run timeout 60 gctrace "$TMP/dumps"
expect_status 0
expect "$TMP/out" 'collections'
pass

t "what there is not in a recording is said"
for n in 0 99 18446744073709551616; do
	run dump_truth "$TMP/dumps@$n" "$TMP/vm.truth"
	expect_status 1
done
expect "$TMP/err" 'there is none of that number'
run dump_truth "$TMP/dumps" "$TMP/vm.truth"
expect "$TMP/err" "holds $last heap dumps: say which"
run timeout 60 gctrace record -p "$(pid vm)" -n 3 --output "$TMP/none"
run dump_truth "$TMP/none@last" "$TMP/vm.truth"
expect "$TMP/err" 'holds no heap dump'
pass

t "without EVERY there is one dump, and -n waits for it"
run timeout 120 gctrace record -p "$(pid vm)" -n 1 --dump --output "$TMP/one"
expect_status 0
expect_equal 1 "$(grep -c 'heap dump of' "$TMP/err")" dumps
run timeout 120 dump_truth "$TMP/one" "$TMP/vm.truth"
expect_status 0
nothing_up "$(pid vm)"
stop vm
pass

# FILE: each dump in it has its end, and nothing of it is missing.
all_complete() {
	run timeout 60 gctrace heap "$1" --list -o json
	expect "$TMP/out" '"complete":true'
	expect_not "$TMP/out" '"complete":false'
}

t "record --dump=EVERY -d T: whatever T is, no dump is cut off"
start_vm vm --objects 40000 --dump-pace 15
for duration in 1500ms 1800ms 2100ms 2400ms 2700ms 3000ms 3300ms 3600ms; do
	run timeout 120 gctrace record -p "$(pid vm)" -d $duration --dump=700ms \
		--output "$TMP/timed"
	expect_status 0 || show "$TMP/err"
	expect_not "$TMP/err" 'not whole'
	all_complete "$TMP/timed"
done
pass

t "Ctrl-C in the midst of a short dump: it is finished first"
for pause in 0 0.05 0.1 0.15; do
	start recorder gctrace record -p "$(pid vm)" --dump --output "$TMP/finished"
	WAIT=60 wait_for "is_up $(pid vm) dump" || fail "the request does not go up"
	sleep $pause
	stop recorder INT
	expect_equal 0 "$status" "exit status"
	all_complete "$TMP/finished"
done
stop vm
pass

t "a runtime that has the probes and serves no request: said, with status 1"
"${CC:-cc}" -O2 -I"$ROOT/include" "$ROOT/docs/example/runtime.c" "$ROOT/docs/example/probes.c" \
	-o "$TMP/tiny" || fail "the example does not build"
start tiny "$TMP/tiny"
run timeout 60 gctrace probes -p "$(pid tiny)"
expect "$TMP/out" '^  dump +yes .* where the runtime serves requests$'
for command in follow "record --dump --output $TMP/unanswered" \
	"record --dump=1s --output $TMP/unanswered"; do
	# shellcheck disable=SC2086
	run timeout 60 gctrace $command -p "$(pid tiny)" -d 2s
	expect_status 1
	expect "$TMP/err" 'no heap dump: the process did not answer the request for one within'
	expect_equal 1 "$(grep -c 'no heap dump: ' "$TMP/err")" "messages"
	expect "$TMP/out" '^complete'
done
run timeout 60 gctrace record --dump -p "$(pid tiny)" -d 1ms --output "$TMP/unanswered"
expect_status 1
expect "$TMP/err" 'no heap dump: .* asked for'
stop tiny
pass

# A recorder that asks for a further dump of a vm that stands still.
ask_for_further() {
	rm -f "$TMP/recorder.err"
	start_vm vm --objects 10000
	start recorder gctrace record -p "$(pid vm)" --dump=300ms --output "$TMP/further"
	start staller bash -c "until grep -qs 'heap dump of' $TMP/recorder.err; do sleep 0.01; done
		kill -STOP $(pid vm)"
	join staller
	WAIT=60 wait_for "is_up $(pid vm) dump" || fail "no further dump is asked for"
}

t "the wish for a further dump that the end takes back is no failure, and not told"
ask_for_further
stop recorder INT
expect_equal 0 "$status" "exit status"
expect_not "$TMP/recorder.err" 'no heap dump'
kill -CONT "$(pid vm)"
stop vm
pass

t "nor is one that the end of its process takes back"
ask_for_further
stop vm KILL
WAIT=60 wait_for "! lib_runs $(pid recorder)" || fail "record goes on without a process"
join recorder
expect_equal 0 "$status" "exit status"
expect_not "$TMP/recorder.err" 'no heap dump'
run gctrace heap "$TMP/further@1" --histogram
expect_status 0
pass

# From here on dumps that take seconds, so that something can happen in their midst.
# FILE: waits until a part of a dump is in it.
in_its_midst() {
	WAIT=60 wait_for "[ \"\$(stat -c %s '$1' 2>/dev/null || echo 0)\" -gt 100000 ]" ||
		fail "no dump arrives"
}

t "Ctrl-C in the midst of a long dump: it is cut off, and what came is told"
start_vm vm --objects 100000 --dump-pace 200
start recorder gctrace record -p "$(pid vm)" --dump --output "$TMP/part"
in_its_midst "$TMP/part"
stop recorder INT
expect_equal 3 "$status" "exit status"
expect "$TMP/recorder.err" 'the heap dump is not whole: it was stopped; .* came'
nothing_up "$(pid vm)"
run timeout 120 dump_truth "$TMP/part@1" "$TMP/vm.truth"
expect_status 0 || show "$TMP/out"
expect_equal 1 "$(word status)" "status of C_END"
expect_equal 1 "$(word ended)" "C_END in the file"
runs_on "$(pid vm)"
pass

t "a dump that was cut off is not the last one, and proves no growth"
start recorder gctrace record -p "$(pid vm)" --dump=100ms --output "$TMP/torn"
WAIT=120 wait_for 'grep -qs "heap dump of" "$TMP/recorder.err"' || fail "no dump"
had=$(stat -c %s "$TMP/torn")
WAIT=60 wait_for '[ "$(stat -c %s "$TMP/torn")" -gt $((had + 100000)) ]' || fail "no second dump"
stop recorder INT
expect_equal 3 "$status" "exit status"
run timeout 60 gctrace heap "$TMP/torn@last" --histogram
expect_status 0
sed 's/^gctrace: *//' "$TMP/err" | tr '\n' ' ' >"$TMP/said"
expect "$TMP/said" 'torn@last is .*torn@1, the last complete heap dump: 1 later one is incomplete'
run timeout 60 gctrace heap "$TMP/torn@2" --histogram
expect_status 3
for allow in "" --allow-loss; do
	# shellcheck disable=SC2086
	run timeout 60 gctrace diff "$TMP/torn@1" "$TMP/torn@2" --fail-if-growth 100000% $allow
	expect_status 3
	expect "$TMP/out" '^limit +--fail-if-growth 100000%: not decided, since a heap dump'
	expect_not "$TMP/out" 'within the limit'
done
run timeout 60 gctrace diff "$TMP/torn@1" "$TMP/torn@2" --fail-if-growth 0 --allow-loss -o json
expect_status 3
expect "$TMP/out" '"limit_verdict":"not decided"'
expect_not "$TMP/out" 'limit_passed'
run timeout 60 gctrace diff "$TMP/torn@first" "$TMP/torn@last" --fail-if-growth 100000%
expect_status 1
expect "$TMP/err" 'A and B are the same heap dump'
pass

t "a gctrace that is killed in the midst of a dump ends it"
start recorder gctrace record -p "$(pid vm)" --dump --output "$TMP/killed"
in_its_midst "$TMP/killed"
is_up "$(pid vm)" dump || fail "the request is not up"
stop recorder KILL
nothing_up "$(pid vm)"
runs_on "$(pid vm)"
run timeout 120 dump_truth "$TMP/killed@1" "$TMP/vm.truth"
expect_equal 0 "$(word ended)" "an end in the file"
expect_status 0 || show "$TMP/out"
pass

t "two tracers ask: the second waits and gets its own"
start recorder gctrace record -p "$(pid vm)" --dump --output "$TMP/theirs"
WAIT=60 wait_for "is_up $(pid vm) dump" || fail "the request does not go up"
start second dump_truth "$(pid vm)" "$TMP/vm.truth"
WAIT=60 wait_for 'grep -q "another tracer has a heap dump made: waiting" "$TMP/second.err"' ||
	fail "the second does not say that it waits"
is_up "$(pid vm)" dump || fail "the first one's dump is over: nothing was shown"
stop recorder INT
WAIT=120 wait_for "! lib_runs $(pid second)" || fail "the second does not end"
join second
cp "$TMP/second.out" "$TMP/out"
cp "$TMP/second.err" "$TMP/err"
whole
nothing_up "$(pid vm)"
pass

t "the process is killed in the midst of a dump"
start recorder gctrace record -p "$(pid vm)" --dump --output "$TMP/orphan"
in_its_midst "$TMP/orphan"
stop vm KILL
WAIT=60 wait_for "! lib_runs $(pid recorder)" || fail "record goes on without a process"
join recorder
expect "$TMP/recorder.err" 'the heap dump is not whole: the process ended'
run dump_truth "$TMP/orphan@1" /dev/null # it had no time to write its truth
expect_equal 1 "$(word seen)" "dumps in the file"
expect_equal 1 "$(word ended)" "the process's end in the file"
pass
