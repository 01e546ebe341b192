/* SPDX-License-Identifier: BSD-2-Clause */
/* Dumps in pieces, cut off, or made of lies. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dump.h"
#include "gctrace/wire.h"
#include "unit/random.h"

static struct heap_builder *begin(uint64_t limit)
{
	struct heap_builder *builder = heap_builder__new(limit);

	assert_non_null(builder);
	dump__begin(builder);
	return builder;
}

static void handle(struct heap_builder *builder, uint64_t to)
{
	dump__root(builder, GCTRACE_C_HANDLES, 0, to, GCTRACE_ROOT_HANDLE, to, 0);
}

static void tell_part(struct heap_builder *builder, uint64_t id, uint64_t class_, uint64_t first,
		      const uint64_t *to, size_t count, bool more)
{
	dump__object(builder, &(struct told){ .id = id, .class_ = class_, .size = 16, .to = to,
					      .count = count, .first = first, .more = more });
}

static void assert_reference(struct heap *heap, struct heap_references *references, uint64_t to,
			     uint64_t place)
{
	struct heap_reference next;

	assert_true(heap_references__next(references, &next));
	assert_int_equal(next.to, to ? place_of(heap, to) : HEAP_NOWHERE);
	assert_int_equal(next.place, place);
}

static void an_empty_dump_is_a_heap(void **state)
{
	struct heap_builder *builder = begin(0);
	struct heap *heap;

	(void)state;
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = dump__heap(builder);
	assert_true(heap__is_complete(heap));
	assert_int_equal(heap__facts(heap)->objects, 0);
	assert_int_equal(heap__facts(heap)->dump, 1);
	assert_int_equal(heap__facts(heap)->collection, 7);
	assert_int_equal(heap__retained(heap, heap__top(heap)), 0);
	heap__free(heap);
}

static void nothing_at_all_is_not_complete(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);
	struct heap *heap;

	(void)state;
	heap = dump__heap(builder);
	assert_false(heap__is_complete(heap));
	heap__free(heap);
	heap_builder__free(NULL);
	heap__free(NULL);
	heap_builder__free(heap_builder__new(0));
}

static void parts_between_others_are_joined(void **state)
{
	struct heap_builder *builder = begin(0);
	struct heap_references references;
	struct heap *heap;

	(void)state;
	handle(builder, 0x1000);
	tell_part(builder, 0x1000, 1, 0, (const uint64_t[]){ 0x2000, 0 }, 2, true);
	tell_part(builder, 0x2000, 2, 0, (const uint64_t[]){ 0x1000 }, 1, true);
	tell_part(builder, 0x1000, 1, 2, (const uint64_t[]){ 0x3000 }, 1, true);
	tell_part(builder, 0x1000, 1, 3, (const uint64_t[]){ 0, 0x2000 }, 2, true);
	tell_part(builder, 0x2000, 2, 1, (const uint64_t[]){ 0x3000 }, 1, false);
	tell_part(builder, 0x1000, 1, 5, (const uint64_t[]){ 0x1000 }, 1, false);
	dump__leaf(builder, 0x3000, 1, 8);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = dump__heap(builder);
	assert_true(heap__is_complete(heap));
	assert_int_equal(heap__facts(heap)->objects, 3);
	assert_int_equal(heap__facts(heap)->references, 6);
	assert_int_equal(heap__facts(heap)->bytes, 40);
	references = heap__references(heap, place_of(heap, 0x1000));
	assert_reference(heap, &references, 0x2000, 0);
	assert_reference(heap, &references, 0x3000, 2);
	assert_reference(heap, &references, 0x2000, 4);
	assert_reference(heap, &references, 0x1000, 5);
	references = heap__references(heap, place_of(heap, 0x2000));
	assert_reference(heap, &references, 0x1000, 0);
	assert_reference(heap, &references, 0x3000, 1);
	heap__free(heap);
}

static void what_was_cut_off_is_kept_and_told(void **state)
{
	struct heap_builder *builder = begin(0);
	struct heap_references references;
	struct heap *heap;

	(void)state;
	handle(builder, 0x1000);
	handle(builder, 0x9000);
	dump__refer(builder, 0x1000, 1, 16, { 0x2000, 0x8000, 0x2000 });
	tell_part(builder, 0x2000, 1, 0, (const uint64_t[]){ 0x1000 }, 1, true);
	dump__end(builder, GCTRACE_DUMP_ABORTED);
	heap = dump__heap(builder);
	assert_false(heap__is_complete(heap));
	assert_int_equal(heap__facts(heap)->status, GCTRACE_DUMP_ABORTED);
	assert_int_equal(heap__facts(heap)->objects, 2);
	assert_int_equal(heap__facts(heap)->reached_objects, 2);
	assert_int_equal(heap__facts(heap)->unfinished, 1);
	assert_int_equal(heap__facts(heap)->dangling_references, 1);
	assert_int_equal(heap__facts(heap)->dangling_roots, 1);
	assert_true(heap__object(heap, place_of(heap, 0x2000)).unfinished);
	references = heap__references(heap, place_of(heap, 0x1000));
	assert_reference(heap, &references, 0x2000, 0);
	assert_reference(heap, &references, 0, 1);
	assert_reference(heap, &references, 0x2000, 2);
	heap__free(heap);
}

static void a_loss_is_told(void **state)
{
	const struct event loss = { .kind = EVENT_LOSS };
	struct heap_builder *builder = begin(0);
	struct heap *heap;

	(void)state;
	assert_int_equal(heap_builder__event(builder, &loss), 0);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = dump__heap(builder);
	assert_false(heap__is_complete(heap));
	assert_int_equal(heap__facts(heap)->losses, 1);
	heap__free(heap);
}

static void the_first_report_of_an_object_holds(void **state)
{
	struct heap_builder *builder = begin(0);
	struct heap_references references;
	struct heap_reference none;
	struct heap *heap;

	(void)state;
	dump__refer(builder, 0x1000, 1, 16, { 0x1000 });
	dump__refer(builder, 0x1000, 1, 99, { 0x2000, 0x1000 });
	dump__leaf(builder, 0x2000, 1, 8);
	dump__refer(builder, 0x1000, 2, 99, { 0x2000 });
	heap = dump__heap(builder);
	assert_int_equal(heap__facts(heap)->objects, 2);
	assert_int_equal(heap__facts(heap)->bytes, 24);
	assert_int_equal(heap__facts(heap)->references, 1);
	assert_int_equal(heap__facts(heap)->odd.duplicates, 2);
	assert_int_equal(heap__facts(heap)->odd.classes_differ, 1);
	references = heap__references(heap, place_of(heap, 0x1000));
	assert_reference(heap, &references, 0x1000, 0);
	assert_false(heap_references__next(&references, &none));
	heap__free(heap);
}

static void sizes_that_lie_are_taken_as_nothing(void **state)
{
	struct heap_builder *builder = begin(0);
	struct heap *heap;

	(void)state;
	handle(builder, 0x1000);
	dump__refer(builder, 0x1000, 1, 16, { 0x2000, 0x3000 });
	dump__leaf(builder, 0x2000, 1, UINT64_MAX - 7);
	dump__leaf(builder, 0x3000, 1, UINT64_C(5) << 30);
	for (uint64_t i = 0; i < 300; i++)
		dump__leaf(builder, 0x10000 + 8 * i, 1, UINT64_C(1) << 56);
	heap = dump__heap(builder);
	assert_int_equal(heap__facts(heap)->odd.sizes, 1 + 300 - 255);
	assert_int_equal(heap__retained(heap, place_of(heap, 0x1000)), 16 + (UINT64_C(5) << 30));
	assert_int_equal(heap__object(heap, place_of(heap, 0x3000)).size, UINT64_C(5) << 30);
	heap__free(heap);
}

static void odd_addresses_are_addresses(void **state)
{
	struct heap_builder *builder = begin(0);
	struct heap *heap;

	(void)state;
	handle(builder, 0x1004);
	dump__refer(builder, 0x1000, 1, 8, { 0x1004 });
	dump__refer(builder, 0x1004, 1, 8, { 0x1007, 0x1006 });
	dump__refer(builder, 0x1007, 1, 1, { 0x1000 });
	dump__leaf(builder, 0, 1, 8);
	heap = dump__heap(builder);
	assert_int_equal(heap__facts(heap)->objects, 3);
	assert_int_equal(heap__facts(heap)->dangling_references, 1);
	assert_int_equal(heap__facts(heap)->odd.nameless, 1);
	assert_int_equal(heap__retained(heap, place_of(heap, 0x1004)), 17);
	assert_int_equal(heap__object(heap, place_of(heap, 0x1007)).address, 0x1007);
	heap__free(heap);
}

static void weak_references_keep_nothing_alive(void **state)
{
	struct heap_builder *builder = begin(0);
	struct heap_weak weak;
	struct heap *heap;

	(void)state;
	handle(builder, 0x1000);
	dump__root(builder, GCTRACE_C_WEAK, 0, 0x3000, GCTRACE_ROOT_HANDLE_WEAK, 1, 0);
	dump__object(builder, &(struct told){ .id = 0x1000, .class_ = 1, .size = 16,
					      .to = (const uint64_t[]){ 0, 0x2000 }, .count = 2,
					      .reference_flags = GCTRACE_REF_WEAK });
	dump__leaf(builder, 0x2000, 1, 8);
	dump__object(builder, &(struct told){ .id = 0x1008, .class_ = 1, .size = 16,
					      .to = (const uint64_t[]){ 0x4000 }, .count = 1,
					      .reference_flags = GCTRACE_REF_PHANTOM });
	dump__leaf(builder, 0x3000, 1, 8);
	heap = dump__heap(builder);
	assert_int_equal(heap__facts(heap)->reached_objects, 1);
	assert_int_equal(heap__facts(heap)->weak_references, 2);
	assert_int_equal(heap__facts(heap)->weak_roots, 1);
	assert_int_equal(heap__facts(heap)->references, 0);
	assert_int_equal(heap__facts(heap)->dangling_weak_references, 1);
	assert_false(heap__object(heap, place_of(heap, 0x2000)).reached);
	assert_true(heap__object(heap, place_of(heap, 0x1000)).has_weak);
	assert_true(heap__weak(heap, place_of(heap, 0x1000), 0, &weak));
	assert_int_equal(weak.to, place_of(heap, 0x2000));
	assert_int_equal(weak.place, 1);
	assert_int_equal(weak.flags, GCTRACE_REF_WEAK);
	assert_false(heap__weak(heap, place_of(heap, 0x1000), 1, &weak));
	assert_false(heap__weak(heap, place_of(heap, 0x2000), 0, &weak));
	heap__free(heap);
}

static void soft_references_do(void **state)
{
	struct heap_builder *builder = begin(0);
	struct heap *heap;

	(void)state;
	handle(builder, 0x1000);
	dump__object(builder, &(struct told){ .id = 0x1000, .class_ = 1, .size = 16,
					      .to = (const uint64_t[]){ 0x2000 }, .count = 1,
					      .reference_flags = GCTRACE_REF_SOFT });
	dump__leaf(builder, 0x2000, 1, 8);
	heap = dump__heap(builder);
	assert_int_equal(heap__retained(heap, place_of(heap, 0x1000)), 24);
	heap__free(heap);
}

static void a_dependent_handle_is_a_reference_of_its_key(void **state)
{
	struct heap_builder *builder = begin(0);
	struct heap_references references;
	struct heap *heap;

	(void)state;
	handle(builder, 0x1000);
	dump__refer(builder, 0x1000, 1, 16, { 0x2000 });
	dump__leaf(builder, 0x2000, 1, 8);
	dump__leaf(builder, 0x3000, 1, 8);
	dump__leaf(builder, 0x4000, 1, 8);
	dump__root(builder, GCTRACE_C_DEPENDENT, 0x1000, 0x3000, GCTRACE_ROOT_HANDLE, 5,
		   GCTRACE_REF_DEPENDENT);
	dump__root(builder, GCTRACE_C_DEPENDENT, 0x7000, 0x4000, GCTRACE_ROOT_HANDLE, 6,
		   GCTRACE_REF_DEPENDENT);
	heap = dump__heap(builder);
	assert_int_equal(heap__facts(heap)->dependent_roots, 2);
	assert_int_equal(heap__facts(heap)->references, 2);
	assert_int_equal(heap__facts(heap)->dangling_references, 1); /* from the other key */
	assert_int_equal(heap__facts(heap)->reached_objects, 3);
	assert_int_equal(heap__retained(heap, place_of(heap, 0x1000)), 32);
	references = heap__references(heap, place_of(heap, 0x1000));
	assert_reference(heap, &references, 0x2000, 0);
	assert_reference(heap, &references, 0x3000, PLACE_DEPENDENT);
	heap__free(heap);
}

/* An object in one piece, its places told as they are. */
static void tell_places(struct heap_builder *builder, uint32_t form,
			const struct reference *references, size_t count)
{
	struct event event = { .kind = EVENT_OBJECT };

	event.object.id = 0x1000;
	event.object.class_ = 1;
	event.object.size = 16;
	event.object.places = form;
	event.object.references = references;
	event.object.count = count;
	assert_int_equal(heap_builder__event(builder, &event), 0);
}

static void a_handle_is_known_where_no_place_is(void **state)
{
	struct heap_builder *builder = begin(0);
	struct heap_references references;
	struct heap *heap;

	(void)state;
	handle(builder, 0x1000);
	tell_places(builder, GCTRACE_PLACE_UNKNOWN,
		    (const struct reference[]){ { .to = 0x2000 }, { .to = 0x3000 } }, 2);
	dump__leaf(builder, 0x2000, 1, 8);
	dump__leaf(builder, 0x3000, 1, 8);
	dump__root(builder, GCTRACE_C_DEPENDENT, 0x1000, 0x3000, GCTRACE_ROOT_HANDLE, 5,
		   GCTRACE_REF_DEPENDENT);
	heap = dump__heap(builder);
	references = heap__references(heap, place_of(heap, 0x1000));
	assert_reference(heap, &references, 0x2000, U);
	assert_reference(heap, &references, 0x3000, U);
	assert_reference(heap, &references, 0x3000, PLACE_DEPENDENT);
	heap__free(heap);
}

/* Only we say that something stands in a handle. */
static void no_told_place_is_a_handle(void **state)
{
	struct heap_builder *builder = begin(0);
	struct heap_references references;
	struct heap *heap;

	(void)state;
	handle(builder, 0x1000);
	tell_places(builder, GCTRACE_PLACE_OFFSET,
		    (const struct reference[]){ { .to = 0x2000, .place = PLACE_DEPENDENT } }, 1);
	dump__leaf(builder, 0x2000, 1, 8);
	heap = dump__heap(builder);
	references = heap__references(heap, place_of(heap, 0x1000));
	assert_reference(heap, &references, 0x2000, U);
	heap__free(heap);
}

/* ---------------------------------------------------------------------------------------------
 * The limit
 */

/* What a producer announces costs nothing; what it tells does. */
static void announcing_much_costs_nothing(void **state)
{
	struct event event = { .kind = EVENT_DUMP_END };
	struct heap_builder *builder = begin(1 << 20);
	struct heap *heap;

	(void)state;
	event.dump_end.objects = event.dump_end.references = UINT64_C(1) << 32;
	event.dump_end.bytes = UINT64_MAX;
	dump__leaf(builder, 0x1000, 1, 8);
	assert_int_equal(heap_builder__event(builder, &event), 0);
	heap = dump__heap(builder);
	assert_int_equal(heap__facts(heap)->told.objects, UINT64_C(1) << 32);
	assert_int_equal(heap__facts(heap)->objects, 1);
	assert_true(heap__memory_peak(heap) < 1 << 20);
	heap__free(heap);
}

/* Nor does what we expect, but within bounds; and the heap is the one that is told. */
static void what_is_expected_changes_nothing(void **state)
{
	static const uint64_t limits[] = { 0, 64 << 20 };

	(void)state;
	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		struct heap_builder *builder = begin(limits[i]);
		const uint64_t before = heap_builder__memory(builder);
		struct heap *heap;

		heap_builder__expect(builder, 6 << 20);
		assert_true(heap_builder__memory(builder) >= before + (6 << 20));
		heap_builder__expect(builder, limits[i] ? UINT64_MAX : 0);
		assert_true(!limits[i] || heap_builder__memory(builder) < limits[i] / 2);
		dump__leaf(builder, 0x1000, 1, 8);
		handle(builder, 0x1000);
		dump__end(builder, GCTRACE_DUMP_COMPLETE);
		heap = dump__heap(builder);
		assert_true(heap__is_complete(heap));
		assert_int_equal(heap__facts(heap)->reached_objects, 1);
		heap__free(heap);
	}
}

static void counting_expects_no_rows(void **state)
{
	struct heap_builder *builder = heap_builder__new_counting(0);
	const uint64_t before = heap_builder__memory(builder);

	(void)state;
	heap_builder__expect(builder, UINT64_MAX);
	assert_int_equal(heap_builder__memory(builder), before);
	heap_builder__free(builder);
}

static uint64_t seed = 4711;

static uint64_t random_number(void)
{
	return random__next(&seed);
}

/* Any of what a producer may say, over and over, without sense. */
static int say_something(struct heap_builder *builder, unsigned int what)
{
	struct reference references[5];
	struct root root = { .to = random_number() % 4096, .kind = random_number() % 3 };
	struct event event = { .kind = EVENT_OBJECT };
	const uint64_t near = 0x1000 + random_number() % 512;

	switch (what) {
	case 0:
		event.kind = EVENT_ROOTS;
		event.roots.type = random_number() % 20;
		event.roots.id1 = random_number() % 8;
		event.roots.roots = &root;
		event.roots.count = 1;
		break;
	case 1:
		event.kind = EVENT_CONTAINER;
		event.container.type = random_number() % 20;
		event.container.id1 = random_number() % 8;
		break;
	default:
		for (unsigned int i = 0; i < 5; i++)
			references[i] = (struct reference){
				.to = random_number() % 4 ? 0x1000 + random_number() % 512 : 0,
				.place = random_number() % 3 ? i : random_number(),
				.flags = random_number() % 8 ? 0 : GCTRACE_REF_WEAK,
			};
		event.object.id = what < 4 ? random_number() : near;
		event.object.class_ = random_number() % 4 ? near % 4 : random_number();
		event.object.size = random_number() % 4 ? 16 : random_number();
		event.object.places = random_number() % 4;
		event.object.more = random_number() % 2;
		event.object.references = references;
		event.object.count = random_number() % 6;
	}
	return heap_builder__event(builder, &event);
}

static void nonsense_ends_in_a_heap_or_at_the_limit(void **state)
{
	unsigned int heaps = 0, limits = 0;

	(void)state;
	for (unsigned int round = 0; round < 600; round++) {
		struct heap_builder *builder = heap_builder__new(3 << 20);
		const unsigned int events = (unsigned int)(random_number() % 600);
		const unsigned int far = (unsigned int)(round % 2) * 2;
		struct heap *heap = NULL;
		char text[300];
		int err = 0;

		assert_non_null(builder);
		for (unsigned int i = 0; i < events && !err; i++)
			err = say_something(builder, (unsigned int)(random_number() % 20) + far);
		if (!err)
			err = heap_builder__finish(builder, &heap);
		if (err) {
			assert_int_equal(err, -EDQUOT);
			heap_builder__explain(builder, err, text, sizeof(text));
			assert_non_null(strstr(text, "--mem-limit"));
			limits++;
		} else {
			assert_true(heap__memory_peak(heap) <= 3 << 20);
			heaps++;
		}
		heap__free(heap);
		heap_builder__free(builder);
	}
	assert_true(heaps > 50);
	assert_true(limits > 50);
}

/* Objects by the pair, each of which refers to the other, far apart: 0, or what finish says. */
static int build_pairs(struct heap_builder *builder, uint64_t count)
{
	struct heap *heap = NULL;
	int err;

	dump__begin(builder);
	dump__class(builder, 1, "Pair", "other", 5, 0);
	for (uint64_t i = 0; i < count; i++)
		dump__refer(builder, 0x10000 + i * 64, 1, 64, { 0x10000 + (i ^ 1) * 64 });
	dump__root(builder, GCTRACE_C_HANDLES, 0, 0x10000, GCTRACE_ROOT_HANDLE, 0, 0);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	err = heap_builder__finish(builder, &heap);
	heap__free(heap);
	return err;
}

/* The size that the error names is enough, wherever in the dump the limit was reached. */
static void the_limit_that_is_named_is_enough(void **state)
{
	const uint64_t count = 200000;
	unsigned int refused = 0;

	(void)state;
	for (uint64_t limit = 100000; limit < 6 << 20; limit += limit / 3) {
		struct heap_builder *builder = heap_builder__new(limit);
		const char *named;
		char text[300];

		assert_non_null(builder);
		if (build_pairs(builder, count) == -EDQUOT) {
			heap_builder__explain(builder, -EDQUOT, text, sizeof(text));
			assert_non_null(strstr(text, "for 200000 objects and 200000 references;"));
			named = strstr(text, "raise --mem-limit to at least ");
			assert_non_null(named);
			named += strlen("raise --mem-limit to at least ");
			heap_builder__free(builder);
			builder = heap_builder__new(strtoull(named, NULL, 10) << 20);
			assert_non_null(builder);
			assert_int_equal(build_pairs(builder, count), 0);
			assert_true(strtoull(named, NULL, 10) < 20);
			refused++;
		}
		heap_builder__free(builder);
	}
	assert_true(refused > 5);
}

/* Wherever the limit lies, it ends cleanly: each step of building is the one that fails. */
static void every_limit_ends_cleanly(void **state)
{
	bool built = false;

	(void)state;
	for (uint64_t limit = 1000; !built; limit += limit / 50) {
		struct heap_builder *builder = heap_builder__new(limit);
		struct heap *heap = NULL;
		int err = 0;

		if (!builder)
			continue;
		for (uint64_t i = 0; i < 3000 && !err; i++) {
			struct reference reference = { .to = 0x1000 + i * 24 };
			struct event event = { .kind = EVENT_OBJECT };

			event.object.id = 0x1000 + (i ^ 1) * 24;
			event.object.class_ = i;
			event.object.places = GCTRACE_PLACE_OFFSET;
			event.object.more = i % 3 == 0;
			event.object.references = &reference;
			event.object.count = 1;
			reference.flags = i % 7 ? 0 : GCTRACE_REF_WEAK;
			err = heap_builder__event(builder, &event);
		}
		if (!err)
			err = heap_builder__finish(builder, &heap);
		assert_true(err == 0 || err == -EDQUOT);
		built = err == 0;
		heap__free(heap);
		heap_builder__free(builder);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_dump_is_a_heap),
		cmocka_unit_test(the_limit_that_is_named_is_enough),
		cmocka_unit_test(nothing_at_all_is_not_complete),
		cmocka_unit_test(parts_between_others_are_joined),
		cmocka_unit_test(what_was_cut_off_is_kept_and_told),
		cmocka_unit_test(a_loss_is_told),
		cmocka_unit_test(the_first_report_of_an_object_holds),
		cmocka_unit_test(sizes_that_lie_are_taken_as_nothing),
		cmocka_unit_test(odd_addresses_are_addresses),
		cmocka_unit_test(weak_references_keep_nothing_alive),
		cmocka_unit_test(soft_references_do),
		cmocka_unit_test(a_dependent_handle_is_a_reference_of_its_key),
		cmocka_unit_test(a_handle_is_known_where_no_place_is),
		cmocka_unit_test(no_told_place_is_a_handle),
		cmocka_unit_test(announcing_much_costs_nothing),
		cmocka_unit_test(what_is_expected_changes_nothing),
		cmocka_unit_test(counting_expects_no_rows),
		cmocka_unit_test(nonsense_ends_in_a_heap_or_at_the_limit),
		cmocka_unit_test(every_limit_ends_cleanly),
	};

	return cmocka_run_group_tests_name("model/heap_builder", tests, NULL, NULL);
}
