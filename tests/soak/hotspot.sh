#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# HotSpot for long: 500 visits of each JVM and all who are killed, 100 of what others have written.
# limit: 21600
. "$(dirname "$0")/../e2e/lib.sh"
need_root
need java

t "500 visits, and all who are killed"
TEST_RESULTS= VISITS=500 bash "$ROOT/tests/runtimes/hotspot_kills.sh" >"$TMP/log" 2>&1 ||
	{ fail "something is not as it was"; show "$TMP/log"; }
grep 'KiB after' "$TMP/log"
pass

t "100 visits of Maven as it builds, and of Tomcat under load"
TEST_RESULTS= VISITS=100 bash "$ROOT/tests/runtimes/hotspot_apps.sh" >"$TMP/log" 2>&1 ||
	{ fail "somebody has noticed"; show "$TMP/log"; }
grep -E ' (visits|dumps in)' "$TMP/log"
pass

t "1,000 young collections of each collector of each JVM, each move of them"
TEST_RESULTS= COLLECTIONS=1000 bash "$ROOT/tests/runtimes/hotspot_moves.sh" >"$TMP/log" 2>&1 ||
	{ fail "a move was told wrong"; show "$TMP/log"; }
grep -E ' exact of ' "$TMP/log"
pass

t "the line that leaks, with each collector of each JVM"
TEST_RESULTS= SITES_COLLECTORS="G1 Parallel Serial Z Shenandoah" \
	bash "$ROOT/tests/runtimes/hotspot_sites.sh" >"$TMP/log" 2>&1 ||
	{ fail "it is not named, or others are"; show "$TMP/log"; }
pass
