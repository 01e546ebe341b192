#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# .NET, with the agent: the collections, their generations, causes and pauses that gctrace tells are
# those that the runtime counts itself, under each kind of collector that it has.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/dotnet/lib.sh"
need jq python3
need_root
need_programs

compare() { python3 "$ROOT/tests/runtimes/dotnet_compare.py" "$@"; }

check() {
	ended_well program
	ended_well trace
	run compare "$TMP/trace.out" "$TMP/truth"
	cat "$TMP/out"
	[ $status = 0 ] || { fail "gctrace and the runtime disagree"; show "$TMP/err"; }
}

# collections TITLE OPTION… [-- SETTING…]: with these options of gctrace and settings of .NET
collections() {
	local title=$1 options=()
	shift
	while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
	# shellcheck disable=SC2206
	settings=(${*:2})
	t "$title"
	program collections "$TMP/go" "$TMP/truth" 2000
	if trace trace -p "$(pid program)" -o json ${options[@]+"${options[@]}"}; then
		touch "$TMP/go"
		check
	fi
	settings=()
	pass
}

workstation=DOTNET_gcServer=0
server='DOTNET_gcServer=1 DOTNET_GCgen0size=800000'
for options in "" --moves; do
	what="collections are the runtime's own${options:+, with $options}"
	collections "workstation: $what" $options
	collections "workstation, not concurrent: $what" $options -- $workstation DOTNET_gcConcurrent=0
	collections "server: $what" $options -- "$server" DOTNET_GCHeapCount=2
	collections "server, not concurrent: $what" $options -- "$server" DOTNET_gcConcurrent=0
	collections "server that adapts its size: $what" $options -- "$server" \
		DOTNET_GCDynamicAdaptationMode=1
	collections "segments, not regions: $what" $options -- $workstation DOTNET_GCName=libclrgc.so
done
