/* SPDX-License-Identifier: BSD-2-Clause */
#include "told.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gctrace/wire.h"

void complain(uint64_t *wrong, const char *format, ...)
{
	va_list args;

	if (++*wrong > 20)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static void must(int err)
{
	if (!err)
		return;
	fprintf(stderr, "no memory\n");
	exit(2);
}

/* ---- Sets ---- */

static size_t place_of(const struct addresses *set, uint64_t address)
{
	size_t at = (size_t)((address >> 3) * 0x9e3779b97f4a7c15u >> 20) & (set->room - 1);

	while (set->items[at] && set->items[at] != address)
		at = (at + 1) & (set->room - 1);
	return at;
}

static bool has(const struct addresses *set, uint64_t address)
{
	return set->room && set->items[place_of(set, address)];
}

static void grow(struct addresses *set)
{
	struct addresses larger = { .room = set->room ? set->room * 2 : 1 << 16,
				    .count = set->count };

	larger.items = calloc(larger.room, sizeof(*larger.items));
	must(!larger.items);
	for (size_t i = 0; i < set->room; i++)
		if (set->items[i])
			larger.items[place_of(&larger, set->items[i])] = set->items[i];
	free(set->items);
	*set = larger;
}

static void add(struct addresses *set, uint64_t address)
{
	if (set->count * 2 >= set->room)
		grow(set);
	if (!has(set, address)) {
		set->items[place_of(set, address)] = address;
		set->count++;
	}
}

/* ---- Flags ---- */

/* What a reference has to say of what was told before it. It names what it refers to. */
static void check_flags(struct told *told, uint64_t to, uint32_t flags, const char *what)
{
	uint32_t expected = 0;

	if (to && has(&told->named, to))
		expected |= GCTRACE_ALREADY_REPORTED;
	if (to && has(&told->reported, to))
		expected |= GCTRACE_ALREADY_VISITED;
	/* What was lost had been named as well. */
	if (!told->lost && (flags & GCTRACE_SPEC_FLAGS) != expected)
		complain(&told->wrong, "%s to %#" PRIx64 " has flags %#x, expected %#x of them",
			 what, to, flags, expected);
	if (to)
		add(&told->named, to);
}

/* ---- Events ---- */

static void see_object(struct told *told, const struct event *event)
{
	struct told_object *object =
		told->objects.count ? &told->objects.items[told->objects.count - 1] : NULL;

	if (!object || object->whole) {
		must(vec__push(&told->objects, (struct told_object){
						       .address = event->object.id,
						       .size = event->object.size,
						       .class_ = event->object.class_,
						       .first = told->refs.count,
					       }));
		object = &told->objects.items[told->objects.count - 1];
		if (has(&told->reported, object->address))
			complain(&told->wrong, "object %#" PRIx64 " is reported twice",
				 object->address);
		add(&told->named, object->address);
		add(&told->reported, object->address);
	} else if (object->address != event->object.id || object->size != event->object.size ||
		   object->class_ != event->object.class_) {
		complain(&told->wrong, "a part of object %#" PRIx64 " follows one of %#" PRIx64,
			 event->object.id, object->address);
	}
	object->flags = event->object.flags & ~(uint32_t)GCTRACE_MORE_REFERENCES;
	object->whole = !event->object.more;
	for (size_t i = 0; i < event->object.count; i++) {
		const struct reference *ref = &event->object.references[i];

		if (ref->place != object->count)
			complain(&told->wrong,
				 "object %#" PRIx64 ": reference at %" PRIu64 ", expected %" PRIu64,
				 object->address, ref->place, object->count);
		check_flags(told, ref->to, ref->flags, "a reference");
		must(vec__push(&told->refs, (struct told_ref){ ref->to, ref->flags }));
		object->count++;
	}
}

static void see_roots(struct told *told, const struct event *event)
{
	if (event->roots.type != told->type || event->roots.id1 != told->id1 ||
	    event->roots.id2 != told->id2)
		complain(&told->wrong, "roots of container %" PRIu64 ", begun was %" PRIu64,
			 event->roots.type, told->type);
	if (told->type == GCTRACE_C_HEAP)
		complain(&told->wrong, "a root in C_HEAP");
	for (size_t i = 0; i < event->roots.count; i++) {
		const struct root *root = &event->roots.roots[i];

		check_flags(told, root->to, root->flags, "a root");
		must(vec__push(&told->roots,
			       (struct told_root){ event->roots.type, event->roots.id1,
						   event->roots.id2, root->kind, root->id, root->to,
						   root->flags }));
	}
}

static struct text copy_of(struct text text)
{
	char *copy = malloc(text.bytes + 1);

	must(!copy);
	memcpy(copy, text.bytes ? text.at : "", text.bytes);
	return (struct text){ copy, text.bytes };
}

static void see_class(struct told *told, const struct event *event)
{
	must(vec__push(&told->classes, (struct told_class){
					       .number = event->class_.class_,
					       .super = event->class_.super,
					       .size = event->class_.size,
					       .flags = event->class_.flags,
					       .name = copy_of(event->class_.name),
					       .fields = copy_of(event->class_.fields),
				       }));
}

static void see_container(struct told *told, const struct event *event)
{
	if (event->container.type == GCTRACE_C_BEGIN)
		told->number = event->container.id1;
	if (event->container.type == GCTRACE_C_END)
		told->status = event->container.id1;
	told->type = event->container.type;
	told->id1 = event->container.id1;
	told->id2 = event->container.id2;
	told->containers++;
}

static void see_end(struct told *told, const struct event *event)
{
	told->has_totals = true;
	told->objects_told = event->dump_end.objects;
	told->references_told = event->dump_end.references;
	told->roots_told = event->dump_end.roots;
	told->bytes_told = event->dump_end.bytes;
	if (event->dump_end.status != told->status)
		complain(&told->wrong, "DUMP_END says status %" PRIu64 ", C_END said %" PRIu64,
			 event->dump_end.status, told->status);
}

int told__event(void *context, const struct event *event)
{
	struct told *told = context;

	switch (event->kind) {
	case EVENT_OBJECT:
		see_object(told, event);
		break;
	case EVENT_ROOTS:
		see_roots(told, event);
		break;
	case EVENT_CLASS:
		see_class(told, event);
		break;
	case EVENT_CONTAINER:
		see_container(told, event);
		break;
	case EVENT_DUMP_END:
		see_end(told, event);
		break;
	case EVENT_LOSS:
		told->lost += event->loss.count;
		break;
	default:
		told->defines += event->kind == EVENT_DEFINE;
	}
	return 0;
}

void told__free(struct told *told)
{
	for (size_t i = 0; i < told->classes.count; i++) {
		free((char *)told->classes.items[i].name.at);
		free((char *)told->classes.items[i].fields.at);
	}
	vec__free(&told->objects);
	vec__free(&told->refs);
	vec__free(&told->roots);
	vec__free(&told->classes);
	free(told->named.items);
	free(told->reported.items);
}
