/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/escape.h"
#include "base/utf16.h"

static void expect(const void *bytes, size_t size, const char *text)
{
	struct buf out = BUF_INIT;

	utf16__add(&out, bytes, size);
	assert_string_equal(buf__str(&out), text);
	buf__free(&out);
}

#define EXPECT(units, text) expect(units, sizeof(units) - 2, text)

static void units_become_characters(void **state)
{
	(void)state;
	expect("", 0, "");
	EXPECT(u"main", "main");
	EXPECT(u"g\u00e4rtner \u4f60\u597d \U0001f600 \U0010ffff",
	       "g\u00e4rtner \u4f60\u597d \U0001f600 \U0010ffff");
	EXPECT(u"\x7f\x80\x7ff\x800\xffff", "\x7f\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf");
}

static void half_a_pair_is_no_character(void **state)
{
	(void)state;
	EXPECT(u"a\xd800", "a\ufffd");
	EXPECT(u"\xdc00\xd800z", "\ufffd\ufffdz");
	EXPECT(u"\xd83d\xd83d\xde00", "\ufffd\U0001f600");
	/* Cut within a unit, and within a pair. */
	expect(u"ab", 3, "a");
	expect(u"\xd83d\xde00", 3, "\ufffd");
}

/* Every character there is, by what reads UTF-8. */
static void all_characters_come_back(void **state)
{
	(void)state;
	for (uint32_t c = 1; c < 0x110000; c++) {
		uint16_t units[2] = { (uint16_t)c };
		struct buf out = BUF_INIT;
		uint32_t back = 0;

		if (c >= 0xd800 && c < 0xe000)
			continue;
		if (c >= 0x10000) {
			units[0] = (uint16_t)(0xd800 + ((c - 0x10000) >> 10));
			units[1] = (uint16_t)(0xdc00 + ((c - 0x10000) & 0x3ff));
		}
		utf16__add(&out, units, c < 0x10000 ? 2 : 4);
		assert_int_equal(utf8__decode(out.data, out.len, &back), out.len);
		assert_int_equal(back, c);
		buf__free(&out);
	}
}

static void latin1_is_the_first_256(void **state)
{
	struct buf narrow = BUF_INIT, wide = BUF_INIT;
	unsigned char bytes[255];
	uint16_t units[255];

	(void)state;
	for (unsigned int i = 0; i < 255; i++) {
		bytes[i] = (unsigned char)(i + 1);
		units[i] = bytes[i];
	}
	latin1__add(&narrow, bytes, sizeof(bytes));
	utf16__add(&wide, units, sizeof(units));
	assert_string_equal(buf__str(&narrow), buf__str(&wide));
	buf__free(&narrow);
	buf__free(&wide);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units_become_characters),
		cmocka_unit_test(half_a_pair_is_no_character),
		cmocka_unit_test(all_characters_come_back),
		cmocka_unit_test(latin1_is_the_first_256),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
