#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Heap dumps of .NET, with the agent: what holds an object is named with the fields and elements on
# the way, each dump is whole and of a collection of all generations however busy the program is,
# and whatever ends one early leaves the program as it was.
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/dotnet/compile.bash"
need_root
need dotnet jq semaphores
[ -e "$BUILD/libgctrace-dotnet.so" ] || skip_all "there is no agent in $BUILD"
dotnet_program "$TMP/held.dll" "$ROOT/tests/runtimes/dotnet/dump/Held.cs" ||
	skip_all "no .NET SDK to compile with: $(head -n 1 "$TMP/csc.out" 2>/dev/null)"

guid={67637472-6163-6500-8000-646f746e6574}

held() {	# THREADS OBJECTS
	start held env TMPDIR="$TMP" CORECLR_ENABLE_NOTIFICATION_PROFILERS=1 \
		CORECLR_NOTIFICATION_PROFILERS="$BUILD/libgctrace-dotnet.so=$guid;" \
		dotnet "$TMP/held.dll" "$@"
	wait_for grep -qs ready "$TMP/held.out" ||
		{ fail "it did not start"; show "$TMP/held.err"; }
}

dump() {	# [OPTION…]
	run timeout 120 gctrace heap -p "$(pid held)" "$@"
}

quiet() {
	wait_for "semaphores $(pid held) >/dev/null" ||
		{ fail "semaphores are up"; semaphores "$(pid held)"; }
}

wait_for_request() {
	wait_for "! semaphores $(pid held) >/dev/null" || fail "no dump is asked for"
}

# Whole, and all that was told is reached: a full collection leaves nothing else.
whole() {
	expect_status 0
	expect "$TMP/out" '"event":"summary".*"complete":true'
	jq -r 'select(.event == "summary")' "$TMP/out" >"$TMP/summary"
	expect_equal "$(jq .objects "$TMP/summary")" "$(jq .reached_objects "$TMP/summary")" \
		"objects that are reached"
}

# TYPE WAY: the way from a root to the one object of that type, as gctrace path tells it.
found() {
	local way
	run gctrace path "$TMP/held.gctrace" --type "Held.$1" -o json
	way=$(jq -r 'select(.event == "path") | [.steps[] | .name // empty] | join(" ")' "$TMP/out")
	expect_equal "$2" "$way" "the way to $1"
}

t "what holds an object is named: fields with nulls between, elements, structs, threads"
held 0 100
start recorder gctrace record -p "$(pid held)" --dump --output "$TMP/held.gctrace"
wait_for grep -qs "heap dump of" "$TMP/recorder.err" || fail "no dump came"
stop recorder INT
expect_equal 0 "$status" "the recorder's exit status"
found ByEntry "static Held.Program.entries ._entries [0].value"
found ByElement "static Held.Program.pairs [17].Second"
found ByStruct "static Held.Program.hasPair .Pair.Second"
found ByArgument "static Held.Program.box .Value.Second"
found ByBase "static Held.Program.gaps .F"
found ByDerived "static Held.Program.below .Down"
found ByShift "static Held.Program.shifting [2] .C"
found ByWidth "static Held.Program.wide [19] .T"
found ByLocal "Held.Program.HoldLocal, local"
found ByBareStatic "static Held.Bare.Field"
run gctrace path "$TMP/held.gctrace" --type Held.ByThreadStatic
expect "$TMP/out" "^ *thread .*: static Held\\.Program\\.local \\(Held\\.ByThreadStatic\\)\$"
pass

t "what only a pointer into its inside holds is held by it"
run gctrace path "$TMP/held.gctrace" --type 'System.Decimal[]'
expect "$TMP/out" 'Held.Program.HoldInside, local'
pass

t "a literal that is frozen is a root of its own"
run gctrace heap "$TMP/held.gctrace" --roots
expect "$TMP/out" 'frozen objects'
stop held
pass

t "each of twelve dumps is whole and of all generations, while eight threads allocate"
held 8 200000
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	dump -o json
	whole
done
quiet
pass

t "dumps leave its memory as it was"
stop held
held 0 200000
# The least of two seconds: the agent's threads give back what they had when the dump is told.
least() {
	quiet
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		awk '/^VmRSS/ { print $2 }' "/proc/$(pid held)/status"
		sleep 0.2
	done | sort -n | head -n 1
}
dump -o json
dump -o json
before=$(least)
for _ in 1 2 3 4 5 6 7 8; do dump -o json; done
after=$(least)
[ $((after * 100)) -le $((before * 101)) ] || fail "$before KiB became $after KiB"
pass

t "gctrace is killed in the midst: the program goes on, and the next dump is whole"
stop held
held 2 2000000
for seconds in 0 0.1 0.4; do
	start tracer gctrace heap -p "$(pid held)"
	wait_for_request
	work "$(pid held)" $seconds
	stop tracer KILL
	quiet
	lib_runs "$(pid held)" || fail "the program has ended"
done
dump -o json
whole
pass

t "two gctraces at once each have a whole dump"
start other gctrace heap -p "$(pid held)" -o json
dump -o json
whole
join other
cp "$TMP/other.out" "$TMP/out"
whole
quiet
pass

t "the program is killed in the midst: gctrace says what is missing"
start tracer gctrace heap -p "$(pid held)"
wait_for_request
stop held KILL
join tracer
[ "$status" != 0 ] || fail "gctrace ended as if nothing had been"
pass
