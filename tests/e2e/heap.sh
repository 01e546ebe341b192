#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace heap and gctrace path: what they show of a minivm's heap is its own truth, the leak is
# named first, and whatever a dump lacks is told.
# limit: 1800
. "$(dirname "$0")/lib.sh"
need_root
need gctrace minivm jq
python=/usr/bin/python3
schema=$ROOT/docs/gctrace.schema.json

start_vm() {	# NAME OPTION...
	local name=$1
	shift
	rm -f "$TMP/$name.truth"
	start "$name" minivm --quiet --truth "$TMP/$name.truth" --truth-every 1000000000 "$@"
	wait_for "[ \"\$(stat -c %s '$TMP/$name.truth' 2>/dev/null || echo 0)\" -gt 20000 ]" ||
		fail "$name does not collect"
}

# The leak is most of the heap.
wait_for_leak() {	# NAME
	wait_for "timeout 60 gctrace heap -p $(pid "$1") -o json | grep '\"event\":\"finding\"' |
		head -n 1 | grep -q '\"type\":\"shop.OrderCache'" || fail "no leak"
}

# Objects and bytes of each type, and in all, are the same with and without a graph.
counts_alike() {	# FILE
	local more form='[.[] | select(.event == "type" or .event == "summary") |
		[.name, .class, .count, .shallow_bytes, .objects, .bytes, .complete]] | sort'
	for more in "" --histogram; do
		# shellcheck disable=SC2086
		run timeout 120 gctrace heap "$1" $more --type '*' --top 0 -o json
		[ -z "$more" ] || valid "$TMP/out"
		echo "$status" >"$TMP/counts$more"
		jq -cs "$form" "$TMP/out" >>"$TMP/counts$more"
	done
	cmp -s "$TMP/counts" "$TMP/counts--histogram" ||
		fail "$1: $(cat "$TMP/counts--histogram") is not $(cat "$TMP/counts")"
}

# The lines are those of the schema.
valid() {
	"$python" "$ROOT/tests/e2e/schema_check.py" "$schema" "$1" >"$TMP/wrong" || {
		fail "not by the schema"
		show "$TMP/wrong"
	}
}

# What was shown of the last dump is the truth; the VM must have ended.
is_true() {	# NAME LINES
	minivm --print-truth "$TMP/$1.truth" >"$TMP/printed"
	"$python" "$ROOT/tests/e2e/heap_compare.py" "$2" "$TMP/printed" >"$TMP/compared" || {
		fail "not the truth"
		show "$TMP/compared"
	}
}

"$python" -c 'import jsonschema' 2>/dev/null || skip_all "python3-jsonschema is not here"

t "types, roots, what is reached and what the leaking cache retains are the truth"
start_vm vm --leak --leak-rate 1000 --objects 5000
wait_for_leak vm
run timeout 120 gctrace heap -p "$(pid vm)" --top 0 -o json
expect_status 0
cp "$TMP/out" "$TMP/lines"
valid "$TMP/lines"
run timeout 120 gctrace heap -p "$(pid vm)" --roots --top 0 -o json
expect_status 0
cp "$TMP/out" "$TMP/roots"
valid "$TMP/roots"
run timeout 120 gctrace heap -p "$(pid vm)" --histogram --top 0 -o json
expect_status 0
cp "$TMP/out" "$TMP/histogram"
valid "$TMP/histogram"
pass

t "the first finding names the leaking cache, in text too, within 100 columns"
run timeout 120 gctrace heap -p "$(pid vm)"
expect_status 0
expect "$TMP/out" '^  1 a shop\.OrderCache \(40 B itself\) keeps '
expect "$TMP/out" 'static shop\.OrderCache\.instance'
expect "$TMP/out" "gctrace path -p $(pid vm) --type 'shop.OrderCache'"
expect "$TMP/out" '^# minivm [0-9.]+, .*; pid [0-9]+ \(minivm\)$'
expect "$TMP/out" 'never the contents of objects'
expect "$TMP/out" '^complete: nothing is missing'
[ "$(wc -L <"$TMP/out")" -le 100 ] || fail "wider than 100 columns"
pass

t "the path to what leaks leads over the cache, field by field"
run timeout 120 gctrace path -p "$(pid vm)" --type 'HashMap.Entry??' --top 0
expect_status 0
expect "$TMP/out" 'static shop\.OrderCache\.instance \(shop\.OrderCache\) → \.byId \(HashMap\)'
run timeout 120 gctrace path -p "$(pid vm)" --type 'shop.Order' --merge -o json
expect_status 0
valid "$TMP/out"
expect "$TMP/out" '"event":"branch".*"depth":4,"name":"\[\]","type":"HashMap.Entry"'
run timeout 120 gctrace path -p "$(pid vm)" --type 'shop.OrderCache' --retained
expect_status 0
expect "$TMP/out" 'With shop\.OrderCache .* would be freed: '
pass

t "what keeps the most alive comes first, not what is nearest to a root"
run timeout 120 gctrace path -p "$(pid vm)" --type '[!s]*' --top 1 --retained
expect_status 0
expect_not "$TMP/out" 'With HashMap .* would be freed: '
run timeout 120 gctrace path -p "$(pid vm)" --type '[!s]*' --largest --top 1 --retained
expect_status 0
expect "$TMP/out" 'static shop\.OrderCache\.instance .* → \.byId \(HashMap\)'
expect "$TMP/out" 'With HashMap .* would be freed: '
pass

t "objects and the tree"
run timeout 120 gctrace heap -p "$(pid vm)" --objects --type 'shop.OrderCache'
expect_status 0
expect "$TMP/out" '→ \.byId HashMap, \.latest shop\.Order'
run timeout 120 gctrace heap -p "$(pid vm)" --tree --top 3
expect_status 0
expect "$TMP/out" '   └─ … [0-9]+ more, '
pass

t "a recording shows the same as the process, and lists its dumps"
run timeout 120 gctrace record -p "$(pid vm)" -n 1 --dump --output "$TMP/file"
expect_status 0
stop vm
run timeout 120 gctrace heap "$TMP/file" --list
expect_status 0
expect "$TMP/out" '^ +1 .* complete$'
run timeout 120 gctrace heap "$TMP/file@1" --top 0 -o json
expect_status 0
valid "$TMP/out"
cp "$TMP/out" "$TMP/recorded"
run timeout 120 gctrace heap "$TMP/file@2"
expect_status 1
run timeout 120 gctrace heap "$TMP/file"
# What --top keeps back is told, also to programs.
types=$(jq -r 'select(.event == "type").name' "$TMP/recorded" | wc -l)
expect_not "$TMP/recorded" '"left_out"'
run timeout 120 gctrace heap "$TMP/file" --top 3 -o json
valid "$TMP/out"
expect_equal $((types - 3)) "$(jq -r 'select(.event == "summary").left_out' "$TMP/out")" "types left out"
run timeout 120 gctrace heap "$TMP/file"
address=$(sed -n 's/^ *gctrace path .* --address \(0x[0-9a-f]*\)$/\1/p' "$TMP/out" | head -n 1)
run timeout 120 gctrace path "$TMP/file" --address "$address"
expect_status 0
expect "$TMP/out" '^    static shop\.OrderCache\.instance \(shop\.OrderCache\)$'
expect_not "$TMP/err" 'there are more paths'
is_true vm "$TMP/lines"
is_true vm "$TMP/roots"
is_true vm "$TMP/recorded"
is_true vm "$TMP/histogram"
pass

t "a histogram has the same objects and bytes by type, and says that it has no more"
counts_alike "$TMP/file"
run timeout 120 gctrace heap "$TMP/file" --histogram --top 3
expect_status 0
expect "$TMP/out" '^ objects  shallow   share type$'
expect "$TMP/out" 'also those that no root reaches'
expect "$TMP/out" '^complete: nothing is missing'
expect_not "$TMP/out" 'retained|reached +[0-9]|Roots|Findings'
[ "$(wc -L <"$TMP/out")" -le 100 ] || fail "wider than 100 columns"
run timeout 120 gctrace heap "$TMP/file" --histogram --type 'shop.*' --sort count -o json
expect_status 0
valid "$TMP/out"
jq -rs 'map(select(.event == "type")) | length > 3 and all(.name | startswith("shop.")) and
	([.[].count] | . == (sort | reverse))' "$TMP/out" >"$TMP/sums"
expect_equal true "$(cat "$TMP/sums")" "types of shop, most objects first"
run timeout 120 gctrace heap "$TMP/file" --histogram --by package --top 0 -o json
expect_status 0
valid "$TMP/out"
jq -rs 'map(select(.event == "group")) as $g | map(select(.event == "summary"))[0] |
	([$g[].count] | add) == .objects and ([$g[].shallow_bytes] | add) == .bytes' \
	"$TMP/out" >"$TMP/sums"
expect_equal true "$(cat "$TMP/sums")" "packages make up the heap"
run timeout 120 gctrace heap "$TMP/file" --histogram --mem-limit 8M
expect_status 0
for words in "--tree" "--objects --type x" "--roots" "--sort retained" "--age-at-least 1" \
	"--html $TMP/page"; do
	# shellcheck disable=SC2086
	run gctrace heap "$TMP/file" --histogram $words
	expect_status 2
done
pass

# A heap that stays as small as it is: of what dies old and large, little waits for its collection.
start_vm vm --objects 3000 --full-every 2

t "--top paths to one object are shown, and it is told that there are more"
run timeout 120 gctrace record -p "$(pid vm)" -n 1 --dump --output "$TMP/small"
expect_status 0
# Customers are what many orders refer to; of the first ones some has several paths.
timeout 120 gctrace path "$TMP/small" --type shop.Customer --top 8 -o json 2>/dev/null |
	jq -r 'select(.event == "path").address' >"$TMP/customers"
while read -r address; do
	run timeout 120 gctrace path "$TMP/small" --address "$address" --top 2 -o json
	[ "$(grep -c '"event":"path"' "$TMP/out")" -lt 2 ] || break
done <"$TMP/customers"
run timeout 120 gctrace path "$TMP/small" --address "$address" --top 1 -o json
expect_equal 1 "$(grep -c '"event":"path"' "$TMP/out")" "paths shown"
expect "$TMP/err" 'there are more paths; --top 0 shows all of them$'
pass

t "a pattern that no type matches is answered by the types that there are"
for words in "" --objects; do
	run timeout 120 gctrace heap "$TMP/file" --type 'none such' $words
	expect_status 0
	expect "$TMP/out" 'no object of this dump has a type that matches "none such"; the most'
	expect "$TMP/out" '^The whole heap$'
	run timeout 120 gctrace heap "$TMP/file" --type 'none such' $words -o json
	expect_status 0
	expect_not "$TMP/out" '"event":"(type|object)"'
done
pass

t "types are put together by package, loader and module, and what is not told is said"
for by in package loader module; do
	run timeout 120 gctrace heap -p "$(pid vm)" --by $by --top 0 -o json
	expect_status 0
	valid "$TMP/out"
	jq -rs 'map(select(.event == "group")) as $g | map(select(.event == "summary"))[0] |
		([$g[].count] | add) == .objects and ([$g[].shallow_bytes] | add) == .bytes and
		([$g[].reached_bytes] | add) == .reached_bytes' "$TMP/out" >"$TMP/sums"
	expect_equal true "$(cat "$TMP/sums")" "groups by $by make up the heap"
	cp "$TMP/out" "$TMP/by-$by"
done
of_group() { jq -r "select(.event == \"group\" and .name == $2) | .$3" "$TMP/by-$1"; }
[ "$(of_group loader '"app"' types)" -ge 5 ] || fail "few types of the loader app"
[ "$(of_group module null types)" -ge 1 ] || fail "no type whose module is not told"
[ "$(of_group package '"shop"' retained_bytes)" -ge "$(of_group package '"shop"' reached_bytes)" ] ||
	fail "a package keeps less alive than itself"
run timeout 120 gctrace heap -p "$(pid vm)" --by module --type 'shop.*' --top 0
expect_status 0
expect "$TMP/out" '^Modules$'
expect "$TMP/out" ' shop-1\.2$'
expect_not "$TMP/out" ' web-3\.0$'
start_vm untold --report single --objects 3000
run timeout 120 gctrace heap -p "$(pid untold)" --by loader
expect_status 1
expect "$TMP/err" 'tells no loaders with its classes; --by package'
run timeout 120 gctrace heap -p "$(pid untold)" --by package
expect_status 0
expect "$TMP/out" ' \(no package\)$'
stop untold
pass

t "a dry run estimates objects and pause, and has no dump made"
run timeout 120 gctrace heap -p "$(pid vm)" -o json
before=$(jq -r 'select(.event == "header").dump' "$TMP/out")
run timeout 120 gctrace record -p "$(pid vm)" -n 1 --dump --output "$TMP/measured"
expect_status 0
for file in "" "$TMP/measured"; do
	# shellcheck disable=SC2086
	run timeout 120 gctrace heap -p "$(pid vm)" --dry-run $file
	expect_status 0
	expect "$TMP/out" '^heap +[0-9.]+ [KM]iB( to [0-9.]+ [KM]iB)?: in use after and before collection'
	expect "$TMP/out" '^pause +[0-9.]+ [mu]?s to [0-9.]+ [mun]*s'
	tr -s ' \n' '  ' <"$TMP/out" >"$TMP/line"
	if [ -n "$file" ]; then
		expect "$TMP/line" 'of about [0-9.]+ B on average, by 1 whole dump of minivm \(pid'
		expect "$TMP/line" '/measured; one tells nothing of how much that varies'
	else
		expect "$TMP/line" 'if they have 16 B, the least that an object takes, to 128 B on'
	fi
	[ "$(wc -L <"$TMP/out")" -le 100 ] || fail "wider than 100 columns"
	# shellcheck disable=SC2086
	run timeout 120 gctrace heap -p "$(pid vm)" --dry-run -o json $file
	expect_status 0
	valid "$TMP/out"
	cp "$TMP/out" "$TMP/estimate${file:+-measured}"
done
of_estimate() { jq -r "select(.event == \"estimate\") | $1" "$TMP/estimate$2"; }
expect_equal "16 128" "$(of_estimate '.estimated.bytes_per_object | map(tostring) | join(" ")' '')" \
	"assumed bytes of an object"
expect_equal 1000 "$(of_estimate '.estimated | .objects[0] * .ns_per_object[0] / .dump_ns[0] * 1000 |
	round' -measured)" "what the least pause rests on, in thousandths"
expect_equal "true null" "$(of_estimate '"\(.assumed) \(.dumps)"' '')" "assumed"
expect_equal "null 1" "$(of_estimate '"\(.assumed) \(.dumps)"' -measured)" "measured"
# Garbage comes and goes: within a factor of two.
run timeout 120 gctrace heap -p "$(pid vm)" -o json
objects=$(jq -r 'select(.event == "summary").objects' "$TMP/out")
[ "$(of_estimate '.estimated.objects[0]' '')" -le $((objects * 2)) ] || fail "fewer than the least"
[ "$(of_estimate '.estimated.objects[1]' '')" -ge $((objects / 2)) ] || fail "many more than the most"
expect_equal $((before + 2)) "$(jq -r 'select(.event == "header").dump' "$TMP/out")" \
	"dumps by now: the recording's and this one"
kill -STOP "$(pid vm)"
run timeout 120 gctrace heap -p "$(pid vm)" --dry-run
kill -CONT "$(pid vm)"
expect_status 0
expect "$TMP/out" '^heap +at most .*no collection'
expect "$TMP/out" '^objects +at most '
run timeout 120 gctrace heap -p "$(pid vm)" --dry-run "$TMP/lines"
expect_status 1
for words in "heap --dry-run $TMP/measured" "heap -p 1 --dry-run --tree"; do
	# shellcheck disable=SC2086
	run gctrace $words
	expect_status 2
done
stop vm
pass

t "a file that is cut off in its dump is shown as far as it goes, and that is said"
size=$(stat -c %s "$TMP/file")
head -c $((size * 3 / 4)) "$TMP/file" >"$TMP/cut"
run timeout 120 gctrace heap "$TMP/cut"
expect_status 3
expect "$TMP/err" 'has no end here'
expect "$TMP/out" '^# NOT WHOLE'
expect "$TMP/out" '^NOT WHOLE:'
expect "$TMP/out" 'it was cut off'
run timeout 120 gctrace heap "$TMP/cut" --allow-loss -o json
expect_status 0
valid "$TMP/out"
expect "$TMP/out" '"complete":false.*"missing":\{"no_end":true'
for part in 1 3; do
	head -c $((size * part / 4)) "$TMP/file" >"$TMP/cut"
	counts_alike "$TMP/cut"
	expect_status 3
done
pass

t "where heap dumps may be missing since the file was cut off, that is said"
head -c 3000 "$TMP/file" >"$TMP/short"
for words in "heap $TMP/short" "heap $TMP/short@last" "heap $TMP/short --list" \
	"path $TMP/short@1 --type x" "export $TMP/short --as folded" "diff $TMP/short $TMP/short@2"; do
	# shellcheck disable=SC2086
	run timeout 120 gctrace $words
	expect_status 1
	expect "$TMP/err" 'short: it is cut off after [0-9.]+ s; there may have been more heap dumps$'
	expect "$TMP/err" 'short holds no heap dump'
done
size=$(stat -c %s "$TMP/file")
head -c $((size - 1)) "$TMP/file" >"$TMP/cut"
run timeout 120 gctrace heap "$TMP/cut" --list
expect_status 3
expect "$TMP/err" 'cut: it is cut off after .*; there may have been more heap dumps$'
expect "$TMP/out" 'complete$'
run timeout 120 gctrace heap "$TMP/cut" --list --allow-loss
expect_status 0
run timeout 120 gctrace heap "$TMP/cut@last"
expect "$TMP/err" 'there may have been more heap dumps$'
run timeout 120 gctrace heap "$TMP/cut@1"
expect_not "$TMP/err" 'there may have been more heap dumps'
head -c 1 "$TMP/file" >"$TMP/byte"
run gctrace heap "$TMP/byte"
expect_status 1
expect "$TMP/err" 'cut off in its header, after 1 of [0-9]+ bytes: there is nothing to read$'
pass

t "the limit of memory is an error that says so"
run timeout 120 gctrace heap "$TMP/file" --mem-limit 1M
expect_status 1
expect "$TMP/err" 'raise --mem-limit'
[ ! -s "$TMP/out" ] || fail "something was shown"
# A step below its least room each fails; a drawing of all needs more than the graph did, a page
# more or as much, by how the arrays of that many objects grow.
at=$(gctrace heap "$TMP/file" --objects --type shop.OrderCache -o json |
	jq -r 'select(.event == "object").address' | head -n 1)
while IFS=: read -r what words; do
	low=1024 high=1048576
	while [ $((high - low)) -gt 64 ]; do
		middle=$(((low + high) / 2))
		# shellcheck disable=SC2086
		if timeout 120 gctrace $words --mem-limit ${middle}KiB >"$TMP/out" 2>"$TMP/err"; then
			high=$middle
		else
			low=$middle
		fi
	done
	rm -f "$TMP/page.html"
	# shellcheck disable=SC2086
	run timeout 120 gctrace $words --mem-limit ${low}KiB
	expect_status 1
	expect "$TMP/err" "$what more memory than the limit"
	expect "$TMP/err" 'raise --mem-limit to at least [0-9]+ MiB$'
	[ ! -s "$TMP/out" ] || fail "something was shown: gctrace $words"
done <<EOF
(finding an object|the file) needs:export $TMP/file --as dot --address $at --depth 100 --top 0
(the page|the heap graph) needs:heap $TMP/file --html $TMP/page.html
EOF
[ ! -e "$TMP/page.html" ] || fail "there is a page"
pass

t "wrong usage says what is right"
for words in "heap" "heap --list -p 1" "heap --objects $TMP/file" "path $TMP/file" \
	"path $TMP/file --address zz" "path $TMP/file --merge --address 1" "path --type x" \
	"path $TMP/file --address 1 --largest" "path $TMP/file --type x --merge --largest"; do
	# shellcheck disable=SC2086
	run gctrace $words
	expect_status 2
done
# An option that would change nothing is refused, and the message says what goes together.
while IFS=: read -r words together; do
	# shellcheck disable=SC2086
	run gctrace heap "$TMP/file" $words
	expect_status 2
	expect "$TMP/err" "$together"
	[ ! -s "$TMP/out" ] || fail "$words: something was shown"
done <<-'END'
	--tree --sort count:--sort has no effect with --tree, which goes with --top$
	--tree --by package:--by has no effect with --tree
	--roots --type x:--type has no effect with --roots, which goes with --top$
	--objects --type x --by package:--by has no effect with --objects, which goes with --type
	--list --top 3:--list .*give it without --top$
	--list --sort name:--list .*give it without --sort$
	--dry-run --sort retained:--dry-run .*give it without --sort$
	--tree --age-at-least 1:--age-at-least has no effect with --tree
END
for words in "heap -p 1" "path -p 1 --type x" "export -p 1 --as hprof --output $TMP/none"; do
	# shellcheck disable=SC2086
	run gctrace $words --via jvm --load-agent
	expect_status 2
	expect "$TMP/err" '--load-agent has no effect with --via jvm'
done
run gctrace heap "$TMP/file" --via jvm
expect_status 2
for words in "--tree --roots --top 1" "--objects --type x --tree --top 1 --sort count"; do
	# shellcheck disable=SC2086
	run timeout 120 gctrace heap "$TMP/file" $words
	expect_status 0
done
run timeout 60 gctrace path "$TMP/file" --type 'no.such*'
expect_status 1
expect "$TMP/err" 'no object on this heap'
run timeout 60 gctrace path "$TMP/file" --address 0x10
expect_status 1
pass

t "hostile names, single reports, objects in parts"
for more in "--names hostile" "--report single" "--split-references 3 --collector concurrent"; do
	# shellcheck disable=SC2086
	start_vm vm --objects 3000 $more
	run timeout 120 gctrace heap -p "$(pid vm)" --top 0
	expect_status 0
	! LC_ALL=C grep -aq $'[\x01-\x09\x0b-\x1f\x7f]' "$TMP/out" || fail "$more: control characters"
	run timeout 120 gctrace heap -p "$(pid vm)" --roots -o json
	valid "$TMP/out"
	run timeout 120 gctrace path -p "$(pid vm)" --type '*Order*' -o json
	valid "$TMP/out"
	rm -f "$TMP/odd"
	run timeout 120 gctrace record -p "$(pid vm)" -n 1 --dump --output "$TMP/odd"
	counts_alike "$TMP/odd"
	run timeout 120 gctrace heap -p "$(pid vm)" --histogram --top 0 -o json
	expect_status 0
	cp "$TMP/out" "$TMP/histogram"
	stop vm
	[ "$more" = "--names hostile" ] || is_true vm "$TMP/histogram"
done
pass

t "what is recommended does, whatever a type is called and wherever its objects move"
start_vm vm --leak --objects 3000 --names hostile
run timeout 120 gctrace heap -p "$(pid vm)"
sed -n 's/^ *\(gctrace path .*\)$/\1/p' "$TMP/out" | head -n 1 >"$TMP/command"
expect "$TMP/command" '^gctrace path -p [0-9]+ --type '
run timeout 120 bash "$TMP/command"
expect_status 0
stop vm
pass

t "names of 64 KiB: whole for programs, for people with as much of the middle left out as it says"
start_vm vm --objects 3000 --names hostile
run timeout 120 gctrace record -p "$(pid vm)" -n 80 --moves --dump=200ms --output "$TMP/hostile"
stop vm
for words in "path $TMP/hostile@1 --merge --top 0 --type=*" \
	"diff $TMP/hostile@1 $TMP/hostile@2 --top 0"; do
	# shellcheck disable=SC2086
	run timeout 120 gctrace $words
	expect_status 0
	expect "$TMP/out" 'AAA\.\.\.\(\+6[0-9]{4}\)\.\.\.AAA'
	[ "$(wc -L <"$TMP/out")" -le 250 ] || fail "$words: a line of $(wc -L <"$TMP/out") columns"
	# shellcheck disable=SC2086
	run timeout 120 gctrace $words -o json
	valid "$TMP/out"
	grep -q "$(printf 'A%.0s' {1..4000})" "$TMP/out" || fail "$words: no whole name for programs"
	expect_not "$TMP/out" 'A\.\.\.\('
done
pass

# From here on dumps that take seconds, so that something can happen in their midst.
is_up() { semaphores "$1" | grep -Eq "request__dump[[:space:]]+[1-9]"; }

t "Ctrl-C in the midst of the dump ends it, and what came is shown"
start_vm vm --objects 300000 --dump-pace 100
start heap gctrace heap -p "$(pid vm)"
WAIT=60 wait_for "is_up $(pid vm)" || fail "the request does not go up"
work "$(pid vm)" 0.02
stop heap INT
expect "$TMP/heap.err" 'the heap dump is not whole|no heap dump: '
wait_for "semaphores $(pid vm) >/dev/null" || fail "semaphores are up"
pass

t "a process that is killed in its dump"
start heap gctrace heap -p "$(pid vm)"
WAIT=60 wait_for "is_up $(pid vm)" || fail "the request does not go up"
stop vm KILL
WAIT=60 wait_for "! lib_runs $(pid heap)" || fail "heap goes on without a process"
join heap
expect "$TMP/heap.err" 'the process ended'
[ "$status" = 3 ] || [ "$status" = 1 ] || fail "exit status $status"
pass
