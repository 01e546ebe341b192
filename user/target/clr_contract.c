/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Only as much JSON as there is in such a text: it is searched where it lies, member by member,
 * once for each field that is asked for (some thirty, at the start).
 */
#include "clr_contract.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "procfs.h"
#include "remote.h"

#define MAGIC UINT64_C(0x0043414443434e44) /* "DNCCDAC\0" */
#define FIELD_MOST ((uint64_t)64 << 10)
#define WORDS_MOST 4096
#define DEPTH_MOST 16

/* As it lies in the target. */
struct descriptor {
	uint64_t magic;
	uint32_t flags; /* bit 1: pointers have 4 bytes */
	uint32_t text_bytes;
	uint64_t text;
	uint32_t word_count, padding;
	uint64_t words;
};

_Static_assert(sizeof(struct descriptor) == 40, "as the runtime lays it out");

#define FLAG_NARROW 2

struct clr_contract {
	char *text;
	size_t len;
	uint64_t *words;
	size_t word_count;
};

/* ---------------------------------------------------------------- JSON */

/* Values lie in [at, end); at moves. */
struct cursor {
	const char *at, *end;
};

static void skip_space(struct cursor *cursor)
{
	while (cursor->at < cursor->end && strchr(" \t\r\n", *cursor->at) && *cursor->at)
		cursor->at++;
}

static bool skip(struct cursor *cursor, char c)
{
	skip_space(cursor);
	return procfs__skip(&cursor->at, cursor->end, c);
}

/* What is between the quotes; names with escapes in them are none that is looked for. */
static bool take_string(struct cursor *cursor, struct cursor *text)
{
	if (!skip(cursor, '"'))
		return false;
	text->at = cursor->at;
	for (; cursor->at < cursor->end && *cursor->at != '"'; cursor->at++)
		if (*cursor->at == '\\' && ++cursor->at == cursor->end)
			return false;
	text->end = cursor->at;
	return skip(cursor, '"');
}

static bool is_text(const struct cursor *cursor, const char *text)
{
	const size_t len = strlen(text);

	return (size_t)(cursor->end - cursor->at) == len && memcmp(cursor->at, text, len) == 0;
}

/* Behind a value: brackets are counted, what else there is needs no understanding. */
static bool skip_value(struct cursor *cursor)
{
	struct cursor text;
	int depth = 0;

	do {
		skip_space(cursor);
		if (cursor->at == cursor->end)
			return false;
		if (*cursor->at == '"') {
			if (!take_string(cursor, &text))
				return false;
			continue;
		}
		if (*cursor->at == '{' || *cursor->at == '[')
			depth++;
		else if (*cursor->at == '}' || *cursor->at == ']')
			depth--;
		else if (!depth && *cursor->at == ',')
			return false;
		if (depth < 0 || depth > DEPTH_MOST)
			return false;
		cursor->at++;
	} while (depth);
	/* What is left of a number or a word. */
	while (cursor->at < cursor->end && !strchr(",}] \t\r\n", *cursor->at))
		cursor->at++;
	return true;
}

/* The value of a member of the object that begins here. */
static bool find_member(struct cursor *cursor, const char *name)
{
	struct cursor key;

	if (!skip(cursor, '{'))
		return false;
	do {
		if (!take_string(cursor, &key) || !skip(cursor, ':'))
			return false;
		if (is_text(&key, name))
			return true;
		if (!skip_value(cursor))
			return false;
	} while (skip(cursor, ','));
	return false;
}

/* 12, "12" or "0x12" */
static bool take_number(struct cursor *cursor, uint64_t *value)
{
	const bool is_quoted = skip(cursor, '"');
	bool is_hex;

	skip_space(cursor);
	is_hex = cursor->end - cursor->at > 2 && cursor->at[0] == '0' && cursor->at[1] == 'x';
	if (is_hex)
		cursor->at += 2;
	return procfs__number(&cursor->at, cursor->end, is_hex ? 16 : 10, value) &&
	       (!is_quoted || skip(cursor, '"'));
}

int clr_contract__field(const struct clr_contract *contract, const char *type, const char *field,
			uint32_t *offset)
{
	struct cursor cursor = { contract->text, contract->text + contract->len };
	uint64_t value;

	if (!find_member(&cursor, "types") || !find_member(&cursor, type) ||
	    !find_member(&cursor, field))
		return -ENOENT;
	skip(&cursor, '[');
	if (!take_number(&cursor, &value) || value >= FIELD_MOST)
		return -ENOENT;
	*offset = (uint32_t)value;
	return 0;
}

int clr_contract__global(const struct clr_contract *contract, const char *name, uint64_t *value)
{
	struct cursor cursor = { contract->text, contract->text + contract->len };
	bool is_typed, is_indirect;

	if (!find_member(&cursor, "globals") || !find_member(&cursor, name))
		return -ENOENT;
	is_typed = skip(&cursor, '[');
	is_indirect = is_typed && skip(&cursor, '[');
	if (!take_number(&cursor, value))
		return -ENOENT;
	/* [3] alone is the third word as well; [3,"type"] is the number 3. */
	if (is_typed && !is_indirect)
		is_indirect = skip(&cursor, ']');
	if (!is_indirect)
		return 0;
	if (*value >= contract->word_count)
		return -ENOENT;
	*value = contract->words[*value];
	return 0;
}

/* ---------------------------------------------------------------- coming by it */

static struct clr_contract *clr_contract__new(size_t len, size_t count)
{
	struct clr_contract *contract = calloc(1, sizeof(*contract));

	if (!contract)
		return NULL;
	contract->text = malloc(len + 1);
	contract->len = len;
	contract->words = calloc(count + 1, sizeof(*contract->words));
	contract->word_count = count;
	if (contract->text && contract->words)
		return contract;
	clr_contract__free(contract);
	return NULL;
}

void clr_contract__free(struct clr_contract *contract)
{
	if (!contract)
		return;
	free(contract->text);
	free(contract->words);
	free(contract);
}

static int check(struct clr_contract *contract, struct clr_contract **out)
{
	struct cursor cursor = { contract->text, contract->text + contract->len };

	if (!find_member(&cursor, "types")) {
		clr_contract__free(contract);
		return -EPROTO;
	}
	*out = contract;
	return 0;
}

int clr_contract__parse(const char *text, size_t len, const uint64_t *words, size_t count,
			struct clr_contract **out)
{
	struct clr_contract *contract;

	*out = NULL;
	if (len > CLR_CONTRACT_MOST || count > WORDS_MOST)
		return -EPROTO;
	contract = clr_contract__new(len, count);
	if (!contract)
		return -ENOMEM;
	memcpy(contract->text, text, len);
	if (count)
		memcpy(contract->words, words, count * sizeof(*words));
	return check(contract, out);
}

int clr_contract__read(struct remote *memory, uint64_t address, struct clr_contract **out)
{
	struct clr_contract *contract;
	struct descriptor descriptor;
	int err = remote__read(memory, address, &descriptor, sizeof(descriptor));

	*out = NULL;
	if (err)
		return err;
	if (descriptor.magic != MAGIC || descriptor.flags & FLAG_NARROW ||
	    descriptor.text_bytes > CLR_CONTRACT_MOST || descriptor.word_count > WORDS_MOST)
		return -EPROTO;
	contract = clr_contract__new(descriptor.text_bytes, descriptor.word_count);
	if (!contract)
		return -ENOMEM;
	err = remote__read(memory, descriptor.text, contract->text, contract->len);
	if (!err && contract->word_count)
		err = remote__read(memory, descriptor.words, contract->words,
				   contract->word_count * sizeof(*contract->words));
	if (!err)
		return check(contract, out);
	clr_contract__free(contract);
	return err;
}
