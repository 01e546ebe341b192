/* SPDX-License-Identifier: BSD-2-Clause */
#include "hprof_sizes.h"

#include "hprof_entries.h"
#include "hprof_input.h"

#define LOOK_BYTES ((size_t)1 << 20)
#define OBJECTS_ENOUGH 64u   /* to tell how objects are aligned */
#define ALIGNMENT 8u
#define ALIGNMENT_MOST 256u  /* of HotSpot: ObjectAlignmentInBytes */
#define STATED_ARRAY 4u	     /* what an array has beyond an Object */

/* Of JVMs: the most frequent one first, which is taken where nothing is told. */
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
	struct hprof_object_entry last; /* an array; else its tag is 0 */
	uint64_t compared; /* arrays */
	uint64_t objects, ids;		/* all ids in one word: bits that any of them has */
};

static uint64_t array_size(const struct hprof_layout_of *layout, uint64_t alignment,
			   uint64_t count, uint32_t element)
{
	return hprof__align(layout->array + count * element, alignment);
}

static void compare(struct look *look, uint32_t id_bytes, uint64_t next)
{
	const struct hprof_object_entry *array = &look->last;
	const uint64_t room = next - array->id;

	if (!array->tag || next <= array->id)
		return;
	look->compared++;
	for (size_t i = 0; i < look->count; i++) {
		const struct hprof_layout_of *layout = &look->of[i].layout;
		const uint32_t element = array->element == HPROF_OBJECT ?
						 layout->reference :
						 hprof_type__bytes(array->element, id_bytes);
		const uint64_t size = array_size(layout, ALIGNMENT, array->count, element);

		look->of[i].right += size == room;
		look->of[i].wrong += size > room;
	}
}

static void see(struct look *look, uint32_t id_bytes, const struct hprof_object_entry *entry)
{
	compare(look, id_bytes, entry->id);
	look->last = *entry;
	if (entry->tag == HPROF_INSTANCE)
		look->last.tag = 0;
	look->objects++;
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
			see(look, input->id_bytes, &entry);
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

static void add_candidates(struct look *look, uint32_t id_bytes, uint32_t object_size)
{
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

/* The one with most right ones, of those the first; what is wrong more than right is no layout. */
static const struct candidate *choose(const struct look *look)
{
	const struct candidate *best = &look->of[0];

	for (size_t i = 1; i < look->count; i++)
		if (look->of[i].right > best->right && look->of[i].wrong < look->of[i].right)
			best = &look->of[i];
	return best;
}

static uint32_t alignment_of(const struct look *look)
{
	const uint64_t lowest = look->ids & -look->ids;

	if (look->objects < OBJECTS_ENOUGH || lowest < ALIGNMENT || lowest > ALIGNMENT_MOST)
		return ALIGNMENT;
	return (uint32_t)lowest;
}

void hprof_sizes__find(struct hprof_sizes *sizes, struct hprof_input *input, uint64_t left,
		       uint32_t object_size)
{
	struct look look = { .count = 0 };
	const struct candidate *best;

	add_candidates(&look, input->id_bytes, object_size);
	look_ahead(&look, input, left);
	best = choose(&look);
	*sizes = (struct hprof_sizes){
		.layout = best->layout,
		.alignment = best->stated ? ALIGNMENT : alignment_of(&look),
		.stated = object_size > 0,
		.measured = best->right > look.compared / 2,
	};
}

uint64_t hprof_sizes__array(const struct hprof_sizes *sizes, uint64_t count, uint32_t element)
{
	return array_size(&sizes->layout, sizes->alignment, count, element);
}
