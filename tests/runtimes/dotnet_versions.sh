#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# .NET 8 and 9, which the SDK does not have but NuGet: programs that bring the runtime along, and are
# attached to as they run. Collections, moves, heap dumps and what holds an object are told of them
# as of the SDK's own runtime.
# parallel: yes
# level: all
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/dotnet/lib.sh"
. "$(dirname "$0")/dotnet/checks.bash"
need dotnet jq python3 cc
need_root
rounds=${ROUNDS:-300}
agent=()
load=(--load-agent)

of_version() {	# VERSION [WHAT-COLLECTIONS-DO-NOT-TELL]
	t ".NET $1 is what runs, and is attached to"
	if ! dotnet_build "$1"; then
		grep -q 'error NU[0-9]' "$TMP/build.out" ||
			{ fail "the programs are not built"; show "$TMP/build.out"; }
		skip "no packages of it: $(grep -m 1 error "$TMP/build.out")"
		return
	fi
	program busy 2 0
	run gctrace -p "$(pid program)" --load-agent -n 3 -d 60s -o json
	expect_status 0
	expect "$TMP/err" "has loaded gctrace's agent"
	expect "$TMP/out" "\"event\":\"header\".*\"runtime\":\".NET\",\"runtime_version\":\"$1\.[0-9]+\""
	expect "$TMP/out" '"event":"summary".*"complete":true'
	stop program KILL
	pass

	untold=${2-} collections ".NET $1: collections are the runtime's own"
	collections ".NET $1: collections are the runtime's own, with --moves" --moves
	addresses ".NET $1, workstation"
	addresses ".NET $1, server" DOTNET_gcServer=1 DOTNET_GCHeapCount=2
	graph ".NET $1"
	[ "$1" = 8.0 ] || walk ".NET $1" # 8 cannot
}

of_version 9.0
of_version 8.0 compacting-untold
