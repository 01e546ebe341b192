#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace follow on the small VM, live and from a recording: what only grows is found, the model
# agrees with every dump and with the VM's own truth, and whatever is missing is said.
# limit: 600
. "$(dirname "$0")/lib.sh"
need_root
need minivm gctrace jq

python=/usr/bin/python3
schema=$ROOT/docs/gctrace.schema.json
: >"$TMP/lines" # all JSON lines that are made below

# vm NAME OPTION…: running, with a collection behind it
vm() {
	local name=$1
	shift
	rm -f "$TMP/$name.out" "$TMP/$name.err"
	start "$name" minivm --rate 20 --full-every 5 --objects 10000 "$@"
	wait_for 'grep -qs . "$TMP/'"$name"'.out" "$TMP/'"$name"'.err"' || fail "the VM did not start"
}

# Longer, until what follow makes of it in $TMP/out is enough: on a slow machine little happens.
record_until() {	# VM FILE CONDITION SECONDS…
	local name=$1 file=$2 enough=$3 seconds
	shift 3
	for seconds; do
		rm -f "$file"
		run timeout 120 gctrace record -p "$(pid "$name")" -d "${seconds}s" --moves \
			--dump=700ms --output "$file"
		expect_status 0
		run timeout 120 gctrace follow "$file" -o json
		expect_status 0
		eval "$enough" && return 0
	done
	return 1
}

# What jq makes of the lines of an event in $TMP/out.
of() { jq -r "select(.event == \"$1\") | $2" "$TMP/out"; }

summary() { of summary ".identity.$1"; }

# Everything that is said of identity adds up, and nothing of it was wrong.
sound() {
	expect_equal 0 "$(summary conflicts)" conflicts
	expect_equal 0 "$(summary stray_births)" "births where another object lives"
	expect_equal 0 "$(summary beside)" "objects outside of dumps"
	expect_equal 0 "$(summary odd_ranges)" "odd ranges"
	expect_equal true "$(of summary .complete)" complete
}

t "a leak is found live, and its type is named"
vm leak --leak --leak-rate 10000 --sample-bytes 16k
# Where the VM does not get to run between two dumps, nothing grows: then once more.
for attempt in 1 2 3; do
	start follow gctrace follow -p "$(pid leak)" --every 700ms -o json
	WAIT=90 wait_for '[ "$(grep -c "\"event\":\"anchor\"" "$TMP/follow.out")" -ge 6 ]' ||
		fail "no six dumps"
	stop follow INT
	expect_status 0
	cp "$TMP/follow.out" "$TMP/out"
	cat "$TMP/out" >>"$TMP/lines"
	sound
	of finding .type | grep -qx shop.Order && break
done
expect_equal 0 "$(summary withdrawn)" "withdrawn objects"
expect_equal shop.Order "$(of finding .type | grep -x shop.Order)" "a finding"
[ "$(of finding 'select(.type == "shop.Order").cohort_alive_objects')" -gt 0 ] ||
	fail "nothing of the cohort lives"
[ "$(of survival .births)" -gt 0 ] || fail "no birth was observed"
[ "$(of identity .moved_objects | paste -sd+ | bc)" -gt 0 ] || fail "nothing has moved"
[ "$(summary matched)" -gt 0 ] || fail "nothing was matched"
pass

t "without a leak nothing is said to be one, and text says the same as JSON"
vm plain
start follow gctrace follow -p "$(pid plain)" --every 500ms -n 400
WAIT=90 wait_for '[ "$(grep -c "dump [0-9]*: " "$TMP/follow.out")" -ge 5 ]' || fail "no five dumps"
stop follow INT
expect_status 0
expect_not "$TMP/follow.out" '^  only ages .*shop\.Order:'
expect "$TMP/follow.out" '^  time s +gc what +cause +known +moved +stayed +promoted +died withdrawn$'
expect_not "$TMP/follow.out" '^  time s +gc what +cause +pause' # no line of the stream's
expect "$TMP/follow.out" '^  known +[0-9.]+( k)? alive'
expect_not "$TMP/follow.err" 'told in' # each dump is told once: by its line
expect "$TMP/follow.out" 'conflicts 0; error rate of the model 0'
expect_equal "complete: nothing was lost" "$(tail -n 1 "$TMP/follow.out")" "the last line"
stop plain
pass

t "a recording is told from its start on"
# A new one: the heap of the other has grown, and so have its dumps.
stop leak
vm leak --leak --leak-rate 10000 --sample-bytes 16k
record_until leak "$TMP/file" '[ "$(grep -c "\"event\":\"anchor\"" "$TMP/out")" -ge 3 ]' 4 12 30
cat "$TMP/out" >>"$TMP/lines"
sound
[ "$(of anchor .anchor | tail -n 1)" -ge 3 ] || fail "not three dumps in the file"
cp "$TMP/out" "$TMP/first"
stop leak
pass

t "ids of a recording stay the same, and so do histories"
run timeout 120 gctrace follow "$TMP/file" -o json
cmp -s "$TMP/out" "$TMP/first" || fail "a second run says something else"
# One that lives on: those that a finding names do; of the first dump's, most are garbage.
for id in $(of finding '.oldest[]') $(seq 100 100 5000); do
	run timeout 120 gctrace follow "$TMP/file" --id "$id" -o json
	expect_status 0 || break
	cat "$TMP/out" >>"$TMP/lines"
	[ "$(of object .state | grep -c matched)" -ge 2 ] && break
done
expect_equal 1 "$(of object .type | sort -u | wc -l)" "types of object $id"
expect_equal seen "$(of object .state | head -n 1)" "its first step"
[ "$(of object .state | grep -c matched)" -ge 2 ] || fail "no dump has any of them again"
cp "$TMP/out" "$TMP/history"
run timeout 120 gctrace follow "$TMP/file" --id "$id" -o json
cmp -s "$TMP/out" "$TMP/history" || fail "a second run tells another history"
pass

t "by its address after a collection the same object is found"
of object 'select(.kind) | "\(.gc) \(.address)"' | sed -n 3p >"$TMP/where"
read -r gc address <"$TMP/where"
run timeout 120 gctrace follow "$TMP/file" --address "$address" --at "$gc" -o json
expect_status 0
cat "$TMP/out" >>"$TMP/lines"
expect_equal "$id" "$(of object .id | sort -u)" "the object at $address after $gc"
run timeout 120 gctrace follow "$TMP/file" --address "$address" --at "$gc"
expect_status 0
expect "$TMP/out" "^# object $id of pid [0-9]+: [^ ]+, [0-9]"
run timeout 120 gctrace follow "$TMP/file" --address 0x3 --at "$gc"
expect_status 1
expect "$TMP/err" 'no known object begins at 0x3'
run timeout 120 gctrace follow "$TMP/file" --id 99999999999
expect_status 1
expect "$TMP/err" 'was not seen: ids up to [0-9]+ were given'
pass

t "every step of a history is the truth"
vm truth --objects 2000 --sample-bytes 4k --truth "$TMP/truth" --truth-mode full
# From the collection behind the first dump on; it takes some until one moves and another dies.
goes_on_behind_a_dump() {
	dump=$(of anchor .gc | head -n 1)
	of identity "select(.gc > ${dump:-0}) | .gc" >"$TMP/behind"
	[ -n "$dump" ] && [ "$(wc -l <"$TMP/behind")" -ge 20 ]
}
record_until truth "$TMP/known" goes_on_behind_a_dump 3 10 30 ||
	fail "no 20 collections behind a dump"
stop truth
minivm --print-truth "$TMP/truth" >"$TMP/truth.txt" || fail "the truth cannot be read"
rm "$TMP/truth"
run timeout 200 "$python" "$ROOT/tests/e2e/follow_truth.py" "$TMP/known" "$TMP/truth.txt" \
	"${dump:-0}" "$(head -n 1 "$TMP/behind")"
expect_status 0 || show "$TMP/out"
pass

t "types: by a pattern, and as many as are wanted"
run timeout 120 gctrace follow "$TMP/file" --type 'shop.O*' --top 1 -o json
expect_status 0
cat "$TMP/out" >>"$TMP/lines"
expect_equal 1 "$(of type .name | grep -c '^shop\.O')" "types that match"
expect_equal 1 "$(grep -c '"event":"type"' "$TMP/out")" types
[ "$(summary types)" -gt 1 ] || fail "the others are not counted"
run timeout 120 gctrace follow "$TMP/file" --top 1
expect "$TMP/out" '^  1 of [0-9]+ types, those with the most bytes alive$'
run timeout 120 gctrace follow "$TMP/file" --type 'no such type'
expect_status 0
frequent=$(timeout 120 gctrace follow "$TMP/file" --top 0 -o json |
	jq -r 'select(.event == "type") | "\(.seen_objects) \(.name)"' | sort -rn | head -n 1)
tr -s ' \n' '  ' <"$TMP/out" >"$TMP/line"
grep -qE "types none that was seen matches --type; the most frequent of [0-9]+ types: " \
	"$TMP/line" || { fail "not said that no type matches"; show "$TMP/out"; }
grep -qF "types: ${frequent#* } (" "$TMP/line" || fail "the most frequent is $frequent"
expect "$TMP/out" '^  leaks +none of the types that --type names; left out: [1-9]'
expect_not "$TMP/out" 'none: no type kept more'
pass

t "-n and -d end it early, also in a recording"
run timeout 120 gctrace follow "$TMP/file" -n 5 -o json
expect_status 0
cat "$TMP/out" >>"$TMP/lines"
expect_equal 5 "$(of summary .collections)" collections
run timeout 120 gctrace follow "$TMP/file" -n 1
expect "$TMP/err" 'in the part that -n and -d let be read'
expect_not "$TMP/err" 'no heap dump in it'
run timeout 120 gctrace follow "$TMP/file" -d 500ms
expect_status 0
expect "$TMP/out" '^complete'
pass

t "lines fit into 100 columns, and into the terminal"
run timeout 120 gctrace follow "$TMP/file"
expect_equal "" "$(awk 'length > 100' "$TMP/out")" "lines that are too long"
for columns in 60 80; do
	run env COLUMNS=$columns timeout 120 gctrace follow "$TMP/file" -n 9
	expect_equal "" "$(grep -E '^ *[0-9]+\.[0-9]{3} ' "$TMP/out" |
		awk -v most=$columns 'length > most')" "lines longer than $columns"
done
pass

t "a recording without a dump says what is missing, and what moved by its bytes"
vm vm
run timeout 120 gctrace record -p "$(pid vm)" -n 10 --moves --output "$TMP/moves"
run timeout 120 gctrace follow "$TMP/moves"
expect_status 0
expect "$TMP/err" 'there is no heap dump in it'
expect "$TMP/err" 'record --moves --dump'
expect "$TMP/out" 'before +after +moved +survived +dead$'
expect_not "$TMP/out" '^  known '
run timeout 120 gctrace follow "$TMP/moves" -o json
cat "$TMP/out" >>"$TMP/lines"
expect_equal 10 "$(grep -c '"event":"gc"' "$TMP/out")" "collections"
expect_equal null "$(of summary .identity)" "identity of nothing"
pass

t "a recording with dumps and without moves says why nothing is known for long"
run timeout 120 gctrace record -p "$(pid vm)" --dump=300ms -d 3s --output "$TMP/unmoved"
run timeout 120 gctrace follow "$TMP/unmoved"
expect_status 0
expect "$TMP/err" 'no moves were recorded'
expect "$TMP/err" 'record --moves --dump'
expect "$TMP/out" '^  leaks +not told: no object was known from one dump to the next$'
run timeout 120 gctrace record -p "$(pid vm)" --moves --dump=300ms -d 3s --output "$TMP/moved"
run timeout 120 gctrace follow "$TMP/moved"
expect_status 0
expect_not "$TMP/err" 'no moves were recorded'
expect_not "$TMP/out" '^  leaks +not told'
pass

t "whoever reads has seen enough before the dump: nothing is missing"
{
	gctrace follow -p "$(pid vm)" 2>"$TMP/err"
	echo $? >"$TMP/status"
} | head -n 1 >"$TMP/out"
expect "$TMP/out" '.'
expect_equal 0 "$(cat "$TMP/status")" "exit status"
expect_equal "" "$(cat "$TMP/err")" "what it said"
pass

t "Ctrl-C in the midst of a dump: aborted, the results come, nothing stays up"
start follow gctrace follow -p "$(pid vm)" --every 1ms
wait_for 'grep -q "dump 2: " "$TMP/follow.out"' || fail "no second dump"
stop follow INT
expect_status 0
expect "$TMP/follow.out" '^  dumps '
expect "$TMP/follow.out" '^complete: nothing was lost$'
wait_for 'semaphores "$(pid vm)" >/dev/null' || fail "semaphores are still up"
stop vm
pass

t "all collectors: every dump agrees with the model"
for options in "--collector compact" "--collector concurrent" "--gc-threads 8 --collector compact" \
	"--collector compact --report mixed"; do
	# shellcheck disable=SC2086
	vm vm $options --rate 50
	start follow gctrace follow -p "$(pid vm)" --every 300ms -o json
	wait_for '[ "$(grep -c "\"event\":\"anchor\"" "$TMP/follow.out")" -ge 4 ]' ||
		fail "$options: no four dumps"
	stop follow INT
	cp "$TMP/follow.out" "$TMP/out"
	cat "$TMP/out" >>"$TMP/lines"
	sound
	[ "$(summary matched)" -gt 1000 ] || fail "$options: hardly anything matched"
	stop vm
done
pass

t "a runtime that does not say where generations lie: withdrawn, and never called dead"
vm vm --report single
start follow gctrace follow -p "$(pid vm)" --every 300ms -o json
wait_for '[ "$(grep -c "\"event\":\"anchor\"" "$TMP/follow.out")" -ge 3 ]' ||
	fail "no three dumps"
stop follow INT
cp "$TMP/follow.out" "$TMP/out"
cat "$TMP/out" >>"$TMP/lines"
sound
expect_equal 0 "$(summary died)" "objects called dead"
[ "$(summary withdrawn)" -gt 0 ] || fail "nothing was withdrawn"
stop vm
pass

t "on a terminal: a table that is painted in place, and nothing of it is left"
if command -v script >/dev/null; then
	vm vm --leak
	TERM=xterm run timeout 60 script -qec \
		"stty rows 12 cols 70; gctrace follow -p $(pid vm) --every 700ms -d 4s" "$TMP/tty"
	expect_status 0
	expect "$TMP/tty" $'\033\\[[0-9]+A'
	expect "$TMP/tty" $'pid [0-9]+ at [0-9.]+: .* objects known'
	expect "$TMP/tty" 'of [0-9]+ types, those with the most bytes alive'
	expect "$TMP/tty" ' dumps, error rate ([0-9.]+ %|-)'
	expect_not "$TMP/tty" 'told in' # each dump is told once: by what changes in the table
	# What is painted fits; the cursor is neither hidden nor moved elsewhere.
	sed -n 's/\x1b\[K\r*$//p' "$TMP/tty" | sed 's/.*\r//; s/\x1b\[[0-9]*[A-Z]//g' |
		awk 'length > 69' >"$TMP/wide"
	expect_equal "" "$(cat "$TMP/wide")" "painted lines that are too long"
	expect_not "$TMP/tty" $'\033\\[\\?'
	expect "$TMP/tty" 'complete'
	NO_COLOR=1 TERM=xterm run timeout 60 script -qec \
		"gctrace follow -p $(pid vm) -d 1500ms | cat" "$TMP/tty"
	expect_not "$TMP/tty" $'\033\\[[0-9]+A'
	stop vm
	pass
else
	skip "script is not installed"
fi

t "hostile names stay on their line and move nothing"
vm vm --names hostile --leak
start follow gctrace follow -p "$(pid vm)" --every 300ms --top 0
wait_for '[ "$(grep -c "dump [0-9]*: " "$TMP/follow.out")" -ge 4 ]' || fail "no four dumps"
stop follow INT
expect_status 0
expect_equal "" "$(LC_ALL=C grep -a '[[:cntrl:]]' "$TMP/follow.out" | tr -d '\n')" \
	"control characters"
start follow gctrace follow -p "$(pid vm)" --every 300ms --top 0 -o json
wait_for '[ "$(grep -c "\"event\":\"anchor\"" "$TMP/follow.out")" -ge 4 ]' ||
	fail "no four dumps"
stop follow INT
cat "$TMP/follow.out" >>"$TMP/lines"
stop vm
pass

t "an exec ends what is known of that image, and begins the next one's"
vm vm --exec 300 --rate 50
start follow gctrace follow -p "$(pid vm)" -o json
wait_for 'awk "/\"event\":\"header\"/ { images++ } images > 1 && /\"gc\":/ { collections++ }
	END { exit collections < 20 }" "$TMP/follow.out"' || fail "no second image"
stop follow INT
cp "$TMP/follow.out" "$TMP/out"
cat "$TMP/out" >>"$TMP/lines"
[ "$(of summary 'select(.pid and .identity) | .pid' | wc -l)" -ge 1 ] || fail "nothing was followed"
stop vm
pass

t "two processes: a column for the pid, and a state of each"
vm one
vm two --leak
start follow gctrace follow -p "$(pid one)" -p "$(pid two)"
wait_for '[ "$(grep -c "dump 1: " "$TMP/follow.out")" -ge 2 ]' || fail "not a dump of each"
stop follow INT
expect_status 0
expect "$TMP/follow.out" 'time s +pid +gc '
expect_equal 2 "$(grep -c '^  known ' "$TMP/follow.out")" states
start follow gctrace follow -p "$(pid one)" -p "$(pid two)" -o json
wait_for '[ "$(grep -c "\"event\":\"anchor\"" "$TMP/follow.out")" -ge 2 ]' ||
	fail "not a dump of each"
stop follow INT
expect_status 0
cp "$TMP/follow.out" "$TMP/out"
cat "$TMP/out" >>"$TMP/lines"
expect_equal 3 "$(of summary '.identity.seen' | wc -l)" summaries
stop one
stop two
pass

t "the process ends: the results come all the same"
vm vm
start follow gctrace follow -p "$(pid vm)"
wait_for 'grep -q "dump 1: " "$TMP/follow.out"' || fail "no dump"
stop vm
join follow
expect_status 0
expect "$TMP/follow.out" '^  known '
pass

t "what is lost is told: status 3, ids are withdrawn and not guessed"
vm vm --objects 200000 --rate 0
start follow gctrace follow -p "$(pid vm)" --mem-limit 8M -o json
wait_for 'grep -q "\"event\":\"identity\"" "$TMP/follow.out"' || fail "nothing is known"
kill -STOP "$(pid follow)"
work "$(pid vm)" 4
kill -CONT "$(pid follow)"
stop follow INT
expect_status 3
cp "$TMP/follow.out" "$TMP/out"
cat "$TMP/out" >>"$TMP/lines"
expect_equal false "$(of summary .complete)" complete
[ "$(summary withdrawn)" -gt 0 ] || fail "nothing was withdrawn"
stop vm
pass

t "a runtime without dumps and moves says so by its name: status 1"
start python "$python" -c 'import gc, time
print("ready", flush=True)
while True:
	gc.collect()
	time.sleep(0.01)'
wait_for grep -qs ready "$TMP/python.out"
run timeout 60 gctrace follow -p "$(pid python)" -d 1s
if [ "$status" = 1 ] && grep -q 'cannot be followed' "$TMP/err"; then
	expect "$TMP/err" 'CPython in pid [0-9]+ cannot be followed: no moves'
	expect_equal "" "$(cat "$TMP/out")" "standard output"
	pass
else
	grep -q 'no probes\|was built without' "$TMP/err" && skip "this CPython has no probes"
	fail "status $status"
	show "$TMP/err"
fi
stop python

t "wrong usage: status 2"
for words in "" "--id 1" "-p 1 --id 1 --address 0x1 --at 1" "-p 1 --address 0x1" "-p 1 --at 3" \
	"-p 1 --address xyz --at 1" "-p 1 --id 0" "$TMP/file --every 1s" \
	"$TMP/file --id 1 --type x" "$TMP/file --address 1 --at 1 --top 3" \
	"$TMP/file --id 1 --at 3"; do
	# shellcheck disable=SC2086
	run gctrace follow $words
	expect_status 2
done
pass

t "every line is as the schema says"
if "$python" -c 'import jsonschema' 2>/dev/null; then
	"$python" "$ROOT/tests/e2e/schema_check.py" "$schema" "$TMP/lines" >"$TMP/wrong" ||
		{ fail "$(head -n 1 "$TMP/wrong")"; show "$TMP/wrong"; }
	for event in anchor identity blocks object type survival finding gc summary; do
		grep -q "\"event\":\"$event\"" "$TMP/lines" || fail "no line of $event"
	done
	pass
else
	skip "python3-jsonschema is not installed"
fi
