/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Commands as data. Each command is one file, NAME.c, that defines
 *
 *	const struct command NAME_command = { ... };
 *
 * with its texts, its table of options, the defaults of its settings and the function
 * that does the work; and one line of the table in command.c names it.
 */
#ifndef GCTRACE_CLI_COMMAND_H
#define GCTRACE_CLI_COMMAND_H

#include <stddef.h>

#include "options.h"
#include "status.h"

struct invocation {
	const struct command *command;
	const void *settings;    /* the command's struct, as its defaults and argv say */
	struct words operands;   /* their text is argv's */
	struct given given;
};

struct command {
	const char *name;
	const char *summary;     /* one line, for the list of commands */
	const char *operands;    /* what follows the options in the usage line; may be "" */
	const char *about;       /* paragraphs for --help, each one line closed by \n */
	const struct option_use *options;
	const void *defaults;    /* settings_size bytes; NULL: all zero */
	size_t settings_size;
	size_t operands_min, operands_max; /* max SIZE_MAX: any number */
	bool runs_program;       /* the first operand ends the options */

	/*
	 * Do it. Errors have been told by error() when it returns; the result is the exit
	 * status. Settings and operands are valid during the call.
	 */
	enum status (*run)(const struct invocation *invocation);
};

/* All commands, in the order of the help; closed by NULL. The first is the default. */
extern const struct command *const commands[];

/* By name; NULL: there is none. */
const struct command *command__find(const char *name);

/* The whole command line (argv[0] is the program): choose, parse, run. An exit status. */
enum status command__main(int argc, char **argv);

/* The command line is wrong, as error() has told: say where help is. STATUS_USAGE. */
enum status command__usage(const struct command *command);

#endif
