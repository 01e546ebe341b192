/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Leaks of many shapes, each planted in a sound heap: each is the first finding, with its owner and
 * its holder, and what it keeps is what brute force finds: the bytes that no root reaches without
 * it. On heaps by chance the same holds of every finding.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "dump.h"
#include "gctrace/wire.h"
#include "model/findings.h"
#include "unit/random.h"
#include "view/heap_words.h"

#define OBJECTS_MOST 20000u
#define ROOTS_MOST 200u
#define PIECES 3000u
#define PIECE 64u

/* Numbers of classes: names are "shop.Name" unless they stand for the platform's. */
enum class_number {
	CACHE = 10, NODE, LINK, TABLE, PIECE_CLASS, WORKER, LOCALS, CONTEXT, APP, PART, PARTS,
	BIG, LIST, MAP, MAP_NODE, MAP_TABLE, CLASSES_END
};

static const struct {
	const char *name;
	uint32_t flags;
} classes[CLASSES_END] = {
	[CACHE] = { "shop.Cache", 0 },	       [NODE] = { "shop.Node", 0 },
	[LINK] = { "shop.Link", 0 },	       [TABLE] = { "shop.Entry[]", GCTRACE_CLASS_ARRAY },
	[PIECE_CLASS] = { "shop.Order", 0 },   [WORKER] = { "shop.Worker", 0 },
	[LOCALS] = { "java.lang.Locals", 0 },  [CONTEXT] = { "shop.Context", 0 },
	[APP] = { "shop.App", 0 },	       [PART] = { "shop.Part", 0 },
	[PARTS] = { "shop.Part[]", GCTRACE_CLASS_ARRAY }, [BIG] = { "byte[]", GCTRACE_CLASS_ARRAY },
	[LIST] = { "java.util.List", 0 },      [MAP] = { "java.util.Map", 0 },
	[MAP_NODE] = { "java.util.Map$Node", 0 },
	[MAP_TABLE] = { "java.util.Map$Node[]", GCTRACE_CLASS_ARRAY },
};

/* A heap before it is told. Objects are numbers; 0 is none. */
static struct {
	uint32_t class_[OBJECTS_MOST], size[OBJECTS_MOST], count;
	uint32_t *to[OBJECTS_MOST], refs[OBJECTS_MOST];
	struct {
		uint64_t type, kind, id1, id;
		uint32_t to;
	} root[ROOTS_MOST];
	uint32_t roots;
} plan;

static void clear(void)
{
	for (uint32_t i = 0; i < plan.count; i++)
		free(plan.to[i]);
	memset(&plan, 0, sizeof(plan));
	plan.count = 1;
}

static uint32_t make(uint32_t class_, uint32_t size)
{
	assert_true(plan.count < OBJECTS_MOST);
	plan.class_[plan.count] = class_;
	plan.size[plan.count] = size;
	return plan.count++;
}

static void refer(uint32_t from, uint32_t to)
{
	plan.to[from] = realloc(plan.to[from], (plan.refs[from] + 1) * sizeof(uint32_t));
	assert_non_null(plan.to[from]);
	plan.to[from][plan.refs[from]++] = to;
}

static uint32_t make_below(uint32_t above, uint32_t class_, uint32_t size)
{
	const uint32_t object = make(class_, size);

	refer(above, object);
	return object;
}

static void root(uint64_t type, uint64_t id1, uint64_t kind, uint64_t id, uint32_t to)
{
	assert_true(plan.roots < ROOTS_MOST);
	plan.root[plan.roots].type = type;
	plan.root[plan.roots].id1 = id1;
	plan.root[plan.roots].kind = kind;
	plan.root[plan.roots].id = id;
	plan.root[plan.roots++].to = to;
}

static void make_static(uint32_t class_, uint32_t to)
{
	root(GCTRACE_C_STATIC, class_, GCTRACE_ROOT_STATIC, 0, to);
}

static void make_local(uint32_t thread, uint32_t to)
{
	root(GCTRACE_C_RT_THREAD, thread, GCTRACE_ROOT_LOCAL, 0, to);
}

static uint64_t address_of(uint32_t object)
{
	return UINT64_C(0x10000) + object * UINT64_C(0x100000);
}

static uint32_t object_at(uint64_t address)
{
	return (uint32_t)((address - 0x10000) / 0x100000);
}

static struct heap *build(void)
{
	struct heap_builder *builder = heap_builder__new(0);
	uint64_t *to;

	dump__begin(builder);
	for (uint32_t i = CACHE; i < CLASSES_END; i++)
		dump__class(builder, i, classes[i].name, "a\0b\0c\0d", 7, classes[i].flags);
	for (uint32_t i = CACHE; i < CLASSES_END; i++)
		dump__define(builder, GCTRACE_SPACE_STATIC, i, 0, 0, "shared");
	for (uint32_t i = 0; i < plan.roots; i++) {
		dump__container(builder, plan.root[i].type, plan.root[i].id1, 0);
		dump__root(builder, plan.root[i].type, plan.root[i].id1,
			   address_of(plan.root[i].to), plan.root[i].kind, plan.root[i].id, 0);
	}
	for (uint32_t i = 1; i < plan.count; i++) {
		to = calloc(plan.refs[i] + 1, sizeof(*to));
		assert_non_null(to);
		for (uint32_t k = 0; k < plan.refs[i]; k++)
			to[k] = address_of(plan.to[i][k]);
		dump__object(builder, &(struct told){ address_of(i), plan.class_[i], plan.size[i],
						      to, plan.refs[i], 0, 0, 0, false });
		free(to);
	}
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return dump__heap(builder);
}

/* Bytes that the roots reach without the objects that `gone` names. */
static uint64_t reached_without(const bool *gone)
{
	static uint32_t stack[OBJECTS_MOST];
	static bool seen[OBJECTS_MOST];
	uint32_t top = 0;
	uint64_t bytes = 0;

	memcpy(seen, gone, sizeof(seen));
	for (uint32_t i = 0; i < plan.roots; i++)
		if (!seen[plan.root[i].to]) {
			seen[plan.root[i].to] = true;
			stack[top++] = plan.root[i].to;
		}
	while (top) {
		const uint32_t from = stack[--top];

		bytes += plan.size[from];
		for (uint32_t k = 0; k < plan.refs[from]; k++)
			if (!seen[plan.to[from][k]]) {
				seen[plan.to[from][k]] = true;
				stack[top++] = plan.to[from][k];
			}
	}
	return bytes;
}

/* Without all of them at once a group may lose more: what they keep only together. */
static void assert_as_large(struct heap *heap, const struct finding *finding)
{
	static bool gone[OBJECTS_MOST];
	uint64_t all, bytes = 0;

	memset(gone, 0, sizeof(gone));
	all = reached_without(gone);
	if (finding->kind == FINDING_ACCUMULATION || finding->kind == FINDING_LARGE) {
		gone[object_at(heap__object(heap, finding->place).address)] = true;
		assert_int_equal(finding->bytes, all - reached_without(gone));
	} else if (finding->kind == FINDING_GROUP) {
		const uint32_t type = heap__type(heap, finding->place);
		const uint64_t least = heap__facts(heap)->bytes / FINDING_SHARE;
		uint64_t members = 0;

		for (uint32_t i = 1; i < plan.count; i++) {
			const uint32_t place = place_of(heap, address_of(i));
			uint32_t above;
			uint64_t alone;

			if (heap__type(heap, place) != type || !heap__is_reached(heap, place))
				continue;
			above = heap__dominator(heap, place);
			if (heap__is_node(heap, finding->owner) ? !heap__is_node(heap, above) :
								  above != finding->owner)
				continue;
			gone[i] = true;
			alone = all - reached_without(gone);
			gone[i] = false;
			bytes += alone < least ? alone : 0;
			members += alone < least;
		}
		assert_int_equal(finding->members, members);
		assert_int_equal(finding->bytes, bytes);
	}
}

/* Sound: an application with parts of different kinds, none of which is large. */
static void make_sound(void)
{
	const uint32_t app = make(APP, 64), parts = make_below(app, PARTS, 400);
	const uint32_t chain = make_below(app, LINK, 24);
	uint32_t last = chain;

	make_static(APP, app);
	for (uint32_t i = 0; i < 100; i++)
		make_below(parts, PART, 40);
	for (uint32_t i = 0; i < 100; i++)
		last = make_below(last, LINK, 24);
	for (uint32_t i = 0; i < 6; i++)
		make_below(app, BIG, 5000);
	make_local(1, make(BIG, 3000));
	make_local(2, make(PART, 100));
}

/* ---------------------------------------------------------------- shapes */

static uint32_t cache_of(uint32_t size)
{
	const uint32_t cache = make(CACHE, size);

	make_static(CACHE, cache);
	return cache;
}

static void plant_chain(void)
{
	uint32_t node = make_below(cache_of(16), NODE, 24);

	for (uint32_t i = 0; i < PIECES; i++) {
		make_below(node, PIECE_CLASS, PIECE);
		node = make_below(node, NODE, 24);
	}
}

/* Its last is known, too, as a queue's is. */
static void plant_queue(void)
{
	const uint32_t queue = cache_of(32);
	uint32_t node = make_below(queue, NODE, 24);

	for (uint32_t i = 0; i < PIECES; i++) {
		node = make_below(node, NODE, 24);
		make_below(node, PIECE_CLASS, PIECE);
	}
	refer(queue, node);
}

static void plant_chain_of_two_classes(void)
{
	uint32_t node = make_below(cache_of(16), NODE, 24);

	for (uint32_t i = 0; i < PIECES; i++) {
		const uint32_t link = make_below(node, LINK, 24);

		make_below(link, PIECE_CLASS, PIECE);
		node = make_below(link, NODE, 24);
	}
}

static void plant_list_with_two_ends(void)
{
	const uint32_t list = cache_of(32);
	uint32_t last = make_below(list, NODE, 24);

	for (uint32_t i = 0; i < PIECES; i++) {
		const uint32_t node = make_below(last, NODE, 24);

		refer(node, last);
		make_below(node, PIECE_CLASS, PIECE);
		last = node;
	}
	refer(list, last);
}

static void plant_ring(void)
{
	const uint32_t first = make_below(cache_of(16), NODE, 24);
	uint32_t last = first;

	for (uint32_t i = 0; i < PIECES; i++) {
		const uint32_t node = make_below(last, NODE, 24);

		refer(node, last);
		make_below(node, PIECE_CLASS, PIECE);
		last = node;
	}
	refer(first, last);
	refer(last, first);
}

static void add_tree(uint32_t above, uint32_t depth)
{
	const uint32_t node = make_below(above, NODE, 32);

	refer(node, above); /* its parent */
	make_below(node, PIECE_CLASS, PIECE);
	for (uint32_t i = 0; depth && i < 2; i++)
		add_tree(node, depth - 1);
}

static void plant_tree(void)
{
	add_tree(cache_of(16), 10);
}

static void plant_array(void)
{
	const uint32_t table = make_below(cache_of(16), TABLE, PIECES * 8);

	for (uint32_t i = 0; i < PIECES; i++)
		make_below(table, PIECE_CLASS, PIECE);
}

static void plant_array_of_arrays(void)
{
	const uint32_t table = make_below(cache_of(16), TABLE, 112);

	for (uint32_t i = 0; i < 12; i++) {
		const uint32_t row = make_below(table, PARTS, PIECES / 12 * 8);

		for (uint32_t k = 0; k < PIECES / 12; k++)
			make_below(row, PIECE_CLASS, PIECE);
	}
}

static void plant_table_of_chains(void)
{
	const uint32_t table = make_below(cache_of(16), TABLE, 800);

	for (uint32_t i = 0; i < 100; i++) {
		uint32_t node = make_below(table, NODE, 24);

		for (uint32_t k = 0; k < PIECES / 100; k++) {
			make_below(node, PIECE_CLASS, PIECE);
			node = make_below(node, NODE, 24);
		}
	}
}

static void plant_skip_list(void)
{
	uint32_t base = make_below(cache_of(16), NODE, 24), index = base;
	uint32_t nodes[PIECES];

	for (uint32_t i = 0; i < PIECES; i++) {
		base = nodes[i] = make_below(base, NODE, 24);
		make_below(base, PIECE_CLASS, PIECE);
	}
	for (uint32_t i = 0; i < PIECES; i += 4) {
		index = make_below(index, LINK, 24);
		refer(index, nodes[i]);
	}
}

/* A map of maps of the platform: the outermost. */
static void add_maps(uint32_t map, uint32_t depth)
{
	const uint32_t table = make_below(map, MAP_TABLE, 96);

	for (uint32_t i = 0; i < 10; i++) {
		const uint32_t node = make_below(table, MAP_NODE, 32);

		if (!depth)
			make_below(node, PIECE_CLASS, PIECE);
		else
			add_maps(make_below(node, MAP, 48), depth - 1);
	}
}

static void plant_maps(void)
{
	const uint32_t map = make(MAP, 48);

	make_static(CACHE, map);
	add_maps(map, 2);
}

/* Segments twice as large as the one before, the last of which is known. */
static void plant_segments(void)
{
	const uint32_t list = make(LIST, 32);
	uint32_t segment = make_below(list, MAP, 24);

	make_static(CACHE, list);
	for (uint32_t size = 32; size < PIECES; size *= 2) {
		const uint32_t slots = make_below(segment, MAP_TABLE, size * 8);

		for (uint32_t i = 0; i < size; i++)
			make_below(slots, PIECE_CLASS, PIECE);
		if (size * 2 < PIECES)
			segment = make_below(segment, MAP, 24);
	}
	refer(list, segment);
}

static void plant_threads(void)
{
	for (uint32_t i = 0; i < 50; i++) {
		const uint32_t worker = make(WORKER, 80);
		const uint32_t locals = make_below(worker, LOCALS, 32);
		const uint32_t parts = make_below(make_below(locals, CONTEXT, 16), PARTS, 480);

		root(GCTRACE_C_RT_THREAD, 100 + i, GCTRACE_ROOT_THREAD, U, worker);
		for (uint32_t k = 0; k < PIECES / 50; k++)
			make_below(parts, PIECE_CLASS, PIECE);
	}
}

static void plant_shared(void)
{
	const uint32_t one = make_below(cache_of(16), TABLE, PIECES * 8);
	const uint32_t other = make(TABLE, PIECES * 8);

	make_static(CONTEXT, other);
	for (uint32_t i = 0; i < PIECES; i++)
		refer(one, make_below(other, PIECE_CLASS, PIECE));
	make_local(1, one);
	make_local(2, other);
}

static void plant_large(void)
{
	make_below(cache_of(16), BIG, PIECES * PIECE);
}

/* Held by a static, a handle and two stacks. */
static void plant_held_by_many(void)
{
	uint32_t holder;

	plant_array();
	for (uint32_t i = 1; i < plan.count; i++) {
		if (plan.class_[i] != CACHE)
			continue;
		make_local(3, i);
		make_local(4, i);
		holder = make(CONTEXT, 16);
		refer(holder, i);
		root(GCTRACE_C_HANDLES, 0, GCTRACE_ROOT_HANDLE, 9, holder);
	}
}

static const struct shape {
	const char *name;
	void (*plant)(void);
	enum finding_kind kind;
	uint32_t owner; /* class of the owner, of a group of its members */
	uint32_t of;	/* class of most pieces; 0: not looked at */
	const char *held_by;
} shapes[] = {
	{ "chain", plant_chain, FINDING_ACCUMULATION, CACHE, PIECE_CLASS,
	  "; held by static shop.Cache.shared" },
	{ "queue", plant_queue, FINDING_ACCUMULATION, CACHE, PIECE_CLASS,
	  "; held by static shop.Cache.shared" },
	{ "chain of two classes", plant_chain_of_two_classes, FINDING_ACCUMULATION, CACHE,
	  PIECE_CLASS, "; held by static shop.Cache.shared" },
	{ "list with two ends", plant_list_with_two_ends, FINDING_ACCUMULATION, CACHE, NODE,
	  "; held by static shop.Cache.shared" },
	{ "ring", plant_ring, FINDING_ACCUMULATION, CACHE, NODE,
	  "; held by static shop.Cache.shared" },
	{ "tree", plant_tree, FINDING_ACCUMULATION, CACHE, PIECE_CLASS,
	  "; held by static shop.Cache.shared" },
	{ "array", plant_array, FINDING_ACCUMULATION, CACHE, PIECE_CLASS,
	  "; held by static shop.Cache.shared" },
	{ "array of arrays", plant_array_of_arrays, FINDING_ACCUMULATION, CACHE, PARTS,
	  "; held by static shop.Cache.shared" },
	{ "table of chains", plant_table_of_chains, FINDING_ACCUMULATION, CACHE, NODE,
	  "; held by static shop.Cache.shared" },
	{ "skip list", plant_skip_list, FINDING_ACCUMULATION, CACHE, 0,
	  "; held by static shop.Cache.shared" },
	{ "maps of maps", plant_maps, FINDING_ACCUMULATION, MAP, PIECE_CLASS,
	  "; held by static shop.Cache.shared" },
	{ "segments", plant_segments, FINDING_ACCUMULATION, LIST, PIECE_CLASS,
	  "; held by static shop.Cache.shared" },
	{ "locals of 50 threads", plant_threads, FINDING_GROUP, WORKER, PIECE_CLASS,
	  "; held by thread number 100: thread object, " },
	{ "shared by two tables", plant_shared, FINDING_GROUP, PIECE_CLASS, 0,
	  "; held by static shop.Context.shared and static shop.Cache.shared" },
	{ "one large object", plant_large, FINDING_LARGE, CACHE, 0,
	  "; held by shop.Cache.a, and that by static shop.Cache.shared" },
	{ "held by many", plant_held_by_many, FINDING_ACCUMULATION, CACHE, PIECE_CLASS,
	  "; held by static shop.Cache.shared, handle 9, thread number 3: local 0 and others" },
};

static uint64_t class_of(const struct heap *heap, uint32_t type)
{
	return heap_types__at(heap__types(heap), type).number;
}

static void assert_found(const struct shape *shape, struct heap *heap,
			 const struct finding *finding)
{
	struct buf words = BUF_INIT;

	heap_words__finding(&words, heap, finding);
	print_message("%s: %s\n", shape->name, buf__str(&words));
	assert_int_equal(finding->kind, shape->kind);
	if (shape->owner)
		assert_int_equal(class_of(heap, heap__type(heap, finding__object(finding))),
				 shape->owner);
	if (shape->of)
		assert_int_equal(class_of(heap, finding->of), shape->of);
	assert_non_null(strstr(buf__str(&words), shape->held_by));
	assert_true(finding->bytes > heap__facts(heap)->bytes / 2);
	assert_as_large(heap, finding);
	buf__free(&words);
}

static void each_shape_is_the_first_finding(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		struct findings findings = VEC_INIT;
		struct heap *heap;

		clear();
		make_sound();
		shapes[i].plant();
		heap = build();
		assert_int_equal(findings__find(heap, NULL, &findings), 0);
		assert_true(findings.count > 0);
		assert_found(&shapes[i], heap, &findings.items[0]);
		vec__free(&findings);
		heap__free(heap);
	}
	clear();
}

/* Three parts of its own are large in so small a heap; the application that has them is not. */
static void a_sound_heap_accuses_no_top(void **state)
{
	struct findings findings = VEC_INIT;
	struct heap *heap;

	(void)state;
	clear();
	make_sound();
	heap = build();
	assert_int_equal(findings__find(heap, NULL, &findings), 0);
	for (size_t i = 0; i < findings.count; i++)
		if (finding__is_of_object(&findings.items[i]))
			assert_int_not_equal(
				class_of(heap, heap__type(heap, findings.items[i].place)), APP);
	vec__free(&findings);
	heap__free(heap);
	clear();
}

static void plan_by_chance(uint64_t *seed)
{
	const uint32_t objects = 1 + (uint32_t)random__below(seed, 60);

	clear();
	for (uint32_t i = 0; i < objects; i++)
		make(CACHE + (uint32_t)random__below(seed, 4),
		     (uint32_t)random__below(seed, random__chance(seed, 10) ? 2000 : 40));
	for (uint32_t i = 0; i < objects * 3 / 2; i++)
		refer(1 + (uint32_t)random__below(seed, objects),
		      1 + (uint32_t)random__below(seed, objects));
	for (uint32_t i = 0; i < 1 + random__below(seed, 6); i++)
		root(random__chance(seed, 50) ? GCTRACE_C_STATIC : GCTRACE_C_HANDLES, CACHE,
		     random__chance(seed, 50) ? GCTRACE_ROOT_STATIC : GCTRACE_ROOT_HANDLE, i,
		     1 + (uint32_t)random__below(seed, objects));
}

static void all_findings_are_as_large_as_brute_force_says(void **state)
{
	uint64_t seed = 4711, checked = 0;

	(void)state;
	for (unsigned int round = 0; round < 3000; round++) {
		struct findings findings = VEC_INIT;
		struct heap *heap;

		plan_by_chance(&seed);
		heap = build();
		assert_int_equal(findings__find(heap, NULL, &findings), 0);
		for (size_t i = 0; i < findings.count; i++, checked++) {
			struct buf words = BUF_INIT;

			assert_as_large(heap, &findings.items[i]);
			heap_words__finding(&words, heap, &findings.items[i]);
			assert_null(strstr(buf__str(&words), "leaves no room"));
			buf__free(&words);
		}
		vec__free(&findings);
		heap__free(heap);
	}
	assert_true(checked > 3000);
	clear();
}

/* Without room for paths the finding stays, and says that its holders are not known. */
static void a_limit_leaves_the_holders_out(void **state)
{
	struct findings findings = VEC_INIT;
	struct buf words = BUF_INIT;
	struct heap *heap;

	(void)state;
	clear();
	plant_shared();
	heap = build();
	dump__leave(heap, 100);
	assert_int_equal(findings__find(heap, NULL, &findings), 0);
	assert_int_equal(findings.items[0].kind, FINDING_GROUP);
	heap_words__finding(&words, heap, &findings.items[0]);
	assert_non_null(strstr(buf__str(&words), "leaves no room"));
	buf__free(&words);
	vec__free(&findings);
	heap__free(heap);
	clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_shape_is_the_first_finding),
		cmocka_unit_test(a_sound_heap_accuses_no_top),
		cmocka_unit_test(all_findings_are_as_large_as_brute_force_says),
		cmocka_unit_test(a_limit_leaves_the_holders_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
