/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <inttypes.h>

#include "../base/buf.h"
#include "../base/units.h"
#include "diff_view.h"
#include "follow_parts.h"

int64_t diff__growth(const struct diff_shown *shown)
{
	const struct heap_type_sums *side = shown->total.side;

	return diff__change(side[DIFF_WAS].reached_bytes, side[DIFF_IS].reached_bytes);
}

bool diff__is_complete(const struct diff_shown *shown)
{
	return shown->whole[DIFF_WAS] && shown->whole[DIFF_IS] && !shown->lost;
}

/* ---------------------------------------------------------------- names */

static void add_type(struct buf *out, const struct heap_diff *diff, const struct diff_type *type)
{
	const struct text name = heap_diff__name(diff, type);

	if (name.bytes)
		buf__add(out, name.at, name.bytes);
	else if (type->class_ == EVENT_UNKNOWN)
		buf__add_str(out, "class ?");
	else
		buf__printf(out, "class %" PRIu64, type->class_);
}

void diff_words__type(struct buf *out, const struct diff_shown *shown, uint32_t type)
{
	add_type(out, shown->diff, &shown->diff->types.items[type]);
}

static void add_step(struct buf *out, const struct path_growth *growth, uint32_t branch)
{
	const struct text words = path_growth__words(growth, branch);
	const bool is_element = text__is(words, "[]");

	if (!words.bytes)
		return;
	if (growth->branches.items[branch].parent != GROWTH_NONE && !is_element)
		buf__add_str(out, " → ");
	buf__add(out, words.at, words.bytes);
	if (growth->branches.items[branch].repeats)
		buf__add_str(out, ", and so on");
}

void diff_words__path(struct buf *out, const struct path_growth *growth, uint32_t branch)
{
	const struct text type = path_growth__type(growth, branch);
	struct growth_way way = { .folded = 0 };

	if (path_growth__way(growth, branch, &way))
		out->error = -ENOMEM;
	for (size_t i = 0; i < way.steps.count; i++) {
		if (way.steps.items[i] == GROWTH_NONE)
			buf__printf(out, " → … %zu steps …", way.folded);
		else
			add_step(out, growth, way.steps.items[i]);
	}
	vec__free(&way.steps);
	if (!type.bytes)
		return;
	buf__add_str(out, " (");
	buf__add(out, type.at, type.bytes);
	buf__add_char(out, ')');
}

/* ---------------------------------------------------------------- sentences */

static uint64_t absolute(int64_t change)
{
	return change < 0 ? (uint64_t)-change : (uint64_t)change;
}

static void add_objects(struct buf *out, uint64_t objects)
{
	char count[UNITS_TEXT];

	buf__printf(out, "%s object%s", units__exact(count, objects), units__s(objects));
}

/* What is missing in one of them looks as if it had come or gone. */
static bool add_not_whole(struct buf *out, const struct diff_shown *shown)
{
	const bool was = shown->whole[DIFF_WAS], is = shown->whole[DIFF_IS];

	if (was && is)
		return false;
	buf__printf(out, "%s not whole. Of what was told of %s, ",
		    was ? "B is" : is ? "A is" : "A and B are", was || is ? "it" : "them");
	return true;
}

void diff_words__all(struct buf *out, const struct diff_shown *shown)
{
	const struct heap_type_sums *was = &shown->total.side[DIFF_WAS];
	const struct heap_type_sums *is = &shown->total.side[DIFF_IS];
	const int64_t growth = diff__growth(shown);
	const int64_t objects = diff__change(was->reached_objects, is->reached_objects);
	const bool is_less = add_not_whole(out, shown);
	char bytes[UNITS_TEXT];

	if (shown->glob)
		buf__printf(out, "%s the types that match \"%s\", what", is_less ? "of" : "Of",
			    shown->glob);
	else
		buf__add_str(out, is_less ? "what" : "What");
	buf__add_str(out, " the roots reach ");
	if (!growth)
		buf__add_str(out, "is as large as it was");
	else
		buf__printf(out, "%s by %s", growth < 0 ? "shrank" : "grew",
			    units__bytes(bytes, absolute(growth)));
	if (growth && was->reached_bytes)
		buf__printf(out, " (%+.1f %%)",
			    100.0 * (double)growth / (double)was->reached_bytes);
	buf__printf(out, ", to %s; ", units__bytes(bytes, is->reached_bytes));
	if (!objects)
		buf__add_str(out, "as many objects as before.");
	else
		add_objects(out, absolute(objects));
	if (objects)
		buf__printf(out, " %s.", objects < 0 ? "fewer" : "more");
}

/* By what the roots reach: garbage comes and goes. NULL: none has grown. */
static const struct diff_type *most_grown(const struct heap_diff *diff)
{
	const struct diff_type *most = NULL;
	int64_t highest = 0;

	for (size_t i = 0; i < diff->types.count; i++) {
		const struct diff_type *type = &diff->types.items[i];
		const int64_t growth = diff__change(type->side[DIFF_WAS].reached_bytes,
						    type->side[DIFF_IS].reached_bytes);

		if (growth > highest) {
			highest = growth;
			most = type;
		}
	}
	return most;
}

/* The first branch that leads to it, in the order of growth. */
static uint32_t branch_to(const struct diff_shown *shown, struct text name)
{
	for (size_t i = 0; i < shown->branches->count; i++) {
		const uint32_t branch = shown->branches->items[i];
		const struct fate_sum *ending = shown->growth->branches.items[branch].ending;

		if (ending[DIFF_IS].bytes <= ending[DIFF_WAS].bytes)
			break;
		if (text__equal(path_growth__type(shown->growth, branch), name))
			return branch;
	}
	return GROWTH_NONE;
}

static void add_keeper(struct buf *out, const struct diff_shown *shown,
		       const struct diff_type *type)
{
	struct buf name = BUF_INIT;
	uint32_t branch;

	add_type(&name, shown->diff, type);
	branch = branch_to(shown, (struct text){ buf__str(&name), name.len });
	if (branch != GROWTH_NONE) {
		buf__add_str(out, "; kept by ");
		diff_words__path(out, shown->growth, branch);
	}
	if (name.error)
		out->error = name.error;
	buf__free(&name);
}

bool diff_words__most(struct buf *out, const struct diff_shown *shown)
{
	const struct diff_type *type = most_grown(shown->diff);
	const struct heap_type_sums *was, *is;
	char bytes[UNITS_TEXT];
	int64_t objects;

	if (!type)
		return false;
	was = &type->side[DIFF_WAS];
	is = &type->side[DIFF_IS];
	objects = diff__change(was->reached_objects, is->reached_objects);
	add_type(out, shown->diff, type);
	buf__add_str(out, " grew by ");
	if (objects > 0)
		add_objects(out, absolute(objects));
	buf__printf(out, objects > 0 ? " (+%s)" : "%s",
		    units__bytes(bytes, is->reached_bytes - was->reached_bytes));
	buf__add_str(out, " that the roots reach");
	if (shown->diff->has_fates) {
		buf__printf(out, "; %.1f %% of the ",
			    100.0 * (double)type->fate.born.objects / (double)is->objects);
		add_objects(out, is->objects);
		buf__add_str(out, " in B were born since A");
	}
	add_keeper(out, shown, type);
	return true;
}

bool diff_words__command(struct buf *out, const struct diff_shown *shown)
{
	const struct diff_type *type = most_grown(shown->diff);
	struct buf name = BUF_INIT;

	if (!type)
		return false;
	add_type(&name, shown->diff, type);
	buf__printf(out, "gctrace path %s --merge --type ", shown->heading[DIFF_IS]->subject);
	heap_view__quote_glob(out, (struct text){ buf__str(&name), name.len });
	if (name.error)
		out->error = name.error;
	buf__free(&name);
	return true;
}

void diff_words__how(struct buf *out, const struct diff_shown *shown)
{
	const struct fates *fates = shown->fates;
	char count[UNITS_TEXT];

	if (shown->why) {
		buf__printf(out, "by type and by path, not object by object: %s", shown->why);
		return;
	}
	buf__printf(out, "by identity, object by object, through %s collection%s; error rate of the"
			 " model ",
		    units__exact(count, shown->collections), units__s(shown->collections));
	follow__add_rate(out, follow__rate(fates->matched, fates->gone, fates->conflicts));
}
