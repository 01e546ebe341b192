#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Programs that nobody wrote for this: Maven as it builds, and Tomcat under load, with a leak made on
# purpose. They are attached to as they run, dumped and left, over and over, and nobody notices; the
# dumps are whole, the leak is found first, a path explains it, and VisualVM opens it.
# parallel: yes
# limit: 1200
# level: all
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/hotspot/lib.sh"
need java javac jq python3
need_root
[ -e "$hotspot_library" ] || skip_all "there is no agent in $BUILD"

rounds=${VISITS:-5}
packages=/usr/share/maven-repo
tomcat=/usr/share/tomcat10

# One dump of `program`, with every type, in $TMP/out.
dump() { run gctrace heap -p "$(pid program)" --load-agent --top 0 -o json; }

# ---------------------------------------------------------------------------------------------
# Maven

# Debian's packages are the repository, which has no checksums, and none beside it is asked.
settings() {
	local debian="<url>file://$packages</url>" central
	central="<id>central</id>$debian<releases><checksumPolicy>ignore</checksumPolicy></releases>"
	cat <<-END
	<settings>
	  <localRepository>$TMP/repository</localRepository>
	  <mirrors><mirror><id>debian</id><mirrorOf>*</mirrorOf>$debian</mirror></mirrors>
	  <profiles><profile><id>debian</id>
	    <repositories><repository>$central</repository></repositories>
	    <pluginRepositories><pluginRepository>$central</pluginRepository></pluginRepositories>
	  </profile></profiles>
	  <activeProfiles><activeProfile>debian</activeProfile></activeProfiles>
	</settings>
	END
}

pom() {	# NAME WHAT-IT-HAS
	echo "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>" \
		"<artifactId>$1</artifactId>$2</project>"
}

java_class() {	# PACKAGE NAME
	cat <<-END
	package $1;
	import java.util.*;
	import java.util.stream.*;
	public class $2 {
		public interface Visitor<T> { T visit($2 of); }
		public enum Kind { SMALL, LARGE }
		private final Map<Kind, List<String>> names = new EnumMap<>(Kind.class);
		public <T> T accept(Visitor<T> visitor) { return visitor.visit(this); }
		public String toString() {
			return names.values().stream().flatMap(List::stream).map(n -> n + "$2")
				.collect(Collectors.joining(","));
		}
	}
	END
}

# Modules of some classes and a resource each.
make_project() {
	local id='<groupId>app</groupId>' version='<version>1</version>' module class sources
	local modules="one two three four"
	mkdir "$TMP/project"
	pom app "$id$version<packaging>pom</packaging><properties>
		<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
		<maven.compiler.release>11</maven.compiler.release></properties>
		<modules>$(printf '<module>%s</module>' $modules)</modules>" >"$TMP/project/pom.xml"
	for module in $modules; do
		sources=$TMP/project/$module/src/main
		mkdir -p "$sources/java/$module" "$sources/resources"
		pom "$module" "<parent>$id<artifactId>app</artifactId>$version</parent>" \
			>"$TMP/project/$module/pom.xml"
		echo "module=$module" >"$sources/resources/$module.properties"
		for class in {1..20}; do
			java_class "$module" "Class$class" >"$sources/java/$module/Class$class.java"
		done
	done
	settings >"$TMP/settings.xml"
}

start_build() {	# JVM
	rm -rf "$TMP"/project/*/target
	start program env -C "$TMP/project" MAVEN_SKIP_RC=1 MAVEN_OPTS=-Xmx256m JAVA_HOME="$1" \
		mvn -B -ntp -s "$TMP/settings.xml" compile
}

# All that it has made, and what it has said but for times, and for what the JVM itself says.
result_of_build() {
	(cd "$TMP/project" && find . -path '*/target/classes/*' -type f -exec sha256sum {} + | sort -k 2)
	sed '/Total time:/d; /Finished at:/d; s/\[ *[0-9.:]* \(s\|min\)\]/[time]/' "$TMP/program.out"
	grep -v '^WARNING: ' "$TMP/program.err"
}

# It ends by itself.
end_build() {	# FILE: its result
	join program
	expect_status 0 || show "$TMP/program.out"
	result_of_build >"$1"
}

# What is built, until that is done: behind it Maven lets go of it.
expect_in_build() {	# FILE REGEX
	grep -q 'BUILD SUCCESS' "$TMP/program.out" || expect "$@"
}

# It may end meanwhile: then there is no dump, gctrace says so, and it does not count. Its number may
# be another program's by then.
dump_of_build() {
	if [ "$dumped" = 0 ]; then
		run gctrace path -p "$(pid program)" --load-agent --top 1 \
			--type org.apache.maven.execution.MavenSession
		tr -s ' \n' ' ' <"$TMP/out" >"$TMP/line"
		[ "$status" != 0 ] ||
			expect_in_build "$TMP/line" ' thread main: org\.apache\.maven\..* \(org\.apache\.maven\.execution\.MavenSession\) '
	else
		dump
		if [ "$status" = 0 ]; then
			expect_whole "$TMP/out"
			expect_in_build "$TMP/out" '"event":"type".*"name":"org\.apache\.maven\.project\.MavenProject"'
		fi
	fi
	if [ "$status" = 0 ]; then
		dumped=$((dumped + 1))
	else
		expect "$TMP/err" \
			'has ended|the process ended|the JVM ends|[Nn]o (such )?process|runs no runtime'
		WAIT=10 wait_for "! lib_runs $(pid program)" || fail "no dump, though the build goes on"
	fi
}

test_maven() {	# JVM
	local dumped=0 builds
	t "Java $version: Maven is dumped $rounds times, and builds what it builds"
	if ! command -v mvn >/dev/null || [ ! -d "$packages/org/apache/maven/plugins" ]; then
		skip "Maven and its plugins are not installed as Debian's packages"
		return
	fi
	[ -e "$TMP/project" ] || make_project
	start_build "$1"
	end_build "$TMP/untouched"
	for ((builds = 0; dumped < rounds && builds <= rounds; builds++)); do
		start_build "$1"
		wait_for "grep -qs 'Reactor Build Order' '$TMP/program.out' ||
			! lib_runs $(pid program)"
		while [ "$dumped" -lt "$rounds" ] && lib_runs "$(pid program)"; do dump_of_build; done
		end_build "$TMP/visited"
		cmp -s "$TMP/untouched" "$TMP/visited" || {
			fail "it has built, or said, something else"
			diff "$TMP/untouched" "$TMP/visited" | head -n 60
		}
	done
	echo "$dumped dumps in $builds builds, $(grep -c '\.class$' "$TMP/untouched") classes each"
	[ "$dumped" -ge "$rounds" ] || fail "$dumped dumps in $builds builds"
	pass
}

# ---------------------------------------------------------------------------------------------
# Tomcat

server() {
	cat <<-END
	<Server port="-1"><Service name="Catalina">
	  <Connector port="0" address="127.0.0.1"/>
	  <Engine name="Catalina" defaultHost="localhost"><Host name="localhost" appBase="webapps"/></Engine>
	</Service></Server>
	END
}

start_tomcat() {	# JVM
	local base=$TMP/base classes=$TMP/base/webapps/ROOT/WEB-INF/classes port
	rm -rf "$base"
	mkdir -p "$base"/{conf,logs,temp,work} "$classes"
	server >"$base/conf/server.xml"
	javac -cp "$tomcat/lib/servlet-api.jar" -d "$classes" \
		"$ROOT/tests/runtimes/hotspot/web/Shop.java" || fail "javac does not compile it"
	start program env JAVA_HOME="$1" CATALINA_BASE="$base" CATALINA_OPTS=-Xmx512m \
		"$tomcat/bin/catalina.sh" run
	wait_for grep -qs 'Server startup in' "$TMP/program.err" ||
		{ fail "it did not start"; show "$TMP/program.err"; }
	port=$(sed -n 's/.*Starting ProtocolHandler .*-\([0-9]*\)"\].*/\1/p' "$TMP/program.err")
	start visitor python3 "$ROOT/tests/runtimes/visit.py" "http://127.0.0.1:$port"
}

test_tomcat() {	# JVM
	local round visited
	t "Java $version: Tomcat is dumped $rounds times under load, and answers every visit"
	if [ ! -e "$tomcat/bin/catalina.sh" ]; then
		skip "tomcat10-common is not installed"
		return
	fi
	start_tomcat "$1"
	more_visits 1000
	for ((round = 0; round < rounds; round++)); do
		dump
		expect_status 0 || break
		expect_whole "$TMP/out"
		expect "$TMP/out" '"event":"type".*"name":"shop\.Visit"'
		more_visits 20
	done
	all_were_answered
	visited=$(visits)
	echo "$visited visits"
	wait_for 'semaphores "$(pid program)" >"$TMP/up" 2>&1' ||
		{ fail "a semaphore stayed up"; show "$TMP/up"; }
	pass

	t "Java $version: the leak in it is the first finding, and a path explains it field by field"
	run gctrace heap -p "$(pid program)" --top 3
	expect_status 0
	tr -s ' \n' ' ' <"$TMP/out" >"$TMP/line"
	expect "$TMP/line" ' 1 a java\.util\.HashMap \([0-9]+ B itself\) keeps .* alive through java\.util\.HashMap\$Node\[\]: .* shop\.Visit; held by static shop\.Visits\.byId '
	run gctrace path -p "$(pid program)" --type shop.Visit --top 1
	expect_status 0
	tr -s ' \n' ' ' <"$TMP/out" >"$TMP/line"
	expect "$TMP/line" '\(java\.lang\.Class\) → \.shop\.Visits\.byId \(java\.util\.HashMap\) → \.table\[[0-9]+\] \(java\.util\.HashMap\$Node\) → \.value \(shop\.Visit\) '
	pass

	t "Java $version: VisualVM opens what is exported of it, with each visit that has leaked"
	"$ROOT/tests/foreign/read" hprof --prepare 2>"$TMP/why"
	if [ $? = 77 ]; then
		skip "$(cat "$TMP/why")"
	else
		run gctrace export -p "$(pid program)" --as hprof --output "$TMP/shop.hprof"
		expect_status 0
		timeout 300 "$ROOT/tests/foreign/read" hprof "$TMP/shop.hprof" summary \
			>"$TMP/read" 2>"$TMP/why" || { fail "it cannot be read"; show "$TMP/why"; }
		expect "$TMP/read" "^class	[0-9a-f]+	$visited	[0-9]+	shop\.Visit\$"
	fi
	pass

	t "Java $version: Tomcat ends as it should"
	stop program
	expect_status 143
	expect_not "$TMP/program.err" 'SEVERE|Exception|OutOfMemory'
	expect_equal "" "$(cat "$TMP/program.out")" "what it has said on its stdout"
	pass
}

for jvm in $(jvms); do
	version=$(version_of "$jvm")
	test_maven "$jvm"
	test_tomcat "$jvm"
done
