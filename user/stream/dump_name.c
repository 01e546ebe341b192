/* SPDX-License-Identifier: BSD-2-Clause */
#include "dump_name.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/report.h"

/* 1: it names a dump; 0: it doesn't; -EINVAL: there can be no such dump. */
static int parse_number(const char *text, uint64_t *number)
{
	uint64_t value = 0;

	if (strcmp(text, "first") == 0 || strcmp(text, "last") == 0) {
		*number = *text == 'f' ? 1 : DUMP_NAME_LAST;
		return 1;
	}
	if (!*text || text[strspn(text, "0123456789")])
		return 0;
	for (; *text; text++) {
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
			return -EINVAL;
	}
	*number = value;
	return value == DUMP_NAME_NONE || value == DUMP_NAME_LAST ? -EINVAL : 1;
}

int dump_name__parse(const char *word, struct dump_name *name)
{
	const char *at = strrchr(word, '@');
	size_t bytes = strlen(word);
	int named = 0;

	*name = (struct dump_name){ .number = DUMP_NAME_NONE };
	if (at && at > word && access(word, F_OK) != 0)
		named = parse_number(at + 1, &name->number);
	if (named < 0) {
		error("%s: there is none of that number; heap dumps in a recording are counted from"
		      " 1",
		      escape(word));
		return -EINVAL;
	}
	name->path = strndup(word, named ? (size_t)(at - word) : bytes);
	return name->path ? 0 : error_errno(ENOMEM, "cannot read %s", escape(word));
}

void dump_name__free(struct dump_name *name)
{
	free(name->path);
	name->path = NULL;
}

int dump_name__refuse(const char *word)
{
	const char *at = strrchr(word, '@');
	uint64_t number;
	char *path;
	int err = 0;

	if (!at || at == word || parse_number(at + 1, &number) == 0)
		return 0;
	path = strndup(word, (size_t)(at - word));
	if (path && access(path, F_OK) == 0) {
		error("there is no file %s; %s names a heap dump for gctrace heap and gctrace path,"
		      " here goes the whole recording: %s",
		      escape(word), escape(at), escape(path));
		err = -EINVAL;
	}
	free(path);
	return err;
}
