/* SPDX-License-Identifier: BSD-2-Clause */
/* Where a reference stands, by its slot: never a guess. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/dotnet/places.c"

static void a_class_says_offsets(void **state)
{
	const struct type type = { .kind = TYPE_CLASS };

	(void)state;
	assert_int_equal(places__form(&type), GCTRACE_PLACE_OFFSET);
	assert_int_equal(places__of(&type, 8, 40), 8);
	assert_int_equal(places__of(&type, 32, 40), 32);
}

static void what_is_in_no_slot_is_nowhere(void **state)
{
	const struct type type = { .kind = TYPE_CLASS }, array = { .kind = TYPE_REFERENCES,
								   .data = 16, .stride = 8 };

	(void)state;
	assert_int_equal(places__of(&type, 40, 40), PLACE_NOWHERE);
	assert_int_equal(places__of(&type, (uint64_t)-16, 40), PLACE_NOWHERE);
	assert_int_equal(places__of(&array, 8, 40), PLACE_NOWHERE);
}

static void of_a_class_without_room_nothing_is_known(void **state)
{
	(void)state;
	assert_int_equal(places__form(NULL), GCTRACE_PLACE_UNKNOWN);
	assert_int_equal(places__of(NULL, 8, 40), PLACE_NOWHERE);
}

static void an_array_says_elements(void **state)
{
	const struct type flat = { .kind = TYPE_REFERENCES, .data = 16, .stride = 8 };
	const struct type matrix = { .kind = TYPE_REFERENCES, .data = 32, .stride = 8 };
	const struct type strange = { .kind = TYPE_STRANGE, .data = 16 };
	const struct type unknown = { .kind = TYPE_REFERENCES, .stride = 8 };

	(void)state;
	assert_int_equal(places__form(&flat), GCTRACE_PLACE_INDEX);
	assert_int_equal(places__of(&flat, 16, 1000), 0);
	assert_int_equal(places__of(&flat, 16 + 8 * 17, 1000), 17);
	assert_int_equal(places__of(&matrix, 32 + 8 * 6, 1000), 6);
	assert_int_equal(places__form(&strange), GCTRACE_PLACE_UNKNOWN);
	assert_int_equal(places__of(&unknown, 16, 1000), PLACE_NOWHERE);
}

static void an_array_of_structs_says_elements_and_fields(void **state)
{
	const struct type type = { .kind = TYPE_STRUCTS, .data = 16, .stride = 40, .fields = 5 };

	(void)state;
	assert_int_equal(places__form(&type), GCTRACE_PLACE_INDEX);
	assert_int_equal(places__of(&type, 16, 1000), 0 * 5 + 0);
	assert_int_equal(places__of(&type, 16 + 8, 1000), 0 * 5 + 1);
	assert_int_equal(places__of(&type, 16 + 16, 1000), 0 * 5 + 2);
	assert_int_equal(places__of(&type, 16 + 17 * 40 + 24, 1000), 17 * 5 + 3);
}

static void an_element_without_references_has_no_field(void **state)
{
	const struct type type = { .kind = TYPE_STRUCTS, .data = 16, .stride = 16 };

	(void)state;
	assert_int_equal(places__of(&type, 24, 100), PLACE_NOWHERE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_class_says_offsets),
		cmocka_unit_test(what_is_in_no_slot_is_nowhere),
		cmocka_unit_test(of_a_class_without_room_nothing_is_known),
		cmocka_unit_test(an_array_says_elements),
		cmocka_unit_test(an_array_of_structs_says_elements_and_fields),
		cmocka_unit_test(an_element_without_references_has_no_field),
	};

	return cmocka_run_group_tests_name("agents/places", tests, NULL, NULL);
}
