#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# What a JVM's heap dumps do not have: of garbage the agent has no figure, for it does not walk it;
# and what the JVM's own dump leaves out is known, or it is a loss.
# limit: 600
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/hotspot/lib.sh"
need_root
need gctrace jq python3
need_java
[ -e "$hotspot_library" ] || skip_all "there is no agent in $BUILD"

dead=300000
load=(--load-agent)

jvm_up() {	# JVM OPTION...
	local jvm=$1
	shift
	start program "$jvm/bin/java" "$@" -cp "$TMP/classes" Rubbish $dead
	wait_for grep -qs ready "$TMP/program.out" ||
		{ fail "the JVM did not start"; show "$TMP/program.err"; }
}

dump() {	# OPTION...: the JVM's own, into $TMP/own
	rm -f "$TMP/own"
	run timeout 60 "$jvm/bin/jcmd" "$(pid program)" GC.heap_dump "$@" "$TMP/own"
	expect_status 0
}

absent() { /usr/bin/env python3 "$ROOT/tests/runtimes/hotspot_absent.py" "$@"; }

summary() { jq -c 'select(.event == "summary") | '"$1" "$TMP/out"; }

while read -r jvm; do
	version=$(version_of "$jvm")

	t "Java $version: of garbage, which is there, the agent's dump has no figure"
	jvm_up "$jvm" -XX:+UseSerialGC -Xms500m -Xmn300m
	dump -all
	run gctrace heap "$TMP/own" -o json
	expect_status 0
	[ "$(summary .unreached_objects)" -ge $dead ] || fail "a witness that does not see it"
	run gctrace heap -p "$(pid program)" --load-agent -o json
	expect_status 0
	expect_equal '[true,null,null]' \
		"$(summary '[.reached_only, .unreached_objects, .unreached_bytes]')" "the figures"
	run gctrace heap -p "$(pid program)" --load-agent
	expect "$TMP/out" '^unreached  not walked: '
	run gctrace heap -p "$(pid program)" --load-agent --histogram
	expect "$TMP/out" 'garbage is not'
	run gctrace heap -p "$(pid program)" --load-agent --html "$TMP/page"
	expect "$TMP/page" '"reached_only":true'
	dump_of_program
	run gctrace heap "$TMP/recording" -o json
	expect_equal '[true,null,null]' \
		"$(summary '[.reached_only, .unreached_objects, .unreached_bytes]')" "recorded"
	stop program
	pass

	t "Java $version: what the JVM's own dump leaves out are class objects, which is a note"
	jvm_up "$jvm" -XX:+UseG1GC
	dump
	run gctrace heap -p "$(pid program)" --load-agent --objects --type '*' --top 0 -o json
	cp "$TMP/out" "$TMP/objects"
	run absent which "$TMP/own" "$TMP/objects"
	expect_status 0
	cp "$TMP/out" "$TMP/which"
	expect_equal "" "$(grep -v ' java\.lang\.Class$' "$TMP/which")" "others than class objects"
	count=$(awk '{ n += $1 } END { print n + 0 }' "$TMP/which")
	echo "$count references to class objects"
	for how in "$TMP/own" "-p $(pid program) --via jvm"; do
		# shellcheck disable=SC2086
		run gctrace heap $how -o json
		expect_status 0
		# Between two dumps the JVM may load some of them.
		[ "$how" = "$TMP/own" ] ||
			count=$(summary '.notes.references_to_absent_classes // 0')
		expect_equal "[true,$count,{},{}]" \
			"$(summary '[.complete, .notes.references_to_absent_classes // 0, .missing,
				.odd]')" "$how"
	done
	if [ "$count" != 0 ]; then
		run gctrace heap "$TMP/own"
		expect "$TMP/out" 'references to classes that are not loaded, which a JVM'
	fi
	stop program
	pass

	t "Java $version: any other reference that leads nowhere is a loss"
	absent break "$TMP/own" 777 || fail "the file is as it was"
	run gctrace heap "$TMP/own"
	expect_status 3
	expect "$TMP/out" '^NOT WHOLE:'
	expect "$TMP/out" '^  1 reference to an object that is not in the dump'
	run gctrace heap "$TMP/own" -o json --allow-loss
	expect_status 0
	expect_equal '[false,1]' "$(summary '[.complete, .missing.dangling_references]')" "the loss"
	pass
done < <(jvms)
