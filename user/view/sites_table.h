/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The table of sampled allocations for people (sites_text.c): a row for each site or type, with
 * the site's stack below it, or for each sample.
 */
#ifndef GCTRACE_VIEW_SITES_TABLE_H
#define GCTRACE_VIEW_SITES_TABLE_H

#include <stddef.h>

#include "../base/buf.h"
#include "columns.h"
#include "sites.h"
#include "table.h"

struct sites_table {
	const struct terminal *terminal; /* whose width it has */
	struct columns columns;
	struct table objects;
};

/* The terminal is the caller's, and outlives it. */
void sites_table__init(struct sites_table *table, const struct terminal *terminal);
void sites_table__free(struct sites_table *table);

/* Append titles and rows, as many as go into so many lines; in the terminal's colours. */
void sites_table__add(struct sites_table *table, struct buf *out, const struct terminal *terminal,
		      const struct sites_shown *shown, size_t lines);

/* One line for a frame, before it "at " or "by "; of what is too long the middle is left out. */
void sites_table__add_frame(struct buf *out, const struct terminal *terminal, const char *before,
			    struct text frame);

#endif
