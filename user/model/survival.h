/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who survives, and for how long: sums by type and by generation.
 *
 * AGE is the number of collections that condemned an object and that it survived since it was first
 * seen. It is exact where the birth was observed (OBJECT_BORN), else a lower bound. So curves are
 * of observed births only:
 *
 *	share that survives its n-th collection = survived[n - 1] / (survived[n - 1] + died[n - 1])
 *
 * Objects that left otherwise than by death (withdrawn, gone, in conflict) are in neither number:
 * they were at risk as long as something was known of them, and no longer. From SURVIVAL_AGES - 1
 * on, all ages are added up in the last place.
 */
#ifndef MODEL_SURVIVAL_H
#define MODEL_SURVIVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "objects.h"
#include "relocation.h"

#define SURVIVAL_AGES 64

struct survival_curve {
	uint64_t born; /* observed births */
	uint64_t survived[SURVIVAL_AGES]; /* [n]: had survived n before, and survived one more */
	uint64_t died[SURVIVAL_AGES];	  /* [n]: died after n */
};

struct survival_sum {
	uint64_t objects, bytes;
};

struct survival_type {
	struct survival_sum seen, died, gone, withdrawn, conflicts; /* alive: seen less the rest */
	struct survival_sum moved;    /* copied on its behalf, each time */
	struct survival_sum promoted; /* into an older generation, each time */
	struct survival_curve *curve; /* NULL: no birth was observed */
};

struct survival_generation {
	uint64_t generation; /* GENERATION_UNKNOWN: where that is not known */
	struct survival_sum moved, stayed, promoted, died; /* of objects that lay in it */
};

struct survival {
	VEC(struct survival_type) types; /* by index of types.h */
	VEC(struct survival_generation) generations;
	struct survival_curve all;
	bool out_of_memory; /* sums are not right any more */
};

void survival__free(struct survival *survival);

static inline uint64_t survival__alive(const struct survival_type *type)
{
	return type->seen.objects - type->died.objects - type->gone.objects -
	       type->withdrawn.objects - type->conflicts.objects;
}

/* An object has its id. */
void survival__came(struct survival *survival, const struct object *object, uint64_t size);

/* What a run of survivors adds up to; aged: those that were condemned and not yet in a range. */
struct survival_run {
	struct survival_sum all, aged;
	bool promoted; /* all of them */
};

/* Objects are found alive; `objects` knows large sizes. */
struct survival_run survival__survived(struct survival *survival, const struct objects *objects,
				       const struct survivors *survivors);

static inline void survival__add(struct survival_sum *sum, const struct survival_sum *other)
{
	sum->objects += other->objects;
	sum->bytes += other->bytes;
}

void survival__left(struct survival *survival, const struct object *object, uint64_t size,
		    uint64_t generation, enum object_fate fate);

#endif
