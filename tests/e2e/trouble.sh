#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Bad luck: targets that end, execute, lie or are traced by others; a gctrace that is stopped,
# killed, slowed or not permitted. Each is said clearly, nothing is lost silently, no target harmed.
# parallel: yes
. "$(dirname "$0")/lib.sh"
need_root
need jq unshare setpriv

numbers() { jq -r 'select(.event == "gc") | .gc' "$1" | xargs; }
# Without the one that was going on at the attach, which is told when its end is, or at the very end.
whole_numbers() { jq -r 'select(.event == "gc" and .partial != true) | .gc' "$1" | xargs; }
summary() { jq -r "select(.event == \"summary\") | $2" "$1" | tail -n 1; }
all_down() { semaphores "$1" >"$TMP/semaphores" 2>&1; }
attached() { wait_for "grep -qs . '$TMP/$1.out'"; }
# So many files of it are attached to, also where nothing has been told yet.
listened_to() { wait_for "[ \"\$(semaphores $1 | grep -c 'batch 1')\" = $2 ]"; }	# PID FILES

# gctrace is not to say anything, nor its status to be anything else, than one of these.
refused() {	# STATUS REGEX COMMAND…
	local want=$1 words=$2
	shift 2
	run "$@"
	expect_status "$want"
	expect "$TMP/err" "$words"
	[ ! -s "$TMP/out" ] || { fail "an error wrote to stdout"; show "$TMP/out"; }
}

sudo_like() { env SUDO_UID=65534 SUDO_GID=65534 SUDO_USER=nobody "$@"; }

start vm minivm --rate 50 --quiet
VM=$(pid vm)

t "nobody there, a kernel thread, a thread: status 1, and why"
refused 1 'no process 4194303' gctrace -p 4194303
refused 1 'thread of the kernel' gctrace -p 2
thread() { ls "/proc/$VM/task" | grep -vx "$VM" | head -n 1 | grep .; }
wait_for 'thread >/dev/null' || fail "the VM has no second thread"
refused 1 'is a thread .*of process' gctrace -p "$(thread)"
refused 1 'not the id of a process' gctrace -p 99999999999
refused 2 'did you mean --min-pause' gctrace -p $VM --min-pauze 1ms
pass

t "the target exits while gctrace attaches: 0 or a clear message, never a hang"
for i in $(seq 20); do
	minivm --quiet --duration 60 &
	p=$!
	wait_for lib_executed $p
	(sleep "0.$(printf %03d $((i * 13)))"; kill -KILL $p) 2>/dev/null &
	killer=$!
	run timeout 100 gctrace -p $p
	wait $p $killer 2>/dev/null
	case $status in
	0) expect "$TMP/out" 'complete: nothing was lost|collections' ;;
	1) expect "$TMP/err" '^gctrace: .*(has ended|there is no process)' ;;
	*) fail "exit status $status in round $i"; show "$TMP/err" ;;
	esac
	! grep -Eq 'Permission denied|could not be attached' "$TMP/err" ||
		{ fail "round $i speaks of something else"; show "$TMP/err"; }
done
pass

t "the target is killed while it is traced: the summary, status 0"
start short minivm --rate 50 --quiet
start trace gctrace -p "$(pid short)" -o json
attached trace
sleep 0.3
stop short KILL
join trace
expect_status 0
expect_equal true "$(summary "$TMP/trace.out" .complete)" "complete"
pass

t "not root: the missing capability is named, nothing is loaded"
start mine setpriv --reuid 65534 --regid 65534 --clear-groups "$BUILD/minivm" --quiet
refused 1 'CAP_(BPF|PERFMON|SYS_PTRACE) is missing|CAP_[A-Z_]+' \
	setpriv --reuid 65534 --regid 65534 --clear-groups "$BUILD/gctrace" -p "$(pid mine)"
for cap in bpf perfmon sys_ptrace; do
	refused 1 "CAP_${cap^^}" setpriv --bounding-set "-$cap,-sys_admin" --inh-caps=-all \
		gctrace -p $VM
done
pass

t "exactly the capabilities that are needed: it works for another user"
run setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps +bpf,+perfmon,+sys_ptrace,+checkpoint_restore,+dac_read_search \
	--ambient-caps +bpf,+perfmon,+sys_ptrace,+checkpoint_restore,+dac_read_search gctrace -p $VM -n 2
expect_status 0
expect "$TMP/out" 'complete: nothing was lost'
stop mine
pass

# COMMAND in a mount namespace of its own, where this directory of /sys is empty
without() {	# DIRECTORY COMMAND…
	unshare -m sh -c 'mount --make-rprivate / && mount -t tmpfs none "$1" && shift && exec "$@"' \
		- "$@"
}

t "no BTF: doctor names it, and -p does"
run without /sys/kernel/btf gctrace doctor
expect_status 1
expect "$TMP/out" '^btf +MISSING'
refused 1 'BTF' without /sys/kernel/btf gctrace -p $VM
pass

t "no uprobes: doctor names it, and -p does"
run without /sys/bus/event_source/devices gctrace doctor
expect_status 1
expect "$TMP/out" '^uprobes +MISSING'
refused 1 'uprobe' without /sys/bus/event_source/devices gctrace -p $VM
all_down $VM || fail "semaphores are up"
pass

t "a target under seccomp: traced, and it lives"
start boxed sandbox minivm --rate 50 --quiet
wait_for "all_down $(pid boxed)"
run gctrace -p "$(pid boxed)" -n 5 -o json
expect_status 0
expect_equal 5 "$(numbers "$TMP/out" | wc -w)" "collections"
lib_runs "$(pid boxed)" || fail "the target was killed"
stop boxed
pass

t "two gctrace on one target: both see every collection, one leaves, the other goes on"
start one gctrace -p $VM -o json
start two gctrace -p $VM -o json -n 20
attached one
attached two
join two
expect_status 0
two=$(numbers "$TMP/two.out")
beyond() { [ "$(tail -n 1 "$TMP/one.out" | jq -r '.gc // 0' 2>/dev/null || echo 0)" -gt "${two##* }" ]; }
wait_for beyond || fail "the other did not go on"
! all_down $VM || fail "semaphores fell while one was there"
stop one INT
expect_status 0
for who in one two; do
	n=$(whole_numbers "$TMP/$who.out")
	expect_equal "$(seq ${n%% *} ${n##* } | xargs)" "$n" "collections of $who"
	expect_equal true "$(summary "$TMP/$who.out" .complete)" "complete, of $who"
done
wait_for "all_down $VM" || { fail "a semaphore stayed up"; show "$TMP/semaphores"; }
pass

t "attached in the middle of a collection and its pause: partial, not lost"
library() { ${CC:-gcc} -std=gnu11 -O2 -fPIC -shared -I"$ROOT/include" "$@" "$ROOT/tests/e2e/late/library.c"; }
library -DHOLD_MS=600 -o "$TMP/slow.so" || fail "the library does not build"
start slow late 0 100 "$TMP/slow.so"
wait_for "grep -q slow.so /proc/$(pid slow)/maps"
# It collects nearly all of the time; only between two collections is there none to be partial.
for i in 1 2 3 4 5; do
	run gctrace -p "$(pid slow)" -n 2 -o json
	expect_status 0
	expect_equal true "$(summary "$TMP/out" .complete)" "complete"
	grep -q '"partial":true' "$TMP/out" && break
done
expect_equal 1 "$(summary "$TMP/out" .partial_collections)" "partial collections"
expect "$TMP/out" '"event":"gc".*"partial":true'
for i in 1 2 3 4 5; do
	run gctrace -p "$(pid slow)" -n 2
	grep -q ' p$' "$TMP/out" && break
done
expect "$TMP/out" ' p$'
stop slow
pass

t "attached in the middle of a concurrent collection: partial, not lost"
start concurrent minivm --collector concurrent --rate 100 --full-every 2 --objects 300000 --quiet
sleep 0.5
for i in 1 2 3 4; do
	run gctrace -p "$(pid concurrent)" -n 6 -o json --moves
	expect_status 0
	expect_equal true "$(summary "$TMP/out" .complete)" "complete"
done
stop concurrent
pass

t "future versions and nonsense: 1 refused, 0 told, 3 lost"
for case in version:1 kinds:0 growth:0 magic:3 gap:3 nonsense:3; do
	what=${case%:*} want=${case#*:}
	start foreign foreign "$what"
	wait_for "all_down $(pid foreign)"
	run gctrace -p "$(pid foreign)" -d 2s -o json
	[ "$status" = "$want" ] || { fail "$what: exit status $status, not $want"; show "$TMP/out" "$TMP/err"; }
	case $what in
	version) expect "$TMP/err" 'version' ;;
	kinds) expect "$TMP/err" 'kind 999' ;;
	growth) expect "$TMP/out" '"complete":true' ;;
	*) expect "$TMP/out" '"complete":false' ;;
	esac
	if [ "$want" = 3 ]; then
		run gctrace -p "$(pid foreign)" -d 2s --allow-loss
		expect_status 0
		expect_not "$TMP/out" '^complete'
	fi
	lib_runs "$(pid foreign)" || fail "$what: the target ended"
	stop foreign
done
pass

t "a target that sends notices without end: ten are shown, the others are counted"
start foreign foreign notices
wait_for "all_down $(pid foreign)"
run gctrace -p "$(pid foreign)" -n 5 -o json
expect_status 0
expect_equal 10 "$(grep -cE 'warning: (pid [0-9]+: )?notice [0-9]' "$TMP/err")" "notices shown"
expect "$TMP/err" 'warning: .*[1-9][0-9]+ more notices'
stop foreign
pass

t "a process that is stopped when a command comes to it is named so, once"
start stopped minivm --rate 50 --quiet
wait_for "all_down $(pid stopped)"
kill -STOP "$(pid stopped)"
wait_for "grep -q '^State:.T' /proc/$(pid stopped)/status"
for words in "" follow sample probes "record --output $TMP/nothing"; do
	case $words in probes) limit= ;; *) limit="-d 200ms" ;; esac
	run timeout 60 gctrace $words -p "$(pid stopped)" $limit
	expect_equal 1 "$(lib_unwrapped "$TMP/err" | grep -c "pid $(pid stopped) is stopped")" \
		"warnings of gctrace $words"
done
kill -CONT "$(pid stopped)"
stop stopped
pass

t "hostile names: no control byte on stdout, and JSON that parses"
start hostile minivm --names hostile --rate 50 --quiet
run gctrace -p "$(pid hostile)" -n 5 -v --moves
expect_status 0
expect_equal 0 "$(tr -d '\n' <"$TMP/out" | LC_ALL=C grep -c -a -P '[\x00-\x1f\x7f]|\xc2[\x80-\x9f]')" "lines with control bytes"
run gctrace -p "$(pid hostile)" -n 5 -v --moves -o json
expect_status 0
expect_equal 5 "$(numbers "$TMP/out" | wc -w)" "collections"
jq -e . "$TMP/out" >/dev/null || fail "a line is no JSON"
stop hostile
pass

t "a full ring: what is lost is counted and told, status 3; 0 with --allow-loss"
start heavy minivm --rate 0 --objects 300000 --quiet
for option in "" --allow-loss; do
	# shellcheck disable=SC2086
	start trace gctrace -p "$(pid heavy)" --moves -o json --mem-limit 8MiB $option
	attached trace
	kill -STOP "$(pid trace)"
	work "$(pid heavy)" 2.5
	kill -CONT "$(pid trace)"
	sleep 0.3
	stop trace INT
	[ -n "$option" ] && want=0 || want=3
	expect_status $want
	expect_equal false "$(summary "$TMP/trace.out" .complete)" "complete"
	[ "$(summary "$TMP/trace.out" '[.lost[]] | add')" -gt 0 ] || fail "no loss was counted"
done
lib_runs "$(pid heavy)" || fail "the target ended"
stop heavy
pass

t "head has seen enough: quiet, status 0"
(gctrace -p $VM 2>"$TMP/err"; echo $? >"$TMP/status") | head -3 >"$TMP/out"
wait_for "[ -s '$TMP/status' ]"
expect_equal 0 "$(cat "$TMP/status")" "status"
expect_equal 3 "$(wc -l <"$TMP/out")" "lines"
[ ! -s "$TMP/err" ] || { fail "it complained"; show "$TMP/err"; }
pass

for signal in INT TERM; do
	t "SIG$signal: the summary, status 0, semaphores 0"
	start trace gctrace -p $VM
	attached trace
	stop trace $signal
	expect_status 0
	expect "$TMP/trace.out" '^complete'
	all_down $VM || { fail "a semaphore stayed up"; show "$TMP/semaphores"; }
	pass
done

t "SIGKILL: semaphores 0, the target runs on, and can be traced again"
for i in 1 2 3; do
	start trace gctrace -p $VM --moves
	attached trace
	! all_down $VM || fail "nothing was up"
	kill -KILL "$(pid trace)"
	join trace
	wait_for "all_down $VM" || { fail "a semaphore stayed up"; show "$TMP/semaphores"; }
done
run gctrace -p $VM -n 2
expect_status 0
pass

t "SIGSTOP for ten seconds: the target runs on, and nothing is silently missing"
start trace gctrace -p $VM -o json
attached trace
kill -STOP "$(pid trace)"
before=$(awk '{ print $14 + $15 }' "/proc/$VM/stat")
sleep 10
wait_for '[ "$(awk "{ print \$14 + \$15 }" "/proc/$VM/stat")" -gt "$before" ]' ||
	fail "the target stood still"
kill -CONT "$(pid trace)"
sleep 0.5
stop trace INT
n=$(whole_numbers "$TMP/trace.out")
if [ "$(summary "$TMP/trace.out" .complete)" = true ]; then
	expect_status 0
	expect_equal "$(seq ${n%% *} ${n##* } | xargs)" "$n" "collections"
else
	expect_status 3
fi
pass

t "after the attach only the capabilities in use are left, and no way back"
start trace gctrace -p $VM
attached trace
# CAP_DAC_READ_SEARCH 2, CAP_SYS_PTRACE 19, CAP_PERFMON 38, CAP_BPF 39, CAP_CHECKPOINT_RESTORE 40
want=$(printf %016x $((1 << 2 | 1 << 19 | 1 << 38 | 1 << 39 | 1 << 40)))
for set in CapEff CapPrm; do
	expect_equal "$want" "$(sed -n "s/^$set:\t//p" "/proc/$(pid trace)/status")" "$set"
done
for set in CapInh CapBnd CapAmb; do
	expect_equal 0000000000000000 "$(sed -n "s/^$set:\t//p" "/proc/$(pid trace)/status")" "$set"
done
expect "/proc/$(pid trace)/status" '^NoNewPrivs:.1'
expect_not "/proc/$(pid trace)/status" '^Uid:.*\b0\b'
for task in "/proc/$(pid trace)/task"/*; do
	expect_equal "$want" "$(sed -n 's/^CapEff://p' "$task/status" | xargs)" "CapEff of a thread"
done
stop trace INT
pass

t "with what is left: SIGHUP, a library that is loaded later, an exec, and detaching"
library -o "$TMP/a.so" && cp "$TMP/a.so" "$TMP/b.so" || fail "the library does not build"
chmod 600 "$TMP/b.so"
start late late 0 150 "$TMP/a.so" await "$TMP/go" "$TMP/a.so" "$TMP/b.so"
wait_for "grep -q a.so /proc/$(pid late)/maps"
start trace gctrace -p "$(pid late)" -o json
attached trace
kill -HUP "$(pid trace)"
touch "$TMP/go"
join late
join trace
expect_status 0
[ ! -s "$TMP/trace.err" ] || { fail "it complained"; show "$TMP/trace.err"; }
n=$(numbers "$TMP/trace.out")
# Some of the library's first collections may be over when it is found.
[[ $n =~ ' 299 300 '[0-9]+' '.*' 149 150'$ ]] || fail "collections $n"
start changing minivm --exec 150 --rate 50 --quiet
wait_for "all_down $(pid changing)"
start trace gctrace -p "$(pid changing)" -o json
attached trace
wait_for '[ "$(grep -c "\"event\":\"header\"" "$TMP/trace.out")" -ge 2 ]'
sleep 0.3
stop trace INT
expect_status 0
[ "$(grep -c '"event":"summary"' "$TMP/trace.out")" -ge 2 ] || fail "no summary of each image"
wait_for "all_down $(pid changing)" || { fail "a semaphore stayed up"; show "$TMP/semaphores"; }
stop changing
pass

t "executed twice while gctrace was stopped: each image by itself, the one between is missed"
rm "$TMP/go"
start late late 0 20 "$TMP/a.so" await "$TMP/go" "$TMP/a.so" exec 0 5 "$TMP/a.so" \
	exec 0 21 "$TMP/a.so" await "$TMP/go2" "$TMP/a.so"
wait_for "grep -q a.so /proc/$(pid late)/maps"
start trace gctrace -p "$(pid late)" -o json
listened_to "$(pid late)" 1 || fail "it is not attached to"
kill -STOP "$(pid trace)"
touch "$TMP/go"
wait_for "grep -qa '^late.0.21' /proc/$(pid late)/cmdline && grep -q a.so /proc/$(pid late)/maps"
kill -CONT "$(pid trace)"
wait_for grep -q 'ended that again' "$TMP/trace.err"
touch "$TMP/go2"
join late
join trace
expect_status 3
expect "$TMP/trace.err" 'executed .* and ended that again before gctrace could look at it'
[[ $(numbers "$TMP/trace.out") =~ ' 39 40 1 2 3 4 5 1 2 3 '.*' 41 42'$ ]] ||
	{ fail "collections"; show "$TMP/trace.out"; }
expect_equal "true null false 1 true null" "$(jq -r 'select(.event == "summary" and .pid) |
	.complete, .lost.perf' "$TMP/trace.out" | xargs)" "completeness of the images"
expect_equal 1 "$(summary "$TMP/trace.out" .lost.perf)" "losses of all"
pass

t "stopped until the kernel drops notices, and SIGHUP: a library that came meanwhile is found, once"
# Rings hold some thousand notices of each CPU, and a loss is told with the next one that has room.
map_files() {	# COUNT
	/usr/bin/python3 -c 'import mmap, os, sys
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
with open("/proc/self/exe", "rb") as file:
	for _ in range(int(sys.argv[1])):
		mmap.mmap(file.fileno(), 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC).close()' "$1"
}
rm "$TMP/go" "$TMP/go2"
start late late 0 20 "$TMP/a.so" await "$TMP/go" "$TMP/b.so" await "$TMP/go2" "$TMP/b.so"
wait_for "grep -q a.so /proc/$(pid late)/maps"
start trace gctrace -p "$(pid late)" -o json
listened_to "$(pid late)" 1 || fail "it is not attached to"
kill -STOP "$(pid trace)"
wait_for "grep -q '^State:.T' /proc/$(pid trace)/status"
map_files 20000
touch "$TMP/go"
wait_for "grep -q b.so /proc/$(pid late)/maps"
kill -HUP "$(pid trace)"
kill -CONT "$(pid trace)"
wait_for "map_files 1 && grep -q 'the kernel dropped' '$TMP/trace.err'" || fail "none was dropped"
listened_to "$(pid late)" 2 || fail "it is not attached to"
touch "$TMP/go2"
join late
join trace
[[ $(numbers "$TMP/trace.out") =~ ' 38 39 40'$ ]] || fail "collections"
expect_equal 20 "$(numbers "$TMP/trace.out" | xargs -n 1 | grep -cE '^(2[1-9]|3.|40)$')" "collections"
pass

t "more files with probes than gctrace may have open: those that have no place are told, and lost"
for i in $(seq 1 120); do cp "$TMP/a.so" "$TMP/a$i.so"; done
# shellcheck disable=SC2046
start late late 0 1 $(printf "$TMP/a%d.so " $(seq 1 120)) await "$TMP/enough" "$TMP/a.so"
wait_for "grep -q a120.so /proc/$(pid late)/maps"
run bash -c "ulimit -n 160; gctrace -p $(pid late) -d 100ms"
expect_status 3
expect "$TMP/err" 'sites of probes could not be attached'
expect "$TMP/err" 'no more than 160'
expect_equal 1 "$(grep -c warning "$TMP/err")" "warnings"
expect "$TMP/out" '^NOT complete: [0-9]* sites of probes could not be attached'
run bash -c "ulimit -S -n 160; gctrace -p $(pid late) -d 100ms"
expect_status 0
run bash -c "ulimit -n 40; gctrace probes -v -p $(pid late) -o json"
expect_status 0
expect_equal 120 "$(grep -c '"event":"module".*/a[0-9]*.so' "$TMP/out")" "files that probes shows"
touch "$TMP/enough"
join late
expect_equal 121 "$status" "libraries that ran"
wait_for "all_down $VM"
pass

t "the first thread exits: what others load is found, what was missed between is counted"
rm "$TMP/go"
start late late 0 250 "$TMP/a.so" await "$TMP/go" leave "$TMP/a.so" "$TMP/b.so"
wait_for "grep -q a.so /proc/$(pid late)/maps"
start trace gctrace -p "$(pid late)" -o json
attached trace
touch "$TMP/go"
join late
join trace
expect_status 3
[[ $(numbers "$TMP/trace.out") =~ ' 500 '[0-9]+' '.*' 249 250'$ ]] || fail "collections"
expect_equal 1 "$(summary "$TMP/trace.out" .lost.perf)" "losses"
pass

t "the first thread has exited already: the process is traced by another one"
start late late 0 1000000 leave "$TMP/a.so"
wait_for "sed 's/.*) //' /proc/$(pid late)/stat | grep -q ^Z"
wait_for "cat /proc/$(pid late)/task/*/maps 2>/dev/null | grep -q a.so"
for i in 1 2; do
	run gctrace -p "$(pid late)" -n 5 -o json
	expect_status 0
	expect_equal 5 "$(numbers "$TMP/out" | wc -w)" "collections"
done
kill -KILL "$(pid late)"
join late
pass

t "files that are written under sudo belong to who called it"
mkdir -m 777 "$TMP/open"
sudo_like gctrace record -p $VM -n 3 --output "$TMP/open/recording" >"$TMP/out" 2>"$TMP/err"
expect_equal "65534:65534 600" "$(stat -c '%u:%g %a' "$TMP/open/recording")" "owner of the recording"
sudo_like gctrace run --output "$TMP/open/trace" -- true >"$TMP/out" 2>"$TMP/err"
expect_equal "65534:65534 600" "$(stat -c '%u:%g %a' "$TMP/open/trace")" "owner of the trace"
pass

t "a full disk while recording: said, status 1, and what is there can be read"
mkdir "$TMP/small"
run unshare -m sh -c 'mount -t tmpfs -o size=256k none "$1" || exit 99
	timeout 300 gctrace record -p "$2" --moves --output "$1/recording"
	status=$?
	cp "$1/recording" "$3" && exit $status' - "$TMP/small" $VM "$TMP/full"
expect_status 1
expect "$TMP/err" 'No space left on device'
run gctrace "$TMP/full" -o json
jq -e . "$TMP/out" >/dev/null || fail "a line is no JSON"
[ "$(numbers "$TMP/out" | wc -w)" -gt 0 ] || fail "no collection can be read"
pass

t "a limit of a file's size while recording: said, status 1, and what is there can be read"
run bash -c "ulimit -f 256; exec timeout 300 gctrace record -p $VM --moves --output $TMP/limited"
expect_status 1
expect "$TMP/err" 'File too large; the recording ends here'
run gctrace "$TMP/limited" -o json
jq -e . "$TMP/out" >/dev/null || fail "a line is no JSON"
pass

t "recordings that are cut or damaged anywhere: read up to there, said, never a crash"
run gctrace record -p $VM -n 10 --moves --output "$TMP/whole"
expect_status 0
size=$(stat -c %s "$TMP/whole")
for i in $(seq 12); do
	head -c $((size * i / 13)) "$TMP/whole" >"$TMP/cut"
	run gctrace "$TMP/cut" -o json
	case $status in 1 | 3) ;; *) fail "cut at $i/13: status $status" ;; esac
	[ -s "$TMP/err" ] || fail "cut at $i/13: nothing is said"
	cp "$TMP/whole" "$TMP/bad"
	printf '\xa5\x5a\xa5' | dd of="$TMP/bad" bs=1 seek=$((size * i / 13)) conv=notrunc 2>/dev/null
	run gctrace "$TMP/bad" -o json
	case $status in 1 | 3) ;; *) fail "damaged at $i/13: status $status" ;; esac
	[ -s "$TMP/err" ] || fail "damaged at $i/13: nothing is said"
done
head -c 3000 /dev/urandom >"$TMP/noise"
refused 1 'noise.*(recording|not)' gctrace "$TMP/noise"
: >"$TMP/empty"
refused 1 'empty' gctrace "$TMP/empty"
refused 1 '.' gctrace /dev/null
refused 1 'directory|regular' gctrace "$TMP/"
pass

t "after all of this the target runs on, and nothing is attached to it"
lib_runs $VM || fail "it has ended"
all_down $VM || { fail "a semaphore is up"; show "$TMP/semaphores"; }
stop vm
expect_status 0
pass
