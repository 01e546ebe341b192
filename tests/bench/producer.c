/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A collector without a heap: tells moved ranges as fast as it can, so that what is measured is
 * the way of a range through probe, kernel, ring and gctrace, and nothing else.
 *
 *     producer MODE PAUSES RANGES [PACE]
 *
 * MODE site    a probe that nobody listens to, RANGES times: ns each
 *      batch   pauses of RANGES ranges in batches
 *      single  the same, one range for each hit of moved__references
 *      idle    the same work as batch with nobody told: what the world would stop for anyway
 *
 * PACE: millions of ranges a second that batch tells at most; without it, as many as it can.
 *
 * batch and single wait until somebody listens, then run PAUSES pauses, 5 ms apart, and wait until
 * nobody listens. Prints one line: mode, ranges told, seconds in pauses, longest pause in seconds,
 * seconds from the first pause's begin to the last one's end.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <gctrace/probes.h>

static struct gctrace_emitter emitter;
static _Alignas(8) unsigned char buffer[GCTRACE_BATCH_BYTES];
static struct gctrace_writer writer;
static double pace; /* ranges a second, 0: no bound */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void rest(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

/* Blocks of a nursery of 64 bytes each, with gaps, moved to another place. */
static uint64_t old_start(uint64_t i)
{
	return 0x7f0000000000 + i * 128;
}

static uint64_t new_start(uint64_t i)
{
	return 0x7f8000000000 + i * 64;
}

/* Spins until that many ranges may have been told since then. */
static void keep_pace(uint64_t ranges, double since)
{
	while (now() - since < (double)ranges / pace)
		;
}

static void pause_in_batches(uint64_t gc, uint64_t ranges)
{
	double began = now();

	gctrace_writer_context(&writer, gc, gc);
	gctrace_write_pause_begin(&writer, gc, GCTRACE_WHY_COLLECTION);
	gctrace_write_gc_start(&writer, gc, 1, GCTRACE_REASON_ALLOCATION, GCTRACE_HOW_COPYING);
	for (uint64_t i = 0; i < ranges; i++) {
		gctrace_write_move(&writer, gc, 0, 0, old_start(i), new_start(i), 64);
		if (pace && !(i & 4095))
			keep_pace(i, began);
	}
	gctrace_write_gc_finish(&writer, gc);
	gctrace_write_pause_end(&writer, gc, ~(uint64_t)0);
}

static void pause_one_by_one(uint64_t gc, uint64_t ranges)
{
	gctrace_fire_pause_begin(gc, GCTRACE_WHY_COLLECTION);
	gctrace_fire_gc_start(gc, 1, GCTRACE_REASON_ALLOCATION, GCTRACE_HOW_COPYING);
	for (uint64_t i = 0; i < ranges; i++) {
		uint64_t from = old_start(i), to = new_start(i), length = 64;

		gctrace_fire_moved_references(1, &from, &to, &length, 8, gc, 0, 0);
	}
	gctrace_fire_gc_finish(gc, 0);
	gctrace_fire_pause_end(gc, ~(uint64_t)0, 0);
}

static void pause_untold(uint64_t gc, uint64_t ranges)
{
	for (uint64_t i = 0; i < ranges; i++) {
		__asm__ volatile("" ::"r"(old_start(i)), "r"(new_start(i)), "r"(gc));
		if (gctrace_wants_moved__references())
			gctrace_write_move(&writer, gc, 0, 0, old_start(i), new_start(i), 64);
	}
}

static void site(uint64_t times)
{
	double began = now();

	for (uint64_t i = 0; i < times; i++)
		if (gctrace_wants_moved__references())
			gctrace_write_move(&writer, 1, 0, 0, i, i, 8);
	printf("site %llu %.9f\n", (unsigned long long)times, now() - began);
}

static void run(const char *mode, uint64_t pauses, uint64_t ranges)
{
	void (*pause)(uint64_t, uint64_t) = !strcmp(mode, "batch")  ? pause_in_batches
					  : !strcmp(mode, "single") ? pause_one_by_one
								    : pause_untold;
	const bool told = pause != pause_untold;
	double sum = 0, longest = 0, first;

	while (told && !(gctrace_wants_batch() && gctrace_wants_moved__references()))
		rest(1);
	rest(told ? 200 : 0); /* the tracer has attached all that it wants by then */
	first = now();
	for (uint64_t gc = 1; gc <= pauses; gc++) {
		double began = now(), took;

		pause(gc, ranges);
		took = now() - began;
		sum += took;
		longest = took > longest ? took : longest;
		rest(5);
	}
	printf("%s %llu %.6f %.6f %.6f\n", mode, (unsigned long long)(pauses * ranges), sum,
	       longest, now() - first);
	fflush(stdout);
	while (told && gctrace_wants_batch())
		rest(10);
}

int main(int argc, char **argv)
{
	if (argc != 4 && argc != 5) {
		fprintf(stderr, "usage: producer site|batch|single|idle PAUSES RANGES [PACE]\n");
		return 2;
	}
	pace = argc == 5 ? atof(argv[4]) * 1e6 : 0;
	gctrace_emitter_init(&emitter);
	gctrace_writer_init(&writer, &emitter, buffer);
	if (!strcmp(argv[1], "site"))
		site(strtoull(argv[3], NULL, 10));
	else
		run(argv[1], strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
	return 0;
}
