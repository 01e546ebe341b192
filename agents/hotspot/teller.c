/* SPDX-License-Identifier: BSD-2-Clause */
#include "teller.h"
#include "agents/common/clock.h"
#include "agents/common/emitter.h"
#include "agents/common/region.h"
#include "agents/common/thread.h"
#include "handles.h"
#include "kinds.h"
#include "rounds.h"
#include "sampler.h"
#include "samples.h"
#include "stacks.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#define LOOKS 5 /* of the watcher, between two of ours */
#define PART 4096 /* samples that are told at once */
#define ALL_EVERY_NS UINT64_C(30000000000)
#define ALL_MANY 100000u /* samples that are told so often: twice as many half as often */
#define STACKS_MANY 5000u
#define RETRY_NS UINT64_C(10000000000)
#define PAUSE_MOST_MS 2000
#define LEAVE_MOST_MS 200

static struct {
	bool is_ready, cannot;
	struct worker worker;
	unsigned looks;
	bool was_wanted;
	atomic_bool is_wanted, start_over, is_attached;
	uint32_t next_kind; /* to be told */
	uint32_t lost;
	uint64_t all_ns, retry_ns; /* when all are told, when starting is tried, again */
	struct region list;	   /* of struct gctrace_sample, outside of a visit empty */
	struct gctrace_writer *writer;
} teller;

/* ---- Not faster than it is read ---- */

static void tell_part(void)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	unsigned waited = 0;

	gctrace_flush(teller.writer);
	do
		nanosleep(&ms, NULL);
	while (gctrace_requests_pause() && ++waited < PAUSE_MOST_MS);
}

/* ---- New ones ---- */

static void tell_sample(uint32_t place)
{
	const struct sample *sample = samples__at(place);
	const uint64_t seen = samples__place(place)->seen;

	gctrace_write_object_alloc_as(teller.writer, seen & ~(uint64_t)SEEN_BITS, sample->size,
				      kinds__id(sample->class_), stacks__id(sample->stack),
				      sample->weight, sample->number, sample->gc);
}

static void tell_definitions(const struct visit *visit)
{
	uint32_t before, left_out;
	bool has_more;

	do {
		before = teller.next_kind;
		teller.next_kind = kinds__tell(teller.writer, before);
		has_more = stacks__tell(visit, teller.writer) || teller.next_kind != before;
		if (has_more)
			tell_part();
	} while (has_more);
	left_out = stacks__left_out() + kinds__left_out();
	if (left_out)
		gctrace_write_unnamed(teller.writer, left_out);
}

/* Classes and stacks of those that come meanwhile are told the next time, with them. */
static void tell_new(const struct visit *visit)
{
	uint32_t place = samples__take_new(), next, told = 0;

	/* So that a consumer that has just come takes none of these for one that is followed. */
	if (handles.keep_alive && place != SAMPLES_NONE)
		gctrace_write_samples(teller.writer, GCTRACE_SAMPLES_UNFOLLOWED,
				      rounds__collections(visit->jni), clock__now(),
				      sampler__interval(), 0, NULL, 0);
	tell_definitions(visit);
	for (; place != SAMPLES_NONE; place = next) {
		next = samples__at(place)->next;
		if (!handles.keep_alive)
			rounds__see_new(visit->jni, place);
		samples__at(place)->is_told = true;
		tell_sample(place);
		if (handles.keep_alive)
			samples__remove(place);
		if (++told % PART == 0)
			tell_part();
	}
}

/* ---- Lists ---- */

static int by_number(const void *a, const void *b)
{
	const struct gctrace_sample *x = a, *y = b;

	return x->sample < y->sample ? -1 : x->sample > y->sample;
}

/* What is on the list; a collection's is one, in as many parts as it needs. */
static void tell_list(unsigned flags, uint64_t gc, uint64_t time_ns)
{
	struct gctrace_sample *list = (void *)teller.list.at;
	const size_t count = teller.list.used / sizeof(*list);
	size_t done = 0;

	flags |= sampler__repeats() << GCTRACE_SAMPLES_REPEATS_SHIFT;
	if (handles.keep_alive)
		flags |= GCTRACE_SAMPLES_UNFOLLOWED;
	qsort(list, count, sizeof(*list), by_number);
	do {
		const size_t some = count - done < PART ? count - done : PART;
		const bool has_more = done + some < count;

		gctrace_write_samples(teller.writer, flags | (has_more ? GCTRACE_MORE : 0), gc,
				      time_ns, sampler__interval(), teller.lost, list + done, some);
		teller.lost = 0;
		done += some;
		if (has_more)
			tell_part();
	} while (done < count);
	region__empty(&teller.list);
}

static void add_to_list(const struct gctrace_sample *sample)
{
	struct gctrace_sample *to = region__get(&teller.list, sizeof(*to));

	if (to)
		*to = *sample;
	else
		atomic_store(&teller.start_over, true); /* never: it has room for all places */
}

/* ---- Rounds ---- */

static void give_back(JNIEnv *jni, uint32_t place)
{
	VM_CALL(jni, DeleteWeakGlobalRef, (jweak)(uintptr_t)samples__remove(place));
}

/* A list of all may have been told since, and the place may be another's. */
static bool is_there(const struct fate *fate)
{
	return samples__place(fate->place)->handle &&
	       samples__at(fate->place)->number == fate->number;
}

static void tell_round(JNIEnv *jni, const struct round *round)
{
	for (uint64_t at = round->begin; at < round->end; at++) {
		const struct fate *fate = rounds__fate(at);

		if (is_there(fate))
			add_to_list(&(struct gctrace_sample){ fate->number, fate->address,
							      fate->bits, fate->is_old });
	}
	tell_list(round->in_doubt ? GCTRACE_SAMPLES_IN_DOUBT : 0, round->gc, round->time_ns);
	for (uint64_t at = round->begin; at < round->end; at++) {
		const struct fate *fate = rounds__fate(at);

		if (fate->bits & GCTRACE_SAMPLE_DEAD && is_there(fate))
			give_back(jni, fate->place);
	}
}

/* Those that are there now: what they name is new at most, and tell_new() comes between. */
static void tell_rounds(const struct visit *visit)
{
	const uint32_t ready = rounds__ready();

	tell_new(visit);
	teller.lost += sampler__lost();
	for (uint32_t i = 0; i < ready; i++)
		tell_round(visit->jni, rounds__at(i));
	rounds__drop(ready);
}

/* ---- All ---- */

static void list_all(void)
{
	const uint32_t used = samples__used();

	region__empty(&teller.list);
	for (uint32_t place = 0; place < used; place++) {
		const uint64_t seen = samples__place(place)->seen;
		const bool has_generation = seen & SEEN_GENERATION;

		if (!samples__place(place)->handle || seen & SEEN_DEAD ||
		    !samples__at(place)->is_told)
			continue;
		add_to_list(&(struct gctrace_sample){
			.sample = samples__at(place)->number,
			.address = seen & ~(uint64_t)SEEN_BITS,
			.bits = GCTRACE_SAMPLE_ADDRESS |
				(has_generation ? GCTRACE_SAMPLE_GENERATION : 0),
			.generation = seen & SEEN_OLD ? 1 : 0 });
	}
}

/* As it was between two pauses; where they come too often, as it was in the midst of one. */
static uint64_t list_all_at_rest(JNIEnv *jni)
{
	uint64_t gc, before;
	int tries = 4;

	do {
		before = rounds__pauses();
		list_all();
		gc = rounds__collections(jni); /* none that is listed is younger */
	} while ((before & 1 || before != rounds__pauses()) && --tries);
	return gc;
}

/*
 * The rounds before it are told first, also those that came meanwhile, unless pauses come faster
 * than they can be told: who hears of a death behind the list that has left it out hears of it
 * twice.
 */
static uint64_t list_behind_rounds(const struct visit *visit)
{
	uint64_t gc;
	int tries = 8;

	do {
		region__empty(&teller.list);
		tell_rounds(visit);
		gc = list_all_at_rest(visit->jni);
	} while (rounds__ready() && --tries);
	return gc;
}

static void tell_all_samples(void)
{
	const uint32_t used = samples__used();
	uint32_t told = 0;

	for (uint32_t place = 0; place < used; place++) {
		const uint64_t seen = samples__place(place)->seen;

		if (!samples__place(place)->handle || seen & SEEN_DEAD ||
		    !samples__at(place)->is_told)
			continue;
		tell_sample(place);
		if (++told % PART == 0)
			tell_part();
	}
}

/*
 * Who is dead by a round that has ended. False: pauses came all the time, and some may be of one
 * that is under way.
 */
static bool mark_dead(void)
{
	const uint32_t used = samples__used();
	uint64_t before;
	int tries = 4;

	do {
		before = rounds__pauses();
		for (uint32_t place = 0; place < used; place++)
			if (samples__place(place)->handle)
				samples__at(place)->was_dead =
					samples__place(place)->seen & SEEN_DEAD &&
					samples__at(place)->is_told;
	} while ((before & 1 || before != rounds__pauses()) && --tries);
	return tries > 0;
}

/* Those that were marked, and were not in the rounds that were told since: in none, that is. */
static void give_back_dead(JNIEnv *jni)
{
	const uint32_t used = samples__used();

	for (uint32_t place = 0; place < used; place++) {
		if (samples__place(place)->handle && samples__at(place)->was_dead)
			give_back(jni, place);
	}
}

static void tell_all(const struct visit *visit)
{
	const uint32_t many = samples__count() / ALL_MANY + stacks__count() / STACKS_MANY;
	const bool is_known = mark_dead();
	uint64_t gc;

	teller.next_kind = 1;
	stacks__tell_again();
	tell_rounds(visit);
	if (is_known)
		give_back_dead(visit->jni);
	tell_all_samples();
	gc = list_behind_rounds(visit);
	tell_list(GCTRACE_SAMPLES_ALL, gc, clock__now());
	teller.all_ns = clock__now() + ALL_EVERY_NS * (1 + many);
}

/* ---- What no sample has any more ---- */

static void forget_stacks(void)
{
	const uint32_t used = samples__used();

	stacks__begin_sweep();
	for (uint32_t place = 0; place < used; place++) {
		if (samples__place(place)->handle)
			stacks__keep(samples__at(place)->stack);
	}
	stacks__end_sweep();
}

/* ---- A visit ---- */

static void tell(struct visit *visit)
{
	const bool has_missed = rounds__missed();

	visit->jvmti = sampler__environment();
	sampler__heed_interval();
	rounds__go_round(visit->jni);
	tell_rounds(visit);
	if (has_missed || atomic_exchange(&teller.start_over, false) ||
	    clock__now() >= teller.all_ns)
		tell_all(visit);
	if (stacks__are_many())
		forget_stacks();
	rounds__fit();
}

/* All that it takes, or nothing. NULL, or why not. */
static const char *try_to_start(struct visit *visit)
{
	const size_t room = sizeof(struct gctrace_sample) * SAMPLES_MOST;
	const char *why;

	if (!teller.list.at && !region__reserve(&teller.list, room))
		return "there is no memory for samples";
	why = sampler__start(visit);
	if (why)
		region__release(&teller.list);
	return why;
}

static void start(struct visit *visit)
{
	const bool is_asked = atomic_exchange(&teller.start_over, false);
	const char *why;

	if (clock__now() < teller.retry_ns && !is_asked)
		return;
	why = try_to_start(visit);
	teller.retry_ns = clock__now() + RETRY_NS;
	teller.all_ns = 0; /* from the beginning it is known that there are no others */
	teller.next_kind = 1;
	teller.lost = 0;
	if (why)
		gctrace_write_notice(teller.writer, GCTRACE_NOTICE_UNSAMPLED, why);
}

static void stop(struct visit *visit)
{
	sampler__stop(visit);
	region__empty(&teller.list);
}

static void look(struct visit *visit)
{
	teller.writer = emitter__take_aside(0, 0);
	if (!atomic_load(&teller.is_wanted)) {
		if (sampler__is_on())
			stop(visit);
		teller.retry_ns = 0;
	} else {
		if (!sampler__is_on())
			start(visit);
		if (sampler__is_on())
			tell(visit);
	}
	gctrace_flush(teller.writer);
	emitter__release(teller.writer);
}

static void work(void *context)
{
	(void)context;
	if (vm__stay(look))
		atomic_store(&teller.is_attached, true);
	if (atomic_load(&teller.is_wanted))
		return;
	vm__depart();
	atomic_store(&teller.is_attached, false);
}

static void leave(void *context)
{
	(void)context;
	vm__depart();
	atomic_store(&teller.is_attached, false);
}

/* An attached thread would delay the JVM's end. */
static void leave_dying(void)
{
	const struct timespec ms = { .tv_nsec = 1000000 };
	bool is_posted = false;

	atomic_store(&teller.is_wanted, false);
	for (unsigned i = 0; i < LEAVE_MOST_MS && atomic_load(&teller.is_attached); i++) {
		is_posted = is_posted || worker__post(&teller.worker, leave, NULL);
		nanosleep(&ms, NULL);
	}
}

static bool get_ready(void)
{
	if (teller.is_ready || teller.cannot)
		return teller.is_ready;
	vm__on_death(leave_dying);
	teller.is_ready = worker__start(&teller.worker, "gctrace-sample");
	teller.cannot = !teller.is_ready;
	return teller.is_ready;
}

void teller__want(bool is_wanted)
{
	const bool is_on = sampler__is_on();

	atomic_store(&teller.is_wanted, is_wanted);
	if (!is_wanted && !is_on && !atomic_load(&teller.is_attached)) {
		teller.was_wanted = false;
		return;
	}
	if (is_wanted == teller.was_wanted && ++teller.looks < LOOKS && !rounds__are_urgent())
		return;
	teller.looks = 0;
	teller.was_wanted = is_wanted;
	if (get_ready())
		worker__post(&teller.worker, work, NULL);
}

void teller__start_over(void)
{
	atomic_store(&teller.start_over, true);
}
