/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The dump's ring among those of a merge, for as long as a dump takes:
 *
 *	dump_ring__open(&ring, session, target, merge);
 *	dump_ring__pull(&ring, ...);      instead of merge__pull(), also while there is none
 *	dump_ring__leave(&ring);          the target's records go elsewhere from here on
 *	dump_ring__close(&ring);          with the next pull what is left comes, and it is gone
 *
 * Nothing is lost between the rings: the merge reads this one before the target is told to use it
 * (no pull comes in between), and reads it out after the kernel has taken it away. Its descriptor
 * is a copy, so that it lives until then.
 */
#ifndef GCTRACE_CLI_DUMP_RING_H
#define GCTRACE_CLI_DUMP_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "../attach/ring.h"
#include "../stream/source.h"

struct merge;
struct session;
struct target;

/* Sees each of the ring's records just before it is handed on, until the ring is closed. */
struct dump_ring_watch {
	void (*record)(void *context, size_t bytes, size_t used, size_t size);
	void *context;
};

enum dump_ring_state { DUMP_RING_NONE, DUMP_RING_OPEN, DUMP_RING_CLOSING };

struct dump_ring {
	enum dump_ring_state state;
	struct session *session;
	struct merge *merge;
	struct ring ring;
	unsigned int number; /* its slot */
	struct dump_ring_watch watch;
	const struct record_sink *sink; /* of the pull that is going on */
	uint64_t polled_ns;
};

/* Zeroes are a ring that is not there. -EBUSY while there is one; errors are said. */
int dump_ring__open(struct dump_ring *ring, struct session *session, struct target *target,
		    struct merge *merge, const struct dump_ring_watch *watch);
void dump_ring__leave(struct dump_ring *ring);
void dump_ring__close(struct dump_ring *ring);

/* As merge__pull(). */
int dump_ring__pull(struct dump_ring *ring, struct merge *merge, uint64_t timeout_ns,
		    const struct record_sink *sink);

/* Bytes that wait in it; 0 where there is none. */
size_t dump_ring__used(const struct dump_ring *ring);

/* After the merge is freed. */
void dump_ring__free(struct dump_ring *ring);

#endif
