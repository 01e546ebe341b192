#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Recordings: what a live trace shows, the file of it shows too; and files that are damaged, cut
# off, of a full disk, of somebody else.
. "$(dirname "$0")/../e2e/lib.sh"
need_root
need gctrace minivm jq python3

# The figures of a summary line, among them those that depend on when the trace ended.
figures() {
	jq -c 'select(.event == "summary") | [.collections, .pause_total_ns, .pause_max_ns,
		.moved_bytes, .survived_bytes, .promoted_bytes, .dead_bytes, .complete,
		.start_ns, .end_ns, .paused_share]' "$1"
}

# A recording to damage, made once.
start vm minivm --seed 3 --rate 50
run gctrace record -p "$(pid vm)" -n 40 --moves -o json --output "$TMP/whole"
cp "$TMP/out" "$TMP/live" 2>/dev/null
recorded=$status

t "a recording shows what the live trace showed"
[ $recorded = 0 ] || fail "record ended with $recorded"
expect "$TMP/err" 'records, .* in .*/whole'
expect_equal 1 "$(grep -c '"event":"summary"' "$TMP/live")" "summaries of the live trace"
expect_not "$TMP/live" '"event":"gc"'
run gctrace -o json "$TMP/whole"
expect_status 0
expect_equal 40 "$(grep -c '"event":"gc"' "$TMP/out")" "collections in the file"
expect_equal "$(figures "$TMP/live")" "$(figures "$TMP/out")" "figures of the file"
expect_equal true "$(jq 'select(.event == "summary").complete' "$TMP/out")" complete
pass

t "as many collections as -n says are in it, whatever came while a dump was made"
start slow minivm --seed 3 --objects 20000 --rate 100 --dump-pace 2
run gctrace record -p "$(pid slow)" -n 2 --dump -o json --output "$TMP/counted"
expect_status 0
figures "$TMP/out" >"$TMP/live.figures"
stop slow
run gctrace -o json "$TMP/counted"
expect_equal 2 "$(grep -c '"event":"gc"' "$TMP/out")" "collections in the file"
expect_equal "$(cat "$TMP/live.figures")" "$(figures "$TMP/out")" "figures of the file"
run gctrace -o json --min-pause 1h "$TMP/counted"
expect_equal 2 "$(jq 'select(.event == "summary").collections' "$TMP/out")" "collections counted"
run gctrace -n 1 -o json "$TMP/counted"
expect_equal 1 "$(grep -c '"event":"gc"' "$TMP/out")" "collections asked for"
pass

t "on a terminal it says how a recording without -d ends"
if command -v script >/dev/null; then
	start terminal script -qefc "gctrace record -p $(pid vm) -o json --output $TMP/endless" \
		"$TMP/tty"
	wait_for 'grep -q "recording; Ctrl-C ends it" "$TMP/tty"' || fail "nothing is said"
	stop terminal
	run script -qec "gctrace record -p $(pid vm) -d 100ms --output $TMP/ended" "$TMP/tty"
	expect_not "$TMP/tty" 'Ctrl-C'
	pass
else
	skip "script is not installed"
fi

t "why a process made no heap dump stands at the end, too"
if command -v /usr/bin/python3 >/dev/null &&
	readelf -n /usr/bin/python3 2>/dev/null | grep -q 'Provider: python'; then
	start py /usr/bin/python3 -c 'print("ready", flush=True); import time; time.sleep(600)'
	wait_for grep -qs ready "$TMP/py.out"
	run gctrace record -p "$(pid py)" --dump -d 500ms --output "$TMP/undumped"
	expect_status 1
	tail -n 2 "$TMP/err" >"$TMP/end"
	expect "$TMP/end" "pid $(pid py) made no heap dump: CPython has none \\(CPython's probes"
	stop py
	pass
else
	skip "/usr/bin/python3 has no probes"
fi

t "without privileges, from a pipe, the same"
chmod 644 "$TMP/whole"
run setpriv --reuid 65534 --regid 65534 --clear-groups gctrace -o json "$TMP/whole"
expect_status 0
expect_equal "$(figures "$TMP/live")" "$(figures "$TMP/out")" "figures as nobody"
cat "$TMP/whole" | gctrace -o json /dev/stdin >"$TMP/piped"
expect_equal "$(figures "$TMP/live")" "$(figures "$TMP/piped")" "figures of a pipe"
pass

t "the facts of host and target stand in the file as text"
# The first block is small: zstd may have left parts of it as they are; so ask gctrace itself.
run gctrace -o json "$TMP/whole"
expect_equal "$(pid vm)" "$(jq -s '.[0].pid' "$TMP/out")" pid
expect_equal '"minivm"' "$(jq -s '.[0].runtime' "$TMP/out")" runtime
expect_equal true "$(head -c 64 "$TMP/whole" | grep -q 'gctrace recording' && echo true)" "header's text"
pass

t "a file cut off anywhere is read up to there, and said"
size=$(stat -c %s "$TMP/whole")
for part in 97 60 30 5; do
	head -c $((size * part / 100)) "$TMP/whole" >"$TMP/cut"
	run gctrace -o json "$TMP/cut"
	expect_status 3
	expect "$TMP/err" 'cut off after'
	expect_equal false "$(jq 'select(.event == "summary").complete' "$TMP/out")" complete
done
run gctrace --allow-loss "$TMP/cut"
expect_status 0
head -c 20 "$TMP/whole" >"$TMP/cut"
run gctrace "$TMP/cut"
expect_status 1
expect "$TMP/err" 'cut off in its header'
pass

t "a damaged block is told, and what is behind it is read"
cp "$TMP/whole" "$TMP/bad"
printf 'XXXXXXXXXXXXXXXX' | dd of="$TMP/bad" bs=1 seek=$((size / 2)) conv=notrunc status=none
run gctrace -o json "$TMP/bad"
expect_status 3
expect "$TMP/err" 'damaged or missing'
expect_equal true "$(jq 'select(.event == "summary") | .lost.recording > 0' "$TMP/out")" \
	"lost.recording > 0"
run gctrace "$TMP/bad"
expect "$TMP/out" 'blocks? of the recording'
pass

t "a damaged block of a heap dump is told, whether references are read or not"
start shop minivm --seed 3 --objects 60000 --rate 20
run gctrace record -p "$(pid shop)" -n 1 --dump --output "$TMP/dump"
expect_status 0
stop shop
size=$(stat -c %s "$TMP/dump")
for part in 30 50 70; do
	cp "$TMP/dump" "$TMP/bad"
	printf 'XXXXXXXXXXXXXXXX' | dd of="$TMP/bad" bs=1 seek=$((size * part / 100)) conv=notrunc \
		status=none
	for how in --tree=1 --histogram; do
		run gctrace heap "$TMP/bad@1" $how
		expect_status 3
		expect "$TMP/out" 'something was lost'
	done
done
for how in --tree=1 --histogram; do
	run gctrace heap "$TMP/dump@1" $how
	expect_status 0
done
pass

t "what is no recording is said to be none"
printf '#!/bin/sh\033[2J\n' >"$TMP/script"
run gctrace "$TMP/script"
expect_status 1
expect "$TMP/err" 'is no recording: it starts with'
expect_not "$TMP/err" $'\033'
: >"$TMP/empty"
run gctrace "$TMP/empty"
expect_status 1
expect "$TMP/err" 'is empty'
run gctrace "$TMP"
expect_status 1
pass

t "a recording of a later version is refused"
python3 -c "import struct, sys, zlib
whole = bytearray(open(sys.argv[1], 'rb').read())
whole[8:12] = struct.pack('<HH', 2, 0)
whole[68:72] = struct.pack('<I', zlib.crc32(whole[:68]))
open(sys.argv[2], 'wb').write(whole)" "$TMP/whole" "$TMP/later"
run gctrace "$TMP/later"
expect_status 1
expect "$TMP/err" 'version 2.0'
pass

t "a damaged header is told, and costs nothing"
cp "$TMP/whole" "$TMP/header"
run gctrace -o json "$TMP/header"
cp "$TMP/out" "$TMP/undamaged.json"
for at in 8 12 20 30 66 70; do
	cp "$TMP/whole" "$TMP/header"
	printf '\245' | dd of="$TMP/header" bs=1 seek=$at conv=notrunc status=none
	run gctrace -o json "$TMP/header"
	expect_status 0
	expect "$TMP/err" 'header: its header is damaged'
	cmp -s "$TMP/out" "$TMP/undamaged.json" || fail "it is read as another one: byte $at"
done
pass

t "a full disk ends the recording with a message and a readable file"
mkdir "$TMP/small"
if mount -t tmpfs -o size=256k none "$TMP/small" 2>/dev/null; then
	run timeout 300 gctrace record -p "$(pid vm)" --moves -d 60s --output "$TMP/small/file"
	expect_status 1
	expect "$TMP/err" 'No space left on device; the recording ends here'
	run gctrace -o json "$TMP/small/file"
	expect_status 3
	expect "$TMP/err" 'cut off after'
	expect "$TMP/out" '"event":"gc"'
	umount "$TMP/small"
	pass
else
	skip "no tmpfs can be mounted here"
fi

t "a killed gctrace leaves a file that can be read"
start recorder gctrace record -p "$(pid vm)" --output "$TMP/killed"
wait_for '[ "$(stat -c %s "$TMP/killed" 2>/dev/null || echo 0)" -gt 3000 ]' || fail "nothing was written"
stop recorder KILL
run gctrace -o json "$TMP/killed"
expect_status 3
expect "$TMP/out" '"event":"gc"'
wait_for 'semaphores "$(pid vm)" >/dev/null' || fail "semaphores are still up"
pass

t "Ctrl-C ends a recording as a whole one"
start recorder gctrace record -p "$(pid vm)" --output "$TMP/stopped"
wait_for '[ "$(stat -c %s "$TMP/stopped" 2>/dev/null || echo 0)" -gt 3000 ]' || fail "nothing was written"
stop recorder INT
expect_equal 0 "$status" "status of the recorder"
run gctrace "$TMP/stopped"
expect_status 0
expect "$TMP/out" 'complete: nothing was lost'
pass

t "the file belongs to the user who called sudo, and follows no link"
mkdir "$TMP/theirs"
chown 65534:65534 "$TMP/theirs"
run env SUDO_UID=65534 SUDO_GID=65534 gctrace record -p "$(pid vm)" -n 2 --output "$TMP/theirs/file"
expect_status 0
expect_equal "65534 600" "$(stat -c '%u %a' "$TMP/theirs/file")" "owner and mode"
ln -s /etc/motd "$TMP/theirs/link"
run gctrace record -p "$(pid vm)" -n 2 --output "$TMP/theirs/link"
expect_status 1
pass

t "wrong usage"
run gctrace record -p "$(pid vm)"
expect_status 2
expect "$TMP/err" 'give --output FILE'
run gctrace record --output "$TMP/x"
expect_status 2
run gctrace record -p "$(pid vm)" --output "$TMP/nonexistent/x"
expect_status 1
expect_equal "" "$(ls "$TMP/x" 2>/dev/null)" "a file for nothing"
pass
stop vm
