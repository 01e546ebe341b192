/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/escape.h"

static void shows_what_is_hidden(void **state)
{
	(void)state;
	assert_string_equal(escape("java.lang.String"), "java.lang.String");
	assert_string_equal(escape("\033[2J"), "\\x1b[2J");
	assert_string_equal(escape("a\nb\tc\rd\x7f"), "a\\nb\\tc\\rd\\x7f");
	assert_string_equal(escape("C:\\x"), "C:\\\\x");
	assert_string_equal(escape("gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\x98"),
			    "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x90\x98");
	assert_string_equal(escape("\xc2\x9b" "31m"), "\\u{9b}31m");        /* C1: CSI */
	assert_string_equal(escape("a\xe2\x80\xae" "b"), "a\\u{202e}b");    /* right to left */
	assert_string_equal(escape("a\xe2\x81\xa6" "b"), "a\\u{2066}b");    /* isolate */
	assert_string_equal(escape("a\xe2\x80\x8b" "b"), "a\\u{200b}b");    /* zero width */
	assert_string_equal(escape("\xf3\xa0\x81\x81"), "\\u{e0041}");      /* tag A */
	assert_string_equal(escape("\xef\xbf\xbe"), "\\u{fffe}");
	assert_string_equal(escape("\xff\xc0\xaf"), "\\xff\\xc0\\xaf");
	assert_string_equal(escape_bytes("a\0b", 3), "a\\x00b");
	assert_string_equal(escape(NULL), "(none)");
	assert_string_equal(escape(""), "");
}

static void decodes_only_what_is_valid(void **state)
{
	static const char *const bad[] = {
		"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3(", "\xe0\x80\x80",
		"\xe0\x9f\xbf", "\xe2\x82", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x80\x80\x80",
		"\xf0\x8f\xbf\xbf", "\xf0\x9f\x90", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff",
	};
	uint32_t c;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(utf8__decode(bad[i], strlen(bad[i]), &c), 0);
	assert_int_equal(utf8__decode("\xf4\x8f\xbf\xbf", 4, &c), 4);
	assert_int_equal(c, 0x10ffff);
	assert_int_equal(utf8__decode("\xed\x9f\xbf", 3, &c), 3);
	assert_int_equal(c, 0xd7ff);
	assert_int_equal(utf8__decode("\xc3\xbc", 1, &c), 0);
}

/* The inverse of escape__add(), written from its description. */
static void unescape(const char *text, struct buf *out)
{
	while (*text) {
		unsigned int value;

		if (*text != '\\') {
			buf__add_char(out, *text++);
			continue;
		}
		switch (text[1]) {
		case 'n': buf__add_char(out, '\n'); text += 2; break;
		case 't': buf__add_char(out, '\t'); text += 2; break;
		case 'r': buf__add_char(out, '\r'); text += 2; break;
		case '\\': buf__add_char(out, '\\'); text += 2; break;
		case 'x':
			assert_int_equal(sscanf(text, "\\x%2x", &value), 1);
			buf__add_char(out, (char)value);
			text += 4;
			break;
		case 'u':
			assert_int_equal(sscanf(text, "\\u{%x}", &value), 1);
			if (value < 0x800) {
				buf__add_char(out, (char)(0xc0 | value >> 6));
			} else if (value < 0x10000) {
				buf__add_char(out, (char)(0xe0 | value >> 12));
				buf__add_char(out, (char)(0x80 | (value >> 6 & 0x3f)));
			} else {
				buf__add_char(out, (char)(0xf0 | value >> 18));
				buf__add_char(out, (char)(0x80 | (value >> 12 & 0x3f)));
				buf__add_char(out, (char)(0x80 | (value >> 6 & 0x3f)));
			}
			buf__add_char(out, (char)(0x80 | (value & 0x3f)));
			text = strchr(text, '}') + 1;
			break;
		default:
			fail_msg("unknown escape in %s", text);
		}
	}
}

/* Random bytes, and random characters, so that both kinds of trouble come often. */
static size_t random_bytes(unsigned char *bytes, size_t room)
{
	size_t len = 0, wanted = (size_t)random() % room;

	while (len + 4 < wanted) {
		uint32_t c = (uint32_t)random() % 0x3000;

		if (random() % 2) {
			bytes[len++] = (unsigned char)random();
		} else if (c < 0x80) {
			bytes[len++] = (unsigned char)c;
		} else if (c < 0x800) {
			bytes[len++] = (unsigned char)(0xc0 | c >> 6);
			bytes[len++] = (unsigned char)(0x80 | (c & 0x3f));
		} else {
			bytes[len++] = (unsigned char)(0xe0 | c >> 12);
			bytes[len++] = (unsigned char)(0x80 | (c >> 6 & 0x3f));
			bytes[len++] = (unsigned char)(0x80 | (c & 0x3f));
		}
	}
	return len;
}

static void assert_harmless(const struct buf *text)
{
	for (size_t i = 0; i < text->len;) {
		uint32_t c = 0;
		size_t size = utf8__decode(text->data + i, text->len - i, &c);

		assert_int_not_equal(size, 0);
		assert_true(c >= 0x20 && c != 0x7f && !(c >= 0x80 && c < 0xa0));
		assert_false((c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069));
		i += size;
	}
}

static void loses_nothing_and_is_harmless(void **state)
{
	unsigned char bytes[300];
	struct buf text = BUF_INIT, back = BUF_INIT;

	(void)state;
	srandom(11);
	for (int i = 0; i < 20000; i++) {
		size_t len = random_bytes(bytes, sizeof(bytes));

		buf__reset(&text);
		buf__reset(&back);
		escape__add(&text, bytes, len);
		assert_harmless(&text);
		unescape(buf__str(&text), &back);
		assert_int_equal(back.len, len);
		assert_memory_equal(buf__str(&back), bytes, len);
	}
	buf__free(&text);
	buf__free(&back);
}

static void long_names_stay_whole(void **state)
{
	size_t len = 65536;
	char *name = malloc(len);

	(void)state;
	memset(name, '\033', len);
	assert_int_equal(strlen(escape_bytes(name, len)), 4 * len);
	free(name);
}

static void several_at_once(void **state)
{
	const char *first = escape("a\n"), *second = escape("b\n");

	(void)state;
	assert_string_equal(first, "a\\n");
	assert_string_equal(second, "b\\n");
}

static void what_raw_lost_is_lost(void **state)
{
	struct buf raw = BUF_INIT, shown = BUF_INIT;

	(void)state;
	buf__add_str(&raw, "a\n");
	escape__move(&shown, &raw);
	assert_int_equal(raw.len, 0);
	buf__add_str(&raw, "b");
	raw.error = -ENOMEM;
	escape__move(&shown, &raw);
	assert_string_equal(buf__str(&shown), "a\\nb");
	assert_int_equal(shown.error, -ENOMEM);
	assert_int_equal(raw.error, 0);
	buf__free(&raw);
	buf__free(&shown);
}

static void counts_columns(void **state)
{
	(void)state;
	assert_int_equal(utf8__columns("abc", 3), 3);
	assert_int_equal(utf8__columns("\xc3\xbc", 2), 1);
	assert_int_equal(utf8__columns("u\xcc\x88", 3), 1);        /* u and a diaeresis on it */
	assert_int_equal(utf8__columns("\xe6\xbc\xa2", 3), 2);     /* a Chinese character */
	assert_int_equal(utf8__columns("\xf0\x9f\x90\x98", 4), 2); /* an elephant */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_what_is_hidden),
		cmocka_unit_test(decodes_only_what_is_valid),
		cmocka_unit_test(loses_nothing_and_is_harmless),
		cmocka_unit_test(long_names_stay_whole),
		cmocka_unit_test(several_at_once),
		cmocka_unit_test(what_raw_lost_is_lost),
		cmocka_unit_test(counts_columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
