/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command "completion": scripts for shells, from the same tables as the parser.
 *
 * Each script holds the whole list of commands, options and choices, so that completing
 * needs no call of gctrace; only the processes for -p are asked for when they are needed.
 * Texts in the tables are ours, but quotes in them are still escaped as each shell wants.
 */
#include <string.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../view/output.h"
#include "command.h"

static void add_choices(struct buf *buf, const struct option *option)
{
	for (size_t i = 0; option->choices[i]; i++)
		buf__printf(buf, "%s%s", i ? " " : "", option->choices[i]);
}

static bool takes(const struct option *option, const char *what)
{
	return option->completes && strcmp(option->completes, what) == 0;
}

/* bash: a case for the word before (values), then one for the command (options). */

static void bash_values(struct buf *buf, const struct option *option)
{
	buf__printf(buf, "\t\t--%s", option->name);
	if (option->letter)
		buf__printf(buf, "|-%c", option->letter);
	buf__add_str(buf, ") ");
	if (option->kind == OPTION_CHOICE) {
		buf__add_str(buf, "COMPREPLY=($(compgen -W '");
		add_choices(buf, option);
		buf__add_str(buf, "' -- \"$cur\"))");
	} else if (takes(option, "process")) {
		buf__add_str(buf, "COMPREPLY=($(compgen -W \"$(ps -eo pid=,comm= |"
				  " sed 's/[^A-Za-z0-9 _.-]//g')\" -- \"$cur\"))");
	} else if (takes(option, "file")) {
		buf__add_str(buf, "compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))");
	} else {
		buf__add_char(buf, ':');
	}
	buf__add_str(buf, "; return ;;\n");
}

static void bash_command(struct buf *buf, const struct command *command)
{
	struct option_cursor at = { 0 };
	const struct option *option;

	buf__printf(buf, "\t%s)\n\t\tcase $prev in\n", command->name);
	while ((option = options__next(command->options, &at)))
		if (option__has_value(option) && !option->bare)
			bash_values(buf, option);
	buf__add_str(buf, "\t\tesac\n\t\toptions='");
	at = (struct option_cursor){ 0 };
	while ((option = options__next(command->options, &at)))
		buf__printf(buf, "%s--%s", at.use + at.index > 1 ? " " : "", option->name);
	buf__add_str(buf, "' ;;\n");
}

static void add_command_names(struct buf *buf)
{
	for (size_t i = 0; commands[i]; i++)
		buf__printf(buf, "%s%s", i ? " " : "", commands[i]->name);
}

static void add_bash(struct buf *buf)
{
	buf__add_str(buf, "# bash completion for gctrace, made by: gctrace completion bash\n"
			  "_gctrace()\n{\n"
			  "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
			  "\tlocal command=${COMP_WORDS[1]} options= commands='");
	add_command_names(buf);
	buf__printf(buf, "'\n\tCOMPREPLY=()\n"
			 "\tcase \" $commands \" in *\" $command \"*) ;; *) command=%s ;; esac\n"
			 "\tcase $command in\n", commands[0]->name);
	for (size_t i = 0; commands[i]; i++)
		bash_command(buf, commands[i]);
	buf__add_str(buf, "\tesac\n"
			  "\tif [[ $cur == -* ]]; then\n"
			  "\t\tCOMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
			  "\telif [[ $COMP_CWORD == 1 || $command == help ]]; then\n"
			  "\t\tCOMPREPLY=($(compgen -W \"$commands\" -- \"$cur\"))\n"
			  "\telif [[ $command == completion ]]; then\n"
			  "\t\tCOMPREPLY=($(compgen -W 'bash zsh fish' -- \"$cur\"))\n"
			  "\telif [[ $command == run ]]; then\n"
			  "\t\tCOMPREPLY=($(compgen -c -- \"$cur\"))\n"
			  "\telse\n"
			  "\t\tcompopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\"))\n"
			  "\tfi\n}\ncomplete -F _gctrace gctrace\n");
}

/* zsh: _arguments specs; brackets, colons and quotes in descriptions are escaped. */

static void zsh_text(struct buf *buf, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			buf__add_str(buf, "'\\'");
		else if (strchr("[]:\\", *text))
			buf__add_char(buf, '\\');
		buf__add_char(buf, *text);
	}
}

static void zsh_values(struct buf *buf, const struct option *option)
{
	buf__add_str(buf, option->bare ? "::" : ":");
	if (option->kind == OPTION_CHOICE) {
		buf__printf(buf, "%s:(", option->name);
		add_choices(buf, option);
		buf__add_char(buf, ')');
	} else {
		zsh_text(buf, option->metavar);
		buf__add_str(buf, takes(option, "process") ? ":_pids" :
				  takes(option, "file") ? ":_files" : ": ");
	}
}

static void zsh_spelling(struct buf *buf, const struct option *option, bool letter)
{
	buf__printf(buf, "\t\t\t'%s", option__repeatable(option) ? "*" : "");
	if (letter)
		buf__printf(buf, "-%c%s", option->letter, option__has_value(option) ? "+" : "");
	else
		buf__printf(buf, "--%s%s", option->name,
			    option->bare ? "=-" : option__has_value(option) ? "=" : "");
	buf__add_char(buf, '[');
	zsh_text(buf, option->help);
	buf__add_char(buf, ']');
	if (option__has_value(option))
		zsh_values(buf, option);
	buf__add_str(buf, "' \\\n");
}

static const char *zsh_operands(const struct command *command)
{
	if (strcmp(command->name, "completion") == 0)
		return "':shell:(bash zsh fish)'";
	if (strcmp(command->name, "help") == 0)
		return "':command:(($commands))'";
	if (command->runs_program)
		return "'*::command:_normal'";
	return command->operands_max ? "'*:file:_files'" : "";
}

static void zsh_command(struct buf *buf, const struct command *command)
{
	struct option_cursor at = { 0 };
	const struct option *option;

	buf__printf(buf, "\t%s)\n\t\t_arguments -s -S \\\n", command->name);
	while ((option = options__next(command->options, &at))) {
		if (option->letter)
			zsh_spelling(buf, option, true);
		zsh_spelling(buf, option, false);
	}
	buf__printf(buf, "\t\t\t%s ;;\n", zsh_operands(command));
}

static void add_zsh(struct buf *buf)
{
	buf__add_str(buf, "#compdef gctrace\n"
			  "# zsh completion for gctrace, made by: gctrace completion zsh\n"
			  "local -a commands\n"
			  "local command=$words[2]\n"
			  "commands=(\n");
	for (size_t i = 0; commands[i]; i++) {
		buf__printf(buf, "\t'%s:", commands[i]->name);
		zsh_text(buf, commands[i]->summary);
		buf__add_str(buf, "'\n");
	}
	buf__printf(buf, ")\n"
			 "if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then\n"
			 "\t_describe command commands\n"
			 "\t_files\n"
			 "\treturn\n"
			 "fi\n"
			 "if (( ${commands[(I)$command:*]} )); then\n"
			 "\tshift words\n"
			 "\t(( CURRENT-- ))\n"
			 "else\n"
			 "\tcommand=%s\n"
			 "fi\n"
			 "case $command in\n", commands[0]->name);
	for (size_t i = 0; commands[i]; i++)
		zsh_command(buf, commands[i]);
	buf__add_str(buf, "esac\n");
}

/* fish: one complete line an option. */

static void fish_text(struct buf *buf, const char *text)
{
	buf__add_char(buf, '\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			buf__add_char(buf, '\\');
		buf__add_char(buf, *text);
	}
	buf__add_char(buf, '\'');
}

static void fish_option(struct buf *buf, const char *condition, const struct option *option)
{
	buf__printf(buf, "complete -c gctrace -n '%s' -l %s", condition, option->name);
	if (option->letter)
		buf__printf(buf, " -s %c", option->letter);
	if (option->kind == OPTION_CHOICE) {
		buf__add_str(buf, " -x -a '");
		add_choices(buf, option);
		buf__add_char(buf, '\'');
	} else if (takes(option, "process")) {
		buf__add_str(buf, " -x -a '(__fish_complete_pids)'");
	} else if (takes(option, "file")) {
		buf__add_str(buf, " -r -F");
	} else if (option__has_value(option) && !option->bare) {
		buf__add_str(buf, " -x");
	}
	buf__add_str(buf, " -d ");
	fish_text(buf, option->help);
	buf__add_char(buf, '\n');
}

static void fish_command(struct buf *buf, const struct command *command)
{
	struct buf condition = BUF_INIT;
	struct option_cursor at = { 0 };
	const struct option *option;

	if (command == commands[0])
		buf__printf(&condition, "not __fish_seen_subcommand_from $gctrace_commands;"
					" or __fish_seen_subcommand_from %s", command->name);
	else
		buf__printf(&condition, "__fish_seen_subcommand_from %s", command->name);
	buf__printf(buf, "complete -c gctrace -n '__fish_is_first_arg' -a %s -d ", command->name);
	fish_text(buf, command->summary);
	buf__add_char(buf, '\n');
	while ((option = options__next(command->options, &at)))
		fish_option(buf, buf__str(&condition), option);
	buf__free(&condition);
}

static void add_fish(struct buf *buf)
{
	buf__add_str(buf, "# fish completion for gctrace, made by: gctrace completion fish\n"
			  "set -g gctrace_commands ");
	add_command_names(buf);
	buf__add_char(buf, '\n');
	for (size_t i = 0; commands[i]; i++)
		fish_command(buf, commands[i]);
	buf__add_str(buf, "complete -c gctrace -n '__fish_seen_subcommand_from completion'"
			  " -x -a 'bash zsh fish'\n");
	buf__add_str(buf, "complete -c gctrace -n '__fish_seen_subcommand_from help'"
			  " -x -a \"$gctrace_commands\"\n");
}

static enum status cmd_completion(const struct invocation *invocation)
{
	const char *shell = invocation->operands.items[0];
	struct buf buf = BUF_INIT;
	int err;

	if (strcmp(shell, "bash") == 0) {
		add_bash(&buf);
	} else if (strcmp(shell, "zsh") == 0) {
		add_zsh(&buf);
	} else if (strcmp(shell, "fish") == 0) {
		add_fish(&buf);
	} else {
		error("expected bash, zsh or fish, found \"%s\"", escape(shell));
		return command__usage(invocation->command);
	}
	err = buf.error ? error_errno(buf.error, "completion") : output__print(buf.data, buf.len);
	buf__free(&buf);
	return err ? STATUS_FAILED : STATUS_FINE;
}

static const struct option_use uses[] = {
	{ &general_group, 0 },
	{ NULL, 0 },
};

const struct command completion_command = {
	.name = "completion",
	.summary = "Print a script that completes gctrace's commands and options in a shell",
	.operands = "bash|zsh|fish",
	.about = "Prints a completion script; make install puts them where shells look for them."
		 " To try one at once:\n"
		 "  source <(gctrace completion bash)\n",
	.options = uses,
	.operands_min = 1,
	.operands_max = 1,
	.run = cmd_completion,
};
