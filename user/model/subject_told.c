/* SPDX-License-Identifier: BSD-2-Clause */
/* What tells objects: heap dumps, which are anchors too, and sampled allocations. */
#include "subject.h"

#include <errno.h>

#include "gctrace/wire.h"

#define BIRTHS_KEPT 4096 /* so many at once go into the table, where that is possible */

/* ---------------------------------------------------------------- births */

/* An object lives where another one was just allocated. */
static int bury_under(struct subject *subject, const struct object *found, uint64_t address)
{
	struct chunk *chunk = objects__find(&subject->objects, address >> CHUNK_SHIFT);
	struct object *object = chunk->items + (found - chunk->items);
	enum object_fate fate = OBJECT_CONFLICT;

	if (object->flags & OBJECT_HIT)
		return 0;
	for (unsigned int slot = 0; slot < OBJECT_SLOTS; slot++) {
		if (object__state(object, slot) == OBJECT_CONDEMNED)
			fate = OBJECT_DEAD;
		else if (object__state(object, slot) == OBJECT_PERHAPS && fate != OBJECT_DEAD)
			fate = OBJECT_WITHDRAWN;
	}
	subject->figures.stray_births += fate == OBJECT_CONFLICT;
	objects__leave(&subject->objects, chunk, object, fate);
	object->flags |= OBJECT_HIT;
	chunk->hit = true;
	return objects__touch(&subject->objects, chunk);
}

static int take_in_birth(struct subject *subject, const struct newborn *newborn)
{
	const struct object_birth birth = {
		.address = newborn->address,
		.size = newborn->size,
		.type = newborn->type,
		.birth = (uint32_t)(subject->figures.collections < OBJECT_BIRTH_MOST
					    ? subject->figures.collections
					    : OBJECT_BIRTH_MOST),
		.born = true,
	};
	const struct object like = { .type = newborn->type, .flags = OBJECT_BORN };
	const struct object *found = objects__at(&subject->objects, newborn->address);
	int err = found ? bury_under(subject, found, newborn->address) : 0;

	subject->figures.seen++;
	survival__came(&subject->survival, &like, newborn->size);
	return err ? err : objects__add(&subject->objects, &birth);
}

static int take_in_births(struct subject *subject, uint64_t order)
{
	struct newborn *items = subject->newborns.items;
	size_t kept = 0;
	int err = 0;

	for (size_t i = 0; i < subject->newborns.count; i++) {
		if (items[i].order >= order)
			items[kept++] = items[i];
		else if (!err)
			err = take_in_birth(subject, &items[i]);
	}
	subject->newborns.count = kept;
	if (err)
		return err;
	return objects__settle(&subject->objects, &subject->figures.odd.counts[ODD_CLASH]);
}

int subject__take_in_births(struct subject *subject)
{
	int err = subject->in_pause ? 0 : subject__seal(subject);

	if (err || subject->doubt)
		return err;
	for (const struct course *at = subject->courses; at; at = at->next)
		if (at->order > 0 && !at->sealed)
			return 0;
	return take_in_births(subject, UINT64_MAX);
}

int subject__birth(struct subject *subject, const struct event *event)
{
	struct newborn newborn = { .address = event->alloc.id, .size = event->alloc.size,
				   .order = subject->orders, .stamp = event->stamp };

	if (newborn.size == EVENT_UNKNOWN)
		newborn.size = 0;
	if (types__index(&subject->types, event->alloc.class_, &newborn.type) ||
	    vec__push(&subject->newborns, newborn))
		return -ENOMEM;
	return subject->newborns.count % BIRTHS_KEPT == 0 ? subject__take_in_births(subject) : 0;
}

/* ---------------------------------------------------------------- dumps */

int subject__container(struct subject *subject, const struct event *event)
{
	struct dump *dump = &subject->dump;

	if (event->container.type == GCTRACE_C_BEGIN) {
		anchor__drop(&subject->objects);
		vec__reset(&subject->missed);
		unfinished__free(&subject->unfinished);
		*dump = (struct dump){ .telling = true, .whole = true,
				       .number = event->container.id1,
				       .gc = event->container.id2, .order = subject->orders,
				       .stamp = event->stamp };
		return 0;
	}
	if (event->container.type != GCTRACE_C_END || !dump->telling)
		return 0;
	dump->telling = false;
	unfinished__free(&subject->unfinished);
	dump->waiting = true;
	dump->order = subject->orders;
	dump->whole &= event->container.id1 == GCTRACE_DUMP_COMPLETE;
	return subject__match_if_due(subject);
}

int subject__object(struct subject *subject, const struct event *event)
{
	struct dump *dump = &subject->dump;
	struct object_birth birth = { .address = event->object.id, .size = event->object.size,
				      .told = true };
	const int again = unfinished__told(&subject->unfinished, event->object.id,
					   event->object.more);

	if (again)
		return again < 0 ? again : 0;
	if (!dump->telling) {
		subject->figures.beside++;
		return 0;
	}
	if (birth.size == EVENT_UNKNOWN)
		birth.size = 0;
	dump->objects++;
	dump->beside |= !subject->in_pause;
	if (dump->placed)
		dump->whole = false;
	if (types__index(&subject->types, event->object.class_, &birth.type))
		return -ENOMEM;
	return objects__add(&subject->objects, &birth);
}

int subject__dump_end(struct subject *subject, const struct event *event)
{
	struct dump *dump = &subject->dump;

	if (dump->waiting && (event->dump_end.status != GCTRACE_DUMP_COMPLETE ||
			      event->dump_end.objects != dump->objects))
		dump->whole = false;
	return 0;
}

/* A new object may be what a collection condemned, if it lies where that one may kill. */
static unsigned int state_of(void *context, uint64_t address)
{
	struct subject *subject = context;
	struct generation_place place = generation_places__at(&subject->now, address);
	unsigned int states = 0;

	for (const struct course *at = subject->courses; at; at = at->next)
		if (at->slot != NO_SLOT && at->order <= subject->dump.order &&
		    (place.generation == GENERATION_UNKNOWN ||
		     generation__is_in(at->mask, place.generation)))
			states |= (unsigned int)OBJECT_PERHAPS << (2 * at->slot);
	return states;
}

static void on_came(void *context, const struct object *object, uint64_t address)
{
	struct subject *subject = context;

	(void)address;
	subject->figures.seen++;
	survival__came(&subject->survival, object, objects__size(&subject->objects, object));
}

/* Collections between a loss and this dump may be missing; the last one's number tells. */
static int end_doubt(struct subject *subject)
{
	const struct dump *dump = &subject->dump;
	bool proven = subject->numbered && dump->gc == subject->highest;

	if (subject->doubt && dump->gc != EVENT_UNKNOWN && dump->gc > subject->highest)
		subject->highest = dump->gc;
	return subject__end_doubt(subject, dump->stamp, proven);
}

static int on_missed(void *context, const struct object *object)
{
	struct subject *subject = context;

	return vec__push(&subject->missed, object__id(object)) ? -ENOMEM : 0;
}

/* Into the table with what has been told. */
static int place(struct subject *subject)
{
	struct dump *dump = &subject->dump;
	struct anchor_options options = {
		.whole = dump->whole && !dump->telling,
		.birth = (uint32_t)(subject->figures.collections < OBJECT_BIRTH_MOST
					    ? subject->figures.collections
					    : OBJECT_BIRTH_MOST),
		.state = state_of,
		.missed = dump->telling ? on_missed : NULL,
		.came = on_came,
		.context = subject,
	};
	int err = generation_places__take(&subject->now, &subject->generations);

	if (!err)
		err = end_doubt(subject);
	if (!err && !subject->doubt)
		err = take_in_births(subject, dump->order + 1);
	return err ? err : anchor__match(&subject->objects, &options, &dump->result);
}

static int conclude(struct subject *subject)
{
	const struct identity_sink *sink = &subject->identity->sink;
	const struct anchor *result = &subject->dump.result;
	struct identity_anchor told = { .target = subject->target, .dump = subject->dump.number,
					.whole = subject->dump.whole };

	subject->figures.matched += result->matched;
	subject->figures.gone += result->gone;
	subject->figures.conflicts += result->conflicts;
	told.number = ++subject->figures.anchors;
	told.result = *result;
	return sink->anchor ? sink->anchor(sink->context, &told) : 0;
}

static int match(struct subject *subject)
{
	struct dump *dump = &subject->dump;
	int err = 0;

	dump->waiting = false;
	if (!dump->placed || !dump->whole)
		err = place(subject);
	else
		err = anchor__gone(&subject->objects, subject->missed.items, subject->missed.count,
				   &dump->result);
	return err ? err : conclude(subject);
}

int subject__take_in(struct subject *subject, uint64_t order)
{
	int err = 0;

	if (subject->dump.waiting && subject->dump.order < order)
		err = match(subject);
	return err ? err : take_in_births(subject, order);
}

/*
 * What was told in a pause lies there when the pause ends, and may have moved when the producer
 * has the rest together and ends the dump.
 */
static bool is_told_in_pause(const struct dump *dump)
{
	return dump->telling && !dump->placed && dump->objects && !dump->beside;
}

int subject__match_if_due(struct subject *subject)
{
	struct dump *dump = &subject->dump;

	if (subject->in_pause || (!dump->waiting && !is_told_in_pause(dump)))
		return 0;
	if (dump->telling)
		dump->order = subject->orders;
	/* One that began before the attach may go on for ever, or its end have been missed. */
	for (const struct course *at = subject->courses; at; at = at->next)
		if (at->order > 0 && at->order <= subject->dump.order && !at->concurrent &&
		    !at->done)
			return 0;
	if (dump->waiting)
		return match(subject);
	dump->placed = true;
	return place(subject);
}
