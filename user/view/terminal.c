/* SPDX-License-Identifier: BSD-2-Clause */
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../base/units.h"
#include "../base/wrap.h"

#define TEXT_NARROWEST 60

/* Of the eight colours that every terminal has, those that are readable on light and dark. */
static const char *const sequences[STYLE_COUNT] = {
	[STYLE_PLAIN] = "",
	[STYLE_HEAD] = "\033[1m",
	[STYLE_DIM] = "\033[2m",
	[STYLE_GOOD] = "\033[32m",
	[STYLE_NOTICE] = "\033[33m",
	[STYLE_BAD] = "\033[31m",
};

static bool wants_colour(bool is_terminal, enum colour_when when)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (when != COLOUR_AUTO)
		return when == COLOUR_ALWAYS;
	if (no_color && *no_color)
		return false;
	return is_terminal && !(term && strcmp(term, "dumb") == 0);
}

size_t terminal__columns(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	uint64_t count;

	if (columns && units__parse_count(columns, &count) == 0 && count > 0 && count < 100000)
		return count;
	if (ioctl(fd, TIOCGWINSZ, &size) == 0)
		return size.ws_col ? size.ws_col : 80;
	return 0;
}

void terminal__init(struct terminal *terminal, int fd, enum colour_when when)
{
	terminal->fd = fd;
	terminal->is_terminal = isatty(fd);
	terminal->colour = wants_colour(terminal->is_terminal, when);
	terminal__resize(terminal);
}

bool terminal__can_paint(const struct terminal *terminal)
{
	const char *term = getenv("TERM");

	return terminal->is_terminal && term && strcmp(term, "dumb") != 0;
}

void terminal__resize(struct terminal *terminal)
{
	terminal->columns = terminal__columns(terminal->fd);
}

size_t terminal__room(const struct terminal *terminal)
{
	return terminal->columns ? terminal->columns : WRAP_COLUMNS;
}

size_t terminal__text_columns(const struct terminal *terminal)
{
	if (terminal->columns == 0 || terminal->columns > WRAP_COLUMNS)
		return WRAP_COLUMNS;
	return terminal->columns < TEXT_NARROWEST ? TEXT_NARROWEST : terminal->columns;
}

const char *terminal__on(const struct terminal *terminal, enum style style)
{
	return terminal->colour ? sequences[style] : "";
}

const char *terminal__off(const struct terminal *terminal, enum style style)
{
	return terminal->colour && *sequences[style] ? "\033[0m" : "";
}
