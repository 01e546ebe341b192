/* SPDX-License-Identifier: BSD-2-Clause */
#include "waiting_room.h"

#include <errno.h>
#include <stdlib.h>

static void free_all(struct collection_copy *kept)
{
	while (kept) {
		struct collection_copy *next = kept->next;

		free(kept);
		kept = next;
	}
}

void waiting_room__free(struct waiting_room *room)
{
	free_all(room->first);
	free_all(room->out);
	sampled__free(&room->sampled);
	*room = (struct waiting_room)WAITING_ROOM_INIT;
}

static void append(struct collection_copy **first, struct collection_copy **last,
		   struct collection_copy *kept)
{
	kept->next = NULL;
	if (*first)
		(*last)->next = kept;
	else
		*first = kept;
	*last = kept;
}

struct collection_copy *waiting_room__next(struct waiting_room *room)
{
	struct collection_copy *kept = room->out;

	if (kept)
		room->out = kept->next;
	return kept;
}

/* The first one leaves. */
static void leave(struct waiting_room *room, const struct site_turn *turn)
{
	struct collection_copy *kept = room->first;

	room->first = kept->next;
	sampled__judge(&room->sampled, &kept->is, turn);
	append(&room->out, &room->out_last, kept);
}

/* ---------------------------------------------------------------- whose is the turn? */

/* Had it begun (beside the program: ended) when this turn was? */
static bool may_be_of(const struct collection_copy *kept, uint64_t time_ns)
{
	const struct collection *is = &kept->is;

	if (is->concurrent || is->start_ns == EVENT_UNKNOWN)
		return is->end_ns == EVENT_UNKNOWN || is->end_ns <= time_ns;
	return is->start_ns < time_ns;
}

static bool share_a_pause(const struct collection *a, const struct collection *b)
{
	return a->pauses_kept && b->pauses_kept &&
	       a->pauses[a->pauses_kept - 1].start_ns == b->pauses[b->pauses_kept - 1].start_ns;
}

/* Is there another that what was found may be of? */
static bool has_rival(const struct waiting_room *room, const struct collection_copy *of,
		      uint64_t time_ns)
{
	for (const struct collection_copy *kept = room->first; kept; kept = kept->next) {
		if (kept == of || !may_be_of(kept, time_ns))
			continue;
		if (of->is.concurrent ? kept->is.concurrent : share_a_pause(&of->is, &kept->is))
			return true;
	}
	return of->is.concurrent && of->is.overlapped;
}

static void assign(struct waiting_room *room)
{
	const struct site_turn turn = room->sampled.sites.turn;
	const struct site_turn *found;
	struct collection_copy *of = NULL;
	bool is_alone;

	for (struct collection_copy *kept = room->first; kept; kept = kept->next)
		if (may_be_of(kept, turn.time_ns))
			of = kept;
	if (!of)
		return;
	is_alone = !has_rival(room, of, turn.time_ns);
	found = of->is.concurrent ? &room->sum : &turn;
	while (room->first != of)
		leave(room, NULL);
	leave(room, is_alone ? found : NULL);
	room->has_turn = false;
	room->sum = (struct site_turn){ 0 };
}

static void add_turn(struct site_turn *sum, const struct site_turn *turn)
{
	sum->gc = turn->gc;
	sum->time_ns = turn->time_ns;
	sum->is_doubted |= turn->is_doubted;
	estimate__sum(&sum->moved, &turn->moved);
	estimate__sum(&sum->reached, &turn->reached);
	estimate__sum(&sum->promoted, &turn->promoted);
	estimate__sum(&sum->died, &turn->died);
}

/* ---------------------------------------------------------------- what comes */

int waiting_room__take(struct waiting_room *room, const struct collection *collection)
{
	struct collection_copy *kept = collection_copy__new(collection);

	if (!kept)
		return -ENOMEM;
	append(&room->first, &room->last, kept);
	if (room->has_turn)
		assign(room);
	return 0;
}

int waiting_room__event(struct waiting_room *room, const struct event *event)
{
	int err = sampled__event(&room->sampled, event);

	if (err || event->kind != EVENT_SAMPLES || event->samples.all || event->samples.more)
		return err;
	room->has_turn = true;
	add_turn(&room->sum, &room->sampled.sites.turn);
	assign(room);
	return 0;
}

static bool has_waited(const struct collection_copy *kept, uint64_t now_ns)
{
	const uint64_t since = kept->is.end_ns != EVENT_UNKNOWN ? kept->is.end_ns
								: kept->is.start_ns;
	const uint64_t most = kept->is.concurrent ? WAITING_BESIDE_NS : WAITING_NS;

	return since == EVENT_UNKNOWN || (now_ns > since && now_ns - since > most);
}

void waiting_room__pass(struct waiting_room *room, uint64_t now_ns)
{
	while (room->first && has_waited(room->first, now_ns)) {
		/* What is told from now on may be of it, and would count as the next one's. */
		room->sum.is_doubted |= room->first->is.concurrent;
		leave(room, NULL);
	}
}
