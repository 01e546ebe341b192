/* SPDX-License-Identifier: BSD-2-Clause */
#include "slots.h"

void slots__learn(struct slots *slots, uint64_t offset)
{
	if (slots->count > SLOTS_MOST)
		return;
	for (uint32_t i = 0; i < slots->count; i++)
		if (slots->at[i] == offset)
			return;
	if (slots->count < SLOTS_MOST && offset <= UINT32_MAX)
		slots->at[slots->count++] = (uint32_t)offset;
	else
		slots->count = SLOTS_MOST + 1;
}
