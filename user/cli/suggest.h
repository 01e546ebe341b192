/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * "Did you mean ...?": the nearest of several words to the one that was written.
 *
 *	suggestion__start(&s, written, len);
 *	suggestion__offer(&s, each);
 *	near = suggestion__nearest(&s);      NULL: nothing is near enough
 */
#ifndef GCTRACE_CLI_SUGGEST_H
#define GCTRACE_CLI_SUGGEST_H

#include <stddef.h>

struct suggestion {
	const char *written;
	size_t len;
	const char *nearest;
	size_t distance;
};

/* written is not copied; neither are the words offered. */
void suggestion__start(struct suggestion *suggestion, const char *written, size_t len);
void suggestion__offer(struct suggestion *suggestion, const char *word);
const char *suggestion__nearest(const struct suggestion *suggestion);

/*
 * Letters to insert, remove, replace or swap with their neighbour to get from a to b.
 * Words longer than 63 bytes are as far from everything as they are long.
 */
size_t edit_distance(const char *a, size_t a_len, const char *b, size_t b_len);

#endif
