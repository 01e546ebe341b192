/* SPDX-License-Identifier: BSD-2-Clause */
#include "follow_history.h"

#include <errno.h>

void follow_history__free(struct follow_history *history)
{
	buf__free(&history->type);
}

static bool is_watched(const struct follow_history *history, uint64_t id)
{
	return history->id && !history->ended && history->id == id;
}

void follow_history__survived(struct follow_history *history, const struct survivors *survivors)
{
	if (!history->id || history->ended)
		return;
	for (uint32_t i = 0; i < survivors->count; i++) {
		const struct object *object = &survivors->first[i];

		if (object__id(object) != history->id)
			continue;
		history->survived = true;
		history->moved |= survivors->moved;
		history->promoted |= survivors->from != GENERATION_UNKNOWN &&
				     survivors->to != GENERATION_UNKNOWN &&
				     survivors->to > survivors->from;
		return;
	}
}

static void take(struct follow_history *history, const struct object *object, uint64_t address)
{
	struct follow_object *last = &history->last;

	last->id = history->id;
	last->address = address;
	last->age = object->age;
	last->moves = object->moves;
	last->born = object->flags & OBJECT_BORN;
	last->size = object->size < UINT32_MAX ? object->size : EVENT_UNKNOWN;
	history->index = object->type;
}

void follow_history__left(struct follow_history *history, const struct object *object,
			  uint64_t address, enum object_fate fate)
{
	if (!is_watched(history, object__id(object)))
		return;
	take(history, object, address);
	history->ended = true;
	history->last.fate = fate;
	history->last.generation = GENERATION_UNKNOWN;
	history->last.promoted = false;
	history->survived = history->moved = history->promoted = false;
}

/* ---------------------------------------------------------------- where it is */

struct search {
	uint64_t id, address;
	const struct object *object;
};

static int compare(void *context, const struct object *object, uint64_t address)
{
	struct search *search = context;

	if (object__id(object) != search->id)
		return 0;
	search->object = object;
	search->address = address;
	return 1;
}

static const struct object *look_up(const struct follow_history *history, struct objects *objects,
				    uint64_t *address, int *err)
{
	struct search search = { .id = history->id };
	const struct object *object = NULL;

	*address = history->last.address;
	if (history->found && !history->moved)
		object = objects__at(objects, *address);
	if (object && object__id(object) == history->id)
		return object;
	if (objects->ids < history->id)
		return NULL;
	*err = objects__each(objects, compare, &search);
	*err = *err < 0 ? *err : 0;
	*address = search.address;
	return search.object;
}

static void choose_by_address(struct follow_history *history, struct identity_view *now,
			      uint64_t gc)
{
	const struct object *object;

	if (history->id || gc != history->at)
		return;
	history->met = true;
	object = objects__at(now->objects, history->address);
	if (object)
		history->id = object__id(object);
}

static int describe(struct follow_history *history, const struct identity_view *now)
{
	const struct type *type = &now->types->of.items[history->index];
	struct follow_object *last = &history->last;

	buf__reset(&history->type);
	buf__add(&history->type, type->name.at, type->name.bytes);
	last->type = (struct text){ buf__str(&history->type), history->type.len };
	last->class_ = type->class_;
	return history->type.error;
}

static int take_place(struct follow_history *history, struct identity_view *now)
{
	struct generation_places places = { .taken = false };
	int err = generation_places__take(&places, now->generations);

	history->last.generation = GENERATION_UNKNOWN;
	if (!err)
		history->last.generation =
			generation_places__at(&places, history->last.address).generation;
	generation_places__free(&places);
	return err;
}

static enum follow_step step_of(const struct follow_history *history)
{
	if (!history->found)
		return FOLLOW_SEEN;
	if (history->moved)
		return FOLLOW_MOVED;
	return history->survived ? FOLLOW_STAYED : FOLLOW_UNTOUCHED;
}

bool follow_history__step(struct follow_history *history, struct identity_view *now, uint64_t gc,
			  int *err)
{
	const struct object *object;
	uint64_t address;

	*err = 0;
	if (history->told)
		return false;
	history->last.first = !history->found;
	if (history->ended) {
		/* It may never have been seen alive between two collections. */
		*err = history->found ? 0 : describe(history, now);
		history->last.step = FOLLOW_LEFT;
		history->told = history->found = true;
		return !*err;
	}
	choose_by_address(history, now, gc);
	object = history->id ? look_up(history, now->objects, &address, err) : NULL;
	if (!object || *err)
		return false;
	history->last.step = step_of(history);
	take(history, object, address);
	history->last.size = objects__size(now->objects, object);
	*err = describe(history, now);
	if (!*err)
		*err = take_place(history, now);
	history->last.promoted = history->promoted;
	history->found = true;
	history->survived = history->moved = history->promoted = false;
	return !*err;
}
