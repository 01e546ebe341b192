/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sweeping the old space, from its mark bits alone: no object is looked at.
 *
 * A piece [from, to) of the space begins at the start of a live object (or of the space) and ends
 * before one (or at the top): cut so, pieces are independent, whoever sweeps which and when, and
 * neither a run of live words nor a hole needs a neighbour's state. A hole that touches two pieces
 * belongs to the first: the second begins with a live object.
 *
 * In a stopped world each worker sweeps one piece. Concurrently, a thread of its own sweeps small
 * pieces one after the other; between two of them all of [heap.old, swept) can be walked, and
 * above it the marks say what still exists. The marks stay as they are until the collection ends,
 * which is when they are told: as the seeds have it, survivals are known at the end, and what was
 * promoted into the holes meanwhile is not among them.
 */
#include "old.h"
#include "collector.h"
#include "marks.h"
#include "report.h"
#include "workers.h"

static void tell(struct gc_worker *w, struct gc *gc, uint64_t start, uint64_t bytes)
{
	w->survived.bytes += bytes;
	if (gc->tell.survivors)
		report__survived(w->reporter, gc, GEN_OLD, start, bytes);
}

static uint64_t count_starts(uint64_t from, uint64_t to)
{
	uint64_t count = 0;

	for (uint64_t bit = from; bit < to;) {
		const uint64_t left = to - bit, offset = bit & 63;
		uint64_t word = marks.starts[bit >> 6] >> offset;
		const uint64_t n = left < 64 - offset ? left : 64 - offset;

		if (n < 64)
			word &= ((uint64_t)1 << n) - 1;
		count += (uint64_t)__builtin_popcountll(word);
		bit += n;
	}
	return count;
}

/* Reclaims the holes of a piece (reclaim), tells its runs (w). Either may be left out. */
static void sweep_piece(uint64_t from, uint64_t to, bool reclaim, struct gc_worker *w,
			struct gc *gc)
{
	const uint64_t end = marks__bit(to);

	for (uint64_t bit = marks__bit(from); bit < end;) {
		const uint64_t run = marks__next_set(marks.live, bit, end);
		const uint64_t hole = marks__next_clear(marks.live, run, end);

		if (reclaim)
			old__give(marks__address(bit), marks__address(run));
		if (w && hole > run)
			tell(w, gc, marks__address(run), (hole - run) << 3);
		bit = hole;
	}
	if (w)
		w->survived.objects += count_starts(marks__bit(from), end);
}

/* The first object that starts at or after the n-th part of the space. */
static uint64_t cut(uint64_t end, unsigned n)
{
	const uint64_t part = (end - heap.old) / workers_count / BLOCK_BYTES * BLOCK_BYTES;

	if (!n)
		return heap.old;
	return n == workers_count ? end : marks__next_start(heap.old + n * part, end);
}

struct sweep {
	struct gc *gc;
	uint64_t end;
	bool reclaim;
};

static void sweep_part(struct gc_worker *w, void *context)
{
	const struct sweep *sweep = context;

	w->survived = (struct usage){ 0, 0 };
	sweep_piece(cut(sweep->end, w->index), cut(sweep->end, w->index + 1), sweep->reclaim, w,
		    sweep->gc);
}

static void sweep_all(struct gc *gc, uint64_t end, bool reclaim)
{
	struct sweep sweep = { gc, end, reclaim };

	workers__run(sweep_part, &sweep);
	for (unsigned i = 0; i < workers_count; i++)
		usage__sum(&gc->counts[GEN_OLD].survived, &workers[i].survived);
}

/* What is dead at the upper end is no hole: the space becomes shorter. */
static void lower_top(void)
{
	uint64_t word = (marks__bit(old.top) + 63) / 64;

	while (word && !marks.live[word - 1])
		word--;
	if (!word)
		old.top = heap.old;
	else
		old.top = marks__address(64 * word -
					 (uint64_t)__builtin_clzll(marks.live[word - 1]));
}

void old__sweep(struct gc *gc)
{
	old__drop_holes();
	lower_top();
	sweep_all(gc, old.top, true);
	old.usage = gc->counts[GEN_OLD].survived;
}

void old__sweep_begin(void)
{
	old__drop_holes();
	lower_top();
	old.swept = heap.old;
	old.sweep_end = old.top;
}

bool old__sweep_step(uint64_t bytes)
{
	uint64_t to = old.swept + round_up(bytes, BLOCK_BYTES);

	to = to < old.sweep_end ? marks__next_start(to, old.sweep_end) : old.sweep_end;
	sweep_piece(old.swept, to, true, NULL, NULL);
	old.swept = to;
	return to < old.sweep_end;
}

void old__sweep_report(struct gc *gc)
{
	sweep_all(gc, old.sweep_end, false);
	old.swept = old.sweep_end = 0;
}
