/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the reader of hprof share (hprof.h):
 *
 *	hprof.c          head and records
 *	hprof_heap.c     entries of a heap dump: classes, roots
 *	hprof_objects.c  instances and arrays
 */
#ifndef STREAM_HPROF_READER_H
#define STREAM_HPROF_READER_H

#include "base/vec.h"
#include "hprof.h"
#include "hprof_classes.h"
#include "hprof_entries.h"
#include "hprof_input.h"
#include "hprof_names.h"
#include "hprof_stacks.h"

#define HPROF_HEADS 256u

struct hprof_reader {
	struct hprof_input input;
	struct hprof_names names;
	struct hprof_classes classes;
	struct hprof_stacks stacks;
	struct hprof_facts *facts;
	const struct hprof_options *options;
	const struct event_sink *sink;
	bool has_sizes;
	bool is_open; /* segments have come, and their end has not */
	uint64_t left, end; /* of the record: bytes, position; UINT64_MAX: to the end of all */
	uint32_t turns;

	struct hprof_references references;
	struct object_head heads[HPROF_HEADS];
	size_t heads_count;
	uint64_t last_id;     /* of the object before, and */
	uint32_t last_class;  /* its class, where it is an instance; else HPROF_NO_NUMBER */
	uint64_t last_number; /* an id of a class, and ... */
	uint32_t last_index;  /* ... which that is */

	VEC(struct hprof_object_entry) waiting; /* instances; their bytes: */
	struct buf waiting_bytes;
};

/*
 * Entries of a record up to reader->left. 0, a sink's answer, -ENOMEM, or -EBADMSG: what comes
 * makes no sense, or -EPIPE: the input ends in its midst.
 */
int hprof_heap__read(struct hprof_reader *reader);

/*
 * How large arrays are, from what comes next (a tag): when the first object does, and all classes
 * mostly have. 0 or -ENOMEM.
 */
int hprof_objects__find_sizes(struct hprof_reader *reader);

/* The object entry that comes next, its tag taken and its fixed bytes there. The same. */
int hprof_objects__read(struct hprof_reader *reader, uint8_t tag);

/* All is read: tell those that waited, and heads that are kept. As a sink answers. */
int hprof_objects__finish(struct hprof_reader *reader);

/* Once in a while what the caller wants to do. */
int hprof_reader__turn(struct hprof_reader *reader);

/* -EDQUOT: what is kept until the end takes more than it may. Else 0. */
int hprof_reader__check_limit(const struct hprof_reader *reader);

int hprof_reader__tell(struct hprof_reader *reader, const struct event *event);

#endif
