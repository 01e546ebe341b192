# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# gctrace sample against a program that knows where its threads are (whereabouts.*): for so many
# sweeps, however long they take on a busy machine. SAMPLE_SWEEPS makes it more of them. With
# SAMPLE_MATRICES (tests/runtimes/matrices) nothing else is tested.

sweeps=${SAMPLE_SWEEPS:-300}

# The program, started as `program`, has said that it is ready; it ends when there is $TMP/stop.
sample_program() {	# OPTION…
	run gctrace sample -p "$(pid program)" --rate 200 -n "$sweeps" -o json "$@"
	expect_status 0
	cp "$TMP/out" "$TMP/samples"
	touch "$TMP/stop"
	# What is read must not be there before it is known when that was.
	[ -z "${typed-}" ] || { wait_for grep -q over "$TMP/program.out"; echo >"$typed"; }
	join program
	expect_equal 0 "$status" "the program's exit status"
	rm -f "$TMP/stop"
}

# The confusion matrices; a third of the sweeps' worth of EXACT fields there must be at least.
judge_samples() {	# NAME TITLE PHASE=LOCATION[,…]=METHOD…
	/usr/bin/python3 "$ROOT/tests/runtimes/sample_truth.py" "$1" "$2" "$TMP/truth" \
		"$TMP/samples" $((sweeps / 3)) "${@:3}" >"$TMP/matrix" ||
		fail "not as the program knows it"
	cat "$TMP/matrix"
}
