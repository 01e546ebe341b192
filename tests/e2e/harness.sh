#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The tests' own machinery: what ought to count as a failure does, and nothing hangs or stays
# behind.
# parallel: yes
. "$(dirname "$0")/../e2e/lib.sh"

# A tree with tests/run and the given test file only, which is then run.
tree() {	# NAME [OPTION…] of tests/run, the file on stdin
	rm -rf "$TMP/tree"
	mkdir -p "$TMP/tree/tests/e2e" "$TMP/tree/build"
	cp "$ROOT/tests/run" "$TMP/tree/tests/run"
	cp "$ROOT/tests/e2e/lib.sh" "$TMP/tree/tests/e2e/lib.sh"
	{
		printf '#!/bin/bash\n# limit: %d\n' "${limit:-100}"
		# shellcheck disable=SC2016
		echo '. "$(dirname "$0")/../e2e/lib.sh"'
		cat
	} >"$TMP/tree/tests/e2e/$1.sh"
	run env -u ONLY -u TEST_RESULTS BUILD="$TMP/tree/build" "$TMP/tree/tests/run" "${@:2}"
}

closing() { expect_equal "$1" "$(tail -n 1 "$TMP/out")" "the closing line"; }

t "verdicts are counted one by one"
tree verdicts <<-'END'
	t one; pass
	t two; skip "no such thing here"
	t three; fail "as it should"; pass
	t four; pass
END
expect_status 1
closing "2 passed, 1 failed, 1 skipped"
expect "$TMP/out" '^skipped: e2e/verdicts: two: no such thing here$'
expect "$TMP/out" '^failed: e2e/verdicts: three: as it should$'
pass

t "all passed is status 0, and the output of what passed is not shown"
tree fine <<-'END'
	t one; echo chatter; pass
END
expect_status 0
closing "1 passed, 0 failed, 0 skipped"
expect_not "$TMP/out" 'chatter'
pass

t "a file that dies in the middle has failed"
tree dies <<-'END'
	t one; pass
	t two
	kill -KILL $$
END
expect_status 1
closing "1 passed, 1 failed, 0 skipped"
expect "$TMP/out" 'it died, exit status 137|killed'
pass

t "a file that leaves without a verdict has failed"
tree leaves <<-'END'
	t one; pass
	t two
	exit 0
END
expect_status 1
closing "1 passed, 1 failed, 0 skipped"
pass

t "a file without a test has failed"
tree none <<-'END'
	true
END
expect_status 1
closing "0 passed, 1 failed, 0 skipped"
pass

t "a word that is no command has failed, wherever it stands, whatever is made of its status"
tree words <<-'END'
	t plain; refuse this; pass
	t condition; if refuse this; then fail "never"; fi; pass
	t negated; ! refuse this 2>"$TMP/err" || fail "never"; pass
	t pipe; echo | refuse | cat >/dev/null; pass
	t substitution; expect_equal "" "$(refuse)" "nothing"; pass
	says() { refuse; }
	t "what is run calls it"; run says; pass
	t skipped; refuse; skip "nothing to see"
	t background; start sleeper refuse; join sleeper; pass
	t "after the verdict"; pass; refuse
	t fine; pass
END
expect_status 1
closing "2 passed, 9 failed, 0 skipped"
for name in plain condition negated pipe substitution "what is run calls it" skipped background \
	"after the verdict"; do
	expect "$TMP/out" "^failed: e2e/words: $name: no command: refuse \((words|lib)\.sh:[0-9]+\)\$"
done
pass

t "a word outside of all tests: the file has failed"
tree outside <<-'END'
	refuse before
	t one; pass
	cleanup() { refuse after; }
END
expect_status 1
closing "1 passed, 2 failed, 0 skipped"
expect "$TMP/out" '^failed: e2e/outside: outside: no command: refuse \(outside\.sh:4\)$'
expect "$TMP/out" '^failed: e2e/outside: outside: no command: refuse \(outside\.sh:6\)$'
pass

t "what is only for make check-all runs with --all"
levels() {
	tree levels "$@" <<-'END'
		t one; pass
		if at_level all; then t two; pass; fi
	END
}
levels
closing "1 passed, 0 failed, 0 skipped"
levels --all
closing "2 passed, 0 failed, 0 skipped"
tree level <<-'END'
	# level: all
	t one; pass
END
expect_status 1
closing "0 passed, 0 failed, 0 skipped"
run env -u ONLY -u TEST_RESULTS BUILD="$TMP/tree/build" "$TMP/tree/tests/run" --all
closing "1 passed, 0 failed, 0 skipped"
pass

t "what is run need not be a command: its status tells"
tree run <<-'END'
	t one; run refuse this; expect_status 127; expect "$TMP/err" 'refuse: command not found'; pass
END
expect_status 0
closing "1 passed, 0 failed, 0 skipped"
pass

t "a file that hangs is killed, with what it started"
limit=10
tree hangs <<-'END'
	t one
	start sleeper sleep 86399
	pid sleeper >"$ROOT/sleeper"
	sleep 86398
END
limit=
expect_status 1
expect "$TMP/out" 'ran over its time'
lib_runs "$(cat "$TMP/tree/sleeper")" && fail "the file's background process is still running"
pass

t "also what has a session of its own"
tree escapes <<-'END'
	t one
	start sleeper setsid sh -c 'echo $$ >"$0"; exec sleep 86397' "$ROOT/sleeper"
	wait_for test -s "$ROOT/sleeper"
	kill -KILL $PPID $$
END
expect_status 1
wait_for '! lib_runs "$(cat "$TMP/tree/sleeper")"' || fail "it is still running"
pass

t "what failed is shown again at the end, beside what passed and much output"
tree long <<-'END'
	t one; seq 1 1000; echo "before one"; pass
	t two; echo "before two"; fail "as it should"; echo "after two"; pass
	t three; seq 2001 3000; echo "after three"; pass
END
expect_status 1
expect "$TMP/out" 'lines are not shown'
tail -n 36 "$TMP/out" >"$TMP/tail"
for words in '^---- e2e/long$' 'before two$' 'fail two: as it should$' 'after two$' \
	'^failed: e2e/long: two: as it should$'; do
	expect "$TMP/tail" "$words"
done
expect_not "$TMP/tail" 'before one|after three'
pass

t "no test at all is not a success"
tree absent <<-'END'
	t one; pass
END
run env ONLY=nothing-is-called-this TEST_RESULTS= "$TMP/tree/tests/run"
expect_status 1
closing "0 passed, 0 failed, 0 skipped"
pass

# Programs of unit tests stand in for cmocka: what it prints, in its TAP form.
unit() {	# STATUS, the output on stdin
	rm -rf "$TMP/tree"
	mkdir -p "$TMP/tree/tests/unit" "$TMP/tree/build/tests/unit" "$TMP/tree/build/san/tests/unit"
	cp "$ROOT/tests/run" "$TMP/tree/tests/run"
	: >"$TMP/tree/tests/unit/a_test.c"
	cat >"$TMP/tap"
	printf '#!/bin/sh\ncat %s\nexit %s\n' "$TMP/tap" "$1" >"$TMP/tree/build/tests/unit/a_test"
	chmod +x "$TMP/tree/build/tests/unit/a_test"
	cp "$TMP/tree/build/tests/unit/a_test" "$TMP/tree/build/san/tests/unit/a_test"
	run env -u TEST_RESULTS ONLY='san/*' BUILD="$TMP/tree/build" "$TMP/tree/tests/run"
}

t "cmocka: passed, failed, skipped"
unit 1 <<-'END'
	1..3
	ok 1 - one
	not ok 2 - two
	# a_test.c:1: error: Failure!
	skip: not on this kernel
	not ok 3 # SKIP three
END
expect_status 1
closing "1 passed, 1 failed, 1 skipped"
expect "$TMP/out" '^skipped: san/a: three: not on this kernel$'
pass

t "cmocka: a program that ends early has failed"
unit 0 <<-'END'
	1..3
	ok 1 - one
END
expect_status 1
closing "1 passed, 1 failed, 0 skipped"
expect "$TMP/out" '1 of 3 tests ran'
pass

t "cmocka: a status that no test accounts for is a failure"
unit 23 <<-'END'
	1..1
	ok 1 - one
END
expect_status 1
closing "1 passed, 1 failed, 0 skipped"
pass
