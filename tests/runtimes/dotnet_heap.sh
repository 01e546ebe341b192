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

for collector in 0 1; do
	graph "gcServer=$collector" DOTNET_gcServer=$collector
done

for setting in DOTNET_gcServer=0 DOTNET_gcServer=1 DOTNET_GCName=libclrgc.so; do
	walk $setting $setting
done

for setting in DOTNET_gcServer=0 DOTNET_gcServer=1 DOTNET_GCName=libclrgc.so; do
	t "a dump has as many objects of each type as the program made: $setting"
	settings=("$setting")
	program population "$TMP/go" "$TMP/truth" 20000
	dump_of_program
	run gctrace heap "$TMP/recording" --top 0 -o json
	expect_status 0
	compared=0
	while read -r word type count; do
		[ "$word" = type ] || continue
		told=$(jq -r --arg name "$type" \
			'select(.event == "type" and .name == $name) | .reached_objects' "$TMP/out")
		expect_equal "$count" "$told" "objects of $type"
		compared=$((compared + 1))
	done <"$TMP/truth"
	expect_equal 6 $compared "types compared"
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
