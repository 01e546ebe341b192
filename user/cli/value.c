/* SPDX-License-Identifier: BSD-2-Clause */
#include "value.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "options.h"
#include "suggest.h"

const char *value__expected(const struct option *option)
{
	static struct buf choices;

	switch (option->kind) {
	case OPTION_DURATION:
		return "a time such as 500us, 10ms, 30s or 2m";
	case OPTION_BYTES:
		return "a size such as 65536, 512KiB or 64MiB";
	case OPTION_COUNT:
		return "a whole number such as 100";
	case OPTION_ADDRESS:
		return "a hexadecimal address such as 0x7f1234567890";
	case OPTION_CHOICE:
		buf__reset(&choices);
		for (size_t i = 0; option->choices[i]; i++)
			buf__printf(&choices, "%s%s",
				    i == 0 ? "" : option->choices[i + 1] ? ", " : " or ",
				    option->choices[i]);
		return buf__str(&choices);
	default:
		return option->metavar;
	}
}

static int unexpected(const struct option *option, const char *value)
{
	error("--%s: expected %s, found \"%s\"", option->name, value__expected(option),
	      escape(value));
	return -EINVAL;
}

/* As the person would write it, so that the bounds can be copied from the message. */
static const char *show(const struct option *option, uint64_t value, char *text)
{
	if (option->kind == OPTION_DURATION)
		return units__ns(text, value);
	if (option->kind == OPTION_BYTES)
		return units__bytes(text, value);
	return units__exact(text, value);
}

static int out_of_range(const struct option *option, const char *value)
{
	char min[UNITS_TEXT], max[UNITS_TEXT];

	error("--%s: %s is out of range: from %s to %s", option->name, escape(value),
	      show(option, option->min, min),
	      show(option, option->max ? option->max : UINT64_MAX, max));
	return -ERANGE;
}

static int parse_number(const struct option *option, const char *value, uint64_t *number)
{
	if (option->kind == OPTION_DURATION)
		return units__parse_duration(value, number);
	if (option->kind == OPTION_BYTES)
		return units__parse_bytes(value, number);
	return units__parse_count(value, number);
}

bool value__is_number(const struct option *option, const char *word)
{
	uint64_t number;

	return parse_number(option, word, &number) != -EINVAL;
}

static int store_number(const struct option *option, const char *value, uint64_t *setting)
{
	uint64_t number = 0;
	const int err = parse_number(option, value, &number);

	if (err == -ERANGE)
		return out_of_range(option, value);
	if (err)
		return unexpected(option, value);
	if (number < option->min || (option->max && number > option->max))
		return out_of_range(option, value);
	*setting = number;
	return 0;
}

static int store_address(const struct option *option, const char *value, uint64_t *setting)
{
	char *end;

	errno = 0;
	*setting = strtoull(value, &end, 16);
	if (errno || !isxdigit((unsigned char)*value) || *end || !*setting)
		return unexpected(option, value);
	return 0;
}

static int store_choice(const struct option *option, const char *value, int *setting)
{
	struct suggestion suggestion;
	const char *near;

	suggestion__start(&suggestion, value, strlen(value));
	for (int i = 0; option->choices[i]; i++) {
		if (strcmp(option->choices[i], value) == 0) {
			*setting = i;
			return 0;
		}
		suggestion__offer(&suggestion, option->choices[i]);
	}
	near = suggestion__nearest(&suggestion);
	if (!near)
		return unexpected(option, value);
	error("--%s: expected %s, found \"%s\"; did you mean %s?", option->name,
	      value__expected(option), escape(value), near);
	return -EINVAL;
}

static int store_words(const struct option *option, const char *value, struct words *words)
{
	const char *rest = value;

	for (;;) {
		size_t len = strcspn(rest, ",");
		char *word;

		if (len == 0)
			return unexpected(option, value);
		word = strndup(rest, len);
		if (!word || vec__push(words, word)) {
			free(word);
			return error_errno(ENOMEM, "--%s", option->name);
		}
		if (!rest[len])
			return 0;
		rest += len + 1;
	}
}

int value__store(const struct option *option, const char *value, void *setting)
{
	switch (option->kind) {
	case OPTION_DURATION:
	case OPTION_BYTES:
	case OPTION_COUNT:
		return store_number(option, value, setting);
	case OPTION_ADDRESS:
		return store_address(option, value, setting);
	case OPTION_CHOICE:
		return store_choice(option, value, setting);
	case OPTION_WORDS:
		return store_words(option, value, setting);
	default:
		if (!*value)
			return unexpected(option, value);
		*(const char **)setting = value;
		return 0;
	}
}
