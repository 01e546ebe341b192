/* SPDX-License-Identifier: BSD-2-Clause */
/* Help from the tables of commands and options. */
#ifndef GCTRACE_CLI_HELP_H
#define GCTRACE_CLI_HELP_H

#include <stddef.h>

#include "../base/buf.h"
#include "command.h"

#define HELP_COLUMNS 100

/* Print a command's help on stdout; for the default command, with the list of all. */
enum status help__show(const struct command *command);

/* The same as text, no line wider than columns (at least 60). */
void help__add_command(struct buf *buf, const struct command *command, size_t columns);

/* "-p, --pid PID[,...]", "    --moves" */
void help__add_option_head(struct buf *buf, const struct option *option);

/*
 * Every command and option, one a line, fields parted by tabs ("-" where there is nothing),
 * for tools and tests:
 *	command  name  summary
 *	option   command  --name  letter  value  default  "once" or "repeatable"  group
 */
void help__add_list(struct buf *buf);

#endif
