/* SPDX-License-Identifier: BSD-2-Clause */
#include "plant.h"
#include "options.h"
#include "program.h"
#include "roots.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define ORDERS 20000u /* several times what the load of --objects 20000 keeps in its arrays */

enum { MADE, PART, ITEM, KEY, LOCALS };

/* The locals of a frame: what is made is in local[MADE]. */
struct bed {
	struct mutator *m;
	struct object **local;
};

static void make_order(struct bed *bed, int place)
{
	bed->local[KEY] = NULL;
	bed->local[place] = new_order(bed->m, &bed->local[KEY]);
}

static void make_array(struct bed *bed, int place, uint64_t orders)
{
	bed->local[place] = mutator__new(bed->m, CLASS_OBJECTS, orders);
	for (uint64_t i = 0; i < orders; i++) {
		make_order(bed, ITEM);
		put(bed->m, bed->local[place], i, bed->local[ITEM]);
	}
}

static void make_list(struct bed *bed, int place, uint64_t orders)
{
	bed->local[place] = mutator__new(bed->m, CLASS_LIST, 0);
	for (uint64_t i = 0; i < orders; i++) {
		make_order(bed, ITEM);
		bed->local[KEY] = mutator__new(bed->m, CLASS_CELL, 0);
		put(bed->m, bed->local[KEY], CELL_ITEM, bed->local[ITEM]);
		put(bed->m, bed->local[KEY], CELL_NEXT, get(bed->local[place], LIST_HEAD));
		put(bed->m, bed->local[place], LIST_HEAD, bed->local[KEY]);
	}
}

static void make_map(struct bed *bed, int place, uint64_t orders)
{
	bed->local[place] = new_map(bed->m, 16);
	for (uint64_t i = 0; i < orders; i++) {
		make_order(bed, ITEM);
		bed->local[KEY] = new_string(bed->m, 12);
		map_put(bed->m, &bed->local[place], MAP_ITSELF, &bed->local[KEY],
			&bed->local[ITEM]);
	}
}

static void array(struct bed *bed)
{
	make_array(bed, MADE, ORDERS);
}

static void list(struct bed *bed)
{
	make_list(bed, MADE, ORDERS);
}

static void map(struct bed *bed)
{
	make_map(bed, MADE, ORDERS);
}

/* Of objects that refer to the one made before them. */
static void make_chain(struct bed *bed, enum class_number class_, uint64_t next, uint64_t item,
		       uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		make_order(bed, ITEM);
		bed->local[PART] = mutator__new(bed->m, class_, 0);
		put(bed->m, bed->local[PART], item, bed->local[ITEM]);
		put(bed->m, bed->local[PART], next, bed->local[MADE]);
		bed->local[MADE] = bed->local[PART];
	}
}

static void cells(struct bed *bed)
{
	make_chain(bed, CLASS_CELL, CELL_NEXT, CELL_ITEM, ORDERS);
}

static void referrers(struct bed *bed)
{
	make_chain(bed, CLASS_CUSTOMER, CUSTOMER_REFERRER, CUSTOMER_ORDERS, ORDERS);
}

static void orders(struct bed *bed)
{
	for (uint64_t i = 0; i < ORDERS; i++) {
		make_order(bed, ITEM);
		put(bed->m, bed->local[ITEM], ORDER_NEXT, bed->local[MADE]);
		bed->local[MADE] = bed->local[ITEM];
	}
}

static void ring(struct bed *bed)
{
	struct object *node;

	make_chain(bed, CLASS_NODE, NODE_LEFT, NODE_VALUE, ORDERS);
	for (node = bed->local[MADE]; get(node, NODE_LEFT); node = get(node, NODE_LEFT))
		put(bed->m, get(node, NODE_LEFT), NODE_RIGHT, node);
	put(bed->m, node, NODE_LEFT, bed->local[MADE]);
	put(bed->m, bed->local[MADE], NODE_RIGHT, node);
}

static void tree(struct bed *bed)
{
	bed->local[MADE] = new_tree(bed->m, 16);
}

/* Many small ones in a large one. */
static void make_nested(struct bed *bed, void (*make)(struct bed *, int, uint64_t), bool in_map)
{
	bed->local[MADE] = in_map ? new_map(bed->m, 16) :
				    mutator__new(bed->m, CLASS_OBJECTS, ORDERS / 40);
	for (uint64_t i = 0; i < ORDERS / 40; i++) {
		make(bed, PART, 40);
		if (in_map) {
			bed->local[KEY] = new_string(bed->m, 12);
			map_put(bed->m, &bed->local[MADE], MAP_ITSELF, &bed->local[KEY],
				&bed->local[PART]);
		} else {
			put(bed->m, bed->local[MADE], i, bed->local[PART]);
		}
	}
}

static void arrays(struct bed *bed)
{
	make_nested(bed, make_array, false);
}

static void lists(struct bed *bed)
{
	make_nested(bed, make_list, false);
}

static void map_of_lists(struct bed *bed)
{
	make_nested(bed, make_list, true);
}

static void map_of_maps(struct bed *bed)
{
	make_nested(bed, make_map, true);
}

static void large(struct bed *bed)
{
	bed->local[MADE] = mutator__new(bed->m, CLASS_BYTES, 12 << 20);
}

static void buffers(struct bed *bed)
{
	bed->local[MADE] = mutator__new(bed->m, CLASS_OBJECTS, 1500);
	for (uint64_t i = 0; i < 1500; i++) {
		bed->local[ITEM] = mutator__new(bed->m, CLASS_BUFFER, 0);
		put(bed->m, bed->local[MADE], i, bed->local[ITEM]);
		bed->local[KEY] = mutator__new(bed->m, CLASS_BYTES, 8000);
		put(bed->m, get(bed->local[MADE], i), BUFFER_DATA, bed->local[KEY]);
	}
}

static void sessions(struct bed *bed)
{
	bed->local[MADE] = mutator__new(bed->m, CLASS_OBJECTS, ORDERS / 2);
	for (uint64_t i = 0; i < ORDERS / 2; i++) {
		bed->local[KEY] = NULL;
		bed->local[ITEM] = new_session(bed->m, &bed->local[KEY]);
		put(bed->m, bed->local[MADE], i, bed->local[ITEM]);
	}
}

static void reports(struct bed *bed)
{
	bed->local[MADE] = mutator__new(bed->m, CLASS_OBJECTS, ORDERS / 20);
	for (uint64_t i = 0; i < ORDERS / 20; i++) {
		bed->local[PART] = mutator__new(bed->m, CLASS_WIDE, 0);
		put(bed->m, bed->local[MADE], i, bed->local[PART]);
		for (uint64_t row = 1; row < 21; row++) {
			make_order(bed, ITEM);
			put(bed->m, bed->local[PART], row, bed->local[ITEM]);
		}
	}
}

static void cache(struct bed *bed)
{
	make_map(bed, PART, ORDERS);
	bed->local[MADE] = mutator__new(bed->m, CLASS_ORDER_CACHE, 0);
	put(bed->m, bed->local[MADE], CACHE_BY_ID, bed->local[PART]);
	put(bed->m, bed->local[MADE], CACHE_LATEST, bed->local[ITEM]);
}

/* ---- How it is held ---- */

static void by_static(struct bed *bed)
{
	static_slots[STATIC_CACHE] = bed->local[MADE];
}

/* The same orders in two arrays. */
static void by_two_statics(struct bed *bed)
{
	bed->local[PART] = mutator__new(bed->m, CLASS_OBJECTS, ORDERS);
	for (uint64_t i = 0; i < ORDERS; i++)
		put(bed->m, bed->local[PART], i, get(bed->local[MADE], i));
	static_slots[STATIC_CACHE] = bed->local[MADE];
	static_slots[STATIC_STRINGS] = bed->local[PART];
}

static void by_handle(struct bed *bed)
{
	handle__new(HANDLE_STRONG, bed->local[MADE], NULL);
}

static void by_global(struct bed *bed)
{
	handle__new(HANDLE_GLOBAL, bed->local[MADE], NULL);
}

static void by_handles(struct bed *bed)
{
	for (uint64_t i = 0; i < ORDERS; i++)
		handle__new(HANDLE_GLOBAL, get(bed->local[MADE], i), NULL);
}

static void by_dependent(struct bed *bed)
{
	bed->local[KEY] = mutator__new(bed->m, CLASS_STORE, 0);
	static_slots[STATIC_CACHE] = bed->local[KEY];
	handle__new(HANDLE_DEPENDENT, bed->local[KEY], bed->local[MADE]);
}


/* The frame stays. */
static void by_stack(struct bed *bed)
{
	struct object *made = bed->local[MADE];

	mutator__push(bed->m, METHOD_TREE, 1)[0] = made;
}

static void part_of_each(struct bed *bed)
{
	make_list(bed, MADE, ORDERS / opt.threads);
}

static const struct {
	const char *name;
	void (*make)(struct bed *bed), (*hold)(struct bed *bed);
	bool in_each; /* thread; else in the first */
} plants[] = {
	{ "array", array, by_static, false },
	{ "list", list, by_static, false },
	{ "map", map, by_static, false },
	{ "chain", orders, by_static, false },
	{ "cells", cells, by_static, false },
	{ "referrers", referrers, by_static, false },
	{ "ring", ring, by_static, false },
	{ "tree", tree, by_static, false },
	{ "arrays", arrays, by_static, false },
	{ "lists", lists, by_static, false },
	{ "mapoflists", map_of_lists, by_static, false },
	{ "mapofmaps", map_of_maps, by_static, false },
	{ "large", large, by_static, false },
	{ "buffers", buffers, by_static, false },
	{ "sessions", sessions, by_static, false },
	{ "reports", reports, by_static, false },
	{ "cache", cache, by_static, false },
	{ "shared", array, by_two_statics, false },
	{ "handle", list, by_handle, false },
	{ "global", map, by_global, false },
	{ "handles", array, by_handles, false },
	{ "dependent", map, by_dependent, false },
	{ "stack", list, by_stack, false },
	{ "stacks", part_of_each, by_stack, true },
};

void plant(struct mutator *m)
{
	static atomic_uint planted;
	const size_t count = sizeof(plants) / sizeof(*plants);
	struct bed bed = { m, NULL };
	size_t i = 0;

	while (i < count && strcmp(plants[i].name, opt.plant))
		i++;
	if (i == count)
		die("--plant: no shape %s", opt.plant);
	if (!plants[i].in_each && m->index > 1)
		return;
	bed.local = mutator__push(m, METHOD_LISTS, LOCALS);
	plants[i].make(&bed);
	plants[i].hold(&bed);
	for (int place = 0; place < LOCALS; place++)
		bed.local[place] = NULL;
	if (plants[i].hold != by_stack)
		mutator__pop(m);
	if (++planted < (plants[i].in_each ? opt.threads : 1))
		return;
	printf("planted %s\n", opt.plant);
	fflush(stdout);
}
