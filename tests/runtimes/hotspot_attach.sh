#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Getting into a JVM that runs: by --load-agent, and by --via jvm for its own dump; from wherever it is,
# with nothing left behind; and where it cannot be, why, with the process as it was.
# limit: 900
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/../e2e/box.bash"
. "$(dirname "$0")/hotspot/lib.sh"
need_root
need java javac jcmd python3 unshare mount setpriv
[ -e "$hotspot_library" ] || skip_all "there is no agent in $BUILD"
javac -d "$TMP/classes" "$ROOT/tests/runtimes/Shop.java" 2>"$TMP/javac.err" ||
	skip_all "javac: $(head -n 1 "$TMP/javac.err")"
chmod -R a+rX "$TMP" "$TMP/classes"

# Others can't look into this one.
private=$TMP/private/gctrace
mkdir -m 700 "$TMP/private"
cp "$BUILD/gctrace" "$hotspot_library" "$TMP/private/"

jvm_up() {	# COMMAND... that ends in a JVM's options; $target is its pid
	start jvm "$@" -Xmx64m -cp "$TMP/classes" Shop 1000
	wait_for grep -qs ready "$TMP/jvm.out" || { fail "it did not start"; show "$TMP/jvm.err"; }
	target=$(pid jvm)
}

# It lives, and has said nothing but what the program itself says.
jvm_down() {
	lib_runs "$target" || fail "the JVM has ended"
	expect_equal ready "$(cat "$TMP/jvm.out")" "what the program has said"
	stop jvm
}

nothing_is_left() {	# DIRECTORY PID, as the JVM sees itself
	expect_equal "" "$(find "$1" -maxdepth 1 \( -name ".attach_pid$2" -o -name 'gctrace.*.hprof*' -o \
		-name 'libgctrace-hotspot*' \) 2>/dev/null)" "files that are left"
}

loads() {	# [GCTRACE]: the agent, and a dump comes by it
	run timeout 60 "${1:-gctrace}" heap -p "$target" --load-agent --top 0
	expect_status 0
	expect "$TMP/err" "has loaded gctrace's agent, in"
	expect "$TMP/out" 'Shop\$Node'
	run timeout 60 "${1:-gctrace}" heap -p "$target" --load-agent --top 0
	expect_status 0
	expect "$TMP/err" "has gctrace's agent already: it is used"
}

dumps() {	# [OPTION...]: the JVM itself
	run timeout 60 gctrace heap -p "$target" --via jvm --top 0 "$@"
	expect_status 0
	expect "$TMP/err" 'is asked by its attach socket for its own heap dump'
	expect "$TMP/out" '^ *1\.00 k .* Shop\$Node$'
	expect "$TMP/out" "pid $target \(java\)"
	expect "$TMP/out" '^complete: nothing is missing'
}

refused() {	# WHY WORD...: gctrace does not go in
	local why=$1
	shift
	run timeout 60 gctrace "$@"
	expect_status 1
	tr '\n' ' ' <"$TMP/err" | sed 's/ gctrace:  */ /g' >"$TMP/why"
	expect "$TMP/why" "$why"
}

while read -r home; do
	version=$(version_of "$home")
	major=${version%%.*}

	t "Java $version: its own dump, without an agent, and without a file where it runs"
	jvm_up "$home/bin/java"
	start files python3 "$ROOT/tests/runtimes/hotspot/files.py" /tmp 'gctrace.*.hprof'
	dumps
	for _ in 1 2 3 4 5; do
		dumps --histogram
	done
	stop files
	expect_equal "" "$(cat "$TMP/files.out")" "files with something in them"
	expect_equal "" "$(grep gctrace "/proc/$target/maps")" "what is loaded"
	nothing_is_left /tmp "$target"
	jvm_down
	pass

	if [ "$major" -ge 22 ]; then
		t "Java $version: no room for its dump in TMPDIR: status 1, and what to do"
		jvm_up "$home/bin/java"
		mkdir -p "$TMP/spool"
		for size in 2m 600k; do # little room, and none from the beginning
			run unshare -m sh -c 'mount -t tmpfs -o size=$1 none "$2" || exit 99
				TMPDIR=$2 timeout 60 gctrace heap -p "$3" --via jvm' - $size \
				"$TMP/spool" "$target"
			[ "$status" != 99 ] || { skip "no tmpfs can be mounted here"; break; }
			expect_status 1
			tr '\n' ' ' <"$TMP/err" | sed 's/ gctrace:  */ /g' >"$TMP/why"
			expect "$TMP/why" "more room in $TMP/spool.*than it has: .*stay free for"
			expect_not "$TMP/err" 'something else'
			expect "$TMP/why" 'set TMPDIR to a directory .*, at most [0-9.]+ MiB'
			[ ! -s "$TMP/out" ] || fail "something was shown"
		done
		dumps
		nothing_is_left /tmp "$target"
		jvm_down
		pass
	fi

	t "Java $version: gctrace is killed in the midst of the dump: no file, and it dumps again"
	jvm_up "$home/bin/java"
	start files python3 "$ROOT/tests/runtimes/hotspot/files.py" /tmp 'gctrace.*.hprof'
	for delay in 0 0.01 0.03 0.05 0.1 0.15 0.2 0.3; do
		start killed gctrace heap -p "$target" --via jvm
		sleep $delay
		stop killed KILL 2>/dev/null
	done
	wait_for "[ ! -e /tmp/.attach_pid$target ]" || fail "the attach file is left"
	wait_for "[ -z \"\$(find /tmp -maxdepth 1 -name 'gctrace.*.hprof*')\" ]" ||
		fail "the FIFO is left"
	WAIT=60 wait_for "timeout 60 gctrace heap -p $target --via jvm >/dev/null 2>&1" ||
		fail "it makes no dump any more"
	stop files
	expect_equal "" "$(cat "$TMP/files.out")" "files with something in them"
	jvm_down
	pass

	t "Java $version: the agent is loaded where it lies, once"
	jvm_up "$home/bin/java"
	loads
	[ "$major" -lt 21 ] || expect "$TMP/jvm.err" 'A JVM TI agent has been loaded dynamically'
	expect_equal 1 "$(awk '/libgctrace-hotspot/ { print $6 }' "/proc/$target/maps" | sort -u |
		wc -l)" "libraries"
	jvm_down
	pass

	# From when it listens until its live phase: the tries are spread over it.
	t "Java $version: in a JVM's first moments, 16 times"
	for round in {1..16}; do
		start jvm "$home/bin/java" -Xmx64m -cp "$TMP/classes" Shop 10
		target=$(pid jvm)
		sleep "0.$(printf %03d $((round * 24)))"
		run timeout 60 gctrace heap -p "$target" --load-agent --top 0
		expect_status 0
		expect "$TMP/err" "has loaded gctrace's agent, in"
		expect_not "$TMP/err" 'too old|as a copy|no place|put a copy'
		wait_for grep -qs ready "$TMP/jvm.out" || fail "no start"
		jvm_down
	done
	pass

	t "Java $version: by the launcher's options with gctrace run"
	start traced gctrace run --load-agent -o json -- "$home/bin/java" -Xmx64m \
		-cp "$TMP/classes" Shop 1000
	wait_for grep -qs ready "$TMP/traced.out" || { fail "no start"; show "$TMP/traced.err"; }
	target=$(pgrep -P "$(pid traced)" -x java)
	expect "/proc/$target/maps" 'libgctrace-hotspot\.so'
	expect "$TMP/traced.err" 'NOTE: Picked up JDK_JAVA_OPTIONS: "-agentpath:'
	kill -KILL "$target"
	join traced
	pass
done < <(jvms)

t "another user's JVM, with a java.io.tmpdir of its own, which cannot see gctrace"
jvm_up setpriv --reuid 65534 --regid 65534 --clear-groups java -Djava.io.tmpdir=/var/tmp
dumps
loads "$private"
expect "/proc/$target/maps" 'libgctrace-hotspot\.[0-9a-f]{16}\.so \(deleted\)'
nothing_is_left /tmp "$target"
jvm_down
pass

t "another user asks it nothing"
jvm_up java
cp "$BUILD/gctrace" "$TMP/classes/gctrace"
chmod a+rx "$TMP/classes/gctrace"
run setpriv --reuid 65534 --regid 65534 --clear-groups "$TMP/classes/gctrace" heap -p "$target" --via jvm
expect_status 1
[ ! -e "/tmp/.java_pid$target" ] || fail "it has an attach socket"
jvm_down
pass

t "gctrace and its helpers are killed together, and the next one removes the copies that are left"
mkdir -m 777 "$TMP/left"
for round in 1 2 3 4 5 6; do
	jvm_up setpriv --reuid 65534 --regid 65534 --clear-groups env "TMPDIR=$TMP/left" java
	start killed "$private" heap -p "$target" --load-agent
	if [ $((round % 2)) = 0 ]; then # when it is there
		while ! compgen -G "$TMP/left/*.so" >/dev/null && lib_runs "$(pid killed)"; do
			:
		done
	else
		sleep "0.$(printf %03d $((RANDOM % 400)))"
	fi
	kill -KILL "$(pid killed)" $(pgrep -P "$(pid killed)") 2>/dev/null
	join killed
	stop jvm
done
echo "copies left in $round rounds: $(find "$TMP/left" -name 'libgctrace-hotspot.*.so' | wc -l)"
jvm_up setpriv --reuid 65534 --regid 65534 --clear-groups env "TMPDIR=$TMP/left" java
# Surely some: one of this process's user, and three that are not to be touched.
name() { echo "$TMP/left/libgctrace-hotspot.000000000000000$1.so"; }
for n in 1 2 3 4; do cp "$hotspot_library" "$(name $n)"; done
rm "$(name 2)" && ln -s "$(name 1)" "$(name 2)"
ln "$(name 3)" "$TMP/left/other"
chown -h 65534:65534 "$TMP/left"/*.so
chown 0:0 "$(name 4)"
find "$TMP/left" -name '*.so' -exec touch -h -d '2 hours ago' {} +
loads "$private"
expect_equal "$(printf '%s\n' "$(name 2)" "$(name 3)" "$(name 4)")" \
	"$(find "$TMP/left" -name 'libgctrace-hotspot*' | sort)" "what is left"
[ -e "$TMP/left/other" ] || fail "a file with another name was removed"
jvm_down
pass

for kind in "" "-U --map-root-user"; do
	t "namespaces of its own (mounts, pids${kind:+, users}), and another /tmp"
	# shellcheck disable=SC2086
	start box unshare $kind -m -p --fork --mount-proc sh -c '
		cp -r "$1" /dev/shm/$2 && mount -t tmpfs none /tmp && cp -r /dev/shm/$2 /tmp/classes &&
		rm -r /dev/shm/$2; cd /tmp; exec java -Xmx64m -cp /tmp/classes Shop 1000' \
		sh "$TMP/classes" "gctrace-test.$$"
	if ! wait_for "grep -qs ready '$TMP/box.out' || ! lib_runs $(pid box)" ||
		! grep -qs ready "$TMP/box.out"; then
		skip "this host cannot make it: $(tail -n 1 "$TMP/box.err")"
		continue
	fi
	target=$(pgrep -P "$(pid box)" -x java)
	dumps
	loads "$private"
	nothing_is_left "/proc/$target/root/tmp" 1
	kill -KILL "$target"
	join box
	pass
done

t "options that keep everybody out are seen before, wherever they stand"
echo +DisableAttachMechanism >"$TMP/flags"
echo -XX:+DisableAttachMechanism >"$TMP/vmoptions"
for counters in + -; do
	for option in "-XX:Flags=$TMP/flags" "-XX:VMOptionsFile=$TMP/vmoptions" "@$TMP/vmoptions"; do
		jvm_up java "-XX:${counters}UsePerfData" "$option"
		refused '-XX:\+DisableAttachMechanism' heap -p "$target" --via jvm
		jvm_down
	done
done
for variable in JDK_JAVA_OPTIONS _JAVA_OPTIONS; do
	jvm_up env "$variable=-XX:+DisableAttachMechanism" java
	refused '-XX:\+DisableAttachMechanism' heap -p "$target" --via jvm
	jvm_down
done
jvm_up java "-XX:Flags=$TMP/flags" -XX:-DisableAttachMechanism
dumps
jvm_down
jvm_up java -XX:+DisableAttachMechanism
refused '-XX:\+DisableAttachMechanism, so that nobody can ask' heap -p "$target" --via jvm
refused '-XX:\+DisableAttachMechanism, so that nobody can ask' heap -p "$target" --load-agent
jvm_down
jvm_up env JAVA_TOOL_OPTIONS=-XX:+DisableAttachMechanism java
refused '-XX:\+DisableAttachMechanism' heap -p "$target" --via jvm
jvm_down
jvm_up java -XX:-EnableDynamicAgentLoading
refused '-XX:-EnableDynamicAgentLoading, which keeps every agent out' heap -p "$target" --load-agent
dumps
jvm_down
jvm_up java -XX:+DisableAttachMechanism -XX:-DisableAttachMechanism
dumps
jvm_down
pass

t "a JVM that does not take SIGQUIT, one that is stopped, and what is no JVM live on"
jvm_up java -Xrs
dumps
jvm_down
jvm_up java
kill -STOP "$target"
wait_for grep -q '^State:.T' "/proc/$target/status"
refused 'it is stopped' heap -p "$target" --via jvm
kill -CONT "$target"
jvm_down
start other sleep 1000
refused 'it runs no JVM that gctrace knows' heap -p "$(pid other)" --via jvm
stop other
expect_status 143
pass

t "an old attach file or socket of a dead JVM does not mislead"
jvm_up java
python3 -c "import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])" "/tmp/.java_pid$target"
dumps
stop jvm
jvm_up java
touch "/tmp/.attach_pid$target"
dumps
rm -f "/tmp/.attach_pid$target"
jvm_down
pass

t "an attach socket that was removed is made anew"
jvm_up java
dumps
rm "/tmp/.java_pid$target"
dumps
rm "/tmp/.java_pid$target"
loads
jvm_down
pass

t "two at once at a JVM that nobody has asked before: both load, and there is one agent"
jvm_up java
for name in one other; do
	start "$name" timeout 60 gctrace heap -p "$target" --load-agent --top 0
done
for name in one other; do
	join "$name"
	expect_equal 0 "$status" "the exit status of $name"
	expect "$TMP/$name.out" 'Shop\$Node'
	expect "$TMP/$name.out" '^complete: nothing is missing'
done
expect_equal 1 "$(awk '/libgctrace-hotspot/ { print $5 }' "/proc/$target/maps" | sort -u | wc -l)" \
	"libraries"
nothing_is_left /tmp "$target"
jvm_down
pass

t "wrong usage says what is right"
run gctrace heap "$TMP/none.hprof" --via jvm
expect_status 2
expect "$TMP/err" 'via is of a process'
pass
