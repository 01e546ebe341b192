/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How two heaps are shown beside each other: for people (diff_text.c) or as NDJSON (diff_ndjson.c),
 * in the same words (diff_words.c).
 */
#ifndef GCTRACE_VIEW_DIFF_VIEW_H
#define GCTRACE_VIEW_DIFF_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../model/heap_diff.h"
#include "../model/path_growth.h"
#include "heap_view.h"

struct buf;
struct output;
struct terminal;

enum diff_verdict {
	DIFF_WITHIN,
	DIFF_EXCEEDED,
	DIFF_UNDECIDED, /* one of the dumps is incomplete */
};

struct diff_shown {
	const struct heap_heading *heading[DIFF_SIDES]; /* their facts are copies */
	bool whole[DIFF_SIDES];
	bool lost; /* something, between the two; known where they are of one trace */
	const char *glob; /* of types; NULL: all */

	const struct heap_diff *diff;
	struct diff_type total;
	const uint32_t *types; /* in the order in which they are to be shown */
	size_t type_count, types_shown;

	const struct path_growth *growth;
	const struct growth_order *branches;
	size_t branches_shown;

	const char *why; /* it is not by identity; NULL: it is */
	const struct fates *fates;
	uint64_t collections; /* between the two, where it is by identity */

	const char *limit; /* of --fail-if-growth; NULL: none */
	enum diff_verdict verdict; /* on the limit */
};

bool diff__is_complete(const struct diff_shown *shown);

/* 0, or a negative errno that was said. */
int diff_text__show(const struct diff_shown *shown, struct output *output,
		    const struct terminal *terminal);
int diff_ndjson__show(const struct diff_shown *shown, struct output *output);

/* ---- diff_words.c: they append the target's bytes as they are ---- */

/* By how much what the roots reach grew, of the types that are looked at. */
int64_t diff__growth(const struct diff_shown *shown);

void diff_words__type(struct buf *out, const struct diff_shown *shown, uint32_t type);

/* "static Cache.instance → .byId → .table[] → .value (shop.Order)" */
void diff_words__path(struct buf *out, const struct path_growth *growth, uint32_t branch);

/* The sentence on all of it. */
void diff_words__all(struct buf *out, const struct diff_shown *shown);

/*
 * The sentence on the type that grew most, and the command that shows more. False: none has grown.
 */
bool diff_words__most(struct buf *out, const struct diff_shown *shown);
bool diff_words__command(struct buf *out, const struct diff_shown *shown);

/* How it is known what became of objects, or why it is not. */
void diff_words__how(struct buf *out, const struct diff_shown *shown);

#endif
