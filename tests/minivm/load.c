/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each thread serves requests. It fills its share of the store with customers, then replaces some
 * of them all the time; most of what it makes dies young, sessions live for a while, some things
 * are pinned, weakly held, held by native handles, large, or have a finalizer. With --leak, the
 * first thread also puts orders into a cache that forgets nothing.
 */
#include "load.h"
#include "options.h"
#include "plant.h"
#include "program.h"
#include "roots.h"
#include "safepoint.h"
#include "weak.h"

#include <errno.h>
#include <semaphore.h>
#include <string.h>

/* Locals of the frame at the bottom of each thread. */
enum { MY_CUSTOMERS, MY_LARGE, MY_WEAK, MY_FILES, SCRATCH, SCRATCH_2, LOCALS };

#define SESSIONS 32u /* of each thread */
#define LARGE_KEPT 4u
#define WEAK_KEPT 32u
#define FILES_KEPT 16u
#define HANDLES_KEPT 8u
#define PINS_KEPT 6u
#define PIN_ROOM 16384u /* of eden, for each pin that a thread may have */

struct load {
	struct mutator *m;
	struct object **local;
	uint64_t requests;
	uint64_t capacity; /* customers of this thread */
	uint64_t customers;
	uint32_t handles[HANDLES_KEPT], pins[PINS_KEPT];
	uint64_t leak_start, leaked;
};

static uint64_t below(struct load *load, uint64_t n)
{
	return random_below(&load->m->random, n);
}

static struct object *any_customer(struct load *load)
{
	if (!load->customers)
		return NULL;
	return get(load->local[MY_CUSTOMERS], below(load, load->customers));
}

static void fill(struct load *load)
{
	struct object **local = load->local;

	for (unsigned i = 0; i < 8 && load->customers < load->capacity; i++) {
		local[SCRATCH] = new_customer(load->m);
		put(load->m, local[MY_CUSTOMERS], load->customers++, local[SCRATCH]);
	}
}

/* A customer of any thread: what it refers to is shared then. */
static struct object *foreign_customer(struct load *load)
{
	struct object *shards = static_slots[STATIC_STORE_SHARDS];
	struct object *shard = get(shards, below(load, length_of(shards)));
	struct object *customer = shard && length_of(shard)
					  ? get(shard, below(load, length_of(shard)))
					  : NULL;

	if (customer)
		check_class(customer, CLASS_CUSTOMER);
	return customer;
}

static void replace_customer(struct load *load)
{
	struct object **local = load->local;

	if (!load->customers)
		return;
	local[SCRATCH] = new_customer(load->m);
	local[SCRATCH_2] = foreign_customer(load);
	put(load->m, local[SCRATCH], CUSTOMER_REFERRER, local[SCRATCH_2]);
	if (local[SCRATCH_2]) /* no chains: they would never end */
		put(load->m, local[SCRATCH_2], CUSTOMER_REFERRER, NULL);
	put(load->m, local[MY_CUSTOMERS], below(load, load->customers), local[SCRATCH]);
}

static void order_something(struct load *load)
{
	load->local[SCRATCH] = any_customer(load);
	if (load->local[SCRATCH])
		place_order(load->m, &load->local[SCRATCH]);
}

static void refresh_session(struct load *load)
{
	struct object **local = load->local;
	const uint64_t place = SESSIONS * (load->m->index - 1) + below(load, SESSIONS);

	local[SCRATCH] = any_customer(load);
	local[SCRATCH] = new_session(load->m, &local[SCRATCH]);
	put(load->m, static_slots[STATIC_SESSIONS], place, local[SCRATCH]);
}

static void parse_something(struct load *load)
{
	struct object **local = mutator__push(load->m, METHOD_PARSE, 2);

	local[0] = new_tree(load->m, 3 + (unsigned)below(load, 4));
	local[1] = new_list(load->m, (unsigned)below(load, 30));
	check_class(local[0], CLASS_NODE);
	check_class(local[1], CLASS_LIST);
	mutator__pop(load->m);
}

static void make_weak(struct load *load)
{
	struct object **local = load->local, *old;
	const uint64_t place = below(load, WEAK_KEPT);

	old = get(local[MY_WEAK], place);
	if (old && get(old, WEAK_REFERENT))
		check_class(get(old, WEAK_REFERENT),
			    old->refs[WEAK_QUEUE] ? CLASS_STRING : CLASS_CUSTOMER);
	if (below(load, 2)) {
		local[SCRATCH] = any_customer(load);
		local[SCRATCH_2] = mutator__new_weak(load->m, &local[SCRATCH]);
	} else {
		local[SCRATCH] = new_string(load->m, 20);
		local[SCRATCH_2] = mutator__new_weak(load->m, &local[SCRATCH]);
		put(load->m, local[SCRATCH_2], WEAK_QUEUE, static_slots[STATIC_STORE_EMPTY]);
	}
	put(load->m, local[MY_WEAK], place, local[SCRATCH_2]);
}

static void open_file(struct load *load)
{
	struct object **local = load->local;

	local[SCRATCH] = mutator__new(load->m, CLASS_FILE, 0);
	local[SCRATCH_2] = new_string(load->m, 30);
	put(load->m, local[SCRATCH], FILE_PATH, local[SCRATCH_2]);
	put(load->m, local[MY_FILES], below(load, FILES_KEPT), local[SCRATCH]);
}

static void exchange_handle(struct load *load)
{
	static const enum handle_kind kinds[] = { HANDLE_STRONG, HANDLE_GLOBAL, HANDLE_WEAK,
						  HANDLE_WEAK_LONG, HANDLE_DEPENDENT };
	const enum handle_kind kind = kinds[below(load, 5)];
	uint32_t *handle = &load->handles[below(load, HANDLES_KEPT)];
	struct object **local = mutator__push(load->m, METHOD_HANDLES, 2);

	if (*handle)
		handle__free(*handle);
	*handle = 0;
	local[0] = kind == HANDLE_DEPENDENT ? any_customer(load) : new_string(load->m, 16);
	local[1] = kind == HANDLE_DEPENDENT ? new_string(load->m, 40) : NULL;
	if (local[0])
		*handle = handle__new(kind, local[0], local[1]);
	mutator__pop(load->m);
}

static void exchange_pin(struct load *load)
{
	const uint64_t room = opt.nursery / opt.threads / PIN_ROOM;
	uint32_t *pin = &load->pins[below(load, room < PINS_KEPT ? room : PINS_KEPT)];
	struct object **local;

	if (!room) /* pinned objects would fill it */
		return;
	local = mutator__push(load->m, METHOD_PIN, 2);
	if (*pin)
		handle__free(*pin);
	*pin = 0;
	local[0] = mutator__new(load->m, CLASS_BUFFER, 0);
	local[1] = mutator__new(load->m, CLASS_BYTES, 32 + below(load, 500));
	put(load->m, local[0], BUFFER_DATA, local[1]);
	/* Now and then something that may be old already. */
	if (!below(load, 3) && any_customer(load))
		local[0] = any_customer(load);
	*pin = handle__new(HANDLE_PINNED, local[below(load, 2)], NULL);
	mutator__pop(load->m);
}

static void make_large(struct load *load)
{
	struct object **local = load->local;

	mutator__push(load->m, METHOD_LARGE, 0);
	if (below(load, 2)) {
		local[SCRATCH] = mutator__new(load->m, CLASS_BYTES, opt.large + below(load, 65536));
	} else {
		const uint64_t length = opt.large / 8 + below(load, 1000);

		local[SCRATCH] = mutator__new(load->m, CLASS_OBJECTS, length);
		for (unsigned i = 0; i < 20; i++) {
			local[SCRATCH_2] = new_string(load->m, 8);
			put(load->m, local[SCRATCH], below(load, length), local[SCRATCH_2]);
			put(load->m, local[SCRATCH], below(load, length), any_customer(load));
		}
	}
	put(load->m, local[MY_LARGE], below(load, LARGE_KEPT), local[SCRATCH]);
	mutator__pop(load->m);
}

static void make_report(struct load *load)
{
	struct object **local = mutator__push(load->m, METHOD_LARGE, 2);

	local[0] = mutator__new(load->m, CLASS_WIDE, 0);
	for (unsigned i = 0; i < 20; i++)
		put(load->m, local[0], below(load, classes[CLASS_WIDE].fields), any_customer(load));
	local[1] = new_list(load->m, 10);
	put(load->m, local[0], RECORD_TAG, local[1]);
	mutator__pop(load->m);
}

/* ---- The leak ---- */

static void make_cache(struct load *load)
{
	struct object **local = load->local;

	local[SCRATCH] = mutator__new(load->m, CLASS_ORDER_CACHE, 0);
	local[SCRATCH_2] = new_map(load->m, 32);
	put(load->m, local[SCRATCH], CACHE_BY_ID, local[SCRATCH_2]);
	static_slots[STATIC_CACHE] = local[SCRATCH];
	load->leak_start = now_ns();
}

static void leak_one(struct load *load)
{
	struct object **local = mutator__push(load->m, METHOD_PUT, 3);

	local[0] = any_customer(load);
	if (local[0]) {
		local[1] = new_order(load->m, &local[0]);
		local[2] = new_string(load->m, 12);
		map_put(load->m, &static_slots[STATIC_CACHE], CACHE_BY_ID, &local[2], &local[1]);
		put(load->m, static_slots[STATIC_CACHE], CACHE_LATEST, local[1]);
	}
	mutator__pop(load->m);
	load->leaked++;
}

static void leak(struct load *load)
{
	uint64_t due;

	if (!static_slots[STATIC_CACHE])
		make_cache(load);
	if (opt.deterministic)
		due = load->requests * opt.leak_rate / 1000;
	else
		due = (uint64_t)((double)(now_ns() - load->leak_start) * 1e-9 *
				 (double)opt.leak_rate);
	for (unsigned i = 0; i < 100 && load->leaked < due; i++)
		leak_one(load);
}

/* ---- Finalizers ---- */

static sem_t finalizer_wanted;

void load__init(void)
{
	sem_init(&finalizer_wanted, 0, 0);
}

void load__wake_finalizer(void)
{
	if (finalizer_queue.next < finalizer_queue.list.count)
		sem_post(&finalizer_wanted);
}

static void finalize_waiting(struct mutator *m)
{
	struct object **local = mutator__push(m, METHOD_FINALIZE, 2);

	while ((local[0] = finalizer_queue__take())) {
		check_class(local[0], CLASS_FILE);
		local[1] = get(local[0], FILE_PATH);
		if (local[1])
			check_class(local[1], CLASS_STRING);
		local[1] = new_string(m, 10);
		put(m, local[0], FILE_PATH, local[1]);
	}
	mutator__pop(m);
}

void load__run_finalizers(struct mutator *m)
{
	mutator__push(m, METHOD_RUN, 0);
	for (;;) {
		finalize_waiting(m);
		safepoint__leave();
		while (sem_wait(&finalizer_wanted) && errno == EINTR)
			;
		safepoint__enter();
	}
}

/* ---- Requests ---- */

static const struct {
	void (*serve)(struct load *load);
	unsigned weight;
} mix[] = {
	{ parse_something, 30 },  { order_something, 30 }, { refresh_session, 12 },
	{ replace_customer, 12 }, { make_weak, 4 },	   { make_report, 4 },
	{ open_file, 2 },	  { exchange_handle, 2 },  { exchange_pin, 2 },
};

static void serve(struct load *load)
{
	unsigned dice = (unsigned)below(load, 98);

	mutator__push(load->m, METHOD_SERVE, 0);
	for (unsigned i = 0; i < sizeof(mix) / sizeof(*mix); i++) {
		if (dice < mix[i].weight) {
			mix[i].serve(load);
			break;
		}
		dice -= mix[i].weight;
	}
	if (load->requests % 400 == 0)
		make_large(load);
	mutator__pop(load->m);
}

static void prepare(struct load *load)
{
	struct mutator *m = load->m;
	struct object **local = load->local;

	load->capacity = opt.objects / opt.threads / OBJECTS_OF_CUSTOMER;
	local[MY_CUSTOMERS] = mutator__new(m, CLASS_OBJECTS, load->capacity);
	put(m, static_slots[STATIC_STORE_SHARDS], m->index - 1, local[MY_CUSTOMERS]);
	local[MY_LARGE] = mutator__new(m, CLASS_OBJECTS, LARGE_KEPT);
	local[MY_WEAK] = mutator__new(m, CLASS_OBJECTS, WEAK_KEPT);
	local[MY_FILES] = mutator__new(m, CLASS_OBJECTS, FILES_KEPT);
	put(m, m->thread, THREAD_LOCALS, local[MY_LARGE]);
}

void load__run(struct mutator *m)
{
	struct load load = { .m = m };

	load.local = mutator__push(m, METHOD_RUN, LOCALS);
	prepare(&load);
	if (opt.plant)
		plant(m);
	for (;;) {
		load.requests++;
		fill(&load);
		serve(&load);
		if (opt.leak && m->index == 1)
			leak(&load);
		if (opt.deterministic)
			finalize_waiting(m);
	}
}
