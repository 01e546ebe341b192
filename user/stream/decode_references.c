/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Heap dumps: roots, and objects with their references. From batches by compact numbers, from
 * single probes as parallel arrays. An object with more references than DECODE_CHUNK is told in
 * several events, `more` in all but the last.
 */
#include "decoding.h"
#include "object_reader.h"

/* ---------------------------------------------------------------------------------------------
 * Roots
 */

static void read_root(struct root *root, struct cursor *cursor, const struct gctrace_roots *fixed)
{
	uint64_t difference = varint__read_signed(cursor);

	if (fixed->head.flags & GCTRACE_ROOTS_PLAIN)
		root->to = fixed->base + difference;
	else
		root->to = ((fixed->base >> 3) + difference) << 3;
	root->flags = varint__read_flags(cursor);
	root->kind = varint__read(cursor);
	root->id = varint__read(cursor);
	root->reserved = 0;
}

int decode__roots(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_ROOTS);
	struct gctrace_roots fixed;
	struct cursor cursor;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	cursor = (struct cursor){ at + sizeof(fixed), at + bytes, false };
	event.roots.type = fixed.type;
	event.roots.id1 = fixed.id1;
	event.roots.id2 = fixed.id2;
	event.roots.roots = decoder->room->chunk.roots;
	for (uint32_t left = fixed.count; left && !decoder->answer; left -= event.roots.count) {
		size_t some = left < DECODE_CHUNK ? left : DECODE_CHUNK;

		for (size_t i = 0; i < some; i++)
			read_root(&decoder->room->chunk.roots[i], &cursor, &fixed);
		if (cursor.bad)
			return -EBADMSG;
		event.roots.count = some;
		decoder__tell(decoder, &event);
	}
	return decoder->answer;
}

/* ---------------------------------------------------------------------------------------------
 * Objects
 */

/* One object of the record, in as many events as its references need. */
static int read_object(struct decoder *decoder, struct object_reader *reader, struct event *event)
{
	struct reference *references = decoder->room->chunk.references;
	bool part;

	object_reader__head(reader, event);
	part = event->object.flags & GCTRACE_MORE_REFERENCES;
	do {
		size_t some = reader->left < DECODE_CHUNK ? reader->left : DECODE_CHUNK;

		for (size_t i = 0; i < some; i++)
			object_reader__reference(reader, event->object.id, &references[i]);
		if (reader->cursor.bad)
			return -EBADMSG;
		reader->left -= some;
		event->object.count = some;
		event->object.more = part || reader->left;
		decoder__tell(decoder, event);
	} while (reader->left && !decoder->answer);
	return decoder->answer;
}

int decode__objects(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_OBJECT);
	struct gctrace_objects fixed;
	struct object_reader reader;
	int err = 0;

	if (decoder->record->kind == RECORD_SPLIT)
		return decode__split_objects(decoder, at, bytes);
	if (!decoder__wants(decoder, EVENT_OBJECT))
		return decode__heads(decoder, at, bytes);
	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	reader = (struct object_reader){
		.cursor = { at + sizeof(fixed), at + bytes, false },
		.last = fixed.base,
	};
	event.object.references = decoder->room->chunk.references;
	for (uint32_t i = 0; i < fixed.count && !err; i++)
		err = read_object(decoder, &reader, &event);
	return err;
}

/* ---------------------------------------------------------------------------------------------
 * Single probes
 */

static uint64_t u64_at(const uint8_t *array, size_t i)
{
	uint64_t value;

	memcpy(&value, array + i * sizeof(value), sizeof(value));
	return value;
}

static uint32_t u32_at(const uint8_t *array, size_t i)
{
	uint32_t value;

	memcpy(&value, array + i * sizeof(value), sizeof(value));
	return value;
}

/* The arrays of a part: NULL where the probe gave none. */
struct arrays {
	const uint8_t *refs, *flags, *kinds, *ids;
};

static bool find_arrays(struct arrays *arrays, const struct record_call *call, size_t left,
			uint64_t has)
{
	const uint8_t *at = (const uint8_t *)(call + 1);
	size_t count = call->part.count, each = 8;

	each += has & RECORD_HAS_FLAGS ? 4 : 0;
	each += has & RECORD_HAS_KINDS ? 8 : 0;
	each += has & RECORD_HAS_IDS ? 8 : 0;
	if (count > left / each)
		return false;
	*arrays = (struct arrays){ .refs = at };
	at += count * 8;
	if (has & RECORD_HAS_FLAGS) {
		arrays->flags = at;
		at += count * 4;
	}
	if (has & RECORD_HAS_KINDS) {
		arrays->kinds = at;
		at += count * 8;
	}
	if (has & RECORD_HAS_IDS)
		arrays->ids = at;
	return true;
}

int decode__single_roots(struct decoder *decoder, const struct record_call *call, size_t left)
{
	struct event event = decoder__event(decoder, EVENT_ROOTS);
	size_t count = call->part.count;
	struct arrays arrays;

	if (!find_arrays(&arrays, call, left, call->args[0]))
		return -EBADMSG;
	event.roots.type = decoder->container;
	event.roots.id1 = decoder->id1;
	event.roots.id2 = decoder->id2;
	event.roots.roots = decoder->room->chunk.roots;
	for (size_t from = 0; from < count && !decoder->answer; from += event.roots.count) {
		size_t some = count - from < DECODE_CHUNK ? count - from : DECODE_CHUNK;

		for (size_t i = 0; i < some; i++) {
			decoder->room->chunk.roots[i] = (struct root){
				.to = u64_at(arrays.refs, from + i),
				.kind = arrays.kinds ? u64_at(arrays.kinds, from + i) : 0,
				.id = arrays.ids ? u64_at(arrays.ids, from + i) : EVENT_UNKNOWN,
				.flags = arrays.flags ? u32_at(arrays.flags, from + i) : 0,
			};
		}
		event.roots.count = some;
		decoder__tell(decoder, &event);
	}
	return decoder->answer;
}

/* The object that this thread tells, or a free slot, or NULL. */
static struct open_object *open_object_of(struct decoder *decoder, uint64_t object)
{
	struct open_object *found = NULL;

	for (size_t i = 0; i < DECODE_OBJECTS; i++) {
		struct open_object *open = &decoder->objects[i];

		if (open->used && open->tid == decoder->record->tid) {
			found = open;
			break;
		}
		if (!open->used)
			found = open;
	}
	if (found && (!found->used || found->object != object))
		*found = (struct open_object){ .object = object, .tid = decoder->record->tid };
	return found;
}

/*
 * How many references of this object earlier hits have told; EVENT_UNKNOWN when nobody knows.
 * `more`: further hits follow this one, which may come in parts itself.
 */
static uint64_t told_before(struct decoder *decoder, const struct record_call *call, bool more)
{
	const struct record_part *part = &call->part;
	bool goes_on = more || part->first + part->count < part->total;
	struct open_object *open;

	if (doubt__object(decoder, !goes_on))
		return EVENT_UNKNOWN;
	open = open_object_of(decoder, call->args[0]);
	decoder->crowded |= !open;
	if (decoder->crowded)
		return EVENT_UNKNOWN;
	if (part->first == 0) {
		open->told = open->more ? open->next : 0;
		open->next = open->told + part->total;
		open->more = more;
	}
	open->used = goes_on;
	return open->told;
}

int decode__single_object(struct decoder *decoder, const struct record_call *call, size_t left)
{
	struct event event = decoder__event(decoder, EVENT_OBJECT);
	bool more = call->args[1] & GCTRACE_MORE_REFERENCES;
	size_t count = call->part.count, from = 0;
	struct arrays arrays;
	uint64_t told;

	if (call->args[1] > UINT32_MAX || (call->args[4] & ~(uint64_t)RECORD_HAS_FLAGS) ||
	    !find_arrays(&arrays, call, left, call->args[4]))
		return -EBADMSG;
	told = told_before(decoder, call, more);
	if (!decoder__wants(decoder, EVENT_OBJECT))
		return decode__single_head(decoder, call);
	more |= call->part.first + count < call->part.total;
	event.object.id = call->args[0];
	event.object.flags = (uint32_t)call->args[1];
	event.object.class_ = call->args[2];
	event.object.size = event__size(call->args[3]);
	event.object.places =
		told == EVENT_UNKNOWN ? GCTRACE_PLACE_UNKNOWN : GCTRACE_PLACE_POSITION;
	event.object.references = decoder->room->chunk.references;
	do {
		size_t some = count - from < DECODE_CHUNK ? count - from : DECODE_CHUNK;

		for (size_t i = 0; i < some; i++) {
			decoder->room->chunk.references[i] = (struct reference){
				.to = u64_at(arrays.refs, from + i),
				.place = told == EVENT_UNKNOWN ? told :
								 told + call->part.first + from + i,
				.flags = arrays.flags ? u32_at(arrays.flags, from + i) : 0,
			};
		}
		from += some;
		event.object.count = some;
		event.object.more = more || from < count;
		decoder__tell(decoder, &event);
	} while (from < count && !decoder->answer);
	return decoder->answer;
}
