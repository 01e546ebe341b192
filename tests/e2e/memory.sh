#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Memory that is refused is an error and no smaller figure, and --mem-limit bounds all of gctrace.
# limit: 900
. "$(dirname "$0")/lib.sh"
need_root
need gctrace minivm python3
base_mib=40 # RAM_BASE_BYTES

vm() { # NAME OPTION...
	local name=$1
	shift
	start "$name" minivm --quiet --rate 20 --full-every 5 "$@"
	wait_for "semaphores $(pid "$name") >/dev/null 2>&1" || fail "no minivm"
}

vm small --objects 1000
run timeout 120 gctrace record -p "$(pid small)" -n 3 --moves --dump --output "$TMP/small"
[ "$status" = 0 ] || skip_all "no recording: $(cat "$TMP/err")"
stop small

t "each allocation of gctrace heap FILE refused once: the right output, or a message and a status"
run python3 "$ROOT/tests/fault/refuse.py" "$BUILD/tests/refuse.so" gctrace heap "$TMP/small" -o json
expect_status 0
expect "$TMP/out" '^[1-9][0-9]+ places refused once, 0 of them wrong$'
[ "$status" = 0 ] || show "$TMP/out" "$TMP/err"
pass

cat >"$TMP/peak.py" <<'END'
import resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
open(sys.argv[1], "w").write(str(peak >> 10))
sys.exit(status)
END

# Its status, messages and its peak, as the kernel counts it. $1: the limit in MiB.
bounded() { # MIB COMMAND...
	local limit=$1 peak
	shift
	run timeout 120 /usr/bin/python3 "$TMP/peak.py" "$TMP/peak" "$@" --mem-limit "${limit}MiB"
	peak=$(cat "$TMP/peak")
	[ "$peak" -le $((limit + base_mib)) ] || fail "$*: $peak MiB with a limit of $limit MiB"
	case $status in
	0) ;;
	1) [ $limit -lt 128 ] || fail "$*: more than 128 MiB"
	   grep -q 'needs\|are needed\|mem-limit' "$TMP/err" || fail "$*: $(cat "$TMP/err")" ;;
	*) fail "$*: status $status: $(cat "$TMP/err")" ;;
	esac
	echo "$limit MiB: status $status, $peak MiB: $*" >>"$TMP/peaks"
}

vm large --objects 400000
run timeout 120 gctrace record -p "$(pid large)" -d 3s --moves --dump=700ms --output "$TMP/large"
[ "$status" = 0 ] || fail "no recording: $(cat "$TMP/err")"
run timeout 120 gctrace export "$TMP/large@1" --as hprof --output "$TMP/large.hprof"

# Again and again with the size that the last error named: at most three times.
enough() { # COMMAND...
	local mib=1 tries=0
	while :; do
		run timeout 120 gctrace "$@" --mem-limit "${mib}MiB"
		[ "$status" = 1 ] || break
		mib=$(tr -s '\n' ' ' <"$TMP/err" | sed 's/gctrace: *//g' |
			grep -o 'raise --mem-limit to at least [0-9]* MiB' | tail -n 1 |
			tr -dc 0-9)
		[ "$mib" ] || { fail "$*: no size is named: $(cat "$TMP/err")"; return; }
		tries=$((tries + 1))
		[ $tries -le 3 ] || { fail "$*: $mib MiB after three sizes"; return; }
	done
	expect_status 0
	echo "$tries sizes named, $mib MiB are enough: $*" >>"$TMP/enough"
}

t "the size that an error at the limit names is enough, or the next one is"
for file in "$TMP/large@1" "$TMP/large.hprof"; do
	enough heap "$file"
	enough heap "$file" --html "$TMP/page.html"
	enough path "$file" --type '*' -o json
	enough export "$file" --as heapsnapshot --output "$TMP/snapshot"
done
enough diff "$TMP/large@1" "$TMP/large@2"
id=$(gctrace heap "$TMP/large@1" --objects --type '*' --top 1 -o json |
	grep -o '"id":[0-9]*' | head -n 1 | tr -dc 0-9)
enough path "$TMP/large@1" --id "$id"
enough follow "$TMP/large"
enough heap -p "$(pid large)"
expect "$TMP/enough" '^[1-3] sizes named.* heap '
[ -z "${VERBOSE-}" ] || cat "$TMP/enough"
pass

t "--mem-limit bounds each command: at most that and the base, else status 1 and what is needed"
for limit in 1 8 32 128; do
	bounded $limit gctrace "$TMP/large" --moves -o json
	bounded $limit gctrace heap "$TMP/large@1" -o json
	bounded $limit gctrace heap "$TMP/large.hprof" -o json
	bounded $limit gctrace path "$TMP/large@1" --type '*' -o json
	bounded $limit gctrace diff "$TMP/large@1" "$TMP/large@2" -o json
	bounded $limit gctrace export "$TMP/large@1" --as hprof --output "$TMP/again.$limit"
	bounded $limit gctrace follow "$TMP/large" -o json
	bounded $limit gctrace -p "$(pid large)" -n 2 -o json --allow-loss
	bounded $limit gctrace follow -p "$(pid large)" -d 3s -o json --allow-loss
	bounded $limit gctrace heap -p "$(pid large)" -o json
	bounded $limit gctrace record -p "$(pid large)" -n 2 --dump --output "$TMP/r" --allow-loss
	bounded $limit gctrace sample -p "$(pid large)" -d 500ms --allow-loss
	bounded $limit gctrace probes -p "$(pid large)"
done
grep -q 'status 1' "$TMP/peaks" || fail "no limit was reached"
[ "$lib_failed" = 0 ] || show "$TMP/peaks"
[ -z "${VERBOSE-}" ] || cat "$TMP/peaks"
stop large
pass
