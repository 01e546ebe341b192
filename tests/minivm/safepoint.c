/* SPDX-License-Identifier: BSD-2-Clause */
#include "safepoint.h"

#include <pthread.h>

bool safepoint_stop;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stopped = PTHREAD_COND_INITIALIZER, go = PTHREAD_COND_INITIALIZER;
static unsigned running;

static void wait_for_go(void)
{
	while (safepoint_stop)
		pthread_cond_wait(&go, &lock);
	running++;
}

void safepoint__enter(void)
{
	pthread_mutex_lock(&lock);
	wait_for_go();
	pthread_mutex_unlock(&lock);
}

void safepoint__leave(void)
{
	pthread_mutex_lock(&lock);
	if (!--running)
		pthread_cond_signal(&stopped);
	pthread_mutex_unlock(&lock);
}

void safepoint__park(void)
{
	pthread_mutex_lock(&lock);
	if (!--running)
		pthread_cond_signal(&stopped);
	wait_for_go();
	pthread_mutex_unlock(&lock);
}

void safepoint__stop_world(void)
{
	pthread_mutex_lock(&lock);
	__atomic_store_n(&safepoint_stop, true, __ATOMIC_RELAXED);
	while (running)
		pthread_cond_wait(&stopped, &lock);
	pthread_mutex_unlock(&lock);
}

void safepoint__start_world(void)
{
	pthread_mutex_lock(&lock);
	__atomic_store_n(&safepoint_stop, false, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&go);
	pthread_mutex_unlock(&lock);
}
