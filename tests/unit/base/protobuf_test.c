/* SPDX-License-Identifier: BSD-2-Clause */
/* Protocol buffers' wire format, by the examples of its description. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <errno.h>

#include <cmocka.h>

#include "base/protobuf.h"

static void expect(struct buf *buf, const void *bytes, size_t len)
{
	assert_int_equal(buf->error, 0);
	assert_int_equal(buf->len, len);
	assert_memory_equal(buf__str(buf), bytes, len);
	buf__free(buf);
}

static void test_numbers(void **state)
{
	struct buf out = BUF_INIT;

	(void)state;
	protobuf__varint(&out, 0);
	protobuf__varint(&out, 127);
	protobuf__varint(&out, 128);
	protobuf__varint(&out, 150);
	protobuf__varint(&out, UINT64_MAX);
	expect(&out, "\x00\x7f\x80\x01\x96\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 16);
}

static void test_fields(void **state)
{
	struct buf out = BUF_INIT;

	(void)state;
	protobuf__u64(&out, 1, 150);
	protobuf__str(&out, 2, "testing");
	protobuf__bytes(&out, 16, "a\0b", 3);
	expect(&out, "\x08\x96\x01\x12\x07testing\x82\x01\x03"
		     "a\0b", 3 + 9 + 6);
}

static void test_messages(void **state)
{
	struct buf out = BUF_INIT, inner = BUF_INIT;

	(void)state;
	protobuf__u64(&inner, 1, 150);
	protobuf__message(&out, 3, &inner);
	assert_int_equal(inner.len, 0);
	protobuf__varint(&inner, 3);
	protobuf__varint(&inner, 270);
	protobuf__varint(&inner, 86942);
	protobuf__message(&out, 4, &inner);
	protobuf__message(&out, 5, &inner);
	buf__free(&inner);
	expect(&out, "\x1a\x03\x08\x96\x01\x22\x06\x03\x8e\x02\x9e\xa7\x05\x2a\x00", 15);
}

/* A message that lacks something makes the whole lack something. */
static void test_error(void **state)
{
	struct buf out = BUF_INIT, inner = BUF_INIT;

	(void)state;
	inner.error = -ENOMEM;
	protobuf__message(&out, 1, &inner);
	assert_int_equal(out.error, -ENOMEM);
	buf__free(&inner);
	buf__free(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
