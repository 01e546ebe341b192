/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lines on a terminal that are painted anew in place, now and then.
 *
 * Between two paints the cursor stands below the lines, visible, and nothing of the terminal's
 * state is changed: however gctrace ends, there is nothing to restore. Messages (report.h) take the
 * place of the lines, which come back below them with the next paint. After a change of the
 * terminal's size the whole of what is visible is wiped, since nobody knows where lines went.
 */
#ifndef GCTRACE_VIEW_SCREEN_H
#define GCTRACE_VIEW_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "../base/buf.h"
#include "terminal.h"

struct output;

struct screen {
	const struct terminal *terminal;
	struct output *output;
	struct terminal plain; /* what lines are made for */
	size_t columns, rows;  /* of the terminal, at the last paint; 0: there was none */
	struct buf out;
};

void screen__init(struct screen *screen, const struct terminal *terminal, struct output *output);
void screen__free(struct screen *screen);

/* How many lines there is room for, at least 1. */
size_t screen__rows(const struct screen *screen);

/*
 * What lines are to be made for: without colours, and the last column is left alone, since a line
 * that fills it may move the cursor to the next. Valid until the next call.
 */
const struct terminal *screen__plain(struct screen *screen);

/*
 * Plain lines, without colours; each that is too long ends in "...", and lines beyond the room are
 * left out. 0 or negative errno, said.
 */
int screen__paint(struct screen *screen, const char *lines);

/* The same of what is in lines, which is emptied. */
int screen__show(struct screen *screen, struct buf *lines);

/* Take them away. */
int screen__clear(struct screen *screen);

#endif
