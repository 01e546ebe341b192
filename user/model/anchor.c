/* SPDX-License-Identifier: BSD-2-Clause */
#include "anchor.h"

#include <errno.h>
#include <stdlib.h>

struct match {
	struct objects *objects;
	const struct anchor_options *options;
	struct anchor *result;
	struct chunk *chunk;
	struct object *merged; /* room for all */
	uint32_t count;
};

static void sort_told(struct chunk *chunk)
{
	for (uint32_t i = 1; i < chunk->told_count; i++) {
		if (chunk->told[i].offset < chunk->told[i - 1].offset) {
			qsort(chunk->told, chunk->told_count, sizeof(*chunk->told),
			      object__by_offset);
			return;
		}
	}
}

static uint64_t told_size(const struct objects *objects, const struct object *object,
			  uint64_t address)
{
	if (object->size < UINT32_MAX)
		return object->size;
	for (size_t i = 0; i < objects->told_huge.count; i++)
		if (objects->told_huge.items[i].id == address)
			return objects->told_huge.items[i].size;
	return UINT32_MAX;
}

static int add_new(struct match *match, struct object *told)
{
	uint64_t address = chunk__address(match->chunk, told);
	const struct anchor_options *options = match->options;

	if (!objects__name(match->objects, told, told_size(match->objects, told, address)))
		return 0;
	told->birth = options->birth < OBJECT_BIRTH_MOST ? options->birth : OBJECT_BIRTH_MOST;
	told->flags = options->state(options->context, address);
	match->merged[match->count++] = *told;
	match->objects->count++;
	match->result->new_++;
	for (unsigned int slot = 0; slot < OBJECT_SLOTS; slot++)
		if (object__state(told, slot) != OBJECT_UNTOUCHED &&
		    objects__hold(match->objects, match->chunk, slot, 1))
			return -ENOMEM;
	if (options->came)
		options->came(options->context, told, address);
	return 0;
}

static int compare(struct match *match, const struct object *known, struct object *told)
{
	uint64_t address = chunk__address(match->chunk, told);

	if (known->type == told->type && objects__size(match->objects, known) ==
						 told_size(match->objects, told, address)) {
		match->merged[match->count++] = *known;
		match->result->matched++;
		return 0;
	}
	match->result->conflicts++;
	objects__leave(match->objects, match->chunk, known, OBJECT_CONFLICT);
	return add_new(match, told);
}

static int miss(struct match *match, const struct object *known)
{
	const struct anchor_options *options = match->options;

	if (!options->whole) {
		match->merged[match->count++] = *known;
		return options->missed ? options->missed(options->context, known) : 0;
	}
	match->result->gone++;
	objects__leave(match->objects, match->chunk, known, OBJECT_GONE);
	return 0;
}

static int merge(struct match *match)
{
	const struct chunk *chunk = match->chunk;
	uint32_t i = 0, j = 0;
	int err = 0;

	while (!err && (i < chunk->count || j < chunk->told_count)) {
		if (j > 0 && j < chunk->told_count &&
		    chunk->told[j].offset == chunk->told[j - 1].offset) {
			match->result->repeated++;
			j++;
		} else if (j == chunk->told_count ||
			   (i < chunk->count && chunk->items[i].offset < chunk->told[j].offset)) {
			err = miss(match, &chunk->items[i++]);
		} else if (i == chunk->count || chunk->told[j].offset < chunk->items[i].offset) {
			err = add_new(match, &chunk->told[j++]);
		} else {
			err = compare(match, &chunk->items[i++], &chunk->told[j++]);
		}
	}
	return err;
}

static int match_chunk(struct match *match)
{
	struct chunk *chunk = match->chunk;
	uint32_t most = chunk->count + chunk->told_count;
	int err;

	match->result->told += chunk->told_count;
	match->count = 0;
	match->merged = malloc(most * sizeof(*match->merged));
	if (!match->merged)
		return -ENOMEM;
	sort_told(chunk);
	err = merge(match);
	free(chunk->items);
	chunk__drop_told(chunk);
	chunk->items = match->merged;
	chunk__shrink(chunk, match->count);
	return err;
}

int anchor__match(struct objects *objects, const struct anchor_options *options,
		  struct anchor *result)
{
	struct match match = { .objects = objects, .options = options, .result = result };
	int err = objects__sort(objects);

	for (size_t i = 0; i < objects->sorted.count && !err; i++) {
		match.chunk = objects->sorted.items[i];
		if (match.chunk->told_count ||
		    ((options->whole || options->missed) && match.chunk->count))
			err = match_chunk(&match);
	}
	vec__reset(&objects->told_huge);
	return err;
}

static int by_id(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

/* Returns how many left. */
static uint32_t remove_those(struct objects *objects, struct chunk *chunk, const uint64_t *ids,
			     size_t count)
{
	uint32_t kept = 0, before = chunk->count;

	for (uint32_t i = 0; i < before; i++) {
		uint64_t id = object__id(&chunk->items[i]);

		if (bsearch(&id, ids, count, sizeof(*ids), by_id))
			objects__leave(objects, chunk, &chunk->items[i], OBJECT_GONE);
		else
			chunk->items[kept++] = chunk->items[i];
	}
	if (kept < before)
		chunk__shrink(chunk, kept);
	return before - kept;
}

int anchor__gone(struct objects *objects, uint64_t *ids, size_t count, struct anchor *result)
{
	int err = count ? objects__sort(objects) : 0;

	if (count)
		qsort(ids, count, sizeof(*ids), by_id);
	for (size_t i = 0; i < objects->sorted.count && count && !err; i++)
		result->gone += remove_those(objects, objects->sorted.items[i], ids, count);
	return err;
}

static void drop_told(const struct chunks *chunks)
{
	for (size_t i = 0; i < chunks->count; i++)
		chunk__drop_told(chunks->items[i]);
}

void anchor__drop(struct objects *objects)
{
	drop_told(&objects->sorted);
	drop_told(&objects->fresh);
	vec__reset(&objects->told_huge);
}
