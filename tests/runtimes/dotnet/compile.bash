# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# A .NET program that collects ten times a second, for tests that need no more of it than that.

export DOTNET_CLI_TELEMETRY_OPTOUT=1 DOTNET_NOLOGO=1

# The compiler of the SDK without its build system, which would look for packages. What it says is
# in $TMP/csc.out.
dotnet_program() {	# FILE.dll
	local sdk shared
	sdk=$(dotnet --list-sdks 2>/dev/null | tail -n 1 | sed 's/^\([^ ]*\) \[\(.*\)\]$/\2\/\1/')
	shared=$(dotnet --list-runtimes | sed -n 's/^Microsoft.NETCore.App \([^ ]*\) \[\(.*\)\]$/\2\/\1/p' |
		tail -n 1)
	[ -e "$sdk/Roslyn/bincore/csc.dll" ] || return 1
	cat >"${1%.dll}.cs" <<-'END'
		System.Console.WriteLine("ready");
		for (;;) { System.GC.Collect(); System.Threading.Thread.Sleep(100); }
	END
	cat >"${1%.dll}.runtimeconfig.json" <<-END
		{ "runtimeOptions": { "framework":
		  { "name": "Microsoft.NETCore.App", "version": "${shared##*/}" } } }
	END
	dotnet exec "$sdk/Roslyn/bincore/csc.dll" -nologo -out:"$1" \
		$(printf -- '-r:%s ' "$shared"/System.Private.CoreLib.dll "$shared"/System.Runtime.dll \
			"$shared"/System.Console.dll) "${1%.dll}.cs" >"$TMP/csc.out" 2>&1
}
