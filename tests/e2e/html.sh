#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace heap --html: the page opens in a real browser, of a heap with a million objects, too; it
# asks the network for nothing, its figures are those of -o json, and what is clicked on is shown.
# limit: 900
. "$(dirname "$0")/lib.sh"
need_root
need gctrace minivm
python=/usr/bin/python3

browser_is_here() {
	"$python" -c 'import sys; sys.path.insert(0, sys.argv[1]); import browser
sys.exit(not browser.find())' "$ROOT/tests/e2e"
}

# A recording with one dump of a VM that has that many objects.
record_heap() {	# NAME OBJECTS OPTION...
	local name=$1 objects=$2
	shift 2
	start "$name" minivm --quiet "$@"
	WAIT=240 wait_for record_once "$name" "$objects" || fail "$name has no heap of $objects objects"
	stop "$name"
}

record_once() {	# NAME OBJECTS
	timeout 120 gctrace record -p "$(pid "$1")" -n 1 --dump --output "$TMP/$1" >/dev/null 2>&1 &&
		[ "$(timeout 60 gctrace heap "$TMP/$1" --list -o json | jq .objects)" -ge "$2" ]
}

# The page of a recording is what the browser shows of it.
looks_right() {	# NAME TYPE OPTION...
	local name=$1 type=$2
	shift 2
	run timeout 300 gctrace heap "$TMP/$name" --html "$TMP/$name.html"
	expect_status 0
	expect "$TMP/err" "objects as a page, .* in $TMP/$name.html"
	[ ! -s "$TMP/out" ] || fail "something went to stdout"
	[ "$(stat -c %s "$TMP/$name.html")" -lt 10000000 ] || fail "the page is larger than 10 MB"
	timeout 300 gctrace heap "$TMP/$name" --top 0 -o json >"$TMP/$name.json"
	timeout 300 gctrace heap "$TMP/$name" --tree=6 --top 20 -o json >"$TMP/$name.tree"
	timeout 300 gctrace path "$TMP/$name" --type "$type" --top 1 -o json >"$TMP/$name.path" 2>/dev/null
	timeout 300 "$python" "$ROOT/tests/e2e/html_check.py" "$TMP/$name.html" "$TMP/$name.json" \
		"$TMP/$name.tree" "$TMP/$name.path" "$@" >"$TMP/seen" 2>&1 || {
		fail "the page is not right"
		show "$TMP/seen"
	}
}

t "a page of what leaks: opens, finds, zooms, shows paths, and fetches nothing"
record_heap leak 100000 --leak --leak-rate 4000 --objects 5000
if browser_is_here; then
	looks_right leak 'HashMap.Entry??'
	pass
else
	skip "chromium is not installed"
fi

t "ages stand in the table of types where collections were followed"
start aged minivm --quiet --nursery 512k --objects 5000
run timeout 120 gctrace record -p "$(pid aged)" -n 12 --moves --dump --output "$TMP/aged"
expect_status 0
stop aged
if browser_is_here; then
	looks_right aged 'shop.Order'
	expect_equal 1 "$(grep -c '"age_most"' <(grep -m 1 '"event":"type"' "$TMP/aged.json"))" "ages"
	pass
else
	skip "chromium is not installed"
fi

t "the same with a million objects"
if browser_is_here; then
	record_heap million 1000000 --leak --objects 1000000
	looks_right million shop.OrderLine
	pass
else
	skip "chromium is not installed"
fi

t "hostile names stay text"
record_heap hostile 20000 --leak --objects 5000 --names hostile
if browser_is_here; then
	looks_right hostile '*' --hostile
else
	run timeout 60 gctrace heap "$TMP/hostile" --html "$TMP/hostile.html"
	expect_status 0
fi
# Two elements of script end; and no byte that reorders, hides, or is no UTF-8.
expect_equal 2 "$(grep -c '</script>' "$TMP/hostile.html")" "how often a script ends"
iconv -f UTF-8 -t UTF-8 "$TMP/hostile.html" >/dev/null || fail "not UTF-8"
expect_not "$TMP/hostile.html" $'\u202e|\u2028|\x1b|\ufeff'
pass

t "what a dump lacks is told on the page, and by the exit status"
head -c $(($(stat -c %s "$TMP/leak") * 3 / 4)) "$TMP/leak" >"$TMP/cut"
run timeout 120 gctrace heap "$TMP/cut" --html "$TMP/cut.html"
expect_status 3
expect "$TMP/cut.html" '"complete":false,"missing":\["it was cut off'
pass

t "the page belongs to who called sudo; a live process is looked at, too"
start vm minivm --quiet --objects 5000
work "$(pid vm)" 1
run env SUDO_UID=12345 SUDO_GID=23456 timeout 120 gctrace heap -p "$(pid vm)" --html "$TMP/live.html"
expect_status 0
expect_equal "12345:23456 600" "$(stat -c '%u:%g %a' "$TMP/live.html")" "owner and mode"
expect "$TMP/live.html" "\"subject\":\"-p $(pid vm)\",\"is_file\":false,\"began_ms\":"
stop vm
pass

t "a page that cannot be written leaves what was there"
run gctrace heap "$TMP/leak" --html /dev/full
expect_status 1
expect "$TMP/err" 'cannot write to /dev/full.*: No space left'
mkdir "$TMP/small"
if mount -t tmpfs -o size=64k none "$TMP/small"; then
	echo before >"$TMP/small/page.html"
	run gctrace heap "$TMP/leak" --html "$TMP/small/page.html"
	expect_status 1
	expect "$TMP/err" 'No space left'
	expect_equal before "$(cat "$TMP/small/page.html")" "what was there"
	expect_equal page.html "$(ls "$TMP/small")" "what is left in the directory"
	umount "$TMP/small"
fi
ln -s leak.html "$TMP/link"
run gctrace heap "$TMP/leak" --html "$TMP/link"
expect_status 1
expect "$TMP/err" 'is a symbolic link'
pass

t "what does not go together with a page is refused"
for words in --list --roots --tree "--objects --type x" "-o json" "--type x" \
	"--by package" "--age-at-least 1" "--sort name" "--top 3"; do
	# shellcheck disable=SC2086
	run gctrace heap "$TMP/leak" --html "$TMP/refused" $words
	expect_status 2
	expect "$TMP/err" '^gctrace: --html '
done
[ ! -e "$TMP/refused" ] || fail "something was written"
pass
