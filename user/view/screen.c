/* SPDX-License-Identifier: BSD-2-Clause */
#include "screen.h"

#include <string.h>
#include <sys/ioctl.h>

#include "../base/report.h"
#include "../base/shorten.h"
#include "output.h"

#define ROWS_UNKNOWN 24

void screen__init(struct screen *screen, const struct terminal *terminal, struct output *output)
{
	*screen = (struct screen){ .terminal = terminal, .output = output, .plain = *terminal };
	screen->plain.colour = false;
}

void screen__free(struct screen *screen)
{
	buf__free(&screen->out);
}

static size_t rows_of(const struct screen *screen)
{
	struct winsize size;

	if (ioctl(screen->terminal->fd, TIOCGWINSZ, &size) || size.ws_row == 0)
		return ROWS_UNKNOWN;
	return size.ws_row;
}

/* The last one is the cursor's. */
size_t screen__rows(const struct screen *screen)
{
	size_t rows = rows_of(screen);

	return rows > 1 ? rows - 1 : 1;
}

const struct terminal *screen__plain(struct screen *screen)
{
	const size_t columns = screen->terminal->columns;

	screen->plain.columns = columns > 1 ? columns - 1 : 0;
	return &screen->plain;
}

/* The last column stays free: a full line leaves it to the terminal where the cursor is. */
static void add_line(struct screen *screen, const char *line, size_t len)
{
	const size_t columns = screen->columns > 8 ? screen->columns - 1 : 8;

	shorten__add(&screen->out, line, len, columns);
	buf__add_str(&screen->out, "\033[K\r\n");
}

/* To where the first line was. */
static void go_back(struct screen *screen, size_t lines)
{
	const size_t rows = rows_of(screen);
	const bool resized = screen->columns && (screen->columns != screen->terminal->columns ||
						 screen->rows != rows);

	screen->columns = screen->terminal->columns;
	screen->rows = rows;
	buf__reset(&screen->out);
	if (resized)
		buf__add_str(&screen->out, "\033[H\033[2J");
	else if (lines)
		buf__printf(&screen->out, "\r\033[%zuA", lines);
}

static int write_out(struct screen *screen, size_t lines)
{
	int err = screen->out.error;

	if (err)
		return error_errno(err, "cannot paint");
	err = output__write(screen->output, screen->out.data, screen->out.len);
	report__stand_above(err ? 0 : lines);
	return err;
}

int screen__paint(struct screen *screen, const char *lines)
{
	const size_t room = screen__rows(screen);
	size_t count = 0;

	progress_end();
	go_back(screen, report__stand_above(0));
	for (; *lines && count < room; count++) {
		const size_t len = strcspn(lines, "\n");

		add_line(screen, lines, len);
		lines += len + (lines[len] == '\n');
	}
	buf__add_str(&screen->out, "\033[J");
	return write_out(screen, count);
}

int screen__show(struct screen *screen, struct buf *lines)
{
	int err = lines->error ? error_errno(lines->error, "cannot paint") :
				 screen__paint(screen, buf__str(lines));

	buf__reset(lines);
	return err;
}

int screen__clear(struct screen *screen)
{
	size_t lines = report__stand_above(0);

	if (!lines)
		return 0;
	progress_end();
	go_back(screen, lines);
	buf__add_str(&screen->out, "\033[J");
	return write_out(screen, 0);
}
