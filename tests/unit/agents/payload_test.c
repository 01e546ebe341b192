/* SPDX-License-Identifier: BSD-2-Clause */
/* EventPipe's payloads, by bytes as a runtime writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/dotnet/payload.c"

static void test_numbers(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct payload payload = payload__of(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(payload__u8(&payload), 1);
	assert_int_equal(payload__u16(&payload), 0x0302);
	assert_int_equal(payload__u32(&payload), 0x07060504);
	assert_int_equal(payload__u64(&payload), 0x0f0e0d0c0b0a0908);
	assert_int_equal(payload__left(&payload), 0);
	assert_false(payload.bad);
}

static void test_beyond_the_end(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3 };
	struct payload payload = payload__of(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(payload__u32(&payload), 0);
	assert_true(payload.bad);
	assert_int_equal(payload__u8(&payload), 0); /* not what stood in front of it */
	payload = payload__of(bytes, sizeof(bytes));
	assert_null(payload__take(&payload, SIZE_MAX));
	assert_true(payload.bad);
}

static void test_texts(void **state)
{
	static const uint8_t bytes[] = { 'a', 0, 'b', 0, 0, 0, 7, 0, 0, 'c', 0, 'd' };
	struct payload payload = payload__of(bytes, sizeof(bytes));
	struct utf16 text = payload__utf16(&payload);

	(void)state;
	assert_int_equal(text.units, 2);
	assert_int_equal(payload__u8(&payload), 7);
	text = payload__utf16(&payload); /* an empty one, at an odd place */
	assert_int_equal(text.units, 0);
	assert_false(payload.bad);
	text = payload__utf16(&payload); /* without an end */
	assert_int_equal(text.units, 0);
	assert_true(payload.bad);
	assert_int_equal(payload__left(&payload), 0);
}

static void expect(const uint16_t *from, size_t room, const char *to)
{
	char bytes[64];
	const size_t count = utf16__to_utf8(utf16__of(from), bytes, room);

	assert_int_equal(count, strlen(to));
	assert_memory_equal(bytes, to, count);
}

static void test_utf8(void **state)
{
	static const uint16_t lone_high[] = { 'x', 0xd83d, 'y', 0 };
	static const uint16_t lone_low[] = { 0xde00, 0 }, last[] = { 0xd83d, 0 };

	(void)state;
	expect(u"Node", 64, "Node");
	expect(u"", 64, "");
	expect(u"Größe €", 64, "Größe €");
	expect(u"\U0001F600!", 64, "\xf0\x9f\x98\x80!");
	expect(lone_high, 64, "x\xef\xbf\xbdy");
	expect(lone_low, 64, "\xef\xbf\xbd");
	expect(last, 64, "\xef\xbf\xbd");
}

static void test_utf8_needs_room(void **state)
{
	(void)state;
	expect(u"abc", 2, "ab");
	expect(u"a€b", 3, "a"); /* whole characters, and nothing behind one that does not fit */
	expect(u"a€b", 4, "a€");
	expect(u"a", 0, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_beyond_the_end),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_utf8_needs_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
