/* SPDX-License-Identifier: BSD-2-Clause */
#include "marks.h"

#include <string.h>
#include <sys/mman.h>

struct marks marks;

void marks__init(void)
{
	marks.starts = reserve(0, heap.old_bytes / 64, "mark bits");
	marks.live = reserve(0, heap.old_bytes / 64, "mark bits");
}

void marks__clear(uint64_t end)
{
	const uint64_t bytes = round_up(end - heap.old, BLOCK_BYTES) / 64;

	memset(marks.starts, 0, bytes);
	memset(marks.live, 0, bytes);
}

void marks__unset(uint64_t address, uint64_t bytes)
{
	const uint64_t from = marks__bit(address);

	marks.starts[from >> 6] &= ~((uint64_t)1 << (from & 63));
	for (uint64_t bit = from; bit < from + (bytes >> 3); bit++)
		marks.live[bit >> 6] &= ~((uint64_t)1 << (bit & 63));
}

static uint64_t search(const uint64_t *map, uint64_t from, uint64_t to, uint64_t flip)
{
	uint64_t word, i = from >> 6;

	if (from >= to)
		return to;
	word = (map[i] ^ flip) & ~(uint64_t)0 << (from & 63);
	while (!word) {
		if (++i << 6 >= to)
			return to;
		word = map[i] ^ flip;
	}
	from = (i << 6) + (uint64_t)__builtin_ctzll(word);
	return from < to ? from : to;
}

uint64_t marks__next_set(const uint64_t *map, uint64_t from, uint64_t to)
{
	return search(map, from, to, 0);
}

uint64_t marks__next_clear(const uint64_t *map, uint64_t from, uint64_t to)
{
	return search(map, from, to, ~(uint64_t)0);
}
