/* SPDX-License-Identifier: BSD-2-Clause */
#include "follower.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "../base/report.h"
#include "../stream/feed.h"
#include "follower_private.h"
#include "show.h"
#include "trace.h"

/* ---------------------------------------------------------------- targets */

struct followed *follower__find(const struct follower *follower, uint32_t target)
{
	for (size_t i = follower->all.count; i-- > 0;)
		if (follower->all.items[i]->target == target)
			return follower->all.items[i];
	return NULL;
}

static void free_followed(struct followed *followed)
{
	if (!followed)
		return;
	for (size_t i = 0; i < followed->outcomes.count; i++)
		blocks__free(&followed->outcomes.items[i].blocks);
	vec__free(&followed->outcomes);
	unfinished__free(&followed->telling.unfinished);
	leak_watch__free(&followed->watch);
	follow_history__free(&followed->history);
	free(followed);
}

struct followed *follower__need(struct follower *follower, uint32_t target)
{
	struct followed *followed = follower__find(follower, target);

	if (followed)
		return followed;
	followed = calloc(1, sizeof(*followed));
	if (!followed || vec__push(&follower->all, followed)) {
		free_followed(followed);
		error("out of memory");
		return NULL;
	}
	followed->target = target;
	followed->history.id = follower->options.id;
	followed->history.address = follower->options.address;
	followed->history.at = follower->options.by_address ? follower->options.at : EVENT_UNKNOWN;
	return followed;
}

bool follower__follows_one(const struct follower *follower)
{
	return follower->options.id || follower->options.by_address;
}

int follower__forget(struct follower *follower, struct followed *followed)
{
	const struct event exit = { .kind = EVENT_EXIT, .target = followed->target };
	size_t i = 0;

	while (follower->all.items[i] != followed)
		i++;
	follower->all.items[i] = follower->all.items[--follower->all.count];
	free_followed(followed);
	return identity__event(follower->identity, &exit);
}

bool follower__look(const struct follower *follower, uint32_t target, struct identity_view *now,
		    int *err)
{
	bool is_known = identity__look(follower->identity, target, now, err);

	if (*err)
		error_errno(*err, "cannot go on");
	return is_known && !*err;
}

int follower__head(struct follower *follower, struct followed *followed)
{
	int err;

	if (!followed->heading)
		followed->heading = show__head(follower->trace->show, followed->target);
	err = followed->heading ? 0 : follower->trace->output.error;
	return followed->heading || err ? err : -ENOMEM;
}

/* ---------------------------------------------------------------- one object's history */

int follower__show_step(struct follower *follower, struct followed *followed,
			const struct collection *collection, const struct identity_anchor *anchor)
{
	struct follow_object *last = &followed->history.last;
	struct identity_view now;
	uint64_t gc = collection ? collection->number : followed->telling.gc;
	int err;

	if (!follower__follows_one(follower) ||
	    !follower__look(follower, followed->target, &now, &err))
		return 0;
	if (!follow_history__step(&followed->history, &now, gc, &err)) {
		follower->met |= followed->history.met;
		return err ? error_errno(err, "cannot go on") : 0;
	}
	follower->met |= followed->history.met;
	follower->found = true;
	if (anchor && last->step == FOLLOW_UNTOUCHED)
		last->step = FOLLOW_MATCHED;
	last->anchor = anchor ? anchor->number : 0;
	last->in_doubt = now.in_doubt;
	last->gc = collection || anchor ? gc : EVENT_UNKNOWN;
	last->what = collection ? collection->what : (struct text){ NULL, 0 };
	last->time_ns = collection ? collection->end_ns
		      : anchor	   ? followed->telling.time_ns
				   : show__last_ns(follower->trace->show);
	err = follower__head(follower, followed);
	return err ? err : follower->out->form->object(follower->out, followed->heading, last);
}

/* ---------------------------------------------------------------- life */

int follower__new(const struct follower_options *options, struct follower **out)
{
	struct follower *follower = calloc(1, sizeof(*follower));
	struct identity_sink sink = follower__told;

	sink.context = follower;
	/* Asked for each object that survives. */
	if (!options->id && !options->by_address)
		sink.survived = NULL;
	if (follower)
		follower->identity = identity__new(&sink);
	if (!follower || !follower->identity) {
		free(follower);
		return error_errno(ENOMEM, "cannot start");
	}
	follower->options = *options;
	follower->gathering.type = options->type;
	follower->gathering.top = options->top;
	follower->view.form = &follower__form;
	follower->ranges = identity__ranges(follower->identity);
	follower->sink = (struct event_sink){ follower__hear, follower };
	*out = follower;
	return 0;
}

void follower__join(struct follower *follower, struct trace *trace, struct dumper *dumper)
{
	follower->trace = trace;
	follower->dumper = dumper;
	trace->ranges = &follower->ranges;
	trace->dress = follower__dress;
	trace->dress_context = follower;
	trace->also = &follower->sink;
	trace->also_wants = FEED_WANTS(EVENT_CONTAINER) | FEED_WANTS(EVENT_OBJECT) |
			    FEED_WANTS(EVENT_CLASS) | FEED_WANTS(EVENT_OBJECT_ALLOC) |
			    FEED_WANTS(EVENT_DUMP_END) | FEED_WANTS(EVENT_REUSE);
}

void follower__free(struct follower *follower)
{
	if (!follower)
		return;
	for (size_t i = 0; i < follower->all.count; i++)
		free_followed(follower->all.items[i]);
	vec__free(&follower->all);
	if (follower->out)
		follower->out->form->free(follower->out);
	follow_gathering__free(&follower->gathering);
	identity__free(follower->identity);
	free(follower);
}

/* ---------------------------------------------------------------- what came of it */

bool follower__knew_objects(const struct follower *follower)
{
	return follower->knew;
}

uint64_t follower__anchors(const struct follower *follower)
{
	return follower->anchors;
}

bool follower__lacked_moves(const struct follower *follower)
{
	return !follower->ranged && follower->total.is.withdrawn;
}

bool follower__found(const struct follower *follower)
{
	const struct follower_options *options = &follower->options;

	if (!follower__follows_one(follower) || follower->found)
		return true;
	if (options->id)
		error("object %" PRIu64 " was not seen: ids up to %" PRIu64 " were given",
		      options->id, follower->total.is.seen);
	else if (follower->met)
		error("no known object begins at 0x%" PRIx64 " after collection %" PRIu64,
		      options->address, options->at);
	else
		error("collection %" PRIu64 " was not seen, nor a dump right after it",
		      options->at);
	return false;
}

