/* SPDX-License-Identifier: BSD-2-Clause */
/* The two heap dumps that gctrace diff is given: which they are, and if they can be compared. */
#ifndef GCTRACE_CLI_DIFF_DUMPS_H
#define GCTRACE_CLI_DIFF_DUMPS_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/buf.h"
#include "../model/heap_diff.h"
#include "../stream/dump_list.h"
#include "options.h"

struct diff_dump {
	char *path;	 /* owned */
	uint64_t number; /* in the recording, from 1 */
	struct dump_entry entry;
	struct buf word; /* FILE@N; FILE of hprof */
	bool is_uncertain; /* another one may be meant, since the file lacks something: said */
	bool is_hprof;	 /* then number and entry are of no meaning */
};

struct diff_dumps {
	struct diff_dump of[DIFF_SIDES];
	bool one_file;
	bool one_trace; /* one file, and one image of one process in it */
};

/* words: A and B. 0, or negative errno after an error message. */
int diff_dumps__find(struct diff_dumps *dumps, const struct words *words);
void diff_dumps__free(struct diff_dumps *dumps);

#endif
