/* SPDX-License-Identifier: BSD-2-Clause */
#include "help.h"

#include <errno.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../base/wrap.h"
#include "../view/output.h"
#include "../view/terminal.h"

/* Where the explanations begin, and the widest head that stays on the line with its own. */
#define TEXT_COLUMN 30
#define NARROWEST 60

/* A head of the left column, then its text in the right one. */
static void add_entry(struct buf *buf, const char *head, const char *text, size_t columns)
{
	const struct wrap wrap = { .columns = columns, .indent = TEXT_COLUMN };
	size_t width = 2 + utf8__columns(head, strlen(head));

	buf__add_repeated(buf, ' ', 2);
	buf__add_str(buf, head);
	if (width + 2 > TEXT_COLUMN) {
		buf__add_char(buf, '\n');
		width = 0;
	}
	buf__add_repeated(buf, ' ', TEXT_COLUMN - width);
	wrap__add(buf, &wrap, TEXT_COLUMN, text);
	buf__add_char(buf, '\n');
}

static void add_value_name(struct buf *buf, const struct option *option)
{
	if (option->kind != OPTION_CHOICE) {
		buf__printf(buf, option->bare ? "[=%s]" : "%s", option->metavar);
		return;
	}
	for (size_t i = 0; option->choices[i]; i++)
		buf__printf(buf, "%s%s", i ? "|" : "", option->choices[i]);
}

void help__add_option_head(struct buf *buf, const struct option *option)
{
	if (option->letter)
		buf__printf(buf, "-%c, ", option->letter);
	else
		buf__add_str(buf, "    ");
	buf__printf(buf, "--%s", option->name);
	if (!option__has_value(option))
		return;
	if (!option->bare)
		buf__add_char(buf, ' ');
	add_value_name(buf, option);
}

static void add_option(struct buf *buf, const struct option *option, size_t columns)
{
	struct buf head = BUF_INIT, text = BUF_INIT;

	help__add_option_head(&head, option);
	buf__add_str(&text, option->help);
	if (option->default_text)
		buf__printf(&text, " (default: %s)", option->default_text);
	add_entry(buf, buf__str(&head), buf__str(&text), columns);
	if (head.error || text.error)
		buf->error = -ENOMEM;
	buf__free(&head);
	buf__free(&text);
}

static void add_options(struct buf *buf, const struct command *command, size_t columns)
{
	const struct option_use *use = NULL;
	struct option_cursor at = { 0 };
	const struct option *option;

	while ((option = options__next(command->options, &at))) {
		if (at.of != use)
			buf__printf(buf, "\n%s:\n", at.of->group->title);
		use = at.of;
		add_option(buf, option, columns);
	}
}

/* Lines that begin with a blank are examples: as they are, one below the other. */
static void add_paragraphs(struct buf *buf, const char *text, size_t columns)
{
	const struct wrap wrap = { .columns = columns };
	bool after_example = false;

	while (*text) {
		size_t len = strcspn(text, "\n");
		bool is_example = *text == ' ';

		if (!is_example || !after_example)
			buf__add_char(buf, '\n');
		if (is_example)
			buf__add(buf, text, len);
		else
			wrap__add(buf, &wrap, 0, text);
		buf__add_char(buf, '\n');
		after_example = is_example;
		text += len + (text[len] == '\n');
	}
}

static void add_commands(struct buf *buf, size_t columns)
{
	buf__add_str(buf, "\nCommands (the first one is the default; gctrace COMMAND --help"
			  " tells more):\n");
	for (size_t i = 0; commands[i]; i++)
		add_entry(buf, commands[i]->name, commands[i]->summary, columns);
}

void help__add_command(struct buf *buf, const struct command *command, size_t columns)
{
	bool is_default = command == commands[0];

	if (columns < NARROWEST)
		columns = NARROWEST;
	buf__printf(buf, "usage: gctrace %s%s[options]%s%s\n", is_default ? "" : command->name,
		    is_default ? "" : " ", *command->operands ? " " : "", command->operands);
	if (is_default)
		buf__add_str(buf, "       gctrace COMMAND [options] ...\n");
	add_paragraphs(buf, command->about, columns);
	if (is_default)
		add_commands(buf, columns);
	add_options(buf, command, columns);
}

static void add_list_entry(struct buf *buf, const struct command *command,
			   const struct option *option, const char *group)
{
	char letter[] = { option->letter ? option->letter : '-', '\0' };

	buf__printf(buf, "option\t%s\t--%s\t%s\t", command->name, option->name, letter);
	if (option__has_value(option))
		add_value_name(buf, option);
	else
		buf__add_char(buf, '-');
	buf__printf(buf, "\t%s\t%s\t%s\n", option->default_text ? option->default_text : "-",
		    option__repeatable(option) ? "repeatable" : "once", group);
}

void help__add_list(struct buf *buf)
{
	for (size_t i = 0; commands[i]; i++) {
		struct option_cursor at = { 0 };
		const struct option *option;

		buf__printf(buf, "command\t%s\t%s\n", commands[i]->name, commands[i]->summary);
		while ((option = options__next(commands[i]->options, &at)))
			add_list_entry(buf, commands[i], option, at.of->group->title);
	}
}

static enum status print(struct buf *buf)
{
	int err = buf->error ? error_errno(buf->error, "help") : output__print(buf->data, buf->len);

	buf__free(buf);
	return err ? STATUS_FAILED : STATUS_FINE;
}

enum status help__show(const struct command *command)
{
	size_t columns = terminal__columns(STDOUT_FILENO);
	struct buf buf = BUF_INIT;

	if (columns == 0 || columns > HELP_COLUMNS)
		columns = HELP_COLUMNS;
	help__add_command(&buf, command, columns);
	return print(&buf);
}

/* The command "help". */

struct help_settings {
	bool list;
};

static enum status cmd_help(const struct invocation *invocation)
{
	const struct help_settings *settings = invocation->settings;
	const struct command *command = commands[0];
	struct buf buf = BUF_INIT;

	if (settings->list) {
		help__add_list(&buf);
		return print(&buf);
	}
	if (invocation->operands.count)
		command = command__find(invocation->operands.items[0]);
	if (command)
		return help__show(command);
	error("there is no command %s", escape(invocation->operands.items[0]));
	return command__usage(commands[0]);
}

static const struct option help_options[] = {
	{ .name = "list", .kind = OPTION_FLAG, .offset = offsetof(struct help_settings, list),
	  .help = "List all commands and options, one a line with tabs between the fields,"
		  " for scripts" },
	{ .name = NULL },
};

static const struct option_group help_group = { "Options", help_options };

static const struct option_use help_uses[] = {
	{ &help_group, 0 },
	{ &general_group, 0 },
	{ NULL, 0 },
};

const struct command help_command = {
	.name = "help",
	.summary = "Show what gctrace, or one of its commands, can do",
	.operands = "[COMMAND]",
	.about = "Shows the help of a command; without one, that of gctrace as a whole.\n",
	.options = help_uses,
	.settings_size = sizeof(struct help_settings),
	.operands_max = 1,
	.run = cmd_help,
};
