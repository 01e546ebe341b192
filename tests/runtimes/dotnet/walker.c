/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Another way to know what is in a heap: a profiler that is no gctrace's, loaded beside it, which
 * has the runtime walk all objects (.NET 9 and later). The program itself calls walker_walk(),
 * which waits for a file, so that nothing managed happens meanwhile, collects, counts by class, and
 * has walker_class() tell what it has counted. Built by the test.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loaded.h"

#define MOST_CLASSES 65536
#define MOST_FROZEN 64

struct counted {
	uintptr_t class_;
	uint64_t objects, bytes;
	uint64_t room; /* with what aligns them, of those in the runtime's account */
};

static struct info *info;
static struct counted counted[MOST_CLASSES];
static struct frozen_range frozen[MOST_FROZEN];
static uint32_t frozen_count;

HRESULT walker_walk(const char *go);
int32_t walker_class(int32_t from, struct counted *out);

/* ---- Counting ---- */

static struct counted *slot_of(uintptr_t class_)
{
	size_t at = (class_ >> 3) * 0x9E3779B97F4A7C15u >> 48;

	while (counted[at].class_ && counted[at].class_ != class_)
		at = (at + 1) % MOST_CLASSES;
	counted[at].class_ = class_;
	return &counted[at];
}

/* It is in no heap that the runtime accounts for. */
static bool is_frozen(uintptr_t object)
{
	for (uint32_t i = 0; i < frozen_count; i++)
		if (object - frozen[i].start < frozen[i].reserved)
			return true;
	return false;
}

static HRESULT count(uintptr_t object)
{
	uintptr_t class_;
	size_t bytes;
	struct counted *slot;
	HRESULT result = info->table->get_class_from_object(info, object, &class_);

	if (result >= 0)
		result = info->table->get_object_size2(info, object, &bytes);
	if (result < 0)
		return result;
	slot = slot_of(class_);
	slot->objects++;
	slot->bytes += bytes;
	slot->room += is_frozen(object) ? 0 : (bytes + 7) & ~(size_t)7;
	return S_OK;
}

static int32_t count_next(uintptr_t object, void *context)
{
	HRESULT *result = context;

	*result = count(object);
	return *result >= 0;
}

static void *walk(void *context)
{
	HRESULT *result = context, counting = S_OK;

	*result = info->table->get_non_gc_heap_bounds(info, MOST_FROZEN, &frozen_count, frozen);
	if (*result >= 0)
		*result = info->table->force_gc(info);
	if (*result >= 0)
		*result = info->table->enumerate_gc_heap_objects(info, count_next, &counting);
	if (*result >= 0)
		*result = counting;
	return NULL;
}

/* What may be asked depends on the thread that asks, so that is one of its own. */
EXPORTED HRESULT walker_walk(const char *go)
{
	pthread_t thread;
	HRESULT result;

	while (access(go, F_OK))
		usleep(20000);
	if (!info || pthread_create(&thread, NULL, walk, &result))
		return E_FAIL;
	pthread_join(thread, NULL);
	return result;
}

/* The next class from that index on; the index behind it, or -1 where there is none. */
EXPORTED int32_t walker_class(int32_t from, struct counted *out)
{
	while (from < MOST_CLASSES && !counted[from].class_)
		from++;
	if (from == MOST_CLASSES)
		return -1;
	*out = counted[from];
	return from + 1;
}

static HRESULT loaded__begin(struct info *granted)
{
	info = granted;
	return info->table->set_event_mask2(info, 0, HIGH_BASIC_GC);
}
