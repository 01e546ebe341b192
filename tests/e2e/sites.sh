#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace follow --by on the small VM, live and from recordings: all that is said of sampled
# allocations is the VM's own truth, exactly where every allocation is sampled, and within its
# intervals where few are; what only grows is named with its stack; pprof reads what is written.
# limit: 900
. "$(dirname "$0")/lib.sh"
need_root
need minivm gctrace jq

python=/usr/bin/python3
schema=$ROOT/docs/gctrace.schema.json
: >"$TMP/lines" # all JSON lines that are made below

of() { jq -r "select(.event == \"$1\") | $2" "$TMP/out"; }

# record_vm NAME OPTION…: from its first allocation to its end, with the VM's truth
record_vm() {
	local name=$1
	shift
	start "$name" minivm --follow-samples --await-sampler --rate 0 --objects 3000 \
		--truth "$TMP/$name.truth" --truth-mode delta --truth-every 100000 --truth-sites "$@"
	wait_for 'grep -qs pid "$TMP/'"$name"'.out"' || fail "the VM did not start"
	run timeout 200 gctrace record -p "$(pid "$name")" --samples --output "$TMP/$name.gctrace"
	expect_status 0
	expect "$TMP/out" '^complete: nothing was lost$'
	join "$name"
	minivm --print-truth "$TMP/$name.truth" >"$TMP/$name.txt" || fail "no truth"
	rm "$TMP/$name.truth"
}

follow_file() {	# NAME OPTION…
	local name=$1
	shift
	run timeout 200 gctrace follow "$TMP/$name.gctrace" -o json "$@"
	expect_status 0
	(head -n 20 && tail -n 3) <"$TMP/out" >>"$TMP/lines"
}

compare() {
	timeout 300 "$python" "$ROOT/tests/e2e/sites_truth.py" "$@" >"$TMP/compared" 2>&1 || {
		fail "$1: not the truth"
		show "$TMP/compared"
	}
}

# in_truth FIGURE: of all collections of $collector together, as the VM counted
in_truth() {
	expect_equal "$(sed -n "s|^counts .* ${1%_bytes}=[0-9]*/\([0-9]*\) .*|\1|p" \
		"$TMP/$collector.txt" | paste -sd+ | bc)" \
		"$(of sampled_gc ".$1" | paste -sd+ | bc)" "$1, $collector"
}

for collector in sweep compact concurrent; do
	t "every allocation sampled, $collector: all figures are the truth"
	# So little at once that all of it has room, should the reader be held up.
	record_vm $collector --collector $collector --sample-bytes 0 --collections 60 --full-every 7 \
		--nursery 128k --rate 20
	follow_file $collector --by type --top 0
	cp "$TMP/out" "$TMP/$collector.json"
	compare exact "$TMP/$collector.json" "$TMP/$collector.txt"
	pass
done

t "few are sampled: the truth lies within the intervals"
for name in few others; do
	record_vm $name --deterministic --sample-bytes 8k --collections 80 --full-every 7 \
		--seed ${#name}
	follow_file $name --by type --top 0
	cp "$TMP/out" "$TMP/$name.json"
done
compare covered "$TMP/few.json" "$TMP/few.txt" "$TMP/others.json" "$TMP/others.txt"
# Nothing that is estimated is shown as if it was not.
run timeout 100 gctrace follow "$TMP/few.gctrace" --by type --top 5
expect "$TMP/out" '^ +~[0-9.]+ [KM]iB +[0-9]+ % +~'
expect "$TMP/out" 'one sample for each 8.00 KiB allocated'
expect "$TMP/out" '~ +estimated from samples; ±: half of the 95 % interval'
run timeout 100 gctrace follow "$TMP/sweep.gctrace" --by type --top 5
expect "$TMP/out" '^ +[0-9.]+ [KM]iB +- +[0-9.]+ '
expect "$TMP/out" '\(every allocation\)'
expect "$TMP/out" '^  only grows: none of the types$'
pass

t "sites are merged at any depth, and stay what they were together"
follow_file few --by site --top 0
cp "$TMP/out" "$TMP/whole.json"
all=$(of site .live_samples | paste -sd+ | bc)
many=$(of site 1 | wc -l)
for depth in 1 2 3; do
	follow_file few --by site --top 0 --depth $depth
	expect_equal "$all" "$(of site .live_samples | paste -sd+ | bc)" "samples at depth $depth"
	expect_equal "" "$(of site "select((.stack | length) > $depth) | .stack")" "deeper sites"
	expect_equal "" "$(of site '.stack | tostring' | sort | uniq -d)" "sites told twice"
done
follow_file few --by site --top 0 --depth 1
[ "$(of site 1 | wc -l)" -lt "$many" ] || fail "nothing was merged"
follow_file few --by site --top 3
expect_equal 3 "$(of site 1 | wc -l)" "sites of --top 3"
follow_file few --by site --top 0 --type 'shop.O*'
expect_equal "" "$(of site .type | grep -v '^shop\.O')" "types that do not match"
pass

t "only what is old enough, and object by object"
record_vm dense --sample-bytes 1k --collections 80 --full-every 7 --nursery 512k --rate 20
follow_file dense --by site --top 0
all=$(of site .live_samples | paste -sd+ | bc)
follow_file dense --by site --top 0 --age-at-least 10
old=$(of site .live_samples | paste -sd+ | bc)
[ "$old" -gt 0 ] && [ "$old" -lt "$all" ] || fail "$old of $all survived 10"
expect_equal "" "$(of site 'select(.age_most < 10)')" "sites without an old one"
follow_file dense --by object --top 0 --age-at-least 10
expect_equal "$old" "$(of sampled .sample | sort -u | wc -l)" "samples that survived 10"
expect_equal "" "$(of sampled 'select(.age < 10 or (.stack | length) == 0)')" "others"
pass

t "what each collection did, in sum what has become of all"
follow_file few --by type --top 0 -v
expect_equal "$(of samples .collections)" "$(of sampled_gc .gc | sort -u | wc -l)" "collections"
expect_equal "$(of site .died_bytes | paste -sd+ | bc)" \
	"$(of sampled_gc .died_bytes | paste -sd+ | bc)" "bytes that died"
# What is old where it is made reaches the old generation, and no collection promotes it.
[ "$(of site .promoted_bytes | paste -sd+ | bc)" -gt \
	"$(of sampled_gc .promoted_bytes | paste -sd+ | bc)" ] || fail "large objects are promoted"
for collector in sweep compact concurrent; do
	follow_file $collector --by type --top 1 -v
	[ $collector = sweep ] && in_truth moved_bytes # elsewhere some move twice
	in_truth promoted_bytes
done
run timeout 100 gctrace follow "$TMP/few.gctrace" --by type -v
expect "$TMP/out" '^ +[0-9.]+ gc [0-9]+: moved ~.* ± .*, promoted .*, died ~'
pass

t "folded and pprof hold the same"
for as in folded/live_bytes folded-allocated/allocated_bytes folded-old/old_bytes; do
	run timeout 100 gctrace follow "$TMP/few.gctrace" --by site --as "${as%/*}" \
		--output "$TMP/file.folded"
	expect_status 0
	compare folded "$TMP/whole.json" "$TMP/file.folded" "${as#*/}"
done
run timeout 100 gctrace follow "$TMP/few.gctrace" --by site --as pprof --output "$TMP/file.pprof"
expect_status 0
if command -v go >/dev/null; then
	PPROF_TMPDIR=$TMP HOME=$TMP timeout 120 go tool pprof -raw "$TMP/file.pprof" \
		>"$TMP/raw" 2>"$TMP/pprof.err" || { fail "pprof"; show "$TMP/pprof.err"; }
	compare pprof "$TMP/whole.json" "$TMP/raw"
fi
pass

t "who comes late knows all that lives by the next list"
start late minivm --follow-samples --leak --rate 50 --objects 3000 --sample-bytes 16k
wait_for 'grep -qs pid "$TMP/late.out"' || fail "the VM did not start"
start first gctrace follow -p "$(pid late)" --by site -o json --every 500ms --top 0
wait_for '[ "$(grep -c "\"event\":\"samples\"" "$TMP/first.out")" -ge 3 ]' || fail "no rounds"
start second gctrace follow -p "$(pid late)" --by site -o json --every 500ms --top 0
WAIT=120 wait_for '[ -n "$(jq -r "select(.event == \"samples\" and .collections >= 66).gc" \
	"$TMP/second.out" 2>/dev/null | head -n 1)" ]' || fail "no two lists"
stop second INT
expect_status 0
stop first INT
expect_status 0
cp "$TMP/second.out" "$TMP/out"
tail -n 40 "$TMP/second.out" >>"$TMP/lines"
# More lives than it has seen allocated: what was there before.
[ "$(of samples 'select(.last).live_bytes')" -gt 0 ] || fail "nothing lives"
jq -n '[foreach inputs as $line (0; if $line.event == "samples" then $line.collections else . end;
	select($line.event == "site" and ($line.age_most // 0) > .))] | length' "$TMP/out" \
	>"$TMP/older"
[ "$(cat "$TMP/older")" -gt 0 ] || fail "none is older than what it has seen"
stop late
pass

t "a leak is named with its stack, live; what is hot and short-lived is not"
start leak minivm --follow-samples --leak --leak-rate 3000 --rate 20 --objects 3000 \
	--full-every 50 --sample-bytes 16k
wait_for 'grep -qs pid "$TMP/leak.out"' || fail "the VM did not start"
start follow gctrace follow -p "$(pid leak)" --by site -o json --every 2s --top 0
WAIT=300 wait_for 'grep -q "\"event\":\"finding\"" "$TMP/follow.out"' || fail "no finding"
stop follow INT
expect_status 0
cp "$TMP/follow.out" "$TMP/out"
tail -n 60 "$TMP/out" >>"$TMP/lines"
expect_equal site_grows "$(of finding .kind | sort -u)" "kind of the findings"
# All that leaks is made on behalf of HashMap.put, which the cache's thread is in.
of finding '.stack | join(" ")' | sort -u >"$TMP/stacks"
expect "$TMP/stacks" 'HashMap\.put Thread\.run$'
expect_not "$TMP/stacks" 'Node\.(build|parse)'
expect_not "$TMP/stacks" 'List\.fill'
[ "$(of site 'select(.stack[0] == "Node.build").allocated_bytes' | sort -n | tail -n 1)" -gt \
	100000 ] || fail "Node.build is not hot"
run timeout 60 gctrace follow -p "$(pid leak)" --by site --top 3 -d 3s
expect_status 0
expect "$TMP/out" '^pid [0-9]+ at [0-9.]+, [0-9]+ collections: alive ~'
expect_equal "" "$(awk 'length > 110' "$TMP/out")" "lines that are too long"
# A trace gives root's rights up: the file must be had before, where only root may write.
mkdir -m 700 "$TMP/roots"
run timeout 60 gctrace follow -p "$(pid leak)" --by site -d 2s --as folded \
	--output "$TMP/roots/folded"
expect_status 0
expect "$TMP/roots/folded" 'HashMap\.put'
expect_equal "0:0 600" "$(stat -c '%u:%g %a' "$TMP/roots/folded")" "owner and mode"
expect_equal folded "$(ls -A "$TMP/roots")" "files"
# What cannot be written is said at once.
SECONDS=0
run timeout 60 gctrace follow -p "$(pid leak)" --by site -d 30s --as folded \
	--output "$TMP/nowhere/folded"
expect_status 1
expect "$TMP/err" 'cannot create .*/nowhere/folded'
[ $SECONDS -lt 20 ] || fail "it was said after the trace"
stop leak
pass

t "a trace that fails leaves no file, and the one that was there"
echo mine >"$TMP/roots/folded"
run timeout 60 gctrace follow "$TMP/nowhere.gctrace" --by site --as folded \
	--output "$TMP/roots/folded"
expect_status 1
expect_equal mine "$(cat "$TMP/roots/folded")" "the file that was there"
expect_equal folded "$(ls -A "$TMP/roots")" "files"
pass

t "what cannot be had is said, and what to do"
run gctrace follow --by site "$TMP/few.gctrace" --id 4
expect_status 2
run gctrace follow "$TMP/few.gctrace" --depth 3
expect_status 2
expect "$TMP/err" 'is for --by'
run gctrace follow "$TMP/few.gctrace" --by site --as folded --output "$TMP/few.gctrace"
expect_status 2
expect "$TMP/err" 'few.gctrace cannot be both the recording and what is exported'
run gctrace follow "$TMP/few.gctrace" --by site --as pprof
expect_status 2
expect "$TMP/err" 'into which file'
run gctrace follow "$TMP/few.gctrace" --by site --sample-every 1KiB
expect_status 2
expect "$TMP/err" '--load-agent'
start plain minivm --rate 50 --sample-bytes 4k
wait_for 'grep -qs pid "$TMP/plain.out"' || fail "the VM did not start"
run timeout 60 gctrace follow -p "$(pid plain)" --by site -n 5
expect_status 0
expect "$TMP/err" 'samples without what becomes of them'
run timeout 60 gctrace record -p "$(pid plain)" -n 3 --output "$TMP/bare"
run timeout 60 gctrace follow "$TMP/bare" --by site
expect "$TMP/err" 'record with gctrace record --samples'
stop plain
pass

t "every line is as the schema has it"
timeout 200 "$python" "$ROOT/tests/e2e/schema_check.py" "$schema" "$TMP/lines" >"$TMP/wrong" ||
	{ fail "not by the schema"; show "$TMP/wrong"; }
for event in samples site sampled sampled_gc finding; do
	grep -q "\"event\":\"$event\"" "$TMP/lines" || fail "no line of $event"
done
pass
