/* SPDX-License-Identifier: BSD-2-Clause */
/* The entries of a heap dump: how long they are before their contents. */
#ifndef STREAM_HPROF_ENTRIES_H
#define STREAM_HPROF_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "hprof_format.h"

/* What stands behind a tag in any case: so many ids and so many other bytes. */
struct hprof_entry_form {
	uint8_t ids, bytes;
};

extern const struct hprof_entry_form hprof_entry__forms[256];

/* Bytes behind the tag that are always there; 0: there is no such entry. */
static inline uint32_t hprof_entry__fixed(uint8_t tag, uint32_t id_bytes)
{
	return hprof_entry__forms[tag].ids * id_bytes + hprof_entry__forms[tag].bytes;
}

/* Where the numbers of an object stand behind its tag, and how much follows. */
struct hprof_object_entry {
	uint8_t tag;
	uint8_t element; /* enum hprof_type, of arrays */
	uint64_t id;
	uint64_t class_; /* none of primitive arrays */
	uint64_t count;	 /* elements, or bytes of an instance */
	uint64_t bytes;	 /* that follow */
};

/* An instance or an array. */
static inline bool hprof_entry__is_object(uint8_t tag)
{
	return tag == HPROF_INSTANCE || tag == HPROF_OBJECT_ARRAY ||
	       tag == HPROF_PRIMITIVE_ARRAY || tag == HPROF_PRIMITIVE_ARRAY_NODATA;
}

/* at: the fixed bytes of an INSTANCE or array. */
struct hprof_object_entry hprof_entry__object(uint8_t tag, const uint8_t *at, uint32_t id_bytes);

#endif
