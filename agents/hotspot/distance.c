/* SPDX-License-Identifier: BSD-2-Clause */
#include "distance.h"

#include <pthread.h>
#include <stddef.h>

/* As in agents/common/thread.c. */
#if defined(__GLIBC__) && defined(__x86_64__)
#define OLDEST "GLIBC_2.2.5"
#elif defined(__GLIBC__) && defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#endif
#ifdef OLDEST
__asm__(".symver pthread_key_create, pthread_key_create@" OLDEST);
__asm__(".symver pthread_getspecific, pthread_getspecific@" OLDEST);
__asm__(".symver pthread_setspecific, pthread_setspecific@" OLDEST);
#endif

static struct {
	pthread_key_t key;
	bool is_there;
} drawn;

void distance__init(void)
{
	drawn.is_there = drawn.is_there || !pthread_key_create(&drawn.key, NULL);
}

/*
 * The value is the interval + 1, and above it the lower half of the number of pauses: NULL is that
 * of who has none.
 */
struct distance distance__draw(uint32_t interval, uint32_t first, uint64_t pauses)
{
	const uintptr_t now = (uintptr_t)pauses << 32 | ((uintptr_t)interval + 1);
	struct distance last = { .interval = interval };
	uintptr_t before;

	if (!drawn.is_there)
		return last;
	before = (uintptr_t)pthread_getspecific(drawn.key);
	if (before != now)
		pthread_setspecific(drawn.key, (void *)now);
	last.interval = before ? (uint32_t)before - 1 : first;
	last.is_first = before >> 32 != now >> 32;
	return last;
}
