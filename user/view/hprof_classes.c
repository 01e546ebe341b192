/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <string.h>

#include "../base/escape.h"
#include "../model/heap.h"
#include "heap_words.h"
#include "hprof_dump.h"

#define MAT_HEAD 16u /* of an instance, for MAT */
#define PADDING_MOST 1024u /* bytes that are said by fields of a class */

static const char *const base_names[BASE_COUNT] = {
	"java.lang.ref.Reference",
	"java.lang.ref.WeakReference",
	"java.lang.ref.SoftReference",
	"java.lang.ref.FinalReference",
	"java.lang.ref.PhantomReference",
	"(statics)",
	"(stack)",
	"java.lang.Class",
	"java.lang.Object",
};

static const char *const own_strings[] = { "", "?", "not read", "referent", "(roots)" };

static uint64_t base_id(const struct hprof_dump *dump, enum base_class base)
{
	return dump->base_id + 8 * (uint64_t)base;
}
/* ---------------------------------------------------------------- ids */

/* Below all objects where there is room, else above. */
static int number_classes(struct hprof_dump *dump)
{
	struct hprof_shapes *shapes = &dump->shapes;
	uint64_t count, next = 8;

	dump->root_classes = (dump->roots.others.count + HPROF_STATICS_MOST - 1) /
			     HPROF_STATICS_MOST;
	count = BASE_COUNT + dump->root_classes;
	for (uint32_t i = 0; i < shapes->count; i++)
		count += shapes->of[i].sizes.count;
	if (shapes->lowest / 8 <= count + 1) {
		if (shapes->highest > UINT64_MAX - 8 * (count + 2))
			return -EOVERFLOW;
		next = (shapes->highest | 7) + 1;
	}
	dump->base_id = next;
	next += 8 * (BASE_COUNT + dump->root_classes);
	for (uint32_t i = 0; i < shapes->count; i++) {
		shapes->of[i].class_id = next;
		next += 8 * shapes->of[i].sizes.count;
	}
	return 0;
}

static void number_strings(struct hprof_dump *dump)
{
	uint64_t next = STRING_TYPES;

	for (uint32_t i = 0; i < dump->shapes.count; i++) {
		dump->shapes.of[i].string = next;
		next += 1 + dump->shapes.fields.types[i].fields;
	}
	dump->statics = next;
	dump->stacks = next + dump->roots.statics.count;
	dump->others = dump->stacks + hprof_roots__name_count(&dump->roots);
}

int hprof_dump__number(struct hprof_dump *dump)
{
	const int err = number_classes(dump);

	if (!err)
		number_strings(dump);
	return err;
}

/* ---------------------------------------------------------------- names */

/* "[[I", "[Ljava.lang.String;" */
static bool is_array_name(const char *name, size_t bytes)
{
	const size_t depth = strspn(name, "[");

	if (bytes == depth + 1)
		return strchr("ZCFDBSIJ", name[depth]);
	return bytes > depth + 2 && name[depth] == 'L' && name[bytes - 1] == ';';
}

/* Escaped; text is what it was, and empty afterwards. */
static void write_string(struct hprof_dump *dump, uint64_t id, struct buf *text)
{
	struct buf escaped = BUF_INIT;

	if (buf__str(text)[0] == '[' && !is_array_name(buf__str(text), text->len)) {
		buf__add_str(&escaped, "\\x5b");
		buf__drop_front(text, 1);
	}
	escape__move(&escaped, text);
	hprof__string(&dump->writer, id, &escaped);
	buf__free(&escaped);
}

static void write_type_names(struct hprof_dump *dump, uint32_t type, struct buf *text)
{
	const struct export_fields *fields = &dump->shapes.fields;
	uint64_t id = dump->shapes.of[type].string;

	if (dump->shapes.of[type].form == HPROF_BYTES)
		buf__printf(text, "[%c", hprof_type__letter(dump->shapes.of[type].element));
	else
		heap_words__type(text, dump->heap, type);
	write_string(dump, id++, text);
	for (uint32_t i = 0; i < fields->types[type].fields; i++) {
		export_fields__name(text, dump->heap, fields, type, i);
		hprof__string(&dump->writer, id++, text);
		buf__reset(text);
	}
}

void hprof_dump__strings(struct hprof_dump *dump)
{
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < sizeof(own_strings) / sizeof(*own_strings); i++) {
		buf__add_str(&text, own_strings[i]);
		write_string(dump, STRING_NONE + i, &text);
	}
	for (size_t i = 0; i < BASE_COUNT; i++) {
		buf__add_str(&text, base_names[i]);
		write_string(dump, STRING_BASE + i, &text);
	}
	for (uint32_t i = 0; i < dump->shapes.count; i++)
		write_type_names(dump, i, &text);
	for (size_t i = 0; i < dump->roots.statics.count; i++) {
		heap_words__node(&text, dump->heap, dump->roots.statics.items[i].place);
		write_string(dump, dump->statics + i, &text);
	}
	for (size_t i = 0; i < dump->roots.others.count; i++) {
		heap_words__root(&text, dump->heap, dump->roots.others.items[i]);
		write_string(dump, dump->others + i, &text);
	}
	hprof_roots__names(&dump->roots, dump->heap, &dump->writer, dump->stacks);
	buf__free(&text);
}

/* ---------------------------------------------------------------- classes */

/* In a record of its own, before the dump. */
static void load_class(struct hprof_dump *dump, uint64_t id, uint64_t name)
{
	hprof__record(&dump->writer, HPROF_LOAD_CLASS, 4 + 8 + 4 + 8);
	hprof__u4(&dump->writer, ++dump->serial);
	hprof__u8(&dump->writer, id);
	hprof__u4(&dump->writer, 0); /* no stack trace */
	hprof__u8(&dump->writer, name);
}

void hprof_dump__load_classes(struct hprof_dump *dump)
{
	const struct hprof_shapes *shapes = &dump->shapes;

	for (uint32_t i = 0; i < BASE_COUNT; i++)
		load_class(dump, base_id(dump, i), STRING_BASE + i);
	for (uint64_t i = 0; i < dump->root_classes; i++)
		load_class(dump, dump->base_id + 8 * (BASE_COUNT + i), STRING_ROOTS);
	for (uint32_t i = 0; i < shapes->count; i++)
		for (size_t k = 0; k < shapes->of[i].sizes.count; k++)
			load_class(dump, hprof_shapes__id(shapes, i, k), shapes->of[i].string);
}

struct hprof_layout hprof_dump__layout(const struct hprof_dump *dump, uint32_t type, size_t index)
{
	const struct hprof_shape *shape = &dump->shapes.of[type];
	const struct hprof_size *size = &shape->sizes.items[index];
	struct hprof_layout layout = { .references = 0 };
	uint64_t said;

	if (shape->form != HPROF_FIELDS)
		return layout;
	layout.named = size->named;
	layout.references = size->named + size->unnamed;
	layout.referent = dump->shapes.fields.types[type].has_weak;
	said = MAT_HEAD + 8 * ((uint64_t)layout.references + layout.referent);
	if (size->size > said && size->size - said <= PADDING_MOST) {
		layout.longs = (uint32_t)(size->size - said) / 8;
		layout.bytes = (uint32_t)(size->size - said) % 8;
	}
	return layout;
}

static uint32_t fields_in(const struct hprof_layout *layout)
{
	return layout->references + layout->longs + layout->bytes;
}

static void write_field(struct hprof_dump *dump, uint64_t name, enum hprof_type type)
{
	hprof__u8(&dump->writer, name);
	hprof__u1(&dump->writer, (uint8_t)type);
}

/* All of it up to the static fields. */
static void begin_class(struct hprof_dump *dump, uint64_t id, uint64_t super, uint64_t size,
			uint32_t statics, uint32_t fields)
{
	struct hprof_writer *writer = &dump->writer;

	hprof__entry(writer, HPROF_CLASS, 8 + 4 + 6 * 8 + 4 + 2 + 2 +
						  (uint64_t)statics * (8 + 1 + 8) + 2 +
						  (uint64_t)fields * (8 + 1));
	hprof__u8(writer, id);
	hprof__u4(writer, 0); /* no stack trace */
	hprof__u8(writer, super);
	hprof__zeros(writer, 5 * 8); /* loader, signers, domain, reserved */
	hprof__u4(writer, (uint32_t)size);
	hprof__u2(writer, 0); /* constants */
	hprof__u2(writer, (uint16_t)statics);
}

/* What a root holds, as a static field. */
static void write_root_field(struct hprof_dump *dump, uint64_t name, uint32_t place)
{
	const struct heap_root root = heap__root(dump->heap, place);

	write_field(dump, name, HPROF_OBJECT);
	hprof__u8(&dump->writer, heap__object(dump->heap, root.object).address);
}

static void write_statics(struct hprof_dump *dump, size_t first, size_t count)
{
	for (size_t i = first; i < first + count; i++)
		write_root_field(dump, dump->statics + i, dump->roots.statics.items[i].place);
}

/* A class of a type; statics stand in the first one. */
static void write_class(struct hprof_dump *dump, uint32_t type, size_t index)
{
	const struct hprof_shape *shape = &dump->shapes.of[type];
	const struct hprof_layout layout = hprof_dump__layout(dump, type, index);
	size_t first = 0, statics = 0;

	if (index == 0)
		hprof_roots__statics(&dump->roots, type, &first, &statics);
	begin_class(dump, hprof_shapes__id(&dump->shapes, type, index),
		    base_id(dump, layout.referent ? BASE_WEAK : BASE_OBJECT),
		    hprof_shapes__shown(&dump->shapes, type, shape->sizes.items[index].size, 0),
		    (uint32_t)statics, fields_in(&layout));
	write_statics(dump, first, statics);
	hprof__u2(&dump->writer, (uint16_t)fields_in(&layout));
	for (uint32_t i = 0; i < layout.references; i++)
		write_field(dump, i < layout.named ? shape->string + 1 + i : STRING_UNNAMED,
			    HPROF_OBJECT);
	for (uint32_t i = 0; i < layout.longs; i++)
		write_field(dump, STRING_NOT_READ, HPROF_LONG);
	for (uint32_t i = 0; i < layout.bytes; i++)
		write_field(dump, STRING_NOT_READ, HPROF_BYTE);
}

static uint64_t super_of(const struct hprof_dump *dump, enum base_class base)
{
	if (base == BASE_OBJECT)
		return 0;
	if (base >= BASE_WEAK && base <= BASE_PHANTOM)
		return base_id(dump, BASE_REFERENCE);
	return base_id(dump, BASE_OBJECT);
}

static void write_base_class(struct hprof_dump *dump, enum base_class base)
{
	size_t first = 0, statics = 0;

	if (base == BASE_STATICS)
		hprof_roots__statics(&dump->roots, HPROF_NO_TYPE, &first, &statics);
	begin_class(dump, base_id(dump, base), super_of(dump, base),
		    base == BASE_OBJECT ? dump->shapes.model->object : 0, (uint32_t)statics,
		    base == BASE_REFERENCE);
	write_statics(dump, first, statics);
	hprof__u2(&dump->writer, base == BASE_REFERENCE);
	if (base == BASE_REFERENCE)
		write_field(dump, STRING_REFERENT, HPROF_OBJECT);
}

/*
 * The other roots, by what they are. Beside telling that it keeps VisualVM from taking an object
 * that is a root for the possession of the only object that refers to it.
 */
static void write_root_class(struct hprof_dump *dump, uint64_t index)
{
	const size_t first = (size_t)index * HPROF_STATICS_MOST;
	const size_t left = dump->roots.others.count - first;
	const size_t count = left < HPROF_STATICS_MOST ? left : HPROF_STATICS_MOST;

	begin_class(dump, dump->base_id + 8 * (BASE_COUNT + index), base_id(dump, BASE_OBJECT),
		    0, (uint32_t)count, 0);
	for (size_t i = first; i < first + count; i++)
		write_root_field(dump, dump->others + i, dump->roots.others.items[i]);
	hprof__u2(&dump->writer, 0);
}

void hprof_dump__classes(struct hprof_dump *dump)
{
	uint32_t base = 0;

	for (; base < BASE_LATE; base++)
		write_base_class(dump, base);
	for (uint64_t i = 0; i < dump->root_classes; i++)
		write_root_class(dump, i);
	for (uint32_t i = 0; i < dump->shapes.count; i++)
		for (size_t k = 0; k < dump->shapes.of[i].sizes.count; k++)
			write_class(dump, i, k);
	for (; base < BASE_COUNT; base++)
		write_base_class(dump, base);
}

/* All classes are roots: else a reader has the first object of each keep its statics alive. */
void hprof_dump__class_roots(struct hprof_dump *dump)
{
	uint64_t id = dump->base_id;

	for (uint32_t i = 0; i < dump->serial; i++, id += 8) {
		hprof__entry(&dump->writer, HPROF_ROOT_STICKY_CLASS, 8);
		hprof__u8(&dump->writer, id);
	}
}
