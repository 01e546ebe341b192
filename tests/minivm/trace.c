/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tracer: one engine for all collections.
 *
 *     roots ──▶ visit(slot) ──▶ nursery object: copy it, forward the slot ──┐
 *                           ──▶ old or large object: mark it ───────────────┤
 *                                                                           ▼
 *               visit(each reference) ◀── scan(entry) ◀── pop ◀── stack of objects to scan
 *
 * Depth first by an explicit stack: what was allocated together and hangs together is copied
 * together, so that neighbours stay neighbours and the ranges that are reported become long.
 *
 * SERIAL AND PARALLEL. The inner functions take `mode` and `parallel` as constants and are
 * compiled once for each pair, so that one worker pays for no atomic operation. With several
 * workers
 *   - an object to copy is claimed by a compare-and-swap of its head, after the copy was made: the
 *     loser takes its copy back;
 *   - an object to mark is claimed by an atomic or on its start bit (or its head, large ones);
 *   - each worker copies into chunks of its own, and scans from a stack of its own; a worker whose
 *     stack is deep gives a part of it to a pool when others are idle. All idle: done.
 *
 * STACK ENTRIES are 8 bytes: the address / 8 in the low 44 bits, above it the number of the part
 * of a long array. A part of PART references is scanned at once and the next one is put on the
 * stack first, so that one huge array neither fills the stack nor keeps one worker alone.
 *
 * THE REMEMBERED SET is used up and made anew: a young collection keeps the slots that still
 * refer to the nursery, and adds those of objects that it promotes; the other modes forget all
 * and note each slot that they meet outside the nursery, which drops those of dead objects.
 */
#include "trace.h"
#include "collector.h"
#include "large.h"
#include "marks.h"
#include "mutator.h"
#include "nursery.h"
#include "old.h"
#include "options.h"
#include "pool.h"
#include "report.h"
#include "roots.h"
#include "weak.h"

#include <string.h>

#define PART 4096u
#define ENTRY_BITS 44
#define CHUNK 32768u
#define MIN_OLD_CHUNK 256u
#define SLOTS_AT_ONCE 1024

ALWAYS_INLINE void push(struct gc_worker *w, const struct object *o, uint64_t part)
{
	pool__push(w, (uint64_t)(uintptr_t)o >> 3 | part << ENTRY_BITS);
}

/* ---- Copying ---- */

static void close_old_chunk(struct gc_worker *w)
{
	old__give(w->old.next, w->old.end);
	w->old = (struct chunk){ 0, 0 };
}

static void close_young_chunk(struct gc_worker *w)
{
	filler__write(w->young.next, w->young.end - w->young.next);
	w->young = (struct chunk){ 0, 0 };
}

static __attribute__((noinline)) struct object *take_old_slowly(struct gc_worker *w, uint64_t bytes)
{
	struct chunk whole;

	if (bytes > CHUNK / 4) {
		if (!old__take(bytes, bytes, &whole))
			return NULL;
		old__give(whole.next + bytes, whole.end);
		return (struct object *)(uintptr_t)whole.next;
	}
	close_old_chunk(w);
	if (!old__take(bytes > MIN_OLD_CHUNK ? bytes : MIN_OLD_CHUNK, CHUNK, &w->old))
		return NULL;
	return chunk__take(&w->old, bytes);
}

static __attribute__((noinline)) struct object *take_young_slowly(struct gc_worker *w,
								  uint64_t bytes)
{
	struct chunk whole;

	if (bytes > CHUNK / 4) {
		if (!space__take(nursery.to, bytes, bytes, &whole))
			return NULL;
		return (struct object *)(uintptr_t)whole.next;
	}
	close_young_chunk(w);
	if (!space__take(nursery.to, bytes, CHUNK, &w->young))
		return NULL;
	return chunk__take(&w->young, bytes);
}

ALWAYS_INLINE struct object *take(struct gc_worker *w, uint64_t bytes, bool *promote)
{
	struct object *to;

	if (!*promote) {
		to = chunk__take(&w->young, bytes);
		if (!to)
			to = take_young_slowly(w, bytes);
		if (to)
			return to;
		*promote = true;
	}
	to = chunk__take(&w->old, bytes);
	if (!to)
		to = take_old_slowly(w, bytes);
	if (!to)
		die("the old space is full: raise --heap");
	return to;
}

ALWAYS_INLINE void copy_words(word *to, const word *from, uint64_t words)
{
	if (words > 32) {
		memcpy(to, from, words * 8);
		return;
	}
	while (words--)
		*to++ = *from++;
}

static inline uint64_t older(uint64_t head)
{
	return head__age(head) < HEAD_AGE_MAX ? head + (1 << HEAD_AGE_SHIFT) : head;
}

/* Somebody else was faster: the copy becomes a filler, or is as if it had never been. */
static void undo_copy(struct chunk *chunk, struct object *to, uint64_t bytes)
{
	if (chunk->next == (uint64_t)(uintptr_t)to + bytes)
		chunk->next -= bytes;
	else
		filler__write((uint64_t)(uintptr_t)to, bytes);
}

static inline struct object *forwarded_to(uint64_t head)
{
	return (struct object *)(uintptr_t)(head & ~(uint64_t)HEAD_FORWARDED);
}

/* What there is to do for a copy in the old space, which a full trace takes for marked. */
ALWAYS_INLINE void settle_promoted(struct gc_worker *w, struct object *to, uint64_t bytes,
				   enum trace_mode mode, bool parallel, bool is_leaf)
{
	usage__add(&w->promoted, bytes);
	if (mode != TRACE_FULL)
		return;
	marks__claim(to, parallel);
	if (is_leaf) {
		marks__set_live((uint64_t)(uintptr_t)to, bytes, parallel);
		usage__add(&w->marked, bytes);
	}
}

/* The new address of a nursery object, which is copied if nobody has done so yet. */
ALWAYS_INLINE struct object *copy(struct gc_worker *w, struct object *o, enum trace_mode mode,
				  bool parallel)
{
	uint64_t head = __atomic_load_n(&o->head, __ATOMIC_ACQUIRE), bytes;
	struct object *to;
	bool promote, is_leaf;

	if (head & HEAD_FORWARDED)
		return forwarded_to(head);
	if ((head & HEAD_PINNED) || (nursery__is_to(o) && !(head & HEAD_LEFTOVER)))
		return o;
	bytes = head__size(head);
	promote = head__age(head) + 1 >= opt.tenure;
	to = take(w, bytes, &promote);
	copy_words((word *)to + 1, (const word *)o + 1, bytes / 8 - 1);
	to->head = older(head) & ~(uint64_t)HEAD_LEFTOVER;
	if (parallel) {
		const uint64_t forward = (uint64_t)(uintptr_t)to | HEAD_FORWARDED;

		if (!__atomic_compare_exchange_n(&o->head, &head, forward, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
			undo_copy(promote ? &w->old : &w->young, to, bytes);
			return forwarded_to(head);
		}
	} else {
		o->head = (uint64_t)(uintptr_t)to | HEAD_FORWARDED;
	}
	is_leaf = !head__strong_refs(head);
	if (promote)
		settle_promoted(w, to, bytes, mode, parallel, is_leaf);
	else
		usage__add(&w->copied, bytes);
	if (w->gc->tell.moves)
		report__moved(w->reporter, w->gc, GEN_NURSERY, (uint64_t)(uintptr_t)o,
			      (uint64_t)(uintptr_t)to, bytes);
	if (!is_leaf)
		push(w, to, 0);
	return to;
}

/* ---- Marking ---- */

ALWAYS_INLINE void mark(struct gc_worker *w, struct object *o, bool parallel)
{
	if (!heap__is_large(o)) {
		if (!marks__claim(o, parallel))
			return;
		__builtin_prefetch(o);
	} else if (parallel) {
		if (__atomic_fetch_or(&o->head, HEAD_MARKED, __ATOMIC_RELAXED) & HEAD_MARKED)
			return;
	} else {
		if (o->head & HEAD_MARKED)
			return;
		o->head |= HEAD_MARKED;
	}
	push(w, o, 0);
}

ALWAYS_INLINE void visit(struct gc_worker *w, struct object **slot, bool is_outside,
			 enum trace_mode mode, bool parallel)
{
	struct object *o = slot__load(slot), *to;

	if (!o)
		return;
	if (!heap__is_young(o)) {
		if (mode != TRACE_YOUNG)
			mark(w, o, parallel);
		return;
	}
	if (mode == TRACE_MARK) {
		if (is_outside)
			remset__note(&w->slots, slot);
		return;
	}
	to = copy(w, o, mode, parallel);
	if (to != o)
		slot__store(slot, to);
	if (is_outside && heap__is_young(to))
		remset__note(&w->slots, slot);
}

ALWAYS_INLINE void scan(struct gc_worker *w, uint64_t entry, enum trace_mode mode, bool parallel)
{
	struct object *o =
		(struct object *)(uintptr_t)((entry & (((uint64_t)1 << ENTRY_BITS) - 1)) << 3);
	const uint64_t head = object__head(o), part = entry >> ENTRY_BITS;
	uint64_t end = head__strong_refs(head), i = part * PART;
	const bool is_outside = !heap__is_young(o);

	if (mode != TRACE_YOUNG && is_outside && !part && !heap__is_large(o)) {
		const uint64_t bytes = head__size(head);

		marks__set_live((uint64_t)(uintptr_t)o, bytes, parallel);
		usage__add(&w->marked, bytes);
	}
	if (end - i > PART) {
		push(w, o, part + 1);
		end = i + PART;
	}
	for (; i < end; i++) {
		if (end - i > 8)
			__builtin_prefetch(slot__load(&o->refs[i + 8]));
		visit(w, &o->refs[i], is_outside, mode, parallel);
	}
}

ALWAYS_INLINE void drain(struct gc_worker *w, enum trace_mode mode, bool parallel)
{
	do {
		while (w->depth) {
			if (parallel && pool__is_wanted(w))
				pool__give(w);
			scan(w, w->stack[--w->depth], mode, parallel);
		}
	} while (parallel && pool__take(w));
}

/* ---- One trace ---- */

struct trace {
	struct gc *gc;
	enum trace_mode mode;
	bool parallel;
	struct list old_slots; /* the remembered set as it was */
	unsigned next_task;    /* atomic */
	size_t next_slot;      /* atomic, of old_slots */
};

struct visitor {
	struct gc_worker *worker;
	enum trace_mode mode;
	bool parallel;
};

static void visit_root(void *context, struct object **slot, uint64_t kind, uint64_t id)
{
	const struct visitor *v = context;

	(void)kind, (void)id;
	switch (v->mode) {
	case TRACE_YOUNG:
		v->parallel ? visit(v->worker, slot, false, TRACE_YOUNG, true)
			    : visit(v->worker, slot, false, TRACE_YOUNG, false);
		break;
	case TRACE_FULL:
		v->parallel ? visit(v->worker, slot, false, TRACE_FULL, true)
			    : visit(v->worker, slot, false, TRACE_FULL, false);
		break;
	case TRACE_MARK:
		visit(v->worker, slot, false, TRACE_MARK, true);
	}
}

/* A remembered slot stays remembered while it refers to the nursery. */
static void visit_remembered(const struct visitor *v, struct object **slot)
{
	struct object *o = slot__load(slot);

	remset__forget(slot);
	if (!o || !heap__is_young(o))
		return;
	v->parallel ? visit(v->worker, slot, true, TRACE_YOUNG, true)
		    : visit(v->worker, slot, true, TRACE_YOUNG, false);
}

static void visit_roots(struct trace *trace, const struct visitor *v)
{
	const struct root_visitor roots = { NULL, visit_root, (void *)v };
	const unsigned tasks = roots__tasks();
	unsigned task;
	size_t slot;

	while ((task = __atomic_fetch_add(&trace->next_task, 1, __ATOMIC_RELAXED)) < tasks)
		roots__visit(task, &roots);
	while ((slot = __atomic_fetch_add(&trace->next_slot, SLOTS_AT_ONCE, __ATOMIC_RELAXED)) <
	       trace->old_slots.count) {
		for (size_t i = 0; i < SLOTS_AT_ONCE && slot + i < trace->old_slots.count; i++)
			visit_remembered(v, trace->old_slots.items[slot + i]);
	}
}

static void drain_all(struct gc_worker *w, enum trace_mode mode, bool parallel)
{
	switch (mode) {
	case TRACE_YOUNG:
		parallel ? drain(w, TRACE_YOUNG, true) : drain(w, TRACE_YOUNG, false);
		break;
	case TRACE_FULL:
		parallel ? drain(w, TRACE_FULL, true) : drain(w, TRACE_FULL, false);
		break;
	case TRACE_MARK:
		parallel ? drain(w, TRACE_MARK, true) : drain(w, TRACE_MARK, false);
	}
}

static void work(struct gc_worker *w, void *context)
{
	struct trace *trace = context;
	const struct visitor visitor = { w, trace->mode, trace->parallel };

	w->gc = trace->gc;
	w->copied = w->promoted = w->marked = (struct usage){ 0, 0 };
	visit_roots(trace, &visitor);
	drain_all(w, trace->mode, trace->parallel);
}

/* Objects that stay in the nursery are roots; they have got older. */
static void push_staying(struct gc *gc)
{
	for (size_t i = 0; i < nursery.staying.count; i++) {
		struct object *o = nursery.staying.items[i];
		const uint64_t bytes = object__size(o);

		o->head = older(o->head);
		push(&workers[0], o, 0);
		usage__add(&gc->counts[GEN_NURSERY].stayed, bytes);
		if (gc->tell.moves)
			report__moved(workers[0].reporter, gc, GEN_NURSERY, (uint64_t)(uintptr_t)o,
				      (uint64_t)(uintptr_t)o, bytes);
	}
}

static bool push_young(void *context, struct object *o)
{
	(void)context;
	push(&workers[0], o, 0);
	return true;
}

/* ---- What weak.c asks, answered by worker 0 alone ---- */

static bool is_alive(const struct weak_tracer *tracer, struct object *o)
{
	const uint64_t head = object__head(o);

	if (heap__is_young(o)) {
		return tracer->mode == TRACE_MARK || (head & (HEAD_FORWARDED | HEAD_PINNED)) ||
		       (nursery__is_to(o) && !(head & HEAD_LEFTOVER));
	}
	if (tracer->mode == TRACE_YOUNG)
		return true;
	return heap__is_large(o) ? head & HEAD_MARKED : marks__has(o);
}

static void keep(const struct weak_tracer *tracer, struct object **slot)
{
	const struct visitor visitor = { &workers[0], tracer->mode, false };

	visit_root((void *)&visitor, slot, 0, 0);
	drain_all(&workers[0], tracer->mode, false);
}

static void close_worker(struct gc_worker *w)
{
	close_old_chunk(w);
	close_young_chunk(w);
	list__append(&remset, &w->slots);
}

void trace__run(struct gc *gc, enum trace_mode mode)
{
	struct trace trace = { .gc = gc, .mode = mode, .parallel = workers_count > 1 };
	struct weak_tracer tracer = { .mode = mode, .is_alive = is_alive, .keep = keep };

	workers[0].gc = gc;
	if (mode == TRACE_YOUNG) {
		trace.old_slots = remset;
		remset = (struct list){ 0 };
	} else {
		remset__clear();
		marks__clear(old.top);
	}
	if (mode == TRACE_MARK)
		nursery__walk(push_young, NULL);
	else
		push_staying(gc);
	pool__begin(workers_count);
	workers__run(work, &trace);
	weak__process(&tracer);
	for (unsigned i = 0; i < workers_count; i++)
		close_worker(&workers[i]);
	list__free(&trace.old_slots);
}
