/* SPDX-License-Identifier: BSD-2-Clause */
#include "site_groups.h"

#include <fnmatch.h>
#include <stdbool.h>

#include "base/buf.h"

void site_groups__free(struct site_groups *groups)
{
	vec__free(&groups->of_spot);
	vec__free(&groups->of_key);
	vec__free(&groups->keys);
}

static uint32_t key_of(const struct site_groups *groups, const struct sites *sites,
		       const struct site_spot *spot)
{
	if (groups->by == SITES_BY_TYPE)
		return spot->type;
	return stacks__at(&sites->stacks, site_spot__node(spot, &sites->stacks), groups->depth);
}

static int group_of(struct site_groups *groups, uint32_t key, uint32_t *group)
{
	while (groups->of_key.count <= key)
		if (vec__push(&groups->of_key, 0))
			return -ENOMEM;
	if (!groups->of_key.items[key]) {
		if (vec__push(&groups->keys, key))
			return -ENOMEM;
		groups->of_key.items[key] = (uint32_t)groups->keys.count;
	}
	*group = groups->of_key.items[key] - 1;
	return 0;
}

/* A name is counted bytes, and may hold zeros: the pattern sees it up to the first one. */
static bool is_wanted(const struct site_groups *groups, struct text name, struct buf *scratch)
{
	if (!groups->type)
		return true;
	buf__reset(scratch);
	buf__add(scratch, name.at, name.bytes);
	return fnmatch(groups->type, buf__str(scratch), 0) == 0;
}

/* All anew: what a stack or a type is called may have been told after its first sample. */
int site_groups__update(struct site_groups *groups, const struct sites *sites)
{
	struct buf scratch = BUF_INIT;
	int err = 0;

	vec__reset(&groups->of_spot);
	for (size_t i = 0; i < sites->spots.count && !err; i++) {
		const struct site_spot *spot = &sites->spots.items[i];
		uint32_t group = GROUP_NONE;

		if (!spot->is_free &&
		    is_wanted(groups, sites->types.of.items[spot->type].name, &scratch))
			err = group_of(groups, key_of(groups, sites, spot), &group);
		err = err ? err : vec__push(&groups->of_spot, group);
	}
	err = err ? err : scratch.error;
	buf__free(&scratch);
	return err;
}
