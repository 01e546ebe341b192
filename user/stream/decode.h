/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The decoder of provider `gctrace`: events from batches (<gctrace/wire.h>) and from single
 * probes' records (bpf/record.h). Nobody else knows the wire format.
 *
 * All bytes are hostile. Whatever they are: no access outside them, no unbounded memory, no work
 * beyond their length; what contradicts the format is lost and said, what comes behind it in the
 * batch is still read where its place is known.
 *
 * One decoder serves one target (one image of one process). It keeps, bounded: the numbers of the
 * batches of each producer, definitions of which parts have come, the container that was begun
 * last, objects of which parts have come. Single probes have no numbers: decoder__lost() tells it
 * that some of them may not have come.
 */
#ifndef STREAM_DECODE_H
#define STREAM_DECODE_H

#include <stdbool.h>
#include <stddef.h>

#include "bpf/record.h"
#include "event.h"

#define DECODE_CHUNK 512    /* ranges, roots, references, heads or samples in an event, at most */
#define DECODE_PRODUCERS 64 /* of one target whose numbers are watched */
#define DECODE_OBJECTS 16   /* threads of a target that tell an object in several hits at a time */

/* Where things go. `ctx` is handed back; answers of event and lose are as those of a sink. */
struct decode_out {
	int (*event)(void *ctx, const struct event *event);
	/* Count a loss, which happened from one stamp to the other, and tell it. */
	int (*lose)(void *ctx, unsigned int kind, uint64_t count, uint64_t from, uint64_t until);
	/* A loss that was counted was none. */
	void (*recover)(void *ctx, unsigned int kind, uint64_t count);
	/* A record of a kind of wire.h that this version doesn't know was skipped. */
	void (*unknown)(void *ctx, unsigned int kind);
	/* A batch of a major version that this version doesn't know. */
	int (*refuse)(void *ctx, unsigned int major, unsigned int minor);
	void *ctx;
	/*
	 * Set of 1 << enum event_kind: others need not be decoded. With EVENT_HEADS and without
	 * EVENT_OBJECT references are skipped, and what is malformed is lost all the same.
	 */
	uint64_t wanted;
};

/* What the decoders of one feed share. join_bytes bounds definitions in parts; 0: the default. */
struct decode_room;
struct decode_room *decode_room__new(size_t join_bytes); /* NULL: no memory */
void decode_room__free(struct decode_room *room);

/* See feed__over_from(); and was the trace over at this stamp? */
void decode_room__over_from(struct decode_room *room, uint64_t ns);
bool decode_room__is_late(const struct decode_room *room, uint64_t stamp);

struct decoder;

/* The room must outlive it. NULL: no memory. */
struct decoder *decoder__new(uint32_t target, const struct decode_out *out,
			     struct decode_room *room);
void decoder__free(struct decoder *decoder);

/* RECORD_BATCH to RECORD_OBJECT_ALLOC, or RECORD_SPLIT: 0, or what decode_out answered. */
int decoder__record(struct decoder *decoder, const struct record *record);

/*
 * Records of this target were lost until this stamp at most. The container that was begun last
 * is not known from then on, nor which reference of an object a single probe tells (see
 * decode_doubt.c).
 */
void decoder__lost(struct decoder *decoder, uint64_t until);

/* Nothing more will come from this target: what is still missing is lost. */
int decoder__end(struct decoder *decoder);

#endif
