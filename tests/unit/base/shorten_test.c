/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/escape.h"
#include "base/shorten.h"

typedef void (*shorten)(struct buf *buf, const char *text, size_t len, size_t columns);

static void assert_short(shorten shorten, const char *text, size_t columns, const char *expected)
{
	struct buf buf = BUF_INIT;

	shorten(&buf, text, strlen(text), columns);
	assert_string_equal(buf__str(&buf), expected);
	buf__free(&buf);
}

static void what_fits_is_whole(void **state)
{
	(void)state;
	assert_short(shorten__add, "", 4, "");
	assert_short(shorten__add, "full", 4, "full");
	assert_short(shorten__add_end, "/bin", 4, "/bin");
	assert_short(shorten__add, "漢漢", 4, "漢漢");
	assert_int_equal(shorten__fitting("full", 4, 0), 0);
	assert_int_equal(shorten__fitting("full", 4, 9), 4);
}

static void dots_stand_for_the_rest(void **state)
{
	(void)state;
	assert_short(shorten__add, "G1 Humongous Allocation", 15, "G1 Humongous...");
	assert_short(shorten__add_end, "/usr/lib/jvm/libjvm.so", 12, "...libjvm.so");
	assert_short(shorten__add, "young", 4, "y...");
	assert_short(shorten__add, "young", 0, "y...");
}

static void characters_stay_whole(void **state)
{
	(void)state;
	assert_short(shorten__add, "漢漢漢", 5, "漢...");
	assert_short(shorten__add, "漢漢漢", 4, "...");
	assert_short(shorten__add_end, "漢漢漢", 5, "...漢");
	/* An acute that combines with the e before it. */
	assert_short(shorten__add, "ve\xcc\x81locit\xc3\xa9", 5, "ve\xcc\x81...");
	assert_short(shorten__add, "gr\xc3\xbc\xc3\x9f""e an alle", 7, "gr\xc3\xbc\xc3\x9f...");
}

static void escapes_stay_whole(void **state)
{
	(void)state;
	assert_short(shorten__add, "ab\\x1b[2J", 8, "ab...");
	assert_short(shorten__add, "ab\\x1b[2J", 9, "ab\\x1b[2J");
	assert_short(shorten__add, "ab\\x1b[2J!", 9, "ab\\x1b...");
	assert_short(shorten__add, "ab\\u{202e}[2J!", 13, "ab\\u{202e}...");
	assert_short(shorten__add, "ab\\u{202e}[2J!", 12, "ab...");
	assert_short(shorten__add_end, "/a\\x1bbin", 8, "...bin");
	assert_short(shorten__add, "\\n\\n\\n\\n", 6, "\\n...");
	assert_short(shorten__add, "four\\", 4, "f...");
}

static void what_is_left_out_of_the_middle_is_counted(void **state)
{
	(void)state;
	assert_short(shorten__add_middle, "0123456789abcdefghij0123456789ab", 0,
		     "0123456789abcdefghij0123456789ab");
	assert_short(shorten__add_middle, "0123456789abcdefghij0123456789abc", 32,
		     "0123456789a...(+12)...3456789abc");
	/* An escape is one character. */
	assert_short(shorten__add_middle, "0123456789\\x1bdefghij0123456789abc", 32,
		     "0123456789...(+14)...3456789abc");
}

static void names_stay_whole_up_to_two_lines(void **state)
{
	struct buf text = BUF_INIT, buf = BUF_INIT;

	(void)state;
	buf__add_repeated(&text, 'n', 200);
	buf__add_str(&text, " of ");
	buf__add_repeated(&text, 'n', 200);
	shorten__add_words(&buf, buf__str(&text), text.len);
	assert_string_equal(buf__str(&buf), buf__str(&text));
	buf__add_char(&text, 'n');
	buf__reset(&buf);
	shorten__add_words(&buf, buf__str(&text), text.len);
	assert_string_equal(buf__str(&buf) + 200,
			    " of nnnnnnnnnnnnnnnnnnn...(+163)...nnnnnnnnnnnnnnnnnnn");
	buf__reset(&buf);
	shorten__add_name(&buf, buf__str(&text), text.len);
	assert_int_equal(buf.len, 50);
	buf__free(&text);
	buf__free(&buf);
}

/* Of any bytes, once they are escaped. */
static void nothing_is_wider_than_its_room(void **state)
{
	static const shorten shorteners[] = { shorten__add, shorten__add_end, shorten__add_middle };
	struct buf text = BUF_INIT, buf = BUF_INIT;
	char bytes[24];

	(void)state;
	srandom(3);
	for (unsigned int i = 0; i < 50000; i++) {
		const size_t columns = (i / 2 % 3 == 2 ? 32 : 4) + (size_t)random() % 40;

		for (size_t j = 0; j < sizeof(bytes); j++)
			bytes[j] = (char)(random() % (i % 2 ? 256 : 128));
		buf__reset(&text);
		escape__add(&text, bytes, (size_t)random() % sizeof(bytes));
		buf__reset(&buf);
		shorteners[i / 2 % 3](&buf, buf__str(&text), text.len, columns);
		assert_true(utf8__columns(buf__str(&buf), buf.len) <= columns);
		if (utf8__columns(buf__str(&text), text.len) <= columns)
			assert_string_equal(buf__str(&buf), buf__str(&text));
	}
	buf__free(&text);
	buf__free(&buf);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_fits_is_whole),
		cmocka_unit_test(dots_stand_for_the_rest),
		cmocka_unit_test(characters_stay_whole),
		cmocka_unit_test(escapes_stay_whole),
		cmocka_unit_test(what_is_left_out_of_the_middle_is_counted),
		cmocka_unit_test(names_stay_whole_up_to_two_lines),
		cmocka_unit_test(nothing_is_wider_than_its_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
