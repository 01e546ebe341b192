# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# Containers for the tests, behind lib.sh: `enter` starts one, `up` waits until the program in it runs
# ($target is its pid out here), `leave` ends both. They need root.

target=

# Run in namespaces of its own, with a root of its own by pivot_root: what is written to $TMP/enter.
# /proc is its own; commands of PREPARE run before the root is changed, $r is the root.
enter() {	# NAME ROOT UNSHARE-OPTIONS PREPARE COMMAND…
	local name=$1 root=$2 options=$3 prepare=$4
	shift 4
	cat >"$TMP/enter" <<-END
		set -e
		r=\$1; shift
		mount --make-rprivate /
		mount --bind "\$r" "\$r"
		$prepare
		mount -t proc proc "\$r/proc" 2>/dev/null || mount --rbind /proc "\$r/proc"
		cd "\$r"
		pivot_root . old
		cd /
		umount -l /old
		exec "\$@"
	END
	# shellcheck disable=SC2086
	start "$name" unshare $options sh -e "$TMP/enter" "$root" "$@"
}

# The pid, as the host has it, of the program in the container that $1 started.
inside() {	# NAME PROGRAM
	local p
	for p in $(pgrep -x "$2"); do
		if [ "$p" = "$(pid "$1")" ] || [ "$(pgrep -P "$(pid "$1")")" = "$p" ]; then
			echo "$p"
			return
		fi
	done
	return 1
}

# A container that must come up, or else this test is skipped with what it said.
up() {	# NAME PROGRAM
	target=
	wait_for "inside $1 $2 >/dev/null || ! lib_runs $(pid "$1")"
	if ! target=$(inside "$1" "$2"); then
		skip "this host cannot make it: $(tail -n 1 "$TMP/$1.err")"
		leave "$1"
		return 1
	fi
	return 0
}

leave() {	# NAME
	[ -z "$target" ] || kill -KILL "$target" 2>/dev/null
	kill -KILL "$(pid "$1")" 2>/dev/null
	join "$1" 2>/dev/null
}
