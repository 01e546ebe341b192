/* SPDX-License-Identifier: BSD-2-Clause */
/* What a follower hears: events, and what the identity makes of them. */
#include <errno.h>

#include "../base/report.h"
#include "dumper.h"
#include "follower_private.h"
#include "gctrace/wire.h"
#include "trace.h"

/* ---------------------------------------------------------------- what the identity tells */

static int on_collection(void *context, const struct identity_collection *told)
{
	struct follower *follower = context;
	struct followed *followed = follower__need(follower, told->target);
	struct outcome outcome = { .collection = told->collection, .is = *told };

	if (!followed)
		return -ENOMEM;
	outcome.is.blocks = NULL;
	outcome.has_blocks = told->blocks;
	if (told->blocks && blocks__copy_figures(&outcome.blocks, told->blocks))
		return error_errno(ENOMEM, "cannot go on");
	outcome.ended_object = followed->history.ended && !followed->history.told;
	for (size_t i = 0; i < followed->outcomes.count; i++) {
		if (followed->outcomes.items[i].collection != told->collection)
			continue;
		blocks__free(&followed->outcomes.items[i].blocks);
		followed->outcomes.items[i] = outcome;
		return 0;
	}
	if (!vec__push(&followed->outcomes, outcome))
		return 0;
	blocks__free(&outcome.blocks);
	return error_errno(ENOMEM, "cannot go on");
}

struct watching {
	struct leak_watch *watch;
	struct objects *objects;
};

static int watch_object(void *context, const struct object *object, uint64_t address)
{
	struct watching *watching = context;

	(void)address;
	return leak_watch__object(watching->watch, object,
				  objects__size(watching->objects, object));
}

static int watch_leaks(struct followed *followed, const struct identity_view *now,
		       uint64_t number)
{
	struct watching watching = { &followed->watch, now->objects };
	int err;

	leak_watch__begin(&followed->watch, number, followed->telling.time_ns, now->objects->ids);
	err = objects__each(now->objects, watch_object, &watching);
	leak_watch__end(&followed->watch);
	return err ? error_errno(err, "cannot go on") : 0;
}

static int show_anchor(struct follower *follower, struct followed *followed,
		       const struct identity_anchor *told)
{
	const struct follow_anchor anchor = {
		.is = told,
		.time_ns = followed->telling.time_ns,
		.gc = followed->telling.gc,
		.objects = followed->telling.objects,
		.bytes = followed->telling.bytes,
	};

	int err = follower__head(follower, followed);

	return err ? err : follower->out->form->anchor(follower->out, followed->heading, &anchor);
}

static int on_anchor(void *context, const struct identity_anchor *told)
{
	struct follower *follower = context;
	struct followed *followed = follower__need(follower, told->target);
	struct identity_view now;
	int err = followed ? 0 : -ENOMEM;

	if (err || !follower__look(follower, told->target, &now, &err))
		return err;
	follower->anchors++;
	followed->new_ += told->number > 1 ? told->result.new_ : 0;
	if (told->whole)
		err = watch_leaks(followed, &now, told->number);
	if (err)
		return err;
	return follower__follows_one(follower) ? follower__show_step(follower, followed, NULL, told)
				     : show_anchor(follower, followed, told);
}

static void on_left(void *context, uint32_t target, const struct object *object, uint64_t address,
		    enum object_fate fate)
{
	struct followed *followed = follower__find(context, target);

	if (!followed)
		return;
	if (fate == OBJECT_WITHDRAWN || fate == OBJECT_CONFLICT)
		leak_watch__lost(&followed->watch, object);
	follow_history__left(&followed->history, object, address, fate);
}

static void on_survived(void *context, uint32_t target, const struct survivors *survivors)
{
	struct followed *followed = follower__find(context, target);

	if (followed)
		follow_history__survived(&followed->history, survivors);
}

/* context is the follower's to set. */
const struct identity_sink follower__told = {
	.collection = on_collection,
	.anchor = on_anchor,
	.left = on_left,
	.survived = on_survived,
};

/* ---------------------------------------------------------------- what is told */

static int hear_container(struct follower *follower, const struct event *event)
{
	struct followed *followed = follower__need(follower, event->target);
	struct telling *telling;

	if (!followed)
		return -ENOMEM;
	telling = &followed->telling;
	if (event->container.type == GCTRACE_C_BEGIN || event->container.type == GCTRACE_C_END)
		unfinished__free(&telling->unfinished);
	if (event->container.type == GCTRACE_C_BEGIN)
		*telling = (struct telling){ .gc = event->container.id2 };
	telling->time_ns = event->time;
	return 0;
}

static int hear_object(struct follower *follower, const struct event *event)
{
	struct followed *followed = follower__need(follower, event->target);
	struct telling *telling;
	int again;

	if (!followed)
		return -ENOMEM;
	telling = &followed->telling;
	again = unfinished__told(&telling->unfinished, event->object.id, event->object.more);
	if (again)
		return again < 0 ? again : 0;
	telling->objects++;
	telling->bytes += event->object.size != EVENT_UNKNOWN ? event->object.size : 0;
	return 0;
}

/* Its results are still to be shown, or it would have been forgotten by now. */
static int hear_end(struct follower *follower, const struct event *event)
{
	struct followed *followed = follower__find(follower, event->target);

	if (!followed)
		return 0;
	followed->exited = true;
	return followed->done ? follower__forget(follower, followed) : 0;
}

static int identify(struct follower *follower, const struct event *event)
{
	struct followed *followed;
	int err = identity__event(follower->identity, event);

	if (err == -ENOMEM)
		return error_errno(err, "cannot go on");
	followed = follower__find(follower, event->target);
	/* Neither a collection nor a dump has ended it: a loss. */
	if (err || !followed || !followed->history.ended || followed->history.told)
		return err;
	return follower__show_step(follower, followed, NULL, NULL);
}

int follower__hear(void *context, const struct event *event)
{
	struct follower *follower = context;
	int err = follower->dumper ? dumper__event(follower->dumper, event) : 0;

	if (err || follower->trace->enough)
		return err ? err : 1;
	switch (event->kind) {
	case EVENT_CONTAINER:
		err = hear_container(follower, event);
		break;
	case EVENT_OBJECT:
		err = hear_object(follower, event);
		break;
	case EVENT_MOVED:
	case EVENT_SURVIVING:
		follower->ranged = true;
		break;
	case EVENT_EXEC:
	case EVENT_EXIT:
		return hear_end(follower, event);
	default:
		break;
	}
	return err ? err : identify(follower, event);
}
