#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# CPython, untouched: the collections that gctrace tells are those that gc.callbacks are called for.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
need python3
need_root

HERE=$ROOT/tests/runtimes

# The distribution's interpreter comes first: one of pyenv's and the like may be in front in PATH.
python=
for candidate in /usr/bin/python3 /bin/python3 "$(command -v python3)"; do
	[ -x "$candidate" ] || continue
	grep -q gc__start "$(readlink -f "$candidate")" && python=$candidate && break
done

check() {
	join trace
	[ $status = 0 ] || { fail "gctrace's exit status is $status"; show "$TMP/trace.err"; }
	grep '"event":"header"' "$TMP/trace.out" >"$TMP/header"
	expect "$TMP/header" '"runtime":"CPython"'
	run python3 "$HERE/python_compare.py" "$TMP/trace.out" "$TMP/truth"
	cat "$TMP/out"
	[ $status = 0 ] || { fail "gctrace and gc.callbacks disagree"; show "$TMP/err"; }
}

t "collections, their generations and counts are those of gc.callbacks"
if [ -n "$python" ]; then
	start python "$python" "$HERE/load.py" "$TMP/go" "$TMP/truth"
	wait_for grep -qs ready "$TMP/python.out"
	start trace gctrace -p "$(pid python)" -o json
	wait_for grep -qs '"event":"header"' "$TMP/trace.out" ||
		{ fail "gctrace did not attach"; show "$TMP/trace.err"; }
	touch "$TMP/go"
	join python
	[ $status = 0 ] || { fail "the program's exit status is $status"; show "$TMP/python.err"; }
	check
	pass
else
	skip "no python3 here has probes"
fi

t "an interpreter that a program loads as a library"
library=$(find /usr/lib /usr/lib64 -name 'libpython3*.so*' -type f 2>/dev/null | sort | tail -n 1)
rm -f "$TMP/go" "$TMP/truth"
if [ -z "$library" ] || ! grep -q gc__start "$library"; then
	skip "no libpython3 with probes is installed"
elif ! ${CC:-cc} -o "$TMP/embed" "$HERE/embed.c" -ldl 2>"$TMP/cc.err"; then
	skip "no C compiler: $(head -n 1 "$TMP/cc.err")"
else
	start trace gctrace run -o json -- sh -c 'exec "$@" >"$0"' "$TMP/embed.out" \
		"$TMP/embed" "$library" "$HERE/load.py" "$TMP/go" "$TMP/truth"
	wait_for grep -qs ready "$TMP/embed.out" || { fail "it did not start"; show "$TMP/trace.err"; }
	touch "$TMP/go"
	check
	pass
fi

t "attached in the middle of a collection: its end is shown as partial, the next ones are whole"
if [ -n "$python" ]; then
	cat >"$TMP/long.py" <<-'END'
		import gc
		gc.disable()
		kept = [[i] for i in range(1000000)]
		print("ready", flush=True)
		while True:
		    gc.collect()
	END
	start long "$python" "$TMP/long.py"
	wait_for grep -qs ready "$TMP/long.out"
	# It collects nearly all of the time; only between two collections is there none to be partial.
	for _ in 1 2 3 4 5; do
		run gctrace -p "$(pid long)" -o json -n 3
		expect_status 0
		grep -q '"partial":true' "$TMP/out" && break
	done
	grep '"event":"gc"' "$TMP/out" >"$TMP/gc"
	sed -n 1p "$TMP/gc" >"$TMP/first"
	sed -n '2,$p' "$TMP/gc" >"$TMP/others"
	expect "$TMP/first" '"partial":true'
	expect "$TMP/first" '"dead_objects":'
	expect_not "$TMP/first" '"pause_ns"'
	expect_not "$TMP/first" '"start_ns"'
	expect_not "$TMP/others" '"partial"'
	expect "$TMP/others" '"pause_ns":[1-9].*"generation":2'
	stop long KILL
	pass
else
	skip "no python3 here has probes"
fi

t "attached to while it is busy: nothing that began before is taken for something else"
if [ -n "$python" ]; then
	# Young collections one after the other, some hundred a second, in two threads.
	cat >"$TMP/busy.py" <<-'END'
		import gc, threading
		gc.set_threshold(50, 5, 1000)
		kept = [[i] for i in range(20000)]
		def work():
		    while True:
		        made = [[i] for i in range(500)]
		threading.Thread(target=work, daemon=True).start()
		print("ready", flush=True)
		work()
	END
	start busy "$python" "$TMP/busy.py"
	wait_for grep -qs ready "$TMP/busy.out"
	for attach in 1 2 3 4 5 6 7 8; do
		run gctrace -p "$(pid busy)" -n 2000 -d 60s -o json
		expect_status 0
		tail -n 1 "$TMP/out" >"$TMP/summary.$attach"
	done
	python3 "$HERE/summaries_check.py" "$TMP"/summary.? || fail "figures that cannot be"
	stop busy KILL
	pass
else
	skip "no python3 here has probes"
fi
