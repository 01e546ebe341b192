#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Attaching to every form in which a runtime can be mapped, and leaving nothing behind, however
# gctrace ends.
. "$(dirname "$0")/lib.sh"
need_root
need unshare chroot

CC=${CC:-gcc}
D=$ROOT/tests/e2e/attach
FLAGS="-O2 -Wall -Wextra -Werror -I$ROOT/include"

some_up() { semaphores "$1" >"$TMP/semaphores" 2>&1; [ $? = 1 ]; }
none_up() { semaphores "$1" >"$TMP/semaphores" 2>&1; }

# Nothing is attached any more, and the process runs on.
unharmed() {	# PID
	wait_for none_up "$1" || { fail "semaphores are up"; show "$TMP/semaphores"; }
	lib_runs "$1" || fail "the process has ended"
}

# Three collections and the end of it; nothing is up when gctrace has ended.
traced() {	# PID
	run gctrace -p "$1" -n 3 -d 300s -o json
	expect_status 0
	expect_equal 3 "$(grep -c '"event":"gc"' "$TMP/out")" "collections"
	expect "$TMP/out" '"event":"summary".*"complete":true'
	none_up "$1" || { fail "semaphores are up"; show "$TMP/semaphores"; }
	unharmed "$1"
}

load() {	# NAME: have host load its library
	wait_for grep -q ready "$TMP/$1.out" || fail "it does not start"
	kill -USR1 "$(pid "$1")"
	wait_for grep -q library.so "/proc/$(pid "$1")/maps" || fail "it loads nothing"
}

t "it builds, in every form"
$CC $FLAGS -DPROGRAM -fPIE -pie "$D/runtime.c" -o "$TMP/pie" || fail "PIE"
$CC $FLAGS -DPROGRAM -fno-PIE -no-pie "$D/runtime.c" -o "$TMP/fixed" || fail "not PIE"
$CC $FLAGS -DPROGRAM -static "$D/runtime.c" -o "$TMP/static" || fail "static"
$CC $FLAGS -fPIC -shared "$D/runtime.c" -o "$TMP/library.so" || fail "library"
$CC $FLAGS "$D/host.c" -o "$TMP/host" -ldl || fail "host"
pass

for form in pie fixed static; do
	t "a program: $form"
	start $form "$TMP/$form"
	traced "$(pid $form)"
	stop $form
	pass
done

t "a library; deleted; another file in its place"
start library "$TMP/host" "$TMP/library.so"
load library
traced "$(pid library)"
mv "$TMP/library.so" "$TMP/moved.so"
traced "$(pid library)"
cp /bin/true "$TMP/library.so"
traced "$(pid library)"
rm "$TMP/moved.so"
traced "$(pid library)"
stop library
$CC $FLAGS -fPIC -shared "$D/runtime.c" -o "$TMP/library.so" || fail "library"
pass

t "another mount namespace, where our paths lead elsewhere"
mkdir "$TMP/root"
start elsewhere unshare -m sh -c "mount -t tmpfs none '$TMP/root' &&
	cp '$TMP/static' '$TMP/root/runtime' && exec chroot '$TMP/root' /runtime"
wait_for grep -qs runtime "/proc/$(pid elsewhere)/cmdline" || fail "it does not start"
traced "$(pid elsewhere)"
stop elsewhere
pass

t "another pid and user namespace"
start inside unshare --user --map-root-user --pid --fork --kill-child "$TMP/pie"
inner() { pgrep -P "$(pid inside)"; }
if wait_for inner >/dev/null; then
	traced "$(inner)"
	pass
else
	skip "unshare gives no user and pid namespace here: $(head -n 1 "$TMP/inside.err")"
fi
stop inside KILL

t "a process that is stopped; it is traced when it goes on"
start stopped "$TMP/pie"
kill -STOP "$(pid stopped)"
start tool gctrace -p "$(pid stopped)" -n 3 -d 300s -o json
wait_for some_up "$(pid stopped)" || fail "no semaphore is up"
kill -CONT "$(pid stopped)"
join tool
expect_equal 0 "$status" "exit status"
expect_equal 3 "$(grep -c '"event":"gc"' "$TMP/tool.out")" "collections"
unharmed "$(pid stopped)"
stop stopped
pass

for signal in KILL TERM INT HUP QUIT; do
	[ $signal != HUP ] || continue # looks again
	t "gctrace ends by SIG$signal: nothing is left"
	start vm "$TMP/pie"
	# What a shell starts in the background ignores SIGQUIT.
	start tool env --default-signal=QUIT "$BUILD/gctrace" -p "$(pid vm)" -d 600s -o json
	wait_for some_up "$(pid vm)" || fail "no semaphore is up"
	kill -$signal "$(pid tool)"
	join tool
	unharmed "$(pid vm)"
	expect_equal "" "$(pgrep -P $$ gctrace)" "processes that are left"
	run gctrace -p "$(pid vm)" -n 1 -d 300s -o json
	expect_status 0
	stop vm
	pass
done

t "gctrace is killed while it attaches, at any moment"
start vm minivm --seed 1
for ms in 5 10 15 20 25 30 35 40 50 60 80; do
	start tool gctrace -p "$(pid vm)" --moves -o json
	sleep "0.0$(printf %02d $ms)"
	kill -KILL "$(pid tool)"
	join tool
	unharmed "$(pid vm)"
done
stop vm
pass

t "the process ends while gctrace attaches"
for ms in 5 15 25 35 50; do
	start vm "$TMP/pie"
	start tool gctrace -p "$(pid vm)" -d 300s -o json
	sleep "0.0$(printf %02d $ms)"
	kill -KILL "$(pid vm)"
	join vm
	join tool
	[ "$status" = 0 ] || [ "$status" = 1 ] || fail "exit status $status"
	[ "$status" = 0 ] || expect "$TMP/tool.err" '^gctrace: '
done
pass

t "two tracers of one process see the same, and the first one's end harms not the second"
start vm "$TMP/pie"
start one gctrace -p "$(pid vm)" -n 5 -d 300s -o json
start two gctrace -p "$(pid vm)" -d 300s -o json
wait_for grep -qs . "$TMP/two.out" || fail "the second one does not attach"
join one
expect_equal 5 "$(grep -c '"event":"gc"' "$TMP/one.out")" "collections of the first"
some_up "$(pid vm)" || fail "the second one's semaphores are down"
seen=$(grep -c '"event":"gc"' "$TMP/two.out")
wait_for '[ "$(grep -c "\"event\":\"gc\"" "$TMP/two.out")" -ge $((seen + 5)) ]' ||
	fail "the second one sees no more"
stop two INT
expect_status 0
unharmed "$(pid vm)"
stop vm
pass

t "attach, detach: how long (printed, not judged)"
start vm minivm --seed 1
run gctrace -p "$(pid vm)" --moves -n 2 -vv
expect_status 0
grep -E 'attach|detach' "$TMP/err" | sed 's/^/     /'
stop vm
pass
