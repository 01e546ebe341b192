/* SPDX-License-Identifier: BSD-2-Clause */
#include "clr_names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "../base/utf16.h"
#include "clr_contract.h"
#include "remote.h"

#define WORD 8
#define OBJECT_WORDS 32u /* more than a Thread has */

enum field { HANDLE, STRING_LENGTH, STRING_TEXT, BASE_SIZE, FIELDS };

static const struct {
	const char *type, *field;
} fields[FIELDS] = {
	[HANDLE] = { "Thread", "GCHandle" },
	[STRING_LENGTH] = { "String", "m_StringLength" },
	[STRING_TEXT] = { "String", "m_FirstChar" },
	[BASE_SIZE] = { "MethodTable", "BaseSize" },
};

struct clr_names {
	struct remote *memory;
	uint32_t at[FIELDS];
	uint64_t strings; /* address of the variable with the class of strings */
};

/* Where a thread's name is: it is the same name while both are. */
struct place {
	uint64_t object, string;
};

int clr_names__new(const struct clr_contract *contract, struct remote *memory,
		   struct clr_names **out)
{
	struct clr_names *names = calloc(1, sizeof(*names));
	int err = names ? 0 : -ENOMEM;

	*out = NULL;
	for (size_t i = 0; i < FIELDS && !err; i++)
		if (clr_contract__field(contract, fields[i].type, fields[i].field, &names->at[i]))
			err = -ENOTSUP;
	if (!err && clr_contract__global(contract, "StringMethodTable", &names->strings))
		err = -ENOTSUP;
	if (err) {
		clr_names__free(names);
		return err;
	}
	names->memory = memory;
	*out = names;
	return 0;
}

void clr_names__free(struct clr_names *names)
{
	free(names);
}

/* -ENOENT: there is nothing. */
static int read_now(struct clr_names *names, uint64_t address, void *to, size_t size)
{
	int err = remote__read(names->memory, address, to, size);

	return err == -EFAULT ? -ENOENT : err;
}

static int read_pointer(struct clr_names *names, uint64_t address, uint64_t *value)
{
	int err = read_now(names, address, value, sizeof(*value));

	return !err && (!*value || *value % WORD) ? -ENOENT : err;
}

/* The words of an object, how many its class says: its class is the first one. */
static int read_object(struct clr_names *names, uint64_t object, uint64_t words[OBJECT_WORDS],
		       uint32_t *count)
{
	uint64_t class;
	uint32_t size;
	int err = read_pointer(names, object, &class);

	if (!err)
		err = read_now(names, class + names->at[BASE_SIZE], &size, sizeof(size));
	if (!err && (size < 2 * WORD || size > OBJECT_WORDS * WORD))
		err = -ENOENT;
	if (err)
		return err;
	/* Its size has the word in front of it, too. */
	*count = size / WORD - 1;
	return read_now(names, object, words, *count * WORD);
}

static int find_string(struct clr_names *names, const uint64_t *words, uint32_t count,
		       uint64_t *string)
{
	uint64_t strings, class;
	int err = read_pointer(names, names->strings, &strings);

	for (uint32_t i = 1; i < count && !err; i++) {
		if (!words[i] || words[i] % WORD)
			continue;
		err = read_now(names, words[i], &class, sizeof(class));
		if (!err && class == strings) {
			*string = words[i];
			return 0;
		}
		err = err == -ENOENT ? 0 : err;
	}
	return err ? err : -ENOENT;
}

static int find_name(struct clr_names *names, uint64_t thread, struct place *place)
{
	uint64_t handle, words[OBJECT_WORDS];
	uint32_t count;
	bool is_its = false;
	int err = read_pointer(names, thread + names->at[HANDLE], &handle);

	if (!err)
		err = read_pointer(names, handle, &place->object);
	if (!err)
		err = read_object(names, place->object, words, &count);
	for (uint32_t i = 1; !err && i < count; i++)
		is_its |= words[i] == thread;
	if (!err && !is_its)
		err = -ENOENT;
	return err ? err : find_string(names, words, count, &place->string);
}

static int add_string(struct clr_names *names, uint64_t string, struct buf *out)
{
	uint32_t length;
	char *text;
	int err = read_now(names, string + names->at[STRING_LENGTH], &length, sizeof(length));

	if (!err && (!length || length > CLR_NAME_MOST))
		err = -ENOENT;
	if (err)
		return err;
	text = malloc(length * 2);
	if (!text)
		return -ENOMEM;
	err = read_now(names, string + names->at[STRING_TEXT], text, length * 2);
	if (!err) {
		utf16__add(out, text, length * 2);
		err = out->error;
	}
	free(text);
	return err;
}

int clr_names__thread(struct clr_names *names, uint64_t thread, struct buf *name)
{
	struct buf text = BUF_INIT;
	struct place place, again;
	int err = find_name(names, thread, &place);

	if (!err)
		err = add_string(names, place.string, &text);
	if (!err)
		err = find_name(names, thread, &again);
	if (!err && (place.object != again.object || place.string != again.string))
		err = -ENOENT;
	if (!err) {
		buf__add(name, buf__str(&text), text.len);
		err = name->error;
	}
	buf__free(&text);
	return err;
}
