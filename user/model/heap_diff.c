/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void heap_diff__free(struct heap_diff *diff)
{
	hash_slots__free(&diff->slots, &diff->memory);
	pile__free(&diff->texts, &diff->memory);
	vec__free(&diff->types);
}

struct text heap_diff__name(const struct heap_diff *diff, const struct diff_type *type)
{
	return (struct text){ type->name_bytes ? (const char *)diff->texts.at + type->name_at : "",
			      type->name_bytes };
}

/* ---------------------------------------------------------------- which type */

static uint64_t hash_text(struct text text)
{
	uint64_t hash = text.bytes;

	for (size_t i = 0; i < text.bytes; i++)
		hash = hash__mix(hash, (unsigned char)text.at[i]);
	return hash;
}

static uint64_t hash_key(const struct heap_diff *diff, uint64_t class_, struct text name)
{
	return hash__mix(3, diff->one_trace ? class_ : hash_text(name));
}

static uint64_t hash_of(const void *context, uint32_t index)
{
	const struct heap_diff *diff = context;
	const struct diff_type *type = &diff->types.items[index];

	return hash_key(diff, type->class_, heap_diff__name(diff, type));
}

static bool is_same(const struct heap_diff *diff, const struct diff_type *type, uint64_t class_,
		    struct text name)
{
	if (diff->one_trace)
		return type->class_ == class_;
	return text__equal(heap_diff__name(diff, type), name);
}

/* Its slot, or the free one where it would stand. There is room. */
static uint32_t slot_of(const struct heap_diff *diff, uint64_t class_, struct text name)
{
	uint32_t at = hash_slots__first(&diff->slots, hash_key(diff, class_, name));

	while (diff->slots.of[at] &&
	       !is_same(diff, &diff->types.items[diff->slots.of[at] - 1], class_, name))
		at = hash_slots__next(&diff->slots, at);
	return at;
}

static int set_name(struct heap_diff *diff, struct diff_type *type, struct text name)
{
	char *to;

	if (!name.bytes || type->name_bytes)
		return 0;
	to = pile__add(&diff->texts, &diff->memory, name.bytes);
	if (!to)
		return memory__error(&diff->memory);
	memcpy(to, name.at, name.bytes);
	type->name_at = diff->texts.used - name.bytes;
	type->name_bytes = name.bytes;
	return 0;
}

static int need(struct heap_diff *diff, uint64_t class_, struct text name,
		struct diff_type **type)
{
	struct diff_type new_ = { .class_ = diff->one_trace ? class_ : EVENT_UNKNOWN };
	int err = hash_slots__room(&diff->slots, &diff->memory, hash_of, diff);
	uint32_t at;

	if (err)
		return err;
	at = slot_of(diff, class_, name);
	if (!diff->slots.of[at]) {
		err = set_name(diff, &new_, name);
		if (!err)
			err = vec__push(&diff->types, new_);
		if (err)
			return err;
		diff->slots.of[at] = (uint32_t)diff->types.count;
		diff->slots.count++;
	}
	*type = &diff->types.items[diff->slots.of[at] - 1];
	return set_name(diff, *type, name);
}

/* ---------------------------------------------------------------- what there is of it */

static void add_sums(struct heap_type_sums *to, const struct heap_type_sums *sums)
{
	to->objects += sums->objects;
	to->bytes += sums->bytes;
	to->reached_objects += sums->reached_objects;
	to->reached_bytes += sums->reached_bytes;
	to->retained += sums->retained;
}

/* Which line each type of the heap stands in: groups[]. */
static int find_lines(struct heap_diff *diff, const struct heap *heap, const bool *wanted,
		      uint32_t *groups)
{
	const struct heap_types *types = heap__types(heap);
	int err = 0;

	for (uint32_t i = 0; !err && i < types->count; i++) {
		const struct heap_type is = heap_types__at(types, i);
		struct diff_type *type;

		groups[i] = HEAP_NO_GROUP;
		if (!wanted[i] || !types->used.at[i])
			continue;
		err = need(diff, is.number, is.name, &type);
		if (!err)
			groups[i] = (uint32_t)(type - diff->types.items);
	}
	return err;
}

int heap_diff__add(struct heap_diff *diff, unsigned int side, const struct heap *heap,
		   const bool *wanted)
{
	struct heap_selection selection = { .groups = NULL };
	struct heap_type_sums *sums = NULL;
	uint32_t *groups = calloc(heap__types(heap)->count, sizeof(*groups));
	int err = groups ? find_lines(diff, heap, wanted, groups) : -ENOMEM;

	selection.groups = groups;
	selection.count = (uint32_t)diff->types.count;
	if (!err && selection.count)
		err = heap__histogram_of(heap, &selection, &sums);
	for (uint32_t i = 0; !err && i < selection.count; i++)
		add_sums(&diff->types.items[i].side[side], &sums[i]);
	free(sums);
	free(groups);
	return err;
}

static struct diff_type *find(struct heap_diff *diff, uint64_t class_)
{
	const struct text none = { "", 0 };
	uint32_t at;

	if (!diff->slots.of)
		return NULL;
	at = slot_of(diff, class_, none);
	return diff->slots.of[at] ? &diff->types.items[diff->slots.of[at] - 1] : NULL;
}

static void add_fate(struct fate_sum *to, const struct fate_sum *sum)
{
	to->objects += sum->objects;
	to->bytes += sum->bytes;
}

static void add_fates(struct fate *to, const struct fate *fate)
{
	add_fate(&to->survived, &fate->survived);
	add_fate(&to->died, &fate->died);
	add_fate(&to->withdrawn, &fate->withdrawn);
	add_fate(&to->born, &fate->born);
}

static bool agrees(const struct diff_type *type)
{
	const struct fate *fate = &type->fate;

	return type->side[DIFF_WAS].objects ==
		       fate->survived.objects + fate->died.objects + fate->withdrawn.objects &&
	       type->side[DIFF_IS].objects == fate->survived.objects + fate->born.objects;
}

bool heap_diff__fates(struct heap_diff *diff, const struct fates *fates,
		      const struct types *types)
{
	struct diff_type *type;

	for (size_t i = 0; i < fates->of.count; i++) {
		type = find(diff, types->of.items[i].class_);
		if (type)
			add_fates(&type->fate, &fates->of.items[i]);
	}
	diff->has_fates = true;
	for (size_t i = 0; i < diff->types.count; i++)
		diff->has_fates &= agrees(&diff->types.items[i]);
	return diff->has_fates;
}

struct diff_type heap_diff__total(const struct heap_diff *diff)
{
	struct diff_type total = { .class_ = EVENT_UNKNOWN };

	for (size_t i = 0; i < diff->types.count; i++) {
		const struct diff_type *type = &diff->types.items[i];

		for (unsigned int side = 0; side < DIFF_SIDES; side++)
			add_sums(&total.side[side], &type->side[side]);
		add_fates(&total.fate, &type->fate);
	}
	return total;
}

int64_t diff__change(uint64_t was, uint64_t is)
{
	if (is >= was)
		return is - was > INT64_MAX ? INT64_MAX : (int64_t)(is - was);
	return was - is > INT64_MAX ? -INT64_MAX : -(int64_t)(was - is);
}
