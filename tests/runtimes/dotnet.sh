#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# .NET, with the agent: the collections, their generations, causes and pauses that gctrace tells are
# those that the runtime counts itself, under each kind of collector that it has.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/dotnet/lib.sh"
. "$(dirname "$0")/dotnet/checks.bash"
need jq python3
need_root
need_programs

t "by default no causes are promised, and there is no column of them"
program together "$TMP/go" "$TMP/truth" 100
trace trace -p "$(pid program)"
touch "$TMP/go"
ended_well program
ended_well trace
expect "$TMP/trace.out" '^# known: collections and pauses, pools before and after$'
expect "$TMP/trace.out" '^# on request: causes, what moved, survived and died \(--moves\)$'
grep -m 1 '^ *time s' "$TMP/trace.out" >"$TMP/titles" || fail "there are no titles"
expect_not "$TMP/titles" cause
pass

workstation=DOTNET_gcServer=0
server='DOTNET_gcServer=1 DOTNET_GCgen0size=800000'
for options in "" --moves; do
	what="collections are the runtime's own${options:+, with $options}"
	collections "workstation: $what" $options
	at_level all || continue
	collections "workstation, not concurrent: $what" $options -- $workstation DOTNET_gcConcurrent=0
	collections "server: $what" $options -- "$server" DOTNET_GCHeapCount=2
	collections "server, not concurrent: $what" $options -- "$server" DOTNET_gcConcurrent=0
	collections "server that adapts its size: $what" $options -- "$server" \
		DOTNET_GCDynamicAdaptationMode=1
	collections "segments, not regions: $what" $options -- $workstation DOTNET_GCName=libclrgc.so
done

what="young and background collections in one stop, each with its own pause"
for options in "" --moves; do
	for kind in "" DOTNET_GCName=libclrgc.so; do
		together "${kind:-regions}: $what${options:+, with $options}" $options -- \
			DOTNET_GCgen0size=200000 $kind
	done
done
