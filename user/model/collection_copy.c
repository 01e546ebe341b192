/* SPDX-License-Identifier: BSD-2-Clause */
#include "collection_copy.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/* What is behind each other needs no gaps. */
_Static_assert(alignof(struct collection_pool) <= 8 && sizeof(struct collection_copy) % 8 == 0 &&
		       sizeof(struct collection_pool) % 8 == 0 && sizeof(struct pause) % 8 == 0,
	       "arrays behind each other");

static size_t texts_of(const struct collection *collection)
{
	size_t bytes = collection->what.bytes + collection->cause.bytes;

	for (size_t i = 0; i < collection->pool_count; i++)
		bytes += collection->pools[i].name.bytes;
	for (size_t i = 0; i < collection->pauses_kept; i++)
		bytes += collection->pauses[i].what.bytes;
	for (size_t i = 0; i < collection->figure_count; i++)
		bytes += collection->figures[i].name.bytes;
	return bytes;
}

/* Takes *bytes from *room. */
static void *put(char **room, const void *from, size_t bytes)
{
	char *at = *room;

	if (bytes)
		memcpy(at, from, bytes);
	*room += bytes;
	return at;
}

static void put_text(char **room, struct text *text)
{
	text->at = put(room, text->at, text->bytes);
}

struct collection_copy *collection_copy__new(const struct collection *collection)
{
	const size_t pools = collection->pool_count * sizeof(*collection->pools);
	const size_t pauses = collection->pauses_kept * sizeof(*collection->pauses);
	const size_t figures = collection->figure_count * sizeof(*collection->figures);
	struct collection_copy *kept =
		malloc(sizeof(*kept) + pools + pauses + figures + texts_of(collection));
	struct collection_pool *own_pools;
	struct pause *own_pauses;
	struct collection_figure *own_figures;
	char *room = (char *)(kept + 1);

	if (!kept)
		return NULL;
	*kept = (struct collection_copy){ .is = *collection };
	own_pools = put(&room, collection->pools, pools);
	own_pauses = put(&room, collection->pauses, pauses);
	own_figures = put(&room, collection->figures, figures);
	put_text(&room, &kept->is.what);
	put_text(&room, &kept->is.cause);
	for (size_t i = 0; i < collection->pool_count; i++)
		put_text(&room, &own_pools[i].name);
	for (size_t i = 0; i < collection->pauses_kept; i++)
		put_text(&room, &own_pauses[i].what);
	for (size_t i = 0; i < collection->figure_count; i++)
		put_text(&room, &own_figures[i].name);
	kept->is.pools = own_pools;
	kept->is.pauses = own_pauses;
	kept->is.figures = own_figures;
	return kept;
}
