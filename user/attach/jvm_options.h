/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * With which options a JVM runs, as far as it lets itself be asked from outside: those of the
 * variables that it reads, and its arguments as they stand in its counters (files of arguments
 * are put in there) or on its command line. Of an option that is given twice the last one counts.
 */
#ifndef GCTRACE_ATTACH_JVM_OPTIONS_H
#define GCTRACE_ATTACH_JVM_OPTIONS_H

#include <stdbool.h>

#include "base/buf.h"

struct process;

/* All words, in the JVM's order, each closed by a 0. Appends. 0 or negative errno. */
int jvm_options__read(const struct process *process, struct buf *words);

/* Words of a variable or of the counters: parted by blanks, with quotes around some. Appends. */
void jvm_options__split(struct buf *words, const char *text);

/* Is -XX:+NAME in force? `otherwise` where nobody gave -XX:+NAME or -XX:-NAME. */
bool jvm_options__flag(const struct buf *words, const char *name, bool otherwise);

/* Is this word given, and which one, first or last? */
bool jvm_options__has(const struct buf *words, const char *word);

#endif
