/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One BPF ring buffer map, read by us (libbpf's reader calls back in ring order and frees at
 * once; the merge needs to look ahead, at several rings, and to free later).
 *
 * The memory, as the kernel lays it out, each part in pages of its own:
 *
 *	consumer position | producer position | data, a power of two, used round and round
 *
 * A record in the data starts at a multiple of 8 with a head of 8 bytes {u32 length and two
 * bits, u32 for the kernel}, then come `length` bytes. Both bits are in the top: BUSY, the
 * program has reserved it and not yet submitted it; DISCARD, it gave up. The length is right
 * while it is busy too, so the reader can look past a busy record.
 *
 * The data is mapped once, unlike libbpf does, which saves half of what a ring counts in RSS; a
 * record that goes over the end is put together in a bounce buffer by ring__get().
 */
#ifndef ATTACH_RING_H
#define ATTACH_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ring {
	uint64_t *consumer;	  /* ours to write */
	const uint64_t *producer; /* the kernel's */
	const uint8_t *data;
	size_t bytes; /* of the data: a power of two */
	int fd;	      /* of the map, not owned; -1: memory of a test */
	void *bounce; /* allocated at the first record that needs it */
	size_t bounce_bytes;
	void *mapped; /* of ring__open, to be unmapped */
	size_t mapped_bytes;
};

enum ring_state {
	RING_READY,
	RING_BUSY,    /* may become ready or discarded at any time */
	RING_DISCARDED,
};

struct ring_item {
	uint64_t position; /* of its head */
	uint64_t next;	   /* of the item behind it */
	uint32_t bytes;	   /* of the record, as reserved */
	enum ring_state state;
};

/*
 * Map a ring buffer map. map_fd stays the caller's and must stay open; bytes is the map's
 * max_entries. 0 or negative errno. ring__close() unmaps; legal on all zero.
 */
int ring__open(struct ring *ring, int map_fd, size_t bytes);

/* A ring over memory that somebody else owns (tests). */
void ring__over(struct ring *ring, uint64_t *consumer, const uint64_t *producer, const void *data,
		size_t bytes);
void ring__close(struct ring *ring);

/* Positions grow for ever; what is between them lies in the ring. */
uint64_t ring__consumer(const struct ring *ring);
uint64_t ring__producer(const struct ring *ring); /* acquire: the heads before it are there */

/*
 * Look at the item at a position below ring__producer(); with RING_READY its bytes are there
 * too (acquire). 0, or -EBADMSG when the head makes no sense, which only a broken kernel does.
 */
int ring__look(const struct ring *ring, uint64_t position, uint64_t producer,
	       struct ring_item *item);

/* Copy a few bytes of a ready item, from its start. */
void ring__peek(const struct ring *ring, const struct ring_item *item, void *to, size_t bytes);

/*
 * The bytes of a ready item in one piece: in the ring, or in the bounce buffer, where they stay
 * until the next call that needs it. NULL: no memory.
 */
const void *ring__get(struct ring *ring, const struct ring_item *item);

/* All before this position may be overwritten (release). */
void ring__release(struct ring *ring, uint64_t position);

/* How much of it is taken, for back-pressure: bytes between the positions. */
size_t ring__used(const struct ring *ring);

#endif
