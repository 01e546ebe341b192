#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Beside dotnet-trace, the runtime's own tool: neither takes the names of types from the other's heap
# snapshots, though the runtime tells each type once as long as anybody listens.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/dotnet/lib.sh"
need dotnet jq python3
need_root
need_programs

tools=$BUILD/tests/dotnet/tools
[ -x "$tools/dotnet-trace" ] ||
	timeout 200 dotnet tool install dotnet-trace --tool-path "$tools" >"$TMP/tool.out" 2>&1 ||
	skip_all "dotnet-trace cannot be had from NuGet: $(grep -m 1 . "$TMP/tool.out")"

heap_and_types=Microsoft-Windows-DotNETRuntime:0x1980001:5

# Its line is in $TMP/out: N objects of N types, N unnamed.
snapshot() {
	run "$tools/dotnet-trace" collect -p "$(pid program)" --providers $heap_and_types \
		--duration 00:00:01 --output "$TMP/snapshot.nettrace"
	expect_status 0
	run python3 "$ROOT/tests/runtimes/dotnet_nettrace.py" "$TMP/snapshot.nettrace"
	expect_status 0
	cat "$TMP/out"
}

snapshot_is_named() {
	snapshot
	expect "$TMP/out" '^[1-9][0-9]{5} objects of [1-9][0-9]+ types, 0 unnamed$'
}

program population "$TMP/go" "$TMP/truth" 20000

t "two snapshots beside a gctrace that streams have every type's name"
trace trace -p "$(pid program)" -o json
snapshot_is_named
snapshot_is_named
stop trace INT
expect_status 0
collections=$(jq -r 'select(.event == "gc") | .gc' "$TMP/trace.out" | wc -l)
[ "$collections" -ge 2 ] || fail "gctrace has seen $collections collections, not those of the snapshots"
pass

t "after a heap dump of gctrace's, and after another"
for _ in 1 2; do
	run gctrace heap -p "$(pid program)"
	expect_status 0
	snapshot_is_named
done
pass

t "while gctrace's own session is open they lack them, and no longer"
trace trace -p "$(pid program)" --moves -o json
expect "$TMP/trace.err" 'a heap snapshot by another tool'
snapshot
snapshot
expect "$TMP/out" 'types, [1-9][0-9]* unnamed$'
stop trace INT
wait_for 'semaphores "$(pid program)" >/dev/null'
snapshot_is_named
pass

t "a heap dump while dotnet-trace has a session of its own open has every type's name"
start other "$tools/dotnet-trace" collect -p "$(pid program)" --providers $heap_and_types \
	--output "$TMP/other.nettrace"
wait_for '[ "$(stat -c %s "$TMP/other.nettrace" 2>/dev/null || echo 0)" -gt 1000000 ]' ||
	{ fail "dotnet-trace gets no snapshot"; show "$TMP/other.out" "$TMP/other.err"; }
run gctrace heap -p "$(pid program)" --top 0 -o json
expect_status 0
expect_whole "$TMP/out" # it would miss classes
expect_equal "[]" "$(jq -cs '[.[] | select(.event == "type" and (.name | not))]' "$TMP/out")" "without a name"
stop other
pass
