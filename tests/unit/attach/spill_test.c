/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A producer on one CPU and a reader that does not read: its CPU's ring fills, then the next one,
 * then losses are counted. What was sent is in the rings or counted, to the last record.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gctrace/wire.h>
#include <sched.h>
#include <unistd.h>

#include "attach/ring.h"
#include "bench.h"

#define SHARD 262144u
#define SHARDS 4
#define HEAD 8u /* the kernel's, of each record */

static int pin(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(pid, sizeof(set), &set);
}

static int first_cpu(void)
{
	cpu_set_t set;
	int cpu = 0;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	return cpu;
}

/* How full a shard is, in bytes. */
static size_t used(const struct bench *bench, size_t slot)
{
	struct session_ring from;
	struct ring ring = { 0 };
	size_t bytes;

	assert_int_equal(session__ring(bench->session, slot, &from), 0);
	assert_int_equal(from.bytes, SHARD);
	assert_int_equal(ring__open(&ring, from.fd, from.bytes), 0);
	bytes = ring__used(&ring);
	ring__close(&ring);
	return bytes;
}

static void start(struct bench *bench, bool old, int *cpu)
{
	const struct session_options options = {
		.ring_bytes = SHARDS * SHARD, .shards = SHARDS, .as_before_6 = old,
	};

	*cpu = first_cpu();
	bench__start(bench, &options, LEVEL_ALL);
	assert_int_equal(session__ring_count(bench->session), SHARDS + 1);
	assert_int_equal(pin(bench->victim.pid, *cpu), 0);
}

/* The CPU's ring and the next have room for no more than `room` bytes, the others have nothing. */
static void two_are_full(const struct bench *bench, int cpu, size_t room)
{
	for (size_t step = 0; step < SHARDS; step++) {
		size_t bytes = used(bench, ((size_t)cpu + step) % SHARDS);

		if (step < 2)
			assert_true(bytes > SHARD - room);
		else
			assert_int_equal(bytes, 0);
	}
}

/* One hit a turn, each of which is a record of `bytes`, until far beyond what two rings hold. */
static void one_record_a_hit(bool old, enum victim_command command, uint64_t a, uint64_t b,
			     size_t bytes)
{
	const size_t fit = 2 * (SHARD / (bytes + HEAD)), sent = fit * 3 / 2 + 1;
	struct loss_counts losses;
	struct bench bench;
	int cpu;

	start(&bench, old, &cpu);
	for (size_t i = 0; i < sent; i++) {
		victim__do(&bench.victim, command, a, b);
		losses = bench__losses(&bench);
		if (i < fit)
			assert_int_equal(losses.records[BPF_LOSS_RING_FULL], 0);
	}
	two_are_full(&bench, cpu, bytes + HEAD);
	assert_int_equal(losses.records[BPF_LOSS_RING_FULL], sent - fit);
	tape__drain(&bench.tape, bench.session);
	assert_int_equal(bench.tape.count + losses.records[BPF_LOSS_RING_FULL], sent);
	for (unsigned int kind = BPF_LOSS_RING_FULL + 1; kind < BPF_LOSS_KINDS; kind++)
		assert_int_equal(losses.records[kind], 0);
	bench__end(&bench);
}

static void single_probes_fill_two_shards(void **state)
{
	NEEDS_ROOT;
	one_record_a_hit(false, VICTIM_GC_START, 1, 0, sizeof(struct record_call));
	one_record_a_hit(true, VICTIM_GC_START, 1, 0, sizeof(struct record_call));
}

static void batches_fill_two_shards(void **state)
{
	NEEDS_ROOT;
	one_record_a_hit(false, VICTIM_BATCH, GCTRACE_BATCH_BYTES, GCTRACE_BATCH_BYTES,
			 sizeof(struct record) + GCTRACE_BATCH_BYTES);
	one_record_a_hit(true, VICTIM_BATCH, 4000, 4000, sizeof(struct record) + 4096);
}

/*
 * Parts of different sizes: where a large one finds no room in the CPU's ring, the small one that
 * ends the hit would. All parts of a hit that were told are in one ring, in their order.
 */
static void check_order(const struct tape *tape, uint64_t *entries)
{
	for (size_t i = 0; i < tape->count; i++) {
		const struct record_call *call = (const void *)tape->items[i].record;
		const struct record_call *last = i ? (const void *)tape->items[i - 1].record
						   : NULL;

		*entries += call->part.count;
		for (size_t j = 0; j + 1 < i; j++)
			assert_int_not_equal(tape->items[j].record->stamp, call->head.stamp);
		if (last && last->head.stamp == call->head.stamp)
			assert_true(last->part.first < call->part.first);
	}
}

static void parts_of_a_hit_stay_together(void **state)
{
	const uint64_t count = GCTRACE_PART_ENTRIES + 1, sent = 40;
	struct loss_counts losses;
	struct bench bench;
	uint64_t entries = 0;
	int cpu;

	NEEDS_ROOT;
	start(&bench, false, &cpu);
	for (uint64_t i = 0; i < sent; i++)
		victim__do(&bench.victim, VICTIM_MOVED, count, 8);
	losses = bench__losses(&bench);
	tape__drain(&bench.tape, bench.session);
	check_order(&bench.tape, &entries);
	assert_true(losses.records[BPF_LOSS_RING_FULL] > 0);
	assert_int_equal(bench.tape.count + losses.records[BPF_LOSS_RING_FULL], 2 * sent);
	assert_int_equal(entries + losses.entries[BPF_LOSS_RING_FULL], sent * count);
	bench__end(&bench);
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(single_probes_fill_two_shards),
		cmocka_unit_test(batches_fill_two_shards),
		cmocka_unit_test(parts_of_a_hit_stay_together),
	};

	victim__main(argc, argv);
	return cmocka_run_group_tests_name("full rings spill", tests, NULL, NULL);
}
