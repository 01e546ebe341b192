#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What `make demo` runs once all is built: every step of it, and what it says of other processes.
. "$(dirname "$0")/lib.sh"
need_root
need minivm gctrace

# Bytes that a terminal may heed, and that are no UTF-8.
hostile=$'minivm\x9b\xff'
cp "$(command -v minivm)" "$TMP/$hostile"
start evil "$TMP/$hostile" --rate 20
wait_for "gctrace probes -p $(pid evil) >/dev/null 2>&1" || fail "the virtual machine did not start"

t "the demo goes through, and shows a heap"
start demo env BUILD="$BUILD" "$ROOT/scripts/demo"
WAIT=120 wait_for 'grep -q "^==== Its collections" "$TMP/demo.out" || ! lib_runs "$(pid demo)"'
start late minivm --rate 20
WAIT=120 wait_for '! lib_runs "$(pid demo)"' || fail "it does not end"
join demo
cp "$TMP/demo.out" "$TMP/out"
cp "$TMP/demo.err" "$TMP/err"
expect_status 0
expect "$TMP/out" '^==== Try next'
expect "$TMP/out" '^  dumps +1: '
expect "$TMP/out" '^Findings$'
lib_runs "$(pid evil)" || fail "it ended a process that is not its own"
pass

t "names of other processes are escaped"
cat "$TMP/out" "$TMP/err" >"$TMP/all"
iconv -f UTF-8 -t UTF-8 "$TMP/all" >/dev/null 2>&1 || fail "what is shown is no UTF-8"
expect_equal "" "$(LC_ALL=C tr -d '\n\t\040-\176\200-\377' <"$TMP/all")" "control characters"
if grep -q -- "-p $(pid evil) " "$TMP/out"; then
	expect "$TMP/out" "-p $(pid evil) +# minivm\\\\x9b\\\\xff\$"
fi
pass

t "a process that came later than the demo is not offered"
expect_not "$TMP/out" "-p $(pid late) "
pass
