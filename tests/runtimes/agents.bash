# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# What the tests of agents share, whatever the runtime; its own lib.sh starts `program`.
#
# Heap dumps:
# dump_of_program            one of `program` into $TMP/recording, with the options ${load[@]}
# find_paths GLOB            to all objects of these types in it, into $TMP/paths: a line each,
#                            TYPE PATH
# expect_whole FILE          what gctrace heap -o json says: nothing is missing, and nothing is odd
#
# A program that says "alive N", the rounds that it has worked:
# lives_on                   it does work from now on, and finds its objects to be what they were
# is_as_before               it lives on, nobody is subscribed, and one who comes now is told all:
#                            is_told, which the test has
# gctrace_is_killed          as it dumps, at one moment and another, by gctrace record with the
#                            options ${record_options[@]}
# program_is_killed COMMAND… as it is dumped that way; COMMAND starts it each time
# resident_kib, least        how much memory it has, or what was started as [NAME]; the least of some
#                            looks, for what comes and goes
#
# A web server with a leak, where `visitor` is visit.py:
# more_visits COUNT          wait until so many more were answered: each leaves an object behind
# all_were_answered          end `visitor`: no visit failed

load=()
record_options=()

dump_of_program() {
	rm -f "$TMP/recording"
	start record gctrace record -p "$(pid program)" --dump --output "$TMP/recording" \
		${load[@]+"${load[@]}"}
	wait_for grep -qs 'heap dump of' "$TMP/record.err" || fail "no heap dump was made"
	stop record INT
	expect_status 0
}

find_paths() {
	run gctrace path "$TMP/recording" --type "$1" --top 0
	expect_status 0
	awk '/^    / { sub(/^ +/, ""); line = line " " $0; next }
		{ if (line != "") print line; line = $1 }
		END { if (line != "") print line }' "$TMP/out" >"$TMP/paths"
}

expect_whole() {
	jq -c 'select(.event == "summary")' "$1" >"$TMP/summary"
	expect "$TMP/summary" '"complete":true'
	expect "$TMP/summary" '"missing":\{\},"odd":\{\}'
}

# ---------------------------------------------------------------------------------------------

rounds() { awk '$1 == "alive" { n = $2 } END { print n + 0 }' "$TMP/program.out"; }

lives_on() {
	local from
	from=$(rounds)
	wait_for "[ \"\$(rounds)\" -gt $((from + 20)) ]" ||
		{ fail "it does no work any more"; show "$TMP/program.err"; }
}

is_as_before() {
	lives_on
	wait_for 'semaphores "$(pid program)" >"$TMP/up" 2>&1' ||
		{ fail "a semaphore stayed up"; show "$TMP/up"; }
	is_told
	lives_on
}

start_dumping() {
	rm -f "$TMP/recording"
	start record gctrace record -p "$(pid program)" --dump=100ms --output "$TMP/recording" \
		${record_options[@]+"${record_options[@]}"}
	wait_for '! semaphores "$(pid program)" >/dev/null 2>&1' ||
		{ fail "gctrace did not attach"; show "$TMP/record.err"; }
}

gctrace_is_killed() {
	local ms
	for ms in 0 20 50 100 150 200 300 400; do
		start_dumping
		sleep "0.$(printf %03d $ms)"
		stop record KILL
		lives_on
	done
}

program_is_killed() {
	local ms
	for ms in 30 100 250; do
		"$@"
		start_dumping
		wait_for test -s "$TMP/recording" || fail "nothing is recorded"
		sleep "0.$(printf %03d $ms)"
		stop program KILL
		join record
		[ "$status" -le 3 ] || fail "exit status $status of gctrace"
		run gctrace "$TMP/recording" -o json
		[ "$status" = 0 ] || [ "$status" = 3 ] || fail "the recording cannot be read: $status"
	done
}

resident_kib() { awk '$1 == "VmRSS:" { print $2 }' "/proc/$(pid "${1:-program}")/status"; }

looks=10

least() {	# of so many looks, a fifth of a second apart
	local least=0 now look
	for ((look = 0; look < looks; look++)); do
		now=$(resident_kib "$@")
		[ "$least" = 0 ] || [ "$now" -lt "$least" ] && least=$now
		sleep 0.2
	done
	echo "$least"
}

# ---------------------------------------------------------------------------------------------

# Its last line is "N visits, 0 failed", of all that were under way as well.
visits() { awk '$2 ~ /^visits,?$/ { n = $1 } END { print n + 0 }' "$TMP/visitor.out"; }

more_visits() {
	local from
	from=$(visits)
	wait_for "[ \"\$(visits)\" -ge $((from + $1)) ]" || fail "the server does not answer"
}

all_were_answered() {
	stop visitor
	expect "$TMP/visitor.out" '^[1-9][0-9]* visits, 0 failed$'
}
