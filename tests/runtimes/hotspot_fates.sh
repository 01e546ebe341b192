#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# HotSpot: what moved, survived, was promoted and died. By pools it is exact where that is said, by
# samples it is within the limits.
# parallel: yes
# limit: 1800
# level: all
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/hotspot/lib.sh"
need_root
need_java
need jq
[ -e "$hotspot_library" ] || skip_all "there is no agent in $BUILD"
PATH=$BUILD/tests/proof:$PATH

moving() {	# JVM ROUND-BYTES OPTION…
	local jvm=$1 bytes=$2
	shift 2
	rm -f "$TMP/go"
	start program "$jvm/bin/java" ${agent:+"$agent"} -XX:-UsePerfData -Xmx192m "$@" \
		-cp "$TMP/classes" Moving 4000 "$bytes" "$TMP/go" -
	WAIT=120 wait_for grep -qs alive "$TMP/program.out" ||
		{ fail "the program did not start"; show "$TMP/program.err"; }
}

end_program() {
	touch "$TMP/go"
	join program
	expect_equal 0 "$status" "the program's exit status"
	expect_not "$TMP/program.err" 'Exception|Error'
}

# The young collections, each with what the pools held: before and after, and the old one's growth.
with_pools() {
	jq -cn 'reduce inputs as $line ([];
		if $line.event == "gc" then . + [$line + {pools: []}]
		elif $line.event == "pool" and ($line.outside | not) then
			.[-1].pools += [$line]
		else . end) | .[] | select(.kind == "young" and .survived_bytes and
			(.partial or .incomplete or .cut_off | not)) |
		(.pools | map(select(.name | test("Old|Tenured"))) | .[0]) as $old |
		{gc, cause, survived_bytes, promoted_bytes, dead_bytes, condemned_bytes, moved_bytes,
		 estimated, grown: ($old.after_bytes - $old.before_bytes),
		 kept: (.after_bytes - $old.after_bytes), young: (.before_bytes - $old.before_bytes)}' \
		"$TMP/out" >"$TMP/young"
}

expect_none() {	# WHAT FILTER: no young collection for which it holds
	jq -c "select($2)" "$TMP/young" >"$TMP/wrong"
	[ ! -s "$TMP/wrong" ] || { fail "$1"; show "$TMP/wrong"; }
}

expect_young() {	# COUNT
	[ "$(wc -l <"$TMP/young")" -ge "$1" ] || { fail "hardly a young collection"; show "$TMP/out"; }
}

while read -r home; do
	version=$(version_of "$home")

	t "Java $version, Serial: pools are what walking all that was moved finds, to the byte"
	agent=
	moving "$home" 400000 -XX:+UseSerialGC -Xmn3m
	run timeout 300 gctrace -p "$(pid program)" -o json -n 12
	expect_status 0
	with_pools
	expect_young 8
	expect_none "estimates" '.estimated'
	expect_none "sums" '.condemned_bytes != .survived_bytes + .dead_bytes or
		.moved_bytes != .survived_bytes or .promoted_bytes != .grown'
	case ${version%%.*} in
	17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25)
		run timeout 300 gctrace -p "$(pid program)" --load-agent --exact-moves -o json -n 12
		expect_status 0
		with_pools
		expect_young 8
		expect_none "ranges and pools differ" '.survived_bytes != .kept + .grown or
			.promoted_bytes != .grown or .dead_bytes != .young - .kept - .grown'
		;;
	esac
	end_program
	pass

	for collector in Parallel G1; do
		t "Java $version, $collector: pools are limits of what walking finds"
		case ${version%%.*} in
		17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25) ;;
		*) skip "no Java that tells all moves"; continue ;;
		esac
		agent=
		moving "$home" 400000 "-XX:+Use${collector}GC" -Xmn3m
		run timeout 300 gctrace -p "$(pid program)" -o json -n 6
		expect_status 0
		with_pools
		expect_young 1
		expect_none "not said to be estimates" '.estimated | has("survived_bytes") and
			has("moved_bytes") and has("promoted_bytes") and has("dead_bytes") | not'
		run timeout 300 gctrace -p "$(pid program)" --load-agent --exact-moves -o json -n 30
		expect_status 0
		with_pools
		jq -c 'select(.estimated.survived_bytes | not)' "$TMP/young" >"$TMP/told"
		mv "$TMP/told" "$TMP/young"
		expect_young 5
		expect_none "more survived than pools say" '.survived_bytes > .kept + .grown or
			.promoted_bytes > .grown'
		end_program
		pass
	done

	for collector in Serial Parallel; do
		t "Java $version, $collector: what samples tell holds what the pools know"
		agent=-agentpath:$hotspot_library=sample=16384
		moving "$home" 2000000 "-XX:+Use${collector}GC" -Xmn6m
		run timeout 300 gctrace record --samples -p "$(pid program)" -n 1000 \
			--output "$TMP/recording"
		expect_status 0
		run fates_truth "$TMP/recording"
		cat "$TMP/out"
		expect_equal 0 "$status" "fates_truth's exit status"
		run gctrace -o json "$TMP/recording"
		expect_status 0
		expect "$TMP/out" '"known":\[.*"fates","samples"'
		end_program
		pass
	done

	t "Java $version: --load-agent is enough for samples, and their collections stay in order"
	agent=
	moving "$home" 2000000 -XX:+UseParallelGC -Xmn16m
	run timeout 300 gctrace -p "$(pid program)" --load-agent -o json -n 12
	expect_status 0
	expect "$TMP/out" '"known":\[.*"fates","samples"'
	expect_equal "$(seq 12)" "$(jq -r 'select(.event == "gc").gc' "$TMP/out")" "collections"
	expect_equal 1 "$(grep -c '"event":"summary"' "$TMP/out")" "summaries"
	jq -c 'select(.event == "gc" and .estimated.survived_bytes[0] > 0)' "$TMP/out" >"$TMP/narrow"
	[ -s "$TMP/narrow" ] || { fail "samples have narrowed nothing"; show "$TMP/out"; }
	end_program
	pass

	t "Java $version, Shenandoah: what moved and died beside the program is estimated"
	if has "$home" -XX:+UseShenandoahGC; then
		agent=
		moving "$home" 2000000 -XX:+UseShenandoahGC
		run timeout 300 gctrace -p "$(pid program)" --load-agent -o json -n 4
		expect_status 0
		expect "$TMP/out" '"kind":"cycle".*"estimated":.*"dead_bytes":\['
		end_program
		pass
	else
		skip "this build of the JVM does not have it"
	fi
done < <(jvms)
