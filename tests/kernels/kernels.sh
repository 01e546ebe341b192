#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# minivm traced end to end under other kernels, in machines that qemu emulates: correctness only.
# limit: 1800
#
# $KERNELS says which; without it the two quickest. `make kernels` runs them all. 5.10 is below
# what gctrace asks for: it has to work there or say so. Under lockdown=confidentiality no BPF
# program may read memory: doctor has to name it before anything is loaded.
# level: all
. "$(dirname "$0")/../e2e/lib.sh"
here=$ROOT/tests/kernels

need cpio jq

# The root of a small machine: what it runs, and the libraries of that.
make_root() {	# ARCH
	local program library bin=$BUILD busybox
	root=$TMP/root-$1
	[ ! -e "$root/test" ] || return 0
	busybox=$(command -v busybox)
	if [ "$1" = arm64 ]; then
		bin=$BUILD/arm64
		busybox=$sysroot/bin/busybox
	fi
	mkdir -p "$root/bin"
	if ! cp "$busybox" "$root/bin/busybox" || ldd "$root/bin/busybox" >/dev/null 2>&1; then
		why="there is no static busybox for $1 (package busybox-static)"
		return 1
	fi
	for program in gctrace minivm tests/tools/semaphores; do
		cp "$bin/$program" "$root/bin/" || { broken="$bin/$program is not built"; return 1; }
		for library in $(ldd "$bin/$program" 2>/dev/null | grep -o '/[^ )]*'); do
			mkdir -p "$root$(dirname "$library")"
			cp -L "$library" "$root$library"
		done
	done
	cp "$here/inside" "$root/test"
}

# gctrace for arm64, built with this machine's cross compiler against Debian's own libraries.
build_arm64() {
	local usr
	command -v aarch64-linux-gnu-gcc >/dev/null || { why="aarch64-linux-gnu-gcc is not installed"; return 1; }
	sysroot=$("$here/fetch" sysroot bookworm arm64 libbpf-dev libelf-dev zlib1g-dev libzstd-dev \
		systemtap-sdt-dev busybox-static 2>"$TMP/why") || { why=$(cat "$TMP/why"); return 1; }
	usr=$sysroot/usr
	make -C "$ROOT" CC=aarch64-linux-gnu-gcc BUILD="$BUILD/arm64" SAN=0 \
		CPPFLAGS="-I$usr/include -I$usr/include/aarch64-linux-gnu" \
		LDFLAGS="-static -L$usr/lib/aarch64-linux-gnu" all tools >"$TMP/make" 2>&1 && return
	cat "$TMP/make"
	broken="it does not build for arm64"
	return 1
}

# Brings up NAME's machine; its console is in $TMP/console. What is not to be had here is said in
# $why, what is a failure in $broken.
boot() {	# NAME SUITE PATTERN ARCH [KERNEL ARGUMENT…]
	local name=$1 suite=$2 pattern=$3 arch=$4 image qemu=qemu-system-x86_64
	shift 4
	why= broken=
	[ "$arch" = amd64 ] || qemu=qemu-system-aarch64
	command -v $qemu >/dev/null || { why="$qemu is not installed"; return 1; }
	image=$("$here/fetch" kernel "$suite" "$pattern" "$arch" 2>"$TMP/why") ||
		{ why=$(cat "$TMP/why"); return 1; }
	[ "$arch" = amd64 ] || build_arm64 || return 1
	make_root "$arch" || return 1
	status=0 console=$TMP/console
	"$here/vm" "$arch" "$image" "$root" "$@" >"$TMP/console" 2>"$TMP/err" || status=$?
	[ "$status" = 0 ] && return 0
	show "$TMP/console" "$TMP/err"
	broken="the machine ended with status $status"
	return 1
}

# One line that begins with @WORD NAME, without that.
told() { sed -n "s/^@$1 $2 //p" "$TMP/console"; }

traces() {	# NAME
	t "$1: ten collections in their order, without loss"
	sed -n 's/^@trace //p' "$TMP/console" >"$TMP/trace"
	expect_equal 0 "$(told status-of trace)" "gctrace's exit status"
	expect_equal 10 "$(jq -s '[.[] | select(.event == "gc") | .gc] | unique | length' "$TMP/trace")" "collections"
	expect_equal true "$(jq -s '[.[] | select(.event == "gc") | .gc] | . == sort' "$TMP/trace")" "in order"
	expect_equal true "$(tail -n 1 "$TMP/trace" | jq '.event == "summary" and .complete')" "complete"
	verdict
	t "$1: moved ranges as well"
	expect_equal 0 "$(told status-of moves)" "gctrace's exit status"
	expect_equal true "$(sed -n 's/^@moves //p' "$TMP/console" |
		jq '.event == "summary" and .complete and .collections >= 10')" "a complete summary"
	verdict
	t "$1: where its threads are, in every sweep, some of them beyond doubt"
	sed -n 's/^@sample //p' "$TMP/console" >"$TMP/sample"
	expect_equal 0 "$(told status-of sample)" "gctrace's exit status"
	expect_equal true "$(jq -s '[.[] | select(.event == "sweep")] | length == 20 and all(.threads >= 3)' \
		"$TMP/sample")" "three threads or more in each of 20 sweeps"
	expect_equal true "$(jq -s 'any(.event == "sample" and .accuracy == "EXACT")' "$TMP/sample")" "EXACT samples"
	expect_equal true "$(tail -n 1 "$TMP/sample" | jq '.event == "summary" and .complete')" "complete"
	verdict
	t "$1: threads are found by a walk where there can be one"
	case $1 in
	*"(5."* | *"(6."[0-6].*) console_has '^@says sample .*does not walk along threads' ;;
	*) ! grep -q '^@says sample .*does not walk along threads' "$TMP/console" ||
		fail "they are not" ;;
	esac
	verdict
	t "$1: no semaphore is up afterwards, nor after SIGKILL, and the VM runs on"
	expect_equal 0 "$(told semaphores trace)" "semaphores after the end"
	expect_equal 0 "$(told semaphores moves)" "semaphores after the end with ranges"
	[ "$(told semaphores before-killed)" -gt 0 ] || fail "no semaphore was up before SIGKILL either"
	expect_equal 0 "$(told semaphores killed)" "semaphores after SIGKILL"
	console_has '^@alive'
	expect_equal 0 "$(told status-of vm)" "the VM's exit status"
	verdict
}

console_has() { grep -Eq -e "$1" "$TMP/console" || fail "no line of the console matches: $1"; }

# The console is shown once, however much of it is wrong.
verdict() {
	if [ "$lib_verdict" = fail ] && [ -n "$console" ]; then
		cat -v "$console"
		console=
	fi
	pass
}

works_or_refuses() {	# NAME
	if [ "$(told status-of trace)" = 0 ]; then
		traces "$1"
		return
	fi
	t "$1: refused, and the kernel is named as the reason"
	expect_equal 1 "$(told status-of trace)" "gctrace's exit status"
	console_has '^@says trace .*5\.15'
	expect_equal 0 "$(told semaphores trace)" "semaphores"
	console_has '^@alive'
	verdict
}

names_lockdown() {	# NAME
	t "$1: doctor names lockdown, and so does what it stops"
	expect_equal 1 "$(told status-of doctor)" "the exit status of doctor"
	console_has '^@doctor .*lockdown.*confidentiality'
	expect_equal 1 "$(told status-of trace)" "gctrace's exit status"
	console_has '^@says trace .*lockdown'
	console_has '^@alive'
	verdict
}

kernel() {	# NAME JUDGE SUITE PATTERN ARCH [KERNEL ARGUMENT…]
	local name=$1 judge=$2
	shift 2
	case " ${KERNELS:-5.10 6.1} " in *" $name "* | *" all "*) ;; *) return ;; esac
	if boot "$name" "$@"; then
		"$judge" "$(sed -n "s/^@up \(.*\)/$name (\1)/p" "$TMP/console")"
	elif [ -n "$why" ]; then
		t "$name"
		skip "$why"
	else
		t "$name"
		fail "$broken"
	fi
}

kernel 5.10     works_or_refuses  bullseye          '5\.10\.' amd64
kernel 6.1      traces            bookworm          '6\.1\.'  amd64
kernel 6.12     traces            trixie            '6\.12\.' amd64
kernel 6.18     traces            trixie-backports  '6\.18\.' amd64
kernel newest   traces            trixie-backports  '[0-9]'   amd64
kernel arm64    traces            bookworm          '6\.1\.'  arm64
kernel arm64-6.12 traces         trixie            '6\.12\.' arm64
kernel lockdown names_lockdown    bookworm          '6\.1\.'  amd64 lockdown=confidentiality
