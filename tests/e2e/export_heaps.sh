#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace export --as hprof and --as heapsnapshot: what VisualVM's heap library and memlab find in
# the file, object by object, is what gctrace shows: types, counts, sizes, references, retained sizes.
# limit: 900
. "$(dirname "$0")/lib.sh"
need_root
need gctrace minivm semaphores python3
foreign=$ROOT/tests/foreign

# A recording with a dump of a minivm that has collected a few times, and what gctrace shows of it.
record() {	# NAME OPTION...
	local name=$1
	shift
	start "$name" minivm --quiet --truth "$TMP/$name.truth" --truth-every 1000000000 "$@"
	wait_for "[ \"\$(stat -c %s '$TMP/$name.truth' 2>/dev/null || echo 0)\" -gt 20000 ]" ||
		fail "$name does not collect"
	run timeout 120 gctrace record -p "$(pid "$name")" -n 1 --dump --output "$TMP/$name"
	expect_status 0
	stop "$name"
	timeout 120 gctrace heap "$TMP/$name" --top 0 -o json >"$TMP/$name.types"
}

# What is read is what was there; one of its lines for each object only where names are short.
is_same() {	# FORMAT NAME [types]
	local objects=-
	if [ $# = 2 ]; then
		objects=$TMP/$2.objects
		timeout 120 gctrace heap "$TMP/$2" --objects --type '*' --top 0 -o json >"$objects"
	fi
	run timeout 120 gctrace export "$TMP/$2" --as "$1" --output "$TMP/$2.$1"
	expect_status 0
	expect "$TMP/err" " objects as $1, "
	timeout 280 "$foreign/read" "$1" "$TMP/$2.$1" >"$TMP/read" 2>"$TMP/read.err" ||
		{ fail "it cannot be read"; show "$TMP/read.err"; }
	"$foreign/compare.py" "$1" "$objects" "$TMP/$2.types" "$TMP/read" >"$TMP/compared" ||
		{ fail "not what gctrace shows"; show "$TMP/compared"; }
	cp "$TMP/read" "$TMP/$1.read"
	rm -rf "$TMP/$2.$1" "$TMP/$2.$1.hwcache" "$TMP/read"
}

record leak --leak --leak-rate 4000 --objects 3000
record parts --objects 3000 --split-references 3 --collector concurrent
record hostile --objects 500 --names hostile

for format in hprof heapsnapshot; do
	"$foreign/read" $format --prepare 2>"$TMP/why"
	have=$?

	t "$format: each object of a heap with a leak, as gctrace shows it"
	if [ $have = 77 ]; then
		skip "$(cat "$TMP/why")"
		continue
	fi
	is_same $format leak
	pass

	t "$format: objects in parts, other roots"
	is_same $format parts
	pass

	t "$format: what 500 random heaps retain, object by object"
	mkdir "$TMP/files"
	EXPORT_FILES=$TMP/files "$(unit_test "view/export_$format")" >"$TMP/unit" 2>&1 ||
		{ fail "the unit test fails"; show "$TMP/unit"; }
	timeout 280 "$foreign/read" $format --compare "$TMP/files" >"$TMP/compared" 2>"$TMP/read.err" ||
		{ fail "they cannot be read"; show "$TMP/read.err"; }
	expect "$TMP/compared" $'^compared\t[0-9]{4}'
	expect_not "$TMP/compared" '^wrong'
	rm -rf "$TMP/files"
	pass

	t "$format: hostile names break nothing"
	is_same $format hostile types
	! LC_ALL=C grep -aq $'[\x01-\x08\x0b-\x1f\x7f]' "$TMP/$format.read" ||
		fail "control characters came through"
	pass
done

t "hprof: threads, frames, statics"
if [ -e "$TMP/hprof.read" ]; then
	run timeout 120 gctrace export "$TMP/leak" --as hprof --output "$TMP/leak.hprof"
	"$foreign/read" hprof "$TMP/leak.hprof" >"$TMP/read" 2>&1
	expect "$TMP/read" $'^static\t[0-9a-f]+\tinstance\t[0-9a-f]+$'
	expect "$TMP/read" $'^root\tthread object\t'
	expect "$TMP/read" $'^root\tJava frame\t'
	expect "$TMP/read" $'^root\tJNI global\t'
	pass
else
	skip "there is no reader"
fi

t "hprof: threads have their names, also when it is read back"
run timeout 120 gctrace export "$TMP/leak" --as hprof --output "$TMP/leak.hprof"
expect_status 0
for file in leak leak.hprof; do
	run gctrace heap "$TMP/$file" --roots --top 0
	expect "$TMP/out" ' thread main$'
	expect "$TMP/out" ' thread worker-1 '
	expect_not "$TMP/out" ' thread number'
done
pass

t "standard output gets the same bytes as a file, of which zeros need no room"
run timeout 60 gctrace export "$TMP/leak" --as hprof --output "$TMP/file"
size=$(stat -c %s "$TMP/file")
run bash -c "gctrace export '$TMP/leak' --as hprof | cmp - '$TMP/file'"
expect_status 0
[ "$size" -gt 100000 ] || fail "only $size bytes"
pass

t "a file belongs to the user who called sudo, and is theirs alone"
for format in hprof heapsnapshot; do
	run env SUDO_UID=65534 SUDO_GID=65534 gctrace export "$TMP/leak" --as $format \
		--output "$TMP/theirs.$format"
	expect_status 0
	expect_equal "65534 65534 600" "$(stat -c '%u %g %a' "$TMP/theirs.$format")" "owner"
done
pass

t "what cannot be written leaves no part of a file"
run bash -c "gctrace export '$TMP/leak' --as hprof >/dev/full"
expect_status 1
expect "$TMP/err" 'cannot write to standard output'
run bash -c "gctrace export '$TMP/leak' --as heapsnapshot | head -c 100 | wc -c"
expect_equal 100 "$(cat "$TMP/out")" "bytes"
[ ! -s "$TMP/err" ] || fail "a closed pipe was complained about"
run bash -c "ulimit -f 16; trap '' XFSZ; gctrace export '$TMP/leak' --as hprof --output '$TMP/full'"
expect_status 1
ls "$TMP" | grep '^full' && fail "a file that is not whole"
pass

t "stopped or killed, it leaves nothing, and what was there as it was"
start vm minivm --quiet --objects 100000 --dump-pace 100
for signal in INT TERM KILL; do
	echo before >"$TMP/stopped"
	start exporter gctrace export -p "$(pid vm)" --as hprof --output "$TMP/stopped"
	WAIT=60 wait_for "semaphores $(pid vm) | grep -Eq 'request__dump[[:space:]]+[1-9]'" ||
		fail "no dump is asked for"
	ls "$TMP" | grep -q '^stopped\..*part$' || fail "no part of it is being written"
	stop exporter $signal
	[ $signal = KILL ] || expect_equal 1 "$status" "exit status"
	wait_for "! ls '$TMP' | grep -q '^stopped\.'" || fail "a part is left"
	expect_equal before "$(cat "$TMP/stopped")" "what was there"
	wait_for "! semaphores $(pid vm) | grep -Eq 'request__dump[[:space:]]+[1-9]'" ||
		fail "the dump goes on"
done
stop vm KILL
pass

t "a dump that is cut off is exported as far as it goes, and that is said"
head -c $(($(stat -c %s "$TMP/leak") * 3 / 4)) "$TMP/leak" >"$TMP/cut"
for format in hprof heapsnapshot; do
	run timeout 60 gctrace export "$TMP/cut" --as $format --output "$TMP/cut.$format"
	expect_status 3
	expect "$TMP/err" 'warning: the heap dump is not whole'
	expect "$TMP/err" 'it was cut off'
	run timeout 60 gctrace export "$TMP/cut" --as $format --output "$TMP/cut.$format" --allow-loss
	expect_status 0
	"$foreign/read" $format "$TMP/cut.$format" summary >"$TMP/read" 2>"$TMP/why"
	[ $? = 77 ] || expect "$TMP/read" '^retained'
done
pass

t "of a running process"
start vm minivm --quiet --objects 1000
WAIT=60 wait_for "timeout 60 gctrace export -p $(pid vm) --as heapsnapshot \
	--output '$TMP/live' 2>/dev/null" || fail "no export"
python3 -c "import json, sys
with open(sys.argv[1]) as file:
    snapshot = json.load(file)
assert len(snapshot['nodes']) == 7 * snapshot['snapshot']['node_count']
assert len(snapshot['edges']) == 3 * snapshot['snapshot']['edge_count']" "$TMP/live" ||
	fail "no snapshot"
stop vm
pass

t "wrong usage says what is right"
for words in "$TMP/leak" "--as hprof" "$TMP/leak --as no-such" "-p 1 $TMP/leak --as hprof" \
	"$TMP/leak --as hprof --address 10"; do
	# shellcheck disable=SC2086
	run gctrace export $words
	expect_status 2
done
run gctrace export "$TMP/leak"
expect "$TMP/err" '^gctrace: +hprof: VisualVM'
pass
