/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blocks of a recording one after the other, as they are found in its file (recording.h says
 * what one looks like, and what is done about damage):
 *
 *	while (recording_walk__next(&walk, &block, &stored)) {
 *		... are the stored bytes what the header says? ...
 *		recording_walk__judge(&walk, they_are);
 *	}
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
};

/* Have `bytes` in the window; false at the end of the file (or where it cannot be read on). */
bool recording_walk__have(struct recording_walk *walk, size_t bytes);

/* Go on behind these. */
void recording_walk__skip(struct recording_walk *walk, size_t bytes);

/*
 * The next block whose checksums are right. False: there is none. `stored` is valid until the
 * next call of any of these. Each block is to be judged before the next one.
 */
bool recording_walk__next(struct recording_walk *walk, struct recording_block *block,
			  const void **stored);

/*
 * Is it where the walk goes on from here, whatever is said of the block at hand? Reads what
 * follows that.
 */
bool recording_walk__is_sure(struct recording_walk *walk);

/*
 * What is good is believed; behind what is not, the next block stands where it should, or is
 * searched for.
 */
void recording_walk__judge(struct recording_walk *walk, bool good);

void recording_walk__free(struct recording_walk *walk); /* the descriptor stays the caller's */

#endif
