/* SPDX-License-Identifier: BSD-2-Clause */
#include "types.h"

#include <errno.h>
#include <stdlib.h>

#include "objects.h"
#include "type_names.h"

/* ---- By class ---- */

static struct type_slot *slot_of(const struct types *types, uint64_t class_)
{
	const uint64_t hash = class_ * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash >> 24) & (types->table_size - 1);

	while (types->table[i].number && types->table[i].class_ != class_)
		i = (i + 1) & (types->table_size - 1);
	return &types->table[i];
}

static int grow(struct types *types)
{
	const size_t before = types->table_size, size = before ? 2 * before : 256;
	struct type_slot *old = types->table, *table;

	if (2 * (types->table_count + 1) <= before)
		return 0;
	table = calloc(size, sizeof(*table));
	if (!table)
		return -ENOMEM;
	types->table = table;
	types->table_size = size;
	for (size_t i = 0; i < before; i++) {
		if (old[i].number)
			*slot_of(types, old[i].class_) = old[i];
	}
	free(old);
	return 0;
}

/* From now on it is this one's, whoever's it was. */
static int bind(struct types *types, uint64_t class_, uint32_t index)
{
	struct type_slot *slot;

	if (grow(types))
		return -ENOMEM;
	slot = slot_of(types, class_);
	types->table_count += slot->number == 0;
	*slot = (struct type_slot){ class_, index + 1 };
	type_names__take_out(types, index);
	types->of.items[index].class_ = index == OBJECT_TYPE_MOST ? EVENT_UNKNOWN : class_;
	types->of.items[index].is_free = false;
	type_names__put(types, index);
	types->class_last = class_;
	types->last = index;
	return 0;
}

/* The last one there is room for: all classes that have no index of their own. */
static int need_rest(struct types *types)
{
	const struct type rest = { .class_ = EVENT_UNKNOWN };

	return types->of.count > OBJECT_TYPE_MOST ? 0 : vec__push(&types->of, rest);
}

static int add(struct types *types, uint64_t class_)
{
	if (vec__push(&types->of, (struct type){ .class_ = class_ }))
		return -ENOMEM;
	return bind(types, class_, (uint32_t)types->of.count - 1);
}

/* There is class 0 at least. */
static int begin(struct types *types)
{
	return types->of.count == 0 ? add(types, 0) : 0;
}

int types__index(struct types *types, uint64_t class_, uint32_t *index)
{
	const struct type_slot *slot;

	if (begin(types))
		return -ENOMEM;
	if (types->class_last != class_) {
		slot = slot_of(types, class_);
		if (!slot->number) {
			if (types->of.count >= OBJECT_TYPE_MOST) {
				*index = OBJECT_TYPE_MOST;
				return need_rest(types);
			}
			if (add(types, class_))
				return -ENOMEM;
			slot = slot_of(types, class_);
		}
		types->class_last = class_;
		types->last = slot->number - 1;
	}
	*index = types->last;
	return 0;
}

/* ---- By name ---- */

static int set_name(struct types *types, uint32_t index, struct text name)
{
	if (text__own(&types->of.items[index].name, name))
		return -ENOMEM;
	type_names__put(types, index);
	return 0;
}

static void set_free(struct types *types, uint32_t index)
{
	type_names__take_out(types, index);
	types->of.items[index].is_free = true;
	type_names__put(types, index);
}

/*
 * One of that name whose number is another one's; else, where `class_` has had another name, the
 * nearest of those that are still to be told. 0: none.
 */
static uint32_t named(const struct types *types, uint64_t class_, struct text name,
		      bool was_another)
{
	const uint32_t index = type_names__free_one(types, name);

	return index || !was_another ? index : type_names__behind(types, name, class_);
}

static int define_as(struct types *types, uint64_t class_, struct text name, bool was_another)
{
	const uint32_t index = named(types, class_, name, was_another);

	if (index)
		return bind(types, class_, index);
	if (types->of.count >= OBJECT_TYPE_MOST) {
		if (need_rest(types))
			return -ENOMEM;
		return was_another ? bind(types, class_, OBJECT_TYPE_MOST) : 0;
	}
	if (add(types, class_))
		return -ENOMEM;
	return set_name(types, (uint32_t)types->of.count - 1, name);
}

int types__define(struct types *types, uint64_t class_, struct text name)
{
	const struct type_slot *slot;
	struct type *type;

	if (begin(types))
		return -ENOMEM;
	if (name.bytes == 0)
		return 0;
	slot = slot_of(types, class_);
	if (!slot->number)
		return define_as(types, class_, name, false);
	type = &types->of.items[slot->number - 1];
	if (slot->number - 1 == OBJECT_TYPE_MOST || text__equal(type->name, name))
		return 0;
	if (type->name.bytes == 0)
		return set_name(types, slot->number - 1, name);
	if (type->class_ == class_ && !type->is_free)
		set_free(types, slot->number - 1);
	return define_as(types, class_, name, true);
}

void types__free(struct types *types)
{
	for (size_t i = 0; i < types->of.count; i++)
		text__free(&types->of.items[i].name);
	vec__free(&types->of);
	free(types->table);
	*types = (struct types){ .table = NULL };
}
