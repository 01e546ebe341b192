# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=bash
#
# Which JVMs and collectors the tests run with, behind tests/e2e/lib.sh:
#
# jvms                the directories of the JVMs, a line each, the oldest first: of `make check` the
#                     newest one only
# version_of JVM      such as 17.0.15
# collectors NAME…    those of these names to test with, as in -XX:+UseNAMEGC: of `make check` G1 only

jvms() {
	local java
	for java in "$(command -v java)" /usr/lib/jvm/*/bin/java; do
		java=$(readlink -f "$java")
		[ -x "${java%/*}/jcmd" ] || continue
		echo "$(version_of "${java%/bin/java}") ${java%/bin/java}"
	done | sort -V -u | cut -d ' ' -f 2- | if at_level all; then cat; else tail -n 1; fi
}

version_of() { sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$1/release"; }

collectors() {
	local name
	for name; do
		! at_level all && [ "$name" != G1 ] || echo "$name"
	done
}
