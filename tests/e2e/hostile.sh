#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Targets that do what they can to whoever looks at them: memory that never comes, texts and mappings
# without end. gctrace ends in time, says what it did not get, and no other process suffers.
# parallel: yes
. "$(dirname "$0")/lib.sh"
need_root
need jq prlimit

# It holds nothing back for longer than five seconds, whatever becomes of this test.
hostile_to() {	# WHAT
	command -v hostile >/dev/null || { fail "tests/tools/hostile is not built"; return 1; }
	rm -rf "$TMP/in" "$TMP/there"
	mkfifo "$TMP/in"
	mkdir "$TMP/there"
	(cd "$TMP/there" && exec hostile "$1" <"$TMP/in" >"$TMP/hostile.out" 2>"$TMP/hostile.err") &
	exec 7>"$TMP/in"
	wait_for "grep -q ready '$TMP/hostile.out' || [ -s '$TMP/hostile.err' ]"
	P=$(sed -n 's/^ready //p' "$TMP/hostile.out")
	[ -n "$P" ] || { skip "this host lets nobody do it: $(cat "$TMP/hostile.err")"; return 1; }
}

# It held out until gctrace had ended: gctrace did not wait for it.
let_go() {
	expect_not "$TMP/hostile.out" 'gave up'
	echo >&7
	exec 7>&-
	wait
}

# A wait without end shows as this limit; a gctrace that takes in all as one of memory.
bounded() { run prlimit --as=$((2 << 30)) timeout 60 gctrace "$@"; }

readers() { pgrep -x gctrace-reader -s 0 | wc -l; }

summary() { jq -r "select(.event == \"summary\") | $1" "$TMP/out"; }

t "a thread's stack that is never there: samples go on, the reads are counted, status 3"
if hostile_to stack; then
	bounded sample -p "$P" -n 3 --stacks -o json
	expect_status 3
	expect_equal 3 "$(summary .sweeps)" "sweeps"
	[ "$(summary '.lost.unanswered // 0')" -ge 1 ] || fail "no read was counted as failed"
	expect "$TMP/err" 'not answered in time'
	let_go
	bounded sample -p $$ -n 1
	expect_status 0
	pass
fi

t "a thread's stack that is never there: the other commands do not care"
if hostile_to stack; then
	bounded probes -p "$P"
	expect_status 0
	bounded -p "$P" -d 100ms
	expect_status 0
	let_go
	pass
fi

t "semaphores that are never there: no command waits for them"
if hostile_to semaphore; then
	bounded probes -v -p "$P"
	expect_status 0
	bounded -p "$P" -d 100ms
	expect_status 0
	bounded heap -p "$P"
	expect_status 1
	expect "$TMP/err" 'cannot see whether another tracer'
	let_go
	pass
fi

t "a command line that is never there: no command waits for it"
if hostile_to cmdline; then
	bounded probes -p "$P"
	expect_status 0
	bounded -p "$P" -d 100ms
	expect_status 0
	bounded -p no-such-name
	expect_status 1
	let_go
	pass
fi

t "a command line and an environment of 64 GiB: so much is read and no more, which is said"
if hostile_to zeros; then
	bounded probes -p "$P"
	expect_status 0
	expect "$TMP/err" "cmdline has more than 128 KiB"
	bounded -p "$P" -d 100ms
	expect_status 0
	bounded -p no-such-name
	expect_status 1
	expect "$TMP/err" 'no process has the name'
	bounded probes
	expect_status 0
	expect "$TMP/out" "^ *(pid )?$P "
	let_go
	pass
fi

t "thousands of mappings with paths of 40 KB: taken in up to a limit, which is said"
if hostile_to files; then
	bounded probes -p "$P"
	expect_status 0
	expect "$TMP/err" 'more mapped than gctrace takes in|longer than'
	bounded sample -p "$P" -n 2
	expect_status 0
	let_go
	pass
fi

# ---- Who we are while hostile bytes are read

field() { sed -n "s/^$2:\t//p" "/proc/$1/status" 2>/dev/null; }

# An id that is nobody's, in all four places.
is_of_its_own() {	# PID
	local ids
	ids=$(field "$1" Uid | xargs)
	set -- $ids
	[ $# = 4 ] && [ "$1" -ge 61184 ] && [ "$1" -le 65519 ] && [ "$1 $1 $1" = "$2 $3 $4" ]
}

t "a tracer is of no other process's user, under sudo too: nobody stops, kills or debugs it"
start vm minivm --rate 50 --quiet
for sudo in "" "SUDO_UID=65534 SUDO_GID=65534"; do
	start trace env $sudo "$BUILD/gctrace" -p "$(pid vm)" -o json
	wait_for "grep -qs . '$TMP/trace.out'"
	is_of_its_own "$(pid trace)" || fail "Uid: $(field "$(pid trace)" Uid)"
	[ -z "$(getent passwd "$(field "$(pid trace)" Uid | cut -f 1)")" ] || fail "somebody has that id"
	for signal in STOP KILL; do
		! setpriv --reuid 65534 --regid 65534 --clear-groups kill -$signal "$(pid trace)" 2>"$TMP/err" ||
			fail "nobody sent SIG$signal"
	done
	! setpriv --reuid 65534 --regid 65534 --clear-groups cat "/proc/$(pid trace)/environ" >"$TMP/out" 2>&1 ||
		fail "nobody read its environment"
	stop trace INT
	expect_status 0
done
pass

t "another tracer has another id"
start one gctrace -p "$(pid vm)" -o json
start two gctrace -p "$(pid vm)" -o json
wait_for "grep -qs . '$TMP/one.out' && grep -qs . '$TMP/two.out'"
[ "$(field "$(pid one)" Uid)" != "$(field "$(pid two)" Uid)" ] || fail "both are $(field "$(pid one)" Uid)"
stop one INT
stop two INT
pass

run gctrace record -p "$(pid vm)" --moves --dump -n 3 --output "$TMP/file"
stop vm

t "files are taken apart without any capability and as nobody: every command that reads them"
mkfifo "$TMP/pipe"
cp "$TMP/file" "$TMP/other"
reads() {	# WHAT COMMAND…
	exec 8<>"$TMP/pipe"
	start reader "${@:2}" 8>&-
	look_at_reader "$1"
}
look_at_reader() {
	local what=$1
	wait_for "is_of_its_own $(pid reader) || ! lib_runs $(pid reader)"
	is_of_its_own "$(pid reader)" || { fail "$what: Uid $(field "$(pid reader)" Uid)"; show "$TMP/reader.err"; }
	for set in CapEff CapPrm CapInh CapBnd CapAmb; do
		expect_equal 0000000000000000 "$(field "$(pid reader)" $set)" "$what: $set"
	done
	expect_equal 1 "$(field "$(pid reader)" NoNewPrivs)" "$what: NoNewPrivs"
	exec 8>&-
	join reader
}
reads stream gctrace "$TMP/pipe"
reads heap gctrace heap "$TMP/pipe"
reads follow gctrace follow "$TMP/pipe"
reads sample gctrace sample "$TMP/pipe"
reads path gctrace path "$TMP/pipe" --type X
reads export gctrace export "$TMP/pipe" --as hprof --output "$TMP/new.hprof"
# It reads no pipe: here it cannot write what it has found.
exec 8<>"$TMP/pipe"
dd if=/dev/zero bs=4096 count=16 status=none >&8
start reader sh -c 'exec "$@" >"$0"' "$TMP/pipe" gctrace diff "$TMP/file" "$TMP/other" 8>&-
look_at_reader diff
pass

t "a file that only root reads, in a directory of root's: read, and what is written belongs to the caller"
mkdir -m 700 "$TMP/closed"
cp "$TMP/file" "$TMP/closed/file"
cp "$TMP/file" "$TMP/closed/other"
chmod 600 "$TMP/closed/file" "$TMP/closed/other"
mkdir -m 777 "$TMP/open"
for words in "$TMP/closed/file" "heap $TMP/closed/file" "heap $TMP/closed/file@1" "heap $TMP/closed/file --list" \
	"follow $TMP/closed/file" "diff $TMP/closed/file $TMP/closed/other@1"; do
	run gctrace $words
	[ "$status" = 0 ] || { fail "gctrace $words: status $status"; show "$TMP/err"; }
done
run env SUDO_UID=65534 SUDO_GID=65534 gctrace export "$TMP/closed/file" --as hprof --output "$TMP/open/new.hprof"
expect_status 0
expect_equal "65534:65534 600" "$(stat -c '%u:%g %a' "$TMP/open/new.hprof")" "owner"
run gctrace heap "$TMP/open/new.hprof"
expect_status 0
run gctrace heap "$TMP/closed/file" --html "$TMP/closed/page.html"
expect_status 0
[ -s "$TMP/closed/page.html" ] || fail "no page"
pass

t "where no other user is to be had: it goes on as it is, and says so"
run unshare --user --map-root-user gctrace heap "$TMP/file"
expect_status 0
expect "$TMP/err" 'cannot become a user of its own'
pass
