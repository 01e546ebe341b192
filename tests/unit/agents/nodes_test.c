/* SPDX-License-Identifier: BSD-2-Clause */
/* Events of objects become objects with references, each with its place, by an invented runtime. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/dotnet/nodes.c"

#define SLOTS 5000

struct clr clr;

/* One object of this size lies here; the runtime's address of it is ours. */
static uintptr_t slots[SLOTS];
static struct type type;
static unsigned enumerated; /* how often the runtime was asked for references */
static struct gctrace_writer writer;

static struct {
	unsigned parts;
	uint64_t ids[8], refs[SLOTS], places[SLOTS], first[8];
	uint32_t flags[8];
	size_t count, counts[8];
	size_t frozen;
	unsigned in_pause; /* how often statics were told; threads' count 10 times */
} told;
static unsigned looks_left;

void gctrace_write_object(struct gctrace_writer *w, const struct gctrace_object *object)
{
	(void)w;
	assert_true(told.parts < 8);
	told.ids[told.parts] = object->id;
	told.flags[told.parts] = object->flags;
	told.first[told.parts] = object->first;
	told.counts[told.parts++] = object->count;
	for (size_t i = 0; i < object->count; i++, told.count++) {
		told.refs[told.count] = object->refs[i];
		told.places[told.count] = object->places[i];
	}
}

struct type *types__get(struct gctrace_writer *w, uint64_t class_, uintptr_t object)
{
	(void)w;
	(void)object;
	return class_ == 7 ? &type : NULL;
}

uint64_t places__of(const struct type *of, uint64_t offset, uint64_t bytes)
{
	(void)of;
	return offset < bytes ? offset : PLACE_NOWHERE;
}

uint32_t places__form(const struct type *of)
{
	return of ? GCTRACE_PLACE_OFFSET : GCTRACE_PLACE_UNKNOWN;
}

static const uintptr_t *static_slot;

bool statics__has(uint64_t slot)
{
	return slot == (uintptr_t)static_slot;
}

bool pace__may_go_on(void)
{
	return looks_left && looks_left--;
}

bool thread_statics__has(uint64_t slot)
{
	(void)slot;
	return false;
}

void thread_statics__tell(struct gctrace_writer *w, uintptr_t domain, struct totals *totals)
{
	(void)w;
	(void)totals;
	assert_int_equal(domain, 5);
	told.in_pause += 10;
}

void statics__tell_going(struct gctrace_writer *w, struct totals *totals)
{
	(void)w;
	(void)totals;
	assert_int_equal(told.parts, 0);
	told.in_pause++;
}

uintptr_t statics__domain(void)
{
	return 5;
}

bool frozen__has(uint64_t object)
{
	return object == 0x1000;
}

void roots__frozen(struct gctrace_writer *w, const uint64_t *objects, size_t count,
		   struct totals *totals)
{
	(void)w;
	assert_int_equal(objects[0], 0x1000);
	told.frozen += count;
	totals->roots += count;
}

/* Slot 0 is the class; all others, also those that are null. */
static HRESULT enumerate(void *self, uintptr_t object, reference_callback *callback, void *context)
{
	(void)self;
	enumerated++;
	assert_int_equal(object, (uintptr_t)slots);
	for (size_t i = 1; i < SLOTS; i++)
		if (slots[i] != 1 && !callback(object, &slots[i], context))
			break;
	return S_OK;
}

static struct payload event(uint8_t *bytes, uint32_t count, const uint64_t (*nodes)[4])
{
	const uint32_t number = 5;

	memcpy(bytes, &number, 4);
	memcpy(bytes + 4, &count, 4);
	memset(bytes + 8, 0, 2);
	memcpy(bytes + 10, nodes, count * 32);
	return payload__of(bytes, 10 + count * 32);
}

static struct totals tell_all(struct payload *payload)
{
	struct totals totals = { 0 };

	memset(&told, 0, sizeof(told));
	nodes__event(&writer, payload, &totals);
	return totals;
}

/* 1: no slot for the collector. */
static int begin(void **state)
{
	(void)state;
	for (size_t i = 0; i < SLOTS; i++)
		slots[i] = 1;
	looks_left = UINT32_MAX;
	type = (struct type){ .kind = TYPE_CLASS };
	enumerated = 0;
	return 0;
}

static void null_fields_stand_between_set_ones(void **state)
{
	const uint64_t nodes[][4] = { { (uintptr_t)slots, 48, 7, 2 }, { 0x2000, 30, 7, 0 } };
	uint8_t bytes[128];
	struct payload payload = event(bytes, 2, nodes);
	struct totals totals;

	(void)state;
	slots[1] = 0;
	slots[2] = 0x5000;
	slots[3] = slots[4] = 0;
	slots[5] = 0x6000;
	totals = tell_all(&payload);
	assert_int_equal(told.parts, 2);
	assert_int_equal(told.counts[0], 2);
	assert_int_equal(told.refs[0], 0x5000);
	assert_int_equal(told.places[0], 16);
	assert_int_equal(told.refs[1], 0x6000);
	assert_int_equal(told.places[1], 40);
	assert_int_equal(told.counts[1], 0); /* no reference: it is not asked for any */
	assert_int_equal(totals.objects, 2);
	assert_int_equal(totals.references, 2);
	assert_int_equal(totals.bytes, 78);
}

static void tell_with(uint64_t references)
{
	const uint64_t nodes[][4] = { { (uintptr_t)slots, 48, 7, references } };
	uint8_t bytes[64];
	struct payload payload = event(bytes, 1, nodes);

	assert_int_equal(tell_all(&payload).references, references);
	assert_int_equal(told.parts, 1);
	assert_int_equal(told.counts[0], references);
}

static void slots_that_were_seen_are_looked_at_without_the_runtime(void **state)
{
	(void)state;
	slots[2] = 0x5000;
	slots[4] = 0x6000;
	tell_with(2);
	assert_int_equal(enumerated, 1);
	slots[2] = 0;
	slots[4] = 0x7000;
	tell_with(1);
	assert_int_equal(enumerated, 1);
	assert_int_equal(told.refs[0], 0x7000);
	assert_int_equal(told.places[0], 32);
}

/* As many as were found must be as many as there are. */
static void a_reference_where_none_was_before_is_found(void **state)
{
	(void)state;
	slots[2] = 0x5000;
	tell_with(1);
	slots[3] = 0x6000;
	tell_with(2);
	assert_int_equal(enumerated, 2);
	assert_int_equal(told.refs[1], 0x6000);
	slots[2] = 0;
	slots[5] = 0x7000;
	tell_with(2);
	assert_int_equal(enumerated, 3);
	assert_int_equal(told.refs[0], 0x6000);
	assert_int_equal(told.refs[1], 0x7000);
	assert_int_equal(told.places[1], 40);
}

static void a_slot_behind_the_end_is_none(void **state)
{
	const uint64_t nodes[][4] = { { (uintptr_t)slots, 32, 7, 1 } };
	uint8_t bytes[64];
	struct payload payload = event(bytes, 1, nodes);

	(void)state;
	slots[5] = 0x5000;
	tell_with(1);
	slots[5] = 0x6000;
	slots[2] = 0x7000;
	tell_with(2);
	assert_int_equal(enumerated, 2);
	assert_int_equal(tell_all(&payload).references, 1);
	assert_int_equal(told.refs[0], 0x7000);
	assert_int_equal(enumerated, 2);
}

static void a_class_of_many_slots_is_always_enumerated(void **state)
{
	(void)state;
	for (size_t i = 1; i <= SLOTS_MOST + 1; i++)
		slots[i] = 0x5000;
	for (unsigned i = 1; i <= 3; i++) {
		const uint64_t nodes[][4] = { { (uintptr_t)slots, 8 * (SLOTS_MOST + 2), 7,
						SLOTS_MOST + 1 } };
		uint8_t bytes[64];
		struct payload payload = event(bytes, 1, nodes);

		assert_int_equal(tell_all(&payload).references, SLOTS_MOST + 1);
		assert_int_equal(enumerated, i);
	}
}

static void elements_of_an_array_of_references_are_slots(void **state)
{
	(void)state;
	type = (struct type){ .kind = TYPE_REFERENCES, .data = 16 };
	slots[2] = 0x5000;
	slots[3] = slots[4] = 0;
	slots[5] = 0x6000;
	tell_with(2);
	assert_int_equal(enumerated, 0);
	assert_int_equal(told.places[0], 0);
	assert_int_equal(told.refs[1], 0x6000);
	assert_int_equal(told.places[1], 3);
}

/* It is told as the static that it is. */
static void the_slot_of_a_static_is_no_element(void **state)
{
	const uint64_t nodes[][4] = { { (uintptr_t)slots, 48, 7, 2 } };
	uint8_t bytes[64];
	struct payload payload = event(bytes, 1, nodes);
	struct totals totals;

	(void)state;
	slots[1] = 0x5000;
	slots[2] = 0x6000;
	static_slot = &slots[1];
	totals = tell_all(&payload);
	static_slot = NULL;
	assert_int_equal(totals.references, 1);
	assert_int_equal(told.refs[0], 0x6000);
	assert_int_equal(told.places[0], 16);
}

static void many_references_come_in_parts(void **state)
{
	const uint64_t nodes[][4] = { { (uintptr_t)slots, sizeof(slots), 7, 4999 } };
	uint8_t bytes[64];
	struct payload payload = event(bytes, 1, nodes);
	struct totals totals;

	(void)state;
	for (size_t i = 1; i < SLOTS; i++)
		slots[i] = 0x10000 + i * 8;
	totals = tell_all(&payload);
	assert_int_equal(told.parts, 3);
	assert_int_equal(told.flags[0], GCTRACE_MORE_REFERENCES);
	assert_int_equal(told.flags[1], GCTRACE_MORE_REFERENCES);
	assert_int_equal(told.flags[2], 0);
	assert_int_equal(told.first[1], GCTRACE_PART_ENTRIES);
	assert_int_equal(told.first[2], 2 * GCTRACE_PART_ENTRIES);
	assert_int_equal(told.count, SLOTS - 1);
	assert_int_equal(told.places[SLOTS - 2], (SLOTS - 1) * 8);
	assert_int_equal(totals.references, SLOTS - 1);
	assert_int_equal(totals.objects, 1);
}

static void a_dump_that_is_over_ends_in_the_midst(void **state)
{
	const uint64_t nodes[][4] = { { (uintptr_t)slots, sizeof(slots), 7, 4999 },
				      { 0x2000, 24, 7, 0 } };
	uint8_t bytes[128];
	struct payload payload = event(bytes, 2, nodes);
	struct totals totals;

	(void)state;
	for (size_t i = 1; i < SLOTS; i++)
		slots[i] = 0x10000 + i * 8;
	looks_left = 1; /* as the event begins; not behind the first part */
	totals = tell_all(&payload);
	assert_int_equal(told.parts, 1);
	assert_int_equal(told.flags[0], GCTRACE_MORE_REFERENCES);
	assert_int_equal(totals.objects, 0);
	assert_int_equal(totals.references, GCTRACE_PART_ENTRIES);
}

static void a_class_without_room_has_places_unknown(void **state)
{
	const uint64_t nodes[][4] = { { 0x2000, 24, 8, 0 } };
	uint8_t bytes[64];
	struct payload payload = event(bytes, 1, nodes);

	(void)state;
	assert_int_equal(tell_all(&payload).objects, 1);
	assert_int_equal(told.parts, 1);
}

static void frozen_objects_are_roots(void **state)
{
	const uint64_t nodes[][4] = { { 0x1000, 24, 7, 0 }, { 0x2000, 24, 7, 0 } };
	uint8_t bytes[128];
	struct payload payload = event(bytes, 2, nodes);

	(void)state;
	assert_int_equal(tell_all(&payload).roots, 1);
	assert_int_equal(told.frozen, 1);
}

static void statics_are_told_once_and_before_objects(void **state)
{
	const uint64_t nodes[][4] = { { 0x1000, 24, 7, 0 } };
	uint8_t bytes[128];
	struct payload payload = event(bytes, 1, nodes), again = payload;
	struct totals totals = { 0 };

	(void)state;
	memset(&told, 0, sizeof(told));
	nodes__begin();
	nodes__event(&writer, &payload, &totals);
	nodes__event(&writer, &again, &totals);
	assert_int_equal(told.in_pause, 11);
	assert_int_equal(told.parts, 2);
}

static void a_cut_event_tells_what_is_whole(void **state)
{
	const uint64_t nodes[][4] = { { 0x2000, 24, 7, 0 }, { 0x3000, 24, 7, 0 } };
	uint8_t bytes[128];
	struct payload payload = event(bytes, 2, nodes);

	(void)state;
	payload.end -= 1;
	assert_int_equal(tell_all(&payload).objects, 1);
	payload = payload__of(bytes, 3);
	assert_int_equal(tell_all(&payload).objects, 0);
}

int main(void)
{
	static const struct info_table table = { .enumerate_object_references = enumerate };
	static struct info info = { &table };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(null_fields_stand_between_set_ones, begin),
		cmocka_unit_test_setup(slots_that_were_seen_are_looked_at_without_the_runtime,
				       begin),
		cmocka_unit_test_setup(a_reference_where_none_was_before_is_found, begin),
		cmocka_unit_test_setup(a_slot_behind_the_end_is_none, begin),
		cmocka_unit_test_setup(a_class_of_many_slots_is_always_enumerated, begin),
		cmocka_unit_test_setup(elements_of_an_array_of_references_are_slots, begin),
		cmocka_unit_test_setup(the_slot_of_a_static_is_no_element, begin),
		cmocka_unit_test_setup(many_references_come_in_parts, begin),
		cmocka_unit_test_setup(a_dump_that_is_over_ends_in_the_midst, begin),
		cmocka_unit_test_setup(a_class_without_room_has_places_unknown, begin),
		cmocka_unit_test_setup(frozen_objects_are_roots, begin),
		cmocka_unit_test_setup(statics_are_told_once_and_before_objects, begin),
		cmocka_unit_test_setup(a_cut_event_tells_what_is_whole, begin),
	};

	clr.info = &info;
	return cmocka_run_group_tests_name("agents/nodes", tests, NULL, NULL);
}
