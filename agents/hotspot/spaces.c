/* SPDX-License-Identifier: BSD-2-Clause */
#include "spaces.h"
#include "vmstructs.h"

#include <stddef.h>
#include <string.h>

enum kind {
	KIND_NONE,  /* generations are not known */
	KIND_RANGE, /* Serial, Parallel: the young generation lies in one piece */
	KIND_REGIONS /* G1 */
};

static struct {
	enum kind kind;
	bool are_concurrent;
	const uint32_t *counter; /* of all, and behind it of full ones (collectedHeap.hpp) */
	uint32_t last, last_full; /* what they were */
	uint64_t count; /* of what it has counted, collections, without its wraps */
	uint64_t start, end; /* of the young generation */
	const unsigned char *table; /* G1HeapRegionTable */
	size_t base_at, length_at, bias_at, shift_at;
	size_t tag_at; /* of a region's type, in the region */
	int young, old;
	uint64_t young_regions; /* which there were when the pause began */
} spaces;

static uint64_t u64_at(const unsigned char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static int int_at(const unsigned char *at)
{
	int value;

	memcpy(&value, at, sizeof(value));
	return value;
}

/* ---- Serial and Parallel ---- */

static bool learn_range(const unsigned char *generation, const char *type)
{
	size_t reserved, start, words;

	if (!generation || !vmstructs__offset(type, "_reserved", &reserved) ||
	    !vmstructs__offset("MemRegion", "_start", &start) ||
	    !vmstructs__offset("MemRegion", "_word_size", &words))
		return false;
	spaces.start = u64_at(generation + reserved + start);
	spaces.end = spaces.start + u64_at(generation + reserved + words) * 8;
	return spaces.start < spaces.end;
}

/* From Java 21 on the heap of Serial is one of its own. */
static const unsigned char *young_of_serial(const unsigned char *heap)
{
	size_t young;

	if (!vmstructs__offset("SerialHeap", "_young_gen", &young) &&
	    !vmstructs__offset("GenCollectedHeap", "_young_gen", &young))
		return NULL;
	return (const unsigned char *)(uintptr_t)u64_at(heap + young);
}

static const unsigned char *young_of_parallel(void)
{
	const void *const *young = vmstructs__static("ParallelScavengeHeap", "_young_gen");

	return young ? *young : NULL;
}

/* ---- G1 ---- */

/* Names of types before Java 22, and since. */
struct g1_names {
	const char *region, *type, *manager, *young, *old, *humongous;
};

static bool learn_tags(const struct g1_names *names)
{
	int old, humongous;

	if (!vmstructs__constant(names->young, &spaces.young) ||
	    !vmstructs__constant(names->old, &old) ||
	    !vmstructs__constant(names->humongous, &humongous))
		return false;
	spaces.old = old | humongous; /* large objects are old from their first day */
	return true;
}

static bool learn_regions_of(const struct g1_names *names, const unsigned char *heap)
{
	size_t manager, regions, type, tag;

	if (!vmstructs__offset(names->region, "_type", &type) ||
	    !vmstructs__offset(names->type, "_tag", &tag) ||
	    !vmstructs__offset("G1CollectedHeap", "_hrm", &manager) ||
	    !vmstructs__offset(names->manager, "_regions", &regions) ||
	    !vmstructs__offset("G1HeapRegionTable", "_base", &spaces.base_at) ||
	    !vmstructs__offset("G1HeapRegionTable", "_length", &spaces.length_at) ||
	    !vmstructs__offset("G1HeapRegionTable", "_bias", &spaces.bias_at) ||
	    !vmstructs__offset("G1HeapRegionTable", "_shift_by", &spaces.shift_at))
		return false;
	spaces.table = heap + manager + regions;
	spaces.tag_at = type + tag;
	return learn_tags(names);
}

static bool learn_regions(const unsigned char *heap)
{
	static const struct g1_names names[] = {
		{ "G1HeapRegion", "G1HeapRegionType", "G1HeapRegionManager",
		  "G1HeapRegionType::YoungMask", "G1HeapRegionType::OldMask",
		  "G1HeapRegionType::HumongousMask" },
		{ "HeapRegion", "HeapRegionType", "HeapRegionManager",
		  "HeapRegionType::YoungMask", "HeapRegionType::OldMask",
		  "HeapRegionType::HumongousMask" },
	};

	return learn_regions_of(&names[0], heap) || learn_regions_of(&names[1], heap);
}

/* A region's tag; 0: there is none. */
static int tag_at(uint64_t index)
{
	const uint64_t base = u64_at(spaces.table + spaces.base_at) + index * sizeof(void *);
	const uint64_t region = u64_at((const unsigned char *)(uintptr_t)base);

	return region ? int_at((const unsigned char *)(uintptr_t)region + spaces.tag_at) : 0;
}

static uint64_t region_count(void)
{
	return u64_at(spaces.table + spaces.length_at);
}

static int tag_of(uint64_t address)
{
	const uint64_t bias = u64_at(spaces.table + spaces.bias_at);
	const uint64_t index = (address >> int_at(spaces.table + spaces.shift_at)) - bias;

	return index < region_count() ? tag_at(index) : 0;
}

/* A number for which regions are young, and of which kind (eden, survivors). */
static uint64_t sum_of_young(void)
{
	const uint64_t count = region_count();
	uint64_t sum = 0;

	for (uint64_t i = 0; i < count; i++) {
		const int tag = tag_at(i);

		if (tag & spaces.young)
			sum = (sum ^ (i << 8 | (unsigned)tag)) * UINT64_C(0x9E3779B97F4A7C15);
	}
	return sum;
}

/* ---- All ---- */

static enum kind kind_of(const unsigned char *heap)
{
	if (vmstructs__flag("UseG1GC", false))
		return learn_regions(heap) ? KIND_REGIONS : KIND_NONE;
	if (vmstructs__flag("UseParallelGC", false))
		return learn_range(young_of_parallel(), "PSYoungGen") ? KIND_RANGE : KIND_NONE;
	if (vmstructs__flag("UseSerialGC", false))
		return learn_range(young_of_serial(heap), "Generation") ? KIND_RANGE : KIND_NONE;
	return KIND_NONE;
}

bool spaces__find(void)
{
	const unsigned char *const *heap = vmstructs__static("Universe", "_collectedHeap");
	size_t count;

	memset(&spaces, 0, sizeof(spaces));
	if (!heap || !*heap || !vmstructs__offset("CollectedHeap", "_total_collections", &count))
		return false;
	spaces.counter = (const uint32_t *)(const void *)(*heap + count);
	spaces.count = spaces.last = __atomic_load_n(spaces.counter, __ATOMIC_RELAXED);
	spaces.last_full = __atomic_load_n(spaces.counter + 1, __ATOMIC_RELAXED);
	spaces.are_concurrent = vmstructs__flag("UseZGC", false) ||
				vmstructs__flag("UseShenandoahGC", false);
	spaces.kind = kind_of(*heap);
	return true;
}

bool spaces__are_concurrent(void)
{
	return spaces.are_concurrent;
}

void spaces__pause_begins(void)
{
	if (spaces.kind == KIND_REGIONS)
		spaces.young_regions = sum_of_young();
}

uint64_t spaces__pause_ends(void)
{
	const uint32_t now = __atomic_load_n(spaces.counter, __ATOMIC_RELAXED);
	const uint32_t full = __atomic_load_n(spaces.counter + 1, __ATOMIC_RELAXED);
	const bool is_cleanup = spaces.kind == KIND_REGIONS && full == spaces.last_full &&
				now != spaces.last && sum_of_young() == spaces.young_regions;

	if (!is_cleanup)
		spaces.count += now - spaces.last;
	spaces.last = now;
	spaces.last_full = full;
	return spaces.count;
}

bool spaces__have_generations(void)
{
	return spaces.kind != KIND_NONE;
}

enum spaces_generation spaces__generation(uint64_t address)
{
	int tag;

	if (spaces.kind == KIND_RANGE)
		return address >= spaces.start && address < spaces.end ? SPACES_YOUNG : SPACES_OLD;
	if (spaces.kind == KIND_NONE)
		return SPACES_UNKNOWN;
	tag = tag_of(address);
	if (tag & spaces.young)
		return SPACES_YOUNG;
	return tag & spaces.old ? SPACES_OLD : SPACES_UNKNOWN;
}
