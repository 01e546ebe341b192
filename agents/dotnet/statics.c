/* SPDX-License-Identifier: BSD-2-Clause */
#include "statics.h"
#include "agents/common/table.h"
#include "clr.h"
#include "modules.h"
#include "types.h"

#define MOST_STATICS (1u << 20)
#define TEXT_BYTES (64u << 20)
#define MOST_TOKENS 64 /* at a time */

#define FIELD_STATIC 0x10u
#define FIELD_LITERAL 0x40u

struct static_root {
	struct table_entry entry; /* key: address of its slot */
	uint64_t object;
	uint64_t domain;
	struct utf16 name;
	bool is_told;
};

static struct table roots, names; /* names by hash: a quick no for most fields */
static struct region texts;

bool statics__init(void)
{
	return table__reserve(&roots, sizeof(struct static_root), MOST_STATICS) &&
	       table__reserve(&names, sizeof(struct table_entry), MOST_STATICS) &&
	       region__reserve(&texts, TEXT_BYTES);
}

void statics__empty(void)
{
	table__empty(&roots);
	table__empty(&names);
	region__empty(&texts);
}

/* ---- In the pause ---- */

static uint64_t hash_of(struct utf16 name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < 2 * name.units; i++)
		hash = (hash ^ name.at[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static struct utf16 keep(struct utf16 name)
{
	uint8_t *to = region__get(&texts, 2 * name.units);

	if (!to)
		return (struct utf16){ name.at, 0 };
	memcpy(to, name.at, 2 * name.units);
	if (!table__find(&names, hash_of(name)))
		table__add(&names, hash_of(name));
	return (struct utf16){ to, name.units };
}

static void add(uint64_t slot, uint64_t object, uint64_t domain, struct utf16 name)
{
	struct static_root *root;

	if (!object || table__find(&roots, slot))
		return;
	root = table__add(&roots, slot);
	if (!root)
		return;
	root->object = object;
	root->domain = domain;
	root->name = keep(name);
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
	if (class_)
		types__get(writer, class_, 0);
	gctrace_write_define(writer, GCTRACE_SPACE_STATIC, class_, position, 0, text, bytes);
	gctrace_write_container(writer, GCTRACE_C_STATIC, class_, 0);
	gctrace_write_root(writer, root->object, 0, GCTRACE_ROOT_STATIC, position);
	totals->roots++;
}

/* The class of a type that is not generic and loaded, or 0. */
static uintptr_t find_class(uintptr_t module, struct metadata *import, uint32_t type)
{
	uint32_t methods[MOST_TOKENS], count = 0, token;
	uintptr_t function, class_ = 0, of;
	void *state = NULL;

	while (!class_ && METADATA_CALL(import, enum_methods, &state, type, methods, MOST_TOKENS,
					&count) == S_OK && count) {
		for (uint32_t i = 0; i < count && !class_; i++)
			if (CLR_CALL(get_function_from_token, module, methods[i], &function) ==
				    S_OK &&
			    CLR_CALL(get_function_info, function, &class_, &of, &token) != S_OK)
				class_ = 0;
	}
	METADATA_CALL(import, close_enum, state);
	return class_;
}

static bool is_wanted(struct metadata *import, uint32_t field)
{
	uint16_t name[MODULE_NAME_UNITS];
	const uint8_t *signature;
	const void *value;
	uint32_t class_, length, attributes, bytes, type, value_units;

	return METADATA_CALL(import, get_field_props, field, &class_, name, MODULE_NAME_UNITS,
			     &length, &attributes, &signature, &bytes, &type, &value,
			     &value_units) == S_OK &&
	       (attributes & (FIELD_STATIC | FIELD_LITERAL)) == FIELD_STATIC &&
	       table__find(&names, hash_of(utf16__of(name)));
}

/* Where a static field stands: one slot, which may be that of a root. */
static struct static_root *root_at(uintptr_t class_, uint32_t field)
{
	const struct static_root *any = table__at(&roots, 0);
	void *address = NULL;

	if (CLR_CALL(get_app_domain_static_address, class_, field, any->domain, &address) != S_OK)
		return NULL;
	return table__find(&roots, (uint64_t)(uintptr_t)address);
}

static void tell_of_type(struct gctrace_writer *writer, const struct module *module, uint32_t type,
			 struct totals *totals)
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
				class_ = find_class(module->entry.key, module->import, type);
			is_looked_for = true;
			root = class_ ? root_at(class_, fields[i]) : NULL;
			if (root && !root->is_told)
				tell(writer, class_, position, root, totals);
		}
	}
	METADATA_CALL(module->import, close_enum, state);
}

static void tell_of_module(struct gctrace_writer *writer, const struct module *module,
			   struct totals *totals)
{
	uint32_t types[MOST_TOKENS], count = 0;
	void *state = NULL;

	while (METADATA_CALL(module->import, enum_type_defs, &state, types, MOST_TOKENS,
			     &count) == S_OK && count) {
		for (uint32_t i = 0; i < count; i++)
			tell_of_type(writer, module, types[i], totals);
	}
	METADATA_CALL(module->import, close_enum, state);
}

void statics__tell(struct gctrace_writer *writer, struct totals *totals)
{
	if (!roots.count)
		return;
	for (uint32_t i = 0; i < modules__count(); i++) {
		const struct module *module = modules__at(i);

		if (module->import && !module->may_unload)
			tell_of_module(writer, module, totals);
	}
	for (uint32_t i = 0; i < roots.count; i++) {
		struct static_root *root = table__at(&roots, i);

		if (!root->is_told)
			tell(writer, 0, i, root, totals);
	}
}
