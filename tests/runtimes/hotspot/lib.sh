# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# What the tests of HotSpot's agent share, behind tests/e2e/lib.sh, beside agents.bash and jvms.bash:
#
# hotspot_build               compile the programs into $TMP/classes, by the JDK of PATH
# has JVM OPTION…             does this build of it take the options, such as a collector's?
# program JVM OPTION… CLASS   start Graph or another as `program`, with the agent unless $agent is
#                             empty, and wait until it is ready. Graph ends by ended_well, Busy and
#                             Fleeting when $TMP/go is there
# load_agent                  have `program` load it as it runs; the JVM's answer is in $TMP/out

. "$ROOT/tests/runtimes/agents.bash"
. "$ROOT/tests/runtimes/jvms.bash"

hotspot_library=$BUILD/libgctrace-hotspot.so
agent=-agentpath:$hotspot_library

hotspot_build() {
	javac -d "$TMP/classes" "$ROOT"/tests/runtimes/hotspot/*.java 2>"$TMP/javac.err" &&
		javac -d "$TMP/classes/loaded" "$ROOT"/tests/runtimes/hotspot/loaded/*.java 2>&1
}

need_java() {
	need java javac jcmd
	hotspot_build || skip_all "javac: $(head -n 1 "$TMP/javac.err")"
}

has() { "$1/bin/java" "${@:2}" -version >/dev/null 2>&1; }

program() {
	local jvm=$1
	shift
	rm -f "$TMP/go"
	[ "${!#}" != Graph ] || mkfifo "$TMP/go"
	start program "$jvm/bin/java" ${agent:+"$agent"} -XX:-UsePerfData -Xmx256m -cp "$TMP/classes" \
		"$@" "$TMP/go" "$TMP/classes/loaded/"
	wait_for grep -qs ready "$TMP/program.out" ||
		{ fail "the program did not start"; show "$TMP/program.err"; }
}

load_agent() { run "$1/bin/jcmd" "$(pid program)" JVMTI.agent_load "$hotspot_library"; }

# It has said nothing but what the program itself says.
ended_well() {
	timeout 60 sh -c 'echo end >"$0"' "$TMP/go" || fail "the program does not wait for its end"
	join program
	expect_equal 0 "$status" "the program's exit status"
	expect_equal ready "$(cat "$TMP/program.out")" "what the program has said"
}
