/* SPDX-License-Identifier: BSD-2-Clause */
/* Generations and collections, read from a heap's structures that the test has laid out itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "agents/hotspot/spaces.h"
#include "agents/hotspot/vmstructs.h"

/* ---- What the JVM exports: as it is laid out here ---- */

struct region {
	uint64_t bottom;
	int tag;
};

static struct heap {
	uint32_t collections, full;
	uint64_t young_start, young_words; /* of its one generation, which begins here */
	void *young;
	struct {
		uint64_t base, length, bias;
		int shift;
	} table;
} heap;

static void *heap_pointer = &heap, *young_pointer = &heap.young_start;
static struct region regions[4];
static struct region *region_table[4] = { &regions[0], &regions[1], NULL, &regions[3] };

static const char *collector; /* "UseG1GC" */
static bool is_new;	      /* the names since Java 22 */
static const char *missing;   /* what this JVM does not export */

static bool has(const char *type)
{
	const bool is_regions = !strncmp(type, "G1HeapRegion", 12) &&
				strcmp(type, "G1HeapRegionTable");

	if (missing && !strcmp(type, missing))
		return false;
	return is_regions ? is_new : !strncmp(type, "HeapRegion", 10) ? !is_new : true;
}

bool vmstructs__flag(const char *name, bool otherwise)
{
	(void)otherwise;
	return !strcmp(name, collector);
}

void *vmstructs__static(const char *type, const char *field)
{
	(void)type;
	if (!strcmp(field, "_collectedHeap"))
		return missing && !strcmp(missing, "Universe") ? NULL : &heap_pointer;
	return !strcmp(field, "_young_gen") ? &young_pointer : NULL;
}

bool vmstructs__offset(const char *type, const char *field, size_t *offset)
{
	static const struct {
		const char *field;
		size_t offset;
	} fields[] = {
		{ "_total_collections", offsetof(struct heap, collections) },
		{ "_reserved", 0 },
		{ "_start", 0 },
		{ "_word_size", 8 },
		{ "_young_gen", offsetof(struct heap, young) },
		{ "_type", offsetof(struct region, tag) },
		{ "_tag", 0 },
		{ "_hrm", offsetof(struct heap, table) },
		{ "_regions", 0 },
		{ "_base", 0 },
		{ "_length", 8 },
		{ "_bias", 16 },
		{ "_shift_by", 24 },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]) && has(type); i++) {
		*offset = fields[i].offset;
		if (!strcmp(field, fields[i].field))
			return true;
	}
	return false;
}

bool vmstructs__constant(const char *name, int *value)
{
	static const struct {
		const char *name;
		int value;
	} constants[] = { { "::YoungMask", 2 }, { "::HumongousMask", 4 }, { "::OldMask", 8 } };
	const char *member = strchr(name, ':');

	for (size_t i = 0; i < sizeof(constants) / sizeof(constants[0]); i++) {
		*value = constants[i].value;
		if (has(strncmp(name, "G1", 2) ? "HeapRegionType" : "G1HeapRegionType") &&
		    !strcmp(member, constants[i].name))
			return true;
	}
	return false;
}

/* ---- */

#define MIB (UINT64_C(1) << 20)
#define FROM (UINT64_C(0x700) * MIB)

static int set_up(void **state)
{
	(void)state;
	memset(&heap, 0, sizeof(heap));
	heap.young = &heap.young_start;
	heap.young_start = FROM;
	heap.young_words = MIB / 8;
	heap.table.base = (uintptr_t)region_table;
	heap.table.length = 4;
	heap.table.bias = 0x700;
	heap.table.shift = 20;
	regions[0].tag = 2; /* eden */
	regions[1].tag = 8;
	regions[3].tag = 4;
	heap.collections = UINT32_MAX - 1;
	missing = NULL;
	is_new = false;
	return 0;
}

static void young_is_a_range(const char *of)
{
	collector = of;
	assert_true(spaces__find());
	assert_true(spaces__have_generations());
	assert_false(spaces__are_concurrent());
	assert_int_equal(spaces__generation(FROM), SPACES_YOUNG);
	assert_int_equal(spaces__generation(FROM + MIB - 8), SPACES_YOUNG);
	assert_int_equal(spaces__generation(FROM + MIB), SPACES_OLD);
	assert_int_equal(spaces__generation(FROM - 8), SPACES_OLD);
}

static void of_serial_and_parallel_young_is_a_range(void **state)
{
	(void)state;
	young_is_a_range("UseSerialGC");
	missing = "SerialHeap"; /* before Java 21 */
	young_is_a_range("UseSerialGC");
	missing = NULL;
	young_is_a_range("UseParallelGC");
}

static void of_g1_each_region_has_its_own(void **state)
{
	(void)state;
	collector = "UseG1GC";
	for (int turn = 0; turn < 2; turn++) {
		is_new = turn;
		assert_true(spaces__find());
		assert_int_equal(spaces__generation(FROM), SPACES_YOUNG);
		assert_int_equal(spaces__generation(FROM + MIB), SPACES_OLD);
		assert_int_equal(spaces__generation(FROM + 2 * MIB), SPACES_UNKNOWN);
		assert_int_equal(spaces__generation(FROM + 3 * MIB + 800), SPACES_OLD);
		assert_int_equal(spaces__generation(FROM + 4 * MIB), SPACES_UNKNOWN);
		assert_int_equal(spaces__generation(FROM - 8), SPACES_UNKNOWN);
		assert_int_equal(spaces__generation(0), SPACES_UNKNOWN);
	}
}

static void what_is_not_exported_is_not_known(void **state)
{
	(void)state;
	collector = "UseG1GC";
	missing = "HeapRegionManager";
	assert_true(spaces__find());
	assert_false(spaces__have_generations());
	assert_int_equal(spaces__generation(FROM), SPACES_UNKNOWN);
	missing = "CollectedHeap";
	assert_false(spaces__find());
	missing = "Universe";
	assert_false(spaces__find());
}

static void zgc_and_shenandoah_have_none(void **state)
{
	(void)state;
	collector = "UseZGC";
	assert_true(spaces__find());
	assert_true(spaces__are_concurrent());
	assert_false(spaces__have_generations());
	collector = "UseShenandoahGC";
	assert_true(spaces__find());
	assert_true(spaces__are_concurrent());
}

static void collections_are_counted_beyond_32_bits(void **state)
{
	uint64_t before;

	(void)state;
	collector = "UseSerialGC";
	assert_true(spaces__find());
	before = spaces__pause_ends();
	for (uint64_t i = 1; i < 10; i++) {
		heap.collections++;
		assert_int_equal(spaces__pause_ends(), before + i);
	}
	heap.collections += 2; /* a young one and a full one in one pause */
	assert_int_equal(spaces__pause_ends(), before + 11);
	assert_int_equal(spaces__pause_ends(), before + 11);
}

static void a_cleanup_of_g1_is_no_collection(void **state)
{
	uint64_t before;

	(void)state;
	collector = "UseG1GC";
	assert_true(spaces__find());
	before = spaces__pause_ends();
	spaces__pause_begins();
	heap.collections++; /* and eden is there as it was */
	assert_int_equal(spaces__pause_ends(), before);
	spaces__pause_begins();
	regions[0].tag = 3; /* survivors */
	heap.collections++;
	assert_int_equal(spaces__pause_ends(), before + 1);
	spaces__pause_begins();
	heap.collections++; /* nothing was allocated since */
	assert_int_equal(spaces__pause_ends(), before + 1);
	spaces__pause_begins();
	regions[0].tag = 8;
	heap.collections++;
	assert_int_equal(spaces__pause_ends(), before + 2);
	for (uint64_t i = 1; i < 3; i++) { /* System.gc(), again and again: nothing is young */
		spaces__pause_begins();
		heap.collections++;
		heap.full++;
		assert_int_equal(spaces__pause_ends(), before + 2 + i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(of_serial_and_parallel_young_is_a_range, set_up),
		cmocka_unit_test_setup(of_g1_each_region_has_its_own, set_up),
		cmocka_unit_test_setup(what_is_not_exported_is_not_known, set_up),
		cmocka_unit_test_setup(zgc_and_shenandoah_have_none, set_up),
		cmocka_unit_test_setup(collections_are_counted_beyond_32_bits, set_up),
		cmocka_unit_test_setup(a_cleanup_of_g1_is_no_collection, set_up),
	};

	return cmocka_run_group_tests_name("agents/hotspot_spaces", tests, NULL, NULL);
}
