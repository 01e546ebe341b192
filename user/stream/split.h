/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches of objects (wire.h) in recordings: their references stand apart, so that who only counts
 * objects unpacks and reads nothing of them; and what is alike in all objects stands together, so
 * that it packs well and is read at one stride. Joined again it is what it was, byte by byte.
 *
 *	RECORD_BATCH   | record | batch | OBJECTS  b a c s r r r  b a c s r  b a c s r r ... |
 *
 *	RECORD_SPLIT   | record | batch | OBJECTS  b b b ... a a a ... c c c ... s s s ...   |
 *	references     ... | r r r  r  r r ...
 *
 *	b   enum gctrace_object_bits      c   class
 *	a   address                       s   size
 *	r   what follows in wire.h: the object's flags and first place, where there are any, the
 *	    number of its references, and they
 *
 * All of these are the bytes that they were in the batch. A record OBJECTS begins with struct
 * split_objects, then its four columns; all other records of the batch stand where they stood.
 * Each record's, the batch's and the ring record's `bytes` are of this form. So it is a batch of
 * which one record alone is another, and as hostile as any.
 *
 * References of all split batches of a block are one row of bytes, in the order of the objects.
 *
 * A batch is split only if that brings back what it was: its lengths fit together, its objects
 * are well-formed, what pads them is zero, and it gets shorter. All others stay RECORD_BATCH.
 */
#ifndef STREAM_SPLIT_H
#define STREAM_SPLIT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "bpf/record.h"
#include "gctrace/wire.h"

enum split_column { SPLIT_BITS, SPLIT_ADDRESSES, SPLIT_CLASSES, SPLIT_SIZES, SPLIT_COLUMNS };

struct split_objects {
	struct gctrace_objects fixed;
	uint32_t bytes;			/* fixed.head.bytes, as it was */
	uint32_t column[SPLIT_COLUMNS - 1]; /* bytes of each from SPLIT_ADDRESSES on */
};
_Static_assert(sizeof(struct split_objects) == 40, "split objects");

struct splitter;
struct splitter *splitter__new(void); /* NULL: no memory */
void splitter__free(struct splitter *splitter);

/*
 * Append a record, of which head is a copy and body is what follows it, as RECORD_SPLIT. False:
 * it stays what it is, and nothing was appended; or there is no memory, as both buffers say.
 */
bool splitter__add(struct splitter *splitter, const struct record *head, const void *body,
		   struct buf *heads, struct buf *references);

#define SPLIT_SLACK 64 /* bytes behind each of the following: anything, to be read and written */

struct split_part {
	const uint8_t *at;
	size_t bytes;
};

/*
 * Records with RECORD_SPLIT among them, padded to 8 bytes each, as they were before: into so many
 * bytes. 0 or -EBADMSG: they were no such records.
 */
int split__join(struct split_part heads, struct split_part references, uint8_t *to, size_t bytes);

/* The columns of a record, which is so long, as it says. False: they do not fit in there. */
bool split__columns(const uint8_t *record, size_t bytes, struct split_objects *objects,
		    const uint8_t *columns[SPLIT_COLUMNS + 1]);

#endif
