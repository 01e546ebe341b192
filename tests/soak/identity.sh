#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Identity, for long: millions of random worlds and histories against their oracles, and 10,000
# collections of the small VM of each kind against its truth, and half an hour of following it.
# limit: 7200
. "$(dirname "$0")/../e2e/lib.sh"
need_root
need gctrace minivm jq

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

# The high-water mark is the first dump's, all of it: what comes later finds its memory there.
t "${MINUTES:-30} minutes at 20 collections a second: no growth of memory"
start vm minivm --quiet --objects 20000 --nursery 256k --rate 20 --full-every 20 --collector compact
start follow gctrace follow -p "$(pid vm)" --every 60s -d "${MINUTES:-30}m" -o json
third=$((${MINUTES:-30} * 20))
sleep $third
high_water() { sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' "/proc/$(pid follow)/status"; }
before=$(high_water)
sleep $((third * 2 - 20))
after=$(high_water)
join follow
expect_status 0
[ "$after" -le $((before + 1024)) ] || fail "$before KiB became $after KiB"
expect_equal 0 "$(jq 'select(.event == "summary").identity.conflicts' "$TMP/follow.out")" conflicts
pass
