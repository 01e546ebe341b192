/* SPDX-License-Identifier: BSD-2-Clause */
#include "sites.h"

#include <math.h>
#include <string.h>

#include "gctrace/wire.h"

#define SITES_OLD_AGE 8
#define ROUNDS_LOST 3 /* in which a stack may have been lost each time that it was told */

void sites__free(struct sites *sites)
{
	samples__free(&sites->living);
	stacks__free(&sites->stacks);
	types__free(&sites->types);
	site_spots__free(&sites->spots);
}

/* ---------------------------------------------------------------- spots */

bool sites__varies(const struct sites *sites, const struct site_spot *spot)
{
	const struct text name = sites->types.of.items[spot->type].name;

	return spot->varies || (name.bytes > 2 && !memcmp(name.at + name.bytes - 2, "[]", 2));
}

static struct site_spot *spot_of(struct sites *sites, const struct living *sample)
{
	return &sites->spots.items[sample->spot];
}

static void add(struct estimate *estimate, const struct living *sample)
{
	estimate__add(estimate, sample->size, sample->weight);
}

/* ---------------------------------------------------------------- allocations */

static void note_time(struct sites *sites, uint64_t ns)
{
	if (sites->first_ns == EVENT_UNKNOWN)
		sites->first_ns = ns;
	if (ns > sites->last_ns)
		sites->last_ns = ns;
}

static void note_size(struct site_spot *spot, uint64_t size)
{
	spot->varies |= spot->size && spot->size != size;
	spot->size = size;
}

static int see_allocation(struct sites *sites, const struct event *event)
{
	struct living sample = {
		.number = event->alloc.sample,
		.address = event->alloc.id,
		.size = event->alloc.size,
		.weight = event->alloc.weight,
		.gc = event->alloc.gc,
		.told_ns = event->time,
		.generation = SAMPLE_NOWHERE,
	};
	struct living *known = samples__find(&sites->living, sample.number);
	uint32_t type;
	int err;

	note_time(sites, event->time);
	if (known) {
		known->address = sample.address;
		return 0;
	}
	err = types__index(&sites->types, event->alloc.class_, &type);
	if (!err)
		err = site_spots__find(&sites->spots, &sites->stacks, event->alloc.stack, type,
				       &sample.spot);
	if (!err && !sites->unfollowed)
		err = samples__add(&sites->living, &sample);
	if (err)
		return err;
	sites->seen++;
	note_size(spot_of(sites, &sample), sample.size);
	add(&spot_of(sites, &sample)->allocated, &sample);
	return 0;
}

/*
 * The first that is told of a collection, or the first list: who was there before us? All that
 * were told again for a list; otherwise those that were there at the collection before.
 */
static void begin(struct sites *sites, const struct event *event)
{
	const bool all = event->samples.all;

	sites->begun = true;
	for (size_t i = 0; i < sites->spots.count; i++)
		sites->spots.items[i].allocated = (struct estimate){ 0 };
	for (size_t i = 0; i < sites->living.of.count; i++) {
		struct living *sample = &sites->living.of.items[i];

		if (all || sample->gc + 1 < event->samples.gc)
			sample->flags |= SAMPLE_BEFORE;
		else
			add(&spot_of(sites, sample)->allocated, sample);
	}
	if (all)
		sites->first_ns = event->time;
}

/* ---------------------------------------------------------------- what became of them */

/* Where generations are not told, one that has survived many collections. */
static bool is_old(const struct sites *sites, const struct living *sample)
{
	if (sites->generations)
		return sample->generation == 1;
	return sites__age(sites, sample) > SITES_OLD_AGE;
}

static void bury(struct sites *sites, struct living *sample)
{
	struct site_spot *spot = spot_of(sites, sample);

	if (sites->sink.died)
		sites->sink.died(sites->sink.context, sample);
	add(&spot->died, sample);
	add(&sites->turn.died, sample);
	/* Where nobody told that it came elsewhere it was young. */
	if (!(sample->flags & (SAMPLE_BEFORE | SAMPLE_REACHED_OLD)))
		add(&spot->died_young, sample);
	if (is_old(sites, sample))
		sites->old_died_gc = sites->gc;
	sites->died++;
	samples__remove(&sites->living, sample);
}

/* What is found old at the first look, where it was made, was made old: G1's large arrays. */
static void place(struct sites *sites, struct living *sample, const struct sample_fate *told,
		  bool is_listed)
{
	const bool was_told = sample->generation != SAMPLE_NOWHERE;
	const uint32_t generation = told->generation;

	sites->generations = true;
	sample->generation = generation < SAMPLE_NOWHERE ? (uint8_t)generation : SAMPLE_NOWHERE;
	if (sample->generation != 1 || sample->flags & SAMPLE_REACHED_OLD)
		return;
	sample->flags |= SAMPLE_REACHED_OLD;
	/* Of one that was there before, a list says only where it was found. */
	if (!is_listed && (was_told || (!(sample->flags & SAMPLE_BEFORE) &&
					told->bits & GCTRACE_SAMPLE_MOVED)))
		add(&sites->turn.promoted, sample);
	if (!(sample->flags & SAMPLE_BEFORE))
		add(&spot_of(sites, sample)->promoted, sample);
}

/* Does a sample that was there before this collection live, and is that told for it? */
static bool is_reached(const struct living *sample, const struct sample_fate *told, uint64_t gc)
{
	return told->bits & (GCTRACE_SAMPLE_MOVED | GCTRACE_SAMPLE_ADDRESS) && sample->gc < gc;
}

static void see_sample(struct sites *sites, const struct sample_fate *told, bool is_listed)
{
	struct living *sample = samples__find(&sites->living, told->sample);

	if (!sample) {
		sites->unknown += !(told->bits & GCTRACE_SAMPLE_DEAD);
		sites->turn.is_doubted |= !is_listed;
		return;
	}
	if (!is_listed && is_reached(sample, told, sites->turn.gc))
		add(&sites->turn.reached, sample);
	sample->flags |= SAMPLE_LISTED;
	if (told->address != EVENT_UNKNOWN)
		sample->address = told->address;
	if (told->bits & GCTRACE_SAMPLE_MOVED)
		add(&sites->turn.moved, sample);
	if (told->bits & GCTRACE_SAMPLE_GENERATION)
		place(sites, sample, told, is_listed);
	if (told->bits & GCTRACE_SAMPLE_DEAD)
		bury(sites, sample);
}

static void begin_list(struct sites *sites)
{
	sites->listing = true;
	sites->spoiled = false;
	sites->unknown = 0;
	for (size_t i = 0; i < sites->living.of.count; i++)
		sites->living.of.items[i].flags &= (uint8_t)~SAMPLE_LISTED;
}

/* A list follows all stacks that there are, told again. */
static int forget_stacks(struct sites *sites)
{
	const uint32_t rounds = sites->doubted ? ROUNDS_LOST : 0;
	struct samples *living = &sites->living;
	int err = site_spots__settle(&sites->spots, &sites->stacks, rounds);

	for (size_t i = 0; i < living->of.count && sites->spots.free; i++)
		while (spot_of(sites, &living->of.items[i])->is_free)
			living->of.items[i].spot = spot_of(sites, &living->of.items[i])->node;
	return err ? err : stacks__end_round(&sites->stacks, rounds);
}

/* Those are gone that it has not, and that were there when the collection ended that it is of. */
static void end_list(struct sites *sites, uint64_t gc)
{
	sites->listing = false;
	if (sites->spoiled)
		return;
	for (size_t i = sites->living.of.count; i-- > 0;) {
		struct living *sample = &sites->living.of.items[i];

		if (!(sample->flags & SAMPLE_LISTED) && sample->gc < gc)
			bury(sites, sample);
	}
	sites->doubted = sites->missed = false;
}

/*
 * A pause that collects nothing has a turn of its own, too: the dead may be found in it. Where the
 * producer tells no time, each part of one has that of its record.
 */
static void begin_turn(struct sites *sites, const struct event *event)
{
	struct site_turn *turn = &sites->turn;
	const bool goes_on = turn->has_more && event->samples.gc == turn->gc;

	if (!goes_on && (event->samples.gc > turn->gc || event->time != turn->time_ns)) {
		sites->turns += event->samples.gc > turn->gc;
		*turn = (struct site_turn){ .gc = event->samples.gc, .time_ns = event->time };
	}
	turn->has_more = event->samples.more;
}

/* ---------------------------------------------------------------- the heap in use */

static void settle_heap(struct sites *sites)
{
	if (!sites->next_heap.end_ns || sites->looked_ns <= sites->next_heap.after_ns)
		return;
	sites->heap = sites->next_heap;
	sites->next_heap = (struct site_heap){ 0 };
}

/*
 * While one waits for its look, others are left out: any will do, and looks are reported late. The
 * look of a collection that stops the program comes before its end; beside the program, after it.
 */
void sites__collection(struct sites *sites, const struct collection *collection)
{
	const uint64_t start_ns = collection->start_ns, end_ns = collection->end_ns;

	if (sites->next_heap.end_ns || collection->incomplete || collection->cut_off ||
	    end_ns == EVENT_UNKNOWN || collection->after_bytes == EVENT_UNKNOWN)
		return;
	sites->next_heap = (struct site_heap){
		.end_ns = end_ns,
		.bytes = collection->after_bytes,
		.after_ns = collection->concurrent || start_ns == EVENT_UNKNOWN ? end_ns : start_ns,
	};
	settle_heap(sites);
}

static void note_look(struct sites *sites, const struct event *event)
{
	if (event->samples.all || event->samples.more)
		return;
	sites->missed |= sites->turn.is_doubted;
	if (sites->turn.is_doubted)
		return;
	sites->looked_ns = event->time;
	settle_heap(sites);
}

static int see_samples(struct sites *sites, const struct event *event)
{
	int err = 0;

	note_time(sites, event->time);
	/* What was there when that came to be known is in no figure from begin() on. */
	if (event->samples.unfollowed && !sites->unfollowed) {
		sites->unfollowed = true;
		sites->turn.gc = event->samples.gc; /* those behind it are counted */
		samples__free(&sites->living);
	}
	if (!sites->begun)
		begin(sites, event);
	if (event->samples.gc > sites->gc)
		sites->gc = event->samples.gc;
	/* A list of all may have told of the collection before what it did is told. */
	if (!event->samples.all) {
		begin_turn(sites, event);
		sites->turn.is_doubted |= event->samples.in_doubt;
	}
	if (event->samples.interval > sites->sampler.interval)
		sites->sampler.interval = event->samples.interval;
	sites->sampler.repeats = !event->samples.repeats ? 0 :
		ldexp(1, event->samples.repeats - GCTRACE_SAMPLES_REPEATS_ONE);
	if (event->samples.all && !sites->listing)
		begin_list(sites);
	for (size_t i = 0; i < event->samples.count; i++)
		see_sample(sites, &event->samples.samples[i], event->samples.all);
	note_look(sites, event);
	if (event->samples.all && !event->samples.more) {
		err = forget_stacks(sites);
		end_list(sites, event->samples.gc);
	}
	return err;
}

static int define(struct sites *sites, const struct event *event)
{
	if (event->define.space != GCTRACE_SPACE_STACK)
		return 0;
	return stacks__define(&sites->stacks, event->define.id, event->define.name);
}

int sites__event(struct sites *sites, const struct event *event)
{
	switch (event->kind) {
	case EVENT_OBJECT_ALLOC:
		return event->alloc.sample ? see_allocation(sites, event) : 0;
	case EVENT_SAMPLES:
		return see_samples(sites, event);
	case EVENT_DEFINE:
		return define(sites, event);
	case EVENT_CLASS:
		return types__define(&sites->types, event->class_.class_, event->class_.name);
	case EVENT_LOSS:
		sites->doubted = sites->lost = sites->spoiled = true;
		return 0;
	default:
		return 0;
	}
}
