/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_layout.h"
#include "memory.h"
#include "vmstructs.h"

#include <string.h>

#define OLDEST_JAVA 17
#define NEWEST_JAVA 25 /* what comes may lay out its heap by the same names in another way */
#define REGIONS_MOST 131072
#define OBJECT_ALIGNMENT 8
/* What has no regions has these spaces. */
enum { EDEN, FROM, TO, OLD, SPACES };

enum collector { COLLECTOR_G1, COLLECTOR_PARALLEL, COLLECTOR_SERIAL };

/* Where a space has its bounds. */
struct space_at {
	size_t bottom, top;
};

static struct {
	enum collector collector;
	size_t count;
	uint64_t heap; /* the JVM's object for it */
	size_t collections;

	/* G1. The table's place does not change, nor do regions, once made. */
	uint64_t regions_start;
	unsigned shift;
	const uint64_t *table; /* of regions; 0: not there yet */
	size_t bottom, top, tag;
	int free_tag, young_mask, large_mask;

	/* Parallel, Serial. */
	uint64_t young, old; /* their generations */
	size_t eden, from, to, only;
	struct space_at young_space, old_space;
} layout;

static uint64_t word_at(uint64_t address)
{
	return *(const uint64_t *)(uintptr_t)address;
}

/* ---- Finding: nothing is relied on yet ---- */

static bool read_word(uint64_t address, uint64_t *word)
{
	return memory__read(address, word, sizeof(*word));
}

/* The first of several names that this version knows. */
static bool offset_of(const char *const *types, const char *field, size_t *offset)
{
	for (; *types; types++) {
		if (vmstructs__offset(*types, field, offset))
			return true;
	}
	return false;
}

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })

static bool static_word(const char *type, const char *field, uint64_t *word)
{
	const void *at = vmstructs__static(type, field);

	return at && read_word((uintptr_t)at, word) && *word;
}

/* Behind the count of all collections stands that of full ones, in all versions. */
static bool find_heap(void)
{
	struct heap_counts counts;

	return static_word("Universe", "_collectedHeap", &layout.heap) &&
	       vmstructs__offset("CollectedHeap", "_total_collections", &layout.collections) &&
	       memory__read(layout.heap + layout.collections, &counts, sizeof(counts)) &&
	       counts.full <= counts.collections;
}

static bool find_reserved(uint64_t *start, uint64_t *words)
{
	size_t reserved, start_at, words_at;

	return vmstructs__offset("CollectedHeap", "_reserved", &reserved) &&
	       vmstructs__offset("MemRegion", "_start", &start_at) &&
	       vmstructs__offset("MemRegion", "_word_size", &words_at) &&
	       read_word(layout.heap + reserved + start_at, start) &&
	       read_word(layout.heap + reserved + words_at, words);
}

static bool find_region_fields(void)
{
	const char *const *region = NAMES("G1HeapRegion", "HeapRegion");
	size_t type, tag;

	if (!offset_of(region, "_bottom", &layout.bottom) ||
	    !offset_of(region, "_top", &layout.top) || !offset_of(region, "_type", &type) ||
	    !offset_of(NAMES("G1HeapRegionType", "HeapRegionType"), "_tag", &tag))
		return false;
	layout.tag = type + tag;
	return true;
}

static bool find_constant(const char *name, const char *old_name, int *value)
{
	return vmstructs__constant(name, value) || vmstructs__constant(old_name, value);
}

static bool find_region_kinds(void)
{
	return find_constant("G1HeapRegionType::FreeTag", "HeapRegionType::FreeTag",
			     &layout.free_tag) &&
	       find_constant("G1HeapRegionType::YoungMask", "HeapRegionType::YoungMask",
			     &layout.young_mask) &&
	       find_constant("G1HeapRegionType::HumongousMask", "HeapRegionType::HumongousMask",
			     &layout.large_mask);
}

static bool find_shift(void)
{
	const void *at = vmstructs__static("G1HeapRegion", "LogOfHRGrainBytes");
	int shift = 0;

	if (!at)
		at = vmstructs__static("HeapRegion", "LogOfHRGrainBytes");
	if (!at || !memory__read((uintptr_t)at, &shift, sizeof(shift)))
		return false;
	layout.shift = (unsigned)shift;
	return shift >= 20 && shift <= 30;
}

/* Each region that is there stands where its number says. */
static bool are_regions_right(void)
{
	for (size_t i = 0; i < layout.count; i++) {
		const uint64_t start = layout.regions_start + ((uint64_t)i << layout.shift);
		uint64_t region, bottom, top;
		int tag;

		if (!read_word((uintptr_t)&layout.table[i], &region))
			return false;
		if (!region)
			continue;
		if (!read_word(region + layout.bottom, &bottom) ||
		    !read_word(region + layout.top, &top) ||
		    !memory__read(region + layout.tag, &tag, sizeof(tag)))
			return false;
		if (bottom != start || top < start || top - start > UINT64_C(1) << layout.shift ||
		    tag < 0 || tag > 255)
			return false;
	}
	return true;
}

static bool find_g1(void)
{
	const char *const *manager = NAMES("G1HeapRegionManager", "HeapRegionManager");
	size_t of_heap, of_manager, base, length;
	uint64_t table, count, words;

	if (!vmstructs__offset("G1CollectedHeap", "_hrm", &of_heap) ||
	    !offset_of(manager, "_regions", &of_manager) ||
	    !vmstructs__offset("G1HeapRegionTable", "_base", &base) ||
	    !vmstructs__offset("G1HeapRegionTable", "_length", &length) ||
	    !find_region_fields() || !find_region_kinds() || !find_shift() ||
	    !find_reserved(&layout.regions_start, &words) ||
	    !read_word(layout.heap + of_heap + of_manager + base, &table) ||
	    !read_word(layout.heap + of_heap + of_manager + length, &count))
		return false;
	layout.table = (const uint64_t *)(uintptr_t)table;
	layout.count = count;
	return count && count <= REGIONS_MOST && count == words * 8 >> layout.shift &&
	       are_regions_right();
}

static bool is_space_right(uint64_t space, const struct space_at *at)
{
	uint64_t bottom, top;

	return read_word(space + at->bottom, &bottom) && read_word(space + at->top, &top) &&
	       bottom && bottom <= top && bottom % OBJECT_ALIGNMENT == 0;
}

static bool are_spaces_right(void)
{
	const size_t young[] = { layout.eden, layout.from, layout.to };
	uint64_t space;

	layout.count = SPACES;
	for (unsigned i = 0; i < 3; i++) {
		if (!read_word(layout.young + young[i], &space) ||
		    !is_space_right(space, &layout.young_space))
			return false;
	}
	return read_word(layout.old + layout.only, &space) &&
	       is_space_right(space, &layout.old_space);
}

static bool find_young_spaces(const char *generation)
{
	return vmstructs__offset(generation, "_eden_space", &layout.eden) &&
	       vmstructs__offset(generation, "_from_space", &layout.from) &&
	       vmstructs__offset(generation, "_to_space", &layout.to);
}

static bool find_parallel(void)
{
	if (!static_word("ParallelScavengeHeap", "_young_gen", &layout.young) ||
	    !static_word("ParallelScavengeHeap", "_old_gen", &layout.old) ||
	    !find_young_spaces("PSYoungGen") ||
	    !vmstructs__offset("PSOldGen", "_object_space", &layout.only) ||
	    !vmstructs__offset("MutableSpace", "_bottom", &layout.young_space.bottom) ||
	    !vmstructs__offset("MutableSpace", "_top", &layout.young_space.top))
		return false;
	layout.old_space = layout.young_space;
	return are_spaces_right();
}

static bool find_serial(void)
{
	const char *const *heap = NAMES("SerialHeap", "GenCollectedHeap");
	size_t young, old;

	if (!offset_of(heap, "_young_gen", &young) || !offset_of(heap, "_old_gen", &old) ||
	    !read_word(layout.heap + young, &layout.young) ||
	    !read_word(layout.heap + old, &layout.old) ||
	    !find_young_spaces("DefNewGeneration") ||
	    !vmstructs__offset("TenuredGeneration", "_the_space", &layout.only) ||
	    !offset_of(NAMES("ContiguousSpace", "Space"), "_bottom",
		       &layout.young_space.bottom) ||
	    !vmstructs__offset("ContiguousSpace", "_top", &layout.young_space.top))
		return false;
	layout.old_space = layout.young_space;
	return are_spaces_right();
}

/* ---- What is not for us ---- */

static const char *why_not_to_try(int java)
{
	if (java < OLDEST_JAVA)
		return "is older than Java 17";
	if (java > NEWEST_JAVA)
		return "is newer than Java 25: how it lays out its heap is not known";
	if (!memory__can_read())
		return "is in a sandbox that forbids process_vm_readv";
	if (!vmstructs__find(NULL))
		return "exports no tables of its structures (vmStructs)";
	if (vmstructs__flag("UseCompactObjectHeaders", false))
		return "has compact object headers (-XX:+UseCompactObjectHeaders)";
	if (!vmstructs__flag("UseCompressedClassPointers", false))
		return "has no compressed class pointers (-XX:-UseCompressedClassPointers)";
	if (vmstructs__number("ObjectAlignmentInBytes", 0) != OBJECT_ALIGNMENT)
		return "aligns objects to more than 8 bytes (-XX:ObjectAlignmentInBytes)";
	if (vmstructs__flag("UseZGC", false))
		return "collects by ZGC, which moves objects beside the program";
	if (vmstructs__flag("UseShenandoahGC", false))
		return "collects by Shenandoah, which moves objects beside the program";
	return NULL;
}

const char *heap_layout__find(int java)
{
	const char *why = why_not_to_try(java);
	bool is_found = false;

	memset(&layout, 0, sizeof(layout));
	if (why)
		return why;
	if (!find_heap())
		return "does not say where its heap is";
	if (vmstructs__flag("UseG1GC", false)) {
		layout.collector = COLLECTOR_G1;
		is_found = find_g1();
	} else if (vmstructs__flag("UseParallelGC", false)) {
		layout.collector = COLLECTOR_PARALLEL;
		if (vmstructs__flag("UseNUMA", false))
			return "parts its eden by NUMA node (-XX:+UseNUMA)";
		is_found = find_parallel();
	} else if (vmstructs__flag("UseSerialGC", false)) {
		layout.collector = COLLECTOR_SERIAL;
		is_found = find_serial();
	} else {
		return "has a collector without generations, or an unknown one";
	}
	return is_found ? NULL : "does not lay out its heap as its own tables say";
}

/* ---- Looking, in a stopped world ---- */

size_t heap_layout__count(void)
{
	return layout.count;
}

struct heap_counts heap_layout__counts(void)
{
	return *(const struct heap_counts *)(uintptr_t)(layout.heap + layout.collections);
}

static struct heap_part region(size_t i)
{
	const uint64_t at = layout.table[i];
	struct heap_part part = { .start = layout.regions_start + ((uint64_t)i << layout.shift) };
	int tag;

	part.top = part.start;
	if (!at)
		return part;
	tag = *(const int *)(uintptr_t)(at + layout.tag);
	if (tag == layout.free_tag)
		return part;
	part.top = word_at(at + layout.top);
	part.kind = tag & layout.young_mask ? HEAP_YOUNG :
		    tag & layout.large_mask ? HEAP_LARGE :
					      HEAP_OLD;
	if (part.top == part.start)
		part.kind = HEAP_FREE;
	return part;
}

static struct heap_part space(uint64_t pointer_at, const struct space_at *at, enum heap_kind kind)
{
	const uint64_t space = word_at(pointer_at);
	const struct heap_part part = { word_at(space + at->bottom), word_at(space + at->top),
					kind };

	return part.start < part.top ? part : (struct heap_part){ part.start, part.start,
								  HEAP_FREE };
}

void heap_layout__look(struct heap_part *parts)
{
	if (layout.collector == COLLECTOR_G1) {
		for (size_t i = 0; i < layout.count; i++)
			parts[i] = region(i);
		return;
	}
	parts[EDEN] = space(layout.young + layout.eden, &layout.young_space, HEAP_YOUNG);
	parts[FROM] = space(layout.young + layout.from, &layout.young_space, HEAP_YOUNG);
	parts[TO] = space(layout.young + layout.to, &layout.young_space, HEAP_YOUNG);
	parts[OLD] = space(layout.old + layout.only, &layout.old_space, HEAP_OLD);
}

const struct heap_part *heap_layout__at(const struct heap_part *parts, uint64_t address)
{
	size_t i = 0, end = layout.count;

	if (layout.collector == COLLECTOR_G1) {
		if (address < layout.regions_start)
			return NULL;
		i = (address - layout.regions_start) >> layout.shift;
		if (i >= layout.count)
			return NULL;
		end = i + 1;
	}
	for (; i < end; i++) {
		if (address >= parts[i].start && address < parts[i].top)
			return &parts[i];
	}
	return NULL;
}

/*
 * Parallel and Serial allocate, before they tell that they have ended, what there was no room for:
 * at eden's start, and nothing is written there yet. So eden was emptied where its top has fallen.
 */
static bool has_eden_fallen(const struct heap_part *now, const struct heap_part *was)
{
	return now->start == was->start && now->top < was->top;
}

bool heap_layout__is_emptied(const struct heap_part *now, size_t i, const struct heap_part *was)
{
	if (layout.collector == COLLECTOR_G1)
		return now[i].kind == HEAP_FREE;
	if (i == EDEN && !has_eden_fallen(&now[EDEN], was))
		return false;
	for (size_t j = 0; j < layout.count; j++) {
		if (now[j].start < was->top && was->start < now[j].top && j != i)
			return false;
	}
	return i == EDEN || now[i].start != was->start || now[i].top == now[i].start;
}
