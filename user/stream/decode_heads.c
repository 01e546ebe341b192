/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Objects without their references, for who counts objects only. Most are near objects
 * (near_object.h); all others are read number by number like those whose references are wanted, by
 * the same functions: so what decode__objects() finds malformed is malformed here, and what it
 * tells before that is told.
 */
#include "decoding.h"
#include "near_object.h"
#include "object_reader.h"

/* Answers what stands behind it; NULL: read it number by number. */
static inline const uint8_t *read_near(const uint8_t *at, const uint8_t *end, uint64_t last,
				       struct object_head *head)
{
	struct near_object object;

	if (!near_object__read(at, end, &object))
		return NULL;
	head->id = ((last >> 3) + varint__unzigzag(object.address.value)) << 3;
	head->class_ = object.class_.value;
	head->size = object.size.value << 3;
	return object.behind;
}

/* Any object: how many heads it tells, 1 or 0. It may be malformed behind its head. */
static size_t read_far(struct object_reader *reader, struct object_head *head)
{
	struct event event;
	struct reference passed_over;
	uint64_t some;

	object_reader__head(reader, &event);
	some = reader->left < DECODE_CHUNK ? reader->left : DECODE_CHUNK;
	for (reader->left -= some; some && !reader->cursor.bad; some--)
		object_reader__reference(reader, event.object.id, &passed_over);
	if (reader->cursor.bad)
		return 0;
	*head = (struct object_head){ event.object.id, event.object.class_, event.object.size };
	for (; reader->left && !reader->cursor.bad; reader->left--)
		object_reader__reference(reader, event.object.id, &passed_over);
	return 1;
}

/* Up to so many objects, and to DECODE_CHUNK; how many it told. */
static size_t read_some(struct object_reader *reader, uint32_t *left, struct object_head *heads)
{
	const uint8_t *at = reader->cursor.at, *const end = reader->cursor.end;
	uint64_t last = reader->last;
	size_t told = 0;

	for (; *left && told < DECODE_CHUNK && !reader->cursor.bad; --*left) {
		const uint8_t *behind = read_near(at, end, last, &heads[told]);

		if (behind) {
			at = behind;
			last = heads[told++].id;
			continue;
		}
		reader->cursor.at = at;
		reader->last = last;
		told += read_far(reader, &heads[told]);
		at = reader->cursor.at;
		last = reader->last;
	}
	reader->cursor.at = at;
	reader->last = last;
	return told;
}

int decode__heads(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_HEADS);
	struct gctrace_objects fixed;
	struct object_reader reader;
	uint32_t left;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	reader = (struct object_reader){
		.cursor = { at + sizeof(fixed), at + bytes, false },
		.last = fixed.base,
	};
	event.heads.heads = decoder->room->chunk.heads;
	for (left = fixed.count; left && !reader.cursor.bad && !decoder->answer;) {
		event.heads.count = read_some(&reader, &left, decoder->room->chunk.heads);
		if (event.heads.count)
			decoder__tell(decoder, &event);
	}
	return decoder->answer ? decoder->answer : reader.cursor.bad ? -EBADMSG : 0;
}

int decode__single_head(struct decoder *decoder, const struct record_call *call)
{
	const struct object_head head = { call->args[0], call->args[2],
					  event__size(call->args[3]) };
	struct event event = decoder__event(decoder, EVENT_HEADS);

	event.heads.heads = &head;
	event.heads.count = 1;
	return decoder__tell(decoder, &event);
}
