/* SPDX-License-Identifier: BSD-2-Clause */
#include "show.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/report.h"
#include "../base/vec.h"
#include "../stream/facts.h"
#include "../view/view.h"

struct shown {
	uint32_t target;
	struct heading heading;
	struct buf name, runtime, version, collector, provider; /* of the heading */
	struct summary summary;
	struct assembler_odd odd;
	uint64_t count; /* collections shown */
	uint64_t end_ns; /* 0: it goes on */
	bool said;	/* runtime, version and collector are the producer's own words */
	bool headed, done;
};

struct show {
	struct show_options options;
	struct view *view;
	const struct facts *facts;
	const struct losses *losses;
	struct assembler *assembler;
	VEC(struct shown *) all;
	size_t finished; /* of them, from the first on, have ended and were told */
	struct summary summary; /* of all together */
	struct assembler_odd odd;
	uint64_t count;
	uint64_t last_ns;
};

/* ---------------------------------------------------------------- targets */

static void shown__free(struct shown *shown)
{
	if (!shown)
		return;
	buf__free(&shown->name);
	buf__free(&shown->runtime);
	buf__free(&shown->version);
	buf__free(&shown->collector);
	buf__free(&shown->provider);
	summary__free(&shown->summary);
	free(shown);
}

static void take_fact(const struct show *show, const struct shown *shown, const char *name,
		      struct buf *buf, struct text *text)
{
	size_t bytes;
	const char *value = facts__get_target(show->facts, shown->target, name, &bytes);

	if (value)
		*text = text__keep(buf, value, bytes);
}

static uint64_t fact_u64(const struct show *show, const struct shown *shown, const char *name,
			 uint64_t otherwise)
{
	const char *value = facts__get_target(show->facts, shown->target, name, NULL);
	char *end;
	uint64_t number;

	if (!value || !*value)
		return otherwise;
	errno = 0;
	number = strtoull(value, &end, 10);
	return *end || errno ? otherwise : number;
}

static int read_facts(const struct show *show, struct shown *shown)
{
	struct heading *heading = &shown->heading;

	take_fact(show, shown, "comm", &shown->name, &heading->name);
	take_fact(show, shown, "provider", &shown->provider, &heading->provider);
	if (!shown->said) {
		take_fact(show, shown, "runtime", &shown->runtime, &heading->runtime);
		take_fact(show, shown, "version", &shown->version, &heading->version);
		take_fact(show, shown, "collector", &shown->collector, &heading->collector);
	}
	heading->pid = fact_u64(show, shown, "pid", 0);
	heading->known = (unsigned int)fact_u64(show, shown, "known", KNOWN_COLLECTIONS);
	heading->on_request = (unsigned int)fact_u64(show, shown, "on_request", 0);
	heading->start_ns = fact_u64(show, shown, "attached_ns", show->options.start_ns);
	heading->clock_offset_ns = facts__get_i64(show->facts, "clock_offset_ns", 0);
	heading->file = show->options.file;
	shown->summary.start_ns = heading->start_ns;
	return assembler__whole_from(show->assembler, shown->target, heading->start_ns);
}

static struct shown *find(const struct show *show, uint32_t target)
{
	for (size_t i = 0; i < show->all.count; i++)
		if (show->all.items[i]->target == target)
			return show->all.items[i];
	return NULL;
}

static struct shown *need(struct show *show, uint32_t target)
{
	struct shown *shown = find(show, target);

	if (shown)
		return shown;
	shown = calloc(1, sizeof(*shown));
	if (shown && summary__init(&shown->summary, show->options.top_pauses) == 0) {
		shown->target = shown->heading.target = target;
		if (read_facts(show, shown) == 0 && vec__push(&show->all, shown) == 0)
			return shown;
	}
	shown__free(shown);
	error("out of memory");
	return NULL;
}

static int finish_one(struct show *show, struct shown *shown);

/* Who has ended waited with its results for others to come. */
static int finish_ended(struct show *show)
{
	int err = 0;

	for (; show->finished < show->all.count && !err; show->finished++) {
		struct shown *shown = show->all.items[show->finished];

		if (!shown->end_ns)
			break;
		if (!shown->done && shown->headed)
			err = finish_one(show, shown);
	}
	return err;
}

static bool is_settled(const struct show *show, const struct shown *shown)
{
	return shown->heading.runtime.bytes && fact_u64(show, shown, "settled", 1);
}

/* What it was, when it joined, was not all that there is to say. */
static int settle(struct show *show, struct shown *shown)
{
	if (!show->options.identify || is_settled(show, shown))
		return 0;
	show->options.identify(show->options.context, shown->target);
	return read_facts(show, shown);
}

static int head(struct show *show, struct shown *shown)
{
	int err;

	if (shown->headed)
		return 0;
	err = settle(show, shown);
	if (!err)
		err = finish_ended(show);
	shown->headed = true;
	return err ? err : view__heading(show->view, &shown->heading);
}

const struct heading *show__head(struct show *show, uint32_t target)
{
	struct shown *shown = need(show, target);

	return shown && head(show, shown) == 0 ? &shown->heading : NULL;
}

int show__joined(struct show *show, uint32_t target)
{
	struct shown *shown = need(show, target);

	if (!shown)
		return -ENOMEM;
	if (read_facts(show, shown))
		return error_errno(-ENOMEM, "cannot go on");
	return is_settled(show, shown) ? head(show, shown) : 0;
}

/* Who it is, in its own words. */
static void hear_producer(struct show *show, const struct event *event)
{
	struct shown *shown = need(show, event->target);

	if (!shown || shown->headed)
		return;
	shown->said = true;
	shown->heading.runtime = text__keep(&shown->runtime, event->producer.runtime.at,
					   event->producer.runtime.bytes);
	shown->heading.version = text__keep(&shown->version, event->producer.version.at,
					   event->producer.version.bytes);
	shown->heading.collector = text__keep(&shown->collector, event->producer.collector.at,
					     event->producer.collector.bytes);
}

/* ---------------------------------------------------------------- collections and pauses */

static bool enough(const struct show *show)
{
	return show->options.count > 0 && show->count >= show->options.count;
}

static bool is_short(const struct show *show, uint64_t pause_ns)
{
	return show->options.min_pause_ns > 0 &&
	       (pause_ns == EVENT_UNKNOWN || pause_ns < show->options.min_pause_ns);
}

/* What is there to show of this target? Its heading is, by now. 0, 1: enough, or negative errno. */
static int open_shown(struct show *show, uint32_t target, struct shown **shown)
{
	*shown = need(show, target);
	if (enough(show))
		return 1;
	return *shown ? head(show, *shown) : -ENOMEM;
}

static int show_collection(void *context, const struct collection *collection)
{
	struct show *show = context;
	struct shown *shown;
	int err = open_shown(show, collection->target, &shown);

	if (!err && !shown->done)
		err = summary__collection(&shown->summary, collection);
	if (!err)
		err = summary__collection(&show->summary, collection);
	if (err || is_short(show, collection->pause_ns))
		return err;
	shown->count++;
	show->count++;
	if (!show->options.quiet)
		err = view__collection(show->view, &shown->heading, collection);
	return err ? err : enough(show);
}

static int show_pause(void *context, const struct pause *pause, unsigned int collections)
{
	struct show *show = context;
	struct shown *shown;
	int err = open_shown(show, pause->target, &shown);

	if (!err && !shown->done)
		err = summary__pause(&shown->summary, pause, collections);
	if (!err)
		err = summary__pause(&show->summary, pause, collections);
	if (err || show->options.quiet || is_short(show, pause->share_ns))
		return err;
	return view__pause(show->view, &shown->heading, pause, collections);
}

static void add_odd(struct assembler_odd *sum, const struct assembler_odd *more)
{
	uint64_t *to = (uint64_t *)sum;
	const uint64_t *from = (const uint64_t *)more;

	for (size_t i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] += from[i];
}

static int take_odd(void *context, uint32_t target, const struct assembler_odd *odd)
{
	struct show *show = context;
	struct shown *shown = find(show, target);

	if (shown)
		add_odd(&shown->odd, odd);
	add_odd(&show->odd, odd);
	return 0;
}

/* ---------------------------------------------------------------- results */

static int show_results(struct show *show, struct shown *shown, bool last)
{
	struct results results = { .of = &shown->heading, .last = last,
				   .summary = &shown->summary, .odd = shown->odd,
				   .shown = shown->count };
	int err = head(show, shown);

	shown->done = true;
	for (unsigned int kind = 0; kind < LOSS_KINDS; kind++)
		results.lost[kind] = last ? losses__sum(show->losses, kind)
					  : losses__of(show->losses, kind, shown->target);
	return err ? err : view__results(show->view, &results);
}

/* There may be thousands that have ended: their histograms were shown and are done with. */
static int finish_one(struct show *show, struct shown *shown)
{
	int err = show_results(show, shown, false);

	summary__free(&shown->summary);
	return err;
}

static const struct heading *whose(const void *context, uint32_t target)
{
	const struct shown *shown = find(context, target);

	return shown ? &shown->heading : NULL;
}

static int show_all_results(struct show *show, size_t speaking)
{
	struct results results = { .last = true, .summary = &show->summary, .odd = show->odd,
				   .shown = show->count, .targets = speaking,
				   .whose = whose, .whose_context = show };

	for (unsigned int kind = 0; kind < LOSS_KINDS; kind++)
		results.lost[kind] = losses__sum(show->losses, kind);
	return view__results(show->view, &results);
}

static bool others_go_on(const struct show *show, const struct shown *shown)
{
	for (size_t i = 0; i < show->all.count; i++)
		if (show->all.items[i] != shown && !show->all.items[i]->end_ns)
			return true;
	return false;
}

/* Its image has ended; the assembler has handed out what was left. */
static int end_target(struct show *show, const struct event *event)
{
	struct shown *shown = need(show, event->target);

	if (!shown)
		return -ENOMEM;
	if (shown->done || shown->end_ns)
		return 0;
	shown->end_ns = shown->summary.end_ns = event->stamp;
	if (event->kind != EVENT_EXEC && !others_go_on(show, shown))
		return 0;
	return finish_one(show, shown);
}

/* Nothing was ever heard of it: not worth a word, unless there is nobody else. */
static bool is_silent(const struct shown *shown)
{
	return !shown->headed && shown->summary.collections == 0;
}

void show__count_losses(struct show *show, const struct losses *losses)
{
	show->losses = losses;
}

/* The whole is never shorter than a part: what ends last may end after the trace did. */
static void span(struct summary *whole, const struct summary *part)
{
	if (part->start_ns < whole->start_ns)
		whole->start_ns = part->start_ns;
	if (part->end_ns > whole->end_ns)
		whole->end_ns = part->end_ns;
}

int show__finish(struct show *show, uint64_t end_ns)
{
	size_t speaking = 0;
	int err = assembler__end_all(show->assembler);

	show->summary.start_ns = show->options.start_ns;
	show->summary.end_ns = end_ns;
	for (size_t i = 0; i < show->all.count; i++)
		span(&show->summary, &show->all.items[i]->summary);
	for (size_t i = 0; i < show->all.count; i++)
		speaking += !is_silent(show->all.items[i]);
	for (size_t i = 0; i < show->all.count && err >= 0; i++) {
		struct shown *shown = show->all.items[i];

		if (shown->done || (is_silent(shown) && (speaking > 0 || i > 0)))
			continue;
		if (!shown->end_ns)
			shown->summary.end_ns = end_ns;
		err = show_results(show, shown, speaking <= 1);
	}
	if (err < 0 || (speaking <= 1 && show->all.count > 0))
		return err < 0 ? err : 0;
	return show_all_results(show, speaking);
}

/* ---------------------------------------------------------------- events */

static int show_event(void *context, const struct event *event)
{
	struct show *show = context;
	int answer;

	if (show->options.until_ns && event->stamp > show->options.until_ns) {
		show->last_ns = show->options.until_ns;
		return 1;
	}
	if (event->stamp > show->last_ns)
		show->last_ns = event->stamp;
	if (event->kind == EVENT_PRODUCER)
		hear_producer(show, event);
	answer = assembler__event(show->assembler, event);
	if (answer == -ENOMEM)
		error("out of memory");
	if (answer || (event->kind != EVENT_EXEC && event->kind != EVENT_EXIT))
		return answer;
	return end_target(show, event);
}

void show__over_from(struct show *show, uint64_t ns)
{
	assembler__over_from(show->assembler, ns);
}

struct event_sink show__sink(struct show *show)
{
	return (struct event_sink){ show_event, show };
}

uint64_t show__last_ns(const struct show *show)
{
	return show->last_ns;
}

/* ---------------------------------------------------------------- life */

int show__new(const struct show_options *options, struct view *view, const struct facts *facts,
	      struct show **out)
{
	struct show *show = calloc(1, sizeof(*show));
	const struct assembler_sink sink = { show, show_collection, show_pause, take_odd };

	if (!show)
		return error_errno(-ENOMEM, "cannot start");
	show->options = *options;
	show->view = view;
	show->facts = facts;
	show->last_ns = options->start_ns;
	show->assembler = assembler__new(&sink, options->ranges);
	if (!show->assembler || summary__init(&show->summary, options->top_pauses)) {
		show__free(show);
		return error_errno(-ENOMEM, "cannot start");
	}
	*out = show;
	return 0;
}

void show__free(struct show *show)
{
	if (!show)
		return;
	assembler__free(show->assembler);
	for (size_t i = 0; i < show->all.count; i++)
		shown__free(show->all.items[i]);
	vec__free(&show->all);
	summary__free(&show->summary);
	free(show);
}
