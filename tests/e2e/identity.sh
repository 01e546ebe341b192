#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Identity, from the small VM through kernel, ring, recording and decoder: every address of every
# object that the model knows is that of the VM's own truth, after every collection.
# limit: 600
. "$(dirname "$0")/lib.sh"
need_root
need gctrace minivm

truth=$BUILD/tests/proof/identity_truth

# follow "minivm options" COLLECTIONS; what was compared is in $TMP/compared
follow() {
	rm -f "$TMP/truth" "$TMP/recording"
	# shellcheck disable=SC2086
	start vm minivm --quiet --objects 2000 --nursery 128k --rate "${RATE:-100}" $1 \
		--truth "$TMP/truth" --truth-mode delta
	run gctrace record -p "$(pid vm)" -n "$2" --moves --output "$TMP/recording"
	expect_status 0 || show "$TMP/err"
	stop vm
	"$truth" "$TMP/recording" "$TMP/truth" 20 >"$TMP/compared" 2>&1 ||
		{ fail "not what happened"; show "$TMP/compared"; }
	expect "$TMP/compared" "^[1-9][0-9]* collections, [1-9][0-9]* dumps, [1-9][0-9]* addresses"
	expect "$TMP/compared" ' 0 conflicts, .* 0 wrong$'
}

for collector in sweep compact concurrent; do
	for threads in 1 8; do
		t "every address is the truth: $collector, $threads collector threads, batches"
		follow "--collector $collector --gc-threads $threads --full-every 9" 150
		expect "$TMP/compared" ' [1-9][0-9]* deaths, [1-9][0-9]* matched'
		pass
	done
	# Where generations lie goes in batches also where all else is told one by one.
	for threads in 1 8; do
		t "every address is the truth: $collector, $threads collector threads, one by one"
		follow "--collector $collector --gc-threads $threads --full-every 5 \
			--report mixed --lengths both" 100
		expect "$TMP/compared" ' [1-9][0-9]* deaths, [1-9][0-9]* matched'
		# One that ran at the attach or runs at the end has not told what it condemned.
		[ "$collector" = concurrent ] || expect "$TMP/compared" ' 0 withdrawn'
		pass
	done
	t "what is claimed is the truth: $collector, one by one, generations are not told"
	follow "--collector $collector --gc-threads 3 --full-every 5 --report single --lengths both" 60
	expect "$TMP/compared" ' 0 deaths, .* [1-9][0-9]* withdrawn'
	pass
done
