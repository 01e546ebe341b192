/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two heaps beside each other, types and paths, against a count object by object: random heaps with
 * cycles, garbage, arrays, lists, classes of one name and classes without any.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dump.h"
#include "gctrace/wire.h"
#include "model/heap_diff.h"
#include "model/heap_paths.h"
#include "model/path_growth.h"

enum { OBJECTS = 24, CLASSES = 7, ROOTS = 3, CASES = 10000 };

/* Class 5 has the name of class 4, class 6 has none. */
static const char *const names[CLASSES + 1] = { "", "A", "B[]", "C", "D", "D", "", "E" };

static unsigned int seed;

static uint64_t random_below(uint64_t limit)
{
	return (uint64_t)rand_r(&seed) % limit;
}

/* ---------------------------------------------------------------- random heaps */

struct world {
	struct heap *heap;
	struct heap_paths *paths;
	bool *wanted;
};

static void tell_random_object(struct heap_builder *builder, uint64_t n, uint64_t count)
{
	uint64_t to[4];
	const struct told told = { .id = 0x1000 + n * 0x40,
				   .class_ = 1 + random_below(CLASSES),
				   .size = 8 * (1 + random_below(7)),
				   .to = to,
				   .count = random_below(4) };

	for (size_t i = 0; i < told.count; i++)
		to[i] = random_below(6) ? 0x1000 + random_below(count) * 0x40 : 0;
	dump__object(builder, &told);
}

static struct heap *random_heap(void)
{
	struct heap_builder *builder = heap_builder__new(0);
	const uint64_t count = random_below(OBJECTS + 1);

	dump__begin(builder);
	for (uint64_t c = 1; c <= CLASSES; c++)
		if (*names[c])
			dump__class(builder, c, names[c], "", 0,
				    strchr(names[c], '[') ? GCTRACE_CLASS_ARRAY : 0);
	dump__container(builder, GCTRACE_C_STATIC, 1, 0);
	for (uint64_t i = 0; i < ROOTS && count; i++)
		dump__root(builder, GCTRACE_C_STATIC, 1, 0x1000 + random_below(count) * 0x40,
			   GCTRACE_ROOT_STATIC, i, 0);
	for (uint64_t n = 0; n < count; n++)
		tell_random_object(builder, n, count);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return dump__heap(builder);
}

static void make_world(struct world *world, unsigned int unwanted)
{
	const struct heap_types *types;

	world->heap = random_heap();
	assert_int_equal(heap_paths__new(world->heap, &world->paths), 0);
	types = heap__types(world->heap);
	world->wanted = calloc(types->count, sizeof(*world->wanted));
	assert_non_null(world->wanted);
	for (uint32_t i = 0; i < types->count; i++)
		world->wanted[i] = heap_types__at(types, i).number % CLASSES != unwanted;
}

static void free_world(struct world *world)
{
	heap_paths__free(world->paths);
	heap__free(world->heap);
	free(world->wanted);
}

/* ---------------------------------------------------------------- types */

struct counted {
	uint64_t objects, bytes, reached_objects, reached_bytes;
};

static struct counted count_class(const struct world *world, const struct heap_diff *diff,
				  const struct diff_type *type)
{
	const struct text name = heap_diff__name(diff, type);
	struct counted counted = { 0 };

	for (uint32_t p = heap__first(world->heap); p < heap__end(world->heap);
	     p = heap__next(world->heap, p)) {
		struct heap_object object;
		struct heap_type is;

		if (heap__is_node(world->heap, p))
			continue;
		object = heap__object(world->heap, p);
		is = heap_types__at(heap__types(world->heap), object.type);
		if (!world->wanted[object.type] ||
		    (diff->one_trace ? is.number != type->class_ :
				       !text__equal(is.name, name)))
			continue;
		counted.objects++;
		counted.bytes += object.size;
		counted.reached_objects += object.reached;
		counted.reached_bytes += object.reached ? object.size : 0;
	}
	return counted;
}

/* Every type has what was counted, and with all of them nothing is left. */
static void compare_types(const struct world *worlds, const struct heap_diff *diff)
{
	uint64_t objects[DIFF_SIDES] = { 0 };

	for (size_t i = 0; i < diff->types.count; i++) {
		const struct diff_type *type = &diff->types.items[i];

		for (unsigned int side = 0; side < DIFF_SIDES; side++) {
			const struct heap_type_sums *sums = &type->side[side];
			const struct counted is = count_class(&worlds[side], diff, type);

			assert_int_equal(sums->objects, is.objects);
			assert_int_equal(sums->bytes, is.bytes);
			assert_int_equal(sums->reached_objects, is.reached_objects);
			assert_int_equal(sums->reached_bytes, is.reached_bytes);
			assert_true(sums->retained >= sums->reached_bytes);
			objects[side] += is.objects;
		}
		for (size_t j = 0; j < i && diff->one_trace; j++)
			assert_int_not_equal(diff->types.items[j].class_, type->class_);
	}
	for (unsigned int side = 0; side < DIFF_SIDES; side++) {
		const struct heap *heap = worlds[side].heap;
		uint64_t all = 0;

		for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p))
			all += !heap__is_node(heap, p) &&
			       worlds[side].wanted[heap__object(heap, p).type];
		assert_int_equal(objects[side], all);
		assert_int_equal(heap_diff__total(diff).side[side].objects, all);
	}
}

/* In one trace each line is one class: what it retains is what the heap's histogram says. */
static void compare_retained(const struct world *world, const struct heap_diff *diff,
			     unsigned int side)
{
	const struct heap_types *types = heap__types(world->heap);
	struct heap_type_sums *sums;

	assert_int_equal(heap__histogram(world->heap, &sums), 0);
	for (size_t i = 0; i < diff->types.count; i++) {
		const struct diff_type *type = &diff->types.items[i];
		const uint32_t index = heap_types__known(types, type->class_);

		assert_int_equal(type->side[side].retained,
				 index == UINT32_MAX ? 0 : sums[index].retained);
	}
	free(sums);
}

static void types_are_counted(void **state)
{
	struct world worlds[DIFF_SIDES];

	(void)state;
	for (seed = 1; seed <= CASES; seed++) {
		const unsigned int first = seed;
		struct heap_diff diff = { .one_trace = first % 2 };

		for (unsigned int side = 0; side < DIFF_SIDES; side++) {
			make_world(&worlds[side], first % (CLASSES + 3));
			assert_int_equal(heap_diff__add(&diff, side, worlds[side].heap,
							worlds[side].wanted), 0);
		}
		compare_types(worlds, &diff);
		for (unsigned int side = 0; side < DIFF_SIDES; side++) {
			if (diff.one_trace)
				compare_retained(&worlds[side], &diff, side);
			free_world(&worlds[side]);
		}
		heap_diff__free(&diff);
		seed = first;
	}
}

/* ---------------------------------------------------------------- paths */

static void words(struct buf *out, const struct heap *heap, uint32_t from, uint32_t to)
{
	uint64_t at = 0;

	if (from == HEAP_NONE)
		buf__printf(out, "root %d", (int)heap__root(heap, to).id);
	else if (heap__is_node(heap, from))
		return;
	else if (heap_types__at(heap__types(heap), heap__object(heap, from).type).flags &
		 GCTRACE_CLASS_ARRAY)
		buf__add_str(out, "[]");
	else if (heap__field(heap, from, to, &at))
		buf__printf(out, ".%d", (int)at);
}

static void type_name(struct buf *out, const struct heap *heap, uint32_t type)
{
	const struct heap_type is = heap_types__at(heap__types(heap), type);

	if (is.name.bytes)
		buf__add(out, is.name.at, is.name.bytes);
	else
		buf__printf(out, "class %d", (int)is.number);
}

struct oracle_path {
	struct buf text;
	struct fate_sum ending[DIFF_SIDES];
};

struct oracle VEC_OF(struct oracle_path);

/* What is the same as before it, of the same class, is the same step again, and said once. */
static void spell(struct buf *out, const struct world *world, uint32_t place)
{
	struct path_way way = VEC_INIT;
	struct buf step = BUF_INIT, last = BUF_INIT;
	uint64_t class_ = 0, last_class = 0, from_class = 0, last_from = 0;

	assert_int_equal(path_way__take(&way, world->paths, place), 0);
	for (size_t i = 0; i < way.count; i++) {
		const uint32_t to = way.items[i], from = i ? way.items[i - 1] : HEAP_NONE;

		buf__reset(&step);
		words(&step, world->heap, from, to);
		class_ = from_class = 0;
		if (i) {
			const uint32_t type = heap__object(world->heap, to).type;

			buf__add_char(&step, ' ');
			type_name(&step, world->heap, type);
			class_ = heap_types__at(heap__types(world->heap), type).number;
		}
		if (i > 1)
			from_class = heap_types__at(heap__types(world->heap),
						    heap__object(world->heap, from).type).number;
		/* The first step from a root has another `from` than what follows. */
		if (i > 2 && class_ == last_class && from_class == last_from &&
		    strcmp(buf__str(&step), buf__str(&last)) == 0)
			continue;
		buf__printf(out, "|%s", buf__str(&step));
		buf__reset(&last);
		buf__add_str(&last, buf__str(&step));
		last_class = class_;
		last_from = from_class;
	}
	buf__free(&step);
	buf__free(&last);
	vec__free(&way);
}

static struct oracle_path *find_path(struct oracle *oracle, const char *text)
{
	struct oracle_path new_ = { .text = BUF_INIT };

	for (size_t i = 0; i < oracle->count; i++)
		if (strcmp(buf__str(&oracle->items[i].text), text) == 0)
			return &oracle->items[i];
	buf__add_str(&new_.text, text);
	assert_int_equal(vec__push(oracle, new_), 0);
	return &oracle->items[oracle->count - 1];
}

static uint64_t count_paths(struct oracle *oracle, unsigned int side, const struct world *world)
{
	const struct heap *heap = world->heap;
	uint64_t unreached = 0;

	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		struct buf text = BUF_INIT;
		struct oracle_path *path;

		if (heap__is_node(heap, p) || !world->wanted[heap__object(heap, p).type])
			continue;
		spell(&text, world, p);
		unreached += text.len == 0;
		if (text.len) {
			path = find_path(oracle, buf__str(&text));
			path->ending[side].objects++;
			path->ending[side].bytes += heap__object(heap, p).size;
		}
		buf__free(&text);
	}
	return unreached;
}

static void spell_branch(struct buf *out, const struct path_growth *growth, uint32_t branch)
{
	uint32_t way[OBJECTS + 2];
	size_t count = 0;

	for (uint32_t at = branch; at != GROWTH_NONE; at = growth->branches.items[at].parent)
		way[count++] = at;
	while (count-- > 0) {
		const struct text step = path_growth__words(growth, way[count]);
		const struct text type = path_growth__type(growth, way[count]);

		buf__add_char(out, '|');
		buf__add(out, step.at, step.bytes);
		buf__add_str(out, type.bytes ? " " : "");
		buf__add(out, type.at, type.bytes);
	}
}

static void compare_paths(struct oracle *oracle, const struct path_growth *growth)
{
	size_t ending = 0;

	for (uint32_t i = 0; i < growth->branches.count; i++) {
		const struct growth_branch *branch = &growth->branches.items[i];
		struct buf text = BUF_INIT;
		struct oracle_path *path;

		if (!branch->ending[0].objects && !branch->ending[1].objects)
			continue;
		ending++;
		spell_branch(&text, growth, i);
		path = find_path(oracle, buf__str(&text));
		assert_memory_equal(branch->ending, path->ending, sizeof(path->ending));
		buf__free(&text);
	}
	assert_int_equal(ending, oracle->count);
}

static void add_paths(struct path_growth *growth, unsigned int side, const struct world *world)
{
	struct path_merge merge = { .objects = 0 };

	assert_int_equal(path_merge__add(&merge, world->heap, world->paths, world->wanted), 0);
	assert_int_equal(path_growth__add(growth, side, world->heap, &merge, words, type_name), 0);
	path_merge__free(&merge);
}

static void compare_order(const struct path_growth *growth)
{
	struct growth_order order = VEC_INIT;
	int64_t last = INT64_MAX;

	assert_int_equal(path_growth__order(growth, &order), 0);
	for (size_t i = 0; i < order.count; i++) {
		const struct fate_sum *ending = growth->branches.items[order.items[i]].ending;
		const int64_t change = diff__change(ending[0].bytes, ending[1].bytes);

		assert_true(change <= last);
		assert_true(change || ending[0].objects != ending[1].objects);
		last = change;
	}
	vec__free(&order);
}

static void paths_are_counted(void **state)
{
	struct world worlds[DIFF_SIDES];

	(void)state;
	for (seed = 1; seed <= CASES; seed++) {
		const unsigned int first = seed;
		struct path_growth growth = { .branches = VEC_INIT };
		struct oracle oracle = VEC_INIT;

		for (unsigned int side = 0; side < DIFF_SIDES; side++) {
			make_world(&worlds[side], first % (CLASSES + 3));
			add_paths(&growth, side, &worlds[side]);
			assert_int_equal(growth.unreached[side],
					 count_paths(&oracle, side, &worlds[side]));
		}
		compare_paths(&oracle, &growth);
		compare_order(&growth);
		for (unsigned int side = 0; side < DIFF_SIDES; side++)
			free_world(&worlds[side]);
		for (size_t i = 0; i < oracle.count; i++)
			buf__free(&oracle.items[i].text);
		vec__free(&oracle);
		path_growth__free(&growth);
		seed = first;
	}
}

/* A list of many: its length is no matter of time squared, nor of a branch for each. */
static void long_lists_are_one_branch(void **state)
{
	enum { LENGTH = 200000 };
	struct heap_builder *builder = heap_builder__new(0);
	struct path_merge merge = { .objects = 0 };
	struct world world;

	(void)state;
	dump__begin(builder);
	dump__container(builder, GCTRACE_C_STATIC, 1, 0);
	dump__root(builder, GCTRACE_C_STATIC, 1, 0x1000, GCTRACE_ROOT_STATIC, 0, 0);
	for (uint64_t i = 0; i < LENGTH; i++)
		dump__refer(builder, 0x1000 + i * 16, 1, 16,
			    { i + 1 < LENGTH ? 0x1000 + (i + 1) * 16 : 0 });
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	world.heap = dump__heap(builder);
	world.wanted = malloc(heap__types(world.heap)->count);
	memset(world.wanted, 1, heap__types(world.heap)->count);
	assert_int_equal(heap_paths__new(world.heap, &world.paths), 0);
	assert_int_equal(path_merge__add(&merge, world.heap, world.paths, world.wanted), 0);
	assert_int_equal(merge.branches.count, 3);
	assert_true(merge.branches.items[2].repeats);
	assert_int_equal(merge.branches.items[2].ending, LENGTH - 1);
	assert_int_equal(merge.branches.items[0].objects, LENGTH);
	assert_int_equal(merge.branches.items[0].bytes, LENGTH * 16);
	path_merge__free(&merge);
	free_world(&world);
}

/* Of a way of branches that are all different the middle is folded, whatever its length. */
static void long_ways_are_folded(void **state)
{
	const struct growth_branch *branches;
	struct path_growth growth = { .branches = VEC_INIT };

	(void)state;
	for (uint32_t length = 1; length <= 3 * GROWTH_STEPS_MOST; length++) {
		struct growth_way way = { .folded = 0 };
		const uint32_t last = length - 1;

		assert_int_equal(vec__push(&growth.branches, (struct growth_branch){
					.parent = last ? last - 1 : GROWTH_NONE }), 0);
		branches = growth.branches.items;
		assert_int_equal(path_growth__way(&growth, last, &way), 0);
		assert_int_equal(way.steps.count + way.folded - (way.folded != 0), length);
		assert_int_equal(way.steps.count, length <= GROWTH_STEPS_MOST ? length :
								GROWTH_STEPS_MOST + 1);
		assert_int_equal(way.steps.items[way.steps.count - 1], last);
		for (size_t i = 0; i < way.steps.count; i++) {
			const uint32_t step = way.steps.items[i];
			const bool is_first = i == 0 || way.steps.items[i - 1] == GROWTH_NONE;

			assert_true(step != GROWTH_NONE || i == GROWTH_STEPS_MOST / 2);
			if (step != GROWTH_NONE && !is_first)
				assert_int_equal(branches[step].parent, way.steps.items[i - 1]);
		}
		vec__free(&way.steps);
	}
	path_growth__free(&growth);
}

static void memory_has_a_limit(void **state)
{
	struct path_growth growth = { .memory = { .limit = 64 } };
	struct path_merge merge = { .objects = 0 };
	struct world world;

	(void)state;
	seed = 7;
	do {
		make_world(&world, CLASSES + 1);
		assert_int_equal(path_merge__add(&merge, world.heap, world.paths, world.wanted), 0);
		if (merge.branches.count)
			break;
		free_world(&world);
	} while (true);
	assert_int_equal(path_growth__add(&growth, DIFF_WAS, world.heap, &merge, words, type_name),
			 -EDQUOT);
	path_growth__free(&growth);
	path_merge__free(&merge);
	merge = (struct path_merge){ .memory = { .limit = 1 } };
	assert_int_equal(path_merge__add(&merge, world.heap, world.paths, world.wanted), -EDQUOT);
	path_merge__free(&merge);
	free_world(&world);
}

static void changes_do_not_overflow(void **state)
{
	(void)state;
	assert_int_equal(diff__change(3, 5), 2);
	assert_int_equal(diff__change(5, 3), -2);
	assert_int_equal(diff__change(0, UINT64_MAX), INT64_MAX);
	assert_int_equal(diff__change(UINT64_MAX, 0), -INT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_are_counted),
		cmocka_unit_test(paths_are_counted),
		cmocka_unit_test(long_lists_are_one_branch),
		cmocka_unit_test(long_ways_are_folded),
		cmocka_unit_test(memory_has_a_limit),
		cmocka_unit_test(changes_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
