/* SPDX-License-Identifier: BSD-2-Clause */
#include "ranges.h"

#include <errno.h>
#include <string.h>

static struct range_group *group_of(struct ranges *ranges, const struct event *report)
{
	const struct range_group like = {
		.generation = report->ranges.generation,
		.phase = report->kind == EVENT_SURVIVING ? RANGES_SURVIVING : report->ranges.phase,
		.width = report->ranges.width == 4 ? 4 : 8,
	};

	for (size_t i = ranges->groups.count; i-- > 0;) {
		struct range_group *group = &ranges->groups.items[i];

		if (group->generation == like.generation && group->phase == like.phase &&
		    group->width == like.width)
			return group;
	}
	if (vec__push(&ranges->groups, like))
		return NULL;
	return &ranges->groups.items[ranges->groups.count - 1];
}

/* Does a range go on where the last one ends, both times? */
static bool continues(const struct range *last, const struct range *range)
{
	uint64_t end;

	return last->length > 0 && range->length > 0 &&
	       !__builtin_add_overflow(last->old, last->length, &end) && end == range->old &&
	       !__builtin_add_overflow(last->new_, last->length, &end) && end == range->new_ &&
	       !__builtin_add_overflow(end, range->length, &end) &&
	       !__builtin_add_overflow(range->old, range->length, &end);
}

int ranges__add(struct ranges *ranges, const struct event *report)
{
	struct range_group *group = group_of(ranges, report);
	struct range_list *list;

	if (!group)
		return -ENOMEM;
	list = &group->ranges;
	if (vec__reserve(list, report->ranges.count))
		return -ENOMEM;
	for (size_t i = 0; i < report->ranges.count; i++) {
		const struct range *range = &report->ranges.ranges[i];

		if (list->count > 0 && continues(&list->items[list->count - 1], range))
			list->items[list->count - 1].length += range->length;
		else
			list->items[list->count++] = *range;
	}
	return 0;
}

bool ranges__has_moves(const struct ranges *ranges)
{
	return ranges__more(ranges, RANGES_SURVIVING - 1);
}

bool ranges__more(const struct ranges *ranges, uint32_t most)
{
	for (size_t i = 0; i < ranges->groups.count; i++)
		if (ranges->groups.items[i].phase <= most &&
		    ranges->groups.items[i].ranges.count > 0)
			return true;
	return false;
}

static uint32_t lowest_phase(const struct ranges *ranges)
{
	uint32_t lowest = RANGES_SURVIVING;

	for (size_t i = 0; i < ranges->groups.count; i++) {
		const struct range_group *group = &ranges->groups.items[i];

		if (group->ranges.count > 0 && group->phase < lowest)
			lowest = group->phase;
	}
	return lowest;
}

/* The whole list where it is the only one, else a copy. */
static int append(struct range_list *into, struct range_list *from)
{
	struct range_list swap;

	if (into->count == 0) {
		swap = *into;
		*into = *from;
		*from = swap;
		return 0;
	}
	if (vec__reserve(into, from->count))
		return -ENOMEM;
	memcpy(into->items + into->count, from->items, from->count * sizeof(*from->items));
	into->count += from->count;
	vec__reset(from);
	return 0;
}

int ranges__take(struct ranges *ranges, const struct ranges_take *how, struct range_list *into)
{
	uint32_t phase = lowest_phase(ranges);
	int err = 0;

	vec__reset(into);
	if (!ranges__more(ranges, how->most))
		return 0;
	for (size_t i = 0; i < ranges->groups.count && !err; i++) {
		struct range_group *group = &ranges->groups.items[i];

		if (group->phase != phase || group->ranges.count == 0)
			continue;
		if (how->width(how->context, group->generation) == group->width)
			err = append(into, &group->ranges);
		else
			vec__reset(&group->ranges);
	}
	return err ? err : 1;
}

void ranges__free(struct ranges *ranges)
{
	for (size_t i = 0; i < ranges->groups.count; i++)
		vec__free(&ranges->groups.items[i].ranges);
	vec__free(&ranges->groups);
}
