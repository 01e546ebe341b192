/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every object by its address, every reference by its position, every root by its container, every
 * class by its number: what was told against what was.
 *
 * The truth names objects by ids, the dump by addresses: ids are turned into addresses by a table
 * sorted by id.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gctrace/wire.h"
#include "told.h"
#include "truth.h"

struct id {
	uint64_t id, address;
};

struct ids VEC_OF(struct id);

struct comparison {
	struct truth *truth;
	struct told *told;
	struct ids ids;
	bool is_part; /* the dump was stopped, or lost something */
	uint64_t wrong;
};

static int order(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_id(const void *a, const void *b)
{
	return order(((const struct id *)a)->id, ((const struct id *)b)->id);
}

static int by_address(const void *a, const void *b)
{
	return order(((const struct told_object *)a)->address,
		     ((const struct told_object *)b)->address);
}

static int by_true_address(const void *a, const void *b)
{
	return order(((const struct true_object *)a)->object.address,
		     ((const struct true_object *)b)->object.address);
}

/* All but the flags, so that those can be compared. */
static int by_root(const void *a, const void *b)
{
	const struct told_root *x = a, *y = b;
	int result = order(x->type, y->type);

	result = result ? result : order(x->id1, y->id1);
	result = result ? result : order(x->id2, y->id2);
	result = result ? result : order(x->kind, y->kind);
	result = result ? result : order(x->id, y->id);
	return result ? result : order(x->to, y->to);
}

static uint64_t address_of(struct comparison *c, uint64_t id)
{
	const struct id key = { .id = id }, *found;

	if (!id)
		return 0;
	found = bsearch(&key, c->ids.items, c->ids.count, sizeof(key), by_id);
	if (found)
		return found->address;
	complain(&c->wrong, "the truth refers to object %" PRIu64 ", which it does not have", id);
	return UINT64_MAX;
}

/* ---- Classes ---- */

static const struct true_class *class_of(const struct truth *truth, uint64_t number)
{
	for (size_t i = 0; i < truth->classes.count; i++)
		if (truth->classes.items[i].class_.number == number)
			return &truth->classes.items[i];
	return NULL;
}

static void compare_class(struct comparison *c, const struct told_class *told)
{
	const struct true_class *true_ = class_of(c->truth, told->number);

	if (!true_)
		complain(&c->wrong, "class %" PRIu64 " is defined, and there is none",
			 told->number);
	else if (told->super != true_->class_.super || told->flags != true_->class_.flags ||
		 told->size != true_->class_.instance_bytes)
		complain(&c->wrong, "class %" PRIu64 " is not what it is", told->number);
	else if (told->name.bytes != true_->class_.name_bytes ||
		 told->name.bytes + told->fields.bytes != true_->bytes ||
		 memcmp(told->name.at, true_->texts, told->name.bytes) ||
		 memcmp(told->fields.at, true_->texts + told->name.bytes, told->fields.bytes))
		complain(&c->wrong, "class %" PRIu64 " or a field of it has another name",
			 told->number);
}

static void compare_classes(struct comparison *c)
{
	for (size_t i = 0; i < c->told->classes.count; i++)
		compare_class(c, &c->told->classes.items[i]);
	if (!c->is_part && c->told->classes.count != c->truth->classes.count)
		complain(&c->wrong, "%zu classes are defined, there are %zu",
			 c->told->classes.count, c->truth->classes.count);
}

/* ---- Objects ---- */

static uint32_t flags_of(const struct comparison *c, const struct true_object *true_)
{
	const struct true_class *class_ = class_of(c->truth, true_->object.class_);
	uint32_t flags = true_->object.flags & 1 ? GCTRACE_OBJECT_PINNED : 0;

	if (class_ && class_->class_.flags & GCTRACE_CLASS_FINALIZABLE)
		flags |= GCTRACE_OBJECT_FINALIZABLE;
	return flags;
}

/* Weak references refer weakly by their last field, the referent. */
static bool is_weak(const struct comparison *c, const struct true_object *true_, uint64_t place)
{
	const struct true_class *class_ = class_of(c->truth, true_->object.class_);

	return class_ && class_->class_.flags & GCTRACE_CLASS_WEAK &&
	       place == true_->count - 1;
}

static void compare_references(struct comparison *c, const struct told_object *told,
			       const struct true_object *true_)
{
	const struct told_ref *ref = c->told->refs.items + told->first;

	if (told->count != true_->count && (told->whole || told->count > true_->count)) {
		complain(&c->wrong, "object %#" PRIx64 " has %" PRIu64 " references, not %" PRIu64,
			 told->address, true_->count, told->count);
		return;
	}
	for (uint64_t i = 0; i < told->count; i++) {
		const uint64_t to = address_of(c, c->truth->refs.items[true_->first + i]);
		const uint32_t weak = to && is_weak(c, true_, i) ? GCTRACE_REF_WEAK : 0;

		if (ref[i].to != to)
			complain(&c->wrong,
				 "reference %" PRIu64 " of %#" PRIx64 " is %#" PRIx64
				 ", not %#" PRIx64, i, told->address, to, ref[i].to);
		if ((ref[i].flags & ~(uint32_t)GCTRACE_SPEC_FLAGS) != weak)
			complain(&c->wrong, "reference %" PRIu64 " of %#" PRIx64 " has flags %#x",
				 i, told->address, ref[i].flags);
	}
}

static void compare_object(struct comparison *c, const struct told_object *told,
			   const struct true_object *true_)
{
	if (told->size != true_->object.size || told->class_ != true_->object.class_ ||
	    told->flags != flags_of(c, true_))
		complain(&c->wrong,
			 "object %#" PRIx64 ": told size %" PRIu64 " class %" PRIu64 " flags %#x,"
			 " is %" PRIu64 ", %u, %#x", told->address, told->size, told->class_,
			 told->flags, true_->object.size, true_->object.class_,
			 flags_of(c, true_));
	if (!told->whole && !c->is_part)
		complain(&c->wrong, "object %#" PRIx64 " lacks its last part", told->address);
	compare_references(c, told, true_);
}

static void compare_objects(struct comparison *c)
{
	size_t i = 0;

	for (size_t j = 0; j < c->truth->objects.count; j++) {
		const struct true_object *true_ = &c->truth->objects.items[j];

		for (; i < c->told->objects.count &&
		       c->told->objects.items[i].address < true_->object.address; i++)
			complain(&c->wrong, "there is no object at %#" PRIx64,
				 c->told->objects.items[i].address);
		if (i < c->told->objects.count &&
		    c->told->objects.items[i].address == true_->object.address)
			compare_object(c, &c->told->objects.items[i++], true_);
		else if (!c->is_part)
			complain(&c->wrong, "the object at %#" PRIx64 " was not told",
				 true_->object.address);
	}
	for (; i < c->told->objects.count; i++)
		complain(&c->wrong, "there is no object at %#" PRIx64,
			 c->told->objects.items[i].address);
}

/* ---- Roots ---- */

struct roots VEC_OF(struct told_root);

static uint32_t root_flags(uint64_t container)
{
	return container == GCTRACE_C_WEAK	  ? GCTRACE_REF_WEAK
	       : container == GCTRACE_C_DEPENDENT ? GCTRACE_REF_DEPENDENT
						  : 0;
}

static int collect_roots(struct comparison *c, struct roots *roots)
{
	for (size_t i = 0; i < c->truth->roots.count; i++) {
		const struct truth_root *root = &c->truth->roots.items[i];
		struct told_root as_told = {
			.type = root->container,
			.id1 = root->id1,
			.id2 = root->id2,
			.kind = root->kind,
			.id = root->kind_id,
			.to = address_of(c, root->object),
			.flags = root_flags(root->container),
		};

		if (root->container == GCTRACE_C_DEPENDENT)
			as_told.id1 = address_of(c, root->id1);
		if (vec__push(roots, as_told))
			return -1;
	}
	return 0;
}

static void show_root(struct comparison *c, const struct told_root *root, const char *what)
{
	complain(&c->wrong,
		 "%s: root in container %" PRIu64 " %" PRIu64 " %" PRIu64 ", kind %" PRIu64
		 " id %" PRIu64 " to %#" PRIx64,
		 what, root->type, root->id1, root->id2, root->kind, root->id, root->to);
}

static void compare_roots(struct comparison *c)
{
	struct roots roots = VEC_INIT;
	size_t i = 0, j = 0;

	if (collect_roots(c, &roots))
		abort();
	vec__sort(&roots, by_root);
	vec__sort(&c->told->roots, by_root);
	while (i < roots.count || j < c->told->roots.count) {
		const struct told_root *told = &c->told->roots.items[j];
		int way = i == roots.count ? 1
			  : j == c->told->roots.count ? -1
						      : by_root(&roots.items[i], told);

		if (way == 0 &&
		    (told->flags & ~(uint32_t)GCTRACE_SPEC_FLAGS) != roots.items[i].flags)
			show_root(c, told, "flags");
		if (way < 0 && !c->is_part)
			show_root(c, &roots.items[i], "not told");
		if (way > 0)
			show_root(c, told, "there is none");
		i += way <= 0;
		j += way >= 0;
	}
	vec__free(&roots);
}

/* ---- All ---- */

static void compare_totals(struct comparison *c)
{
	const struct truth_dump *dump = &c->truth->dump;
	const struct told *told = c->told;

	if (told->status != EVENT_UNKNOWN && told->status != dump->status)
		complain(&c->wrong, "status %" PRIu64 ", told %" PRIu64, dump->status,
			 told->status);
	if (told->has_totals &&
	    (told->objects_told != dump->objects || told->references_told != dump->references ||
	     told->roots_told != dump->roots || told->bytes_told != dump->bytes))
		complain(&c->wrong, "the totals of DUMP_END are not those of the truth");
	if (!c->is_part && told->objects.count != dump->objects)
		complain(&c->wrong, "%zu objects came, the dump told %" PRIu64,
			 told->objects.count, dump->objects);
}

uint64_t truth__compare(struct truth *truth, struct told *told)
{
	struct comparison c = {
		.truth = truth,
		.told = told,
		.is_part = told->status != GCTRACE_DUMP_COMPLETE || told->lost,
	};

	for (size_t i = 0; i < truth->objects.count; i++) {
		const struct truth_object *object = &truth->objects.items[i].object;

		if (vec__push(&c.ids, (struct id){ object->id, object->address }))
			abort();
	}
	vec__sort(&c.ids, by_id);
	vec__sort(&truth->objects, by_true_address);
	vec__sort(&told->objects, by_address);
	compare_totals(&c);
	compare_classes(&c);
	compare_objects(&c);
	compare_roots(&c);
	vec__free(&c.ids);
	return c.wrong + told->wrong;
}
