/* SPDX-License-Identifier: BSD-2-Clause */
/* Pauses: when they begin and end, and to which collections they belong. */
#include "assembler_private.h"

#include <errno.h>

#include "gctrace/wire.h"

/*
 * For whom is a pause in which no collection started or ended? NULL: for none, or after a loss,
 * where it may be for one that is not known.
 */
static struct transaction *beneficiary(struct image *image, const struct stop *stop, uint64_t why)
{
	bool phase = why == GCTRACE_WHY_MARK_START || why == GCTRACE_WHY_REMARK ||
		     why == GCTRACE_WHY_RELOCATE;
	struct transaction *last = NULL, *last_concurrent = NULL;

	if (why == GCTRACE_WHY_OTHER || why == GCTRACE_WHY_DUMP || stop->doubted)
		return NULL;
	for (struct transaction *at = image->transactions; at; at = at->next) {
		if (at->ended)
			continue;
		last = at;
		if (at->so_far.how & (GCTRACE_HOW_CONCURRENT | GCTRACE_HOW_INCREMENTAL))
			last_concurrent = at;
	}
	if (phase && last_concurrent)
		last = last_concurrent;
	return last && !last->so_far.incomplete ? last : NULL;
}

/*
 * Give each collection its share of a pause. The threads were stopped once, before the first
 * share: that is where the time for it belongs, so that sums over collections are right.
 */
static int share_out(struct assembler *assembler, struct stop *stop, uint64_t whole_ns)
{
	int result = 0;

	for (size_t i = 0; i < stop->shares.count; i++) {
		struct transaction *transaction = stop->shares.items[i].transaction;
		struct pause pause = stop->pause;

		pause.whole_ns = whole_ns;
		pause.share_ns = stop->shares.items[i].ns;
		if (i > 0)
			pause.suspend_ns = EVENT_UNKNOWN;
		transaction->last_pause = stop->id;
		keep_first(&result, transaction__pause(transaction, &pause));
		keep_first(&result, assembler__tell_ranges(assembler, transaction,
							   assembler->ranges.pause_end));
	}
	return result;
}

/* Hand out those that waited for this pause, in the order of their ends. */
static int hand_out_waiting(struct assembler *assembler, struct image *image, uint64_t stop)
{
	struct transaction *first;
	int result = 0;

	do {
		first = NULL;
		for (struct transaction *at = image->transactions; at; at = at->next)
			if (at->waits == stop && (!first || at->ended_as < first->ended_as))
				first = at;
		if (first)
			keep_first(&result, assembler__hand_out(assembler, image, first));
	} while (first);
	return result;
}

int assembler__end_stop(struct assembler *assembler, struct image *image, struct stop *stop,
			const struct event *event)
{
	struct pause *pause = &stop->pause;
	int result = 0;
	size_t kept = 0;

	if (!stop->owner)
		stop->owner = beneficiary(image, stop, pause->why ? pause->why
								  : (event ? event->pause.why : 0));
	keep_first(&result, stop__end(stop, event, &image->names));
	for (size_t i = 0; i < image->stops.count; i++)
		if (image->stops.items[i] != stop)
			image->stops.items[kept++] = image->stops.items[i];
	image->stops.count = kept;
	pause->whole_ns = EVENT_UNKNOWN;
	if (pause->start_ns != EVENT_UNKNOWN && pause->end_ns != EVENT_UNKNOWN)
		pause->whole_ns = pause->end_ns - pause->start_ns;
	pause->inside_ns = EVENT_UNKNOWN;
	if (pause->partial && image->whole_from && pause->end_ns != EVENT_UNKNOWN &&
	    pause->end_ns >= image->whole_from)
		pause->inside_ns = pause->end_ns - image->whole_from;
	keep_first(&result, share_out(assembler, stop, pause->whole_ns));
	pause->share_ns = pause->whole_ns;
	if (assembler->sink.pause)
		keep_first(&result, assembler->sink.pause(assembler->sink.context, pause,
							  (unsigned int)stop->shares.count));
	keep_first(&result, hand_out_waiting(assembler, image, stop->id));
	stop__free(stop);
	return result;
}

static int give_up_stop(struct assembler *assembler, struct image *image, struct stop *stop)
{
	/* Where it began amid the attach, its end may have had no probe yet. */
	image->odd.pauses_unended += !image->lost && !stop->pause.partial;
	stop->pause.incomplete |= !stop->pause.partial;
	return assembler__end_stop(assembler, image, stop, NULL);
}

/* Pauses that cannot be going on any more, now that another one begins. */
static int end_outdated_stops(struct assembler *assembler, struct image *image, uint64_t number)
{
	int result = 0;

	for (size_t i = image->stops.count; i-- > 0;) {
		struct stop *stop = image->stops.items[i];
		bool again = number != EVENT_UNKNOWN && stop->pause.number == number;

		if (stop->pause.incomplete || again || image->stops.count >= IMAGE_STOPS)
			keep_first(&result, give_up_stop(assembler, image, stop));
	}
	return result;
}

int assembler__pause_begin(struct assembler *assembler, struct image *image,
			   const struct event *event)
{
	struct stop *stop;
	int result;

	if (assembler__is_late(assembler, event->time))
		return 0;
	result = end_outdated_stops(assembler, image, event->pause.pause);
	stop = stop__new(++image->ids, event);
	if (!stop || vec__push(&image->stops, stop)) {
		stop__free(stop);
		return -ENOMEM;
	}
	stop->doubted = event->doubted || (image->lost && event->time <= image->lost_until);
	stop->pause.incomplete = stop->doubted;
	stop->pause.partial = event->time < image->whole_from;
	image->any_pause |= !stop->pause.partial;
	return result;
}

int assembler__pause_end(struct assembler *assembler, struct image *image,
			 const struct event *event)
{
	struct stop *stop = image__stop(image, event->pause.pause, event->tid);
	/* Of the first one the attach may have missed the begin; or a loss, if there was one. */
	const bool partial = (!image->any_pause && !image->lost) ||
			     event->time < image->whole_from;

	if (event->overdue)
		return stop ? give_up_stop(assembler, image, stop) : 0;
	if (!stop && assembler__is_late(assembler, event->stamp))
		return 0;
	/* Perhaps of one that a loss has ended. */
	if (!stop && event->pause.pause == EVENT_UNKNOWN && image->broken)
		return 0;
	if (!stop) {
		stop = stop__new(++image->ids, event);
		if (!stop || vec__push(&image->stops, stop)) {
			stop__free(stop);
			return -ENOMEM;
		}
		stop->pause.partial = partial;
		stop->pause.incomplete = !partial;
		image->odd.pauses_unbegun += !partial && !image->lost;
	}
	image->any_pause |= event->time >= image->whole_from;
	return assembler__end_stop(assembler, image, stop, event);
}
