/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap.h"
#include "large.h"
#include "nursery.h"
#include "old.h"
#include "options.h"

struct heap heap;

/* A hint that tools which map their own things low leave free. */
#define BASE 0x200000000000u
#define GUARD ((uint64_t)1 << 20)

void heap__init(void)
{
	const uint64_t survivor = round_up(opt.nursery * opt.survivor / 100, 4096);
	uint64_t base;

	heap.young_bytes = opt.nursery + 2 * survivor;
	/* Room for what promotions of one collection, fragments and pinned objects cost. */
	heap.old_bytes = round_up(2 * opt.heap + 4 * heap.young_bytes + (64 << 20), 1 << 16);
	heap.large_bytes = round_up(2 * opt.heap + (64 << 20), 1 << 16);
	base = (uint64_t)(uintptr_t)reserve(BASE, heap.young_bytes + heap.old_bytes +
					    heap.large_bytes + 4 * GUARD, "the heap");
	heap.young = round_up(base, 1 << 16);
	heap.old = round_up(heap.young + heap.young_bytes, 1 << 16) + GUARD;
	heap.large = heap.old + heap.old_bytes + GUARD;
	heap.next_id = 1;
	nursery__init(heap.young, opt.nursery, survivor);
	old__init();
	large__init();
}

uint64_t heap__take_ids(void)
{
	return __atomic_fetch_add(&heap.next_id, HEAP_ID_BLOCK, __ATOMIC_RELAXED);
}

bool heap__walk_range(uint64_t start, uint64_t end, heap__see *see, void *context)
{
	while (start < end) {
		struct object *o = (struct object *)(uintptr_t)start;
		uint64_t head = object__head(o);

		start += head__size(head);
		if (head__class(head) && !see(context, o))
			return false;
	}
	return true;
}

bool heap__walk(heap__see *see, void *context)
{
	return nursery__walk(see, context) && old__walk(see, context) && large__walk(see, context);
}

void heap__usage(struct usage usage[GENERATIONS])
{
	usage[GEN_NURSERY] = nursery.usage;
	usage[GEN_OLD] = old.usage;
	usage[GEN_LARGE] = large.usage;
}
