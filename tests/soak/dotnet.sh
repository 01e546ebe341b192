#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# .NET for long: 20,000 collections of each collector against what the program reads, and 500 visits.
# limit: 7200
. "$(dirname "$0")/../e2e/lib.sh"
need_root
need dotnet

t "every address of 20,000 collections of each collector is what the program reads"
TEST_RESULTS= ROUNDS=20000 WAIT=1800 bash "$ROOT/tests/runtimes/dotnet_moves.sh" >"$TMP/log" 2>&1 ||
	{ fail "not what happened"; show "$TMP/log"; }
pass

t "500 visits, and all who are killed"
TEST_RESULTS= VISITS=500 bash "$ROOT/tests/runtimes/dotnet_kills.sh" >"$TMP/log" 2>&1 ||
	{ fail "something is not as it was"; show "$TMP/log"; }
pass
