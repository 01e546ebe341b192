/* SPDX-License-Identifier: BSD-2-Clause */
/* Leaks by identity, from dumps made by hand; and who lives, by age. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/leak_watch.h"
#include "model/population.h"

#define SIZE 100
#define TYPE 7

struct heap {
	struct leak_watch watch;
	uint64_t dump, ids;
};

static void begin(struct heap *heap, uint64_t ids)
{
	heap->ids = ids;
	heap->dump++;
	leak_watch__begin(&heap->watch, heap->dump, heap->dump * 1000, ids);
}

/* Objects with the ids first..last live, all of this age. */
static void live(struct heap *heap, uint32_t type, uint64_t first, uint64_t last, uint16_t age)
{
	for (uint64_t id = first; id <= last; id++) {
		const struct object object = { .id_low = (uint32_t)id, .type = type, .age = age };

		assert_int_equal(leak_watch__object(&heap->watch, &object, SIZE), 0);
	}
}

static void end(struct heap *heap)
{
	leak_watch__end(&heap->watch);
}

static void dump(struct heap *heap, uint64_t first, uint64_t last, uint64_t ids, uint16_t age)
{
	begin(heap, ids);
	live(heap, TYPE, first, last, age);
	end(heap);
}

static size_t find(struct heap *heap, struct leak *leak)
{
	struct leaks leaks = VEC_INIT;
	size_t count;

	assert_int_equal(leak_watch__find(&heap->watch, &leaks), 0);
	count = leaks.count;
	if (count)
		*leak = leaks.items[0];
	vec__free(&leaks);
	return count;
}

static void what_only_grows(void **state)
{
	struct heap heap = { .dump = 0 };
	struct leak leak;

	(void)state;
	dump(&heap, 1, 100, 100, 0);
	assert_int_equal(find(&heap, &leak), 0);
	dump(&heap, 1, 200, 200, 3);
	assert_int_equal(find(&heap, &leak), 0);
	dump(&heap, 1, 320, 320, 6);
	assert_int_equal(find(&heap, &leak), 1);
	assert_int_equal(leak.type, TYPE);
	assert_int_equal(leak.anchors, 3);
	assert_int_equal(leak.first, 1);
	assert_int_equal(leak.base, 2);
	assert_int_equal(leak.span_ns, 1000);
	/* Kept: 100 at the second one, 200 at the third one. */
	assert_int_equal(leak.objects, 100);
	assert_int_equal(leak.bytes, 100 * SIZE);
	assert_int_equal(leak.cohort, 100);
	assert_int_equal(leak.cohort_alive, 100);
	assert_int_equal(leak.oldest[0].id, 1);
	assert_int_equal(leak.oldest[2].id, 3);
	leak_watch__free(&heap.watch);
}

/* As many at each dump, but others; and as many more, but all of them new. */
static void churn_is_no_leak(void **state)
{
	struct heap heap = { .dump = 0 };
	struct leak leak;

	(void)state;
	dump(&heap, 1, 100, 100, 0);
	dump(&heap, 101, 250, 250, 1);
	dump(&heap, 251, 500, 500, 1);
	dump(&heap, 501, 900, 900, 1);
	assert_int_equal(find(&heap, &leak), 0);
	leak_watch__free(&heap.watch);
}

/* Half of each dump is garbage; what is kept grows all the same. */
static void garbage_hides_nothing(void **state)
{
	struct heap heap = { .dump = 0 };
	struct leak leak;

	(void)state;
	dump(&heap, 1, 1000, 1000, 0); /* 1..500 are not garbage */
	begin(&heap, 2000);
	live(&heap, TYPE, 1, 500, 2);
	live(&heap, TYPE, 1001, 2000, 0); /* 1001..1100 are not */
	end(&heap);
	begin(&heap, 3000);
	live(&heap, TYPE, 1, 500, 4);
	live(&heap, TYPE, 1001, 1100, 2);
	live(&heap, TYPE, 2001, 2100, 0); /* fewer in all than before */
	end(&heap);
	assert_int_equal(find(&heap, &leak), 1);
	assert_int_equal(leak.objects, 100);
	assert_int_equal(leak.cohort, 500);
	leak_watch__free(&heap.watch);
}

/* Where nobody collects, not to die proves nothing. */
static void who_was_not_condemned_proves_nothing(void **state)
{
	struct heap heap = { .dump = 0 };
	struct leak leak;

	(void)state;
	dump(&heap, 1, 100, 100, 0);
	dump(&heap, 1, 200, 200, 0);
	dump(&heap, 1, 300, 300, 0);
	assert_int_equal(find(&heap, &leak), 0);
	dump(&heap, 1, 400, 400, 1);
	assert_int_equal(find(&heap, &leak), 1);
	leak_watch__free(&heap.watch);
}

/* A cohort that dies moves the base, and growth counts from there. */
static void a_collection_of_the_old_moves_the_base(void **state)
{
	struct heap heap = { .dump = 0 };
	struct leak leak;

	(void)state;
	dump(&heap, 1, 1000, 1000, 0);
	dump(&heap, 1, 1200, 1200, 1);
	begin(&heap, 1300);
	live(&heap, TYPE, 1, 300, 2);
	live(&heap, TYPE, 1001, 1300, 1);
	end(&heap);
	assert_int_equal(find(&heap, &leak), 0);
	begin(&heap, 1400);
	live(&heap, TYPE, 1, 300, 3);
	live(&heap, TYPE, 1001, 1400, 2);
	end(&heap);
	assert_int_equal(find(&heap, &leak), 1);
	assert_int_equal(leak.base, 3);
	assert_int_equal(leak.cohort, 300);
	assert_int_equal(leak.objects, 100);
	leak_watch__free(&heap.watch);
}

/* Withdrawn: not alive, not dead. All of them: the type starts anew. */
static void withdrawn_is_not_dead(void **state)
{
	struct heap heap = { .dump = 0 };
	struct leak leak;

	(void)state;
	dump(&heap, 1, 100, 100, 0);
	dump(&heap, 1, 200, 200, 1);
	for (uint32_t id = 1; id <= 60; id++)
		leak_watch__lost(&heap.watch, &(struct object){ .id_low = id, .type = TYPE });
	dump(&heap, 61, 400, 400, 2);
	assert_int_equal(find(&heap, &leak), 1);
	assert_int_equal(leak.cohort, 40);
	assert_int_equal(leak.cohort_alive, 40);
	for (uint32_t id = 61; id <= 100; id++)
		leak_watch__lost(&heap.watch, &(struct object){ .id_low = id, .type = TYPE });
	dump(&heap, 101, 500, 500, 3);
	assert_int_equal(find(&heap, &leak), 0);
	dump(&heap, 101, 600, 600, 4);
	dump(&heap, 101, 700, 700, 5);
	assert_int_equal(find(&heap, &leak), 1);
	assert_int_equal(leak.first, 4);
	leak_watch__free(&heap.watch);
}

static void the_largest_growth_is_first(void **state)
{
	struct heap heap = { .dump = 0 };
	struct leak leak;

	(void)state;
	for (uint64_t i = 1; i <= 4; i++) {
		begin(&heap, i * 1000);
		live(&heap, 1, 1, 100, (uint16_t)i);
		live(&heap, 2, 101, 200, (uint16_t)i);
		for (uint64_t j = 1; j < i; j++) {
			live(&heap, 1, j * 1000 + 1, j * 1000 + 10, 1);
			live(&heap, 2, j * 1000 + 11, j * 1000 + 40, 1);
		}
		end(&heap);
	}
	assert_int_equal(find(&heap, &leak), 2);
	assert_int_equal(leak.type, 2);
	leak_watch__free(&heap.watch);
}

/* What is new at each dump was perhaps there before: nobody knows what grows. */
static void nothing_known_from_dump_to_dump(void **state)
{
	struct heap heap = { .dump = 0 };

	(void)state;
	dump(&heap, 1, 100, 100, 0);
	dump(&heap, 101, 200, 200, 0);
	dump(&heap, 201, 300, 300, 0);
	assert_false(heap.watch.kept);
	dump(&heap, 300, 400, 400, 0);
	assert_true(heap.watch.kept);
	leak_watch__free(&heap.watch);
}

static void add(struct objects *objects, uint64_t address, uint32_t type, bool born)
{
	const struct object_birth birth = { .address = address, .size = SIZE, .type = type,
					    .born = born };

	assert_int_equal(objects__add(objects, &birth), 0);
}

static void ages_by_type(void **state)
{
	struct population population = { .types = VEC_INIT };
	struct objects objects = { .ids = 0 };
	uint64_t clashes = 0;
	struct chunk *chunk;

	(void)state;
	for (uint64_t i = 0; i < 5; i++)
		add(&objects, 0x10000 + 16 * i, 1, i != 4);
	add(&objects, 0x20000, 3, true);
	assert_int_equal(objects__settle(&objects, &clashes), 0);
	chunk = objects__find(&objects, 1);
	for (uint16_t i = 0; i < 5; i++)
		chunk->items[i].age = (uint16_t)(i * 40);
	assert_int_equal(population__count(&population, &objects), 0);
	assert_int_equal(population.types.count, 4);
	assert_int_equal(population.types.items[1].objects, 5);
	assert_int_equal(population.types.items[1].bytes, 5 * SIZE);
	assert_int_equal(population.types.items[1].unborn, 1);
	assert_int_equal(population.types.items[1].oldest, 160);
	assert_int_equal(population_type__median(&population.types.items[1]), 63);
	assert_int_equal(population.types.items[2].objects, 0);
	assert_int_equal(population_type__median(&population.types.items[3]), 0);
	assert_int_equal(population.ages.exact[40], 1);
	assert_int_equal(population.ages.exact[0], 2);
	assert_int_equal(population.ages.exact[63], 2);
	assert_int_equal(population.ages.least[63], 1);
	population__free(&population);
	objects__free(&objects);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_only_grows),
		cmocka_unit_test(churn_is_no_leak),
		cmocka_unit_test(garbage_hides_nothing),
		cmocka_unit_test(who_was_not_condemned_proves_nothing),
		cmocka_unit_test(a_collection_of_the_old_moves_the_base),
		cmocka_unit_test(withdrawn_is_not_dead),
		cmocka_unit_test(the_largest_growth_is_first),
		cmocka_unit_test(nothing_known_from_dump_to_dump),
		cmocka_unit_test(ages_by_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
