/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sequences of pools: the collections.
 *
 *	before Eden, before Old, ...   after Eden, after Old, ...
 *	^ starts                                                 ^ ends: all that began have ended
 *
 * Paired by the manager's name, not by thread: what a cycle began may be ended by another thread.
 */
#include <errno.h>
#include <stdlib.h>

#include <gctrace/wire.h>

#include "hotspot_state.h"

#define SEQUENCES 16 /* at once; more are malformed */
#define POOLS 256    /* of one sequence; the same */

struct pool {
	struct name name;
	uint64_t before;
	bool ended;
};

/* Pools of one manager, between their first "before" and their last "after". */
struct sequence {
	struct name manager;
	uint32_t tid;
	bool cycle;	    /* around pauses, while the program runs */
	uint64_t generations; /* it condemns, as was told; EVENT_UNKNOWN */
	bool orphan;	    /* "before" was not seen: ends with whatever comes next */
	uint64_t last;	    /* stamp of its last record */
	const char *what;   /* what is known of it only now, or NULL */
	size_t missing;	    /* pools that have not ended */
	VEC(struct pool) pools;
};

static void sequence__free(struct sequence *sequence)
{
	vec__free(&sequence->pools);
	free(sequence);
}

static struct sequence *sequence__find(struct hotspot *hotspot, struct text manager)
{
	for (size_t i = 0; i < hotspot->sequences.count; i++)
		if (name__is(&hotspot->sequences.items[i]->manager, manager))
			return hotspot->sequences.items[i];
	return NULL;
}

bool sequences__cycle(struct hotspot *hotspot, const char *what)
{
	for (size_t i = hotspot->sequences.count; i > 0; i--) {
		struct sequence *sequence = hotspot->sequences.items[i - 1];

		if (!sequence->cycle)
			continue;
		if (what)
			sequence->what = what;
		return true;
	}
	return false;
}

unsigned int sequences__still(const struct hotspot *hotspot)
{
	unsigned int count = 0;

	for (size_t i = 0; i < hotspot->sequences.count; i++)
		count += !hotspot->sequences.items[i]->cycle;
	return count;
}

static int sequence__new(const struct step *step, struct text manager, struct sequence **out)
{
	struct hotspot *hotspot = step->hotspot;
	struct sequence *sequence;

	if (hotspot->sequences.count >= SEQUENCES)
		return -EBADMSG;
	sequence = calloc(1, sizeof(*sequence));
	if (!sequence)
		return -ENOMEM;
	if (vec__push(&hotspot->sequences, sequence)) {
		sequence__free(sequence);
		return -ENOMEM;
	}
	name__set(&sequence->manager, manager);
	sequence->tid = step->record->tid;
	sequence->last = step->record->stamp;
	sequence->generations = EVENT_UNKNOWN;
	*out = sequence;
	return 0;
}

/* Is it one of a collector that works beside the program? */
static bool sequence__is_beside(const struct sequence *sequence)
{
	const struct hotspot_manager *manager = hotspot_manager(name__text(&sequence->manager));

	return manager && manager->how & GCTRACE_HOW_CONCURRENT;
}

/*
 * May something of it, before what was seen first, have been lost? Cycles do not depend on an
 * operation; their cause comes before their pools, in the same thread.
 */
static bool sequence__is_doubted(const struct step *step, const struct sequence *sequence)
{
	struct hotspot *hotspot = step->hotspot;

	if (!sequence__is_beside(sequence))
		return hotspot->operation_doubted;
	return hotspot->cycle_doubted && cause__text(hotspot, step->record->tid).bytes == 0;
}

/* Tell that a collection of this manager starts. */
static int sequence__start(const struct step *step, struct sequence *sequence)
{
	struct hotspot *hotspot = step->hotspot;
	const struct hotspot_operation *operation = operation__now(hotspot);
	const struct hotspot_manager *manager = hotspot_manager(name__text(&sequence->manager));
	bool still = stands_still(hotspot, sequence->tid);
	uint64_t generations = manager ? manager->generations : EVENT_UNKNOWN;
	struct text what = name__text(&sequence->manager);
	uint64_t time = step->record->stamp;
	uint32_t how = manager ? manager->how : 0;
	struct gc_start start;

	sequence->cycle = manager ? manager->how & GCTRACE_HOW_CONCURRENT : !still;
	if (sequence->cycle)
		how |= GCTRACE_HOW_CONCURRENT;
	else if (hotspot->paused && hotspot->pause_collections++ == 0)
		time = hotspot->pause_start;
	if (manager && *manager->what)
		what = text__of(manager->what);
	else if (still && operation && *operation->what)
		what = text__of(operation->what);
	if (still && operation && operation->overrides && manager && manager->generations == 1)
		what = text__of(operation->what);
	sequence->generations = beside__generations(hotspot, generations, how);
	start = (struct gc_start){
		.time = time,
		.what = what,
		.generations = generations,
		.how = how,
		.pools = manager ? manager->pools : EVENT_POOLS_NOTHING,
		.doubted = sequence__is_doubted(step, sequence),
	};
	return gc__start(step, &start);
}

static int sequence__finish(const struct step *step, struct sequence *sequence)
{
	struct hotspot *hotspot = step->hotspot;
	struct text what = { NULL, 0 };
	int err;

	if (sequence->what)
		what = text__of(sequence->what);
	err = gc__finish(step, sequence->last, sequence->tid, what,
			 sequence->cycle ? EVENT_UNKNOWN : sequence->generations);
	if (sequence->cycle)
		cause__forget(hotspot, sequence->tid);
	if (sequence__is_beside(sequence))
		hotspot->cycle_doubted = false;
	hotspot->last_manager = sequence->manager;
	for (size_t i = 0; i < hotspot->sequences.count; i++) {
		if (hotspot->sequences.items[i] != sequence)
			continue;
		hotspot->sequences.count--;
		memmove(&hotspot->sequences.items[i], &hotspot->sequences.items[i + 1],
			(hotspot->sequences.count - i) * sizeof(sequence));
		break;
	}
	sequence__free(sequence);
	return err;
}

int sequences__settle(const struct step *step, struct text except)
{
	struct hotspot *hotspot = step->hotspot;

	for (size_t i = hotspot->sequences.count; i > 0; i--) {
		struct sequence *sequence = hotspot->sequences.items[i - 1];
		int err;

		if (!sequence->orphan || name__is(&sequence->manager, except))
			continue;
		err = sequence__finish(step, sequence);
		if (err)
			return err;
	}
	return 0;
}

static struct pool *sequence__pool(struct sequence *sequence, struct text name)
{
	for (size_t i = 0; i < sequence->pools.count; i++)
		if (name__is(&sequence->pools.items[i].name, name))
			return &sequence->pools.items[i];
	return NULL;
}

int pool__begin(const struct step *step, struct text manager, struct text name, uint64_t used)
{
	struct sequence *sequence = sequence__find(step->hotspot, manager);
	struct pool pool = { .before = used };
	int err;

	/* Begins again what has ended in part: ends were lost. */
	if (sequence && (sequence->orphan || sequence->missing < sequence->pools.count ||
			 sequence__pool(sequence, name))) {
		err = sequence__finish(step, sequence);
		if (err)
			return err;
		sequence = NULL;
	}
	if (!sequence) {
		err = sequence__new(step, manager, &sequence);
		if (!err)
			err = sequence__start(step, sequence);
		if (err)
			return err;
	}
	if (sequence->pools.count >= POOLS)
		return -EBADMSG;
	name__set(&pool.name, name);
	sequence->last = step->record->stamp;
	sequence->missing++;
	return vec__push(&sequence->pools, pool);
}

/* "After" without "before": its collection began before the attach, or was lost in part. */
static int sequence__orphan(const struct step *step, struct text manager, struct sequence **out)
{
	const struct hotspot_manager *known = hotspot_manager(manager);
	struct hotspot *hotspot = step->hotspot;
	bool still = stands_still(hotspot, step->record->tid);
	int err;

	err = sequence__new(step, manager, out);
	if (err)
		return err;
	(*out)->orphan = true;
	/* A pause whose begin was seen is the collection's begin, too. */
	if (still && hotspot->paused && hotspot->pause_collections == 0)
		return sequence__start(step, *out);
	if (known && *known->what)
		(*out)->what = known->what;
	return 0;
}

int pool__end(const struct step *step, struct text manager, const struct record_pool *record,
	      struct text name)
{
	struct hotspot *hotspot = step->hotspot;
	struct sequence *sequence = sequence__find(hotspot, manager);
	struct event event = step__event(step, EVENT_POOL);
	struct pool *pool = sequence ? sequence__pool(sequence, name) : NULL;
	int err = 0;

	if (!sequence && !(hotspot->paused && name__is(&hotspot->last_manager, manager)))
		err = sequence__orphan(step, manager, &sequence);
	if (err)
		return err;
	event.pool.gc = EVENT_UNKNOWN;
	event.pool.before = pool ? pool->before : EVENT_UNKNOWN;
	event.pool.used = record->used;
	event.pool.committed = record->committed;
	event.pool.max = record->max; /* -1: no limit, which is EVENT_UNKNOWN */
	event.pool.name = name;
	event.pool.outside = hotspot_pool_is_outside(name);
	event.pool.old = hotspot_pool_is_old(name);
	event.pool.fresh = hotspot_pool_is_fresh(name);
	err = step__tell(step, &event);
	if (err || !sequence)
		return err;
	sequence->last = step->record->stamp;
	if (pool && !pool->ended) {
		pool->ended = true;
		sequence->missing--;
	}
	if (sequence->orphan || sequence->missing)
		return 0;
	return sequence__finish(step, sequence);
}

void sequences__free(struct hotspot *hotspot)
{
	for (size_t i = 0; i < hotspot->sequences.count; i++)
		sequence__free(hotspot->sequences.items[i]);
	vec__free(&hotspot->sequences);
}
