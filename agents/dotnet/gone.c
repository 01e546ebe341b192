/* SPDX-License-Identifier: BSD-2-Clause */
#include "gone.h"

#include <pthread.h>

#define KEPT 1024

/* Taken in callbacks, by threads that the collector does not stop: never for long. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t last[KEPT]; /* those that went last; 0: none */
static uint64_t count, count_begun;

void gone__goes(uintptr_t id)
{
	pthread_mutex_lock(&lock);
	last[count++ % KEPT] = id;
	pthread_mutex_unlock(&lock);
}

void gone__comes(uintptr_t id)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < KEPT; i++)
		if (last[i] == id)
			last[i] = 0;
	pthread_mutex_unlock(&lock);
}

void gone__begin(void)
{
	pthread_mutex_lock(&lock);
	count_begun = count;
	pthread_mutex_unlock(&lock);
}

void gone__hold(void)
{
	pthread_mutex_lock(&lock);
}

void gone__release(void)
{
	pthread_mutex_unlock(&lock);
}

bool gone__has(uintptr_t id)
{
	if (count - count_begun > KEPT)
		return true;
	for (unsigned i = 0; i < KEPT; i++)
		if (last[i] == id)
			return true;
	return false;
}
