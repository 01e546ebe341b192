/* SPDX-License-Identifier: BSD-2-Clause */
#include "nodes.h"
#include "agents/common/pace.h"
#include "clr.h"
#include "frozen.h"
#include "places.h"
#include "roots.h"
#include "statics.h"
#include "thread_statics.h"
#include "types.h"

#include <stdbool.h>

/* The object that is being told. */
static struct {
	struct gctrace_writer *writer;
	struct type *type;
	struct gctrace_object object;
	uint64_t refs[GCTRACE_PART_ENTRIES], places[GCTRACE_PART_ENTRIES];
	uint64_t references;
	bool is_cut; /* the dump was over in the midst of it */
} node;

static bool is_first; /* no objects were told yet */

static uint64_t frozen[GCTRACE_PART_ENTRIES];
static size_t frozen_count;

static void tell_part(uint32_t flags)
{
	node.object.flags = flags;
	gctrace_write_object(node.writer, &node.object);
	node.references += node.object.count;
	node.object.first += node.object.count;
	node.object.count = 0;
}

static bool is_static(uint64_t slot)
{
	return statics__has(slot) || thread_statics__has(slot);
}

static void add(uint64_t reference, uint64_t place)
{
	node.refs[node.object.count] = reference;
	node.places[node.object.count++] = place;
}

/* ---- As the runtime enumerates them ---- */

static int32_t add_reference(uintptr_t object, uintptr_t *slot, void *context)
{
	const uint64_t offset = (uint64_t)(uintptr_t)slot - object;

	(void)context;
	if (!*slot || is_static((uint64_t)(uintptr_t)slot))
		return 1;
	if (node.object.count == GCTRACE_PART_ENTRIES) {
		tell_part(GCTRACE_MORE_REFERENCES);
		node.is_cut = !pace__may_go_on();
		if (node.is_cut)
			return 0;
	}
	if (node.type && node.type->kind == TYPE_CLASS && offset < node.object.size)
		slots__learn(&node.type->slots, offset);
	add(*slot, places__of(node.type, offset, node.object.size));
	return 1;
}

/* ---- From where others of the class have theirs (slots.h) ---- */

/* 1: there is a reference in that slot. */
static uint64_t look_at(uint64_t offset, uint64_t place)
{
	const uint64_t slot = node.object.id + offset;
	const uint64_t reference = *(const uintptr_t *)(uintptr_t)slot;

	if (reference && !is_static(slot))
		add(reference, place);
	return reference != 0;
}

/* Whatever the runtime may not call an array: what is behind the object's end is not looked at. */
static uint64_t look_at_slots(const struct slots *slots)
{
	uint64_t found = 0;

	for (uint32_t i = 0; i < slots->count; i++)
		if (slots->at[i] + sizeof(uintptr_t) <= node.object.size)
			found += look_at(slots->at[i], slots->at[i]);
	return found;
}

/* Of an array of references each element is a slot. */
static uint64_t look_at_elements(uint64_t count)
{
	uint64_t found = 0;

	for (uint64_t i = 0; i < count; i++)
		found += look_at(node.type->data + i * sizeof(uintptr_t), i);
	return found;
}

/* False: there are others too, or it is not known where they are. */
static bool find_references(uint64_t references)
{
	const struct type *type = node.type;
	const uint64_t bytes = node.object.size;
	uint64_t found = 0;

	if (!type)
		return false;
	if (type->kind == TYPE_CLASS && slots__are_known(&type->slots))
		found = look_at_slots(&type->slots);
	else if (type->kind == TYPE_REFERENCES && type->data && type->data < bytes &&
		 (bytes - type->data) / sizeof(uintptr_t) <= GCTRACE_PART_ENTRIES)
		found = look_at_elements((bytes - type->data) / sizeof(uintptr_t));
	if (found != references)
		node.object.count = 0;
	return found == references;
}

/* ---- Objects ---- */

/* An object that ended in the midst of its references is not ended: that shows. */
static bool tell_node(uint64_t address, uint64_t bytes, uint64_t class_, uint64_t references)
{
	node.type = types__get(node.writer, class_, address);
	node.object = (struct gctrace_object){
		.id = address,
		.class_ = class_,
		.size = bytes,
		.place = places__form(node.type),
		.refs = node.refs,
		.places = node.places,
	};
	if (references && !find_references(references))
		CLR_CALL(enumerate_object_references, address, add_reference, NULL);
	if (!node.is_cut)
		tell_part(0);
	return !node.is_cut;
}

static void tell_frozen(struct totals *totals)
{
	if (frozen_count)
		roots__frozen(node.writer, frozen, frozen_count, totals);
	frozen_count = 0;
}

static void add_frozen(uint64_t object, struct totals *totals)
{
	if (frozen_count == GCTRACE_PART_ENTRIES)
		tell_frozen(totals);
	frozen[frozen_count++] = object;
}

void nodes__begin(void)
{
	is_first = true;
}

static void tell_statics(struct gctrace_writer *writer, struct totals *totals)
{
	if (!is_first)
		return;
	is_first = false;
	statics__tell_going(writer, totals);
	thread_statics__tell(writer, statics__domain(), totals);
}

void nodes__event(struct gctrace_writer *writer, struct payload *payload, struct totals *totals)
{
	uint32_t count;

	payload__u32(payload); /* its number */
	count = payload__u32(payload);
	payload__u16(payload);
	tell_statics(writer, totals);
	node.writer = writer;
	node.references = 0;
	node.is_cut = false;
	for (uint32_t i = 0; i < count && pace__may_go_on(); i++) {
		const uint64_t address = payload__u64(payload), bytes = payload__u64(payload);
		const uint64_t class_ = payload__u64(payload), edges = payload__u64(payload);

		if (payload->bad || !tell_node(address, bytes, class_, edges))
			break;
		totals->objects++;
		totals->bytes += bytes;
		if (frozen__has(address))
			add_frozen(address, totals);
	}
	totals->references += node.references;
	tell_frozen(totals);
}
