/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why an agent cannot be loaded: what is seen beforehand, and whatever a runtime may answer. Each
 * reason is a text of its own, and nothing is left behind in any case.
 */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/agent_dotnet.h"
#include "attach/patience.h"
#include "base/clock.h"
#include "clr_fake.h"
#include "target/maps.h"
#include "target/module.h"
#include "target/process.h"
#include "target/runtime.h"

static void assert_text(const struct buf *text, const char *word)
{
	if (!strstr(buf__str(text), word))
		fail_msg("%s: not in: %s", word, buf__str(text));
	for (size_t i = 0; i < text->len; i++)
		assert_true((unsigned char)text->data[i] >= ' ');
}

/* ---------------------------------------------------------------- beforehand */

/* word: of the reason; NULL: there is none. more: lines of maps that it has besides. */
static void assert_refused(const struct clr_fake *fake, const char *version, const char *more,
			   const char *word)
{
	const struct runtime runtime = { .kind = RUNTIME_DOTNET, .version = (char *)version };
	struct buf why = BUF_INIT;
	struct maps maps;

	assert_int_equal(maps__parse(&maps, more, strlen(more)), 0);
	assert_int_equal(agent_dotnet__is_refused(fake->process, &maps, &runtime, &why),
			 word != NULL);
	if (word)
		assert_text(&why, word);
	else
		assert_string_equal(buf__str(&why), "");
	maps__free(&maps);
	buf__free(&why);
}

static void versions_and_kinds_of_programs(void **state)
{
	const char *musl = "7f0000000000-7f0000001000 r-xp 00000000 fe:00 17"
			   "  /lib/ld-musl-x86_64.so.1\n";
	struct clr_fake fake;

	(void)state;
	clr_fake__begin(&fake, CLR_FAKE_OWN, NULL);
	assert_refused(&fake, "8.0.30", "", NULL);
	assert_refused(&fake, "10.0.12", "", NULL);
	assert_refused(&fake, NULL, "", NULL);
	assert_refused(&fake, "not a version", "", NULL);
	assert_refused(&fake, "7.0.1", "", "it runs .NET 7.0.1, and gctrace's agent needs .NET 8");
	assert_refused(&fake, "3.1\x1b[2J", "", "3.1\\x1b[2J");
	assert_refused(&fake, "10.0.12", musl, "it runs on musl");
	fake.process->is_32bit = true;
	assert_refused(&fake, "10.0.12", "", "it is a 32-bit process");
	fake.process->is_32bit = false;
	kill(fake.child.pid, SIGSTOP);
	assert_int_equal(waitpid(fake.child.pid, NULL, WUNTRACED), fake.child.pid);
	assert_refused(&fake, "10.0.12", "", "it is stopped");
	kill(fake.child.pid, SIGCONT);
	clr_fake__end(&fake);
}

static void settings_of_its_environment(void **state)
{
	static const char *const off[] = { "COMPlus_EnableDiagnostics_IPC=0", NULL };
	static const char *const away[] = { "TMPDIR=/nowhere/\x1b", NULL };
	static const char *const file[] = { "TMPDIR=/proc/self/status", NULL };
	struct clr_fake fake;

	(void)state;
	clr_fake__begin(&fake, CLR_FAKE_OWN, off);
	assert_refused(&fake, "10.0.12", "", "started with COMPlus_EnableDiagnostics_IPC=0");
	clr_fake__end(&fake);
	clr_fake__begin(&fake, CLR_FAKE_OWN, away);
	assert_refused(&fake, "10.0.12", "", "its TMPDIR /nowhere/\\x1b is no directory");
	clr_fake__end(&fake);
	clr_fake__begin(&fake, CLR_FAKE_OWN, file);
	assert_refused(&fake, "10.0.12", "", "its TMPDIR /proc/self/status is no directory");
	clr_fake__end(&fake);
}

/* ---------------------------------------------------------------- answers */

/* wait_ns: as long it may take to be ready. */
static int load(const struct clr_fake *fake, uint64_t wait_ns, struct buf *why)
{
	struct patience patience = { .process = fake->process,
				     .until_ns = clock__monotonic_ns() + wait_ns,
				     .stop_fd = -1 };
	char library[4200];

	buf__reset(why);
	snprintf(library, sizeof(library), "%s/libagent.so", fake->directory);
	fixture__write("libagent.so", "a library");
	return agent_dotnet__load(fake->process, library, &patience, why);
}

/* Beside the library itself. */
static void assert_nothing_left(void)
{
	DIR *here = opendir(".");
	struct dirent *entry;

	assert_non_null(here);
	while ((entry = readdir(here)))
		if (strncmp(entry->d_name, "libagent.", 9) == 0)
			assert_string_equal(entry->d_name, "libagent.so");
	closedir(here);
}

static void the_agent_is_loaded(void **state)
{
	struct buf why = BUF_INIT;
	struct clr_fake fake;

	(void)state;
	clr_fake__begin(&fake, CLR_FAKE_OWN, NULL);
	clr_fake__say_version(&fake, "10.0.12");
	clr_fake__reply(&fake, 1, 0);
	assert_int_equal(load(&fake, 0, &why), 0);
	/* Another gctrace was faster. */
	clr_fake__say_version(&fake, "10.0.12");
	clr_fake__reply(&fake, 1, 0xa0040001);
	assert_int_equal(load(&fake, 0, &why), -EEXIST);
	assert_nothing_left();
	clr_fake__end(&fake);
	buf__free(&why);
}

static void each_result_has_its_words(void **state)
{
	static const struct {
		unsigned int ok;
		uint32_t result;
		const char *words;
	} results[] = {
		{ 0, 0x8013136a, "another profiler" },
		{ 1, 0x8013136a, "another profiler" },
		{ 0, 0x80131371, "has not started yet" },
		{ 0, 0xa0040002, "too old" },
		{ 0, 0xa0040003, "no memory" },
		{ 0, 0x80040111, "is not gctrace's agent" },
		{ 0, 0x80131385, "takes no agents" },
		{ 0, 0x80004005, "has refused the agent (0x80004005)" },
		{ 0, 0, "has refused the agent" }, /* an error that is none */
	};
	struct buf why = BUF_INIT;
	struct clr_fake fake;

	(void)state;
	clr_fake__begin(&fake, CLR_FAKE_OWN, NULL);
	for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
		clr_fake__say_version(&fake, "10.0.12");
		clr_fake__reply(&fake, results[i].ok, results[i].result);
		assert_int_equal(load(&fake, 0, &why), -ENOEXEC);
		assert_text(&why, results[i].words);
		assert_nothing_left();
	}
	clr_fake__end(&fake);
	buf__free(&why);
}

static void a_runtime_that_starts_is_asked_again(void **state)
{
	struct buf why = BUF_INIT;
	struct clr_fake fake;

	(void)state;
	clr_fake__begin(&fake, CLR_FAKE_OWN, NULL);
	clr_fake__say_version(&fake, "9.0.7");
	clr_fake__reply(&fake, 0, 0x80131371);
	clr_fake__reply(&fake, 0, 0x80131373);
	clr_fake__reply(&fake, 1, 0x8013135b);
	clr_fake__reply(&fake, 1, 0);
	assert_int_equal(load(&fake, 60 * NS_PER_S, &why), 0);
	clr_fake__end(&fake);
	buf__free(&why);
}

/* Its own path, a copy: where it may be loaded from is found out. */
static void the_next_way_is_tried_where_it_cannot_load(void **state)
{
	struct buf why = BUF_INIT;
	struct clr_fake fake;

	(void)state;
	clr_fake__begin(&fake, CLR_FAKE_OWN, NULL);
	clr_fake__say_version(&fake, "10.0.12");
	clr_fake__reply(&fake, 0, 0x8007007e);
	clr_fake__reply(&fake, 1, 0);
	assert_int_equal(load(&fake, 0, &why), 0);
	assert_nothing_left();
	clr_fake__end(&fake);
	buf__free(&why);
}

static void old_runtimes_are_refused(void **state)
{
	struct buf why = BUF_INIT;
	struct clr_fake fake;

	(void)state;
	clr_fake__begin(&fake, CLR_FAKE_OWN, NULL);
	clr_fake__say_version(&fake, "6.0.36");
	assert_int_equal(load(&fake, 0, &why), -ENOTSUP);
	assert_text(&why, "it runs .NET 6.0.36");
	clr_fake__reply(&fake, 0, 0x80131385); /* it does not know the question */
	assert_int_equal(load(&fake, 0, &why), -ENOTSUP);
	assert_text(&why, "it runs .NET 5");
	clr_fake__end(&fake);
	buf__free(&why);
}

static void what_is_no_answer_is_told(void **state)
{
	struct buf why = BUF_INIT;
	struct clr_fake fake;

	(void)state;
	clr_fake__begin(&fake, CLR_FAKE_OWN, NULL);
	clr_fake__say(&fake, "HTTP/1.1 400 Bad Request\r\n\r\n", 28);
	assert_int_equal(load(&fake, 0, &why), -EPROTO);
	assert_text(&why, "is not of the diagnostics protocol");
	clr_fake__say(&fake, "", 0);
	assert_int_equal(load(&fake, 0, &why), -ECONNRESET);
	assert_text(&why, "its runtime has not answered");
	clr_fake__say_version(&fake, "10.0.12");
	clr_fake__say(&fake, "DOTNET_IPC_V1", 14);
	assert_int_equal(load(&fake, 0, &why), -ECONNRESET);
	clr_fake__say_version(&fake, "10.0.12");
	clr_fake__exit(&fake);
	assert_int_equal(load(&fake, 0, &why), -ESRCH);
	assert_text(&why, "it has ended meanwhile");
	assert_nothing_left();
	clr_fake__end(&fake);
	buf__free(&why);
}

static void without_a_socket_it_is_told_which_was_expected(void **state)
{
	struct buf why = BUF_INIT, name = BUF_INIT;
	struct clr_fake fake;

	(void)state;
	clr_fake__begin(&fake, CLR_FAKE_NONE, NULL);
	assert_int_equal(load(&fake, 0, &why), -ENOENT);
	buf__printf(&name, "dotnet-diagnostic-%d-%llu-socket", fake.child.pid,
		    (unsigned long long)fake.process->start_ticks);
	assert_text(&why, buf__str(&name));
	assert_text(&why, "gctrace run --load-agent");
	clr_fake__end(&fake);
	buf__free(&name);
	buf__free(&why);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture__enter, fixture__leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(versions_and_kinds_of_programs),
		TEST(settings_of_its_environment),
		TEST(the_agent_is_loaded),
		TEST(each_result_has_its_words),
		TEST(a_runtime_that_starts_is_asked_again),
		TEST(the_next_way_is_tried_where_it_cannot_load),
		TEST(old_runtimes_are_refused),
		TEST(what_is_no_answer_is_told),
		TEST(without_a_socket_it_is_told_which_was_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
