#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Ruby, untouched: gctrace sees each collection that GC.stat counts, with its lazy sweeps as pauses
# of it.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
need ruby python3
need_root

HERE=$ROOT/tests/runtimes

has_probes() {	# the process has mapped a file with them
	local file
	while read -r file; do
		grep -qs gc__mark__begin "$file" && return
	done < <(awk '$2 ~ /x/ { print $6 }' "/proc/$1/maps" | sort -u)
	return 1
}

t "collections are those that GC.stat counts, and their sweeps are pauses of them"
start ruby ruby "$HERE/load.rb" "$TMP/go" "$TMP/truth"
wait_for grep -qs ready "$TMP/ruby.out" || { fail "ruby did not start"; show "$TMP/ruby.err"; }
if has_probes "$(pid ruby)"; then
	start trace gctrace -p "$(pid ruby)" -o json
	wait_for grep -qs '"event":"header"' "$TMP/trace.out" ||
		{ fail "gctrace did not attach"; show "$TMP/trace.err"; }
	touch "$TMP/go"
	join ruby
	[ $status = 0 ] || { fail "ruby's exit status is $status"; show "$TMP/ruby.err"; }
	join trace
	[ $status = 0 ] || { fail "gctrace's exit status is $status"; show "$TMP/trace.err"; }
	head -n 1 "$TMP/trace.out" >"$TMP/header"
	expect "$TMP/header" '"runtime":"Ruby"'
	run python3 "$HERE/ruby_compare.py" "$TMP/trace.out" "$TMP/truth"
	cat "$TMP/out"
	[ $status = 0 ] || { fail "gctrace and GC.stat disagree"; show "$TMP/truth" "$TMP/err"; }
	pass
else
	skip "this build of ruby has no probes"
fi

t "attached to while it is busy: nothing that began before is taken for something else"
start busy ruby -e 'a = []; loop { 2000.times { a << "x" * 40 }; a = [] if a.size > 100_000 }'
wait_for "[ \"\$(cut -d' ' -f14 /proc/$(pid busy)/stat)\" -gt 20 ]"
if has_probes "$(pid busy)"; then
	for attach in 1 2 3 4 5 6 7 8; do
		run gctrace -p "$(pid busy)" -n 20 -d 60s -o json
		expect_status 0
		tail -n 1 "$TMP/out" >"$TMP/summary.$attach"
	done
	python3 "$ROOT/tests/runtimes/summaries_check.py" "$TMP"/summary.? || fail "figures that cannot be"
	pass
else
	skip "this build of ruby has no probes"
fi
