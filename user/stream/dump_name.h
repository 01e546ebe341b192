/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FILE@N: a heap dump inside a recording, as people name it. N counts from 1, by the C_BEGIN of
 * every dump in the file, whatever process it is of; FILE@first is the first, FILE@last
 * the last complete one.
 */
#ifndef STREAM_DUMP_NAME_H
#define STREAM_DUMP_NAME_H

#include <stdint.h>

#define DUMP_NAME_NONE 0	  /* only FILE was given */
#define DUMP_NAME_LAST UINT64_MAX /* dump_list.h knows which that is */

struct dump_name {
	char *path; /* owned */
	uint64_t number;
};

/*
 * Take a word apart. A file that exists is never taken apart: app@2 may be its whole name. 0, or
 * negative errno after an error message: -EINVAL for @0 and for numbers that don't fit.
 */
int dump_name__parse(const char *word, struct dump_name *name);
void dump_name__free(struct dump_name *name);

/*
 * A word that was to name a whole recording, and is no file: does it name a dump of one? Then
 * -EINVAL after an error message that says so; else 0.
 */
int dump_name__refuse(const char *word);

#endif
