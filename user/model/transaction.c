/* SPDX-License-Identifier: BSD-2-Clause */
#include "transaction.h"

#include <errno.h>
#include <stdlib.h>

#include "gctrace/wire.h"
#include "pool_fates.h"

#define PAUSE_TEXT_BYTES (1u << 20) /* of the pauses kept; later ones are kept without a word */
#define GENERATIONS_SIZED 1024	    /* whose sizes are kept */

struct transaction *transaction__new(uint32_t target, uint64_t id)
{
	struct transaction *transaction = calloc(1, sizeof(*transaction));

	if (!transaction)
		return NULL;
	transaction->id = id;
	transaction->suspend_sum = EVENT_UNKNOWN;
	transaction->so_far.stop_max_ns = EVENT_UNKNOWN;
	transaction->so_far.shared_start_ns = transaction->so_far.shared_ns = EVENT_UNKNOWN;
	transaction->newcomers = amount__exact(0);
	transaction->so_far = (struct collection){
		.target = target,
		.generations = EVENT_UNKNOWN,
		.oldest = EVENT_UNKNOWN,
		.start_ns = EVENT_UNKNOWN,
		.end_ns = EVENT_UNKNOWN,
	};
	return transaction;
}

void transaction__free(struct transaction *transaction)
{
	if (!transaction)
		return;
	buf__free(&transaction->what);
	buf__free(&transaction->cause);
	buf__free(&transaction->pause_texts);
	tally__free(&transaction->tally);
	pools__free(&transaction->pools);
	figures__free(&transaction->figures);
	vec__free(&transaction->sizes);
	vec__free(&transaction->pauses);
	free(transaction);
}

/* A word of the runtime's; the latest one holds. */
static int take_text(struct buf *known, struct text told)
{
	if (told.bytes == 0)
		return 0;
	buf__reset(known);
	buf__add(known, told.at, told.bytes);
	return known->error;
}

int transaction__start(struct transaction *transaction, const struct event *event)
{
	struct collection *collection = &transaction->so_far;
	int err;

	transaction->started = true;
	transaction->late |= event->late;
	transaction->tid = event->tid;
	collection->start_ns = event->time;
	collection->generations = event->gc_start.generations;
	collection->reason = event->gc_start.reason;
	collection->how = event->gc_start.how;
	transaction->pools_tell = event->gc_start.pools;
	err = take_text(&transaction->what, event->gc_start.what);
	return err ? err : take_text(&transaction->cause, event->gc_start.cause);
}

int transaction__finish(struct transaction *transaction, const struct event *event)
{
	struct collection *collection = &transaction->so_far;
	int err;

	transaction->ended = true;
	transaction->late |= event->late;
	collection->end_ns = event->time;
	collection->how |= event->gc_finish.how;
	collection->untold |= event->gc_finish.untold;
	collection->may_be_two |= event->gc_finish.may_be_two;
	if (event->gc_finish.collected != EVENT_UNKNOWN)
		collection->dead.objects = amount__exact(event->gc_finish.collected);
	err = take_text(&transaction->what, event->gc_finish.what);
	return err ? err : take_text(&transaction->cause, event->gc_finish.cause);
}

static struct generation_size *size_of(struct transaction *transaction, uint64_t generation)
{
	for (size_t i = 0; i < transaction->sizes.count; i++)
		if (transaction->sizes.items[i].generation == generation)
			return &transaction->sizes.items[i];
	if (transaction->sizes.count >= GENERATIONS_SIZED) {
		transaction->pools.dropped++;
		return NULL;
	}
	if (vec__push(&transaction->sizes,
		      (struct generation_size){ generation, EVENT_UNKNOWN, EVENT_UNKNOWN }))
		return NULL;
	return &transaction->sizes.items[transaction->sizes.count - 1];
}

int transaction__generation(struct transaction *transaction, const struct event *event)
{
	struct generation_size *size = size_of(transaction, event->generation.generation);
	uint64_t *bytes;

	if (!size)
		return transaction->pools.dropped ? 0 : -ENOMEM;
	bytes = event->generation.after ? &size->after : &size->before;
	if (*bytes == EVENT_UNKNOWN)
		*bytes = 0;
	if (__builtin_add_overflow(*bytes, event->generation.used, bytes))
		*bytes = EVENT_UNKNOWN;
	return 0;
}

static int keep_pause(struct transaction *transaction, struct pause pause)
{
	struct buf *texts = &transaction->pause_texts;
	size_t at = texts->len;

	if (transaction->pauses.count >= COLLECTION_PAUSES_KEPT)
		return 0;
	if (texts->len + pause.what.bytes > PAUSE_TEXT_BYTES)
		pause.what.bytes = 0;
	buf__add(texts, pause.what.at, pause.what.bytes);
	if (texts->error)
		return texts->error;
	pause.what.at = (const char *)(uintptr_t)at;
	return vec__push(&transaction->pauses, pause);
}

int transaction__pause(struct transaction *transaction, const struct pause *pause)
{
	struct collection *collection = &transaction->so_far;

	collection->pause_count++;
	event__sum(&transaction->pause_sum, pause->share_ns);
	if (pause->share_ns != EVENT_UNKNOWN && pause->share_ns > collection->pause_max_ns)
		collection->pause_max_ns = pause->share_ns;
	if (pause->suspend_ns != EVENT_UNKNOWN) {
		if (!transaction->suspend_told)
			transaction->suspend_sum = 0;
		transaction->suspend_told = true;
		event__sum(&transaction->suspend_sum, pause->suspend_ns);
	}
	collection->incomplete |= pause->incomplete;
	if (pause->whole_ns != EVENT_UNKNOWN && (collection->stop_max_ns == EVENT_UNKNOWN ||
						 pause->whole_ns > collection->stop_max_ns))
		collection->stop_max_ns = pause->whole_ns;
	if (pause->shared) {
		collection->shares_stop = true;
		collection->shared_start_ns = pause->start_ns;
		collection->shared_ns = pause->whole_ns;
	}
	return keep_pause(transaction, *pause);
}

/* With the names that their generations have now. */
static void hand_over_figures(struct transaction *transaction, const struct names *names)
{
	for (size_t i = 0; i < transaction->figures.of.count; i++) {
		struct collection_figure *figure = &transaction->figures.of.items[i];

		figure->name = names__generation(names, figure->generation);
	}
	transaction->so_far.figures = transaction->figures.of.items;
	transaction->so_far.figure_count = transaction->figures.of.count;
}

/* Now that no more are added, the texts stay where they are. */
static void hand_over_lists(struct transaction *transaction, const struct names *names)
{
	struct collection *collection = &transaction->so_far;

	for (size_t i = 0; i < transaction->pauses.count; i++) {
		struct text *what = &transaction->pauses.items[i].what;

		what->at = buf__str(&transaction->pause_texts) + (uintptr_t)what->at;
	}
	collection->pauses = transaction->pauses.items;
	collection->pauses_kept = transaction->pauses.count;
	collection->pause_ns = collection->pause_count ? transaction->pause_sum : EVENT_UNKNOWN;
	collection->suspend_ns = transaction->suspend_sum;
	collection->pools = transaction->pools.of.items;
	collection->pool_count = transaction->pools.of.count;
	hand_over_figures(transaction, names);
	if (transaction->cause.len > 0)
		collection->cause = (struct text){ transaction->cause.data,
						   transaction->cause.len };
	else
		collection->cause = names__reason(names, collection->reason);
}

/* Of two collections, or without some of its pools: nothing but its start is its own for sure. */
static void forget_what_may_be_anothers(struct transaction *transaction)
{
	struct collection *collection = &transaction->so_far;

	pools__free(&transaction->pools);
	figures__free(&transaction->figures);
	vec__free(&transaction->sizes);
	collection->dead.objects.known = false;
	if (transaction->started)
		collection->end_ns = EVENT_UNKNOWN;
}

/* All that it had to say was heard: what is missing is not missing from a sum. */
static bool is_whole(const struct transaction *transaction)
{
	return transaction->started && transaction->ended && !transaction->so_far.incomplete &&
	       !transaction->so_far.cut_off;
}

static bool covers_all(uint64_t mask, const struct generations *generations)
{
	uint64_t all;

	if (mask == EVENT_UNKNOWN)
		return true;
	if (!generations->told || generations->oldest >= 64)
		return false;
	all = generations->oldest == 63 ? UINT64_MAX
					: (UINT64_C(1) << (generations->oldest + 1)) - 1;
	return generations->oldest > 0 && (mask & all) == all;
}

/*
 * The runtime's own word for it. Where that is the name of a generation it is of that one, whatever
 * else is condemned with it: .NET's large objects have a number beyond its oldest generation's.
 */
static void name_as_told(struct transaction *transaction, const struct names *names)
{
	struct collection *collection = &transaction->so_far;
	const struct text own = names__collection(names, collection->generations);
	const uint64_t called = own.bytes ? names__generation_called(names, own) : EVENT_UNKNOWN;

	buf__add(&transaction->what, own.at, own.bytes);
	if (called != EVENT_UNKNOWN)
		collection->oldest = called;
}

/* What to call it where the runtime has no word of its own. */
static void name_it(struct transaction *transaction, const struct generations *generations,
		    const struct names *names)
{
	struct collection *collection = &transaction->so_far;
	uint64_t mask = collection->generations;

	if (mask != EVENT_UNKNOWN && mask != 0)
		collection->oldest = 63 - (unsigned int)__builtin_clzll(mask);
	else if (mask == EVENT_UNKNOWN && transaction->started && generations->told)
		collection->oldest = generations->oldest;
	if (transaction->what.len == 0 && mask != EVENT_UNKNOWN)
		name_as_told(transaction, names);
	if (transaction->what.len == 0 && !transaction->started)
		buf__add_str(&transaction->what, "gc");
	else if (transaction->what.len == 0 && covers_all(mask, generations))
		buf__add_str(&transaction->what, "full");
	else if (transaction->what.len == 0 && mask == 1)
		buf__add_str(&transaction->what, "young");
	else if (transaction->what.len == 0 && mask != 0 && covers_all(mask | 1, generations))
		buf__add_str(&transaction->what, "old");
	else if (transaction->what.len == 0 && mask != 0)
		buf__printf(&transaction->what, "gen %u", (unsigned int)collection->oldest);
	else if (transaction->what.len == 0)
		buf__add_str(&transaction->what, "gc");
	collection->what = (struct text){ buf__str(&transaction->what), transaction->what.len };
}

/* Before and after: what the pools say, else what the generations do. */
static void weigh_heap(struct transaction *transaction)
{
	struct collection *collection = &transaction->so_far;
	struct pool_sums sums = pools__sums(&transaction->pools);

	if (!is_whole(transaction))
		sums = (struct pool_sums){ EVENT_UNKNOWN, EVENT_UNKNOWN, EVENT_UNKNOWN };
	else if (transaction->pools.of.count == 0 && transaction->sizes.count > 0) {
		sums.before = sums.after = 0;
		for (size_t i = 0; i < transaction->sizes.count; i++) {
			event__sum(&sums.before, transaction->sizes.items[i].before);
			event__sum(&sums.after, transaction->sizes.items[i].after);
		}
	}
	collection->before_bytes = sums.before;
	collection->after_bytes = sums.after;
	collection->committed_bytes = sums.committed;
}

/* The pool of this generation: the one that has its name. */
static const struct collection_pool *pool_of(const struct transaction *transaction,
					     const struct names *names, uint64_t generation)
{
	struct text name = names__generation(names, generation);

	return name.bytes ? pools__find(&transaction->pools, name) : NULL;
}

/* Bytes of a pool, of which some were free in between, or nobody knows how many. */
static struct amount without_free(uint64_t bytes, const struct collection_figure *free)
{
	if (!free)
		return amount__exact(bytes);
	if (free->value == EVENT_UNKNOWN || free->value > bytes)
		return amount__between(0, bytes, bytes);
	return amount__exact(bytes - free->value);
}

/*
 * What was in use in a generation: as its pool tells it; else at most as much as it spans, for
 * what an old space spans may have been free in part.
 */
static struct amount in_use(const struct transaction *transaction, const struct names *names,
			    const struct generation_size *size)
{
	const struct collection_pool *pool = pool_of(transaction, names, size->generation);

	if (pool && pool->before != EVENT_UNKNOWN)
		return without_free(pool->before,
				    figures__find(&transaction->figures,
						  GCTRACE_FIGURE_FREE_BEFORE, size->generation));
	if (size->before == EVENT_UNKNOWN)
		return (struct amount){ .known = false };
	return amount__between(0, size->before, size->before);
}

static bool is_condemned(uint64_t mask, uint64_t generation)
{
	return mask == EVENT_UNKNOWN || (generation < 64 && mask >> generation & 1);
}

/* What was in use in the condemned generations; known only if all of them were told. */
static struct amount condemned(const struct transaction *transaction, const struct names *names)
{
	uint64_t mask = transaction->so_far.generations, found = 0;
	struct amount total = amount__exact(0);

	for (size_t i = 0; i < transaction->sizes.count; i++) {
		const struct generation_size *size = &transaction->sizes.items[i];
		struct amount bytes = in_use(transaction, names, size);

		if (!is_condemned(mask, size->generation))
			continue;
		total.known &= bytes.known &&
			       !__builtin_add_overflow(total.value, bytes.value, &total.value);
		total.low += bytes.low;
		total.high = total.value;
		found |= size->generation < 64 ? UINT64_C(1) << size->generation : 0;
	}
	total.known &= is_whole(transaction) && found && (mask == EVENT_UNKNOWN || found == mask);
	total.estimated = total.low != total.high;
	return total;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

/*
 * Condemned and not alive is dead: by what was condemned when it started. What was promoted into
 * a background collection's generations while it ran may or may not be among its survivors, so
 * the truth lies between. After a loss nobody is called dead, nor where more survived than there
 * was.
 */
static struct amount dead(const struct transaction *transaction, struct amount survived)
{
	const struct collection *collection = &transaction->so_far;
	struct amount was = collection->condemned.bytes, newcomers = transaction->newcomers;
	uint64_t most;

	if (!was.known || !survived.known || !newcomers.known || collection->partial ||
	    collection->incomplete || collection->cut_off)
		return (struct amount){ .known = false };
	if (__builtin_add_overflow(was.high, newcomers.high, &most) || survived.low > most)
		return (struct amount){ .known = false };
	return amount__between(less(was.low, survived.high), less(was.value, survived.value),
			       less(most, survived.low));
}

/* Where no ranges are told. */
static void weigh_pools(struct transaction *transaction)
{
	struct collection *collection = &transaction->so_far;
	const struct pool_fates fates =
		pool_fates__of(&transaction->pools, collection, transaction->pools_tell);

	if (fates.condemned.known)
		collection->condemned.bytes = fates.condemned;
	collection->moved.bytes = fates.moved;
	collection->survived.bytes = fates.survived;
	collection->promoted.bytes = fates.promoted;
	collection->dead.bytes = fates.dead;
}

/* Ranges say nothing of how much there was; pools may say it better than what generations span. */
static void weigh_condemned(struct transaction *transaction)
{
	struct amount *bytes = &transaction->so_far.condemned.bytes;
	const struct pool_fates fates = pool_fates__of(&transaction->pools, &transaction->so_far,
						       transaction->pools_tell);

	if (fates.condemned.known && !fates.condemned.estimated &&
	    (!bytes->known || bytes->estimated))
		*bytes = fates.condemned;
}

static void weigh_ranges(struct transaction *transaction, struct generations *generations)
{
	struct collection *collection = &transaction->so_far;
	struct tally_figures figures;

	weigh_condemned(transaction);
	tally__figures(&transaction->tally, generations, &figures);
	collection->moved.bytes = figures.moved;
	collection->stayed.bytes = figures.stayed;
	collection->survived.bytes = figures.survived;
	collection->promoted.bytes = figures.promoted;
	collection->dead.bytes =
		dead(transaction, tally__survived(&transaction->tally, generations,
						  collection->generations));
}

const struct collection *transaction__conclude(struct transaction *transaction,
					       struct generations *generations,
					       const struct names *names, bool reports_ranges)
{
	struct collection *collection = &transaction->so_far;

	collection->concurrent = (collection->how & GCTRACE_HOW_CONCURRENT) ||
				 collection->pause_count > 1;
	collection->incomplete |= transaction->tally.beyond || transaction->tally.overlong > 0 ||
				  transaction->pools.dropped > 0 ||
				  transaction->figures.dropped > 0;
	if (transaction->doubted)
		forget_what_may_be_anothers(transaction);
	if (collection->start_ns != EVENT_UNKNOWN &&
	    (transaction->late || collection->end_ns < collection->start_ns))
		collection->end_ns = EVENT_UNKNOWN;
	hand_over_lists(transaction, names);
	name_it(transaction, generations, names);
	weigh_heap(transaction);
	collection->condemned.bytes = condemned(transaction, names);
	const bool any_ranges = transaction->tally.strands.count > 0;

	if (!collection->untold && (any_ranges || (reports_ranges && transaction->ended)))
		weigh_ranges(transaction, generations);
	else
		weigh_pools(transaction);
	return collection;
}
