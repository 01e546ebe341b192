/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Heap dumps made by hand: each function tells a builder one event, and fails the test when it is
 * not taken.
 */
#ifndef TESTS_MODEL_DUMP_H
#define TESTS_MODEL_DUMP_H

#include "model/heap_builder.h"

#define U EVENT_UNKNOWN

void dump__begin(struct heap_builder *builder); /* C_BEGIN */
void dump__end(struct heap_builder *builder, uint64_t status); /* C_END */
void dump__container(struct heap_builder *builder, uint64_t type, uint64_t id1, uint64_t id2);
void dump__class(struct heap_builder *builder, uint64_t number, const char *name,
		 const char *fields, size_t fields_bytes, uint32_t flags);
void dump__define(struct heap_builder *builder, uint32_t space, uint64_t id, uint64_t a,
		  uint64_t b, const char *name);

/* One root of the container that is given. */
void dump__root(struct heap_builder *builder, uint64_t type, uint64_t id1, uint64_t to,
		uint64_t kind, uint64_t id, uint32_t flags);

/* An object, or a part of it: places by position, from `first`; to: 0 for null. */
struct told {
	uint64_t id, class_, size;
	const uint64_t *to;
	size_t count;
	uint64_t first;
	uint32_t flags;
	uint32_t reference_flags; /* of all of them */
	bool more;
};
void dump__object(struct heap_builder *builder, const struct told *told);

/* dump__refer(builder, id, class, size, {0x10, 0x20}) */
#define dump__refer(builder, id, class_, size, ...)                                          \
	dump__object(builder, &(struct told){ id, class_, size, (const uint64_t[])__VA_ARGS__, \
					      sizeof((const uint64_t[])__VA_ARGS__) / 8, 0, 0, 0, \
					      false })
#define dump__leaf(builder, id, class_, size) \
	dump__object(builder, &(struct told){ id, class_, size, NULL, 0, 0, 0, 0, false })

/* The builder's heap; the builder is freed. */
struct heap *dump__heap(struct heap_builder *builder);

/* From now on the heap, and what is made of it, may have so many bytes beside what it has. */
void dump__leave(struct heap *heap, uint64_t bytes);

/* The place of an object that must be there. */
uint32_t place_of(struct heap *heap, uint64_t address);

#endif
