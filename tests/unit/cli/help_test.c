/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of the real commands: whole, without contradictions, and fit to be shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/escape.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/value.h"
#include "stream/event.h"

static size_t widest_line(const char *text)
{
	size_t widest = 0;

	while (*text) {
		size_t len = strcspn(text, "\n"), width = utf8__columns(text, len);

		widest = width > widest ? width : widest;
		text += len + (text[len] == '\n');
	}
	return widest;
}

static void help_fits_and_names_everything(void **state)
{
	static const size_t widths[] = { 100, 80, 60 };

	(void)state;
	for (size_t i = 0; commands[i]; i++)
		for (size_t w = 0; w < 3; w++) {
			struct option_cursor at = { 0 };
			const struct option *option;
			struct buf help = BUF_INIT;

			help__add_command(&help, commands[i], widths[w]);
			assert_int_equal(help.error, 0);
			if (widths[w] >= 80)
				assert_true(widest_line(help.data) <= widths[w]);
			assert_null(strstr(help.data, " \n"));
			while ((option = options__next(commands[i]->options, &at))) {
				char spelling[100];

				snprintf(spelling, sizeof(spelling), " --%s", option->name);
				assert_non_null(strstr(help.data, spelling));
			}
			buf__free(&help);
		}
}

static void commands_are_whole(void **state)
{
	(void)state;
	for (size_t i = 0; commands[i]; i++) {
		const struct command *c = commands[i];

		assert_ptr_equal(command__find(c->name), c);
		assert_non_null(c->run);
		assert_true(c->summary && *c->summary && !strchr(c->summary, '\n'));
		assert_true(c->about && *c->about && c->about[strlen(c->about) - 1] == '\n');
		assert_non_null(c->operands);
		assert_true(c->operands_min <= c->operands_max);
	}
	assert_null(command__find("nonsense"));
}

/* In the command's settings. */
static size_t setting_size(const struct option *option)
{
	if (option->global)
		return 0;
	switch (option->kind) {
	case OPTION_FLAG: return sizeof(bool);
	case OPTION_LEVEL: return sizeof(unsigned int);
	case OPTION_STRING: return sizeof(const char *);
	case OPTION_CHOICE: return sizeof(int);
	case OPTION_WORDS: return sizeof(struct words);
	case OPTION_HELP:
	case OPTION_VERSION: return 0;
	default: return sizeof(uint64_t);
	}
}

static void assert_is_choice(const struct option *option, const char *text)
{
	size_t i = 0;

	while (option->choices[i] && strcmp(option->choices[i], text))
		i++;
	assert_non_null(option->choices[i]);
}

static void assert_option_is_whole(const struct option *option)
{
	assert_true(option->help && *option->help);
	assert_int_not_equal(option->help[strlen(option->help) - 1], '.');
	if (option->kind == OPTION_CHOICE) {
		assert_non_null(option->choices);
		/* Without a default it has to be given. */
		if (option->default_text)
			assert_is_choice(option, option->default_text);
	} else if (option__has_value(option)) {
		assert_non_null(option->metavar);
	}
	assert_true(option->max == 0 || option->min <= option->max);
}

/* No two options of a command share a name, a letter or a byte of its settings. */
static void options_are_whole_and_apart(void **state)
{
	(void)state;
	for (size_t i = 0; commands[i]; i++) {
		const struct option_use *uses = commands[i]->options;
		size_t size = commands[i]->settings_size;
		unsigned char *used = calloc(1, size + 1);
		bool letters[256] = { false };
		struct option_cursor at = { 0 };
		const struct option *option, *other;

		while ((option = options__next(uses, &at))) {
			size_t start = at.of->offset + option->offset;
			struct option_cursor rest = at;

			assert_option_is_whole(option);
			assert_false(option->letter && letters[(unsigned char)option->letter]);
			letters[(unsigned char)option->letter] = true;
			while ((other = options__next(uses, &rest)))
				assert_string_not_equal(option->name, other->name);
			for (size_t b = 0; b < setting_size(option); b++) {
				assert_true(start + b < size);
				assert_int_equal(used[start + b]++, 0);
			}
		}
		free(used);
	}
}

/* What the settings of a command begin with, as a number. */
static uint64_t default_of(const struct command *command, const struct option_cursor *at,
			   const struct option *option)
{
	const char *defaults = command->defaults;
	uint64_t value = 0;

	if (defaults)
		memcpy(&value, defaults + at->of->offset + option->offset, setting_size(option));
	return value;
}

/* A default that is told is what the settings begin with; the others begin with nothing. */
static void defaults_are_what_is_told(void **state)
{
	(void)state;
	for (size_t i = 0; commands[i]; i++) {
		struct option_cursor at = { 0 };
		const struct option *option;

		while ((option = options__next(commands[i]->options, &at))) {
			uint64_t told = 0, real;

			if (!setting_size(option) || setting_size(option) > sizeof(told) ||
			    (option->default_text && option->kind == OPTION_STRING) ||
			    (!option->default_text && option->kind == OPTION_CHOICE))
				continue;
			if (option->default_text)
				assert_int_equal(
					value__store(option, option->default_text, &told), 0);
			real = default_of(commands[i], &at, option);
			if (real != told && (option->default_text || real != EVENT_UNKNOWN))
				fail_msg("%s --%s", commands[i]->name, option->name);
		}
	}
}

/* With all the rest as it begins, and a file named. */
static void assert_is_missed(const struct command *command)
{
	char file[] = "app.gctrace", *operands[] = { file };
	struct words words = { operands, 1, 1 };
	void *settings = calloc(1, command->settings_size);
	const struct invocation invocation = { .command = command, .settings = settings,
					       .operands = words };

	assert_non_null(settings);
	if (command->defaults)
		memcpy(settings, command->defaults, command->settings_size);
	assert_int_equal(command->run(&invocation), STATUS_USAGE);
	free(settings);
}

static bool is_choice(const struct option *option, int value)
{
	for (int i = 0; option->choices[i]; i++)
		if (i == value)
			return true;
	return false;
}

/* Nothing is chosen silently: it is missed, or what it adds is left out. */
static void a_choice_without_default_is_not_made(void **state)
{
	size_t choices = 0;

	(void)state;
	for (size_t i = 0; commands[i]; i++) {
		struct option_cursor at = { 0 };
		const struct option *option;

		while ((option = options__next(commands[i]->options, &at))) {
			if (option->kind != OPTION_CHOICE || option->default_text)
				continue;
			choices++;
			assert_false(is_choice(option, (int)default_of(commands[i], &at, option)));
			if (!strcmp(commands[i]->name, "export"))
				assert_is_missed(commands[i]);
		}
	}
	assert_true(choices > 0);
}

static void list_has_a_line_for_each(void **state)
{
	struct buf list = BUF_INIT;
	size_t lines = 0, expected = 0;

	(void)state;
	help__add_list(&list);
	for (const char *p = buf__str(&list); *p; p++)
		lines += *p == '\n';
	for (size_t i = 0; commands[i]; i++) {
		struct option_cursor at = { 0 };

		expected++;
		while (options__next(commands[i]->options, &at))
			expected++;
	}
	assert_int_equal(lines, expected);
	assert_non_null(strstr(list.data, "option\thelp\t--list\t-\t-\t-\tonce\tOptions\n"));
	buf__free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_fits_and_names_everything),
		cmocka_unit_test(commands_are_whole),
		cmocka_unit_test(options_are_whole_and_apart),
		cmocka_unit_test(defaults_are_what_is_told),
		cmocka_unit_test(a_choice_without_default_is_not_made),
		cmocka_unit_test(list_has_a_line_for_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
