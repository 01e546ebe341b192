/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The roots of an hprof file, and the stacks that some of them stand in. They come in any order, so
 * they are kept until all is read, and told by thread then.
 */
#ifndef STREAM_HPROF_STACKS_H
#define STREAM_HPROF_STACKS_H

#include <stdint.h>

#include "base/vec.h"
#include "hprof_classes.h"
#include "hprof_ids.h"
#include "hprof_names.h"
#include "source.h"

/* Containers and kinds of roots that gctrace's own numbers do not have: told by their names. */
enum hprof_own {
	HPROF_OWN_SYSTEM_CLASS = 256, /* never unloaded */
	HPROF_OWN_INTERNED,
	HPROF_OWN_DEBUGGER,
	HPROF_OWN_JNI_GLOBAL,
	HPROF_OWN_JNI_LOCAL,
	HPROF_OWN_NATIVE_STACK,
	HPROF_OWN_THREAD_BLOCK,
	HPROF_OWN_END
};

struct hprof_root {
	uint64_t to;
	uint64_t id;	 /* of a JNI reference; EVENT_UNKNOWN */
	uint32_t thread; /* serial; 0: of none */
	uint32_t frame;	 /* in its stack; UINT32_MAX: of none */
	uint8_t tag;	 /* enum hprof_entry */
};

struct hprof_frame_of {
	uint64_t id, method, source; /* method and source: their names */
	uint32_t class_;	     /* serial */
	int32_t line;		     /* below 1: there is none */
};

struct hprof_trace {
	size_t first, count; /* in stacks.ids */
};

struct hprof_thread_of {
	uint32_t serial, trace;
	uint64_t name; /* id of it; 0: not told */
};

struct hprof_stacks {
	VEC(struct hprof_root) roots;
	VEC(struct hprof_frame_of) frames;
	VEC(struct hprof_trace) traces;
	VEC(struct hprof_thread_of) threads;
	VEC(uint64_t) ids; /* of the frames of all traces */
	struct hprof_ids by_frame, by_trace, by_thread;
};

void hprof_stacks__free(struct hprof_stacks *stacks);

/* 0 or -ENOMEM, as all of these. */
int hprof_stacks__add_frame(struct hprof_stacks *stacks, const struct hprof_frame_of *frame);
/* Its frames are the last `count` of stacks->ids. */
int hprof_stacks__add_trace(struct hprof_stacks *stacks, uint32_t serial, size_t count);
int hprof_stacks__add_root(struct hprof_stacks *stacks, const struct hprof_root *root);

/* That a thread has this stack (serial of a trace; 0: not told) or this name. */
int hprof_stacks__thread(struct hprof_stacks *stacks, uint32_t serial, uint32_t trace,
			 uint64_t name);

/* Tell all of it; roots are sorted. As a sink answers, or -ENOMEM. */
int hprof_stacks__tell(struct hprof_stacks *stacks, const struct hprof_names *names,
		       const struct hprof_classes *classes, const struct event_sink *sink);

#endif
