/* SPDX-License-Identifier: BSD-2-Clause */
/* Sentences in lines of a given width. */
#ifndef GCTRACE_BASE_WRAP_H
#define GCTRACE_BASE_WRAP_H

#include <stddef.h>

#include "buf.h"

#define WRAP_COLUMNS 100 /* where nothing else gives a width */
#define WRAP_NAMES ".<,+" /* marks in names of types: "app.Cache<app.Key,app.Order>+Node" */

struct wrap {
	size_t columns;	    /* of a line; a word that is longer stays whole ... */
	const char *prefix; /* each further line begins with this (NULL: nothing) ... */
	size_t indent;	    /* ... and goes on in this column, counted from 0 */
	const char *marks;  /* ... but may go on behind one of these (NULL: none) */
};

/*
 * Append the first line of text (to its end, or to a line feed), broken at blanks, but not
 * between a figure and its unit ("1.50 ms"), nor behind an arrow ("→ .next"); the line that buf
 * ends with is `column` columns long so far. Runs of blanks become one. No line feed at the end.
 * Returns where text was left: at its line feed or its closing 0.
 */
const char *wrap__add(struct buf *buf, const struct wrap *wrap, size_t column, const char *text);

#endif
