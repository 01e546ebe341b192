/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The objects of a record OBJECTS (wire.h), number by number:
 *
 *	object_reader__head(&reader, &event);          event.object, but for its references
 *	for (; reader.left; reader.left--)
 *		object_reader__reference(&reader, event.object.id, &reference);
 *
 * What they gave is good if reader.cursor is not bad behind it.
 */
#ifndef STREAM_OBJECT_READER_H
#define STREAM_OBJECT_READER_H

#include "event.h"
#include "gctrace/wire.h"
#include "varint.h"

struct object_reader {
	struct cursor cursor;
	uint64_t last; /* address of the object before; at first the record's base */
	unsigned int bits, shift;
	uint64_t place, left; /* of the references of this object */
};

static inline void object_reader__head(struct object_reader *reader, struct event *event)
{
	struct cursor *cursor = &reader->cursor;
	uint64_t difference;

	reader->bits = cursor__byte(cursor);
	reader->shift = reader->bits & GCTRACE_OBJECT_PLAIN ? 0 : 3;
	difference = varint__read_signed(cursor);
	event->object.id = ((reader->last >> reader->shift) + difference) << reader->shift;
	reader->last = event->object.id;
	event->object.class_ = varint__read(cursor);
	event->object.size = event__size(varint__read(cursor) << reader->shift);
	event->object.flags = reader->bits & GCTRACE_OBJECT_FLAGS ? varint__read_flags(cursor) : 0;
	reader->place = reader->bits & GCTRACE_OBJECT_PART ? varint__read(cursor) : 0;
	reader->left = varint__read(cursor);
	event->object.places = reader->bits & GCTRACE_PLACE_MASK;
}

static inline void object_reader__reference(struct object_reader *reader, uint64_t object,
					    struct reference *reference)
{
	struct cursor *cursor = &reader->cursor;
	uint64_t value = varint__read(cursor);
	const unsigned int places = reader->bits & GCTRACE_PLACE_MASK;

	if (value == 0)
		reference->to = 0;
	else
		reference->to = ((object >> reader->shift) + varint__unzigzag(value - 1))
				<< reader->shift;
	reference->flags =
		reader->bits & GCTRACE_OBJECT_REF_FLAGS ? varint__read_flags(cursor) : 0;
	reference->reserved = 0;
	if (places == GCTRACE_PLACE_POSITION)
		reference->place = reader->place++;
	else if (places == GCTRACE_PLACE_UNKNOWN)
		reference->place = EVENT_UNKNOWN;
	else
		reference->place = varint__read(cursor);
}

#endif
