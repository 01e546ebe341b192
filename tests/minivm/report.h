/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the virtual machine tells whoever listens: every probe is fired from report.c (collections)
 * and report_dump.c (heap dumps), and from nowhere else. The collector says what happens; here is
 * decided whether somebody wants to know, one by one or in batches, and neighbours that move
 * together become one range.
 *
 * Who listens is looked up once a pause, in report__pause_begin(), so that a kind goes one way in
 * one pause. A kind that nobody wants is not gathered: the collector asks gc->tell first.
 */
#ifndef MINIVM_REPORT_H
#define MINIVM_REPORT_H

#include <gctrace/probes.h>

#include "collector.h"

struct mutator;

/* One for each thread that tells something: worker n has reporters[n]. */
struct reporter {
	struct gctrace_writer writer;
	void *buffer;
	/* The range that may still grow; bytes 0: none. */
	uint64_t start, to, bytes;
	uint32_t generation, phase;
	bool is_move;
	/* Ranges of the same kind, generation and phase that are to be told one by one. */
	uint64_t *starts, *tos, *lengths;
	uint32_t *short_lengths;
	size_t count;
};

extern struct reporter *reporters;
extern struct gctrace_emitter report_emitter;

/* Numbers of this producer's own, beside those of wire.h. */
#define REASON_TIMER GCTRACE_REASON_OWN
#define WHY_SWEPT GCTRACE_WHY_OWN

/* What is wanted in the pause under way. */
struct report_wants {
	bool batch; /* goes into batches, else one by one */
	bool own;   /* goes into batches, as there is no other way to tell it */
	bool gc_start, gc_finish, pause_begin, pause_end, moved, surviving;
	bool container, roots, objects, classes;
	bool samples; /* what becomes of them; in batches only */
};

extern struct report_wants report_wants;

void report__init(unsigned workers, unsigned mutators);
struct reporter *report__of_mutator(unsigned index);

/* In a stopped world, by the collector's thread. pause->gc: of the collection that comes. */
void report__pause_begin(const struct pause *pause);
void report__pause_end(const struct pause *pause, uint64_t suspend_ns);
void report__gc_start(struct gc *gc);
/* A concurrent collection goes on in this pause. */
void report__gc_again(struct gc *gc);
/* All ranges of a phase have been told. */
void report__phase_end(struct gc *gc);
/* Pools and generations as they are now, then the end. */
void report__gc_finish(struct gc *gc);

/* Ends the range that r holds and begins another one. */
void report__next_range(struct reporter *r, const struct gc *gc, bool is_move,
			enum generation generation, uint64_t start, uint64_t to, uint64_t bytes);

/* Tells this one as it is, whatever it says, and whatever r holds. */
void report__nonsense(struct reporter *r, const struct gc *gc, enum generation generation,
		      uint64_t start, uint64_t to, uint64_t bytes);

static inline void report__range(struct reporter *r, const struct gc *gc, bool is_move,
				 enum generation generation, uint64_t start, uint64_t to,
				 uint64_t bytes)
{
	if (r->bytes && r->start + r->bytes == start && r->to + r->bytes == to &&
	    r->is_move == is_move)
		r->bytes += bytes;
	else
		report__next_range(r, gc, is_move, generation, start, to, bytes);
}

/* An object or a block of neighbours moved (or stayed: to == from). By r's thread. */
static inline void report__moved(struct reporter *r, const struct gc *gc,
				 enum generation generation, uint64_t from, uint64_t to,
				 uint64_t bytes)
{
	report__range(r, gc, true, generation, from, to, bytes);
}

/* The same of a generation that does not move in this collection. */
static inline void report__survived(struct reporter *r, const struct gc *gc,
				    enum generation generation, uint64_t start, uint64_t bytes)
{
	report__range(r, gc, false, generation, start, start, bytes);
}

/*
 * By the helper's thread, at each look: tells one who came in the midst of a pause or a collection
 * that it is in progress.
 */
void report__progress(void);

void report__define_class(struct gctrace_writer *writer, unsigned number);

/* By a mutator, of an object that it has just made. */
void report__sample(struct mutator *m, const struct object *o, uint64_t bytes);

/* ---- report_dump.c: by the collector's thread, in a pause ---- */

struct dump_totals {
	uint64_t objects, references, roots, bytes;
};

/* C_BEGIN and all names. */
void report__dump_begin(uint64_t dump, uint64_t gc);
void report__container(uint64_t type, uint64_t id1, uint64_t id2);
/* count parallel entries, of the container begun last */
void report__roots(size_t count, const uint64_t *refs, const uint32_t *flags,
		   const uint64_t *kinds, const uint64_t *ids);
/* References [first, first + count) of an object; flags with MORE_REFERENCES if others follow.
 * ref_flags may be NULL. */
void report__object(const struct object *o, uint32_t flags, uint64_t first, size_t count,
		    const uint64_t *refs, const uint32_t *ref_flags);
/* C_END and the totals. */
void report__dump_end(uint64_t dump, enum gctrace_dump_status status,
		      const struct dump_totals *totals);
/* Has a batch gone since this was asked last, so that it is time to look at requests? Always true
 * when there are no batches. */
bool report__batch_has_gone(void);
/* Names of what this producer numbers itself. */
void report__define_own(struct gctrace_writer *writer);

#endif
