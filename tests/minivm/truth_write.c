/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the truth file. Records of objects and of their references come in turns of PART objects,
 * so that neither the writer nor a reader has to hold a heap.
 *
 * Delta mode keeps what was said last, a hash table by id, and makes a new one at each collection:
 * ids that only the old one has are GONE, objects that the old one has not, or has otherwise, are
 * told.
 */
#include "truth_write.h"
#include "classes.h"
#include "collection.h"
#include "collector.h"
#include "mutator.h"
#include "options.h"
#include "report.h"
#include "roots.h"
#include "truth.h"
#include "truth_sites.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER (1u << 20)
#define PART 4096u

/* Where an object was, by id; id 0: a free place. */
struct place {
	uint64_t id, address;
	uint32_t generation;
};

struct places {
	struct place *items;
	uint64_t capacity, count;
};

static struct {
	int fd;
	unsigned char *buffer;
	size_t used;
	struct object *part[PART];
	size_t count;
	struct places before, now;
	struct truth_root *roots, container;
	size_t root_count, root_capacity;
} truth = { .fd = -1 };

/* ---- Bytes ---- */

void truth__flush(void)
{
	size_t done = 0;

	while (done < truth.used) {
		ssize_t n = write(truth.fd, truth.buffer + done, truth.used - done);

		if (n < 0 && errno != EINTR)
			die("cannot write %s: %s", opt.truth, strerror(errno));
		done += n > 0 ? (size_t)n : 0;
	}
	truth.used = 0;
}

static void put_bytes(const void *bytes, size_t count)
{
	const unsigned char *from = bytes;

	while (count) {
		size_t n = BUFFER - truth.used < count ? BUFFER - truth.used : count;

		memcpy(truth.buffer + truth.used, from, n);
		truth.used += n;
		from += n;
		count -= n;
		if (truth.used == BUFFER)
			truth__flush();
	}
}

static void put_record(uint32_t kind, uint64_t bytes)
{
	const struct truth_record record = { .kind = kind, .bytes = bytes };

	put_bytes(&record, sizeof(record));
}

static void put_whole(uint32_t kind, const void *payload, uint64_t bytes)
{
	put_record(kind, bytes);
	put_bytes(payload, bytes);
}

static void put_part(uint32_t kind, uint64_t count, uint64_t bytes)
{
	const struct truth_part part = { .count = count };

	put_record(kind, sizeof(part) + bytes);
	put_bytes(&part, sizeof(part));
}

static void put_u64(uint64_t value)
{
	put_bytes(&value, sizeof(value));
}

/* ---- Start and end ---- */

static void write_class(unsigned number)
{
	static const char zeroes[8];
	const struct class *c = &classes[number];
	const uint64_t text = c->name.bytes + c->joined.bytes, padding = -text & 7;
	const struct truth_class record = {
		.number = number,
		.super = c->super,
		.flags = c->flags,
		.instance_bytes = c->bytes,
		.fields = c->fields,
		.name_bytes = (uint32_t)c->name.bytes,
	};

	put_record(TRUTH_CLASS, sizeof(record) + text + padding);
	put_bytes(&record, sizeof(record));
	put_bytes(c->name.text, c->name.bytes);
	put_bytes(c->joined.text, c->joined.bytes);
	put_bytes(zeroes, padding);
}

void truth__open(void)
{
	struct truth_head head = { .magic = TRUTH_MAGIC, .head_bytes = sizeof(head),
				   .delta = opt.truth_mode == TRUTH_DELTA,
				   .pid = (uint64_t)getpid(), .seed = opt.seed };

	if (!opt.truth)
		return;
	truth.fd = open(opt.truth, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (truth.fd < 0)
		die("cannot open %s: %s", opt.truth, strerror(errno));
	truth.buffer = get_memory(NULL, BUFFER);
	put_bytes(&head, sizeof(head));
	for (unsigned i = CLASS_OBJECT; i < CLASSES; i++)
		write_class(i);
}

void truth__close(void)
{
	if (truth.fd < 0)
		return;
	put_record(TRUTH_END, 0);
	truth__flush();
	if (close(truth.fd))
		die("cannot write %s: %s", opt.truth, strerror(errno));
	truth.fd = -1;
}

/* ---- Objects ---- */

static void put_object(const struct object *o)
{
	const uint64_t head = object__head(o);
	const struct truth_object record = {
		.id = o->id,
		.address = (uint64_t)(uintptr_t)o,
		.size = head__size(head),
		.class_ = head__class(head),
		.generation = (uint8_t)heap__generation(o),
		.age = (uint8_t)head__age(head),
		.flags = !!(head & HEAD_PINNED),
	};

	put_bytes(&record, sizeof(record));
}

static void put_references(const struct object *o)
{
	const uint64_t refs = head__refs(object__head(o));

	put_u64(refs);
	for (uint64_t i = 0; i < refs; i++)
		put_u64(o->refs[i] ? o->refs[i]->id : 0);
}

static void flush_part(bool with_references)
{
	uint64_t words = 0;

	if (!truth.count)
		return;
	put_part(TRUTH_OBJECTS, truth.count, truth.count * sizeof(struct truth_object));
	for (size_t i = 0; i < truth.count; i++) {
		put_object(truth.part[i]);
		words += 1 + head__refs(object__head(truth.part[i]));
	}
	if (with_references) {
		put_part(TRUTH_REFERENCES, truth.count, words * 8);
		for (size_t i = 0; i < truth.count; i++)
			put_references(truth.part[i]);
	}
	truth.count = 0;
}

static bool see_object(void *context, struct object *o)
{
	(void)context;
	truth.part[truth.count++] = o;
	if (truth.count == PART)
		flush_part(true);
	return true;
}

/* ---- Roots ---- */

static void see_container(void *context, uint64_t type, uint64_t id1, uint64_t id2)
{
	(void)context;
	if (type == GCTRACE_C_DEPENDENT)
		id1 = ((const struct object *)(uintptr_t)id1)->id;
	truth.container = (struct truth_root){ .container = type, .id1 = id1, .id2 = id2 };
}

static void see_root(void *context, struct object **slot, uint64_t kind, uint64_t id)
{
	struct truth_root *root;

	(void)context;
	if (truth.root_count == truth.root_capacity) {
		truth.root_capacity = 2 * truth.root_capacity + 1024;
		truth.roots = get_memory(truth.roots, truth.root_capacity * sizeof(*truth.roots));
	}
	root = &truth.roots[truth.root_count++];
	*root = truth.container;
	root->kind = kind;
	root->kind_id = id;
	root->object = (*slot)->id;
}

static void write_roots(void)
{
	const struct root_visitor visitor = { see_container, see_root, NULL };

	truth.root_count = 0;
	for (unsigned i = 0; i < roots__tasks(); i++)
		roots__visit(i, &visitor);
	roots__visit_weak(&visitor);
	roots__visit_dependent(&visitor);
	put_part(TRUTH_ROOTS, truth.root_count, truth.root_count * sizeof(*truth.roots));
	put_bytes(truth.roots, truth.root_count * sizeof(*truth.roots));
}

static void write_everything(void)
{
	heap__walk(see_object, NULL);
	flush_part(true);
	write_roots();
}

/* ---- Delta ---- */

static struct place *find_place(struct places *places, uint64_t id)
{
	uint64_t at = object__pattern(id) >> 16 & (places->capacity - 1);

	while (places->items[at].id && places->items[at].id != id)
		at = (at + 1) & (places->capacity - 1);
	return &places->items[at];
}

static void make_places(struct places *places, uint64_t objects)
{
	uint64_t capacity = 1024;

	while (capacity < 2 * objects)
		capacity *= 2;
	if (capacity > places->capacity)
		places->items = get_memory(places->items, capacity * sizeof(*places->items));
	if (capacity > places->capacity)
		places->capacity = capacity;
	memset(places->items, 0, places->capacity * sizeof(*places->items));
	places->count = 0;
}

static bool see_now(void *context, struct object *o)
{
	(void)context;
	*find_place(&truth.now, o->id) = (struct place){ o->id, (uint64_t)(uintptr_t)o,
							 heap__generation(o) };
	return true;
}

static bool see_change(void *context, struct object *o)
{
	const struct place *before = find_place(&truth.before, o->id);

	(void)context;
	if (before->id && before->address == (uint64_t)(uintptr_t)o &&
	    before->generation == heap__generation(o))
		return true;
	truth.part[truth.count++] = o;
	if (truth.count == PART)
		flush_part(false);
	return true;
}

static bool is_gone(const struct place *place)
{
	return place->id && !find_place(&truth.now, place->id)->id;
}

static void write_gone(void)
{
	uint64_t gone = 0;

	for (uint64_t i = 0; i < truth.before.capacity; i++)
		gone += is_gone(&truth.before.items[i]);
	put_part(TRUTH_GONE, gone, gone * 8);
	for (uint64_t i = 0; i < truth.before.capacity; i++) {
		if (is_gone(&truth.before.items[i]))
			put_u64(truth.before.items[i].id);
	}
}

static void write_delta(void)
{
	struct usage usage[GENERATIONS];
	struct places spare;
	uint64_t objects = 0;

	heap__usage(usage);
	for (unsigned i = 0; i < GENERATIONS; i++)
		objects += usage[i].objects;
	if (!truth.before.capacity)
		make_places(&truth.before, 0);
	make_places(&truth.now, objects);
	heap__walk(see_now, NULL);
	write_gone();
	heap__walk(see_change, NULL);
	flush_part(false);
	spare = truth.before;
	truth.before = truth.now;
	truth.now = spare;
}

/* ---- Events ---- */

void truth__gc_start(const struct gc *gc)
{
	const struct truth_gc_start record = {
		.gc = gc->number,
		.time_ns = gc->start_ns,
		.pause = gc->start_pause,
		.condemned = gc->condemned,
		.reason = gc->reason,
		.how = gc->how,
	};

	if (truth.fd >= 0)
		put_whole(TRUTH_GC_START, &record, sizeof(record));
}

static struct truth_usage usage_of(const struct usage *usage)
{
	return (struct truth_usage){ usage->objects, usage->bytes };
}

static struct truth_counts counts_of(const struct gc_counts *counts)
{
	return (struct truth_counts){
		.condemned = usage_of(&counts->condemned), .moved = usage_of(&counts->moved),
		.stayed = usage_of(&counts->stayed), .survived = usage_of(&counts->survived),
		.promoted = usage_of(&counts->promoted), .dead = usage_of(&counts->dead),
	};
}

void truth__gc_finish(const struct gc *gc)
{
	struct truth_gc_finish record = {
		.gc = gc->number,
		.time_ns = gc->finish_ns,
		.pause = pause_now.number,
		.with_objects = gc->number % opt.truth_every == 0,
	};

	if (truth.fd < 0)
		return;
	for (unsigned i = 0; i < GENERATIONS; i++) {
		const struct gc_pool *pool = &gc->pools[i];

		record.counts[i] = counts_of(&gc->counts[i]);
		record.pools[i] = (struct truth_pool){ pool->before, pool->used, pool->committed,
						       pool->max };
	}
	if (record.with_objects && opt.truth_mode == TRUTH_DELTA)
		write_delta();
	else if (record.with_objects)
		write_everything();
	put_whole(TRUTH_GC_FINISH, &record, sizeof(record));
	if (opt.truth_sites) {
		truth_sites__count(collections__finished());
		truth_sites__write(put_whole);
	}
}

void truth__pause(const struct pause *pause)
{
	const struct truth_pause record = {
		.number = pause->number,
		.why = pause->why,
		.gc = pause->gc,
		.requested_ns = pause->requested_ns,
		.begin_ns = pause->begin_ns,
		.end_ns = pause->end_ns,
	};

	if (truth.fd < 0)
		return;
	put_whole(TRUTH_PAUSE, &record, sizeof(record));
	truth__flush();
}

void truth__dump(uint64_t dump, uint64_t gc, uint64_t status, const struct dump_totals *totals)
{
	const struct truth_dump record = {
		.dump = dump,
		.gc = gc,
		.status = status,
		.objects = totals->objects,
		.references = totals->references,
		.roots = totals->roots,
		.bytes = totals->bytes,
	};

	if (truth.fd < 0)
		return;
	write_everything();
	put_whole(TRUTH_DUMP, &record, sizeof(record));
}
