/* SPDX-License-Identifier: BSD-2-Clause */
#include "statics.h"
#include "agents/common/table.h"
#include "agents/common/unnamed.h"
#include "classes.h"
#include "clr.h"
#include "gone.h"
#include "modules.h"
#include "types.h"

#define MOST_STATICS (1u << 20)
#define TEXT_BYTES (64u << 20)
#define MOST_TOKENS 64 /* at a time */

#define FIRST_FIELD 0x04000001u
#define FIELD_STATIC 0x10u
#define FIELD_LITERAL 0x40u

struct name_entry {
	struct table_entry entry; /* key: hash of a name */
	uint32_t untold;	  /* roots with it; a quick no for most fields */
};

struct static_root {
	struct table_entry entry; /* key: address of its slot */
	uint64_t object;
	uint64_t domain;
	struct utf16 name;
	bool is_told;
};

/* What a root refers to may be one, of a struct. */
struct box {
	struct table_entry entry; /* key: address of what is in it */
	uint32_t root;
};

static struct table roots, names, boxes;
static struct region texts;
static uint64_t lowest = UINT64_MAX, highest; /* slots; a quick no for most others */

bool statics__init(void)
{
	return table__reserve(&roots, sizeof(struct static_root), MOST_STATICS) &&
	       table__reserve(&names, sizeof(struct name_entry), MOST_STATICS) &&
	       table__reserve(&boxes, sizeof(struct box), MOST_STATICS) &&
	       region__reserve(&texts, TEXT_BYTES);
}

void statics__empty(void)
{
	table__empty(&roots);
	table__empty(&names);
	table__empty(&boxes);
	region__empty(&texts);
	lowest = UINT64_MAX;
	highest = 0;
}

/* ---- In the pause ---- */

static uint64_t hash_of(struct utf16 name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < 2 * name.units; i++)
		hash = (hash ^ name.at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static void count_name(struct utf16 name, int more)
{
	const uint64_t hash = hash_of(name);
	struct name_entry *entry = table__find(&names, hash);

	if (!entry)
		entry = table__add(&names, hash);
	if (entry)
		entry->untold += (uint32_t)more;
}

static bool has_untold(struct utf16 name)
{
	const struct name_entry *entry = table__find(&names, hash_of(name));

	return entry && entry->untold;
}

static struct utf16 keep(struct utf16 name)
{
	uint8_t *to = region__get(&texts, 2 * name.units);

	if (!to) {
		unnamed__add(1);
		return (struct utf16){ name.at, 0 };
	}
	memcpy(to, name.at, 2 * name.units);
	return (struct utf16){ to, name.units };
}

static void add_box(uint64_t object, uint32_t root)
{
	const uint64_t inside = object + sizeof(uintptr_t); /* behind its class */
	struct box *box = table__find(&boxes, inside) ? NULL : table__add(&boxes, inside);

	if (box)
		box->root = root;
}

static void add(uint64_t slot, uint64_t object, uint64_t domain, struct utf16 name)
{
	struct static_root *root;

	if (!object || table__find(&roots, slot))
		return;
	root = table__add(&roots, slot);
	if (!root) {
		unnamed__add(1);
		return;
	}
	root->object = object;
	root->domain = domain;
	root->name = keep(name);
	add_box(object, roots.count - 1);
	count_name(root->name, 1);
	lowest = slot < lowest ? slot : lowest;
	highest = slot > highest ? slot : highest;
}

bool statics__has(uint64_t slot)
{
	return slot >= lowest && slot <= highest && table__find(&roots, slot);
}

void statics__event(struct payload *payload)
{
	const uint32_t count = payload__u32(payload);
	const uint64_t domain = payload__u64(payload);

	payload__u16(payload);
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t slot = payload__u64(payload), object = payload__u64(payload);
		struct utf16 name;

		payload__u64(payload); /* the class of what it refers to */
		payload__u32(payload); /* flags */
		name = payload__utf16(payload);
		if (payload->bad)
			return;
		add(slot, object, domain, name);
	}
}

/* ---- Afterwards: whose they are ---- */

static void tell(struct gctrace_writer *writer, uint64_t class_, uint64_t position,
		 struct static_root *root, struct totals *totals)
{
	char text[3 * MODULE_NAME_UNITS];
	const size_t bytes = utf16__to_utf8(root->name, text, sizeof(text));

	root->is_told = true;
	count_name(root->name, -1);
	if (class_)
		types__get(writer, class_, 0);
	gctrace_write_define(writer, GCTRACE_SPACE_STATIC, class_, position, 0, text, bytes);
	gctrace_write_container(writer, GCTRACE_C_STATIC, class_, 0);
	gctrace_write_root(writer, root->object, 0, GCTRACE_ROOT_STATIC, position);
	totals->roots++;
}

/* Is it a static one whose name some root has that is not told yet? */
static bool is_wanted(struct metadata *import, uint32_t field)
{
	uint16_t name[MODULE_NAME_UNITS];
	const uint8_t *signature;
	const void *value;
	uint32_t type, length, attributes, bytes, constant, value_units;

	return METADATA_CALL(import, get_field_props, field, &type, name, MODULE_NAME_UNITS,
			     &length, &attributes, &signature, &bytes, &constant, &value,
			     &value_units) == S_OK &&
	       (attributes & (FIELD_STATIC | FIELD_LITERAL)) == FIELD_STATIC &&
	       has_untold(utf16__of(name));
}

/* Whose field it is; false: there are no more. */
static bool get_owner(struct metadata *import, uint32_t field, uint32_t *type)
{
	uint32_t units, attributes, bytes, constant, value_units;
	const uint8_t *signature;
	const void *value;

	return METADATA_CALL(import, get_field_props, field, type, NULL, 0, &units, &attributes,
			     &signature, &bytes, &constant, &value, &value_units) >= 0;
}

/*
 * Where a static field stands: one slot, which may be that of a root. Of a struct the runtime does
 * not say where the reference to its box is, but what is in the box, which it does not move.
 */
static struct static_root *root_at(uintptr_t class_, uint32_t field)
{
	const struct static_root *any = table__at(&roots, 0);
	const struct box *box;
	struct static_root *root;
	void *address = NULL;

	if (CLR_CALL(get_app_domain_static_address, class_, field, any->domain, &address) != S_OK)
		return NULL;
	root = table__find(&roots, (uint64_t)(uintptr_t)address);
	if (root)
		return root;
	box = table__find(&boxes, (uint64_t)(uintptr_t)address);
	return box ? table__at(&roots, box->root) : NULL;
}

static void tell_of_type(struct gctrace_writer *writer, const struct module *module, uint32_t type,
			 bool may_load, struct totals *totals)
{
	uint32_t fields[MOST_TOKENS], count = 0, position = 0;
	uintptr_t class_ = 0;
	bool is_looked_for = false;
	struct static_root *root;
	void *state = NULL;

	while (METADATA_CALL(module->import, enum_fields, &state, type, fields, MOST_TOKENS,
			     &count) == S_OK && count) {
		for (uint32_t i = 0; i < count; i++, position++) {
			if (!is_wanted(module->import, fields[i]))
				continue;
			if (!is_looked_for)
				class_ = classes__find(module, type, may_load);
			is_looked_for = true;
			root = class_ ? root_at(class_, fields[i]) : NULL;
			if (root && !root->is_told)
				tell(writer, class_, position, root, totals);
		}
	}
	METADATA_CALL(module->import, close_enum, state);
}

static void tell_of_module(struct gctrace_writer *writer, const struct module *module,
			   bool may_load, struct totals *totals)
{
	uint32_t types[MOST_TOKENS], count = 0;
	void *state = NULL;

	while (METADATA_CALL(module->import, enum_type_defs, &state, types, MOST_TOKENS,
			     &count) == S_OK && count) {
		for (uint32_t i = 0; i < count; i++)
			tell_of_type(writer, module, types[i], may_load, totals);
	}
	METADATA_CALL(module->import, close_enum, state);
}

/* One that may be unloaded: in the pause, so without enumerators, which allocate. */
static void tell_of_going(struct gctrace_writer *writer, const struct module *module,
			  struct totals *totals)
{
	uint32_t type, looked_for = 0, position = 0;
	uintptr_t class_ = 0;
	struct static_root *root;

	for (uint32_t field = FIRST_FIELD; get_owner(module->import, field, &type); field++) {
		position++;
		if (!is_wanted(module->import, field))
			continue;
		if (type != looked_for)
			class_ = classes__find_in_pause(module, type);
		looked_for = type;
		root = class_ ? root_at(class_, field) : NULL;
		if (root && !root->is_told)
			tell(writer, class_, position, root, totals);
	}
}

void statics__tell_going(struct gctrace_writer *writer, struct totals *totals)
{
	gone__hold();
	for (uint32_t i = 0; i < modules__count() && roots.count; i++) {
		const struct module *module = modules__at(i);

		if (module->import && module->may_unload && !gone__has(module->entry.key))
			tell_of_going(writer, module, totals);
	}
	gone__release();
}

uintptr_t statics__domain(void)
{
	const struct static_root *any = roots.count ? table__at(&roots, 0) : NULL;

	return any ? any->domain : 0;
}

static void tell_of_modules(struct gctrace_writer *writer, bool may_load, struct totals *totals)
{
	for (uint32_t i = 0; i < modules__count() && roots.count; i++) {
		const struct module *module = modules__at(i);

		if (module->import && !module->may_unload)
			tell_of_module(writer, module, may_load, totals);
	}
}

void statics__tell(struct gctrace_writer *writer, struct totals *totals)
{
	tell_of_modules(writer, false, totals);
	tell_of_modules(writer, true, totals);
	for (uint32_t i = 0; i < roots.count; i++) {
		struct static_root *root = table__at(&roots, i);

		if (!root->is_told)
			tell(writer, 0, i, root, totals);
	}
}
