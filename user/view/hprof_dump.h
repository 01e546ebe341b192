/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A heap on its way into an hprof file, and what of it goes there: names and classes
 * (hprof_classes.c), objects (hprof_objects.c). What all of it means is told in export_hprof.c.
 */
#ifndef GCTRACE_VIEW_HPROF_DUMP_H
#define GCTRACE_VIEW_HPROF_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hprof_roots.h"
#include "hprof_shapes.h"
#include "hprof_writer.h"

struct heap;

/* Classes of ours: first come those that are to be found before the heap's own of that name ... */
enum base_class {
	BASE_REFERENCE,
	BASE_WEAK,
	BASE_SOFT,
	BASE_FINAL,
	BASE_PHANTOM,
	BASE_STATICS,
	BASE_STACK,
	BASE_LATE, /* ... and then, behind the heap's own, those that are to be found after them */
	BASE_CLASS = BASE_LATE,
	BASE_OBJECT,
	BASE_COUNT
};

/* Strings of ours, numbered from 1. */
enum own_string {
	STRING_NONE = 1,
	STRING_UNNAMED,
	STRING_NOT_READ,
	STRING_REFERENT,
	STRING_ROOTS,
	STRING_BASE, /* names of base classes */
	STRING_TYPES = STRING_BASE + BASE_COUNT
};

struct hprof_dump {
	struct heap *heap;
	struct hprof_shapes shapes;
	struct hprof_roots roots;
	struct hprof_writer writer;
	uint64_t base_id; /* of the first base class; then in steps of 8 */
	uint64_t root_classes;	  /* how many; their ids follow those of the base classes */
	uint64_t statics, stacks, others; /* ids of the first of their strings */
	uint32_t serial; /* of the last class */
	uint64_t *values; /* of the fields of an object, as many as any type has */
	uint64_t inexact; /* objects whose size a reader will show wrongly */
};

/* The fields of a class of instances. */
struct hprof_layout {
	uint32_t references, named; /* named: the first of them */
	uint32_t longs, bytes; /* that were not read */
	bool referent;	       /* inherited, behind them */
};

struct hprof_layout hprof_dump__layout(const struct hprof_dump *dump, uint32_t type, size_t index);

/* Ids of classes and strings, when shapes and roots are known. 0; -EOVERFLOW: no room for them. */
int hprof_dump__number(struct hprof_dump *dump);

/* In this order: records, ... */
void hprof_dump__strings(struct hprof_dump *dump);
void hprof_dump__load_classes(struct hprof_dump *dump);

/* ... and entries. All classes are roots. */
void hprof_dump__class_roots(struct hprof_dump *dump);
void hprof_dump__classes(struct hprof_dump *dump);
void hprof_dump__objects(struct hprof_dump *dump);

#endif
