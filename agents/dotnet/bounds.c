/* SPDX-License-Identifier: BSD-2-Clause */
#include "bounds.h"

#include <stdatomic.h>
#include <sys/mman.h>

#define PARTS_AT_FIRST 1024

/* Two tables, so that one can be got while a collection reads the other. */
struct parts {
	struct generation_range *items;
	uint32_t room;
};

static struct parts tables[2];
static _Atomic(struct parts *) table = &tables[0]; /* to be used from the next look on */
static struct parts in_use;	 /* by the collector's threads */
static uint32_t count;		 /* 0: nothing is known */
static _Atomic uint32_t wanted;	 /* how many parts there were at the last look */

static size_t bytes_of(uint32_t room)
{
	return room * sizeof(struct generation_range);
}

static bool get(struct parts *parts, uint32_t room)
{
	void *memory = mmap(NULL, bytes_of(room), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	*parts = (struct parts){ memory, room };
	return true;
}

bool bounds__init(void)
{
	return get(&tables[0], PARTS_AT_FIRST);
}

/* The table before this one was given back at the earliest one growth after it was left. */
void bounds__make_room(void)
{
	struct parts *now = atomic_load(&table), *next = &tables[now == &tables[0]];
	const uint32_t need = atomic_load(&wanted);

	if (need <= now->room / 2)
		return;
	if (next->items)
		munmap(next->items, bytes_of(next->room));
	*next = (struct parts){ 0 };
	if (get(next, need * 4))
		atomic_store(&table, next);
}

/* ---- Sorted by start: a heap, in place ---- */

static void sink_down(struct generation_range *items, uint32_t at, uint32_t end)
{
	const struct generation_range item = items[at];

	for (uint32_t child; (child = 2 * at + 1) < end; at = child) {
		if (child + 1 < end && items[child + 1].start > items[child].start)
			child++;
		if (items[child].start <= item.start)
			break;
		items[at] = items[child];
	}
	items[at] = item;
}

static void sort(struct generation_range *items, uint32_t n)
{
	for (uint32_t at = n / 2; at-- > 0;)
		sink_down(items, at, n);
	for (uint32_t end = n; end-- > 1;) {
		const struct generation_range last = items[end];

		items[end] = items[0];
		items[0] = last;
		sink_down(items, 0, end);
	}
}

void bounds__look(void)
{
	uint32_t n = 0;

	in_use = *atomic_load(&table);
	count = 0;
	if (CLR_CALL(get_generation_bounds, in_use.room, &n, in_use.items) < 0)
		return;
	atomic_store(&wanted, n);
	if (n > in_use.room)
		return;
	sort(in_use.items, n);
	count = n;
}

bool bounds__are_known(void)
{
	return count > 0;
}

static bool is_a_generation(const struct generation_range *part)
{
	return part->generation >= 0 && part->generation < GENERATIONS;
}

void bounds__sizes(uint64_t sizes[GENERATIONS])
{
	for (unsigned i = 0; i < GENERATIONS; i++)
		sizes[i] = count ? 0 : UINT64_MAX;
	for (uint32_t i = 0; i < count; i++) {
		if (is_a_generation(&in_use.items[i]))
			sizes[in_use.items[i].generation] += in_use.items[i].used;
	}
}

/* The last part that does not start behind it. */
static uint32_t part_before(uint64_t address)
{
	uint32_t low = 0, high = count;

	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;

		if (in_use.items[middle].start <= address)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* ---- What became of gen1 ---- */

#define REMEMBERED 1024 /* parts; of those behind them nothing else is to be expected */

static struct {
	struct generation_range parts[REMEMBERED]; /* of gen1 */
	uint32_t count;
	uint64_t gen2_bytes;
} memory;

static uint64_t bytes_of_gen2(void)
{
	uint64_t sizes[GENERATIONS];

	bounds__sizes(sizes);
	return sizes[2];
}

void bounds__remember(void)
{
	memory.count = 0;
	memory.gen2_bytes = bytes_of_gen2();
	for (uint32_t i = 0; i < count && memory.count < REMEMBERED; i++) {
		if (in_use.items[i].generation == 1)
			memory.parts[memory.count++] = in_use.items[i];
	}
}

/* Of a part that stays the unused end may be given back, which is little. */
static bool has_stayed(const struct generation_range *part)
{
	for (uint32_t i = part_before(part->start); count && i < count; i++) {
		const struct generation_range *now = &in_use.items[i];

		if (now->start > part->start)
			break;
		if (now->start == part->start && now->generation == 1)
			return now->used >= part->used / 2;
	}
	return false;
}

bool bounds__gen1_was_collected(void)
{
	for (uint32_t i = 0; i < memory.count; i++) {
		if (!has_stayed(&memory.parts[i]))
			return true;
	}
	return memory.gen2_bytes != bytes_of_gen2();
}

struct bounds_part bounds__part(uint64_t address, uint32_t otherwise)
{
	struct bounds_part part = { .generation = otherwise };
	const struct generation_range *item;

	if (!count)
		return part;
	item = &in_use.items[part_before(address)];
	if (is_a_generation(item) && address - item->start < item->reserved)
		part = (struct bounds_part){ item->start, item->reserved,
					     (uint32_t)item->generation };
	return part;
}

void bounds__write(struct gctrace_writer *writer, enum gctrace_when when, uint64_t gc)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct generation_range *part = &in_use.items[i];

		gctrace_write_generation(writer, when, gc, (uint32_t)part->generation, part->start,
					 part->used, part->reserved);
	}
}
