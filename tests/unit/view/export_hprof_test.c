/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hprof files, read back by a reader of this test's own that works sizes out as VisualVM does:
 * whatever the shapes of objects are, each comes out with its size and its references.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/vec.h"
#include "gctrace/wire.h"
#include "random_heap.h"
#include "unit/model/dump.h"
#include "view/export.h"
#include "view/heap_view.h"
#include "view/hprof_writer.h"

/* ---------------------------------------------------------------- the reader */

struct read_class {
	uint64_t id, super, name, size;
	uint32_t own_objects, own_bytes; /* fields that are references; bytes of the others */
	uint32_t statics;
};

struct read_object {
	uint64_t id, class_id, size;
	uint32_t references; /* not null */
	uint64_t first;	     /* of them; 0: none */
	uint64_t referent;
};

struct read_string {
	uint64_t id;
	const char *at;
	size_t bytes;
};

struct reader {
	const uint8_t *at, *end;
	VEC(struct read_class) classes;
	VEC(struct read_object) objects;
	VEC(struct read_string) strings;
	VEC(uint64_t) roots; /* ids */
	uint64_t object_size; /* of java.lang.Object */
	bool ended;
};

static uint64_t take(struct reader *reader, unsigned int bytes)
{
	uint64_t value = 0;

	assert_true((size_t)(reader->end - reader->at) >= bytes);
	while (bytes--)
		value = value << 8 | *reader->at++;
	return value;
}

static const struct read_string *string_of(const struct reader *reader, uint64_t id)
{
	for (size_t i = 0; i < reader->strings.count; i++)
		if (reader->strings.items[i].id == id)
			return &reader->strings.items[i];
	fail_msg("no string %llu", (unsigned long long)id);
	return NULL;
}

static bool has_name(const struct reader *reader, uint64_t id, const char *name)
{
	const struct read_string *string = string_of(reader, id);

	return string->bytes == strlen(name) && memcmp(string->at, name, string->bytes) == 0;
}

static struct read_class *class_of(const struct reader *reader, uint64_t id)
{
	for (size_t i = 0; i < reader->classes.count; i++)
		if (reader->classes.items[i].id == id)
			return &reader->classes.items[i];
	fail_msg("no class %llx", (unsigned long long)id);
	return NULL;
}

static const struct read_object *object_of(const struct reader *reader, uint64_t id)
{
	for (size_t i = 0; i < reader->objects.count; i++)
		if (reader->objects.items[i].id == id)
			return &reader->objects.items[i];
	fail_msg("no object %llx", (unsigned long long)id);
	return NULL;
}

static unsigned int bytes_of(uint64_t type)
{
	static const unsigned int bytes[] = { 0, 0, 8, 0, 1, 2, 4, 8, 1, 2, 4, 8 };

	assert_true(type < 12 && bytes[type]);
	return bytes[type];
}

/* LOAD_CLASS came before, with the name. */
static void read_class(struct reader *reader)
{
	struct read_class *class_ = class_of(reader, take(reader, 8));
	uint64_t fields;

	take(reader, 4);
	class_->super = take(reader, 8);
	reader->at += 5 * 8;
	class_->size = take(reader, 4);
	assert_int_equal(take(reader, 2), 0);
	class_->statics = (uint32_t)take(reader, 2);
	for (uint32_t i = 0; i < class_->statics; i++) {
		string_of(reader, take(reader, 8));
		assert_int_equal(take(reader, 1), 2);
		take(reader, 8);
	}
	for (fields = take(reader, 2); fields; fields--) {
		string_of(reader, take(reader, 8));
		const uint64_t type = take(reader, 1);

		class_->own_objects += type == 2;
		class_->own_bytes += type == 2 ? 0 : bytes_of(type);
	}
	if (has_name(reader, class_->name, "java.lang.Object"))
		reader->object_size = class_->size;
}

static void refer(struct read_object *object, uint64_t to)
{
	object->references += to != 0;
	object->first = object->first ? object->first : to;
}

static uint64_t array_size(const struct reader *reader, uint64_t bytes)
{
	return (reader->object_size + 4 + bytes + 7) & ~UINT64_C(7);
}

/* As VisualVM sees it; releases differ in what they do with others. */
static uint64_t bytes_of_reference(const struct reader *reader)
{
	assert_true(reader->object_size == 12 || reader->object_size == 16);
	return reader->object_size - 8;
}

static struct read_object read_instance(struct reader *reader)
{
	struct read_object object = { .id = take(reader, 8) };
	const struct read_class *class_;
	uint64_t bytes;

	take(reader, 4);
	object.class_id = take(reader, 8);
	class_ = class_of(reader, object.class_id);
	object.size = class_->size;
	bytes = take(reader, 4);
	for (uint32_t i = 0; i < class_->own_objects; i++)
		refer(&object, take(reader, 8));
	for (uint32_t i = 0; i < class_->own_bytes; i++)
		assert_int_equal(take(reader, 1), 0);
	bytes -= 8 * class_->own_objects + class_->own_bytes;
	if (has_name(reader, class_of(reader, class_->super)->name,
		     "java.lang.ref.WeakReference")) {
		object.referent = take(reader, 8);
		bytes -= 8;
	}
	assert_int_equal(bytes, 0);
	return object;
}

static struct read_object read_object_array(struct reader *reader)
{
	struct read_object object = { .id = take(reader, 8) };
	uint64_t count;

	take(reader, 4);
	count = take(reader, 4);
	object.class_id = take(reader, 8);
	object.size = array_size(reader, count * bytes_of_reference(reader));
	while (count--)
		refer(&object, take(reader, 8));
	return object;
}

static struct read_object read_primitive_array(struct reader *reader)
{
	struct read_object object = { .id = take(reader, 8) };
	uint64_t count, bytes;

	take(reader, 4);
	count = take(reader, 4);
	bytes = count * bytes_of(take(reader, 1));
	object.size = array_size(reader, bytes);
	assert_true((uint64_t)(reader->end - reader->at) >= bytes);
	reader->at += bytes;
	return object;
}

static void read_entry(struct reader *reader)
{
	static const uint8_t rest[] = { [1] = 8, [2] = 8, [3] = 8, [4] = 4, [8] = 8 };
	const uint8_t tag = (uint8_t)take(reader, 1);

	if (tag == 0x20) {
		read_class(reader);
	} else if (tag >= 0x21 && tag <= 0x23) {
		assert_int_equal(vec__push(&reader->objects,
					   tag == 0x21	 ? read_instance(reader) :
					   tag == 0x22 ? read_object_array(reader) :
							 read_primitive_array(reader)),
				 0);
	} else {
		assert_true(tag == 0xff || (tag && tag <= 8));
		assert_int_equal(vec__push(&reader->roots, take(reader, 8)), 0);
		take(reader, tag < sizeof(rest) ? rest[tag] : 0);
	}
}

static void read_record(struct reader *reader)
{
	const uint8_t tag = (uint8_t)take(reader, 1);
	const uint8_t *end;
	uint64_t bytes;

	take(reader, 4);
	bytes = take(reader, 4);
	assert_true((uint64_t)(reader->end - reader->at) >= bytes);
	end = reader->at + bytes;
	if (tag == 1) {
		const uint64_t id = take(reader, 8);

		assert_int_equal(vec__push(&reader->strings,
					   ((struct read_string){ id, (const char *)reader->at,
								  (size_t)(end - reader->at) })),
				 0);
		reader->at = end;
	} else if (tag == 2) {
		struct read_class class_ = { 0 };

		take(reader, 4);
		class_.id = take(reader, 8);
		take(reader, 4);
		class_.name = take(reader, 8);
		assert_int_equal(vec__push(&reader->classes, class_), 0);
	} else if (tag == 0x1c) {
		while (reader->at < end)
			read_entry(reader);
	} else {
		assert_true(tag == 4 || tag == 5 || tag == 0x2c);
		reader->ended = tag == 0x2c;
		reader->at = end;
	}
	assert_ptr_equal(reader->at, end);
}

static struct reader read_file(const char *bytes, size_t count)
{
	static const char head[] = "JAVA PROFILE 1.0.2";
	struct reader reader = { .at = (const uint8_t *)bytes,
				 .end = (const uint8_t *)bytes + count };

	assert_true(count > sizeof(head));
	assert_memory_equal(bytes, head, sizeof(head));
	reader.at += sizeof(head);
	assert_int_equal(take(&reader, 4), 8);
	take(&reader, 8);
	while (reader.at < reader.end)
		read_record(&reader);
	assert_true(reader.ended);
	return reader;
}

/* ---------------------------------------------------------------- what is read */

struct file {
	char *bytes;
	size_t count;
	struct reader reader;
	struct heap *heap;
};

static struct file write_and_read(struct heap *heap)
{
	const struct heap_heading heading = { .facts = heap__facts(heap) };
	const struct export_options options = { .id_place = HEAP_NONE };
	struct file file = { .heap = heap };
	FILE *out = open_memstream(&file.bytes, &file.count);

	assert_non_null(out);
	assert_int_equal(export__find("hprof")->write(heap, &heading, &options, out), 0);
	assert_int_equal(fclose(out), 0);
	file.reader = read_file(file.bytes, file.count);
	return file;
}

static void close_file(struct file *file)
{
	vec__free(&file->reader.classes);
	vec__free(&file->reader.objects);
	vec__free(&file->reader.strings);
	vec__free(&file->reader.roots);
	free(file->bytes);
	heap__free(file->heap);
}

static uint32_t references_in(const struct heap *heap, uint32_t place)
{
	struct heap_references references = heap__references(heap, place);
	struct heap_reference reference;
	uint32_t count = 0;

	while (heap_references__next(&references, &reference))
		count += reference.to != HEAP_NOWHERE;
	return count;
}

/* Every object is there, with its size and its references. */
static void expect_same(const struct file *file)
{
	const struct heap *heap = file->heap;

	assert_int_equal(file->reader.objects.count, heap__facts(heap)->objects);
	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		const struct read_object *read;
		struct heap_object object;

		if (heap__is_node(heap, p))
			continue;
		object = heap__object(heap, p);
		read = object_of(&file->reader, object.address);
		assert_int_equal(read->size, object.size);
		if (object.reached)
			assert_int_equal(read->references, references_in(heap, p));
	}
}

static uint32_t classes_named(const struct reader *reader, const char *name)
{
	uint32_t count = 0;

	for (size_t i = 0; i < reader->classes.count; i++)
		count += has_name(reader, reader->classes.items[i].name, name);
	return count;
}

/* ---------------------------------------------------------------- shapes */

static void hold(struct heap_builder *builder, uint64_t to)
{
	dump__root(builder, GCTRACE_C_HANDLES, 0, to, GCTRACE_ROOT_HANDLE, 7, 0);
}

static struct file finish(struct heap_builder *builder)
{
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return write_and_read(dump__heap(builder));
}

static void test_fields(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);
	struct file file;

	(void)state;
	random_heap__classes(builder);
	hold(builder, 0x1000);
	dump__refer(builder, 0x1000, PLAIN, 40, { 0, 0x2000 });
	dump__refer(builder, 0x2000, PLAIN, 40, { 0x1000, 0x2000 });
	file = finish(builder);
	expect_same(&file);
	assert_int_equal(classes_named(&file.reader, "Plain"), 1);
	assert_int_equal(object_of(&file.reader, 0x1000)->first, 0x2000);
	close_file(&file);
}

/* 8 byte references behind 24 bytes; 4 byte ones behind 16; anything. */
static void test_arrays(void **state)
{
	static const uint64_t sizes[][2] = { { 24, 40 }, { 16, 24 }, { 16, 32 }, { 24, 24 } };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		struct heap_builder *builder = heap_builder__new(0);
		struct file file;

		random_heap__classes(builder);
		hold(builder, 0x1000);
		dump__refer(builder, 0x1000, ARRAY, sizes[i][1], { 0x2000, 0x1000 });
		dump__leaf(builder, 0x2000, ARRAY, sizes[i][0]);
		for (uint64_t n = 0; n < 4; n++)
			dump__leaf(builder, 0x3000 + n * 0x1000, BYTES, 24 + n * 8);
		file = finish(builder);
		expect_same(&file);
		assert_int_equal(classes_named(&file.reader, "Plain[]"), 1);
		close_file(&file);
	}
}

/* No array is so small, or odd: instances, then, of a class for each size. */
static void test_arrays_that_are_none(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);
	struct file file;

	(void)state;
	random_heap__classes(builder);
	hold(builder, 0x1000);
	dump__refer(builder, 0x1000, ARRAY, 4, { 0x2000, 0, 0x3000 });
	dump__leaf(builder, 0x2000, ARRAY, 33);
	dump__leaf(builder, 0x3000, BYTES, 7);
	dump__leaf(builder, 0x4000, BYTES, 0);
	file = finish(builder);
	expect_same(&file);
	assert_int_equal(classes_named(&file.reader, "Plain[]"), 2);
	close_file(&file);
}

static void test_sizes_that_differ(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);
	struct file file;

	(void)state;
	random_heap__classes(builder);
	hold(builder, 0x100000);
	for (uint64_t i = 0; i < 300; i++) {
		dump__refer(builder, 0x100000 + i * 0x100, MIXED, 40 + i % 3 * 11,
			    { 0x100000 + (i + 1) % 300 * 0x100, 0, 0x100000 });
		dump__leaf(builder, 0x200000 + i * 0x100, SHORTS, 16 + i % 7 * 8);
	}
	file = finish(builder);
	expect_same(&file);
	assert_int_equal(classes_named(&file.reader, "Mixed"), 3);
	assert_int_equal(classes_named(&file.reader, "Text"), 1);
	close_file(&file);
}

/* More fields than a class can have: an array, whatever its size. */
static void test_many_fields(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);
	uint64_t *to = calloc(40000, sizeof(*to));
	struct file file;

	(void)state;
	for (size_t i = 0; i < 40000; i++)
		to[i] = 0x1000;
	random_heap__classes(builder);
	hold(builder, 0x1000);
	dump__object(builder, &(struct told){ 0x1000, PLAIN, 16, to, 40000, 0, 0, 0, false });
	file = finish(builder);
	assert_int_equal(object_of(&file.reader, 0x1000)->references, 40000);
	free(to);
	close_file(&file);
}

/* ---------------------------------------------------------------- what keeps nothing alive */

/*
 *	handle -> holder -> held <-- weak, and from what no root reaches: either would have a
 *	                             reader believe that the holder does not keep it alive alone
 */
static void test_referrers_that_keep_nothing(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);
	struct file file;

	(void)state;
	random_heap__classes(builder);
	hold(builder, 0x1000);
	hold(builder, 0x4000);
	dump__refer(builder, 0x1000, PLAIN, 32, { 0x2000 });
	dump__leaf(builder, 0x2000, PLAIN, 32);
	dump__refer(builder, 0x3000, PLAIN, 32, { 0x2000, 0x1000 });
	dump__object(builder, &(struct told){ 0x4000, WEAK, 32, (const uint64_t[]){ 0, 0x2000 }, 2,
					      0, 0, GCTRACE_REF_WEAK, false });
	dump__object(builder, &(struct told){ 0x5000, WEAK, 32, (const uint64_t[]){ 0, 0x1000 }, 2,
					      0, 0, GCTRACE_REF_WEAK, false });
	file = finish(builder);
	expect_same(&file);
	assert_int_equal(object_of(&file.reader, 0x3000)->references, 1);
	assert_int_equal(object_of(&file.reader, 0x3000)->first, 0x1000);
	assert_int_equal(object_of(&file.reader, 0x4000)->referent, 0);
	assert_int_equal(object_of(&file.reader, 0x5000)->referent, 0x1000);
	assert_int_equal(object_of(&file.reader, 0x5000)->references, 0);
	close_file(&file);
}

static void test_roots(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);
	uint32_t of_objects = 0;
	struct file file;

	(void)state;
	random_heap__classes(builder);
	dump__root(builder, GCTRACE_C_STATIC, STATICS, 0x1000, GCTRACE_ROOT_STATIC, 0, 0);
	dump__root(builder, GCTRACE_C_STATIC, 0, 0x1000, GCTRACE_ROOT_STATIC, 0, 0);
	dump__root(builder, GCTRACE_C_WEAK, 0, 0x2000, GCTRACE_ROOT_HANDLE_WEAK, 0, 0);
	dump__root(builder, GCTRACE_C_MONITORS, 0, 0x2000, GCTRACE_ROOT_MONITOR, 0, 0);
	dump__root(builder, GCTRACE_C_HANDLES, 0, 0x9000, GCTRACE_ROOT_HANDLE, 0, 0);
	dump__leaf(builder, 0x1000, PLAIN, 32);
	dump__leaf(builder, 0x2000, PLAIN, 32);
	file = finish(builder);
	for (size_t i = 0; i < file.reader.roots.count; i++)
		of_objects += file.reader.roots.items[i] == 0x2000;
	assert_int_equal(of_objects, 1);
	/* The others are the classes. */
	assert_int_equal(file.reader.roots.count, file.reader.classes.count + 1);
	for (size_t i = 0; i < file.reader.classes.count; i++)
		if (has_name(&file.reader, file.reader.classes.items[i].name, "Statics") ||
		    has_name(&file.reader, file.reader.classes.items[i].name, "(statics)"))
			assert_int_equal(file.reader.classes.items[i].statics, 1);
	close_file(&file);
}

/* ---------------------------------------------------------------- names, addresses */

static void test_hostile_names(void **state)
{
	static const char *const told[] = { "[", "[[", "[L", "[LX", "[Ljava/lang/String;", "[I",
					    "a\x1b[31m", "\xff\xfe", "", "java.lang.Object" };
	static const char *const read[] = { "\\x5b", "\\x5b[", "\\x5bL", "\\x5bLX",
					    "[Ljava/lang/String;", "[I", "a\\x1b[31m",
					    "\\xff\\xfe", "class 108", "java.lang.Object" };
	struct heap_builder *builder = heap_builder__new(0);
	struct file file;

	(void)state;
	dump__begin(builder);
	for (uint64_t i = 0; i < sizeof(told) / sizeof(*told); i++) {
		dump__class(builder, 100 + i, told[i], "", 0, 0);
		dump__leaf(builder, 0x1000 + i * 64, 100 + i, 48);
	}
	file = finish(builder);
	expect_same(&file);
	for (size_t i = 0; i < sizeof(read) / sizeof(*read); i++)
		assert_true(classes_named(&file.reader, read[i]) >= 1);
	close_file(&file);
}

/* Ids of classes are no addresses of objects, wherever those lie. */
static void test_addresses(void **state)
{
	(void)state;
	for (uint64_t base = 8; base; base = base == 8 ? UINT64_C(0xfffffffffff00000) : 0) {
		struct heap_builder *builder = heap_builder__new(0);
		struct file file;

		random_heap__classes(builder);
		for (uint64_t i = 0; i < 50; i++)
			dump__leaf(builder, base + i * 8, PLAIN, 32);
		file = finish(builder);
		expect_same(&file);
		for (size_t i = 0; i < file.reader.classes.count; i++)
			assert_false(file.reader.classes.items[i].id - base < 400);
		close_file(&file);
	}
}

/* ---------------------------------------------------------------- at random */

static void test_random_heaps(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 500; i++) {
		struct file file = write_and_read(random_heap(i));

		expect_same(&file);
		random_heap__leave(file.heap, i, "hprof", file.bytes, file.count);
		close_file(&file);
	}
}

static void a_name_that_is_not_whole_is_an_error(void **state)
{
	struct hprof_writer writer = { .out = tmpfile() };
	struct buf name = BUF_INIT;

	(void)state;
	assert_non_null(writer.out);
	name.error = -ENOMEM;
	hprof__string(&writer, 1, &name);
	name.error = 0;
	hprof__string(&writer, 2, &name);
	assert_int_equal(hprof__end(&writer), -ENOMEM);
	fclose(writer.out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_arrays_that_are_none),
		cmocka_unit_test(test_sizes_that_differ),
		cmocka_unit_test(test_many_fields),
		cmocka_unit_test(test_referrers_that_keep_nothing),
		cmocka_unit_test(test_roots),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_addresses),
		cmocka_unit_test(test_random_heaps),
		cmocka_unit_test(a_name_that_is_not_whole_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
