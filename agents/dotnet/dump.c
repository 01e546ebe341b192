/* SPDX-License-Identifier: BSD-2-Clause */
#include "dump.h"

void dump__want(bool is_wanted)
{
	(void)is_wanted;
}

void dump__event(uint32_t id, uint32_t version, const uint8_t *payload, uint32_t bytes)
{
	(void)id;
	(void)version;
	(void)payload;
	(void)bytes;
}
