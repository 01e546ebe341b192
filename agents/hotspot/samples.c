/* SPDX-License-Identifier: BSD-2-Clause */
#include "samples.h"
#include "agents/common/region.h"

#include <pthread.h>
#include <stddef.h>

static struct {
	pthread_mutex_t lock;
	struct region places, entries;
	_Atomic uint32_t used, count;
	uint32_t free;		  /* first of a list */
	uint32_t newest, new_end; /* first and last of a list */
	uint64_t number;
} samples = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void begin(void)
{
	samples.used = samples.count = 0;
	samples.free = samples.newest = samples.new_end = SAMPLES_NONE;
}

bool samples__init(void)
{
	begin();
	return region__reserve(&samples.places, sizeof(struct sample_place) * SAMPLES_MOST) &&
	       region__reserve(&samples.entries, sizeof(struct sample) * SAMPLES_MOST);
}

void samples__release(void)
{
	region__release(&samples.places);
	region__release(&samples.entries);
}

void samples__empty(void)
{
	region__empty(&samples.places);
	region__empty(&samples.entries);
	begin();
}

struct sample_place *samples__place(uint32_t place)
{
	return (struct sample_place *)(void *)samples.places.at + place;
}

struct sample *samples__at(uint32_t place)
{
	return (struct sample *)(void *)samples.entries.at + place;
}

uint32_t samples__used(void)
{
	return atomic_load_explicit(&samples.used, memory_order_acquire);
}

uint32_t samples__count(void)
{
	return samples.count;
}

/* ---- Under the lock ---- */

static uint32_t get_place(void)
{
	const uint32_t place = samples.free;

	if (place != SAMPLES_NONE) {
		samples.free = samples__at(place)->next;
		return place;
	}
	if (samples.used == SAMPLES_MOST)
		return SAMPLES_NONE;
	region__get(&samples.places, sizeof(struct sample_place));
	region__get(&samples.entries, sizeof(struct sample));
	return samples.used;
}

static void append_to_new(uint32_t place)
{
	samples__at(place)->next = SAMPLES_NONE;
	if (samples.newest == SAMPLES_NONE)
		samples.newest = place;
	else
		samples__at(samples.new_end)->next = place;
	samples.new_end = place;
}

static uint32_t put(const struct sample *sample, uint64_t handle)
{
	const uint32_t place = get_place();

	if (place == SAMPLES_NONE)
		return place;
	*samples__at(place) = *sample;
	samples__at(place)->number = ++samples.number;
	append_to_new(place);
	samples__place(place)->seen = 0;
	atomic_store_explicit(&samples__place(place)->handle, handle, memory_order_release);
	if (place == samples.used)
		atomic_store_explicit(&samples.used, place + 1, memory_order_release);
	samples.count++;
	return place;
}

/* ---- */

uint32_t samples__add(const struct sample *sample, uint64_t handle)
{
	uint32_t place;

	pthread_mutex_lock(&samples.lock);
	place = put(sample, handle);
	pthread_mutex_unlock(&samples.lock);
	return place;
}

uint32_t samples__take_new(void)
{
	uint32_t first;

	pthread_mutex_lock(&samples.lock);
	first = samples.newest;
	samples.newest = samples.new_end = SAMPLES_NONE;
	pthread_mutex_unlock(&samples.lock);
	return first;
}

uint64_t samples__remove(uint32_t place)
{
	const uint64_t handle = samples__place(place)->handle;

	samples__place(place)->handle = 0;
	pthread_mutex_lock(&samples.lock);
	samples__at(place)->next = samples.free;
	samples.free = place;
	samples.count--;
	pthread_mutex_unlock(&samples.lock);
	return handle;
}
