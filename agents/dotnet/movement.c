/* SPDX-License-Identifier: BSD-2-Clause */
#include "movement.h"
#include "session.h"

void movement__want(bool is_wanted)
{
	static bool is_open;

	if (is_wanted == is_open)
		return;
	if (is_wanted && session__open(SESSION_MOVEMENT) < 0)
		return; /* at the next look again */
	if (!is_wanted)
		session__close(SESSION_MOVEMENT);
	is_open = is_wanted;
}

void movement__event(uint32_t id, const uint8_t *payload, uint32_t bytes)
{
	(void)id;
	(void)payload;
	(void)bytes;
}
