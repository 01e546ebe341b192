#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# All moves of young collections: exact where they are told, by the agent's own handles and by the next
# dump; withdrawn where the collection was another one; and the program lives on, and finds its
# objects to be what they were.
#
# COLLECTIONS=N    so many young collections of each collector, at least (default 40)
# limit: 1800
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/hotspot/lib.sh"
need_root
need_java
need jq
[ -e "$hotspot_library" ] || skip_all "there is no agent in $BUILD"

collections=${COLLECTIONS:-40}
agent=


moving() {	# JVM WHAT OPTION…
	local jvm=$1 what=$2
	shift 2
	rm -f "$TMP/go"
	start program "$jvm/bin/java" -XX:-UsePerfData -Xmx192m "$@" -cp "$TMP/classes" Moving 4000 \
		400000 ${what:+"$what"} "$TMP/go" "$TMP/classes/loaded/"
	WAIT=120 wait_for grep -qs alive "$TMP/program.out" ||
		{ fail "the program did not start"; show "$TMP/program.err"; }
}

# It has found all of its objects, and ends.
moved() {
	lives_on
	touch "$TMP/go"
	join program
	expect_equal 0 "$status" "the program's exit status"
	expect_not "$TMP/program.err" 'Exception|Error'
}

follow() {	# COUNT of collections, OPTION…
	local count=$1
	shift
	run timeout $((900 + 4 * collections)) gctrace follow -p "$(pid program)" --load-agent \
		--exact-moves -o json -n "$count" "$@"
	expect_status 0
	jq -c 'select(.event == "summary")' "$TMP/out" >"$TMP/summary"
}

figure() { jq -r "$1 // 0" "$TMP/summary"; }

# Of which types, found by which dump, behind which collections.
conflicting() {
	jq -c 'select(.event == "type" and .conflict_objects > 0) |
		[.name, .seen_objects, .conflict_objects]' "$TMP/out"
	jq -c 'select(.event == "anchor")' "$TMP/out"
	jq -r 'select(.event == "identity") | "\(.gc):\(.kind):\(.withdrawn_objects)"' "$TMP/out" | xargs
}

while read -r home; do
	version=$(version_of "$home")
	case ${version%%.*} in
	17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25) ;;
	*) continue ;;
	esac

	for collector in $(collectors G1 Parallel Serial); do
		options=("-XX:+Use${collector}GC" -Xmn3m)
		has "$home" "${options[@]}" || continue

		t "Java $version ${options[*]}: what young collections move is where it was told to be"
		moving "$home" "" "${options[@]}"
		follow "$collections" --every 1s
		expect "$TMP/err" 'each pause becomes longer by about 15 ns'
		expect_equal 0 "$(figure .moves_wrong)" "wrong addresses"
		expect_equal 0 "$(figure .identity.conflicts)" "conflicts with dumps" || conflicting
		[ "$(figure .moves_checked)" -gt "$collections" ] || fail "hardly any address was checked"
		[ "$(figure .exact_collections)" -ge $((collections * 3 / 4)) ] ||
			fail "only $(figure .exact_collections) of $collections were told"
		[ "$(figure .identity.matched)" -gt 0 ] || fail "no object was found again"
		echo "$(figure .exact_collections) exact of $collections," \
			"$(figure .moves_checked) checked, matched $(figure .identity.matched)"
		moved
		pass

		t "Java $version ${options[*]}: classes come between dumps: others stay who they are"
		moving "$home" class "${options[@]}"
		follow 40 --every 1s
		expect_equal 0 "$(figure .moves_wrong)" "wrong addresses"
		expect_equal 0 "$(figure .identity.conflicts)" "conflicts with dumps" || conflicting
		[ "$(figure .identity.matched)" -gt 0 ] || fail "no object was found again"
		moved
		pass

		t "Java $version ${options[*]}: full collections are recognised"
		moving "$home" full "${options[@]}"
		follow 30 --every 1s
		expect_equal 0 "$(figure .moves_wrong)" "wrong addresses"
		expect_equal 0 "$(figure .identity.conflicts)" "conflicts with dumps" || conflicting
		moved
		pass

		t "Java $version ${options[*]}: a heap that is full, so that objects cannot be evacuated"
		moving "$home" fill -Xmx64m "${options[@]}"
		follow 100000 --every 1s -d 6s # to fill it takes more collections than anybody knows
		expect_equal 0 "$(figure .moves_wrong)" "wrong addresses"
		expect_equal 0 "$(figure .identity.conflicts)" "conflicts with dumps" || conflicting
		moved
		pass
	done

	for option in -XX:+UseZGC -XX:+UseShenandoahGC -XX:+UseCompactObjectHeaders; do
		has "$home" -XX:+UnlockExperimentalVMOptions $option || continue
		t "Java $version $option: refused, with the reason"
		moving "$home" "" -XX:+UnlockExperimentalVMOptions $option
		run timeout 60 gctrace -p "$(pid program)" --load-agent --exact-moves -d 4s
		expect "$TMP/err" 'exact moves are not told: the JVM (collects by|has compact)'
		moved
		pass
	done
done < <(jvms)
