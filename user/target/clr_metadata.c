/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables lie one behind the other, each with rows of a fixed size that depends on how many rows
 * the tables have that it points to. So to come to the 41st, where nested types are, the columns of
 * all before it must be known.
 */
#include "clr_metadata.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "remote.h"

#define TABLES 64
#define TYPE_DEF 0x02
#define METHOD_DEF 0x06
#define NESTED_CLASS 0x29
#define HEAD_MOST 4096	 /* of the image's headers, and of the metadata's */
#define STREAMS_MOST 16
#define NAME_MOST 4096	 /* bytes of one name */
#define NESTED_MOST 64	 /* types within types */
#define ROWS_MOST (1u << 24)

struct clr_metadata {
	struct remote *memory;
	uint64_t strings, strings_bytes;
	uint64_t tables[NESTED_CLASS + 1]; /* addresses */
	uint32_t rows[TABLES];
	unsigned int row_bytes[NESTED_CLASS + 1];
	unsigned int string_width;
};

/* ---------------------------------------------------------------- columns */

/* Below TABLES: an index of that table. */
enum column {
	C_2 = TABLES,
	C_4,
	C_STRING,
	C_GUID,
	C_BLOB,
	/* Indices of one of several tables, told by the lowest bits. */
	C_TYPE_OR_REF,
	C_CONSTANT,
	C_ATTRIBUTED,
	C_MARSHALLED,
	C_SECURED,
	C_MEMBER_PARENT,
	C_SEMANTIC,
	C_METHOD_OR_REF,
	C_FORWARDED,
	C_IMPLEMENTATION,
	C_ATTRIBUTE_TYPE,
	C_SCOPE,
	C_END = 0xff,
};

static const uint8_t columns[NESTED_CLASS + 1][10] = {
	[0x00] = { C_2, C_STRING, C_GUID, C_GUID, C_GUID, C_END },
	[0x01] = { C_SCOPE, C_STRING, C_STRING, C_END },
	[0x02] = { C_4, C_STRING, C_STRING, C_TYPE_OR_REF, 0x04, 0x06, C_END },
	[0x03] = { 0x04, C_END },
	[0x04] = { C_2, C_STRING, C_BLOB, C_END },
	[0x05] = { 0x06, C_END },
	[0x06] = { C_4, C_2, C_2, C_STRING, C_BLOB, 0x08, C_END },
	[0x07] = { 0x08, C_END },
	[0x08] = { C_2, C_2, C_STRING, C_END },
	[0x09] = { 0x02, C_TYPE_OR_REF, C_END },
	[0x0a] = { C_MEMBER_PARENT, C_STRING, C_BLOB, C_END },
	[0x0b] = { C_2, C_CONSTANT, C_BLOB, C_END },
	[0x0c] = { C_ATTRIBUTED, C_ATTRIBUTE_TYPE, C_BLOB, C_END },
	[0x0d] = { C_MARSHALLED, C_BLOB, C_END },
	[0x0e] = { C_2, C_SECURED, C_BLOB, C_END },
	[0x0f] = { C_2, C_4, 0x02, C_END },
	[0x10] = { C_4, 0x04, C_END },
	[0x11] = { C_BLOB, C_END },
	[0x12] = { 0x02, 0x14, C_END },
	[0x13] = { 0x14, C_END },
	[0x14] = { C_2, C_STRING, C_TYPE_OR_REF, C_END },
	[0x15] = { 0x02, 0x17, C_END },
	[0x16] = { 0x17, C_END },
	[0x17] = { C_2, C_STRING, C_BLOB, C_END },
	[0x18] = { C_2, 0x06, C_SEMANTIC, C_END },
	[0x19] = { 0x02, C_METHOD_OR_REF, C_METHOD_OR_REF, C_END },
	[0x1a] = { C_STRING, C_END },
	[0x1b] = { C_BLOB, C_END },
	[0x1c] = { C_2, C_FORWARDED, C_STRING, 0x1a, C_END },
	[0x1d] = { C_4, 0x04, C_END },
	[0x1e] = { C_4, C_4, C_END },
	[0x1f] = { C_4, C_END },
	[0x20] = { C_4, C_2, C_2, C_2, C_2, C_4, C_BLOB, C_STRING, C_STRING, C_END },
	[0x21] = { C_4, C_END },
	[0x22] = { C_4, C_4, C_4, C_END },
	[0x23] = { C_2, C_2, C_2, C_2, C_4, C_BLOB, C_STRING, C_STRING, C_BLOB, C_END },
	[0x24] = { C_4, 0x23, C_END },
	[0x25] = { C_4, C_4, C_4, 0x23, C_END },
	[0x26] = { C_4, C_STRING, C_BLOB, C_END },
	[0x27] = { C_4, C_4, C_STRING, C_STRING, C_IMPLEMENTATION, C_END },
	[0x28] = { C_4, C_4, C_STRING, C_IMPLEMENTATION, C_END },
	[0x29] = { 0x02, 0x02, C_END },
};

static const struct {
	uint8_t bits, count, tables[22];
} choices[] = {
	[C_TYPE_OR_REF - C_TYPE_OR_REF] = { 2, 3, { 0x02, 0x01, 0x1b } },
	[C_CONSTANT - C_TYPE_OR_REF] = { 2, 3, { 0x04, 0x08, 0x17 } },
	[C_ATTRIBUTED - C_TYPE_OR_REF] = { 5, 22, { 0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0a, 0x00,
						    0x0e, 0x17, 0x14, 0x11, 0x1a, 0x1b, 0x20, 0x23,
						    0x26, 0x27, 0x28, 0x2a, 0x2c, 0x2b } },
	[C_MARSHALLED - C_TYPE_OR_REF] = { 1, 2, { 0x04, 0x08 } },
	[C_SECURED - C_TYPE_OR_REF] = { 2, 3, { 0x02, 0x06, 0x20 } },
	[C_MEMBER_PARENT - C_TYPE_OR_REF] = { 3, 5, { 0x02, 0x01, 0x1a, 0x06, 0x1b } },
	[C_SEMANTIC - C_TYPE_OR_REF] = { 1, 2, { 0x14, 0x17 } },
	[C_METHOD_OR_REF - C_TYPE_OR_REF] = { 1, 2, { 0x06, 0x0a } },
	[C_FORWARDED - C_TYPE_OR_REF] = { 1, 2, { 0x04, 0x06 } },
	[C_IMPLEMENTATION - C_TYPE_OR_REF] = { 2, 3, { 0x26, 0x23, 0x27 } },
	[C_ATTRIBUTE_TYPE - C_TYPE_OR_REF] = { 3, 2, { 0x06, 0x0a } },
	[C_SCOPE - C_TYPE_OR_REF] = { 2, 4, { 0x00, 0x1a, 0x23, 0x01 } },
};

static unsigned int choice_width(const struct clr_metadata *metadata, unsigned int which)
{
	for (size_t i = 0; i < choices[which].count; i++)
		if (metadata->rows[choices[which].tables[i]] >= 1u << (16 - choices[which].bits))
			return 4;
	return 2;
}

static unsigned int column_width(const struct clr_metadata *metadata, unsigned int heaps,
				 unsigned int column)
{
	if (column < TABLES)
		return metadata->rows[column] >= 1u << 16 ? 4 : 2;
	if (column >= C_TYPE_OR_REF)
		return choice_width(metadata, column - C_TYPE_OR_REF);
	switch (column) {
	case C_STRING:
		return heaps & 1 ? 4 : 2;
	case C_GUID:
		return heaps & 2 ? 4 : 2;
	case C_BLOB:
		return heaps & 4 ? 4 : 2;
	default:
		return column == C_2 ? 2 : 4;
	}
}

static void lay_out(struct clr_metadata *metadata, unsigned int heaps, uint64_t first)
{
	for (size_t table = 0; table <= NESTED_CLASS; table++) {
		const uint8_t *column = columns[table];

		for (; *column != C_END; column++)
			metadata->row_bytes[table] += column_width(metadata, heaps, *column);
		metadata->tables[table] = first;
		first += (uint64_t)metadata->rows[table] * metadata->row_bytes[table];
	}
	metadata->string_width = column_width(metadata, heaps, C_STRING);
}

/* ---------------------------------------------------------------- heads */

/* What was read of a head; what lies beyond it is 0, and bad. */
struct head {
	unsigned char bytes[HEAD_MOST];
	size_t count;
	bool is_bad;
};

static uint64_t number_at(struct head *head, uint64_t at, size_t width)
{
	uint64_t value = 0;

	if (at > head->count || width > head->count - at)
		head->is_bad = true;
	else
		memcpy(&value, head->bytes + at, width); /* little endian */
	return value;
}

/* As much of it as there is: the last page may not be. */
static int read_head(struct clr_metadata *metadata, uint64_t address, struct head *head)
{
	int err;

	head->is_bad = false;
	head->count = HEAD_MOST;
	err = remote__read(metadata->memory, address, head->bytes, head->count);
	if (err == -EFAULT) {
		head->count = HEAD_MOST - (address & (HEAD_MOST - 1));
		err = remote__read(metadata->memory, address, head->bytes, head->count);
	}
	return err;
}

/* Where the bytes of an RVA are, from the image's beginning, when it lies as in its file. */
static uint64_t file_offset(struct head *head, uint64_t sections, uint64_t count, uint64_t rva)
{
	for (uint64_t i = 0; i < count && !head->is_bad; i++) {
		const uint64_t at = sections + i * 40, start = number_at(head, at + 12, 4);

		if (rva >= start && rva - start < number_at(head, at + 16, 4))
			return rva - start + number_at(head, at + 20, 4);
	}
	head->is_bad = true;
	return 0;
}

/* The image's headers lead to that of .NET, which leads to the metadata. */
static int find_root(struct clr_metadata *metadata, uint64_t image, bool is_mapped,
		     struct head *head, uint64_t *root)
{
	uint64_t pe, directories, sections, count, rva, word;
	int err = read_head(metadata, image, head);

	if (err)
		return err;
	pe = number_at(head, 0x3c, 4);
	if (number_at(head, 0, 2) != 0x5a4d || number_at(head, pe, 4) != 0x4550)
		return -EPROTO;
	count = number_at(head, pe + 6, 2);
	sections = pe + 24 + number_at(head, pe + 20, 2);
	directories = pe + 24 + (number_at(head, pe + 24, 2) == 0x20b ? 112 : 96);
	rva = number_at(head, directories + 14 * 8, 4);
	if (!is_mapped)
		rva = file_offset(head, sections, count, rva);
	if (head->is_bad)
		return -EPROTO;
	err = remote__read(metadata->memory, image + rva + 8, &word, sizeof(word));
	rva = (uint32_t)word;
	if (!err && !is_mapped)
		rva = file_offset(head, sections, count, rva);
	*root = image + rva;
	return err ? err : head->is_bad ? -EPROTO : 0;
}

/* Of the streams: where the tables are (0: nowhere), and the strings. */
static uint64_t find_streams(struct clr_metadata *metadata, struct head *head, uint64_t root)
{
	const uint64_t version = number_at(head, 12, 4);
	const uint64_t count = number_at(head, 16 + version + 2, 2);
	uint64_t at = 16 + version + 4, tables = 0;

	for (uint64_t i = 0; i < count && i < STREAMS_MOST && !head->is_bad; i++) {
		const uint64_t offset = number_at(head, at, 4), bytes = number_at(head, at + 4, 4);
		const uint64_t name = number_at(head, at + 8, 4);
		uint64_t len = 0;

		if (name == 0x00007e23) /* "#~" */
			tables = root + offset;
		if (name == 0x72745323) { /* "#Strings" */
			metadata->strings = root + offset;
			metadata->strings_bytes = bytes;
		}
		while (number_at(head, at + 8 + len, 1))
			len++;
		at += 8 + ((len + 4) & ~(uint64_t)3);
	}
	return tables;
}

static int read_tables(struct clr_metadata *metadata, struct head *head, uint64_t tables)
{
	int err = read_head(metadata, tables, head);
	const uint64_t valid = err ? 0 : number_at(head, 8, 8);
	uint64_t at = 24;

	if (err)
		return err;
	for (size_t table = 0; table < TABLES; table++) {
		if (!(valid >> table & 1))
			continue;
		metadata->rows[table] = (uint32_t)number_at(head, at, 4);
		if (metadata->rows[table] > ROWS_MOST)
			return -EPROTO;
		at += 4;
	}
	lay_out(metadata, (unsigned int)number_at(head, 6, 1), tables + at);
	return head->is_bad ? -EPROTO : 0;
}

static int take_heads(struct clr_metadata *metadata, uint64_t image, bool is_mapped)
{
	struct head head;
	uint64_t root, tables;
	int err = find_root(metadata, image, is_mapped, &head, &root);

	if (!err)
		err = read_head(metadata, root, &head);
	if (err)
		return err;
	if (number_at(&head, 0, 4) != 0x424a5342)
		return -EPROTO;
	tables = find_streams(metadata, &head, root);
	if (head.is_bad || !tables || !metadata->strings)
		return -EPROTO;
	return read_tables(metadata, &head, tables);
}

int clr_metadata__open(struct remote *memory, uint64_t image, bool is_mapped,
		       struct clr_metadata **out)
{
	struct clr_metadata *metadata = calloc(1, sizeof(*metadata));
	int err;

	*out = NULL;
	if (!metadata)
		return -ENOMEM;
	metadata->memory = memory;
	err = take_heads(metadata, image, is_mapped);
	if (err)
		clr_metadata__free(metadata);
	else
		*out = metadata;
	return err;
}

void clr_metadata__free(struct clr_metadata *metadata)
{
	free(metadata);
}

/* ---------------------------------------------------------------- rows */

static int read_row(struct clr_metadata *metadata, unsigned int table, uint32_t row,
		    unsigned char *bytes)
{
	if (!row || row > metadata->rows[table])
		return -ENOENT;
	return remote__read(metadata->memory, metadata->tables[table] +
			    (uint64_t)(row - 1) * metadata->row_bytes[table], bytes,
			    metadata->row_bytes[table]);
}

static uint32_t value_at(const unsigned char *bytes, unsigned int at, unsigned int width)
{
	uint32_t value = 0;

	memcpy(&value, bytes + at, width);
	return value;
}

/* The string whose index is at `at` in a row. */
static int add_string(struct clr_metadata *metadata, const unsigned char *row, unsigned int at,
		      struct buf *name)
{
	const uint32_t index = value_at(row, at, metadata->string_width);
	char text[NAME_MOST];
	ssize_t len;

	if (index >= metadata->strings_bytes)
		return -ENOENT;
	len = remote__read_text(metadata->memory, metadata->strings + index, text, sizeof(text));
	if (len < 0)
		return len == -E2BIG ? -ENOENT : (int)len;
	buf__add(name, text, (size_t)len);
	return name->error;
}

#define ROW_MOST 64 /* ten columns of 4 bytes at most */

int clr_metadata__add_method(struct clr_metadata *metadata, uint32_t row, struct buf *name)
{
	unsigned char bytes[ROW_MOST];
	int err = read_row(metadata, METHOD_DEF, row, bytes);

	return err ? err : add_string(metadata, bytes, 8, name);
}

/* The type that a type lies in, by the table's order; 0: in none. */
static int find_outer(struct clr_metadata *metadata, uint32_t row, uint32_t *outer)
{
	const unsigned int width = metadata->row_bytes[NESTED_CLASS] / 2;
	uint32_t low = 1, high = metadata->rows[NESTED_CLASS];
	unsigned char bytes[ROW_MOST];

	*outer = 0;
	while (low <= high) {
		const uint32_t middle = low + (high - low) / 2;
		const int err = read_row(metadata, NESTED_CLASS, middle, bytes);
		const uint32_t nested = err ? 0 : value_at(bytes, 0, width);

		if (err)
			return err;
		if (nested == row) {
			*outer = value_at(bytes, width, width);
			return 0;
		}
		if (nested < row)
			low = middle + 1;
		else
			high = middle - 1;
	}
	return 0;
}

static int add_own_name(struct clr_metadata *metadata, uint32_t row, struct buf *name)
{
	unsigned char bytes[ROW_MOST];
	const size_t before = name->len;
	int err = read_row(metadata, TYPE_DEF, row, bytes);

	if (!err)
		err = add_string(metadata, bytes, 4 + metadata->string_width, name);
	if (!err && name->len > before)
		buf__add_char(name, '.');
	return err ? err : add_string(metadata, bytes, 4, name);
}

int clr_metadata__add_type(struct clr_metadata *metadata, uint32_t row, struct buf *name)
{
	uint32_t rows[NESTED_MOST];
	size_t depth = 0;
	int err = 0;

	for (uint32_t outer = row; outer && !err; depth++) {
		if (depth == NESTED_MOST)
			return -ENOENT;
		rows[depth] = outer;
		err = find_outer(metadata, rows[depth], &outer);
	}
	while (!err && depth-- > 0) {
		err = add_own_name(metadata, rows[depth], name);
		if (depth)
			buf__add_char(name, '+');
	}
	return !err && !row ? -ENOENT : err;
}
