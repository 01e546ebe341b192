/* SPDX-License-Identifier: BSD-2-Clause */
/* Sums of who survives and who does not, by type, by generation, by age. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/survival.h"

#define SLOT 1

static struct object an_object(uint32_t type, uint32_t size, uint32_t age, bool born,
			       enum object_state state)
{
	struct object object = { .type = type, .size = size, .age = (uint16_t)age,
				 .flags = born ? OBJECT_BORN : 0 };

	object__set_state(&object, SLOT, state);
	return object;
}

static struct survival_run survive(struct survival *survival, const struct object *objects,
				   uint32_t count, bool moved, uint64_t from, uint64_t to)
{
	const struct objects table = { 0 };
	const struct survivors survivors = { objects, count, SLOT, moved, from, to };

	return survival__survived(survival, &table, &survivors);
}

static const struct survival_generation *of(const struct survival *survival, uint64_t generation)
{
	for (size_t i = 0; i < survival->generations.count; i++)
		if (survival->generations.items[i].generation == generation)
			return &survival->generations.items[i];
	return NULL;
}

static void assert_sum(struct survival_sum sum, uint64_t objects, uint64_t bytes)
{
	assert_int_equal(sum.objects, objects);
	assert_int_equal(sum.bytes, bytes);
}

static void a_life_adds_up(void **state)
{
	struct survival survival = { 0 };
	struct object one = an_object(2, 24, 0, true, OBJECT_CONDEMNED);

	(void)state;
	survival__came(&survival, &one, 24);
	assert_int_equal(survival__alive(&survival.types.items[2]), 1);
	assert_sum(survive(&survival, &one, 1, true, 0, 0).aged, 1, 24);
	one.age = 1;
	assert_true(survive(&survival, &one, 1, true, 0, 1).promoted);
	one.age = 2;
	survival__left(&survival, &one, 24, 1, OBJECT_DEAD);
	assert_int_equal(survival__alive(&survival.types.items[2]), 0);
	assert_sum(survival.types.items[2].moved, 2, 48);
	assert_sum(survival.types.items[2].promoted, 1, 24);
	assert_sum(of(&survival, 0)->moved, 2, 48);
	assert_sum(of(&survival, 0)->promoted, 1, 24);
	assert_sum(of(&survival, 1)->died, 1, 24);
	assert_int_equal(survival.all.born, 1);
	assert_int_equal(survival.all.survived[0], 1);
	assert_int_equal(survival.all.survived[1], 1);
	assert_int_equal(survival.all.died[2], 1);
	assert_int_equal(survival.all.died[0] + survival.all.died[1], 0);
	survival__free(&survival);
}

/* An age that is only a lower bound is in no curve. */
static void curves_are_of_observed_births(void **state)
{
	struct survival survival = { 0 };
	const struct object seen = an_object(1, 8, 3, false, OBJECT_CONDEMNED);

	(void)state;
	survival__came(&survival, &seen, 8);
	assert_sum(survive(&survival, &seen, 1, true, 0, 0).aged, 1, 8);
	survival__left(&survival, &seen, 8, 0, OBJECT_DEAD);
	assert_int_equal(survival.all.born, 0);
	for (unsigned int i = 0; i < SURVIVAL_AGES; i++)
		assert_int_equal(survival.all.survived[i] + survival.all.died[i], 0);
	assert_null(survival.types.items[1].curve);
	assert_sum(survival.types.items[1].died, 1, 8);
	survival__free(&survival);
}

static void only_what_was_condemned_ages(void **state)
{
	const struct object objects[] = {
		an_object(1, 1, 0, true, OBJECT_CONDEMNED),
		an_object(1, 2, 0, true, OBJECT_PERHAPS),
		an_object(1, 4, 0, true, OBJECT_COVERED), /* aged when a range had it first */
		an_object(1, 8, 0, true, OBJECT_UNTOUCHED),
	};
	struct survival survival = { 0 };
	struct survival_run run;

	(void)state;
	run = survive(&survival, objects, 4, false, 2, 2);
	assert_sum(run.all, 4, 15);
	assert_sum(run.aged, 2, 3);
	assert_int_equal(survival.all.survived[0], 2);
	assert_sum(of(&survival, 2)->stayed, 4, 15);
	assert_sum(of(&survival, 2)->moved, 0, 0);
	assert_sum(survival.types.items[1].moved, 0, 0);
	survival__free(&survival);
}

static void promotion_needs_two_known_generations(void **state)
{
	const struct object one = an_object(0, 8, 0, false, OBJECT_CONDEMNED);
	struct survival survival = { 0 };

	(void)state;
	assert_false(survive(&survival, &one, 1, true, GENERATION_UNKNOWN, 1).promoted);
	assert_false(survive(&survival, &one, 1, true, 0, GENERATION_UNKNOWN).promoted);
	assert_false(survive(&survival, &one, 1, true, 1, 1).promoted);
	assert_false(survive(&survival, &one, 1, true, 1, 0).promoted);
	assert_true(survive(&survival, &one, 1, true, 0, 2).promoted);
	assert_sum(survival.types.items[0].promoted, 1, 8);
	survival__free(&survival);
}

static void other_ends_are_no_deaths(void **state)
{
	const struct object one = an_object(0, 8, 0, true, OBJECT_UNTOUCHED);
	struct survival survival = { 0 };

	(void)state;
	for (unsigned int i = 0; i < 4; i++)
		survival__came(&survival, &one, 8);
	survival__left(&survival, &one, 8, 0, OBJECT_GONE);
	survival__left(&survival, &one, 8, 0, OBJECT_WITHDRAWN);
	survival__left(&survival, &one, 8, 0, OBJECT_CONFLICT);
	assert_int_equal(survival__alive(&survival.types.items[0]), 1);
	assert_sum(survival.types.items[0].died, 0, 0);
	assert_sum(survival.types.items[0].gone, 1, 8);
	assert_sum(survival.types.items[0].withdrawn, 1, 8);
	assert_sum(survival.types.items[0].conflicts, 1, 8);
	assert_int_equal(survival.all.died[0], 0);
	assert_null(of(&survival, 0));
	survival__free(&survival);
}

static void great_ages_stand_in_the_last_place(void **state)
{
	const uint32_t ages[] = { SURVIVAL_AGES - 2, SURVIVAL_AGES - 1, SURVIVAL_AGES, 60000 };
	struct survival survival = { 0 };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		const struct object one = an_object(0, 8, ages[i], true, OBJECT_CONDEMNED);

		survive(&survival, &one, 1, true, 0, 0);
		survival__left(&survival, &one, 8, 0, OBJECT_DEAD);
	}
	assert_int_equal(survival.all.survived[SURVIVAL_AGES - 2], 1);
	assert_int_equal(survival.all.survived[SURVIVAL_AGES - 1], 3);
	assert_int_equal(survival.all.died[SURVIVAL_AGES - 1], 3);
	survival__free(&survival);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_life_adds_up),
		cmocka_unit_test(curves_are_of_observed_births),
		cmocka_unit_test(only_what_was_condemned_ages),
		cmocka_unit_test(promotion_needs_two_known_generations),
		cmocka_unit_test(other_ends_are_no_deaths),
		cmocka_unit_test(great_ages_stand_in_the_last_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
