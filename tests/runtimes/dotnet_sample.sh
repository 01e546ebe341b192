#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace sample on .NET, untouched: methods and locations are those that the program knows, in
# compiled and in precompiled code.
# parallel: yes
# limit: 900
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/sample.bash"
. "$(dirname "$0")/dotnet/compile.bash"
need_root
need dotnet jq
unset TMPDIR # it says where the perf map is
dotnet_program "$TMP/program.dll" "$ROOT/tests/runtimes/Whereabouts.cs" ||
	skip_all "no .NET SDK to compile with: $(head -n 1 "$TMP/csc.out" 2>/dev/null)"

typed=$TMP/typed
mkfifo "$typed"
exec 9<>"$typed"

program_up() {
	start program sh -c 'exec dotnet "$@" <"$0"' "$typed" "$TMP/program.dll" "$TMP/stop" "$TMP/truth"
	wait_for grep -qs ready "$TMP/program.out" || { fail "it did not start"; show "$TMP/program.err"; }
}

# A collection stops a thread where its method returns, too: that is in the caller, Go.
rules=('spin=JIT=^(Whereabouts\.(Spin|Go|Now)|System\.Threading\.Thread\.<?PollGC.*)$'
	'native=NATIVE=^Whereabouts\.(CallNative|Go|Now)$'
	'sleep=BLOCKING=^(System\.Threading\.Thread\.Sleep|Whereabouts\.(Sleep|Go))$'
	'collect=GC=^(System\.GC\.|Whereabouts\.(Collect|Go)$)'
	'lock=BLOCKING=^System\.Threading\.Monitor\.' 'read=BLOCKING=.'
	'futex=BLOCKING=^(System\.|Whereabouts\.(WaitForTurn|Go))' 'compile=COMPILER=.'
	'load=LOADER,COMPILER=.' 'finalize=JIT=^(Whereabouts.*(Spin|Finalize)|System\.)'
	'server_gc=!,GC=')
version=$(dotnet --list-runtimes | sed -n 's/^Microsoft.NETCore.App \([^ ]*\) .*/\1/p' | tail -n 1)

t "what is called EXACT is right, in 999 of 1,000"
program_up
sample_program
expect "$TMP/samples" '"event":"header".*"runtime":"\.NET".*"managed_frames":true'
judge_samples dotnet ".NET $version (\`Whereabouts.cs\`)" "${rules[@]}"
pass

t "with the server's collector as well, and its own threads collect"
export DOTNET_gcServer=1 DOTNET_GCHeapCount=2
program_up
unset DOTNET_gcServer DOTNET_GCHeapCount
grep -l '^\.NET Server GC' "/proc/$(pid program)/task/"*/comm | cut -d / -f 5 >"$TMP/collectors"
expect_equal 2 "$(wc -l <"$TMP/collectors")" "threads of the collector's"
sample_program
awk 'NR == FNR { tids[$1]; next }
	$2 == "collect" { for (tid in tids) print tid, "server_gc", $3, $4 }
	{ print }' "$TMP/collectors" "$TMP/truth" >"$TMP/truth.all"
mv "$TMP/truth.all" "$TMP/truth"
judge_samples dotnet-server ".NET $version with the server's collector (\`Whereabouts.cs\`)" "${rules[@]}"
pass
[ -z "${SAMPLE_MATRICES-}" ] || exit 0

t "a stack that waits has the methods that lead there, its thread the name that it was given"
program_up
run gctrace sample -p "$(pid program)" -n 20 --stacks -o json
expect_status 0
expect "$TMP/out" '"event":"stack".*"System\.Threading\.Monitor\.Enter","Whereabouts\.WaitAtDoor",'
expect "$TMP/out" '"event":"sample".*"name":"waits at the door \(你\)".*Monitor\.Enter'
touch "$TMP/stop"
echo >"$typed"
join program
rm -f "$TMP/stop"
pass

t "--perf-map is there while it is asked for, and gone afterwards, also if gctrace is killed"
program_up
map=/tmp/perf-$(pid program).map
[ ! -e "$map" ] || fail "there is a map before"
run gctrace sample -p "$(pid program)" -n 3 --perf-map
expect_status 0
expect "$TMP/err" "is asked by its diagnostics socket to write the names .* to $map"
[ ! -e "$map" ] || fail "the map is left"
start sample gctrace sample -p "$(pid program)" --perf-map -o json
wait_for test -s "$map" || fail "no map was written"
wait_for grep -q '"event":"sample"' "$TMP/sample.out" || fail "nothing is told"
grep -q 'Whereabouts::Spin' "$map" || fail "the map has not what was compiled before"
kill -KILL "$(pid sample)"
join sample
wait_for '[ ! -e "$map" ]' || fail "the map is left"
touch "$map"
run gctrace sample -p "$(pid program)" -n 1 --perf-map
expect_status 0
expect "$TMP/err" 'writes a perf map already, which stays'
[ -e "$map" ] || fail "a map that was there is gone"
rm -f "$map"
touch "$TMP/stop"
echo >"$typed"
join program
pass

t "--perf-map is refused where no runtime takes it"
start sleeper sleep 1000
run gctrace sample -p "$(pid sleeper)" -n 1 --perf-map
expect_status 1
expect "$TMP/err" 'only \.NET writes a perf map'
stop sleeper KILL
pass
