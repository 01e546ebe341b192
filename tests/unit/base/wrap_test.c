/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/wrap.h"

static const struct wrap plain = { .columns = 10 };

static void assert_wrapped(const struct wrap *wrap, size_t column, const char *text,
			   const char *expected)
{
	struct buf buf = BUF_INIT;

	wrap__add(&buf, wrap, column, text);
	assert_string_equal(buf__str(&buf), expected);
	buf__free(&buf);
}

static void assert_plain(const char *text, const char *expected)
{
	assert_wrapped(&plain, 0, text, expected);
}

static void lines_are_not_longer(void **state)
{
	(void)state;
	assert_plain("", "");
	assert_plain("one two", "one two");
	assert_plain("one two 89", "one two 89");
	assert_plain("one two 890", "one two\n890");
	assert_wrapped(&plain, 1, "one two 89", "one two\n89");
	assert_plain("  one   two  ", "one two");
	assert_plain("\xe6\xbc\xa2\xe6\xbc\xa2 12345", "\xe6\xbc\xa2\xe6\xbc\xa2 12345");
	assert_plain("\xe6\xbc\xa2\xe6\xbc\xa2 123456", "\xe6\xbc\xa2\xe6\xbc\xa2\n123456");
}

static void words_stay_whole(void **state)
{
	const struct wrap narrow = { .columns = 4 };

	(void)state;
	assert_wrapped(&narrow, 0, "a /very/long/path b", "a\n/very/long/path\nb");
}

static void names_go_on_behind_their_marks(void **state)
{
	const struct wrap names = { .columns = 10, .indent = 2, .marks = WRAP_NAMES };

	(void)state;
	assert_wrapped(&names, 0, "of app.Cache<app.Key,app.Order>+Node",
		       "of\n  app.\n  Cache<\n  app.Key,\n  app.\n  Order>+\n  Node");
	assert_wrapped(&names, 0, "app.a.b.cde.f a", "app.a.b.\n  cde.f a");
	/* What has no mark, or none in time, stays whole that far; what has room is not parted. */
	assert_wrapped(&names, 0, "abcdefghijkl", "abcdefghijkl");
	assert_wrapped(&names, 0, "abcdefghijkl.m", "abcdefghijkl.\n  m");
	assert_wrapped(&names, 0, "a.bcdefgh. a.b", "a.bcdefgh.\n  a.b");
	assert_wrapped(&names, 12, "a.b", "a.\n  b");
}

static void figures_stay_with_their_units(void **state)
{
	(void)state;
	assert_plain("max is 1.50 ms", "max is\n1.50 ms");
	assert_plain("dump it 12 that", "dump it 12\nthat");
	assert_plain("some ~4.0 MiB", "some\n~4.0 MiB");
	assert_plain("seven 45  d", "seven 45 d");
	assert_plain("seven 45 ", "seven 45");
	assert_plain("a ~", "a ~");
}

static void arrows_stay_with_what_they_lead_to(void **state)
{
	(void)state;
	assert_plain("abcde → .ab", "abcde\n→ .ab");
	assert_plain("abcde → .a", "abcde → .a");
	assert_plain("abcdefgh →", "abcdefgh →");
	assert_plain("→→ abcdefgh", "→→\nabcdefgh");
	assert_plain("→ ", "→");
	assert_plain("a →  b", "a → b");
}

static void further_lines_are_set_in(void **state)
{
	const struct wrap set_in = { .columns = 10, .indent = 4 };
	const struct wrap said = { .columns = 10, .prefix = "me:", .indent = 5 };

	(void)state;
	assert_wrapped(&set_in, 4, "one two three", "one\n    two\n    three");
	assert_wrapped(&said, 4, "one two", "one\nme:  two");
}

static void stops_at_a_line_feed(void **state)
{
	const char *text = "one \ntwo";
	struct buf buf = BUF_INIT;

	(void)state;
	assert_ptr_equal(wrap__add(&buf, &plain, 0, text), text + 4);
	assert_string_equal(buf__str(&buf), "one");
	buf__free(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_not_longer),
		cmocka_unit_test(words_stay_whole),
		cmocka_unit_test(names_go_on_behind_their_marks),
		cmocka_unit_test(figures_stay_with_their_units),
		cmocka_unit_test(arrows_stay_with_what_they_lead_to),
		cmocka_unit_test(further_lines_are_set_in),
		cmocka_unit_test(stops_at_a_line_feed),
	};

	return cmocka_run_group_tests_name("base/wrap", tests, NULL, NULL);
}
