/* SPDX-License-Identifier: BSD-2-Clause */
/* Code objects and texts as CPython 3.12 has them, in our own memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/cpython_code.h"
#include "target/remote.h"

struct text {
	uint64_t head[2], length, hash;
	uint32_t state, unused;
	unsigned char bytes[80];
};

struct code {
	uint64_t count, type, size; /* instructions */
	unsigned char more[44];
	uint32_t line;
	unsigned char more_yet[40];
	const struct text *file, *name, *qualified;
	unsigned char rest[56];
	unsigned char start[64];
};

_Static_assert(offsetof(struct code, line) == 68, "as in 3.12");
_Static_assert(offsetof(struct code, file) == 112, "as in 3.12");
_Static_assert(offsetof(struct code, start) == 192, "as in 3.12");

#define TYPE 0x7777
#define COMPACT (1u << 5)
#define ASCII (1u << 6)

static struct cpython_codes *make(struct remote *memory)
{
	const unsigned char nothing[CPYTHON_PUBLISHED] = { 0 };
	struct cpython_layout layout;
	struct cpython_codes *codes;

	remote__init(memory, getpid());
	assert_int_equal(cpython_layout__find("3.12.1", nothing, &layout, NULL), 0);
	codes = cpython_codes__new(&layout, TYPE, memory);
	assert_non_null(codes);
	return codes;
}

static struct text ascii(const char *text)
{
	struct text made = { .length = strlen(text), .state = 1u << 2 | COMPACT | ASCII };

	memcpy((char *)&made + 40, text, strlen(text));
	return made;
}

static struct text wide(const void *characters, size_t count, unsigned int width)
{
	struct text made = { .length = count, .state = width << 2 | COMPACT };

	memcpy((char *)&made + 56, characters, count * width);
	return made;
}

static const char *name_of(struct cpython_codes *codes, const struct text *name,
			   const struct text *file)
{
	struct code code = { .type = TYPE, .size = 10, .line = 12, .file = file,
			     .qualified = name };
	struct cpython_code found;

	assert_int_equal(cpython_codes__find(codes, (uintptr_t)&code, &found), 0);
	assert_int_equal(found.start, (uintptr_t)code.start);
	assert_int_equal(found.size, 20);
	return cpython_codes__name(codes, found.number);
}

static void names_are_whole_in_any_width(void **state)
{
	static const uint16_t two[] = { 'a', 0x3b1, 0xd800, 0 };
	static const uint32_t four[] = { 0x1f600, 0x110000, 'z' };
	static const uint8_t one[] = { 'g', 0xe9, 'n' };
	const struct text file = ascii("/app/main.py"), plain = ascii("Class.method"),
			  latin = wide(one, 3, 1), greek = wide(two, 4, 2),
			  face = wide(four, 3, 4);
	struct remote memory;
	struct cpython_codes *codes = make(&memory);

	(void)state;
	assert_string_equal(name_of(codes, &plain, &file), "Class.method (/app/main.py:12)");
	assert_string_equal(name_of(codes, &latin, &file), "g\xc3\xa9n (/app/main.py:12)");
	assert_string_equal(name_of(codes, &greek, &file),
			    "a\xce\xb1\xef\xbf\xbd\xef\xbf\xbd (/app/main.py:12)");
	assert_string_equal(name_of(codes, &face, &file),
			    "\xf0\x9f\x98\x80\xef\xbf\xbdz (/app/main.py:12)");
	cpython_codes__free(codes);
	cpython_codes__free(NULL);
}

static void what_is_no_name_is_none(void **state)
{
	const struct text file = ascii("f");
	struct text name = ascii("name");
	struct remote memory;
	struct cpython_codes *codes = make(&memory);

	(void)state;
	name.state &= ~COMPACT;
	assert_null(name_of(codes, &name, &file));
	name = ascii("name");
	name.length = UINT64_MAX;
	assert_null(name_of(codes, &name, &file));
	name.length = 0;
	assert_null(name_of(codes, &name, &file));
	name = ascii("name");
	name.state = 3u << 2 | COMPACT | ASCII;
	assert_null(name_of(codes, &name, &file));
	assert_null(name_of(codes, (const struct text *)8, &file));
	cpython_codes__free(codes);
}

static void what_is_no_code_is_refused(void **state)
{
	struct code code = { .type = TYPE + 1, .size = 10 };
	struct remote memory;
	struct cpython_codes *codes = make(&memory);
	struct cpython_code found;

	(void)state;
	assert_int_equal(cpython_codes__find(codes, (uintptr_t)&code, &found), -ENOENT);
	assert_int_equal(cpython_codes__find(codes, 8, &found), -ENOENT);
	assert_int_equal(cpython_codes__find(codes, UINT64_MAX - 8, &found), -ENOENT);
	code.type = TYPE;
	code.size = UINT64_MAX;
	assert_int_equal(cpython_codes__find(codes, (uintptr_t)&code, &found), -ENOENT);
	cpython_codes__free(codes);
}

/* Another code object at the same address is named anew. */
static void an_address_is_used_again(void **state)
{
	const struct text file = ascii("f"), first = ascii("first"), second = ascii("second");
	struct code code = { .type = TYPE, .size = 1, .line = 1, .file = &file,
			     .qualified = &first };
	struct remote memory;
	struct cpython_codes *codes = make(&memory);
	struct cpython_code one, other, again;

	(void)state;
	assert_int_equal(cpython_codes__find(codes, (uintptr_t)&code, &one), 0);
	code.qualified = &second;
	assert_int_equal(cpython_codes__find(codes, (uintptr_t)&code, &other), 0);
	code.qualified = &first;
	assert_int_equal(cpython_codes__find(codes, (uintptr_t)&code, &again), 0);
	assert_int_not_equal(one.number, other.number);
	assert_int_equal(one.number, again.number);
	assert_string_equal(cpython_codes__name(codes, other.number), "second (f:1)");
	cpython_codes__free(codes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_whole_in_any_width),
		cmocka_unit_test(what_is_no_name_is_none),
		cmocka_unit_test(what_is_no_code_is_refused),
		cmocka_unit_test(an_address_is_used_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
