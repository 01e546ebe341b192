/* SPDX-License-Identifier: BSD-2-Clause */
/* Single stories of identity, each by the events that make it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "model/identity.h"
#include "stream/loss.h"

static struct {
	struct identity *identity;
	struct assembler *assembler;
	uint64_t now;
	struct identity_anchor anchor; /* the last one */
	enum object_fate fate;	       /* of what left last */
	uint64_t left, ended;
	struct blocks_sums blocks; /* of the last collection */
	struct blocks_generation first;
	bool has_blocks;
} s;

static int on_anchor(void *context, const struct identity_anchor *anchor)
{
	(void)context;
	s.anchor = *anchor;
	return 0;
}

static void on_left(void *context, uint32_t target, const struct object *object, uint64_t address,
		    enum object_fate fate)
{
	(void)context;
	(void)target;
	(void)object;
	(void)address;
	s.fate = fate;
	s.left++;
}

static int on_ended(void *context, uint32_t target)
{
	(void)context;
	(void)target;
	s.ended++;
	return 0;
}

static int on_collection(void *context, const struct identity_collection *collection)
{
	(void)context;
	s.has_blocks = collection->blocks;
	if (!s.has_blocks)
		return 0;
	s.blocks = blocks__sums(collection->blocks);
	assert_true(collection->blocks->generations.count > 0);
	s.first = collection->blocks->generations.items[0];
	return 0;
}

static int begin(void **state)
{
	const struct assembler_sink none = { NULL, NULL, NULL, NULL };
	const struct identity_sink sink = { .anchor = on_anchor, .left = on_left,
					    .collection = on_collection, .ended = on_ended };
	struct range_sink ranges;

	(void)state;
	memset(&s, 0, sizeof(s));
	s.identity = identity__new(&sink);
	assert_non_null(s.identity);
	ranges = identity__ranges(s.identity);
	s.assembler = assembler__new(&none, &ranges);
	assert_non_null(s.assembler);
	return 0;
}

static int end(void **state)
{
	(void)state;
	assembler__end_all(s.assembler);
	assembler__free(s.assembler);
	identity__free(s.identity);
	return 0;
}

static void feed(struct event event)
{
	event.target = 1;
	event.tid = 1;
	event.time = event.stamp = ++s.now;
	assert_int_equal(assembler__event(s.assembler, &event), 0);
	assert_int_equal(identity__event(s.identity, &event), 0);
}

static void container(uint64_t type)
{
	feed((struct event){ .kind = EVENT_CONTAINER, .container = { type, 0, EVENT_UNKNOWN } });
}

static void object(uint64_t at, uint64_t class_, uint64_t size)
{
	feed((struct event){ .kind = EVENT_OBJECT,
			     .object = { .id = at, .class_ = class_, .size = size } });
}

static void born(uint64_t at)
{
	feed((struct event){ .kind = EVENT_OBJECT_ALLOC,
			     .alloc = { .id = at, .size = 16, .class_ = 7 } });
}

static void gc_start(uint64_t gc, uint64_t mask, uint32_t how)
{
	feed((struct event){ .kind = EVENT_GC_START,
			     .gc_start = { .gc = gc, .generations = mask, .how = how } });
}

static void gc_finish(uint64_t gc)
{
	feed((struct event){ .kind = EVENT_GC_FINISH, .gc_finish = { .gc = gc } });
}

static void pause(enum event_kind kind)
{
	feed((struct event){ .kind = kind, .pause = { .pause = 1, .suspend_ns = EVENT_UNKNOWN } });
}

static void moved(uint64_t gc, uint64_t old, uint64_t new_, uint64_t length)
{
	const struct range range = { old, new_, length };

	feed((struct event){ .kind = EVENT_MOVED,
			     .ranges = { .gc = gc, .width = 8, .ranges = &range, .count = 1 } });
}

static struct identity_view look(void)
{
	struct identity_view view;
	int err;

	assert_true(identity__look(s.identity, 1, &view, &err));
	assert_int_equal(err, 0);
	return view;
}

static uint64_t id_at(uint64_t address)
{
	const struct object *found = objects__at(look().objects, address);

	return found ? object__id(found) : 0;
}

static void dump_two(void)
{
	container(GCTRACE_C_BEGIN);
	object(0x1000, 7, 16);
	object(0x2000, 8, 32);
	container(GCTRACE_C_END);
}

/* ---------------------------------------------------------------- */

static void test_a_name_survives_a_move(void **state)
{
	(void)state;
	dump_two();
	gc_start(1, UINT64_MAX, GCTRACE_HOW_COPYING);
	moved(1, 0x1000, 0x9000, 16);
	assert_int_equal(id_at(0x1000), 1); /* nothing holds before the end */
	gc_finish(1);
	assert_int_equal(id_at(0x9000), 1);
	assert_int_equal(objects__at(look().objects, 0x9000)->age, 1);
	assert_int_equal(objects__at(look().objects, 0x9000)->moves, 1);
	assert_int_equal(s.left, 1);
	assert_int_equal(s.fate, OBJECT_DEAD);
	assert_int_equal(look().objects->count, 1);
}

static void test_a_dump_in_a_collection_speaks_of_new_addresses(void **state)
{
	(void)state;
	dump_two();
	pause(EVENT_PAUSE_BEGIN);
	gc_start(1, UINT64_MAX, GCTRACE_HOW_COMPACTING);
	moved(1, 0x2000, 0x1000, 32);
	container(GCTRACE_C_BEGIN);
	object(0x1000, 8, 32);
	container(GCTRACE_C_END);
	gc_finish(1);
	pause(EVENT_PAUSE_END);
	assert_int_equal(s.anchor.result.matched, 1);
	assert_int_equal(s.anchor.result.new_ + s.anchor.result.gone, 0);
	assert_int_equal(s.anchor.result.conflicts, 0);
	assert_int_equal(id_at(0x1000), 2);
}

static void object_part(uint64_t at, bool more)
{
	feed((struct event){ .kind = EVENT_OBJECT,
			     .object = { .id = at, .class_ = 7, .size = 16, .more = more } });
}

static void test_an_object_in_parts_is_one_also_with_others_between_them(void **state)
{
	(void)state;
	container(GCTRACE_C_BEGIN);
	object_part(0x1000, true);
	object_part(0x3000, true);
	object(0x2000, 8, 32);
	object_part(0x1000, true);
	object_part(0x3000, false);
	object_part(0x1000, false);
	container(GCTRACE_C_END);
	feed((struct event){ .kind = EVENT_DUMP_END,
			     .dump_end = { .status = GCTRACE_DUMP_COMPLETE, .objects = 3 } });
	assert_int_equal(s.anchor.result.new_, 3);
	assert_int_equal(s.anchor.result.repeated, 0);
	assert_true(s.anchor.whole);
	container(GCTRACE_C_BEGIN);
	object(0x1000, 7, 16); /* whole, and so no part of what the dump before told in parts */
	object(0x1000, 7, 16);
	container(GCTRACE_C_END);
	assert_int_equal(s.anchor.result.repeated, 1);
}

static void a_pause_with_a_dump_of(uint64_t at, uint64_t class_, uint64_t size)
{
	pause(EVENT_PAUSE_BEGIN);
	gc_start(1, UINT64_MAX, GCTRACE_HOW_SWEEPING);
	moved(1, 0x1000, 0x1000, 16);
	moved(1, 0x2000, 0x2000, 32);
	container(GCTRACE_C_BEGIN);
	object(at, class_, size);
	gc_finish(1);
	pause(EVENT_PAUSE_END);
}

static void move_both(void)
{
	pause(EVENT_PAUSE_BEGIN);
	gc_start(2, UINT64_MAX, GCTRACE_HOW_COPYING);
	moved(2, 0x1000, 0x2000, 16);
	moved(2, 0x2000, 0x8000, 32);
	gc_finish(2);
	pause(EVENT_PAUSE_END);
}

static void test_a_dump_that_ends_late_speaks_of_where_its_pause_left_all(void **state)
{
	(void)state;
	dump_two();
	a_pause_with_a_dump_of(0x2000, 8, 32);
	assert_int_equal(s.anchor.number, 1); /* it may turn out to be a part */
	move_both();
	container(GCTRACE_C_END);
	assert_int_equal(s.anchor.number, 2);
	assert_int_equal(s.anchor.result.matched, 1);
	assert_int_equal(s.anchor.result.gone, 1);
	assert_int_equal(s.anchor.result.new_ + s.anchor.result.conflicts, 0);
	assert_int_equal(s.fate, OBJECT_GONE);
	assert_int_equal(id_at(0x8000), 2);
	assert_int_equal(look().objects->count, 1);
}

static void test_a_dump_that_is_stopped_late_buries_nobody(void **state)
{
	(void)state;
	dump_two();
	a_pause_with_a_dump_of(0x2000, 8, 32);
	move_both();
	feed((struct event){ .kind = EVENT_CONTAINER,
			     .container = { GCTRACE_C_END, GCTRACE_DUMP_ABORTED, 0 } });
	assert_false(s.anchor.whole);
	assert_int_equal(s.anchor.result.matched, 1);
	assert_int_equal(s.anchor.result.gone + s.anchor.result.conflicts, 0);
	assert_int_equal(id_at(0x2000), 1);
	assert_int_equal(id_at(0x8000), 2);
}

static void test_an_anchor_tells_new_gone_and_wrong(void **state)
{
	(void)state;
	container(GCTRACE_C_BEGIN);
	object(0x1000, 7, 16);
	object(0x2000, 7, 16);
	object(0x3000, 7, 16);
	object(0x70000, 7, UINT64_C(5) << 32);
	container(GCTRACE_C_END);
	container(GCTRACE_C_BEGIN);
	object(0x70000, 7, UINT64_C(5) << 32);
	object(0x1000, 7, 16);
	object(0x2000, 8, 16); /* another type */
	object(0x5000, 7, 16);
	container(GCTRACE_C_END);
	assert_int_equal(s.anchor.result.told, 4);
	assert_int_equal(s.anchor.result.matched, 2);
	assert_int_equal(s.anchor.result.new_, 2);
	assert_int_equal(s.anchor.result.gone, 1);
	assert_int_equal(s.anchor.result.conflicts, 1);
	assert_int_equal(objects__size(look().objects, objects__at(look().objects, 0x70000)),
			 UINT64_C(5) << 32);
	assert_int_equal(look().objects->count, 4);
}

static void test_a_dump_that_lost_something_buries_nobody(void **state)
{
	(void)state;
	gc_start(1, 1, GCTRACE_HOW_COPYING);
	gc_finish(1);
	dump_two();
	feed((struct event){ .kind = EVENT_CONTAINER, .container = { GCTRACE_C_BEGIN, 0, 1 } });
	object(0x1000, 7, 16);
	feed((struct event){ .kind = EVENT_LOSS,
			     .loss = { .kind = LOSS_RING_FULL, .count = 1, .until = 0 } });
	container(GCTRACE_C_END);
	assert_false(s.anchor.whole);
	assert_int_equal(s.anchor.result.gone, 0);
	assert_int_equal(id_at(0x2000), 2);
}

static void lose_a_batch(void)
{
	feed((struct event){ .kind = EVENT_LOSS, .loss = { .kind = LOSS_RING_FULL, .count = 1,
							   .until = s.now + 1 } });
}

static void gc_in_which_two_stay(uint64_t gc)
{
	gc_start(gc, UINT64_MAX, GCTRACE_HOW_COPYING);
	moved(gc, 0x1000, 0x1000, 16);
	moved(gc, 0x2000, 0x2000, 32);
	gc_finish(gc);
}

static void test_a_doubt_lasts_until_the_next_number(void **state)
{
	(void)state;
	gc_in_which_two_stay(1);
	dump_two();
	assert_false(look().in_doubt);
	lose_a_batch();
	assert_true(look().in_doubt);
	assert_int_equal(look().objects->count, 2);
	/* None is missing: all of it was right. */
	gc_in_which_two_stay(2);
	assert_false(look().in_doubt);
	assert_int_equal(id_at(0x1000), 1);
	lose_a_batch();
	assert_true(look().in_doubt);
	/* The third one is missing: nothing of it is known. */
	gc_in_which_two_stay(4);
	assert_false(look().in_doubt);
	assert_int_equal(look().objects->count, 0);
	assert_int_equal(s.fate, OBJECT_WITHDRAWN);
	assert_int_equal(s.left, 2);
}

static void test_absence_means_nothing_where_some_are_told(void **state)
{
	(void)state;
	assert_int_equal(identity__tells_some(s.identity, 1), 0);
	dump_two();
	gc_start(1, UINT64_MAX, GCTRACE_HOW_COPYING);
	moved(1, 0x1000, 0x9000, 16);
	gc_finish(1);
	assert_int_equal(id_at(0x9000), 1);
	assert_int_equal(s.fate, OBJECT_WITHDRAWN);
	assert_int_equal(s.left, 1);
}

static void test_without_ranges_nothing_is_known(void **state)
{
	(void)state;
	dump_two();
	gc_start(1, UINT64_MAX, GCTRACE_HOW_COPYING);
	gc_finish(1);
	assert_int_equal(s.left, 2);
	assert_int_equal(s.fate, OBJECT_WITHDRAWN);
}

/* A producer that tells ranges, but not all of this one's: its listener came in its midst. */
static void test_of_untold_ranges_nothing_follows(void **state)
{
	(void)state;
	dump_two();
	gc_start(1, 1, GCTRACE_HOW_COPYING);
	moved(1, 0x1000, 0x9000, 16);
	moved(1, 0x2000, 0xa000, 32);
	gc_finish(1);
	assert_int_equal(id_at(0x9000), 1);
	gc_start(2, UINT64_MAX, GCTRACE_HOW_COPYING);
	feed((struct event){ .kind = EVENT_GC_FINISH, .gc_finish = { .gc = 2, .untold = true } });
	assert_int_equal(s.left, 2);
	assert_int_equal(s.fate, OBJECT_WITHDRAWN);
}

static void test_a_birth_makes_age_exact(void **state)
{
	(void)state;
	born(0x1000);
	gc_start(1, UINT64_MAX, GCTRACE_HOW_COPYING);
	moved(1, 0x1000, 0x9000, 16);
	gc_finish(1);
	gc_start(2, UINT64_MAX, GCTRACE_HOW_COPYING);
	gc_finish(2);
	assert_int_equal(look().survival->all.born, 1);
	assert_int_equal(look().survival->all.survived[0], 1);
	assert_int_equal(look().survival->all.died[1], 1);
	assert_int_equal(look().figures.died, 1);
}

static void test_an_unfinished_one_from_before_holds_no_dump_up(void **state)
{
	(void)state;
	gc_start(5, 1, GCTRACE_HOW_COPYING);
	gc_finish(5);
	moved(3, 0x100, 0x200, 8); /* of one that began before the attach */
	dump_two();
	assert_int_equal(id_at(0x1000), 1);
}

static void a_dump_in_a_collection_that_goes_on(void)
{
	dump_two();
	pause(EVENT_PAUSE_BEGIN);
	gc_start(1, UINT64_MAX, GCTRACE_HOW_COPYING);
	moved(1, 0x1000, 0x9000, 16);
	container(GCTRACE_C_BEGIN);
	object(0x9000, 7, 16);
	container(GCTRACE_C_END);
}

static void assert_known_as_before(void)
{
	assert_int_equal(id_at(0x1000), 1);
	assert_int_equal(id_at(0x2000), 2);
	assert_int_equal(id_at(0x9000), 0);
	assert_int_equal(s.left, 0);
	assert_int_equal(look().figures.withdrawn, 0);
	assert_int_equal(look().figures.anchors, 1);
}

/* What was known before the collection that is under way when the trace ends is known last. */
static void test_a_trace_that_ends_in_a_collection_withdraws_nothing(void **state)
{
	(void)state;
	a_dump_in_a_collection_that_goes_on();
	assert_int_equal(assembler__end_all(s.assembler), 0);
	assert_known_as_before();
}

/* Also where its end is seen: some of its moves may not have been, so the dump is not matched. */
static void test_an_end_amid_the_detach_changes_nothing(void **state)
{
	(void)state;
	a_dump_in_a_collection_that_goes_on();
	assembler__over_from(s.assembler, s.now + 1);
	gc_finish(1);
	pause(EVENT_PAUSE_END);
	assert_known_as_before();
}

/* The same after a loss, and that there may have been more collections stays said. */
static void test_a_trace_that_ends_after_a_loss_is_in_doubt(void **state)
{
	(void)state;
	dump_two();
	gc_start(1, UINT64_MAX, GCTRACE_HOW_COPYING);
	moved(1, 0x1000, 0x9000, 16);
	feed((struct event){ .kind = EVENT_LOSS, .loss = { .kind = LOSS_RING_FULL, .count = 1,
							   .until = s.now + 1 } });
	assert_int_equal(assembler__end_all(s.assembler), 0);
	assert_int_equal(id_at(0x1000), 1);
	assert_int_equal(look().objects->count, 2);
	assert_true(look().in_doubt);
}

static void test_an_exit_forgets(void **state)
{
	struct identity_view view;
	int err;

	(void)state;
	dump_two();
	feed((struct event){ .kind = EVENT_EXIT });
	assert_int_equal(s.ended, 1);
	assert_false(identity__look(s.identity, 1, &view, &err));
}

static void part(uint64_t gc, uint64_t generation, uint64_t start, uint64_t bytes)
{
	feed((struct event){ .kind = EVENT_GENERATION,
			     .generation = { .gc = gc, .generation = generation, .start = start,
					     .used = bytes, .reserved = bytes } });
}

static void reuse(uint64_t generations, uint64_t start, uint64_t length)
{
	feed((struct event){ .kind = EVENT_REUSE, .reuse = { generations, start, length } });
}

/* 0x1000 in generation 0, 0x2000 in 2. */
static void collect_two(uint64_t gc)
{
	pause(EVENT_PAUSE_BEGIN);
	gc_start(gc, 7, GCTRACE_HOW_SWEEPING);
	part(gc, 0, 0x1000, 0x1000);
	part(gc, 2, 0x2000, 0x1000);
	moved(gc, 0x1000, 0x1000, 16);
	moved(gc, 0x2000, 0x2000, 32);
	gc_finish(gc);
	pause(EVENT_PAUSE_END);
}

static void test_room_that_is_given_away_is_not_known(void **state)
{
	(void)state;
	dump_two();
	collect_two(1);
	reuse(1 << 3, 0, UINT64_MAX);
	reuse(1 << 2, 0x1008, 0x100);
	assert_int_equal(look().objects->count, 2);
	reuse(1 << 0, 0, UINT64_MAX);
	assert_int_equal(id_at(0x1000), 0);
	assert_int_equal(s.fate, OBJECT_WITHDRAWN);
	assert_int_equal(id_at(0x2000), 2);
	reuse(UINT64_MAX, 0x2000 + 32, 0x100);
	reuse(UINT64_MAX, 0x1000, 0x1000);
	reuse(UINT64_MAX, 0x2000, 0);
	assert_int_equal(id_at(0x2000), 2);
	reuse(UINT64_MAX, 0x1fff, 2);
	assert_int_equal(look().objects->count, 0);
	assert_int_equal(s.left, 2);
}

/*
 * Large objects that a background collection has found dead, with 32 bytes before each that keep
 * them apart. New ones get their room: the first is longer than what it takes the place of, so the
 * second covers nobody's beginning.
 */
static void test_a_new_object_may_begin_inside_of_an_old_one(void **state)
{
	const uint64_t old = 85024, longer = old + 24, apart = 32;
	const uint64_t first = 0x7f5c8a000048, second = first + old + apart;
	const uint64_t third = second + old + apart;

	(void)state;
	container(GCTRACE_C_BEGIN);
	object(first, 7, old);
	object(second, 7, old);
	object(third, 7, old);
	container(GCTRACE_C_END);
	reuse(UINT64_MAX, first, longer);
	assert_int_equal(id_at(first), 0);
	assert_int_equal(id_at(second), 2);
	reuse(UINT64_MAX, first + longer + apart, old);
	assert_int_equal(id_at(second), 0);
	assert_int_equal(s.fate, OBJECT_WITHDRAWN);
	assert_int_equal(id_at(third), 3);
}

/* The same of one that was told just now, and is not in the table yet. */
static void test_a_new_object_may_begin_inside_of_a_sampled_one(void **state)
{
	(void)state;
	born(0x1000);
	born(0x1100);
	reuse(UINT64_MAX, 0x1010, 0x100);
	assert_int_not_equal(id_at(0x1000), 0);
	assert_int_equal(id_at(0x1100), 0);
	born(0x1100);
	reuse(UINT64_MAX, 0x110f, 1);
	assert_int_not_equal(id_at(0x1000), 0);
	assert_int_equal(id_at(0x1100), 0);
}

/* Nor what lies where nobody has said what it is. */
static void test_room_of_no_generation_is_given_away_with_any(void **state)
{
	(void)state;
	dump_two();
	reuse(1 << 3, 0, UINT64_MAX);
	assert_int_equal(look().objects->count, 0);
	dump_two();
	collect_two(1);
	born(0x1010);
	born(0x5000);
	reuse(1 << 2, 0, UINT64_MAX);
	assert_int_equal(id_at(0x5000), 0);
	assert_int_not_equal(id_at(0x1000), 0);
	assert_int_not_equal(id_at(0x1010), 0);
}

/* The old collection has found 0x2000 dead, and the young one finds a region of its own there. */
static void test_a_region_that_became_young_has_none_of_the_old(void **state)
{
	(void)state;
	dump_two();
	collect_two(1);
	gc_start(2, 1 << 2, GCTRACE_HOW_CONCURRENT);
	pause(EVENT_PAUSE_BEGIN);
	gc_start(3, 1 << 0, GCTRACE_HOW_COPYING);
	part(3, 0, 0x1000, 0x2000);
	part(3, 2, 0x3000, 0x1000);
	moved(3, 0x1000, 0x8000, 16);
	moved(3, 0x2000, 0x9000, 32);
	gc_finish(3);
	pause(EVENT_PAUSE_END);
	assert_int_equal(id_at(0x8000), 1);
	assert_int_equal(id_at(0x9000), 0);
	assert_int_equal(s.fate, OBJECT_WITHDRAWN);
	gc_finish(2);
	assert_int_equal(look().objects->count, 1);
}

#define test(name) cmocka_unit_test_setup_teardown(name, begin, end)

static void test_bytes_are_known_without_objects(void **state)
{
	const struct event before = {
		.kind = EVENT_GENERATION,
		.generation = { .gc = 1, .generation = 0, .start = 0x1000, .used = 0x800,
				.reserved = 0x1000 },
	};

	(void)state;
	gc_start(1, UINT64_MAX, 0);
	feed(before);
	moved(1, 0x1100, 0x1000, 0x100);
	moved(1, 0x1100, 0x1000, 0x100);
	moved(1, 0x1400, 0x1400, 0x100);
	gc_finish(1);
	assert_true(s.has_blocks);
	assert_int_equal(s.blocks.survived, 0x200);
	assert_int_equal(s.blocks.slid, 0x100);
	assert_int_equal(s.first.spanned, 0x800);
	assert_true(s.first.holes_known);
	assert_int_equal(s.first.hole_bytes, 0x300);

	/* Two that contradict each other: nothing is said. */
	gc_start(2, UINT64_MAX, 0);
	moved(2, 0x1000, 0x1800, 0x100);
	moved(2, 0x1080, 0x1c00, 0x100);
	gc_finish(2);
	assert_false(s.has_blocks);

	gc_start(3, UINT64_MAX, 0);
	moved(3, 0x1000, 0x1000, 0x100);
	feed((struct event){ .kind = EVENT_LOSS, .loss = { .kind = LOSS_RING_FULL, .count = 1,
							   .until = s.now + 1 } });
	gc_finish(3);
	assert_false(s.has_blocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_an_object_in_parts_is_one_also_with_others_between_them, begin, end),
		test(test_bytes_are_known_without_objects),
		test(test_a_name_survives_a_move),
		test(test_a_dump_in_a_collection_speaks_of_new_addresses),
		test(test_a_dump_that_ends_late_speaks_of_where_its_pause_left_all),
		test(test_a_dump_that_is_stopped_late_buries_nobody),
		test(test_an_anchor_tells_new_gone_and_wrong),
		test(test_a_dump_that_lost_something_buries_nobody),
		test(test_a_doubt_lasts_until_the_next_number),
		test(test_absence_means_nothing_where_some_are_told),
		test(test_without_ranges_nothing_is_known),
		test(test_of_untold_ranges_nothing_follows),
		test(test_a_birth_makes_age_exact),
		test(test_an_unfinished_one_from_before_holds_no_dump_up),
		test(test_a_trace_that_ends_in_a_collection_withdraws_nothing),
		test(test_an_end_amid_the_detach_changes_nothing),
		test(test_a_trace_that_ends_after_a_loss_is_in_doubt),
		test(test_an_exit_forgets),
		test(test_room_that_is_given_away_is_not_known),
		test(test_a_new_object_may_begin_inside_of_an_old_one),
		test(test_a_new_object_may_begin_inside_of_a_sampled_one),
		test(test_room_of_no_generation_is_given_away_with_any),
		test(test_a_region_that_became_young_has_none_of_the_old),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
