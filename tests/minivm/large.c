/* SPDX-License-Identifier: BSD-2-Clause */
#include "large.h"
#include "collector.h"
#include "report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096u

struct large_space large;

void large__init(void)
{
	pthread_mutex_init(&large.lock, NULL);
	large.top = heap.large;
}

/* With the lock held: pages that read as zeroes. */
static uint64_t take_pages(uint64_t bytes)
{
	for (size_t i = 0; i < large.frees; i++) {
		struct chunk *piece = &large.free[i];

		if (piece->end - piece->next >= bytes) {
			piece->next += bytes;
			return piece->next - bytes;
		}
	}
	if (large.top + bytes > heap.large + heap.large_bytes)
		die("no addresses left for a large object of %llu bytes: raise --heap",
		    (unsigned long long)bytes);
	large.top += bytes;
	return large.top - bytes;
}

static void count(const struct object *o)
{
	large.usage.objects++;
	large.usage.bytes += object__size(o);
}

struct object *large__new(uint64_t bytes, uint64_t head, uint64_t id)
{
	const uint64_t pages = round_up(bytes, PAGE);
	struct object *o;

	pthread_mutex_lock(&large.lock);
	o = (struct object *)(uintptr_t)take_pages(pages);
	o->head = head | (large.born_marked ? HEAD_MARKED : 0);
	o->id = id;
	list__push(&large.objects, o);
	count(o);
	large.committed += pages;
	pthread_mutex_unlock(&large.lock);
	return o;
}

void large__begin(bool born_marked)
{
	large.born_marked = born_marked;
	large.condemned = large.objects.count;
}

static int by_address(const void *a, const void *b)
{
	const uint64_t x = (uint64_t)(uintptr_t)*(void *const *)a;
	const uint64_t y = (uint64_t)(uintptr_t)*(void *const *)b;

	return x < y ? -1 : x > y;
}

static uint64_t address_of(const struct object *o)
{
	return (uint64_t)(uintptr_t)o;
}

static void add_free(uint64_t start, uint64_t end)
{
	if (start == end)
		return;
	if (large.frees == large.capacity) {
		large.capacity = large.capacity ? 2 * large.capacity : 64;
		large.free = get_memory(large.free, large.capacity * sizeof(*large.free));
	}
	large.free[large.frees++] = (struct chunk){ start, end };
}

void large__forget_dead(void)
{
	large.usage = (struct usage){ 0, 0 };
	for (size_t i = 0; i < large.objects.count; i++) {
		if (((const struct object *)large.objects.items[i])->head & HEAD_MARKED)
			count(large.objects.items[i]);
	}
}

static void free_object(struct object *o, uint64_t bytes)
{
	const uint64_t pages = round_up(bytes, PAGE);

	if (madvise(o, pages, MADV_DONTNEED))
		die("cannot give back %llu bytes of pages: %s", (unsigned long long)pages,
		    strerror(errno));
	large.committed -= pages;
}

static void find_free(void)
{
	uint64_t at = heap.large;

	large.frees = 0;
	for (size_t i = 0; i < large.objects.count; i++) {
		const struct object *o = large.objects.items[i];

		add_free(at, (uint64_t)(uintptr_t)o);
		at = (uint64_t)(uintptr_t)o + round_up(object__size(o), PAGE);
	}
	large.top = at;
}

void large__sweep(struct gc *gc)
{
	struct gc_counts *counts = &gc->counts[GEN_LARGE];
	size_t kept = 0;

	large.usage = (struct usage){ 0, 0 };
	for (size_t i = 0; i < large.objects.count; i++) {
		struct object *o = large.objects.items[i];
		const uint64_t bytes = object__size(o);

		if (!(o->head & HEAD_MARKED)) {
			free_object(o, bytes);
			continue;
		}
		o->head &= ~(uint64_t)HEAD_MARKED;
		large.objects.items[kept++] = o;
		count(o);
		if (i >= large.condemned)
			continue;
		counts->survived.objects++;
		counts->survived.bytes += bytes;
		if (gc->tell.survivors)
			report__survived(&reporters[0], gc, GEN_LARGE, address_of(o), bytes);
	}
	large.objects.count = kept;
	large.born_marked = false;
	if (kept)
		qsort(large.objects.items, kept, sizeof(void *), by_address);
	find_free();
}

bool large__walk(heap__see *see, void *context)
{
	for (size_t i = 0; i < large.objects.count; i++) {
		struct object *o = large.objects.items[i];

		if (large.born_marked && !(object__head(o) & HEAD_MARKED))
			continue;
		if (!see(context, o))
			return false;
	}
	return true;
}
