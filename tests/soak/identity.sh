#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Identity, for long: millions of random worlds and histories against their oracles, and 10,000
# collections of the small VM of each kind against its truth.
# limit: 7200
. "$(dirname "$0")/../e2e/lib.sh"
need_root
need gctrace minivm

t "random ranges and histories agree with their oracles"
units=$BUILD/tests/unit/model
make -C "$ROOT" BUILD="$BUILD" "$units/relocation_property_test" "$units/identity_property_test" \
	>"$TMP/log" 2>&1 || { fail "the tests cannot be built"; show "$TMP/log"; }
for test in relocation identity; do
	SEEDS=${SEEDS:-2000000} "$units/${test}_property_test" >"$TMP/log" 2>&1 ||
		{ fail "$test"; show "$TMP/log"; }
done
pass

make -C "$ROOT" BUILD="$BUILD" tools >"$TMP/log" 2>&1
for collector in sweep compact concurrent; do
	for options in "--gc-threads 1" "--gc-threads 8" "--gc-threads 1 --report mixed" \
		"--gc-threads 8 --report mixed --lengths both"; do
		t "10,000 collections are the truth: $collector $options"
		# shellcheck disable=SC2086
		start vm minivm --quiet --objects 1500 --nursery 64k --rate 200 --full-every 9 \
			--collector "$collector" $options --truth "$TMP/truth" --truth-mode delta
		run gctrace record -p "$(pid vm)" -n 10000 --moves --output "$TMP/recording"
		expect_status 0 || show "$TMP/err"
		stop vm
		"$BUILD/tests/proof/identity_truth" "$TMP/recording" "$TMP/truth" 50 >"$TMP/log" 2>&1 ||
			{ fail "not what happened"; show "$TMP/log"; }
		expect "$TMP/log" ' 0 conflicts, .* 0 wrong$'
		rm -f "$TMP/truth" "$TMP/recording"
		pass
	done
done
