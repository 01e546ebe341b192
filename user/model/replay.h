/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trace, told once more from its beginning on to know its objects at a heap dump: an assembler
 * and an identity (identity.h), fed together.
 *
 *	replay = replay__new(&sink);
 *	replay__whole_from(replay, target, ns);		for each target
 *	for each event of REPLAY_WANTS:
 *		replay__event(replay, event);
 *	until it answers 1, or the trace ends
 *
 * Each dump is told once it has been matched with what was known. When that is answered with
 * REPLAY_ENOUGH the objects stay as they were then, for good: nothing moves any more, even if the
 * same event has more to tell.
 *
 * As with whoever follows a trace, allocations become objects at the end of each collection: ids
 * are given in the same order, and are those that gctrace follow gives.
 */
#ifndef MODEL_REPLAY_H
#define MODEL_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "identity.h"
#include "stream/feed.h"

#define REPLAY_WANTS                                                                              \
	(FEED_WANTS(EVENT_GC_START) | FEED_WANTS(EVENT_GC_FINISH) |                               \
	 FEED_WANTS(EVENT_PAUSE_BEGIN) | FEED_WANTS(EVENT_PAUSE_END) | FEED_WANTS(EVENT_MOVED) |  \
	 FEED_WANTS(EVENT_SURVIVING) | FEED_WANTS(EVENT_GENERATION) |                             \
	 FEED_WANTS(EVENT_REUSE) |                                                                \
	 FEED_WANTS(EVENT_CONTAINER) | FEED_WANTS(EVENT_OBJECT) | FEED_WANTS(EVENT_CLASS) |       \
	 FEED_WANTS(EVENT_OBJECT_ALLOC) | FEED_WANTS(EVENT_DUMP_END))

#define REPLAY_ENOUGH 1

struct replay_sink {
	void *context;
	/* A dump, matched, and its target behind it. 0, REPLAY_ENOUGH or negative errno. */
	int (*dump)(void *context, const struct identity_anchor *dump,
		    const struct identity_view *now);
	/* As in struct identity_sink; may be NULL. */
	void (*left)(void *context, uint32_t target, const struct object *object, uint64_t address,
		     enum object_fate fate);
};

struct replay;

struct replay *replay__new(const struct replay_sink *sink); /* NULL: no memory */
void replay__free(struct replay *replay); /* NULL is legal */

/* All that this target tells is heard from this time on (assembler.h). 0 or -ENOMEM. */
int replay__whole_from(struct replay *replay, uint32_t target, uint64_t ns);

/* 0, REPLAY_ENOUGH, then and ever after, or negative errno: then only replay__free() may follow. */
int replay__event(struct replay *replay, const struct event *event);

/* Bytes, at any time: without malloc's own, and without what is on its way. */
uint64_t replay__memory(const struct replay *replay);

#endif
