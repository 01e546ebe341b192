/* SPDX-License-Identifier: BSD-2-Clause */
#include "rooms.h"

#include <string.h>

#define SMALLEST 32u

/* 32, 40, 48, 56, 64, 80, 96, 112, 128, 160 and so on. */
static size_t bytes_of(unsigned size)
{
	const size_t power = (size_t)SMALLEST << size / 4;

	return power + power / 4 * (size % 4);
}

static unsigned size_of(size_t bytes)
{
	unsigned size = 0;

	while (size < ROOMS_SIZES && bytes_of(size) < bytes)
		size++;
	return size;
}

bool rooms__reserve(struct rooms *rooms, size_t all)
{
	memset(rooms->free, 0, sizeof(rooms->free));
	return region__reserve(&rooms->region, all);
}

void rooms__empty(struct rooms *rooms)
{
	memset(rooms->free, 0, sizeof(rooms->free));
	region__empty(&rooms->region);
}

void rooms__release(struct rooms *rooms)
{
	region__release(&rooms->region);
}

/* In the first word of each that is free stands the next one. */
void *rooms__get(struct rooms *rooms, size_t bytes)
{
	const unsigned size = size_of(bytes);
	void *room;

	if (size == ROOMS_SIZES)
		return NULL;
	room = rooms->free[size];
	if (!room)
		return region__get(&rooms->region, bytes_of(size));
	memcpy(&rooms->free[size], room, sizeof(void *));
	return room;
}

void rooms__give_back(struct rooms *rooms, void *room, size_t bytes)
{
	const unsigned size = size_of(bytes);

	memcpy(room, &rooms->free[size], sizeof(void *));
	rooms->free[size] = room;
}
