/* SPDX-License-Identifier: BSD-2-Clause */
#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../base/ram.h"

#define SMALLEST_PILE 64u
#define SHARE_TO_GROW 4 /* by a quarter at least */

/* Smaller ones come from the allocator, and with a sanitizer all do, so that it sees overruns. */
#ifdef __SANITIZE_ADDRESS__
#define FROM_KERNEL UINT64_MAX
#else
#define FROM_KERNEL (UINT64_C(256) << 10)
#endif

#define HUGE_PAGE (UINT64_C(2) << 20)
#define HUGE_FROM HUGE_PAGE

static bool fits(const struct memory *memory, uint64_t bytes, uint64_t *used)
{
	return !__builtin_add_overflow(memory->used, bytes, used) &&
	       (!memory->limit || *used <= memory->limit);
}

static bool count(struct memory *memory, uint64_t bytes)
{
	uint64_t used;

	if (!fits(memory, bytes, &used))
		memory__release(memory);
	if (!fits(memory, bytes, &used)) {
		memory->refused = true;
		ram__over(used > memory->limit ? used - memory->limit : 1);
		return false;
	}
	memory->used = used;
	if (used > memory->highest)
		memory->highest = used;
	return true;
}

static void *map(uint64_t bytes, int protection)
{
	void *at = mmap(NULL, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		ram__refused(bytes);
	return at == MAP_FAILED ? NULL : at;
}

static uint64_t whole(uint64_t bytes, uint64_t unit)
{
	return (bytes + unit - 1) & ~(unit - 1);
}

static uint64_t whole_pages(uint64_t bytes)
{
	return whole(bytes, (uint64_t)sysconf(_SC_PAGESIZE));
}

/* Where a huge page begins, so that all of it can lie on such. */
static void *map_aligned(uint64_t bytes, int protection)
{
	uint8_t *from = map(bytes + HUGE_PAGE, protection), *at, *end;

	if (!from)
		return NULL;
	end = from + whole_pages(bytes + HUGE_PAGE);
	at = from + (-(uintptr_t)from & (HUGE_PAGE - 1));
	if (at != from)
		munmap(from, (size_t)(at - from));
	if (at + whole_pages(bytes) != end)
		munmap(at + whole_pages(bytes), (size_t)(end - at - whole_pages(bytes)));
	madvise(at, bytes, MADV_HUGEPAGE); /* no harm where it fails */
	return at;
}

static void *from_kernel(uint64_t bytes, int protection)
{
	return bytes < HUGE_FROM ? map(bytes, protection) : map_aligned(bytes, protection);
}

/*
 * Pages are moved, not copied; to a place as aligned as the old one, so that huge pages stay
 * whole. What a move overwrites is what from_kernel() has just mapped for it.
 */
static void *resize_mapping(void *at, uint64_t bytes, uint64_t new_bytes)
{
	void *to = mremap(at, bytes, new_bytes, 0), *moved;

	if (to != MAP_FAILED)
		return to;
	to = from_kernel(new_bytes, PROT_NONE); /* which no limit counts */
	if (!to)
		return NULL;
	moved = mremap(at, bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (moved == MAP_FAILED) {
		ram__refused(new_bytes);
		munmap(to, new_bytes);
		return NULL;
	}
	if (new_bytes >= HUGE_FROM)
		madvise(moved, new_bytes, MADV_HUGEPAGE);
	return moved;
}

void *memory__get(struct memory *memory, uint64_t bytes)
{
	void *at;

	bytes += bytes == 0;
	if (!count(memory, bytes))
		return NULL;
	at = bytes < FROM_KERNEL ? calloc(1, bytes) : from_kernel(bytes, PROT_READ | PROT_WRITE);
	if (!at)
		memory->used -= bytes;
	return at;
}

void memory__put(struct memory *memory, void *at, uint64_t bytes)
{
	if (!at)
		return;
	bytes += bytes == 0;
	memory->used -= bytes;
	if (bytes < FROM_KERNEL)
		free(at);
	else
		munmap(at, bytes);
}

/* Of a piece that came from the kernel, whatever its size is now. */
static void put_pages(struct memory *memory, void *at, uint64_t bytes)
{
	memory->used -= bytes;
	munmap(at, bytes);
}

void memory__keep(struct memory *memory, void *at, uint64_t bytes)
{
	unsigned int i = 0;

	while (i < MEMORY_KEPT && memory->kept[i].at)
		i++;
	if (!at || bytes < FROM_KERNEL || i == MEMORY_KEPT) {
		memory__put(memory, at, bytes);
		return;
	}
	memory->kept[i].at = at;
	memory->kept[i].bytes = bytes;
}

/* Without its first pages; what is too small to be kept goes back. */
static void shorten_kept(struct memory *memory, struct kept *kept, uint64_t pages)
{
	kept->at += pages;
	kept->bytes -= pages;
	if (kept->bytes >= FROM_KERNEL)
		return;
	put_pages(memory, kept->at, kept->bytes);
	*kept = (struct kept){ NULL, 0 };
}

/* The smallest piece that will do; its rest, in whole pages, stays. */
void *memory__take_kept(struct memory *memory, uint64_t bytes)
{
	const uint64_t pages = whole_pages(bytes);
	unsigned int best = MEMORY_KEPT;
	uint8_t *at;

	for (unsigned int i = 0; i < MEMORY_KEPT && bytes >= FROM_KERNEL; i++)
		if (memory->kept[i].bytes >= bytes &&
		    (best == MEMORY_KEPT || memory->kept[i].bytes < memory->kept[best].bytes))
			best = i;
	if (best == MEMORY_KEPT)
		return NULL;
	at = memory->kept[best].at;
	if (memory->kept[best].bytes > pages) {
		shorten_kept(memory, &memory->kept[best], pages);
		memory->used -= pages - bytes;
	} else {
		memory->used -= memory->kept[best].bytes - bytes;
		memory->kept[best] = (struct kept){ NULL, 0 };
	}
	return at;
}

void *memory__take(struct memory *memory, uint64_t bytes)
{
	void *at = memory__take_kept(memory, bytes);

	return at ? at : memory__get(memory, bytes);
}

void memory__release(struct memory *memory)
{
	for (unsigned int i = 0; i < MEMORY_KEPT; i++) {
		memory__put(memory, memory->kept[i].at, memory->kept[i].bytes);
		memory->kept[i] = (struct kept){ NULL, 0 };
	}
}

/* From the allocator to the kernel or back. */
static void *move(struct memory *memory, void *at, uint64_t bytes, uint64_t new_bytes)
{
	void *to = memory__get(memory, new_bytes);

	if (!to)
		return NULL;
	memcpy(to, at, bytes < new_bytes ? bytes : new_bytes);
	memory__put(memory, at, bytes);
	return to;
}

void *memory__resize(struct memory *memory, void *at, uint64_t bytes, uint64_t new_bytes)
{
	void *to;

	bytes += bytes == 0;
	new_bytes += new_bytes == 0;
	if ((bytes < FROM_KERNEL) != (new_bytes < FROM_KERNEL))
		return move(memory, at, bytes, new_bytes);
	if (new_bytes > bytes && !count(memory, new_bytes - bytes))
		return NULL;
	to = bytes < FROM_KERNEL ? realloc(at, new_bytes) : resize_mapping(at, bytes, new_bytes);
	if (!to && new_bytes > bytes)
		memory->used -= new_bytes - bytes;
	if (to && new_bytes < bytes)
		memory->used -= bytes - new_bytes;
	return to;
}

int memory__error(const struct memory *memory)
{
	return memory->refused ? -EDQUOT : -ENOMEM;
}

int memory__count(struct memory *memory, uint64_t bytes)
{
	return count(memory, bytes) ? 0 : -EDQUOT;
}

void memory__uncount(struct memory *memory, uint64_t bytes)
{
	memory->used -= bytes;
}

/* Whole huge pages, unless the limit has no room for them. */
static uint64_t grown_room(const struct pile *pile, const struct memory *memory, uint64_t least)
{
	uint64_t used, room = pile->room + pile->room / SHARE_TO_GROW;
	const uint64_t most = UINT64_MAX - HUGE_PAGE;

	room = room < SMALLEST_PILE ? SMALLEST_PILE : room;
	room = room < least ? least : room;
	if (room >= HUGE_FROM && room <= most &&
	    fits(memory, whole(room, HUGE_PAGE) - pile->room, &used))
		return whole(room, HUGE_PAGE);
	return room <= most ? whole(room, 8) : room;
}

bool pile__grow(struct pile *pile, struct memory *memory, uint64_t bytes)
{
	uint64_t least, room;
	void *at;

	if (__builtin_add_overflow(pile->used, bytes, &least))
		return false;
	room = grown_room(pile, memory, least);
	at = pile->at ? memory__resize(memory, pile->at, pile->room, room) :
			memory__get(memory, room);
	if (!at)
		return false;
	pile->at = at;
	pile->room = room;
	return true;
}

void pile__warm(struct pile *pile, struct memory *memory, uint64_t bytes)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t used;

	if (bytes > pile->room - pile->used &&
	    (!fits(memory, pile->used + bytes, &used) || !pile__grow(pile, memory, bytes)))
		return;
	for (uint64_t at = 0; at < bytes; at += page)
		pile->at[pile->used + at] = 0;
	if (bytes)
		pile->at[pile->used + bytes - 1] = 0;
}

void pile__trim(struct pile *pile, struct memory *memory)
{
	void *at;

	if (pile->used == pile->room || pile->used == 0)
		return;
	at = memory__resize(memory, pile->at, pile->room, pile->used);
	if (!at)
		return;
	pile->at = at;
	pile->room = pile->used;
}

void pile__cut(struct pile *pile, struct memory *memory, uint64_t least)
{
	const uint64_t head = whole_pages(pile->used);
	uint64_t used;
	void *at;

	if (pile->room < head + least && pile->room >= FROM_KERNEL &&
	    fits(memory, head + least - pile->room, &used)) {
		at = memory__resize(memory, pile->at, pile->room, head + least);
		pile->at = at ? at : pile->at;
		pile->room = at ? head + least : pile->room;
	}
	if (pile->used < FROM_KERNEL || pile->room <= head) {
		pile__trim(pile, memory);
		return;
	}
	if (pile->room - head < FROM_KERNEL)
		put_pages(memory, pile->at + head, pile->room - head);
	else
		memory__keep(memory, pile->at + head, pile->room - head);
	pile->room = head;
}

void pile__begin_in_kept(struct pile *pile, struct memory *memory)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < MEMORY_KEPT; i++)
		most = memory->kept[i].bytes > most ? memory->kept[i].bytes : most;
	pile->at = memory__take_kept(memory, most);
	pile->room = pile->at ? most : 0;
}

void pile__free(struct pile *pile, struct memory *memory)
{
	memory__put(memory, pile->at, pile->room);
	*pile = (struct pile){ 0 };
}
