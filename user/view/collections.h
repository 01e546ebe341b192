/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The parts of the view for people (collections.c) that are files of their own: what stands
 * above the lines, and what stands below them. Both append lines to `out`.
 */
#ifndef GCTRACE_VIEW_COLLECTIONS_H
#define GCTRACE_VIEW_COLLECTIONS_H

#include "../base/buf.h"
#include "table.h"
#include "terminal.h"
#include "view.h"

/* Marks behind a line; a set, so that the legend explains what was used. */
enum mark {
	MARK_CONCURRENT = 1,
	MARK_PARTIAL = 2,
	MARK_INCOMPLETE = 4,
	MARK_CUT_OFF = 8,
	MARK_ESTIMATED = 16,
	MARK_SHARED = 32,
	MARK_TWO = 64,
};

/* A moment: seconds since the start of the trace, or wall clock. EVENT_UNKNOWN: "-". */
void collections__add_time(struct buf *out, const struct view_options *options,
			   const struct heading *heading, uint64_t ns);

/* The same as a cell. */
void collections__cell_time(struct table *table, const struct view_options *options,
			    const struct heading *heading, uint64_t ns);

/* Who is traced, and what is known of it. */
void collections__add_heading(struct buf *out, const struct terminal *terminal,
			      const struct heading *heading);

/* What -v shows below a line; and the same of a pause by itself. */
void collections__add_details(struct buf *out, const struct terminal *terminal,
			      const struct view_options *options,
			      const struct heading *heading, const struct collection *collection);
void collections__add_pause(struct buf *out, const struct terminal *terminal,
			    const struct view_options *options,
			    const struct heading *heading, const struct pause *pause);

/* The figures at the end; marks: those that occurred. */
void collections__add_results(struct buf *out, const struct terminal *terminal,
			      const struct view_options *options, const struct results *results,
			      unsigned int marks);

#endif
