/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a recording tells between two heap dumps of one process, as gctrace follow takes it: with
 * identity (model/identity.h), up to where the second dump has been matched.
 */
#ifndef GCTRACE_CLI_DIFF_REPLAY_H
#define GCTRACE_CLI_DIFF_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "../model/heap_diff.h"
#include "diff_dumps.h"

/* About what the table of objects takes at its peak. */
#define DIFF_REPLAY_OBJECT_BYTES 40

struct diff_replay {
	struct fates fates; /* their objects are gone */
	uint64_t collections; /* that ended between the two dumps */
	bool lost; /* something, between the two */
	const char *why; /* there are no fates; NULL: the diff has them */
};

/*
 * Sets the fates of the diff, or says why it has none. 0, or negative errno after an error message.
 */
int diff_replay__run(struct diff_replay *replay, const struct diff_dumps *dumps,
		     struct heap_diff *diff);
void diff_replay__free(struct diff_replay *replay);

#endif
