/* SPDX-License-Identifier: BSD-2-Clause */
#include "chunk.h"

#include <errno.h>
#include <stdlib.h>

#include "base/search.h"

void chunk__free(struct chunk *chunk)
{
	if (!chunk)
		return;
	free(chunk->items);
	free(chunk->arrivals);
	free(chunk->told);
	free(chunk);
}

bool chunk__is_idle(const struct chunk *chunk)
{
	return chunk->count == 0 && chunk->arrival_count == 0 && chunk->told_count == 0 &&
	       !chunk->touched && !chunk->listed[0] && !chunk->listed[1] && !chunk->listed[2];
}

uint32_t chunk__index(const struct chunk *chunk, uint64_t offset)
{
	return (uint32_t)search__front(chunk->items, chunk->count, object,
				       object->offset < offset);
}

int chunk__reserve(struct chunk *chunk, uint32_t extra, uint32_t guess)
{
	uint32_t need = chunk->arrival_count + extra, alloc = chunk->arrival_alloc;
	struct object *arrivals;

	if (need <= alloc)
		return 0;
	alloc = alloc ? 2 * alloc : guess;
	alloc = chunk__room(alloc < need ? need : alloc);
	arrivals = realloc(chunk->arrivals, (size_t)alloc * sizeof(*arrivals));
	if (!arrivals)
		return -ENOMEM;
	chunk->arrivals = arrivals;
	chunk->arrival_alloc = alloc;
	return 0;
}

int chunk__tell(struct chunk *chunk, const struct object *object)
{
	if (chunk->told_count == chunk->told_alloc) {
		uint32_t alloc = chunk->told_alloc ? chunk->told_alloc + chunk->told_alloc / 2 : 32;
		struct object *told = realloc(chunk->told, (size_t)alloc * sizeof(*told));

		if (!told)
			return -ENOMEM;
		chunk->told = told;
		chunk->told_alloc = alloc;
	}
	chunk->told[chunk->told_count++] = *object;
	return 0;
}

void chunk__drop_told(struct chunk *chunk)
{
	free(chunk->told);
	chunk->told = NULL;
	chunk->told_count = chunk->told_alloc = 0;
}

void chunk__shrink(struct chunk *chunk, uint32_t count)
{
	struct object *items;

	chunk->count = count;
	if (count == 0) {
		free(chunk->items);
		chunk->items = NULL;
		chunk->alloc = 0;
		return;
	}
	items = realloc(chunk->items, count * sizeof(*items));
	if (!items)
		return;
	chunk->items = items;
	chunk->alloc = count;
}

static uint32_t drop_hits(struct object *items, uint32_t count)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++)
		if (!(items[i].flags & OBJECT_HIT))
			items[kept++] = items[i];
	return kept;
}

void chunk__drop_hits(struct chunk *chunk)
{
	if (!chunk->hit)
		return;
	chunk->count = drop_hits(chunk->items, chunk->count);
	chunk->arrival_count = drop_hits(chunk->arrivals, chunk->arrival_count);
	chunk->hit = false;
}
