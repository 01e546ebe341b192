/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/vec.h"
#include "unit/random.h"

static void empty_is_a_string(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	assert_string_equal(buf__str(&buf), "");
	buf__truncate(&buf, 0);
	buf__drop_front(&buf, 5);
	buf__reset(&buf);
	buf__free(&buf);
	buf__free(&buf);
}

static void keeps_any_bytes(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	buf__add(&buf, "a\0b", 3);
	buf__add_char(&buf, '\0');
	assert_int_equal(buf.len, 4);
	assert_memory_equal(buf.data, "a\0b\0", 5);
	buf__free(&buf);
}

/* Against a plain model: a large array and a length. */
static void agrees_with_a_model(void **state)
{
	static char model[1 << 20];
	struct buf buf = BUF_INIT;
	size_t len = 0;

	(void)state;
	srandom(7);
	for (int i = 0; i < 20000; i++) {
		size_t n = (size_t)random() % 40;

		switch (random() % 6) {
		case 0:
			buf__add_repeated(&buf, (char)('a' + i % 26), n);
			memset(model + len, 'a' + i % 26, n);
			len += n;
			break;
		case 1:
			buf__printf(&buf, "<%d>", i);
			len += (size_t)sprintf(model + len, "<%d>", i);
			break;
		case 2:
			buf__truncate(&buf, n);
			len = n < len ? n : len;
			break;
		case 3:
			buf__drop_front(&buf, n);
			n = n < len ? n : len;
			memmove(model, model + n, len - n);
			len -= n;
			break;
		default:
			buf__add_char(&buf, (char)i);
			model[len++] = (char)i;
		}
		assert_int_equal(buf.len, len);
		assert_memory_equal(buf__str(&buf), model, len);
		assert_int_equal(buf__str(&buf)[len], 0);
		assert_true(!buf.data || buf.len < buf.alloc);
	}
	buf__free(&buf);
}

static void error_is_sticky(void **state)
{
	struct buf buf = BUF_INIT;

	(void)state;
	buf__add_str(&buf, "kept");
	assert_int_equal(buf__reserve(&buf, SIZE_MAX - 2), -ENOMEM);
	buf__add_str(&buf, " lost");
	buf__printf(&buf, "%d", 1);
	assert_int_equal(buf.error, -ENOMEM);
	assert_string_equal(buf__str(&buf), "kept");
	assert_null(buf__detach(&buf, NULL));
	buf__reset(&buf);
	assert_int_equal(buf.error, 0);
	buf__add_str(&buf, "again");
	assert_string_equal(buf__str(&buf), "again");
	buf__free(&buf);
}

static void detach_hands_over(void **state)
{
	struct buf buf = BUF_INIT;
	size_t len = 99;
	char *bytes;

	(void)state;
	bytes = buf__detach(&buf, &len);
	assert_string_equal(bytes, "");
	assert_int_equal(len, 0);
	free(bytes);
	buf__add_str(&buf, "text");
	bytes = buf__detach(&buf, &len);
	assert_string_equal(bytes, "text");
	assert_int_equal(len, 4);
	assert_null(buf.data);
	free(bytes);
}

static void printf_is_whole(void **state)
{
	struct buf buf = BUF_INIT;
	char *text = malloc(100001);

	(void)state;
	memset(text, 'x', 100000);
	text[100000] = '\0';
	buf__printf(&buf, "%s|%s", text, text);
	assert_int_equal(buf.len, 200001);
	assert_int_equal(buf.data[100000], '|');
	free(text);
	buf__free(&buf);
}

struct pair {
	int a, b;
};

static int descending(const void *a, const void *b)
{
	return *(const int *)b - *(const int *)a;
}

static void vec_grows(void **state)
{
	VEC(int) numbers = VEC_INIT;
	VEC(struct pair) pairs = VEC_INIT;

	(void)state;
	vec__sort(&numbers, descending);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(vec__push(&numbers, i), 0);
	assert_int_equal(numbers.count, 1000);
	assert_int_equal(numbers.items[999], 999);
	vec__sort(&numbers, descending);
	assert_int_equal(numbers.items[0], 999);
	vec__reset(&numbers);
	assert_int_equal(numbers.count, 0);
	vec__free(&numbers);
	vec__free(&numbers);
	assert_int_equal(vec__push(&pairs, (struct pair){ 1, 2 }), 0);
	assert_int_equal(pairs.items[0].b, 2);
	assert_int_equal(vec__reserve(&pairs, SIZE_MAX / 4), -ENOMEM);
	assert_int_equal(vec__reserve(&pairs, SIZE_MAX), -ENOMEM);
	assert_int_equal(pairs.items[0].a, 1);
	vec__free(&pairs);
}

static void flush_writes_all_or_tells(void **state)
{
	struct buf buf = BUF_INIT;
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	FILE *closed = fopen("/dev/null", "r");

	(void)state;
	assert_int_equal(buf__flush(&buf, out), 0);
	buf__add(&buf, "a\0b", 3);
	assert_int_equal(buf__flush(&buf, out), 0);
	assert_int_equal(buf.len, 0);
	buf__add_char(&buf, 'c');
	assert_int_equal(buf__flush(&buf, closed), -EIO);
	assert_int_equal(buf__flush(&buf, out), 0);
	buf.error = -ENOMEM;
	assert_int_equal(buf__flush(&buf, out), -ENOMEM);
	buf__free(&buf);
	fclose(closed);
	fclose(out);
	assert_int_equal(len, 4);
	assert_memory_equal(text, "a\0bc", 4);
	free(text);
}

/* Whatever room is left, and whatever is printed into it. */
static void printf_fits_any_room(void **state)
{
	char text[200];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (int before = 0; before < 140; before++) {
		for (int len = 0; len < (int)sizeof(text); len++) {
			struct buf buf = BUF_INIT;

			buf__add_repeated(&buf, 'b', (size_t)before);
			buf__printf(&buf, "%.*s", len, text);
			assert_int_equal(buf.error, 0);
			assert_int_equal(buf.len, before + len);
			assert_true(buf.alloc > buf.len);
			assert_int_equal(buf__str(&buf)[buf.len], 0);
			assert_memory_equal(buf__str(&buf) + before, text, (size_t)len);
			buf__free(&buf);
		}
	}
}

static void numbers_are_as_printf_has_them(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (unsigned int i = 0; i < 20000; i++) {
		const uint64_t value = i < 100 ? i : i == 100 ? UINT64_MAX :
				       random__next(&seed) >> random__below(&seed, 64);
		struct buf ours = BUF_INIT, theirs = BUF_INIT;

		buf__add_u64(&ours, value);
		buf__add_char(&ours, ' ');
		buf__add_hex(&ours, value);
		buf__printf(&theirs, "%" PRIu64 " %" PRIx64, value, value);
		assert_string_equal(buf__str(&ours), buf__str(&theirs));
		buf__free(&ours);
		buf__free(&theirs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty_is_a_string),
		cmocka_unit_test(keeps_any_bytes),
		cmocka_unit_test(agrees_with_a_model),
		cmocka_unit_test(error_is_sticky),
		cmocka_unit_test(detach_hands_over),
		cmocka_unit_test(printf_is_whole),
		cmocka_unit_test(printf_fits_any_room),
		cmocka_unit_test(numbers_are_as_printf_has_them),
		cmocka_unit_test(flush_writes_all_or_tells),
		cmocka_unit_test(vec_grows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
