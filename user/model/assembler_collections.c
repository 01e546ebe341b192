/* SPDX-License-Identifier: BSD-2-Clause */
/* Collections: how they start and end, what they report, and how they are handed out. */
#include "assembler_private.h"

#include <errno.h>

#include "gctrace/wire.h"

/* ---------------------------------------------------------------- handing out */

int assembler__tell_ranges(struct assembler *assembler, const struct transaction *transaction,
			   int (*function)(void *, const struct range_transaction *))
{
	struct range_transaction told = {
		.id = transaction->id,
		.target = transaction->so_far.target,
		.collection = &transaction->so_far,
		.over = transaction->over,
		.widths = &transaction->tally,
	};

	if (!function)
		return 0;
	return function(assembler->ranges.context, &told);
}

/* What a collection promoted is new to those that still run around it. */
static void tell_newcomers(struct image *image, struct amount promoted)
{
	for (struct transaction *at = image->transactions; at; at = at->next) {
		struct amount *sum = &at->newcomers;

		if (at->ended)
			continue;
		sum->known &= promoted.known;
		if (__builtin_add_overflow(sum->high, promoted.high, &sum->high))
			sum->known = false;
	}
}

/* Why has nobody seen it start? Asked before it is counted as seen. */
static void judge_unbegun(struct image *image, struct transaction *transaction)
{
	struct collection *collection = &transaction->so_far;
	uint64_t gc = transaction->numbered ? collection->number : EVENT_UNKNOWN;

	if (transaction->started)
		return;
	collection->partial = image__missed(image, gc) == MISSED_BY_ATTACH ||
			      collection->end_ns < image->whole_from;
	/* The thread that had it to tell may not have come to it before the trace was over. */
	if (transaction->over && !image->lost)
		return;
	collection->incomplete |= !collection->partial;
	image->odd.unbegun += !collection->partial && !image->lost;
}

/*
 * After a loss, what was not seen starting may be the rest of one that the loss has ended: it was
 * handed out then, and is not told as one more.
 */
static bool is_a_rest(const struct image *image, const struct transaction *transaction)
{
	return image->broken && !transaction->numbered &&
	       (!transaction->started || transaction->fragment);
}

/* As if it had never been. */
static int forget(struct assembler *assembler, struct image *image,
		  struct transaction *transaction)
{
	int result = assembler__tell_ranges(assembler, transaction, assembler->ranges.drop);

	image->counted -= image->counted == transaction->so_far.number;
	transaction__free(transaction);
	return result;
}

int assembler__hand_out(struct assembler *assembler, struct image *image,
			struct transaction *transaction)
{
	const struct collection *collection;
	bool whole;
	int result = 0;

	image__remove(image, transaction);
	if (is_a_rest(image, transaction))
		return forget(assembler, image, transaction);
	image->odd.overlong += transaction->tally.overlong;
	generations__seal(&image->generations);
	image->odd.crowded += transaction->tally.beyond || transaction->pools.dropped > 0 ||
			      transaction->figures.dropped > 0 ||
			      image->generations.overflowed;
	judge_unbegun(image, transaction);
	collection = transaction__conclude(transaction, &image->generations, &image->names,
					   image->reports_ranges && !transaction->over);
	whole = !collection->partial && !collection->cut_off;
	keep_first(&result, assembler__tell_ranges(assembler, transaction,
					whole ? assembler->ranges.finish : assembler->ranges.drop));
	tell_newcomers(image, collection->promoted.bytes);
	if (transaction->numbered)
		image__saw_end(image, collection->number);
	if (assembler->sink.collection)
		keep_first(&result,
			   assembler->sink.collection(assembler->sink.context, collection));
	transaction__free(transaction);
	return result;
}

/* Its gc_finish should have come. */
static int give_up(struct assembler *assembler, struct image *image,
		   struct transaction *transaction)
{
	/* Amid the attach, and the detach, its end may have had no probe. */
	const bool is_missing = !transaction->so_far.partial && !transaction->over;

	image->odd.unfinished += is_missing && !image->lost;
	transaction->so_far.incomplete |= is_missing;
	transaction->so_far.cut_off = true;
	return assembler__hand_out(assembler, image, transaction);
}

/* ---------------------------------------------------------------- starts and ends */

/*
 * A collection that was not seen starting, by something else that it says; NULL: it is over. Its
 * start may still come: the threads of a collector fill batches of their own, and one of those may
 * be full before the one that the start stands in.
 */
static int adopt(struct assembler *assembler, struct image *image, uint64_t gc,
		 struct transaction **out)
{
	int result = 0;

	*out = NULL;
	if (image__missed(image, gc) == MISSED_NEVER)
		return 0;
	while (image->running >= IMAGE_RUNNING)
		keep_first(&result, give_up(assembler, image, image->transactions));
	*out = image__add(image, gc);
	return *out ? result : -ENOMEM;
}

static bool goes_on(const struct image *image, uint64_t stop)
{
	for (size_t i = 0; i < image->stops.count; i++)
		if (image->stops.items[i]->id == stop)
			return true;
	return false;
}

static bool stops_the_world(uint32_t how)
{
	return how != 0 && !(how & (GCTRACE_HOW_CONCURRENT | GCTRACE_HOW_INCREMENTAL));
}

/*
 * Two concurrent collections do not work on the same generations at once: after a loss, a second
 * one tells that the first one has ended.
 */
static bool replaces(const struct event *start, const struct collection *collection)
{
	return start->gc_start.how & collection->how & GCTRACE_HOW_CONCURRENT &&
	       start->gc_start.generations & collection->generations;
}

/* Of those that run, which cannot any more now that this one starts? NULL: none. */
static struct transaction *outdated(struct image *image, const struct event *start)
{
	for (struct transaction *at = image->transactions; at; at = at->next) {
		if (at->ended)
			continue;
		if (at->numbered && at->started && at->so_far.number == start->gc_start.gc)
			return at;
		if (at->so_far.incomplete && at->numbered && replaces(start, &at->so_far))
			return at;
		if (stops_the_world(start->gc_start.how) && stops_the_world(at->so_far.how) &&
		    at->last_pause != 0 && !goes_on(image, at->last_pause))
			return at;
	}
	return image->running >= IMAGE_RUNNING ? image->transactions : NULL;
}

static int touch(struct image *image, struct transaction *transaction, const struct event *event,
		 bool starts)
{
	struct stop *stop = image__stop(image, EVENT_UNKNOWN, event->tid);

	if (!stop)
		return 0;
	stop->late |= event->late;
	transaction->last_pause = stop->id;
	if (!starts)
		transaction->waits = stop->id;
	return stop__touch(stop, transaction, event->time, starts);
}

/* Others that run now and this one overlap. */
static bool others_run(const struct image *image, const struct transaction *transaction)
{
	for (const struct transaction *at = image->transactions; at; at = at->next)
		if (at != transaction && at->started && !at->ended)
			return true;
	return false;
}

/* What this collection said before its start. */
static struct transaction *early_bird(struct image *image, uint64_t gc)
{
	struct transaction *transaction;

	if (gc == EVENT_UNKNOWN)
		return NULL;
	transaction = image__find(image, gc, 0, false);
	return transaction && !transaction->started ? transaction : NULL;
}

int assembler__gc_start(struct assembler *assembler, struct image *image,
			const struct event *event)
{
	struct transaction *transaction;
	int result = 0;

	if (assembler__is_late(assembler, event->time)) {
		/* Its end may be taken for that of what goes on. */
		if (event->gc_start.gc == EVENT_UNKNOWN)
			image__cut_off(image);
		return 0;
	}
	while ((transaction = outdated(image, event)))
		keep_first(&result, give_up(assembler, image, transaction));
	transaction = early_bird(image, event->gc_start.gc);
	if (!transaction)
		transaction = image__add(image, event->gc_start.gc);
	if (!transaction)
		return -ENOMEM;
	if (event->gc_start.gc != EVENT_UNKNOWN || event->time >= image->whole_from)
		image__saw_start(image, event->gc_start.gc);
	transaction->so_far.overlapped = others_run(image, transaction);
	transaction->fragment = event->doubted;
	if (event->doubted || (image->lost && event->time <= image->lost_until)) {
		transaction->so_far.incomplete = true;
		transaction->doubted = !transaction->numbered;
	}
	transaction->so_far.partial = event->time < image->whole_from;
	keep_first(&result, transaction__start(transaction, event));
	keep_first(&result, touch(image, transaction, event, true));
	keep_first(&result,
		   assembler__tell_ranges(assembler, transaction, assembler->ranges.start));
	return result;
}

int assembler__gc_finish(struct assembler *assembler, struct image *image,
			 const struct event *event)
{
	struct transaction *transaction =
		image__find(image, event->gc_finish.gc, event->tid, false);
	int err;

	if (event->overdue)
		return transaction ? give_up(assembler, image, transaction) : 0;
	if (!transaction && assembler__is_late(assembler, event->stamp))
		return 0;
	if (!transaction) {
		err = adopt(assembler, image, event->gc_finish.gc, &transaction);
		if (err)
			return err;
		image->odd.unbegun += !transaction;
		if (!transaction)
			return 0;
	}
	transaction->so_far.overlapped |= others_run(image, transaction);
	transaction->ended_as = ++image->ended;
	err = transaction__finish(transaction, event);
	if (!err)
		err = touch(image, transaction, event, false);
	if (err || transaction->waits)
		return err;
	return assembler__hand_out(assembler, image, transaction);
}

/* ---------------------------------------------------------------- reports */

/* Whose report is it? NULL without an error: of one that is over, counted as odd. */
static int reporter(struct assembler *assembler, struct image *image, const struct event *event,
		    uint64_t gc, struct transaction **out)
{
	int err = 0;

	*out = image__find(image, gc, event->tid, true);
	if (!*out && assembler__is_late(assembler, event->stamp))
		return 0;
	if (!*out)
		err = adopt(assembler, image, gc, out);
	if (!err && !*out)
		image->odd.stray_reports++;
	return err;
}

int assembler__ranges(struct assembler *assembler, struct image *image, const struct event *event)
{
	struct transaction *transaction;
	struct range_transaction told;
	int err = reporter(assembler, image, event, event->ranges.gc, &transaction);

	image->reports_ranges = true;
	if (err || !transaction)
		return err;
	err = tally__report(&transaction->tally, event, &image->generations);
	if (err || !assembler->ranges.report)
		return err;
	told = (struct range_transaction){ transaction->id, image->target, &transaction->so_far,
					   &transaction->tally, transaction->over };
	return assembler->ranges.report(assembler->ranges.context, &told, event);
}

int assembler__pool(struct assembler *assembler, struct image *image, const struct event *event)
{
	struct transaction *transaction;
	int err = reporter(assembler, image, event, event->pool.gc, &transaction);

	return err || !transaction ? err : pools__note(&transaction->pools, event);
}

int assembler__figure(struct assembler *assembler, struct image *image, const struct event *event)
{
	struct transaction *transaction;
	int err = reporter(assembler, image, event, event->figure.gc, &transaction);

	return err || !transaction ? err : figures__note(&transaction->figures, event);
}

int assembler__generation(struct image *image, const struct event *event)
{
	struct transaction *transaction =
		image__find(image, event->generation.gc, event->tid, true);
	uint64_t bytes = event->generation.used;
	int err;

	if (event->generation.reserved != EVENT_UNKNOWN && event->generation.reserved > bytes)
		bytes = event->generation.reserved;
	err = generations__note(&image->generations, event->generation.gc, event->generation.after,
				event->generation.generation, event->generation.start, bytes);
	return err || !transaction ? err : transaction__generation(transaction, event);
}
