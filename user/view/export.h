/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A heap graph for other tools: one file a format, export_NAME.c, that defines
 *
 *	const struct exporter export_NAME = { ... };
 *
 * and one line of the table in export.c that names it.
 *
 * A writer streams: it walks the graph and writes as it goes, and holds no second copy of the
 * heap; tables by type are fine, so is a word or two for each object where a format needs that.
 * Names are the target's bytes: whatever they hold, the result is well formed in its format.
 */
#ifndef GCTRACE_VIEW_EXPORT_H
#define GCTRACE_VIEW_EXPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct heap;
struct heap_heading;

struct export_options {
	uint64_t id_place; /* the object to draw the surroundings of; HEAP_NONE: none was given */
	uint64_t depth;	   /* how far around it, in references */
	uint64_t most;	   /* neighbours of one object, each way; 0: all */
};

struct exporter {
	const char *name;   /* as --as says it */
	const char *help;   /* what opens it: "VisualVM, Eclipse MAT" */
	bool is_binary;	    /* not for a terminal */
	bool of_one_object; /* it needs id_place */

	/*
	 * All of it to `out`, which is buffered and stays the caller's. 0, or negative errno that
	 * was not said (-ENOMEM, -EDQUOT from the model; -EIO after ferror(out), which the caller
	 * looks at in any case: asking it now and then spares work that nobody wants any more).
	 */
	int (*write)(struct heap *heap, const struct heap_heading *heading,
		     const struct export_options *options, FILE *out);
};

/* All of them, by name, closed by NULL; and their names alone, the same way. */
extern const struct exporter *const exporters[];
extern const char *const export_names[];

/* NULL: there is none of that name. */
const struct exporter *export__find(const char *name);

#endif
