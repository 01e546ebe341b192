/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_groups.h"

#include <stdlib.h>
#include <string.h>

#include "gctrace/wire.h"
#include "heap_histogram.h"

/* ---------------------------------------------------------------- names */

static bool is_bracket(char c)
{
	return c == '<' || c == '[' || c == '(';
}

/* How many bytes of a separator stand there; 0: none. */
static size_t separator(const char *at, size_t bytes)
{
	if (*at == '.' || *at == '/')
		return 1;
	return bytes > 1 && at[0] == ':' && at[1] == ':' ? 2 : 0;
}

/* "shop.Order;" of the JVM's "[[Lshop.Order;" */
static struct text element_of(struct text name)
{
	const bool is_array = name.bytes && *name.at == '[';

	while (name.bytes && *name.at == '[')
		name = (struct text){ name.at + 1, name.bytes - 1 };
	if (is_array && name.bytes && *name.at == 'L' && name.at[name.bytes - 1] == ';')
		name = (struct text){ name.at + 1, name.bytes - 1 };
	return name;
}

struct text heap_groups__package(struct text type)
{
	const struct text name = element_of(type);
	struct text package = { name.at, 0 };

	for (size_t i = 0; i < name.bytes; i++) {
		const size_t more = separator(name.at + i, name.bytes - i);

		if (is_bracket(name.at[i]))
			break;
		if (!more)
			continue;
		package.bytes = i;
		i += more - 1;
	}
	return package;
}

static struct text name_of(const struct heap_types *types, const struct heap_type *type,
			   enum heap_grouping by)
{
	switch (by) {
	case HEAP_BY_PACKAGE:
		return heap_groups__package(type->name);
	case HEAP_BY_LOADER:
		return heap_types__name(types, GCTRACE_SPACE_LOADER, type->number, 0);
	case HEAP_BY_MODULE:
		return heap_types__name(types, GCTRACE_SPACE_MODULE, type->number, 0);
	default:
		return type->name;
	}
}

/* ---------------------------------------------------------------- groups */

struct named {
	struct text name;
	uint32_t type;
	bool used;
};

static int compare_texts(struct text a, struct text b)
{
	const size_t least = a.bytes < b.bytes ? a.bytes : b.bytes;
	const int order = least ? memcmp(a.at, b.at, least) : 0;

	return order ? order : (a.bytes > b.bytes) - (a.bytes < b.bytes);
}

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	const int order = compare_texts(x->name, y->name);

	return order ? order : (x->type > y->type) - (x->type < y->type);
}

static int put_together(struct heap_groups *groups, const struct named *all, uint32_t count)
{
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		if (!i || groups->by == HEAP_BY_TYPE || compare_texts(all[i - 1].name, all[i].name))
			err = vec__push(&groups->groups, (struct heap_group){ all[i].name, 0 });
		if (err)
			break;
		groups->of[all[i].type] = (uint32_t)groups->groups.count - 1;
		groups->groups.items[groups->groups.count - 1].types += all[i].used;
	}
	return err;
}

int heap_groups__make(struct heap_groups *groups, const struct heap *heap,
		      enum heap_grouping by)
{
	const struct heap_types *types = heap__types(heap);
	struct named *all = calloc(types->count, sizeof(*all));
	int err = -ENOMEM;

	*groups = (struct heap_groups){ .by = by };
	groups->of = calloc(types->count, sizeof(*groups->of));
	for (uint32_t i = 0; i < types->count && all; i++) {
		const struct heap_type type = heap_types__at(types, i);

		all[i] = (struct named){ name_of(types, &type, by), i, types->used.at[i] };
	}
	if (all && groups->of) {
		if (by != HEAP_BY_TYPE)
			qsort(all, types->count, sizeof(*all), by_name);
		err = put_together(groups, all, types->count);
	}
	free(all);
	return err;
}

void heap_groups__free(struct heap_groups *groups)
{
	free(groups->of);
	vec__free(&groups->groups);
}

void heap_groups__exclude(struct heap_groups *groups, const struct heap *heap, uint32_t type)
{
	groups->groups.items[groups->of[type]].types -= heap__types(heap)->used.at[type];
	groups->of[type] = HEAP_NO_GROUP;
}

bool heap_groups__has_names(const struct heap_groups *groups)
{
	for (size_t i = 0; i < groups->groups.count; i++)
		if (groups->groups.items[i].types && groups->groups.items[i].name.bytes)
			return true;
	return false;
}
