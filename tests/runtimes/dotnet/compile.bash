# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# .NET programs of one file: by default one that collects ten times a second, for tests that need no
# more of it than that.

export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

# The compiler of the SDK without its build system, which would look for packages. What it says is
# in $TMP/csc.out.
dotnet_program() {	# FILE.dll [SOURCE.cs]
	local sdk shared source=${2-${1%.dll}.cs}
	sdk=$(dotnet --list-sdks 2>/dev/null | tail -n 1 | sed 's/^\([^ ]*\) \[\(.*\)\]$/\2\/\1/')
	shared=$(dotnet --list-runtimes | sed -n 's/^Microsoft.NETCore.App \([^ ]*\) \[\(.*\)\]$/\2\/\1/p' |
		tail -n 1)
	[ -e "$sdk/Roslyn/bincore/csc.dll" ] || return 1
	[ -n "${2-}" ] || cat >"$source" <<-'END'
		System.Console.WriteLine("ready");
		for (;;) { System.GC.Collect(); System.Threading.Thread.Sleep(100); }
	END
	cat >"${1%.dll}.runtimeconfig.json" <<-END
		{ "runtimeOptions": { "framework":
		  { "name": "Microsoft.NETCore.App", "version": "${shared##*/}" } } }
	END
	# shellcheck disable=SC2046
	dotnet exec "$sdk/Roslyn/bincore/csc.dll" -nologo -nowarn:0169,0414,0649 -optimize -out:"$1" \
		$(printf -- "-r:$shared/System.%s.dll " Private.CoreLib Runtime Console Collections \
			Threading Threading.Thread) "$source" >"$TMP/csc.out" 2>&1
}

# The same with its runtime in one file, which takes a package from NuGet: $single, kept in $BUILD.
dotnet_single() {
	local kept=$BUILD/tests/dotnet/single
	single=$kept/out/program
	mkdir -p "$kept"
	export DOTNET_CLI_HOME=$kept/home NUGET_PACKAGES=$kept/packages MSBUILDDISABLENODEREUSE=1
	[ ! -x "$single" ] || return 0
	cp "$TMP/program.cs" "$kept/program.cs"
	cat >"$kept/program.csproj" <<-END
		<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>
		<OutputType>Exe</OutputType><TargetFramework>net$(dotnet --version | cut -d . -f 1).0</TargetFramework>
		<RuntimeIdentifier>linux-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')</RuntimeIdentifier>
		<SelfContained>true</SelfContained><PublishSingleFile>true</PublishSingleFile>
		</PropertyGroup></Project>
	END
	timeout 200 dotnet publish "$kept/program.csproj" -o "$kept/new" -v q -p:UseSharedCompilation=false \
		>"$TMP/single.out" 2>&1 && mv "$kept/new" "$kept/out"
}
