#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A gctrace that is stopped for a minute, under load: the target runs on at its own pace, and what
# the rings had no room for is counted.
# limit: 300
. "$(dirname "$0")/../e2e/lib.sh"
need_root
need jq

# In their order by number: collections that lack their end are told last.
numbers() { jq -r 'select(.event == "gc") | .gc' "$1" | sort -n; }
summary() { jq -r "select(.event == \"summary\") | $2" "$1" | tail -n 1; }

for load in "" --moves; do
	t "SIGSTOP for a minute${load:+ with $load}"
	start vm minivm --rate 100 --quiet
	wait_for "semaphores $(pid vm) >/dev/null 2>&1"
	# shellcheck disable=SC2086
	start trace gctrace -p "$(pid vm)" -o json $load
	wait_for 'grep -q "\"event\":\"gc\"" "$TMP/trace.out"'
	sleep 1
	kill -STOP "$(pid trace)"
	first=$(numbers "$TMP/trace.out" | tail -n 1)
	sleep 60
	kill -CONT "$(pid trace)"
	sleep 2
	stop trace INT
	last=$(numbers "$TMP/trace.out" | tail -n 1)
	[ $((last - first)) -ge 3000 ] || fail "the target made only $((last - first)) collections meanwhile"
	expect_equal "" "$(numbers "$TMP/trace.out" | uniq -d)" "collections told twice"
	if [ "$(summary "$TMP/trace.out" .complete)" = true ]; then
		expect_status 0
		expect_equal "$(seq "$(numbers "$TMP/trace.out" | head -n 1)" "$last" | xargs)" \
			"$(numbers "$TMP/trace.out" | xargs)" "collections"
	else
		expect_status 3
		[ "$(summary "$TMP/trace.out" '[.lost[]] | add')" -gt 0 ] || fail "no loss was counted"
	fi
	wait_for "semaphores $(pid vm) >$TMP/up 2>&1" || { fail "a semaphore stayed up"; show "$TMP/up"; }
	stop vm
	expect_status 0
	pass
done
