/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_none.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "../base/buf.h"
#include "../base/escape.h"
#include "../base/units.h"
#include "../model/heap_lives.h"
#include "../view/follow.h"
#include "../view/frequent.h"

struct search {
	const struct heap *heap;
	const struct heap_wish *wish;
	struct frequent_types others;	/* of types that are not wanted */
	struct population_type ages;	/* of objects of those that are, as far as known */
	uint64_t wanted;		/* objects */
};

static void look_at_types(struct search *search, const bool *wanted,
			  const struct heap_type_sums *sums)
{
	const struct heap_types *types = heap__types(search->heap);

	for (uint32_t i = 0; i < types->count; i++) {
		const struct heap_type type = heap_types__at(types, i);

		if (wanted[i])
			search->wanted += sums[i].objects;
		else
			frequent_types__offer(&search->others,
					      &(struct frequent_type){ type.name, type.number,
								       sums[i].objects });
	}
}

static void look_at_ages(struct search *search, const bool *wanted)
{
	const struct heap *heap = search->heap;
	struct heap_life life;

	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		struct heap_object object;

		if (heap__is_node(heap, p) || !wanted[heap__type(heap, p)])
			continue;
		object = heap__object(heap, p);
		if (heap_lives__of(search->wish->lives, object.address, &life))
			population_type__add(&search->ages, life.age, life.born, object.size);
	}
}

static void add_pattern(struct buf *out, const char *type)
{
	if (type)
		buf__printf(out, " of a type that matches \"%s\"", escape(type));
}

static void add_ages(struct buf *out, const struct search *search)
{
	const struct population_type *ages = &search->ages;
	char oldest[UNITS_TEXT];

	buf__add_str(out, "no object of this dump");
	add_pattern(out, search->wish->type);
	buf__printf(out, " is known to be %" PRIu64 " collection%s old or older",
		    search->wish->age_least, units__s(search->wish->age_least));
	if (ages->objects)
		buf__printf(out, " (the oldest: %s)",
			    follow__age(oldest, ages->oldest, !ages->unborn));
	else
		buf__add_str(out, " (of none is the age known)");
}

static void add_types(struct buf *out, const struct search *search)
{
	buf__printf(out, "no object of this dump has a type that matches \"%s\"; ",
		    escape(search->wish->type));
	frequent_types__add(out, &search->others);
}

int heap_none__explain(struct buf *out, const struct heap *heap, const struct heap_wish *wish)
{
	struct search search = { .heap = heap, .wish = wish };
	struct heap_type_sums *sums = NULL;
	bool *wanted = heap_select__globs(heap, wish->type);
	int err = wanted ? heap__histogram(heap, &sums) : -ENOMEM;

	if (!err)
		look_at_types(&search, wanted, sums);
	if (!err && wish->age_least)
		look_at_ages(&search, wanted);
	if (!err && search.wanted && wish->age_least)
		add_ages(out, &search);
	else if (!err && wish->type)
		add_types(out, &search);
	else if (!err)
		buf__add_str(out, "no object is in this dump");
	free(sums);
	free(wanted);
	return err ? err : out->error;
}
