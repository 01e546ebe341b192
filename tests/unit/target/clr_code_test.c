/* SPDX-License-Identifier: BSD-2-Clause */
/* The tables of code that CoreCLR has, in our own memory. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/clr_code.h"
#include "target/clr_contract.h"
#include "target/remote.h"

static const char text[] =
	"{\"types\":{\"RangeSectionMap\":{\"TopLevelData\":0},"
	"\"RangeSectionFragment\":{\"RangeBegin\":0,\"RangeEndOpen\":8,\"RangeSection\":16,"
	"\"Next\":24},"
	"\"RangeSection\":{\"RangeBegin\":0,\"Flags\":8,\"HeapList\":16,\"R2RModule\":24},"
	"\"CodeHeapListNode\":{\"StartAddress\":0,\"EndAddress\":8,\"MapBase\":16,"
	"\"HeaderMap\":24},"
	"\"RealCodeHeader\":{\"MethodDesc\":8},"
	"\"Module\":{\"ReadyToRunInfo\":8},"
	"\"ReadyToRunInfo\":{\"NumRuntimeFunctions\":0,\"RuntimeFunctions\":8,"
	"\"EntryPointToMethodDescMap\":16,\"NumHotColdMap\":4},"
	"\"RuntimeFunction\":{\"BeginAddress\":0,\"!\":12},"
	"\"HashMap\":{\"Buckets\":0},\"Bucket\":{\"Keys\":0,\"Values\":32,\"!\":64}},"
	"\"globals\":{\"ExecutionManagerCodeRangeMapAddress\":[[0],\"pointer\"],"
	"\"StubCodeBlockLast\":[\"0xf\",\"uint8\"],"
	"\"HashMapValueMask\":[\"0x7fffffffffffffff\",\"uint64\"]}}";

struct section {
	uint64_t begin, flags;
	void *heap, *module;
};

struct fragment {
	uint64_t begin, end;
	struct section *section;
	uint64_t next;
};

static uint64_t levels[5][256]; /* the first is the topmost */
static struct fragment fragment;
static struct section section;
static struct remote memory;

static struct clr_code *make(void)
{
	const uint64_t words[] = { (uintptr_t)levels[0] };
	struct clr_contract *contract;
	struct clr_code *code;

	remote__init(&memory, getpid());
	assert_int_equal(clr_contract__parse(text, strlen(text), words, 1, &contract), 0);
	assert_int_equal(clr_code__new(contract, &memory, &code), 0);
	clr_contract__free(contract);
	return code;
}

/* Lead from every step of 128 KiB of a range to the one section. */
static void map_range(uint64_t begin, uint64_t end)
{
	memset(levels, 0, sizeof(levels));
	fragment = (struct fragment){ begin, end, &section, 0 };
	for (uint64_t at = begin; at < end; at += 1 << 17) {
		for (int i = 0; i < 4; i++)
			levels[i][at >> (17 + 8 * (4 - i)) & 0xff] = (uintptr_t)levels[i + 1] | 1;
		levels[4][at >> 17 & 0xff] = (uintptr_t)&fragment | 1;
	}
}

/* ---------------------------------------------------------------- compiled code */

#define HEAP_BYTES 65536
#define UNITS (HEAP_BYTES / 256)

static struct {
	uint64_t start, end, base;
	uint32_t *map;
} heap;
static uint32_t nibbles[UNITS];
static uint64_t *code_bytes; /* aligned */
static struct {
	uint64_t unused, method;
} headers[HEAP_BYTES / 64];

static void set_nibble(uint64_t offset)
{
	nibbles[offset / 256] |= (uint32_t)(offset % 32 / 4 + 1) << 4 * (7 - offset / 32 % 8);
}

/* As the runtime does it: words that lie within the method point to its beginning. */
static void put_method(uint64_t offset, uint64_t bytes, uint64_t header)
{
	code_bytes[offset / 8 - 1] = header;
	set_nibble(offset);
	for (uint64_t unit = offset / 256 + 1; (unit + 1) * 256 <= offset + bytes; unit++)
		nibbles[unit] = (uint32_t)(offset & ~(uint64_t)0xf) | (9 + (offset >> 2 & 3));
}

static struct clr_code *begin_heap(void)
{
	const uint64_t base = (uintptr_t)code_bytes;

	memset(nibbles, 0, sizeof(nibbles));
	heap.start = heap.base = base;
	heap.end = base + HEAP_BYTES;
	heap.map = nibbles;
	section = (struct section){ base, 2, &heap, NULL };
	map_range(base & ~(uint64_t)0x1ffff, (base + HEAP_BYTES + 0x1ffff) & ~(uint64_t)0x1ffff);
	return make();
}

/* Methods at random, and every fourth byte is asked for. */
static void compiled_code_is_found_as_by_brute_force(void **state)
{
	static int truth[HEAP_BYTES];

	(void)state;
	code_bytes = aligned_alloc(4096, HEAP_BYTES);
	assert_non_null(code_bytes);
	srandom(2);
	for (int round = 0; round < 8; round++) {
		struct clr_code *code = begin_heap();
		struct clr_code_found found;
		uint64_t at = 32, bytes;
		int number = 0;

		memset(truth, 0, sizeof(truth));
		for (; at + 4096 < HEAP_BYTES; at = (at + bytes + 8 + 31) & ~(uint64_t)7) {
			bytes = 8 + (uint64_t)random() % (number % 5 ? 200 : 3000);
			number++;
			headers[number].method = 1000 + (uint64_t)number;
			put_method(at, bytes, number % 7 ? (uintptr_t)&headers[number] : 3);
			for (uint64_t i = at; i < at + bytes; i++)
				truth[i] = number;
		}
		for (at = 0; at < HEAP_BYTES; at += 4) {
			if (!truth[at])
				continue; /* padding belongs to whom comes before */
			assert_int_equal(clr_code__find(code, heap.base + at, &found), 1);
			assert_int_equal(found.is_stub, truth[at] % 7 == 0);
			assert_int_equal(found.method, truth[at] % 7 ? 1000 + truth[at] : 0);
		}
		assert_int_equal(clr_code__find(code, heap.base + 4, &found), 0);
		assert_int_equal(clr_code__find(code, 4096, &found), 0);
		assert_int_equal(clr_code__find(code, UINT64_MAX, &found), 0);
		clr_code__forget(code);
		section.flags = 4;
		assert_int_equal(clr_code__find(code, heap.base + 64, &found), 1);
		assert_true(found.is_stub);
		clr_code__free(code);
	}
	free(code_bytes);
}

/* ---------------------------------------------------------------- precompiled code */

#define FUNCTIONS 100
#define BUCKETS 17

struct bucket {
	uint64_t keys[4], values[4];
};

static struct bucket buckets[BUCKETS + 1];
static struct {
	uint32_t begin, end, unwind;
} functions[FUNCTIONS];
static struct {
	uint32_t count, cold;
	void *functions, *entries;
} info = { FUNCTIONS, 0, functions, buckets };
static struct {
	uint64_t unused;
	void *info;
} module = { 0, &info };

/* The first one holds how many there are. */
static void set_bucket_count(uint32_t count)
{
	memcpy(buckets, &count, sizeof(count));
}

/* As the runtime does it. */
static void put_entry(uint64_t key, uint64_t value)
{
	uint32_t seed = (uint32_t)(key >> 2);
	const uint32_t step = 1 + ((uint32_t)(key >> 5) + 1) % (BUCKETS - 1);

	for (;; seed += step) {
		struct bucket *bucket = &buckets[seed % BUCKETS + 1];

		for (size_t i = 0; i < 4; i++) {
			if (bucket->keys[i])
				continue;
			bucket->keys[i] = key;
			bucket->values[i] |= value >> 1;
			return;
		}
		bucket->values[0] |= UINT64_C(1) << 63;
	}
}

static void precompiled_code_is_found_with_its_funclets(void **state)
{
	const uint64_t base = UINT64_C(0x7f0000000000);
	struct clr_code_found found;
	struct clr_code *code;

	(void)state;
	memset(buckets, 0, sizeof(buckets));
	set_bucket_count(BUCKETS);
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		functions[i].begin = 0x1000 + i * 64;
		if (i % 2 == 0 && i > 2) /* the odd ones are funclets */
			put_entry(base + functions[i].begin, 0x10000 + i * 16);
	}
	section = (struct section){ base, 0, NULL, &module };
	map_range(base, base + 0x20000);
	code = make();
	for (uint32_t i = 4; i < FUNCTIONS; i++) {
		assert_int_equal(clr_code__find(code, base + 0x1000 + i * 64 + 7, &found), 1);
		assert_false(found.is_stub);
		assert_int_equal(found.method, 0x10000 + (i & ~1u) * 16);
	}
	assert_int_equal(clr_code__find(code, base + 0xfff, &found), 0);
	assert_int_equal(clr_code__find(code, base + 0x1000, &found), 0); /* never run */
	info.cold = 1;
	clr_code__forget(code);
	assert_int_equal(clr_code__find(code, base + 0x1000 + 4 * 64, &found), 0);
	info.cold = 0;
	set_bucket_count(1);
	assert_int_equal(clr_code__find(code, base + 0x1000 + 4 * 64, &found), 0);
	clr_code__free(code);
	clr_code__free(NULL);
}

#define MANY 8192

/*
 * A table of so many buckets, each of which says that others follow: the third function is in none,
 * and before it and the second, the first one is in the bucket that it is looked for in first.
 */
static int find_in_full_table(uint32_t size)
{
	static struct bucket full[MANY + 1];
	const uint64_t base = UINT64_C(0x7f0000000000), key = base + 0x1000;
	struct clr_code_found found;
	struct clr_code *code;
	int answer;

	memset(full, 0, sizeof(full));
	for (uint32_t i = 1; i <= size; i++)
		full[i].values[0] = UINT64_C(1) << 63;
	memcpy(full, &size, sizeof(size));
	full[(uint32_t)(key >> 2) % size + 1].keys[0] = key;
	full[(uint32_t)(key >> 2) % size + 1].values[0] |= 0x10000 >> 1;
	for (uint32_t i = 0; i < 3; i++)
		functions[i].begin = 0x1000 + i * 64;
	info.count = 3;
	info.entries = full;
	section = (struct section){ base, 0, NULL, &module };
	map_range(base, base + 0x20000);
	code = make();
	answer = clr_code__find(code, key + 2 * 64, &found);
	if (answer == 1)
		assert_int_equal(found.method, 0x10000);
	clr_code__free(code);
	info.count = FUNCTIONS;
	info.entries = buckets;
	return answer;
}

static void all_functions_of_a_method_share_the_probes(void **state)
{
	(void)state;
	/* Those of all buckets, twice, and one: 4,096 are as many as are made. */
	assert_int_equal(find_in_full_table(1021), 1);
	assert_int_equal(find_in_full_table(2039), 1);
	assert_int_equal(find_in_full_table(2053), 0);
	assert_int_equal(find_in_full_table(MANY), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compiled_code_is_found_as_by_brute_force),
		cmocka_unit_test(precompiled_code_is_found_with_its_funclets),
		cmocka_unit_test(all_functions_of_a_method_share_the_probes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
