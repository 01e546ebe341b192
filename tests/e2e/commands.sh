#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Each command that is printed to show more works as printed: in text, JSON and a page; of a live
# process, by its own dump, of hprof files and recordings, whatever files and types are called.
# limit: 300
. "$(dirname "$0")/lib.sh"
need gctrace minivm jq
commands() { /usr/bin/env python3 "$ROOT/tests/e2e/commands.py" "$@"; }

# Take what a subject is shown as, in each form, and run each command in it once.
run_printed() {	# LEAST SUBJECT...
	local least=$1 command count=0
	shift
	rm -f "$TMP/page.html"
	timeout 60 gctrace heap "$@" >"$TMP/text" 2>"$TMP/err" || { fail "no text"; show "$TMP/err"; }
	timeout 60 gctrace heap "$@" -o json >"$TMP/json" 2>"$TMP/err" || { fail "no JSON"; show "$TMP/err"; }
	timeout 60 gctrace heap "$@" --html "$TMP/page.html" >"$TMP/err" 2>&1 ||
		{ fail "no page"; show "$TMP/err"; }
	for form in text json page.html; do
		commands extract "$TMP/$form" >"$TMP/$form.commands"
		[ -s "$TMP/$form.commands" ] || fail "$form shows no command"
	done
	sort -zu "$TMP"/{text,json,page.html}.commands >"$TMP/commands"
	while IFS= read -rd '' command; do
		count=$((count + 1))
		timeout 60 bash -c "$command" >"$TMP/shown" 2>"$TMP/err" </dev/null ||
			{ fail "exit status $? of: $command"; show "$TMP/err"; }
		grep -qE 'keeps|Roots|Types|ends? here' "$TMP/shown" ||
			{ fail "nothing shown by: $command"; show "$TMP/shown"; }
	done <"$TMP/commands"
	[ "$count" -ge "$least" ] || fail "$count commands only"
	echo "$count commands"
}

i=0
for name in 'shop.Order' 'it'"'"'s $HOME `id` "x" ;|&' 'a\\b*c?[d-e]{f}' '\x1b[31mred\x0anext' \
	'\xc3\xa4 \xff' '-p 1 --type' '$(touch x)\x00end'; do
	i=$((i + 1))
	t "of an hprof file with a class called $name"
	commands hprof "$TMP/$i.hprof" "$name"
	run_printed 2 "$TMP/$i.hprof"
	grep -qa -- --type "$TMP/commands" || fail "no command has the type's name"
	pass
done

cd "$TMP" || exit 2
for name in 'with blanks' "it's" '-dash' 'at@2' '$HOME' '~tilde' $'line\nfeed' 'café'; do
	t "of an hprof file called $(printf %q "$name")"
	cp 1.hprof "./$name"
	run_printed 1 "./$name"
	pass
done

if [ "$(id -u)" = 0 ]; then
	t "of a process, and of the dumps in its recording"
	start vm minivm --quiet --leak --leak-rate 1000 --objects 5000
	wait_for "timeout 60 gctrace heap -p $(pid vm) -o json | grep -q '\"event\":\"finding\"'" ||
		fail "no leak"
	run_printed 1 -p "$(pid vm)"
	run timeout 60 gctrace record -p "$(pid vm)" --dump=1s -d 4s --output "$TMP/a b@2"
	run_printed 1 "a b@2@1"
	run timeout 60 gctrace diff "a b@2@1" "a b@2@2"
	commands extract "$TMP/out" >"$TMP/commands"
	while IFS= read -rd '' command; do
		run timeout 60 bash -c "$command"
		expect_status 0
	done <"$TMP/commands"
	stop vm
	pass
fi

t "of a JVM, by its own dump"
if ! command -v javac >/dev/null; then
	skip "no javac"
else
	javac -d "$TMP/classes" "$ROOT/tests/runtimes/hotspot/Leaks.java" || fail "javac"
	mkfifo "$TMP/shapes"
	start jvm sh -c 'exec java -Xmx200m -cp "$1" Leaks <"$0"' "$TMP/shapes" "$TMP/classes"
	exec 8>"$TMP/shapes"
	for shape in executor threadlocals; do
		echo $shape >&8
		wait_for grep -qsx "planted $shape" "$TMP/jvm.out" || fail "$shape was not planted"
		run_printed 1 -p "$(pid jvm)" --via jvm
	done
	exec 8>&-
	join jvm
	pass
fi
