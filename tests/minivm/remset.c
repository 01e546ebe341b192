/* SPDX-License-Identifier: BSD-2-Clause */
#include "remset.h"

struct list remset;
uint8_t *remset_noted;

void remset__init(void)
{
	remset_noted = reserve(0, (heap.large + heap.large_bytes - heap.old) / 8,
			       "the remembered set");
}

void remset__clear(void)
{
	for (size_t i = 0; i < remset.count; i++)
		remset__forget(remset.items[i]);
	remset.count = 0;
}
