/* SPDX-License-Identifier: BSD-2-Clause */
#include "survival.h"

#include <stdlib.h>
#include <string.h>

void survival__free(struct survival *survival)
{
	for (size_t i = 0; i < survival->types.count; i++)
		free(survival->types.items[i].curve);
	vec__free(&survival->types);
	vec__free(&survival->generations);
}

static struct survival_type *new_type(struct survival *survival, uint32_t type)
{
	size_t more = type + 1 - survival->types.count;

	if (vec__reserve(&survival->types, more)) {
		survival->out_of_memory = true;
		return NULL;
	}
	memset(survival->types.items + survival->types.count, 0,
	       more * sizeof(*survival->types.items));
	survival->types.count += more;
	return &survival->types.items[type];
}

/* NULL: no memory. */
static inline struct survival_type *type_of(struct survival *survival, uint32_t type)
{
	return type < survival->types.count ? &survival->types.items[type]
					    : new_type(survival, type);
}

static struct survival_generation *generation_of(struct survival *survival, uint64_t generation)
{
	for (size_t i = 0; i < survival->generations.count; i++)
		if (survival->generations.items[i].generation == generation)
			return &survival->generations.items[i];
	if (vec__push(&survival->generations,
		      (struct survival_generation){ .generation = generation })) {
		survival->out_of_memory = true;
		return NULL;
	}
	return &survival->generations.items[survival->generations.count - 1];
}

static void add(struct survival_sum *sum, uint64_t size)
{
	sum->objects++;
	sum->bytes += size;
}

static unsigned int place(const struct object *object)
{
	return object->age < SURVIVAL_AGES - 1 ? object->age : SURVIVAL_AGES - 1;
}

static struct survival_curve *curve_of(struct survival *survival, struct survival_type *type)
{
	if (!type->curve)
		type->curve = calloc(1, sizeof(*type->curve));
	survival->out_of_memory |= !type->curve;
	return type->curve;
}

void survival__came(struct survival *survival, const struct object *object, uint64_t size)
{
	struct survival_type *type = type_of(survival, object->type);
	struct survival_curve *curve;

	if (!type)
		return;
	add(&type->seen, size);
	if (!(object->flags & OBJECT_BORN))
		return;
	survival->all.born++;
	curve = curve_of(survival, type);
	if (curve)
		curve->born++;
}

static void age(struct survival *survival, struct survival_type *type, const struct object *object)
{
	struct survival_curve *curve = curve_of(survival, type);

	survival->all.survived[place(object)]++;
	if (curve)
		curve->survived[place(object)]++;
}

static bool is_promotion(const struct survivors *survivors)
{
	return survivors->from != GENERATION_UNKNOWN && survivors->to != GENERATION_UNKNOWN &&
	       survivors->to > survivors->from;
}

static inline void add_survivor(struct survival *survival, const struct survivors *survivors,
				const struct object *object, uint64_t size,
				struct survival_run *run)
{
	struct survival_type *type = type_of(survival, object->type);
	const uint64_t ages = object__is_open(object, survivors->slot);

	if (!type)
		return;
	if (survivors->moved)
		add(&type->moved, size);
	if (run->promoted)
		add(&type->promoted, size);
	add(&run->all, size);
	run->aged.objects += ages;
	run->aged.bytes += ages * size;
	if (ages && object->flags & OBJECT_BORN)
		age(survival, type, object);
}

struct survival_run survival__survived(struct survival *survival, const struct objects *objects,
				       const struct survivors *survivors)
{
	struct survival_generation *generation = generation_of(survival, survivors->from);
	struct survival_run run = { .promoted = is_promotion(survivors) };

	for (uint32_t i = 0; i < survivors->count; i++)
		add_survivor(survival, survivors, &survivors->first[i],
			     objects__size(objects, &survivors->first[i]), &run);
	if (!generation)
		return run;
	survival__add(survivors->moved ? &generation->moved : &generation->stayed, &run.all);
	if (run.promoted)
		survival__add(&generation->promoted, &run.all);
	return run;
}

static void died(struct survival *survival, struct survival_type *type, const struct object *object,
		 uint64_t size, uint64_t generation)
{
	struct survival_generation *of = generation_of(survival, generation);

	add(&type->died, size);
	if (of)
		add(&of->died, size);
	if (!(object->flags & OBJECT_BORN))
		return;
	survival->all.died[place(object)]++;
	if (type->curve)
		type->curve->died[place(object)]++;
}

void survival__left(struct survival *survival, const struct object *object, uint64_t size,
		    uint64_t generation, enum object_fate fate)
{
	struct survival_type *type = type_of(survival, object->type);

	if (!type)
		return;
	switch (fate) {
	case OBJECT_DEAD:
		died(survival, type, object, size, generation);
		break;
	case OBJECT_GONE:
		add(&type->gone, size);
		break;
	case OBJECT_WITHDRAWN:
		add(&type->withdrawn, size);
		break;
	case OBJECT_CONFLICT:
		add(&type->conflicts, size);
		break;
	}
}
