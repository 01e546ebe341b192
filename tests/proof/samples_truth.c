/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Are sampled objects those that they are said to be? Reads a recording beside the books of the
 * program that it was made of (tests/runtimes/hotspot/Books.java), which waits meanwhile, so that
 * each object can be looked at in its memory, where the last word of the recording has it:
 *
 *	samples_truth RECORDING PID BOOKS [all]
 *
 * Of each sample of the books' classes that is told to live: it lies there, bears a serial number
 * that no other has, is alive by the books, has its size, and has seen as many collections as the
 * program has counted since. Estimates of what lives and of what was allocated are compared with
 * the books. With `all` every allocation was sampled: then all that live are there.
 *
 * Prints what was compared; status 1 where something was wrong, 2 where there was nothing.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "gctrace/wire.h"
#include "stream/feed.h"
#include "stream/recording.h"
#include "told.h"

#define WORD UINT64_C(0x5ca1ab1e0ddba11)
#define KINDS 8
#define DISTANCE_MOST 55.0 /* of 14 chi-squares together: less than once in a million runs */

struct sampled {
	uint64_t class_, address, size, weight, gc, stack;
	bool is_there, was_told;
};

struct named {
	uint64_t id;
	struct text name;
};

struct sum {
	double sum;   /* of objects */
	double ratio; /* objects that one sample stands for */
	uint64_t truth;
};

static struct {
	VEC(struct sampled) samples; /* by their numbers */
	VEC(struct named) classes, stacks;
	VEC(uint8_t) alive; /* by serial: 1: by the books, 2: found too */
	uint64_t gc, interval, deaths, moves, old, lists, collections, lost, again;
	uint64_t wrong;
	uint64_t clock, allocated[KINDS], living[KINDS];
	bool in_list;
	int memory;
	bool is_all;
} all;

static struct sampled *sampled(uint64_t number)
{
	if (number >= all.samples.count) {
		const size_t more = number + 1 - all.samples.count;

		if (number > 1 << 26 || vec__reserve(&all.samples, more))
			abort();
		memset(all.samples.items + all.samples.count, 0,
		       more * sizeof(*all.samples.items));
		all.samples.count += more;
	}
	return &all.samples.items[number];
}

/* ---- What was told ---- */

static struct text copy(struct text text)
{
	char *at = malloc(text.bytes + 1);

	memcpy(at, text.at, text.bytes);
	at[text.bytes] = '\0';
	return (struct text){ at, text.bytes };
}

static const struct named *name_of(const struct named *items, size_t count, uint64_t id)
{
	for (size_t i = 0; i < count; i++) {
		if (items[i].id == id)
			return &items[i];
	}
	return NULL;
}

/* Told again it is the same. */
static void take_name(bool is_class, uint64_t id, struct text name)
{
	const struct named *known =
		is_class ? name_of(all.classes.items, all.classes.count, id)
			 : name_of(all.stacks.items, all.stacks.count, id);
	const struct named new = { id, known ? known->name : copy(name) };

	if (known && (known->name.bytes != name.bytes ||
		      memcmp(known->name.at, name.at, name.bytes)))
		complain(&all.wrong, "%" PRIx64 " was %s, and is another now", id, known->name.at);
	if (known)
		return;
	if (is_class ? vec__push(&all.classes, new) : vec__push(&all.stacks, new))
		abort();
}

static void take_alloc(const struct event *event)
{
	struct sampled *sample = sampled(event->alloc.sample);
	const struct sampled now = {
		.class_ = event->alloc.class_, .size = event->alloc.size,
		.weight = event->alloc.weight, .gc = event->alloc.gc, .stack = event->alloc.stack,
	};

	if (!event->alloc.sample)
		return;
	all.again += sample->was_told;
	if (sample->was_told &&
	    (sample->class_ != now.class_ || sample->size != now.size ||
	     sample->weight != now.weight || sample->gc != now.gc || sample->stack != now.stack))
		complain(&all.wrong, "sample %" PRIu64 " is told as another",
			 event->alloc.sample);
	*sample = now;
	sample->address = event->alloc.id;
	sample->was_told = sample->is_there = true;
}

static void take_fate(const struct sample_fate *fate, uint64_t gc)
{
	struct sampled *sample = sampled(fate->sample);

	if (!sample->was_told) {
		complain(&all.wrong, "of sample %" PRIu64 " its allocation was not told",
			 fate->sample);
		return;
	}
	if (gc < sample->gc)
		complain(&all.wrong, "sample %" PRIu64 " is from the future", fate->sample);
	if (fate->bits & GCTRACE_SAMPLE_DEAD && !sample->is_there)
		complain(&all.wrong, "sample %" PRIu64 " dies twice", fate->sample);
	all.deaths += fate->bits & GCTRACE_SAMPLE_DEAD ? 1 : 0;
	all.moves += fate->bits & GCTRACE_SAMPLE_MOVED ? 1 : 0;
	all.old += fate->bits & GCTRACE_SAMPLE_GENERATION && fate->generation == 1;
	sample->is_there = !(fate->bits & GCTRACE_SAMPLE_DEAD);
	if (fate->address != EVENT_UNKNOWN)
		sample->address = fate->address;
}

static void take_samples(const struct event *event)
{
	if (event->samples.gc < all.gc)
		complain(&all.wrong, "collection %" PRIu64 " comes behind %" PRIu64,
			 event->samples.gc, all.gc);
	if (event->samples.all && !all.in_list) {
		all.lists++;
		for (size_t i = 0; i < all.samples.count; i++)
			all.samples.items[i].is_there = false;
	}
	all.in_list = event->samples.all && event->samples.more;
	all.collections += event->samples.gc != all.gc;
	all.gc = event->samples.gc;
	all.interval = event->samples.interval;
	for (size_t i = 0; i < event->samples.count; i++)
		take_fate(&event->samples.samples[i], event->samples.gc);
}

static int take(void *context, const struct event *event)
{
	(void)context;
	if (event->kind == EVENT_CLASS && event->class_.class_ >> 40)
		take_name(true, event->class_.class_, event->class_.name);
	if (event->kind == EVENT_DEFINE && event->define.space == GCTRACE_SPACE_STACK)
		take_name(false, event->define.id, event->define.name);
	if (event->kind == EVENT_OBJECT_ALLOC)
		take_alloc(event);
	if (event->kind == EVENT_SAMPLES)
		take_samples(event);
	if (event->kind == EVENT_NOTICE)
		printf("notice: %.*s\n", (int)event->notice.text.bytes, event->notice.text.at);
	if (event->kind == EVENT_LOSS)
		all.lost += event->loss.count;
	return 0;
}

static bool read_recording(const char *path)
{
	const struct feed_options options = {
		.wanted = FEED_WANTS(EVENT_CLASS) | FEED_WANTS(EVENT_DEFINE) |
			  FEED_WANTS(EVENT_OBJECT_ALLOC) | FEED_WANTS(EVENT_SAMPLES) |
			  FEED_WANTS(EVENT_NOTICE) | FEED_WANTS(EVENT_LOSS)
	};
	const struct event_sink sink = { take, NULL };
	struct recording *recording;
	struct source source;
	struct feed *feed;
	int answer;

	if (recording__open(path, &recording) || feed__new(&options, &sink, &feed))
		return false;
	source = recording__source(recording);
	do
		answer = feed__pull(feed, &source, 0);
	while (answer == 0);
	feed__free(feed);
	recording__close(recording);
	return answer == SOURCE_END;
}

/* ---- The books ---- */

static bool read_books(const char *path)
{
	FILE *file = fopen(path, "r");
	char line[100];
	uint64_t serial, allocated, living;
	unsigned kind;

	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "alive %" SCNu64, &serial) == 1) {
			while (all.alive.count <= serial)
				if (vec__push(&all.alive, 0))
					abort();
			all.alive.items[serial] = 1;
		}
		if (sscanf(line, "kind %u %" SCNu64 " %" SCNu64, &kind, &allocated, &living) == 3) {
			all.allocated[kind % KINDS] = allocated;
			all.living[kind % KINDS] = living;
		}
		sscanf(line, "clock %" SCNu64, &all.clock);
	}
	fclose(file);
	return true;
}

/* ---- Both ---- */

/* The kind of the books' classes; KINDS: an array of long, KINDS + 1: none of them. */
static unsigned kind_of(const struct sampled *sample)
{
	const struct named *named = name_of(all.classes.items, all.classes.count, sample->class_);

	if (!named)
		complain(&all.wrong, "class %" PRIx64 " has no name", sample->class_);
	if (named && !strncmp(named->name.at, "Books$Tome", 10) && named->name.bytes == 11)
		return (unsigned)(named->name.at[10] - '0') % KINDS;
	return named && !strcmp(named->name.at, "long[]") ? KINDS : KINDS + 1;
}

/* Word, serial, kind, born: behind the object's head, whatever its size. */
static bool find_words(uint64_t address, uint64_t words[4])
{
	uint64_t at[8];

	if (pread(all.memory, at, sizeof(at), (off_t)address) != sizeof(at))
		return false;
	for (unsigned i = 1; i < 4; i++) {
		if (at[i] == WORD) {
			memcpy(words, &at[i], 4 * sizeof(*words));
			return true;
		}
	}
	return false;
}

static uint64_t checked, aged;
static uint64_t since; /* collections since the books were closed: the same for all of them */

static void check_words(uint64_t number, const struct sampled *sample, const uint64_t words[4])
{
	const uint64_t age = all.gc - sample->gc;

	checked++;
	if (words[1] >= all.alive.count || !all.alive.items[words[1]])
		complain(&all.wrong, "sample %" PRIu64 " is serial %" PRIu64 ", which is dead",
			 number, words[1]);
	else if (all.alive.items[words[1]]++ > 1)
		complain(&all.wrong, "serial %" PRIu64 " is two samples", words[1]);
	if (words[3] == UINT64_MAX)
		return;
	if (!aged++)
		since = age - (all.clock - words[3]);
	if (age != all.clock - words[3] + since || since > 1000)
		complain(&all.wrong, "sample %" PRIu64 ", serial %" PRIu64 ", saw %" PRIu64
			 " collections by the program, %" PRIu64 " by gctrace", number, words[1],
			 all.clock - words[3], age);
}

static void check_stack(uint64_t number, const struct sampled *sample)
{
	const struct named *stack = name_of(all.stacks.items, all.stacks.count, sample->stack);

	if (!stack || !strstr(stack->name.at, "Books.make") ||
	    !strstr(stack->name.at, "Books.book(Books.java:"))
		complain(&all.wrong, "the stack of sample %" PRIu64 " is %s", number,
			 stack ? stack->name.at : "not told");
}

static void check(uint64_t number, unsigned kind)
{
	const struct sampled *sample = &all.samples.items[number];
	uint64_t words[4];

	if (!find_words(sample->address, words)) {
		if (kind < KINDS)
			complain(&all.wrong, "sample %" PRIu64 " does not lie at %" PRIx64, number,
				 sample->address);
		return; /* the program has other arrays */
	}
	if (kind < KINDS && words[2] != kind)
		complain(&all.wrong, "sample %" PRIu64 " is of kind %" PRIu64 ", not %u", number,
			 words[2], kind);
	check_words(number, sample, words);
	check_stack(number, sample);
}

static void add(struct sum *sum, const struct sampled *sample)
{
	const double count = (double)sample->weight / (double)sample->size;

	sum->sum += count;
	sum->ratio = count;
}

static double square(double x)
{
	return x * x;
}

static void print_interval(const char *what, unsigned kind, const struct sum *sum)
{
	const double truth = (double)sum->truth, ratio = sum->ratio;
	const double half = 1.96 * sqrt(truth * (ratio - 1)) + ratio / 2;

	printf("%s of kind %u: %.0f +- %.0f, really %" PRIu64 "%s\n", what, kind, sum->sum, half,
	       sum->truth, fabs(sum->sum - truth) <= half ? "" : ": missed");
}

/*
 * How far a number of samples is from what was expected: nearly the square of a normal deviate,
 * since it is nearly Poisson's (Anscombe, 1948). Where all were sampled there is nothing to expect.
 */
static double distance(double estimate, double truth, double ratio)
{
	if (ratio <= 1)
		return estimate == truth ? 0 : DISTANCE_MOST;
	return square(2 * (sqrt(estimate / ratio + 0.375) - sqrt(truth / ratio + 0.375)));
}

/*
 * Each object is taken with the same chance, 1 / ratio, whatever becomes of the others. So the
 * samples that live and those that died are independent; those that were allocated are not: of
 * what lives and what was allocated, intervals miss the truth together.
 */
static void judge(const struct sum *live, const struct sum *made)
{
	double sum = 0;

	for (unsigned kind = 1; kind < KINDS; kind++) {
		const double ratio = made[kind].ratio;

		print_interval("live", kind, &live[kind]);
		print_interval("allocated", kind, &made[kind]);
		sum += distance(live[kind].sum, (double)live[kind].truth, ratio);
		sum += distance(made[kind].sum - live[kind].sum,
				(double)(made[kind].truth - live[kind].truth), ratio);
	}
	printf("estimates: distance %.1f, 14 expected, at most %.0f\n", sum, DISTANCE_MOST);
	if (sum >= DISTANCE_MOST)
		complain(&all.wrong, "estimates are further from the truth than chance explains");
}

static void check_all(void)
{
	struct sum live[KINDS] = { { .sum = 0 } }, made[KINDS] = { { .sum = 0 } };

	for (uint64_t number = 1; number < all.samples.count; number++) {
		const struct sampled *sample = &all.samples.items[number];
		const unsigned kind = sample->was_told ? kind_of(sample) : KINDS + 1;

		if (kind < KINDS)
			add(&made[kind], sample);
		if (kind < KINDS && sample->is_there)
			add(&live[kind], sample);
		if (kind <= KINDS && sample->is_there)
			check(number, kind);
	}
	for (unsigned kind = 0; kind < KINDS; kind++) {
		live[kind].ratio = made[kind].ratio;
		live[kind].truth = all.living[kind];
		made[kind].truth = all.allocated[kind];
	}
	judge(live, made);
}

static void check_that_all_are_there(void)
{
	uint64_t missing = 0, alive = 0;

	for (uint64_t serial = 0; serial < all.alive.count; serial++) {
		alive += all.alive.items[serial] > 0;
		missing += all.alive.items[serial] == 1;
	}
	printf("%" PRIu64 " are alive\n", alive);
	if (missing)
		complain(&all.wrong, "%" PRIu64 " live and are no samples", missing);
}

int main(int argc, char **argv)
{
	char path[64];

	if (argc < 4)
		return 2;
	all.is_all = argc == 5 && !strcmp(argv[4], "all");
	snprintf(path, sizeof(path), "/proc/%s/mem", argv[2]);
	all.memory = open(path, O_RDONLY | O_CLOEXEC);
	if (all.memory < 0 || !read_books(argv[3]) || !read_recording(argv[1]))
		return 2;
	check_all();
	if (all.is_all)
		check_that_all_are_there();
	printf("%" PRIu64 " samples, every %" PRIu64 " bytes: %" PRIu64 " deaths, %" PRIu64
	       " moves, %" PRIu64 " became old, in %" PRIu64 " collections; %" PRIu64
	       " lists of all, %" PRIu64 " told again; lost: %" PRIu64 "\n",
	       all.samples.count ? all.samples.count - 1 : 0, all.interval, all.deaths, all.moves,
	       all.old, all.collections, all.lists, all.again, all.lost);
	printf("%" PRIu64 " looked at in memory, %" PRIu64 " ages compared (%" PRIu64
	       " collections behind the books), %" PRIu64 " wrong\n", checked, aged, since,
	       all.wrong);
	if (all.lost)
		return 2;
	return all.wrong ? 1 : checked ? 0 : 2;
}
