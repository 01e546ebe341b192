/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compacting the old space by sliding.
 *
 *     before   | A | .. | B | C | ........ | D | PINNED | .. | E | F | ...
 *     after    | A | B | C | D | ......... |     PINNED | E | F |
 *                                 hole: what did not fit in front of the pinned object
 *
 * 1. PLAN. A table says for each block of 512 bytes where the first object that starts in it goes;
 *    an object's new address is that plus 8 times the live bits below it in its block. No object
 *    is read, no address is stored in one. For this the words of an object that began in an
 *    earlier block (the spill: live bits below the block's first start bit) are taken off:
 *
 *        new(o) = to[block] + 8 * popcount(live[block] & below(o))
 *        to[block] = where the block's first own object goes - 8 * spill
 *
 *    The objects of one block stay together, whatever happens around them.
 *
 * 2. FIX AND MOVE. References everywhere are replaced by new(o); then runs of objects that lie and
 *    will lie next to one another are moved by one memmove, which is also one reported range.
 *    Destinations never lie above sources and blocks go in order, so nothing is overwritten
 *    that is still needed.
 *
 * PINNED OBJECTS. The block that one starts in is frozen with all that starts in it (to[block] is
 * FROZEN): such a block is an obstacle [first object's start, last object's end). Obstacles are
 * whole blocks' worth of objects, so all other objects lie either in front of or behind one. Those
 * in front always fit in front of it, because they only slide down. Those behind fill the hole
 * in front while whole blocks fit, then go on behind: a hole remains. What is dead in a frozen
 * block becomes holes as well.
 *
 * SEVERAL WORKERS. The space is cut into as many parts, at blocks; each worker slides its own part
 * to the part's low end, behind the spill of the part before, so that no two touch the same words.
 * That costs a hole for each part, and no waiting for one another.
 */
#include "old.h"
#include "collector.h"
#include "large.h"
#include "marks.h"
#include "nursery.h"
#include "remset.h"
#include "report.h"
#include "roots.h"
#include "workers.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FROZEN 1u
#define BLOCK_SHIFT 9

static uint64_t *to_table;

static struct compaction {
	struct gc *gc;
	uint64_t blocks; /* of the space */
	struct chunk *obstacles; /* by address */
	size_t obstacle_count, obstacle_capacity;
	unsigned next_task; /* atomic */
	pthread_barrier_t planned;
} job;

static uint64_t block_of(uint64_t address)
{
	return (address - heap.old) >> BLOCK_SHIFT;
}

static uint64_t block_start(uint64_t block)
{
	return heap.old + (block << BLOCK_SHIFT);
}

/* Words of this block that belong to an object of an earlier one. */
static uint64_t spill_of(uint64_t block)
{
	const uint64_t starts = marks.starts[block], live = marks.live[block];

	return (uint64_t)__builtin_popcountll(starts ? live & ((starts & -starts) - 1) : live);
}

/* Where the object that began before the block and reaches into it ends, else the block's start. */
static uint64_t end_of_spill(uint64_t block)
{
	const uint64_t start = block_start(block), bit = marks__bit(start);
	uint64_t first;

	if (block == job.blocks)
		return start;
	first = marks__bit(marks__next_start(start, block_start(job.blocks)));
	return marks__address(marks__next_clear(marks.live, bit, first));
}

static uint64_t first_object(uint64_t block)
{
	return block_start(block) + 8 * (uint64_t)__builtin_ctzll(marks.starts[block]);
}

/* Where the last object that starts in the block ends. */
static uint64_t end_of_objects(uint64_t block)
{
	const uint64_t last = block_start(block) +
			      8 * (63 - (uint64_t)__builtin_clzll(marks.starts[block]));

	return last + object__size((struct object *)(uintptr_t)last);
}

/* Bytes of the objects that start in the block. */
static uint64_t bytes_of_objects(uint64_t block)
{
	const uint64_t end = end_of_objects(block), next = block_start(block + 1);
	const uint64_t inside = (uint64_t)__builtin_popcountll(marks.live[block]) - spill_of(block);

	return 8 * inside + (end > next ? end - next : 0);
}

static struct object *new_address(struct object *o)
{
	const uint64_t bit = marks__bit((uint64_t)(uintptr_t)o), to = to_table[bit >> 6];
	const uint64_t below = marks.live[bit >> 6] & (((uint64_t)1 << (bit & 63)) - 1);

	if (to & FROZEN)
		return o;
	return (struct object *)(uintptr_t)(to + 8 * (uint64_t)__builtin_popcountll(below));
}

/* ---- Obstacles ---- */

static int by_address(const void *a, const void *b)
{
	const struct chunk *x = a, *y = b;

	return x->next < y->next ? -1 : x->next > y->next;
}

static void find_obstacles(const struct list *pinned)
{
	job.obstacle_count = 0;
	for (size_t i = 0; i < pinned->count; i++) {
		const uint64_t block = block_of((uint64_t)(uintptr_t)pinned->items[i]);

		if (!heap__is_old(pinned->items[i]) || to_table[block] == FROZEN)
			continue;
		to_table[block] = FROZEN;
		if (job.obstacle_count == job.obstacle_capacity) {
			job.obstacle_capacity = 2 * job.obstacle_capacity + 16;
			job.obstacles = get_memory(job.obstacles, job.obstacle_capacity *
								      sizeof(*job.obstacles));
		}
		job.obstacles[job.obstacle_count++] =
			(struct chunk){ first_object(block), end_of_objects(block) };
	}
	if (job.obstacle_count)
		qsort(job.obstacles, job.obstacle_count, sizeof(*job.obstacles), by_address);
}

/* ---- Plan ---- */

struct plan {
	uint64_t at;		      /* next word to fill */
	const struct chunk *obstacle; /* the next one that is not behind us */
	const struct chunk *last;
	struct gc_worker *worker;
};

static void add_hole(struct gc_worker *w, uint64_t start, uint64_t end)
{
	if (w->hole_count == w->hole_capacity) {
		w->hole_capacity = 2 * w->hole_capacity + 16;
		w->holes = get_memory(w->holes, w->hole_capacity * sizeof(*w->holes));
	}
	w->holes[w->hole_count++] = (struct chunk){ start, end };
}

static void pass_obstacle(struct plan *plan)
{
	if (plan->obstacle->next > plan->at)
		add_hole(plan->worker, plan->at, plan->obstacle->next);
	plan->at = plan->obstacle->end;
	plan->obstacle++;
}

/* Blocks [from, to) of one worker; bounds: where its destinations begin and end. */
static void plan_blocks(struct gc_worker *w, uint64_t from, uint64_t to)
{
	struct plan plan = { end_of_spill(from), job.obstacles,
			     job.obstacles + job.obstacle_count, w };

	while (plan.obstacle < plan.last && plan.obstacle->next < block_start(from))
		plan.obstacle++;
	w->bounds[0] = plan.at;
	for (uint64_t block = from; block < to; block++) {
		uint64_t bytes;

		if (!marks.starts[block] || to_table[block] == FROZEN)
			continue;
		bytes = bytes_of_objects(block);
		while (plan.obstacle < plan.last && plan.at + bytes > plan.obstacle->next)
			pass_obstacle(&plan);
		to_table[block] = plan.at - 8 * spill_of(block);
		plan.at += bytes;
	}
	while (plan.obstacle < plan.last && plan.obstacle->next < block_start(to))
		pass_obstacle(&plan);
	w->bounds[1] = plan.at;
}

/* Without pinned objects no object is looked at: live words simply follow one another. */
static void plan_freely(struct gc_worker *w, uint64_t from, uint64_t to)
{
	uint64_t at = block_start(from), starts = 0;

	for (uint64_t block = from; block < to; block++) {
		to_table[block] = at;
		at += 8 * (uint64_t)__builtin_popcountll(marks.live[block]);
		starts |= marks.starts[block];
	}
	w->bounds[0] = end_of_spill(from);
	w->bounds[1] = starts ? at + end_of_spill(to) - block_start(to) : w->bounds[0];
}

/* ---- Fix ---- */

static inline struct object *fixed(struct object *o)
{
	return heap__is_old(o) ? new_address(o) : o;
}

static void fix_word(void *context, struct object **slot)
{
	(void)context;
	*slot = fixed(*slot);
}

/* The references of an object; slots that refer to the nursery are remembered by the address
 * that they are going to have: `by` bytes lower. */
static void fix_object(struct gc_worker *w, struct object *o, uint64_t by)
{
	const uint64_t head = object__head(o), refs = head__refs(head);
	const uint64_t strong = head__strong_refs(head);
	const bool is_outside = !heap__is_young(o);

	for (uint64_t i = 0; i < refs; i++) {
		struct object *to = o->refs[i];

		if (!to)
			continue;
		if (heap__is_old(to))
			o->refs[i] = new_address(to);
		else if (is_outside && i < strong && heap__is_young(to))
			remset__note(&w->slots,
				     (struct object **)((uintptr_t)&o->refs[i] - by));
	}
}

static bool fix_seen(void *context, struct object *o)
{
	fix_object(context, o, 0);
	return true;
}

/* What lies outside the old space, in tasks: roots, the nursery, large objects one by one. */
static void fix_outside(struct gc_worker *w)
{
	const unsigned tasks = 2 + (unsigned)large.objects.count;
	unsigned task;

	while ((task = __atomic_fetch_add(&job.next_task, 1, __ATOMIC_RELAXED)) < tasks) {
		if (task == 0)
			roots__each_word(fix_word, NULL);
		else if (task == 1)
			nursery__walk(fix_seen, w);
		else
			fix_object(w, large.objects.items[task - 2], 0);
	}
}

/* ---- Move ---- */

struct run {
	uint64_t start, end, to, objects;
};

static void move_run(struct gc_worker *w, const struct run *run)
{
	const uint64_t bytes = run->end - run->start;
	struct usage *usage = run->to == run->start ? &w->stayed : &w->moved;

	if (!bytes)
		return;
	usage->objects += run->objects;
	usage->bytes += bytes;
	if (run->to != run->start)
		memmove((void *)(uintptr_t)run->to, (void *)(uintptr_t)run->start, bytes);
	if (job.gc->tell.moves)
		report__moved(w->reporter, job.gc, GEN_OLD, run->start, run->to, bytes);
}

static void move_object(struct gc_worker *w, struct run *run, uint64_t at, uint64_t to)
{
	struct object *o = (struct object *)(uintptr_t)at;
	const uint64_t bytes = object__size(o);

	fix_object(w, o, at - to);
	if (at != run->end || to != run->to + (run->end - run->start)) {
		move_run(w, run);
		*run = (struct run){ at, at, to, 0 };
	}
	run->end += bytes;
	run->objects++;
}

/* Objects that start in blocks [from, to), in order. */
static void move_blocks(struct gc_worker *w, uint64_t from, uint64_t to)
{
	struct run run = { 0, 0, 0, 0 };

	for (uint64_t block = from; block < to; block++) {
		const uint64_t live = marks.live[block], base = to_table[block];

		for (uint64_t starts = marks.starts[block]; starts; starts &= starts - 1) {
			const uint64_t bit = (uint64_t)__builtin_ctzll(starts);
			const uint64_t at = block_start(block) + 8 * bit;
			const uint64_t below = live & (((uint64_t)1 << bit) - 1);

			move_object(w, &run, at,
				    base & FROZEN ? at : base + 8 * (uint64_t)
							      __builtin_popcountll(below));
		}
	}
	move_run(w, &run);
}

static void compact_part(struct gc_worker *w, void *context)
{
	const uint64_t part = (job.blocks + workers_count - 1) / workers_count;
	const uint64_t from = part * w->index < job.blocks ? part * w->index : job.blocks;
	const uint64_t to = from + part < job.blocks ? from + part : job.blocks;

	(void)context;
	w->moved = w->stayed = (struct usage){ 0, 0 };
	w->hole_count = 0;
	if (from == to)
		w->bounds[0] = w->bounds[1] = block_start(from);
	else if (job.obstacle_count)
		plan_blocks(w, from, to);
	else
		plan_freely(w, from, to);
	pthread_barrier_wait(&job.planned);
	fix_outside(w);
	move_blocks(w, from, to);
}

/* ---- All of it ---- */

/* The dead between the objects of a frozen block. */
static void give_holes_of(const struct chunk *obstacle)
{
	const uint64_t end = marks__bit(obstacle->end);

	for (uint64_t bit = marks__bit(obstacle->next); bit < end;) {
		const uint64_t hole = marks__next_clear(marks.live, bit, end);

		bit = marks__next_set(marks.live, hole, end);
		old__give(marks__address(hole), marks__address(bit));
	}
}

/* What is free now: in front of obstacles, in them, and between the workers' parts. */
static void give_holes(void)
{
	uint64_t top = heap.old;

	for (unsigned i = 0; i < workers_count; i++) {
		struct gc_worker *w = &workers[i];

		if (w->bounds[1] == w->bounds[0])
			continue;
		old__give(top, w->bounds[0]);
		for (size_t k = 0; k < w->hole_count; k++)
			old__give(w->holes[k].next, w->holes[k].end);
		top = w->bounds[1];
	}
	old.top = top;
	for (size_t i = 0; i < job.obstacle_count; i++)
		give_holes_of(&job.obstacles[i]);
}

static void finish(struct gc *gc)
{
	struct gc_counts *counts = &gc->counts[GEN_OLD];

	old.usage = (struct usage){ 0, 0 };
	for (unsigned i = 0; i < workers_count; i++) {
		struct gc_worker *w = &workers[i];

		usage__sum(&counts->moved, &w->moved);
		usage__sum(&counts->stayed, &w->stayed);
		usage__sum(&old.usage, &w->moved);
		usage__sum(&old.usage, &w->stayed);
		list__append(&remset, &w->slots);
	}
}

void old__compact(struct gc *gc, const struct list *pinned)
{
	const uint64_t top = old.top;

	if (!to_table)
		to_table = reserve(0, heap.old_bytes / BLOCK_BYTES * 8, "a table of moves");
	job.gc = gc;
	job.blocks = (top - heap.old + BLOCK_BYTES - 1) >> BLOCK_SHIFT;
	job.next_task = 0;
	find_obstacles(pinned);
	remset__clear();
	old__drop_holes();
	pthread_barrier_init(&job.planned, NULL, workers_count);
	workers__run(compact_part, NULL);
	pthread_barrier_destroy(&job.planned);
	give_holes();
	finish(gc);
	marks__clear(top);
	memset(to_table, 0, job.blocks * sizeof(*to_table));
}
