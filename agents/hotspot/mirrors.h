/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Class objects that bear no tag any more: the numbers of their classes, by address.
 *
 * With each reference the JVM looks up the tags of two objects and of their two classes, eight
 * times for an object with one field, and the more tags there are the longer each look takes:
 * with those of some hundred classes as long as all the rest of its walk. So the tag of a class
 * is taken off as soon as the walk comes by its class object, which is soon: most are roots. From
 * then on the JVM names instances without saying of what class they are; it says so when it
 * visits them, where the first reference that it tells of each is that to its class, which is
 * looked up here.
 *
 * Only where objects are named by address. Classes of arrays keep their tags: an array is told when
 * it is named. So does java.lang.Class, by which class objects are known to be some.
 */
#ifndef GCTRACE_HOTSPOT_MIRRORS_H
#define GCTRACE_HOTSPOT_MIRRORS_H

#include <stdbool.h>
#include <stdint.h>

struct mirrors {
	uint64_t address, number; /* looked up last */
};

extern struct mirrors mirrors;

/* Once, outside of a pause. False: no address space. */
bool mirrors__init(void);
void mirrors__empty(void);

/* One that is not there yet. False: there is no room, it keeps its tag. */
bool mirrors__add(uint64_t address, uint64_t number);

uint64_t mirrors__look_up(uint64_t address);

/* The number of the class; 0: it is none of those. */
static inline uint64_t mirrors__number(uint64_t address)
{
	return address == mirrors.address ? mirrors.number : mirrors__look_up(address);
}

#endif
