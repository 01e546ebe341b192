/* SPDX-License-Identifier: BSD-2-Clause */
#include "follow_state.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>

#include "../base/buf.h"

struct survival_sum follow__known(const struct identity_view *now)
{
	const struct survival *survival = now->survival;
	struct survival_sum known = { .objects = now->objects->count };

	for (size_t i = 0; i < survival->types.count; i++) {
		const struct survival_type *type = &survival->types.items[i];

		known.bytes += type->seen.bytes - type->died.bytes - type->gone.bytes -
			       type->withdrawn.bytes - type->conflicts.bytes;
	}
	return known;
}

/* A name is counted bytes, and may hold zeros: the pattern sees it up to the first one. */
static bool is_wanted(const char *glob, struct text name, struct buf *scratch)
{
	if (!glob)
		return true;
	buf__reset(scratch);
	buf__add(scratch, name.at, name.bytes);
	return fnmatch(glob, buf__str(scratch), 0) == 0;
}

static uint64_t bytes_of(const struct follow_type *type)
{
	return type->alive ? type->alive->bytes : 0;
}

static int by_bytes(const void *a, const void *b)
{
	const struct follow_type *left = a, *right = b;

	if (bytes_of(left) != bytes_of(right))
		return bytes_of(left) > bytes_of(right) ? -1 : 1;
	if (left->sums->seen.bytes != right->sums->seen.bytes)
		return left->sums->seen.bytes > right->sums->seen.bytes ? -1 : 1;
	return left->index < right->index ? -1 : left->index > right->index;
}

static int list_types(struct follow_gathering *gathering, const struct identity_view *now)
{
	const struct population *population = &gathering->population;
	struct buf scratch = BUF_INIT;
	int err = 0;

	vec__reset(&gathering->types);
	gathering->others = (struct frequent_types){ .count = 0 };
	for (size_t i = 0; i < now->survival->types.count && !err; i++) {
		const struct survival_type *sums = &now->survival->types.items[i];
		const struct type *type = &now->types->of.items[i];
		const struct population_type *alive =
			i < population->types.count ? &population->types.items[i] : NULL;

		if (!sums->seen.objects)
			continue;
		if (!is_wanted(gathering->type, type->name, &scratch)) {
			frequent_types__offer(&gathering->others,
					      &(struct frequent_type){ type->name, type->class_,
								       sums->seen.objects });
			continue;
		}
		err = vec__push(&gathering->types,
				(struct follow_type){ (uint32_t)i, type->class_, type->name, sums,
						      alive });
	}
	err = err ? err : scratch.error;
	vec__sort(&gathering->types, by_bytes);
	buf__free(&scratch);
	return err;
}

static const struct follow_type *find_type(const struct follow_gathering *gathering,
					   uint32_t index)
{
	for (size_t i = 0; i < gathering->types.count; i++)
		if (gathering->types.items[i].index == index)
			return &gathering->types.items[i];
	return NULL;
}

static int list_leaks(struct follow_gathering *gathering, const struct leak_watch *watch)
{
	int err;

	vec__reset(&gathering->found);
	vec__reset(&gathering->leaks);
	err = leak_watch__find(watch, &gathering->found);
	for (size_t i = 0; i < gathering->found.count && !err; i++) {
		const struct leak *leak = &gathering->found.items[i];
		const struct follow_type *type = find_type(gathering, leak->type);

		if (type)
			err = vec__push(&gathering->leaks, (struct follow_leak){ *leak, type });
	}
	return err;
}

int follow_gathering__take(struct follow_gathering *gathering, const struct identity_view *now,
			   const struct leak_watch *watch, struct follow_state *state)
{
	int err = population__count(&gathering->population, now->objects);

	if (!err)
		err = list_types(gathering, now);
	if (!err)
		err = list_leaks(gathering, watch);
	*state = (struct follow_state){
		.types = gathering->types.items,
		.type_count = gathering->types.count,
		.types_shown = gathering->types.count,
		.others = &gathering->others,
		.ages = &gathering->population.ages,
		.curve = &now->survival->all,
		.leaks = gathering->leaks.items,
		.leak_count = gathering->leaks.count,
		.leaks_shown = gathering->leaks.count,
		.leaks_unwanted = gathering->found.count - gathering->leaks.count,
		.known = follow__known(now),
		.whole_anchors = watch->anchors,
		.kept = watch->kept,
	};
	if (gathering->top && state->types_shown > gathering->top)
		state->types_shown = gathering->top;
	if (state->leaks_shown > FOLLOW_LEAKS_SHOWN)
		state->leaks_shown = FOLLOW_LEAKS_SHOWN;
	return err;
}

void follow_gathering__free(struct follow_gathering *gathering)
{
	population__free(&gathering->population);
	vec__free(&gathering->types);
	vec__free(&gathering->found);
	vec__free(&gathering->leaks);
}
