#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# .NET, with the agent: every address that gctrace works out for an object is the one that the program
# itself reads, over thousands of collections of every kind, and all that it calls dead is dead.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/dotnet/lib.sh"
. "$(dirname "$0")/dotnet/checks.bash"
need jq
need_root
need_programs

rounds=${ROUNDS:-$(at_level all && echo 1000 || echo 300)}

addresses "workstation"
if at_level all; then
	addresses "workstation, not concurrent" DOTNET_gcConcurrent=0
	addresses "server, two heaps" DOTNET_gcServer=1 DOTNET_GCHeapCount=2
	addresses "server, not concurrent" DOTNET_gcServer=1 DOTNET_gcConcurrent=0
	addresses "server that adapts its size" DOTNET_gcServer=1 DOTNET_GCDynamicAdaptationMode=1
	addresses "segments, not regions" DOTNET_GCName=libclrgc.so
fi

# The model knows objects by real heap dumps now, and each further dump agrees with it.
rounds=$((rounds * 4)) # several dumps must fall into them
for collector in $(heaps 0 1); do
	t "objects that heap dumps told are where the program reads them: gcServer=$collector"
	record_addresses --dump=500ms -- DOTNET_gcServer=$collector
	proven dumps
	pass
done

t "objects are known from dump to dump, also where nothing else collects"
program population "$TMP/go" "$TMP/truth" 20000
run gctrace follow -p "$(pid program)" --every 300ms -n 5 -d 60s -o json
expect_status 0
jq -c 'select(.event == "anchor") | [.matched, .gone, .conflicts]' "$TMP/out" >"$TMP/anchors"
cat "$TMP/anchors"
[ "$(wc -l <"$TMP/anchors")" -ge 3 ] || fail "there are fewer dumps than 3"
# The first session leaves some garbage behind, which the next dump still has.
sed 1d "$TMP/anchors" | jq -e 'select(.[0] < 270000 or .[2] > 0)' >"$TMP/odd" &&
	{ fail "a dump does not find what the one before has told"; show "$TMP/odd"; }
# What the agent does not sample is not offered, and not waited for.
run timeout 60 gctrace follow -p "$(pid program)" --by site -d 30s
expect_status 1
expect "$TMP/err" "tells no sampled allocations: gctrace's agent in \.NET does not sample them"
run timeout 60 gctrace probes -p "$(pid program)"
expect "$TMP/out" '^  allocations +no +'
touch "$TMP/go"
ended_well program
pass
