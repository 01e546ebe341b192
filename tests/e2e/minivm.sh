#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The small virtual machine by itself: every collector checks its heap, a seed gives the same truth
# twice, and the process behaves. What it tells through probes is stream.sh's subject.
# parallel: yes
. "$(dirname "$0")/lib.sh"

# A run whose every collection is verified: it aborts when anything is wrong.
verified() {
	run minivm --quiet --rate 0 --verify "$@"
	expect_status 0 || return 1
	[ ! -s "$TMP/err" ] || { fail "minivm $* complained"; show "$TMP/err"; }
}

for collector in sweep compact concurrent; do
	for workers in 1 2 8; do
		t "$collector: the heap is right after each collection, $workers collector threads"
		verified --collector "$collector" --gc-threads "$workers" --threads 3 \
			--collections 150 --objects 20000 --nursery 256k --full-every 7
		pass
	done
done

t "small spaces: promotion at once, large objects, a nursery of 32 KiB"
for collector in sweep compact concurrent; do
	verified --collector "$collector" --nursery 32k --survivor 10 --tenure 1 --large 1k \
		--objects 3000 --collections 300 --full-every 5 --threads 1
done
pass

t "a leak grows in every collector until the heap is full, and that is said"
for collector in sweep compact concurrent; do
	run minivm --quiet --rate 0 --verify --collector "$collector" --leak --leak-rate 10000000 \
		--objects 2000 --heap 8m --nursery 128k --duration 60
	expect_status 1
	expect "$TMP/err" 'the heap is full: .* --heap 8 MiB'
done
pass

# The truth but for its times.
timeless() {
	minivm --print-truth "$1" |
		sed -E 's/ (time|requested|begin|end)=[0-9]+//g'
}

t "deterministic: the same seed gives the same truth, another one does not"
for collector in sweep compact concurrent; do
	for try in 1 2 3; do
		verified --collector "$collector" --deterministic --gc-threads 1 \
			--seed $((try / 3)) --objects 2000 --nursery 64k --collections 60 --leak \
			--truth "$TMP/truth.$try"
		timeless "$TMP/truth.$try" >"$TMP/truth.$try.txt"
	done
	expect "$TMP/truth.1.txt" '^end$'
	cmp -s "$TMP/truth.1.txt" "$TMP/truth.2.txt" || fail "$collector: two runs differ"
	! cmp -s "$TMP/truth.1.txt" "$TMP/truth.3.txt" || fail "$collector: seeds do not matter"
done
pass

# Objects as they are at the end, by id.
last_state() {
	awk '/^object/ { now[$2] = $3 " " $4 " " $5 " " $6 }
	     /^gone/ { delete now[$2] }
	     /^gc-start/ && FULL { fresh = 1 }
	     /^object/ && fresh { delete now; now[$2] = $3 " " $4 " " $5 " " $6; fresh = 0 }
	     END { for (id in now) print id, now[id] }' FULL="$2" "$1" | sort
}

t "truth as changes adds up to truth in full"
for mode in full delta; do
	verified --collector compact --deterministic --gc-threads 1 --objects 2000 --nursery 64k \
		--collections 60 --truth "$TMP/truth" --truth-mode $mode
	minivm --print-truth "$TMP/truth" >"$TMP/$mode.txt"
	last_state "$TMP/$mode.txt" "$([ $mode = full ] && echo 1 || echo 0)" >"$TMP/$mode"
done
[ -s "$TMP/full" ] || fail "there are no objects"
cmp -s "$TMP/full" "$TMP/delta" || fail "they differ: $(diff "$TMP/full" "$TMP/delta" | head -n 3)"
pass

t "it runs until it is stopped, and ends cleanly"
for signal in TERM INT; do
	start vm minivm --truth "$TMP/truth"
	wait_for 'grep -qs "^minivm: pid " "$TMP/vm.out"' || fail "it did not start"
	expect_equal "minivm: pid $(pid vm)" "$(cat "$TMP/vm.out")" "first line"
	stop vm $signal
	expect_status 0
	expect_equal end "$(minivm --print-truth "$TMP/truth" | tail -n 1)" "last record"
done
pass

# Until it waits for signals, they end it as they do any program. Its threads have them blocked.
waits_for_signals() { grep -qsE '^SigBlk:.*4a02$' "/proc/$1/task/"*/status; }

t "it ends also when its last collection is over before the program has begun"
for i in $(seq 30); do
	run timeout 60 minivm --quiet --rate 100000 --collections 1 --objects 5000
	expect_status 0 || break
done
start vm minivm --quiet --rate 100000 --objects 1000000
wait_for 'waits_for_signals "$(pid vm)"' || fail "it did not start"
stop vm
expect_status 0
pass

t "SIGUSR1 asks for a full collection"
start vm minivm --truth "$TMP/truth"
wait_for 'grep -qs "^minivm: pid " "$TMP/vm.out"' || fail "it did not start"
kill -USR1 "$(pid vm)"
wait_for 'minivm --print-truth "$TMP/truth" 2>/dev/null | grep -q "^gc-start .* condemned=7 reason=2"' ||
	fail "there was none"
stop vm
expect_status 0
pass

t "--exec: the same process, anew"
start vm minivm --rate 0 --exec 20 --truth "$TMP/truth"
wait_for '[ "$(grep -cs "^minivm: pid $(pid vm)$" "$TMP/vm.out")" = 2 ]' || fail "it did not"
stop vm
expect_status 0
[ -s "$TMP/truth.exec" ] || fail "the new image wrote no truth"
pass

t "wrong options are refused with status 2"
while read -r words; do
	# shellcheck disable=SC2086
	run minivm $words
	expect_status 2
	expect "$TMP/err" '^minivm: '
done <<-'END'
	--nonsense
	nonsense
	--objects
	--objects many
	--objects -1
	--gc-threads 9
	--gc-threads 0
	--collector=magic
	--verify=yes
	--nursery 1k
	--heap 4q
	--deterministic --threads 2
	--postpone=class:Nonsense
	--postpone=depth:0
	--split-references 0
END
run minivm --help
expect_status 0
expect "$TMP/out" '--gc-threads N'
pass

t "hostile names harm nobody"
verified --names hostile --collections 20 --truth "$TMP/truth"
minivm --print-truth "$TMP/truth" | grep '^class ' | cut -c 1-200 >"$TMP/classes"
expect "$TMP/classes" 'name=.*\\x1b\[31'
expect_equal yes "$(minivm --print-truth "$TMP/truth" | awk '/^class/ && length > 65536 { print "yes"; exit }')" \
	"a name of 64 KiB"
pass
