/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "target/cpython_layout.h"

/* As CPython 3.13.0 publishes it on x86-64. */
static const uint64_t published_3_13[CPYTHON_PUBLISHED / 8] = {
	0, 0x030d00f0, 0, 283320, 608, 632, 194968, 7272, 7264, 7344, 7400, 7656, 7640, 7648, 16,
	7752, 0, 7768, 7760, 304, 0, 8, 16, 72, 152, 160, 232, 32, 80, 8, 0, 56, 72, 70, 208, 112,
	120, 128, 136, 68, 52, 96, 104, 200, 16, 8, 416, 24, 88, 168, 24, 24, 16, 40, 24, 16, 48,
	32, 40, 24, 16, 32, 16, 24, 40, 16, 32, 64, 32, 16, 40, 248, 200,
};

static void make(unsigned char *bytes)
{
	memcpy(bytes, published_3_13, CPYTHON_PUBLISHED);
	memcpy(bytes, "xdebugpy", 8);
}

static void published_offsets_are_taken(void **state)
{
	unsigned char bytes[CPYTHON_PUBLISHED];
	struct cpython_layout layout;

	(void)state;
	make(bytes);
	assert_int_equal(cpython_layout__find("3.13.0", bytes, &layout, NULL), 0);
	assert_int_equal(layout.interpreters, 632);
	assert_int_equal(layout.interpreter_next, 7264);
	assert_int_equal(layout.threads, 7344);
	assert_int_equal(layout.collecting, 7600);
	assert_int_equal(layout.lock_pointer, 16);
	assert_int_equal(layout.lock_holder, 8);
	assert_int_equal(layout.lock_is_held, 16);
	assert_int_equal(layout.thread_id, 160);
	assert_int_equal(layout.c_frame, CPYTHON_NONE);
	assert_int_equal(layout.current_frame, 72);
	assert_int_equal(layout.frame_at, 56);
	assert_int_equal(layout.code_name, 128);
	assert_int_equal(layout.code_start, 200);
	assert_int_equal(layout.text_ascii, 40);
	assert_int_equal(layout.text_wide, 56);
}

static void what_makes_no_sense_is_refused(void **state)
{
	unsigned char bytes[CPYTHON_PUBLISHED];
	struct cpython_layout layout;
	struct buf why = BUF_INIT;

	(void)state;
	make(bytes);
	bytes[0]++;
	assert_int_equal(cpython_layout__find("3.13.0", bytes, &layout, &why), -ENOTSUP);
	assert_string_equal(buf__str(&why), "the interpreter does not publish the debug offsets of"
					    " CPython 3.13.0");
	make(bytes);
	bytes[16] = 1; /* free-threaded */
	assert_int_equal(cpython_layout__find("3.13.0", bytes, &layout, NULL), -ENOTSUP);
	for (size_t i = 5; i <= 43; i++) { /* each one that is used, far away */
		make(bytes);
		memset(bytes + i * 8, 0xff, 8);
		if (cpython_layout__find("3.13.0", bytes, &layout, NULL))
			continue;
		assert_true(layout.code_start <= CPYTHON_CODE_BYTES);
		assert_true(layout.code_name + 8 <= layout.code_start);
		assert_true(layout.frame_owner + 8 <= CPYTHON_FRAME_BYTES);
		assert_true(layout.thread_id + 8 <= CPYTHON_THREAD_BYTES);
	}
	buf__free(&why);
}

static void versions_are_known_or_refused(void **state)
{
	static const char *const unknown[] = { "3.10.13", "3.14.0", "2.7.18", "4.11", "", "3",
					       "3.", "x" };
	unsigned char bytes[CPYTHON_PUBLISHED] = { 0 };
	struct cpython_layout layout;

	(void)state;
	assert_int_equal(cpython_layout__find("3.11.2", bytes, &layout, NULL), 0);
	assert_int_equal(layout.lock_pointer, CPYTHON_NONE);
	assert_int_equal(cpython_layout__find("3.12.11", bytes, &layout, NULL), 0);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_int_equal(cpython_layout__find(unknown[i], bytes, &layout, NULL), -ENOTSUP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_offsets_are_taken),
		cmocka_unit_test(what_makes_no_sense_is_refused),
		cmocka_unit_test(versions_are_known_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
