/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A follower as a view of the trace: collections with what became of objects in them, and at the
 * end what is known of those. What it does not know better is left to the view that it dresses.
 */
#include <errno.h>
#include <stddef.h>

#include "../base/clock.h"
#include "../base/report.h"
#include "dumper.h"
#include "follower_private.h"
#include "trace.h"

/* ---------------------------------------------------------------- as a view */

static struct follower *of_view(struct view *view)
{
	return (struct follower *)((char *)view - offsetof(struct follower, view));
}

static int show_heading(struct view *view, const struct heading *heading)
{
	struct follower *follower = of_view(view);
	struct followed *followed = follower__need(follower, heading->target);
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

	if (follower__follows_one(follower) || follower->live)
		return 0;
	err = follower->out->form->heading(follower->out, follower->several);
	return err ? err : view__collection(follower->inner, heading, collection);
}

/* A heap dump is to come: what is shown until then looks as what is shown behind it. */
static bool awaits_objects(const struct follower *follower)
{
	return follower->dumper && !follower->dumper->failed;
}

static int show_outcome(struct follower *follower, struct followed *followed,
			const struct outcome *outcome, const struct collection *collection)
{
	struct follow_collection shown = { .collection = collection, .is = &outcome->is };
	struct identity_view now;
	int err = 0;

	if (!follower__look(follower, followed->target, &now, &err) ||
	    (!now.figures.seen && !awaits_objects(follower)))
		return err ? err : show_plain(follower, followed->heading, collection);
	follower->knew |= now.figures.seen > 0;
	shown.known = follow__known(&now);
	shown.in_doubt = now.in_doubt && shown.known.objects;
	followed->doubted |= shown.in_doubt;
	if (!follower__follows_one(follower))
		return follower->out->form->collection(follower->out, followed->heading, &shown);
	/* One that another collection has ended, in the same pause, is that one's to tell. */
	if (followed->history.ended && !outcome->ended_object)
		return 0;
	return follower__show_step(follower, followed, collection, NULL);
}

static int show_blocks(struct follower *follower, const struct heading *heading,
		       const struct outcome *outcome, const struct collection *collection)
{
	const struct follow_blocks shown = { collection, &outcome->blocks,
					     !outcome->is.survived.objects };

	if (!outcome->has_blocks || follower__follows_one(follower))
		return 0;
	return follower->out->form->blocks(follower->out, heading, &shown);
}

static int show_collection(struct view *view, const struct heading *heading,
			   const struct collection *collection)
{
	struct follower *follower = of_view(view);
	struct followed *followed = follower__need(follower, heading->target);
	struct outcome outcome = { .has_blocks = false };
	int err;

	if (!followed)
		return -ENOMEM;
	followed->heading = heading;
	if (!take_outcome(followed, collection, &outcome))
		return awaits_objects(follower) ? 0 : show_plain(follower, heading, collection);
	err = show_outcome(follower, followed, &outcome, collection);
	if (!err)
		err = show_blocks(follower, heading, &outcome, collection);
	blocks__free(&outcome.blocks);
	return err;
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
	total->in_doubt |= more->in_doubt;
}

static int gather(struct follower *follower, struct followed *followed,
		  const struct identity_view *now, struct follow_state *state)
{
	int err = follow_gathering__take(&follower->gathering, now, &followed->watch, state);

	state->figures = (struct follow_figures){ now->figures, followed->new_, state->type_count,
						  now->in_doubt && state->known.objects };
	state->doubted = followed->doubted;
	return err ? error_errno(err, "cannot go on") : 0;
}

static int show_state(struct follower *follower, struct followed *followed,
		      const struct heading *heading, struct follow_figures *figures)
{
	struct follow_state state;
	struct identity_view now;
	int err = 0;

	if (!follower__look(follower, followed->target, &now, &err))
		return err;
	err = gather(follower, followed, &now, &state);
	*figures = state.figures;
	add_figures(&follower->total, figures);
	if (err || !now.figures.seen || follower__follows_one(follower))
		return err;
	follower->knew = true;
	return follower->out->form->state(follower->out, heading, &state);
}

static int show_results(struct view *view, const struct results *results)
{
	struct follower *follower = of_view(view);
	struct followed *followed =
		results->of ? follower__need(follower, results->of->target) : NULL;
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
	return !err && followed && followed->exited ? follower__forget(follower, followed) : err;
}

static void free_view(struct view *view)
{
	struct follower *follower = of_view(view);

	view__free(follower->inner);
	follower->inner = NULL;
}

const struct view_form follower__form = { show_heading, show_collection, NULL,
					  show_results, free_view };

/* A table that is painted anew is for one process, and for who looks at a terminal. */
static bool may_paint(const struct follower *follower, const struct view_options *options)
{
	return follower->options.live && !follower__follows_one(follower) && !options->several &&
	       terminal__can_paint(&follower->trace->terminal);
}

struct view *follower__dress(void *context, const struct view_options *options, struct view *inner)
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
	int err = 0;

	if (!followed || !pace__is_due(&follower->pace, start_ns) ||
	    !follower__look(follower, followed->target, &now, &err))
		return err;
	err = gather(follower, followed, &now, &state);
	state.now_ns = start_ns;
	if (!err)
		err = follower->out->form->paint(follower->out, followed->heading, &state);
	pace__painted(&follower->pace, start_ns, clock__monotonic_ns());
	return err;
}
