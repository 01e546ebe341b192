/* SPDX-License-Identifier: BSD-2-Clause */
#include "tape.h"

#include <stdlib.h>
#include <string.h>

#include "attach/ring.h"

static void keep(struct tape *tape, const struct record *record, bool dump)
{
	struct taped *item;

	if (tape->count == tape->alloc) {
		tape->alloc = tape->alloc ? tape->alloc * 2 : 64;
		tape->items = realloc(tape->items, tape->alloc * sizeof(*tape->items));
		if (!tape->items)
			abort();
	}
	item = &tape->items[tape->count++];
	item->dump = dump;
	item->record = malloc(record->bytes);
	if (!item->record)
		abort();
	memcpy(item->record, record, record->bytes);
}

static size_t drain_ring(struct tape *tape, const struct session_ring *from)
{
	struct ring ring = { 0 };
	struct ring_item item;
	uint64_t at, end;
	size_t count = 0;

	if (ring__open(&ring, from->fd, from->bytes))
		abort();
	at = ring__consumer(&ring);
	end = ring__producer(&ring);
	while (at < end && ring__look(&ring, at, end, &item) == 0 && item.state != RING_BUSY) {
		if (item.state == RING_READY) {
			count++;
			if (tape)
				keep(tape, ring__get(&ring, &item), from->dump);
		}
		at = item.next;
		ring__release(&ring, at);
	}
	ring__close(&ring);
	return count;
}

static size_t drain(struct tape *tape, const struct session *session)
{
	struct session_ring ring;
	size_t count = 0;

	for (size_t slot = 0; slot < session__ring_count(session); slot++)
		if (session__ring(session, slot, &ring) == 0)
			count += drain_ring(tape, &ring);
	return count;
}

void tape__drain(struct tape *tape, const struct session *session)
{
	drain(tape, session);
}

size_t tape__skip(const struct session *session)
{
	return drain(NULL, session);
}

const struct record *tape__find(const struct tape *tape, unsigned int kind, size_t nth)
{
	for (size_t i = 0; i < tape->count; i++)
		if (tape->items[i].record->kind == kind && nth-- == 0)
			return tape->items[i].record;
	return NULL;
}

size_t tape__count(const struct tape *tape, unsigned int kind)
{
	size_t count = 0;

	for (size_t i = 0; i < tape->count; i++)
		count += tape->items[i].record->kind == kind;
	return count;
}

void tape__free(struct tape *tape)
{
	for (size_t i = 0; i < tape->count; i++)
		free(tape->items[i].record);
	free(tape->items);
	*tape = (struct tape){ 0 };
}
