/* SPDX-License-Identifier: BSD-2-Clause */
#include "follower.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/report.h"
#include "../base/vec.h"
#include "../stream/feed.h"
#include "../view/view.h"
#include "dumper.h"
#include "follow_history.h"
#include "follow_state.h"
#include "gctrace/wire.h"
#include "show.h"
#include "trace.h"

#define PAINT_NS (500 * NS_PER_MS) /* at least, between two paints */
#define PAINT_SHARE 20		   /* of the time, no more than a 20th */

/* What became of objects in a collection that is not handed out yet. */
struct outcome {
	const struct collection *collection; /* told by its place, which is that of the one to come */
	struct identity_collection is;
	bool ended_object; /* the one that is followed */
};

/* The dump that is being told, or was last. */
struct telling {
	uint64_t gc, time_ns, objects, bytes;
	uint64_t part_of; /* object whose parts come; EVENT_UNKNOWN */
};

struct followed {
	uint32_t target;
	const struct heading *heading; /* NULL: not headed yet */
	VEC(struct outcome) outcomes;
	struct telling telling;
	struct leak_watch watch;
	struct follow_history history;
	uint64_t new_; /* objects of anchors after the first one */
	bool exited, done;
};

struct follower {
	struct follower_options options;
	struct identity *identity;
	struct range_sink ranges;
	struct event_sink sink;
	struct view view; /* this is one */
	struct view *inner;
	struct follow_view *out;
	struct trace *trace;
	struct dumper *dumper; /* NULL: none */
	VEC(struct followed *) all;
	struct follow_gathering gathering;
	struct follow_figures total;
	uint64_t anchors;
	bool several, knew, found, met;
	bool live; /* a table is painted */
	uint64_t paint_ns; /* when the next paint is due */
};

/* ---------------------------------------------------------------- targets */

static struct followed *find(const struct follower *follower, uint32_t target)
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
	vec__free(&followed->outcomes);
	leak_watch__free(&followed->watch);
	follow_history__free(&followed->history);
	free(followed);
}

/* NULL: no memory, said. */
static struct followed *need(struct follower *follower, uint32_t target)
{
	struct followed *followed = find(follower, target);

	if (followed)
		return followed;
	followed = calloc(1, sizeof(*followed));
	if (!followed || vec__push(&follower->all, followed)) {
		free_followed(followed);
		error("out of memory");
		return NULL;
	}
	followed->target = target;
	followed->telling.part_of = EVENT_UNKNOWN;
	followed->history.id = follower->options.id;
	followed->history.address = follower->options.address;
	followed->history.at = follower->options.by_address ? follower->options.at : EVENT_UNKNOWN;
	return followed;
}

static bool follows_one(const struct follower *follower)
{
	return follower->options.id || follower->options.by_address;
}

/* It is over, and shown: what is known of it goes. */
static int forget(struct follower *follower, struct followed *followed)
{
	const struct event exit = { .kind = EVENT_EXIT, .target = followed->target };
	size_t i = 0;

	while (follower->all.items[i] != followed)
		i++;
	follower->all.items[i] = follower->all.items[--follower->all.count];
	free_followed(followed);
	return identity__event(follower->identity, &exit);
}

/* False: nothing is known of it, or (*err) something failed. */
static bool look(const struct follower *follower, uint32_t target, struct identity_view *now,
		 int *err)
{
	bool is_known = identity__look(follower->identity, target, now, err);

	if (*err)
		error_errno(*err, "cannot go on");
	return is_known && !*err;
}

/* It has a heading from here on: 0, or what the output has answered. */
static int head(struct follower *follower, struct followed *followed)
{
	int err;

	if (!followed->heading)
		followed->heading = show__head(follower->trace->show, followed->target);
	err = followed->heading ? 0 : follower->trace->output.error;
	return followed->heading || err ? err : -ENOMEM;
}

/* ---------------------------------------------------------------- one object's history */

/* After a collection (NULL: none) or a dump (NULL: none). */
static int show_step(struct follower *follower, struct followed *followed,
		     const struct collection *collection, const struct identity_anchor *anchor)
{
	struct follow_object *last = &followed->history.last;
	struct identity_view now;
	uint64_t gc = collection ? collection->number : followed->telling.gc;
	int err;

	if (!follows_one(follower) || !look(follower, followed->target, &now, &err))
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
	last->gc = collection || anchor ? gc : EVENT_UNKNOWN;
	last->what = collection ? collection->what : (struct text){ NULL, 0 };
	last->time_ns = collection ? collection->end_ns
		      : anchor	   ? followed->telling.time_ns
				   : show__last_ns(follower->trace->show);
	err = head(follower, followed);
	return err ? err : follower->out->form->object(follower->out, followed->heading, last);
}

/* ---------------------------------------------------------------- what the identity tells */

static int on_collection(void *context, const struct identity_collection *told)
{
	struct follower *follower = context;
	struct followed *followed = need(follower, told->target);
	struct outcome outcome = { told->collection, *told, false };

	if (!followed)
		return -ENOMEM;
	outcome.ended_object = followed->history.ended && !followed->history.told;
	for (size_t i = 0; i < followed->outcomes.count; i++) {
		if (followed->outcomes.items[i].collection != told->collection)
			continue;
		followed->outcomes.items[i] = outcome;
		return 0;
	}
	return vec__push(&followed->outcomes, outcome) ? error_errno(ENOMEM, "cannot go on") : 0;
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

	int err = head(follower, followed);

	return err ? err : follower->out->form->anchor(follower->out, followed->heading, &anchor);
}

static int on_anchor(void *context, const struct identity_anchor *told)
{
	struct follower *follower = context;
	struct followed *followed = need(follower, told->target);
	struct identity_view now;
	int err = followed ? 0 : -ENOMEM;

	if (err || !look(follower, told->target, &now, &err))
		return err;
	follower->anchors++;
	followed->new_ += told->number > 1 ? told->result.new_ : 0;
	if (told->whole)
		err = watch_leaks(followed, &now, told->number);
	if (err)
		return err;
	return follows_one(follower) ? show_step(follower, followed, NULL, told)
				     : show_anchor(follower, followed, told);
}

static void on_left(void *context, uint32_t target, const struct object *object, uint64_t address,
		    enum object_fate fate)
{
	struct followed *followed = find(context, target);

	if (!followed)
		return;
	if (fate == OBJECT_WITHDRAWN || fate == OBJECT_CONFLICT)
		leak_watch__lost(&followed->watch, object);
	follow_history__left(&followed->history, object, address, fate);
}

static void on_survived(void *context, uint32_t target, const struct survivors *survivors)
{
	struct followed *followed = find(context, target);

	if (followed)
		follow_history__survived(&followed->history, survivors);
}

/* ---------------------------------------------------------------- what is told */

static int hear_container(struct follower *follower, const struct event *event)
{
	struct followed *followed = need(follower, event->target);
	struct telling *telling;

	if (!followed)
		return -ENOMEM;
	telling = &followed->telling;
	if (event->container.type == GCTRACE_C_BEGIN)
		*telling = (struct telling){ .gc = event->container.id2,
					     .part_of = EVENT_UNKNOWN };
	telling->time_ns = event->time;
	return 0;
}

static int hear_object(struct follower *follower, const struct event *event)
{
	struct followed *followed = need(follower, event->target);
	struct telling *telling;
	bool again;

	if (!followed)
		return -ENOMEM;
	telling = &followed->telling;
	again = telling->part_of == event->object.id;
	telling->part_of = event->object.more ? event->object.id : EVENT_UNKNOWN;
	if (again)
		return 0;
	telling->objects++;
	telling->bytes += event->object.size != EVENT_UNKNOWN ? event->object.size : 0;
	return 0;
}

/* Its results are still to be shown, or it would have been forgotten by now. */
static int hear_end(struct follower *follower, const struct event *event)
{
	struct followed *followed = find(follower, event->target);

	if (!followed)
		return 0;
	followed->exited = true;
	return followed->done ? forget(follower, followed) : 0;
}

static int identify(struct follower *follower, const struct event *event)
{
	struct followed *followed;
	int err = identity__event(follower->identity, event);

	if (err == -ENOMEM)
		return error_errno(err, "cannot go on");
	followed = find(follower, event->target);
	/* Neither a collection nor a dump has ended it: a loss. */
	if (err || !followed || !followed->history.ended || followed->history.told)
		return err;
	return show_step(follower, followed, NULL, NULL);
}

static int on_event(void *context, const struct event *event)
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
	case EVENT_EXEC:
	case EVENT_EXIT:
		return hear_end(follower, event);
	default:
		break;
	}
	return err ? err : identify(follower, event);
}

/* ---------------------------------------------------------------- as a view */

static struct follower *of_view(struct view *view)
{
	return (struct follower *)((char *)view - offsetof(struct follower, view));
}

static int show_heading(struct view *view, const struct heading *heading)
{
	struct follower *follower = of_view(view);
	struct followed *followed = need(follower, heading->target);
	int err;

	if (!followed)
		return -ENOMEM;
	for (size_t i = 0; i < follower->all.count; i++)
		follower->several |= follower->all.items[i]->heading &&
				     follower->all.items[i]->heading->pid != heading->pid;
	err = follower->out->form->heading(follower->out, follower->several);
	followed->heading = heading;
	return err ? err : view__heading(follower->inner, heading);
}

/* Of this collection; false: nothing was said. */
static bool take_outcome(struct followed *followed, const struct collection *collection,
			 struct outcome *outcome)
{
	for (size_t i = 0; i < followed->outcomes.count; i++) {
		if (followed->outcomes.items[i].collection != collection)
			continue;
		*outcome = followed->outcomes.items[i];
		followed->outcomes.items[i] =
			followed->outcomes.items[--followed->outcomes.count];
		return true;
	}
	return false;
}

static int show_plain(struct follower *follower, const struct heading *heading,
		      const struct collection *collection)
{
	int err;

	if (follows_one(follower) || follower->live)
		return 0;
	err = follower->out->form->heading(follower->out, follower->several);
	return err ? err : view__collection(follower->inner, heading, collection);
}

static int show_collection(struct view *view, const struct heading *heading,
			   const struct collection *collection)
{
	struct follower *follower = of_view(view);
	struct followed *followed = need(follower, heading->target);
	struct outcome outcome = { .ended_object = false };
	struct follow_collection shown = { .collection = collection, .is = &outcome.is };
	struct identity_view now;
	int err = 0;

	if (!followed)
		return -ENOMEM;
	if (!take_outcome(followed, collection, &outcome) ||
	    !look(follower, heading->target, &now, &err) || !now.figures.seen)
		return err ? err : show_plain(follower, heading, collection);
	follower->knew = true;
	shown.known = follow__known(&now);
	if (!follows_one(follower))
		return follower->out->form->collection(follower->out, heading, &shown);
	/* One that another collection has ended, in the same pause, is that one's to tell. */
	if (followed->history.ended && !outcome.ended_object)
		return 0;
	return show_step(follower, followed, collection, NULL);
}

static int show_pause(struct view *view, const struct heading *heading, const struct pause *pause,
		      unsigned int collections)
{
	(void)view;
	(void)heading;
	(void)pause;
	(void)collections;
	return 0;
}

static void add_figures(struct follow_figures *total, const struct follow_figures *more)
{
	uint64_t *to = (uint64_t *)&total->is;
	const uint64_t *from = (const uint64_t *)&more->is;

	for (size_t i = 0; i < offsetof(struct identity_figures, odd) / sizeof(*to); i++)
		to[i] += from[i];
	for (size_t i = 0; i < ODDITIES; i++)
		total->is.odd.counts[i] += more->is.odd.counts[i];
	total->new_ += more->new_;
	total->types += more->types;
}

static int gather(struct follower *follower, struct followed *followed,
		  const struct identity_view *now, struct follow_state *state)
{
	int err = follow_gathering__take(&follower->gathering, now, &followed->watch, state);

	state->figures = (struct follow_figures){ now->figures, followed->new_,
						  state->type_count };
	return err ? error_errno(err, "cannot go on") : 0;
}

static int show_state(struct follower *follower, struct followed *followed,
		      const struct heading *heading, struct follow_figures *figures)
{
	struct follow_state state;
	struct identity_view now;
	int err = 0;

	if (!look(follower, followed->target, &now, &err))
		return err;
	err = gather(follower, followed, &now, &state);
	*figures = state.figures;
	add_figures(&follower->total, figures);
	if (err || !now.figures.seen || follows_one(follower))
		return err;
	follower->knew = true;
	return follower->out->form->state(follower->out, heading, &state);
}

static int show_results(struct view *view, const struct results *results)
{
	struct follower *follower = of_view(view);
	struct followed *followed = results->of ? need(follower, results->of->target) : NULL;
	struct follow_figures figures = follower->total;
	struct results all = *results;
	int err = follower->out->form->heading(follower->out, follower->several);

	if (results->of && !followed)
		return -ENOMEM;
	if (followed)
		figures = (struct follow_figures){ .types = 0 };
	if (!err && followed)
		err = show_state(follower, followed, results->of, &figures);
	all.identity = figures.is.seen ? &figures : NULL;
	if (!err)
		err = view__results(follower->inner, &all);
	if (followed)
		followed->done = true;
	return !err && followed && followed->exited ? forget(follower, followed) : err;
}

static void free_view(struct view *view)
{
	struct follower *follower = of_view(view);

	view__free(follower->inner);
	follower->inner = NULL;
}

static const struct view_form form = { show_heading, show_collection, show_pause, show_results,
				       free_view };

/* A table that is painted anew is for one process, and for who looks at a terminal. */
static bool may_paint(const struct follower *follower, const struct view_options *options)
{
	const char *term = getenv("TERM");

	return follower->options.live && !follows_one(follower) && !options->several &&
	       follower->trace->terminal.is_terminal && term && strcmp(term, "dumb") != 0;
}

static struct view *dress(void *context, const struct view_options *options, struct view *inner)
{
	struct follower *follower = context;
	struct trace *trace = follower->trace;

	follower->inner = inner;
	follower->several = options->several;
	if (trace->form->form == OUTPUT_JSON) {
		follower->out = follow_ndjson__new(&trace->output);
	} else {
		follower->live = may_paint(follower, options);
		follower->out = follow_text__new(options, &trace->output, &trace->terminal,
						 follower->live);
	}
	if (follower->out)
		return &follower->view;
	view__free(inner);
	follower->inner = NULL;
	return NULL;
}

/* ---------------------------------------------------------------- the table that is painted */

static struct followed *present(const struct follower *follower)
{
	for (size_t i = follower->all.count; i-- > 0;)
		if (follower->all.items[i]->heading && !follower->all.items[i]->done)
			return follower->all.items[i];
	return NULL;
}

int follower__turn(struct follower *follower)
{
	const uint64_t start_ns = clock__monotonic_ns();
	struct followed *followed = follower->live ? present(follower) : NULL;
	struct follow_state state;
	struct identity_view now;
	uint64_t cost_ns;
	int err = 0;

	if (!followed || start_ns < follower->paint_ns ||
	    !look(follower, followed->target, &now, &err))
		return err;
	err = gather(follower, followed, &now, &state);
	state.now_ns = start_ns;
	if (!err)
		err = follower->out->form->paint(follower->out, followed->heading, &state);
	cost_ns = PAINT_SHARE * (clock__monotonic_ns() - start_ns);
	follower->paint_ns = start_ns + (cost_ns > PAINT_NS ? cost_ns : PAINT_NS);
	return err;
}

/* ---------------------------------------------------------------- life */

int follower__new(const struct follower_options *options, struct follower **out)
{
	struct follower *follower = calloc(1, sizeof(*follower));
	const struct identity_sink sink = {
		.context = follower,
		.collection = on_collection,
		.anchor = on_anchor,
		.left = on_left,
		.survived = options->id || options->by_address ? on_survived : NULL,
	};

	if (follower)
		follower->identity = identity__new(&sink);
	if (!follower || !follower->identity) {
		free(follower);
		return error_errno(ENOMEM, "cannot start");
	}
	follower->options = *options;
	follower->gathering.type = options->type;
	follower->gathering.top = options->top;
	follower->view.form = &form;
	follower->ranges = identity__ranges(follower->identity);
	follower->sink = (struct event_sink){ on_event, follower };
	*out = follower;
	return 0;
}

void follower__join(struct follower *follower, struct trace *trace, struct dumper *dumper)
{
	follower->trace = trace;
	follower->dumper = dumper;
	trace->ranges = &follower->ranges;
	trace->dress = dress;
	trace->dress_context = follower;
	trace->also = &follower->sink;
	trace->also_wants = FEED_WANTS(EVENT_CONTAINER) | FEED_WANTS(EVENT_OBJECT) |
			    FEED_WANTS(EVENT_CLASS) | FEED_WANTS(EVENT_OBJECT_ALLOC) |
			    FEED_WANTS(EVENT_DUMP_END);
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

bool follower__found(const struct follower *follower)
{
	const struct follower_options *options = &follower->options;

	if (!follows_one(follower) || follower->found)
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
