/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who lives now, and how old they are: a count of a table of objects, by type.
 *
 * Ages of objects whose birth was observed are exact; those of all others are lower bounds, and
 * kept apart. From POPULATION_AGES - 1 on, all ages stand in the last place.
 */
#ifndef MODEL_POPULATION_H
#define MODEL_POPULATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "objects.h"

#define POPULATION_AGES 64

struct population_ages {
	uint64_t exact[POPULATION_AGES];
	uint64_t least[POPULATION_AGES];
};

struct population_type {
	uint64_t objects, bytes;
	uint64_t unborn; /* of the objects: whose birth was not observed */
	uint32_t oldest; /* highest age; OBJECT_COUNT_MOST: that or more */
	struct population_ages ages;
};

struct population {
	VEC(struct population_type) types; /* by index of types.h */
	struct population_ages ages; /* of all */
};

/* One more of them, of so many bytes. */
void population_type__add(struct population_type *type, uint32_t age, bool born, uint64_t size);

/* Replaces what it was. 0 or -ENOMEM. All zero is an empty one. */
int population__count(struct population *population, struct objects *objects);
void population__free(struct population *population);

/* Half of them are that old or older. */
uint32_t population_type__median(const struct population_type *type);

#endif
