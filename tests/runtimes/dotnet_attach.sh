#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Getting into a .NET process that runs, by --load-agent: from wherever it is, once, with nothing left
# behind; and where it cannot be, why, with the process as it was.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/../e2e/box.bash"
. "$(dirname "$0")/dotnet/compile.bash"
need_root
need dotnet jq unshare mount setpriv python3 cc readelf
unset TMPDIR # it says where programs of .NET have their sockets
[ -e "$BUILD/libgctrace-dotnet.so" ] || skip_all "there is no agent in $BUILD"
dotnet_program "$TMP/program.dll" ||
	skip_all "no .NET SDK to compile with: $(head -n 1 "$TMP/csc.out" 2>/dev/null)"

# ---------------------------------------------------------------------------------------------
# gctrace in a place of its own, which other users can't look into, with an agent or one in its place

private=$TMP/private/gctrace
mkdir -m 700 "$TMP/private"
cp "$BUILD/gctrace" "$BUILD/libgctrace-dotnet.so" "$TMP/private/"

in_its_place() {	# SECONDS EXITS RESULT: $imposter is a gctrace with that for an agent
	imposter=$TMP/imposter/gctrace
	mkdir -p "$TMP/imposter"
	cp "$BUILD/gctrace" "$imposter"
	cc -shared -fPIC -DSECONDS="$1" -DEXITS="$2" -DRESULT="$3" -o "$TMP/imposter/libgctrace-dotnet.so" \
		"$ROOT/tests/runtimes/dotnet/refusing.c" || fail "the library does not compile"
}

# ---------------------------------------------------------------------------------------------
# Processes

dotnet_up() {	# COMMAND… that ends in the program; $target is its pid
	start dotnet "$@"
	wait_for grep -qs ready "$TMP/dotnet.out" || { fail "it did not start"; show "$TMP/dotnet.err"; }
	target=$(pid dotnet)
}

down() {	# its socket would stay
	rm -f "$(socket)" "/tmp/clr-debug-pipe-$target-"*
	kill -KILL "$target" 2>/dev/null
	join dotnet 2>/dev/null
}

ticks() { sed 's/.*) //' "/proc/$target/stat" | cut -d ' ' -f 20; }
socket() { echo "${1-/tmp}/dotnet-diagnostic-$target-$(ticks)-socket"; }

# What could be left behind: files named so in all that the process may write to, mounts.
view() {
	find "/proc/$target/root"/{tmp,var/tmp,dev/shm,mnt} "$TMP/temporary" -maxdepth 1 \
		-name 'libgctrace-*' 2>/dev/null
	sed 's/^[0-9]* [0-9]* //' "/proc/$target/mountinfo"
}

mapped() { awk '/libgctrace-dotnet/ { print $5 }' "/proc/$target/maps" | sort -u | grep -c .; }

# Some collections, none lost, and its own: the runtime is .NET. Nothing is left of how it got there.
loaded() {	# GCTRACE [OPTION…]
	view >"$TMP/before"
	run timeout 100 "$@" -p "$target" --load-agent -n 3 -o json
	expect_status 0
	expect_equal 3 "$(jq -r 'select(.event == "gc") | .gc' "$TMP/out" | wc -l)" "collections"
	expect "$TMP/out" '"event":"header".*"runtime":".NET'
	expect "$TMP/out" '"event":"summary".*"complete":true'
	lib_runs "$target" || fail "it has ended"
	expect_equal 1 "$(mapped)" "libraries in it"
	view >"$TMP/after"
	cmp -s "$TMP/before" "$TMP/after" || { fail "something is left"; diff "$TMP/before" "$TMP/after"; }
}

# Refused, for this reason; nothing was done to it, and it goes on.
refused() {	# REASON GCTRACE [OPTION…]
	local reason=$1
	shift
	view >"$TMP/before"
	run timeout 100 "$@" -p "$target" --load-agent -n 3
	expect_status 1
	expect "$TMP/err" "$reason"
	[ ! -s "$TMP/out" ] || { fail "there is something on stdout"; show "$TMP/out"; }
	lib_runs "$target" || fail "it has ended"
	expect_equal 0 "$(mapped)" "libraries in it"
	view >"$TMP/after"
	cmp -s "$TMP/before" "$TMP/after" || { fail "something is left"; diff "$TMP/before" "$TMP/after"; }
}

# ---------------------------------------------------------------------------------------------

t "without --load-agent it is said what the agent would bring, and the command"
dotnet_up dotnet "$TMP/program.dll"
run gctrace -p "$target"
expect_status 1
expect "$TMP/err" "heap dumps and roots: gctrace -p $target --load-agent"
expect_equal 0 "$(mapped)" "libraries in it"
run gctrace probes -p "$target"
expect_status 1
expect "$TMP/out" 'agent +no +it can be loaded \(--load-agent\)'
run gctrace probes -p "$target" -o json
expect_equal loadable "$(jq -r 'select(.event == "process") | .agent' "$TMP/out")" "the agent is"
! /usr/bin/python3 -c 'import jsonschema' 2>/dev/null ||
	/usr/bin/python3 "$ROOT/tests/e2e/schema_check.py" "$ROOT/docs/gctrace.schema.json" "$TMP/out" >"$TMP/schema" ||
	{ fail "not as the schema says"; show "$TMP/schema"; }
run gctrace probes
expect "$TMP/err" "agent can be loaded \(--load-agent\) into pid .*\b$target\b"
pass

t "one of our own that can read the library: loaded from where it is, and said so"
loaded gctrace
expect "$TMP/err" "pid $target \(dotnet\) is asked by its diagnostics socket to load gctrace's agent: [^ ]*libgctrace-dotnet.so$"
expect "$TMP/err" "pid $target \(dotnet\) has loaded gctrace's agent, in"
expect_not "/proc/$target/maps" 'libgctrace.*deleted'
pass

t "what is there already is found and used, with the option and without"
loaded gctrace
expect "$TMP/err" "has gctrace's agent already: it is used"
run timeout 100 gctrace -p "$target" -n 3 -o json
expect_status 0
expect "$TMP/out" '"event":"summary".*"complete":true'
[ ! -s "$TMP/err" ] || { fail "it says something"; show "$TMP/err"; }
run gctrace probes -p "$target"
expect_status 0
expect "$TMP/out" 'runtime +\.NET'
expect "$TMP/out" 'agent +yes +it is loaded'
run gctrace probes -p "$target" -o json
expect_equal loaded "$(jq -r 'select(.event == "process") | .agent' "$TMP/out")" "the agent is"
pass

# The same library with another number, as a gctrace that was built anew would have it.
t "an agent of another build is used, and told of with what it lacks"
mkdir "$TMP/anew"
cp "$BUILD/gctrace" "$TMP/anew/"
id=$(readelf -n "$BUILD/libgctrace-dotnet.so" | sed -n 's/.*Build ID: //p')
python3 - "$id" "$BUILD/libgctrace-dotnet.so" "$TMP/anew/libgctrace-dotnet.so" <<-'END'
	import sys
	number = bytes.fromhex(sys.argv[1])
	library = open(sys.argv[2], "rb").read()
	assert library.count(number) == 1
	library = library.replace(number, number[::-1])
	# A probe that the one in the program does not have.
	at = library.index(b"gctrace\0request__pause\0")
	library = library[:at] + library[at:].replace(b"request__pause", b"request__later", 1)
	open(sys.argv[3], "wb").write(library)
END
run timeout 100 "$TMP/anew/gctrace" -p "$target" -n 3 -o json
expect_status 0
expect "$TMP/out" '"event":"summary".*"complete":true'
tr '\n' ' ' <"$TMP/err" | sed 's/  *gctrace:  */ /g' >"$TMP/said"
expect "$TMP/said" "pid $target has gctrace's agent, but it is of another build \(${id:0:12}\) than the one here"
expect "$TMP/said" 'it lacks the probes request__later, and what needs them is not told; .* start the program anew'
expect_equal 1 "$(grep -c 'another build' "$TMP/err")" "warnings"
run "$TMP/anew/gctrace" probes -p "$target" -o json
expect "$TMP/out" '"agent_text":"it is loaded; it is of another build'
run timeout 100 "$TMP/anew/gctrace" -p "$target" --load-agent -n 3
expect "$TMP/err" "has gctrace's agent already: it is used"
expect "$TMP/err" 'another build'
down
pass

t "two at once load it once, and both trace"
dotnet_up dotnet "$TMP/program.dll"
start one "$private" -p "$target" --load-agent -n 5 -o json
start two "$BUILD/gctrace" -p "$target" --load-agent -n 5 -o json
for name in one two; do
	join $name
	expect_status 0
	expect "$TMP/$name.out" '"event":"summary".*"complete":true'
done
expect_equal 1 "$(mapped)" "libraries in it"
expect_equal 1 "$(cat "$TMP/one.err" "$TMP/two.err" | grep -c 'has loaded')" "who loaded it"
down
pass

t "another user's, who may not read the library: a copy, gone at once"
other="setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp"
chmod 755 "$TMP"
dotnet_up $other dotnet "$TMP/program.dll"
loaded "$private"
expect "$TMP/err" 'a copy of it in /tmp of its own view'
expect "/proc/$target/maps" '/tmp/libgctrace-dotnet\.[0-9a-f]{16}\.so \(deleted\)'
run timeout 100 "$BUILD/gctrace" -p "$target" --load-agent -n 3
expect_status 0
expect "$TMP/err" "has gctrace's agent already"
expect_equal 1 "$(mapped)" "libraries in it"
down
pass

t "a library that is deleted is attached to, and looked for anew, all the same"
start dotnet $other dotnet "$TMP/program.dll"
target=$(pid dotnet)
start trace "$private" -p "$target" --load-agent -o json
wait_for "grep -q '\"event\":\"gc\"' $TMP/trace.out"
seen=$(grep -c '"event":"gc"' "$TMP/trace.out")
kill -HUP "$(pid trace)"
wait_for "[ \$(grep -c '\"event\":\"gc\"' $TMP/trace.out) -gt $((seen + 5)) ]"
stop trace INT
expect_status 0
expect "$TMP/trace.out" '"event":"summary".*"complete":true'
expect_not "$TMP/trace.err" warning
expect "/proc/$target/maps" 'libgctrace.*deleted'
run gctrace probes -p "$target" -o json
expect_equal true "$(jq -r 'select(.event == "module" and (.path | test("libgctrace"))) | .deleted' "$TMP/out")" \
	"the module is deleted"
down
pass

t "every command that takes -p takes it"
dotnet_up dotnet "$TMP/program.dll"
run timeout 100 gctrace heap -p "$target" --load-agent -o json
expect_status 0
expect "$TMP/out" '"event":"type".*System.String'
expect "$TMP/err" "has loaded gctrace's agent"
down
dotnet_up dotnet "$TMP/program.dll"
run timeout 100 gctrace path -p "$target" --load-agent --type System.String --top 1
expect_status 0
expect "$TMP/err" "has loaded gctrace's agent"
down
dotnet_up dotnet "$TMP/program.dll"
run timeout 100 gctrace record -p "$target" --load-agent --dump --output "$TMP/rec" -n 20
expect_status 0
expect "$TMP/err" "has loaded gctrace's agent"
run gctrace heap "$TMP/rec"
expect_status 0
down
dotnet_up dotnet "$TMP/program.dll"
start follow gctrace follow -p "$target" --load-agent -o json
wait_for grep -q '"event":"anchor"' "$TMP/follow.out" || fail "no dump comes"
stop follow INT
expect_status 0
expect "$TMP/follow.err" "has loaded gctrace's agent"
down
dotnet_up dotnet "$TMP/program.dll"
run timeout 100 gctrace export -p "$target" --load-agent --as hprof --output "$TMP/hprof"
expect_status 0
expect "$TMP/err" "has loaded gctrace's agent"
down
pass

t "an installed gctrace, called by a link, finds its agent in ../lib/gctrace"
mkdir -p "$TMP"/installed/{sbin,lib/gctrace,bin}
cp "$BUILD/gctrace" "$TMP/installed/sbin/"
cp "$BUILD/libgctrace-dotnet.so" "$TMP/installed/lib/gctrace/"
ln -s ../sbin/gctrace "$TMP/installed/bin/gctrace"
dotnet_up dotnet "$TMP/program.dll"
loaded "$TMP/installed/bin/gctrace"
expect "/proc/$target/maps" "$TMP/installed/lib/gctrace/libgctrace-dotnet.so"
down
pass

t "a TMPDIR of its own: its socket is there, and so is the copy"
mkdir -m 1777 "$TMP/temporary"
dotnet_up $other env TMPDIR="$TMP/temporary" dotnet "$TMP/program.dll"
[ -S "$(socket "$TMP/temporary")" ] || fail "there is no socket"
loaded "$private"
expect "$TMP/err" "a copy of it in $TMP/temporary"
down
pass

t "a TMPDIR whose socket's path is longer than an address of a socket may be"
long=$TMP/temporary/$(printf '%060d' 0)
mkdir -p "$long"
chmod 1777 "$long"
dotnet_up $other env TMPDIR="$long" dotnet "$TMP/program.dll"
if [ -S "$(socket "$long")" ]; then
	loaded "$private"
	pass
else	# the runtime itself cannot
	refused 'has no diagnostics socket in' "$private"
	pass
fi
down

# ---------------------------------------------------------------------------------------------
# Containers

make_root() {
	mkdir -p "$TMP/root"/{proc,tmp,old,usr,etc,dev,app,mnt,var/tmp}
	chmod 1777 "$TMP/root/tmp" "$TMP/root/var/tmp"
	touch "$TMP/root/dev/null"
	local link
	for link in bin lib lib64 sbin; do
		[ ! -L "/$link" ] || cp -P "/$link" "$TMP/root/$link"
	done
	cp "$TMP"/program.* "$TMP/root/app/"
}
with_host='for d in usr etc dev/null; do mount --bind "/$d" "$r/$d"; done'

box_up() {	# UNSHARE-OPTIONS PREPARE [COMMAND…]
	local options=$1 prepare=$2
	shift 2
	enter box "$TMP/root" "$options" "$with_host; $prepare" "$@" dotnet /app/program.dll
	up box dotnet || return 1
	wait_for grep -qs ready "$TMP/box.out" || { fail "it did not start"; show "$TMP/box.err"; }
}

make_root
if [ -L /lib ]; then
	t "another mount and pid namespace, and root: a copy in its /tmp"
	if box_up "-m -p -f --kill-child" :; then
		loaded gctrace
		expect "$TMP/err" 'a copy of it in /tmp of its own view'
		expect_equal 0 "$(find "$TMP/root" -name 'libgctrace*' | wc -l)" "files left"
		leave box
		pass
	fi

	t "the same of another user"
	if box_up "-m -p -f --kill-child" : setpriv --reuid 1000 --regid 1000 --clear-groups; then
		loaded gctrace
		leave box
		pass
	fi

	t "another user namespace, where it is root and nobody out here"
	if box_up "-U -r -m -p -f --kill-child" :; then
		loaded gctrace
		leave box
		pass
	fi

	t "a /tmp that nothing may be executed in: the next directory"
	if box_up "-m -p -f --kill-child" 'mount -t tmpfs -o noexec tmpfs "$r/tmp"'; then
		loaded gctrace
		expect "$TMP/err" 'a copy of it in /var/tmp'
		leave box
		pass
	fi

	for own in "" "-U -r "; do
		t "a read-only root, and a noexec /tmp: a mount of a moment${own:+, in a user namespace}"
		if box_up "$own-m -p -f --kill-child" 'mount -t tmpfs -o noexec tmpfs "$r/tmp"
			mount -o remount,bind,ro "$r" "$r"'; then
			loaded gctrace
			expect "$TMP/err" 'a file system in memory mounted on /[a-z]+ of its own view'
			leave box
			pass
		fi
	done
fi

t "a program in one file, with its runtime in it"
if dotnet_single; then
	dotnet_up "$single"
	loaded gctrace
	down
	pass
else
	skip "the SDK makes none: $(grep -m 1 error "$TMP/single.out")"
fi

# ---------------------------------------------------------------------------------------------
# Refusals

for setting in DOTNET_EnableDiagnostics=0 COMPlus_EnableDiagnostics=0 DOTNET_EnableDiagnostics_IPC=0 \
	DOTNET_EnableDiagnostics_Profiler=0x0; do
	t "$setting keeps it out, and is named"
	dotnet_up env $setting dotnet "$TMP/program.dll"
	refused "it was started with $setting, which keeps every agent out" gctrace
	run gctrace probes -p "$target" -o json
	expect_equal refused "$(jq -r 'select(.event == "process") | .agent' "$TMP/out")" "the agent is"
	down
	pass
done

t "a TMPDIR that does not exist"
dotnet_up env TMPDIR=/nowhere/at/all dotnet "$TMP/program.dll"
refused 'its TMPDIR /nowhere/at/all is no directory in its view' gctrace
down
pass

t "a TMPDIR that its user may not write to"
mkdir -m 755 "$TMP/readable"
dotnet_up $other env TMPDIR="$TMP/readable" dotnet "$TMP/program.dll"
refused "its user 65534 may not write to $TMP/readable" gctrace
down
pass

t "no socket: it was deleted"
dotnet_up dotnet "$TMP/program.dll"
rm "$(socket)"
refused 'has no diagnostics socket in /tmp \(dotnet-diagnostic-' gctrace
pass

t "a socket that somebody else has left there, dead or alive"
python3 -c 'import socket, sys
socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$(socket)"
refused 'it does not listen itself' gctrace
rm "$(socket)"
start fake python3 -c 'import socket, sys, time
s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(9); print("ready", flush=True)
time.sleep(1000)' "$(socket)"
wait_for grep -qs ready "$TMP/fake.out"
refused 'it does not listen itself' gctrace
stop fake
down
pass

t "one that is stopped"
dotnet_up dotnet "$TMP/program.dll"
kill -STOP "$target"
wait_for grep -q '^State:.T' "/proc/$target/status"
refused "it is stopped.*kill -CONT $target" gctrace
kill -CONT "$target"
loaded gctrace
down
pass

t "what the library itself says is told, and it is gone"
in_its_place 0 0 0xA0040003
dotnet_up $other dotnet "$TMP/program.dll"
chmod 700 "$TMP/imposter"
refused 'no memory for the agent.s buffers or thread \(0xa0040003\)' "$imposter"
in_its_place 0 0 0x80004005
refused 'has refused the agent \(0x80004005\)' "$imposter"
pass

t "a library that nobody can load: each place is named"
echo "no library" >"$TMP/imposter/libgctrace-dotnet.so"
refused 'there is no place from which it could load the library \(.*/tmp/libgctrace-dotnet.[0-9a-f]+.so: its runtime could not load it.*\)' "$imposter"
rm "$TMP/imposter/libgctrace-dotnet.so"
refused 'its library is not there, neither .*/imposter/libgctrace-dotnet.so' "$imposter"
loaded "$private"
down
pass

t "a runtime that does not answer is waited for no longer than that, and nothing is left"
in_its_place 15 0 0x80004005
dotnet_up $other dotnet "$TMP/program.dll"
view >"$TMP/before"
run timeout 100 "$imposter" -p "$target" --load-agent
expect_status 1
expect "$TMP/err" 'its runtime has not answered within [0-9]+ s'
view >"$TMP/after"
cmp -s "$TMP/before" "$TMP/after" || { fail "something is left"; diff "$TMP/before" "$TMP/after"; }
lib_runs "$target" || fail "it has ended"
down
pass

t "Ctrl-C while it loads ends gctrace, and nothing is left"
dotnet_up $other env TMPDIR="$TMP/temporary" dotnet "$TMP/program.dll"
view >"$TMP/before"
start stopped "$imposter" -p "$target" --load-agent
wait_for 'ls "$TMP"/temporary/libgctrace-dotnet.*.so >/dev/null 2>&1'
stop stopped INT
expect_status 1
expect "$TMP/stopped.err" 'stopped before its runtime has answered'
lib_runs "$target" || fail "it has ended"
view >"$TMP/after"
cmp -s "$TMP/before" "$TMP/after" || { fail "something is left"; diff "$TMP/before" "$TMP/after"; }
down
pass

t "killed while it loads: what it has made is gone all the same"
in_its_place 5 0 0x80004005
dotnet_up $other env TMPDIR="$TMP/temporary" dotnet "$TMP/program.dll"
view >"$TMP/before"
start killed "$imposter" -p "$target" --load-agent
wait_for 'ls "$TMP"/temporary/libgctrace-dotnet.*.so >/dev/null 2>&1'
stop killed KILL
wait_for '! ls "$TMP"/temporary/libgctrace-dotnet.*.so >/dev/null 2>&1' || fail "the copy is left"
wait_for "[ \"\$(mapped)\" = 0 ]"
view >"$TMP/after"
cmp -s "$TMP/before" "$TMP/after" || { fail "something is left"; diff "$TMP/before" "$TMP/after"; }
loaded "$private"
down
pass

t "with the capabilities that attaching takes: into one's own process, into no other's"
capabilities=+bpf,+perfmon,+sys_ptrace,+checkpoint_restore
as_user="setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps $capabilities
	--ambient-caps $capabilities --bounding-set $capabilities"
dotnet_up $other dotnet "$TMP/program.dll"
if $as_user test -r "$BUILD/libgctrace-dotnet.so"; then
	loaded $as_user "$BUILD/gctrace"
else
	skip "$BUILD is not for everybody to read"
fi
down
dotnet_up dotnet "$TMP/program.dll"
[ ! -r "$BUILD/gctrace" ] || refused "it is user 0's.*run gctrace as root" $as_user "$BUILD/gctrace"
down
pass

t "one that ends while the agent is loaded"
in_its_place 0 1 0
dotnet_up $other env TMPDIR="$TMP/temporary" dotnet "$TMP/program.dll"
run timeout 100 "$imposter" -p "$target" --load-agent
expect_status 1
expect "$TMP/err" 'cannot be loaded.*: it has ended meanwhile'
join dotnet
expect_equal 0 "$(find "$TMP/temporary" -name 'libgctrace-dotnet.*' | wc -l)" "files left"
pass

t "a process that is just starting is waited for"
start dotnet dotnet "$TMP/program.dll"
target=$(pid dotnet)
run timeout 100 gctrace -p "$target" --load-agent -n 3 -o json
expect_status 0
expect "$TMP/out" '"event":"summary".*"complete":true'
down
pass

t "who asks for samples of allocations, which it takes none of, is told so before it is loaded"
dotnet_up dotnet "$TMP/program.dll"
run timeout 100 gctrace follow -p "$target" --load-agent --by site
expect_status 1
expect "$TMP/err" "agent cannot be loaded into pid $target .*: it samples no allocations there"
expect_not "/proc/$target/maps" libgctrace
down
pass

t "what takes no agent: its own probes are used, or it is said"
start vm minivm --rate 50 --quiet
wait_for "semaphores $(pid vm) >/dev/null 2>&1"
run timeout 100 gctrace -p "$(pid vm)" --load-agent -n 2
expect_status 0
expect "$TMP/err" "gctrace has none for .*the probes that pid $(pid vm) has are used"
stop vm
run gctrace --load-agent "$TMP/any.rec"
expect_status 2
expect "$TMP/err" '--load-agent is for running processes'
pass

# ---------------------------------------------------------------------------------------------
# At the start of a program

end_run() {	# NAME: its program is killed, which is its status
	kill -KILL "$(pgrep -P "$(pid run)" -x "$1")"
	join run
	expect_status 137
}

run_three() {	# PROGRAM…: with the agent, until three collections are told
	rm -f "$TMP/trace"
	start run gctrace run --load-agent -n 3 -o json --output "$TMP/trace" -- "$@"
	wait_for 'grep -qs "\"event\":\"summary\"" "$TMP/trace"' || show "$TMP/run.err"
}

t "gctrace run --load-agent: from the first collection on, without it the command is told"
run_three dotnet "$TMP/program.dll"
end_run dotnet
expect_equal "1 2 3" "$(jq -r 'select(.event == "gc") | .gc' "$TMP/trace" | xargs)" "collections"
expect "$TMP/trace" '"event":"summary".*"complete":true'
expect "$TMP/run.err" 'programs of .NET that this starts load gctrace.s agent'
start run gctrace run -- dotnet "$TMP/program.dll"
wait_for grep -q ready "$TMP/run.out" && sleep 1 || fail "the program did not start"
end_run dotnet
expect "$TMP/run.err" 'gctrace run --load-agent for one that is started'
pass

t "gctrace run --load-agent of a program in one file"
if [ -x "${single-}" ]; then
	run_three "$single"
	end_run "$(basename "$single" | cut -c 1-15)"
	expect_equal "1 2 3" "$(jq -r 'select(.event == "gc") | .gc' "$TMP/trace" | xargs)" "collections"
	pass
else
	skip "there is none"
fi

t "what the environment lists already is kept; what forbids agents is said"
run timeout 100 env CORECLR_ENABLE_NOTIFICATION_PROFILERS=1 \
	CORECLR_NOTIFICATION_PROFILERS='/a/b.so={00000000-0000-0000-0000-000000000001}' \
	gctrace run --load-agent -- sh -c 'echo "$CORECLR_NOTIFICATION_PROFILERS $CORECLR_ENABLE_NOTIFICATION_PROFILERS"'
expect "$TMP/out" '^/a/b.so=\{00000000-0000-0000-0000-000000000001\};[^;]*/libgctrace-dotnet.so=\{67637472-6163-6500-8000-646f746e6574\}; 1$'
run env COMPlus_EnableDiagnostics=0 gctrace run --load-agent -- touch "$TMP/started"
expect_status 1
expect "$TMP/err" 'COMPlus_EnableDiagnostics=0 is set'
[ ! -e "$TMP/started" ] || fail "the program was started"
pass
