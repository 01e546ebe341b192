/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The roots of a heap as hprof has them:
 *
 *	statics       static fields of their classes, which are roots themselves (sticky)
 *	frames        of threads, numbered by thread; their roots name thread and frame
 *	threads       numbered from 1, those first whose own object was told: hprof knows no
 *	              thread without one
 *
 * Weak roots and dependent handles are no roots here, as hprof has none that keep nothing alive.
 */
#ifndef GCTRACE_VIEW_HPROF_ROOTS_H
#define GCTRACE_VIEW_HPROF_ROOTS_H

#include <stdint.h>

#include "../base/vec.h"
#include "hprof_writer.h"

struct heap;

#define HPROF_NO_TYPE UINT32_MAX /* statics of all classes */
#define HPROF_STATICS_MOST 32000u /* of a class: 16 bits with a sign */

struct hprof_static {
	uint32_t type;
	uint32_t place; /* of the root */
};

struct hprof_thread {
	uint32_t place;	 /* of its node */
	uint32_t serial; /* from 1 */
	uint32_t frames, first, last; /* how many, and which: see hprof_frame.next */
	uint32_t object; /* place of the root that is the thread itself; HEAP_NONE */
};

struct hprof_frame {
	uint32_t place; /* of its node */
	uint32_t thread; /* index */
	uint32_t number; /* in it, from 0 */
	uint32_t next;	 /* index of the one that follows it there */
};

struct hprof_roots {
	VEC(struct hprof_static) statics; /* by type */
	VEC(uint32_t) others;		  /* places of all other roots that keep something alive */
	VEC(struct hprof_thread) threads; /* by place */
	VEC(struct hprof_frame) frames;	  /* the same */
};

/* One walk over the roots. 0 or -ENOMEM; hprof_roots__free() is due in both cases. */
int hprof_roots__find(struct hprof_roots *roots, const struct heap *heap);
void hprof_roots__free(struct hprof_roots *roots);

/* The statics of a type: *count of them, from *first on. */
void hprof_roots__statics(const struct hprof_roots *roots, uint32_t type, size_t *first,
			  size_t *count);

/* `others`, and those statics for which there is no room in their class. */
void hprof_roots__write(const struct hprof_roots *roots, const struct heap *heap,
			struct hprof_writer *writer);

/*
 * Stacks, with thread and frame names from string `names` on (as hprof_roots__names() wrote them):
 * the frames of a thread, and below them the thread's own name, because a reader would only have
 * it from the contents of the thread's object. Threads that have one bear their names, too, as
 * records of their start. `none`: an empty string; class_: serial of a class.
 */
uint64_t hprof_roots__name_count(const struct hprof_roots *roots);
void hprof_roots__names(const struct hprof_roots *roots, const struct heap *heap,
			struct hprof_writer *writer, uint64_t names);
void hprof_roots__stacks(const struct hprof_roots *roots, const struct heap *heap,
			 struct hprof_writer *writer, uint64_t names, uint64_t none,
			 uint32_t class_);

#endif
