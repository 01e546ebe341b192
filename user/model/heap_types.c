/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_types.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "gctrace/wire.h"
#include "heap_rows.h"

struct text_at {
	uint64_t at, bytes;
};

struct type_entry {
	uint64_t number, super, size;
	uint32_t flags;
	bool defined;
	struct text_at name, fields;
};

struct name_entry {
	uint64_t space, id, a, b;
	uint64_t order; /* as told; after sealing of no meaning */
	struct text_at name;
};

static struct type_entry *entries(const struct heap_types *types)
{
	return (struct type_entry *)(void *)types->of.at;
}

static struct name_entry *names(const struct heap_types *types)
{
	return (struct name_entry *)(void *)types->names.at;
}

static size_t names_count(const struct heap_types *types)
{
	return types->names.used / sizeof(struct name_entry);
}

static struct text text_of(const struct heap_types *types, struct text_at at)
{
	if (at.bytes == 0)
		return (struct text){ "", 0 };
	return (struct text){ (const char *)types->texts.at + at.at, at.bytes };
}

static uint64_t hash_of(const void *context, uint32_t index)
{
	return hash__mix(0, entries(context)[index].number);
}

static int add_type(struct heap_types *types, uint64_t number)
{
	struct type_entry *entry = pile__add(&types->of, types->memory, sizeof(*entry));
	uint8_t *used = pile__add(&types->used, types->memory, 1);

	if (!entry || !used)
		return memory__error(types->memory);
	*entry = (struct type_entry){ .number = number };
	*used = 0;
	types->count++;
	return 0;
}

int heap_types__init(struct heap_types *types, struct memory *memory)
{
	memset(types, 0, sizeof(*types));
	types->memory = memory;
	return add_type(types, EVENT_UNKNOWN);
}

void heap_types__free(struct heap_types *types)
{
	pile__free(&types->of, types->memory);
	pile__free(&types->used, types->memory);
	pile__free(&types->texts, types->memory);
	pile__free(&types->names, types->memory);
	hash_slots__free(&types->by_number, types->memory);
}

uint32_t heap_types__known(const struct heap_types *types, uint64_t number)
{
	const struct hash_slots *slots = &types->by_number;
	uint32_t at;

	if (!slots->of)
		return UINT32_MAX;
	for (at = hash_slots__first(slots, hash__mix(0, number)); slots->of[at];
	     at = hash_slots__next(slots, at))
		if (entries(types)[slots->of[at] - 1].number == number)
			return slots->of[at] - 1;
	return UINT32_MAX;
}

static int add_known(struct heap_types *types, uint64_t number)
{
	struct hash_slots *slots = &types->by_number;
	uint32_t at;
	int err = hash_slots__room(slots, types->memory, hash_of, types);

	if (!err)
		err = add_type(types, number);
	if (err)
		return err;
	at = hash_slots__first(slots, hash__mix(0, number));
	while (slots->of[at])
		at = hash_slots__next(slots, at);
	slots->of[at] = types->count;
	slots->count++;
	return 0;
}

int heap_types__find_slow(struct heap_types *types, uint64_t number, uint32_t *index)
{
	const uint32_t recent = (uint32_t)number & (HEAP_TYPES_RECENT - 1);
	int err;

	*index = heap_types__known(types, number);
	if (*index == UINT32_MAX && types->count >= HEAP_TYPES_MOST) {
		types->beyond++;
		*index = 0;
		return 0;
	}
	if (*index == UINT32_MAX) {
		err = add_known(types, number);
		if (err)
			return err;
		*index = types->count - 1;
	}
	types->recent[recent].number = number;
	types->recent[recent].index = *index;
	return 0;
}

/* Over the old text where that is the same or longer: who says things twice costs nothing. */
static int keep(struct heap_types *types, struct text_at *at, struct text text)
{
	void *to;

	if (text.bytes > at->bytes) {
		to = pile__add(&types->texts, types->memory, text.bytes);
		if (!to)
			return memory__error(types->memory);
		at->at = (uint64_t)((uint8_t *)to - types->texts.at);
	}
	at->bytes = text.bytes;
	if (text.bytes)
		memcpy(types->texts.at + at->at, text.at, text.bytes);
	return 0;
}

int heap_types__class(struct heap_types *types, const struct event *event)
{
	struct type_entry *entry;
	uint32_t index;
	int err = heap_types__find(types, event->class_.class_, &index);

	if (err || index == 0)
		return err;
	entry = &entries(types)[index];
	entry->defined = true;
	entry->super = event->class_.super;
	entry->size = event->class_.size;
	entry->flags = event->class_.flags;
	err = keep(types, &entry->name, event->class_.name);
	return err ? err : keep(types, &entry->fields, event->class_.fields);
}

static bool is_of_class(uint64_t space)
{
	return space == GCTRACE_SPACE_FIELD || space == GCTRACE_SPACE_STATIC;
}

int heap_types__define(struct heap_types *types, const struct event *event)
{
	struct name_entry *entry = pile__add(&types->names, types->memory, sizeof(*entry));

	if (!entry)
		return memory__error(types->memory);
	*entry = (struct name_entry){
		.space = event->define.space,
		.id = event->define.id,
		.a = event->define.a,
		.b = event->define.b,
		.order = names_count(types),
	};
	return keep(types, &entry->name, event->define.name);
}

static int compare_keys(const struct name_entry *left, const struct name_entry *right)
{
	if (left->space != right->space)
		return left->space < right->space ? -1 : 1;
	if (left->id != right->id)
		return left->id < right->id ? -1 : 1;
	if (is_of_class(left->space) && left->a != right->a)
		return left->a < right->a ? -1 : 1;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct name_entry *left = a, *right = b;
	int keys = compare_keys(left, right);

	return keys ? keys : left->order < right->order ? -1 : left->order > right->order;
}

void heap_types__seal(struct heap_types *types)
{
	struct name_entry *of = names(types);
	size_t count = names_count(types), kept = 0;

	if (count > 1)
		qsort(of, count, sizeof(*of), compare);
	for (size_t i = 0; i < count; i++)
		if (i + 1 == count || compare_keys(&of[i], &of[i + 1]))
			of[kept++] = of[i];
	types->names.used = kept * sizeof(*of);
}

uint64_t heap_types__undefined(const struct heap_types *types)
{
	uint64_t undefined = 0;

	for (uint32_t i = 0; i < types->count; i++)
		undefined += types->used.at[i] && !entries(types)[i].defined;
	return undefined;
}

uint64_t heap_types__estimated(const struct heap_types *types)
{
	uint64_t estimated = 0;

	for (uint32_t i = 0; i < types->count; i++)
		estimated += types->used.at[i] && entries(types)[i].flags & EVENT_CLASS_ESTIMATED;
	return estimated;
}

struct heap_type heap_types__at(const struct heap_types *types, uint32_t index)
{
	const struct type_entry *entry = &entries(types)[index];

	return (struct heap_type){
		.number = entry->number,
		.super = entry->super,
		.size = entry->size,
		.flags = entry->flags,
		.defined = entry->defined,
		.name = text_of(types, entry->name),
		.fields = text_of(types, entry->fields),
	};
}

uint64_t heap_types__size(const struct heap_types *types, uint32_t index)
{
	const uint64_t size = entries(types)[index].size;

	return size == EVENT_UNKNOWN ? 0 : size;
}

bool heap_types__is_of_classes(const struct heap_types *types, uint32_t index)
{
	return entries(types)[index].flags & GCTRACE_CLASS_OF_CLASSES;
}

/* The first that is not below the key. */
static size_t lower(const struct heap_types *types, const struct name_entry *key)
{
	return search__front(names(types), names_count(types), entry, compare_keys(entry, key) < 0);
}

struct text heap_types__name(const struct heap_types *types, uint32_t space, uint64_t id,
			     uint64_t a)
{
	const struct name_entry key = { .space = space, .id = id, .a = a };
	const size_t at = lower(types, &key);

	if (at == names_count(types) || compare_keys(&names(types)[at], &key))
		return (struct text){ "", 0 };
	return text_of(types, names(types)[at].name);
}

static struct text nth_field(struct text fields, uint64_t n)
{
	const char *at = fields.at, *end = fields.at + fields.bytes, *stop;

	for (; at < end; at = stop + 1, n--) {
		stop = memchr(at, 0, (size_t)(end - at));
		stop = stop ? stop : end;
		if (n == 0)
			return (struct text){ at, (size_t)(stop - at) };
	}
	return (struct text){ "", 0 };
}

/* The fields that were told one by one, in the order of their positions; how many. */
static size_t told_fields(const struct heap_types *types, uint64_t class_,
			  const struct name_entry **first)
{
	const struct name_entry key = { .space = GCTRACE_SPACE_FIELD, .id = class_ };
	const size_t from = lower(types, &key);
	size_t at = from;

	while (at < names_count(types) && names(types)[at].space == key.space &&
	       names(types)[at].id == class_)
		at++;
	*first = at > from ? &names(types)[from] : NULL;
	return at - from;
}

/* The last field that begins at or before the offset: what is behind its beginning is in it. */
static struct heap_place field_at(const struct heap_types *types, uint64_t class_, uint64_t offset)
{
	const struct name_entry *of, *found = NULL;
	const size_t count = told_fields(types, class_, &of);

	for (size_t i = 0; i < count; i++)
		if (of[i].b <= offset && (!found || of[i].b >= found->b))
			found = &of[i];
	if (!found)
		return (struct heap_place){ .element = EVENT_UNKNOWN };
	return (struct heap_place){ EVENT_UNKNOWN, text_of(types, found->name),
				    offset - found->b };
}

/* Where elements are structs, the array's class is told with their fields, counted through. */
static struct heap_place element_at(const struct heap_types *types, uint64_t class_,
				    unsigned int kind, uint64_t place)
{
	const struct name_entry *of;
	const size_t count = told_fields(types, class_, &of);

	if (!count || kind != GCTRACE_PLACE_INDEX)
		return (struct heap_place){ .element = place };
	return (struct heap_place){ place / count, text_of(types, of[place % count].name), 0 };
}

static struct text field_of(const struct heap_types *types, const struct type_entry *entry,
			    uint64_t position)
{
	const struct text name = nth_field(text_of(types, entry->fields), position);

	if (name.bytes)
		return name;
	return heap_types__name(types, GCTRACE_SPACE_FIELD, entry->number, position);
}

struct heap_place heap_types__place(const struct heap_types *types, uint32_t type,
				    unsigned int kind, uint64_t place)
{
	const struct type_entry *entry = &entries(types)[type];
	struct heap_place unknown = { .element = EVENT_UNKNOWN };

	if (kind == GCTRACE_PLACE_UNKNOWN || place == EVENT_UNKNOWN || place == PLACE_DEPENDENT)
		return unknown;
	if (entry->flags & GCTRACE_CLASS_ARRAY)
		return element_at(types, entry->number, kind, place);
	if (kind == GCTRACE_PLACE_OFFSET)
		return field_at(types, entry->number, place);
	unknown.field = field_of(types, entry, place);
	return unknown;
}
