/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sites, the semaphores and the writers behind <gctrace/probes.h>, which includes this file in
 * the one source file that defines GCTRACE_PROBES_IMPLEMENTATION. Not for any other use.
 *
 * The sites stand in this file alone, each once, so that a process has one place for each probe.
 */
#ifndef GCTRACE_IMPLEMENTATION_H
#define GCTRACE_IMPLEMENTATION_H

#ifdef _SYS_SDT_H
#error "<sys/sdt.h> came before <gctrace/probes.h>: its probes would have no semaphores. Give \
GCTRACE_PROBES_IMPLEMENTATION a source file of its own."
#endif
/* Arguments as numbers or in registers: tracers do not read every memory operand. */
#define STAP_SDT_ARG_CONSTRAINT nr
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GCTRACE_DEFINE_PROBE(name)                                                                \
	GCTRACE_HIDDEN volatile unsigned short gctrace_##name##_semaphore                         \
		__attribute__((section(".probes"), used)) = 0;
#define GCTRACE_DEFINE_REQUEST(name) GCTRACE_DEFINE_PROBE(request__##name)

/* "hidden" wants to be said before the definition; C++ warns of extern with a value. */
GCTRACE_EACH_PROBE(GCTRACE_DEFINE_PROBE)
GCTRACE_EACH_REQUEST(GCTRACE_DEFINE_REQUEST)

/* A request's probe never fires: gctrace attaches to it, and that is the request. */
GCTRACE_HIDDEN __attribute__((used, noinline)) void gctrace_request_sites(void)
{
	STAP_PROBE(gctrace, request__dump);
	STAP_PROBE(gctrace, request__postpone);
	STAP_PROBE(gctrace, request__pause);
	STAP_PROBE(gctrace, request__moves);
}

/*
 * A tracer's programs copy what a probe names without waiting for memory: what is not present (a
 * text that was never read, what was swapped out) would be lost. So each page of it is read first.
 */
static inline void gctrace_touch(const void *from, size_t bytes)
{
	const volatile unsigned char *at = (const volatile unsigned char *)from;

	if (!from || !bytes)
		return;
	for (size_t i = 0; i < bytes; i += 4096)
		(void)at[i];
	(void)at[bytes - 1];
}

/* ---- One by one ---- */

GCTRACE_HIDDEN void gctrace_fire_gc_start(uint64_t gc, uint64_t generations, uint64_t reason,
					  uint64_t how)
{
	STAP_PROBE4(gctrace, gc__start, gc, generations, reason, how);
}

GCTRACE_HIDDEN void gctrace_fire_gc_finish(uint64_t gc, uint64_t batches)
{
	STAP_PROBE2(gctrace, gc__finish, gc, batches);
}

GCTRACE_HIDDEN void gctrace_fire_pause_begin(uint64_t pause, uint64_t why)
{
	STAP_PROBE2(gctrace, pause__begin, pause, why);
}

GCTRACE_HIDDEN void gctrace_fire_pause_end(uint64_t pause, uint64_t suspend_ns, uint64_t batches)
{
	STAP_PROBE3(gctrace, pause__end, pause, suspend_ns, batches);
}

static inline size_t gctrace_part(size_t left)
{
	return left < GCTRACE_PART_ENTRIES ? left : GCTRACE_PART_ENTRIES;
}

GCTRACE_HIDDEN void gctrace_fire_moved_references(size_t count, const uint64_t *old_starts,
						  const uint64_t *new_starts, const void *lengths,
						  unsigned width, uint64_t gc, uint64_t generation,
						  uint64_t phase)
{
	const unsigned char *length = (const unsigned char *)lengths;
	uint64_t bytes = width;

	for (size_t i = 0; i < count;) {
		size_t n = gctrace_part(count - i);
		const unsigned char *part = length + i * width;

		gctrace_touch(old_starts + i, n * sizeof(*old_starts));
		gctrace_touch(new_starts + i, n * sizeof(*new_starts));
		gctrace_touch(part, n * width);
		STAP_PROBE8(gctrace, moved__references, n, old_starts + i, new_starts + i, part,
			    bytes, gc, generation, phase);
		i += n;
	}
}

GCTRACE_HIDDEN void gctrace_fire_surviving_references(size_t count, const uint64_t *starts,
						      const void *lengths, unsigned width,
						      uint64_t gc, uint64_t generation)
{
	const unsigned char *length = (const unsigned char *)lengths;
	uint64_t bytes = width;

	for (size_t i = 0; i < count;) {
		size_t n = gctrace_part(count - i);
		const unsigned char *part = length + i * width;

		gctrace_touch(starts + i, n * sizeof(*starts));
		gctrace_touch(part, n * width);
		STAP_PROBE6(gctrace, surviving__references, n, starts + i, part, bytes, gc,
			    generation);
		i += n;
	}
}

GCTRACE_HIDDEN void gctrace_fire_container_begin(uint64_t type, uint64_t id1, uint64_t id2)
{
	STAP_PROBE3(gctrace, container__begin, type, id1, id2);
}

GCTRACE_HIDDEN void gctrace_fire_root_references(size_t count, const uint64_t *refs,
						 const uint32_t *flags, const uint64_t *kinds,
						 const uint64_t *ids)
{
	for (size_t i = 0; i < count;) {
		size_t n = gctrace_part(count - i);
		const uint64_t *kind = kinds ? kinds + i : kinds, *id = ids ? ids + i : ids;

		gctrace_touch(refs + i, n * sizeof(*refs));
		gctrace_touch(flags + i, n * sizeof(*flags));
		gctrace_touch(kind, n * sizeof(*kind));
		gctrace_touch(id, n * sizeof(*id));
		STAP_PROBE5(gctrace, root__references, n, refs + i, flags + i, kind, id);
		i += n;
	}
}

GCTRACE_HIDDEN void gctrace_fire_object_references(uint64_t object, uint32_t flags, size_t count,
						   const uint64_t *refs, const uint32_t *ref_flags,
						   uint64_t class_, uint64_t size)
{
	size_t i = 0;

	do { /* an object without references is told too */
		size_t n = gctrace_part(count - i);
		const uint32_t *flag = ref_flags ? ref_flags + i : ref_flags;
		uint64_t all = i + n < count ? flags | GCTRACE_MORE_REFERENCES : flags;

		gctrace_touch(refs + i, n * sizeof(*refs));
		gctrace_touch(flag, n * sizeof(*flag));
		STAP_PROBE7(gctrace, object__references, object, all, n, refs + i, flag, class_,
			    size);
		i += n;
	} while (i < count);
}

GCTRACE_HIDDEN void gctrace_fire_class_define(uint64_t class_, const char *name, size_t name_bytes,
					      uint64_t super, uint32_t flags, const char *fields,
					      size_t fields_bytes, uint64_t size)
{
	uint64_t all = flags;

	gctrace_touch(name, name_bytes);
	gctrace_touch(fields, fields_bytes);
	STAP_PROBE8(gctrace, class__define, class_, name, name_bytes, super, all, fields,
		    fields_bytes, size);
}

GCTRACE_HIDDEN void gctrace_fire_object_alloc(uint64_t id, uint64_t size, uint64_t class_,
					      uint64_t stack, uint64_t weight)
{
	STAP_PROBE5(gctrace, object__alloc, id, size, class_, stack, weight);
}

/* ---- In batches ---- */

static inline uint64_t gctrace_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

GCTRACE_HIDDEN void gctrace_emitter_init(struct gctrace_emitter *emitter)
{
	memset(emitter, 0, sizeof(*emitter));
	emitter->producer = gctrace_now() ^ ((uint64_t)getpid() << 40) ^ (uintptr_t)emitter;
}

static inline void gctrace_reset(struct gctrace_writer *w)
{
	w->used = sizeof(struct gctrace_batch);
	w->records = w->open = w->ends = 0;
}

GCTRACE_HIDDEN void gctrace_writer_init(struct gctrace_writer *writer,
					struct gctrace_emitter *emitter, void *buffer)
{
	memset(writer, 0, sizeof(*writer));
	writer->emitter = emitter;
	writer->buffer = (unsigned char *)buffer;
	gctrace_reset(writer);
}

/* Ends the record that could grow: its length becomes known, the next starts at 8. */
static inline void gctrace_close(struct gctrace_writer *w)
{
	if (!w->open)
		return;
	((struct gctrace_record *)(void *)(w->buffer + w->open))->bytes = w->used - w->open;
	for (; w->used & 7; w->used++)
		w->buffer[w->used] = 0;
	w->open = 0;
}

/*
 * The batch's number, and in its records that end something how many were fired before it. A thread
 * may have taken a number and not have fired yet: then that is not known, or 0. All that had been
 * fired when we looked have lower numbers than ours, so if they are as many as those, they are all.
 */
static inline void gctrace_number(struct gctrace_writer *w, struct gctrace_batch *batch)
{
	const uint64_t fired = __atomic_load_n(&w->emitter->fired, __ATOMIC_ACQUIRE);
	uint64_t before;

	batch->sequence = __atomic_fetch_add(&w->emitter->sequence, 1, __ATOMIC_ACQ_REL);
	before = fired == batch->sequence ? fired : 0;
	for (uint32_t i = 0; i < w->ends; i++)
		memcpy(w->buffer + w->end[i], &before, sizeof(before));
}

GCTRACE_HIDDEN void gctrace_flush(struct gctrace_writer *writer)
{
	struct gctrace_batch *batch = (struct gctrace_batch *)(void *)writer->buffer;
	uint64_t bytes;

	gctrace_close(writer);
	if (!writer->records)
		return;
	batch->magic = GCTRACE_MAGIC;
	batch->major = GCTRACE_MAJOR;
	batch->minor = GCTRACE_MINOR;
	batch->header_bytes = sizeof(*batch);
	batch->bytes = writer->used;
	batch->records = writer->records;
	batch->producer = writer->emitter->producer;
	batch->gc = writer->gc;
	batch->pause = writer->pause;
	gctrace_number(writer, batch);
	bytes = batch->bytes;
	if (writer->emitter->sink) {
		writer->emitter->sink(writer->emitter->context, batch, batch->bytes);
	} else {
		gctrace_touch(batch, bytes);
		STAP_PROBE2(gctrace, batch, batch, bytes);
	}
	__atomic_fetch_add(&writer->emitter->fired, 1, __ATOMIC_RELEASE);
	gctrace_reset(writer);
}

GCTRACE_HIDDEN void gctrace_writer_context(struct gctrace_writer *writer, uint64_t gc,
					   uint64_t pause)
{
	if (writer->gc == gc && writer->pause == pause)
		return;
	gctrace_flush(writer);
	writer->gc = gc;
	writer->pause = pause;
}

static inline uint32_t gctrace_room(const struct gctrace_writer *w)
{
	return GCTRACE_BATCH_BYTES - ((w->used + 7) & ~7u);
}

/* A new record with its struct zeroed; the caller makes sure that bytes <= an empty batch. */
static inline void *gctrace_open(struct gctrace_writer *w, unsigned kind, uint32_t bytes,
				 uint32_t with)
{
	struct gctrace_record *head;

	gctrace_close(w);
	if (gctrace_room(w) < bytes + with)
		gctrace_flush(w);
	head = (struct gctrace_record *)(void *)(w->buffer + w->used);
	memset(head, 0, bytes);
	head->kind = (uint16_t)kind;
	w->open = w->used;
	w->used += bytes;
	w->records++;
	return head;
}

#define GCTRACE_OPEN(w, kind, type, with)                                                          \
	((struct type *)gctrace_open(w, kind, sizeof(struct type), with))

static inline void gctrace_put(struct gctrace_writer *w, const void *bytes, size_t count)
{
	if (count)
		memcpy(w->buffer + w->used, bytes, count);
	w->used += (uint32_t)count;
}

/* Writes there; returns where the next one goes. */
static inline unsigned char *gctrace_v(unsigned char *at, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*at++ = (unsigned char)(v | 0x80);
	*at++ = (unsigned char)v;
	return at;
}

static inline void gctrace_put_v(struct gctrace_writer *w, uint64_t v)
{
	w->used = (uint32_t)(gctrace_v(w->buffer + w->used, v) - w->buffer);
}

static inline uint64_t gctrace_zigzag(uint64_t difference)
{
	return difference << 1 ^ (0 - (difference >> 63));
}

/* The record at `offset` ends something: its u64 at `where` becomes the batch's number. */
static inline void gctrace_end(struct gctrace_writer *w, uint32_t where)
{
	w->end[w->ends++] = where;
	gctrace_close(w);
	if (w->ends == GCTRACE_WRITER_ENDS)
		gctrace_flush(w);
}

static inline uint32_t gctrace_text_bytes(const char *text, uint32_t *left)
{
	size_t n = text ? strlen(text) : 0;

	if (n > *left)
		n = *left;
	*left -= (uint32_t)n;
	return (uint32_t)n;
}

GCTRACE_HIDDEN void gctrace_write_producer(struct gctrace_writer *writer, const char *name,
					   const char *version, const char *runtime,
					   const char *collector)
{
	uint32_t left = GCTRACE_BATCH_BYTES / 2, n[4];
	const char *texts[4] = { name, version, runtime, collector };

	for (int i = 0; i < 4; i++)
		n[i] = gctrace_text_bytes(texts[i], &left);

	struct gctrace_producer *p = GCTRACE_OPEN(writer, GCTRACE_PRODUCER, gctrace_producer,
						  GCTRACE_BATCH_BYTES / 2 - left);
	p->name_bytes = n[0];
	p->version_bytes = n[1];
	p->runtime_bytes = n[2];
	p->collector_bytes = n[3];
	for (int i = 0; i < 4; i++)
		gctrace_put(writer, texts[i], n[i]);
	gctrace_close(writer);
}

GCTRACE_HIDDEN void gctrace_write_gc_start_of(struct gctrace_writer *writer, uint64_t time_ns,
					      uint64_t gc, uint64_t generations, uint32_t reason,
					      uint32_t how)
{
	struct gctrace_gc_start *r = GCTRACE_OPEN(writer, GCTRACE_GC_START, gctrace_gc_start, 0);

	r->gc = gc;
	r->time_ns = time_ns;
	r->generations = generations;
	r->reason = reason;
	r->how = how;
	gctrace_close(writer);
}

GCTRACE_HIDDEN void gctrace_write_gc_start(struct gctrace_writer *writer, uint64_t gc,
					   uint64_t generations, uint32_t reason, uint32_t how)
{
	gctrace_write_gc_start_of(writer, gctrace_now(), gc, generations, reason, how);
}

GCTRACE_HIDDEN void gctrace_write_gc_finish_of(struct gctrace_writer *writer, uint64_t time_ns,
					       uint64_t gc, uint32_t how, unsigned flags)
{
	struct gctrace_gc_finish *r = GCTRACE_OPEN(writer, GCTRACE_GC_FINISH, gctrace_gc_finish, 0);

	r->head.flags = (uint16_t)flags;
	r->gc = gc;
	r->time_ns = time_ns;
	r->how = how;
	gctrace_end(writer, writer->open + (uint32_t)offsetof(struct gctrace_gc_finish, batches));
}

GCTRACE_HIDDEN void gctrace_write_gc_finish_as(struct gctrace_writer *writer, uint64_t gc,
					       uint32_t how, unsigned flags)
{
	gctrace_write_gc_finish_of(writer, gctrace_now(), gc, how, flags);
}

GCTRACE_HIDDEN void gctrace_write_gc_finish(struct gctrace_writer *writer, uint64_t gc)
{
	gctrace_write_gc_finish_as(writer, gc, 0, 0);
}

GCTRACE_HIDDEN void gctrace_write_pause_begin_of(struct gctrace_writer *writer, uint64_t time_ns,
						 uint64_t pause, uint64_t why)
{
	struct gctrace_pause_begin *r =
		GCTRACE_OPEN(writer, GCTRACE_PAUSE_BEGIN, gctrace_pause_begin, 0);

	r->pause = pause;
	r->time_ns = time_ns;
	r->why = why;
	gctrace_close(writer);
}

GCTRACE_HIDDEN void gctrace_write_pause_begin(struct gctrace_writer *writer, uint64_t pause,
					      uint64_t why)
{
	gctrace_write_pause_begin_of(writer, gctrace_now(), pause, why);
}

GCTRACE_HIDDEN void gctrace_write_pause_end(struct gctrace_writer *writer, uint64_t pause,
					    uint64_t suspend_ns)
{
	struct gctrace_pause_end *r = GCTRACE_OPEN(writer, GCTRACE_PAUSE_END, gctrace_pause_end, 0);

	r->pause = pause;
	r->time_ns = gctrace_now();
	r->suspend_ns = suspend_ns;
	gctrace_end(writer, writer->open + (uint32_t)offsetof(struct gctrace_pause_end, batches));
	gctrace_flush(writer);
}

/* A base from which 16 GiB to either side are narrow. */
static inline uint64_t gctrace_base(uint64_t address)
{
	return address >> 34 ? address - ((uint64_t)1 << 34) : address & 7;
}

GCTRACE_HIDDEN struct gctrace_moved *gctrace_open_moved(struct gctrace_writer *writer, uint64_t gc,
							uint32_t generation, uint32_t phase,
							uint64_t old_start, uint64_t new_start,
							uint64_t length)
{
	struct gctrace_move_wide range = { old_start, new_start, length };
	struct gctrace_moved *m =
		GCTRACE_OPEN(writer, GCTRACE_MOVED, gctrace_moved, sizeof(range));

	m->gc = gc;
	m->generation = generation;
	m->phase = phase;
	m->width = 8;
	if (gctrace_narrow(0, length)) {
		m->form = GCTRACE_RANGES_NARROW;
		m->old_base = gctrace_base(old_start);
		m->new_base = gctrace_base(new_start);
		return m; /* the caller puts the range */
	}
	m->form = GCTRACE_RANGES_WIDE;
	m->count = 1;
	gctrace_put(writer, &range, sizeof(range));
	gctrace_close(writer);
	return m;
}

GCTRACE_HIDDEN struct gctrace_surviving *gctrace_open_surviving(struct gctrace_writer *writer,
								uint64_t gc, uint32_t generation,
								uint64_t start, uint64_t length)
{
	struct gctrace_survive_wide range = { start, length };
	struct gctrace_surviving *s =
		GCTRACE_OPEN(writer, GCTRACE_SURVIVING, gctrace_surviving, sizeof(range));

	s->gc = gc;
	s->generation = generation;
	s->width = 8;
	if (gctrace_narrow(0, length)) {
		s->form = GCTRACE_RANGES_NARROW;
		s->base = gctrace_base(start);
		return s; /* the caller puts the range */
	}
	s->form = GCTRACE_RANGES_WIDE;
	s->count = 1;
	gctrace_put(writer, &range, sizeof(range));
	gctrace_close(writer);
	return s;
}

GCTRACE_HIDDEN void gctrace_write_container(struct gctrace_writer *writer, uint64_t type,
					    uint64_t id1, uint64_t id2)
{
	struct gctrace_container *r = GCTRACE_OPEN(writer, GCTRACE_CONTAINER, gctrace_container, 0);

	r->type = writer->container = type;
	r->id1 = writer->id1 = id1;
	r->id2 = writer->id2 = id2;
	gctrace_close(writer);
}

#define GCTRACE_V_BYTES 10 /* of a compact number, at most */

static inline struct gctrace_record *gctrace_opened(struct gctrace_writer *w, unsigned kind,
						    uint32_t room)
{
	struct gctrace_record *head = (struct gctrace_record *)(void *)(w->buffer + w->open);

	if (!w->open || head->kind != kind || w->used + room > GCTRACE_BATCH_BYTES)
		return NULL;
	return head;
}

GCTRACE_HIDDEN void gctrace_write_root(struct gctrace_writer *writer, uint64_t reference,
				       uint32_t flags, uint64_t kind, uint64_t id)
{
	const uint16_t plain = reference & 7 ? GCTRACE_ROOTS_PLAIN : 0;
	struct gctrace_roots *r = (struct gctrace_roots *)(void *)gctrace_opened(
		writer, GCTRACE_ROOTS, 4 * GCTRACE_V_BYTES);

	if (!r || r->head.flags != plain || r->type != writer->container ||
	    r->id1 != writer->id1 || r->id2 != writer->id2) {
		r = GCTRACE_OPEN(writer, GCTRACE_ROOTS, gctrace_roots, 4 * GCTRACE_V_BYTES);
		r->head.flags = plain;
		r->type = writer->container;
		r->id1 = writer->id1;
		r->id2 = writer->id2;
		r->base = reference & ~(uint64_t)7;
	}
	gctrace_put_v(writer, gctrace_zigzag(plain ? reference - r->base
						   : (reference >> 3) - (r->base >> 3)));
	gctrace_put_v(writer, flags);
	gctrace_put_v(writer, kind);
	gctrace_put_v(writer, id);
	r->count++;
}

/* What of an object comes before its references, at most. */
#define GCTRACE_OBJECT_HEAD (1 + 6 * GCTRACE_V_BYTES)
/* What a reference takes at most: itself, flags, place. */
#define GCTRACE_OBJECT_REF (3 * GCTRACE_V_BYTES)

static inline unsigned gctrace_object_bits_of(const struct gctrace_object *o)
{
	uint64_t odd = o->id | o->size;
	uint32_t flagged = 0;

	for (size_t i = 0; i < o->count; i++) {
		odd |= o->refs[i];
		flagged |= o->ref_flags ? o->ref_flags[i] : 0;
	}
	return o->place | (flagged ? GCTRACE_OBJECT_REF_FLAGS : 0) |
	       (odd & 7 ? GCTRACE_OBJECT_PLAIN : 0);
}

static inline unsigned gctrace_shift(unsigned bits)
{
	return bits & GCTRACE_OBJECT_PLAIN ? 0 : 3;
}

static inline unsigned char *gctrace_references(unsigned char *at, const struct gctrace_object *o,
						size_t from, size_t n, unsigned bits)
{
	const int has_places = o->place == GCTRACE_PLACE_OFFSET || o->place == GCTRACE_PLACE_INDEX;
	const uint64_t *const refs = o->refs, *const places = has_places ? o->places : NULL;
	const unsigned shift = gctrace_shift(bits);
	const uint64_t own = o->id >> shift;

	for (size_t i = from; i < from + n; i++) {
		const uint64_t to = refs[i];

		at = gctrace_v(at, to ? 1 + gctrace_zigzag((to >> shift) - own) : 0);
		if (bits & GCTRACE_OBJECT_REF_FLAGS)
			at = gctrace_v(at, o->ref_flags[i]);
		if (places)
			at = gctrace_v(at, places[i]);
	}
	return at;
}

/* One part of an object: references from `from` on, as many as fit; returns how many. */
static inline size_t gctrace_put_object(struct gctrace_writer *w, const struct gctrace_object *o,
					size_t from, unsigned bits)
{
	const unsigned shift = gctrace_shift(bits);
	const size_t room = (GCTRACE_BATCH_BYTES - w->used - GCTRACE_OBJECT_HEAD) /
			    GCTRACE_OBJECT_REF;
	const size_t n = o->count - from < room ? o->count - from : room;
	const uint64_t first = o->first + from, id = o->id;
	unsigned char *at = w->buffer + w->used;
	uint32_t flags = o->flags | (from + n < o->count ? GCTRACE_MORE_REFERENCES : 0);

	bits |= (flags ? GCTRACE_OBJECT_FLAGS : 0) | (first ? GCTRACE_OBJECT_PART : 0);
	*at++ = (unsigned char)bits;
	at = gctrace_v(at, gctrace_zigzag(shift ? (id >> 3) - (w->last >> 3) : id - w->last));
	at = gctrace_v(at, o->class_);
	at = gctrace_v(at, o->size >> shift);
	if (flags)
		at = gctrace_v(at, flags);
	if (first)
		at = gctrace_v(at, first);
	at = gctrace_v(at, n);
	w->used = (uint32_t)(gctrace_references(at, o, from, n, bits) - w->buffer);
	w->last = id;
	return n;
}

GCTRACE_HIDDEN void gctrace_write_object(struct gctrace_writer *writer,
					 const struct gctrace_object *object)
{
	const uint32_t some = GCTRACE_OBJECT_HEAD + 16 * GCTRACE_OBJECT_REF;
	const unsigned bits = gctrace_object_bits_of(object);
	size_t done = 0;

	do {
		struct gctrace_objects *r = (struct gctrace_objects *)(void *)gctrace_opened(
			writer, GCTRACE_OBJECTS, some);

		if (!r) {
			r = GCTRACE_OPEN(writer, GCTRACE_OBJECTS, gctrace_objects, some);
			r->base = writer->last = object->id & ~(uint64_t)7;
		}
		done += gctrace_put_object(writer, object, done, bits);
		r->count++;
	} while (done < object->count);
}

/* How much of a text goes into a part that has room for `room` bytes of it. */
static inline size_t gctrace_fit(size_t bytes, size_t room)
{
	return bytes < room ? bytes : room;
}

/*
 * Parts of a text are told apart by the thread that fires them. So the last one goes at once: the
 * writer may be flushed by another thread, which ends a pause.
 */
GCTRACE_HIDDEN void gctrace_write_class(struct gctrace_writer *writer, uint64_t class_,
					const char *name, size_t name_bytes, uint64_t super,
					uint32_t flags, const char *fields, size_t fields_bytes,
					uint32_t size)
{
	const size_t most = GCTRACE_BATCH_BYTES - sizeof(struct gctrace_batch) -
			    sizeof(struct gctrace_class);
	const int in_parts = name_bytes > most || fields_bytes > most - name_bytes;

	do {
		size_t n = gctrace_fit(name_bytes, most), f = gctrace_fit(fields_bytes, most - n);
		struct gctrace_class *r = GCTRACE_OPEN(writer, GCTRACE_CLASS, gctrace_class,
						       (uint32_t)(n + f));

		r->head.flags = n < name_bytes || f < fields_bytes ? GCTRACE_MORE : 0;
		r->class_ = class_;
		r->super = super;
		r->flags = flags;
		r->size = size;
		r->name_bytes = (uint32_t)n;
		r->fields_bytes = (uint32_t)f;
		gctrace_put(writer, name, n);
		gctrace_put(writer, fields, f);
		gctrace_close(writer);
		name += n, name_bytes -= n;
		fields += f, fields_bytes -= f;
	} while (name_bytes || fields_bytes);
	if (in_parts)
		gctrace_flush(writer);
}

GCTRACE_HIDDEN void gctrace_write_define(struct gctrace_writer *writer, uint32_t space, uint64_t id,
					 uint64_t a, uint64_t b, const char *name,
					 size_t name_bytes)
{
	const size_t most = GCTRACE_BATCH_BYTES - sizeof(struct gctrace_batch) -
			    sizeof(struct gctrace_define);
	const int in_parts = name_bytes > most;

	do {
		size_t n = gctrace_fit(name_bytes, most);
		struct gctrace_define *r =
			GCTRACE_OPEN(writer, GCTRACE_DEFINE, gctrace_define, (uint32_t)n);

		r->head.flags = n < name_bytes ? GCTRACE_MORE : 0;
		r->space = space;
		r->name_bytes = (uint32_t)n;
		r->id = id;
		r->a = a;
		r->b = b;
		gctrace_put(writer, name, n);
		gctrace_close(writer);
		name += n, name_bytes -= n;
	} while (name_bytes);
	if (in_parts)
		gctrace_flush(writer);
}

GCTRACE_HIDDEN void gctrace_write_generation(struct gctrace_writer *writer, unsigned when,
					     uint64_t gc, uint64_t generation, uint64_t start,
					     uint64_t used, uint64_t reserved)
{
	struct gctrace_generation *r =
		GCTRACE_OPEN(writer, GCTRACE_GENERATION, gctrace_generation, 0);

	r->head.flags = (uint16_t)when;
	r->gc = gc;
	r->generation = generation;
	r->start = start;
	r->used = used;
	r->reserved = reserved;
	gctrace_close(writer);
}

GCTRACE_HIDDEN void gctrace_write_reuse(struct gctrace_writer *writer, uint64_t generations,
					uint64_t start, uint64_t length)
{
	struct gctrace_reuse *r = GCTRACE_OPEN(writer, GCTRACE_REUSE, gctrace_reuse, 0);

	r->generations = generations;
	r->start = start;
	r->length = length;
	gctrace_close(writer);
}

GCTRACE_HIDDEN void gctrace_write_pool(struct gctrace_writer *writer, uint64_t gc, const char *name,
				       uint64_t before, uint64_t used, uint64_t committed,
				       uint64_t max)
{
	uint32_t left = GCTRACE_BATCH_BYTES / 2, n = gctrace_text_bytes(name, &left);
	struct gctrace_pool *r = GCTRACE_OPEN(writer, GCTRACE_POOL, gctrace_pool, n);

	r->gc = gc;
	r->before = before;
	r->used = used;
	r->committed = committed;
	r->max = max;
	r->name_bytes = n;
	gctrace_put(writer, name, n);
	gctrace_close(writer);
}

GCTRACE_HIDDEN void gctrace_write_figure(struct gctrace_writer *writer, uint64_t gc, uint32_t what,
					 uint64_t generation, uint64_t value)
{
	struct gctrace_figure *r = GCTRACE_OPEN(writer, GCTRACE_FIGURE, gctrace_figure, 0);

	r->gc = gc;
	r->generation = generation;
	r->value = value;
	r->what = what;
	gctrace_close(writer);
}

GCTRACE_HIDDEN void gctrace_write_object_alloc_as(struct gctrace_writer *writer, uint64_t id,
						  uint64_t size, uint64_t class_, uint64_t stack,
						  uint64_t weight, uint64_t sample, uint64_t gc)
{
	struct gctrace_object_alloc *r =
		GCTRACE_OPEN(writer, GCTRACE_OBJECT_ALLOC, gctrace_object_alloc, 0);

	r->id = id;
	r->size = size;
	r->class_ = class_;
	r->stack = stack;
	r->weight = weight;
	r->sample = sample;
	r->gc = gc;
	gctrace_close(writer);
}

GCTRACE_HIDDEN void gctrace_write_object_alloc(struct gctrace_writer *writer, uint64_t id,
					       uint64_t size, uint64_t class_, uint64_t stack,
					       uint64_t weight)
{
	gctrace_write_object_alloc_as(writer, id, size, class_, stack, weight, 0, 0);
}

/* As many of the samples as one record takes; returns how many. */
static inline size_t gctrace_put_samples(struct gctrace_writer *w, struct gctrace_samples *r,
					 const struct gctrace_sample *samples, size_t count)
{
	const uint32_t most = GCTRACE_BATCH_BYTES - 4 * GCTRACE_V_BYTES;
	uint64_t before = r->first, last = 0;
	size_t i;

	for (i = 0; i < count && w->used <= most; i++) {
		const struct gctrace_sample *s = &samples[i];

		gctrace_put_v(w, s->sample - before);
		gctrace_put_v(w, s->bits);
		before = s->sample;
		if (s->bits & (GCTRACE_SAMPLE_MOVED | GCTRACE_SAMPLE_ADDRESS)) {
			gctrace_put_v(w, gctrace_zigzag((s->address >> 3) - last));
			last = s->address >> 3;
		}
		if (s->bits & GCTRACE_SAMPLE_GENERATION)
			gctrace_put_v(w, s->generation);
	}
	return i;
}

GCTRACE_HIDDEN void gctrace_write_samples(struct gctrace_writer *writer, unsigned flags,
					  uint64_t gc, uint64_t time_ns, uint64_t interval,
					  uint32_t lost, const struct gctrace_sample *samples,
					  size_t count)
{
	size_t done = 0;

	do {
		struct gctrace_samples *r = GCTRACE_OPEN(writer, GCTRACE_SAMPLES, gctrace_samples,
							 4 * GCTRACE_V_BYTES);
		size_t some;

		r->gc = gc;
		r->time_ns = time_ns;
		r->interval = interval;
		r->first = count ? samples[done].sample : 0;
		r->lost = done ? 0 : lost;
		some = gctrace_put_samples(writer, r, samples + done, count - done);
		r->count = (uint32_t)some;
		done += some;
		r->head.flags = (uint16_t)(flags | (done < count ? GCTRACE_MORE : 0));
		gctrace_close(writer);
	} while (done < count);
}

GCTRACE_HIDDEN void gctrace_write_beside(struct gctrace_writer *writer, unsigned flags)
{
	struct gctrace_beside *r = GCTRACE_OPEN(writer, GCTRACE_BESIDE, gctrace_beside, 0);

	r->head.flags = (uint16_t)flags;
	r->time_ns = gctrace_now();
	if (flags & GCTRACE_BESIDE_START)
		gctrace_close(writer);
	else
		gctrace_end(writer,
			    writer->open + (uint32_t)offsetof(struct gctrace_beside, batches));
	gctrace_flush(writer);
}

GCTRACE_HIDDEN void gctrace_write_notice(struct gctrace_writer *writer, uint32_t what,
					 const char *text)
{
	uint32_t left = GCTRACE_BATCH_BYTES / 2, n = gctrace_text_bytes(text, &left);
	struct gctrace_notice *r = GCTRACE_OPEN(writer, GCTRACE_NOTICE, gctrace_notice, n);

	r->what = what;
	r->text_bytes = n;
	gctrace_put(writer, text, n);
	gctrace_close(writer);
}

GCTRACE_HIDDEN void gctrace_write_unnamed(struct gctrace_writer *writer, uint32_t count)
{
	struct gctrace_unnamed *r = GCTRACE_OPEN(writer, GCTRACE_UNNAMED, gctrace_unnamed, 0);

	r->count = count;
	gctrace_close(writer);
}

GCTRACE_HIDDEN void gctrace_write_dump_end(struct gctrace_writer *writer, uint64_t dump,
					   uint64_t status, uint64_t objects, uint64_t references,
					   uint64_t roots, uint64_t bytes)
{
	struct gctrace_dump_end *r = GCTRACE_OPEN(writer, GCTRACE_DUMP_END, gctrace_dump_end, 0);

	r->dump = dump;
	r->status = status;
	r->objects = objects;
	r->references = references;
	r->roots = roots;
	r->bytes = bytes;
	r->time_ns = gctrace_now();
	gctrace_end(writer, writer->open + (uint32_t)offsetof(struct gctrace_dump_end, batches));
	gctrace_flush(writer);
}

#ifdef __cplusplus
}
#endif

#endif
