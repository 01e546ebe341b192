/* SPDX-License-Identifier: BSD-2-Clause */
#include "pools.h"

#include <errno.h>

const struct collection_pool *pools__find(const struct pools *pools, struct text name)
{
	for (size_t i = 0; i < pools->of.count; i++) {
		if (text__equal(pools->of.items[i].name, name))
			return &pools->of.items[i];
	}
	return NULL;
}

static int add(struct pools *pools, const struct event *event)
{
	struct text name = event->pool.name;
	struct collection_pool pool = { .before = EVENT_UNKNOWN, .after = EVENT_UNKNOWN,
					.committed = EVENT_UNKNOWN, .max = EVENT_UNKNOWN };

	if (text__own(&pool.name, name))
		return -ENOMEM;
	pool.outside = event->pool.outside;
	pool.old = event->pool.old;
	pool.fresh = event->pool.fresh;
	if (vec__push(&pools->of, pool)) {
		text__free(&pool.name);
		return -ENOMEM;
	}
	pools->bytes += name.bytes + sizeof(pool);
	return 0;
}

static void update(uint64_t *known, uint64_t told)
{
	if (told != EVENT_UNKNOWN)
		*known = told;
}

int pools__note(struct pools *pools, const struct event *event)
{
	struct collection_pool *pool =
		(struct collection_pool *)pools__find(pools, event->pool.name);

	if (!pool) {
		if (pools->of.count >= POOLS_MOST ||
		    pools->bytes + event->pool.name.bytes + sizeof(*pool) > POOLS_BYTES) {
			pools->dropped++;
			return 0;
		}
		if (add(pools, event))
			return -ENOMEM;
		pool = &pools->of.items[pools->of.count - 1];
	}
	if (pool->before == EVENT_UNKNOWN)
		pool->before = event->pool.before;
	update(&pool->after, event->pool.used);
	update(&pool->committed, event->pool.committed);
	update(&pool->max, event->pool.max);
	return 0;
}

struct pool_sums pools__sums(const struct pools *pools)
{
	struct pool_sums sums = { 0, 0, 0 };
	bool any = false;

	for (size_t i = 0; i < pools->of.count; i++) {
		const struct collection_pool *pool = &pools->of.items[i];

		if (pool->outside)
			continue;
		any = true;
		event__sum(&sums.before, pool->before);
		event__sum(&sums.after, pool->after);
		event__sum(&sums.committed, pool->committed);
	}
	if (!any || pools->dropped)
		sums = (struct pool_sums){ EVENT_UNKNOWN, EVENT_UNKNOWN, EVENT_UNKNOWN };
	return sums;
}

const struct collection_pool *pools__old(const struct pools *pools)
{
	const struct collection_pool *old = NULL;

	for (size_t i = 0; i < pools->of.count; i++) {
		if (!pools->of.items[i].old)
			continue;
		if (old)
			return NULL;
		old = &pools->of.items[i];
	}
	return old;
}

void pools__free(struct pools *pools)
{
	for (size_t i = 0; i < pools->of.count; i++)
		text__free(&pools->of.items[i].name);
	vec__free(&pools->of);
	pools->bytes = 0;
}
