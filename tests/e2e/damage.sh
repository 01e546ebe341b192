#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What is said after damage is true: recordings of real runtimes of which a part is lost, and a
# process whose clock is not ours.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
need_root
need gctrace minivm jq

damage_test=$(unit_test model/damage)
[ -n "$damage_test" ] || skip_all "the unit tests are not built: make units"

holds() {	# FILE
	run "$damage_test" "$1"
	[ $status = 0 ] || { fail "what is left of $1 is not true"; show "$TMP/err"; }
}

for collector in sweep concurrent; do
	t "minivm, $collector: any part of its recording may be missing"
	start vm minivm --seed 3 --rate 100 --objects 3000 --nursery 256k --full-every 4 \
		--collector $collector --report single
	run gctrace record -p "$(pid vm)" -n 25 --moves --output "$TMP/$collector"
	expect_status 0
	stop vm
	holds "$TMP/$collector"
	pass
done

for collector in G1 Parallel Z; do
	t "a JVM, $collector: any part of its recording may be missing"
	if ! command -v javac >"$TMP/javac.out"; then
		skip "no javac"
		continue
	fi
	javac -d "$TMP" "$ROOT/tests/bench/Churn.java" 2>"$TMP/javac.err" || fail "javac"
	if ! java -XX:+Use${collector}GC -version >"$TMP/java.out" 2>&1; then
		skip "this JVM has no ${collector}GC"
		continue
	fi
	start jvm java -XX:+Use${collector}GC -Xmx64m -cp "$TMP" Churn 60
	wait_for grep -qs ready "$TMP/jvm.out" || fail "the JVM did not start"
	run gctrace record -p "$(pid jvm)" -n 30 --output "$TMP/$collector"
	expect_status 0
	stop jvm
	holds "$TMP/$collector"

	# One block damaged on disk: what the tool itself says is told by its exit status, by name.
	cp "$TMP/$collector" "$TMP/damaged"
	printf XXXX | dd of="$TMP/damaged" bs=1 conv=notrunc status=none \
		seek=$(($(stat -c %s "$TMP/damaged") / 2))
	run gctrace -o json "$TMP/damaged"
	expect_status 3
	expect "$TMP/err" "$TMP/damaged: .*damaged or missing"
	pass
done

t "a recording with something behind it is not complete"
cat "$TMP/sweep" "$TMP/sweep" >"$TMP/twice"
(cat "$TMP/sweep"; echo more) >"$TMP/more"
for file in twice more; do
	run gctrace -o json "$TMP/$file"
	expect_status 3
	expect "$TMP/err" "$file: something follows its end"
	expect "$TMP/out" '"event":"summary".*"complete":false'
done
run gctrace "$TMP/sweep"
expect_status 0
pass

t "every command that reads such a file says so, with status 3"
start vm minivm --seed 3 --rate 20 --objects 10000
run gctrace record -p "$(pid vm)" --moves --dump=500ms -d 2s --output "$TMP/dumps"
expect_status 0
run gctrace record -p "$(pid vm)" --moves --dump -n 3 --output "$TMP/dump"
expect_status 0
stop vm
for behind in "cat $TMP/dumps" "echo more" "head -c 100000 /dev/urandom"; do
	for file in dumps dump; do
		(cat "$TMP/$file"; $behind) >"$TMP/$file.more"
	done
	for words in "$TMP/dumps" "-o json $TMP/dumps" "follow $TMP/dumps" "heap $TMP/dump" \
		"heap $TMP/dumps --list" "heap $TMP/dump --histogram" "heap $TMP/dumps@last" \
		"path $TMP/dump --merge --type shop.*" \
		"path $TMP/dumps@last --merge --type shop.*" \
		"diff $TMP/dumps@first $TMP/dumps@last" "diff $TMP/dumps@1 $TMP/dump" \
		"export $TMP/dump --as folded" "export $TMP/dumps@last --as folded"; do
		# shellcheck disable=SC2086
		run timeout 120 gctrace $words
		expect_status 0
		expect_not "$TMP/err" 'something follows its end'
		# shellcheck disable=SC2046
		run timeout 120 gctrace $(sed -E "s:($TMP/dumps?)(@last)?( |\$):\\1.more\\2\\3:g" \
			<<<"$words")
		expect_status 3 || echo "gctrace $words"
		expect "$TMP/err" 'something follows its end'
	done
done
# A dump that is named by its number is whole, whatever comes behind it.
run timeout 120 gctrace heap "$TMP/dumps.more@1"
expect_status 0
pass

t "a clock in a time namespace measures no pause"
if unshare --time --fork --monotonic 1000 true 2>"$TMP/unshare.err"; then
	start vm unshare --time --fork --monotonic 1000 minivm --seed 3 --rate 50
	wait_for 'pgrep -P "$(pid vm)" >"$TMP/child"' || fail "unshare started nothing"
	run gctrace -p "$(cat "$TMP/child")" -n 5 -o json
	expect_equal 5 "$(grep -c '"event":"gc"' "$TMP/out")" collections
	expect_equal 0 "$(jq -c 'select(.event == "gc" and has("pause_ns"))' "$TMP/out" | wc -l)" \
		"pauses measured by a clock that is ahead"
	kill "$(cat "$TMP/child")"
	join vm
	pass
else
	skip "no time namespace: $(head -n 1 "$TMP/unshare.err")"
fi
