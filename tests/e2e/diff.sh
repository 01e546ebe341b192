#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace diff on the small VM: what it says was born, died and survived is the VM's own truth; what
# leaks is named with what keeps it; and what cannot be known object by object is said to be so.
# limit: 600
. "$(dirname "$0")/lib.sh"
need_root
need gctrace minivm jq
python=/usr/bin/python3
schema=$ROOT/docs/gctrace.schema.json
: >"$TMP/lines" # all JSON lines that are made below

"$python" -c 'import jsonschema' 2>/dev/null || skip_all "python3-jsonschema is not here"

vm() {	# NAME OPTION...: running, with a collection behind it
	local name=$1
	shift
	rm -f "$TMP/$name.truth"
	start "$name" minivm --quiet --rate 20 --full-every 5 --objects 3000 \
		--truth "$TMP/$name.truth" --truth-every 1000000000 "$@"
	wait_for "[ \"\$(stat -c %s '$TMP/$name.truth' 2>/dev/null || echo 0)\" -gt 20000 ]" ||
		fail "$name does not collect"
}

# record NAME FILE OPTION...: at least three dumps, and none that the end of it cut short
record() {
	local name=$1 file=$2 seconds
	shift 2
	for seconds in 3 9 10 27 28; do
		rm -f "$file"
		run timeout 120 gctrace record -p "$(pid "$name")" -d ${seconds}s --dump=600ms \
			--output "$file" "$@"
		expect_status 0
		gctrace heap "$file" --list -o json >"$TMP/dumps"
		grep -q '"complete":false' "$TMP/dumps" && continue
		[ "$(wc -l <"$TMP/dumps")" -ge 3 ] && return
	done
	fail "not three dumps in $file"
}

diff_json() {	# A B OPTION...: into $TMP/out
	run timeout 120 gctrace diff "$@" -o json
	cat "$TMP/out" >>"$TMP/lines"
}

of() { jq -r "select(.event == \"$1\") | $2" "$TMP/out"; }

# What was told by JSON in $TMP/out is the truth of this VM, which must have ended.
is_true() {	# NAME [lost]
	[ -s "$TMP/$1.printed" ] || minivm --print-truth "$TMP/$1.truth" >"$TMP/$1.printed"
	"$python" "$ROOT/tests/e2e/diff_truth.py" "$TMP/out" "$TMP/$1.printed" ${2:+"$2"} \
		>"$TMP/compared" || {
		fail "not the truth"
		show "$TMP/compared"
	}
}

t "born, died, survived are the truth, type by type, also with dumps between the two"
vm leak --leak --leak-rate 4000 --sample-bytes 16k
record leak "$TMP/file" --moves
# For what two recordings have in common.
record leak "$TMP/later" --moves
stop leak
for pair in "1 2" "2 3" "first last"; do
	read -r a b <<<"$pair"
	diff_json "$TMP/file@$a" "$TMP/file@$b" --top 0
	expect_status 0
	expect_equal identity "$(of diff .by)" "by"
	expect_equal 0 "$(of diff .withdrawn_objects)" "withdrawn objects"
	expect_equal 0 "$(of diff .error_rate)" "error rate"
	is_true leak
done
pass

t "what leaks is named, with what keeps it and a command that shows more"
run timeout 120 gctrace diff "$TMP/file@first" "$TMP/file@last"
expect_status 0
tr '\n' ' ' <"$TMP/out" | tr -s ' ' >"$TMP/words"
expect "$TMP/words" 'What the roots reach grew by [0-9.]+ [KM]iB \(\+[0-9.]+ %\), to '
expect "$TMP/words" ' grew by [0-9]+ objects \(\+[0-9.]+ [KM]iB\) that the roots reach; [0-9.]+ % of the [0-9]+ objects in B were born since A; kept by static shop\.OrderCache\.instance → \.byId → \.table\[\]'
expect "$TMP/out" '^# by identity, object by object, through [0-9]+ collections; error rate of the model 0 %$'
expect "$TMP/out" '^ +born +died survived +objects +bytes +retained type$'
expect "$TMP/out" '^complete: nothing is missing$'
# A command is one line however long the name of its directory is.
expect_equal "" "$(sed "s/[→…]/-/g; /^    gctrace /s|$TMP/||g" "$TMP/out" | awk 'length > 100')" \
	"lines that are too long"
sed -n 's/^    gctrace //p' "$TMP/out" >"$TMP/command"
run bash -c "timeout 120 gctrace $(cat "$TMP/command")"
expect_status 0
expect "$TMP/out" 'static shop\.OrderCache\.instance'
pass

t "types by a pattern, in an order, and as many as are wanted"
diff_json "$TMP/file@first" "$TMP/file@last" --type 'shop.*' --sort name --top 3
expect_status 0
expect_equal "shop.Address shop.Customer shop.Order" "$(of type_diff .name | xargs)" "types"
expect_equal 3 "$(of branch_diff .type | wc -l)" paths
[ "$(of summary .types)" -gt 3 ] || fail "the others are not counted"
diff_json "$TMP/file@first" "$TMP/file@last" --sort retained --top 1
[ "$(of type_diff '.is_retained_bytes - .was_retained_bytes')" -gt 0 ] || fail "nothing retains more"
run timeout 60 gctrace diff "$TMP/file@1" "$TMP/file@2" --type 'no.such*'
expect_status 1
expect "$TMP/err" 'no object in either dump has a type that matches'
pass

t "two recordings: by type and by path, and it is said why"
diff_json "$TMP/file@1" "$TMP/later@last" --top 0
expect_status 0
cp "$TMP/out" "$TMP/two"
expect_equal type "$(of diff .by)" "by"
expect_equal "the dumps are of two recordings" "$(of diff .why)" "why"
expect_equal null "$(of diff .born_objects)" "born objects"
for side in was:file@1 is:later@last; do
	run timeout 120 gctrace heap "$TMP/${side#*:}" --top 0 -o json
	of type '"\(.name) \(.count) \(.shallow_bytes) \(.retained_bytes // 0)"' | sort >"$TMP/heap"
	w=${side%:*}
	jq -r "select(.event == \"type_diff\" and .${w}_objects > 0) |
		\"\\(.name) \\(.${w}_objects) \\(.${w}_bytes) \\(.${w}_retained_bytes)\"" "$TMP/two" |
		sort >"$TMP/diff"
	cmp -s "$TMP/heap" "$TMP/diff" || { fail "not the types of the heap"; diff "$TMP/heap" "$TMP/diff"; }
done
jq -r 'select(.event == "branch_diff" and .type == "shop.Order") | [.steps[].name] | join(" ")' \
	"$TMP/two" | grep -q 'static shop.OrderCache.instance .*\.byId .*\.table \[\] .*\.value' ||
	fail "no path to what leaks"
run timeout 120 gctrace diff "$TMP/file@1" "$TMP/later@last"
expect "$TMP/out" '^# by type and by path, not object by object: the dumps are of two recordings$'
expect "$TMP/out" '^ +in A +in B +objects +bytes +retained type$'
# Of two recordings neither is the earlier one.
run timeout 120 gctrace diff "$TMP/later@last" "$TMP/file@1" --top 1
expect_status 0
expect "$TMP/out" '^What the roots reach shrank by '
pass

t "growth beyond a limit is status 4, up to it 0: a share, a size, of some types"
for limit in 0.1% 1KiB 0; do
	run timeout 120 gctrace diff "$TMP/file@first" "$TMP/file@last" --fail-if-growth $limit
	expect_status 4
	expect "$TMP/out" "^limit +--fail-if-growth $limit: the limit is exceeded$"
done
for limit in 100000% 1GiB; do
	run timeout 120 gctrace diff "$TMP/file@first" "$TMP/file@last" --fail-if-growth $limit
	expect_status 0
	expect "$TMP/out" "^limit +--fail-if-growth $limit: growth is within the limit$"
done
diff_json "$TMP/file@first" "$TMP/file@last" --type shop.OrderCache --fail-if-growth 0
expect_status 0
expect_equal "0 false" "$(of diff .growth_bytes) $(of summary .limit_passed)" "the one cache"
diff_json "$TMP/file@first" "$TMP/file@last" --type shop.Order --fail-if-growth 0
expect_status 4
expect_equal true "$(of summary .limit_passed)" "limit_passed"
run timeout 120 gctrace diff "$TMP/later@last" "$TMP/file@1" --fail-if-growth 0
expect_status 0
pass

t "without moves, by type: it is said what to record"
vm bare
record bare "$TMP/bare"
diff_json "$TMP/bare@1" "$TMP/bare@2"
expect_status 0
expect_equal type "$(of diff .by)" "by"
expect_equal "no moves were recorded between the dumps (gctrace record --moves)" \
	"$(of diff .why)" "why"
run timeout 60 gctrace record -p "$(pid bare)" -n 3 --moves --output "$TMP/none"
stop bare
pass

t "every collector, and threads: the truth"
for options in "--collector compact --gc-threads 4" "--collector concurrent"; do
	# shellcheck disable=SC2086
	vm vm --leak $options
	record vm "$TMP/other" --moves
	stop vm
	rm -f "$TMP/vm.printed"
	for b in 2 3; do
		diff_json "$TMP/other@1" "$TMP/other@$b" --top 0
		expect_status 0
		is_true vm
	done
done
pass

t "hostile names stay on their line and move nothing"
vm hostile --names hostile --leak
record hostile "$TMP/hostile" --moves
stop hostile
run timeout 120 gctrace diff "$TMP/hostile@1" "$TMP/hostile@3" --top 0
expect_status 0
! LC_ALL=C grep -aq $'[\x01-\x09\x0b-\x1f\x7f]' "$TMP/out" || fail "control characters"
diff_json "$TMP/hostile@1" "$TMP/hostile@3" --top 0
is_true hostile
cd "$TMP" || exit 1
name="host\$(touch pwned) '"
cp hostile "$name"
diff_json hostile@1 "$name@3" --top 0
expect_status 0
expect_equal "$name@3" "$(of header .file | tail -n 1)" "the file for programs"
of diff .command >"$TMP/command"
run timeout 120 bash "$TMP/command"
[ "$status" = 0 ] || { fail "the command"; show "$TMP/command" "$TMP/err"; }
run timeout 120 gctrace diff hostile@1 "$name@3"
expect_equal "$(cat "$TMP/command")" "$(sed -n 's/^    \(gctrace path .*\)/\1/p' "$TMP/out")" \
	"the command for people"
cd - >/dev/null || exit 1
[ ! -e "$TMP/pwned" ] || fail "a name was run"
pass

t "a dump that is cut off: status 3, told, and no word on single objects"
last=$(gctrace heap "$TMP/file" --list -o json | wc -l)
size=$(stat -c %s "$TMP/file")
# The longest beginning in which the last dump has begun and has no end.
for percent in 99 98 97 96 95 93 90 87 84 80 75 70 60 50; do
	head -c $((size * percent / 100)) "$TMP/file" >"$TMP/cut"
	gctrace heap "$TMP/cut" --list -o json >"$TMP/list" 2>/dev/null
	tail -n 1 "$TMP/list" | grep -q '"complete":false' && break
done
last=$(wc -l <"$TMP/list")
run timeout 120 gctrace diff "$TMP/cut@1" "$TMP/cut@$last"
expect_status 3
# The name of the file may be long: then that is two lines.
sed -z 's/\n#     / /g' "$TMP/out" >"$TMP/heading"
expect "$TMP/heading" '^# A .* objects, [0-9.]+ [KM]iB$'
expect "$TMP/heading" '^# B .*; NOT WHOLE$'
expect "$TMP/out" '^# by type and by path, not object by object: one of the dumps is not whole$'
expect "$TMP/out" '^B is not whole. Of what was told of it, what the roots reach '
expect "$TMP/out" '^NOT WHOLE: B$'
expect "$TMP/out" '^  it was cut off'
expect_not "$TMP/out" '^complete'
run timeout 120 gctrace diff "$TMP/cut@1" "$TMP/cut@$last" --fail-if-growth 100000%
expect_status 3
diff_json "$TMP/cut@1" "$TMP/cut@$last" --allow-loss
expect_status 0
expect_equal "false true" "$(of summary '"\(.complete) \(.is_missing.no_end)"')" "complete, no_end"
pass

t "what a reader lost between two dumps leaves nothing claimed that is not so"
# The blocks of the file that lie behind the end of the first dump and before the last one begins;
# what one ring has of that may stand a block or two before its beginning.
dumps=$(gctrace heap "$TMP/file" --list -o json | wc -l)
for at in $(LC_ALL=C grep -abo GCTBLK "$TMP/file" | cut -d : -f 1); do
	head -c $((at - 1)) "$TMP/file" >"$TMP/cut"
	gctrace heap "$TMP/cut" --list -o json >"$TMP/list" 2>/dev/null
	[ "$(wc -l <"$TMP/list")" -lt "$dumps" ] || break
	! head -n 1 "$TMP/list" | grep -q '"complete":true' || echo $((at + 40))
done | head -n -4 >"$TMP/between"
[ "$(wc -l <"$TMP/between")" -ge 4 ] || fail "there are no blocks between the dumps"
for holes in "$(head -n 1 "$TMP/between")" "$(sed -n 3p "$TMP/between")" \
	"$(tail -n 1 "$TMP/between")" "$(sed -n '2~5p' "$TMP/between")"; do
	cp "$TMP/file" "$TMP/hole"
	for at in $holes; do
		printf damaged | dd of="$TMP/hole" bs=1 seek="$at" conv=notrunc 2>/dev/null
	done
	# Some of them had a dump's beginning in them.
	diff_json "$TMP/hole@first" "$TMP/hole@last" --top 0
	expect_status 3
	expect_equal "false true {} {}" "$(of summary \
		'"\(.complete) \(.lost_between) \(.was_missing) \(.is_missing)"')" \
		"complete, lost_between, was_missing, is_missing"
	if [ "$(of diff .by)" = identity ]; then
		is_true leak lost
	else
		expect "$TMP/out" '"why":"[a-z ]*lost|"why":"[a-z ]*loss'
	fi
done
pass

t "bad input is an error that says what is right"
run timeout 60 gctrace diff "$TMP/file@1" "$TMP/file@1"
expect_status 1
expect "$TMP/err" 'the same heap dump'
run timeout 60 gctrace diff "$TMP/file@2" "$TMP/file@1"
expect_status 1
expect "$TMP/err" 'the other way round|other$'
run timeout 60 gctrace diff "$TMP/file" "$TMP/file@1"
expect_status 1
expect "$TMP/err" 'say which'
run timeout 60 gctrace diff "$TMP/none" "$TMP/file@1"
expect_status 1
expect "$TMP/err" 'holds no heap dump'
run timeout 60 gctrace diff "$TMP/file@1" "$TMP/nowhere"
expect_status 1
run timeout 60 gctrace diff "$TMP/file@1" <(cat "$TMP/file")
expect_status 1
expect "$TMP/err" 'copy it to one first'
run timeout 60 gctrace diff "$TMP/file@1" "$TMP/file@2" --mem-limit 1M
expect_status 1
expect "$TMP/err" 'raise --mem-limit'
[ ! -s "$TMP/out" ] || fail "something was shown"
for words in "" "$TMP/file@1" "$TMP/file@1 $TMP/file@2 $TMP/file@3" \
	"$TMP/file@1 $TMP/file@2 --fail-if-growth x" "$TMP/file@1 $TMP/file@2 --fail-if-growth 1.2.3%" \
	"$TMP/file@1 $TMP/file@2 --fail-if-growth %" "$TMP/file@1 $TMP/file@2 --fail-if-growth -1%" \
	"$TMP/file@1 $TMP/file@2 --sort age"; do
	# shellcheck disable=SC2086
	run gctrace diff $words
	expect_status 2
done
pass

t "every line is as the schema says"
"$python" "$ROOT/tests/e2e/schema_check.py" "$schema" "$TMP/lines" >"$TMP/wrong" || {
	fail "not by the schema"
	show "$TMP/wrong"
}
for event in header diff type_diff branch_diff summary; do
	grep -q "\"event\":\"$event\"" "$TMP/lines" || fail "there is no line of $event"
done
pass
