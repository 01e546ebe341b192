#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The command line: what is said, where it is said, and with which exit status.
# parallel: yes
. "$(dirname "$0")/lib.sh"

# run, then: nothing on stdout, this status, these words on stderr, each line from gctrace
refused() {	# STATUS REGEX COMMAND…
	local want=$1 words=$2
	shift 2
	run "$@"
	expect_status "$want"
	[ ! -s "$TMP/out" ] || fail "an error wrote to stdout"
	expect "$TMP/err" "$words"
	! grep -vq '^gctrace: ' "$TMP/err" || fail "a line of stderr does not say who speaks"
}

t "wrong words are refused with status 2, and the near one is suggested"
refused 2 'no option --formt; did you mean --format\?' gctrace --formt json
refused 2 'did you mean version\?' gctrace verson
refused 2 'expected text or json, found "yaml"' gctrace -o yaml -p 1
refused 2 'found "30"' gctrace -d 30 -p 1
refused 2 'out of range: from 1.00 MiB' gctrace --mem-limit 1 -p 1
refused 2 'gctrace -p 4711' gctrace 4711
refused 2 'which process' gctrace
refused 2 'bash, zsh or fish' gctrace completion csh
refused 2 'too much' gctrace version 1
refused 2 '"x" is too much; usage: gctrace doctor \[options\]$' gctrace doctor x
refused 2 'usage: gctrace completion \[options\] bash\|zsh\|fish$' gctrace completion
pass

t "what is no process is said to be none, and where to find one"
for word in -1 0 99999999999; do
	refused 1 "^gctrace: $word is not the id of a process; gctrace probes lists" gctrace -p $word
done
refused 1 'there is no process 4194305; gctrace probes lists' gctrace -p 4194305
refused 1 'has the name no-such-name-here; gctrace probes lists' gctrace -p no-such-name-here
pass

t "a heap dump's name where a recording belongs is said to be one"
: >"$TMP/recording"
for command in "" follow; do
	# shellcheck disable=SC2086
	refused 1 '@1 names a heap dump for gctrace heap .* the whole recording: .*/recording$' \
		gctrace $command "$TMP/recording@1"
done
cd "$TMP" || exit 1
refused 1 'there is no file recording@last; @last names a heap dump' gctrace recording@last
cd - >/dev/null || exit 1
refused 1 'cannot open the recording .*/none@1' gctrace "$TMP/none@1"
refused 1 'cannot open the recording .*/none:' gctrace heap "$TMP/none@1"
pass

t "no word of the command line reaches the terminal unescaped"
refused 2 'x1b\[31m' gctrace $'--\033[31m'
refused 2 'x1b\[31m' gctrace $'\033[31m'
refused 2 'u\{202e\}' gctrace -o $'\u202etxt' -p 1
expect_not "$TMP/err" $'\033|\u202e'
pass

t "--help and --version are answers: stdout, status 0, wherever they stand"
for words in --help -h help "help version" "version --help" "-p 1 --help" "completion -h"; do
	# shellcheck disable=SC2086
	run gctrace $words
	expect_status 0
	expect "$TMP/out" '^usage: gctrace'
	[ ! -s "$TMP/err" ] || fail "gctrace $words wrote to stderr"
done
for words in --version -V version "version -V"; do
	# shellcheck disable=SC2086
	run gctrace $words
	expect_status 0
	expect "$TMP/out" '^gctrace [0-9]+\.[0-9]+\.[0-9]+'
	expect "$TMP/out" '^libbpf [0-9]+\.[0-9]+'
	expect "$TMP/out" "^Linux $(uname -r)"
done
pass

t "a closed stdout ends quietly, a full disk does not"
gctrace --help 2>"$TMP/err" | true
[ ! -s "$TMP/err" ] || { fail "a closed pipe was complained about"; show "$TMP/err"; }
run bash -c 'gctrace --help >/dev/full'
expect_status 1
expect "$TMP/err" 'cannot write to standard output.*No space left on device'
start shown minivm --quiet
for command in doctor "probes -p $(pid shown)"; do
	run bash -c "gctrace $command >/dev/full"
	expect_status 1
	expect "$TMP/err" 'cannot write to standard output.*No space left on device'
done
stop shown KILL
run bash -c 'gctrace --help >&-'
expect_status 1
expect "$TMP/err" 'cannot write to standard output.*Bad file descriptor'
pass

# What bash offers behind some words, the last of which is being typed.
completes() {
	bash -c 'source <(gctrace completion bash) || exit
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_gctrace 2>"$TMP/err" || exit
		printf "%s\n" "${COMPREPLY[@]}"' - "$@"
}
export TMP

t "bash completes commands, options, choices and processes"
completes gctrace ver >"$TMP/out"
expect_equal "version" "$(cat "$TMP/out")" "completion of ver"
completes gctrace --hel >"$TMP/out"
expect_equal "--help" "$(cat "$TMP/out")" "completion of --hel"
completes gctrace completion z >"$TMP/out"
expect_equal "zsh" "$(cat "$TMP/out")" "completion of completion z"
completes gctrace help com >"$TMP/out"
expect_equal "completion" "$(cat "$TMP/out")" "completion of help com"
completes gctrace -o j >"$TMP/out"
expect_equal "json" "$(cat "$TMP/out")" "completion of -o j"
completes gctrace -p $$ >"$TMP/out"
expect "$TMP/out" "^$$\$"
while read -r command; do
	completes gctrace "$command" -- | sort >"$TMP/out"
	gctrace help --list | awk -F '\t' -v c="$command" '$1 == "option" && $2 == c { print $3 }' |
		sort | diff - "$TMP/out" >"$TMP/diff" ||
		{ fail "completion of $command lacks options"; show "$TMP/diff"; }
done < <(gctrace help --list | awk -F '\t' '$1 == "command" { print $2 }')
pass

t "a process cannot run commands in the shell that completes its name"
cp "$(command -v sleep)" "$TMP/\$(touch pwned)"
start named "$TMP/\$(touch pwned)" 60
(cd "$TMP" && completes gctrace -p x >/dev/null; completes gctrace -p '' >/dev/null)
[ ! -e "$TMP/pwned" ] || fail "a process's name was run"
stop named
pass

for shell in zsh fish; do
	t "$shell understands its completion script"
	if ! command -v $shell >/dev/null; then
		skip "$shell is not installed"
		continue
	fi
	gctrace completion $shell >"$TMP/script"
	run $shell -n "$TMP/script"
	expect_status 0
	pass
done

t "fish completes commands and options"
if command -v fish >/dev/null; then
	gctrace completion fish >"$TMP/script"
	run env HOME="$TMP" fish -c "source '$TMP/script'; complete -C 'gctrace ver'; complete -C 'gctrace help --l'"
	expect "$TMP/out" '^version'
	expect "$TMP/out" '^--list'
	pass
else
	skip "fish is not installed"
fi

t "zsh completes commands and options"
if command -v zsh >/dev/null; then
	# A shell on a pseudo-terminal, to which a word and a TAB are typed.
	mkdir "$TMP/zsh"
	gctrace completion zsh >"$TMP/zsh/_gctrace"
	cat >"$TMP/try.zsh" <<-'END'
		zmodload zsh/zpty
		zpty z zsh -f -i
		say() { zpty -w z "$1"; }
		say "PS1='> '; stty rows 100 cols 200; fpath=($1 \$fpath); autoload -U compinit; compinit -u -D"
		say "echo rea''dy"
		zpty -r -m z seen '*ready*'
		zpty -w -n z $'gctrace help --l\t'
		zpty -r -m z seen '*--list*' && print -r -- "option"
		zpty -w -n z $'\x15gctrace ver\t'
		zpty -r -m z seen '*ver*sion*' && print -r -- "command"
		zpty -d z
	END
	run timeout 300 zsh -f "$TMP/try.zsh" "$TMP/zsh"
	expect "$TMP/out" '^option'
	expect "$TMP/out" '^command'
	pass
else
	skip "zsh is not installed"
fi
