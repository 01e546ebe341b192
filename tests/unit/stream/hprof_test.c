/* SPDX-License-Identifier: BSD-2-Clause */
/* Files of hprof, made by hand, and the graphs that come of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "gctrace/wire.h"
#include "hprof_bytes.h"
#include "model/heap_builder.h"
#include "model/heap_histogram.h"
#include "stream/hprof.h"

#define NONE UINT64_MAX

enum ids {
	NAME_NEXT = 1, NAME_HELD, NAME_N, NAME_REFERENT, NAME_CACHE, NAME_MAIN, NAME_FILE,
	NAME_THREAD,
	CLASS_OBJECT = 0x100, CLASS_CLASS = 0x108, CLASS_NODE = 0x110, CLASS_MORE = 0x118,
	CLASS_REFERENCE = 0x120, CLASS_WEAK = 0x128, CLASS_SOFT = 0x130, CLASS_ARRAY = 0x138,
	CLASS_ROOT = 0x140, CLASS_LASTING = 0x148,
};

/* ---------------------------------------------------------------- files */

static void add_names(struct hprof_bytes *file)
{
	hprof_bytes__string(file, NAME_NEXT, "next");
	hprof_bytes__string(file, NAME_HELD, "held");
	hprof_bytes__string(file, NAME_N, "n");
	hprof_bytes__string(file, NAME_REFERENT, "referent");
	hprof_bytes__string(file, NAME_CACHE, "cache");
	hprof_bytes__string(file, NAME_MAIN, "main");
	hprof_bytes__string(file, NAME_FILE, "Shop.java");
	hprof_bytes__string(file, NAME_THREAD, "worker");
	hprof_bytes__load(file, 1, CLASS_OBJECT, "java/lang/Object");
	hprof_bytes__load(file, 2, CLASS_CLASS, "java/lang/Class");
	hprof_bytes__load(file, 3, CLASS_NODE, "Node");
	hprof_bytes__load(file, 4, CLASS_MORE, "shop/More");
	hprof_bytes__load(file, 5, CLASS_REFERENCE, "java/lang/ref/Reference");
	hprof_bytes__load(file, 6, CLASS_WEAK, "java/lang/ref/WeakReference");
	hprof_bytes__load(file, 7, CLASS_SOFT, "java/lang/ref/SoftReference");
	hprof_bytes__load(file, 8, CLASS_ARRAY, "[Ljava/lang/Object;");
	hprof_bytes__load(file, 9, CLASS_ROOT, "Shop");
	hprof_bytes__load(file, 10, CLASS_LASTING, "Lasting");
}

static void add_classes(struct hprof_bytes *file)
{
	const struct hprof_bytes_field node[] = { { NAME_NEXT, HPROF_OBJECT, 0 },
						  { NAME_N, HPROF_INT, 0 }, { 0, 0, 0 } };
	const struct hprof_bytes_field more[] = { { NAME_N, HPROF_BYTE, 0 },
						  { NAME_HELD, HPROF_OBJECT, 0 }, { 0, 0, 0 } };
	const struct hprof_bytes_field reference[] = { { NAME_REFERENT, HPROF_OBJECT, 0 },
						       { 0, 0, 0 } };
	const struct hprof_bytes_field statics[] = { { NAME_N, HPROF_LONG, 99 },
						     { NAME_CACHE, HPROF_OBJECT, 0x1000 },
						     { 0, 0, 0 } };

	hprof_bytes__class(file, CLASS_MORE, CLASS_NODE, 0, NULL, more);
	hprof_bytes__class(file, CLASS_NODE, CLASS_OBJECT, 0, NULL, node);
	hprof_bytes__class(file, CLASS_OBJECT, 0, 0, NULL, NULL);
	hprof_bytes__class(file, CLASS_CLASS, CLASS_OBJECT, 0, NULL, NULL);
	hprof_bytes__class(file, CLASS_REFERENCE, CLASS_OBJECT, 0, NULL, reference);
	hprof_bytes__class(file, CLASS_WEAK, CLASS_REFERENCE, 0, NULL, NULL);
	hprof_bytes__class(file, CLASS_SOFT, CLASS_REFERENCE, 0, NULL, NULL);
	hprof_bytes__class(file, CLASS_ARRAY, CLASS_OBJECT, 0, NULL, NULL);
	file->loader = 0x1020;
	hprof_bytes__class(file, CLASS_ROOT, CLASS_OBJECT, 0, statics, NULL);
	file->loader = 0;
	hprof_bytes__class(file, CLASS_LASTING, CLASS_OBJECT, 0, statics, NULL);
}

/* A More at 0x1000 refers to 0x1020 by `next`, and to an array by `held`. */
static void add_objects(struct hprof_bytes *file)
{
	const uint64_t elements[] = { 0, 0x1058, 0, 0x1068 };

	hprof_bytes__instance(file, 0x1000, CLASS_MORE, 1 + file->id_bytes + file->id_bytes + 4);
	hprof_bytes__number(file, 7, 1);
	hprof_bytes__id(file, 0x1038);
	hprof_bytes__id(file, 0x1020);
	hprof_bytes__number(file, 4711, 4);
	hprof_bytes__instance(file, 0x1020, CLASS_NODE, file->id_bytes + 4);
	hprof_bytes__id(file, 0);
	hprof_bytes__number(file, 0, 4);
	hprof_bytes__array(file, 0x1038, CLASS_ARRAY, elements, 4);
	hprof_bytes__instance(file, 0x1058, CLASS_WEAK, file->id_bytes);
	hprof_bytes__id(file, 0x1078);
	hprof_bytes__instance(file, 0x1068, CLASS_SOFT, file->id_bytes);
	hprof_bytes__id(file, 0x1090);
	hprof_bytes__primitive(file, 0x1078, HPROF_INT, 2);
	hprof_bytes__primitive(file, 0x1090, HPROF_LONG, 1);
	hprof_bytes__primitive(file, 0x10a8, HPROF_BYTE, 3);
}

static void add_stack(struct hprof_bytes *file)
{
	hprof_bytes__record(file, HPROF_STACK_FRAME);
	hprof_bytes__id(file, 0x77);
	hprof_bytes__id(file, NAME_MAIN);
	hprof_bytes__id(file, 0);
	hprof_bytes__id(file, NAME_FILE);
	hprof_bytes__number(file, 9, 4);
	hprof_bytes__number(file, 31, 4);
	hprof_bytes__end_record(file);
	hprof_bytes__record(file, HPROF_STACK_TRACE);
	hprof_bytes__number(file, 5, 4);
	hprof_bytes__number(file, 2, 4);
	hprof_bytes__number(file, 1, 4);
	hprof_bytes__id(file, 0x77);
	hprof_bytes__end_record(file);
}

static void add_roots(struct hprof_bytes *file)
{
	hprof_bytes__root(file, HPROF_ROOT_THREAD_OBJECT, 0x10a8, 2, 5);
	hprof_bytes__root(file, HPROF_ROOT_JAVA_FRAME, 0x1020, 2, 0);
	hprof_bytes__root(file, HPROF_ROOT_STICKY_CLASS, CLASS_ROOT, NONE, NONE);
}

/* With the names told, and a segment of the dump begun. */
static struct hprof_bytes begin_segment(const char *version)
{
	struct hprof_bytes file = hprof_bytes__begin(version, 8);

	add_names(&file);
	hprof_bytes__record(&file, HPROF_HEAP_DUMP_SEGMENT);
	return file;
}

static struct hprof_bytes shop(const char *version, uint32_t id_bytes)
{
	struct hprof_bytes file = hprof_bytes__begin(version, id_bytes);

	add_names(&file);
	add_stack(&file);
	hprof_bytes__record(&file, HPROF_HEAP_DUMP_SEGMENT);
	add_classes(&file);
	add_objects(&file);
	hprof_bytes__end_record(&file);
	hprof_bytes__record(&file, HPROF_HEAP_DUMP_SEGMENT);
	add_roots(&file);
	hprof_bytes__end_record(&file);
	hprof_bytes__record(&file, HPROF_HEAP_DUMP_END);
	return file;
}

/* ---------------------------------------------------------------- reading */

static int take(void *builder, const struct event *event)
{
	return heap_builder__event(builder, event);
}

static int open_bytes(const struct buf *bytes, size_t count)
{
	int fd = memfd_create("hprof", MFD_CLOEXEC);

	assert_int_equal(write(fd, bytes->data, count), count);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

static int read_fd(int fd, bool heads, struct hprof_facts *facts, struct heap **heap)
{
	const struct hprof_options options = { .heads = heads, .stop_fd = -1 };
	struct heap_builder *builder = heads ? heap_builder__new_counting(0) :
					       heap_builder__new(0);
	const struct event_sink sink = { take, builder };
	int err = hprof__read(fd, &options, &sink, facts);

	close(fd);
	if (!err)
		err = heap_builder__finish(builder, heap);
	heap_builder__free(builder);
	return err;
}

static struct heap *read_file(struct hprof_bytes *file, struct hprof_facts *facts)
{
	struct heap *heap;

	assert_int_equal(read_fd(open_bytes(&file->out, file->out.len), false, facts, &heap), 0);
	buf__free(&file->out);
	return heap;
}

static uint32_t place_of(struct heap *heap, uint64_t address)
{
	uint32_t place;

	assert_int_equal(heap__find(heap, address, &place), 0);
	assert_int_not_equal(place, HEAP_NONE);
	return place;
}

static struct heap_object object_at(struct heap *heap, uint64_t address)
{
	return heap__object(heap, place_of(heap, address));
}

static void assert_text(struct text text, const char *want)
{
	if (!text__equal(text, text__of(want)))
		fail_msg("expected \"%s\", found \"%.*s\"", want, (int)text.bytes, text.at);
}

static void assert_type(struct heap *heap, uint64_t address, const char *name)
{
	const uint32_t type = object_at(heap, address).type;

	assert_text(heap_types__at(heap__types(heap), type).name, name);
}

static void assert_field(struct heap *heap, uint64_t from, uint64_t to, const char *name)
{
	uint64_t at;

	assert_true(heap__field(heap, place_of(heap, from), place_of(heap, to), &at));
	assert_text(heap__place(heap, place_of(heap, from), at).field, name);
}

/* ---------------------------------------------------------------- tests */

static void look_at_shop(struct heap *heap)
{
	struct heap_weak weak;

	assert_int_equal(heap__facts(heap)->objects, 8 + 10);
	assert_type(heap, 0x1000, "shop.More");
	assert_type(heap, 0x1038, "java.lang.Object[]");
	assert_type(heap, 0x1078, "int[]");
	assert_type(heap, CLASS_ROOT, "java.lang.Class");
	assert_field(heap, 0x1000, 0x1020, "next");
	assert_field(heap, 0x1000, 0x1038, "held");
	assert_field(heap, CLASS_ROOT, 0x1000, "Shop.cache");
	assert_field(heap, CLASS_WEAK, CLASS_REFERENCE, "<super>");
	assert_true(heap__weak(heap, place_of(heap, 0x1058), 0, &weak));
	assert_int_equal(weak.address, 0x1078);
	assert_int_equal(weak.flags, GCTRACE_REF_WEAK);
	assert_false(object_at(heap, 0x1078).reached);
	assert_true(object_at(heap, 0x1090).reached); /* softly */
	assert_true(object_at(heap, 0x1000).reached);
}

static void graphs_of_both_id_sizes(void **state)
{
	static const char *const versions[] = { "1.0.1", "1.0.2" };

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		struct hprof_bytes file = shop(versions[i / 2], i % 2 ? 4 : 8);
		struct hprof_facts facts;
		struct heap *heap = read_file(&file, &facts);

		look_at_shop(heap);
		assert_true(facts.is_whole && heap__is_complete(heap));
		assert_string_equal(facts.version, versions[i / 2]);
		assert_int_equal(facts.ms, 1700000000000);
		heap__free(heap);
	}
}

static void an_element_has_its_index(void **state)
{
	struct hprof_bytes file = shop("1.0.2", 8);
	struct hprof_facts facts;
	struct heap *heap = read_file(&file, &facts);
	uint64_t at;

	(void)state;
	assert_true(heap__field(heap, place_of(heap, 0x1038), place_of(heap, 0x1068), &at));
	assert_int_equal(heap__place(heap, place_of(heap, 0x1038), at).element, 3);
	heap__free(heap);
}

/* Its objects lie side by side, as with compressed references, but for one in a gap. */
static void sizes_are_those_of_the_addresses(void **state)
{
	static const struct {
		uint64_t address, size;
	} want[] = { { 0x1000, 32 }, { 0x1020, 24 }, { 0x1038, 32 }, { 0x1058, 16 },
		     { 0x1068, 16 }, { 0x1078, 24 }, { 0x1090, 24 }, { 0x10a8, 24 } };
	struct hprof_bytes file = shop("1.0.2", 8);
	struct hprof_facts facts;
	struct heap *heap = read_file(&file, &facts);

	(void)state;
	assert_true(facts.sizes.measured);
	assert_int_equal(facts.sizes.layout.reference, 4);
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++)
		assert_int_equal(object_at(heap, want[i].address).size, want[i].size);
	heap__free(heap);
}

/* Two instances of a class that take 16 bytes more than its fields. */
static void hidden_fields_are_measured(void **state)
{
	struct hprof_bytes file = begin_segment("1.0.2");
	struct hprof_facts facts;
	struct heap *heap;

	(void)state;
	add_classes(&file);
	for (unsigned int i = 0; i < 3; i++) {
		hprof_bytes__instance(&file, 0x1000 + 40 * i, CLASS_NODE, 12);
		buf__add_repeated(&file.out, 0, 12);
	}
	hprof_bytes__primitive(&file, 0x1078, HPROF_BYTE, 3);
	hprof_bytes__primitive(&file, 0x1090, HPROF_BYTE, 3);
	hprof_bytes__end_record(&file);
	heap = read_file(&file, &facts);
	assert_int_equal(object_at(heap, 0x1000).size, 40);
	assert_int_equal(object_at(heap, 0x1050).size, 40);
	heap__free(heap);
}

/* How some JVM lays objects out. */
struct laid_out {
	uint32_t head, array, reference, alignment;
	bool shuffled; /* as ZGC's files are */
};

static uint64_t aligned(uint64_t bytes, uint64_t to)
{
	return (bytes + to - 1) / to * to;
}

enum { LAID_OUT = 300, LAID_OUT_AT = 0x100000 };

/* Arrays of references, arrays of bytes and Nodes in turns; sizes[] gets what each takes. */
static struct hprof_bytes lay_out(const struct laid_out *as, uint64_t sizes[LAID_OUT],
				  uint64_t ids[LAID_OUT], size_t count)
{
	static const uint64_t nulls[16];
	struct hprof_bytes file = begin_segment("1.0.2");
	uint64_t at = LAID_OUT_AT;

	add_classes(&file);
	for (size_t i = 0; i < count; i++) {
		sizes[i] = i % 3 == 0 ? as->array + i % 16 * as->reference :
			   i % 3 == 1 ? as->array + i % 37 : as->head + as->reference + 4;
		sizes[i] = aligned(sizes[i], as->alignment);
		ids[i] = at;
		at += sizes[i];
	}
	for (size_t n = 0; n < count; n++) {
		const size_t i = as->shuffled ? n * 7 % count : n;

		if (i % 3 == 0)
			hprof_bytes__array(&file, ids[i], CLASS_ARRAY, nulls, i % 16);
		else if (i % 3 == 1)
			hprof_bytes__primitive(&file, ids[i], HPROF_BYTE, i % 37);
		else
			hprof_bytes__instance(&file, ids[i], CLASS_NODE, 12);
		if (i % 3 == 2)
			buf__add_repeated(&file.out, 0, 12);
	}
	hprof_bytes__end_record(&file);
	return file;
}

static bool is_estimated(struct heap *heap, uint64_t address)
{
	const uint32_t type = heap__type(heap, place_of(heap, address));

	return heap_types__at(heap__types(heap), type).flags & EVENT_CLASS_ESTIMATED;
}

static void each_layout_is_found_object_by_object(void **state)
{
	static const struct laid_out all[] = {
		{ 12, 16, 4, 8, false },  { 12, 16, 4, 8, true },   { 12, 16, 4, 16, false },
		{ 12, 16, 8, 8, true },   { 12, 16, 8, 16, true },  { 16, 24, 8, 8, false },
		{ 16, 20, 8, 16, false }, { 8, 12, 4, 8, false },   { 8, 12, 8, 8, true },
		{ 12, 16, 4, 32, true },
	};
	uint64_t sizes[LAID_OUT], ids[LAID_OUT];

	(void)state;
	for (size_t n = 0; n < sizeof(all) / sizeof(*all); n++) {
		struct hprof_bytes file = lay_out(&all[n], sizes, ids, LAID_OUT - 1);
		struct hprof_facts facts;
		struct heap *heap = read_file(&file, &facts);

		assert_int_equal(facts.sizes.alignment, all[n].alignment);
		assert_true(facts.sizes.certain);
		for (size_t i = 0; i < LAID_OUT - 1; i++) {
			assert_int_equal(object_at(heap, ids[i]).size, sizes[i]);
			assert_false(is_estimated(heap, ids[i]) && i % 3 != 2);
		}
		heap__free(heap);
	}
}

/* Too few objects to tell layouts apart: nothing is claimed. */
static void what_cannot_be_known_is_an_estimate(void **state)
{
	const struct laid_out as = { 12, 16, 4, 8, false };
	uint64_t sizes[LAID_OUT], ids[LAID_OUT];
	struct hprof_bytes file = lay_out(&as, sizes, ids, 9);
	struct hprof_facts facts;
	struct heap *heap = read_file(&file, &facts);

	(void)state;
	assert_false(facts.sizes.certain);
	for (size_t i = 0; i < 9; i++)
		assert_true(is_estimated(heap, ids[i]));
	assert_int_not_equal(heap__facts(heap)->estimated_types, 0);
	heap__free(heap);
}

static uint64_t eighty(void *context, const char *name, size_t bytes)
{
	return text__equal((struct text){ name, bytes }, text__of(context)) ? 80 : 0;
}

/* The JVM's word is enough where addresses show too little: of a class of 80 bytes. */
static void what_the_jvm_says_holds(void **state)
{
	const struct laid_out as = { 16, 24, 8, 16, false };
	const struct hprof_known known = { .layout = { 16, 24, 8 }, .alignment = 16,
					   .size_of = eighty, .context = "Node" };
	const struct hprof_options options = { .stop_fd = -1, .known = &known };
	uint64_t sizes[LAID_OUT], ids[LAID_OUT];
	struct hprof_bytes file = lay_out(&as, sizes, ids, 9);
	struct heap_builder *builder = heap_builder__new(0);
	const struct event_sink sink = { take, builder };
	int fd = open_bytes(&file.out, file.out.len);
	struct hprof_facts facts;
	struct heap *heap;

	(void)state;
	assert_int_equal(hprof__read(fd, &options, &sink, &facts), 0);
	assert_int_equal(heap_builder__finish(builder, &heap), 0);
	assert_int_equal(object_at(heap, ids[2]).size, 80);
	assert_int_equal(object_at(heap, ids[3]).size, 48); /* 24 + 3 * 8 */
	assert_int_equal(object_at(heap, ids[4]).size, 32); /* 24 + 4, aligned */
	assert_false(is_estimated(heap, ids[2]) || is_estimated(heap, ids[3]));
	close(fd);
	heap_builder__free(builder);
	heap__free(heap);
	buf__free(&file.out);
}

static void stated_sizes_hold(void **state)
{
	struct hprof_bytes file = begin_segment("1.0.2");
	const uint64_t elements[] = { 0x1000, 0, 0x1000 };
	struct hprof_facts facts;
	struct heap *heap;

	(void)state;
	hprof_bytes__class(&file, CLASS_OBJECT, 0, 16, NULL, NULL);
	hprof_bytes__class(&file, CLASS_NODE, CLASS_OBJECT, 72, NULL, NULL);
	hprof_bytes__instance(&file, 0x1000, CLASS_NODE, 0);
	hprof_bytes__array(&file, 0x2000, CLASS_ARRAY, elements, 3);
	hprof_bytes__end_record(&file);
	heap = read_file(&file, &facts);
	assert_int_equal(object_at(heap, 0x1000).size, 72);
	assert_int_equal(object_at(heap, 0x2000).size, 48); /* 16 + 4 + 3 * 8, rounded up */
	heap__free(heap);
}

static void roots_stand_in_threads_and_frames(void **state)
{
	struct hprof_bytes file = shop("1.0.2", 8);
	struct hprof_facts facts;
	struct heap *heap = read_file(&file, &facts);
	const struct heap_types *types = heap__types(heap);
	unsigned int found = 0;

	(void)state;
	assert_int_equal(heap__facts(heap)->roots, 4);
	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		const struct heap_root root = heap__is_node(heap, p) ?
						      heap__root(heap, p) :
						      (struct heap_root){ .level = HEAP_ROOT_ALL };

		if (root.level != HEAP_ROOT_REFERENCE)
			continue;
		if (root.kind == GCTRACE_ROOT_LOCAL) {
			assert_int_equal(root.address, 0x1020);
			assert_text(heap_types__name(types, GCTRACE_SPACE_METHOD, root.id2, 0),
				    "Shop.main (Shop.java:31)");
			found |= 1;
		} else if (root.kind == GCTRACE_ROOT_STATIC) {
			assert_int_equal(root.id1, CLASS_LASTING);
			assert_int_equal(root.address, 0x1000);
			assert_text(heap_types__name(types, GCTRACE_SPACE_STATIC, root.id1,
						     root.id), "cache");
			found |= 8;
		} else if (root.kind == GCTRACE_ROOT_THREAD) {
			assert_int_equal(root.id1, 2);
			found |= 2;
		} else {
			assert_int_equal(root.address, CLASS_ROOT);
			assert_text(heap_types__name(types, GCTRACE_SPACE_CONTAINER, root.type, 0),
				    "system classes");
			found |= 4;
		}
	}
	assert_int_equal(found, 15);
	heap__free(heap);
}

/* Cut anywhere: never more than there was, never whole, and the same through a pipe. */
static void cut_off_files_are_told_as_far_as_they_go(void **state)
{
	struct hprof_bytes file = shop("1.0.2", 8);
	const size_t head = sizeof(HPROF_TEXT) - 1 + 6 + 12;

	(void)state;
	for (size_t cut = 0; cut < file.out.len; cut++) {
		struct hprof_facts facts;
		struct heap *heap = NULL;
		int err = read_fd(open_bytes(&file.out, cut), cut % 2, &facts, &heap);

		if (cut < sizeof(HPROF_TEXT) - 1) {
			assert_int_equal(err, -EBADMSG);
		} else if (cut < head) {
			assert_int_equal(err, -ENODATA);
		} else {
			assert_int_equal(err, 0);
			assert_in_range(heap__facts(heap)->objects, 0, 18);
			assert_false(facts.has_dump && facts.is_whole);
			assert_false(heap__is_complete(heap));
		}
		heap__free(heap);
	}
	buf__free(&file.out);
}

static void a_pipe_is_as_good_as_a_file(void **state)
{
	struct hprof_bytes file = shop("1.0.2", 8);
	struct hprof_facts facts;
	struct heap *heap;
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(write(ends[1], file.out.data, file.out.len), file.out.len);
	close(ends[1]);
	assert_true(hprof__begins(ends[0]));
	assert_int_equal(read_fd(ends[0], false, &facts, &heap), 0);
	look_at_shop(heap);
	assert_true(facts.is_whole);
	heap__free(heap);
	buf__free(&file.out);
}

static void counts_are_those_of_the_graph(void **state)
{
	struct hprof_bytes file = shop("1.0.2", 8);
	struct heap_type_sums *graph, *counts;
	struct hprof_facts facts;
	struct heap *heap, *counted;

	(void)state;
	assert_int_equal(read_fd(open_bytes(&file.out, file.out.len), true, &facts, &counted), 0);
	heap = read_file(&file, &facts);
	assert_int_equal(heap__facts(heap)->bytes, heap__facts(counted)->bytes);
	assert_int_equal(heap__histogram(heap, &graph), 0);
	assert_int_equal(heap__histogram(counted, &counts), 0);
	for (uint32_t i = 1; i < heap__types(heap)->count; i++) {
		const uint64_t number = heap_types__at(heap__types(heap), i).number;
		const uint32_t other = heap_types__known(heap__types(counted), number);

		assert_int_equal(graph[i].objects, counts[other].objects);
		assert_int_equal(graph[i].bytes, counts[other].bytes);
	}
	free(graph);
	free(counts);
	heap__free(heap);
	heap__free(counted);
}

/* Classes behind their instances, in one HEAP_DUMP whose length nobody told. */
static void classes_may_come_last(void **state)
{
	struct hprof_bytes file = hprof_bytes__begin("1.0.1", 4);
	struct hprof_facts facts;
	struct heap *heap;

	(void)state;
	add_names(&file);
	add_stack(&file);
	hprof_bytes__record(&file, HPROF_HEAP_DUMP);
	add_objects(&file);
	add_roots(&file);
	add_classes(&file);
	hprof_bytes__record(&file, HPROF_HEAP_DUMP_END);
	heap = read_file(&file, &facts);
	look_at_shop(heap);
	assert_int_equal(facts.waited, 4);
	assert_true(facts.is_whole);
	heap__free(heap);
}

static void nonsense_is_passed_over_and_said(void **state)
{
	struct hprof_bytes file = begin_segment("1.0.2");
	struct hprof_facts facts;
	struct heap *heap;

	(void)state;
	add_classes(&file);
	hprof_bytes__number(&file, 0x66, 1); /* no such entry */
	hprof_bytes__end_record(&file);
	hprof_bytes__record(&file, 0x0d); /* settings of a CPU profile: of no heap */
	hprof_bytes__number(&file, 0, 6);
	hprof_bytes__end_record(&file);
	hprof_bytes__record(&file, HPROF_HEAP_DUMP_SEGMENT);
	add_objects(&file);
	add_roots(&file);
	hprof_bytes__end_record(&file);
	hprof_bytes__record(&file, HPROF_HEAP_DUMP_END);
	heap = read_file(&file, &facts);
	assert_int_equal(facts.damaged, 1);
	assert_int_equal(heap__facts(heap)->losses, 1);
	assert_false(heap__is_complete(heap));
	look_at_shop(heap);
	heap__free(heap);
}

/* An array of numbers has no objects for elements: they would be read from what follows it. */
static void arrays_of_numbers_refer_to_nothing(void **state)
{
	static const uint8_t tags[] = { HPROF_PRIMITIVE_ARRAY, HPROF_PRIMITIVE_ARRAY_NODATA };

	(void)state;
	for (size_t i = 0; i < sizeof(tags); i++) {
		struct hprof_bytes file = begin_segment("1.0.3");
		struct hprof_facts facts;
		struct heap *heap;
		size_t at;

		at = file.out.len;
		hprof_bytes__primitive(&file, 0x1000, HPROF_OBJECT, tags[i] ==
				       HPROF_PRIMITIVE_ARRAY ? 4 : 0);
		file.out.data[at] = (char)tags[i];
		file.out.data[at + 1 + 8 + 4 + 3] = 4;
		hprof_bytes__end_record(&file);
		hprof_bytes__record(&file, HPROF_HEAP_DUMP_SEGMENT);
		add_classes(&file);
		add_objects(&file);
		add_roots(&file);
		hprof_bytes__end_record(&file);
		hprof_bytes__record(&file, HPROF_HEAP_DUMP_END);
		heap = read_file(&file, &facts);
		assert_int_equal(facts.damaged, 1);
		assert_true(facts.is_whole);
		look_at_shop(heap);
		heap__free(heap);
	}
}

static void other_files_are_refused(void **state)
{
	static const struct {
		const char *version;
		uint32_t id_bytes;
		int err;
	} all[] = { { "1.0.9", 8, -EPROTONOSUPPORT }, { "1.0.2", 3, -EPROTONOSUPPORT },
		    { "1.0.2", 8, 0 }, { "1.0", 4, 0 }, { "1.0.3", 4, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct hprof_bytes file = hprof_bytes__begin(all[i].version, all[i].id_bytes);
		struct hprof_facts facts;
		struct heap *heap = NULL;

		assert_int_equal(read_fd(open_bytes(&file.out, file.out.len), false, &facts, &heap),
				 all[i].err);
		heap__free(heap);
		buf__free(&file.out);
	}
}

/* In three windows' worth of elements. */
static void a_large_array_comes_in_pieces(void **state)
{
	const uint32_t count = 100000;
	uint64_t *elements = calloc(count, sizeof(*elements)), at;
	struct hprof_bytes file = begin_segment("1.0.2");
	struct hprof_facts facts;
	struct heap *heap;

	(void)state;
	assert_non_null(elements);
	elements[70000] = 0x1000;
	elements[count - 1] = 0x2000;
	add_classes(&file);
	hprof_bytes__primitive(&file, 0x1000, HPROF_CHAR, 1000000);
	hprof_bytes__primitive(&file, 0x2000, HPROF_DOUBLE, 1);
	hprof_bytes__array(&file, 0x3000, CLASS_ARRAY, elements, count);
	hprof_bytes__end_record(&file);
	heap = read_file(&file, &facts);
	assert_true(heap__field(heap, place_of(heap, 0x3000), place_of(heap, 0x2000), &at));
	assert_int_equal(at, count - 1);
	assert_int_equal(object_at(heap, 0x1000).size, 16 + 2000000);
	heap__free(heap);
	free(elements);
}

/* ---------------------------------------------------------------- in other ways */

/* Who writes it does so a byte at a time. */
static int slow_pipe(const struct buf *bytes, size_t count)
{
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	if (fork() == 0) {
		close(ends[0]);
		for (size_t i = 0; i < count; i++)
			if (write(ends[1], bytes->data + i, 1) != 1 || (i < 64 && usleep(500)))
				_exit(1);
		_exit(0);
	}
	close(ends[1]);
	return ends[0];
}

static void a_pipe_may_be_slow(void **state)
{
	struct hprof_bytes file = shop("1.0.2", 8);
	struct hprof_facts facts;
	struct heap *heap;
	int fd = slow_pipe(&file.out, file.out.len);

	(void)state;
	assert_true(hprof__begins(fd));
	assert_int_equal(read_fd(fd, false, &facts, &heap), 0);
	look_at_shop(heap);
	assert_true(facts.is_whole);
	heap__free(heap);
	wait(NULL);
	fd = slow_pipe(&file.out, 10);
	assert_false(hprof__begins(fd));
	close(fd);
	wait(NULL);
	file.out.data[3] = 'x';
	fd = slow_pipe(&file.out, file.out.len);
	assert_false(hprof__begins(fd));
	close(fd);
	wait(NULL);
	buf__free(&file.out);
}

static void add_member(struct buf *out, const char *bytes, size_t count)
{
	z_stream stream = { .next_in = (unsigned char *)(uintptr_t)bytes,
			    .avail_in = (unsigned int)count };
	char room[8192];

	assert_int_equal(deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	stream.next_out = (unsigned char *)room;
	stream.avail_out = sizeof(room);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	buf__add(out, room, sizeof(room) - stream.avail_out);
	deflateEnd(&stream);
}

/* In several members, as HotSpot makes them. */
static struct buf zip(const struct buf *bytes, size_t each)
{
	struct buf zipped = BUF_INIT;

	for (size_t at = 0; at < bytes->len; at += each)
		add_member(&zipped, bytes->data + at,
			   bytes->len - at < each ? bytes->len - at : each);
	return zipped;
}

static void look_at_zipped(int fd)
{
	struct hprof_facts facts;
	struct heap *heap;

	assert_true(hprof__begins(fd));
	assert_int_equal(read_fd(fd, false, &facts, &heap), 0);
	look_at_shop(heap);
	assert_true(facts.is_whole && heap__is_complete(heap));
	heap__free(heap);
}

static void a_gzip_file_is_as_good(void **state)
{
	static const size_t parts[] = { 13, 100, 1 << 20 };
	struct hprof_bytes file = shop("1.0.2", 8);

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		struct buf zipped = zip(&file.out, parts[i]);

		look_at_zipped(open_bytes(&zipped, zipped.len));
		look_at_zipped(slow_pipe(&zipped, zipped.len));
		wait(NULL);
		buf__free(&zipped);
	}
	buf__free(&file.out);
}

/* Wherever it is cut off, or damaged: there is a graph of what came before, and it is not whole. */
static void what_is_missing_in_a_gzip_file_is_missed(void **state)
{
	struct hprof_bytes file = shop("1.0.2", 8);
	struct buf zipped = zip(&file.out, 400);

	(void)state;
	for (size_t cut = 200; cut < zipped.len; cut++) {
		struct hprof_facts facts;
		struct heap *heap = NULL;
		int fd, err;

		if (cut % 2)
			zipped.data[cut] ^= 0x55;
		fd = open_bytes(&zipped, cut % 2 ? zipped.len : cut);
		err = read_fd(fd, false, &facts, &heap);
		if (cut % 2)
			zipped.data[cut] ^= 0x55;
		assert_int_equal(err, 0);
		assert_true(!facts.is_whole || cut % 2);
		assert_true(!facts.has_dump || !facts.is_whole ||
			    heap__facts(heap)->objects == 18);
		heap__free(heap);
	}
	buf__free(&zipped);
	buf__free(&file.out);
}

static void other_gzip_files_are_none(void **state)
{
	struct buf text = BUF_INIT, zipped;
	int fd;

	(void)state;
	buf__add_repeated(&text, 'x', 100);
	zipped = zip(&text, 100);
	fd = open_bytes(&zipped, zipped.len);
	assert_false(hprof__begins(fd));
	close(fd);
	buf__free(&text);
	buf__free(&zipped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(graphs_of_both_id_sizes),
		cmocka_unit_test(an_element_has_its_index),
		cmocka_unit_test(sizes_are_those_of_the_addresses),
		cmocka_unit_test(hidden_fields_are_measured),
		cmocka_unit_test(stated_sizes_hold),
		cmocka_unit_test(each_layout_is_found_object_by_object),
		cmocka_unit_test(what_cannot_be_known_is_an_estimate),
		cmocka_unit_test(what_the_jvm_says_holds),
		cmocka_unit_test(roots_stand_in_threads_and_frames),
		cmocka_unit_test(cut_off_files_are_told_as_far_as_they_go),
		cmocka_unit_test(a_pipe_is_as_good_as_a_file),
		cmocka_unit_test(counts_are_those_of_the_graph),
		cmocka_unit_test(classes_may_come_last),
		cmocka_unit_test(nonsense_is_passed_over_and_said),
		cmocka_unit_test(arrays_of_numbers_refer_to_nothing),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(a_large_array_comes_in_pieces),
		cmocka_unit_test(a_pipe_may_be_slow),
		cmocka_unit_test(a_gzip_file_is_as_good),
		cmocka_unit_test(what_is_missing_in_a_gzip_file_is_missed),
		cmocka_unit_test(other_gzip_files_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
