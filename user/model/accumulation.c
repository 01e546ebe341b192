/* SPDX-License-Identifier: BSD-2-Clause */
#include "accumulation.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gctrace/wire.h"
#include "owner.h"

int accumulation__init(struct accumulation *of, const struct heap *heap)
{
	const size_t types = heap__types(heap)->count;

	*of = (struct accumulation){ .heap = heap };
	of->bytes = calloc(types ? types : 1, sizeof(*of->bytes));
	of->counts = calloc(types ? types : 1, sizeof(*of->counts));
	of->inside = calloc(types ? types : 1, sizeof(*of->inside));
	return of->bytes && of->counts && of->inside ? 0 : -ENOMEM;
}

void accumulation__free(struct accumulation *of)
{
	free(of->bytes);
	free(of->counts);
	free(of->inside);
}

static bool is_array(const struct heap *heap, uint32_t place)
{
	return heap_types__at(heap__types(heap), heap__type(heap, place)).flags &
	       GCTRACE_CLASS_ARRAY;
}

static uint32_t heaviest_below(const struct heap *heap, uint32_t place)
{
	uint32_t child = HEAP_NONE, heaviest = HEAP_NONE;
	uint64_t most = 0;

	while ((child = heap__next_dominated(heap, place, child)) != HEAP_NONE) {
		const uint64_t bytes = heap__retained(heap, child);

		if (heaviest == HEAP_NONE || bytes > most) {
			heaviest = child;
			most = bytes;
		}
	}
	return heaviest;
}

/* The next of its type on its heaviest way, and what is between them; HEAP_NONE: none is near. */
static uint32_t next_alike(const struct heap *heap, uint32_t place, uint32_t *between,
			   size_t *count)
{
	uint32_t at = place;

	*count = 0;
	for (size_t i = 0; i < ACCUMULATION_PERIOD; i++) {
		at = heaviest_below(heap, at);
		if (at == HEAP_NONE || heap__type(heap, at) == heap__type(heap, place))
			return at;
		between[(*count)++] = heap__type(heap, at);
	}
	return HEAP_NONE;
}

static void learn_structure(struct accumulation *of, uint32_t place)
{
	uint32_t between[ACCUMULATION_REPEATS][ACCUMULATION_PERIOD], at = place;
	size_t counts[ACCUMULATION_REPEATS] = { 0 };

	memset(of->inside, 0, heap__types(of->heap)->count * sizeof(*of->inside));
	of->collections = owner__is_collection(of->heap, place);
	of->repeats = true;
	for (size_t i = 0; i < ACCUMULATION_REPEATS && of->repeats; i++) {
		at = next_alike(of->heap, at, between[i], &counts[i]);
		of->repeats = at != HEAP_NONE;
	}
	if (!of->repeats)
		return;
	of->inside[heap__type(of->heap, place)] = true;
	for (size_t i = 0; i < ACCUMULATION_REPEATS; i++)
		for (size_t k = 0; k < counts[i]; k++)
			of->inside[between[i][k]] = true;
}

static bool is_inside(const struct accumulation *of, uint32_t place)
{
	if (of->inside[heap__type(of->heap, place)])
		return true;
	/* An array of numbers is what it holds, no part of it. */
	return of->collections && (owner__is_collection(of->heap, place) ||
				   (is_array(of->heap, place) &&
				    heap__next_dominated(of->heap, place, HEAP_NONE) != HEAP_NONE));
}

/* The next piece or part of the structure behind `at`, in preorder; not below a piece. */
static uint32_t next_of(const struct heap *heap, uint32_t top, uint32_t at, bool into)
{
	uint32_t next = into ? heap__next_dominated(heap, at, HEAP_NONE) : HEAP_NONE;

	while (next == HEAP_NONE && at != top) {
		const uint32_t above = heap__dominator(heap, at);

		next = heap__next_dominated(heap, above, at);
		at = above;
	}
	return next;
}

void accumulation__count(struct accumulation *of, uint32_t place)
{
	const uint32_t type = heap__type(of->heap, place);

	of->bytes[type] += heap__retained(of->heap, place);
	of->counts[type]++;
	if (of->of == UINT32_MAX || type == of->of || of->bytes[type] > of->of_bytes) {
		of->of = type;
		of->of_bytes = of->bytes[type];
		of->of_count = of->counts[type];
	}
}

static int look_through(struct accumulation *of, uint32_t place, uint64_t least,
			accumulation_large *large, void *context)
{
	uint32_t at = place;
	bool into = true;
	int err = 0;

	of->structure = 1;
	of->structure_bytes = heap__size(of->heap, place);
	while (!err && (at = next_of(of->heap, place, at, into)) != HEAP_NONE) {
		const uint64_t bytes = heap__retained(of->heap, at);

		into = is_inside(of, at);
		if (into) {
			of->structure++;
			of->structure_bytes += heap__size(of->heap, at);
		} else if (bytes && bytes >= least) {
			of->large += bytes;
			err = large(context, at);
		} else {
			accumulation__count(of, at);
		}
	}
	return err;
}

void accumulation__begin(struct accumulation *of)
{
	const size_t types = heap__types(of->heap)->count;

	of->large = of->of_bytes = of->of_count = 0;
	of->of = UINT32_MAX;
	memset(of->bytes, 0, types * sizeof(*of->bytes));
	memset(of->counts, 0, types * sizeof(*of->counts));
}

/* Is most of it of one kind, more than it refers to, as with a list that has two ends? */
static bool dominates_more(struct accumulation *of, uint32_t place)
{
	struct heap_references references = heap__references(of->heap, place);
	struct heap_reference next;
	uint64_t refers = 0;
	uint32_t child = HEAP_NONE;

	while (heap_references__next(&references, &next))
		refers++;
	accumulation__begin(of);
	while ((child = heap__next_dominated(of->heap, place, child)) != HEAP_NONE)
		accumulation__count(of, child);
	return of->of_count > refers && of->of_bytes > heap__retained(of->heap, place) / 2;
}

/* "ThreadPoolExecutor, LinkedBlockingQueue, Node": the queue and the node. */
static void note_steps(struct accumulation *of, uint32_t place)
{
	const uint64_t most = heap__retained(of->heap, place) / 5 * 4;
	uint32_t at = place, type;

	of->step_count = 0;
	while (of->step_count < ACCUMULATION_STEPS) {
		at = heaviest_below(of->heap, at);
		if (at == HEAP_NONE || !is_inside(of, at) || heap__retained(of->heap, at) < most)
			return;
		type = heap__type(of->heap, at);
		if (type == heap__type(of->heap, place))
			return;
		for (size_t i = 0; i < of->step_count; i++)
			if (of->steps[i] == type)
				return;
		of->steps[of->step_count++] = type;
	}
}

int accumulation__look(struct accumulation *of, uint32_t place, uint64_t least,
		       accumulation_large *large, void *context)
{
	const uint64_t half = heap__retained(of->heap, place) / 2;

	learn_structure(of, place);
	of->wide = of->repeats || of->collections || is_array(of->heap, place) ||
		   dominates_more(of, place);
	accumulation__begin(of);
	note_steps(of, place);
	if (of->wide && half > least)
		least = half;
	return look_through(of, place, least, large, context);
}
