/* SPDX-License-Identifier: BSD-2-Clause */
#include "population.h"

#include <string.h>

struct counting {
	struct population *population;
	struct objects *objects;
};

/* NULL: no memory. */
static struct population_type *type_of(struct population *population, uint32_t type)
{
	size_t more;

	if (type >= population->types.count) {
		more = type + 1 - population->types.count;
		if (vec__reserve(&population->types, more))
			return NULL;
		memset(population->types.items + population->types.count, 0,
		       more * sizeof(*population->types.items));
		population->types.count += more;
	}
	return &population->types.items[type];
}

static void add_age(struct population_ages *ages, uint32_t age, bool born)
{
	const uint32_t place = age < POPULATION_AGES ? age : POPULATION_AGES - 1;

	if (born)
		ages->exact[place]++;
	else
		ages->least[place]++;
}

void population_type__add(struct population_type *type, uint32_t age, bool born, uint64_t size)
{
	type->objects++;
	type->bytes += size;
	type->unborn += !born;
	if (age > type->oldest)
		type->oldest = age;
	add_age(&type->ages, age, born);
}

static int count(void *context, const struct object *object, uint64_t address)
{
	struct counting *counting = context;
	struct population *population = counting->population;
	struct population_type *type = type_of(population, object->type);
	const bool born = object->flags & OBJECT_BORN;

	(void)address;
	if (!type)
		return -ENOMEM;
	population_type__add(type, object->age, born, objects__size(counting->objects, object));
	add_age(&population->ages, object->age, born);
	return 0;
}

int population__count(struct population *population, struct objects *objects)
{
	struct counting counting = { population, objects };

	vec__reset(&population->types);
	population->ages = (struct population_ages){ 0 };
	return objects__each(objects, count, &counting);
}

void population__free(struct population *population)
{
	vec__free(&population->types);
}

uint32_t population_type__median(const struct population_type *type)
{
	uint64_t above = 0;
	uint32_t age = POPULATION_AGES;

	while (age > 0 && 2 * above < type->objects) {
		age--;
		above += type->ages.exact[age] + type->ages.least[age];
	}
	return age;
}
