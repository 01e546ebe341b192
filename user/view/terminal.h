/* SPDX-License-Identifier: BSD-2-Clause */
/* What a descriptor shows on: whether a terminal, how wide, with which colours. */
#ifndef GCTRACE_VIEW_TERMINAL_H
#define GCTRACE_VIEW_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

enum colour_when { /* in the order of --color's choices */
	COLOUR_AUTO,
	COLOUR_ALWAYS,
	COLOUR_NEVER,
};

enum style {
	STYLE_PLAIN,
	STYLE_HEAD,   /* titles of columns */
	STYLE_DIM,    /* what matters less */
	STYLE_GOOD,
	STYLE_NOTICE, /* worth a look: a long pause */
	STYLE_BAD,    /* losses, failures */
	STYLE_COUNT,
};

struct terminal {
	int fd;
	bool is_terminal;
	bool colour;
	size_t columns; /* 0: no limit (not a terminal, and no COLUMNS) */
};

/*
 * Look at a descriptor. COLOUR_AUTO means colour on a terminal, unless NO_COLOR is set
 * (and not empty) or TERM is dumb.
 */
void terminal__init(struct terminal *terminal, int fd, enum colour_when when);

/* Can lines on it be painted anew in place? */
bool terminal__can_paint(const struct terminal *terminal);

/* Ask for the width again, after SIGWINCH. */
void terminal__resize(struct terminal *terminal);

/*
 * The width of a terminal: as COLUMNS says when it is set, else as the kernel does; 0 when
 * fd is no terminal and COLUMNS is not set.
 */
size_t terminal__columns(int fd);

/* The width for lines: the terminal's, or WRAP_COLUMNS where there is no limit. */
size_t terminal__room(const struct terminal *terminal);

/* The width for sentences: the terminal's, but from 60 to WRAP_COLUMNS. */
size_t terminal__text_columns(const struct terminal *terminal);

/* What to write before and behind text of this style; "" without colour. */
const char *terminal__on(const struct terminal *terminal, enum style style);
const char *terminal__off(const struct terminal *terminal, enum style style);

#endif
