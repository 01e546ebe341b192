#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Targets in containers: other roots, mount, pid and user namespaces, other users, deleted and
# read-only files. `gctrace -p` with the host's pid works in each, and leaves nothing behind.
# parallel: yes
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/box.bash"
need_root
need jq unshare mount ldd setpriv

all_down() { semaphores "$1" >"$TMP/semaphores" 2>&1; }
numbers() { jq -r 'select(.event == "gc") | .gc' "$1" | xargs; }

# ---------------------------------------------------------------------------------------------
# Roots

# Copy a program and what it loads to the places that it looks in.
install_program() {	# ROOT PROGRAM AS
	local file
	mkdir -p "$1$(dirname "$3")"
	cp "$2" "$1$3"
	ldd "$2" 2>/dev/null | grep -o '/[^ )]*' | sort -u | while read -r file; do
		mkdir -p "$1$(dirname "$file")"
		cp -L "$file" "$1$file"
	done
}

make_root() {	# DIRECTORY
	mkdir -p "$1"/{proc,tmp,old,bin,dev}
	chmod 1777 "$1/tmp"
	install_program "$1" "$BUILD/minivm" /bin/minivm
	install_program "$1" "$(command -v sh)" /bin/sh
	install_program "$1" "$(command -v sleep)" /bin/sleep
	install_program "$1" "$(command -v umount)" /bin/umount
	install_program "$1" "$(command -v rm)" /bin/rm
}

# Some collections, none lost; nothing up afterwards; the target runs on.
traced() {	# PID
	wait_for "all_down $1" || fail "semaphores are up before, or cannot be read: $(cat "$TMP/semaphores")"
	run timeout 300 gctrace -p "$1" -n 4 -o json
	expect_status 0
	expect_equal 4 "$(numbers "$TMP/out" | wc -w)" "collections"
	expect "$TMP/out" '"event":"summary".*"complete":true'
	expect "$TMP/out" "\"event\":\"header\",\"pid\":$1,"
	[ ! -s "$TMP/err" ] || { fail "it complained"; show "$TMP/err"; }
	wait_for "all_down $1" || { fail "a semaphore stayed up"; show "$TMP/semaphores"; }
	lib_runs "$1" || fail "the target has ended"
}

cleanup() { umount -l "$TMP/over" 2>/dev/null; }

make_root "$TMP/root"
RUN="minivm --rate 50 --quiet"

t "another mount namespace and root, by pivot_root"
enter box "$TMP/root" "-m" : $RUN
if up box minivm; then
	[ "$(readlink "/proc/$target/ns/mnt")" != "$(readlink /proc/self/ns/mnt)" ] || fail "it is not another one"
	traced "$target"
	leave box
	pass
fi

t "another pid namespace: its pid in there is another than the one outside"
enter box "$TMP/root" "-m -p -f --kill-child" : $RUN
if up box minivm; then
	expect_equal 1 "$(sed -n 's/^NSpid:.*\t//p' "/proc/$target/status")" "pid in there"
	traced "$target"
	run gctrace -p 1 -n 1
	expect_status 1
	leave box
	pass
fi

t "another user namespace, where it is root and nobody out here"
enter box "$TMP/root" "-U -r -m -p -f --kill-child" : $RUN
if up box minivm; then
	[ "$(readlink "/proc/$target/ns/user")" != "$(readlink /proc/self/ns/user)" ] || fail "it is not another one"
	traced "$target"
	leave box
	pass
fi

t "a read-only root, and a /tmp that nothing may be executed in"
enter box "$TMP/root" "-m -p -f --kill-child" 'mount -t tmpfs -o noexec tmpfs "$r/tmp"
	mount -o remount,bind,ro "$r" "$r"' $RUN
if up box minivm; then
	expect_not "/proc/$target/mountinfo" ' / / rw'
	traced "$target"
	leave box
	pass
fi

t "an overlay, where device and inode of what is mapped are others than those of the file"
mkdir -p "$TMP/over"
if mount -t tmpfs tmpfs "$TMP/over" && mkdir "$TMP/over"/{upper,work,root} && mount -t overlay overlay -o \
	"lowerdir=$TMP/root,upperdir=$TMP/over/upper,workdir=$TMP/over/work" "$TMP/over/root" 2>"$TMP/mount.err"; then
	enter box "$TMP/over/root" "-m -p -f --kill-child" : $RUN
	if up box minivm; then
		traced "$target"
		leave box
	fi
	cp "$TMP/over/root/bin/minivm" "$TMP/over/root/bin/copied"
	enter box "$TMP/over/root" "-m -p -f --kill-child" : copied --rate 50 --quiet
	if up box copied; then
		traced "$target"
		leave box
		pass
	fi
	umount "$TMP/over/root"
else
	skip "no overlay file system here: $(tail -n 1 "$TMP/mount.err" 2>/dev/null)"
fi
umount -l "$TMP/over" 2>/dev/null

t "its program is deleted, in its own root"
cp -r "$TMP/root" "$TMP/deleted"
enter box "$TMP/deleted" "-m -p -f --kill-child" : $RUN
if up box minivm; then
	# It has its libraries once it has threads.
	wait_for '[ "$(ls "/proc/$target/task" | wc -l)" -gt 1 ]' || fail "it does not start"
	rm -rf "$TMP/deleted/bin" "$TMP/deleted/lib"*
	expect "/proc/$target/maps" 'minivm \(deleted\)'
	traced "$target"
	leave box
	pass
fi

t "its program is replaced by another file of the same name"
cp -r "$TMP/root" "$TMP/replaced"
enter box "$TMP/replaced" "-m -p -f --kill-child" : $RUN
if up box minivm; then
	rm "$TMP/replaced/bin/minivm"
	cp "$TMP/replaced/bin/sleep" "$TMP/replaced/bin/minivm"
	traced "$target"
	leave box
	pass
fi

t "another user's, with a program that only that user may read"
cp "$BUILD/minivm" "$TMP/private" && chown 65534:65534 "$TMP/private" && chmod 500 "$TMP/private"
start box setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/private" --rate 50 --quiet
wait_for "all_down $(pid box)"
traced "$(pid box)"
stop box
pass

t "without new privileges, capabilities or system calls beyond what it needs"
start tight setpriv --reuid 65534 --regid 65534 --clear-groups --no-new-privs --bounding-set -all \
	"$BUILD/tests/tools/sandbox" "$BUILD/minivm" --rate 50 --quiet
wait_for "all_down $(pid tight)"
traced "$(pid tight)"
stop tight
pass

t "the same library in two containers: only the one that was asked for is seen"
enter box "$TMP/root" "-m -p -f --kill-child" : $RUN
if up box minivm; then
	first=$target
	enter other "$TMP/root" "-m -p -f --kill-child" : $RUN
	up other minivm
	other=$target target=$first
	start trace gctrace -p "$first" -o json
	wait_for "grep -q '\"event\":\"gc\"' $TMP/trace.out"
	wait_for "all_down $other" || { fail "the other one's semaphores are up"; show "$TMP/semaphores"; }
	stop trace INT
	expect_status 0 || show "$TMP/trace.out"
	expect_equal "$first" "$(jq -r .pid "$TMP/trace.out" | sort -u | xargs)" "processes"
	run gctrace -p "$first,$other" -d 3s -o json
	expect_status 0 || { grep -v '"event":"p' "$TMP/out" >"$TMP/rest"; show "$TMP/rest"; }
	expect_equal 2 "$(jq -r 'select(.event == "gc") | .pid' "$TMP/out" | sort -u | wc -l)" "processes"
	kill -KILL "$other"
	join other 2>/dev/null
	leave box
	pass
fi

# The root of a distribution with its python3, made once and kept as an archive.
release=bookworm
archive=$BUILD/roots/$release.tar
distribution=$TMP/$release
make_distribution() {
	mkdir -p "$BUILD/roots" "$distribution"
	if [ -e "$archive" ]; then
		tar -C "$distribution" -xf "$archive"
		return
	fi
	command -v debootstrap >/dev/null || { echo "debootstrap is not installed" >"$TMP/why"; return 1; }
	timeout 200 debootstrap --variant=minbase --include=python3-minimal,libpython3-stdlib $release \
		"$distribution" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$TMP/debootstrap" 2>&1 ||
		{ tail -n 1 "$TMP/debootstrap" >"$TMP/why"; return 1; }
	rm -rf "$distribution"/var/cache/apt "$distribution"/var/lib/apt "$distribution"/usr/share/{doc,locale,man}
	mkdir "$distribution/old"
	tar -C "$distribution" --one-file-system -cf "$archive.new" . && mv "$archive.new" "$archive"
}

t "a distribution's root, as debootstrap makes it, and its python3"
if make_distribution; then
	cat >"$distribution/load.py" <<-'END'
		import gc, time
		gc.disable()
		while True:
		    for i in range(3):
		        gc.collect(i)
		    time.sleep(0.01)
	END
	enter box "$distribution" "-m -p -f --kill-child" : /usr/bin/python3 /load.py
	if up box python3; then
		# The first may be partial; of such a one the generation is not known.
		run timeout 300 gctrace -p "$target" -n 10 -o json
		expect_status 0
		expect "$TMP/out" '"event":"header".*"runtime":"CPython"'
		expect_equal "3 3 3" "$(jq -r 'select(.event == "gc" and .partial != true) | .generation' \
			"$TMP/out" | head -n 9 | sort | uniq -c | awk '{ print $1 }' | xargs)" \
			"collections of each generation"
		wait_for "all_down $target" || { fail "a semaphore stayed up"; show "$TMP/semaphores"; }
		leave box
		pass
	fi
else
	skip "$(cat "$TMP/why")"
fi

t "gctrace run of a container: the program in it, from its first collection on"
cat >"$TMP/enter2" <<-'END'
	mount --make-rprivate / && mount --bind "$1" "$1" && mount -t proc proc "$1/proc" &&
		cd "$1" && pivot_root . old && cd / && umount -l /old && exec minivm --collections 5 --quiet
END
run gctrace run -o json -- unshare -m -p -f sh -e "$TMP/enter2" "$TMP/root"
expect_status 0
expect_equal "1 2 3 4 5" "$(numbers "$TMP/out")" "collections"
expect "$TMP/out" '"event":"summary".*"complete":true'
pass
