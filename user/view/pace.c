/* SPDX-License-Identifier: BSD-2-Clause */
#include "pace.h"

#include "../base/clock.h"

#define LEAST_NS (500 * NS_PER_MS) /* between two paints */
#define SHARE 20		   /* of the time, no more than a 20th */

bool pace__is_due(const struct pace *pace, uint64_t now_ns)
{
	return now_ns >= pace->due_ns;
}

void pace__painted(struct pace *pace, uint64_t start_ns, uint64_t end_ns)
{
	const uint64_t wait_ns = SHARE * (end_ns - start_ns);

	pace->due_ns = start_ns + (wait_ns > LEAST_NS ? wait_ns : LEAST_NS);
}
