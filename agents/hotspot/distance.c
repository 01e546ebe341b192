/* SPDX-License-Identifier: BSD-2-Clause */
#include "distance.h"

#include <pthread.h>
#include <stdbool.h>
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

/* The value is the interval + 1: NULL is that of who has none. */
uint32_t distance__draw(uint32_t interval, uint32_t first)
{
	uintptr_t before;

	if (!drawn.is_there)
		return interval;
	before = (uintptr_t)pthread_getspecific(drawn.key);
	if (before != (uintptr_t)interval + 1)
		pthread_setspecific(drawn.key, (void *)((uintptr_t)interval + 1));
	return before ? (uint32_t)(before - 1) : first;
}
