/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All ways to an object, backwards from it, the most promising first: the length so far plus the
 * cost of the best way from a root, which is known of every object (heap_paths.h). So the first way
 * that is found is a cheapest one, and no step is looked at that leads nowhere but around.
 *
 * A way is a chain of steps that share their ends:
 *
 *	object <--- a <--- b <--- root       steps[]: place, and the step that it came from
 *	            ^
 *	            '----- c <--- root
 */
#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "heap_paths.h"
#include "heap_referrers.h"

#define NO_STEP UINT32_MAX

struct step {
	uint32_t place;
	uint32_t next; /* step towards the object */
	uint32_t length; /* to the object */
};

struct promise {
	uint32_t length; /* of the cheapest way over this step */
	uint32_t step;
};

struct heap_path_search {
	const struct heap_paths *paths;
	const struct heap_referrers *referrers;
	VEC(struct step) steps;
	VEC(struct promise) open; /* a heap: the least first; of equals the one that came first */
	VEC(uint32_t) places; /* of the way found last */
	uint64_t most;
	bool cut;
};

static bool is_before(const struct promise *a, const struct promise *b)
{
	return a->length != b->length ? a->length < b->length : a->step < b->step;
}

static int open_step(struct heap_path_search *search, uint32_t place, uint32_t next,
		     uint32_t length)
{
	struct promise *of, promise;
	size_t at = search->open.count;

	if (search->steps.count >= search->most || search->steps.count >= NO_STEP) {
		search->cut = true;
		return 0;
	}
	promise.length = length + heap_paths__cost(search->paths, place);
	promise.step = (uint32_t)search->steps.count;
	if (vec__push(&search->steps, (struct step){ place, next, length }) ||
	    vec__push(&search->open, promise))
		return -ENOMEM;
	of = search->open.items;
	for (; at && is_before(&promise, &of[(at - 1) / 2]); at = (at - 1) / 2)
		of[at] = of[(at - 1) / 2];
	of[at] = promise;
	return 0;
}

static uint32_t take_best(struct heap_path_search *search)
{
	struct promise *of = search->open.items, last;
	const uint32_t best = of[0].step;
	size_t at = 0, child;

	last = of[--search->open.count];
	while ((child = 2 * at + 1) < search->open.count) {
		if (child + 1 < search->open.count && is_before(&of[child + 1], &of[child]))
			child++;
		if (!is_before(&of[child], &last))
			break;
		of[at] = of[child];
		at = child;
	}
	of[at] = last;
	return best;
}

static bool leads_over(const struct heap_path_search *search, uint32_t step, uint32_t place)
{
	for (; step != NO_STEP; step = search->steps.items[step].next)
		if (search->steps.items[step].place == place)
			return true;
	return false;
}

static int go_on_from(struct heap_path_search *search, uint32_t step)
{
	const struct step from = search->steps.items[step];
	const uint32_t *referrers;
	uint64_t count;
	int err = 0;

	referrers = heap_referrers__of(search->referrers, from.place, &count);
	for (uint64_t i = 0; i < count && !err && !search->cut; i++) {
		if (i && referrers[i] == referrers[i - 1])
			continue; /* several references of one object are one way */
		if (!leads_over(search, step, referrers[i]))
			err = open_step(search, referrers[i], step, from.length + 1);
	}
	return err;
}

int heap_path_search__new(const struct heap_paths *paths, const struct heap_referrers *referrers,
			  uint32_t place, uint64_t most, struct heap_path_search **result)
{
	struct heap_path_search *search = calloc(1, sizeof(*search));
	int err = 0;

	if (!search)
		return -ENOMEM;
	search->paths = paths;
	search->referrers = referrers;
	search->most = most;
	if (heap_paths__length(paths, place) != HEAP_NONE)
		err = open_step(search, place, NO_STEP, 0);
	if (err) {
		heap_path_search__free(search);
		return err;
	}
	*result = search;
	return 0;
}

void heap_path_search__free(struct heap_path_search *search)
{
	if (!search)
		return;
	vec__free(&search->steps);
	vec__free(&search->open);
	vec__free(&search->places);
	free(search);
}

int heap_path_search__next(struct heap_path_search *search, const uint32_t **places,
			   size_t *count)
{
	int err;

	while (search->open.count) {
		uint32_t step = take_best(search);

		if (heap_paths__length(search->paths, search->steps.items[step].place) > 0) {
			err = go_on_from(search, step);
			if (err)
				return err;
			continue;
		}
		vec__reset(&search->places); /* at a root */
		for (; step != NO_STEP; step = search->steps.items[step].next)
			if (vec__push(&search->places, search->steps.items[step].place))
				return -ENOMEM;
		*places = search->places.items;
		*count = search->places.count;
		return 1;
	}
	return 0;
}

bool heap_path_search__is_cut(const struct heap_path_search *search)
{
	return search->cut;
}
