#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace follow --by site on HotSpot, of each version and with each collector that is here: the line
# that leaks is named, and those that allocate far more and keep nothing are not; nor, once the old
# generation was collected, a cache that is replaced all the time. By default with G1 and ZGC;
# SITES_COLLECTORS names others, as `make soak` does. Of generational ZGC only what was allocated is
# known: it is near the truth, nothing is said to live, and no more major collections come of it.
# limit: 2700
. "$(dirname "$0")/../e2e/lib.sh"
need_root
need gctrace jq
. "$ROOT/tests/runtimes/hotspot/lib.sh"
need_java

python=/usr/bin/python3
schema=$ROOT/docs/gctrace.schema.json

# The last round that is whole, of what gctrace has said so far.
last_round() {
	jq -c 'select(.event == "samples" or .event == "site" or .event == "finding")' \
		"$TMP/follow.out" 2>/dev/null |
		awk '/"event":"samples"/ { before = now; now = "" } { now = now $0 "\n" }
			END { printf "%s", before }'
}

# The innermost frames of the stacks that this round says only grow.
grows() { jq -r 'select(.event == "finding").stack[0]' "$TMP/round" | sort -u; }

is_named() { grows | grep -q '^Leaky\.remember('; }
is_looked_at() {
	jq -e 'select(.event == "finding" and (.stack[0] | startswith("Leaky.remember("))) |
		.unlooked | not' "$TMP/round" >/dev/null
}

# All of it is seen in one round: a site may stand still for a while.
names_it() { last_round >"$TMP/round" && is_named; }
names_it_alone() {
	last_round >"$TMP/round" && is_named && is_looked_at && ! grows | grep -q '^Leaky\.cache('
}

# What is hot and dies at once.
hot_ones_are_not_named() {
	grows >"$TMP/named"
	expect_not "$TMP/named" 'Leaky\.parse|java\.lang\.String|java\.util\.Array'
}

leak_is_named() {
	WAIT=400 wait_for names_it || { fail "the leak is not named"; return; }
	hot_ones_are_not_named
}

# By now many of the cache's are garbage in the old generation, and nobody has looked.
old_ones_are_collected() {
	run timeout 120 "$1/bin/jcmd" "$(pid program)" GC.run
	WAIT=400 wait_for names_it_alone || { fail "what died is still named"; show "$TMP/round"; }
	hot_ones_are_not_named
	expect "$TMP/named" '^Leaky\.remember\(Leaky\.java:[0-9]+\)$'
}

# What a site is said to have allocated and kept makes sense beside the others.
figures_make_sense() {
	jq -c 'select(.event == "site" and (.stack[0] | startswith("Leaky.remember(")))' \
		"$TMP/round" >"$TMP/remember"
	jq -c 'select(.event == "site" and (.stack[0] | startswith("Leaky.parse(")))' \
		"$TMP/round" >"$TMP/parse"
	jq -es '(map(.allocated_bytes) | add) > 20 * ('"$(jq -s 'map(.allocated_bytes) | add' \
		"$TMP/remember")"')' "$TMP/parse" >/dev/null || fail "Leaky.parse is not the hot one"
	jq -es 'all(.estimated.live_bytes[0] <= .live_bytes and .live_bytes <= .estimated.live_bytes[1])
		and (map(.age_most) | max) >= 4' "$TMP/remember" >/dev/null ||
		{ fail "figures of the leak"; show "$TMP/remember"; }
}

# In no round, of no site; once a collection said how large the heap is.
nothing_is_above_the_heap_in_use() {
	jq -cn 'reduce inputs as $line ({most: null, rounds: 0, wrong: []};
		if $line.event == "samples" then .most = $line.most_live_bytes else . end |
		if $line.event == "samples" and .most then .rounds += 1 else . end |
		if $line.contradicted or (.most != null and ($line.event | IN("samples", "site")) and
			([$line.live_bytes, $line.old_bytes // 0, $line.estimated.live_bytes[1]?,
				$line.estimated.old_bytes[1]?] | max) > .most)
		then .wrong += [$line] else . end)' "$TMP/follow.out" >"$TMP/limit"
	echo "# rounds with the heap in use: $(jq .rounds "$TMP/limit")"
	jq -e '.rounds > 0 and .wrong == []' "$TMP/limit" >/dev/null ||
		{ fail "more lives than fits into the heap"; show "$TMP/limit"; }
}

test_with() {	# JVM OPTION…
	local jvm=$1
	shift
	t "$(version_of "$jvm") ${*:-by default}: the leak is named, and what is hot is not"
	start program "$jvm/bin/java" -Xmx768m "$@" -cp "$TMP/classes" Leaky
	wait_for grep -qs ready "$TMP/program.out" || fail "the program did not start"
	start follow gctrace follow -p "$(pid program)" --load-agent --by site -o json --every 2s \
		--top 0
	leak_is_named
	old_ones_are_collected "$jvm"
	figures_make_sense
	stop follow INT
	expect_status 0
	nothing_is_above_the_heap_in_use
	tail -n 50 "$TMP/follow.out" >"$TMP/lines"
	timeout 200 "$python" "$ROOT/tests/e2e/schema_check.py" "$schema" "$TMP/lines" \
		>"$TMP/wrong" || show "$TMP/wrong"
	[ ! -s "$TMP/wrong" ] || fail "not by the schema"
	run timeout 60 semaphores "$(pid program)"
	expect_status 0
	kill -KILL "$(pid program)"
	join program
	expect_equal ready "$(cat "$TMP/program.out")" "what the program has said"
	pass
}

# A fixed amount of work; it has said how much each place has allocated.
works() {	# JVM
	start program "$1/bin/java" -Xmx512m -XX:+UseZGC "-Xlog:gc:file=$TMP/gc.log" \
		-cp "$TMP/classes" Calibration steady 4 160000000 "$TMP/go" 2000
	wait_for grep -qs ready "$TMP/program.out" || fail "the program did not start"
}

majors() { grep -c 'Major Collection.*->' "$TMP/gc.log"; }

unfollowed() {	# JVM
	local before
	t "$(version_of "$1") ZGC with generations: what was allocated, and nothing of what lives"
	works "$1"
	touch "$TMP/go"
	WAIT=400 wait_for grep -qs done "$TMP/program.out" || fail "the program does not end"
	before=$(majors)
	kill -KILL "$(pid program)"
	join program
	rm "$TMP/go"
	works "$1"
	start follow gctrace follow -p "$(pid program)" --load-agent --by site -o json --every 1s \
		--top 0 -v
	wait_for "grep -qs gctrace-sample /proc/$(pid program)/task/*/comm" || fail "no samples"
	start people gctrace follow -p "$(pid program)" --by site --every 1s --as folded \
		--output "$TMP/folded"
	wait_for grep -qs known "$TMP/people.out" || fail "it does not follow"
	touch "$TMP/go"
	WAIT=400 wait_for grep -qs done "$TMP/program.out" || fail "the program does not end"
	stop follow INT
	expect_status 0
	echo "# major collections: $before without gctrace, $(majors) with it"
	[ "$(majors)" -le $((2 * before + 3)) ] ||
		fail "$(majors) major collections, and $before without gctrace"
	expect_not "$TMP/follow.out" '"(live|died|old|promoted|aged|alive)_|"age'
	expect_not "$TMP/follow.out" '"event":"(finding|sampled)'
	expect "$TMP/follow.out" '"known":\[[^]]*"allocations"'
	last_round >"$TMP/round"
	jq -es 'map(select(.event == "samples"))[0] | .not_followed | length > 0' "$TMP/round" \
		>/dev/null || fail "the last round does not say why"
	awk '$1 == "place" { sum += $3 } END { print sum }' "$TMP/program.out" >"$TMP/truth"
	jq -s 'map(select(.event == "site" and any(.stack[]; startswith("Calibration.make("))) |
		.allocated_bytes) | add' "$TMP/round" >"$TMP/estimate"
	echo "# allocated: $(cat "$TMP/truth") bytes, by samples $(cat "$TMP/estimate")"
	awk -v x="$(cat "$TMP/estimate")" -v y="$(cat "$TMP/truth")" \
		'BEGIN { exit !(x > 0.75 * y && x < 1.25 * y) }' || fail "the estimate"
	tail -n 50 "$TMP/follow.out" >"$TMP/lines"
	timeout 200 "$python" "$ROOT/tests/e2e/schema_check.py" "$schema" "$TMP/lines" \
		>"$TMP/wrong" || show "$TMP/wrong"
	[ ! -s "$TMP/wrong" ] || fail "not by the schema"
	stop people INT
	expect_status 1
	expect "$TMP/people.out" 'what was allocated, by samples, not'
	expect "$TMP/people.out" 'what lives, and how old it is, is not known: its collector'
	expect_not "$TMP/people.out" 'bytes alive|only grows|oldest'
	expect "$TMP/people.err" 'is not written: what lives in pid [0-9]+ is not known'
	[ ! -e "$TMP/folded" ] || fail "it is written"
	kill -KILL "$(pid program)"
	join program
	rm "$TMP/go"
	pass
}

# ZGC has generations from Java 24 on, and by choice from 21 on.
follows() {	# JVM COLLECTOR
	local major
	major=$(version_of "$1")
	[ "$2" != Z ] || [ "${major%%.*}" -lt 24 ]
}

while read -r jvm; do
	for collector in $(collectors ${SITES_COLLECTORS:-G1 Z}); do
		has "$jvm" "-XX:+Use${collector}GC" || continue
		follows "$jvm" "$collector" || { unfollowed "$jvm"; continue; }
		case $collector in
		G1 | Parallel | Serial) test_with "$jvm" "-XX:+Use${collector}GC" -Xmn48m ;;
		*) test_with "$jvm" "-XX:+Use${collector}GC" ;;
		esac
	done
done < <(jvms)
