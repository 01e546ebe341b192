/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the view of followed objects for people (follow_text.c) that are files of their own.
 * All append lines to `out`.
 */
#ifndef GCTRACE_VIEW_FOLLOW_PARTS_H
#define GCTRACE_VIEW_FOLLOW_PARTS_H

#include "../base/buf.h"
#include "follow.h"

/* The table of types with its titles, as many as state->types_shown says, or `most`. */
void follow__add_types(struct buf *out, const struct terminal *terminal,
		       const struct follow_state *state, size_t most);

/* Where none is shown because none is as it was asked for: which there are. */
void follow__add_no_types(struct buf *out, const struct terminal *terminal,
			  const struct follow_state *state);

/* All the rest that there is to say at the end. */
void follow__add_state(struct buf *out, const struct terminal *terminal,
		       const struct follow_state *state);

/* Of the types that only age, the one that grows most; nothing where there is none. */
void follow__add_worst_leak(struct buf *out, const struct terminal *terminal,
			    const struct follow_state *state);

/* The sign of what is in doubt; and what it means, for below. */
#define FOLLOW_DOUBT "?"
void follow__add_doubt_legend(struct buf *out, const struct terminal *terminal);

/* Bytes by ranges alone: a line for each generation. */
void follow__add_blocks(struct buf *out, const struct terminal *terminal,
			const struct follow_blocks *shown);

/* "0 to 1.2 %"; "-" where there was nothing to compare. */
void follow__add_rate(struct buf *out, struct follow_rate rate);

#endif
