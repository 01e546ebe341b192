#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The man page, --help, the README and the other documents say the same of commands and options
# as the tables that the parser uses: command by command, option by option, in both directions.
# parallel: yes
. "$(dirname "$0")/lib.sh"

man=$ROOT/man/gctrace.8
readme=$ROOT/README.md
gctrace help --list >"$TMP/list" || skip_all "gctrace does not run here"
awk -F '\t' '$1 == "command" { print $2 }' "$TMP/list" | sort >"$TMP/commands"

# Same lines, or a failure that shows which are in one only.
same() {	# WANT GOT WHAT
	diff -u --label "the tables" --label "$3" "$1" "$2" >"$TMP/diff" && return 0
	fail "$3 and the tables differ"
	show "$TMP/diff"
	return 1
}

t "every command has a section of --help that fits in 100 columns, and the man page's list"
while read -r command; do
	run gctrace "$command" --help
	expect_status 0
	expect "$TMP/out" "^usage: gctrace "
	[ ! -s "$TMP/err" ] || fail "gctrace $command --help wrote to stderr"
	[ "$(wc -L <"$TMP/out")" -le 100 ] || fail "gctrace $command --help is wider than 100 columns"
done <"$TMP/commands"
sed -n 's/^\.It Cm \([a-z]*\).*/\1/p' "$man" | sort >"$TMP/man-commands"
same "$TMP/commands" "$TMP/man-commands" "the man page"
gctrace --help | sed -n '/^Commands/,/^$/s/^  \([a-z]\+\) .*/\1/p' | sort >"$TMP/help-commands"
same "$TMP/commands" "$TMP/help-commands" "gctrace --help"
pass

t "--help of each command has the options that the parser takes, and no others"
while read -r command; do
	gctrace "$command" --help |
		sed -n 's/^  \(-\(.\), \|    \)--\([a-z-]*\) \?\([^ ]*\).*/--\3\t\2\t\4/p' |
		awk -F '\t' -v OFS='\t' '{ print $1, $2 == "" ? "-" : $2, $3 == "" ? "-" : $3 }' |
		sort >"$TMP/help-options"
	awk -F '\t' -v OFS='\t' -v c="$command" '$1 == "option" && $2 == c { print $3, $4, $5 }' \
		"$TMP/list" | sort >"$TMP/options"
	same "$TMP/options" "$TMP/help-options" "gctrace $command --help"
done <"$TMP/commands"
pass

# The man page lists options in groups (.Ss), and names the groups that each command takes; options
# of one command stand nested under it. Lines of: command, option, letter, value.
man_options() {
	awk -v OFS='\t' '
	/^\.Sh/ { section = $2; group = ""; command = "" }
	/^\.Ss/ { group = $2 }
	section == "COMMANDS" && /^\.It Cm/ { command = $3; commands[command] }
	/^\.It Fl/ && (command != "" || group != "") {
		letter = "-"; value = "-"; name = ""; optional = 0
		for (i = 2; i <= NF; i++) {
			if ($i == "Fl" && $(i + 1) ~ /^-./) name = "-" $(i + 1)
			else if ($i == "Fl") letter = $(i + 1)
			else if ($i == "Op" && $(i + 1) == "=") optional = 1
			else if ($i == "Ar") value = optional ? "[=" $(i + 1) "]" : $(i + 1)
		}
		entry = name OFS letter OFS value
		if (section == "COMMANDS") own[command OFS entry]
		else in_group[group OFS entry]
	}
	section == "COMMANDS" && /^Takes the options of/ { taking = 1; text = "" }
	taking {
		text = text " " $0
		if (/[.:]$/ || /\./) {
			taking = 0
			sub(/^.*of the groups? /, "", text); sub(/, before.*/, "", text)
			gsub(/, and:|[.:]/, "", text); gsub(/,| and /, " ", text)
			n = split(text, words, " ")
			for (i = 1; i <= n; i++) takes[command OFS words[i]]
		}
	}
	END {
		for (c in commands) takes[c OFS "General"]
		for (e in own) print e
		for (k in takes) {
			split(k, part, OFS)
			for (e in in_group)
				if (index(e, part[2] OFS) == 1)
					print part[1], substr(e, length(part[2]) + 2)
		}
	}' "$man"
}

t "the man page has, for each command, the options that the parser takes, and no others"
man_options | sort >"$TMP/man-options"
awk -F '\t' -v OFS='\t' '$1 == "option" { print $2, $3, $4, $5 }' "$TMP/list" | sort >"$TMP/options"
same "$TMP/options" "$TMP/man-options" "the man page"
pass

t "the man page tells each default"
awk -F '\t' -v OFS='\t' '$1 == "option" && $6 != "-" { print $3, $6 }' "$TMP/list" | sort -u \
	>"$TMP/defaults"
while IFS=$'\t' read -r option default; do
	awk -v name="${option#-}" '
		/^\.It/ { on = 0; for (i = 2; i < NF; i++) if ($i == "Fl" && $(i + 1) == name) on = 1 }
		/^\.(El|Sh|Ss)/ { on = 0 }
		on' "$man" | tr '\n' ' ' >"$TMP/entry"
	grep -Eq "[Dd]efault(,| is) $default\b" "$TMP/entry" ||
		fail "the man page does not say that the default of $option is $default"
done <"$TMP/defaults"
pass

t "the man page is clean mdoc"
if command -v mandoc >/dev/null; then
	mandoc -Tlint -Wstyle "$man" 2>/dev/null | grep -v 'referenced manual not found' >"$TMP/lint"
	[ ! -s "$TMP/lint" ] || { fail "mandoc has something to say"; show "$TMP/lint"; }
	pass
else
	skip "mandoc is not installed"
fi

t "the man page tells every exit status"
for number in $(sed -n 's/^\tSTATUS_.* = \([0-9]*\),.*/\1/p' "$ROOT/user/cli/status.h"); do
	expect "$man" "^\.It $number\$"
done
pass

# What the documents show of gctrace's command line, on lines of code: one such word a line.
shown_options() {	# FILE…
	sed -n '/^```/,/^```/p; s/[^`]*`\([^`]*\)`[^`]*/\1\n/gp' "$@" | grep -v '^```' |
		sed -n 's/.*\bgctrace \(.*\)/\1/p' | sed 's/ -- .*//; s/[|;#].*//' |
		grep -Eo -e '(^| )--[a-z][a-z-]*' | tr -d ' ' | sort -u
}

t "options that the README and docs/ show exist"
awk -F '\t' '$1 == "option" { print $3 }' "$TMP/list" | sort -u >"$TMP/names"
for file in "$readme" "$ROOT"/docs/*.md; do
	[ -e "$file" ] || { fail "there is no ${file#"$ROOT/"}"; continue; }
	shown_options "$file" | comm -23 - "$TMP/names" >"$TMP/unknown"
	[ ! -s "$TMP/unknown" ] || fail "${file#"$ROOT/"} shows $(tr '\n' ' ' <"$TMP/unknown")"
done
pass

t "the README shows gctrace --help as it is"
[ -e "$readme" ] || { fail "there is no README.md"; readme=/dev/null; }
sed -n '/^\$ gctrace --help$/,/^```/p' "$readme" | sed '1d;/^```/d' >"$TMP/shown"
gctrace --help >"$TMP/help"
same "$TMP/help" "$TMP/shown" "README.md"
pass
