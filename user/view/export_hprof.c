/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hprof: the heap dump of a JVM, for VisualVM, Eclipse MAT and their like; of any runtime.
 *
 * WHAT A READER SEES
 *
 *	each object once, by its address, with its type's name, its size and its references
 *	fields by the names that the runtime told; "#3", "+16" where it told none; "?" where it
 *	did not even tell the place
 *	statics in their classes, locals in the frames of their threads, the other roots by kind; and
 *	all but statics once more, as static fields of a class "(roots)", which say what they are
 *	the same sizes and the same retained sizes as gctrace shows (VisualVM; hprof_shapes.h says
 *	how its sizes come about, and what arrays are)
 *
 * and what the contents of objects would be: zeros. gctrace never reads them. Fields named "not
 * read" take their place: MAT adds an instance's size up from its fields, a reference of 8
 * bytes and a head of 16, so that with them its sizes are right wherever that is how objects are.
 *
 * WHERE IT MUST DIFFER
 *
 *	Super classes are not written. The runtime told the fields of a type together with those
 *	of the types above it; written in both places they would be there twice.
 *
 *	Weak references keep nothing alive. hprof says that by a name: the first weak reference of
 *	an object becomes the field `referent` of java.lang.ref.WeakReference, of which its class
 *	is made a subclass. Its other ones, and those of arrays, are left out. Weak roots are, too.
 *
 *	VisualVM's dominators take every referrer for one that keeps alive, also a weak one and one
 *	that no root reaches. The references of both are left out (null) where retained sizes
 *	would come out too small by them.
 *
 *	Arrays have more elements than they had, where their size asks for that: null ones, at
 *	the end. Objects of a type that differ in size, and have references, are of several classes of
 *	that name.
 *
 *	A thread's name is the last frame of its stack: a reader takes names from the contents of
 *	strings. Threads that have no object have roots and frames, but are in no list of threads.
 *
 *	Sizes above 2 GiB cannot be said. That is warned of, as is every other size that a reader
 *	will show wrongly.
 *
 * Names are escaped as everywhere in gctrace (base/escape.h), and a '[' that begins one is \x5b
 * unless a JVM's own name of an array follows, which VisualVM takes it for. It shows '/' as '.'.
 *
 * CLASSES that readers look for are there, without objects: java.lang.Object (hprof_shapes.h),
 * java.lang.Class, and those of references, without which VisualVM computes no retained sizes.
 * Ids of classes lie where no object does.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../model/heap.h"
#include "export.h"
#include "gctrace/wire.h"
#include "heap_view.h"
#include "heap_words.h"
#include "hprof_roots.h"
#include "hprof_shapes.h"
#include "hprof_writer.h"

#define MAT_HEAD 16u /* of an instance, for MAT */
#define PADDING_MOST 1024u /* bytes that are said by fields of a class */

/* Classes of ours: first come those that are to be found before the heap's own of that name ... */
enum base_class {
	BASE_REFERENCE,
	BASE_WEAK,
	BASE_SOFT,
	BASE_FINAL,
	BASE_PHANTOM,
	BASE_STATICS,
	BASE_STACK,
	BASE_LATE, /* ... and then, behind the heap's own, those that are to be found after them */
	BASE_CLASS = BASE_LATE,
	BASE_OBJECT,
	BASE_COUNT
};

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

/* Strings of ours, numbered from 1. */
enum own_string {
	STRING_NONE = 1,
	STRING_UNNAMED,
	STRING_NOT_READ,
	STRING_REFERENT,
	STRING_ROOTS,
	STRING_BASE, /* names of base classes */
	STRING_TYPES = STRING_BASE + BASE_COUNT
};

static const char *const own_strings[] = { "", "?", "not read", "referent", "(roots)" };

struct hprof_dump {
	struct heap *heap;
	struct hprof_shapes shapes;
	struct hprof_roots roots;
	struct hprof_writer writer;
	uint64_t base_id; /* of the first base class; then in steps of 8 */
	uint64_t root_classes;	  /* how many; their ids follow those of the base classes */
	uint64_t statics, stacks, others; /* ids of the first of their strings */
	uint32_t serial; /* of the last class */
	uint64_t *values; /* of the fields of an object, as many as any type has */
	uint64_t inexact; /* objects whose size a reader will show wrongly */
};

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
		next += 1 + dump->shapes.fields.types[i].fields.count;
	}
	dump->statics = next;
	dump->stacks = next + dump->roots.statics.count;
	dump->others = dump->stacks + dump->roots.frames.count + dump->roots.threads.count;
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
	size_t from = 0;

	if (buf__str(text)[0] == '[' && !is_array_name(buf__str(text), text->len)) {
		buf__add_str(&escaped, "\\x5b");
		from = 1;
	}
	escape__add(&escaped, buf__str(text) + from, text->len - from);
	hprof__string(&dump->writer, id, &escaped);
	buf__free(&escaped);
	buf__reset(text);
}

static void write_type_names(struct hprof_dump *dump, uint32_t type, struct buf *text)
{
	const struct export_fields *fields = &dump->shapes.fields;
	uint64_t id = dump->shapes.of[type].string;

	heap_words__type(text, dump->heap, type);
	write_string(dump, id++, text);
	for (uint32_t i = 0; i < fields->types[type].fields.count; i++) {
		export_fields__name(text, dump->heap, fields, type, i);
		hprof__string(&dump->writer, id++, text);
		buf__reset(text);
	}
}

static void write_strings(struct hprof_dump *dump)
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

static void load_classes(struct hprof_dump *dump)
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

/* The fields of a class of instances. */
struct layout {
	uint32_t references, named; /* named: the first of them */
	uint32_t longs, bytes; /* that were not read */
	bool referent;	       /* inherited, behind them */
};

static struct layout layout_of(const struct hprof_dump *dump, uint32_t type, size_t index)
{
	const struct hprof_shape *shape = &dump->shapes.of[type];
	const struct hprof_size *size = &shape->sizes.items[index];
	struct layout layout = { .references = 0 };
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

static uint32_t fields_in(const struct layout *layout)
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
	const struct layout layout = layout_of(dump, type, index);
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

static void write_base_class(struct hprof_dump *dump, enum base_class base)
{
	const bool is_reference = base >= BASE_WEAK && base <= BASE_PHANTOM;
	const uint64_t super = base == BASE_OBJECT ? 0 :
						     base_id(dump, is_reference ? BASE_REFERENCE :
										  BASE_OBJECT);
	size_t first = 0, statics = 0;

	if (base == BASE_STATICS)
		hprof_roots__statics(&dump->roots, HPROF_NO_TYPE, &first, &statics);
	begin_class(dump, base_id(dump, base), super,
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

	begin_class(dump, dump->base_id + 8 * (BASE_COUNT + index), base_id(dump, BASE_OBJECT), 0,
		    (uint32_t)count, 0);
	for (size_t i = first; i < first + count; i++)
		write_root_field(dump, dump->others + i, dump->roots.others.items[i]);
	hprof__u2(&dump->writer, 0);
}

static void write_classes(struct hprof_dump *dump)
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
static void write_class_roots(struct hprof_dump *dump)
{
	uint64_t id = dump->base_id;

	for (uint32_t i = 0; i < dump->serial; i++, id += 8) {
		hprof__entry(&dump->writer, HPROF_ROOT_STICKY_CLASS, 8);
		hprof__u8(&dump->writer, id);
	}
}

/* ---------------------------------------------------------------- objects */

/*
 * Would a reader's dominators stay as they are with a referrer that keeps nothing alive? They do
 * where roots alone dominate the object, and where its dominator is the referrer's, too.
 */
static bool is_harmless(const struct hprof_dump *dump, uint32_t from, uint32_t to)
{
	const uint32_t dominator = heap__dominator(dump->heap, to);

	return dominator == HEAP_NONE || heap__is_node(dump->heap, dominator) ||
	       heap__dominates(dump->heap, dominator, from);
}

/* The id of what an object refers to; 0 for what is not to be said. */
static uint64_t id_of(const struct hprof_dump *dump, uint32_t from, bool keeps, uint32_t to)
{
	if (to == HEAP_NOWHERE || (!keeps && !is_harmless(dump, from, to)))
		return 0;
	return heap__object(dump->heap, to).address;
}

/* Into dump->values, each at its field, or behind the `named` ones. */
static void place_references(struct hprof_dump *dump, uint32_t place,
			     const struct heap_object *object, uint32_t named)
{
	struct heap_references references = heap__references(dump->heap, place);
	const unsigned int kind = heap__place_kind(dump->heap, place);
	uint32_t unnamed = named, hint = 0, next = 0, at;
	struct heap_reference reference;

	while (heap_references__next(&references, &reference)) {
		at = export_fields__number(&dump->shapes.fields, object->type, kind,
					   reference.place, &hint);
		if (at == EXPORT_FIELD_NONE || at < next)
			at = unnamed++;
		else
			next = at + 1;
		dump->values[at] = id_of(dump, place, object->reached, reference.to);
	}
}

static void write_instance(struct hprof_dump *dump, uint32_t place,
			   const struct heap_object *object)
{
	const size_t class_ = hprof_shapes__class(&dump->shapes, object->type, object->size);
	const struct layout layout = layout_of(dump, object->type, class_);
	struct hprof_writer *writer = &dump->writer;
	const uint32_t bytes =
		8 * (layout.references + layout.longs + layout.referent) + layout.bytes;
	struct heap_weak weak = { .to = HEAP_NOWHERE };

	memset(dump->values, 0, 8 * (size_t)layout.references);
	place_references(dump, place, object, layout.named);
	if (layout.referent)
		heap__weak(dump->heap, place, 0, &weak);
	hprof__entry(writer, HPROF_INSTANCE, 8 + 4 + 8 + 4 + (uint64_t)bytes);
	hprof__u8(writer, object->address);
	hprof__u4(writer, 0); /* no stack trace */
	hprof__u8(writer, hprof_shapes__id(&dump->shapes, object->type, class_));
	hprof__u4(writer, bytes);
	for (uint32_t i = 0; i < layout.references; i++)
		hprof__u8(writer, dump->values[i]);
	hprof__zeros(writer, 8 * (uint64_t)layout.longs + layout.bytes);
	if (layout.referent)
		hprof__u8(writer, id_of(dump, place, false, weak.to));
}

static void write_array(struct hprof_dump *dump, uint32_t place, const struct heap_object *object,
			uint64_t count)
{
	struct heap_references references = heap__references(dump->heap, place);
	struct hprof_elements elements = { 0 };
	struct hprof_writer *writer = &dump->writer;
	struct heap_reference reference;
	uint64_t end = 0, at;

	hprof__entry(writer, HPROF_OBJECT_ARRAY, 8 + 4 + 4 + 8 + 8 * count);
	hprof__u8(writer, object->address);
	hprof__u4(writer, 0); /* no stack trace */
	hprof__u4(writer, (uint32_t)count);
	hprof__u8(writer, hprof_shapes__id(&dump->shapes, object->type, 0));
	while (heap_references__next(&references, &reference)) {
		at = hprof_elements__next(&elements, reference.place);
		if (at >= count)
			break;
		hprof__zeros(writer, 8 * (at - end));
		hprof__u8(writer, id_of(dump, place, object->reached, reference.to));
		end = at + 1;
	}
	hprof__zeros(writer, 8 * (count - end));
}

static void write_bytes(struct hprof_dump *dump, const struct heap_object *object, uint64_t count)
{
	const uint8_t type = dump->shapes.of[object->type].element;
	const uint64_t bytes = count * hprof__bytes_of(type);

	hprof__entry(&dump->writer, HPROF_PRIMITIVE_ARRAY, 8 + 4 + 4 + 1 + bytes);
	hprof__u8(&dump->writer, object->address);
	hprof__u4(&dump->writer, 0); /* no stack trace */
	hprof__u4(&dump->writer, (uint32_t)count);
	hprof__u1(&dump->writer, type);
	hprof__zeros(&dump->writer, bytes);
}

static void write_object(struct hprof_dump *dump, uint32_t place)
{
	const struct heap_object object = heap__object(dump->heap, place);
	uint64_t count = 0;

	switch (dump->shapes.of[object.type].form) {
	case HPROF_FIELDS:
		write_instance(dump, place, &object);
		break;
	case HPROF_ARRAY:
		count = hprof_shapes__elements(&dump->shapes, object.type, object.size,
					       hprof_elements__count(dump->heap, place));
		write_array(dump, place, &object, count);
		break;
	case HPROF_BYTES:
		count = hprof_shapes__elements(&dump->shapes, object.type, object.size, 0);
		write_bytes(dump, &object, count);
		break;
	}
	dump->inexact += hprof_shapes__shown(&dump->shapes, object.type, object.size, count) !=
			 object.size;
}

static void write_objects(struct hprof_dump *dump)
{
	const struct heap *heap = dump->heap;

	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		if (heap__is_node(heap, p))
			continue;
		write_object(dump, p);
		if (ferror_unlocked(dump->writer.out))
			break;
	}
}

/* ---------------------------------------------------------------- in all */

static int prepare(struct hprof_dump *dump)
{
	uint32_t most = 1;
	int err = hprof_shapes__find(&dump->shapes, dump->heap);

	if (!err)
		err = hprof_roots__find(&dump->roots, dump->heap);
	if (!err)
		err = number_classes(dump);
	if (err)
		return err;
	number_strings(dump);
	for (uint32_t i = 0; i < dump->shapes.count; i++)
		if (dump->shapes.of[i].form == HPROF_FIELDS &&
		    hprof_shapes__fields(&dump->shapes, i) > most)
			most = hprof_shapes__fields(&dump->shapes, i);
	dump->values = calloc(most, sizeof(*dump->values));
	return dump->values ? 0 : -ENOMEM;
}

/* When the dump began, where both clocks are known. */
static uint64_t ms_of(const struct heap *heap, const struct heap_heading *heading)
{
	const uint64_t begun = heap__facts(heap)->begun_ns;

	if (begun == EVENT_UNKNOWN || !heading->clock_offset_ns)
		return 0;
	return (begun + (uint64_t)heading->clock_offset_ns) / 1000000;
}

static int write_file(struct hprof_dump *dump, uint64_t ms)
{
	int err;

	hprof__head(&dump->writer, ms);
	write_strings(dump);
	load_classes(dump);
	hprof_roots__stacks(&dump->roots, &dump->writer, dump->stacks, STRING_NONE,
			    1 + BASE_STACK);
	write_class_roots(dump);
	hprof_roots__write(&dump->roots, dump->heap, &dump->writer);
	write_classes(dump);
	write_objects(dump);
	err = hprof__end(&dump->writer);
	return ferror_unlocked(dump->writer.out) ? -EIO : err;
}

static int write_hprof(struct heap *heap, const struct heap_heading *heading,
		       const struct export_options *options, FILE *out)
{
	struct hprof_dump dump = { .heap = heap, .writer = { .out = out } };
	int err = prepare(&dump);

	(void)options;
	if (!err)
		err = write_file(&dump, ms_of(heap, heading));
	if (!err && dump.inexact)
		warning("%" PRIu64 " objects have sizes that hprof cannot say, their readers will show"
			" others",
			dump.inexact);
	free(dump.values);
	hprof_roots__free(&dump.roots);
	hprof_shapes__free(&dump.shapes);
	return err;
}

const struct exporter export_hprof = {
	.name = "hprof",
	.help = "VisualVM, Eclipse MAT, and what else reads heap dumps of a JVM",
	.is_binary = true,
	.write = write_hprof,
};
