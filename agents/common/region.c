/* SPDX-License-Identifier: BSD-2-Clause */
#include "region.h"

#include <sys/mman.h>

bool region__reserve(struct region *region, size_t room)
{
	void *at = mmap(NULL, room, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return false;
	madvise(at, room, MADV_NOHUGEPAGE); /* a huge page would come for one small entry */
	*region = (struct region){ at, 0, room };
	return true;
}

void *region__get(struct region *region, size_t bytes)
{
	unsigned char *at = region->at + region->used;

	if (bytes > region->room - region->used)
		return NULL;
	region->used += (bytes + 7) & ~(size_t)7;
	if (region->used > region->room)
		region->used = region->room;
	return at;
}

void region__release(struct region *region)
{
	if (region->at)
		munmap(region->at, region->room);
	*region = (struct region){ 0 };
}

void region__empty(struct region *region)
{
	if (region->used)
		madvise(region->at, region->used, MADV_DONTNEED);
	region->used = 0;
}
