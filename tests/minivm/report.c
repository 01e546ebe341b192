/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"
#include "collection.h"
#include "large.h"
#include "mutator.h"
#include "nonsense.h"
#include "nursery.h"
#include "old.h"
#include "options.h"
#include "samples.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct reporter *reporters;
struct gctrace_emitter report_emitter;
struct report_wants report_wants;

static unsigned worker_reporters, all_reporters;

/* What is in progress, between the collector's thread and the helper's. */
static struct {
	pthread_mutex_t lock;
	struct gctrace_writer writer; /* the helper's */
	struct pause pause;
	struct gc gc;
	bool in_pause, in_gc;
	bool pause_told, gc_told; /* its beginning was */
	bool is_late;		  /* told by the helper, in this pause: the ends are to be told */
} progress = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void init_reporter(struct reporter *r)
{
	r->buffer = aligned_alloc(64, GCTRACE_BATCH_BYTES);
	r->starts = get_memory(NULL, GCTRACE_PART_ENTRIES * sizeof(*r->starts));
	r->tos = get_memory(NULL, GCTRACE_PART_ENTRIES * sizeof(*r->tos));
	r->lengths = get_memory(NULL, GCTRACE_PART_ENTRIES * sizeof(*r->lengths));
	r->short_lengths = get_memory(NULL, GCTRACE_PART_ENTRIES * sizeof(*r->short_lengths));
	if (!r->buffer)
		die("out of memory");
	memset(r->buffer, 0, GCTRACE_BATCH_BYTES); /* pages before the first pause */
	gctrace_writer_init(&r->writer, &report_emitter, r->buffer);
}

void report__init(unsigned workers, unsigned mutators)
{
	worker_reporters = workers;
	all_reporters = workers + mutators;
	reporters = calloc(all_reporters, sizeof(*reporters));
	if (!reporters)
		die("out of memory");
	gctrace_emitter_init(&report_emitter);
	for (unsigned i = 0; i < all_reporters; i++)
		init_reporter(&reporters[i]);
	gctrace_writer_init(&progress.writer, &report_emitter,
			    aligned_alloc(64, GCTRACE_BATCH_BYTES));
}

struct reporter *report__of_mutator(unsigned index)
{
	return &reporters[worker_reporters + index];
}

static bool listens_to_batches(void)
{
	return opt.report == REPORT_BATCH && gctrace_wants_batch();
}

static void look_who_listens(void)
{
	report_wants = (struct report_wants){
		.batch = listens_to_batches(),
		.own = opt.report != REPORT_SINGLE && gctrace_wants_batch(),
		.gc_start = gctrace_wants_gc__start(),
		.gc_finish = gctrace_wants_gc__finish(),
		.pause_begin = gctrace_wants_pause__begin(),
		.pause_end = gctrace_wants_pause__end(),
		.moved = gctrace_wants_moved__references(),
		.surviving = gctrace_wants_surviving__references(),
		.container = gctrace_wants_container__begin(),
		.roots = gctrace_wants_root__references(),
		.objects = gctrace_wants_object__references(),
		.classes = gctrace_wants_class__define(),
		.samples = opt.follow_samples && listens_to_batches() &&
			   gctrace_wants_object__alloc(),
	};
}

static uint64_t batches_so_far(void)
{
	return __atomic_load_n(&report_emitter.sequence, __ATOMIC_ACQUIRE);
}

static struct gctrace_writer *own_writer(void)
{
	return &reporters[0].writer;
}

static void set_context(uint64_t gc, uint64_t pause)
{
	for (unsigned i = 0; i < worker_reporters; i++)
		gctrace_writer_context(&reporters[i].writer, gc, pause);
}

static const char *collector_text(void)
{
	static const char *const texts[] = {
		[COLLECTOR_SWEEP] = "copying nursery, mark-sweep old space",
		[COLLECTOR_COMPACT] = "copying nursery, mark-compact old space",
		[COLLECTOR_CONCURRENT] = "copying nursery, concurrently swept old space",
	};

	return texts[opt.collector];
}

/*
 * Said in each pause, whoever listens to the rest of it: one who comes late has missed nothing, and
 * one whose probes are not all attached yet hears it with the first.
 */
static void write_who_we_are(struct gctrace_writer *writer)
{
	gctrace_write_producer(writer, "minivm", GCTRACE_VERSION, "minivm", collector_text());
	report__define_own(writer);
}

/* ---- What is in progress ---- */

static void tell_progress(void)
{
	struct gctrace_writer *w = &progress.writer;
	const struct pause *pause = &progress.pause;
	const struct gc *gc = &progress.gc;

	gctrace_writer_context(w, progress.in_gc ? gc->number : 0,
			       progress.in_pause ? pause->number : 0);
	write_who_we_are(w);
	if (progress.in_pause && !progress.pause_told)
		gctrace_write_pause_begin_of(w, pause->begin_ns, pause->number, pause->why);
	if (progress.in_gc && !progress.gc_told)
		gctrace_write_gc_start_of(w, gc->start_ns, gc->number, gc->condemned, gc->reason,
					  gc->how);
	gctrace_flush(w);
	progress.is_late = progress.in_pause;
	progress.pause_told = progress.gc_told = true;
}

/* Those who listen one by one hear nothing of it: such probes have no time but their own. */
void report__progress(void)
{
	const bool is_heard = listens_to_batches() && gctrace_wants_pause__begin() &&
			      gctrace_wants_pause__end() && gctrace_wants_gc__start() &&
			      gctrace_wants_gc__finish();

	pthread_mutex_lock(&progress.lock);
	if (!is_heard) /* the next one who comes has heard nothing */
		progress.pause_told = progress.gc_told = progress.is_late = false;
	else if ((progress.in_pause && !progress.pause_told) ||
		 (progress.in_gc && !progress.gc_told))
		tell_progress();
	pthread_mutex_unlock(&progress.lock);
}

static void note_pause(const struct pause *pause)
{
	pthread_mutex_lock(&progress.lock);
	progress.in_pause = true;
	progress.pause = *pause;
	progress.pause_told = report_wants.pause_begin;
	pthread_mutex_unlock(&progress.lock);
}

static void note_gc(const struct gc *gc)
{
	pthread_mutex_lock(&progress.lock);
	progress.in_gc = true;
	progress.gc = *gc;
	progress.gc_told = report_wants.gc_start;
	pthread_mutex_unlock(&progress.lock);
}

/* Over, which the helper tells nobody any more. Did it tell somebody that it had begun? */
static bool note_end(bool *in_progress)
{
	bool is_late;

	pthread_mutex_lock(&progress.lock);
	*in_progress = false;
	is_late = progress.is_late;
	progress.is_late &= progress.in_pause;
	pthread_mutex_unlock(&progress.lock);
	return is_late;
}

void report__pause_begin(const struct pause *pause)
{
	/* Samples name objects by addresses that are about to change. */
	for (unsigned i = worker_reporters; i < all_reporters; i++)
		gctrace_flush(&reporters[i].writer);
	look_who_listens();
	samples__gather(report_wants.samples);
	set_context(pause->gc, pause->number);
	note_pause(pause);
	if (report_wants.own)
		write_who_we_are(own_writer());
	if (report_wants.own && !report_wants.batch)
		gctrace_flush(own_writer());
	if (!report_wants.pause_begin)
		return;
	if (!report_wants.batch) {
		gctrace_fire_pause_begin(pause->number, pause->why);
		return;
	}
	gctrace_write_pause_begin(own_writer(), pause->number, pause->why);
	gctrace_flush(own_writer()); /* it may be a long one, and is seen while it lasts */
}

void report__pause_end(const struct pause *pause, uint64_t suspend_ns)
{
	const bool is_late = note_end(&progress.in_pause);

	if ((report_wants.pause_end && report_wants.batch) || is_late)
		gctrace_write_pause_end(own_writer(), pause->number, suspend_ns);
	else if (report_wants.pause_end)
		gctrace_fire_pause_end(pause->number, suspend_ns, batches_so_far());
	gctrace_flush(own_writer());
}

/* ---- Collections ---- */

static void write_space(uint64_t gc, unsigned when, const struct space *space)
{
	const uint64_t bytes = space->end - space->start;

	gctrace_write_generation(own_writer(), when, gc, GEN_NURSERY, space->start, bytes, bytes);
}

static void write_generations(uint64_t gc, unsigned when)
{
	struct gctrace_writer *w = own_writer();

	write_space(gc, when, &nursery.eden);
	write_space(gc, when, &nursery.survivor[0]);
	write_space(gc, when, &nursery.survivor[1]);
	gctrace_write_generation(w, when, gc, GEN_OLD, heap.old, old.top - heap.old,
				 heap.old_bytes);
	gctrace_write_generation(w, when, gc, GEN_LARGE, heap.large, large.top - heap.large,
				 heap.large_bytes);
}

static void decide_what_to_tell(struct gc *gc)
{
	gc->tell.moves = report_wants.moved;
	gc->tell.survivors = report_wants.surviving;
}

void report__gc_start(struct gc *gc)
{
	decide_what_to_tell(gc);
	set_context(gc->number, pause_now.number);
	note_gc(gc);
	if (!report_wants.gc_start)
		return;
	if (report_wants.batch)
		gctrace_write_gc_start(own_writer(), gc->number, gc->condemned, gc->reason,
				       gc->how);
	else
		gctrace_fire_gc_start(gc->number, gc->condemned, gc->reason, gc->how);
	if (report_wants.own)
		write_generations(gc->number, GCTRACE_BEFORE);
	if (!report_wants.batch)
		gctrace_flush(own_writer());
}

void report__gc_again(struct gc *gc)
{
	decide_what_to_tell(gc);
	set_context(gc->number, pause_now.number);
}

static void tell_range(struct reporter *r, const struct gc *gc);
static void flush_ranges(struct reporter *r, const struct gc *gc);

void report__phase_end(struct gc *gc)
{
	for (unsigned i = 0; i < worker_reporters; i++)
		tell_range(&reporters[i], gc);
}

static void write_heap(struct gc *gc)
{
	for (unsigned i = 0; i < GENERATIONS; i++) {
		const struct gc_pool *pool = &gc->pools[i];

		gctrace_write_pool(own_writer(), gc->number, pool->name, pool->before, pool->used,
				   pool->committed, pool->max);
	}
	write_generations(gc->number, GCTRACE_AFTER);
}

void report__gc_finish(struct gc *gc)
{
	for (unsigned i = 0; i < worker_reporters; i++)
		nonsense__tell(&reporters[i], gc);
	report__phase_end(gc);
	for (unsigned i = 0; i < worker_reporters; i++)
		flush_ranges(&reporters[i], gc);
	if (report_wants.gc_finish && report_wants.own)
		write_heap(gc);
	if (report_wants.samples)
		samples__tell(own_writer(), collections__finished() + 1);
	for (unsigned i = 1; i < worker_reporters; i++)
		gctrace_flush(&reporters[i].writer);
	if (note_end(&progress.in_gc) && !report_wants.gc_finish) {
		gctrace_write_gc_finish_as(own_writer(), gc->number, 0, GCTRACE_FINISH_UNTOLD);
		return;
	}
	if (report_wants.gc_finish && report_wants.batch) {
		gctrace_write_gc_finish(own_writer(), gc->number);
		return;
	}
	gctrace_flush(own_writer());
	if (report_wants.gc_finish)
		gctrace_fire_gc_finish(gc->number, batches_so_far());
}

/* ---- Ranges ---- */

static void fire_ranges(struct reporter *r, const struct gc *gc, const void *lengths,
			unsigned width)
{
	if (r->is_move)
		gctrace_fire_moved_references(r->count, r->starts, r->tos, lengths, width,
					      gc->number, r->generation, r->phase);
	else
		gctrace_fire_surviving_references(r->count, r->starts, lengths, width, gc->number,
						  r->generation);
}

/* Tells what waits to be told one by one: all of one kind, generation and phase. */
static void flush_ranges(struct reporter *r, const struct gc *gc)
{
	if (!r->count)
		return;
	if (opt.lengths != LENGTHS_8)
		fire_ranges(r, gc, r->short_lengths, 4);
	if (opt.lengths != LENGTHS_4)
		fire_ranges(r, gc, r->lengths, 8);
	r->count = 0;
}

static void add_range(struct reporter *r, const struct gc *gc)
{
	const size_t i = r->count++;

	r->starts[i] = r->start;
	r->tos[i] = r->to;
	r->lengths[i] = r->bytes;
	r->short_lengths[i] = (uint32_t)r->bytes;
	if (r->count == GCTRACE_PART_ENTRIES)
		flush_ranges(r, gc);
}

/* Lengths of 32 bits tell a longer range in pieces of this size. */
#define SHORT_PIECE ((uint64_t)1 << 31)

static void add_in_pieces(struct reporter *r, const struct gc *gc)
{
	const uint64_t end = r->start + r->bytes;

	while (opt.lengths != LENGTHS_8 && end - r->start > SHORT_PIECE) {
		r->bytes = SHORT_PIECE;
		add_range(r, gc);
		r->start += SHORT_PIECE;
		r->to += SHORT_PIECE;
	}
	r->bytes = end - r->start;
	add_range(r, gc);
}

/* The range that could grow is over. */
static void tell_range(struct reporter *r, const struct gc *gc)
{
	if (!r->bytes)
		return;
	if (report_wants.batch && r->is_move)
		gctrace_write_move(&r->writer, gc->number, r->generation, r->phase, r->start, r->to,
				   r->bytes);
	else if (report_wants.batch)
		gctrace_write_survivor(&r->writer, gc->number, r->generation, r->start, r->bytes);
	else
		add_in_pieces(r, gc);
	r->bytes = 0;
}

void report__nonsense(struct reporter *r, const struct gc *gc, enum generation generation,
		      uint64_t start, uint64_t to, uint64_t bytes)
{
	if (!report_wants.moved)
		return;
	if (report_wants.batch)
		gctrace_write_move(&r->writer, gc->number, generation, gc->phase, start, to, bytes);
	else
		gctrace_fire_moved_references(1, &start, &to, &bytes, 8, gc->number, generation,
					      gc->phase);
}

void report__next_range(struct reporter *r, const struct gc *gc, bool is_move,
			enum generation generation, uint64_t start, uint64_t to, uint64_t bytes)
{
	tell_range(r, gc);
	if (r->is_move != is_move || r->generation != generation || r->phase != gc->phase)
		flush_ranges(r, gc);
	r->start = start;
	r->to = to;
	r->bytes = bytes;
	r->generation = generation;
	r->phase = gc->phase;
	r->is_move = is_move;
}

/* ---- Samples of allocations ---- */

void report__define_class(struct gctrace_writer *writer, unsigned number)
{
	const struct class *c = &classes[number];

	gctrace_write_class(writer, number, c->name.text, c->name.bytes, c->super, c->flags,
			    c->joined.text, c->joined.bytes, c->bytes);
}

/* What a sample refers to is defined in front of the first one of each pause's time. */
static bool is_defined_stack(uint64_t stack, uint64_t *defined, unsigned *count, unsigned most)
{
	for (unsigned i = 0; i < *count; i++) {
		if (defined[i] == stack)
			return true;
	}
	if (*count < most)
		defined[(*count)++] = stack;
	return false;
}

static void write_sample(struct mutator *m, const struct object *o, uint64_t bytes, uint64_t stack)
{
	static __thread uint64_t pause, defined_classes, defined_stacks[32];
	static __thread unsigned stacks;
	struct gctrace_writer *writer = &m->reporter->writer;
	const unsigned class_ = object__class(o);

	if (pause != pause_now.number) {
		pause = pause_now.number;
		defined_classes = stacks = 0;
	}
	if (!(defined_classes >> class_ & 1))
		report__define_class(writer, class_);
	if (!is_defined_stack(stack, defined_stacks, &stacks, 32))
		stack__define(writer, stack);
	defined_classes |= (uint64_t)1 << class_;
	gctrace_write_object_alloc_as(writer, (uint64_t)(uintptr_t)o, bytes, class_, stack,
				      samples__weight(bytes),
				      opt.follow_samples ? samples__add(m, o, bytes, stack) : 0,
				      collections__finished());
}

void report__sample(struct mutator *m, const struct object *o, uint64_t bytes)
{
	uint64_t stack;

	if (!gctrace_wants_object__alloc())
		return;
	stack = stack__of(m);
	if (listens_to_batches())
		write_sample(m, o, bytes, stack);
	else
		gctrace_fire_object_alloc((uint64_t)(uintptr_t)o, bytes, object__class(o), stack,
					  samples__weight(bytes));
}
