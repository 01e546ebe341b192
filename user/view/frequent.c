/* SPDX-License-Identifier: BSD-2-Clause */
#include "frequent.h"

#include <inttypes.h>
#include <string.h>

#include "../base/buf.h"
#include "../base/escape.h"
#include "../base/shorten.h"
#include "../base/units.h"
#include "../base/wrap.h"
#include "../stream/event.h"

#define NAME_COLUMNS (WRAP_COLUMNS / 2)

void frequent_types__offer(struct frequent_types *types, const struct frequent_type *type)
{
	size_t at = types->count;

	if (!type->objects)
		return;
	types->types++;
	while (at && types->most[at - 1].objects < type->objects)
		at--;
	if (at == FREQUENT_MOST)
		return;
	if (types->count < FREQUENT_MOST)
		types->count++;
	memmove(&types->most[at + 1], &types->most[at],
		(types->count - at - 1) * sizeof(*types->most));
	types->most[at] = *type;
}

static void add_type(struct buf *out, const struct frequent_type *type)
{
	struct buf name = BUF_INIT;
	char objects[UNITS_TEXT];

	if (type->name.bytes)
		escape__add(&name, type->name.at, type->name.bytes);
	else if (type->class_ != EVENT_UNKNOWN)
		buf__printf(&name, "class %" PRIu64, type->class_);
	else
		buf__add_str(&name, "class ?");
	shorten__add_middle(out, buf__str(&name), name.len, NAME_COLUMNS);
	buf__printf(out, " (%s)", units__count(objects, type->objects));
	if (name.error)
		out->error = name.error;
	buf__free(&name);
}

void frequent_types__add(struct buf *out, const struct frequent_types *types)
{
	char count[UNITS_TEXT];

	if (!types->count) {
		buf__add_str(out, "no type is known");
		return;
	}
	if (types->types > types->count)
		buf__printf(out, "the most frequent of %s types: ",
			    units__exact(count, types->types));
	else
		buf__add_str(out, "there are: ");
	for (size_t i = 0; i < types->count; i++) {
		buf__add_str(out, i ? ", " : "");
		add_type(out, &types->most[i]);
	}
}
