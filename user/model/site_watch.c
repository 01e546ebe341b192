/* SPDX-License-Identifier: BSD-2-Clause */
#include "site_watch.h"

#include <stdlib.h>
#include <string.h>

#define QUARTERS 4

void site_watch__free(struct site_watch *watch)
{
	for (size_t i = 0; i < watch->histories.count; i++)
		free(watch->histories.items[i].checks);
	vec__free(&watch->histories);
}

/* ---------------------------------------------------------------- deaths */

/* The first check at which it was old; watch->count: it was at none. */
static size_t first_old_at(const struct site_watch *watch, const struct living *sample)
{
	size_t i = 0;

	while (i < watch->count && watch->checks[i].gc < sample->gc + SITE_WATCH_AGE)
		i++;
	return i;
}

static void see_death(void *context, const struct living *sample)
{
	struct site_watch *watch = context;
	const uint32_t group = sample->spot < watch->groups->of_spot.count ?
				       watch->groups->of_spot.items[sample->spot] : GROUP_NONE;
	struct site_old *checks;

	if (group == GROUP_NONE || group >= watch->histories.count)
		return;
	checks = watch->histories.items[group].checks;
	for (size_t i = first_old_at(watch, sample); checks && i < watch->count; i++)
		checks[i].died += (float)sample->weight;
}

struct site_sink site_watch__sink(struct site_watch *watch)
{
	return (struct site_sink){ see_death, watch };
}

/* ---------------------------------------------------------------- checks */

static void forget(struct site_watch *watch, size_t check)
{
	const size_t behind = watch->count - check - 1;

	memmove(&watch->checks[check], &watch->checks[check + 1],
		behind * sizeof(*watch->checks));
	for (size_t i = 0; i < watch->histories.count; i++) {
		struct site_old *checks = watch->histories.items[i].checks;

		if (checks)
			memmove(&checks[check], &checks[check + 1], behind * sizeof(*checks));
	}
	watch->count--;
}

/* The one whose neighbours are nearest to each other, measured by how long ago they were. */
static size_t least_needed(const struct site_watch *watch, uint64_t now_ns)
{
	double least = 2;
	size_t found = 1;

	for (size_t i = 1; i + 1 < watch->count; i++) {
		const double gap = (double)(watch->checks[i + 1].ns - watch->checks[i - 1].ns) /
				   (double)(now_ns - watch->checks[i - 1].ns + 1);

		if (gap < least) {
			least = gap;
			found = i;
		}
	}
	return found;
}

static struct site_old *now_of(struct site_watch *watch, uint32_t group)
{
	struct site_history *history = &watch->histories.items[group];

	if (!history->checks)
		history->checks = calloc(SITE_WATCH_CHECKS, sizeof(*history->checks));
	return history->checks ? &history->checks[watch->count] : NULL;
}

/* What is old now, as the check behind the last one. */
static int write_down(struct site_watch *watch)
{
	const struct sites *sites = watch->sites;

	while (watch->histories.count < watch->groups->keys.count)
		if (vec__push(&watch->histories, (struct site_history){ NULL }))
			return -ENOMEM;
	for (size_t i = 0; i < watch->histories.count; i++)
		if (watch->histories.items[i].checks)
			watch->histories.items[i].checks[watch->count] = (struct site_old){ 0 };
	for (size_t i = 0; i < sites->living.of.count; i++) {
		const struct living *sample = &sites->living.of.items[i];
		const uint32_t group = watch->groups->of_spot.items[sample->spot];
		struct estimate one = { 0 };
		struct site_old *old;

		if (group == GROUP_NONE || sites__age(sites, sample) < SITE_WATCH_AGE)
			continue;
		old = now_of(watch, group);
		if (!old)
			return -ENOMEM;
		estimate__add(&one, sample->size, sample->weight);
		old->bytes += (float)one.bytes;
		old->variance += (float)one.variance;
		old->seen += (float)one.seen_bytes;
	}
	return 0;
}

int site_watch__look(struct site_watch *watch, uint64_t ns)
{
	const uint64_t every = watch->every_ns ? watch->every_ns : SITE_WATCH_EVERY_NS;
	const struct site_check *last = watch->count ? &watch->checks[watch->count - 1] : NULL;
	int err;

	if (last && (ns < last->ns + every || watch->sites->gc == last->gc))
		return 0;
	if (watch->count == SITE_WATCH_CHECKS)
		forget(watch, least_needed(watch, ns));
	err = write_down(watch);
	if (!err)
		watch->checks[watch->count++] = (struct site_check){ ns, watch->sites->gc };
	return err;
}

/* ---------------------------------------------------------------- leaks */

static struct estimate estimate_of(const struct site_old *old)
{
	return (struct estimate){ .bytes = old->bytes, .variance = old->variance,
				  .seen_bytes = (uint64_t)old->seen };
}

/* The check nearest to a moment. */
static size_t check_at(const struct site_watch *watch, double ns)
{
	size_t i = 0;

	while (i + 1 < watch->count && (double)watch->checks[i + 1].ns <= ns)
		i++;
	return i;
}

static double alive_of(const struct site_old *base)
{
	return base->bytes > 0 ? 1 - (double)base->died / (double)base->bytes : 1;
}

static bool hardly_dies(const struct site_old *base)
{
	return 100 * alive_of(base) >= SITE_WATCH_ALIVE_PERCENT;
}

/* In each quarter, and of what was old at its beginning hardly anything has died since. */
static bool only_grows(const struct site_watch *watch, const struct site_old *checks, size_t base)
{
	const double start = (double)watch->checks[base].ns,
		     span = (double)watch->checks[watch->count - 1].ns - start;
	size_t before = base;

	for (unsigned int quarter = 1; quarter <= QUARTERS; quarter++) {
		const size_t at = quarter == QUARTERS ?
					  watch->count - 1 :
					  check_at(watch, start + span * quarter / QUARTERS);

		if (at == before || checks[at].bytes <= checks[before].bytes ||
		    !hardly_dies(&checks[before]))
			return false;
		before = at;
	}
	return true;
}

static bool is_beyond_chance(const struct site_watch *watch, const struct site_old *checks,
			     size_t base)
{
	const struct estimate then = estimate_of(&checks[base]),
			      now = estimate_of(&checks[watch->count - 1]);

	return estimate__bytes(&now, &watch->sites->sampler).low >
	       estimate__bytes(&then, &watch->sites->sampler).high;
}

static bool is_base(const struct site_watch *watch, const struct site_old *checks, size_t base)
{
	const struct site_check *now = &watch->checks[watch->count - 1],
				*then = &watch->checks[base];

	return now->ns - then->ns >= SITE_WATCH_NS && now->gc - then->gc >= SITE_WATCH_TURNS &&
	       only_grows(watch, checks, base) && is_beyond_chance(watch, checks, base);
}

static struct site_leak leak_of(const struct site_watch *watch, uint32_t group,
				const struct site_old *checks, size_t base)
{
	const struct site_check *now = &watch->checks[watch->count - 1],
				*then = &watch->checks[base];

	return (struct site_leak){
		.group = group,
		.key = watch->groups->keys.items[group],
		.base_ns = then->ns,
		.base_gc = then->gc,
		.span_ns = now->ns - then->ns,
		.turns = now->gc - then->gc,
		.then = estimate_of(&checks[base]),
		.now = estimate_of(&checks[watch->count - 1]),
		.alive = alive_of(&checks[base]),
		.unlooked = watch->sites->old_died_gc <= then->gc,
	};
}

static int by_growth(const void *a, const void *b)
{
	const struct site_leak *left = a, *right = b;
	const double x = left->now.bytes - left->then.bytes,
		     y = right->now.bytes - right->then.bytes;

	if (x != y)
		return x > y ? -1 : 1;
	return left->group < right->group ? -1 : left->group > right->group;
}

int site_watch__find(const struct site_watch *watch, struct site_leaks *leaks)
{
	vec__reset(leaks);
	for (size_t i = 0; watch->count && i < watch->histories.count; i++) {
		const struct site_old *checks = watch->histories.items[i].checks;
		size_t base = 0;

		while (checks && base + 1 < watch->count && !is_base(watch, checks, base))
			base++;
		if (checks && base + 1 < watch->count &&
		    vec__push(leaks, leak_of(watch, (uint32_t)i, checks, base)))
			return -ENOMEM;
	}
	vec__sort(leaks, by_growth);
	return 0;
}

static bool take(const struct site_watch *watch, uint32_t group, size_t check,
		 struct estimate *estimate, uint64_t *ns)
{
	*estimate = (struct estimate){ 0 };
	if (!watch->count)
		return false;
	*ns = watch->checks[check].ns;
	if (group < watch->histories.count && watch->histories.items[group].checks)
		*estimate = estimate_of(&watch->histories.items[group].checks[check]);
	return true;
}

bool site_watch__first(const struct site_watch *watch, uint32_t group, struct estimate *then,
		       uint64_t *ns)
{
	return take(watch, group, 0, then, ns);
}

bool site_watch__last(const struct site_watch *watch, uint32_t group, struct estimate *now,
		      uint64_t *ns)
{
	return take(watch, group, watch->count - 1, now, ns);
}
