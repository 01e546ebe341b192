#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace run of a script that starts a program 3,000 times (CHILDREN), one after the other: nothing
# of their ordinary ends counts as lost, and what stays of each image are its names and facts.
# limit: 3600
. "$(dirname "$0")/../e2e/lib.sh"
need_root
need jq

children=${CHILDREN:-3000}
rss() { sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$(pid trace)/status"; }
descriptors() { find "/proc/$(pid trace)/fd" -type l | wc -l; }
summaries() { grep -c '"event":"summary"' "$TMP/trace"; }

t "$children children one after the other: none counts as a loss, and memory stays within bounds"
: >"$TMP/trace"
start trace gctrace run -o json --output "$TMP/trace" -- sh -c '
	i=0
	while [ $i -lt '"$children"' ]; do
		minivm --collections 1 --quiet --objects 100 --heap 4m || exit 9
		i=$((i + 1))
	done'
first=$((children / 10)) last=$((children - children / 20))
WAIT=1200 wait_for '[ "$(summaries)" -ge $first ]' || fail "no summaries while it runs"
few=$(rss) open=$(descriptors)
WAIT=1800 wait_for '[ "$(summaries)" -ge $last ]' || fail "no summaries while it runs"
many=$(rss) left=$(descriptors)
join trace
expect_status 0
expect_equal $((children + 1)) "$(summaries)" "summaries"
expect_equal true "$(jq -r 'select(.event == "summary") | .complete' "$TMP/trace" | sort -u | xargs)" "complete"
echo "from $first to $last images: $few to $many KiB, $open to $left descriptors"
# 4 KiB an image, and what an allocator may keep of what is given back.
[ $((many - few)) -lt $((4 * (last - first) + 1024)) ] || fail "$((many - few)) KiB more"
# Of those that have just ended the reaper may still hold some.
[ "$left" -lt $((open + 60)) ] || fail "$((left - open)) descriptors more"
pass
