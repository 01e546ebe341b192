/* SPDX-License-Identifier: BSD-2-Clause */
#include "sampling.h"

#include <errno.h>

void sampling__free(struct sampling *sampling)
{
	for (size_t i = 0; i < sampling->threads.count; i++)
		text__free(&sampling->threads.items[i].name);
	vec__free(&sampling->threads);
	hash_slots__free(&sampling->thread_slots, &sampling->memory);
	vec__free(&sampling->methods);
	stack_counts__free(&sampling->stacks);
}

static uint64_t hash_of(uint32_t pid, uint32_t tid)
{
	return hash__mix(hash__mix(0, pid), tid);
}

static uint64_t hash_at(const void *context, uint32_t index)
{
	const struct sampling *sampling = context;
	const struct sampling_thread *thread = &sampling->threads.items[index];

	return hash_of(thread->pid, thread->tid);
}

/* A new one if it has none. As fast however many there were: a program may have one a request. */
static struct sampling_thread *thread_of(struct sampling *sampling,
					 const struct sighting *sighting)
{
	const struct sampling_thread new = { .pid = sighting->pid, .tid = sighting->tid };
	struct hash_slots *slots = &sampling->thread_slots;
	uint32_t at;

	if (hash_slots__room(slots, &sampling->memory, hash_at, sampling))
		return NULL;
	for (at = hash_slots__first(slots, hash_of(new.pid, new.tid)); slots->of[at];
	     at = hash_slots__next(slots, at)) {
		struct sampling_thread *thread = &sampling->threads.items[slots->of[at] - 1];

		if (thread->tid == new.tid && thread->pid == new.pid)
			return thread;
	}
	if (vec__push(&sampling->threads, new))
		return NULL;
	slots->of[at] = (uint32_t)sampling->threads.count;
	slots->count++;
	return &sampling->threads.items[sampling->threads.count - 1];
}

static int rename_thread(struct sampling_thread *thread, struct text name)
{
	if (thread->name.at && text__equal(thread->name, name))
		return 0;
	return text__own(&thread->name, name);
}

static void count_place(const struct sampling *sampling, struct sampling_places *places,
			const struct sighting *sighting)
{
	places->samples++;
	if (sampling->no_places)
		return;
	places->of[sighting->place]++;
	places->exact[sighting->place] += sighting->of[SIGHTING_PLACE] == ACCURACY_EXACT;
}

static int count_thread(struct sampling *sampling, const struct sighting *sighting)
{
	struct sampling_thread *thread = thread_of(sampling, sighting);

	if (!thread)
		return -ENOMEM;
	count_place(sampling, &thread->places, sighting);
	thread->running += !sighting->doing.wait;
	thread->last = *sighting;
	thread->last_sweep = sighting->sweep;
	return rename_thread(thread, sighting->name);
}

static int count_method(struct sampling *sampling, const struct sighting *sighting)
{
	struct sampling_method *method;

	if (!sighting->method)
		return 0;
	while (sampling->methods.count < sighting->method) {
		const struct sampling_method new = {
			.method = (uint32_t)sampling->methods.count + 1,
		};

		if (vec__push(&sampling->methods, new))
			return -ENOMEM;
	}
	method = &sampling->methods.items[sighting->method - 1];
	method->samples++;
	method->exact += sighting->of[SIGHTING_METHOD] == ACCURACY_EXACT;
	method->places[sighting->place] += !sampling->no_places;
	return 0;
}

int sampling__add(struct sampling *sampling, const struct sighting *sighting)
{
	const unsigned int accuracy = sighting->accuracy == ACCURACY_EXACT ? 2 :
				      sighting->accuracy == ACCURACY_POOR;
	int err = count_thread(sampling, sighting);

	if (!err)
		err = count_method(sampling, sighting);
	if (!err && sampling->counts_stacks)
		err = stack_counts__add(&sampling->stacks, sighting);
	if (err)
		return err;
	count_place(sampling, &sampling->places, sighting);
	sampling->by_accuracy[accuracy]++;
	return 0;
}

void sampling__sweep(struct sampling *sampling, uint64_t start_ns, uint64_t end_ns, uint64_t lost)
{
	const uint64_t took = end_ns - start_ns;

	if (!sampling->sweeps++)
		sampling->first_ns = start_ns;
	sampling->last_start_ns = start_ns;
	sampling->last_ns = end_ns;
	sampling->sweep_ns += took;
	if (took > sampling->longest_sweep_ns)
		sampling->longest_sweep_ns = took;
	sampling->lost += lost;
}

bool sampling__is_complete(const struct sampling *sampling)
{
	return !sampling->lost && !sampling->unanswered && !sampling->lost_rows &&
	       !sampling->lost_blocks;
}

uint64_t sampling__period_ns(const struct sampling *sampling, uint64_t otherwise)
{
	if (sampling->sweeps < 2)
		return otherwise;
	return (sampling->last_start_ns - sampling->first_ns) / (sampling->sweeps - 1);
}

enum place sampling_places__most(const uint64_t of[PLACES])
{
	enum place most = PLACE_UNKNOWN;

	for (unsigned int place = 0; place < PLACES; place++)
		if (of[place] > of[most])
			most = (enum place)place;
	return most;
}
