/* SPDX-License-Identifier: BSD-2-Clause */
#include "hprof_sizes.h"

#include <errno.h>
#include <stdlib.h>

#include "base/vec.h"
#include "hprof_entries.h"
#include "hprof_input.h"

#define LOOK_BYTES ((size_t)1 << 20)
#define OBJECTS_ENOUGH 64u   /* to tell how objects are aligned */
#define ALIGNMENT 8u
#define ALIGNMENT_MOST 256u  /* of HotSpot: ObjectAlignmentInBytes */
#define STATED_ARRAY 4u	     /* what an array has beyond an Object */
#define RIGHT_ENOUGH 8u	     /* arrays that one layout explains and another does not */
#define WRONG_SHARE 100u     /* of right ones: files that are damaged are shown all the same */

/* Of JVMs: the most frequent one first, which is taken where nothing is known. */
static const struct hprof_layout_of narrow_layouts[] = { { 8, 12, 4 } };
static const struct hprof_layout_of wide_layouts[] = {
	{ 12, 16, 4 }, /* compressed references and class pointers */
	{ 16, 24, 8 }, /* neither */
	{ 12, 16, 8 }, { 16, 24, 4 }, /* one of both */
	{ 16, 20, 8 }, { 16, 20, 4 }, /* arrays without a gap: JDK 23 */
	{ 8, 12, 4 },  { 8, 12, 8 },  /* compact heads: JDK 24 */
};
#define LAYOUTS_MOST 9u /* and the stated one */

struct candidate {
	struct hprof_layout_of layout;
	bool stated;
	uint64_t right, wrong; /* arrays that end at the next object, or behind its beginning */
};

struct look {
	struct candidate of[LAYOUTS_MOST];
	size_t count;
	VEC(struct hprof_object_entry) seen;
	uint64_t compared; /* arrays with an object behind them */
	bool is_out_of_memory;
	uint64_t ids; /* all in one word: bits that any of them has */
};

static uint64_t array_size(const struct hprof_layout_of *layout, uint64_t alignment,
			   uint64_t count, uint32_t element)
{
	return hprof__align(layout->array + count * element, alignment);
}

static bool is_array(const struct hprof_object_entry *entry)
{
	return entry->tag != HPROF_INSTANCE;
}

static uint64_t size_by(const struct hprof_layout_of *layout, uint64_t alignment,
			uint32_t id_bytes, const struct hprof_object_entry *array)
{
	const uint32_t element = array->element == HPROF_OBJECT ?
					 layout->reference :
					 hprof_type__bytes(array->element, id_bytes);

	return array_size(layout, alignment, array->count, element);
}

/* Where each array ends, by each layout, and where the object that comes next begins. */
static void compare(struct look *look, uint64_t alignment, uint32_t id_bytes)
{
	look->compared = 0;
	for (size_t i = 0; i < look->count; i++)
		look->of[i].right = look->of[i].wrong = 0;
	for (size_t n = 0; n + 1 < look->seen.count; n++) {
		const struct hprof_object_entry *array = &look->seen.items[n];
		const uint64_t room = array[1].id - array->id;

		if (!is_array(array) || array[1].id <= array->id)
			continue;
		look->compared++;
		for (size_t i = 0; i < look->count; i++) {
			const uint64_t size = size_by(&look->of[i].layout, alignment, id_bytes,
						      array);

			look->of[i].right += size == room;
			look->of[i].wrong += size > room;
		}
	}
}

/* As they come, do most arrays end where the next object begins? */
static bool is_in_order(struct look *look, uint64_t alignment, uint32_t id_bytes)
{
	uint64_t most = 0;

	compare(look, alignment, id_bytes);
	for (size_t i = 0; i < look->count; i++)
		most = look->of[i].right > most ? look->of[i].right : most;
	return most > look->compared / 2;
}

static void see(struct look *look, const struct hprof_object_entry *entry)
{
	look->is_out_of_memory |= vec__push(&look->seen, *entry) != 0;
	look->ids |= entry->id;
}

/* The window from here on, over the heads of segments. It ends with what is no object. */
static void look_ahead(struct look *look, struct hprof_input *input, uint64_t left)
{
	const uint8_t *at, *end;

	hprof_input__need(input, LOOK_BYTES);
	at = input->data + input->at;
	end = input->data + input->end;
	while (at < end) {
		const bool is_head = !left && *at == HPROF_HEAP_DUMP_SEGMENT;
		struct hprof_object_entry entry = { .bytes = 0 };
		uint32_t fixed = HPROF_RECORD_HEAD;

		if (!is_head && !hprof_entry__is_object(*at))
			return;
		if (!is_head)
			fixed = 1 + hprof_entry__fixed(*at, input->id_bytes);
		if ((size_t)(end - at) < fixed)
			return;
		if (is_head) {
			left = hprof__number(at + HPROF_RECORD_HEAD - 4, 4);
		} else {
			entry = hprof_entry__object(*at, at + 1, input->id_bytes);
			see(look, &entry);
			left -= fixed + entry.bytes;
		}
		if ((uint64_t)(end - at) - fixed < entry.bytes)
			return;
		at += fixed + entry.bytes;
	}
}

static void add(struct look *look, const struct hprof_layout_of *of, size_t count)
{
	for (size_t i = 0; i < count; i++)
		look->of[look->count++] = (struct candidate){ .layout = of[i] };
}

static void add_candidates(struct look *look, uint32_t id_bytes, uint32_t object_size,
			   const struct hprof_known *known)
{
	if (known) {
		add(look, &known->layout, 1);
		return;
	}
	if (object_size) {
		const bool says = object_size > id_bytes;

		look->of[look->count++] = (struct candidate){
			.layout = { object_size, object_size + STATED_ARRAY,
				    id_bytes == 8 && says ? object_size - id_bytes : id_bytes },
			.stated = true,
		};
	}
	if (id_bytes == 4)
		add(look, narrow_layouts, sizeof(narrow_layouts) / sizeof(*narrow_layouts));
	else
		add(look, wide_layouts, sizeof(wide_layouts) / sizeof(*wide_layouts));
}

/*
 * The one by which no array reaches into the next object, or the fewest do; of those the one by
 * which most end there; of those the first.
 */
static const struct candidate *choose(const struct look *look)
{
	const struct candidate *best = &look->of[0];

	for (size_t i = 1; i < look->count; i++) {
		const struct candidate *other = &look->of[i];

		if (other->right > best->right && other->wrong <= other->right / WRONG_SHARE)
			best = other;
	}
	return best;
}

/*
 * No array contradicts it, and each other layout is contradicted, or is right of fewer arrays by so
 * many that chance does not explain it.
 */
static bool is_certain(const struct look *look, const struct candidate *best)
{
	for (size_t i = 0; i < look->count; i++) {
		const struct candidate *other = &look->of[i];

		if (other != best && !other->wrong && other->right + RIGHT_ENOUGH > best->right)
			return false;
	}
	return !best->wrong;
}

/* 0: it cannot be known. */
static uint32_t alignment_of(const struct look *look)
{
	const uint64_t lowest = look->ids & -look->ids;

	if (look->seen.count < OBJECTS_ENOUGH || lowest < ALIGNMENT || lowest > ALIGNMENT_MOST)
		return 0;
	return (uint32_t)lowest;
}

static int compare_ids(const void *a, const void *b)
{
	const struct hprof_object_entry *left = a, *right = b;

	return left->id < right->id ? -1 : left->id > right->id;
}

int hprof_sizes__find(struct hprof_sizes *sizes, struct hprof_input *input, uint64_t left,
		      uint32_t object_size, const struct hprof_known *known)
{
	struct look look = { .count = 0 };
	const struct candidate *best;
	uint32_t alignment;
	bool in_order;
	int err;

	add_candidates(&look, input->id_bytes, object_size, known);
	look_ahead(&look, input, left);
	err = look.is_out_of_memory ? -ENOMEM : 0;
	alignment = known ? known->alignment : alignment_of(&look);
	in_order = is_in_order(&look, alignment ? alignment : ALIGNMENT, input->id_bytes);
	if (look.seen.count)
		qsort(look.seen.items, look.seen.count, sizeof(*look.seen.items), compare_ids);
	compare(&look, alignment ? alignment : ALIGNMENT, input->id_bytes);
	best = choose(&look);
	*sizes = (struct hprof_sizes){
		.layout = best->layout,
		.alignment = best->stated || !alignment ? ALIGNMENT : alignment,
		.stated = object_size > 0 && !known,
		.measured = in_order && best->right > look.compared / 2,
		.known = known,
	};
	sizes->certain = sizes->stated || (alignment && is_certain(&look, best));
	vec__free(&look.seen);
	return err;
}

uint64_t hprof_sizes__array(const struct hprof_sizes *sizes, uint64_t count, uint32_t element)
{
	return array_size(&sizes->layout, sizes->alignment, count, element);
}
