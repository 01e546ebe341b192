/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A code object that was freed leaves its address to another one. So what is kept of one is told
 * apart by its address, the addresses of its texts and its line; it would take a new function with
 * all of these the same, and other texts, to be taken for the old one.
 */
#include "cpython_code.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../base/buf.h"
#include "name_table.h"
#include "remote.h"

#define OBJECT_TYPE 8  /* ob_type, ob_size: the same since ever */
#define OBJECT_SIZE 16
#define TEXT_MOST 65536 /* characters of a name: more is none */
#define CODE_MOST ((uint64_t)64 << 20) /* instructions */
#define REPLACEMENT 0xfffd
#define KEPT 4096 /* code objects, a power of two: others take the place of those */

struct kept {
	uint64_t address, name, file, number;
	uint32_t line;
};

struct cpython_codes {
	struct cpython_layout layout;
	uint64_t type;
	struct remote *memory;
	struct name_table *table;
	struct buf text;
	struct kept kept[KEPT];
};

struct cpython_codes *cpython_codes__new(const struct cpython_layout *layout, uint64_t type,
					 struct remote *memory)
{
	struct cpython_codes *codes = calloc(1, sizeof(*codes));

	if (!codes)
		return NULL;
	codes->layout = *layout;
	codes->type = type;
	codes->memory = memory;
	codes->table = name_table__new();
	if (codes->table)
		return codes;
	free(codes);
	return NULL;
}

void cpython_codes__free(struct cpython_codes *codes)
{
	if (!codes)
		return;
	name_table__free(codes->table);
	buf__free(&codes->text);
	free(codes);
}

const char *cpython_codes__name(const struct cpython_codes *codes, uint64_t number)
{
	return name_table__text(codes->table, number);
}

/* ---------------------------------------------------------------- texts */

static void add_utf8(struct buf *text, uint32_t c)
{
	if (!c || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		c = REPLACEMENT;
	if (c < 0x80) {
		buf__add_char(text, (char)c);
		return;
	}
	if (c < 0x800) {
		buf__add_char(text, (char)(0xc0 | c >> 6));
	} else {
		if (c < 0x10000) {
			buf__add_char(text, (char)(0xe0 | c >> 12));
		} else {
			buf__add_char(text, (char)(0xf0 | c >> 18));
			buf__add_char(text, (char)(0x80 | (c >> 12 & 0x3f)));
		}
		buf__add_char(text, (char)(0x80 | (c >> 6 & 0x3f)));
	}
	buf__add_char(text, (char)(0x80 | (c & 0x3f)));
}

static uint32_t character(const unsigned char *at, unsigned int width)
{
	uint32_t value = 0;

	memcpy(&value, at, width); /* little endian */
	return value;
}

/* The characters of a str: 1, 2 or 4 bytes each. */
static int add_characters(struct cpython_codes *codes, uint64_t at, uint64_t count,
			  unsigned int width)
{
	unsigned char *bytes = malloc(count * width + 1);
	int err;

	if (!bytes)
		return -ENOMEM;
	err = remote__read(codes->memory, at, bytes, count * width);
	for (uint64_t i = 0; i < count && !err; i++)
		add_utf8(&codes->text, character(bytes + i * width, width));
	free(bytes);
	return err ? err : codes->text.error;
}

/* state: interned 2 bits, kind 3, compact 1, ascii 1. Others than compact ones are not names. */
static int add_text(struct cpython_codes *codes, uint64_t address)
{
	const struct cpython_layout *layout = &codes->layout;
	uint64_t length;
	uint32_t state;
	struct remote_part parts[] = {
		{ address + layout->text_length, &length, sizeof(length), 0 },
		{ address + layout->text_state, &state, sizeof(state), 0 },
	};
	int err = remote__read_parts(codes->memory, parts, 2);
	const unsigned int width = err ? 0 : state >> 2 & 7;

	if (err || parts[0].err || parts[1].err)
		return err ? err : -ENOENT;
	if (!(state >> 5 & 1) || (width != 1 && width != 2 && width != 4) || !length ||
	    length > TEXT_MOST)
		return -ENOENT;
	return add_characters(codes, address + (state >> 6 & 1 ? layout->text_ascii
							       : layout->text_wide),
			      length, width);
}

static int read_name(struct cpython_codes *codes, struct kept *kept)
{
	int err;

	buf__reset(&codes->text);
	kept->number = 0;
	err = add_text(codes, kept->name);
	buf__add_str(&codes->text, " (");
	if (!err)
		err = add_text(codes, kept->file);
	buf__printf(&codes->text, ":%u)", kept->line);
	if (err == -ENOMEM || err == -ESRCH || codes->text.error)
		return err ? err : codes->text.error;
	if (err)
		return 0; /* no name that makes sense */
	kept->number = name_table__number(codes->table, codes->text.data, codes->text.len);
	return kept->number ? 0 : -ENOMEM;
}

/* ---------------------------------------------------------------- code */

static uint64_t word_in(const unsigned char *bytes, uint32_t at)
{
	uint64_t value;

	memcpy(&value, bytes + at, sizeof(value));
	return value;
}

static bool is_kept(const struct kept *a, const struct kept *b)
{
	return a->address == b->address && a->name == b->name && a->file == b->file &&
	       a->line == b->line;
}

int cpython_codes__find(struct cpython_codes *codes, uint64_t address, struct cpython_code *code)
{
	const struct cpython_layout *layout = &codes->layout;
	struct kept *kept = &codes->kept[(address >> 4 ^ address >> 16) & (KEPT - 1)], now;
	unsigned char bytes[CPYTHON_CODE_BYTES];
	int err = remote__read(codes->memory, address, bytes, layout->code_start);

	if (err)
		return err == -ESRCH ? err : -ENOENT;
	code->size = word_in(bytes, OBJECT_SIZE) * 2;
	if (word_in(bytes, OBJECT_TYPE) != codes->type || code->size > CODE_MOST * 2)
		return -ENOENT;
	now = (struct kept){ address, word_in(bytes, layout->code_name),
			     word_in(bytes, layout->code_file), 0,
			     (uint32_t)word_in(bytes, layout->code_line) };
	if (!is_kept(kept, &now)) {
		err = read_name(codes, &now);
		if (err)
			return err;
		*kept = now;
	}
	code->number = kept->number;
	code->start = address + layout->code_start;
	return 0;
}
