#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Heap dumps that a JVM wrote (hprof): counts and bytes by type are those of jmap -histo:live, what
# objects retain is what VisualVM's heap library finds, and what gctrace exports comes back as it was.
# limit: 600
. "$(dirname "$0")/../e2e/lib.sh"
need gctrace java javac jmap python3

HERE=$ROOT/tests/runtimes
compare() { /usr/bin/env python3 "$HERE/hotspot_hprof.py" "$@"; }

javac -d "$TMP" "$HERE/Shop.java" 2>"$TMP/javac.err" ||
	skip_all "javac: $(head -n 1 "$TMP/javac.err")"

dump() {	# NAME JVM-OPTION...
	local name=$1
	shift
	start jvm java "$@" -Xmx256m -cp "$TMP" Shop 20000
	wait_for grep -qs ready "$TMP/jvm.out" || { fail "the JVM did not start"; show "$TMP/jvm.err"; }
	rm -f "$TMP/$name.hprof"
	timeout 60 jmap "-dump:live,format=b,file=$TMP/$name.hprof" "$(pid jvm)" >"$TMP/jmap" 2>&1 ||
		{ fail "jmap makes no dump"; show "$TMP/jmap"; }
	timeout 60 jmap -histo:live "$(pid jvm)" >"$TMP/$name.histo" 2>"$TMP/jmap" ||
		{ fail "jmap counts nothing"; show "$TMP/jmap"; }
	stop jvm
}

types() {	# FILE OPTION...
	timeout 120 gctrace heap "$@" --top 0 -o json
}

has() { java "$@" -version >/dev/null 2>&1; }

for options in "-XX:+UseG1GC" "-XX:+UseSerialGC -XX:-UseCompressedOops" \
	"-XX:+UseParallelGC -XX:-UseCompressedClassPointers" "-XX:+UseZGC"; do
	t "$options: counts and bytes by type are those of jmap -histo:live"
	# shellcheck disable=SC2086
	if ! has $options; then
		skip "this build of the JVM does not take $options"
		continue
	fi
	# shellcheck disable=SC2086
	dump one $options
	mode=histo
	[ "$options" != -XX:+UseZGC ] || mode=hidden
	types "$TMP/one.hprof" >"$TMP/types" || fail "exit status $?"
	run compare $mode "$TMP/types" "$TMP/one.histo"
	[ "$status" = 0 ] || { fail "not what the JVM counts"; show "$TMP/out"; }
	types "$TMP/one.hprof" --histogram >"$TMP/counts"
	run compare $mode "$TMP/counts" "$TMP/one.histo"
	[ "$status" = 0 ] || { fail "--histogram counts something else"; show "$TMP/out"; }
	pass
done

dump shop -XX:+UseG1GC

t "paths have the names of fields, statics, methods and lines"
run gctrace path "$TMP/shop.hprof" --type 'Shop$Inner'
expect_status 0
expect "$TMP/out" 'Shop\.main \(Shop\.java:[0-9]+\), local \(Shop\$Inner\)'
run gctrace path "$TMP/shop.hprof" --type 'Shop$Kept'
expect "$TMP/out" 'static Shop\.cache \(java\.util\.HashMap\)'
expect "$TMP/out" '\.table\[[0-9]+\] \(java\.util\.HashMap\$Node\)'
pass

t "weak references keep nothing alive, soft ones do"
run gctrace path "$TMP/shop.hprof" --type 'Shop$Weakly'
expect "$TMP/out" 'local \(Shop\$Weakly\)'
expect_not "$TMP/out" 'referent'
run gctrace heap "$TMP/shop.hprof" --top 1 -o json
expect "$TMP/out" '"weak_references":[1-9]'
run gctrace path "$TMP/shop.hprof" --type 'Shop$Softly'
expect "$TMP/out" '\.referent \(Shop\$Softly\)'
pass

t "what is written anew retains what VisualVM's heap library finds in it"
"$ROOT/tests/foreign/read" hprof --prepare 2>"$TMP/why"
if [ $? = 77 ]; then
	skip "$(cat "$TMP/why")"
else
	run gctrace export "$TMP/shop.hprof" --as hprof --output "$TMP/again.hprof"
	expect_status 0
	timeout 120 "$ROOT/tests/foreign/read" hprof "$TMP/again.hprof" >"$TMP/read" 2>"$TMP/why" ||
		{ fail "it cannot be read"; show "$TMP/why"; }
	# VisualVM shows / as a dot; what leads out of the dump is no reference there.
	timeout 120 gctrace heap "$TMP/shop.hprof" --objects --type '*' --top 0 -o json |
		sed 's#/0x#.0x#g; s#{[^{}]*"dangling":true}##g; s#,,*#,#g; s#\[,#[#g; s#,\]#]#g' \
			>"$TMP/objects"
	types "$TMP/shop.hprof" >"$TMP/types"
	"$ROOT/tests/foreign/compare.py" hprof "$TMP/objects" "$TMP/types" "$TMP/read" \
		>"$TMP/compared" || { fail "not what gctrace shows"; show "$TMP/compared"; }
	pass
fi

t "where VisualVM finds that an object of the JVM's own file retains something else, it is known why"
if "$ROOT/tests/foreign/read" hprof --prepare 2>"$TMP/why"; then
	timeout 120 "$ROOT/tests/foreign/read" hprof "$TMP/shop.hprof" >"$TMP/read" 2>"$TMP/why" ||
		{ fail "it cannot be read"; show "$TMP/why"; }
	timeout 120 gctrace heap "$TMP/shop.hprof" --objects --type '*' --top 0 -o json >"$TMP/objects"
	timeout 120 gctrace heap "$TMP/shop.hprof" --tree=1000000 --top 0 -o json >"$TMP/tree"
	run "$ROOT/tests/foreign/retained.py" "$TMP/objects" "$TMP/tree" "$TMP/read"
	[ "$status" = 0 ] || { fail "a difference that nothing explains"; show "$TMP/out"; }
	cat "$TMP/out"
	pass
else
	skip "$(cat "$TMP/why")"
fi

t "a pipe, and a file that is cut off"
run bash -c "gctrace heap <(cat '$TMP/shop.hprof') --top 0 -o json"
expect_status 0
grep '"event":"type"' "$TMP/out" >"$TMP/piped"
types "$TMP/shop.hprof" | grep '"event":"type"' | cmp - "$TMP/piped" || fail "the pipe differs"
head -c $(($(stat -c %s "$TMP/shop.hprof") / 2)) "$TMP/shop.hprof" >"$TMP/cut.hprof"
run gctrace heap "$TMP/cut.hprof"
expect_status 3
expect "$TMP/err" 'is cut off after'
expect "$TMP/out" 'it was cut off: its end is not there'
run gctrace heap "$TMP/cut.hprof" --histogram --allow-loss
expect_status 0
pass

t "a gzip file, as the JVM writes it, or another does"
start jvm java -Xmx256m -cp "$TMP" Shop 20000
wait_for grep -qs ready "$TMP/jvm.out" || fail "it did not start"
rm -f "$TMP/zipped.hprof.gz"
timeout 60 jcmd "$(pid jvm)" GC.heap_dump -gz=1 "$TMP/zipped.hprof.gz" >"$TMP/jcmd" 2>&1 ||
	{ fail "jcmd makes no dump"; show "$TMP/jcmd"; }
stop jvm
zcat "$TMP/zipped.hprof.gz" >"$TMP/unzipped.hprof"
types "$TMP/zipped.hprof.gz" | grep '"event":"type"' >"$TMP/types" || fail "exit status $?"
types "$TMP/unzipped.hprof" | grep '"event":"type"' | cmp - "$TMP/types" || fail "it differs"
gzip -c "$TMP/unzipped.hprof" | gctrace heap /dev/stdin --top 0 -o json |
	grep '"event":"type"' | cmp - "$TMP/types" || fail "a pipe differs"
gctrace diff "$TMP/zipped.hprof.gz" "$TMP/unzipped.hprof" >"$TMP/out" 2>"$TMP/err"
expect_not "$TMP/err" 'no recording'
pass

t "two files are compared"
run gctrace diff "$TMP/cut.hprof" "$TMP/shop.hprof"
expect "$TMP/out" 'Shop\$Node'
run gctrace diff "$TMP/shop.hprof" "$TMP/shop.hprof"
expect_status 1
pass

t "what is no hprof file, or no recording, is said"
printf 'JAVA PROFILE 1.0.7\0\0\0\0\010\0\0\0\0\0\0\0\0' >"$TMP/other"
run gctrace heap "$TMP/other"
expect_status 1
expect "$TMP/err" "version 1.0.7; gctrace reads 1.0 to 1.0.3"
printf 'JAVA PROFILE 1.0.2' >"$TMP/other"
run gctrace heap "$TMP/other"
expect_status 1
expect "$TMP/err" 'cut off in its first line'
for words in "$TMP/shop.hprof" "heap $TMP/shop.hprof --list" "follow $TMP/shop.hprof"; do
	# shellcheck disable=SC2086
	run gctrace $words
	expect_status 1
	expect "$TMP/err" 'heap dump of a JVM \(hprof\), which gctrace heap, path, diff'
done
run gctrace heap "$TMP/shop.hprof@2"
expect_status 1
expect "$TMP/err" 'holds one heap dump'
pass

t "a dump of a minivm, exported and read back, is the same heap"
if [ "$(id -u)" != 0 ]; then
	skip "recording takes root"
else
	start vm minivm --quiet --leak --objects 3000
	WAIT=60 wait_for "timeout 60 gctrace export -p $(pid vm) --as hprof \
		--output '$TMP/vm.hprof' 2>/dev/null" || fail "no export"
	run gctrace record -p "$(pid vm)" -n 1 --dump --output "$TMP/vm"
	stop vm
	run gctrace export "$TMP/vm" --as hprof --output "$TMP/vm.hprof"
	timeout 60 gctrace heap "$TMP/vm" --objects --type '*' --top 0 -o json >"$TMP/was"
	timeout 60 gctrace heap "$TMP/vm.hprof" --objects --type '*' --top 0 -o json >"$TMP/is"
	run compare objects "$TMP/was" "$TMP/is"
	[ "$status" = 0 ] || { fail "not the same heap"; show "$TMP/out"; }
	pass
fi
