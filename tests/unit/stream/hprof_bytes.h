/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes hprof files for tests, entry by entry, with ids of either size; nothing of it is
 * gctrace's own writer's.
 *
 *	struct hprof_bytes file = hprof_bytes__begin("1.0.2", 8);
 *	hprof_bytes__string(&file, 1, "Shop");
 *	...
 *	hprof_bytes__segment(&file);
 *	hprof_bytes__array(...);
 *	hprof_bytes__end_record(&file);
 */
#ifndef TESTS_STREAM_HPROF_BYTES_H
#define TESTS_STREAM_HPROF_BYTES_H

#include <string.h>

#include "base/buf.h"
#include "stream/hprof_format.h"

struct hprof_bytes {
	struct buf out;
	uint32_t id_bytes;
	size_t record; /* where the length of the open one stands */
	uint64_t loader; /* of the classes to come */
};

static inline void hprof_bytes__number(struct hprof_bytes *file, uint64_t value, uint32_t bytes)
{
	while (bytes--)
		buf__add_char(&file->out, (char)(value >> 8 * bytes));
}

static inline void hprof_bytes__id(struct hprof_bytes *file, uint64_t id)
{
	hprof_bytes__number(file, id, file->id_bytes);
}

static inline struct hprof_bytes hprof_bytes__begin(const char *version, uint32_t id_bytes)
{
	struct hprof_bytes file = { .id_bytes = id_bytes };

	buf__printf(&file.out, "%s%s", HPROF_TEXT, version);
	buf__add_char(&file.out, 0);
	hprof_bytes__number(&file, id_bytes, 4);
	hprof_bytes__number(&file, 1700000000000, 8);
	return file;
}

static inline void hprof_bytes__record(struct hprof_bytes *file, uint8_t tag)
{
	hprof_bytes__number(file, tag, 1);
	hprof_bytes__number(file, 0, 4);
	file->record = file->out.len;
	hprof_bytes__number(file, 0, 4);
}

static inline void hprof_bytes__end_record(struct hprof_bytes *file)
{
	const size_t bytes = file->out.len - file->record - 4;

	for (unsigned int i = 0; i < 4; i++)
		file->out.data[file->record + i] = (char)(bytes >> 8 * (3 - i));
}

static inline void hprof_bytes__string(struct hprof_bytes *file, uint64_t id, const char *text)
{
	hprof_bytes__record(file, HPROF_STRING);
	hprof_bytes__id(file, id);
	buf__add_str(&file->out, text);
	hprof_bytes__end_record(file);
}

/* A string with the class's own id, and the class. */
static inline void hprof_bytes__load(struct hprof_bytes *file, uint32_t serial, uint64_t id,
				     const char *name)
{
	hprof_bytes__string(file, id, name);
	hprof_bytes__record(file, HPROF_LOAD_CLASS);
	hprof_bytes__number(file, serial, 4);
	hprof_bytes__id(file, id);
	hprof_bytes__number(file, 0, 4);
	hprof_bytes__id(file, id);
	hprof_bytes__end_record(file);
}

/* Fields and statics: names and types, ended by a name 0; statics have a value, too. */
struct hprof_bytes_field {
	uint64_t name;
	uint8_t type;
	uint64_t value;
};

static inline uint16_t hprof_bytes__count(const struct hprof_bytes_field *fields)
{
	uint16_t count = 0;

	while (fields && fields[count].name)
		count++;
	return count;
}

static inline void hprof_bytes__class(struct hprof_bytes *file, uint64_t id, uint64_t super,
				      uint32_t size, const struct hprof_bytes_field *statics,
				      const struct hprof_bytes_field *fields)
{
	const uint16_t statics_count = hprof_bytes__count(statics);
	const uint16_t fields_count = hprof_bytes__count(fields);

	hprof_bytes__number(file, HPROF_CLASS, 1);
	hprof_bytes__id(file, id);
	hprof_bytes__number(file, 0, 4);
	hprof_bytes__id(file, super);
	hprof_bytes__id(file, file->loader);
	for (unsigned int i = 0; i < 4; i++)
		hprof_bytes__id(file, 0);
	hprof_bytes__number(file, size, 4);
	hprof_bytes__number(file, 1, 2); /* a constant, which nobody writes but who may */
	hprof_bytes__number(file, 7, 2);
	hprof_bytes__number(file, HPROF_INT, 1);
	hprof_bytes__number(file, 4711, 4);
	hprof_bytes__number(file, statics_count, 2);
	for (uint16_t i = 0; i < statics_count; i++) {
		hprof_bytes__id(file, statics[i].name);
		hprof_bytes__number(file, statics[i].type, 1);
		hprof_bytes__number(file, statics[i].value,
				    hprof_type__bytes(statics[i].type, file->id_bytes));
	}
	hprof_bytes__number(file, fields_count, 2);
	for (uint16_t i = 0; i < fields_count; i++) {
		hprof_bytes__id(file, fields[i].name);
		hprof_bytes__number(file, fields[i].type, 1);
	}
}

/* The values of its fields follow: so many bytes. */
static inline void hprof_bytes__instance(struct hprof_bytes *file, uint64_t id, uint64_t class_,
					 uint32_t bytes)
{
	hprof_bytes__number(file, HPROF_INSTANCE, 1);
	hprof_bytes__id(file, id);
	hprof_bytes__number(file, 0, 4);
	hprof_bytes__id(file, class_);
	hprof_bytes__number(file, bytes, 4);
}

static inline void hprof_bytes__array(struct hprof_bytes *file, uint64_t id, uint64_t class_,
				      const uint64_t *to, uint32_t count)
{
	hprof_bytes__number(file, HPROF_OBJECT_ARRAY, 1);
	hprof_bytes__id(file, id);
	hprof_bytes__number(file, 0, 4);
	hprof_bytes__number(file, count, 4);
	hprof_bytes__id(file, class_);
	for (uint32_t i = 0; i < count; i++)
		hprof_bytes__id(file, to[i]);
}

static inline void hprof_bytes__primitive(struct hprof_bytes *file, uint64_t id, uint8_t type,
					  uint32_t count)
{
	hprof_bytes__number(file, HPROF_PRIMITIVE_ARRAY, 1);
	hprof_bytes__id(file, id);
	hprof_bytes__number(file, 0, 4);
	hprof_bytes__number(file, count, 4);
	hprof_bytes__number(file, type, 1);
	buf__add_repeated(&file->out, 'x', (size_t)count * hprof_type__bytes(type, 8));
}

/* With up to two further numbers of 4 bytes; ~0: not there. */
static inline void hprof_bytes__root(struct hprof_bytes *file, uint8_t tag, uint64_t id,
				     uint64_t a, uint64_t b)
{
	hprof_bytes__number(file, tag, 1);
	hprof_bytes__id(file, id);
	if (a != UINT64_MAX)
		hprof_bytes__number(file, a, 4);
	if (b != UINT64_MAX)
		hprof_bytes__number(file, b, 4);
}

#endif
