/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runtimes told apart: by small programs that look like each of them, and by those that
 * are installed here.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "identified.h"
#include "target/maps.h"
#include "target/module.h"
#include "target/note_cache.h"
#include "target/offer.h"
#include "target/process.h"
#include "target/runtime.h"

/* Loads what it is told to, says so, and waits. */
static const char program[] =
	"#include <dlfcn.h>\n#include <stdio.h>\n"
	"int main(int argc, char **argv) {\n"
	"	for (int i = 1; i < argc && argv[i][0] != '-'; i++)\n"
	"		if (!dlopen(argv[i], RTLD_NOW)) puts(dlerror());\n"
	"	puts(\"ready\"); fflush(stdout); getchar(); return 0;\n"
	"}\n";

static void start(struct identified *it, const char *path, const char *const *arguments)
{
	it->child = fixture__start(path, arguments, NULL);
	assert_string_equal(fixture__hear(&it->child), "ready");
	identified__look(it);
}

static void assert_runtime(const struct identified *it, enum runtime_kind kind,
			   const char *version, const char *word)
{
	assert_int_equal(it->runtime->kind, kind);
	if (version)
		assert_string_equal(it->runtime->version, version);
	else
		assert_null(it->runtime->version);
	assert_false(it->runtime->has_probes);
	/* Agents are offered where there are some. */
	assert_int_equal(strstr(it->runtime->advice, "--load-agent") != NULL,
			 kind == RUNTIME_DOTNET);
	if (!strstr(it->runtime->advice, word))
		fail_msg("%s: not in: %s", word, it->runtime->advice);
}

static void by_the_name_of_the_program(void **state)
{
	static const struct {
		const char *name;
		enum runtime_kind kind;
		const char *word;
	} programs[] = {
		{ "node", RUNTIME_NODE, "--trace-gc" },
		{ "nodejs", RUNTIME_NODE, "--trace-gc" },
		{ "python3.12", RUNTIME_CPYTHON, "--with-dtrace" },
		{ "ruby3.1", RUNTIME_RUBY, "--enable-dtrace" },
		{ "mono-sgen", RUNTIME_MONO, "--profile=log" },
		{ "nodemon", RUNTIME_UNKNOWN, "no runtime that gctrace knows" },
		{ "x\x1b[31m", RUNTIME_UNKNOWN, "x\\x1b[31m" },
	};

	(void)state;
	fixture__write("main.c", program);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct identified it;
		char path[64];

		snprintf(path, sizeof(path), "./%s", programs[i].name);
		fixture__compile("main.c -o 'program'");
		assert_int_equal(rename("program", path), 0);
		start(&it, path, NULL);
		assert_runtime(&it, programs[i].kind, NULL, programs[i].word);
		identified__end(&it);
	}
}

static void by_what_it_maps(void **state)
{
	static const struct {
		const char *directory, *file;
		enum runtime_kind kind;
		const char *version, *word;
	} libraries[] = {
		{ "shared/Microsoft.NETCore.App/9.0.7", "libcoreclr.so", RUNTIME_DOTNET, "9.0.7",
		  ".NET 9.0.7. It has no probes" },
		{ "jdk/lib/server", "libjvm.so", RUNTIME_HOTSPOT, "21.0.1+12", "--enable-dtrace" },
		{ "jdk/lib/j9", "libj9vm29.so", RUNTIME_OPENJ9, "21.0.1+12", "-verbose:gc" },
		{ "lib", "libmonosgen-2.0.so.1", RUNTIME_MONO, NULL, "agent" },
		{ "lib", "libpython3.9.so.1.0", RUNTIME_CPYTHON, NULL, "--with-dtrace" },
		{ "lib", "libnode.so.108", RUNTIME_NODE, NULL, "--trace-gc" },
	};

	(void)state;
	fixture__write("main.c", program);
	fixture__write("empty.c", "");
	fixture__compile("main.c -o program -ldl");
	assert_int_equal(mkdir("jdk", 0755), 0);
	fixture__write("jdk/release", "IMPLEMENTOR=\"x\"\nJAVA_RUNTIME_VERSION=\"21.0.1+12\"\n"
		       "JAVA_VERSION=\"21.0.1\"\n");
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		struct identified it;
		char path[256];
		const char *arguments[] = { path, NULL };

		snprintf(path, sizeof(path), "mkdir -p %s", libraries[i].directory);
		assert_int_equal(system(path), 0);
		snprintf(path, sizeof(path), "./%s/%s", libraries[i].directory, libraries[i].file);
		fixture__compile("-shared -fPIC empty.c -o '%s'", path);
		start(&it, "./program", arguments);
		assert_runtime(&it, libraries[i].kind, libraries[i].version, libraries[i].word);
		identified__end(&it);
	}
}

#define GO_INFO                                                                 \
	"__attribute__((section(\".go.buildinfo\"), used)) static const struct {" \
	" char head[32], text[32]; } info = { \"\\xff Go buildinf:\\x08\\x02\", "

static void by_what_it_holds(void **state)
{
	static const struct {
		const char *source;
		enum runtime_kind kind;
		const char *version;
	} programs[] = {
		{ GO_INFO "\"\\x08go1.22.5\" };\n", RUNTIME_GO, "1.22.5" },
		/* A version that claims to be longer than the section. */
		{ GO_INFO "\"\\x7fgo1.22\" };\n", RUNTIME_GO, NULL },
		{ "int DotNetRuntimeInfo = 1;\n", RUNTIME_DOTNET, NULL },
		{ "int DotNetRuntimeDebugHeader = 1;\n", RUNTIME_DOTNET_NATIVE, NULL },
		{ "extern int DotNetRuntimeInfo __attribute__((weak));\n"
		  "int *use(void) { return &DotNetRuntimeInfo; }\n", RUNTIME_UNKNOWN, NULL },
	};

	(void)state;
	fixture__write("main.c", program);
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
		struct identified it;

		fixture__write("more.c", programs[i].source);
		fixture__compile("-rdynamic main.c more.c -o program -ldl");
		start(&it, "./program", NULL);
		assert_runtime(&it, programs[i].kind, programs[i].version,
			       programs[i].kind == RUNTIME_UNKNOWN ? "no runtime"
								   : "has no probes");
		identified__end(&it);
		assert_int_equal(unlink("program"), 0);
	}
}

/* Versions that programs export, honest and not. */
static void by_what_it_exports(void **state)
{
	struct identified it;

	(void)state;
	fixture__write("main.c", program);
	fixture__write("more.c", "const unsigned long Py_Version = 0x030d01f0;\n");
	fixture__compile("-rdynamic main.c more.c -o python3 -ldl");
	start(&it, "./python3", NULL);
	assert_runtime(&it, RUNTIME_CPYTHON, "3.13.1", "CPython 3.13.1");
	identified__end(&it);

	fixture__write("more.c", "const char ruby_version[] = \"3.3.0\";\n");
	fixture__compile("-rdynamic main.c more.c -o ruby -ldl");
	start(&it, "./ruby", NULL);
	assert_runtime(&it, RUNTIME_RUBY, "3.3.0", "Ruby 3.3.0");
	identified__end(&it);
	unlink("ruby");

	fixture__write("more.c", "const char ruby_version[] = \"3\\033[2J\";\n");
	fixture__compile("-rdynamic main.c more.c -o ruby -ldl");
	start(&it, "./ruby", NULL);
	assert_runtime(&it, RUNTIME_RUBY, "3\x1b[2J", "Ruby 3\\x1b[2J.");
	identified__end(&it);
}

/* With probes of two kinds, a runtime's own come first, and what it offers follows them. */
static void by_its_probes(void **state)
{
	static const char probes[] = "#include <sys/sdt.h>\n"
				     "void fire(void) { STAP_PROBE(ruby, gc__mark__begin); "
				     "STAP_PROBE(gctrace, gc__start);"
				     " STAP_PROBE(gctrace, moved__references); }\n";
	struct offer offers[OFFER_COUNT];
	struct identified it;

	(void)state;
	fixture__write("main.c", program);
	fixture__write("more.c", probes);
	fixture__compile("main.c more.c -o node -ldl");
	start(&it, "./node", NULL);
	assert_int_equal(it.runtime->kind, RUNTIME_PROBES);
	assert_true(it.runtime->has_probes);
	assert_null(it.runtime->advice);
	offers__find(it.runtime, &it.modules, offers);
	assert_string_equal(offers[OFFER_COLLECTIONS].name, "collections");
	assert_true(offers[OFFER_COLLECTIONS].available);
	assert_true(offers[OFFER_MOVES].available);
	assert_false(offers[OFFER_SURVIVALS].available);
	assert_false(offers[OFFER_DUMP].available);
	assert_non_null(strstr(offers[OFFER_DUMP].text, "lacks the probe"));
	for (int i = 0; i < OFFER_COUNT; i++)
		assert_true(offers[i].name && offers[i].text);
	identified__end(&it);
}

static void without_probes_nothing_is_offered(void **state)
{
	struct offer offers[OFFER_COUNT];
	struct identified it;

	(void)state;
	fixture__write("main.c", program);
	fixture__compile("main.c -o program -ldl");
	start(&it, "./program", NULL);
	assert_int_equal(it.runtime->kind, RUNTIME_UNKNOWN);
	offers__find(it.runtime, &it.modules, offers);
	for (int i = 0; i < OFFER_COUNT; i++)
		assert_false(offers[i].available);
	identified__end(&it);
}

/* libcoreclr.so, and what is in it. */
static void start_dotnet(struct identified *it, const char *source)
{
	const char *arguments[] = { "./libcoreclr.so", NULL };

	fixture__write("main.c", program);
	fixture__write("clr.c", source);
	fixture__compile("main.c -o program -ldl");
	fixture__compile("-shared -fPIC clr.c -o libcoreclr.so");
	start(it, "./program", arguments);
}

static void the_other_runtime_of_dotnet_is_told_apart(void **state)
{
	struct identified it;

	(void)state;
	start_dotnet(&it, "void mono_gc_collect(int generation) { (void)generation; }\n");
	assert_runtime(&it, RUNTIME_DOTNET_MONO, NULL, "is for CoreCLR");
	identified__end(&it);
}

static void the_command_that_loads_an_agent_is_said(void **state)
{
	struct identified it;
	struct offer offers[OFFER_COUNT];
	char command[64];

	(void)state;
	start_dotnet(&it, "");
	snprintf(command, sizeof(command), "gctrace -p %d --load-agent", it.child.pid);
	assert_runtime(&it, RUNTIME_DOTNET, NULL, command);
	offers__find(it.runtime, &it.modules, offers);
	for (int i = 0; i < OFFER_COUNT; i++) {
		assert_false(offers[i].available);
		/* What it does not do either is not promised. */
		assert_non_null(strstr(offers[i].text, i == OFFER_ALLOCATIONS ? "does not sample" :
										"--load-agent"));
	}
	identified__end(&it);
}

/* Its probes are those of the runtime that it is in, deleted or not; no other library's are. */
static void an_agent_speaks_for_its_runtime(void **state)
{
	static const struct {
		const char *library;
		enum runtime_kind kind;
	} libraries[] = {
		{ "./libgctrace-dotnet.so", RUNTIME_DOTNET },
		{ "./libgctrace-dotnet.0123456789abcdef.so", RUNTIME_DOTNET },
		{ "./libother.so", RUNTIME_PROBES },
	};
	struct offer offers[OFFER_COUNT];

	(void)state;
	fixture__write("main.c", program);
	fixture__write("clr.c", "");
	fixture__write("agent.c", "#include <sys/sdt.h>\n"
		       "void fire(void) { STAP_PROBE(gctrace, gc__start); }\n");
	fixture__compile("main.c -o program -ldl");
	fixture__compile("-shared -fPIC clr.c -o libcoreclr.so");
	for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		const char *arguments[] = { "./libcoreclr.so", libraries[i].library, NULL };
		struct identified it;

		fixture__compile("-shared -fPIC agent.c -o '%s'", libraries[i].library);
		it.child = fixture__start("./program", arguments, NULL);
		assert_string_equal(fixture__hear(&it.child), "ready");
		if (i == 1)
			assert_int_equal(unlink(libraries[i].library), 0);
		identified__look(&it);
		assert_int_equal(it.runtime->kind, libraries[i].kind);
		assert_int_equal(it.runtime->has_agent, libraries[i].kind == RUNTIME_DOTNET);
		assert_true(it.runtime->has_probes);
		assert_null(it.runtime->advice);
		assert_int_equal(it.modules.first->deleted, i == 1);
		offers__find(it.runtime, &it.modules, offers);
		assert_true(offers[OFFER_COLLECTIONS].available);
		assert_false(offers[OFFER_DUMP].available);
		identified__end(&it);
	}
}

/* Output of a command's first line, or a skip of the test. */
static void first_line(const char *command, char line[256])
{
	FILE *pipe = popen(command, "r");

	line[0] = '\0';
	if (pipe && !fgets(line, 256, pipe))
		line[0] = '\0';
	if (pipe)
		pclose(pipe);
	line[strcspn(line, "\n")] = '\0';
}

static void the_python_that_is_here(void **state)
{
	const char *const arguments[] = {
		"-c", "import sys; print('ready', flush=True); sys.stdin.read()", NULL};
	struct offer offers[OFFER_COUNT];
	struct identified it;
	char version[256];

	(void)state;
	first_line("readelf -n /usr/bin/python3 2>/dev/null | grep -c 'Provider: python'", version);
	if (atoi(version) == 0)
		SKIP("/usr/bin/python3 is not there, or has no probes");
	first_line("/usr/bin/python3 -c 'import platform; print(platform.python_version())'",
		   version);
	start(&it, "/usr/bin/python3", arguments);
	assert_int_equal(it.runtime->kind, RUNTIME_CPYTHON);
	assert_true(it.runtime->has_probes);
	assert_string_equal(it.runtime->name, "CPython");
	if (it.runtime->version) /* exported from 3.11 on */
		assert_string_equal(it.runtime->version, version);
	offers__find(it.runtime, &it.modules, offers);
	assert_true(offers[OFFER_COLLECTIONS].available);
	assert_false(offers[OFFER_POOLS].available);
	identified__end(&it);
}

static void the_ruby_that_is_here(void **state)
{
	const char *const arguments[] = { "-e", "puts 'ready'; STDOUT.flush; gets", NULL };
	struct identified it;
	char version[256];

	(void)state;
	if (access("/usr/bin/ruby", X_OK))
		SKIP("/usr/bin/ruby is not there");
	first_line("/usr/bin/ruby -e 'puts RUBY_VERSION'", version);
	start(&it, "/usr/bin/ruby", arguments);
	assert_int_equal(it.runtime->kind, RUNTIME_RUBY);
	assert_string_equal(it.runtime->version, version);
	identified__end(&it);
}

static const char java_source[] =
	"public class Wait { public static void main(String[] a) throws Exception {"
	" System.out.println(\"ready\"); System.in.read(); } }\n";

/* Each collector, with counters and (by its arguments alone) without. */
static void the_java_that_is_here(void **state)
{
	static const char *const collectors[] = { "G1", "Parallel", "Serial" };
	char java[256], version[256];

	(void)state;
	first_line("command -v java", java);
	if (!*java)
		SKIP("there is no java here");
	first_line("java -XshowSettings:properties -version 2>&1"
		   " | sed -n 's/.*java.vm.version = //p'", version);
	fixture__write("Wait.java", java_source);
	for (int i = 0; i < 6; i++) {
		const char *name = collectors[i / 2];
		struct offer offers[OFFER_COUNT];
		struct identified it;
		char flag[32];
		const char *const arguments[] = {
			flag, i % 2 ? "-XX:-UsePerfData" : "-XX:+UsePerfData", "-Xmx64m",
			"Wait.java", NULL,
		};

		snprintf(flag, sizeof(flag), "-XX:+Use%sGC", name);
		start(&it, java, arguments);
		assert_int_equal(it.runtime->kind, RUNTIME_HOTSPOT);
		assert_string_equal(it.runtime->collector, name);
		if (i % 2 == 0)
			assert_string_equal(it.runtime->version, version);
		if (it.runtime->has_probes) {
			offers__find(it.runtime, &it.modules, offers);
			assert_true(offers[OFFER_POOLS].available);
			assert_false(offers[OFFER_MOVES].available);
		}
		identified__end(&it);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture__enter, fixture__leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(by_the_name_of_the_program),
		TEST(by_what_it_maps),
		TEST(by_what_it_holds),
		TEST(by_what_it_exports),
		TEST(by_its_probes),
		TEST(without_probes_nothing_is_offered),
		TEST(the_other_runtime_of_dotnet_is_told_apart),
		TEST(the_command_that_loads_an_agent_is_said),
		TEST(an_agent_speaks_for_its_runtime),
		TEST(the_python_that_is_here),
		TEST(the_ruby_that_is_here),
		TEST(the_java_that_is_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
