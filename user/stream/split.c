/* SPDX-License-Identifier: BSD-2-Clause */
/* Batches taken apart: split.h says into what. */
#include "split.h"

#include <stdlib.h>
#include <string.h>

#include "near_object.h"
#include "object_reader.h"

#define STRIDE 16 /* bytes that are copied at once, of which most are no part of it */
_Static_assert(STRIDE >= NUMBER_MOST && STRIDE <= SPLIT_SLACK, "room behind what is copied");
_Static_assert(3 * NUMBER_MOST + 1 + STRIDE <= NEAR_OBJECT_BYTES, "room behind what is read");

struct splitter {
	uint8_t *references;		/* behind the last one */
	uint8_t *behind[SPLIT_COLUMNS]; /* what is in a column */
	uint8_t columns[SPLIT_COLUMNS][GCTRACE_BATCH_BYTES + SPLIT_SLACK];
};

struct splitter *splitter__new(void)
{
	return malloc(sizeof(struct splitter));
}

void splitter__free(struct splitter *splitter)
{
	free(splitter);
}

/* ---------------------------------------------------------------------------------------------
 * Objects: answers what stands behind one; NULL: it cannot be split
 */

static inline void add_number(uint8_t **to, const uint8_t *from, const uint8_t *behind)
{
	memcpy(*to, from, STRIDE);
	*to += behind - from;
}

static inline const uint8_t *add_near(struct splitter *splitter, const uint8_t *at,
				      const uint8_t *end)
{
	uint8_t **to = splitter->behind;
	struct near_object object;

	if (!near_object__read(at, end, &object))
		return NULL;
	*to[SPLIT_BITS]++ = *at;
	add_number(&to[SPLIT_ADDRESSES], at + 1, object.address.behind);
	add_number(&to[SPLIT_CLASSES], object.address.behind, object.class_.behind);
	add_number(&to[SPLIT_SIZES], object.class_.behind, object.size.behind);
	if (object.behind - object.size.behind <= STRIDE)
		memcpy(splitter->references, object.size.behind, STRIDE);
	else
		memcpy(splitter->references, object.size.behind,
		       (size_t)(object.behind - object.size.behind));
	splitter->references += object.behind - object.size.behind;
	return object.behind;
}

static const uint8_t *end_of_object(const uint8_t *at, const uint8_t *end)
{
	struct object_reader reader = { .cursor = { at, end, false } };
	struct reference passed_over;
	struct event event;

	object_reader__head(&reader, &event);
	for (; reader.left && !reader.cursor.bad; reader.left--)
		object_reader__reference(&reader, event.object.id, &passed_over);
	return reader.cursor.bad ? NULL : reader.cursor.at;
}

static const uint8_t *add_far(struct splitter *splitter, const uint8_t *at, const uint8_t *end)
{
	const uint8_t *const behind = end_of_object(at, end);

	if (!behind)
		return NULL;
	*splitter->behind[SPLIT_BITS]++ = *at++;
	for (unsigned int i = SPLIT_ADDRESSES; i < SPLIT_COLUMNS; i++) {
		do
			*splitter->behind[i]++ = *at;
		while (*at++ & 0x80);
	}
	memcpy(splitter->references, at, (size_t)(behind - at));
	splitter->references += behind - at;
	return behind;
}

static const uint8_t *add_all(struct splitter *splitter, uint32_t count, const uint8_t *at,
			      const uint8_t *end)
{
	for (; count && at; count--) {
		const uint8_t *behind = add_near(splitter, at, end);

		at = behind ? behind : add_far(splitter, at, end);
	}
	return at;
}

/* ---------------------------------------------------------------------------------------------
 * Records: false if they are not split
 */

static bool is_padding(const uint8_t *at, const uint8_t *end)
{
	if (end - at >= 8)
		return false;
	while (at < end && !*at)
		at++;
	return at == end;
}

static void add_columns(struct splitter *splitter, struct split_objects *objects, struct buf *heads)
{
	uint32_t bytes = sizeof(*objects), each[SPLIT_COLUMNS];

	for (unsigned int i = 0; i < SPLIT_COLUMNS; i++) {
		each[i] = (uint32_t)(splitter->behind[i] - splitter->columns[i]);
		bytes += each[i];
	}
	memcpy(objects->column, &each[SPLIT_ADDRESSES], sizeof(objects->column));
	objects->fixed.head.bytes = bytes;
	buf__add(heads, objects, sizeof(*objects));
	for (unsigned int i = 0; i < SPLIT_COLUMNS; i++)
		buf__add(heads, splitter->columns[i], each[i]);
	buf__add_repeated(heads, '\0', -(size_t)bytes & 7);
}

/* A record OBJECTS; `whole` is with what pads it. */
static bool split_objects(struct splitter *splitter, const uint8_t *at, size_t whole,
			  struct buf *heads, struct buf *references)
{
	struct split_objects objects;
	const uint8_t *behind;

	if (whole < sizeof(objects.fixed))
		return false;
	memcpy(&objects.fixed, at, sizeof(objects.fixed));
	objects.bytes = objects.fixed.head.bytes;
	if (objects.bytes < sizeof(objects.fixed) || buf__reserve(references, whole + SPLIT_SLACK))
		return false;
	splitter->references = (uint8_t *)references->data + references->len;
	for (unsigned int i = 0; i < SPLIT_COLUMNS; i++)
		splitter->behind[i] = splitter->columns[i];
	behind = add_all(splitter, objects.fixed.count, at + sizeof(objects.fixed),
			 at + objects.bytes);
	if (!behind || !is_padding(behind, at + whole))
		return false;
	references->len = (size_t)(splitter->references - (uint8_t *)references->data);
	references->data[references->len] = '\0';
	add_columns(splitter, &objects, heads);
	return true;
}

/* All records of a batch, which are so long together. */
static bool split_records(struct splitter *splitter, const uint8_t *at, size_t bytes,
			  struct buf *heads, struct buf *references)
{
	size_t whole;

	for (; bytes; at += whole, bytes -= whole) {
		struct gctrace_record head;

		if (bytes < sizeof(head))
			return false;
		memcpy(&head, at, sizeof(head));
		whole = ((size_t)head.bytes + 7) & ~(size_t)7;
		if (head.bytes < sizeof(head) || whole > bytes)
			return false;
		if (head.kind != GCTRACE_OBJECTS)
			buf__add(heads, at, whole);
		else if (!split_objects(splitter, at, whole, heads, references))
			return false;
	}
	return true;
}

static bool is_plain(const struct record *head, const struct gctrace_batch *batch)
{
	return batch->magic == GCTRACE_MAGIC && batch->major == GCTRACE_MAJOR &&
	       batch->bytes == head->bytes - sizeof(*head) &&
	       batch->bytes <= GCTRACE_BATCH_BYTES && batch->header_bytes >= sizeof(*batch) &&
	       batch->header_bytes % 8 == 0 && batch->header_bytes <= batch->bytes;
}

/* Lengths of what was appended behind `start`, where it got shorter. */
static bool set_lengths(struct buf *heads, size_t start, uint32_t bytes_before)
{
	const uint32_t bytes = (uint32_t)(heads->len - start);
	const uint32_t batch_bytes = bytes - (uint32_t)sizeof(struct record);
	char *const at = heads->data + start;

	if (bytes >= bytes_before)
		return false;
	memcpy(at + offsetof(struct record, bytes), &bytes, sizeof(bytes));
	memcpy(at + sizeof(struct record) + offsetof(struct gctrace_batch, bytes), &batch_bytes,
	       sizeof(batch_bytes));
	return true;
}

bool splitter__add(struct splitter *splitter, const struct record *head, const void *body,
		   struct buf *heads, struct buf *references)
{
	const size_t start = heads->len, references_start = references->len;
	struct record split = *head;
	struct gctrace_batch batch;

	if (head->kind != RECORD_BATCH || head->bytes < sizeof(*head) + sizeof(batch))
		return false;
	memcpy(&batch, body, sizeof(batch));
	if (!is_plain(head, &batch))
		return false;
	split.kind = RECORD_SPLIT;
	buf__add(heads, &split, sizeof(split));
	buf__add(heads, body, batch.header_bytes);
	if (split_records(splitter, (const uint8_t *)body + batch.header_bytes,
			  batch.bytes - batch.header_bytes, heads, references) &&
	    !heads->error && set_lengths(heads, start, head->bytes))
		return true;
	buf__truncate(heads, start);
	buf__truncate(references, references_start);
	return false;
}
