/* SPDX-License-Identifier: BSD-2-Clause */
/* Which heap dumps there are in a recording: read once from its start to its end. */
#ifndef STREAM_DUMP_LIST_H
#define STREAM_DUMP_LIST_H

#include "base/buf.h"
#include "base/vec.h"
#include "dump_name.h"
#include "event.h"

/* The first is FILE@1. What is not known is EVENT_UNKNOWN. */
struct dump_entry {
	uint32_t target;
	uint64_t begun_ns, ended_ns; /* no end: the recording stopped before, or it was lost */
	uint64_t number, gc;	     /* the target's own number; the collection before */
	uint64_t status;	     /* enum gctrace_dump_status */
	uint64_t objects, references, roots, bytes; /* as DUMP_END told */
	uint64_t lost;		     /* in its midst */
};

/* Its end is there, the target completed it, and nothing of it was lost. */
bool dump_entry__is_complete(const struct dump_entry *entry);

struct dump_list VEC_OF(struct dump_entry);

/*
 * list begins as VEC_INIT and is to be freed by vec__free(), whatever is answered. What a recording
 * that is damaged or cut off lacks is appended to damage, as recording__damage() says it: further
 * dumps may have been there. 0, or negative errno after an error message.
 */
int dump_list__read(struct dump_list *list, const char *path, struct buf *damage);

/* Of a file that lacks something (damage is not empty). */
void dump_list__warn(const struct buf *damage);

/*
 * The number of the dump that is meant: the one given; for FILE@last the last complete one (the
 * last of all where none is complete; a warning says which later ones were passed over), which
 * takes a file that can be read twice; without any the only one. 0; 1 where that may be another
 * one, since the file lacks something, as a warning says; or negative errno after an error
 * message (-ENOENT: there is none in it, -ESPIPE: a pipe).
 */
int dump_list__resolve(const struct dump_name *name, uint64_t *number);

/* It is no regular file: a pipe. */
bool dump_list__is_read_once(const struct dump_name *name);

/* That it is not meant so, where there are so many dumps: said. -ENOENT. */
int dump_list__refuse(const struct dump_name *name, uint64_t count);

#endif
