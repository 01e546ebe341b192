/* SPDX-License-Identifier: BSD-2-Clause */
#include "join.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

struct join {
	struct join_key key;
	struct buf name, fields;
};

/* What one target holds of what is pending. */
struct share {
	uint32_t target;
	size_t count, bytes;
	uint64_t evicted; /* had to go and were not told yet */
};

struct joins {
	VEC(struct join) pending; /* oldest first; few at a time */
	VEC(struct share) shares; /* of those targets that hold or lost any */
	struct join whole;	  /* what was handed out last */
	size_t bytes, limit;
};

struct joins *joins__new(size_t limit)
{
	struct joins *joins = calloc(1, sizeof(*joins));

	if (joins)
		joins->limit = limit ? limit : JOIN_BYTES;
	return joins;
}

static void free_texts(struct join *join)
{
	buf__free(&join->name);
	buf__free(&join->fields);
}

static bool same(const struct join_key *a, const struct join_key *b)
{
	return a->target == b->target && a->producer == b->producer && a->tid == b->tid &&
	       a->space == b->space && a->id == b->id && a->a == b->a;
}

static struct join *find(const struct joins *joins, const struct join_key *key)
{
	for (size_t i = joins->pending.count; i-- > 0;) {
		if (same(&joins->pending.items[i].key, key))
			return &joins->pending.items[i];
	}
	return NULL;
}

static size_t text_bytes(const struct join *join)
{
	return join->name.len + join->fields.len;
}

static struct share *share_of(const struct joins *joins, uint32_t target)
{
	for (size_t i = 0; i < joins->shares.count; i++)
		if (joins->shares.items[i].target == target)
			return &joins->shares.items[i];
	return NULL;
}

static void settle(struct joins *joins, struct share *share)
{
	if (share->count == 0 && share->evicted == 0)
		*share = joins->shares.items[--joins->shares.count];
}

/* How many of this target had to go since it was asked last. */
static uint64_t take_evicted(struct joins *joins, uint32_t target)
{
	struct share *share = share_of(joins, target);
	uint64_t evicted = share ? share->evicted : 0;

	if (!share)
		return 0;
	share->evicted = 0;
	settle(joins, share);
	return evicted;
}

/* Take it out of those that are pending; its texts are the caller's. */
static struct join take_out(struct joins *joins, struct join *join)
{
	struct join taken = *join;
	struct join *end = joins->pending.items + joins->pending.count;
	struct share *share = share_of(joins, taken.key.target);

	joins->bytes -= text_bytes(&taken);
	share->bytes -= text_bytes(&taken);
	share->count--;
	settle(joins, share);
	memmove(join, join + 1, (size_t)((char *)end - (char *)(join + 1)));
	joins->pending.count--;
	return taken;
}

static void drop(struct joins *joins, struct join *join)
{
	struct join taken = take_out(joins, join);

	free_texts(&taken);
}

/* It is its own target's loss, whoever needs the room: that one is told when it asks. */
static void evict_oldest(struct joins *joins, uint32_t target)
{
	share_of(joins, target)->evicted++;
	for (size_t i = 0; i < joins->pending.count; i++) {
		if (joins->pending.items[i].key.target != target)
			continue;
		drop(joins, &joins->pending.items[i]);
		return;
	}
}

/* Whoever holds the most definitions gives its oldest one. */
static void make_place(struct joins *joins)
{
	const struct share *most = &joins->shares.items[0];

	for (size_t i = 1; i < joins->shares.count; i++)
		if (joins->shares.items[i].count > most->count)
			most = &joins->shares.items[i];
	evict_oldest(joins, most->target);
}

/* Whoever holds the most bytes gives its oldest ones; false: that is who wants room. */
static bool make_room(struct joins *joins, uint32_t target, size_t bytes)
{
	while (bytes > joins->limit - joins->bytes) {
		const struct share *most = share_of(joins, target);
		size_t own = most->bytes + bytes;

		for (size_t i = 0; i < joins->shares.count; i++) {
			const struct share *share = &joins->shares.items[i];

			if (share->bytes > (most->target == target ? own : most->bytes))
				most = share;
		}
		if (most->target == target)
			return false;
		evict_oldest(joins, most->target);
	}
	return true;
}

static struct join *begin(struct joins *joins, const struct join_key *key)
{
	struct share *share;

	if (joins->pending.count >= JOIN_PENDING)
		make_place(joins);
	share = share_of(joins, key->target);
	if (vec__reserve(&joins->pending, 1) ||
	    (!share && vec__push(&joins->shares, (struct share){ .target = key->target })))
		return NULL;
	share_of(joins, key->target)->count++;
	joins->pending.items[joins->pending.count] = (struct join){ .key = *key };
	return &joins->pending.items[joins->pending.count++];
}

static int append(struct joins *joins, struct join *join, const struct join_part *part)
{
	size_t before = text_bytes(join);

	buf__add(&join->name, part->name.at, part->name.bytes);
	buf__add(&join->fields, part->fields.at, part->fields.bytes);
	joins->bytes += text_bytes(join) - before;
	share_of(joins, join->key.target)->bytes += text_bytes(join) - before;
	return join->name.error ? join->name.error : join->fields.error;
}

static bool add_part(struct joins *joins, const struct join_key *key,
		     const struct join_part *part, struct text *name, struct text *fields,
		     uint64_t *incomplete)
{
	struct join *join = find(joins, key);

	if (!join && part->last) {
		*name = part->name;
		*fields = part->fields;
		return true;
	}
	if (!join)
		join = begin(joins, key);
	if (join && !make_room(joins, key->target, part->name.bytes + part->fields.bytes)) {
		drop(joins, find(joins, key));
		*incomplete += 1;
		return false;
	}
	join = find(joins, key); /* others may have gone from before it */
	if (!join || append(joins, join, part)) {
		if (join)
			drop(joins, join);
		*incomplete += 1;
		return false;
	}
	if (!part->last)
		return false;
	free_texts(&joins->whole);
	joins->whole = take_out(joins, join);
	*name = (struct text){ buf__str(&joins->whole.name), joins->whole.name.len };
	*fields = (struct text){ buf__str(&joins->whole.fields), joins->whole.fields.len };
	return true;
}

bool joins__add(struct joins *joins, const struct join_key *key, const struct join_part *part,
		struct text *name, struct text *fields, uint64_t *incomplete)
{
	bool whole = add_part(joins, key, part, name, fields, incomplete);

	*incomplete += take_evicted(joins, key->target);
	return whole;
}

size_t joins__so_far(const struct joins *joins, const struct join_key *key)
{
	const struct join *join = find(joins, key);

	return join ? join->name.len : 0;
}

uint64_t joins__drop(struct joins *joins, const struct join_key *key)
{
	struct join *join = find(joins, key);

	if (!join)
		return 0;
	drop(joins, join);
	return 1;
}

uint64_t joins__drop_producer(struct joins *joins, uint32_t target, uint64_t producer)
{
	uint64_t count = 0;

	for (size_t i = joins->pending.count; i-- > 0;) {
		const struct join_key *key = &joins->pending.items[i].key;

		if (key->target != target || key->producer != producer)
			continue;
		drop(joins, &joins->pending.items[i]);
		count++;
	}
	return count;
}

uint64_t joins__drop_target(struct joins *joins, uint32_t target)
{
	uint64_t count = take_evicted(joins, target);

	for (size_t i = joins->pending.count; i-- > 0;) {
		if (joins->pending.items[i].key.target != target)
			continue;
		drop(joins, &joins->pending.items[i]);
		count++;
	}
	return count;
}

void joins__free(struct joins *joins)
{
	if (!joins)
		return;
	while (joins->pending.count)
		drop(joins, &joins->pending.items[joins->pending.count - 1]);
	free_texts(&joins->whole);
	vec__free(&joins->pending);
	vec__free(&joins->shares);
	free(joins);
}
