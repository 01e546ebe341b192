/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Young collections of a pretended heap: the spaces of Serial in memory of our own, with classes of
 * our own, as the JVM's tables would describe them. What the agent tells of one is compared with
 * what was done to it, also where the heap is not as it should be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/hotspot/vmstructs.h"
#include "agents/hotspot/young.c"
#include "agents/hotspot/young_check.c"

#include "base/buf.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define SPACE_BYTES 65536
#define UNLOCKED 1 /* a mark */

enum { EDEN_AT, FROM_AT, TO_AT, OLD_AT, SPACES };

/* ---- What the JVM would say of itself ---- */

struct fake_space {
	uint64_t bottom, end, top;
};

static struct {
	uint64_t reserved_start, reserved_words;
	struct heap_counts counts;
	void *young, *old;
} heap;

static struct {
	struct fake_space *eden, *from, *to;
} young_generation;

static struct {
	struct fake_space *only;
} old_generation;

static struct fake_space spaces[SPACES];
static void *heap_at = &heap;
static unsigned char *memory; /* of the spaces, one behind the other */

struct fake_class {
	uint64_t unused;
	int32_t helper;
	int32_t reserved;
};

/* Words of classes: their distance from there, in eighths. */
enum { NO_CLASS, CLASS_OF_CLASSES, PAIR, BYTES, REFERENCES, CLASSES };
static struct fake_class classes[CLASSES];
static uint64_t class_base;
static int class_shift = 4, class_at = 16, size_at = 24;

#define INSTANCE(bytes) (bytes)
#define ARRAY(element) ((int32_t)(0x80000000u | 16u << 16 | (element)))

static const struct {
	const char *type, *field;
	size_t offset;
	void *at;
} fields[] = {
	{ "Universe", "_collectedHeap", 0, &heap_at },
	{ "CollectedHeap", "_total_collections", offsetof(typeof(heap), counts), NULL },
	{ "SerialHeap", "_young_gen", offsetof(typeof(heap), young), NULL },
	{ "SerialHeap", "_old_gen", offsetof(typeof(heap), old), NULL },
	{ "DefNewGeneration", "_eden_space", offsetof(typeof(young_generation), eden), NULL },
	{ "DefNewGeneration", "_from_space", offsetof(typeof(young_generation), from), NULL },
	{ "DefNewGeneration", "_to_space", offsetof(typeof(young_generation), to), NULL },
	{ "TenuredGeneration", "_the_space", offsetof(typeof(old_generation), only), NULL },
	{ "ContiguousSpace", "_bottom", offsetof(struct fake_space, bottom), NULL },
	{ "ContiguousSpace", "_top", offsetof(struct fake_space, top), NULL },
	{ "Klass", "_layout_helper", offsetof(struct fake_class, helper), NULL },
	{ "oopDesc", "_metadata._compressed_klass", 8, NULL },
	{ "CompressedKlassPointers", "_base", 0, &class_base },
	{ "CompressedKlassPointers", "_shift", 0, &class_shift },
	{ "java_lang_Class", "_klass_offset", 0, &class_at },
	{ "java_lang_Class", "_oop_size_offset", 0, &size_at },
};

static const char *missing; /* a field that this JVM does not have */
static const char *flag;    /* one that is on, beside those of this JVM */

bool vmstructs__find(vmstructs_symbol *find)
{
	(void)find;
	return true;
}

bool vmstructs__offset(const char *type, const char *field, size_t *offset)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (fields[i].at || strcmp(fields[i].type, type) != 0 ||
		    strcmp(fields[i].field, field) != 0 ||
		    (missing && !strcmp(missing, field)))
			continue;
		*offset = fields[i].offset;
		return true;
	}
	return false;
}

void *vmstructs__static(const char *type, const char *field)
{
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (!strcmp(fields[i].type, type) && !strcmp(fields[i].field, field))
			return fields[i].at;
	}
	return NULL;
}

bool vmstructs__constant(const char *name, int *value)
{
	(void)name;
	(void)value;
	return false;
}

bool vmstructs__flag(const char *name, bool otherwise)
{
	if (!strcmp(name, "UseSerialGC") || !strcmp(name, "UseCompressedClassPointers"))
		return true;
	return flag && !strcmp(flag, name) ? true : otherwise;
}

int vmstructs__number(const char *name, int otherwise)
{
	return strcmp(name, "ObjectAlignmentInBytes") ? otherwise : 8;
}

/* ---- The heap ---- */

static uint64_t put(unsigned space, uint32_t class_, uint32_t length, uint64_t bytes)
{
	const uint64_t at = spaces[space].top;
	unsigned char *object = (unsigned char *)(uintptr_t)at;
	const uint64_t mark = UNLOCKED;

	memset(object, 0, bytes);
	memcpy(object, &mark, 8);
	memcpy(object + 8, &class_, 4);
	memcpy(object + 12, &length, 4);
	spaces[space].top += bytes;
	return at;
}

static uint64_t put_pair(unsigned space)
{
	return put(space, PAIR, 0, 24);
}

static uint64_t put_bytes(unsigned space, uint32_t length)
{
	return put(space, BYTES, length, (16 + length + 7) & ~UINT64_C(7));
}

/* A class object of 88 bytes. */
static uint64_t put_class(unsigned space, unsigned of)
{
	const uint64_t at = put(space, CLASS_OF_CLASSES, 0, 88);
	const uint64_t class_ = (uintptr_t)&classes[of];
	const uint32_t words = 11;

	memcpy((void *)(uintptr_t)(at + (unsigned)class_at), &class_, 8);
	memcpy((void *)(uintptr_t)(at + (unsigned)size_at), &words, 4);
	return at;
}

static void set_mark(uint64_t object, uint64_t mark)
{
	memcpy((void *)(uintptr_t)object, &mark, 8);
}

static uint64_t copy(uint64_t object, uint64_t bytes, unsigned to)
{
	const uint64_t at = spaces[to].top;

	memcpy((void *)(uintptr_t)at, (void *)(uintptr_t)object, bytes);
	spaces[to].top += bytes;
	set_mark(object, at | 3);
	return at;
}

/* Eden and the survivor space are empty, the other one has the survivors. */
static void swap(void)
{
	struct fake_space *from = young_generation.from;

	heap.counts.collections++;
	young_generation.eden->top = young_generation.eden->bottom;
	from->top = from->bottom;
	young_generation.from = young_generation.to;
	young_generation.to = from;
}

/* ---- What is told ---- */

static int batches = -1;
static struct buf told;

static void take_ranges(const struct gctrace_moved *moved, const unsigned char *at)
{
	const uint64_t base = (uintptr_t)memory;

	for (uint32_t i = 0; i < moved->count; i++) {
		uint64_t old, new_, length;

		if (moved->form == GCTRACE_RANGES_NARROW) {
			const struct gctrace_move_narrow *r =
				(const struct gctrace_move_narrow *)(const void *)at + i;

			old = moved->old_base + r->old * UINT64_C(8);
			new_ = moved->new_base + r->new_ * UINT64_C(8);
			length = r->length * UINT64_C(8);
		} else {
			const struct gctrace_move_wide *r =
				(const struct gctrace_move_wide *)(const void *)at + i;

			old = r->old;
			new_ = r->new_;
			length = r->length;
		}
		buf__printf(&told, "%" PRIx64 ">%" PRIx64 "+%" PRIu64 " ", old - base, new_ - base,
			    length);
	}
}

static void take_record(const struct gctrace_record *head, const unsigned char *at)
{
	const struct gctrace_reuse *reuse = (const void *)at;
	const struct gctrace_figure *figure = (const void *)at;

	switch (head->kind) {
	case GCTRACE_MOVED:
		take_ranges((const void *)at, at + sizeof(struct gctrace_moved));
		break;
	case GCTRACE_REUSE:
		if (reuse->length == UINT64_MAX)
			buf__add_str(&told, "withdrawn ");
		else
			buf__printf(&told, "reuse %" PRIx64 "+%" PRIu64 " ",
				    reuse->start - (uintptr_t)memory, reuse->length);
		break;
	case GCTRACE_FIGURE:
		buf__printf(&told, "%s %" PRIu64 " ",
			    figure->what == GCTRACE_FIGURE_CHECKED ? "checked" : "wrong",
			    figure->value);
		break;
	case GCTRACE_BESIDE:
		buf__add_str(&told, head->flags & GCTRACE_BESIDE_START ? "start " :
				    head->flags & GCTRACE_BESIDE_TOLD  ? "told " :
				    head->flags & GCTRACE_BESIDE_UNTOLD ? "untold " :
									  "nothing ");
		break;
	default:
		break;
	}
}

static void expect_told(const char *text)
{
	static _Alignas(8) unsigned char all[1 << 20];
	const ssize_t end = pread(batches, all, sizeof(all), 0);

	buf__reset(&told);
	for (ssize_t at = 0; at < end;) {
		const struct gctrace_batch *batch = (const void *)(all + at);

		for (uint32_t i = batch->header_bytes; i < batch->bytes;) {
			const struct gctrace_record *head = (const void *)(all + at + i);

			take_record(head, all + at + i);
			i += (head->bytes + 7) & ~7u;
		}
		at += batch->bytes;
	}
	assert_int_equal(ftruncate(batches, 0), 0);
	assert_string_equal(buf__str(&told), text);
}

/* ---- */

static uint64_t mirror; /* a handle's word */

static int begin(void **state)
{
	static bool is_begun;

	(void)state;
	for (unsigned i = 0; i < SPACES; i++) {
		spaces[i].bottom = spaces[i].top = (uintptr_t)memory + i * SPACE_BYTES;
		spaces[i].end = spaces[i].bottom + SPACE_BYTES;
	}
	young_generation.eden = &spaces[EDEN_AT];
	young_generation.from = &spaces[FROM_AT];
	young_generation.to = &spaces[TO_AT];
	old_generation.only = &spaces[OLD_AT];
	heap.young = &young_generation;
	heap.old = &old_generation;
	heap.counts = (struct heap_counts){ 7, 2 };
	class_base = (uintptr_t)classes;
	classes[CLASS_OF_CLASSES].helper = INSTANCE(89); /* 88, and that it tells its own size */
	classes[PAIR].helper = INSTANCE(24);
	classes[BYTES].helper = ARRAY(0);
	classes[REFERENCES].helper = ARRAY(2);
	missing = flag = NULL;
	memset(handles, 0, sizeof(handles));
	mirror = put_class(OLD_AT, CLASS_OF_CLASSES);
	if (!is_begun) {
		assert_true(emitter__init(2));
		batches = memfd_create("batches", 0);
		assert_int_equal(fcntl(batches, F_SETFL, O_APPEND), 0);
		emitter__to_descriptor(batches);
		gctrace_moved__references_semaphore = 1;
	}
	is_begun = true;
	assert_null(heap_layout__find(17));
	assert_null(class_sizes__find());
	assert_true(get_parts());
	young.class_ = (jobject)(void *)&mirror;
	young.chunk = NULL;
	young.is_learned = young.has_last = young.is_started = false;
	atomic_store(&young.why_not, NULL);
	atomic_store(&young.is_on, true);
	gctrace_request__moves_semaphore = 1;
	class_sizes__forget();
	return 0;
}

static void copied_objects_are_told_side_by_side_as_one(void **state)
{
	uint64_t a, b, c, d;

	(void)state;
	a = put_pair(EDEN_AT);
	b = put_bytes(EDEN_AT, 5);
	put_bytes(EDEN_AT, 100); /* dies */
	c = put_class(EDEN_AT, PAIR);
	d = put_pair(FROM_AT);
	starts(NULL);
	copy(a, 24, TO_AT);
	copy(b, 24, TO_AT);
	copy(d, 24, OLD_AT);
	copy(c, 88, OLD_AT);
	swap();
	finishes(NULL);
	expect_told("start 0>20000+48 a8>30070+88 10000>30058+24 checked 0 wrong 0 told ");
}

/* What there was no room for is given its room before the collection's end is told. */
static void what_is_allocated_at_once_hides_nothing(void **state)
{
	uint64_t a;

	(void)state;
	a = put_pair(EDEN_AT);
	put_pair(EDEN_AT);
	starts(NULL);
	copy(a, 24, TO_AT);
	swap();
	spaces[EDEN_AT].top += 32;
	finishes(NULL);
	expect_told("start 0>20000+24 checked 0 wrong 0 told ");
}

static void not_evacuated_is_not_told(void **state)
{
	uint64_t a;

	(void)state;
	a = put_pair(EDEN_AT);
	starts(NULL);
	copy(a, 24, TO_AT);
	heap.counts.collections++; /* all stays where it is */
	finishes(NULL);
	expect_told("start untold ");
}

static void two_collections_or_a_full_one_are_not_told(void **state)
{
	uint64_t a;

	(void)state;
	for (unsigned full = 0; full < 2; full++) {
		a = put_pair(EDEN_AT);
		starts(NULL);
		copy(a, 24, TO_AT);
		swap();
		heap.counts.collections += !full;
		heap.counts.full += full;
		finishes(NULL);
		expect_told("start untold ");
	}
}

static void a_pause_that_collects_nothing_is_told_as_such(void **state)
{
	(void)state;
	put_pair(EDEN_AT);
	starts(NULL);
	finishes(NULL);
	expect_told("start nothing ");
}

static void old_objects_that_go_are_withdrawn(void **state)
{
	(void)state;
	put_pair(EDEN_AT);
	put_pair(OLD_AT);
	starts(NULL);
	finishes(NULL);
	expect_told("start nothing ");
	spaces[OLD_AT].top -= 24; /* nobody knows how */
	starts(NULL);
	finishes(NULL);
	expect_told("reuse 30000+112 start nothing ");
}

/* Each of these ends in "untold", and none in a crash. */
static void a_heap_that_makes_no_sense_is_not_told(void **state)
{
	static const struct {
		uint32_t class_, length;
		uint64_t mark;
	} objects[] = {
		{ 0x7fffff00, 0, UNLOCKED },		  /* a class that is not there */
		{ NO_CLASS, 0, UNLOCKED },
		{ BYTES, 0x7fffffff, UNLOCKED },	  /* larger than the room */
		{ BYTES, 0xffffffff, UNLOCKED },
		{ CLASS_OF_CLASSES, 0, UNLOCKED },	  /* of no size */
		{ PAIR, 0, 3 },				  /* copied to nowhere */
		{ PAIR, 0, 0xdeadbeef000 | 3 },
		{ PAIR, 0, UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
		uint64_t object;

		begin(NULL);
		object = put(EDEN_AT, objects[i].class_, objects[i].length, 40);
		set_mark(object, objects[i].mark);
		starts(NULL);
		swap();
		finishes(NULL);
		expect_told("start untold ");
		assert_null(young__why_not());
	}
}

static void a_copy_of_another_class_is_none(void **state)
{
	uint64_t a, b;

	(void)state;
	a = put_pair(EDEN_AT);
	b = put_bytes(OLD_AT, 8);
	starts(NULL);
	set_mark(a, b | 3);
	swap();
	finishes(NULL);
	expect_told("start untold ");
}

static void own_objects_are_compared(void **state)
{
	uint64_t a, b, words[3];

	(void)state;
	words[0] = a = put_pair(EDEN_AT);
	words[1] = b = put_pair(EDEN_AT);
	words[2] = put_pair(OLD_AT);
	for (unsigned i = 0; i < 3; i++)
		atomic_store(&handles[i].weak, (jweak)(void *)&words[i]);
	starts(NULL);
	words[0] = copy(a, 24, TO_AT);
	words[1] = 0; /* dead */
	swap();
	finishes(NULL);
	expect_told("start 0>20000+24 checked 3 wrong 0 told ");
	(void)b;
}

static void one_that_is_elsewhere_ends_it_all(void **state)
{
	uint64_t a, word;

	(void)state;
	word = a = put_pair(EDEN_AT);
	atomic_store(&handles[0].weak, (jweak)(void *)&word);
	starts(NULL);
	word = copy(a, 24, TO_AT) + 24;
	swap();
	finishes(NULL);
	expect_told("start 0>20000+24 checked 1 wrong 1 withdrawn untold ");
	assert_non_null(young__why_not());
	put_pair(EDEN_AT);
	starts(NULL);
	swap();
	finishes(NULL);
	expect_told("");
}

static void nobody_asks_nothing_is_told(void **state)
{
	(void)state;
	gctrace_request__moves_semaphore = 0;
	put_pair(EDEN_AT);
	starts(NULL);
	swap();
	finishes(NULL);
	expect_told("");
}

static void what_cannot_be_is_refused_with_its_reason(void **state)
{
	static const char *const flags[] = { "UseCompactObjectHeaders", "UseZGC",
					     "UseShenandoahGC" };

	(void)state;
	assert_non_null(strstr(heap_layout__find(11), "older"));
	assert_non_null(strstr(heap_layout__find(26), "newer"));
	for (size_t i = 0; i < 3; i++) {
		flag = flags[i];
		assert_non_null(heap_layout__find(17));
	}
	flag = NULL;
	missing = "_eden_space";
	assert_non_null(heap_layout__find(17));
	missing = "_layout_helper";
	assert_non_null(class_sizes__find());
	missing = NULL;
	spaces[EDEN_AT].top = spaces[EDEN_AT].bottom - 8;
	assert_non_null(heap_layout__find(17));
	young_generation.eden = (struct fake_space *)16; /* not there */
	assert_non_null(heap_layout__find(17));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(copied_objects_are_told_side_by_side_as_one, begin),
		cmocka_unit_test_setup(what_is_allocated_at_once_hides_nothing, begin),
		cmocka_unit_test_setup(not_evacuated_is_not_told, begin),
		cmocka_unit_test_setup(two_collections_or_a_full_one_are_not_told, begin),
		cmocka_unit_test_setup(a_pause_that_collects_nothing_is_told_as_such, begin),
		cmocka_unit_test_setup(old_objects_that_go_are_withdrawn, begin),
		cmocka_unit_test_setup(a_heap_that_makes_no_sense_is_not_told, begin),
		cmocka_unit_test_setup(a_copy_of_another_class_is_none, begin),
		cmocka_unit_test_setup(own_objects_are_compared, begin),
		cmocka_unit_test_setup(one_that_is_elsewhere_ends_it_all, begin),
		cmocka_unit_test_setup(nobody_asks_nothing_is_told, begin),
		cmocka_unit_test_setup(what_cannot_be_is_refused_with_its_reason, begin),
	};

	memory = mmap(NULL, SPACES * SPACE_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
