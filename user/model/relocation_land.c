/* SPDX-License-Identifier: BSD-2-Clause */
/* What lay where something moves to: dead, or a sign that a range is wrong. */
#include <errno.h>

#include "base/search.h"
#include "relocation_private.h"

#define NEAR_CHUNKS 16 /* of a range over that few, each is looked up by itself */

static bool is_condemned_elsewhere(const struct object *object, enum object_state state)
{
	for (unsigned int slot = 0; slot < OBJECT_SLOTS; slot++)
		if (object__state(object, slot) == state)
			return true;
	return false;
}

/* Something moves onto an object. *live: it should not. */
static int land_on(struct relocation *r, struct chunk *chunk, struct object *object, bool *live)
{
	const enum object_state state = object__state(object, r->slot);

	if (state == OBJECT_CONDEMNED)
		return relocation__hit(r, chunk, object, OBJECT_DEAD);
	if (state == OBJECT_PERHAPS)
		return relocation__hit(r, chunk, object, OBJECT_WITHDRAWN);
	if (state == OBJECT_UNTOUCHED && is_condemned_elsewhere(object, OBJECT_CONDEMNED))
		return relocation__hit(r, chunk, object, OBJECT_DEAD);
	if (state == OBJECT_UNTOUCHED && is_condemned_elsewhere(object, OBJECT_PERHAPS))
		return relocation__hit(r, chunk, object, OBJECT_WITHDRAWN);
	*live = true;
	return relocation__hit(r, chunk, object, OBJECT_WITHDRAWN);
}

static int land_in(struct relocation *r, struct chunk *chunk, const struct range *range, bool *live)
{
	uint64_t base = chunk->number << CHUNK_SHIFT, last = range->new_ + range->length - 1;
	uint32_t i;

	if (chunk->count == 0)
		return 0;
	i = range->new_ > base ? chunk__index(chunk, range->new_ - base) : 0;
	for (; i < chunk->count && base + chunk->items[i].offset <= last; i++)
		if (land_on(r, chunk, &chunk->items[i], live))
			return -ENOMEM;
	return 0;
}

static int land(struct relocation *r, const struct range *range, bool *live)
{
	uint64_t first = range->new_ >> CHUNK_SHIFT;
	uint64_t last = (range->new_ + range->length - 1) >> CHUNK_SHIFT;
	struct objects *objects = r->objects;
	struct chunk *chunk;

	if (last - first < NEAR_CHUNKS) {
		for (uint64_t number = first; number <= last; number++) {
			chunk = objects__find(objects, number);
			if (chunk && land_in(r, chunk, range, live))
				return -ENOMEM;
		}
		return 0;
	}
	for (size_t i = objects__index(objects, 0, first); i < objects->sorted.count; i++) {
		chunk = objects->sorted.items[i];
		if (chunk->number > last)
			break;
		if (land_in(r, chunk, range, live))
			return -ENOMEM;
	}
	return 0;
}

static bool is_in_spans(const struct spans *sealed, uint64_t address)
{
	const size_t begun = search__front(sealed->of.items, sealed->of.count, span,
					   span->start <= address);

	return begun > 0 && address < sealed->of.items[begun - 1].end;
}

/* Whatever landed where a range was wrong. */
static int withdraw_blamed(struct relocation *r, struct phase *phase)
{
	struct objects *objects = r->objects;

	if (phase->blamed.overflowed)
		return -ENOMEM;
	spans__seal(&phase->blamed);
	for (size_t i = 0; i < objects->touched.count; i++) {
		struct chunk *chunk = objects->touched.items[i];

		for (uint32_t j = 0; j < chunk->arrival_count; j++) {
			struct object *object = &chunk->arrivals[j];

			if (is_in_spans(&phase->blamed, chunk__address(chunk, object)) &&
			    relocation__hit(r, chunk, object, OBJECT_WITHDRAWN))
				return -ENOMEM;
		}
	}
	return 0;
}

int phase__land(struct relocation *r, struct phase *phase)
{
	for (size_t i = 0; i < phase->count; i++) {
		const struct range *range = &phase->ranges[i];
		bool live = false;

		if (range__distance(range) == 0)
			continue;
		if (land(r, range, &live))
			return -ENOMEM;
		if (!live)
			continue;
		relocation__note(r, ODD_ONTO_LIVE, range);
		if (!spans__add(&phase->blamed, range->new_, range->new_ + range->length))
			return -ENOMEM;
	}
	return phase->blamed.of.count ? withdraw_blamed(r, phase) : 0;
}
