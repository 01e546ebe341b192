/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/jvm_options.h"

#include <string.h>

#include "target/environment.h"
#include "target/hsperf.h"
#include "target/process.h"

void jvm_options__split(struct buf *words, const char *text)
{
	char quote = 0;
	bool open = false;

	for (; *text; text++) {
		if (quote ? *text == quote : *text == '"' || *text == '\'') {
			quote = quote ? 0 : *text;
			open = true;
		} else if (!quote && strchr(" \t\n\r\f", *text)) {
			if (open)
				buf__add_char(words, 0);
			open = false;
		} else {
			buf__add_char(words, *text);
			open = true;
		}
	}
	if (open)
		buf__add_char(words, 0);
}

static void add_variable(struct buf *words, const struct buf *environment, const char *name)
{
	const char *value = environment__get(environment, name);

	if (value)
		jvm_options__split(words, value);
}

/* Up to the program: what follows is for that. */
static void add_command_line(struct buf *words, const struct process *process)
{
	const char *at = process->cmdline, *end = at + process->cmdline_len;

	for (at += at < end ? strlen(at) + 1 : 0; at < end; at += strlen(at) + 1)
		buf__add(words, at, strlen(at) + 1);
}

static bool add_counted(struct buf *words, const struct process *process)
{
	struct hsperf *hsperf = NULL;
	const char *arguments = NULL;

	if (hsperf__open(process, &hsperf, NULL) == 0)
		arguments = hsperf__string(hsperf, "java.rt.vmArgs");
	if (arguments)
		jvm_options__split(words, arguments);
	hsperf__free(hsperf);
	return arguments;
}

int jvm_options__read(const struct process *process, struct buf *words)
{
	struct buf environment = BUF_INIT;
	int err = environment__read(process, &environment);

	if (!err) {
		add_variable(words, &environment, "JAVA_TOOL_OPTIONS");
		if (!add_counted(words, process)) {
			add_variable(words, &environment, "JDK_JAVA_OPTIONS");
			add_command_line(words, process);
		}
		add_variable(words, &environment, "_JAVA_OPTIONS");
		err = words->error;
	}
	buf__free(&environment);
	return err;
}

bool jvm_options__flag(const struct buf *words, const char *name, bool otherwise)
{
	const char *at = buf__str(words), *end = at + words->len;
	bool is_on = otherwise;

	for (; at < end; at += strlen(at) + 1)
		if (strncmp(at, "-XX:", 4) == 0 && (at[4] == '+' || at[4] == '-') &&
		    strcmp(at + 5, name) == 0)
			is_on = at[4] == '+';
	return is_on;
}

bool jvm_options__has(const struct buf *words, const char *word)
{
	const char *at = buf__str(words), *end = at + words->len;

	for (; at < end; at += strlen(at) + 1)
		if (strcmp(at, word) == 0)
			return true;
	return false;
}
