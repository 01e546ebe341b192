/* SPDX-License-Identifier: BSD-2-Clause */
#include "unnamed.h"

static uint64_t count;

void unnamed__begin(void)
{
	count = 0;
}

void unnamed__add(uint64_t names)
{
	count += names;
}

void unnamed__tell(struct gctrace_writer *writer)
{
	if (count)
		gctrace_write_unnamed(writer, count < UINT32_MAX ? (uint32_t)count : UINT32_MAX);
}
