/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blocks of a recording one after the other, as they are found in its file (recording.h says
 * what one looks like, and what is done about damage):
 *
 *	while (recording_walk__next(&walk, &block)) {
 *		recording_walk__copy(&walk, &bytes);
 *		... are the stored bytes what the header says? ...
 *		recording_walk__judge(&walk, they_are);
 *	}
 *
 * or, where it goes on behind the block whatever is said of it, without a copy:
 *
 *		if (recording_walk__is_sure(&walk))
 *			recording_walk__pass(&walk, &bytes);
 *
 * The walk goes through a window that holds the block at hand:
 *
 *	window.data   [ header | stored bytes | ...read ahead ]
 *
 * Where no good header stands, the search goes on byte by byte for the magic and a right
 * header checksum. Where the header is good and the stored bytes are not, their length is still
 * believed as long as a good header (or the end) follows: bytes inside a block are the target's,
 * and a target that puts a block of its own into one shall not have it read.
 *
 * It reads the file once from its start to its end, no further than it is asked to: it may be a
 * pipe.
 */
#ifndef STREAM_RECORDING_WALK_H
#define STREAM_RECORDING_WALK_H

#include <stdbool.h>

#include "base/buf.h"
#include "recording.h"

struct recording_walk {
	int fd;
	struct buf window;
	bool eof;
	int read_error; /* why it cannot be read on, or 0 */
	bool over;
	size_t whole; /* bytes of the block that was handed out last, header and all */
	uint64_t blocks;  /* handed out */
	bool has_strayed; /* where a block should begin, something else stood, */
	uint64_t strayed; /* last time behind so many blocks */
};

/* Have `bytes` in the window; false at the end of the file (or where it cannot be read on). */
bool recording_walk__have(struct recording_walk *walk, size_t bytes);

/* Go on behind these. */
void recording_walk__skip(struct recording_walk *walk, size_t bytes);

/*
 * The next block whose header is right and whose stored bytes are all there; nobody has looked at
 * them yet. False: there is none. Each is to be judged, or passed, before the next one.
 */
bool recording_walk__next(struct recording_walk *walk, struct recording_block *block);

/* The bytes of the block at hand, header and all, instead of what was in `to`. 0 or -ENOMEM. */
int recording_walk__copy(const struct recording_walk *walk, struct buf *to);

/*
 * Is it where the walk goes on from here, whatever is said of the block at hand? Reads what
 * follows that.
 */
bool recording_walk__is_sure(struct recording_walk *walk);

/* Go on behind the block at hand, with the memory of `to`, which gets the window's, and it. */
int recording_walk__pass(struct recording_walk *walk, struct buf *to);

/*
 * What is good is believed; behind what is not, the next block stands where it should, or is
 * searched for.
 */
void recording_walk__judge(struct recording_walk *walk, bool good);

void recording_walk__free(struct recording_walk *walk); /* the descriptor stays the caller's */

#endif
