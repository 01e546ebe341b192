/* SPDX-License-Identifier: BSD-2-Clause */
#include "fates.h"

#include <errno.h>
#include <string.h>

void fates__free(struct fates *fates)
{
	vec__free(&fates->of);
}

static struct fate *need(struct fates *fates, uint32_t type)
{
	const size_t more = type < fates->of.count ? 0 : type + 1 - fates->of.count;

	if (vec__reserve(&fates->of, more))
		return NULL;
	if (more)
		memset(fates->of.items + fates->of.count, 0, more * sizeof(struct fate));
	fates->of.count += more;
	return &fates->of.items[type];
}

static void add(struct fate_sum *sum, uint64_t bytes)
{
	sum->objects++;
	sum->bytes += bytes;
}

/* The highest id of this dump: behind it stand births that were told later, and taken in by now. */
static uint64_t last_id(const struct objects *objects, const struct anchor *anchor)
{
	const uint64_t dumped = anchor->matched + anchor->new_;

	return objects->ids - (objects->count > dumped ? objects->count - dumped : 0);
}

void fates__begin(struct fates *fates, struct objects *objects, const struct anchor *anchor)
{
	fates->objects = objects;
	fates->mark = last_id(objects, anchor);
	fates->begun = true;
}

void fates__pass(struct fates *fates, const struct anchor *anchor)
{
	fates->matched += anchor->matched;
	fates->gone += anchor->gone;
	fates->conflicts += anchor->conflicts;
}

int fates__left(struct fates *fates, const struct object *object, enum object_fate how)
{
	struct fate *fate;

	if (!fates->begun || fates->ended || object__id(object) > fates->mark)
		return 0;
	fate = need(fates, object->type);
	if (!fate)
		return -ENOMEM;
	add(how == OBJECT_DEAD || how == OBJECT_GONE ? &fate->died : &fate->withdrawn,
	    objects__size(fates->objects, object));
	return 0;
}

struct ending {
	struct fates *fates;
	uint64_t last;
};

static int see_alive(void *context, const struct object *object, uint64_t address)
{
	const struct ending *ending = context;
	const uint64_t id = object__id(object);
	struct fate *fate;

	(void)address;
	if (id > ending->last)
		return 0;
	fate = need(ending->fates, object->type);
	if (!fate)
		return -ENOMEM;
	add(id <= ending->fates->mark ? &fate->survived : &fate->born,
	    objects__size(ending->fates->objects, object));
	return 0;
}

int fates__end(struct fates *fates, const struct anchor *anchor)
{
	struct ending ending = { fates, last_id(fates->objects, anchor) };

	fates__pass(fates, anchor);
	fates->ended = true;
	return objects__each(fates->objects, see_alive, &ending);
}

static void add_sum(struct fate_sum *sum, const struct fate_sum *more)
{
	sum->objects += more->objects;
	sum->bytes += more->bytes;
}

struct fate fates__all(const struct fates *fates)
{
	struct fate all = { .born = { 0 } };

	for (size_t i = 0; i < fates->of.count; i++) {
		add_sum(&all.survived, &fates->of.items[i].survived);
		add_sum(&all.died, &fates->of.items[i].died);
		add_sum(&all.withdrawn, &fates->of.items[i].withdrawn);
		add_sum(&all.born, &fates->of.items[i].born);
	}
	return all;
}
