/* SPDX-License-Identifier: BSD-2-Clause */
#include "facts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

#define NAME_LIMIT 128 /* characters of a name that is made here or read from a file */

struct fact {
	char *name;
	char *value; /* closed by a 0 */
	size_t bytes;
};

struct facts {
	VEC(struct fact) all; /* in the order in which they were set first */
};

struct facts *facts__new(void)
{
	return calloc(1, sizeof(struct facts));
}

void facts__free(struct facts *facts)
{
	if (!facts)
		return;
	for (size_t i = 0; i < facts->all.count; i++) {
		free(facts->all.items[i].name);
		free(facts->all.items[i].value);
	}
	vec__free(&facts->all);
	free(facts);
}

static bool is_name(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.");

	return length > 0 && length < NAME_LIMIT && name[length] == '\0';
}

static struct fact *find(const struct facts *facts, const char *name)
{
	for (size_t i = 0; i < facts->all.count; i++) {
		if (!strcmp(facts->all.items[i].name, name))
			return &facts->all.items[i];
	}
	return NULL;
}

static char *copy_of(const void *bytes, size_t count)
{
	char *copy = malloc(count + 1);

	if (copy) {
		if (count)
			memcpy(copy, bytes, count);
		copy[count] = '\0';
	}
	return copy;
}

static int add(struct facts *facts, const char *name, char *value, size_t bytes)
{
	char *own = strdup(name);

	if (!own)
		return -ENOMEM;
	if (vec__push(&facts->all, (struct fact){ own, value, bytes })) {
		free(own);
		return -ENOMEM;
	}
	return 0;
}

int facts__set(struct facts *facts, const char *name, const void *value, size_t bytes)
{
	struct fact *fact;
	char *copy;
	int err;

	if (!is_name(name))
		return -EINVAL;
	copy = copy_of(value, bytes);
	if (!copy)
		return -ENOMEM;
	fact = find(facts, name);
	if (!fact) {
		err = add(facts, name, copy, bytes);
		if (err)
			free(copy);
		return err;
	}
	free(fact->value);
	fact->value = copy;
	fact->bytes = bytes;
	return 0;
}

int facts__set_str(struct facts *facts, const char *name, const char *value)
{
	return facts__set(facts, name, value, strlen(value));
}

int facts__set_u64(struct facts *facts, const char *name, uint64_t value)
{
	char text[32];

	return facts__set(facts, name, text,
			  (size_t)snprintf(text, sizeof(text), "%" PRIu64, value));
}

int facts__set_i64(struct facts *facts, const char *name, int64_t value)
{
	char text[32];

	return facts__set(facts, name, text,
			  (size_t)snprintf(text, sizeof(text), "%" PRId64, value));
}

/* An over-long name is cut here and then refused by is_name(). */
static const char *target_name(char full[NAME_LIMIT + 1], uint32_t target, const char *name)
{
	snprintf(full, NAME_LIMIT + 1, "target.%" PRIu32 ".%s", target, name);
	return full;
}

int facts__set_target(struct facts *facts, uint32_t target, const char *name, const char *value)
{
	char full[NAME_LIMIT + 1];

	return facts__set_str(facts, target_name(full, target, name), value);
}

const char *facts__get(const struct facts *facts, const char *name, size_t *bytes)
{
	const struct fact *fact = find(facts, name);

	if (!fact)
		return NULL;
	if (bytes)
		*bytes = fact->bytes;
	return fact->value;
}

const char *facts__get_target(const struct facts *facts, uint32_t target, const char *name,
			      size_t *bytes)
{
	char full[NAME_LIMIT + 1];

	return facts__get(facts, target_name(full, target, name), bytes);
}

uint64_t facts__get_u64(const struct facts *facts, const char *name, uint64_t otherwise)
{
	const char *text = facts__get(facts, name, NULL);
	uint64_t value;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return otherwise;
	errno = 0;
	value = strtoull(text, &end, 10);
	return *end || errno ? otherwise : value;
}

int64_t facts__get_i64(const struct facts *facts, const char *name, int64_t otherwise)
{
	const char *text = facts__get(facts, name, NULL);
	int64_t value;
	char *end;

	if (!text || !*text)
		return otherwise;
	errno = 0;
	value = strtoll(text, &end, 10);
	return *end || errno ? otherwise : value;
}

size_t facts__count(const struct facts *facts)
{
	return facts->all.count;
}

const char *facts__name(const struct facts *facts, size_t i)
{
	return facts->all.items[i].name;
}

const char *facts__value(const struct facts *facts, size_t i, size_t *bytes)
{
	if (bytes)
		*bytes = facts->all.items[i].bytes;
	return facts->all.items[i].value;
}

/* ---------------------------------------------------------------------------------------------
 * As text
 */

static void print_value(struct buf *buf, const char *value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		switch (value[i]) {
		case '\n':
			buf__add_str(buf, "\\n");
			break;
		case '\0':
			buf__add_str(buf, "\\0");
			break;
		case '\\':
			buf__add_str(buf, "\\\\");
			break;
		default:
			buf__add_char(buf, value[i]);
		}
	}
}

void facts__print(const struct facts *facts, struct buf *buf)
{
	for (size_t i = 0; i < facts->all.count; i++) {
		const struct fact *fact = &facts->all.items[i];

		buf__add_str(buf, fact->name);
		buf__add_char(buf, '=');
		print_value(buf, fact->value, fact->bytes);
		buf__add_char(buf, '\n');
	}
}

/* False: an escape that isn't one. */
static bool read_value(struct buf *buf, const char *at, const char *end)
{
	while (at < end) {
		char c = *at++;

		if (c == '\\') {
			if (at == end)
				return false;
			c = *at++;
			if (c == 'n')
				c = '\n';
			else if (c == '0')
				c = '\0';
			else if (c != '\\')
				return false;
		}
		buf__add_char(buf, c);
	}
	return true;
}

static int parse_line(struct facts *facts, const char *line, const char *end)
{
	const char *equals = memchr(line, '=', (size_t)(end - line));
	struct buf value = BUF_INIT;
	char name[NAME_LIMIT];
	int err = -EBADMSG;

	if (!equals || equals - line >= NAME_LIMIT)
		return -EBADMSG;
	memcpy(name, line, (size_t)(equals - line));
	name[equals - line] = '\0';
	if (is_name(name) && read_value(&value, equals + 1, end))
		err = value.error ? value.error :
				    facts__set(facts, name, buf__str(&value), value.len);
	buf__free(&value);
	return err;
}

int facts__parse(struct facts *facts, const void *text, size_t bytes)
{
	const char *line = text, *end;

	if (!bytes)
		return 0;
	end = line + bytes;
	while (line < end) {
		const char *feed = memchr(line, '\n', (size_t)(end - line));
		int err;

		if (!feed)
			return -EBADMSG;
		err = parse_line(facts, line, feed);
		if (err)
			return err;
		line = feed + 1;
	}
	return 0;
}
