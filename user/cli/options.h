/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options as data. A command's options are one const table, and everything that knows
 * options is made from it: the parser here, --help (help.h), the shell completions
 * (completion.c), the machine-readable list that the tests compare the man page with.
 *
 * Options come in groups, because commands share them. A group's options store into a
 * struct of settings that belongs to the group; a command's settings hold one such
 * struct for each group it uses, and say at which offset:
 *
 *	struct record_settings {
 *		struct target_settings target;
 *		const char *output;
 *	};
 *	static const struct option_use options[] = {
 *		{ &target_group, offsetof(struct record_settings, target) },
 *		{ &record_group, 0 },
 *		{ NULL, 0 },
 *	};
 *
 * What is spelled like GNU is understood like GNU: --name value, --name=value, -xvalue,
 * -x value, -abc for three flags, options after operands, -- before operands that look like
 * options. Where an option that is not repeatable comes twice, the last one holds.
 */
#ifndef GCTRACE_CLI_OPTIONS_H
#define GCTRACE_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/vec.h"

enum option_kind {     /* what the setting is */
	OPTION_FLAG,     /* bool, becomes true */
	OPTION_LEVEL,    /* unsigned int, one more each time */
	OPTION_STRING,   /* const char *, the word in argv; never empty */
	OPTION_DURATION, /* uint64_t, ns */
	OPTION_BYTES,    /* uint64_t */
	OPTION_COUNT,    /* uint64_t */
	OPTION_ADDRESS,  /* uint64_t, hexadecimal; never 0 */
	OPTION_CHOICE,   /* int, the index in choices */
	OPTION_WORDS,    /* struct words: values split at commas; repeatable */
	OPTION_HELP,     /* no setting: the parser returns PARSED_HELP or PARSED_VERSION */
	OPTION_VERSION,
};

/* Words that the settings own; none is empty. */
struct words VEC_OF(char *);

struct option {
	const char *name;           /* without the dashes; NULL closes a table */
	char letter;                /* 0: none */
	enum option_kind kind;
	const char *metavar;        /* "PID", for kinds with a value; NULL for a choice */
	size_t offset;              /* in the group's settings */
	const char *help;           /* a sentence or two, no period at the end of one */
	const char *default_text;   /* NULL: none worth telling */
	const char *const *choices; /* closed by NULL */
	uint64_t min, max;          /* of numbers; max 0: no limit */
	const char *completes;      /* what a shell offers as value: "file", "process" or NULL */
	uint64_t *global;           /* the setting itself; NULL: it is at offset */
	const char *bare;           /* of numbers: the value may be left out and means this; a next
				       word that is no number is not it. NULL: it may not */
};

/* Those that were given, in their order; an option comes as often as it was. */
struct given VEC_OF(const struct option *);

struct option_group {
	const char *title;
	const struct option *options;
};

struct option_use {
	const struct option_group *group; /* NULL closes a table */
	size_t offset;                    /* of the group's struct in the command's settings */
};

/* --mem-limit, --help and --version: every command's last group. */
extern const struct option_group general_group;
extern uint64_t options_mem_limit; /* bytes; 0: not given */

enum parsed {
	PARSED_FINE,
	PARSED_HELP,
	PARSED_VERSION,
	PARSED_WRONG, /* the reason was told by error() */
};

/*
 * Parse argv (argc words, without the names of program and command) into settings, which
 * hold the defaults, and append what is not an option to operands (their text stays
 * argv's), and to given what is one. With stop_at_operand the first operand ends the options,
 * as for a command line to be run. Whatever is returned, options__free() is due.
 */
enum parsed options__parse(const struct option_use *table, void *settings, int argc, char **argv,
			   bool stop_at_operand, struct words *operands, struct given *given);

/* Free what parsing put into settings (not the settings themselves). */
void options__free(const struct option_use *table, void *settings);

bool option__has_value(const struct option *option); /* bare ones too */
bool option__repeatable(const struct option *option);

/*
 * Walk a table: the next option after *option, NULL at the end; start with a zeroed cursor.
 *
 *	for (struct option_cursor at = { 0 }; (option = options__next(table, &at)); )
 */
struct option_cursor {
	size_t use, index;
	const struct option_use *of; /* where the option returned last came from */
};
const struct option *options__next(const struct option_use *table, struct option_cursor *at);

#endif
