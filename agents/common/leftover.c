/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * By the library's own door: we allocate what is free, let its pages go, and free it again. Pieces
 * are small enough never to be mappings of their own. One whose pages are not there tells that no
 * further ones are, either: the library hands out what was used before it takes new memory.
 */
#include "leftover.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define PIECE (120u << 10)
#define PIECES 1024 /* what is larger than they are together was a mapping of its own */

struct piece {
	struct piece *next;
};

/* The pages that are wholly in it, behind the one that we write to. */
static unsigned char *pages_of(struct piece *piece, size_t page, size_t *count)
{
	const uintptr_t start = ((uintptr_t)(piece + 1) + page - 1) & ~(page - 1);

	*count = ((uintptr_t)piece + PIECE - start) / page;
	return (unsigned char *)start;
}

static bool let_go(struct piece *piece, size_t page)
{
	unsigned char resident[PIECE / 4096] = { 0 };
	size_t count, there = 0;
	unsigned char *pages = pages_of(piece, page, &count);

	if (!count || mincore(pages, count * page, resident))
		return false;
	for (size_t i = 0; i < count; i++)
		there += resident[i] & 1;
	if (there)
		madvise(pages, count * page, MADV_DONTNEED);
	return there > 0;
}

void leftover__give_back(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct piece *all = NULL;

	for (unsigned i = 0; i < PIECES; i++) {
		struct piece *piece = malloc(PIECE);
		bool was_used;

		if (!piece)
			break;
		was_used = let_go(piece, page);
		piece->next = all;
		all = piece;
		if (!was_used)
			break;
	}
	while (all) {
		struct piece *next = all->next;

		free(all);
		all = next;
	}
}
