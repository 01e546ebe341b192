/* SPDX-License-Identifier: BSD-2-Clause */
#include "lane.h"

#include <stdlib.h>
#include <string.h>

#include "attach/ring.h"

#define RECORD_SMALLEST sizeof(struct record)

struct lane *lane__new(struct ring *ring, unsigned int number)
{
	struct lane *lane = calloc(1, sizeof(*lane));

	if (!lane)
		return NULL;
	lane->ring = ring;
	lane->number = number;
	lane->seen = ring__consumer(ring);
	return lane;
}

void lane__free(struct lane *lane)
{
	if (!lane)
		return;
	vec__free(&lane->slots);
	vec__free(&lane->busy);
	free(lane);
}

static struct lane_slot *slot_of(const struct lane *lane, uint64_t slot)
{
	return &lane->slots.items[slot - lane->first];
}

static struct ring_item item_of(const struct lane *lane, uint64_t slot)
{
	const struct lane_slot *found = slot_of(lane, slot);

	return (struct ring_item){ .position = found->position, .bytes = found->bytes };
}

size_t lane__bytes(const struct lane *lane, uint64_t slot)
{
	return slot_of(lane, slot)->bytes;
}

size_t lane__peek(const struct lane *lane, uint64_t slot, void *to, size_t bytes)
{
	struct ring_item item = item_of(lane, slot);

	if (bytes > item.bytes)
		bytes = item.bytes;
	ring__peek(lane->ring, &item, to, bytes);
	return bytes;
}

/* A slot has become ready or discarded. */
static int settle(struct lane *lane, uint64_t slot, enum ring_state state,
		  struct waitings *waitings, uint64_t *malformed)
{
	struct record head;

	if (state == RING_DISCARDED) {
		lane__done(lane, slot);
		return 0;
	}
	if (lane__peek(lane, slot, &head, sizeof(head)) < RECORD_SMALLEST) {
		lane__done(lane, slot);
		*malformed += 1;
		return 0;
	}
	return vec__push(waitings,
			 (struct waiting){ .stamp = head.stamp, .lane = lane, .slot = slot });
}

/* Look again at those that were busy the last time. */
static int look_at_busy(struct lane *lane, uint64_t producer, struct waitings *waitings,
			uint64_t *malformed)
{
	size_t left = 0;
	int err = 0;

	for (size_t i = 0; i < lane->busy.count; i++) {
		uint64_t busy = lane->busy.items[i];
		struct ring_item item;

		if (!err)
			err = ring__look(lane->ring, slot_of(lane, busy)->position, producer,
					 &item);
		if (err || item.state == RING_BUSY) {
			lane->busy.items[left++] = busy;
			continue;
		}
		slot_of(lane, busy)->bytes = item.bytes;
		err = settle(lane, busy, item.state, waitings, malformed);
	}
	lane->busy.count = left;
	return err;
}

int lane__look(struct lane *lane, struct waitings *waitings, uint64_t *malformed)
{
	uint64_t producer = ring__producer(lane->ring);
	struct ring_item item;
	int err;

	err = look_at_busy(lane, producer, waitings, malformed);
	while (!err && lane->seen < producer) {
		uint64_t slot = lane->first + lane->slots.count;

		err = ring__look(lane->ring, lane->seen, producer, &item);
		if (err)
			break;
		err = vec__push(&lane->slots, (struct lane_slot){ .position = item.position,
								  .bytes = item.bytes });
		if (err)
			break;
		if (item.state == RING_BUSY)
			err = vec__push(&lane->busy, slot);
		else
			err = settle(lane, slot, item.state, waitings, malformed);
		lane->seen = item.next;
	}
	return err;
}

const struct record *lane__record(struct lane *lane, uint64_t slot, int *err)
{
	struct ring_item item = item_of(lane, slot);
	const struct record *record = ring__get(lane->ring, &item);

	if (!record) {
		*err = -ENOMEM;
		return NULL;
	}
	if (record->bytes < RECORD_SMALLEST || record->bytes > item.bytes) {
		*err = -EBADMSG;
		return NULL;
	}
	return record;
}

void lane__done(struct lane *lane, uint64_t slot)
{
	slot_of(lane, slot)->done = 1;
}

/* Slots are forgotten when they are the larger part, so that each is moved once on average. */
static void forget(struct lane *lane)
{
	size_t left = lane->slots.count - lane->freed;

	if (lane->freed < left || !lane->freed)
		return;
	memmove(lane->slots.items, lane->slots.items + lane->freed,
		left * sizeof(*lane->slots.items));
	lane->slots.count = left;
	lane->first += lane->freed;
	lane->freed = 0;
}

void lane__release(struct lane *lane)
{
	size_t before = lane->freed;

	while (lane->freed < lane->slots.count && lane->slots.items[lane->freed].done)
		lane->freed++;
	if (lane->freed == before)
		return;
	ring__release(lane->ring, lane->freed < lane->slots.count ?
					  lane->slots.items[lane->freed].position :
					  lane->seen);
	forget(lane);
}
