/* SPDX-License-Identifier: BSD-2-Clause */
#include "site_follower.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/draft.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../stream/feed.h"
#include "../view/pace.h"
#include "../view/sites.h"
#include "../view/view.h"
#include "gctrace/wire.h"
#include "show.h"
#include "trace.h"

/* One target. It never moves: its watch knows where the others are. */
struct sited {
	uint32_t target;
	struct heading heading; /* a copy; its name is `name` */
	bool is_headed, done;
	struct buf name;
	struct sites sites;
	struct site_groups groups;
	struct site_watch watch;
	struct site_leaks leaks;
	struct site_rows rows;
	uint64_t due_ns; /* of the next round; 0: none was shown */
	uint64_t contradicted; /* rounds that were */
	uint64_t unnumbered; /* samples of which nothing is told further */
};

struct site_follower {
	struct site_follower_options options;
	struct event_sink sink;
	struct view view; /* this is one */
	struct view *inner;
	struct sites_view *out;
	struct trace *trace;
	VEC(struct sited *) all;
	bool live; /* a table is painted */
	bool knew;
	struct pace pace; /* of its paints */
	struct draft draft; /* of the export */
	bool is_open;
};

/* ---------------------------------------------------------------- targets */

static void free_sited(struct sited *sited)
{
	if (!sited)
		return;
	sites__free(&sited->sites);
	site_groups__free(&sited->groups);
	site_watch__free(&sited->watch);
	site_rows__free(&sited->rows);
	vec__free(&sited->leaks);
	buf__free(&sited->name);
	free(sited);
}

static struct sited *find(const struct site_follower *follower, uint32_t target)
{
	for (size_t i = follower->all.count; i-- > 0;)
		if (follower->all.items[i]->target == target)
			return follower->all.items[i];
	return NULL;
}

/* NULL: no memory, said. */
static struct sited *need(struct site_follower *follower, uint32_t target)
{
	struct sited *sited = find(follower, target);

	if (sited)
		return sited;
	sited = calloc(1, sizeof(*sited));
	if (!sited || vec__push(&follower->all, sited)) {
		free(sited);
		error("out of memory");
		return NULL;
	}
	sited->target = target;
	sited->sites = (struct sites)SITES_INIT;
	sited->groups.by = follower->options.by;
	sited->groups.depth = follower->options.depth;
	sited->groups.type = follower->options.type;
	sited->watch.sites = &sited->sites;
	sited->watch.groups = &sited->groups;
	sited->sites.sink = site_watch__sink(&sited->watch);
	return sited;
}

static int fail(int err)
{
	return error_errno(err, "cannot go on");
}

/* ---------------------------------------------------------------- what there is */

static int take(struct site_follower *follower, struct sited *sited, struct sites_shown *shown)
{
	const struct site_follower_options *options = &follower->options;
	struct site_rows *rows = &sited->rows;
	const bool objects = options->by == SITES_BY_OBJECT;
	int err = site_groups__update(&sited->groups, &sited->sites);
	size_t all;

	err = err ? err : site_rows__take(rows, &sited->sites, &sited->groups, options->age);
	if (!err && objects)
		err = site_rows__objects(rows, &sited->sites, &sited->groups, options->age);
	all = objects ? rows->objects.count : rows->of.count;
	shown->shown = options->top && options->top < all ? (size_t)options->top : all;
	if (!err && !objects)
		err = site_rows__take_ages(rows, &sited->sites, &sited->groups, shown->shown);
	err = err ? err : site_watch__find(&sited->watch, &sited->leaks);
	shown->sites = &sited->sites;
	shown->groups = &sited->groups;
	shown->rows = rows;
	shown->watch = &sited->watch;
	shown->leaks = &sited->leaks;
	shown->age = options->age;
	return err ? fail(err) : 0;
}

static bool knows_anything(const struct sited *sited)
{
	return sited->sites.seen || sited->sites.turns;
}

static int show_round(struct site_follower *follower, struct sited *sited, uint64_t now_ns,
		      bool last)
{
	struct sites_shown shown = { .time_ns = now_ns, .last = last };
	int err;

	if (!knows_anything(sited) || !sited->is_headed)
		return 0;
	follower->knew = true;
	err = take(follower, sited, &shown);
	sited->contradicted += !err && sited->rows.limit.contradicted;
	return err ? err : follower->out->form->round(follower->out, &sited->heading, &shown);
}

static int show_if_due(struct site_follower *follower, struct sited *sited, uint64_t now_ns)
{
	if (!follower->options.every_ns || sited->done || !knows_anything(sited))
		return 0;
	if (!sited->due_ns)
		sited->due_ns = now_ns + follower->options.every_ns;
	if (now_ns < sited->due_ns)
		return 0;
	while (sited->due_ns <= now_ns)
		sited->due_ns += follower->options.every_ns;
	return show_round(follower, sited, now_ns, false);
}

/* ---------------------------------------------------------------- what is told */

static int see_turn(struct site_follower *follower, struct sited *sited,
		    const struct event *event)
{
	int err = 0;

	if (event->samples.more)
		return 0;
	err = site_groups__update(&sited->groups, &sited->sites);
	err = err ? err : site_watch__look(&sited->watch, event->time);
	if (err)
		return fail(err);
	if (follower->options.verbose && !event->samples.all && sited->is_headed &&
	    !sited->sites.unfollowed)
		err = follower->out->form->turn(follower->out, &sited->heading, &sited->sites);
	return err ? err : show_if_due(follower, sited, event->time);
}

/* What may be any target's is all theirs. */
static int hear_loss(const struct site_follower *follower, const struct event *event)
{
	int err = 0;

	for (size_t i = 0; i < follower->all.count && !err; i++)
		err = sites__event(&follower->all.items[i]->sites, event);
	return err ? fail(err) : 0;
}

static int hear(void *context, const struct event *event)
{
	struct site_follower *follower = context;
	struct sited *sited;
	int err;

	if (follower->trace->enough)
		return 1;
	if (event->kind == EVENT_LOSS && event->target == LOSS_ANY_TARGET)
		return hear_loss(follower, event);
	if (event->kind != EVENT_OBJECT_ALLOC && event->kind != EVENT_SAMPLES &&
	    event->kind != EVENT_DEFINE && event->kind != EVENT_CLASS && event->kind != EVENT_LOSS)
		return 0;
	sited = need(follower, event->target);
	if (!sited)
		return -ENOMEM;
	sited->unnumbered += event->kind == EVENT_OBJECT_ALLOC && !event->alloc.sample;
	err = sites__event(&sited->sites, event);
	if (err)
		return fail(err);
	return event->kind == EVENT_SAMPLES ? see_turn(follower, sited, event) : 0;
}

/* ---------------------------------------------------------------- as a view */

static struct site_follower *of_view(struct view *view)
{
	return (struct site_follower *)((char *)view - offsetof(struct site_follower, view));
}

static int show_heading(struct view *view, const struct heading *heading)
{
	struct site_follower *follower = of_view(view);
	struct sited *sited = need(follower, heading->target);
	bool is_late;
	int err;

	if (!sited)
		return -ENOMEM;
	/* What a collection did can be told before what process it is of is known. */
	is_late = !sited->is_headed && sited->sites.turns && follower->options.verbose &&
		  !sited->sites.unfollowed;
	sited->heading = *heading;
	buf__reset(&sited->name);
	buf__add(&sited->name, heading->name.at, heading->name.bytes);
	sited->heading.name = (struct text){ buf__str(&sited->name), sited->name.len };
	sited->is_headed = true;
	err = follower->out->form->heading(follower->out);
	err = err ? err : view__heading(follower->inner, heading);
	if (!err && is_late)
		err = follower->out->form->turn(follower->out, &sited->heading, &sited->sites);
	return err;
}

/* It has no line, but says how large the heap was. */
static int hear_collection(struct view *view, const struct heading *heading,
			   const struct collection *collection)
{
	struct sited *sited = need(of_view(view), heading->target);

	if (!sited)
		return -ENOMEM;
	sites__collection(&sited->sites, collection);
	return 0;
}

static uint64_t contradictions(const struct site_follower *follower)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < follower->all.count; i++)
		sum += follower->all.items[i]->contradicted;
	return sum;
}

static int show_results(struct view *view, const struct results *results)
{
	struct site_follower *follower = of_view(view);
	struct sited *sited = results->of ? find(follower, results->of->target) : NULL;
	struct results all = *results;
	int err = 0;

	if (sited && !sited->done)
		err = show_round(follower, sited, show__last_ns(follower->trace->show), true);
	if (sited)
		sited->done = true;
	all.contradicted = sited ? sited->contradicted : results->of ? 0 : contradictions(follower);
	if (!err)
		err = follower->out->form->heading(follower->out);
	return err ? err : view__results(follower->inner, &all);
}

static void free_view(struct view *view)
{
	struct site_follower *follower = of_view(view);

	view__free(follower->inner);
	follower->inner = NULL;
}

static const struct view_form view_form = { show_heading, hear_collection, NULL, show_results,
					    free_view };

static bool may_paint(const struct site_follower *follower, const struct view_options *options)
{
	return follower->options.live && !options->several &&
	       terminal__can_paint(&follower->trace->terminal);
}

static struct view *dress(void *context, const struct view_options *options, struct view *inner)
{
	struct site_follower *follower = context;
	struct trace *trace = follower->trace;

	follower->inner = inner;
	if (trace->form->form == OUTPUT_JSON) {
		follower->out = sites_ndjson__new(&trace->output);
	} else {
		follower->live = may_paint(follower, options);
		follower->out = sites_text__new(options, &trace->output, &trace->terminal,
						follower->live);
	}
	if (follower->out)
		return &follower->view;
	view__free(inner);
	follower->inner = NULL;
	return NULL;
}

/* ---------------------------------------------------------------- turns */

static int paint(struct site_follower *follower, uint64_t start_ns)
{
	struct sites_shown shown = { .time_ns = start_ns };
	struct sited *sited = NULL;
	int err;

	for (size_t i = 0; i < follower->all.count; i++)
		if (follower->all.items[i]->is_headed && !follower->all.items[i]->done)
			sited = follower->all.items[i];
	if (!sited || !knows_anything(sited))
		return 0;
	err = take(follower, sited, &shown);
	if (!err)
		err = follower->out->form->paint(follower->out, &sited->heading, &shown);
	pace__painted(&follower->pace, start_ns, clock__monotonic_ns());
	return err;
}

int site_follower__turn(struct site_follower *follower)
{
	const uint64_t now_ns = clock__monotonic_ns();
	int err = 0;

	for (size_t i = 0; i < follower->all.count && !err; i++)
		err = show_if_due(follower, follower->all.items[i], now_ns);
	if (!err && follower->live && pace__is_due(&follower->pace, now_ns))
		err = paint(follower, now_ns);
	return err;
}

/* ---------------------------------------------------------------- the file */

/* One profile is of one program. */
static struct sited *exported(const struct site_follower *follower)
{
	struct sited *found = NULL;

	for (size_t i = 0; i < follower->all.count; i++) {
		struct sited *sited = follower->all.items[i];

		if (!sited->is_headed || !knows_anything(sited))
			continue;
		if (found)
			warning("%s holds what is known of pid %llu; what is known of pid %llu is"
				" left out: one profile is of one program",
				escape(follower->options.output),
				(unsigned long long)found->heading.pid,
				(unsigned long long)sited->heading.pid);
		else
			found = sited;
	}
	return found;
}

struct exporting {
	enum site_export as;
	const struct sited *sited;
};

static int write_all(void *context, FILE *out)
{
	static const enum sites_value values[] = {
		[SITE_EXPORT_FOLDED] = SITES_LIVE,
		[SITE_EXPORT_FOLDED_ALLOCATED] = SITES_ALLOCATED,
		[SITE_EXPORT_FOLDED_OLD] = SITES_OLD,
	};

	const struct exporting *exporting = context;
	const struct sited *sited = exporting->sited;

	if (exporting->as == SITE_EXPORT_PPROF)
		return sites__write_pprof(&sited->sites, &sited->heading, out);
	return sites__write_folded(&sited->sites, values[exporting->as], out);
}

int site_follower__begin(struct site_follower *follower)
{
	int err;

	if (follower->options.as == SITE_EXPORT_NONE)
		return 0;
	err = draft__open(&follower->draft, follower->options.output);
	follower->is_open = !err;
	return err;
}

static int export(struct site_follower *follower)
{
	struct exporting exporting = { follower->options.as, exported(follower) };

	if (exporting.sited && exporting.sited->sites.unfollowed &&
	    (exporting.as == SITE_EXPORT_FOLDED || exporting.as == SITE_EXPORT_FOLDED_OLD)) {
		error("%s is not written: what lives in pid %llu is not known: "
		      SITES_UNFOLLOWED "; folded-allocated and pprof have what was allocated",
		      escape(follower->options.output),
		      (unsigned long long)exporting.sited->heading.pid);
		return -ENODATA;
	}
	if (exporting.sited && exporting.sited->rows.limit.contradicted)
		warning("%s: what is said to live contradicts the heap in use: see above",
			escape(follower->options.output));
	if (exporting.sited)
		return draft__write(&follower->draft, write_all, &exporting);
	error("%s is not written: no sample was told", escape(follower->options.output));
	return -ENODATA;
}

int site_follower__end(struct site_follower *follower, int err)
{
	if (!follower->is_open)
		return err;
	follower->is_open = false;
	return draft__close(&follower->draft, err ? err : export(follower));
}

/* ---------------------------------------------------------------- life */

int site_follower__new(const struct site_follower_options *options, struct site_follower **out)
{
	struct site_follower *follower = calloc(1, sizeof(*follower));

	if (!follower)
		return error_errno(ENOMEM, "cannot start");
	follower->options = *options;
	follower->view.form = &view_form;
	follower->sink = (struct event_sink){ hear, follower };
	*out = follower;
	return 0;
}

void site_follower__join(struct site_follower *follower, struct trace *trace)
{
	follower->trace = trace;
	trace->dress = dress;
	trace->dress_context = follower;
	trace->also = &follower->sink;
	trace->also_wants = FEED_WANTS(EVENT_OBJECT_ALLOC) | FEED_WANTS(EVENT_SAMPLES) |
			    FEED_WANTS(EVENT_CLASS);
}

bool site_follower__knew(const struct site_follower *follower)
{
	return follower->knew;
}

bool site_follower__is_contradicted(const struct site_follower *follower)
{
	return contradictions(follower) > 0;
}

void site_follower__free(struct site_follower *follower)
{
	if (!follower)
		return;
	for (size_t i = 0; i < follower->all.count; i++)
		free_sited(follower->all.items[i]);
	vec__free(&follower->all);
	if (follower->out)
		follower->out->form->free(follower->out);
	free(follower);
}
