#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Runtimes without probes: gctrace says which one it is, that it has none, and what can be done; its
# exit status is 1, nothing is on stdout, and the process runs on.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/dotnet/compile.bash"
need_root

refused() {	# NAME-OF-PROCESS RUNTIME ADVICE
	run gctrace -p "$(pid "$1")"
	expect_status 1
	expect "$TMP/err" "$2"
	expect "$TMP/err" 'has no probes'
	expect "$TMP/err" "$3"
	[ ! -s "$TMP/out" ] || { fail "there is something on stdout"; show "$TMP/out"; }
	lib_runs "$(pid "$1")" || fail "the process has ended"
	run gctrace probes -p "$(pid "$1")"
	expect "$TMP/out" "$2"
	stop "$1" KILL
	pass
}

t "Node.js"
if command -v node >/dev/null; then
	start node node -e 'console.log("ready"); setInterval(() => {}, 1000)'
	wait_for grep -qs ready "$TMP/node.out" || fail "node did not start"
	refused node 'Node\.js' '--trace-gc'
else
	skip "node is not installed"
fi

t ".NET"
if ! command -v dotnet >/dev/null; then
	skip ".NET is not installed"
elif ! dotnet_program "$TMP/program.dll"; then
	skip "no .NET SDK to compile with: $(head -n 1 "$TMP/csc.out" 2>/dev/null)"
else
	start dotnet dotnet "$TMP/program.dll"
	wait_for grep -qs ready "$TMP/dotnet.out" || { fail "dotnet did not start"; show "$TMP/dotnet.err"; }
	refused dotnet '\.NET' "gctrace -p [0-9]+ --load-agent"
fi

t "Mono"
if command -v mono >/dev/null && command -v mcs >/dev/null; then
	echo 'class P { static void Main() { System.Console.WriteLine("ready");
		for (;;) System.Threading.Thread.Sleep(100); } }' >"$TMP/p.cs"
	mcs -out:"$TMP/p.exe" "$TMP/p.cs" || fail "mcs failed"
	start mono mono "$TMP/p.exe"
	wait_for grep -qs ready "$TMP/mono.out" || fail "mono did not start"
	refused mono 'Mono' 'profile=log'
else
	skip "mono is not installed"
fi

t "Go"
if command -v go >/dev/null; then
	printf 'package main\nimport "time"\nfunc main() { println("ready"); time.Sleep(1 << 40) }\n' \
		>"$TMP/g.go"
	HOME=$TMP GOFLAGS=-mod=mod go build -o "$TMP/g" "$TMP/g.go" 2>"$TMP/go.err" || fail "go build failed"
	start go "$TMP/g"
	wait_for grep -qs ready "$TMP/go.err" || fail "the program did not start"
	refused go 'Go' 'GODEBUG=gctrace=1'
else
	skip "go is not installed"
fi

t "CPython built without probes"
python=
for candidate in /root/.pyenv/versions/*/bin/python3 /usr/local/bin/python3 "$(command -v python3)"; do
	candidate=$(readlink -f "$candidate")
	[ -x "$candidate" ] || continue
	ldd "$candidate" 2>/dev/null | grep -q libpython || grep -q gc__start "$candidate" ||
		{ python=$candidate; break; }
done
if [ -n "$python" ]; then
	start python "$python" -c 'import time; print("ready", flush=True); time.sleep(1000)'
	wait_for grep -qs ready "$TMP/python.out" || fail "python did not start"
	refused python 'CPython' 'with-dtrace'
else
	skip "every python3 here has probes"
fi
