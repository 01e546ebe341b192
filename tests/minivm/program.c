/* SPDX-License-Identifier: BSD-2-Clause */
#include "program.h"
#include "roots.h"

#define ORDERS_KEPT 2
#define PRODUCTS 200u

void check_class(const struct object *o, unsigned class_)
{
	if (object__class(o) != class_)
		bug("object %llu at %p should be a %s and is a %s", (unsigned long long)o->id,
		    (const void *)o, classes[class_].name.text,
		    classes[object__class(o) < CLASSES ? object__class(o) : 0].name.text);
}

struct object *new_string(struct mutator *m, uint64_t bytes)
{
	struct object **local = mutator__push(m, METHOD_NEW_STRING, 2);

	local[0] = mutator__new(m, CLASS_STRING, 0);
	local[1] = mutator__new(m, CLASS_BYTES, bytes);
	put(m, local[0], STRING_VALUE, local[1]);
	mutator__pop(m);
	return local[0];
}

static struct object *new_short_string(struct mutator *m)
{
	return new_string(m, 8 + random_below(&m->random, 24));
}

struct object *any_product(struct mutator *m)
{
	struct object *catalogue = static_slots[STATIC_STORE_CATALOGUE];

	return get(catalogue, random_below(&m->random, length_of(catalogue)));
}

static struct object *new_address(struct mutator *m)
{
	struct object **local = mutator__push(m, METHOD_NEW_CUSTOMER, 2);

	local[0] = mutator__new(m, CLASS_ADDRESS, 0);
	local[1] = new_short_string(m);
	put(m, local[0], ADDRESS_STREET, local[1]);
	local[1] = new_short_string(m);
	put(m, local[0], ADDRESS_CITY, local[1]);
	mutator__pop(m);
	return local[0];
}

struct object *new_customer(struct mutator *m)
{
	struct object **local = mutator__push(m, METHOD_NEW_CUSTOMER, 2);

	local[0] = mutator__new(m, CLASS_CUSTOMER, 0);
	local[1] = new_short_string(m);
	put(m, local[0], CUSTOMER_NAME, local[1]);
	local[1] = new_address(m);
	put(m, local[0], CUSTOMER_ADDRESS, local[1]);
	for (unsigned i = 0; i < ORDERS_KEPT; i++)
		place_order(m, &local[0]);
	mutator__pop(m);
	return local[0];
}

struct object *new_order(struct mutator *m, struct object **customer)
{
	struct object **local = mutator__push(m, METHOD_NEW_ORDER, 2);
	const unsigned lines = 1 + (unsigned)random_below(&m->random, 4);

	local[0] = mutator__new(m, CLASS_ORDER, 0);
	put(m, local[0], ORDER_CUSTOMER, *customer);
	put(m, local[0], RECORD_TAG, static_slots[STATIC_STORE_EMPTY]);
	for (unsigned i = 0; i < lines; i++) {
		local[1] = mutator__new(m, CLASS_LINE, 0);
		put(m, local[1], LINE_PRODUCT, any_product(m));
		put(m, local[1], LINE_NEXT, get(local[0], ORDER_LINES));
		put(m, local[0], ORDER_LINES, local[1]);
	}
	local[1] = new_short_string(m);
	put(m, local[0], ORDER_NOTE, local[1]);
	mutator__pop(m);
	return local[0];
}

/* The customer's orders from the n-th on are forgotten. */
static void cut_orders(struct mutator *m, struct object *customer, unsigned n)
{
	struct object *order = get(customer, CUSTOMER_ORDERS);

	for (unsigned i = 1; order && i < n; i++)
		order = get(order, ORDER_NEXT);
	if (order)
		put(m, order, ORDER_NEXT, NULL);
}

void place_order(struct mutator *m, struct object **customer)
{
	struct object **local = mutator__push(m, METHOD_PLACE_ORDER, 1), *before;

	mutator__lock(m, *customer);
	local[0] = new_order(m, customer);
	before = get(*customer, CUSTOMER_ORDERS);
	if (before) {
		check_class(before, CLASS_ORDER);
		if (get(before, ORDER_CUSTOMER) != *customer)
			bug("order %llu is not its customer's", (unsigned long long)before->id);
	}
	put(m, local[0], ORDER_NEXT, before);
	put(m, *customer, CUSTOMER_ORDERS, local[0]);
	cut_orders(m, *customer, ORDERS_KEPT);
	mutator__unlock(m);
	mutator__pop(m);
}

struct object *new_session(struct mutator *m, struct object **customer)
{
	struct object **local = mutator__push(m, METHOD_SESSION, 3);

	local[0] = mutator__new(m, CLASS_SESSION, 0);
	put(m, local[0], SESSION_USER, *customer);
	local[1] = new_map(m, 4);
	put(m, local[0], SESSION_ATTRIBUTES, local[1]);
	for (unsigned i = 0; i < 3; i++) {
		local[2] = new_short_string(m);
		map_put(m, &local[1], MAP_ITSELF, &local[2], &local[2]);
	}
	local[1] = mutator__new(m, CLASS_BUFFER, 0);
	put(m, local[0], SESSION_BUFFER, local[1]);
	local[2] = mutator__new(m, CLASS_BYTES, 64 + random_below(&m->random, 400));
	put(m, local[1], BUFFER_DATA, local[2]);
	mutator__pop(m);
	return local[0];
}

struct object *new_tree(struct mutator *m, unsigned depth)
{
	struct object **local = mutator__push(m, METHOD_TREE, 2);

	local[0] = mutator__new(m, CLASS_NODE, 0);
	if (depth) {
		local[1] = new_tree(m, depth - 1);
		put(m, local[0], NODE_LEFT, local[1]);
		local[1] = new_tree(m, depth - 1);
		put(m, local[0], NODE_RIGHT, local[1]);
	} else {
		local[1] = mutator__new(m, CLASS_OBJECT, 0);
		put(m, local[0], NODE_VALUE, local[1]);
	}
	mutator__pop(m);
	return local[0];
}

struct object *new_list(struct mutator *m, unsigned cells)
{
	struct object **local = mutator__push(m, METHOD_LISTS, 2);

	local[0] = mutator__new(m, CLASS_LIST, 0);
	for (unsigned i = 0; i < cells; i++) {
		local[1] = mutator__new(m, CLASS_CELL, 0);
		put(m, local[1], CELL_ITEM, any_product(m));
		if (get(local[0], LIST_TAIL))
			put(m, get(local[0], LIST_TAIL), CELL_NEXT, local[1]);
		else
			put(m, local[0], LIST_HEAD, local[1]);
		put(m, local[0], LIST_TAIL, local[1]);
	}
	mutator__pop(m);
	return local[0];
}

/* ---- Maps: chains of entries in a table that doubles. Keys are compared by identity ---- */

#define MAP_SIZE 1   /* plain words */
#define ENTRY_HASH 1

struct object *new_map(struct mutator *m, uint64_t capacity)
{
	struct object **local = mutator__push(m, METHOD_PUT, 2);

	local[0] = mutator__new(m, CLASS_MAP, 0);
	local[1] = mutator__new(m, CLASS_ENTRIES, capacity);
	put(m, local[0], MAP_TABLE, local[1]);
	mutator__pop(m);
	return local[0];
}

uint64_t map_size(struct object *map)
{
	return *object__plain(map, MAP_SIZE);
}

static void add_entry(struct mutator *m, struct object *table, struct object *entry)
{
	const uint64_t place = *object__plain(entry, ENTRY_HASH) % length_of(table);

	put(m, entry, ENTRY_NEXT, get(table, place));
	put(m, table, place, entry);
}

static struct object *map_in(struct object **holder, int field)
{
	return field == MAP_ITSELF ? *holder : get(*holder, (uint64_t)field);
}

static void resize(struct mutator *m, struct object **holder, int field)
{
	struct object **local = mutator__push(m, METHOD_RESIZE, 1), *from, *entry, *next;

	from = get(map_in(holder, field), MAP_TABLE);
	local[0] = mutator__new(m, CLASS_ENTRIES, 2 * length_of(from));
	from = get(map_in(holder, field), MAP_TABLE); /* moved, perhaps */
	for (uint64_t i = 0; i < length_of(from); i++) {
		for (entry = get(from, i); entry; entry = next) {
			next = get(entry, ENTRY_NEXT);
			add_entry(m, local[0], entry);
		}
	}
	put(m, map_in(holder, field), MAP_TABLE, local[0]);
	mutator__pop(m);
}

void map_put(struct mutator *m, struct object **holder, int field, struct object **key,
	     struct object **value)
{
	struct object **local = mutator__push(m, METHOD_PUT, 1), *map = map_in(holder, field);

	if (map_size(map) >= length_of(get(map, MAP_TABLE)))
		resize(m, holder, field);
	local[0] = mutator__new(m, CLASS_ENTRY, 0);
	put(m, local[0], ENTRY_KEY, *key);
	put(m, local[0], ENTRY_VALUE, *value);
	*object__plain(local[0], ENTRY_HASH) = object__pattern((*key)->id) >> 20;
	map = map_in(holder, field);
	add_entry(m, get(map, MAP_TABLE), local[0]);
	++*object__plain(map, MAP_SIZE);
	mutator__pop(m);
}

/* ---- Statics ---- */

static void make_catalogue(struct mutator *m)
{
	struct object **local = mutator__push(m, METHOD_START, 3);

	local[0] = new_string(m, 12);
	static_slots[STATIC_STORE_EMPTY] = local[0];
	local[0] = mutator__new(m, CLASS_OBJECTS, PRODUCTS);
	for (unsigned i = 0; i < PRODUCTS; i++) {
		local[1] = mutator__new(m, CLASS_PRODUCT, 0);
		put(m, local[0], i, local[1]);
		local[2] = new_short_string(m);
		put(m, local[1], PRODUCT_NAME, local[2]);
		put(m, local[1], PRODUCT_CATEGORY, static_slots[STATIC_STORE_EMPTY]);
	}
	static_slots[STATIC_STORE_CATALOGUE] = local[0];
	mutator__pop(m);
}

static void make_strings(struct mutator *m)
{
	struct object **local = mutator__push(m, METHOD_START, 2);

	local[0] = new_map(m, 64);
	for (unsigned i = 0; i < 40; i++) {
		local[1] = new_short_string(m);
		map_put(m, &local[0], MAP_ITSELF, &local[1], &local[1]);
	}
	static_slots[STATIC_STRINGS] = local[0];
	mutator__pop(m);
}

/* An object for each class, which refers to itself too, and one that everything may throw. */
static void make_internals(struct mutator *m)
{
	struct object **local = mutator__push(m, METHOD_START, 3);

	local[0] = mutator__new(m, CLASS_OBJECTS, CLASSES);
	for (unsigned i = 1; i < CLASSES; i++) {
		local[1] = mutator__new(m, CLASS_MIRROR, 0);
		put(m, local[0], i, local[1]);
		put(m, local[1], MIRROR_SELF, local[1]);
		local[2] = new_short_string(m);
		put(m, local[1], MIRROR_NAME, local[2]);
	}
	internal_slots[INTERNAL_MIRRORS] = local[0];
	internal_slots[INTERNAL_OUT_OF_MEMORY] = mutator__new(m, CLASS_OBJECT, 0);
	mutator__pop(m);
}

static void make_threads(struct mutator *m)
{
	struct object **local = mutator__push(m, METHOD_START, 3);

	local[0] = mutator__new(m, CLASS_OBJECTS, mutators_count);
	for (unsigned i = 0; i < mutators_count; i++) {
		local[1] = mutator__new(m, CLASS_THREAD, 0);
		put(m, local[0], i, local[1]);
		local[2] = new_short_string(m);
		put(m, local[1], THREAD_NAME, local[2]);
		mutators[i].thread = local[1];
	}
	internal_slots[INTERNAL_THREADS] = local[0];
	mutator__pop(m);
}

void program__start(struct mutator *m, uint64_t threads)
{
	struct object **local = mutator__push(m, METHOD_START, 1);

	make_internals(m);
	make_threads(m);
	make_catalogue(m);
	make_strings(m);
	local[0] = mutator__new(m, CLASS_OBJECTS, threads);
	static_slots[STATIC_STORE_SHARDS] = local[0];
	local[0] = mutator__new(m, CLASS_OBJECTS, 32 * threads);
	static_slots[STATIC_SESSIONS] = local[0];
	mutator__pop(m);
}
