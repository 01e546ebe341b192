/* SPDX-License-Identifier: BSD-2-Clause */
/* The options of a JVM, of texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>

#include "attach/jvm_options.h"
#include "attach/jvm_socket.h"

static struct buf words_of(const char *first, const char *second)
{
	struct buf words = BUF_INIT;

	jvm_options__split(&words, first);
	jvm_options__split(&words, second);
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
		cmocka_unit_test(answers_are_taken_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
