# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# What the .NET tests share, behind tests/e2e/lib.sh, beside agents.bash:
#
# dotnet_build [8.0|9.0]     build the programs for the SDK's own runtime, or with that one beside
#                            them; $programs is how to run them. Once: they are kept in $BUILD
# dotnet_build_web           the same of the web server, for the SDK's own runtime: $web
# program NAME ARGUMENT…     start a program as `program`, in the environment of ${settings[@]}
#                            (DOTNET_X=y) and of ${agent[@]}, with which it loads the agent, and
#                            wait until it is ready. It waits for $TMP/go where it has work to do
# trace NAME COMMAND…        start gctrace on `program`, and wait until that hears of it
#
# heaps KIND…                those kinds of heap to test with: of `make check` the first one only
#
# Where agent=(), load=(--load-agent) has every gctrace that these start attach to the program.

export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1 DOTNET_CLI_HOME=$BUILD/tests/dotnet/home
export NUGET_PACKAGES=$BUILD/tests/dotnet/packages MSBUILDDISABLENODEREUSE=1
. "$ROOT/tests/runtimes/agents.bash"

dotnet_sources=$ROOT/tests/runtimes/dotnet
dotnet_guid='{67637472-6163-6500-8000-646f746e6574}'
settings=()
agent=(CORECLR_ENABLE_NOTIFICATION_PROFILERS=1
	"CORECLR_NOTIFICATION_PROFILERS=$BUILD/libgctrace-dotnet.so=$dotnet_guid;")

# The SDK's own runtime is there with it. Others come from NuGet, so where that cannot be reached
# there are none.
dotnet_build() {
	local version=${1-} kept=$BUILD/tests/dotnet/${1:-own} options=()
	command -v dotnet >/dev/null || return 1
	mkdir -p "$kept" "$DOTNET_CLI_HOME"
	programs=(dotnet "$kept/Programs.dll")
	if [ -n "$version" ]; then
		options=(-p:Net="$version" -r "linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')"
			--self-contained)
		programs=("$kept/Programs")
	fi
	dotnet_project "$dotnet_sources/Programs.csproj" "$kept" ${options[@]+"${options[@]}"}
}

dotnet_build_web() {
	web=$BUILD/tests/dotnet/web/Shop.dll
	command -v dotnet >/dev/null || return 1
	mkdir -p "${web%/*}" "$DOTNET_CLI_HOME"
	dotnet_project "$dotnet_sources/web/Shop.csproj" "${web%/*}"
}

# Unless nothing has changed since.
dotnet_project() {	# PROJECT DIRECTORY OPTION…
	local project=$1 kept=$2 built
	built=$kept/$(basename "$1" .csproj).dll
	shift 2
	(
		flock 9
		[ -e "$built" ] && [ -z "$(find "${project%/*}" -maxdepth 1 -newer "$built" \
			-name '*.cs*')" ] && exit
		timeout 300 dotnet build "$project" -c Release -o "$kept" -v q \
			-p:BaseIntermediateOutputPath="$kept.obj/" -p:UseSharedCompilation=false \
			"$@" >"$TMP/build.out" 2>&1 && touch "$built"
	) 9>"$kept.lock"
}

heaps() { if at_level all; then echo "$@"; else echo "$1"; fi; }

need_programs() {
	need dotnet
	dotnet_build || skip_all "the SDK does not build: $(grep -m 1 error "$TMP/build.out")"
}

program() {
	rm -f "$TMP/go"
	start program env ${agent[@]+"${agent[@]}"} ${settings[@]+"${settings[@]}"} \
		"${programs[@]}" "$@"
	wait_for grep -qs ready "$TMP/program.out" ||
		{ fail "the program did not start"; show "$TMP/program.err"; }
}

trace() {
	local name=$1
	shift
	start "$name" gctrace "$@" ${load[@]+"${load[@]}"}
	# The agent looks 20 times a second and more, and needs a moment to ask the runtime; beside
	# another test that has all CPUs, more of them.
	wait_for "semaphores $(pid program) 2>/dev/null | grep -q '^gctrace batch [1-9]'" && sleep 1.5 ||
		{ fail "gctrace did not attach"; show "$TMP/$name.err"; }
}

# Wait for the end of a process which a test started ends by itself, and well.
ended_well() {	# NAME
	join "$1"
	[ $status = 0 ] || { fail "the exit status of $1 is $status"; show "$TMP/$1.err"; }
}
