#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The default command on the small VM: its figures against the VM's own truth, its lines against
# the schema, and how it begins and ends.
. "$(dirname "$0")/../e2e/lib.sh"
need_root
need minivm gctrace python3

python=/usr/bin/python3
schema=$ROOT/docs/gctrace.schema.json
"$python" -c 'import jsonschema' 2>/dev/null && have_schema=yes || have_schema=no
: >"$TMP/lines" # all JSON lines that are made below

# vm NAME OPTION…: running, with at least one collection behind it
vm() {
	local name=$1
	shift
	rm -f "$TMP/$name.out" "$TMP/$name.err"
	start "$name" minivm --rate 50 --objects 20000 "$@"
	wait_for 'grep -qs . "$TMP/'"$name"'.out" "$TMP/'"$name"'.err"' || fail "the VM did not start"
}

json() {
	run gctrace -o json "$@"
	cat "$TMP/out" >>"$TMP/lines"
}

# compare "minivm options" "gctrace options" "options of the comparison"
compare() {
	rm -f "$TMP/truth"
	# shellcheck disable=SC2086
	vm truth $1 --truth "$TMP/truth" --truth-every 1000000
	# shellcheck disable=SC2086
	json -p "$(pid truth)" $2
	expect_status 0 || show "$TMP/out"
	stop truth
	minivm --print-truth "$TMP/truth" >"$TMP/truth.txt" || fail "the truth cannot be read"
	# shellcheck disable=SC2086
	"$python" "$ROOT/tests/e2e/stream_compare.py" $3 "$TMP/out" "$TMP/truth.txt" \
		>"$TMP/compared" || { fail "not what happened"; show "$TMP/compared"; }
}

for collector in sweep compact concurrent; do
	for threads in 1 8; do
		t "figures are the truth: $collector, $threads collector threads, batches"
		compare "--collector $collector --gc-threads $threads --full-every 7" \
			"-n 60 --moves" "--moves --least 50"
		pass
	done
	for lengths in 8 4 both; do
		t "figures are the truth: $collector, one by one, lengths of $lengths bytes"
		compare "--collector $collector --gc-threads 3 --full-every 7 --report single \
			--lengths $lengths" "-n 30 --moves" "--moves --no-sizes --least 20"
		pass
	done
done

t "without --moves no figure of ranges is claimed"
compare "--collector concurrent --full-every 7" "-n 40" "--least 30"
pass

t "the process ends: summary, status 0"
vm vm
start trace gctrace -p "$(pid vm)"
wait_for '[ "$(grep -c young "$TMP/trace.out")" -ge 2 ]' || fail "no two collections"
stop vm
join trace
expect_status 0
expect "$TMP/trace.out" '^minivm \(pid [0-9]+\), .*: [0-9]+ collections'
expect_equal "complete: nothing was lost" "$(tail -n 1 "$TMP/trace.out")" "the last line"
pass

t "Ctrl-C: summary, status 0"
vm vm
start trace gctrace -p "$(pid vm)"
wait_for 'grep -q young "$TMP/trace.out"'
stop trace INT
expect_status 0
expect "$TMP/trace.out" '^complete: nothing was lost$'
expect_equal "" "$(cat "$TMP/trace.err")" "standard error"
pass

t "-d bounds the time, -n the collections"
run gctrace -p "$(pid vm)" -d 300ms
expect_status 0
expect "$TMP/out" '^complete'
run gctrace -p "$(pid vm)" -n 4
expect_status 0
# One that began while gctrace attached has a time before 0.
expect_equal 4 "$(grep -cE '^ *-?[0-9.]+ +[0-9]+ (young|full|gc) ' "$TMP/out")" lines
expect "$TMP/out" ': 4 collections'
pass

t "a reader that has seen enough: quiet, status 0"
gctrace -p "$(pid vm)" 2>"$TMP/err" | head -n 3 >"$TMP/out"
statuses="${PIPESTATUS[*]}"
expect_equal "0 0" "$statuses" "exit statuses"
expect_equal "" "$(cat "$TMP/err")" "standard error"
pass

t "a full disk: said, status 1"
gctrace -p "$(pid vm)" -n 3 2>"$TMP/err" >/dev/full
status=$?
expect_status 1
expect "$TMP/err" 'No space left on device'
pass

t "what is filtered is counted all the same"
json -p "$(pid vm)" -n 1 --min-pause 1h -d 3s
expect_status 0
expect_equal 0 "$(grep -c '"event":"gc"' "$TMP/out")" "lines of collections"
expect "$TMP/out" '"event":"summary".*"collections":[1-9][0-9]*,"shown":0,'
pass

t "lines fit into 100 columns, and into the terminal"
run gctrace -p "$(pid vm)" -n 5 --moves -v
expect_equal "" "$(awk 'length > 100' "$TMP/out")" "lines that are too long"
for columns in 40 60 80; do
	run env COLUMNS=$columns gctrace -p "$(pid vm)" -n 5
	expect_equal "" "$(grep -E '^ *[0-9]+\.[0-9]{3} ' "$TMP/out" |
		awk -v most=$columns 'length > most')" "lines longer than $columns"
done
pass

t "no colour but where it is asked for"
run gctrace -p "$(pid vm)" -n 2
expect_not "$TMP/out" $'\033'
run gctrace -p "$(pid vm)" -n 2 --color always
expect "$TMP/out" $'\033\\['
pass

t "--timestamps are RFC 3339"
run gctrace -p "$(pid vm)" -n 2 --timestamps
expect "$TMP/out" \
	'^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}[+-][0-9]{2}:[0-9]{2} '
pass

t "-v tells pools and pauses"
run gctrace -p "$(pid vm)" -n 2 -v
expect "$TMP/out" '^ +pool +nursery +[0-9.]+ [KM]iB -> '
expect "$TMP/out" '^ +pause +collection at '
pass

t "--top-pauses"
json -p "$(pid vm)" -n 8 --top-pauses 3
expect_equal 3 "$(tail -n 1 "$TMP/out" | "$python" -c \
	'import json,sys; print(len(json.load(sys.stdin)["longest_pauses"]))')" "longest pauses"
pass

t "two processes: a column for the pid, a summary for each and one for both"
vm other
run gctrace -p "$(pid vm)" -p "$(pid other)" -d 2s
expect_status 0
expect "$TMP/out" 'time s +pid +gc '
expect "$TMP/out" "^minivm \\(pid $(pid vm)\\)"
expect "$TMP/out" "^minivm \\(pid $(pid other)\\)"
expect "$TMP/out" '^all processes, '
json -p "$(pid vm),$(pid other)" -d 2s
expect_equal "2 3" "$(grep -c '"event":"header"' "$TMP/out") $(grep -c '"event":"summary"' "$TMP/out")" \
	"headers and summaries"
expect_equal null "$(tail -n 1 "$TMP/out" | jq .pid)" "the last line's pid"
expect_equal true "$(tail -n 1 "$TMP/out" | jq --argjson a "$(pid vm)" --argjson b "$(pid other)" \
	'[.longest_pauses[].pid] | length > 0 and all(. == $a or . == $b)')" "whose the longest are"
stop other
pass

t "a process that is named twice is traced once"
json -p "$(pid vm),$(pid vm)" -n 2
expect_equal 1 "$(grep -c '"event":"header"' "$TMP/out")" headers
stop vm
pass

t "an exec ends the trace of that image, and begins the next one's"
vm vm --exec 300
start trace gctrace -o json -p "$(pid vm)"
WAIT=60 wait_for '[ "$(grep -c "\"event\":\"header\"" "$TMP/trace.out")" -ge 2 ]' ||
	fail "no second image"
stop trace INT
expect_status 0
cat "$TMP/trace.out" >>"$TMP/lines"
expect "$TMP/trace.out" '"event":"summary","pid":'
stop vm
pass

t "hostile names stay on their line and move nothing"
vm vm --names hostile
run gctrace -p "$(pid vm)" -n 3 -v
expect_status 0
expect_equal "" "$(LC_ALL=C grep -a '[[:cntrl:]]' "$TMP/out" | tr -d '\n')" "control characters"
json -p "$(pid vm)" -n 3
expect_status 0
stop vm
pass

t "what is lost is told, with status 3, and 0 with --allow-loss"
vm vm --objects 200000 --rate 0
for allow in "" --allow-loss; do
	# shellcheck disable=SC2086
	start trace gctrace -p "$(pid vm)" --moves --mem-limit 8M -o json $allow
	wait_for 'grep -q "\"event\":\"gc\"" "$TMP/trace.out"'
	kill -STOP "$(pid trace)"
	work "$(pid vm)" 4
	kill -CONT "$(pid trace)"
	sleep 0.5
	stop trace INT
	cat "$TMP/trace.out" >>"$TMP/lines"
	expect_status $([ -z "$allow" ] && echo 3 || echo 0)
	expect "$TMP/trace.out" '"event":"summary".*"complete":false,"lost":\{"'
	expect "$TMP/trace.out" '"incomplete":true'
	# After a loss nobody is called dead.
	expect_equal 0 "$(grep '"incomplete":true' "$TMP/trace.out" | grep -c '"dead_bytes"')" \
		"incomplete collections with deaths"
done
stop vm
pass

t "a pause in progress at the attach is told, shown while it lasts, and counted as what is inside"
start still minivm --seed 5 --objects 5000 --pause-ms 600000
wait_for 'gctrace -p "$(pid still)" -d 1s >"$TMP/look"; grep -q "in progress when" "$TMP/look"' ||
	fail "no pause in progress is told"
for again in 1 2; do
	run timeout 120 gctrace -p "$(pid still)" -d 2s -o json
	expect_status 0
	cat "$TMP/out" >>"$TMP/lines"
	expect_equal '"stop for a collection" true' "$(jq -rc 'select(.event == "header") |
		"\"\(.stopped_for)\" \(.stopped_since_ns < .start_ns)"' "$TMP/out")" "the header"
	expect_equal "0 1 true true" "$(jq -rc 'select(.event == "summary") |
		"\(.collections) \(.edge_pauses) \(.edge_pause_total_ns > 0) " +
		"\(.paused_share <= 1)"' "$TMP/out")" "collections, pauses, time, share"
done
run timeout 120 gctrace record -p "$(pid still)" -d 2s --output "$TMP/still.rec"
run timeout 120 gctrace "$TMP/still.rec"
expect "$TMP/out" 'in progress when the trace began: a stop for a collection, for about'
if command -v script >"$TMP/script"; then
	run timeout 120 script -qec "gctrace -p $(pid still) -d 3s" "$TMP/tty"
	expect "$TMP/tty" "pid $(pid still): collection in progress for [0-9.]+ (s|min)"
fi
stop still KILL
pass

t "wrong usage: status 2; nobody there: status 1"
run gctrace -p
expect_status 2
run gctrace -p no-such-process-anywhere
expect_status 1
expect "$TMP/err" 'no-such-process-anywhere'
pass

t "every line is as the schema says"
if [ $have_schema = yes ]; then
	"$python" "$ROOT/tests/e2e/schema_check.py" "$schema" "$TMP/lines" >"$TMP/wrong" ||
		{ fail "$(head -n 1 "$TMP/wrong")"; show "$TMP/wrong"; }
	[ "$(wc -l <"$TMP/lines")" -gt 1000 ] || fail "only $(wc -l <"$TMP/lines") lines"
	pass
else
	skip "python3-jsonschema is not installed"
fi

t "every field is documented"
if [ $have_schema = yes ]; then
	"$python" "$ROOT/tests/e2e/schema_check.py" --documented "$schema" "$ROOT/docs/output.md" \
		>"$TMP/wrong" || { fail "$(head -n 1 "$TMP/wrong")"; show "$TMP/wrong"; }
	pass
else
	skip "python3-jsonschema is not installed"
fi
