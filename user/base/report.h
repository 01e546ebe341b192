/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What gctrace says to the person in front of it: always on stderr (stdout is data, also
 * with -o json), always whole lines by one write(), "gctrace: " first. What is longer than
 * WRAP_COLUMNS (wrap.h) goes on in a line of its own that begins with "gctrace:   "; a path or
 * another word that is longer stays whole.
 *
 * A message says what was expected, what was found and what to do. Text that came from
 * the target goes through escape() (escape.h); the format itself never holds such text.
 * Formats have no newline at the end. All are safe to call from several threads.
 */
#ifndef GCTRACE_BASE_REPORT_H
#define GCTRACE_BASE_REPORT_H

#include <stdbool.h>
#include <stddef.h>

/* "gctrace: ..." : the command fails, or a part of what was asked for is not done. */
void error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The same, with ": " and the text of an errno at the end. err may be given as errno or
 * as negative errno; what is returned is always negative (never 0: an err of 0 gives -EIO),
 * so that `return error_errno(errno, "cannot open %s", path);` is right.
 */
int error_errno(int err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "gctrace: warning: ..." : the result is less than it could be. */
void warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "gctrace: ..." : good to know. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "gctrace: debug: ..." : only after report__verbose(true) (-vv); for bug reports. */
void debug(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * A line that overwrites itself while something long goes on ("4.2 M objects ..."); only
 * where stderr is a terminal, nothing elsewhere. Any message above clears it first.
 */
void progress(const char *format, ...) __attribute__((format(printf, 1, 2)));
void progress_end(void);

/*
 * So many lines above the cursor are painted anew in place now and then (../view/screen.h). Where
 * stderr is a terminal, any message but progress() wipes them first. 0: there are none (any more).
 * Answers how many there were until now.
 */
size_t report__stand_above(size_t lines);

/* Has error() or warning() been called? Who fails without has something to explain. */
bool report__has_complained(void);

void report__verbose(bool verbose);
bool report__is_verbose(void);

#endif
