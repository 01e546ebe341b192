/* SPDX-License-Identifier: BSD-2-Clause */
/* The end of a phase: chunks in order again, and no two objects at one address. */
#include <errno.h>
#include <stdlib.h>

#include "objects.h"

/* No two of them at one address: who is who is not known any more. */
static void drop_clashes(struct objects *objects, struct chunk *chunk, uint64_t *clashes)
{
	struct object *items = chunk->items;
	uint32_t kept = 0, i = 0;

	while (i < chunk->count) {
		uint32_t next = i + 1;

		while (next < chunk->count && items[next].offset == items[i].offset)
			next++;
		if (next == i + 1) {
			items[kept++] = items[i++];
			continue;
		}
		(*clashes)++;
		for (; i < next; i++)
			objects__leave(objects, chunk, &items[i], OBJECT_WITHDRAWN);
	}
	chunk->count = kept;
}

static bool has_clashes(const struct chunk *chunk)
{
	for (uint32_t i = 1; i < chunk->count; i++)
		if (chunk->items[i].offset == chunk->items[i - 1].offset)
			return true;
	return false;
}

static int settle(struct objects *objects, struct chunk *chunk, uint64_t *clashes)
{
	bool may_share;

	chunk__drop_hits(chunk);
	if (chunk->arrival_count == 0) {
		free(chunk->arrivals);
		chunk->arrivals = NULL;
		chunk->arrival_alloc = 0;
		chunk__shrink(chunk, chunk->count);
		return 0;
	}
	if (chunk__merge(chunk, &may_share))
		return -ENOMEM;
	if (may_share && has_clashes(chunk))
		drop_clashes(objects, chunk, clashes);
	return 0;
}

int objects__settle(struct objects *objects, uint64_t *clashes)
{
	for (size_t i = 0; i < objects->touched.count; i++) {
		struct chunk *chunk = objects->touched.items[i];

		if (settle(objects, chunk, clashes))
			return -ENOMEM;
		chunk->touched = false;
	}
	vec__reset(&objects->touched);
	return 0;
}
