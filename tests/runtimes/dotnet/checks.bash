# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# Whole tests of what gctrace says of one of the .NET programs, for each of the runtimes and
# collectors, behind tests/runtimes/dotnet/lib.sh. SETTINGs are .NET's own (DOTNET_x=y).
#
# collections TITLE OPTION… [-- SETTING…]   collections are those that the runtime counts itself
# together TITLE OPTION… [-- SETTING…]      the same where young ones begin with background ones
# addresses TITLE SETTING…                  addresses after collections are what the program reads
# graph TITLE SETTING…                      what holds each of a program's objects is named
# walk TITLE SETTING…                       a dump has what another walk of the heap finds (.NET 9)
#
# $rounds is for how many rounds the program that reads its addresses goes on, $thread_static what
# .NET has for a root of what a thread's static holds, $untold what it does not tell of collections:
# a word for dotnet_compare.py.

untold=
thread_static='thread .+ [0-9]+: static Programs\.Graph\.inThreadStatic'

# collections TITLE OPTION… [-- SETTING…]: with these options of gctrace
collections() { counted collections 2000 "$@"; }
together() { counted together "${TOGETHER_MS:-5000}" "$@"; }

counted() {	# PROGRAM MILLISECONDS TITLE OPTION… [-- SETTING…]
	local name=$1 milliseconds=$2 title=$3 options=()
	shift 3
	while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
	# shellcheck disable=SC2206
	settings=(${*:2})
	case ${settings[*]-} in *gcServer=1*) name="$name server" ;; esac
	t "$title"
	program "${name% server}" "$TMP/go" "$TMP/truth" "$milliseconds"
	if trace trace -p "$(pid program)" -o json ${options[@]+"${options[@]}"}; then
		touch "$TMP/go"
		ended_well program
		ended_well trace
		run python3 "$ROOT/tests/runtimes/dotnet_compare.py" "$TMP/trace.out" "$TMP/truth" \
			$untold $name
		cat "$TMP/out"
		[ $status = 0 ] || { fail "gctrace and the runtime disagree"; show "$TMP/err"; }
	fi
	settings=()
	pass
}

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
		WAIT=${WAIT:-300} wait_for grep -qs readings "$TMP/program.out" ||
			fail "the program did not finish"
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

addresses() {	# TITLE SETTING…
	t "every address is what the program reads: $1"
	record_addresses -- "${@:2}"
	proven
	pass
}

# Behind a type of dotnet/Graph.cs the path to an object of it.
paths() {
	cat <<-END
	InStatic         static Programs\.Graph\.inStatic \(Programs\.InStatic\)
	InDictionary     static Programs\.Graph\.byName \(.*Dictionary<System\.String, Programs\.InDictionary>\) → \._entries\[0\]\.value
	InThreadStatic   $thread_static \(Programs\.InThreadStatic\)
	InLocal          Programs\.Graph\.HoldLocal, local \(Programs\.InLocal\)
	InCaptured       static Programs\.Graph\.captured \(System\.Func<System\.Object>\) → \._target \(Programs\.Graph\+<>c__DisplayClass[0-9_]*\) → \.o
	InNormalHandle   handle 0x[0-9a-f]+ \(Programs\.InNormalHandle\)
	InPinnedHandle   pinned handle 0x[0-9a-f]+ \(Programs\.InPinnedHandle\)
	InWeakHandle     static Programs\.Graph\.list .* → \._items\[1\]
	InDependentHandle static Programs\.Graph\.dependentKey \(System\.Object\) → \(dependent handle\) \(Programs\.InDependentHandle\)
	InWeakTable      static Programs\.Graph\.key \(System\.Object\) → \(dependent handle\) \(Programs\.InWeakTable\)
	InSparse         static Programs\.Graph\.sparse \(Programs\.Sparse\) → \.Held
	InBase           static Programs\.Graph\.derived \(Programs\.Derived\) → \.HeldByBase
	InDerived        static Programs\.Graph\.derived \(Programs\.Derived\) → \.HeldByDerived
	InGeneric        static Programs\.Graph\.box \(Programs\.Box<System\.String, Programs\.InGeneric>\+Lid\) → \.Under
	InNested         static Programs\.Graph\.nested \(Programs\.Outer\+Middle\+Inner\) → \.Held
	InArray          static Programs\.Graph\.array\[3\]
	InMatrix         static Programs\.Graph\.matrix\[6\]
	InJagged         static Programs\.Graph\.jagged\[1\]\[4\]
	InStructArray    static Programs\.Graph\.pairs\[7\]\.Held
	InStructField    static Programs\.Graph\.hasStruct \(Programs\.HasStruct\) → \.Middle\.Held
	InEntry          static Programs\.Graph\.entries \(.*Dictionary<System\.Int32, Programs\.Pair>\) → \._entries\[1\]\.value\.Held
	InPairs          static Programs\.Graph\.keyed\[1\]\.value\.Inner
	InWrapped        static Programs\.Graph\.generics \(Programs\.HasGenericStructs\) → \.Wrapped\.Inner
	InWrappedTwice   static Programs\.Graph\.generics \(Programs\.HasGenericStructs\) → \.Twice\.Inner\.Inner
	InTuple          static Programs\.Graph\.generics \(Programs\.HasGenericStructs\) → \.Tuple\.Item2
	InNullable       static Programs\.Graph\.generics \(Programs\.HasGenericStructs\) → \.Nullable\.value\.Held
	InGenericByStruct .* \(Programs\.Pair\) → \.Held
	InStructStatic   static Programs\.Graph\.alone \(Programs\.Pair\) → \.Held
	InMethodless     static Programs\.Bare\.held \(Programs\.InMethodless\)
	InLongWeakHandle static Programs\.Graph\.list .* → \._items\[2\]
	InAsync          static Programs\.Graph\.task \(.*AsyncStateMachineBox<Programs\.Graph\+<WaitForEver>d__[0-9]+>\) → \.StateMachine\.held
	InCollectible    static Programs\.Collectible\.held \(Programs\.InCollectible\)
	InEvent          static Programs\.Graph\.happened \(System\.Action\) → \._target \(Programs\.Graph\+Listener\) → \.held
	InList           static Programs\.Graph\.list .* → \._items\[0\]
	InFinalizerQueue waiting for its finalizer: \(Programs\.InFinalizerQueue\)
	InFinalizable    static Programs\.Graph\.finalizable \(Programs\.Finalizable\) → \.Held
	END
}

graph() {
	t "what holds each of a program's objects is named: $1"
	settings=("${@:2}")
	program graph
	dump_of_program
	find_paths 'Programs.In*'
	while read -r type path; do
		expect "$TMP/paths" "^Programs\.$type $path"
	done < <(paths)
	run gctrace path "$TMP/recording" --type System.String --top 0
	expect "$TMP/out" '^    frozen \(System\.String\)$' # literals
	run gctrace heap "$TMP/recording" --roots --top 0 -o json
	expect "$TMP/out" '"root_kind":"weak_handle"'
	run gctrace heap "$TMP/recording" -o json
	expect_status 0
	expect_whole "$TMP/out"
	stop program KILL # its finalizers never end, and its exit would wait for them
	settings=()
	pass
}

# Not gctrace's agent alone is in the program, also a profiler that knows another way to walk a heap.
# Dumps before the one that counts have the runtime load what it takes to make them.
walk() {
	local walker=$TMP/walker.so others=${agent[1]-} segments=
	t "a dump has what another walk of the heap finds, to the byte: $1"
	cc -std=gnu11 -shared -fPIC -fvisibility=hidden -pthread -I"$ROOT" -o "$walker" \
		"$dotnet_sources/walker.c" || fail "the walker does not compile"
	case ${*:2} in *libclrgc*) segments=segments ;; esac
	settings=(DOTNET_TieredCompilation=0 CORECLR_ENABLE_NOTIFICATION_PROFILERS=1
		"CORECLR_NOTIFICATION_PROFILERS=$walker={67637472-6163-6500-8000-77616c6b6572};${others#*=}"
		"${@:2}")
	program walk "$TMP/go" "$TMP/truth" 20000 "$walker"
	for _ in 1 2 3 4; do
		run gctrace heap -p "$(pid program)" --top 0 -o json ${load[@]+"${load[@]}"}
		expect_status 0
	done
	cp "$TMP/out" "$TMP/heap.json"
	touch "$TMP/go"
	ended_well program
	run python3 "$ROOT/tests/runtimes/dotnet_walk.py" "$TMP/heap.json" "$TMP/truth" $segments
	cat "$TMP/out"
	[ $status = 0 ] || fail "gctrace and the walk disagree"
	settings=()
	pass
}
