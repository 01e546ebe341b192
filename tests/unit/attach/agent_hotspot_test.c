/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JVMs that gctrace does not go into: programs that look like them from outside, and what an
 * operator is told.
 */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/agent_hotspot.h"
#include "attach/jvm_dump.h"
#include "attach/patience.h"
#include "base/clock.h"
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

/*
 * Answers on an attach socket: as often as its first argument says with its second one, then that
 * the library is loaded.
 */
static const char starting[] =
	"#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <sys/socket.h>\n"
	"#include <sys/un.h>\n#include <unistd.h>\n"
	"int main(int argc, char **argv) {\n"
	"	struct sockaddr_un at = { .sun_family = AF_UNIX };\n"
	"	char asked[8192], answer[256];\n"
	"	int fd = socket(AF_UNIX, SOCK_STREAM, 0), early = atoi(argv[argc - 2]);\n"
	"	sprintf(at.sun_path, \"/tmp/.java_pid%d\", getpid());\n"
	"	unlink(at.sun_path);\n"
	"	if (bind(fd, (void *)&at, sizeof(at)) || listen(fd, 5)) return 1;\n"
	"	puts(\"ready\"); fflush(stdout);\n"
	"	for (;;) {\n"
	"		int to = accept(fd, NULL, NULL);\n"
	"		ssize_t n = read(to, asked, sizeof(asked));\n"
	"		sprintf(answer, \"0\\n%s\\n\",\n"
	"			early-- > 0 ? argv[argc - 1] : \"return code: 0\");\n"
	"		n = write(to, answer, strlen(answer));\n"
	"		close(to);\n"
	"	}\n"
	"}\n";

static int load_into_starting(const char *often, const char *answer, uint64_t ns, struct buf *why)
{
	const struct runtime runtime = { .kind = RUNTIME_HOTSPOT, .version = "17.0.1" };
	const char *arguments[] = { often, answer, NULL };
	struct child child;
	struct process *process;
	struct patience patience;
	char path[64], library[PATH_MAX];
	int err;

	fixture__write("library.c", "int nothing;\n");
	fixture__write("starting.c", starting);
	fixture__compile("-shared -fPIC -o nothing.so library.c");
	fixture__compile("-o starting starting.c");
	assert_non_null(realpath("nothing.so", library));
	child = fixture__start("./starting", arguments, NULL);
	assert_string_equal(fixture__hear(&child), "ready");
	assert_int_equal(process__open(child.pid, &process, NULL), 0);
	patience = patience__for(process, -1);
	if (ns)
		patience.until_ns = clock__monotonic_ns() + ns;
	err = agent_hotspot__load(process, &runtime, library, "", &patience, why);
	snprintf(path, sizeof(path), "/tmp/.java_pid%d", child.pid);
	unlink(path);
	process__free(process);
	fixture__stop(&child);
	return err;
}

/* What Java 25 says, and what the agent says in Java 17. */
static const char *const early[] = {
	"Dynamic agent loading is only permitted in the live phase", "return code: 4004",
};

static void one_that_is_starting_is_asked_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(early) / sizeof(*early); i++) {
		struct buf why = BUF_INIT;

		assert_int_equal(load_into_starting("3", early[i], 0, &why), 0);
		assert_said(&why, "");
		buf__free(&why);
	}
}

static void one_that_never_starts_is_named_as_that(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(early) / sizeof(*early); i++) {
		struct buf why = BUF_INIT;

		assert_int_equal(load_into_starting("1000000", early[i], NS_PER_MS, &why),
				 -EAGAIN);
		assert_said(&why, "it is still starting, and takes no agents until it has: try"
				  " again then, or use gctrace run --load-agent");
		buf__free(&why);
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
		cmocka_unit_test(one_that_is_starting_is_asked_again),
		cmocka_unit_test(one_that_never_starts_is_named_as_that),
	};

	return cmocka_run_group_tests(tests, fixture__enter, fixture__leave);
}
