#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Each place where a command allocates has its allocation refused once: what comes of it is the right
# output, or a message and a status. (tests/e2e/memory.sh does that with one command.)
# limit: 3600
. "$(dirname "$0")/../e2e/lib.sh"
need_root
need gctrace minivm python3

start vm minivm --quiet --objects 3000 --rate 20 --full-every 5 --follow-samples --sample-bytes 16k
wait_for "semaphores $(pid vm) >/dev/null 2>&1" || fail "no minivm"
run timeout 120 gctrace record -p "$(pid vm)" -d 2s --moves --samples --dump=500ms --output "$TMP/file"
[ "$status" = 0 ] || skip_all "no recording: $(cat "$TMP/err")"
run timeout 120 gctrace export "$TMP/file@1" --as hprof --output "$TMP/file.hprof"

refused() { # OPTION... gctrace WORD...
	local how=()
	while [ "$1" != gctrace ]; do how+=("$1"); shift; done
	run python3 "$ROOT/tests/fault/refuse.py" ${how[@]+"${how[@]}"} "$BUILD/tests/refuse.so" "$@"
	[ "$status" = 0 ] || { fail "$*"; show "$TMP/out" "$TMP/err"; }
	echo "$(tail -n 1 "$TMP/out"): ${*//$TMP\//}"
}

t "commands that read files"
for form in text json; do
	refused gctrace "$TMP/file" --moves -v -o $form
	refused gctrace heap "$TMP/file@last" -o $form
	refused gctrace heap "$TMP/file@1" --histogram -o $form
	refused gctrace heap "$TMP/file@1" --list -o $form
	refused gctrace heap "$TMP/file.hprof" -o $form
	refused gctrace path "$TMP/file@last" --type '*' -o $form
	refused gctrace diff "$TMP/file@1" "$TMP/file@2" -o $form
	refused gctrace follow "$TMP/file" -o $form
	refused gctrace follow "$TMP/file" --by site -o $form
done
address=$(gctrace path "$TMP/file@1" --type '*' -o json 2>/dev/null |
	grep -o -m 1 '"address":"[^"]*"' | head -n 1 | cut -d '"' -f 4)
refused --output "{}/export" gctrace export "$TMP/file@1" --as dot --address "$address" \
	--output "{}/export"
for form in folded heapsnapshot hprof perfetto pprof; do
	refused --output "{}/export" gctrace export "$TMP/file@1" --as $form --output "{}/export"
done
# A page has a random nonce: none is like another.
refused --alone gctrace heap "$TMP/file@1" --html "{}/page"
pass

t "commands that look at a process"
vm=$(pid vm)
refused -j 1 --alone gctrace -p "$vm" -n 2 -o json
refused -j 1 --alone gctrace heap -p "$vm" -o json
refused -j 1 --alone gctrace record -p "$vm" -n 2 --dump --output "{}/recording"
refused -j 1 --alone gctrace follow -p "$vm" -d 1s -o json
refused -j 1 --alone gctrace sample -p "$vm" -d 300ms -o json
refused -j 1 --alone gctrace probes -p "$vm" -o json
refused -j 1 --alone gctrace run -o json -- true
refused -j 1 --alone gctrace doctor -o json
stop vm
pass
