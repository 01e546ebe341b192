/* SPDX-License-Identifier: BSD-2-Clause */
#include "report.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "buf.h"
#include "shorten.h"
#include "wrap.h"

/* Serialises lines and guards the progress line; never held while calling others. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool progress_shown;
static size_t lines_above; /* the cursor, that are painted anew by whoever painted them */
static bool is_verbose;
static atomic_bool has_complained;

static void write_all(const char *data, size_t len)
{
	while (len > 0) {
		ssize_t n = write(STDERR_FILENO, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return; /* there is nobody left to tell */
		data += n;
		len -= (size_t)n;
	}
}

static void wipe_lines_above(void)
{
	char text[32];
	int len;

	if (!lines_above || !isatty(STDERR_FILENO))
		return;
	len = snprintf(text, sizeof(text), "\r\033[%zuA\033[J", lines_above);
	write_all(text, (size_t)len);
	lines_above = 0;
}

/* Write buf as it is; when memory ran out while it was made, at least its format. */
static void emit(struct buf *buf, const char *format, bool stays)
{
	pthread_mutex_lock(&lock);
	if (progress_shown)
		write_all("\r\033[K", 4);
	if (stays)
		wipe_lines_above();
	progress_shown = !stays;
	if (buf->error) {
		write_all("gctrace: (out of memory) ", 25);
		write_all(format, strlen(format));
		write_all("\n", 1);
	} else {
		write_all(buf->data, buf->len);
	}
	pthread_mutex_unlock(&lock);
}

/*
 * Lines of text at most as long as others, each said to be ours. Those that begin with a blank are
 * lists, and stay as they are.
 */
static void add_lines(struct buf *buf, const char *prefix, const char *text)
{
	const struct wrap wrap = { WRAP_COLUMNS, "gctrace:", strlen("gctrace:   "), NULL };
	const char *stop;

	buf__add_str(buf, prefix);
	text = wrap__add(buf, &wrap, strlen(prefix), text);
	while (*text == '\n') {
		buf__add_char(buf, '\n');
		stop = strchrnul(++text, '\n');
		if (*text == ' ')
			buf__add(buf, text, (size_t)(stop - text));
		else
			stop = wrap__add(buf, &wrap, 0, text);
		text = stop;
	}
	buf__add_char(buf, '\n');
}

/* err, where it is not 0, is put behind the message. errno is left as it was. */
static void say(const char *prefix, int err, const char *format, va_list args)
{
	int saved = errno;
	struct buf said = BUF_INIT, lines = BUF_INIT;
	char text[256];

	buf__vprintf(&said, format, args);
	if (err)
		buf__printf(&said, ": %s", strerror_r(err, text, sizeof(text)));
	add_lines(&lines, prefix, buf__str(&said));
	if (said.error)
		lines.error = said.error;
	emit(&lines, format, true);
	buf__free(&lines);
	buf__free(&said);
	errno = saved;
}

void error(const char *format, ...)
{
	va_list args;

	has_complained = true;
	va_start(args, format);
	say("gctrace: ", 0, format, args);
	va_end(args);
}

int error_errno(int err, const char *format, ...)
{
	va_list args;

	if (err < 0)
		err = -err;
	if (err == 0)
		err = EIO;
	has_complained = true;
	va_start(args, format);
	say("gctrace: ", err, format, args);
	va_end(args);
	return -err;
}

void warning(const char *format, ...)
{
	va_list args;

	has_complained = true;
	va_start(args, format);
	say("gctrace: warning: ", 0, format, args);
	va_end(args);
}

void note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say("gctrace: ", 0, format, args);
	va_end(args);
}

void debug(const char *format, ...)
{
	va_list args;

	if (!is_verbose)
		return;
	va_start(args, format);
	say("gctrace: debug: ", 0, format, args);
	va_end(args);
}

/* A line that wraps could not be overwritten: keep within the terminal, and say so by "...". */
static void add_fitting(struct buf *buf, const struct buf *line)
{
	struct winsize size;
	size_t columns = SIZE_MAX;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 4)
		columns = size.ws_col - 1u;
	shorten__add(buf, buf__str(line), line->len, columns);
}

void progress(const char *format, ...)
{
	struct buf line = BUF_INIT, buf = BUF_INIT;
	int saved = errno;
	va_list args;

	if (!isatty(STDERR_FILENO)) {
		errno = saved;
		return;
	}
	va_start(args, format);
	buf__vprintf(&line, format, args);
	va_end(args);
	add_fitting(&buf, &line);
	buf.error = buf.error ? buf.error : line.error;
	emit(&buf, format, false);
	buf__free(&line);
	buf__free(&buf);
	errno = saved;
}

void progress_end(void)
{
	pthread_mutex_lock(&lock);
	if (progress_shown)
		write_all("\r\033[K", 4);
	progress_shown = false;
	pthread_mutex_unlock(&lock);
}

size_t report__stand_above(size_t lines)
{
	size_t before;

	pthread_mutex_lock(&lock);
	before = lines_above;
	lines_above = lines;
	pthread_mutex_unlock(&lock);
	return before;
}

bool report__has_complained(void)
{
	return has_complained;
}

void report__verbose(bool verbose)
{
	is_verbose = verbose;
}

bool report__is_verbose(void)
{
	return is_verbose;
}
