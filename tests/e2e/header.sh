#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The public header: compiles as C and C++, for both machines, in the ways that a runtime would use
# it, and its notes name semaphores that are there. The page for runtime authors tells the truth.
# parallel: yes
. "$(dirname "$0")/lib.sh"
need readelf nm

CC=${CC:-gcc} CXX=${CXX:-g++}
H=$ROOT/tests/e2e/header
EXAMPLE=$ROOT/docs/example
WARN="-Wall -Wextra -Werror -I$ROOT/include"

# Addresses of the semaphores of provider gctrace, as the notes name them.
noted() {
	readelf -n "$1" | awk '/Provider:/ { ours = $2 == "gctrace" } ours && /Semaphore:/ { print $NF }' |
		sed 's/0x0*//' | sort -u
}

# Addresses of the semaphores, as the symbols have them.
defined() { nm "$1" | awk '/ gctrace_.*_semaphore$/ { print $1 }' | sed 's/^0*//' | sort -u; }

probes() { readelf -n "$1" | awk '/Provider:/ { ours = $2 == "gctrace" } ours && /Name:/ { print $2 }' | sort; }

every_semaphore_is_noted() {
	noted "$1" >"$TMP/noted"
	defined "$1" >"$TMP/defined"
	[ -s "$TMP/noted" ] || fail "$1 has no notes"
	cmp -s "$TMP/noted" "$TMP/defined" || { fail "notes and symbols differ"; diff "$TMP/noted" "$TMP/defined"; }
	! noted "$1" | grep -qx 0 || fail "a note without a semaphore"
}

t "two files in a shared library, one with probes of another provider"
$CC -std=gnu11 -O2 -fPIC -shared $WARN "$EXAMPLE/probes.c" "$H/part.c" -o "$TMP/libruntime.so" ||
	fail "it does not build"
every_semaphore_is_noted "$TMP/libruntime.so"
expect_equal 16 "$(defined "$TMP/libruntime.so" | wc -l)" "semaphores"
readelf -n "$TMP/libruntime.so" | grep -A3 'Provider: elsewhere' | grep -q 'Semaphore: 0x0*$' ||
	fail "the other provider's probe got a semaphore"
$CC $WARN "$H/program.c" -o "$TMP/program" -L"$TMP" -lruntime -Wl,-rpath,"$TMP" || fail "no program"
run "$TMP/program"
expect_status 0
pass

t "no semaphore is visible outside its library"
[ -z "$(nm -D "$TMP/libruntime.so" | grep semaphore)" ] || fail "$(nm -D "$TMP/libruntime.so" | grep semaphore)"
pass

for standard in c11 gnu11; do
	t "C: -std=$standard, with and without optimisation"
	for level in -O0 -O2; do
		$CC -std=$standard -D_POSIX_C_SOURCE=200809L $level -fPIE -pie $WARN \
			"$EXAMPLE/probes.c" "$H/part.c" "$H/program.c" -o "$TMP/c" || fail "$level"
		every_semaphore_is_noted "$TMP/c"
	done
	pass
done

t "C++: -std=c++11 and newer, not position independent"
for standard in c++11 c++17 c++20; do
	$CXX -x c++ -std=$standard -O2 -no-pie $WARN "$EXAMPLE/probes.c" "$H/part.c" "$H/program.c" \
		-o "$TMP/cxx" || fail "$standard"
	every_semaphore_is_noted "$TMP/cxx"
done
pass

t "the implementation after <sys/sdt.h> is refused with the reason"
printf '#include <sys/sdt.h>\n#define GCTRACE_PROBES_IMPLEMENTATION\n#include <gctrace/probes.h>\n' >"$TMP/late.c"
run $CC $WARN -c "$TMP/late.c" -o "$TMP/late.o"
[ "$status" != 0 ] || fail "it compiled"
expect "$TMP/err" 'source file of its own'
pass

t "arguments are numbers or registers, which every tracer reads"
probes "$TMP/libruntime.so" >"$TMP/names"
readelf -n "$TMP/libruntime.so" | awk '/Provider:/ { ours = $2 == "gctrace" } ours && /Arguments:/' >"$TMP/arguments"
expect_not "$TMP/arguments" '\('
expect "$TMP/names" '^moved__references$'
pass

t "no site has a 5-byte nop"
readelf -n "$TMP/c" | awk '/Provider:/ { ours = $2 == "gctrace" } ours && /Location:/ { sub(",", "", $2); print $2 }' |
	while read -r address; do
		objdump -d --start-address="$address" --stop-address="$((address + 1))" "$TMP/c" |
			awk '/^ *[0-9a-f]+:/' | grep -qw nop || echo "$address"
	done >"$TMP/others"
[ ! -s "$TMP/others" ] || { fail "a site is not a 1-byte nop"; show "$TMP/others"; }
pass

t "arm64"
if command -v aarch64-linux-gnu-gcc >/dev/null; then
	mkdir "$TMP/sys" && cp /usr/include/x86_64-linux-gnu/sys/sdt*.h "$TMP/sys/" 2>/dev/null ||
		cp /usr/include/sys/sdt*.h "$TMP/sys/"
	aarch64-linux-gnu-gcc -std=gnu11 -O2 -fPIC $WARN -idirafter "$TMP" -c "$EXAMPLE/probes.c" \
		-o "$TMP/arm64.o" || fail "it does not build"
	expect_equal 16 "$(probes "$TMP/arm64.o" | sort -u | wc -l)" "probes"
	pass
else
	skip "no cross compiler (aarch64-linux-gnu-gcc)"
fi

t "the page for runtime authors quotes its example"
sed -n '/^```c$/,/^```$/p' "$ROOT/docs/runtime-authors.md" | grep -v '^```' | sed 's/^[ \t]*//' |
	grep -v '^$' >"$TMP/quoted"
cat "$EXAMPLE"/*.c | sed 's/^[ \t]*//' >"$TMP/example"
while IFS= read -r line; do
	grep -qxF -e "$line" "$TMP/example" || fail "not in docs/example: $line"
done <"$TMP/quoted"
pass

t "the example of a heap dump is built and asked"
if [ "$(id -u)" != 0 ]; then
	skip "it needs root"
else
	(cd "$ROOT" && $CC $WARN -O2 docs/example/dump.c docs/example/probes.c -o "$TMP/list") || fail "no build"
	start list "$TMP/list"
	run timeout 60 gctrace heap -p "$(pid list)" -o json
	expect_status 0
	expect "$TMP/out" '"event":"summary".*"complete":true,"objects":1000,"bytes":16000,"references":999,'
	expect "$TMP/out" '"reached_objects":1000,.*"missing":\{\},"odd":\{\}\}$'
	stop list
	pass
fi

t "the example is built and traced"
if [ "$(id -u)" != 0 ]; then
	skip "it needs root"
else
	(cd "$ROOT" && $CC $WARN -O2 docs/example/runtime.c docs/example/probes.c -o "$TMP/tiny") || fail "no build"
	start tiny "$TMP/tiny"
	run gctrace -p "$(pid tiny)" --moves -n 5 -o json
	expect_status 0
	expect "$TMP/out" '"event":"gc".*"moved_bytes":131072'
	# It tells all that there is to tell, so nothing has to be guessed.
	expect "$TMP/out" '"promoted_bytes":0,"dead_bytes":131072'
	expect_not "$TMP/out" '"estimated"'
	expect "$TMP/out" '"event":"summary".*"complete":true'
	stop tiny
	pass
fi
