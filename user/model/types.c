/* SPDX-License-Identifier: BSD-2-Clause */
#include "types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"

static size_t slot_of(const struct types *types, uint64_t class_)
{
	const uint64_t hash = class_ * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash >> 24) & (types->table_size - 1);

	while (types->table[i] && types->of.items[types->table[i] - 1].class_ != class_)
		i = (i + 1) & (types->table_size - 1);
	return i;
}

static int grow(struct types *types)
{
	size_t size = types->table_size ? 2 * types->table_size : 256;
	uint32_t *table;

	if (2 * (types->of.count + 1) <= types->table_size)
		return 0;
	table = calloc(size, sizeof(*table));
	if (!table)
		return -ENOMEM;
	free(types->table);
	types->table = table;
	types->table_size = size;
	for (size_t i = 0; i < types->of.count; i++)
		table[slot_of(types, types->of.items[i].class_)] = (uint32_t)i + 1;
	return 0;
}

static int add(struct types *types, uint64_t class_)
{
	if (grow(types) || vec__push(&types->of, (struct type){ .class_ = class_ }))
		return -ENOMEM;
	types->table[slot_of(types, class_)] = (uint32_t)types->of.count;
	return 0;
}

/* The last one there is room for: all classes that have no index of their own. */
static int need_rest(struct types *types)
{
	const struct type rest = { .class_ = EVENT_UNKNOWN };

	return types->of.count > OBJECT_TYPE_MOST ? 0 : vec__push(&types->of, rest);
}

int types__index(struct types *types, uint64_t class_, uint32_t *index)
{
	size_t slot;

	if (types->of.count == 0 && add(types, 0))
		return -ENOMEM;
	if (types->class_last != class_) {
		slot = slot_of(types, class_);
		if (!types->table[slot]) {
			if (types->of.count >= OBJECT_TYPE_MOST) {
				*index = OBJECT_TYPE_MOST;
				return need_rest(types);
			}
			if (add(types, class_))
				return -ENOMEM;
			slot = slot_of(types, class_);
		}
		types->class_last = class_;
		types->last = types->table[slot] - 1;
	}
	*index = types->last;
	return 0;
}

int types__define(struct types *types, uint64_t class_, struct text name)
{
	struct type *type;
	uint32_t index;
	char *copy;
	int err = types__index(types, class_, &index);

	if (err || index == OBJECT_TYPE_MOST || name.bytes == 0)
		return err;
	type = &types->of.items[index];
	if (text__equal(type->name, name))
		return 0;
	copy = malloc(name.bytes);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, name.at, name.bytes);
	free((char *)type->name.at);
	type->name = (struct text){ copy, name.bytes };
	return 0;
}

void types__free(struct types *types)
{
	for (size_t i = 0; i < types->of.count; i++)
		free((char *)types->of.items[i].name.at);
	vec__free(&types->of);
	free(types->table);
	types->table = NULL;
	types->table_size = 0;
	types->class_last = 0;
	types->last = 0;
}
