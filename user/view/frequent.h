/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types that there are most objects of: what is named to who asked for types that there are
 * none of.
 */
#ifndef GCTRACE_VIEW_FREQUENT_H
#define GCTRACE_VIEW_FREQUENT_H

#include <stddef.h>
#include <stdint.h>

#include "../stream/text.h"

struct buf;

#define FREQUENT_MOST 5

/* Begins as all zero. The most objects first; of as many, who was offered first. */
struct frequent_types {
	struct frequent_type {
		struct text name; /* the target's bytes; empty: not told. Theirs who offered them */
		uint64_t class_;  /* EVENT_UNKNOWN: not known */
		uint64_t objects;
	} most[FREQUENT_MOST];
	size_t count;	/* of those */
	uint64_t types; /* that were offered */
};

/* A type without objects is none. */
void frequent_types__offer(struct frequent_types *types, const struct frequent_type *type);

/*
 * "the most frequent of 21 types: byte[] (8.99 k), String (8.58 k), ...", escaped; a name that is
 * wider than half a line is shortened in its middle. "no type is known" where none was offered.
 */
void frequent_types__add(struct buf *out, const struct frequent_types *types);

#endif
