/* SPDX-License-Identifier: BSD-2-Clause */
/* The strings of an hprof file by their ids: names of classes, fields and methods. */
#ifndef STREAM_HPROF_NAMES_H
#define STREAM_HPROF_NAMES_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/vec.h"
#include "hprof_ids.h"
#include "text.h"

struct hprof_name {
	size_t at, bytes;
};

struct hprof_names {
	struct buf texts;
	VEC(struct hprof_name) of;
	struct hprof_ids ids;
};

/* The text is copied. 0 or -ENOMEM. */
int hprof_names__add(struct hprof_names *names, uint64_t id, const void *text, size_t bytes);

/* Valid until the next one is added; empty: there is none. */
struct text hprof_names__get(const struct hprof_names *names, uint64_t id);

/*
 * A class's name as people write it: java.lang.String, int[][], of what is in the file:
 * java/lang/String, [[I. Appends.
 */
void hprof_names__add_class(struct buf *out, struct text name);

/* [I: such classes are told by the type of their elements. */
bool hprof_names__is_primitive_array(struct text name);

/*
 * Is this where the name of a hidden class is followed by what the JVM tells it apart by? Such
 * names are Shop$$Lambda$1/0x000000080104 to Java, and have a + in files of HotSpot.
 */
bool hprof_names__is_hidden_at(struct text name, size_t i);

void hprof_names__free(struct hprof_names *names);

#endif
