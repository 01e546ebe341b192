/* SPDX-License-Identifier: BSD-2-Clause */
#include "leak_watch.h"

#include <string.h>

void leak_watch__free(struct leak_watch *watch)
{
	vec__free(&watch->types);
}

void leak_watch__begin(struct leak_watch *watch, uint64_t number, uint64_t ns, uint64_t ids)
{
	watch->number = number;
	watch->ns = ns;
	watch->ids_before = watch->ids;
	watch->ids = ids;
	watch->anchors++;
}

/* NULL: no memory. */
static struct leak_type *type_of(struct leak_watch *watch, uint32_t type)
{
	size_t more;

	if (type >= watch->types.count) {
		more = type + 1 - watch->types.count;
		if (vec__reserve(&watch->types, more))
			return NULL;
		memset(watch->types.items + watch->types.count, 0,
		       more * sizeof(*watch->types.items));
		watch->types.count += more;
	}
	return &watch->types.items[type];
}

/* Ids are given in the order in which objects are seen first. */
static void note_oldest(struct leak_count *count, struct leak_object object)
{
	for (size_t i = 0; i < LEAK_OLDEST; i++) {
		struct leak_object *at = &count->oldest[i], pushed = *at;

		if (at->id && at->id < object.id)
			continue;
		*at = object;
		object = pushed;
		if (!object.id)
			return;
	}
}

int leak_watch__object(struct leak_watch *watch, const struct object *object, uint64_t size)
{
	struct leak_type *type = type_of(watch, object->type);
	const uint64_t id = object__id(object);

	if (!type)
		return -ENOMEM;
	type->now.all++;
	if (id > watch->ids_before)
		return 0;
	watch->kept = true;
	type->now.kept++;
	type->now.kept_bytes += size;
	note_oldest(&type->now, (struct leak_object){ id, object->age });
	if (id > type->cohort_last)
		return 0;
	type->now.cohort++;
	type->now.cohort_ages += object->age;
	return 0;
}

static bool hardly_dies(const struct leak_type *type, const struct leak_count *now)
{
	return 100.0 * (double)now->cohort >=
	       LEAK_ALIVE_PERCENT * (double)(type->base.cohort - type->lost);
}

static void start(struct leak_type *type, uint64_t ids)
{
	*type = (struct leak_type){ .cohort_last = ids, .anchors = 1, .first = type->now,
				    .last = type->now };
}

static void move_base(struct leak_type *type)
{
	type->base = type->now;
	type->since = type->lost = 0;
	type->grows = true;
}

static void end_type(const struct leak_watch *watch, struct leak_type *type)
{
	type->now.number = watch->number;
	type->now.ns = watch->ns;
	if (!type->anchors && !type->now.all)
		return;
	if (!type->anchors || (type->base.number && type->lost >= type->base.cohort)) {
		start(type, watch->ids);
		return;
	}
	type->anchors++;
	type->since++;
	type->grows &= type->now.kept > type->last.kept;
	if (!type->base.number || !hardly_dies(type, &type->now))
		move_base(type);
	type->last = type->now;
}

void leak_watch__end(struct leak_watch *watch)
{
	for (size_t i = 0; i < watch->types.count; i++) {
		end_type(watch, &watch->types.items[i]);
		watch->types.items[i].now = (struct leak_count){ 0 };
	}
}

void leak_watch__lost(struct leak_watch *watch, const struct object *object)
{
	struct leak_type *type;

	if (object->type >= watch->types.count)
		return;
	type = &watch->types.items[object->type];
	if (type->anchors && type->lost < type->base.cohort &&
	    object__id(object) <= type->cohort_last)
		type->lost++;
}

/* All of them once, or nearly. */
static bool was_condemned(const struct leak_type *type)
{
	const double before = (double)type->base.cohort_ages / (double)type->base.cohort;

	return type->last.cohort &&
	       (double)type->last.cohort_ages / (double)type->last.cohort >= before + 0.9;
}

static bool is_leak(const struct leak_type *type)
{
	return type->anchors >= LEAK_ANCHORS && type->since > 0 && type->grows &&
	       type->base.cohort > type->lost && hardly_dies(type, &type->last) &&
	       100.0 * (double)type->base.cohort >= LEAK_COHORT_PERCENT * (double)type->first.all &&
	       type->last.kept_bytes > type->base.kept_bytes && was_condemned(type);
}

static int by_bytes(const void *a, const void *b)
{
	const struct leak *left = a, *right = b;

	if (left->bytes != right->bytes)
		return left->bytes > right->bytes ? -1 : 1;
	return left->type < right->type ? -1 : left->type > right->type;
}

int leak_watch__find(const struct leak_watch *watch, struct leaks *leaks)
{
	for (size_t i = 0; i < watch->types.count; i++) {
		const struct leak_type *type = &watch->types.items[i];
		struct leak leak = {
			.type = (uint32_t)i,
			.anchors = type->anchors,
			.first = type->first.number,
			.base = type->base.number,
			.span_ns = type->last.ns - type->base.ns,
			.objects = type->last.kept - type->base.kept,
			.bytes = type->last.kept_bytes - type->base.kept_bytes,
			.cohort = type->base.cohort - type->lost,
			.cohort_alive = type->last.cohort,
		};

		if (!is_leak(type))
			continue;
		memcpy(leak.oldest, type->last.oldest, sizeof(leak.oldest));
		if (vec__push(leaks, leak))
			return -ENOMEM;
	}
	vec__sort(leaks, by_bytes);
	return 0;
}
