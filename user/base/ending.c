/* SPDX-License-Identifier: BSD-2-Clause */
#include "ending.h"

#define UNWRITTEN_LEAST_NS (100 * NS_PER_MS)

static uint64_t began_ns;

enum ending ending__at(uint64_t since_ns, uint64_t now_ns)
{
	if (!since_ns || now_ns < since_ns)
		return ENDING_NO;
	if (now_ns - since_ns >= ENDING_LAST_NS)
		return ENDING_LAST;
	return now_ns - since_ns >= ENDING_OVERDUE_NS ? ENDING_OVERDUE : ENDING_ASKED;
}

uint64_t ending__next_ns(uint64_t since_ns, uint64_t now_ns)
{
	switch (ending__at(since_ns, now_ns)) {
	case ENDING_NO:
		return since_ns ? since_ns : UINT64_MAX;
	case ENDING_ASKED:
		return since_ns + ENDING_OVERDUE_NS;
	case ENDING_OVERDUE:
		return since_ns + ENDING_LAST_NS;
	case ENDING_LAST:
		break;
	}
	return UINT64_MAX;
}

uint64_t ending__write_until_ns(uint64_t since_ns, uint64_t now_ns)
{
	const uint64_t least_ns = now_ns + UNWRITTEN_LEAST_NS;

	if (!since_ns)
		return UINT64_MAX;
	return since_ns + ENDING_UNWRITTEN_NS > least_ns ? since_ns + ENDING_UNWRITTEN_NS :
							   least_ns;
}

void ending__begin(uint64_t now_ns)
{
	uint64_t none = 0;

	__atomic_compare_exchange_n(&began_ns, &none, now_ns, 0, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
}

uint64_t ending__since_ns(void)
{
	return __atomic_load_n(&began_ns, __ATOMIC_SEQ_CST);
}

enum ending ending__now(void)
{
	const uint64_t since_ns = __atomic_load_n(&began_ns, __ATOMIC_RELAXED);

	return since_ns ? ending__at(since_ns, clock__monotonic_ns()) : ENDING_NO;
}
