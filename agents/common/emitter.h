/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writers of batches for whatever thread of the traced process has something to say: the threads
 * of a collector come all at once, in a stopped world, and are not ours.
 *
 * There is a fixed number of writers. Their buffers are got and touched in emitter__init(), and a
 * thread takes a free one by one atomic exchange: it allocates nothing and takes no lock. Who finds
 * all of them taken gives up the processor until one is free: a taken writer is never waited with.
 *
 * A writer that is released keeps what was written: it is told when it is full, and by
 * emitter__flush_all(). The lowest free one is taken first, so that what one thread at a time says
 * stands in one writer, in order.
 */
#ifndef GCTRACE_AGENT_EMITTER_H
#define GCTRACE_AGENT_EMITTER_H

#include <gctrace/probes.h>

#include <stdbool.h>

/*
 * As many writers as may be at work at once, at least 1; GCTRACE_BATCH_BYTES of memory each. Once,
 * before any other function. False: no memory.
 */
bool emitter__init(unsigned writers);

/* Gives the memory back, before any writer was ever taken. Legal where none could be had. */
void emitter__end(void);

/*
 * Batches go to this descriptor from now on, whole; -1: to the probe, as at first. One that nobody
 * reads any more loses them, and raises no signal.
 */
void emitter__to_descriptor(int fd);

/* Is anything that is written told to somebody? */
bool emitter__is_heard(void);

/* Do batches go to a descriptor? Then every kind is wanted. */
bool emitter__has_descriptor(void);

/* Does somebody follow what moves and survives? */
bool emitter__wants_ranges(void);

/* How many batches have gone so far: back-pressure is looked at when it has grown. */
uint64_t emitter__batches(void);

/* A writer of the caller's own until it is released. gc, pause: what its records belong to. */
struct gctrace_writer *emitter__take(uint64_t gc, uint64_t pause);
/*
 * The same for what has nothing to do with what others are telling meanwhile, and is flushed before
 * the writer is released: the highest free one. Were it the lowest, they would have to go on in
 * another one, and what stands in that would come before what they left in theirs.
 */
struct gctrace_writer *emitter__take_aside(uint64_t gc, uint64_t pause);
void emitter__release(struct gctrace_writer *writer);

/*
 * Tells what all writers hold, so that what ends a pause or a collection comes behind it. A writer
 * that is taken is told when it is released.
 */
void emitter__flush_all(void);

#endif
