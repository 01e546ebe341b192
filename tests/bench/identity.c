/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What it costs to keep objects' names while they move: one line a figure, beside its budget. The
 * least of several runs, because what disturbs a run only makes it slower.
 *
 *	identity            all rows but `large`
 *	identity ROW...     these only; `large` needs 5 GiB of memory
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gctrace/wire.h"
#include "model/identity.h"
#include "stream/event.h"

#define TARGET 1
#define OLD_START (UINT64_C(1) << 40)
#define YOUNG_START (UINT64_C(1) << 36)
#define SPACE (UINT64_C(1) << 34) /* of a generation: two halves */
#define OBJECT_BYTES 40
#define RUNS 5

struct bench {
	struct identity *identity;
	struct assembler *assembler;
	uint64_t now, gc;
	struct range *ranges;
};

static void feed(struct bench *bench, struct event *event)
{
	event->target = TARGET;
	event->tid = 1;
	event->time = event->stamp = ++bench->now;
	if (assembler__event(bench->assembler, event) || identity__event(bench->identity, event))
		abort();
}

static void begin(struct bench *bench)
{
	const struct assembler_sink none = { NULL, NULL, NULL, NULL };
	struct range_sink ranges;

	memset(bench, 0, sizeof(*bench));
	bench->identity = identity__new(NULL);
	if (!bench->identity)
		abort();
	ranges = identity__ranges(bench->identity);
	bench->assembler = assembler__new(&none, &ranges);
	if (!bench->assembler)
		abort();
}

static void end(struct bench *bench)
{
	assembler__end_all(bench->assembler);
	assembler__free(bench->assembler);
	identity__free(bench->identity);
	free(bench->ranges);
}

/* Old objects from OLD_START on, young ones from YOUNG_START on, next to one another. */
static void dump(struct bench *bench, uint64_t old, uint64_t young)
{
	struct event event = { .kind = EVENT_CONTAINER };

	event.container.type = GCTRACE_C_BEGIN;
	feed(bench, &event);
	for (uint64_t i = 0; i < old + young; i++) {
		memset(&event, 0, sizeof(event));
		event.kind = EVENT_OBJECT;
		event.object.id = i < old ? OLD_START + i * OBJECT_BYTES
					  : YOUNG_START + (i - old) * OBJECT_BYTES;
		event.object.class_ = 1000 + i % 100;
		event.object.size = OBJECT_BYTES;
		feed(bench, &event);
	}
	memset(&event, 0, sizeof(event));
	event.kind = EVENT_CONTAINER;
	event.container.type = GCTRACE_C_END;
	feed(bench, &event);
}

static void tell_generation(struct bench *bench, uint64_t generation, uint64_t start)
{
	struct event event = { .kind = EVENT_GENERATION };

	event.generation.gc = bench->gc;
	event.generation.generation = generation;
	event.generation.start = start;
	event.generation.used = event.generation.reserved = SPACE;
	feed(bench, &event);
}

static void start(struct bench *bench, uint64_t mask)
{
	struct event event = { .kind = EVENT_PAUSE_BEGIN };

	event.pause.pause = ++bench->gc;
	feed(bench, &event);
	memset(&event, 0, sizeof(event));
	event.kind = EVENT_GC_START;
	event.gc_start.gc = bench->gc;
	event.gc_start.generations = mask;
	event.gc_start.how = GCTRACE_HOW_COPYING;
	feed(bench, &event);
	tell_generation(bench, 0, YOUNG_START);
	tell_generation(bench, 1, OLD_START);
}

static void report(struct bench *bench, uint64_t generation, const struct range *ranges,
		   size_t count)
{
	struct event event = { .kind = EVENT_MOVED };

	event.ranges.gc = bench->gc;
	event.ranges.generation = generation;
	event.ranges.width = 8;
	for (size_t at = 0; at < count; at += 2048) {
		event.ranges.ranges = ranges + at;
		event.ranges.count = count - at < 2048 ? count - at : 2048;
		feed(bench, &event);
	}
}

/* Of this one thread: what others do on the machine is not its cost. */
static double cpu_seconds(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now))
		abort();
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Seconds from the collection's end to its being applied. */
static double finish(struct bench *bench)
{
	struct event event = { .kind = EVENT_GC_FINISH };
	double began;

	event.gc_finish.gc = bench->gc;
	event.gc_finish.collected = EVENT_UNKNOWN;
	feed(bench, &event);
	memset(&event, 0, sizeof(event));
	event.kind = EVENT_PAUSE_END;
	event.pause.pause = bench->gc;
	event.pause.suspend_ns = EVENT_UNKNOWN;
	began = cpu_seconds();
	feed(bench, &event);
	return cpu_seconds() - began;
}

static struct identity_view look(struct bench *bench)
{
	struct identity_view view;
	int err;

	if (!identity__look(bench->identity, TARGET, &view, &err) || err)
		abort();
	return view;
}

/* Where ranges go to. */
enum order {
	NEIGHBOURS, /* every second one swaps its place with the next: none can be joined */
	SCATTERED   /* anywhere, as if a graph had been copied breadth first */
};

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b > 0) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* A permutation of 0..count-1, that of SCATTERED without a place in it near its neighbour's. */
static size_t goes_to(size_t i, size_t count, enum order order)
{
	uint64_t step = (uint64_t)((double)count * 0.6180339887);

	if (order == NEIGHBOURS)
		return (i ^ 1) < count ? i ^ 1 : i;
	while (gcd(step, count) != 1)
		step++;
	return (size_t)(i * step % count);
}

/*
 * All of `objects` objects move in `count` ranges to the other half, in an order that several
 * threads make: batches of ranges, each in the order of addresses, shuffled.
 */
static void fill(struct bench *bench, uint64_t start_at, uint64_t objects, size_t count,
		 enum order order, bool back)
{
	const uint64_t bytes = objects * OBJECT_BYTES / count, half = SPACE / 2;
	uint64_t seed = 1;

	bench->ranges = realloc(bench->ranges, count * sizeof(*bench->ranges));
	if (!bench->ranges)
		abort();
	for (size_t i = 0; i < count; i++) {
		const size_t to = goes_to(i, count, order);

		bench->ranges[i] = (struct range){ start_at + i * bytes,
						   start_at + half + to * bytes, bytes };
		if (back)
			bench->ranges[i] = (struct range){ start_at + half + to * bytes,
							   start_at + i * bytes, bytes };
	}
	for (size_t i = count / 2048; i > 1; i--) {
		struct range swap[2048];
		size_t j;

		seed = seed * UINT64_C(6364136223846793005) + 1;
		j = (size_t)(seed >> 33) % i;
		memcpy(swap, bench->ranges + (i - 1) * 2048, sizeof(swap));
		memcpy(bench->ranges + (i - 1) * 2048, bench->ranges + j * 2048, sizeof(swap));
		memcpy(bench->ranges + j * 2048, swap, sizeof(swap));
	}
}

static void row(const char *what, const char *figure, const char *budget)
{
	printf("%-58s %22s  %s\n", what, figure, budget);
	fflush(stdout);
}

/* A line of /proc/self/status, in bytes. */
static double status(const char *key)
{
	FILE *file = fopen("/proc/self/status", "re");
	char line[128];
	double kib = 0;

	if (!file)
		abort();
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, key, strlen(key)))
			kib = strtod(line + strlen(key), NULL);
	fclose(file);
	return kib * 1024;
}

/* From now on VmHWM tells the highest since now. */
static void forget_peak(void)
{
	FILE *file = fopen("/proc/self/clear_refs", "we");

	if (!file)
		abort();
	fputs("5", file);
	fclose(file);
}

static void apply(uint64_t objects, size_t ranges, enum order order, const char *what,
		  const char *budget)
{
	double least = 1e9, first = 0, took, before = 0;
	char figure[64];
	struct bench bench;

	begin(&bench);
	dump(&bench, objects, 0);
	for (unsigned int i = 0; i < RUNS; i++) {
		fill(&bench, OLD_START, objects, ranges, order, i % 2);
		start(&bench, 2);
		if (i == 0) {
			before = status("VmRSS:") - (double)objects__bytes(look(&bench).objects);
			forget_peak();
		}
		report(&bench, 1, bench.ranges, ranges);
		took = finish(&bench);
		least = took < least ? took : least;
		if (i == 0) {
			before = status("VmHWM:") - before;
			first = took;
		}
	}
	if (look(&bench).objects->count != objects)
		abort();
	snprintf(figure, sizeof(figure), "%.3f s", least);
	row(what, figure, budget);
	snprintf(figure, sizeof(figure), "%.3f s", first);
	row("  the first of its kind, whose memory is new", figure, "");
	snprintf(figure, sizeof(figure), "%.1f B", before / (double)objects);
	row("  memory of an object at the peak of it, its ranges included", figure, "<= 40 B");
	end(&bench);
}

/* A young collection: half of the young objects die, the others are copied. */
static double young(uint64_t old, uint64_t objects)
{
	const size_t count = objects / 10;
	double least = 1e9, took;
	struct bench bench;

	begin(&bench);
	for (unsigned int i = 0; i < RUNS; i++) {
		dump(&bench, old, objects);
		fill(&bench, YOUNG_START, objects, count, NEIGHBOURS, false);
		start(&bench, 1);
		report(&bench, 0, bench.ranges, count / 2);
		took = finish(&bench);
		least = took < least ? took : least;
		if (look(&bench).objects->count != old + count / 2 * (objects / count))
			abort();
	}
	end(&bench);
	return least;
}

static void youngs(void)
{
	double alone = young(0, 100000), beside = young(10000000, 100000);
	char figure[64];

	snprintf(figure, sizeof(figure), "%.1f / %.1f ms", beside * 1e3, alone * 1e3);
	row("100 k young objects, beside 10 M old ones / alone", figure,
	    "in proportion to the young");
}

static void memory(void)
{
	const uint64_t objects = 10000000;
	struct bench bench;
	char figure[64];

	begin(&bench);
	dump(&bench, objects, 0);
	snprintf(figure, sizeof(figure), "%.2f B",
		 (double)objects__bytes(look(&bench).objects) / (double)objects);
	row("memory of an object, 10 M of them", figure, "<= 24 B");
	end(&bench);
}

/* What a machine of 24 GiB is to hold, and a collection that moves all of it. */
static void large(void)
{
	const uint64_t objects = 100000000;

	apply(objects, 10000000, NEIGHBOURS, "10 M ranges to 100 M live objects, one core",
	      "linear");
}

/* 30 minutes at 20 collections a second, as fast as they go: 36,000 of them. */
static void growth(void)
{
	const uint64_t objects = 20000;
	double first = 0, last;
	struct bench bench;
	char figure[64];

	begin(&bench);
	dump(&bench, objects, objects);
	for (unsigned int i = 0; i < 36000; i++) {
		fill(&bench, YOUNG_START, objects, 2000, NEIGHBOURS, i % 2);
		start(&bench, 1);
		report(&bench, 0, bench.ranges, 2000);
		finish(&bench);
		if (i == 3600)
			first = status("VmRSS:");
	}
	last = status("VmRSS:");
	if (look(&bench).objects->count != 2 * objects)
		abort();
	snprintf(figure, sizeof(figure), "%+.1f MiB", (last - first) / 1048576);
	row("growth over 36,000 collections (after the first 3,600)", figure, "none");
	end(&bench);
}

static void apply_most(void)
{
	apply(10000000, 1000000, NEIGHBOURS, "1 M ranges to 10 M live objects, one core",
	      "< 0.25 s");
}

static void apply_scattered(void)
{
	apply(10000000, 1000000, SCATTERED, "the same, to places in no order", "(none)");
}

static void apply_many(void)
{
	apply(1000000, 100000, NEIGHBOURS, "100 k ranges to 1 M live objects, one core", "< 0.1 s");
}

static const struct {
	const char *name;
	void (*run)(void);
	bool on_demand;
} rows[] = {
	{ "most", apply_most, false },	   { "scattered", apply_scattered, false },
	{ "many", apply_many, false },	   { "young", youngs, false },
	{ "memory", memory, false },	   { "growth", growth, false },
	{ "large", large, true },
};

#define ROWS (sizeof(rows) / sizeof(*rows))

static bool is_wanted(size_t row, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], rows[row].name))
			return true;
	return argc == 1 && !rows[row].on_demand;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < ROWS; i++)
		if (is_wanted(i, argc, argv))
			rows[i].run();
	return 0;
}
