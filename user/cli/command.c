/* SPDX-License-Identifier: BSD-2-Clause */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/escape.h"
#include "../base/files.h"
#include "../base/privileges.h"
#include "../base/ram.h"
#include "../base/report.h"
#include "../stream/dump_name.h"
#include "help.h"
#include "option_forms.h"
#include "suggest.h"
#include "version.h"

#define USAGE_BYTES 128

extern const struct command completion_command;
extern const struct command diff_command;
extern const struct command doctor_command;
extern const struct command export_command;
extern const struct command follow_command;
extern const struct command heap_command;
extern const struct command help_command;
extern const struct command path_command;
extern const struct command probes_command;
extern const struct command record_command;
extern const struct command run_command;
extern const struct command sample_command;
extern const struct command stream_command;
extern const struct command version_command;

const struct command *const commands[] = {
	&stream_command,
	&probes_command,
	&heap_command,
	&path_command,
	&diff_command,
	&export_command,
	&follow_command,
	&sample_command,
	&record_command,
	&run_command,
	&doctor_command,
	&version_command,
	&help_command,
	&completion_command,
	NULL,
};

const struct command *command__find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

enum status command__usage(const struct command *command)
{
	if (command == commands[0])
		error("see gctrace --help");
	else
		error("see gctrace %s --help", command->name);
	return STATUS_USAGE;
}

static const char *usage_of(const struct command *command, char usage[USAGE_BYTES])
{
	snprintf(usage, USAGE_BYTES, "gctrace %s [options]%s%s", command->name,
		 *command->operands ? " " : "", command->operands);
	return usage;
}

static bool operands_are_right(const struct command *command, const struct words *operands)
{
	char usage[USAGE_BYTES];

	if (operands->count < command->operands_min) {
		error("something is missing; usage: %s", usage_of(command, usage));
		return false;
	}
	if (operands->count > command->operands_max) {
		error("\"%s\" is too much; usage: %s",
		      escape(operands->items[command->operands_max]), usage_of(command, usage));
		return false;
	}
	return true;
}

/*
 * Files without a process to trace: what is in them is taken apart without privileges. A word may
 * be FILE or FILE@N.
 */
static void expect_files(const struct invocation *invocation)
{
	const struct words *words = &invocation->operands;

	if (!words->count || invocation->command->runs_program ||
	    option_forms__is_given(&invocation->given, "pid"))
		return;
	for (size_t i = 0; i < words->count; i++) {
		char *copy = strdup(words->items[i]);
		char *at = copy ? strrchr(copy, '@') : NULL;

		files__expect_input(words->items[i]);
		if (at) {
			*at = '\0';
			files__expect_input(copy);
		}
		free(copy);
	}
	privileges__only_files();
}

/*
 * The last resort: who fails says why. A program's own status is not ours to explain, nor what
 * doctor has found, which is on stdout; memory that ran out is reported by main().
 */
static void explain(const struct command *command, enum status status)
{
	if (status != STATUS_FAILED || command->runs_program || command == &doctor_command ||
	    report__has_complained() || ram__ran_out())
		return;
	error("failed, and nothing has said why: this is an error in gctrace; please report it,"
	      " with the command");
}

/* Run a parsed command, or what its --help or --version ask for instead. */
static enum status perform(struct invocation *invocation, enum parsed parsed)
{
	const struct command *command = invocation->command;

	switch (parsed) {
	case PARSED_HELP:
		return help__show(command);
	case PARSED_VERSION:
		return version__show();
	case PARSED_FINE:
		if (!operands_are_right(command, &invocation->operands))
			return command__usage(command);
		ram__limit(options_mem_limit);
		expect_files(invocation);
		return command->run(invocation);
	default:
		return command__usage(command);
	}
}

static enum status run(const struct command *command, int argc, char **argv)
{
	struct invocation invocation = { .command = command };
	void *settings = calloc(1, command->settings_size + 1);
	enum parsed parsed;
	enum status status;

	if (!settings) {
		error("out of memory");
		return STATUS_FAILED;
	}
	if (command->defaults)
		memcpy(settings, command->defaults, command->settings_size);
	invocation.settings = settings;
	parsed = options__parse(command->options, settings, argc, argv, command->runs_program,
				&invocation.operands, &invocation.given);
	status = perform(&invocation, parsed);
	explain(command, status);
	vec__free(&invocation.operands);
	vec__free(&invocation.given);
	options__free(command->options, settings);
	free(settings);
	return status;
}

static enum status unknown(const char *word)
{
	struct suggestion suggestion;
	const char *near;

	suggestion__start(&suggestion, word, strlen(word));
	for (size_t i = 0; commands[i]; i++)
		suggestion__offer(&suggestion, commands[i]->name);
	near = suggestion__nearest(&suggestion);
	if (dump_name__refuse(word))
		return STATUS_FAILED;
	if (word[strspn(word, "0123456789")] == '\0')
		error("%s is no command; to trace the process of that number: gctrace -p %s",
		      escape(word), escape(word));
	else if (near)
		error("there is no command or file %s; did you mean %s?", escape(word), near);
	else
		error("there is no command or file %s", escape(word));
	return command__usage(commands[0]);
}

/* The default command's words begin with an option, or with a recording to read. */
static bool is_default(const char *word)
{
	return word[0] == '-' || strchr(word, '/') || access(word, F_OK) == 0;
}

enum status command__main(int argc, char **argv)
{
	const struct command *command;

	if (argc < 2) {
		error("which process? gctrace -p PID; see gctrace --help");
		return STATUS_USAGE;
	}
	command = command__find(argv[1]);
	if (command)
		return run(command, argc - 2, argv + 2);
	if (!is_default(argv[1]))
		return unknown(argv[1]);
	return run(commands[0], argc - 1, argv + 1);
}
