#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# .NET, with the agent: a heap dump has what the program says is there, and names what holds each
# thing: statics, locals, handles of each kind, the finalizer's queue, tables with weak keys.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/dotnet/lib.sh"
. "$(dirname "$0")/dotnet/checks.bash"
need jq python3 cc
need_root
need_programs

for collector in $(heaps 0 1); do
	graph "gcServer=$collector" DOTNET_gcServer=$collector
done

for setting in $(heaps DOTNET_gcServer=0 DOTNET_gcServer=1 DOTNET_GCName=libclrgc.so); do
	walk $setting $setting
done

# A dump of $TMP/recording has what the program has made.
as_made() {	# [@N]
	local word type count told compared=0
	run gctrace heap "$TMP/recording${1-}" --top 0 -o json
	expect_status 0
	while read -r word type count; do
		[ "$word" = type ] || continue
		told=$(jq -r --arg name "$type" \
			'select(.event == "type" and .name == $name) | .reached_objects' "$TMP/out")
		expect_equal "$count" "$told" "objects of $type"
		compared=$((compared + 1))
	done <"$TMP/truth"
	expect_equal 6 $compared "types compared"
}

for setting in $(heaps DOTNET_gcServer=0 DOTNET_gcServer=1 DOTNET_GCName=libclrgc.so); do
	t "a dump has as many objects of each type as the program made: $setting"
	settings=("$setting")
	program population "$TMP/go" "$TMP/truth" 20000
	dump_of_program
	as_made
	# Free room between objects is not told, and the dump's own coming about takes some.
	read -r _ size free _ < <(grep '^heap' "$TMP/truth")
	told=$(jq -r 'select(.event == "summary") | .reached_bytes' "$TMP/out")
	echo "$setting: $((size - free)) bytes in use by the runtime's account, $told told"
	[ "$told" -gt $(((size - free) * 98 / 100)) ] && [ "$told" -lt $(((size - free) * 102 / 100)) ] ||
		fail "$told bytes told of $((size - free)) in use"
	touch "$TMP/go"
	ended_well program
	settings=()
	pass
done

# Background collections so far.
beside() {
	gctrace "$TMP/recording" -o json 2>/dev/null |
		jq -r 'select(.event == "gc" and .concurrent) | .gc' | wc -l
}

for collector in $(heaps 0 1); do
	t "dumps beside background collections are whole: gcServer=$collector"
	settings=(DOTNET_gcServer=$collector)
	program beside "$TMP/go" "$TMP/truth" 20000
	rm -f "$TMP/recording"
	start record gctrace record -p "$(pid program)" --moves --dump=100ms --output "$TMP/recording"
	wait_for '[ "$(grep -c "heap dump of" "$TMP/record.err")" -ge 5 ] && [ "$(beside)" -ge 5 ]' ||
		fail "no 5 dumps and background collections"
	stop record INT
	expect_status 0
	for dump in 1 2 3 4 5; do as_made @$dump; done
	echo "$(beside) background collections"
	touch "$TMP/go"
	ended_well program
	settings=()
	pass
done
