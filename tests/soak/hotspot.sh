#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# HotSpot for long: 500 visits of each JVM and all who are killed, 100 of what others have written.
# limit: 7200
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
