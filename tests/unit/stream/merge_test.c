/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The order of records. What must hold, whatever the threads and the reader do when:
 *
 *   causality    if x was committed before y's probe took its stamp, x is handed on before y
 *   nothing lost, nothing twice; what found no room is told, before what came after it
 *
 * First with 8 simulated threads whose every step a random schedule chooses, the steps also in
 * the middle of a round; then with 8 real threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "gctrace/wire.h"
#include "simring.h"
#include "stream/loss.h"
#include "stream/merge.h"
#include "unit/random.h"

#define THREADS 8

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

struct numbered {
	struct record head;
	uint64_t number;
};

static struct numbered numbered(uint64_t stamp, uint64_t number)
{
	return (struct numbered){
		.head = { .stamp = stamp, .bytes = sizeof(struct numbered), .kind = 999 },
		.number = number,
	};
}

/* ---------------------------------------------------------------------------------------------
 * Simulated threads
 */

struct thread {
	struct simring *ring;
	enum { IDLE, STAMPED, RESERVED } step;
	uint64_t stamp, position, number;
	unsigned int held; /* steps that it still sleeps in the middle of its probe */
};

#define RECORDS_LIMIT 200000

struct world {
	uint64_t random;
	uint64_t clock; /* each step of anybody takes one tick */
	struct simring rings[4];
	struct thread threads[THREADS];
	struct merge *merge;
	bool stopped; /* no new probes */

	uint64_t count, lost, lost_counted, lost_told, seen, discarded;
	uint64_t *lost_at; /* the n-th loss: when */
	uint64_t newest_seen; /* stamp */
	uint64_t *committed;  /* by number: when; 0: not yet, or dropped */
	uint8_t *came;
};

static uint64_t pick(struct world *world, uint64_t below)
{
	return random__below(&world->random, below);
}

static void thread_reserve(struct world *world, struct thread *thread)
{
	struct numbered record = numbered(thread->stamp, thread->number);
	uint32_t bytes = sizeof(record) + (uint32_t)pick(world, 64);

	record.head.bytes = bytes;
	thread->position = simring__reserve(thread->ring, bytes);
	if (thread->position == SIMRING_FULL) {
		world->lost_at[world->lost++] = world->clock;
		thread->step = IDLE;
		return;
	}
	simring__write(thread->ring, thread->position, &record, sizeof(record));
	thread->step = RESERVED;
	thread->held = pick(world, 50) ? (unsigned int)pick(world, 3)
				       : (unsigned int)pick(world, 300);
}

static void thread_commit(struct world *world, struct thread *thread)
{
	if (thread->held) {
		thread->held--;
		return;
	}
	thread->step = IDLE;
	if (pick(world, 40) == 0) {
		simring__discard(thread->ring, thread->position);
		world->discarded++;
		return;
	}
	simring__commit(thread->ring, thread->position);
	world->committed[thread->number] = world->clock;
}

static void step(struct world *world)
{
	struct thread *thread = &world->threads[pick(world, THREADS)];

	world->clock++;
	switch (thread->step) {
	case IDLE:
		if (world->stopped || world->count == RECORDS_LIMIT)
			return;
		thread->stamp = world->clock;
		thread->number = world->count++;
		thread->ring = &world->rings[pick(world, 4)]; /* it may run on any CPU */
		thread->step = STAMPED;
		break;
	case STAMPED:
		if (pick(world, 3)) /* held up before the reservation now and then */
			thread_reserve(world, thread);
		break;
	case RESERVED:
		thread_commit(world, thread);
		break;
	}
}

static int see(void *ctx, const struct record *record, unsigned int ring)
{
	struct world *world = ctx;
	const struct numbered *numbered = (const struct numbered *)record;

	if (record->kind == RECORD_LOSS) {
		const struct record_call *call = (const struct record_call *)record;

		assert_int_equal(call->args[0], LOSS_RING_FULL);
		assert_true(call->head.stamp <= call->args[2]);
		world->lost_told += call->args[1];
		return 0;
	}
	assert_true(ring < 4);
	assert_true(numbered->number < world->count);
	assert_int_equal(world->came[numbered->number], 0);
	world->came[numbered->number] = 1;
	/* Nothing that was handed on before began after this was committed. */
	assert_true(world->committed[numbered->number] != 0);
	assert_true(world->newest_seen <= world->committed[numbered->number]);
	/* What was lost before this began has been told. */
	if (world->lost_told < world->lost)
		assert_true(world->lost_at[world->lost_told] >= record->stamp);
	if (record->stamp > world->newest_seen)
		world->newest_seen = record->stamp;
	world->seen++;
	for (uint64_t i = pick(world, 3); i > 0; i--) /* the world doesn't wait */
		step(world);
	return 0;
}

static int collect(void *ctx, struct merge *merge)
{
	struct world *world = ctx;

	for (uint64_t i = pick(world, 20); i > 0; i--)
		step(world);
	if (world->lost > world->lost_counted) {
		assert_int_equal(merge__lose(merge, 7, LOSS_RING_FULL,
					     world->lost - world->lost_counted),
				 0);
		world->lost_counted = world->lost;
	}
	return 0;
}

static void run_world(uint64_t seed, size_t ring_bytes)
{
	struct world *world = calloc(1, sizeof(*world));
	struct merge_options options = { .collect = collect, .ctx = world };
	struct record_sink sink = { see, world };

	world->random = seed * 0x9e3779b97f4a7c15u + 1;
	world->clock = now_ns();
	world->committed = calloc(RECORDS_LIMIT, sizeof(uint64_t));
	world->lost_at = calloc(RECORDS_LIMIT, sizeof(uint64_t));
	world->came = calloc(RECORDS_LIMIT, 1);
	assert_int_equal(merge__new(&options, &world->merge), 0);
	for (unsigned int i = 0; i < 4; i++) {
		simring__init(&world->rings[i], ring_bytes);
		simring__start_at(&world->rings[i], pick(world, 1u << 30) * 8);
		assert_int_equal(merge__add_ring(world->merge, &world->rings[i].ring, i), 0);
	}
	for (unsigned int i = 0; i < 3000; i++) {
		for (uint64_t j = pick(world, 60); j > 0; j--)
			step(world);
		assert_int_equal(merge__pull(world->merge, 0, &sink), SOURCE_MORE);
	}
	world->stopped = true;
	for (unsigned int i = 0; i < 40000; i++)
		step(world);
	assert_int_equal(merge__finish(world->merge, &sink), SOURCE_END);
	assert_int_equal(merge__pull(world->merge, 0, &sink), SOURCE_END);
	assert_int_equal(world->seen + world->lost + world->discarded, world->count);
	assert_int_equal(world->lost_told, world->lost);
	assert_true(world->seen > 1000);
	merge__free(world->merge);
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(ring__used(&world->rings[i].ring), 0);
		simring__destroy(&world->rings[i]);
	}
	free(world->committed);
	free(world->lost_at);
	free(world->came);
	free(world);
}

static void any_schedule_keeps_causes_before_effects(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++)
		run_world(seed, 65536);
}

static void full_rings_are_told_and_order_holds(void **state)
{
	(void)state;
	for (uint64_t seed = 100; seed <= 120; seed++)
		run_world(seed, 1024);
}

/* ---------------------------------------------------------------------------------------------
 * Real threads
 */

#define REAL_RECORDS 40000

struct real {
	struct simring rings[2];
	uint64_t committed[THREADS * REAL_RECORDS]; /* not before */
	uint8_t came[THREADS * REAL_RECORDS];
	uint64_t newest_seen, seen;
};

struct real_thread {
	struct real *real;
	unsigned int index;
};

static void *produce(void *arg)
{
	struct real_thread *thread = arg;
	struct real *real = thread->real;

	for (uint64_t i = 0; i < REAL_RECORDS; i++) {
		uint64_t number = thread->index * REAL_RECORDS + i;
		struct numbered record = numbered(now_ns(), number);

		while (!simring__put(&real->rings[(thread->index + i) % 2], &record.head))
			sched_yield(); /* the stamp is old then, as in a probe that was held up */
		__atomic_store_n(&real->committed[number], now_ns(), __ATOMIC_RELEASE);
	}
	return NULL;
}

static int see_real(void *ctx, const struct record *record, unsigned int ring)
{
	const struct numbered *numbered = (const struct numbered *)record;
	struct real *real = ctx;
	uint64_t committed = __atomic_load_n(&real->committed[numbered->number], __ATOMIC_ACQUIRE);

	(void)ring;
	assert_int_equal(real->came[numbered->number], 0);
	real->came[numbered->number] = 1;
	assert_true(!committed || real->newest_seen <= committed);
	if (record->stamp > real->newest_seen)
		real->newest_seen = record->stamp;
	real->seen++;
	return 0;
}

static void real_threads_keep_causes_before_effects(void **state)
{
	struct real *real = calloc(1, sizeof(*real));
	struct record_sink sink = { see_real, real };
	struct real_thread threads[THREADS];
	pthread_t ids[THREADS];
	struct merge *merge;

	(void)state;
	assert_int_equal(merge__new(NULL, &merge), 0);
	for (unsigned int i = 0; i < 2; i++) {
		simring__init(&real->rings[i], 65536);
		assert_int_equal(merge__add_ring(merge, &real->rings[i].ring, i), 0);
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		threads[i] = (struct real_thread){ real, i };
		assert_int_equal(pthread_create(&ids[i], NULL, produce, &threads[i]), 0);
	}
	while (real->seen < THREADS * REAL_RECORDS)
		assert_int_equal(merge__pull(merge, 1000000, &sink), SOURCE_MORE);
	for (unsigned int i = 0; i < THREADS; i++)
		pthread_join(ids[i], NULL);
	assert_int_equal(merge__finish(merge, &sink), SOURCE_END);
	assert_int_equal(real->seen, THREADS * REAL_RECORDS);
	merge__free(merge);
	for (unsigned int i = 0; i < 2; i++)
		simring__destroy(&real->rings[i]);
	free(real);
}

/* ---------------------------------------------------------------------------------------------
 * Single cases
 */

struct log {
	uint64_t numbers[64];
	unsigned int kinds[64];
	size_t count;
	int answer; /* after the record with this count */
	size_t answer_at;
	struct record_call loss;
};

static int write_down(void *ctx, const struct record *record, unsigned int ring)
{
	struct log *log = ctx;

	(void)ring;
	assert_true(log->count < 64);
	log->kinds[log->count] = record->kind;
	if (record->kind == RECORD_LOSS)
		log->loss = *(const struct record_call *)record;
	else if (record->kind == RECORD_BATCH)
		log->numbers[log->count] =
			((const struct gctrace_batch *)(record + 1))->sequence;
	else
		log->numbers[log->count] = ((const struct numbered *)record)->number;
	log->count++;
	return log->answer_at && log->count == log->answer_at ? log->answer : 0;
}

struct few {
	struct merge *merge;
	struct simring a, b;
	struct log log;
	struct record_sink sink;
};

static int set_up(void **state)
{
	struct few *few = calloc(1, sizeof(*few));

	simring__init(&few->a, 4096);
	simring__init(&few->b, 4096);
	assert_int_equal(merge__new(NULL, &few->merge), 0);
	assert_int_equal(merge__add_ring(few->merge, &few->a.ring, 0), 0);
	assert_int_equal(merge__add_ring(few->merge, &few->b.ring, 1), 0);
	few->sink = (struct record_sink){ write_down, &few->log };
	*state = few;
	return 0;
}

static int tear_down(void **state)
{
	struct few *few = *state;

	merge__free(few->merge);
	simring__destroy(&few->a);
	simring__destroy(&few->b);
	free(few);
	return 0;
}

static void put(struct simring *ring, uint64_t stamp, uint64_t number)
{
	struct numbered record = numbered(stamp, number);

	assert_true(simring__put(ring, &record.head));
}

static void expect(const struct log *log, size_t count, const uint64_t *numbers)
{
	assert_int_equal(log->count, count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(log->numbers[i], numbers[i]);
}
#define EXPECT(log, ...)                                                                  \
	expect(log, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, (uint64_t[]){ __VA_ARGS__ })

static void stamps_decide_between_rings_and_in_one(void **state)
{
	struct few *few = *state;

	put(&few->a, 50, 5);
	put(&few->a, 10, 1);
	put(&few->b, 20, 2);
	put(&few->b, 40, 4);
	put(&few->a, 30, 3);
	assert_int_equal(merge__pull(few->merge, 0, &few->sink), SOURCE_MORE);
	EXPECT(&few->log, 1, 2, 3, 4, 5);
	assert_int_equal(ring__used(&few->a.ring), 0);
}

static void put_batch(struct simring *ring, uint64_t stamp, uint64_t producer, uint64_t sequence)
{
	struct {
		struct record head;
		struct gctrace_batch batch;
	} record = {
		.head = { .stamp = stamp, .bytes = sizeof(record), .kind = RECORD_BATCH },
		.batch = { .producer = producer, .sequence = sequence },
	};

	assert_true(simring__put(ring, &record.head));
}

static void equal_stamps_go_by_producer_and_sequence(void **state)
{
	struct few *few = *state;

	put_batch(&few->a, 10, 1, 12);
	put_batch(&few->b, 10, 1, 11);
	put_batch(&few->b, 10, 1, 13);
	put(&few->b, 10, 1); /* no batch: first, in the order of its ring */
	put(&few->b, 10, 2);
	assert_int_equal(merge__pull(few->merge, 0, &few->sink), SOURCE_MORE);
	EXPECT(&few->log, 1, 2, 11, 12, 13);
}

static void a_busy_record_holds_up_nothing_but_memory(void **state)
{
	struct few *few = *state;
	struct numbered late = numbered(10, 1);
	uint64_t position = simring__reserve(&few->a, sizeof(late));

	put(&few->a, 20, 2);
	put(&few->b, 30, 3);
	assert_int_equal(merge__pull(few->merge, 0, &few->sink), SOURCE_MORE);
	EXPECT(&few->log, 2, 3);
	assert_int_equal(ring__used(&few->b.ring), 0);
	assert_true(ring__used(&few->a.ring) > 0);

	simring__write(&few->a, position, &late, sizeof(late));
	simring__commit(&few->a, position);
	assert_int_equal(merge__pull(few->merge, 0, &few->sink), SOURCE_MORE);
	EXPECT(&few->log, 2, 3, 1);
	assert_int_equal(ring__used(&few->a.ring), 0);
}

static void what_is_busy_at_the_end_is_lost(void **state)
{
	struct few *few = *state;

	assert_true(simring__reserve(&few->a, 100) != SIMRING_FULL);
	put(&few->a, 20, 2);
	assert_int_equal(merge__finish(few->merge, &few->sink), SOURCE_END);
	assert_int_equal(few->log.count, 2);
	assert_int_equal(few->log.kinds[1], RECORD_LOSS);
	assert_int_equal(few->log.loss.args[0], LOSS_STALLED);
	assert_int_equal(few->log.loss.args[1], 1);
}

static void a_discarded_record_frees_its_memory(void **state)
{
	struct few *few = *state;

	simring__discard(&few->a, simring__reserve(&few->a, 100));
	assert_int_equal(merge__pull(few->merge, 0, &few->sink), SOURCE_MORE);
	assert_int_equal(few->log.count, 0);
	assert_int_equal(ring__used(&few->a.ring), 0);
}

static void injected_records_go_by_their_stamps(void **state)
{
	struct few *few = *state;
	struct numbered exec = numbered(25, 25);

	put(&few->a, 20, 20);
	put(&few->b, 30, 30);
	assert_int_equal(merge__inject(few->merge, &exec.head), 0);
	assert_int_equal(merge__pull(few->merge, 0, &few->sink), SOURCE_MORE);
	EXPECT(&few->log, 20, 25, 30);

	exec = numbered(40, 40);
	assert_int_equal(merge__inject(few->merge, &exec.head), 0);
	assert_int_equal(merge__pull(few->merge, 0, &few->sink), SOURCE_MORE);
	EXPECT(&few->log, 20, 25, 30, 40);
}

static void a_loss_is_told_first_with_both_its_ends(void **state)
{
	struct few *few = *state;
	uint64_t before = now_ns();

	put(&few->a, before, 1);
	assert_int_equal(merge__pull(few->merge, 0, &few->sink), SOURCE_MORE);
	put(&few->a, before + 1, 2);
	assert_int_equal(merge__lose(few->merge, 3, LOSS_COPY, 17), 0);
	assert_int_equal(merge__pull(few->merge, 0, &few->sink), SOURCE_MORE);
	assert_int_equal(few->log.count, 3);
	assert_int_equal(few->log.kinds[1], RECORD_LOSS);
	assert_int_equal(few->log.loss.head.target, 3);
	assert_int_equal(few->log.loss.head.stamp, before);
	assert_int_equal(few->log.loss.args[0], LOSS_COPY);
	assert_int_equal(few->log.loss.args[1], 17);
	assert_true(few->log.loss.args[2] >= before);
}

static void records_that_lie_about_their_size_are_lost(void **state)
{
	struct few *few = *state;
	struct record record = { .stamp = 10, .bytes = 1000, .kind = 999 };
	uint64_t position = simring__reserve(&few->a, sizeof(record));

	simring__write(&few->a, position, &record, sizeof(record));
	simring__commit(&few->a, position);
	simring__commit(&few->b, simring__reserve(&few->b, 8)); /* too short for a head */
	put(&few->a, 20, 2);
	assert_int_equal(merge__pull(few->merge, 0, &few->sink), SOURCE_MORE);
	assert_int_equal(merge__pull(few->merge, 0, &few->sink), SOURCE_MORE);
	assert_int_equal(few->log.count, 3); /* two losses, one record */
	assert_int_equal(few->log.loss.args[0], LOSS_MALFORMED);
	assert_int_equal(ring__used(&few->a.ring) + ring__used(&few->b.ring), 0);
}

/* A sink that has enough, and one that fails: nothing twice when the pull is called again. */
static void a_sink_can_stop_and_go_on(void **state)
{
	struct few *few = *state;

	put(&few->a, 1, 1);
	put(&few->b, 2, 2);
	put(&few->a, 3, 3);
	few->log.answer = 1;
	few->log.answer_at = 2;
	assert_int_equal(merge__pull(few->merge, 0, &few->sink), SOURCE_STOPPED);
	EXPECT(&few->log, 1, 2);
	few->log.answer = -EIO;
	few->log.answer_at = 3;
	assert_int_equal(merge__pull(few->merge, 0, &few->sink), -EIO);
	EXPECT(&few->log, 1, 2, 3);
	assert_int_equal(merge__pull(few->merge, 0, &few->sink), SOURCE_MORE);
	EXPECT(&few->log, 1, 2, 3);
}

static void a_ring_is_drained_before_it_goes(void **state)
{
	struct few *few = *state;

	put(&few->a, 10, 1);
	put(&few->b, 5, 2);
	assert_int_equal(merge__remove_ring(few->merge, &few->a.ring, &few->sink), 0);
	EXPECT(&few->log, 2, 1);
	assert_int_equal(merge__remove_ring(few->merge, &few->a.ring, &few->sink), -ENOENT);
	put(&few->b, 15, 3);
	assert_int_equal(merge__pull(few->merge, 0, &few->sink), SOURCE_MORE);
	EXPECT(&few->log, 2, 1, 3);
}

/* Otherwise a pull with such a time-out would sit in epoll_wait for the whole of it. */
static void another_descriptor_ends_the_wait(void **state)
{
	struct few *few = *state;
	int fd = eventfd(1, EFD_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = 1 };

	assert_int_equal(epoll_ctl(merge__epoll_fd(few->merge), EPOLL_CTL_ADD, fd, &event), 0);
	assert_int_equal(merge__pull(few->merge, UINT64_C(3600000000000), &few->sink), SOURCE_MORE);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_schedule_keeps_causes_before_effects),
		cmocka_unit_test(full_rings_are_told_and_order_holds),
		cmocka_unit_test(real_threads_keep_causes_before_effects),
		cmocka_unit_test_setup_teardown(stamps_decide_between_rings_and_in_one, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(equal_stamps_go_by_producer_and_sequence, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_busy_record_holds_up_nothing_but_memory, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_busy_at_the_end_is_lost, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_discarded_record_frees_its_memory, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(injected_records_go_by_their_stamps, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_loss_is_told_first_with_both_its_ends, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(records_that_lie_about_their_size_are_lost, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_sink_can_stop_and_go_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_ring_is_drained_before_it_goes, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(another_descriptor_ends_the_wait, set_up,
						tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
