#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Ids and ages of what a recording's dumps show: the same ids as gctrace follow gives, and ages that
# are the small VM's own truth.
# limit: 600
. "$(dirname "$0")/lib.sh"
need_root
need gctrace minivm jq
python=/usr/bin/python3
schema=$ROOT/docs/gctrace.schema.json

valid() {
	"$python" "$ROOT/tests/e2e/schema_check.py" "$schema" "$TMP/out" >"$TMP/wrong" || {
		fail "not by the schema"
		show "$TMP/wrong"
	}
}

# record_vm NAME RECORD-OPTION… -- VM-OPTION…: a recording and the truth of the same run
record_vm() {
	local name=$1 options=()
	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	shift
	rm -f "$TMP/$name.truth" "$TMP/$name"
	start vm minivm --quiet --rate 20 --full-every 4 --objects 300 --nursery 64k \
		--truth "$TMP/$name.truth" --truth-mode full "$@"
	wait_for "[ \"\$(stat -c %s '$TMP/$name.truth' 2>/dev/null || echo 0)\" -gt 20000 ]" ||
		fail "the VM does not collect"
	run timeout 120 gctrace record -p "$(pid vm)" "${options[@]}" --output "$TMP/$name"
	expect_status 0
	stop vm
	minivm --print-truth "$TMP/$name.truth" >"$TMP/$name.txt" || fail "the truth cannot be read"
}

of() { jq -r "select(.event == \"$1\") | $2" "$TMP/out"; }

"$python" -c 'import jsonschema' 2>/dev/null || skip_all "python3-jsonschema is not here"

for collector in sweep compact; do
	t "ages are the truth, exact where the birth was observed: $collector"
	record_vm $collector -n 80 --moves --dump=500ms -- --collector $collector --sample-bytes 0
	run timeout 120 gctrace heap "$TMP/$collector@last" --objects --type '*' --top 0 -o json
	expect_status 0
	valid
	cp "$TMP/out" "$TMP/objects"
	run "$python" "$ROOT/tests/e2e/heap_ages.py" "$TMP/objects" "$TMP/$collector.txt"
	expect_status 0 || show "$TMP/out"
	pass
done

t "an id is that of gctrace follow, and path finds it"
for id in $(jq -r 'select(.event == "object" and .age >= 3).id' "$TMP/objects" | sed -n '1p;9p;30p'); do
	jq -c "select(.event == \"object\" and .id == $id)" "$TMP/objects" >"$TMP/line"
	run timeout 120 gctrace follow "$TMP/compact" --id "$id" -o json
	expect_status 0
	expect_equal "$(jq -r '"\(.address) \(.age) \(.at_least)"' "$TMP/line")" \
		"$(of object 'select(.anchor) | "\(.address) \(.age) \(.at_least)"' | tail -n 1)" \
		"object $id at the last dump"
	run timeout 120 gctrace path "$TMP/compact@last" --id "$id" --retained -o json
	expect_status 0
	valid
	[ -z "$(of path .id)" ] ||
		expect_equal "$(jq -r .address "$TMP/line")" "$(of path .address | sort -u)" \
			"address of path --id $id"
done
id=$(jq -r 'select(.event == "object" and .age >= 1 and (.unreached | not)).id' "$TMP/objects" |
	head -n 1)
run timeout 120 gctrace path "$TMP/compact@last" --id "$id"
expect_status 0
expect "$TMP/out" " 0x[0-9a-f]+, id $id, age [0-9>]"
run timeout 120 gctrace path "$TMP/compact@last" --id 99999999
expect_status 1
expect "$TMP/err" 'was not seen up to this dump: ids up to [0-9]+ were given'
died=$(timeout 120 gctrace heap "$TMP/compact@1" --objects --type '*' --top 0 -o json |
	jq -r 'select(.event == "object").id' | sort >"$TMP/first"
	jq -r 'select(.event == "object").id' "$TMP/objects" | sort | comm -23 "$TMP/first" - |
		head -n 1)
run timeout 120 gctrace path "$TMP/compact@last" --id "$died"
expect_status 1
expect "$TMP/err" "object $died is not in this dump"
pass

t "--age-at-least chooses what has survived, of objects, types and groups"
run timeout 120 gctrace heap "$TMP/compact@last" --objects --type '*' --top 0 --age-at-least 3 -o json
expect_status 0
of object .id | sort >"$TMP/chosen"
jq -r 'select(.event == "object" and .age >= 3).id' "$TMP/objects" | sort >"$TMP/wanted"
[ -s "$TMP/wanted" ] || fail "nothing is that old"
cmp -s "$TMP/wanted" "$TMP/chosen" || fail "others are chosen"
run timeout 120 gctrace heap "$TMP/compact@last" --age-at-least 3 --top 0 -o json
expect_status 0
valid
expect_equal "$(wc -l <"$TMP/wanted")" "$(of type .count | paste -sd+ | bc)" "objects of all types"
[ "$(of type .age_median | sort -n | head -n 1)" -ge 3 ] || fail "a type's median is below 3"
run timeout 120 gctrace heap "$TMP/compact@last" --age-at-least 3 --by package --top 0 -o json
expect_status 0
valid
expect_equal "$(wc -l <"$TMP/wanted")" "$(of group .count | paste -sd+ | bc)" "objects of groups"
run timeout 120 gctrace heap "$TMP/compact@last"
expect_status 0
expect "$TMP/out" '^# ages: collections survived of the [0-9]+ that were followed'
expect "$TMP/out" '^ +objects +shallow +share +retained +age +oldest +type$'
[ "$(wc -L <"$TMP/out")" -le 100 ] || fail "wider than 100 columns"
pass

t "--age-at-least that nothing reaches says how old the oldest is, and what is of the whole heap"
oldest=$(jq -r 'select(.event == "object").age' "$TMP/objects" | sort -n | tail -n 1)
unborn=$(jq -r 'select(.event == "object" and .at_least).id' "$TMP/objects" | head -n 1)
said="(the oldest: ${unborn:+>= }$oldest)"
for words in "" "--objects --type=*" "--by package"; do
	# shellcheck disable=SC2086
	run timeout 120 gctrace heap "$TMP/compact@last" --age-at-least $((oldest + 1)) $words
	expect_status 0
	tr -s ' \n' '  ' <"$TMP/out" >"$TMP/line"
	grep -qF "is known to be $((oldest + 1)) collections old or older $said" "$TMP/line" ||
		{ fail "$words: not said: $said"; show "$TMP/out"; }
	expect_not "$TMP/out" '^ *(objects|retained) +shallow'
	expect "$TMP/out" '^The whole heap$'
done
run timeout 120 gctrace heap "$TMP/compact@last" --age-at-least "$oldest"
expect "$TMP/out" "^Types, of objects known to be $oldest collections? old or older$"
expect "$TMP/out" '^Findings, of the whole heap$'
run timeout 120 gctrace heap "$TMP/compact@last" --age-at-least 1 --type 'none such'
tr -s ' \n' '  ' <"$TMP/out" >"$TMP/line"
expect "$TMP/line" 'has a type that matches "none such"; the most frequent of [0-9]+ types: [^ ]+ \('
run timeout 120 gctrace heap "$TMP/compact@last"
expect "$TMP/out" '^Findings$'
expect_not "$TMP/out" '^The whole heap$'
pass

t "--age-at-least of a process says how to get there"
run gctrace heap -p 1 --age-at-least 3
expect_status 2
expect "$TMP/err" 'gctrace record -p 1 --moves --dump=30s -d 2m --output app\.gctrace$'
expect "$TMP/err" 'gctrace heap app\.gctrace@last --age-at-least 3$'
pass

t "where nothing was followed there are no ages, and --age-at-least says so"
record_vm still -n 5 --dump -- --sample-bytes 1g
run timeout 120 gctrace heap "$TMP/still" -o json
expect_status 0
expect_not "$TMP/out" '"age|"id":|followed_collections'
run timeout 120 gctrace heap "$TMP/still" --age-at-least 1
expect_status 1
expect "$TMP/err" 'no collection was followed before .*still@1, so that all ages are 0'
run timeout 120 gctrace heap "$TMP/still" --objects --type 'shop.OrderCache' -o json
expect_not "$TMP/out" '"id":'
run timeout 120 gctrace path "$TMP/still" --id 1
expect_status 0
for words in "heap -p 1 --age-at-least 2" "heap $TMP/still --age-at-least 0" \
	"heap $TMP/still --age-at-least 1 --tree" "path -p 1 --id 3" "path $TMP/still --id 0" \
	"path $TMP/still --id 1 --address 0x10" "path $TMP/still --id 1 --type x"; do
	# shellcheck disable=SC2086
	run gctrace $words
	expect_status 2
done
pass

t "too little memory for both leaves ids and ages out, and says so"
record_vm large -n 3 --moves --dump -- --objects 30000 --nursery 4m
run timeout 120 gctrace heap "$TMP/large" -o json
expect_status 0
[ -n "$(of header .followed_collections)" ] || fail "it was not followed"
limit=$(of summary '[30 * .objects + 8 * .references, 1048576] | max')
for _ in $(seq 40); do # up to where there is enough for the graph alone
	run timeout 120 gctrace heap "$TMP/large" --mem-limit "$limit"
	[ "$status" = 1 ] || break
	expect "$TMP/err" 'the heap graph needs more memory than the limit allows'
	limit=$((limit + limit / 20))
	refused=yes
done
[ "${refused-}" ] || fail "$limit bytes are enough at once: the heap is too small for this test"
expect_status 0
expect "$TMP/err" 'no ids and no ages: .* raise --mem-limit'
expect_not "$TMP/out" '^# ages'
run timeout 120 gctrace path "$TMP/large" --mem-limit "$limit" --id 1
expect_status 1
expect "$TMP/err" 'raise --mem-limit'
pass
