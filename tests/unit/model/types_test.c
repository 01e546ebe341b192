/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/object.h"
#include "model/types.h"

#define CLASSES 5000

static uint32_t index_of(struct types *types, uint64_t class_)
{
	uint32_t index = UINT32_MAX;

	assert_int_equal(types__index(types, class_, &index), 0);
	return index;
}

static struct text words(const char *text)
{
	return (struct text){ text, strlen(text) };
}

static void assert_name(const struct types *types, uint32_t index, const char *want)
{
	assert_int_equal(types->of.items[index].name.bytes, strlen(want));
	assert_memory_equal(types->of.items[index].name.at, want, strlen(want));
}

static void the_class_that_nobody_knows_is_the_first(void **state)
{
	struct types types = { 0 };

	(void)state;
	assert_int_equal(index_of(&types, 77), 1);
	assert_int_equal(index_of(&types, 0), 0);
	assert_int_equal(index_of(&types, 77), 1);
	assert_int_equal(types.of.count, 2);
	types__free(&types);
}

/* Addresses of class objects have little in their low bits, numbers nothing in their high ones. */
static void an_index_is_a_class_for_good(void **state)
{
	struct types types = { 0 };

	(void)state;
	for (uint64_t i = 1; i < CLASSES; i++)
		assert_int_equal(index_of(&types, i << 12), i);
	for (uint64_t i = 1; i < CLASSES; i++)
		assert_int_equal(index_of(&types, i << 12), i);
	for (uint64_t i = 1; i < CLASSES; i += 2)
		assert_int_equal(index_of(&types, i), CLASSES + i / 2);
	for (uint64_t i = 1; i < CLASSES; i++)
		assert_int_equal(types.of.items[i].class_, i << 12);
	types__free(&types);
}

static void names_are_bytes_of_their_own(void **state)
{
	char name[] = { 'a', 0, '\n' };
	struct types types = { 0 };

	(void)state;
	assert_int_equal(types__define(&types, 5, (struct text){ name, 3 }), 0);
	name[0] = 'z';
	assert_int_equal(types.of.items[1].name.bytes, 3);
	assert_memory_equal(types.of.items[1].name.at, "a\0\n", 3);
	types__free(&types);
}

static void a_later_name_is_the_name(void **state)
{
	struct types types = { 0 };
	const uint32_t index = index_of(&types, 5);
	const char *before;

	(void)state;
	assert_int_equal(types__define(&types, 5, words("Order")), 0);
	before = types.of.items[index].name.at;
	assert_int_equal(types__define(&types, 5, words("Order")), 0);
	assert_ptr_equal(types.of.items[index].name.at, before); /* said in each dump: no news */
	assert_int_equal(types__define(&types, 5, words("Orders")), 0);
	assert_name(&types, index, "Orders");
	assert_int_equal(types__define(&types, 5, words("")), 0);
	assert_name(&types, index, "Orders"); /* nothing said */
	assert_int_equal(index_of(&types, 5), index);
	types__free(&types);
}

static void freed_is_empty(void **state)
{
	struct types types = { 0 };

	(void)state;
	assert_int_equal(types__define(&types, 5, words("Order")), 0);
	types__free(&types);
	types__free(&types);
	assert_int_equal(index_of(&types, 6), 1);
	assert_int_equal(index_of(&types, 5), 2);
	types__free(&types);
}

#ifndef __SANITIZE_ADDRESS__ /* it would have the memory in earnest */
/* As many classes as there are indices, of which no page is touched. */
static void all_further_classes_are_one(void **state)
{
	struct types types = { 0 };

	(void)state;
	assert_int_equal(index_of(&types, 5), 1);
	free(types.of.items);
	types.of.items = calloc(OBJECT_TYPE_MOST, sizeof(*types.of.items));
	assert_non_null(types.of.items);
	types.of.count = types.of.alloc = OBJECT_TYPE_MOST;
	assert_int_equal(index_of(&types, 6), OBJECT_TYPE_MOST);
	assert_int_equal(index_of(&types, 7), OBJECT_TYPE_MOST);
	assert_int_equal(index_of(&types, 5), 1);
	assert_int_equal(types__define(&types, 8, words("Order")), 0);
	assert_int_equal(types.of.count, OBJECT_TYPE_MOST + 1);
	assert_int_equal(types.of.items[OBJECT_TYPE_MOST].class_, EVENT_UNKNOWN);
	assert_name(&types, OBJECT_TYPE_MOST, "");
	vec__free(&types.of);
	types__free(&types);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_class_that_nobody_knows_is_the_first),
		cmocka_unit_test(an_index_is_a_class_for_good),
		cmocka_unit_test(names_are_bytes_of_their_own),
		cmocka_unit_test(a_later_name_is_the_name),
		cmocka_unit_test(freed_is_empty),
#ifndef __SANITIZE_ADDRESS__
		cmocka_unit_test(all_further_classes_are_one),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
