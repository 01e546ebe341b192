#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What the Makefile and scripts/setup promise beside the building itself.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
unset MAKEFLAGS MAKELEVEL ONLY SETUP

# The directory as it was named when it was built: its name is in the flags.
make_here() { run make -C "$ROOT" BUILD="${BUILD#"$ROOT"/}" "$@"; }

t "make help names every target for people"
make_here help
expect_status 0
for target in all demo check soak fuzz bench kernels install uninstall clean help; do
	expect "$TMP/out" "^  $target +[a-z]"
done
pass

t "no line of C is wider than 100 columns"
find "$ROOT"/{agents,bpf,docs,include,tests,user} -name '*.[ch]' \
	-exec wc -L {} + | awk '$1 > 100 && $2 != "total"' >"$TMP/wide"
[ ! -s "$TMP/wide" ] || { fail "the widest line of some files"; show "$TMP/wide"; }
pass

t "more columns than a table has room for do not compile"
many_columns() {	# COUNT
	cat >"$TMP/columns.c" <<-END
	#include "view/columns.h"
	static const struct column all[$1] = { { .title = "one" } };
	void take(struct columns *columns);
	void take(struct columns *columns) { columns__all(columns, all); }
	END
	run "${CC:-gcc}" -std=gnu11 -D_GNU_SOURCE= -I"$ROOT/user" -fsyntax-only "$TMP/columns.c"
}
most=$(sed -n 's/^#define COLUMNS_MOST //p' "$ROOT/user/view/columns.h")
many_columns "$most"
expect_status 0
many_columns $((most + 1))
expect_status 1
expect "$TMP/err" 'more columns than a struct columns has room for'
pass

t "the tree holds no products of a build"
if ! git -c safe.directory='*' -C "$ROOT" ls-files --eol >"$TMP/files" 2>/dev/null; then
	skip "this is no checkout of git"
elif sed -n 's/^i\/-text.*\t//p' "$TMP/files" | grep -vx docs/heap-page.png >"$TMP/binary"; then
	fail "files that are no text"
	show "$TMP/binary"
else
	pass
fi

t "an up-to-date tree is not built again"
make_here
expect_status 0
expect_not "$TMP/out" '^  (CC|BPF|SKEL|AR|LINK)'
pass

t "the BPF programs are compiled for the other architecture as well"
case $(uname -m) in
x86_64) other=aarch64 ;;
*) other=x86_64 ;;
esac
programs=()
for program in "$ROOT"/bpf/*.bpf.c; do
	programs+=("$TMP/other/bpf/$(basename "$program" .c).o")
done
run make -C "$ROOT" BUILD="$TMP/other" MACHINE=$other-linux-gnu "${programs[@]}"
expect_status 0
pass

t "install puts its files under DESTDIR and PREFIX, uninstall takes each of them away"
make_here install DESTDIR="$TMP/dest" PREFIX=/opt/gc
expect_status 0
[ -x "$TMP/dest/opt/gc/sbin/gctrace" ] || fail "no sbin/gctrace"
for agent in "$BUILD"/libgctrace-*.so; do # where gctrace looks for them: ../lib/gctrace
	cmp -s "$agent" "$TMP/dest/opt/gc/lib/gctrace/${agent##*/}" || fail "no ${agent##*/}"
done
for header in "$ROOT"/include/gctrace/*.h; do
	cmp -s "$header" "$TMP/dest/opt/gc/include/gctrace/${header##*/}" || fail "no ${header##*/}"
done
cmp -s "$BUILD/libgctrace-dotnet.so" "$TMP/dest/opt/gc/lib/gctrace/libgctrace-dotnet.so" ||
	fail "no agent for .NET"
expect "$TMP/dest/opt/gc/share/bash-completion/completions/gctrace" 'complete .*gctrace'
expect "$TMP/dest/opt/gc/share/zsh/site-functions/_gctrace" '^#compdef gctrace'
expect "$TMP/dest/opt/gc/share/fish/vendor_completions.d/gctrace.fish" '^complete .*gctrace'
(cd "$TMP/dest" && find . -type f ! -path './opt/gc/*') >"$TMP/outside"
[ ! -s "$TMP/outside" ] || { fail "files outside of PREFIX"; show "$TMP/outside"; }
make_here uninstall DESTDIR="$TMP/dest" PREFIX=/opt/gc
expect_status 0
find "$TMP/dest" -type f >"$TMP/left"
[ ! -s "$TMP/left" ] || { fail "uninstall left files"; show "$TMP/left"; }
pass

t "an installed header is all that a C and a C++ program need"
for language in c c++; do
	printf '#include <gctrace/wire.h>\nint main(void) { return 0; }\n' >"$TMP/a.$language"
	run "${CC:-gcc}" -x $language -Wall -Wextra -Werror -I"$ROOT/include" -c -o /dev/null "$TMP/a.$language"
	expect_status 0
done
pass

# ---------------------------------------------------------------------------------------------
# scripts/setup, on a machine that has nothing but a shell, and package managers that write down
# what they are asked for

machine() {	# PACKAGE MANAGER COMMAND…
	local tool
	rm -rf "$TMP/bin" "$TMP/asked"
	mkdir -p "$TMP/bin"
	for tool in sh env cat grep sed sort tr uniq id; do
		ln -s "$(command -v $tool)" "$TMP/bin/$tool"
	done
	for tool; do
		printf '#!/bin/sh\necho "%s $*" >>%s/asked\n' "$tool" "$TMP" >"$TMP/bin/$tool"
		chmod +x "$TMP/bin/$tool"
	done
	printf '#!/bin/sh\necho "  Candidate: 1.0"\n' >"$TMP/bin/apt-cache"
	chmod +x "$TMP/bin/apt-cache"
}

# The PATH's end that setup adds must not bring the real machine in.
setup_there() {
	sed 's|^PATH=.*||' "$ROOT/scripts/setup" >"$TMP/setup"
	run env -i PATH="$TMP/bin" CC=no-such-compiler "$@"
}

t "SETUP=no says what is missing and how to install it, asks nobody, and fails"
machine apt-get
setup_there SETUP=no sh "$TMP/setup" build
expect_status 1
expect "$TMP/out" '^  gcc, package gcc$'
expect "$TMP/out" '^  pgrep, package procps$'
expect "$TMP/out" 'apt-get install .*gcc.* procps'
[ ! -e "$TMP/asked" ] || { fail "the package manager was called"; show "$TMP/asked"; }
pass

if [ "$(id -u)" = 0 ]; then
	for manager in apt-get dnf pacman; do
		t "what is missing is installed by $manager, and what is still missing then is a failure"
		machine $manager
		setup_there sh "$TMP/setup" build
		expect_status 1
		expect "$TMP/asked" "^$manager (install -y|-S) .*gcc.* procps"
		expect "$TMP/out" '^Still missing:'
		pass
	done
else
	t "what is missing is installed by the package manager"
	skip "only root may install"
fi

t "a machine without a known package manager is told what it needs"
machine
rm "$TMP/bin/apt-cache"
setup_there sh "$TMP/setup" build
expect_status 1
expect "$TMP/out" '^  pgrep$'
expect "$TMP/out" 'neither apt-get, dnf nor pacman'
pass

t "a compiler may be of several words"
printf '#!/bin/sh\nexec "$@"\n' >"$TMP/cache"
chmod +x "$TMP/cache"
run env SETUP=no CC="$TMP/cache ${CC:-gcc}" "$ROOT/scripts/setup" check
expect_status 0
pass

t "the tests of what is optional may do without it"
run env SETUP=no "$ROOT/scripts/setup" check
expect_status 0
pass
