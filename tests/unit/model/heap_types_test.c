/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "model/heap_types.h"

static struct memory memory;
static struct heap_types types;

static int begin(void **state)
{
	(void)state;
	memory = (struct memory){ 0 };
	return heap_types__init(&types, &memory);
}

static int end(void **state)
{
	(void)state;
	heap_types__free(&types);
	assert_int_equal(memory.used, 0);
	return 0;
}

static void define(uint32_t space, uint64_t id, uint64_t a, uint64_t b, const char *name)
{
	struct event event = { .kind = EVENT_DEFINE };

	event.define.space = space;
	event.define.id = id;
	event.define.a = a;
	event.define.b = b;
	event.define.name = (struct text){ name, strlen(name) };
	assert_int_equal(heap_types__define(&types, &event), 0);
}

static void define_class(uint64_t number, const char *name, const char *fields, size_t bytes,
			 uint32_t flags)
{
	struct event event = { .kind = EVENT_CLASS };

	event.class_.class_ = number;
	event.class_.super = 5;
	event.class_.size = 24;
	event.class_.flags = flags;
	event.class_.name = (struct text){ name, strlen(name) };
	event.class_.fields = (struct text){ fields, bytes };
	assert_int_equal(heap_types__class(&types, &event), 0);
}

static void assert_text(struct text text, const char *expected)
{
	assert_int_equal(text.bytes, strlen(expected));
	assert_memory_equal(text.at, expected, text.bytes);
}

static uint32_t find(uint64_t number)
{
	uint32_t index;

	assert_int_equal(heap_types__find(&types, number, &index), 0);
	return index;
}

static void numbers_get_indices(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 5000; i++)
		assert_int_equal(find(i * 77777), i + 1);
	for (uint64_t i = 5000; i-- > 0;)
		assert_int_equal(find(i * 77777), i + 1);
	assert_int_equal(find(UINT64_MAX), 5001);
	assert_int_equal(heap_types__known(&types, 12345), UINT32_MAX);
	assert_int_equal(heap_types__known(&types, 77777), 2);
	assert_false(heap_types__at(&types, 2).defined);
	assert_int_equal(heap_types__at(&types, 2).number, 77777);
}

static void classes_have_what_was_said_last(void **state)
{
	struct heap_type type;

	(void)state;
	define_class(9, "Order", "lines\0next", 11, 0);
	define_class(10, "Line", "", 0, GCTRACE_CLASS_FINALIZABLE);
	define_class(9, "Ordering", "lines\0first", 12, 0);
	define_class(9, "Orders", "lines\0first", 12, 0);
	heap_types__seal(&types);
	type = heap_types__at(&types, heap_types__known(&types, 9));
	assert_true(type.defined);
	assert_int_equal(type.super, 5);
	assert_int_equal(type.size, 24);
	assert_text(type.name, "Orders");
	assert_text(heap_types__at(&types, heap_types__known(&types, 10)).name, "Line");
}

static void assert_field(uint32_t type, unsigned int kind, uint64_t place, const char *name)
{
	assert_text(heap_types__place(&types, type, kind, place).field, name);
}

static void fields_have_names_by_position_and_by_offset(void **state)
{
	uint32_t type, array;

	(void)state;
	define_class(9, "Order", "lines\0next", 11, 0);
	define_class(11, "Order[]", "", 0, GCTRACE_CLASS_ARRAY);
	define(GCTRACE_SPACE_FIELD, 9, 2, 32, "customer");
	define(GCTRACE_SPACE_FIELD, 9, 0, 16, "lines");
	define(GCTRACE_SPACE_FIELD, 9, 1, 24, "later");
	define(GCTRACE_SPACE_FIELD, 9, 1, 24, "next");
	define(GCTRACE_SPACE_FIELD, 11, 1, 24, "never");
	heap_types__seal(&types);
	type = find(9);
	array = find(11);
	assert_field(type, GCTRACE_PLACE_POSITION, 0, "lines");
	assert_field(type, GCTRACE_PLACE_INDEX, 1, "next");
	assert_field(type, GCTRACE_PLACE_POSITION, 2, "customer");
	assert_field(type, GCTRACE_PLACE_POSITION, 3, "");
	assert_field(type, GCTRACE_PLACE_POSITION, EVENT_UNKNOWN, "");
	assert_field(type, GCTRACE_PLACE_OFFSET, 24, "next");
	assert_field(type, GCTRACE_PLACE_OFFSET, EVENT_UNKNOWN, "");
	assert_field(type, GCTRACE_PLACE_UNKNOWN, 0, "");
	assert_field(array, GCTRACE_PLACE_POSITION, 1, "");
}

/* A struct in the object: of the slots in it only its own name is known, and how far behind. */
static void what_is_behind_a_field_s_beginning_is_in_it(void **state)
{
	struct heap_place place;
	uint32_t type;

	(void)state;
	define_class(9, "Order", "", 0, 0);
	define(GCTRACE_SPACE_FIELD, 9, 0, 8, "lines");
	define(GCTRACE_SPACE_FIELD, 9, 1, 32, "pair"); /* not in the order of their offsets */
	define(GCTRACE_SPACE_FIELD, 9, 2, 16, "next");
	define(GCTRACE_SPACE_FIELD, 9, 3, UINT64_MAX, "nowhere");
	heap_types__seal(&types);
	type = find(9);
	place = heap_types__place(&types, type, GCTRACE_PLACE_OFFSET, 48);
	assert_text(place.field, "pair");
	assert_int_equal(place.beyond, 16);
	place = heap_types__place(&types, type, GCTRACE_PLACE_OFFSET, 16);
	assert_text(place.field, "next");
	assert_int_equal(place.beyond, 0);
	assert_int_equal(place.element, EVENT_UNKNOWN);
	place = heap_types__place(&types, type, GCTRACE_PLACE_OFFSET, 0);
	assert_text(place.field, "");
	assert_int_equal(place.beyond, 0);
}

static void elements_that_are_structs_have_fields(void **state)
{
	struct heap_place place;
	uint32_t type, plain;

	(void)state;
	define_class(11, "Entry[]", "", 0, GCTRACE_CLASS_ARRAY);
	define(GCTRACE_SPACE_FIELD, 11, 0, 0, "key");
	define(GCTRACE_SPACE_FIELD, 11, 1, 8, "value");
	define_class(12, "Order[]", "", 0, GCTRACE_CLASS_ARRAY);
	heap_types__seal(&types);
	type = find(11);
	plain = find(12);
	place = heap_types__place(&types, type, GCTRACE_PLACE_INDEX, 35);
	assert_int_equal(place.element, 17);
	assert_text(place.field, "value");
	place = heap_types__place(&types, type, GCTRACE_PLACE_POSITION, 35);
	assert_int_equal(place.element, 35);
	assert_text(place.field, "");
	place = heap_types__place(&types, plain, GCTRACE_PLACE_INDEX, 35);
	assert_int_equal(place.element, 35);
	assert_text(place.field, "");
	place = heap_types__place(&types, type, GCTRACE_PLACE_UNKNOWN, 35);
	assert_int_equal(place.element, EVENT_UNKNOWN);
}

static void numbers_have_names(void **state)
{
	(void)state;
	define(GCTRACE_SPACE_THREAD, 3, 4711, 0, "main");
	define(GCTRACE_SPACE_METHOD, 3, 9, 0, "run");
	define(GCTRACE_SPACE_STATIC, 9, 0, 0, "instance");
	define(GCTRACE_SPACE_STATIC, 9, 1, 0, "other");
	define(GCTRACE_SPACE_THREAD, 3, 4712, 0, "renamed");
	heap_types__seal(&types);
	assert_text(heap_types__name(&types, GCTRACE_SPACE_THREAD, 3, 0), "renamed");
	assert_text(heap_types__name(&types, GCTRACE_SPACE_METHOD, 3, 0), "run");
	assert_text(heap_types__name(&types, GCTRACE_SPACE_STATIC, 9, 0), "instance");
	assert_text(heap_types__name(&types, GCTRACE_SPACE_STATIC, 9, 1), "other");
	assert_text(heap_types__name(&types, GCTRACE_SPACE_STATIC, 9, 2), "");
	assert_text(heap_types__name(&types, GCTRACE_SPACE_STACK, 3, 0), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(numbers_get_indices, begin, end),
		cmocka_unit_test_setup_teardown(classes_have_what_was_said_last, begin, end),
		cmocka_unit_test_setup_teardown(fields_have_names_by_position_and_by_offset, begin,
						end),
		cmocka_unit_test_setup_teardown(what_is_behind_a_field_s_beginning_is_in_it, begin,
						end),
		cmocka_unit_test_setup_teardown(elements_that_are_structs_have_fields, begin,
						end),
		cmocka_unit_test_setup_teardown(numbers_have_names, begin, end),
	};

	return cmocka_run_group_tests_name("model/heap_types", tests, NULL, NULL);
}
