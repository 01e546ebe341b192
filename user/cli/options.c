/* SPDX-License-Identifier: BSD-2-Clause */
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "suggest.h"
#include "value.h"

uint64_t options_mem_limit;

static const struct option general_options[] = {
	{ .name = "help", .letter = 'h', .kind = OPTION_HELP, .help = "Show this help and exit" },
	{ .name = "version", .letter = 'V', .kind = OPTION_VERSION,
	  .help = "Show the versions of gctrace, libbpf and the kernel and exit" },
	{ .name = "mem-limit", .kind = OPTION_BYTES, .metavar = "SIZE",
	  .global = &options_mem_limit, .min = UINT64_C(1) << 20,
	  .help = "Use no more memory than this and 40 MiB for gctrace itself: rings, buffers,"
		  " names and the heap graph (about 36 B an object and 8 B a reference). More is an"
		  " error, not swapping (default: half of what is available to gctrace, control"
		  " groups' limits included)" },
	{ .name = NULL },
};

const struct option_group general_group = { "General", general_options };

struct parser {
	const struct option_use *table;
	char *settings;
	char **argv;
	int argc, next;
	struct words *operands;
	struct given *given;
};

struct found {
	const struct option *option;
	void *setting;
};

bool option__has_value(const struct option *option)
{
	switch (option->kind) {
	case OPTION_FLAG:
	case OPTION_LEVEL:
	case OPTION_HELP:
	case OPTION_VERSION:
		return false;
	default:
		return true;
	}
}

bool option__repeatable(const struct option *option)
{
	return option->kind == OPTION_WORDS || option->kind == OPTION_LEVEL;
}

const struct option *options__next(const struct option_use *table, struct option_cursor *at)
{
	for (;;) {
		const struct option_group *group = table[at->use].group;

		if (!group)
			return NULL;
		if (group->options[at->index].name) {
			at->of = &table[at->use];
			return &group->options[at->index++];
		}
		at->use++;
		at->index = 0;
	}
}

/* By letter, or where that is 0 by the first len bytes of name. */
static bool find(const struct parser *p, char letter, const char *name, size_t len,
		 struct found *found)
{
	struct option_cursor at = { 0 };
	const struct option *o;

	while ((o = options__next(p->table, &at))) {
		if (letter ? o->letter != letter
			   : strncmp(o->name, name, len) != 0 || o->name[len])
			continue;
		found->option = o;
		found->setting = o->global ? (void *)o->global :
					     p->settings + at.of->offset + o->offset;
		return true;
	}
	return false;
}

static enum parsed unknown_long(const struct parser *p, const char *name, size_t len)
{
	const char *shown = escape_bytes(name, len), *near;
	struct option_cursor at = { 0 };
	struct suggestion suggestion;
	const struct option *o;

	suggestion__start(&suggestion, name, len);
	while ((o = options__next(p->table, &at)))
		suggestion__offer(&suggestion, o->name);
	near = suggestion__nearest(&suggestion);
	if (near)
		error("there is no option --%s; did you mean --%s?", shown, near);
	else
		error("there is no option --%s", shown);
	return PARSED_WRONG;
}

static enum parsed no_memory(void)
{
	error("out of memory");
	return PARSED_WRONG;
}

static enum parsed apply(struct parser *p, const struct found *found, const char *value)
{
	if (vec__push(p->given, found->option))
		return no_memory();
	switch (found->option->kind) {
	case OPTION_HELP:
		return PARSED_HELP;
	case OPTION_VERSION:
		return PARSED_VERSION;
	case OPTION_FLAG:
		*(bool *)found->setting = true;
		return PARSED_FINE;
	case OPTION_LEVEL:
		++*(unsigned int *)found->setting;
		return PARSED_FINE;
	default:
		if (value__store(found->option, value, found->setting))
			return PARSED_WRONG;
		return PARSED_FINE;
	}
}

/* Is the next word the value of an option that may do without? It is where it is a number. */
static bool value_follows(const struct parser *p, const struct option *option)
{
	return p->next < p->argc &&
	       (!option->bare || value__is_number(option, p->argv[p->next]));
}

/* The value of an option that needs one: what stands behind it, or the next word. */
static const char *take_value(struct parser *p, const struct option *option, const char *attached)
{
	if (attached)
		return attached;
	if (value_follows(p, option))
		return p->argv[p->next++];
	if (option->bare)
		return option->bare;
	error("--%s needs a value: %s", option->name, value__expected(option));
	return NULL;
}

static enum parsed parse_long(struct parser *p, const char *word)
{
	size_t len = strcspn(word, "=");
	const char *value = word[len] ? word + len + 1 : NULL;
	struct found found;

	if (!find(p, 0, word, len, &found))
		return unknown_long(p, word, len);
	if (option__has_value(found.option)) {
		value = take_value(p, found.option, value);
		return value ? apply(p, &found, value) : PARSED_WRONG;
	}
	if (value) {
		error("--%s takes no value, but \"%s\" was given", found.option->name,
		      escape(value));
		return PARSED_WRONG;
	}
	return apply(p, &found, NULL);
}

/* -v, -vv, -p1, -vp1: letters up to the first that takes a value. */
static enum parsed parse_letters(struct parser *p, const char *word)
{
	const char *letter = word;

	do {
		enum parsed parsed;
		const char *value = NULL;
		struct found found;

		if (!find(p, *letter, NULL, 0, &found)) {
			error("there is no option -%s%s%s", escape_bytes(letter, 1),
			      word[1] ? " in -" : "", word[1] ? escape(word) : "");
			return PARSED_WRONG;
		}
		letter++;
		if (option__has_value(found.option)) {
			value = take_value(p, found.option, *letter ? letter : NULL);
			if (!value)
				return PARSED_WRONG;
		}
		parsed = apply(p, &found, value);
		if (parsed != PARSED_FINE || value)
			return parsed;
	} while (*letter);
	return PARSED_FINE;
}

static enum parsed add_operand(struct parser *p, char *word)
{
	return vec__push(p->operands, word) ? no_memory() : PARSED_FINE;
}

enum parsed options__parse(const struct option_use *table, void *settings, int argc, char **argv,
			   bool stop_at_operand, struct words *operands, struct given *given)
{
	struct parser p = { table, settings, argv, argc, 0, operands, given };
	enum parsed parsed = PARSED_FINE;
	bool only_operands = false;

	while (parsed == PARSED_FINE && p.next < argc) {
		char *word = argv[p.next++];

		if (only_operands || word[0] != '-' || !word[1]) {
			only_operands = only_operands || stop_at_operand;
			parsed = add_operand(&p, word);
		} else if (word[1] != '-') {
			parsed = parse_letters(&p, word + 1);
		} else if (word[2]) {
			parsed = parse_long(&p, word + 2);
		} else {
			only_operands = true;
		}
	}
	return parsed;
}

void options__free(const struct option_use *table, void *settings)
{
	struct option_cursor at = { 0 };
	const struct option *o;

	while ((o = options__next(table, &at))) {
		struct words *words;

		if (o->kind != OPTION_WORDS)
			continue;
		words = (void *)((char *)settings + at.of->offset + o->offset);
		for (size_t i = 0; i < words->count; i++)
			free(words->items[i]);
		vec__free(words);
	}
}
