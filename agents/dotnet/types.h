/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The classes of a dump. Each is told when it is first met, before the object that is of it: its
 * name, module, class above and fields. A new dump tells them anew.
 */
#ifndef GCTRACE_DOTNET_TYPES_H
#define GCTRACE_DOTNET_TYPES_H

#include <gctrace/probes.h>

#include <stdbool.h>
#include <stdint.h>

#include "agents/common/table.h"
#include "payload.h"
#include "slots.h"

enum type_kind {
	TYPE_CLASS,	 /* a reference's place is its offset */
	TYPE_REFERENCES, /* an array of them: the element's number */
	TYPE_STRUCTS,	 /* an array of structs: counted in words, those of elements are named */
	TYPE_STRANGE	 /* an array of which nothing else is known: places are unknown */
};

struct type {
	struct table_entry entry; /* key: the runtime's number of it */
	enum type_kind kind;
	bool is_named;
	uint32_t data;	 /* of an array: where the first element is; 0: not known */
	uint32_t stride; /* from one element to the next; bytes */
	uint32_t fields; /* told; of an array of structs: the words of an element */
	struct slots slots; /* of a class */
};

/* Once, outside of a pause. False: no address space. */
bool types__init(void);

/* Forgets all. */
void types__empty(void);

/*
 * The class, which is told if it is new. object: one that is of it, 0: none is known. NULL: there
 * are more classes than have room (a million), and it was not told.
 */
struct type *types__get(struct gctrace_writer *writer, uint64_t class_, uintptr_t object);

/* BULK_TYPE: names for classes that metadata does not name. */
void types__event(struct gctrace_writer *writer, struct payload *payload);

/* Of a class that was told: for one more field. */
uint32_t types__next_position(uint64_t class_);

/*
 * What stands in an element of an array of structs, so many bytes behind its beginning. All words
 * of an element have a name from the first on; a later one takes its place.
 */
void types__tell_word(struct gctrace_writer *writer, uint64_t class_, uint32_t offset,
		      const char *name, size_t bytes);

#endif
