/* SPDX-License-Identifier: BSD-2-Clause */
#include "clr_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clr_contract.h"
#include "remote.h"

#define LEVELS 5
#define LEVEL_BITS 8
#define LOWEST_BIT 17
#define FRAGMENTS_MOST 1024
#define SECTION_IS_STUBS 4 /* RangeSection::Flags: a list of ranges */
#define FUNCTIONS_MOST (16u << 20)
#define SLOTS 4		 /* in a bucket of the hash table */
#define PROBES_MOST 4096 /* of it, for all functions of a method together */
#define KEPT 4096 /* a power of two */

enum field {
	MAP_TOP,
	FRAGMENT_BEGIN, FRAGMENT_END, FRAGMENT_SECTION, FRAGMENT_NEXT,
	SECTION_BEGIN, SECTION_FLAGS, SECTION_HEAP, SECTION_MODULE,
	HEAP_START, HEAP_END, HEAP_BASE, HEAP_MAP,
	HEADER_METHOD,
	MODULE_R2R,
	R2R_COUNT, R2R_FUNCTIONS, R2R_ENTRIES, R2R_COLD_COUNT,
	FUNCTION_BEGIN, FUNCTION_BYTES,
	HASH_BUCKETS, BUCKET_KEYS, BUCKET_VALUES, BUCKET_BYTES,
	FIELDS,
};

static const struct {
	const char *type, *field;
} names[FIELDS] = {
	[MAP_TOP] = { "RangeSectionMap", "TopLevelData" },
	[FRAGMENT_BEGIN] = { "RangeSectionFragment", "RangeBegin" },
	[FRAGMENT_END] = { "RangeSectionFragment", "RangeEndOpen" },
	[FRAGMENT_SECTION] = { "RangeSectionFragment", "RangeSection" },
	[FRAGMENT_NEXT] = { "RangeSectionFragment", "Next" },
	[SECTION_BEGIN] = { "RangeSection", "RangeBegin" },
	[SECTION_FLAGS] = { "RangeSection", "Flags" },
	[SECTION_HEAP] = { "RangeSection", "HeapList" },
	[SECTION_MODULE] = { "RangeSection", "R2RModule" },
	[HEAP_START] = { "CodeHeapListNode", "StartAddress" },
	[HEAP_END] = { "CodeHeapListNode", "EndAddress" },
	[HEAP_BASE] = { "CodeHeapListNode", "MapBase" },
	[HEAP_MAP] = { "CodeHeapListNode", "HeaderMap" },
	[HEADER_METHOD] = { "RealCodeHeader", "MethodDesc" },
	[MODULE_R2R] = { "Module", "ReadyToRunInfo" },
	[R2R_COUNT] = { "ReadyToRunInfo", "NumRuntimeFunctions" },
	[R2R_FUNCTIONS] = { "ReadyToRunInfo", "RuntimeFunctions" },
	[R2R_ENTRIES] = { "ReadyToRunInfo", "EntryPointToMethodDescMap" },
	[R2R_COLD_COUNT] = { "ReadyToRunInfo", "NumHotColdMap" },
	[FUNCTION_BEGIN] = { "RuntimeFunction", "BeginAddress" },
	[FUNCTION_BYTES] = { "RuntimeFunction", "!" },
	[HASH_BUCKETS] = { "HashMap", "Buckets" },
	[BUCKET_KEYS] = { "Bucket", "Keys" },
	[BUCKET_VALUES] = { "Bucket", "Values" },
	[BUCKET_BYTES] = { "Bucket", "!" },
};

struct kept {
	uint64_t ip; /* 0: free */
	struct clr_code_found found;
};

struct clr_code {
	struct remote *memory;
	uint32_t at[FIELDS];
	uint64_t map, last_stub, value_mask;
	struct kept kept[KEPT];
};

/* ---------------------------------------------------------------- reading */

static int read_word(struct clr_code *code, uint64_t address, uint64_t *value)
{
	return remote__read(code->memory, address, value, sizeof(*value));
}

static int read_half(struct clr_code *code, uint64_t address, uint32_t *value)
{
	return remote__read(code->memory, address, value, sizeof(*value));
}

struct want {
	enum field field;
	uint64_t *value;
};

/* Words of one object. */
static int read_fields(struct clr_code *code, uint64_t object, const struct want *wants,
		       size_t count)
{
	struct remote_part parts[8];
	int err;

	for (size_t i = 0; i < count; i++)
		parts[i] = (struct remote_part){ object + code->at[wants[i].field],
						 wants[i].value, sizeof(uint64_t), 0 };
	err = remote__read_parts(code->memory, parts, count);
	for (size_t i = 0; i < count && !err; i++)
		err = parts[i].err;
	return err;
}

/* ---------------------------------------------------------------- sections */

struct section {
	uint64_t begin, flags, heap, module;
};

/* The lowest bit of a pointer in the tree says that the section may be unloaded. */
static int find_fragment(struct clr_code *code, uint64_t ip, uint64_t *fragment)
{
	uint64_t table = code->map + code->at[MAP_TOP];
	int err = 0;

	for (int level = LEVELS; level > 0 && !err && table; level--) {
		const uint64_t index = ip >> (LOWEST_BIT + (level - 1) * LEVEL_BITS) & 0xff;

		err = read_word(code, table + index * sizeof(uint64_t), &table);
		table &= ~(uint64_t)1;
	}
	*fragment = table;
	return err;
}

/* 0; -ENOENT: no section holds it. */
static int find_section(struct clr_code *code, uint64_t ip, struct section *section)
{
	uint64_t fragment, begin, end, address, next;
	const struct want of_fragment[] = {
		{ FRAGMENT_BEGIN, &begin }, { FRAGMENT_END, &end },
		{ FRAGMENT_SECTION, &address }, { FRAGMENT_NEXT, &next },
	};
	const struct want of_section[] = {
		{ SECTION_BEGIN, &section->begin }, { SECTION_FLAGS, &section->flags },
		{ SECTION_HEAP, &section->heap }, { SECTION_MODULE, &section->module },
	};
	int err = find_fragment(code, ip, &fragment);

	for (size_t seen = 0; !err && fragment && seen < FRAGMENTS_MOST; seen++) {
		err = read_fields(code, fragment, of_fragment, 4);
		if (!err && ip >= begin && ip < end)
			return read_fields(code, address, of_section, 4);
		fragment = next & ~(uint64_t)1;
	}
	return err ? err : -ENOENT;
}

/* ---------------------------------------------------------------- compiled code */

static bool is_pointer(uint32_t word)
{
	return (word & 0xf) > 8;
}

static uint64_t pointed(uint64_t base, uint32_t word)
{
	return base + (word & ~(uint32_t)0xf) + (((word & 0xf) - 9) << 2);
}

/* The last nibble at or before `nibble` that is not 0, of a word; -1: none. */
static int last_nibble(uint32_t word, int nibble)
{
	for (; nibble >= 0; nibble--)
		if (word >> 4 * (7 - nibble) & 0xf)
			return nibble;
	return -1;
}

static uint64_t start_at(uint64_t base, uint64_t unit, uint32_t word, int nibble)
{
	return base + unit * 256 + (uint64_t)nibble * 32 +
	       ((word >> 4 * (7 - nibble) & 0xf) - 1) * 4;
}

/* Where the method begins that holds an address. 0; -ENOENT: none does. */
static int find_start(struct clr_code *code, uint64_t base, uint64_t map, uint64_t ip,
		      uint64_t *start)
{
	const uint64_t offset = ip - base;
	uint64_t unit = offset / 256;
	int nibble = (int)(offset / 32 % 8);
	uint32_t word;
	int err = read_half(code, map + unit * sizeof(word), &word);

	if (!err && !is_pointer(word)) {
		/* One that begins behind the address in the same 32 bytes is the next one. */
		if ((word >> 4 * (7 - nibble) & 0xf) > offset % 32 / 4 + 1)
			nibble--;
		nibble = last_nibble(word, nibble);
		if (nibble < 0 && !unit)
			return -ENOENT;
		if (nibble < 0) {
			err = read_half(code, map + --unit * sizeof(word), &word);
			nibble = err || is_pointer(word) ? 0 : last_nibble(word, 7);
		}
	}
	if (err || nibble < 0)
		return err ? err : -ENOENT;
	*start = is_pointer(word) ? pointed(base, word) : start_at(base, unit, word, nibble);
	return *start <= ip ? 0 : -ENOENT;
}

static int find_compiled(struct clr_code *code, uint64_t heap, uint64_t ip,
			 struct clr_code_found *found)
{
	uint64_t start, end, base, map, method_start, header;
	const struct want wants[] = {
		{ HEAP_START, &start }, { HEAP_END, &end }, { HEAP_BASE, &base },
		{ HEAP_MAP, &map },
	};
	int err = read_fields(code, heap, wants, 4);

	if (!err && (ip < start || ip >= end || base > ip))
		err = -ENOENT;
	if (!err)
		err = find_start(code, base, map, ip, &method_start);
	if (!err)
		err = read_word(code, method_start - sizeof(header), &header);
	if (err)
		return err;
	found->is_stub = header <= code->last_stub;
	return found->is_stub ? 0 : read_word(code, header + code->at[HEADER_METHOD],
					      &found->method);
}

/* ---------------------------------------------------------------- precompiled code */

struct functions {
	uint64_t base, table;
	uint32_t count;
};

static int read_begin(struct clr_code *code, const struct functions *functions, uint32_t index,
		      uint32_t *begin)
{
	return read_half(code, functions->table +
				       (uint64_t)index * code->at[FUNCTION_BYTES] +
				       code->at[FUNCTION_BEGIN], begin);
}

/* The last function that begins at or before the offset. */
static int find_function(struct clr_code *code, const struct functions *functions,
			 uint32_t offset, uint32_t *index)
{
	uint32_t low = 0, high = functions->count, begin;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const int err = read_begin(code, functions, middle, &begin);

		if (err)
			return err;
		if (begin <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	*index = low - 1;
	return low ? 0 : -ENOENT;
}

/*
 * The hash table: buckets of four keys and values, the first of which has the number of the others.
 * A value is kept halved; its highest bit in a bucket's first one says that others follow.
 */
struct entries {
	uint64_t buckets;
	uint32_t size;
	uint32_t probes; /* that are left: in a table that makes no sense others follow always */
};

static int read_entries(struct clr_code *code, uint64_t hash_map, struct entries *entries)
{
	int err = read_word(code, hash_map + code->at[HASH_BUCKETS], &entries->buckets);

	if (!err)
		err = read_half(code, entries->buckets, &entries->size);
	if (!err && entries->size < 2)
		err = -ENOENT;
	entries->probes = PROBES_MOST;
	return err;
}

/* -ENOENT: it is not there, which is not known for certain when no probes are left. */
static int look_up(struct clr_code *code, struct entries *entries, uint64_t key, uint64_t *value)
{
	const uint32_t size = entries->size, step = 1 + ((uint32_t)(key >> 5) + 1) % (size - 1);
	uint64_t keys[SLOTS], values[SLOTS];
	uint32_t seed = (uint32_t)(key >> 2);

	for (uint32_t probe = 0; probe < size && entries->probes; probe++, seed += step) {
		const uint64_t bucket = entries->buckets + (uint64_t)code->at[BUCKET_BYTES] *
								   (seed % size + 1);
		struct remote_part parts[] = {
			{ bucket + code->at[BUCKET_KEYS], keys, sizeof(keys), 0 },
			{ bucket + code->at[BUCKET_VALUES], values, sizeof(values), 0 },
		};
		int err = remote__read_parts(code->memory, parts, 2);

		entries->probes--;
		if (err || parts[0].err || parts[1].err)
			return err ? err : -ENOENT;
		for (size_t i = 0; i < SLOTS; i++) {
			*value = (values[i] & code->value_mask) << 1;
			if (keys[i] == key)
				return 0;
		}
		if (!(values[0] & ~code->value_mask))
			return -ENOENT;
	}
	return -ENOENT;
}

/* Functions of a method follow its first one, which alone is in the hash table. */
static int find_entry(struct clr_code *code, const struct functions *functions, uint32_t index,
		      uint64_t hash_map, uint64_t *method)
{
	struct entries entries;
	uint32_t begin;
	int err = read_entries(code, hash_map, &entries);

	if (err)
		return err;
	err = -ENOENT;
	for (uint32_t back = 0; err == -ENOENT && entries.probes && back <= index; back++) {
		err = read_begin(code, functions, index - back, &begin);
		if (!err)
			err = look_up(code, &entries, functions->base + begin, method);
	}
	return err;
}

static int find_precompiled(struct clr_code *code, const struct section *section, uint64_t ip,
			    struct clr_code_found *found)
{
	struct functions functions = { .base = section->begin };
	uint64_t info, count = 0, cold = 0;
	const struct want wants[] = {
		{ R2R_FUNCTIONS, &functions.table }, { R2R_COUNT, &count },
		{ R2R_COLD_COUNT, &cold },
	};
	uint32_t index;
	int err = read_word(code, section->module + code->at[MODULE_R2R], &info);

	if (!err)
		err = read_fields(code, info, wants, 3);
	/* Images whose methods were split in hot and cold parts are not made by usual builds. */
	if (!err && ((uint32_t)count > FUNCTIONS_MOST || (uint32_t)cold ||
		     ip - section->begin > UINT32_MAX))
		err = -ENOENT;
	functions.count = (uint32_t)count;
	if (!err)
		err = find_function(code, &functions, (uint32_t)(ip - section->begin), &index);
	if (!err)
		err = find_entry(code, &functions, index, info + code->at[R2R_ENTRIES],
				 &found->method);
	return err;
}

/* ---------------------------------------------------------------- outside */

int clr_code__new(const struct clr_contract *contract, struct remote *memory,
		  struct clr_code **out)
{
	struct clr_code *code = calloc(1, sizeof(*code));
	int err = 0;

	*out = NULL;
	if (!code)
		return -ENOMEM;
	code->memory = memory;
	for (size_t i = 0; i < FIELDS && !err; i++)
		err = clr_contract__field(contract, names[i].type, names[i].field, &code->at[i]);
	if (!err)
		err = clr_contract__global(contract, "ExecutionManagerCodeRangeMapAddress",
					   &code->map);
	if (!err)
		err = clr_contract__global(contract, "StubCodeBlockLast", &code->last_stub);
	if (!err)
		err = clr_contract__global(contract, "HashMapValueMask", &code->value_mask);
	if (err) {
		clr_code__free(code);
		return -ENOTSUP;
	}
	*out = code;
	return 0;
}

void clr_code__free(struct clr_code *code)
{
	free(code);
}

void clr_code__forget(struct clr_code *code)
{
	memset(code->kept, 0, sizeof(code->kept));
}

static int find(struct clr_code *code, uint64_t ip, struct clr_code_found *found)
{
	struct section section;
	int err = find_section(code, ip, &section);

	*found = (struct clr_code_found){ false, 0 };
	if (err)
		return err;
	if (section.module)
		return find_precompiled(code, &section, ip, found);
	found->is_stub = (section.flags & SECTION_IS_STUBS) != 0;
	return found->is_stub ? 0 : find_compiled(code, section.heap, ip, found);
}

int clr_code__find(struct clr_code *code, uint64_t ip, struct clr_code_found *found)
{
	struct kept *kept = &code->kept[(ip ^ ip >> 12) & (KEPT - 1)];
	int err;

	if (kept->ip == ip) {
		*found = kept->found;
		return 1;
	}
	err = find(code, ip, found);
	if (err)
		return err == -ESRCH ? err : 0;
	*kept = (struct kept){ ip, *found };
	return 1;
}
