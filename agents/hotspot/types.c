/* SPDX-License-Identifier: BSD-2-Clause */
#include "types.h"
#include "fault.h"

#include <gctrace/wire.h>

#include <stdatomic.h>
#include <string.h>

#define MOST_TYPES (1u << 20)
#define MOST_TEXT (1u << 27)
#define MOST_FIELDS (1u << 22)
#define MOST_POSITIONS (1u << 23)
#define MOST_INTERFACES (1u << 21)

struct types types;

/* Interfaces that are still to be looked at; each is pushed once, so that there is room. */
static struct region waiting; /* uint32_t: numbers */
static uint32_t waiting_count;

bool types__init(void)
{
	return region__reserve(&types.of, MOST_TYPES * sizeof(struct type)) &&
	       region__reserve(&types.texts, MOST_TEXT) &&
	       region__reserve(&types.fields, MOST_FIELDS * sizeof(struct field)) &&
	       region__reserve(&types.positions, MOST_POSITIONS * sizeof(uint16_t)) &&
	       region__reserve(&types.interfaces, MOST_INTERFACES * sizeof(uint32_t)) &&
	       region__reserve(&waiting, MOST_TYPES * sizeof(uint32_t));
}

void types__empty(void)
{
	types.of.used = (types.count + 1) * sizeof(struct type); /* with what stands for none */
	region__empty(&types.of);
	region__empty(&types.texts);
	region__empty(&types.fields);
	region__empty(&types.positions);
	region__empty(&types.interfaces);
	waiting.used = waiting.room;
	region__empty(&waiting);
	types.count = types.known = types.classes = 0;
}

void types__begin(void)
{
	region__get(&types.texts, 1); /* an empty text */
}

uint32_t types__add(void)
{
	uint32_t count = atomic_load(&types.count);

	do {
		if (count == MOST_TYPES - 1)
			return 0;
	} while (!atomic_compare_exchange_weak(&types.count, &count, count + 1));
	return count + 1;
}

bool types__is_named(const struct type *type, const char *name)
{
	return type->name_bytes == strlen(name) &&
	       !memcmp(types__text(type->name), name, type->name_bytes);
}

uint32_t types__chain(const struct type *type, const struct type *chain[])
{
	uint32_t count = 0;

	for (const struct type *at = type;; at = types__at(at->super)) {
		if (count == TYPES_CHAIN_MOST) {
			fault__raise("a class has too many above it");
			return 0;
		}
		chain[count++] = at;
		if (!at->super)
			break;
	}
	for (uint32_t i = 0; i < count / 2; i++) {
		const struct type *other = chain[i];

		chain[i] = chain[count - 1 - i];
		chain[count - 1 - i] = other;
	}
	return count;
}

/* ---- Fields of interfaces ---- */

static void push_interfaces(const struct type *type, uint32_t stamp)
{
	const uint32_t *numbers = (const uint32_t *)(const void *)types.interfaces.at +
				  type->interfaces;

	for (uint32_t i = 0; i < type->interface_count; i++) {
		struct type *interface = types__at(numbers[i]);

		if (interface->stamp == stamp)
			continue;
		interface->stamp = stamp;
		((uint32_t *)(void *)waiting.at)[waiting_count++] = numbers[i];
	}
}

/* Of all interfaces of all classes in the chain, each of which counts once. */
static uint32_t count_interface_fields(const struct type *chain[], uint32_t count)
{
	static uint32_t stamp;
	uint32_t fields = 0;

	stamp++;
	for (uint32_t i = 0; i < count; i++)
		push_interfaces(chain[i], stamp);
	while (waiting_count) {
		const uint32_t *numbers = (const void *)waiting.at;
		const struct type *interface = types__at(numbers[--waiting_count]);

		fields += interface->own_count;
		push_interfaces(interface, stamp);
	}
	return fields;
}

/* ---- Positions ---- */

static uint32_t count_own_fields(const struct type *chain[], uint32_t count)
{
	uint32_t fields = 0;

	for (uint32_t i = 0; i < count; i++)
		fields += chain[i]->own_count;
	return fields;
}

/* The fields that the collector looks at, of java.lang.ref.Reference. */
static void note_special(struct type *type, const struct type *declaring,
			 const struct field *field, uint32_t position)
{
	if (!types__is_named(declaring, "java.lang.ref.Reference"))
		return;
	if (!strcmp(types__text(field->name), "referent"))
		type->referent = position;
	else if (!strcmp(types__text(field->name), "next"))
		type->next = position;
}

/* Positions of what one class of the chain declares, from the JVM's index on. */
static void place_own(struct type *type, const struct type *declaring, uint16_t *positions)
{
	for (uint32_t i = 0; i < declaring->own_count; i++) {
		const struct field *field = types__field(declaring, i);

		positions[i] = TYPES_NO_POSITION;
		if (field->is_static || !field->is_reference)
			continue;
		note_special(type, declaring, field, type->references);
		positions[i] = (uint16_t)type->references++;
	}
}

static void note_strength(struct type *type, const struct type *above)
{
	if (types__is_named(above, "java.lang.ref.WeakReference"))
		type->strength = GCTRACE_REF_WEAK;
	else if (types__is_named(above, "java.lang.ref.SoftReference"))
		type->strength = GCTRACE_REF_SOFT;
	else if (types__is_named(above, "java.lang.ref.PhantomReference"))
		type->strength = GCTRACE_REF_PHANTOM;
	else if (types__is_named(above, "java.lang.ref.FinalReference"))
		type->is_final = true;
	if (type->is_final)
		type->strength = GCTRACE_REF_WEAK;
}

void types__link(struct type *type)
{
	static const struct type *chain[TYPES_CHAIN_MOST];
	const uint32_t count = types__chain(type, chain);
	uint32_t index = count_interface_fields(chain, count);
	const uint32_t indices = index + count_own_fields(chain, count);
	uint16_t *positions = region__get(&types.positions, indices * sizeof(*positions));

	type->above = indices - type->own_count;
	type->references = 0;
	if (!positions)
		fault__raise("no room for the fields of so many classes");
	if (!positions || !count)
		return;
	type->positions = (uint32_t)(positions - (uint16_t *)(void *)types.positions.at);
	type->indices = indices;
	memset(positions, 0xff, index * sizeof(*positions));
	for (uint32_t i = 0; i < count; i++) {
		note_strength(type, chain[i]);
		place_own(type, chain[i], positions + index);
		index += chain[i]->own_count;
	}
}
