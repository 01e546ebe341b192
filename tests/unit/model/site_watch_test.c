/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Leaks by site, in programs that are played: each makes samples at a few sites, each of which has
 * its own way of letting go of them, for minutes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "unit/random.h"
#include "gctrace/wire.h"
#include "model/site_watch.h"

#define INTERVAL 524288u
#define TURN_NS (UINT64_C(500) * 1000 * 1000)
#define MOST 4000000u

/* When the n-th sample of a site dies: so many collections later; 0: never. */
struct behaviour {
	double rate;	  /* samples a collection, in the mean */
	unsigned int ages; /* they die at an age below this; 0: never */
	unsigned int until; /* no more from this collection on; 0: always */
	unsigned int of_hundred; /* so many of a hundred live on for good, the others die at once */
	unsigned int more; /* percent that the rate grows by from turn to turn */
};

struct play {
	struct sites sites;
	struct site_groups groups;
	struct site_watch watch;
	uint64_t seed, number;
	uint32_t *dies_at; /* by number: the collection; 0: never */
};

static void tell(struct play *play, const struct event *event)
{
	assert_int_equal(sites__event(&play->sites, event), 0);
}

static uint64_t how_many(struct play *play, double mean)
{
	const double limit = exp(-mean);
	double product = 1;
	uint64_t count = 0;

	do
		product *= (double)(random__next(&play->seed) >> 11) / 9007199254740992.0;
	while (product > limit && ++count);
	return count;
}

static void allocate(struct play *play, uint64_t stack, const struct behaviour *of, uint32_t turn)
{
	const struct event event = {
		.kind = EVENT_OBJECT_ALLOC,
		.time = turn * TURN_NS,
		.alloc = { .id = 16 * ++play->number, .size = 64, .class_ = stack, .stack = stack,
			   .weight = INTERVAL + 32, .sample = play->number, .gc = turn },
	};
	uint32_t dies = 0;

	assert_true(play->number < MOST);
	if (of->of_hundred)
		dies = random__chance(&play->seed, of->of_hundred) ? 0 : turn + 1;
	else if (of->ages)
		dies = turn + 1 + (uint32_t)random__below(&play->seed, of->ages);
	play->dies_at[play->number] = dies;
	tell(play, &event);
}

static void collect(struct play *play, uint32_t gc)
{
	static struct sample_fate fates[MOST / 100];
	struct event event = { .kind = EVENT_SAMPLES, .time = gc * TURN_NS,
			       .samples = { .gc = gc, .interval = INTERVAL, .samples = fates } };

	for (size_t i = 0; i < play->sites.living.of.count; i++) {
		const uint64_t number = play->sites.living.of.items[i].number;

		if (play->dies_at[number] == gc)
			fates[event.samples.count++] = (struct sample_fate){
				.sample = number, .address = EVENT_UNKNOWN,
				.bits = GCTRACE_SAMPLE_DEAD };
	}
	tell(play, &event);
	assert_int_equal(site_groups__update(&play->groups, &play->sites), 0);
	assert_int_equal(site_watch__look(&play->watch, event.time), 0);
}

static void begin(struct play *play, uint64_t seed)
{
	*play = (struct play){ .sites = SITES_INIT, .seed = seed };
	play->watch.sites = &play->sites;
	play->watch.groups = &play->groups;
	play->sites.sink = site_watch__sink(&play->watch);
	play->dies_at = test_calloc(MOST, sizeof(*play->dies_at));
}

static void end(struct play *play)
{
	site_watch__free(&play->watch);
	site_groups__free(&play->groups);
	sites__free(&play->sites);
	test_free(play->dies_at);
}

static void go_on(struct play *play, const struct behaviour *sites, size_t count, uint32_t from,
		  uint32_t to)
{
	for (uint32_t turn = from; turn < to; turn++) {
		for (size_t i = 0; i < count; i++) {
			const double rate = sites[i].rate * (1 + sites[i].more / 100.0 * turn);
			uint64_t some = sites[i].until && turn >= sites[i].until ? 0 :
					how_many(play, rate);

			while (some--)
				allocate(play, i + 1, &sites[i], turn);
		}
		collect(play, turn + 1);
	}
}

/* Is the site among those that leak? Sites count from 1, by stack, which is their class, too. */
static bool leaks(struct play *play, uint64_t site)
{
	struct site_leaks found = VEC_INIT;
	bool is_there = false;

	assert_int_equal(site_watch__find(&play->watch, &found), 0);
	for (size_t i = 0; i < found.count; i++)
		is_there |= play->sites.types.of.items[found.items[i].key].class_ == site;
	vec__free(&found);
	return is_there;
}

static void names_what_leaks_and_nothing_else(void **state)
{
	static const struct behaviour sites[] = {
		{ .rate = 0.5 },		     /* 1: leaks 512 KiB a second */
		{ .rate = 40, .ages = 1 },	     /* 2: hot, dies at once */
		{ .rate = 10, .ages = 3 },	     /* 3: hot, dies soon */
		{ .rate = 2, .ages = 60 },	     /* 4: replaced all the time */
		{ .rate = 3, .until = 60 },	     /* 5: a cache that has warmed up */
		{ .rate = 3, .of_hundred = 10 },     /* 6: of which a tenth leaks */
		{ .rate = 0.3, .ages = 40, .more = 1 }, /* 7: replaced, while the load grows */
	};
	unsigned int wrong = 0, missed = 0;

	(void)state;
	for (uint64_t run = 1; run <= 20; run++) {
		struct play play;

		begin(&play, run * 7919);
		play.groups.by = SITES_BY_TYPE;
		go_on(&play, sites, 7, 0, 240); /* two minutes */
		missed += !leaks(&play, 1) + !leaks(&play, 6);
		for (uint64_t site = 2; site <= 7; site++)
			wrong += site != 6 && leaks(&play, site);
		end(&play);
	}
	assert_int_equal(missed, 0);
	/* A 95 % interval is wrong at times; not at many, since it must grow all the time, too. */
	assert_in_range(wrong, 0, 1);
}

static void says_nothing_too_early(void **state)
{
	static const struct behaviour sites[] = { { .rate = 20 } };
	struct play play;

	(void)state;
	begin(&play, 5);
	play.groups.by = SITES_BY_TYPE;
	go_on(&play, sites, 1, 0, 60);
	assert_false(leaks(&play, 1)); /* half a minute, but old for less of it */
	go_on(&play, sites, 1, 60, 100);
	assert_true(leaks(&play, 1));
	end(&play);
}

/* One that began after an hour of peace is found as fast. */
static void finds_a_late_one(void **state)
{
	static const struct behaviour calm[] = { { .rate = 1, .ages = 30 }, { .rate = 0 } },
				      leaking[] = { { .rate = 1, .ages = 30 }, { .rate = 0.5 } };
	struct site_leaks found = VEC_INIT;
	struct play play;

	(void)state;
	begin(&play, 11);
	play.groups.by = SITES_BY_TYPE;
	go_on(&play, calm, 2, 0, 7200);
	assert_false(leaks(&play, 1));
	go_on(&play, leaking, 2, 7200, 7200 + 240);
	assert_true(leaks(&play, 2));
	assert_false(leaks(&play, 1));
	assert_int_equal(site_watch__find(&play.watch, &found), 0);
	assert_true(found.items[0].alive == 1);
	assert_false(found.items[0].unlooked);
	vec__free(&found);
	/* And it is not named for ever when it ends. */
	go_on(&play, calm, 2, 7440, 7440 + 1200);
	assert_false(leaks(&play, 2));
	end(&play);
}

static void knows_that_nobody_looked(void **state)
{
	static const struct behaviour sites[] = { { .rate = 5 } };
	struct site_leaks found = VEC_INIT;
	struct play play;

	(void)state;
	begin(&play, 13);
	play.groups.by = SITES_BY_TYPE;
	go_on(&play, sites, 1, 0, 200);
	assert_int_equal(site_watch__find(&play.watch, &found), 0);
	assert_int_equal(found.count, 1);
	assert_true(found.items[0].unlooked);
	vec__free(&found);
	end(&play);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_what_leaks_and_nothing_else),
		cmocka_unit_test(says_nothing_too_early),
		cmocka_unit_test(finds_a_late_one),
		cmocka_unit_test(knows_that_nobody_looked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
