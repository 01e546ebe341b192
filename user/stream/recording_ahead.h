/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blocks of a recording, unpacked, in their order; while one is used, others are unpacked by a
 * second thread, and by the user's own as soon as that would have to wait:
 *
 *	ahead = recording_ahead__new(fd);
 *	while ((block = recording_ahead__next(ahead))) {
 *		... block->header, block->plain, block->error ...
 *		recording_ahead__judge(ahead, it_is_good);
 *	}
 *
 *	 slots    | taken | unpacked | at work | at work |
 *	              ^        ^          ^         ^
 *	             user     next    the thread   walked last (recording_walk.h)
 *
 * Finding blocks is for one at a time, unpacking is not. What is found does not depend on who is
 * how far: where it would matter whether a block is good (damage follows it) nobody goes on before
 * the user has said so, in his order.
 *
 * A file that is not a regular one is read no further than it is used, by the user alone: a thread
 * that waits for what a pipe may never bring could not be ended. So is every file where there is
 * no second CPU or no thread to be had.
 */
#ifndef STREAM_RECORDING_AHEAD_H
#define STREAM_RECORDING_AHEAD_H

#include "recording_walk.h"

struct recording_ahead;

struct unpacked_block {
	struct recording_block header;
	const void *plain; /* at a multiple of 8 */
	size_t bytes;	   /* of it: header.plain, but where references were left out */
	/*
	 * 0; -EILSEQ: what is stored is not what was written; -EBADMSG: it is, and still not what
	 * the header says; -ENOMEM.
	 */
	int error;
};

/* It closes fd when it is freed. NULL: no memory. */
struct recording_ahead *recording_ahead__new(int fd);
void recording_ahead__free(struct recording_ahead *ahead); /* NULL is legal */

/* For what stands before the first block; before recording_ahead__next(). */
struct recording_walk *recording_ahead__walk(struct recording_ahead *ahead);

/* Valid until the next call; NULL: there are no more. Each is to be judged before the next one. */
const struct unpacked_block *recording_ahead__next(struct recording_ahead *ahead);
void recording_ahead__judge(struct recording_ahead *ahead, bool good);

/* Of blocks found from now on, split ones give their heads alone (split.h). */
void recording_ahead__leave_references(struct recording_ahead *ahead);

/* After the last one: why it cannot be read on, or 0. */
int recording_ahead__read_error(const struct recording_ahead *ahead);

#endif
