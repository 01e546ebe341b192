/* SPDX-License-Identifier: BSD-2-Clause */
#include "weak.h"
#include "classes.h"
#include "mutator.h"
#include "roots.h"
#include "samples.h"

struct watch weak_references, finalizables;
struct finalizer_queue finalizer_queue;

void weak__gather(void)
{
	for (unsigned i = 0; i < mutators_count; i++) {
		list__append(&weak_references.list, &mutators[i].weak);
		list__append(&finalizables.list, &mutators[i].finalizable);
	}
}

static bool is_alive(const struct weak_tracer *tracer, struct object *o)
{
	return tracer->is_alive(tracer, o);
}

/* The address of a live object, wherever it is now. */
static void update(const struct weak_tracer *tracer, struct object **slot)
{
	tracer->keep(tracer, slot);
}

static void process_dependents(const struct weak_tracer *tracer)
{
	bool again = true;

	while (again) {
		again = false;
		for (uint32_t i = 1; i < handles__count(); i++) {
			struct handle *handle = handle__at(i);

			if (handle->kind != HANDLE_DEPENDENT || !handle->object ||
			    !handle->value || !is_alive(tracer, handle->object) ||
			    is_alive(tracer, handle->value))
				continue;
			tracer->keep(tracer, &handle->value);
			again = true;
		}
	}
}

static void clear_handles(const struct weak_tracer *tracer, enum handle_kind kind)
{
	for (uint32_t i = 1; i < handles__count(); i++) {
		struct handle *handle = handle__at(i);

		if (handle->kind != kind || !handle->object)
			continue;
		if (is_alive(tracer, handle->object)) {
			update(tracer, &handle->object);
			if (handle->value)
				update(tracer, &handle->value);
		} else {
			handle->object = handle->value = NULL;
		}
	}
}

static void process_finalizables(const struct weak_tracer *tracer, size_t from)
{
	struct list *list = &finalizables.list;
	size_t kept = from;

	for (size_t i = from; i < list->count; i++) {
		struct object *o = list->items[i];

		if (is_alive(tracer, o)) {
			update(tracer, &o);
			list->items[kept++] = o;
		} else {
			list__push(&finalizer_queue.list, o);
		}
	}
	list->count = kept;
}

/* Only now: else one of them could keep another from being found dead. */
static void keep_queued(const struct weak_tracer *tracer, size_t from)
{
	struct list *list = &finalizer_queue.list;

	for (size_t i = from; i < list->count; i++)
		tracer->keep(tracer, (struct object **)&list->items[i]);
}

/* Returns whether the reference still has to be watched. */
static bool process_reference(const struct weak_tracer *tracer, struct object **reference)
{
	struct object *referent;

	if (!is_alive(tracer, *reference))
		return false;
	update(tracer, reference);
	referent = slot__load(&(*reference)->refs[WEAK_REFERENT]);
	if (!referent)
		return false;
	if (is_alive(tracer, referent))
		update(tracer, &referent);
	else
		referent = NULL;
	slot__store(&(*reference)->refs[WEAK_REFERENT], referent);
	return referent != NULL;
}

static void process_references(const struct weak_tracer *tracer, size_t from)
{
	struct list *list = &weak_references.list;
	size_t kept = from;

	for (size_t i = from; i < list->count; i++) {
		struct object *reference = list->items[i];

		if (process_reference(tracer, &reference))
			list->items[kept++] = reference;
	}
	list->count = kept;
}

static bool is_settled(const struct object *o, bool with_referent)
{
	return !heap__is_young(o) && !(with_referent && heap__is_young(o->refs[WEAK_REFERENT]));
}

/* Moves what young collections need not look at to the front. */
static void settle(struct watch *watch, size_t from, bool with_referent)
{
	void **items = watch->list.items;

	watch->settled = from;
	for (size_t i = from; i < watch->list.count; i++) {
		void *item = items[i];

		if (!is_settled(item, with_referent))
			continue;
		items[i] = items[watch->settled];
		items[watch->settled++] = item;
	}
}

static void compact_queue(void)
{
	struct finalizer_queue *queue = &finalizer_queue;
	size_t count = 0;

	if (!queue->next)
		return;
	for (size_t i = queue->next; i < queue->list.count; i++)
		queue->list.items[count++] = queue->list.items[i];
	queue->list.count = count;
	queue->next = 0;
}

void weak__process(const struct weak_tracer *tracer)
{
	const bool young = tracer->mode == TRACE_YOUNG;
	const size_t references = young ? weak_references.settled : 0;
	const size_t candidates = young ? finalizables.settled : 0;
	size_t queued;

	compact_queue();
	queued = finalizer_queue.list.count;
	process_dependents(tracer);
	clear_handles(tracer, HANDLE_WEAK);
	process_finalizables(tracer, candidates);
	keep_queued(tracer, queued);
	process_dependents(tracer);
	clear_handles(tracer, HANDLE_WEAK_LONG);
	clear_handles(tracer, HANDLE_DEPENDENT);
	process_references(tracer, references);
	samples__process(tracer);
	settle(&finalizables, candidates, false);
	settle(&weak_references, references, true);
}

void weak__each_word(void (*see)(void *context, struct object **slot), void *context)
{
	for (size_t i = 0; i < weak_references.list.count; i++)
		see(context, (struct object **)&weak_references.list.items[i]);
	for (size_t i = 0; i < finalizables.list.count; i++)
		see(context, (struct object **)&finalizables.list.items[i]);
	samples__each_word(see, context);
}

struct object *finalizer_queue__take(void)
{
	if (finalizer_queue.next == finalizer_queue.list.count)
		return NULL;
	return finalizer_queue.list.items[finalizer_queue.next++];
}
