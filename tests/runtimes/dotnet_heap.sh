#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# .NET, with the agent: a heap dump has what the program says is there, and names what holds each
# thing: statics, locals, handles of each kind, the finalizer's queue, tables with weak keys.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/dotnet/lib.sh"
need jq
need_root
need_programs

# A type of dotnet/Graph.cs, and the path to an object of it.
paths() {
	cat <<-'END'
	InStatic         static Programs\.Graph\.inStatic \(Programs\.InStatic\)
	InDictionary     static Programs\.Graph\.byName \(.*Dictionary<System\.String, Programs\.InDictionary>\) → \._entries\[0\]\.value
	InThreadStatic   thread statics.* \(Programs\.InThreadStatic\)
	InLocal          Programs\.Graph\.HoldLocal, local \(Programs\.InLocal\)
	InCaptured       static Programs\.Graph\.captured \(System\.Func<System\.Object>\) → \._target \(Programs\.Graph\+<>c__DisplayClass[0-9_]*\) → \.o
	InNormalHandle   handle 0x[0-9a-f]+ \(Programs\.InNormalHandle\)
	InPinnedHandle   pinned handle 0x[0-9a-f]+ \(Programs\.InPinnedHandle\)
	InWeakHandle     static Programs\.Graph\.list .* → \._items\[1\]
	InDependentHandle static Programs\.Graph\.dependentKey \(System\.Object\) → .*\(Programs\.InDependentHandle\)
	InWeakTable      static Programs\.Graph\.key \(System\.Object\) → .*\(Programs\.InWeakTable\)
	InSparse         static Programs\.Graph\.sparse \(Programs\.Sparse\) → \.Held
	InBase           static Programs\.Graph\.derived \(Programs\.Derived\) → \.HeldByBase
	InDerived        static Programs\.Graph\.derived \(Programs\.Derived\) → \.HeldByDerived
	InGeneric        static Programs\.Graph\.box \(Programs\.Box<System\.String, Programs\.InGeneric>\+Lid\) → \.Under
	InNested         static Programs\.Graph\.nested \(Programs\.Outer\+Middle\+Inner\) → \.Held
	InArray          static Programs\.Graph\.array\[3\]
	InMatrix         static Programs\.Graph\.matrix\[6\]
	InJagged         static Programs\.Graph\.jagged\[1\]\[4\]
	InStructArray    static Programs\.Graph\.pairs\[7\]\.Held
	InStructField    static Programs\.Graph\.hasStruct \(Programs\.HasStruct\) → \.Middle
	InAsync          static Programs\.Graph\.task \(.*AsyncStateMachineBox<Programs\.Graph\+<WaitForEver>d__[0-9]+>\) → \.StateMachine
	InCollectible    static (Programs\.Collectible\.)?held \(Programs\.InCollectible\)
	InEvent          static Programs\.Graph\.happened \(System\.Action\) → \._target \(Programs\.Graph\+Listener\) → \.held
	InList           static Programs\.Graph\.list .* → \._items\[0\]
	InFinalizerQueue waiting for its finalizer: \(Programs\.InFinalizerQueue\)
	InFinalizable    static Programs\.Graph\.finalizable \(Programs\.Finalizable\) → \.Held
	END
}

dump_of_program() {
	rm -f "$TMP/recording"
	start record gctrace record -p "$(pid program)" --dump --output "$TMP/recording"
	wait_for grep -qs 'heap dump of' "$TMP/record.err" ||
		fail "no heap dump was made"
	stop record INT
	expect_status 0
}

# The paths to all objects of these types, each in one line: TYPE PATH
find_paths() {
	run gctrace path "$TMP/recording" --type 'Programs.In*' --top 0
	expect_status 0
	awk '/^    / { sub(/^ +/, ""); line = line " " $0; next }
		{ if (line != "") print line; line = $1 }
		END { if (line != "") print line }' "$TMP/out" >"$TMP/paths"
}

for collector in 0 1; do
	t "what holds each of a program's objects is named: gcServer=$collector"
	settings=(DOTNET_gcServer=$collector)
	program graph
	dump_of_program
	find_paths
	while read -r type path; do
		expect "$TMP/paths" "^Programs\.$type $path"
	done < <(paths)
	run gctrace heap "$TMP/recording" -o json
	expect_status 0
	jq -c 'select(.event == "summary")' "$TMP/out" >"$TMP/summary"
	expect "$TMP/summary" '"complete":true'
	expect "$TMP/summary" '"missing":\{\},"odd":\{\}'
	stop program KILL # its finalizers never end, and its exit would wait for them
	settings=()
	pass
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
