/* SPDX-License-Identifier: BSD-2-Clause */
/* The book of sampled allocations, told event by event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "model/site_rows.h"
#include "model/sites.h"

#define WEIGHT 1000 /* of each sample of 10 bytes */

struct bench {
	struct sites sites;
	struct site_groups groups;
	struct site_rows rows;
	uint64_t now;
};

static int set_up(void **state)
{
	static struct bench bench;

	bench = (struct bench){ .sites = SITES_INIT, .now = 1000 };
	*state = &bench;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *bench = *state;

	sites__free(&bench->sites);
	site_groups__free(&bench->groups);
	site_rows__free(&bench->rows);
	return 0;
}

static void tell(struct bench *bench, struct event event)
{
	event.time = event.stamp = bench->now++;
	assert_int_equal(sites__event(&bench->sites, &event), 0);
}

static void name(struct bench *bench, uint64_t stack, const char *frames)
{
	tell(bench, (struct event){ .kind = EVENT_DEFINE,
				    .define = { .space = GCTRACE_SPACE_STACK, .id = stack,
						.name = text__of(frames) } });
}

static void type(struct bench *bench, uint64_t class_, const char *of)
{
	tell(bench, (struct event){ .kind = EVENT_CLASS,
				    .class_ = { .class_ = class_, .name = text__of(of) } });
}

static void allocate(struct bench *bench, uint64_t sample, uint64_t gc, uint64_t stack,
		     uint64_t class_)
{
	tell(bench, (struct event){ .kind = EVENT_OBJECT_ALLOC,
				    .alloc = { .id = sample * 16, .size = 10, .class_ = class_,
					       .stack = stack, .weight = WEIGHT, .sample = sample,
					       .gc = gc } });
}

static void collect(struct bench *bench, uint64_t gc, const struct sample_fate *fates,
		    size_t count)
{
	tell(bench, (struct event){ .kind = EVENT_SAMPLES,
				    .samples = { .gc = gc, .interval = 990, .samples = fates,
						 .count = count } });
}

static void list(struct bench *bench, uint64_t gc, const struct sample_fate *fates, size_t count,
		 bool more)
{
	tell(bench, (struct event){ .kind = EVENT_SAMPLES,
				    .samples = { .gc = gc, .interval = 990, .samples = fates,
						 .count = count, .all = true, .more = more } });
}

static void lose(struct bench *bench)
{
	tell(bench, (struct event){ .kind = EVENT_LOSS, .loss = { .kind = 1, .count = 1 } });
}

static const struct site_rows *rows(struct bench *bench, enum sites_by by, uint32_t depth,
				    uint64_t age)
{
	site_groups__free(&bench->groups);
	bench->groups = (struct site_groups){ .by = by, .depth = depth,
					      .type = bench->groups.type };
	assert_int_equal(site_groups__update(&bench->groups, &bench->sites), 0);
	assert_int_equal(site_rows__take(&bench->rows, &bench->sites, &bench->groups, age), 0);
	assert_int_equal(site_rows__take_ages(&bench->rows, &bench->sites, &bench->groups,
					      bench->rows.of.count), 0);
	return &bench->rows;
}

#define DEAD(number) { .sample = number, .address = EVENT_UNKNOWN, .bits = GCTRACE_SAMPLE_DEAD }
#define LIVES(number) { .sample = number, .address = 8, .bits = GCTRACE_SAMPLE_ADDRESS }
#define IN(number, of)                                                  \
	{ .sample = number, .address = EVENT_UNKNOWN, .generation = of, \
	  .bits = GCTRACE_SAMPLE_GENERATION }

static void lives_ages_and_dies(void **state)
{
	const struct sample_fate first[] = { DEAD(2), IN(1, 0) }, second[] = { IN(1, 1) };
	struct bench *bench = *state;
	const struct site_rows *all;

	name(bench, 5, "put\nmain\n");
	allocate(bench, 1, 0, 5, 3);
	allocate(bench, 2, 0, 5, 3);
	collect(bench, 1, first, 2);
	allocate(bench, 3, 1, 5, 3);
	collect(bench, 2, second, 1);
	all = rows(bench, SITES_BY_SITE, 0, 0);
	assert_int_equal(all->of.count, 1);
	assert_int_equal(all->of.items[0].live.samples, 2);
	assert_true(all->of.items[0].live.bytes == 2 * WEIGHT);
	assert_true(all->of.items[0].allocated.bytes == 3 * WEIGHT);
	assert_true(all->of.items[0].died.bytes == WEIGHT);
	assert_true(all->of.items[0].promoted.bytes == WEIGHT);
	assert_true(all->of.items[0].decided.bytes == 2 * WEIGHT);
	assert_int_equal(all->of.items[0].old.samples, 1);
	assert_int_equal(all->of.items[0].oldest, 2);
	assert_int_equal(all->of.items[0].ages[site_age__place(1)].samples, 1);
	assert_int_equal(all->of.items[0].ages[site_age__place(2)].samples, 1);
	/* Only what survived two: nothing else is in it. */
	all = rows(bench, SITES_BY_SITE, 0, 2);
	assert_int_equal(all->of.items[0].live.samples, 1);
	assert_int_equal(rows(bench, SITES_BY_SITE, 0, 3)->of.count, 0);
	assert_true(bench->sites.generations);
	assert_int_equal(bench->sites.turns, 2);
}

/* Of samples that nobody follows nothing lives: also of those that came before that was known. */
static void what_is_not_followed_is_allocated_and_no_more(void **state)
{
	struct bench *bench = *state;
	const struct site_rows *all;

	name(bench, 5, "put\nmain\n");
	allocate(bench, 1, 0, 5, 3);
	for (uint64_t gc = 0; gc < 3; gc++) {
		tell(bench, (struct event){ .kind = EVENT_SAMPLES,
					    .samples = { .gc = gc, .interval = 990, .all = !gc,
							 .unfollowed = true } });
		allocate(bench, 2 + gc, gc, 5, 3);
	}
	all = rows(bench, SITES_BY_SITE, 0, 0);
	assert_int_equal(all->of.count, 1);
	assert_true(all->of.items[0].allocated.bytes == 3 * WEIGHT);
	assert_int_equal(bench->sites.living.of.count, 0);
	assert_int_equal(bench->sites.died, 0);
	assert_true(bench->sites.unfollowed);
}

/* What was allocated is told of all, and of a row's whole group, whatever nothing old lives of. */
static void what_was_allocated_has_no_age(void **state)
{
	const struct sample_fate first[] = { LIVES(1), DEAD(2), DEAD(3) };
	struct bench *bench = *state;
	const struct site_rows *all;

	name(bench, 1, "put\nload\n");
	name(bench, 2, "put\nrun\n");
	name(bench, 3, "get\n");
	allocate(bench, 1, 0, 1, 7);
	allocate(bench, 2, 0, 2, 7);
	allocate(bench, 3, 0, 3, 7);
	collect(bench, 1, first, 3);
	for (uint64_t age = 0; age < 3; age++)
		assert_true(rows(bench, SITES_BY_SITE, 0, age)->allocated.bytes == 3 * WEIGHT);
	all = rows(bench, SITES_BY_SITE, 1, 1);
	assert_int_equal(all->of.count, 1);
	assert_true(all->of.items[0].allocated.bytes == 2 * WEIGHT);
	assert_true(all->of.items[0].died.bytes == WEIGHT);
	assert_true(all->of.items[0].live.bytes == WEIGHT);
}

/* 100 samples of 1000 bytes: about 82,000 to 121,000 live. */
#define CROWD UINT64_C(100)

static void allocate_many(struct bench *bench, uint64_t first)
{
	for (uint64_t i = 0; i < CROWD; i++)
		allocate(bench, first + i, 0, 5, 3);
}

/* A collection from now to now, then the look at its samples. */
static const struct site_limit *with_heap(struct bench *bench, uint64_t gc, uint64_t in_use)
{
	const struct collection collection = { .start_ns = bench->now, .end_ns = bench->now + 2,
					       .after_bytes = in_use };

	bench->now++;
	sites__collection(&bench->sites, &collection);
	collect(bench, gc, NULL, 0);
	bench->now++;
	return &rows(bench, SITES_BY_TYPE, 0, 0)->limit;
}

static struct bounded live(const struct bench *bench)
{
	return estimate__at_most(&bench->rows.live, &bench->sites.sampler, bench->rows.limit.most);
}

/* No estimate of what lives is above the heap in use; none is cut that contradicts it. */
static void what_lives_is_not_more_than_the_heap_in_use(void **state)
{
	struct bench *bench = *state;
	const struct site_limit *limit;
	double most, low;

	allocate_many(bench, 1);
	assert_false(rows(bench, SITES_BY_TYPE, 0, 0)->limit.known);
	/* Far within. */
	limit = with_heap(bench, 1, 1000000);
	assert_true(limit->known && !limit->contradicted);
	assert_true(limit->most > 1000000);
	assert_true(live(bench).bytes == 100000 && !live(bench).is_less);
	most = live(bench).bounds.high;
	low = live(bench).bounds.low;
	assert_true(low > 80000 && low < 85000 && most > 115000 && most < 130000);
	/* Nothing was allocated since: what no sample tells of may be 3.69 intervals. */
	limit = with_heap(bench, 2, 105000);
	assert_true(limit->most > 105000 + 3 * 990 && limit->most < 105000 + 4 * 990);
	assert_true(live(bench).bytes == 100000 && !live(bench).is_less);
	assert_true(live(bench).bounds.low == low);
	assert_true(live(bench).bounds.high == limit->most);
	/* The point as well; what the samples alone say is still there. */
	limit = with_heap(bench, 3, 90000);
	assert_false(limit->contradicted);
	assert_true(live(bench).is_less && live(bench).bytes == limit->most);
	assert_true(live(bench).bounds.high == limit->most && live(bench).bounds.low == low);
	assert_true(bench->rows.live.bytes == 100000);
	/* Even the low end is above it: nothing is cut. */
	limit = with_heap(bench, 4, 50000);
	assert_true(limit->known && limit->contradicted);
	assert_int_equal(limit->in_use, 50000);
	assert_true(limit->then.bytes == 100000);
	assert_true(live(bench).bytes == 100000 && !live(bench).is_less);
	assert_true(live(bench).bounds.high == most);
}

/* What was reported since does not count against it, nor do types left out for it. */
static void what_came_since_is_beside_the_heap_in_use(void **state)
{
	struct bench *bench = *state;
	const struct site_limit *limit;

	type(bench, 3, "Order");
	bench->groups.type = "nothing*";
	allocate_many(bench, 1);
	assert_true(with_heap(bench, 1, 50000)->contradicted);
	bench->groups.type = NULL;
	assert_false(with_heap(bench, 2, 110000)->contradicted);
	allocate_many(bench, 1001);
	limit = &rows(bench, SITES_BY_TYPE, 0, 0)->limit;
	assert_false(limit->contradicted);
	assert_true(limit->then.bytes == 100000);
	assert_true(limit->most > 110000 + 100000 && limit->most < 110000 + 130000);
	assert_true(live(bench).bytes == 200000 && !live(bench).is_less);
	/* The next one has them in it. */
	assert_true(with_heap(bench, 3, 110000)->contradicted);
}

/* Those that died in it are known by the look that comes after; until then the one before holds. */
static void a_heap_counts_from_the_look_after_it(void **state)
{
	struct sample_fate dead[CROWD];
	struct bench *bench = *state;
	struct collection collection = { .after_bytes = 1000 };

	allocate_many(bench, 1);
	assert_false(with_heap(bench, 1, 110000)->contradicted);
	collection.start_ns = bench->now++;
	collection.end_ns = bench->now++;
	sites__collection(&bench->sites, &collection);
	assert_int_equal(rows(bench, SITES_BY_TYPE, 0, 0)->limit.in_use, 110000);
	for (uint64_t i = 0; i < CROWD; i++)
		dead[i] = (struct sample_fate)DEAD(1 + i);
	collect(bench, 2, dead, CROWD);
	assert_int_equal(rows(bench, SITES_BY_TYPE, 0, 0)->limit.in_use, 1000);
	assert_false(bench->rows.limit.contradicted);
	/* Beside the program a look before its end is none. */
	collection = (struct collection){ .concurrent = true, .after_bytes = 2000,
					  .start_ns = bench->now - 1, .end_ns = bench->now + 5 };
	sites__collection(&bench->sites, &collection);
	collect(bench, 3, NULL, 0);
	assert_int_equal(rows(bench, SITES_BY_TYPE, 0, 0)->limit.in_use, 1000);
	bench->now += 5;
	collect(bench, 4, NULL, 0);
	assert_int_equal(rows(bench, SITES_BY_TYPE, 0, 0)->limit.in_use, 2000);
}

/* Where dead ones may be among the living nothing is compared. */
static void a_doubt_knows_no_limit(void **state)
{
	struct sample_fate lives[CROWD];
	struct bench *bench = *state;

	for (uint64_t i = 0; i < CROWD; i++)
		lives[i] = (struct sample_fate)LIVES(1 + i);
	allocate_many(bench, 1);
	assert_true(with_heap(bench, 1, 50000)->known);
	lose(bench);
	assert_false(rows(bench, SITES_BY_TYPE, 0, 0)->limit.known);
	list(bench, 1, lives, CROWD, false);
	assert_true(rows(bench, SITES_BY_TYPE, 0, 0)->limit.contradicted);
	tell(bench, (struct event){ .kind = EVENT_SAMPLES,
				    .samples = { .gc = 2, .interval = 990, .in_doubt = true } });
	assert_false(with_heap(bench, 3, 50000)->known);
	list(bench, 3, lives, CROWD, false);
	assert_true(rows(bench, SITES_BY_TYPE, 0, 0)->limit.known);
}

static void merges_at_any_depth(void **state)
{
	struct bench *bench = *state;
	const struct site_rows *all;

	name(bench, 1, "put\nload\nmain\n");
	name(bench, 2, "put\nrun\nmain\n");
	name(bench, 3, "get\n");
	type(bench, 7, "Order");
	type(bench, 8, "Line");
	allocate(bench, 1, 0, 1, 7);
	allocate(bench, 2, 0, 2, 7);
	allocate(bench, 3, 0, 2, 8);
	allocate(bench, 4, 0, 2, 7);
	allocate(bench, 5, 0, 3, 8);
	allocate(bench, 6, 0, 0, 8); /* without a stack */
	assert_int_equal(rows(bench, SITES_BY_SITE, 0, 0)->of.count, 4);
	all = rows(bench, SITES_BY_SITE, 1, 0);
	assert_int_equal(all->of.count, 3);
	assert_int_equal(all->of.items[0].live.samples, 4);
	assert_true(all->of.items[0].mixed);
	assert_false(all->of.items[1].mixed);
	assert_true(text__is(bench->sites.types.of.items[all->of.items[0].type].name, "Order"));
	all = rows(bench, SITES_BY_TYPE, 0, 0);
	assert_int_equal(all->of.count, 2);
	assert_int_equal(all->of.items[0].live.samples, 3);
	bench->groups.type = "Li*";
	all = rows(bench, SITES_BY_SITE, 1, 0);
	assert_int_equal(all->of.count, 3);
	assert_int_equal(all->of.items[0].live.samples, 1);
	assert_true(all->live.bytes == 3 * WEIGHT);
}

static void told_again_is_known(void **state)
{
	struct bench *bench = *state;

	allocate(bench, 1, 0, 5, 3);
	allocate(bench, 1, 0, 5, 3);
	collect(bench, 1, NULL, 0);
	allocate(bench, 1, 0, 5, 3);
	assert_int_equal(bench->sites.seen, 1);
	assert_int_equal(bench->sites.living.of.count, 1);
	assert_int_equal(rows(bench, SITES_BY_SITE, 0, 0)->of.items[0].allocated.samples, 1);
}

/* Those that a list brings were there before: of theirs nothing is allocated, or decided. */
static void comes_late(void **state)
{
	const struct sample_fate living[] = { LIVES(11), LIVES(12) }, dies[] = { DEAD(11) },
				 old[] = { IN(12, 1) };
	struct bench *bench = *state;
	const struct site_rows *all;

	allocate(bench, 11, 3, 5, 3);
	allocate(bench, 12, 6, 5, 3);
	list(bench, 6, living, 2, false);
	assert_int_equal(bench->sites.turns, 0);
	all = rows(bench, SITES_BY_SITE, 0, 0);
	assert_int_equal(all->of.items[0].live.samples, 2);
	assert_int_equal(all->of.items[0].allocated.samples, 0);
	assert_int_equal(all->of.items[0].oldest, 3);
	collect(bench, 7, dies, 1);
	collect(bench, 8, old, 1);
	all = rows(bench, SITES_BY_SITE, 0, 0);
	assert_int_equal(all->of.items[0].live.samples, 1);
	assert_int_equal(all->of.items[0].decided.samples, 0);
	assert_int_equal(all->of.items[0].died.samples, 1);
	assert_int_equal(all->of.items[0].old.samples, 1);
}

static void a_list_heals_a_loss(void **state)
{
	const struct sample_fate one[] = { LIVES(1) }, four[] = { LIVES(4) };
	struct bench *bench = *state;

	for (uint64_t i = 1; i <= 3; i++)
		allocate(bench, i, 0, 5, 3);
	collect(bench, 1, NULL, 0);
	lose(bench); /* that 2 and 3 died, and the allocation of 4 */
	assert_true(bench->sites.doubted);
	allocate(bench, 5, 2, 5, 3); /* behind the collection of the list */
	allocate(bench, 1, 0, 5, 3);
	allocate(bench, 4, 1, 5, 3);
	list(bench, 2, one, 1, true);
	list(bench, 2, four, 1, false);
	assert_false(bench->sites.doubted);
	assert_true(bench->sites.lost);
	assert_int_equal(bench->sites.living.of.count, 3);
	assert_non_null(samples__find(&bench->sites.living, 1));
	assert_non_null(samples__find(&bench->sites.living, 4));
	assert_non_null(samples__find(&bench->sites.living, 5));
	assert_int_equal(bench->sites.gc, 2);
}

/* A list with a hole proves nobody dead. */
static void a_list_with_a_loss_in_it_heals_nothing(void **state)
{
	const struct sample_fate one[] = { LIVES(1) };
	struct bench *bench = *state;

	for (uint64_t i = 1; i <= 3; i++)
		allocate(bench, i, 0, 5, 3);
	list(bench, 1, one, 1, true);
	lose(bench);
	list(bench, 1, NULL, 0, false);
	assert_int_equal(bench->sites.living.of.count, 3);
	assert_true(bench->sites.doubted);
	list(bench, 2, one, 1, false);
	assert_int_equal(bench->sites.living.of.count, 1);
	assert_false(bench->sites.doubted);
}

static void what_nobody_told_of_is_counted(void **state)
{
	const struct sample_fate fates[] = { DEAD(7), LIVES(8) };
	struct bench *bench = *state;

	collect(bench, 1, fates, 2);
	assert_int_equal(bench->sites.unknown, 1);
	assert_int_equal(bench->sites.living.of.count, 0);
	/* Without a number it is not followed. */
	allocate(bench, 0, 0, 5, 3);
	assert_int_equal(bench->sites.living.of.count, 0);
}

#define MOVED(number, of)                                           \
	{ .sample = number, .address = number * 32, .generation = of, \
	  .bits = GCTRACE_SAMPLE_GENERATION | GCTRACE_SAMPLE_MOVED }

/* G1's large arrays: what is old where it was made was not promoted by the collection. */
static void what_was_made_old_is_not_promoted(void **state)
{
	const struct sample_fate first[] = { IN(1, 1), MOVED(2, 1), IN(3, 0) },
				 second[] = { IN(3, 1), MOVED(1, 1) };
	struct bench *bench = *state;
	const struct site_rows *all;

	for (uint64_t i = 1; i <= 4; i++)
		allocate(bench, i, 0, 5, 3);
	collect(bench, 1, first, 3);
	assert_true(bench->sites.turn.promoted.bytes == WEIGHT);
	assert_true(bench->sites.turn.moved.bytes == WEIGHT);
	/* One whose region became old, and one that was old already. */
	collect(bench, 2, second, 2);
	assert_true(bench->sites.turn.promoted.bytes == WEIGHT);
	assert_true(bench->sites.turn.moved.bytes == WEIGHT);
	/* All of them came to be old. */
	all = rows(bench, SITES_BY_SITE, 0, 0);
	assert_int_equal(all->of.items[0].old.samples, 3);
	assert_int_equal(all->of.items[0].promoted.samples, 3);
}

/* Each part comes in a record of its own, which has another time where the producer tells none. */
static void a_turn_comes_in_parts(void **state)
{
	const struct sample_fate fates[] = { DEAD(1), MOVED(2, 0), DEAD(3) };
	struct bench *bench = *state;

	for (uint64_t i = 1; i <= 3; i++)
		allocate(bench, i, 0, 5, 3);
	for (size_t i = 0; i < 3; i++)
		tell(bench, (struct event){
			.kind = EVENT_SAMPLES,
			.samples = { .gc = 1, .interval = 990, .samples = &fates[i], .count = 1,
				     .more = i < 2 } });
	assert_int_equal(bench->sites.turn.died.samples, 2);
	assert_int_equal(bench->sites.turn.moved.samples, 1);
	assert_int_equal(bench->sites.turns, 1);
	/* What follows the last one is another turn, whatever it is of. */
	collect(bench, 1, NULL, 0);
	assert_int_equal(bench->sites.turn.died.samples, 0);
	assert_int_equal(bench->sites.turns, 1);
}

static size_t spots(const struct bench *bench)
{
	size_t count = 0;

	for (size_t i = 0; i < bench->sites.spots.count; i++)
		count += !bench->sites.spots.items[i].is_free;
	return count;
}

static double allocated(struct bench *bench)
{
	const struct site_rows *all = rows(bench, SITES_BY_SITE, 0, 0);
	double bytes = 0;

	for (size_t i = 0; i < all->of.count; i++)
		bytes += all->of.items[i].allocated.bytes;
	return bytes;
}

/* One that was forgotten has another number when it comes again, and is the same. */
static void stacks_that_come_again_take_no_more_memory(void **state)
{
	enum { STACKS = 1000, ROUNDS = 50 };
	const struct sample_fate keeps[] = { LIVES(1) };
	struct bench *bench = *state;
	uint64_t number = 0;
	char frames[32];

	collect(bench, 1, NULL, 0);
	for (uint64_t round = 1; round <= ROUNDS; round++) {
		for (unsigned int i = 0; i < STACKS; i++) {
			snprintf(frames, sizeof(frames), "f%u\nmain\n", i);
			name(bench, ++number, frames);
			allocate(bench, number, round, number, 3);
		}
		list(bench, round + 1, keeps, 1, false);
	}
	assert_int_equal(bench->sites.living.of.count, 1);
	assert_int_equal(spots(bench), STACKS);
	assert_in_range(bench->sites.stacks.ends.count, STACKS, 10 * STACKS);
	assert_true(allocated(bench) == (double)WEIGHT * STACKS * ROUNDS);
	assert_int_equal(bench->rows.of.count, STACKS);
	assert_int_equal(bench->rows.of.items[0].live.samples, 1);
	assert_int_equal(bench->rows.of.items[0].died.samples, ROUNDS - 1);
}

/* What is told of a stack behind its first sample holds for that, too, and adds to its spot. */
static void a_stack_may_be_told_late(void **state)
{
	const struct sample_fate all[] = { LIVES(1), LIVES(2), LIVES(3), LIVES(4) },
				 dies[] = { DEAD(1) };
	struct bench *bench = *state;

	collect(bench, 1, NULL, 0);
	name(bench, 7, "put\nmain\n");
	for (uint64_t i = 1; i <= 3; i++)
		allocate(bench, i, 1, 4 + i, 3); /* 5 is told late, 6 never */
	assert_int_equal(rows(bench, SITES_BY_SITE, 0, 0)->of.count, 2);
	name(bench, 5, "put\nmain\n");
	allocate(bench, 4, 1, 5, 3);
	assert_int_equal(spots(bench), 3);
	for (unsigned int round = 0; round < 3; round++) {
		assert_int_equal(rows(bench, SITES_BY_SITE, 0, 0)->of.count, 2);
		assert_int_equal(bench->rows.of.items[0].live.samples, 3);
		assert_int_equal(bench->rows.of.items[0].allocated.samples, 3);
		assert_int_equal(bench->rows.of.items[1].key, STACKS_ROOT);
		list(bench, 1, all, 4, false);
	}
	assert_int_equal(spots(bench), 2);
	assert_int_equal(bench->sites.spots.untold, 0);
	collect(bench, 2, dies, 1);
	assert_int_equal(rows(bench, SITES_BY_SITE, 0, 0)->of.items[0].died.samples, 1);
	/* The place that was left is taken by the next one. */
	name(bench, 8, "get\nmain\n");
	allocate(bench, 5, 2, 8, 3);
	assert_int_equal(spots(bench), bench->sites.spots.count);
	assert_int_equal(rows(bench, SITES_BY_SITE, 0, 0)->of.count, 3);
}

/* Where something is lost a definition may be, more than once. */
static void a_loss_keeps_stacks_for_some_rounds(void **state)
{
	enum { MANY = 5000 };
	struct bench *bench = *state;

	collect(bench, 1, NULL, 0);
	for (uint64_t id = 1; id <= MANY; id++)
		name(bench, id, "put\nmain\n");
	allocate(bench, 1, 1, MANY + 1, 3);
	for (unsigned int round = 1; round <= 4; round++) {
		lose(bench);
		list(bench, 1, NULL, 0, false);
		assert_int_equal(bench->sites.stacks.ends.count, MANY);
		assert_int_equal(bench->sites.spots.untold, 1);
	}
	list(bench, 1, NULL, 0, false);
	assert_int_equal(bench->sites.stacks.ends.count, 0);
	assert_int_equal(bench->sites.spots.untold, 0);
}

/* As of now: a sampler that has repeated itself may go on for long without. */
static void repeats_of_the_sampler_widen_intervals(void **state)
{
	struct bench *bench = *state;
	struct estimate estimate = { 0 };
	struct bounds even, uneven;

	collect(bench, 1, NULL, 0);
	for (unsigned int i = 0; i < 16; i++)
		estimate__add(&estimate, 10, WEIGHT);
	even = estimate__bytes(&estimate, &bench->sites.sampler);
	tell(bench, (struct event){ .kind = EVENT_SAMPLES,
				    .samples = { .gc = 2, .interval = 990, .repeats = 12 } });
	assert_true(bench->sites.sampler.repeats == 1);
	uneven = estimate__bytes(&estimate, &bench->sites.sampler);
	assert_true(uneven.low < even.low && uneven.high > even.high);
	collect(bench, 3, NULL, 0);
	assert_true(bench->sites.sampler.repeats == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lives_ages_and_dies, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_was_allocated_has_no_age, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_not_followed_is_allocated_and_no_more,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_lives_is_not_more_than_the_heap_in_use,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_came_since_is_beside_the_heap_in_use,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_heap_counts_from_the_look_after_it, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_doubt_knows_no_limit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(merges_at_any_depth, set_up, tear_down),
		cmocka_unit_test_setup_teardown(told_again_is_known, set_up, tear_down),
		cmocka_unit_test_setup_teardown(comes_late, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_list_heals_a_loss, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_list_with_a_loss_in_it_heals_nothing, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_nobody_told_of_is_counted, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_was_made_old_is_not_promoted, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_turn_comes_in_parts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stacks_that_come_again_take_no_more_memory, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_stack_may_be_told_late, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_loss_keeps_stacks_for_some_rounds, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(repeats_of_the_sampler_widen_intervals, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
