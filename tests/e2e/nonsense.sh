#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Ranges that make no sense, through kernel, ring and recording: each kind is counted, shown once
# with its numbers, and breaks only what it touches. All else stays the small VM's own truth.
# limit: 600
. "$(dirname "$0")/lib.sh"
need_root
need gctrace minivm jq

truth=$BUILD/tests/proof/identity_truth
[ -x "$truth" ] || skip_all "no $truth: make tools"

# tells KIND REPORT: a VM that tells such ranges
tells() {
	start vm minivm --quiet --objects 2000 --nursery 128k --rate 100 --gc-threads 1 \
		--full-every 9 --report "$2" --nonsense "$1" --truth "$TMP/truth" --truth-mode delta
}

# holds KIND WORDS NUMBERS [untouched]: no object lies where such a range is
holds() {
	local report

	t "$1: nothing that is claimed is wrong"
	for report in batch mixed; do
		rm -f "$TMP/truth" "$TMP/recording"
		tells "$1" $report
		run gctrace record -p "$(pid vm)" -n 100 --moves --output "$TMP/recording"
		expect_status 0 || show "$TMP/err"
		stop vm
		"$truth" "$TMP/recording" "$TMP/truth" 20 >"$TMP/compared" 2>&1 ||
			{ fail "$report: not what happened"; show "$TMP/compared"; }
		expect "$TMP/compared" ' [1-9][0-9]* deaths, [1-9][0-9]* matched, 0 conflicts'
		expect "$TMP/compared" ' 0 wrong$'
		[ -z "${4-}" ] || expect "$TMP/compared" ' 0 withdrawn'
	done
	pass

	t "$1: counted, and shown once with its numbers"
	rm -f "$TMP/truth" "$TMP/recording"
	tells "$1" batch
	run gctrace record -p "$(pid vm)" -d 3s --moves --dump=500ms --output "$TMP/recording"
	expect_status 0 || show "$TMP/err"
	stop vm
	run gctrace follow "$TMP/recording" -o json
	jq -c 'select(.event == "summary").identity' "$TMP/out" >"$TMP/identity"
	[ "$(jq .odd_ranges "$TMP/identity")" -gt 0 ] || fail "not counted"
	expect_equal 0 "$(jq .conflicts "$TMP/identity")" conflicts
	expect_equal 0 "$(jq .gone "$TMP/identity")" "objects that are gone"
	run gctrace follow "$TMP/recording"
	expect_status 0
	tr -s ' \n' ' ' <"$TMP/out" >"$TMP/text"
	expect "$TMP/text" " odd [1-9][0-9]* $2; the first: $3"
	expect_equal 1 "$(grep -c 'the first: 0x' "$TMP/out")" "kinds that are shown"
	pass
}

any='0x[0-9a-f]+'
holds empty "ranges of no length" "$any to $any, 0x0 bytes" untouched
holds wrapped "ranges that reach around the end of the addresses" "0xf{14}c0 to $any, 0x80 bytes" \
	untouched
holds overrun "ranges that begin in the heap and end outside" "$any to $any, 0x1000 bytes" \
	untouched
holds contradiction "ranges that overlap another one that goes elsewhere" "$any to $any, $any bytes"
holds intruder "ranges that move onto a living object" "0x1000 to $any, 0x1000 bytes"
