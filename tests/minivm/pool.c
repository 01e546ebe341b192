/* SPDX-License-Identifier: BSD-2-Clause */
#include "pool.h"

#include <pthread.h>
#include <string.h>

#define TAKE 256

struct pool_hints pool_hints;

static struct {
	pthread_mutex_t lock;
	pthread_cond_t more;
	uint64_t *entries;
	size_t capacity;
	unsigned users;
	bool finished;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER };

static void set_idle(unsigned idle)
{
	__atomic_store_n(&pool_hints.idle, idle, __ATOMIC_RELAXED);
}

static void set_count(size_t count)
{
	__atomic_store_n(&pool_hints.count, count, __ATOMIC_RELAXED);
}

void pool__begin(unsigned users)
{
	pool.users = users;
	pool.finished = false;
	set_count(0);
	set_idle(0);
}

void pool__give(struct gc_worker *w)
{
	const size_t half = w->depth / 2;

	pthread_mutex_lock(&pool.lock);
	if (pool_hints.count + half > pool.capacity) {
		pool.capacity = 2 * (pool_hints.count + half);
		pool.entries = get_memory(pool.entries, pool.capacity * sizeof(*pool.entries));
	}
	memcpy(pool.entries + pool_hints.count, w->stack, half * sizeof(*w->stack));
	set_count(pool_hints.count + half);
	pthread_cond_broadcast(&pool.more);
	pthread_mutex_unlock(&pool.lock);
	w->depth -= half;
	memmove(w->stack, w->stack + half, w->depth * sizeof(*w->stack));
}

static void take_some(struct gc_worker *w)
{
	const size_t count = pool_hints.count, left = count > TAKE ? count - TAKE : 0;

	for (size_t i = left; i < count; i++)
		pool__push(w, pool.entries[i]);
	set_count(left);
}

bool pool__take(struct gc_worker *w)
{
	pthread_mutex_lock(&pool.lock);
	set_idle(pool_hints.idle + 1);
	while (!pool_hints.count && !pool.finished) {
		if (pool_hints.idle == pool.users) {
			pool.finished = true;
			pthread_cond_broadcast(&pool.more);
		} else {
			pthread_cond_wait(&pool.more, &pool.lock);
		}
	}
	if (pool_hints.count) {
		set_idle(pool_hints.idle - 1);
		take_some(w);
	}
	pthread_mutex_unlock(&pool.lock);
	return w->depth;
}

void pool__grow(struct gc_worker *w)
{
	w->capacity = w->capacity ? 2 * w->capacity : 4096;
	w->stack = get_memory(w->stack, w->capacity * sizeof(*w->stack));
}
