/* SPDX-License-Identifier: BSD-2-Clause */
#include "truth_sites.h"
#include "collection.h"
#include "mutator.h"
#include "samples.h"
#include "truth.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct birth {
	uint64_t id; /* 0: a free place */
	uint64_t gc; /* of collections that had ended */
	uint32_t site;
	bool was_old;
};

struct births {
	struct birth *items;
	uint64_t capacity, count;
};

/* With the lock: mutators add. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct births births;
static struct truth_site *sites;
static uint64_t site_count;

static struct birth *find(struct births *in, uint64_t id)
{
	uint64_t at = object__pattern(id) >> 16 & (in->capacity - 1);

	while (in->items[at].id && in->items[at].id != id)
		at = (at + 1) & (in->capacity - 1);
	return &in->items[at];
}

static void add(struct births *to, const struct birth *birth)
{
	struct births wider = { .capacity = to->capacity ? 2 * to->capacity : 4096 };

	if (2 * to->count >= to->capacity) {
		wider.items = calloc(wider.capacity, sizeof(*wider.items));
		if (!wider.items)
			die("out of memory");
		for (uint64_t i = 0; i < to->capacity; i++) {
			if (to->items[i].id)
				*find(&wider, to->items[i].id) = to->items[i];
		}
		wider.count = to->count;
		free(to->items);
		*to = wider;
	}
	*find(to, birth->id) = *birth;
	to->count++;
}

static uint32_t site_of(uint64_t stack, uint32_t class_)
{
	for (uint64_t i = 0; i < site_count; i++) {
		if (sites[i].stack == stack && sites[i].class_ == class_)
			return (uint32_t)i;
	}
	sites = get_memory(sites, (site_count + 1) * sizeof(*sites));
	sites[site_count] = (struct truth_site){ .stack = stack, .class_ = class_ };
	return (uint32_t)site_count++;
}

void truth_sites__born(struct mutator *m, const struct object *o, uint64_t bytes)
{
	const uint64_t stack = stack__of(m);
	struct birth birth = { .id = o->id, .gc = collections__finished() };

	pthread_mutex_lock(&lock);
	birth.site = site_of(stack, object__class(o));
	sites[birth.site].allocated_objects++;
	sites[birth.site].allocated_bytes += bytes;
	add(&births, &birth);
	pthread_mutex_unlock(&lock);
}

/* ---- After a collection ---- */

struct count {
	struct births alive;
	uint64_t gc;
};

static unsigned place_of(uint64_t age)
{
	const unsigned place = age ? 64 - (unsigned)__builtin_clzll(age) : 0;

	return place < TRUTH_SITE_AGES ? place : TRUTH_SITE_AGES - 1;
}

static bool see(void *context, struct object *o)
{
	struct count *count = context;
	const struct birth *known = find(&births, o->id);
	struct birth birth = *known;
	struct truth_site *site;
	unsigned place;

	if (!known->id)
		return true;
	site = &sites[birth.site];
	place = place_of(count->gc - birth.gc);
	site->live_objects[place]++;
	site->live_bytes[place] += object__size(o);
	if (!heap__is_young(o)) {
		site->old_bytes += object__size(o);
		if (!birth.was_old)
			site->promoted_bytes += object__size(o);
		birth.was_old = true;
	}
	add(&count->alive, &birth);
	return true;
}

void truth_sites__count(uint64_t gc)
{
	struct count count = { .gc = gc };

	if (!births.capacity)
		return;
	for (uint64_t i = 0; i < site_count; i++) {
		memset(sites[i].live_objects, 0, sizeof(sites[i].live_objects));
		memset(sites[i].live_bytes, 0, sizeof(sites[i].live_bytes));
		sites[i].old_bytes = 0;
	}
	heap__walk(see, &count);
	free(births.items);
	births = count.alive;
	for (uint64_t i = 0; i < site_count; i++)
		sites[i].gc = gc;
}

void truth_sites__write(void (*put)(uint32_t kind, const void *payload, uint64_t bytes))
{
	for (uint64_t i = 0; i < site_count; i++)
		put(TRUTH_SITE, &sites[i], sizeof(sites[i]));
}
