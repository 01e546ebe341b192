/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JVMs that gctrace does not go into: programs that look like them from outside, and what an
 * operator is told.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "attach/agent_hotspot.h"
#include "attach/jvm_dump.h"
#include "target/maps.h"
#include "target/module.h"
#include "target/note_cache.h"
#include "target/process.h"
#include "target/runtime.h"
#include "unit/target/identified.h"

/* Loads its first argument, takes its second one for a name, and waits. */
static const char program[] =
	"#include <dlfcn.h>\n#include <signal.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
	"#include <sys/prctl.h>\nstatic void die(int n) { (void)n; abort(); }\n"
	"int main(int argc, char **argv) {\n"
	"	if (!dlopen(argv[1], RTLD_NOW)) puts(dlerror());\n"
	"	if (argc > 2) prctl(PR_SET_NAME, argv[2]);\n"
	"	signal(SIGQUIT, die);\n"
	"	puts(\"ready\"); fflush(stdout); getchar(); return 0;\n"
	"}\n";

/* A directory as of a JDK, with that library, and a file `release` of that version. */
static void imitate(struct identified *it, const char *library, const char *version,
		    const char *thread)
{
	char text[64], path[128];
	const char *arguments[] = { path, thread, NULL };

	mkdir("jdk", 0755);
	mkdir("jdk/lib", 0755);
	mkdir("jdk/lib/server", 0755);
	snprintf(text, sizeof(text), "JAVA_VERSION=\"%s\"\n", version);
	fixture__write("jdk/release", text);
	fixture__write("library.c", "int nothing;\n");
	fixture__write("program.c", program);
	fixture__compile("-shared -fPIC -o jdk/lib/server/%s library.c", library);
	fixture__compile("-o program program.c -ldl");
	snprintf(path, sizeof(path), "./jdk/lib/server/%s", library);
	it->child = fixture__start("./program", arguments, NULL);
	assert_string_equal(fixture__hear(&it->child), "ready");
	identified__look(it);
}

static void assert_said(const struct buf *why, const char *want)
{
	if (strcmp(buf__str(why), want) != 0)
		fail_msg("expected \"%s\", found \"%s\"", want, buf__str(why));
}

static void assert_refused(const struct identified *it, const char *want)
{
	struct buf why = BUF_INIT;

	assert_true(agent_hotspot__is_refused(it->process, &it->maps, it->runtime, &why));
	assert_said(&why, want);
	buf__free(&why);
	assert_true(process__alive(it->process));
}

static void assert_makes_no_dump(const struct identified *it, const char *want)
{
	struct buf why = BUF_INIT;

	assert_true(jvm_dump__check(it->process, it->runtime, &why) < 0);
	assert_said(&why, want);
	buf__free(&why);
	assert_true(process__alive(it->process));
}

static void openj9_is_of_another_make(void **state)
{
	static const char want[] = "it runs OpenJ9, whose ways gctrace does not know: use a JVM"
				   " with HotSpot, or OpenJ9's own dumps (jcmd Dump.heap)";
	struct identified it;

	(void)state;
	imitate(&it, "libj9vm29.so", "17.0.10", NULL);
	assert_refused(&it, want);
	assert_makes_no_dump(&it, want);
	identified__end(&it);
}

static void java_8_is_too_old(void **state)
{
	struct identified it;
	char want[256];

	(void)state;
	imitate(&it, "libjvm.so", "1.8.0_402", NULL);
	snprintf(want, sizeof(want), "it runs Java 1.8.0_402, and this takes Java 11 or later;"
		 " gctrace heap reads the file that jmap -dump:live,format=b,file=FILE %d makes",
		 it.child.pid);
	assert_refused(&it, want);
	assert_makes_no_dump(&it, want);
	identified__end(&it);
}

static void java_11_makes_dumps_to_new_files_only(void **state)
{
	struct buf why = BUF_INIT;
	struct identified it;
	char want[256];

	(void)state;
	imitate(&it, "libjvm.so", "11.0.22", NULL);
	snprintf(want, sizeof(want), "it runs Java 11.0.22, which writes dumps to new files only:"
		 " Java 17 or later takes a FIFO; jmap -dump:format=b,file=FILE %d makes a file,"
		 " which gctrace heap reads", it.child.pid);
	assert_makes_no_dump(&it, want);
	assert_false(agent_hotspot__is_refused(it.process, &it.maps, it.runtime, &why));
	buf__free(&why);
	identified__end(&it);
}

static void of_32_bits_is_too_narrow(void **state)
{
	struct identified it;

	(void)state;
	imitate(&it, "libjvm.so", "17.0.10", NULL);
	it.process->is_32bit = true;
	assert_refused(&it, "it is a 32-bit process, and gctrace's agent has 64 bits");
	identified__end(&it);
}

/* With its thread, and without its socket. Later ones make another. */
static void an_old_one_that_has_lost_its_socket(void **state)
{
	static const struct {
		const char *version, *thread;
		bool is_refused;
	} all[] = {
		{ "11.0.4", "Attach Listener", true }, { "11.0.4", "main", false },
		{ "12.0.2", "Attach Listener", true }, { "11.0.13", "Attach Listener", false },
		{ "17.0.1", "Attach Listener", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct buf why = BUF_INIT;
		struct identified it;
		char want[256] = "";

		imitate(&it, "libjvm.so", all[i].version, all[i].thread);
		if (all[i].is_refused)
			snprintf(want, sizeof(want),
				 "its attach socket (/tmp/.java_pid%d of its own view) was removed,"
				 " as by a job that tidies /tmp, and Java %s makes no new one"
				 " (Java 11.0.13, 14 and later do): start it anew",
				 it.child.pid, all[i].version);
		assert_int_equal(agent_hotspot__is_refused(it.process, &it.maps, it.runtime, &why),
				 all[i].is_refused);
		assert_said(&why, want);
		buf__free(&why);
		identified__end(&it);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(openj9_is_of_another_make),
		cmocka_unit_test(java_8_is_too_old),
		cmocka_unit_test(java_11_makes_dumps_to_new_files_only),
		cmocka_unit_test(of_32_bits_is_too_narrow),
		cmocka_unit_test(an_old_one_that_has_lost_its_socket),
	};

	return cmocka_run_group_tests(tests, fixture__enter, fixture__leave);
}
