/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gctrace probes: what a runtime includes to be seen by gctrace.
 *
 *     #define GCTRACE_PROBES_IMPLEMENTATION       in one source file of its own
 *     #include <gctrace/probes.h>
 *
 *     #include <gctrace/probes.h>                 in every other one
 *
 * Needs <sys/sdt.h> (package systemtap-sdt-dev) in that one file, and nothing at run time. C11 or
 * C++11, x86-64 or arm64. docs/runtime-authors.md shows a whole example.
 *
 * WHO LISTENS
 *
 *   Every probe has a semaphore: a counter that the kernel raises while a tracer is attached. A
 *   probe that nobody listens to costs one load and one branch; gctrace_wants_NAME() is that
 *   test. Gather a kind only while it is wanted:
 *
 *     if (gctrace_wants_moved__references())
 *             ...
 *
 * ONE BY ONE, OR IN BATCHES
 *
 *   gctrace_fire_NAME() tells one call at once: simple, 0.5 us each. gctrace_write_NAME() packs
 *   into a buffer that is told as a whole: some ns each. Choose by gctrace_wants_batch(): while
 *   it holds, write; else fire. One kind goes one way only.
 *
 *   A writer belongs to one thread. It allocates nothing and takes no lock; it may be used in a
 *   stopped world. All writers of a runtime share one emitter, which numbers their batches.
 *
 *     static struct gctrace_emitter emitter;                    gctrace_emitter_init(&emitter)
 *     static _Alignas(8) unsigned char buffer[GCTRACE_BATCH_BYTES];
 *     struct gctrace_writer writer;                gctrace_writer_init(&writer, &emitter, buffer)
 *
 *   Before a pause or a collection ends, the writers of all other threads that told something of
 *   it are flushed; only then gctrace_write_gc_finish() and gctrace_write_pause_end(): they say
 *   how many batches there were, which is how a loss shows.
 *
 * REQUESTS
 *
 *   gctrace asks by semaphore too. Look at gctrace_requests_dump() some 20 times a second: up
 *   means: make a heap dump; down again in its middle means: stop, tell the container C_END, go
 *   on. gctrace_requests_postpone(): descend from no object. gctrace_requests_pause(), looked at
 *   before each batch of a dump: wait (2 s at most; where gctrace was stopped it stays up: after
 *   some waits in vain go on without, until it was down). gctrace_requests_moves(): tell all moves
 *   also where that makes pauses much longer; who tells them anyway need not look.
 */
#ifndef GCTRACE_PROBES_H
#define GCTRACE_PROBES_H

#include <stddef.h>
#include <gctrace/wire.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Every probe of the provider; the semaphore of NAME is gctrace_NAME_semaphore. */
#define GCTRACE_EACH_PROBE(X)                                                                     \
	X(gc__start)                                                                              \
	X(gc__finish)                                                                             \
	X(pause__begin)                                                                           \
	X(pause__end)                                                                             \
	X(moved__references)                                                                      \
	X(surviving__references)                                                                  \
	X(container__begin)                                                                       \
	X(root__references)                                                                       \
	X(object__references)                                                                     \
	X(class__define)                                                                          \
	X(object__alloc)                                                                          \
	X(batch)

#define GCTRACE_EACH_REQUEST(X)                                                                   \
	X(dump)                                                                                   \
	X(postpone)                                                                               \
	X(pause)                                                                                  \
	X(moves)

#define GCTRACE_HIDDEN __attribute__((visibility("hidden")))

#define GCTRACE_DECLARE_PROBE(name)                                                               \
	extern GCTRACE_HIDDEN volatile unsigned short gctrace_##name##_semaphore;                 \
	static inline int gctrace_wants_##name(void)                                              \
	{                                                                                         \
		return __builtin_expect(gctrace_##name##_semaphore != 0, 0);                      \
	}
GCTRACE_EACH_PROBE(GCTRACE_DECLARE_PROBE)

#define GCTRACE_DECLARE_REQUEST(name)                                                             \
	extern GCTRACE_HIDDEN volatile unsigned short gctrace_request__##name##_semaphore;        \
	static inline int gctrace_requests_##name(void)                                           \
	{                                                                                         \
		return __builtin_expect(gctrace_request__##name##_semaphore != 0, 0);             \
	}
GCTRACE_EACH_REQUEST(GCTRACE_DECLARE_REQUEST)

/*
 * ---- One by one ----
 *
 * Arrays are parallel. What has more than GCTRACE_PART_ENTRIES entries is told in several calls;
 * of an object's references all parts but the last carry GCTRACE_MORE_REFERENCES.
 */
GCTRACE_HIDDEN void gctrace_fire_gc_start(uint64_t gc, uint64_t generations, uint64_t reason,
					  uint64_t how);
/* batches: how many this runtime has fired so far; 0 where it fires none. So too below. */
GCTRACE_HIDDEN void gctrace_fire_gc_finish(uint64_t gc, uint64_t batches);
GCTRACE_HIDDEN void gctrace_fire_pause_begin(uint64_t pause, uint64_t why);
/* suspend_ns: from the request until the last thread stood still, or ~0. */
GCTRACE_HIDDEN void gctrace_fire_pause_end(uint64_t pause, uint64_t suspend_ns, uint64_t batches);
/* lengths: uint32_t[] or uint64_t[], as width (4 or 8) says. */
GCTRACE_HIDDEN void gctrace_fire_moved_references(size_t count, const uint64_t *old_starts,
						  const uint64_t *new_starts, const void *lengths,
						  unsigned width, uint64_t gc, uint64_t generation,
						  uint64_t phase);
GCTRACE_HIDDEN void gctrace_fire_surviving_references(size_t count, const uint64_t *starts,
						      const void *lengths, unsigned width,
						      uint64_t gc, uint64_t generation);
GCTRACE_HIDDEN void gctrace_fire_container_begin(uint64_t type, uint64_t id1, uint64_t id2);
/* kinds and ids may be NULL. */
GCTRACE_HIDDEN void gctrace_fire_root_references(size_t count, const uint64_t *refs,
						 const uint32_t *flags, const uint64_t *kinds,
						 const uint64_t *ids);
/* ref_flags may be NULL. Null references (0) are told, so that the n-th is field n. */
GCTRACE_HIDDEN void gctrace_fire_object_references(uint64_t object, uint32_t flags, size_t count,
						   const uint64_t *refs, const uint32_t *ref_flags,
						   uint64_t class_, uint64_t size);
/* fields: the names of the reference fields in their order, each ended by a zero byte. */
GCTRACE_HIDDEN void gctrace_fire_class_define(uint64_t class_, const char *name, size_t name_bytes,
					      uint64_t super, uint32_t flags, const char *fields,
					      size_t fields_bytes, uint64_t size);
GCTRACE_HIDDEN void gctrace_fire_object_alloc(uint64_t id, uint64_t size, uint64_t class_,
					      uint64_t stack, uint64_t weight);

/* ---- In batches ---- */

struct gctrace_emitter {
	uint64_t producer; /* tells this runtime apart from others in the same process */
	uint64_t sequence; /* of the next batch; atomic */
	uint64_t fired;	   /* batches that were handed on; atomic */
	/* Where batches go. NULL: the probe. Else called instead, from any writer's thread. */
	void (*sink)(void *context, const void *batch, uint32_t bytes);
	void *context;
};

#define GCTRACE_WRITER_ENDS 8

/* No field is for the user. */
struct gctrace_writer {
	struct gctrace_emitter *emitter;
	unsigned char *buffer;
	uint32_t used;	  /* bytes in the buffer, header included */
	uint32_t records; /* in it */
	uint32_t open;	  /* offset of the record that may still grow, 0: none */
	uint32_t ends;	  /* how many of end[] are in use */
	uint32_t end[GCTRACE_WRITER_ENDS]; /* offsets of numbers that say `batches` */
	uint64_t gc, pause;
	uint64_t container, id1, id2; /* the one begun last */
	uint64_t last;		      /* address that the next one is a difference to */
};

GCTRACE_HIDDEN void gctrace_emitter_init(struct gctrace_emitter *emitter);
/* buffer: GCTRACE_BATCH_BYTES, aligned to 8; stays the caller's, must outlive the writer. */
GCTRACE_HIDDEN void gctrace_writer_init(struct gctrace_writer *writer,
					struct gctrace_emitter *emitter, void *buffer);
/* What the records that follow belong to; 0: none. Flushes when it changes. */
GCTRACE_HIDDEN void gctrace_writer_context(struct gctrace_writer *writer, uint64_t gc,
					   uint64_t pause);
/* Tells what was written. Does nothing when nothing was. */
GCTRACE_HIDDEN void gctrace_flush(struct gctrace_writer *writer);

/* Texts: count and address; they must fit in one batch together (the rest is cut). */
GCTRACE_HIDDEN void gctrace_write_producer(struct gctrace_writer *writer, const char *name,
					   const char *version, const char *runtime,
					   const char *collector);
GCTRACE_HIDDEN void gctrace_write_gc_start(struct gctrace_writer *writer, uint64_t gc,
					   uint64_t generations, uint32_t reason, uint32_t how);
/* The same for one that started at this time (CLOCK_MONOTONIC), before it was known what it is. */
GCTRACE_HIDDEN void gctrace_write_gc_start_of(struct gctrace_writer *writer, uint64_t time_ns,
					      uint64_t gc, uint64_t generations, uint32_t reason,
					      uint32_t how);
/* Does not flush: the pause's end often follows. */
GCTRACE_HIDDEN void gctrace_write_gc_finish(struct gctrace_writer *writer, uint64_t gc);
/* The same for one of which only now is known how it was done, or of which ranges were not told. */
GCTRACE_HIDDEN void gctrace_write_gc_finish_as(struct gctrace_writer *writer, uint64_t gc,
					       uint32_t how, unsigned flags);
GCTRACE_HIDDEN void gctrace_write_gc_finish_of(struct gctrace_writer *writer, uint64_t time_ns,
					       uint64_t gc, uint32_t how, unsigned flags);
GCTRACE_HIDDEN void gctrace_write_pause_begin(struct gctrace_writer *writer, uint64_t pause,
					      uint64_t why);
/* The same for one that began at this time (CLOCK_MONOTONIC), before anybody listened. */
GCTRACE_HIDDEN void gctrace_write_pause_begin_of(struct gctrace_writer *writer, uint64_t time_ns,
						 uint64_t pause, uint64_t why);
/* Flushes. */
GCTRACE_HIDDEN void gctrace_write_pause_end(struct gctrace_writer *writer, uint64_t pause,
					    uint64_t suspend_ns);
/* Needs a dump's container begun last; the roots and objects that follow belong to it. */
GCTRACE_HIDDEN void gctrace_write_container(struct gctrace_writer *writer, uint64_t type,
					    uint64_t id1, uint64_t id2);
GCTRACE_HIDDEN void gctrace_write_root(struct gctrace_writer *writer, uint64_t reference,
				       uint32_t flags, uint64_t kind, uint64_t id);

struct gctrace_object {
	uint64_t id; /* address */
	uint64_t class_;
	uint64_t size;	/* bytes */
	uint32_t flags; /* enum gctrace_reference_flags */
	uint32_t place; /* GCTRACE_PLACE_*: how references say their place */
	size_t count;
	const uint64_t *refs;
	const uint32_t *ref_flags; /* or NULL */
	const uint64_t *places;	   /* for PLACE_OFFSET and PLACE_INDEX */
	uint64_t first;		   /* references of this object told before by the caller's parts */
};
/* Splits what does not fit: all parts but the last carry GCTRACE_MORE_REFERENCES. */
GCTRACE_HIDDEN void gctrace_write_object(struct gctrace_writer *writer,
					 const struct gctrace_object *object);
GCTRACE_HIDDEN void gctrace_write_class(struct gctrace_writer *writer, uint64_t class_,
					const char *name, size_t name_bytes, uint64_t super,
					uint32_t flags, const char *fields, size_t fields_bytes,
					uint32_t size);
GCTRACE_HIDDEN void gctrace_write_define(struct gctrace_writer *writer, uint32_t space, uint64_t id,
					 uint64_t a, uint64_t b, const char *name,
					 size_t name_bytes);
GCTRACE_HIDDEN void gctrace_write_generation(struct gctrace_writer *writer, unsigned when,
					     uint64_t gc, uint64_t generation, uint64_t start,
					     uint64_t used, uint64_t reserved);
/* generations: a mask, ~0: all; start 0 and length ~0: wherever they lie. */
GCTRACE_HIDDEN void gctrace_write_reuse(struct gctrace_writer *writer, uint64_t generations,
					uint64_t start, uint64_t length);
GCTRACE_HIDDEN void gctrace_write_pool(struct gctrace_writer *writer, uint64_t gc, const char *name,
				       uint64_t before, uint64_t used, uint64_t committed,
				       uint64_t max);
/* generation: ~0: of the whole heap. */
GCTRACE_HIDDEN void gctrace_write_figure(struct gctrace_writer *writer, uint64_t gc, uint32_t what,
					 uint64_t generation, uint64_t value);
GCTRACE_HIDDEN void gctrace_write_object_alloc(struct gctrace_writer *writer, uint64_t id,
					       uint64_t size, uint64_t class_, uint64_t stack,
					       uint64_t weight);
/* The same of one with a number, of which gctrace_write_samples() will tell more. */
GCTRACE_HIDDEN void gctrace_write_object_alloc_as(struct gctrace_writer *writer, uint64_t id,
						  uint64_t size, uint64_t class_, uint64_t stack,
						  uint64_t weight, uint64_t sample, uint64_t gc);

struct gctrace_sample {
	uint64_t sample;
	uint64_t address;    /* a multiple of 8; with SAMPLE_MOVED and SAMPLE_ADDRESS */
	uint32_t bits;	     /* set of enum gctrace_sample_bits */
	uint32_t generation; /* with SAMPLE_GENERATION */
};
/*
 * What became of all samples by the end of a collection, in the order of their numbers, in as many
 * records as that takes. flags: a set of enum gctrace_samples_flags; with GCTRACE_MORE the caller
 * goes on by another call.
 */
GCTRACE_HIDDEN void gctrace_write_samples(struct gctrace_writer *writer, unsigned flags,
					  uint64_t gc, uint64_t time_ns, uint64_t interval,
					  uint32_t lost, const struct gctrace_sample *samples,
					  size_t count);
/* What is told beside the runtime's own probes; flags: enum gctrace_beside_flags. Flushes. */
GCTRACE_HIDDEN void gctrace_write_beside(struct gctrace_writer *writer, unsigned flags);
/* A sentence for people. */
GCTRACE_HIDDEN void gctrace_write_notice(struct gctrace_writer *writer, uint32_t what,
					 const char *text);
/* Names of a dump, or of samples, that there was no room for: told as lost. */
GCTRACE_HIDDEN void gctrace_write_unnamed(struct gctrace_writer *writer, uint32_t count);
/* Flushes. */
GCTRACE_HIDDEN void gctrace_write_dump_end(struct gctrace_writer *writer, uint64_t dump,
					   uint64_t status, uint64_t objects, uint64_t references,
					   uint64_t roots, uint64_t bytes);

/* Opens a record of ranges that takes the given one; for the two functions below. */
GCTRACE_HIDDEN struct gctrace_moved *gctrace_open_moved(struct gctrace_writer *writer, uint64_t gc,
							uint32_t generation, uint32_t phase,
							uint64_t old_start, uint64_t new_start,
							uint64_t length);
GCTRACE_HIDDEN struct gctrace_surviving *gctrace_open_surviving(struct gctrace_writer *writer,
								uint64_t gc, uint32_t generation,
								uint64_t start, uint64_t length);

/* Does a number fit the narrow form: a multiple of 8, less than 32 GiB from base? */
static inline int gctrace_narrow(uint64_t base, uint64_t number)
{
	return ((number - base) & 7) == 0 && (number - base) >> 35 == 0;
}

/* A block of live objects moved from old_start to new_start (equal: it stayed). */
static inline void gctrace_write_move(struct gctrace_writer *writer, uint64_t gc,
				      uint32_t generation, uint32_t phase, uint64_t old_start,
				      uint64_t new_start, uint64_t length)
{
	struct gctrace_moved *m = (struct gctrace_moved *)(void *)(writer->buffer + writer->open);

	if (!writer->open || m->head.kind != GCTRACE_MOVED || m->form != GCTRACE_RANGES_NARROW ||
	    m->gc != gc || m->generation != generation || m->phase != phase ||
	    !gctrace_narrow(m->old_base, old_start) || !gctrace_narrow(m->new_base, new_start) ||
	    !gctrace_narrow(0, length) ||
	    writer->used + sizeof(struct gctrace_move_narrow) > GCTRACE_BATCH_BYTES) {
		m = gctrace_open_moved(writer, gc, generation, phase, old_start, new_start, length);
		if (m->form == GCTRACE_RANGES_WIDE)
			return;
	}
	struct gctrace_move_narrow *range =
		(struct gctrace_move_narrow *)(void *)(writer->buffer + writer->used);
	range->old = (uint32_t)((old_start - m->old_base) >> 3);
	range->new_ = (uint32_t)((new_start - m->new_base) >> 3);
	range->length = (uint32_t)(length >> 3);
	m->count++;
	writer->used += sizeof(*range);
}

/* A block of live objects survived where it is. */
static inline void gctrace_write_survivor(struct gctrace_writer *writer, uint64_t gc,
					  uint32_t generation, uint64_t start, uint64_t length)
{
	struct gctrace_surviving *s =
		(struct gctrace_surviving *)(void *)(writer->buffer + writer->open);

	if (!writer->open || s->head.kind != GCTRACE_SURVIVING ||
	    s->form != GCTRACE_RANGES_NARROW || s->gc != gc || s->generation != generation ||
	    !gctrace_narrow(s->base, start) || !gctrace_narrow(0, length) ||
	    writer->used + sizeof(struct gctrace_survive_narrow) > GCTRACE_BATCH_BYTES) {
		s = gctrace_open_surviving(writer, gc, generation, start, length);
		if (s->form == GCTRACE_RANGES_WIDE)
			return;
	}
	struct gctrace_survive_narrow *range =
		(struct gctrace_survive_narrow *)(void *)(writer->buffer + writer->used);
	range->start = (uint32_t)((start - s->base) >> 3);
	range->length = (uint32_t)(length >> 3);
	s->count++;
	writer->used += sizeof(*range);
}

#ifdef __cplusplus
}
#endif

#ifdef GCTRACE_PROBES_IMPLEMENTATION
#include <gctrace/implementation.h>
#endif

#endif
