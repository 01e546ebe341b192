/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What must be true after each collection:
 *
 *   - every space can be walked, each object has a known class, an id that was handed out, no flag
 *     of a collection under way, and the plain word that its id says
 *   - every reference of every object, also of garbage, and every root is null or the start of an
 *     object
 *   - a slot outside the nursery refers into it if and only if it is in the remembered set
 *   - as many objects and bytes as the collector's accounts say, in each generation
 *   - nothing pinned is without a pin
 *   - no two objects have one id
 *   - the survivors, as they were told, are as many as were found alive
 */
#include "verify.h"
#include "classes.h"
#include "large.h"
#include "nursery.h"
#include "old.h"
#include "options.h"
#include "remset.h"
#include "roots.h"

#include <gctrace/wire.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static struct {
	uint64_t *starts; /* a bit for each 8 bytes from heap.young on */
	uint64_t bytes;
	uint64_t *ids; /* a set by hashing; 0: free */
	uint64_t ids_capacity;
	struct usage usage[GENERATIONS];
	uint64_t pinned, into_nursery;
	uint64_t gc;
} check;

/* n: what there is to say a number of. */
static void __attribute__((noreturn)) wrong(const struct object *o, const char *what, uint64_t n)
{
	bug("collection %llu: object %llu at %p (class %u): %s (%#llx)",
	    (unsigned long long)check.gc, (unsigned long long)o->id, (const void *)o,
	    object__class(o), what, (unsigned long long)n);
}

void verify__init(void)
{
	check.bytes = (heap.large + heap.large_bytes - heap.young) / 64 + 8;
	check.starts = reserve(0, check.bytes, "the self-check");
}

static bool is_object(const struct object *o)
{
	const uint64_t bit = ((uint64_t)(uintptr_t)o - heap.young) >> 3;

	if (((uintptr_t)o & 7) || bit >= check.bytes * 8)
		return false;
	return check.starts[bit >> 6] >> (bit & 63) & 1;
}

static void add_start(const struct object *o)
{
	const uint64_t bit = ((uint64_t)(uintptr_t)o - heap.young) >> 3;

	check.starts[bit >> 6] |= (uint64_t)1 << (bit & 63);
}

static void check_pattern(struct object *o)
{
	const uint64_t head = object__head(o), refs = head__refs(head);
	const unsigned class_ = head__class(head);

	if (classes[class_].flags & GCTRACE_CLASS_ARRAY)
		return;
	if (sizeof(*o) + 8 * refs + 8 > object__size(o))
		return;
	if (*object__plain(o, 0) != object__pattern(o->id))
		wrong(o, "its first plain word is not that of its id: a copy went wrong",
		      *object__plain(o, 0));
}

static void add_id(const struct object *o)
{
	uint64_t at = object__pattern(o->id) % check.ids_capacity;

	for (; check.ids[at]; at = (at + 1) % check.ids_capacity) {
		if (check.ids[at] == o->id)
			wrong(o, "another object has the same id", o->id);
	}
	check.ids[at] = o->id;
}

static bool see_object(void *context, struct object *o)
{
	const uint64_t head = object__head(o);
	const enum generation generation = heap__generation(o);
	uint64_t flags = HEAD_FORWARDED | (generation == GEN_OLD ? HEAD_MARKED : 0);

	(void)context;
	if (generation == GEN_LARGE && !large.born_marked)
		flags |= HEAD_MARKED;
	if (head & flags)
		wrong(o, "its head holds flags of a collection", head);
	if (head__class(head) >= CLASSES)
		wrong(o, "there is no such class", head);
	if (!o->id || o->id >= heap.next_id)
		wrong(o, "its id was never handed out", heap.next_id);
	check_pattern(o);
	add_id(o);
	add_start(o);
	check.usage[generation].objects++;
	check.usage[generation].bytes += object__size(o);
	check.pinned += !!(head & HEAD_PINNED);
	return true;
}

static bool see_references(void *context, struct object *o)
{
	const uint64_t refs = head__refs(object__head(o));
	const uint64_t strong = head__strong_refs(object__head(o));
	const bool is_outside = !heap__is_young(o);

	(void)context;
	for (uint64_t i = 0; i < refs; i++) {
		bool is_inward;

		if (o->refs[i] && !is_object(o->refs[i]))
			wrong(o, "a reference leads to what is no object",
			      (uint64_t)(uintptr_t)o->refs[i]);
		if (!is_outside || i >= strong)
			continue;
		is_inward = o->refs[i] && heap__is_young(o->refs[i]);
		check.into_nursery += is_inward;
		if (is_inward && !remset__has(&o->refs[i]))
			wrong(o, "a reference into the nursery is not remembered: its number", i);
	}
	return true;
}

static void see_word(void *context, struct object **slot)
{
	(void)context;
	if (!is_object(*slot))
		bug("collection %llu: a root leads to %p, which is no object",
		    (unsigned long long)check.gc, (void *)*slot);
}

static void check_usage(void)
{
	static const char *const names[] = { "nursery", "old space", "large objects" };
	struct usage usage[GENERATIONS];

	heap__usage(usage);
	for (unsigned i = 0; i < GENERATIONS; i++) {
		if (usage[i].objects == check.usage[i].objects &&
		    usage[i].bytes == check.usage[i].bytes)
			continue;
		bug("collection %llu: %s: %llu objects, %llu bytes by account, %llu, %llu there",
		    (unsigned long long)check.gc, names[i], (unsigned long long)usage[i].objects,
		    (unsigned long long)usage[i].bytes,
		    (unsigned long long)check.usage[i].objects,
		    (unsigned long long)check.usage[i].bytes);
	}
}

/* Exact after a trace; at the end of a concurrent collection the program has stored since. */
static void check_remset(bool is_exact)
{
	if (!is_exact)
		return;
	for (size_t i = 0; i < remset.count; i++) {
		struct object **slot = remset.items[i];

		if (!*slot || !heap__is_young(*slot) || !remset__has(slot))
			bug("collection %llu: the remembered slot %p refers to %p, not the nursery",
			    (unsigned long long)check.gc, (void *)slot, (void *)*slot);
	}
	/* Dead ones are remembered as long as they are there; two mutators may add one slot. */
	if (remset.count < check.into_nursery ||
	    (opt.threads == 1 && remset.count > check.into_nursery))
		bug("collection %llu: %zu slots are remembered, %llu refer to the nursery",
		    (unsigned long long)check.gc, remset.count,
		    (unsigned long long)check.into_nursery);
}

static void check_pins(void)
{
	uint64_t pins = 0;

	for (uint32_t i = 1; i < handles__count(); i++) {
		const struct handle *handle = handle__at(i);

		if (handle->kind != HANDLE_PINNED)
			continue;
		if (!(handle->object->head & HEAD_PINNED))
			wrong(handle->object, "it has a pin and does not know", i);
		pins++;
	}
	if (pins != check.pinned)
		bug("collection %llu: %llu pins, %llu pinned objects", (unsigned long long)check.gc,
		    (unsigned long long)pins, (unsigned long long)check.pinned);
}

static void check_counts(const struct gc *gc)
{
	for (unsigned i = 0; i < GENERATIONS; i++) {
		const struct gc_counts *counts = &gc->counts[i];

		if (counts->dead.objects > counts->condemned.objects ||
		    counts->dead.bytes > counts->condemned.bytes)
			bug("collection %llu: more died in generation %u than there were",
			    (unsigned long long)check.gc, i);
	}
}

static void begin(const struct gc *gc)
{
	struct usage usage[GENERATIONS];
	uint64_t objects = 0;

	heap__usage(usage);
	for (unsigned i = 0; i < GENERATIONS; i++)
		objects += usage[i].objects;
	if (check.ids_capacity < 2 * objects + 64) {
		check.ids_capacity = 4 * objects + 64;
		check.ids = get_memory(check.ids, check.ids_capacity * sizeof(*check.ids));
	}
	memset(check.ids, 0, check.ids_capacity * sizeof(*check.ids));
	madvise(check.starts, check.bytes, MADV_DONTNEED);
	memset(check.usage, 0, sizeof(check.usage));
	check.pinned = check.into_nursery = 0;
	check.gc = gc->number;
}

void verify__heap(const struct gc *gc)
{
	begin(gc);
	heap__walk(see_object, NULL);
	heap__walk(see_references, NULL);
	roots__each_word(see_word, NULL);
	check_usage();
	check_remset(!(gc->how & GCTRACE_HOW_CONCURRENT));
	check_pins();
	check_counts(gc);
}
