/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What became of the objects between two dumps, against a world that knows: random heaps that are
 * collected, moved, dumped in between, and of which now and then a report is lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "model/fates.h"
#include "model/replay.h"
#include "stream/loss.h"

enum { OBJECTS = 200, CLASSES = 5, CASES = 3000 };

struct thing {
	uint64_t at, class_, size;
	bool alive;
	bool in_a;	/* it was told in A, and is still known by that id */
	bool withdrawn; /* it was, and is not any more */
};

static struct {
	struct replay *replay;
	struct fates fates;
	struct fate told[CLASSES];
	struct thing things[OBJECTS];
	size_t count;
	uint64_t now, gc, top;
	unsigned int seed;
	bool is_b; /* the next dump is B */
	bool enough; /* B has been told */
} s;

static uint64_t random_below(uint64_t limit)
{
	return (uint64_t)rand_r(&s.seed) % limit;
}

/* ---------------------------------------------------------------- what is heard */

static int on_dump(void *context, const struct identity_anchor *dump,
		   const struct identity_view *now)
{
	(void)context;
	assert_true(dump->whole);
	assert_false(s.enough);
	if (!s.fates.begun) {
		fates__begin(&s.fates, now->objects, &dump->result);
		return 0;
	}
	if (!s.is_b) {
		fates__pass(&s.fates, &dump->result);
		return 0;
	}
	assert_int_equal(fates__end(&s.fates, &dump->result), 0);
	for (size_t i = 0; i < s.fates.of.count; i++)
		s.told[now->types->of.items[i].class_] = s.fates.of.items[i];
	s.enough = true;
	return REPLAY_ENOUGH;
}

static void on_left(void *context, uint32_t target, const struct object *object, uint64_t address,
		    enum object_fate fate)
{
	(void)context;
	(void)target;
	(void)address;
	assert_false(s.enough);
	assert_int_equal(fates__left(&s.fates, object, fate), 0);
}

static void feed(struct event event)
{
	int answer;

	event.target = 1;
	event.tid = 1;
	event.time = event.stamp = ++s.now;
	answer = replay__event(s.replay, &event);
	assert_int_equal(answer, s.enough ? REPLAY_ENOUGH : 0);
}

/* ---------------------------------------------------------------- the world */

static void be_born(void)
{
	struct thing *thing = &s.things[s.count];

	if (s.count == OBJECTS)
		return;
	*thing = (struct thing){ .at = s.top, .class_ = 1 + random_below(CLASSES - 1),
				 .size = 8 + 8 * random_below(20), .alive = true };
	if (random_below(50) == 0)
		thing->size = UINT64_C(5) << 32; /* stands elsewhere in the table */
	s.top += thing->size;
	s.count++;
	if (random_below(3) == 0)
		feed((struct event){ .kind = EVENT_OBJECT_ALLOC,
				     .alloc = { .id = thing->at, .size = thing->size,
						.class_ = thing->class_ } });
}

static void dump(void)
{
	feed((struct event){ .kind = EVENT_CONTAINER,
			     .container = { GCTRACE_C_BEGIN, 0, s.gc } });
	for (size_t i = 0; i < s.count; i++)
		if (s.things[i].alive)
			feed((struct event){ .kind = EVENT_OBJECT,
					     .object = { .id = s.things[i].at,
							 .class_ = s.things[i].class_,
							 .size = s.things[i].size } });
	feed((struct event){ .kind = EVENT_CONTAINER, .container = { GCTRACE_C_END, 0, 0 } });
}

/* Those who live are not known any more. */
static void withdraw_all(void)
{
	for (size_t i = 0; i < s.count; i++) {
		if (!s.things[i].alive)
			continue;
		s.things[i].withdrawn |= s.things[i].in_a;
		s.things[i].in_a = false;
	}
}

static void report(struct thing *thing, uint64_t to)
{
	const struct range range = { thing->at, to, thing->size };

	thing->at = to;
	feed((struct event){ .kind = EVENT_MOVED,
			     .ranges = { .gc = s.gc, .width = 8, .ranges = &range, .count = 1 } });
}

/* Of those who live all are told, or (lossy) a part of the report is lost: then nobody is known. */
static void collect(bool lossy)
{
	feed((struct event){ .kind = EVENT_GC_START,
			     .gc_start = { .gc = ++s.gc, .generations = UINT64_MAX,
					   .how = GCTRACE_HOW_COPYING } });
	for (size_t i = 0; i < s.count; i++) {
		struct thing *thing = &s.things[i];
		const bool moves = random_below(2);

		if (!thing->alive)
			continue;
		report(thing, moves ? s.top : thing->at);
		s.top += moves ? thing->size : 0;
	}
	if (lossy)
		feed((struct event){ .kind = EVENT_LOSS,
				     .loss = { .kind = LOSS_RING_FULL, .count = 1,
					       .until = s.now } });
	feed((struct event){ .kind = EVENT_GC_FINISH, .gc_finish = { .gc = s.gc } });
}

/* Nobody refers to them any more. Without a collection they are gone from the next dump. */
static void let_die(void)
{
	for (size_t i = 0; i < s.count; i++)
		if (random_below(10) == 0)
			s.things[i].alive = false;
}

/* Was something lost? */
static bool live_on(bool may_lose)
{
	const bool loses = may_lose && random_below(4) == 0;

	for (uint64_t n = random_below(12); n > 0; n--)
		be_born();
	let_die();
	if (random_below(4) == 0)
		dump();
	else
		collect(false); /* who died is buried, before nobody would know */
	if (!loses)
		return false;
	collect(false);
	collect(true);
	withdraw_all();
	return true;
}

static void add(struct fate_sum *sum, const struct thing *thing)
{
	sum->objects++;
	sum->bytes += thing->size;
}

static void compare(void)
{
	struct fate true_[CLASSES] = { { .born = { 0 } } };

	for (size_t i = 0; i < s.count; i++) {
		const struct thing *thing = &s.things[i];
		struct fate *fate = &true_[thing->class_];

		if (thing->withdrawn)
			add(&fate->withdrawn, thing);
		if (thing->in_a)
			add(thing->alive ? &fate->survived : &fate->died, thing);
		else if (thing->alive)
			add(&fate->born, thing);
	}
	assert_memory_equal(s.told, true_, sizeof(true_));
}

static void begin(unsigned int seed)
{
	const struct replay_sink sink = { .dump = on_dump, .left = on_left };

	memset(&s, 0, sizeof(s));
	s.seed = seed;
	s.top = 0x10000;
	s.replay = replay__new(&sink);
	assert_non_null(s.replay);
}

static void end(void)
{
	fates__free(&s.fates);
	replay__free(s.replay);
}

static bool run_case(unsigned int seed, bool may_lose)
{
	bool lost = false;

	begin(seed);
	for (uint64_t n = random_below(60); n > 0; n--)
		be_born();
	collect(false);
	dump();
	assert_true(s.fates.begun);
	for (size_t i = 0; i < s.count; i++)
		s.things[i].in_a = s.things[i].alive;
	for (uint64_t n = random_below(6); n > 0; n--)
		lost |= live_on(may_lose);
	s.is_b = true;
	dump();
	compare();
	live_on(may_lose);
	dump();
	end();
	return lost;
}

static void fates_are_true(void **state)
{
	(void)state;
	for (unsigned int seed = 1; seed <= CASES; seed++)
		run_case(seed, false);
}

static void after_a_loss_ids_are_withdrawn(void **state)
{
	unsigned int lost = 0;

	(void)state;
	for (unsigned int seed = 1; seed <= CASES; seed++)
		lost += run_case(seed, true);
	assert_in_range(lost, CASES / 10, CASES);
}

static void what_comes_before_the_first_dump_is_nobodys(void **state)
{
	struct fate all;

	(void)state;
	begin(1);
	be_born();
	s.things[0].alive = false;
	collect(false);
	be_born();
	dump();
	s.is_b = true;
	s.things[1].alive = false;
	be_born();
	dump();
	all = fates__all(&s.fates);
	assert_int_equal(all.died.objects, 1);
	assert_int_equal(all.born.objects, 1);
	assert_int_equal(all.survived.objects + all.withdrawn.objects, 0);
	assert_int_equal(s.fates.gone, 1);
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fates_are_true),
		cmocka_unit_test(after_a_loss_ids_are_withdrawn),
		cmocka_unit_test(what_comes_before_the_first_dump_is_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
