#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# .NET, with the agent: every address that gctrace works out for an object is the one that the program
# itself reads, over thousands of collections of every kind, and all that it calls dead is dead.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/dotnet/lib.sh"
need_root
need_programs

rounds=${ROUNDS:-1000}
number='[1-9][0-9]*'

# record_addresses OPTION… -- SETTING…: of gctrace record and of .NET; into $TMP/recording, $TMP/truth
record_addresses() {
	local options=()
	while [ "$1" != -- ]; do options+=("$1"); shift; done
	settings=("${@:2}")
	rm -f "$TMP/recording" "$TMP/truth"
	program addresses "$TMP/go" "$TMP/truth" "$rounds"
	if trace record record -p "$(pid program)" --moves --output "$TMP/recording" \
		${options[@]+"${options[@]}"}; then
		touch "$TMP/go"
		wait_for grep -qs readings "$TMP/program.out" || fail "the program did not finish"
		stop record INT
		expect_status 0
		rm "$TMP/go"
		ended_well program
	fi
	cat "$TMP/program.out"
	settings=()
}

proven() {	# ARGUMENT…: of address_truth, behind recording and truth
	run "$BUILD/tests/proof/address_truth" "$TMP/recording" "$TMP/truth" "$@"
	cat "$TMP/out"
	[ $status = 0 ] || fail "not what happened"
	expect "$TMP/out" "^$number looks: $number collections, $number dumps, $number addresses, $number deaths, $number matched, 0 conflicts, .* 0 wrong\$"
	expect_not "$TMP/out" 'something was lost'
}

addresses() {	# NAME-OF-COLLECTOR SETTING…
	t "every address is what the program reads: $1"
	record_addresses -- "${@:2}"
	proven
	pass
}

addresses "workstation"
addresses "workstation, not concurrent" DOTNET_gcConcurrent=0
addresses "server, two heaps" DOTNET_gcServer=1 DOTNET_GCHeapCount=2
addresses "server, not concurrent" DOTNET_gcServer=1 DOTNET_gcConcurrent=0
addresses "server that adapts its size" DOTNET_gcServer=1 DOTNET_GCDynamicAdaptationMode=1
addresses "segments, not regions" DOTNET_GCName=libclrgc.so

# The model knows objects by real heap dumps now, and each further dump agrees with it.
rounds=$((rounds * 4)) # several dumps must fall into them
for collector in 0 1; do
	t "objects that heap dumps told are where the program reads them: gcServer=$collector"
	record_addresses --dump=500ms -- DOTNET_gcServer=$collector
	proven dumps
	pass
done
