#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The libraries that are loaded into other programs: what they need there, and what they show.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
need readelf

# LIBRARY: a line for each symbol that it wants of others, with its version.
wanted() { readelf --dyn-syms -W "$1" | awk '$7 == "UND" && $8 { print $8 }'; }
# LIBRARY: those that it defines for others.
defined() { readelf --dyn-syms -W "$1" | awk '$7 != "UND" && $5 == "GLOBAL" { print $8 }' | sort; }

# What the runtimes ask for.
of_dotnet="DllCanUnloadNow DllGetClassObject"
of_hotspot="Agent_OnAttach Agent_OnLoad Agent_OnUnload"

# LIBRARY SYMBOLS: the test proper
loads_anywhere() {
	wanted "$1" | sed -n 's/.*@GLIBC_//p' | sort -V >"$TMP/versions"
	[ -s "$TMP/versions" ] || fail "no versions of symbols were found"
	newest=$(tail -n 1 "$TMP/versions")
	[ "$(printf '%s\n2.17\n' "$newest" | sort -V | tail -n 1)" = 2.17 ] ||
		{ fail "it wants GLIBC_$newest"; wanted "$1" >"$TMP/wanted"; show "$TMP/wanted"; }
	readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' >"$TMP/needed"
	grep -vE '^(libc|libpthread|ld-linux[-.a-z0-9_]*)\.so' "$TMP/needed" && fail "it needs other libraries"
	expect_equal "$2" "$(defined "$1" | xargs)" "symbols it shows"
}

t "the agents want no symbol newer than glibc 2.17, and show what their runtimes ask for"
loads_anywhere "$BUILD/libgctrace-dotnet.so" "$of_dotnet"
loads_anywhere "$BUILD/libgctrace-hotspot.so" "$of_hotspot"
pass

t "they have the probes of the provider and its requests"
for agent in dotnet hotspot; do
	expect_equal 16 "$(readelf -n "$BUILD/libgctrace-$agent.so" | grep -A 1 'Provider: gctrace' |
		awk '/Name:/ { print $2 }' | sort -u | wc -l)" "probes of $agent"
done
pass

t "they keep nothing in a thread's own storage, which is allocated at the first use"
for agent in dotnet hotspot; do
	readelf -lW "$BUILD/libgctrace-$agent.so" >"$TMP/segments"
	expect_not "$TMP/segments" 'TLS'
done
pass

t "they build for arm64"
if command -v aarch64-linux-gnu-gcc >/dev/null; then
	mkdir "$TMP/sys"
	cp /usr/include/*-linux-gnu/sys/sdt*.h "$TMP/sys/" 2>/dev/null ||
		cp /usr/include/sys/sdt*.h "$TMP/sys/"
	run make -C "$ROOT" CC=aarch64-linux-gnu-gcc BUILD="$TMP/arm64" SETUP=no \
		CPPFLAGS="-idirafter $TMP" "$TMP/arm64/libgctrace-dotnet.so" \
		"$TMP/arm64/libgctrace-hotspot.so"
	expect_status 0
	loads_anywhere "$TMP/arm64/libgctrace-dotnet.so" "$of_dotnet"
	loads_anywhere "$TMP/arm64/libgctrace-hotspot.so" "$of_hotspot"
	pass
else
	skip "no cross compiler (aarch64-linux-gnu-gcc)"
fi
