#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The README's first command on fresh machines: Debian 12 and 13 as debootstrap makes them, with
# make added and nothing else. The kernel is this one.
# limit: 3600
#
# FRESH names the releases; FRESH_CHECK=1 runs all of `make check` there too.
. "$(dirname "$0")/../e2e/lib.sh"

need_root
need debootstrap unshare
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

# A mount namespace with that root, not a chroot, in which no user namespace could be made; so
# nothing of it stays mounted, whatever happens.
inside() {	# ROOT COMMAND LINE
	# shellcheck disable=SC2016
	unshare -m --propagation private bash -c '
		mount --bind "$0" "$0" && cd "$0" && mkdir -p old &&
		mount --rbind /proc proc && mount --rbind /sys sys && mount --rbind /dev dev &&
		cp /etc/resolv.conf etc/resolv.conf && pivot_root . old && umount -l /old &&
		exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb sh -c "$1"' "$1" "$2"
}

# What a clone would have: the files that git knows, as they are now.
copy_source() {	# INTO
	mkdir -p "$1"
	(cd "$ROOT" && git ls-files -z | tar -c --null -T - --ignore-failed-read 2>/dev/null) | tar -x -C "$1"
}

for release in ${FRESH:-bookworm trixie}; do
	root=$TMP/$release
	t "$release: a fresh machine"
	if ! debootstrap --variant=minbase --include=make "$release" "$root" "$mirror" >"$TMP/log" 2>&1; then
		if grep -q 'E: .*\(retriev\|Couldn.t download\|Failed getting\)' "$TMP/log"; then
			skip "Debian's packages cannot be fetched from $mirror"
		else
			fail "debootstrap"
			show "$TMP/log"
		fi
		continue
	fi
	copy_source "$root/gctrace"
	pass

	t "$release: make says what is missing, and how to get it"
	run inside "$root" 'cd /gctrace && make'
	expect_status 2
	expect "$TMP/out" '^  clang, package clang$'
	pass

	t "$release: make demo sets up, builds, traces"
	run inside "$root" 'cd /gctrace && make demo'
	expect_status 0
	expect "$TMP/out" '^Installing: .*clang'
	expect "$TMP/out" 'Try next'
	[ -z "$lib_verdict" ] || tail -n 100 "$TMP/out"
	pass

	[ "${FRESH_CHECK-}" = 1 ] || continue
	t "$release: make check"
	run inside "$root" 'cd /gctrace && make check'
	expect_status 0
	[ -z "$lib_verdict" ] || tail -n 100 "$TMP/out"
	pass
done
