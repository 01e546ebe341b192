/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of a JVM, of texts, of files, and of what is in a process's memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/jvm_option_files.h"
#include "attach/jvm_options.h"
#include "attach/jvm_socket.h"
#include "target/maps.h"
#include "target/process.h"
#include "unit/target/fixture.h"

static struct buf words_of(const char *first, const char *second)
{
	struct buf words = BUF_INIT;

	jvm_options__split(&words, first, "");
	jvm_options__split(&words, second, "");
	return words;
}

static void the_last_word_counts(void **state)
{
	static const struct {
		const char *first, *second;
		bool otherwise, want;
	} all[] = {
		{ "", "", false, false },
		{ "", "", true, true },
		{ "-XX:+Flag", "", false, true },
		{ "-XX:+Flag", "-XX:-Flag", true, false },
		{ "-XX:-Flag -Xmx1g -XX:+Flag", "-XX:+Flags -XX:-NoFlag", false, true },
		{ "-XX:Flag", "XX:+Flag", false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct buf words = words_of(all[i].first, all[i].second);

		assert_int_equal(jvm_options__flag(&words, "Flag", all[i].otherwise), all[i].want);
		buf__free(&words);
	}
}

static void words_are_parted_by_blanks_outside_of_quotes(void **state)
{
	struct buf words = words_of("  -Da='b c'\t\"-XX:+Flag\"\n''", "'open -XX:+Other");
	static const char want[] = "-Da=b c\0-XX:+Flag\0\0open -XX:+Other";

	(void)state;
	assert_int_equal(words.len, sizeof(want));
	assert_memory_equal(words.data, want, sizeof(want));
	assert_true(jvm_options__has(&words, "-XX:+Flag"));
	assert_false(jvm_options__has(&words, "-XX:+Other"));
	buf__free(&words);
}

static void comments_are_no_options(void **state)
{
	struct buf words = BUF_INIT;
	static const char want[] = "-XX:+A\0-XX:B=#\0-XX:-C";

	(void)state;
	jvm_options__split(&words, "# +Other\n+A B=# # -Other\n#\n-C\n#-Other", "-XX:");
	assert_int_equal(words.len, sizeof(want));
	assert_memory_equal(words.data, want, sizeof(want));
	buf__free(&words);
}

/* ---------------------------------------------------------------- memory */

bool a_flag_of_this_test;

static int look_at(pid_t pid, const char *name)
{
	struct process *process;
	struct maps maps;
	int answer;

	assert_int_equal(process__open(pid, &process, NULL), 0);
	assert_int_equal(maps__read(&maps, process), 0);
	answer = jvm_options__look(process, &maps, "jvm_options_test", name);
	maps__free(&maps);
	process__free(process);
	return answer;
}

/* The child has another value than this one. */
static void a_flag_is_what_it_is_in_its_memory(void **state)
{
	int ready[2];
	pid_t pid;
	char byte;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		a_flag_of_this_test = true;
		if (write(ready[1], "", 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(look_at(pid, "a_flag_of_this_test"), 1);
	assert_int_equal(look_at(getpid(), "a_flag_of_this_test"), 0);
	assert_int_equal(look_at(pid, "no_flag_of_this_test"), -ENOENT);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	close(ready[1]);
}

/* ---------------------------------------------------------------- files */

/* `java` with these arguments: what is in force of one flag; or an error, and in which file. */
static void assert_java(const char *const *arguments, int want, const char *file)
{
	struct child child = fixture__start("./java", arguments, NULL);
	struct buf words = BUF_INIT, why = BUF_INIT;
	struct process *process;
	int err;

	assert_string_equal(fixture__hear(&child), "ready");
	assert_int_equal(process__open(child.pid, &process, NULL), 0);
	err = jvm_option_files__read(process, &words, &why);
	if (file)
		assert_non_null(strstr(buf__str(&why), file));
	assert_int_equal(err ? err : jvm_options__flag(&words, "Disable", false), want);
	process__free(process);
	fixture__stop(&child);
	buf__free(&words);
	buf__free(&why);
}

static void options_stand_in_files_that_others_name(void **state)
{
	static const struct {
		const char *variable, *value, *arguments[5];
		int want;
		const char *file;
	} all[] = {
		{ "OTHER", "-XX:+Disable", { "Main" }, 0, NULL },
		{ "JAVA_TOOL_OPTIONS", "-XX:+Disable", { "Main" }, 1, NULL },
		{ "JAVA_TOOL_OPTIONS", "-XX:+Disable", { "-XX:-Disable", "Main" }, 0, NULL },
		{ "JDK_JAVA_OPTIONS", "@options", { "Main" }, 1, NULL },
		{ "_JAVA_OPTIONS", "-XX:-Disable", { "@options", "Main" }, 0, NULL },
		{ "_JAVA_OPTIONS", "-XX:VMOptionsFile=options", { "Main" }, 1, NULL },
		{ "OTHER", "", { "-XX:Flags=flags", "Main" }, 1, NULL },
		{ "OTHER", "", { "-XX:-Disable", "-XX:Flags=flags", "Main" }, 0, NULL },
		{ "OTHER", "", { "@names", "Main" }, 1, NULL },
		{ "OTHER", "", { "-cp", "@options", "Main" }, 0, NULL },
		{ "OTHER", "", { "Main", "@options", "-XX:+Disable" }, 0, NULL },
		{ "OTHER", "", { "-jar", "some.jar", "@none" }, 0, NULL },
		{ "OTHER", "", { "--disable-@files", "@options", "Main" }, 0, NULL },
		{ "OTHER", "", { "@none", "Main" }, -ENOENT, "none" },
		{ "OTHER", "", { "-XX:Flags=none", "Main" }, -ENOENT, "none" },
	};

	(void)state;
	fixture__write("java.c", "#include <stdio.h>\n#include <unistd.h>\nint main(void)"
				 "{ puts(\"ready\"); fflush(stdout); return pause(); }");
	fixture__compile("-o java java.c");
	fixture__write("options", "-Xmx1g \"-XX:+Disable\"\n");
	fixture__write("flags", "# of Java\n+Disable\n");
	fixture__write("names", "-XX:Flags=flags");
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		setenv(all[i].variable, all[i].value, 1);
		assert_java(all[i].arguments, all[i].want, all[i].file);
		unsetenv(all[i].variable);
	}
}

/* ---------------------------------------------------------------- answers */

/* A status line, and what the command has said. */
static void answers_are_taken_apart(void **state)
{
	static const struct {
		const char *bytes, *answer;
		int result;
	} all[] = {
		{ "0\nreturn code: 0\n", "return code: 0", 0 },
		{ "0\n", "", 0 },
		{ "1\nno such command \n", "no such command", 1 },
		{ "-1\n", "", 1 },
		{ "0", "", -EPROTO },
		{ "", "", -EPROTO },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct buf bytes = BUF_INIT, answer = BUF_INIT;

		buf__add_str(&bytes, all[i].bytes);
		assert_int_equal(jvm_socket__parse(&bytes, false, &answer), -EAGAIN);
		assert_int_equal(jvm_socket__parse(&bytes, true, &answer), all[i].result);
		assert_string_equal(buf__str(&answer), all[i].answer);
		buf__free(&bytes);
		buf__free(&answer);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_word_counts),
		cmocka_unit_test(words_are_parted_by_blanks_outside_of_quotes),
		cmocka_unit_test(comments_are_no_options),
		cmocka_unit_test(a_flag_is_what_it_is_in_its_memory),
		cmocka_unit_test_setup_teardown(options_stand_in_files_that_others_name,
						fixture__enter, fixture__leave),
		cmocka_unit_test(answers_are_taken_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
