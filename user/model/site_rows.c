/* SPDX-License-Identifier: BSD-2-Clause */
#include "site_rows.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void site_rows__free(struct site_rows *rows)
{
	vec__free(&rows->of);
	vec__free(&rows->ages);
	vec__free(&rows->objects);
	vec__free(&rows->row_of);
	vec__free(&rows->most);
}

unsigned int site_age__place(uint64_t age)
{
	const unsigned int place = age ? 64 - (unsigned int)__builtin_clzll(age) : 0;

	return place < SITE_AGES ? place : SITE_AGES - 1;
}

uint64_t site_age__from(unsigned int place)
{
	return place ? UINT64_C(1) << (place - 1) : 0;
}

/* ---------------------------------------------------------------- spots, then rows */

/* What lives of each spot. */
struct spot_now {
	struct estimate live, old;
	uint64_t oldest;
	bool varies; /* sites__varies() */
};

static bool is_wanted(const struct sites *sites, const struct site_groups *groups,
		      const struct living *sample, uint64_t age)
{
	return groups->of_spot.items[sample->spot] != GROUP_NONE &&
	       sites__age(sites, sample) >= age;
}

static struct spot_now *count_spots(struct site_rows *rows, const struct sites *sites,
				    const struct site_groups *groups, uint64_t age)
{
	struct spot_now *spots = calloc(sites->spots.count + 1, sizeof(*spots));

	for (size_t i = 0; spots && i < sites->living.of.count; i++) {
		const struct living *sample = &sites->living.of.items[i];
		struct spot_now *spot = &spots[sample->spot];

		if (is_wanted(sites, groups, sample, 0))
			estimate__add(&rows->live, sample->size, sample->weight);
		if (!is_wanted(sites, groups, sample, age))
			continue;
		estimate__add(&spot->live, sample->size, sample->weight);
		if (sample->generation == 1)
			estimate__add(&spot->old, sample->size, sample->weight);
		if (sites__age(sites, sample) > spot->oldest)
			spot->oldest = sites__age(sites, sample);
	}
	return spots;
}

/* NULL: no memory. */
static struct site_row *row_of(struct site_rows *rows, const struct site_groups *groups,
			       uint32_t group)
{
	uint32_t *row = &rows->row_of.items[group];
	const struct site_row new = { .group = group, .key = groups->keys.items[group] };

	if (!*row) {
		if (vec__push(&rows->of, new) || vec__push(&rows->most, -1))
			return NULL;
		*row = (uint32_t)rows->of.count;
	}
	return &rows->of.items[*row - 1];
}

/* Bytes alive weigh more than any that are not. */
static void note_type(struct site_rows *rows, struct site_row *row, const struct site_spot *spot,
		      const struct spot_now *now)
{
	const double bytes = now->live.samples ? 1e18 + now->live.bytes : spot->allocated.bytes;
	double *most = &rows->most.items[row - rows->of.items];

	row->mixed |= *most >= 0 && row->type != spot->type;
	row->varies |= now->varies;
	if (bytes <= *most)
		return;
	*most = bytes;
	row->type = spot->type;
}

static int add_spot(struct site_rows *rows, const struct site_groups *groups, uint32_t group,
		    const struct site_spot *spot, const struct spot_now *now)
{
	struct site_row *row = row_of(rows, groups, group);

	if (!row)
		return -ENOMEM;
	note_type(rows, row, spot, now);
	estimate__sum(&row->live, &now->live);
	estimate__sum(&row->old, &now->old);
	estimate__sum(&row->allocated, &spot->allocated);
	estimate__sum(&row->died, &spot->died);
	estimate__sum(&row->promoted, &spot->promoted);
	estimate__sum(&row->decided, &spot->promoted);
	estimate__sum(&row->decided, &spot->died_young);
	if (now->oldest > row->oldest)
		row->oldest = now->oldest;
	return 0;
}

/* Of all samples, also of types that nobody asked for. */
static struct site_limit limit_of(const struct sites *sites)
{
	struct site_limit limit = { .most = INFINITY, .in_use = sites->heap.bytes };
	struct estimate then = { 0 }, since = { 0 };

	if (!sites->heap.end_ns || sites->unfollowed || sites->doubted || sites->missed)
		return limit;
	for (size_t i = 0; i < sites->living.of.count; i++) {
		const struct living *sample = &sites->living.of.items[i];

		estimate__add(sample->told_ns <= sites->heap.end_ns ? &then : &since, sample->size,
			      sample->weight);
	}
	limit.known = true;
	limit.then = estimate__at_most(&then, &sites->sampler, INFINITY);
	limit.contradicted = floor(limit.then.bounds.low) > (double)limit.in_use;
	if (!limit.contradicted)
		limit.most = floor((double)limit.in_use +
				   estimate__bytes(&since, &sites->sampler).high);
	return limit;
}

static int by_bytes(const void *a, const void *b)
{
	const struct site_row *left = a, *right = b;

	if (left->live.bytes != right->live.bytes)
		return left->live.bytes > right->live.bytes ? -1 : 1;
	if (left->allocated.bytes != right->allocated.bytes)
		return left->allocated.bytes > right->allocated.bytes ? -1 : 1;
	return left->group < right->group ? -1 : left->group > right->group;
}

static int clear_rows(struct site_rows *rows, const struct site_groups *groups)
{
	vec__reset(&rows->of);
	vec__reset(&rows->ages);
	vec__reset(&rows->most);
	vec__reset(&rows->row_of);
	rows->live = rows->allocated = (struct estimate){ 0 };
	if (vec__reserve(&rows->row_of, groups->keys.count + 1))
		return -ENOMEM;
	rows->row_of.count = groups->keys.count;
	memset(rows->row_of.items, 0, rows->row_of.count * sizeof(*rows->row_of.items));
	return 0;
}

static void note_places(struct site_rows *rows)
{
	for (size_t i = 0; i < rows->of.count; i++)
		rows->row_of.items[rows->of.items[i].group] = (uint32_t)i + 1;
}

/* What is old enough makes a row: then all of its group is in it, wherever that was allocated. */
static int make_rows(struct site_rows *rows, const struct sites *sites,
		     const struct site_groups *groups, const struct spot_now *spots, uint64_t age)
{
	for (size_t i = 0; i < sites->spots.count; i++) {
		const uint32_t group = groups->of_spot.items[i];

		if (group != GROUP_NONE && (!age || spots[i].live.samples) &&
		    !row_of(rows, groups, group))
			return -ENOMEM;
	}
	return 0;
}

int site_rows__take(struct site_rows *rows, const struct sites *sites,
		    const struct site_groups *groups, uint64_t age)
{
	int err = clear_rows(rows, groups);
	struct spot_now *spots = err ? NULL : count_spots(rows, sites, groups, age);

	if (!spots)
		return -ENOMEM;
	err = make_rows(rows, sites, groups, spots, age);
	for (size_t i = 0; i < sites->spots.count && !err; i++) {
		const uint32_t group = groups->of_spot.items[i];

		if (group == GROUP_NONE)
			continue;
		estimate__sum(&rows->allocated, &sites->spots.items[i].allocated);
		if (!rows->row_of.items[group])
			continue;
		spots[i].varies = sites__varies(sites, &sites->spots.items[i]);
		err = add_spot(rows, groups, group, &sites->spots.items[i], &spots[i]);
	}
	free(spots);
	rows->limit = limit_of(sites);
	vec__sort(&rows->of, by_bytes);
	note_places(rows);
	return err;
}

int site_rows__take_ages(struct site_rows *rows, const struct sites *sites,
			 const struct site_groups *groups, size_t count)
{
	const size_t places = (count < rows->of.count ? count : rows->of.count) * SITE_AGES;

	if (vec__reserve(&rows->ages, places + 1))
		return -ENOMEM;
	rows->ages.count = places;
	memset(rows->ages.items, 0, places * sizeof(*rows->ages.items));
	for (size_t i = 0; i < places / SITE_AGES; i++)
		rows->of.items[i].ages = &rows->ages.items[i * SITE_AGES];
	for (size_t i = 0; i < sites->living.of.count; i++) {
		const struct living *sample = &sites->living.of.items[i];
		const uint32_t group = groups->of_spot.items[sample->spot];
		const uint32_t row = group == GROUP_NONE ? 0 : rows->row_of.items[group];

		if (row && row <= places / SITE_AGES)
			estimate__add(&rows->of.items[row - 1].ages[site_age__place(
					      sites__age(sites, sample))],
				      sample->size, sample->weight);
	}
	return 0;
}

/* ---------------------------------------------------------------- objects */

static int by_age(const void *a, const void *b, void *context)
{
	const struct sites *sites = context;
	const struct living *left = &sites->living.of.items[*(const uint32_t *)a],
			    *right = &sites->living.of.items[*(const uint32_t *)b];

	if (left->gc != right->gc)
		return left->gc < right->gc ? -1 : 1;
	if (left->size != right->size)
		return left->size > right->size ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

int site_rows__objects(struct site_rows *rows, const struct sites *sites,
		       const struct site_groups *groups, uint64_t age)
{
	int err = 0;

	vec__reset(&rows->objects);
	for (size_t i = 0; i < sites->living.of.count && !err; i++)
		if (is_wanted(sites, groups, &sites->living.of.items[i], age))
			err = vec__push(&rows->objects, (uint32_t)i);
	if (rows->objects.count)
		qsort_r(rows->objects.items, rows->objects.count, sizeof(*rows->objects.items),
			by_age, (void *)sites);
	return err;
}
