/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Folded stacks, as flamegraph.pl, inferno and speedscope read them: a line for each stack, its
 * frames from the outermost in, parted by semicolons, then a space and a number.
 *
 *	main;serve;parse 6400
 *
 * Frames are escaped as on a terminal, and so are what this format gives a meaning, a semicolon and
 * a # that begins a line. One without a name, which may be a thread's, is "(no name)": it would be
 * none.
 */
#ifndef GCTRACE_VIEW_FOLDED_H
#define GCTRACE_VIEW_FOLDED_H

#include <stdint.h>

#include "../stream/text.h"

struct buf;

/* A frame behind those that the line has; the first one where it is empty. */
void folded__add(struct buf *line, struct text frame);

/* The number, and the line's end. */
void folded__end(struct buf *line, uint64_t number);

#endif
