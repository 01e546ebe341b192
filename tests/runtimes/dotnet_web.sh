#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# A web server of ASP.NET Core under load, with a leak made on purpose, that is attached to as it
# runs: its collections are told, a heap dump names the leak, a path explains it, follow tracks what
# has leaked from dump to dump; and no visitor sees anything of it.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/dotnet/lib.sh"
need dotnet jq python3
need_root
dotnet_build_web || skip_all "the SDK does not build: $(grep -m 1 error "$TMP/build.out")"

# The server's collector as it comes, with a gen0 that is full now and then on a slow machine, too.
start shop env DOTNET_gcServer=1 DOTNET_GCHeapCount=2 DOTNET_GCgen0size=800000 dotnet "$web"
wait_for grep -qs ready "$TMP/shop.out" || skip_all "the server did not start: $(head -n 1 "$TMP/shop.err")"
shop=$(pid shop)
start visitor python3 "$ROOT/tests/runtimes/visit.py" "$(awk '{ print $2 }' "$TMP/shop.out")"

t "attached to under load: its collections are told"
more_visits 1000
run gctrace -p "$shop" --load-agent -n 3 -d 60s -o json
expect_status 0
expect "$TMP/err" "has loaded gctrace's agent"
expect "$TMP/out" '"event":"header".*"collector":"server"'
expect "$TMP/out" '"event":"summary".*"complete":true'
expect_equal 3 "$(jq -r 'select(.event == "gc") | .gc' "$TMP/out" | wc -l)" "collections"
pass

t "a heap dump names the leak"
run gctrace heap -p "$shop" --top 3
expect_status 0
tr -s ' \n' ' ' <"$TMP/out" >"$TMP/line"
expect "$TMP/line" '1 a System\.Collections\.Generic\.Dictionary<System\.Guid, Shop\.Visit> \([0-9]+ B itself\) keeps .* alive through .*: .* Shop\.Visit; held by static Shop\.Visits\.byId '
expect "$TMP/out" 'complete: nothing is missing'
pass

t "follow tracks what has leaked, from dump to dump"
start follow gctrace follow -p "$shop" --type 'Shop.*' --every 500ms -o json
for dumps in 1 2 3 4; do
	wait_for "[ \"\$(grep -c '\"event\":\"anchor\"' \"\$TMP/follow.out\")\" -ge $dumps ]" ||
		fail "dump $dumps does not come"
	more_visits 300
done
stop follow INT
expect_status 0
cp "$TMP/follow.out" "$TMP/out"
jq -c 'select(.event == "anchor") | [.objects, .matched, .gone, .conflicts]' "$TMP/out"
jq -c 'select(.event == "type" and .name == "Shop.Visit")' "$TMP/out" >"$TMP/visit"
cat "$TMP/visit"
expect_equal 0 "$(jq -s 'map(select(.event == "anchor") | .conflicts) | add' "$TMP/out")" "conflicts"
jq -e '.died_objects == 0 and .age_most >= 2 and .alive_objects > 2000' "$TMP/visit" >"$TMP/is" ||
	fail "visits are not tracked"
expect "$TMP/out" '"event":"finding".*"kind":"leak","text":"Shop.Visit: \+'
pass

t "the server has answered every visit"
more_visits 300
all_were_answered
pass

t "a path explains it, where nobody is in the midst of a visit; and the server ends as it should"
run gctrace path -p "$shop" --type Shop.Visit --top 1 -o json
expect_status 0
jq -r 'select(.event == "path") | [.steps[] | .name // empty] | join(" ")' "$TMP/out" >"$TMP/path"
expect "$TMP/path" '^static Shop\.Visits\.byId \._entries \[[0-9]+\]\.value$'
stop shop
expect_status 0
pass
