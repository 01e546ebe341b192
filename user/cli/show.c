/* SPDX-License-Identifier: BSD-2-Clause */
#include "show.h"

#include <errno.h>
#include <stdlib.h>

#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../base/vec.h"
#include "gctrace/wire.h"
#include "shown.h"

#define LONG_STOP_NS NS_PER_S
#define PROGRESS_NS (500 * NS_PER_MS)

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
	uint64_t came;	  /* collections, those that wait included */
	uint64_t waiting; /* of those that will be shown */
	uint64_t full_ns; /* since when nobody else comes in; 0: they do */
	uint64_t last_ns;
	uint64_t progress_ns; /* when a stop that goes on was looked for last */
	uint64_t notices; /* of targets that are not known yet */
};

/* ---------------------------------------------------------------- targets */

static int read_facts(const struct show *show, struct shown *shown)
{
	shown__read_facts(shown, show->facts, show->options.start_ns);
	shown->heading.file = show->options.file;
	return assembler__whole_from(show->assembler, shown->target, shown->heading.start_ns);
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
	shown = shown__new(target, show->options.top_pauses);
	if (shown && read_facts(show, shown) == 0 && vec__push(&show->all, shown) == 0)
		return shown;
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

/* What it was, when it joined, was not all that there is to say. */
static int settle(struct show *show, struct shown *shown)
{
	if (!show->options.identify || shown__is_settled(shown, show->facts))
		return 0;
	show->options.identify(show->options.context, shown->target);
	return read_facts(show, shown);
}

/* Before anything is written beside it. */
static void end_progress(const struct show *show)
{
	if (show->options.progress)
		progress_end();
}

static int head(struct show *show, struct shown *shown)
{
	struct heading heading;
	int err;

	if (shown->headed)
		return 0;
	end_progress(show);
	err = settle(show, shown);
	if (!err)
		err = finish_ended(show);
	shown->headed = true;
	heading = shown->heading;
	if (shown->unsampled)
		heading.known &= ~(unsigned int)KNOWN_SAMPLES;
	return err ? err : view__heading(show->view, &heading);
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
	return shown__is_settled(shown, show->facts) ? head(show, shown) : 0;
}

static void hear_producer(struct show *show, const struct event *event)
{
	struct shown *shown = need(show, event->target);

	if (shown)
		shown__hear_producer(shown, event);
}

static void say_notice(struct show *show, const struct event *event)
{
	struct shown *shown = find(show, event->target);

	if (shown)
		shown__say_notice(shown, event->notice.what, event->notice.text);
	else if (show->notices++ < SHOWN_NOTICES_MOST)
		warning("%s", escape_bytes(event->notice.text.at, event->notice.text.bytes));
}

/* ---------------------------------------------------------------- collections and pauses */

static bool enough(const struct show *show)
{
	return show->options.count > 0 && show->count >= show->options.count;
}

/* Those that wait will be enough: what comes behind them is not of this trace. */
static bool is_full(const struct show *show)
{
	return show->options.count > 0 && show->count + show->waiting >= show->options.count;
}

static bool is_short(const struct show *show, uint64_t pause_ns)
{
	return show->options.min_pause_ns > 0 &&
	       (pause_ns == EVENT_UNKNOWN || pause_ns < show->options.min_pause_ns);
}

/* One that shares a stop is as long as that: that is what the program felt. */
static bool is_brief(const struct show *show, const struct collection *collection)
{
	return is_short(show, collection->pause_ns) && is_short(show, collection->stop_max_ns);
}

/*
 * The recorder had enough by then: it ended with a record, which may tell of more, and some that
 * had begun before have no end. The rest of the file is read all the same: it tells the trace's
 * end. Where parts of the file are missing, what is left of a collection may be told as two.
 */
static bool is_beyond(const struct show *show)
{
	return show->options.recorded > 0 && show->came >= show->options.recorded &&
	       losses__sum(show->losses, LOSS_RECORDING) == 0;
}

/* What is there to show of this target? Its heading is, by now. 0, 1: enough, or negative errno. */
static int open_shown(struct show *show, uint32_t target, struct shown **shown)
{
	*shown = need(show, target);
	if (enough(show))
		return 1;
	return *shown ? head(show, *shown) : -ENOMEM;
}

static int show_now(struct show *show, const struct collection *collection)
{
	struct shown *shown;
	int err = open_shown(show, collection->target, &shown);

	if (!err && !shown->done)
		err = summary__collection(&shown->summary, collection);
	if (!err)
		err = summary__collection(&show->summary, collection);
	if (err || is_brief(show, collection))
		return err;
	shown->count++;
	show->count++;
	end_progress(show);
	if (!show->options.quiet)
		err = view__collection(show->view, &shown->heading, collection);
	return err ? err : enough(show);
}

/* Those that need not wait any longer. */
static int show_waiting(struct show *show, struct shown *shown)
{
	struct collection_copy *kept;
	int err = 0;

	while (err >= 0 && (kept = waiting_room__next(&shown->room))) {
		int answer;

		show->waiting -= !is_brief(show, &kept->is);
		answer = show_now(show, &kept->is);
		err = answer ? answer : err;
		free(kept);
	}
	return err;
}

static bool tells_samples(const struct show *show, const struct shown *shown)
{
	return show->options.samples && shown->heading.known & KNOWN_SAMPLES && !shown->unsampled;
}

static int pass(struct show *show, struct shown *shown, uint64_t now_ns)
{
	waiting_room__pass(&shown->room, now_ns);
	return show_waiting(show, shown);
}

/* Nobody may tell samples any more, and a recording has no clock but what is in it. */
static int let_wait(struct show *show, struct shown *shown, const struct collection *collection)
{
	const int err = waiting_room__take(&shown->room, collection);

	if (err)
		return err;
	show->waiting += !is_brief(show, collection);
	if (is_full(show))
		show->full_ns = show->last_ns;
	return pass(show, shown, show->last_ns);
}

static int show_collection(void *context, const struct collection *collection)
{
	struct show *show = context;
	struct shown *shown = need(show, collection->target);

	if (!shown)
		return -ENOMEM;
	if (is_beyond(show))
		return 0;
	if (is_full(show))
		return enough(show);
	show->came++;
	return tells_samples(show, shown) ? let_wait(show, shown, collection)
					  : show_now(show, collection);
}

int show__turn(struct show *show, uint64_t now_ns)
{
	int err = 0;

	for (size_t i = 0; i < show->all.count && !err; i++)
		err = pass(show, show->all.items[i], now_ns);
	return err;
}

void show__progress(struct show *show, uint64_t now_ns)
{
	const struct shown *stopped = NULL;
	struct text what = { NULL, 0 };
	const char *least = "";
	uint64_t since = now_ns;
	char ns[UNITS_TEXT];

	if (!show->options.progress || now_ns - show->progress_ns < PROGRESS_NS)
		return;
	show->progress_ns = now_ns;
	for (size_t i = 0; i < show->all.count; i++) {
		const struct shown *shown = show->all.items[i];
		struct text word = shown->heading.stopped_for;
		uint64_t from = shown->heading.stopped_since_ns;
		bool began = assembler__stopped(show->assembler, shown->target, &from, &word);

		if (shown->end_ns || (!began && (!word.bytes || shown->summary.had_pause)))
			continue;
		began |= from != 0;
		if (!began) /* before the trace, nobody knows when */
			from = shown->heading.start_ns;
		if (from >= since)
			continue;
		stopped = shown;
		since = from;
		what = word;
		least = began ? "" : "at least ";
	}
	if (stopped && now_ns - since >= LONG_STOP_NS)
		progress("pid %llu: %s in progress for %s%s",
			 (unsigned long long)stopped->heading.pid,
			 what.bytes ? escape_bytes(what.at, what.bytes) : "a pause", least,
			 units__ns(ns, now_ns - since));
	else
		progress_end();
}

static int hear_samples(struct show *show, struct shown *shown, const struct event *event)
{
	int err;

	if (!tells_samples(show, shown))
		return 0;
	err = waiting_room__event(&shown->room, event);
	return err ? error_errno(err, "cannot go on") : pass(show, shown, event->stamp);
}

/* One of all targets, or of one of which nothing else was ever heard, is nobody's of its own. */
static int hear_loss(struct show *show, const struct event *event)
{
	int answer = 0;

	for (size_t i = 0; i < show->all.count && !answer; i++) {
		struct shown *shown = show->all.items[i];

		if (event->target == shown->target || event->target == LOSS_ANY_TARGET)
			answer = hear_samples(show, shown, event);
	}
	return answer;
}

static int show_pause(void *context, const struct pause *pause, unsigned int collections)
{
	struct show *show = context;
	struct shown *shown;
	int err;

	if (is_beyond(show))
		return 0;
	if (is_full(show))
		return enough(show);
	err = open_shown(show, pause->target, &shown);
	if (!err && !shown->done)
		err = summary__pause(&shown->summary, pause, collections);
	if (!err)
		err = summary__pause(&show->summary, pause, collections);
	end_progress(show);
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

	if (!err)
		err = pass(show, shown, UINT64_MAX);
	/* Those that wait when enough has been shown are not, and the results are. */
	err = err > 0 ? 0 : err;
	results.shown = shown->count;
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

/* The time in which nobody came in any more is not of this trace either. */
static uint64_t end_of(const struct show *show, const struct summary *summary, uint64_t ns)
{
	const bool is_behind = show->full_ns && show->full_ns < ns;

	return is_behind && show->full_ns >= summary->start_ns ? show->full_ns : ns;
}

/* Its image has ended; the assembler has handed out what was left. */
static int end_target(struct show *show, const struct event *event)
{
	struct shown *shown = need(show, event->target);

	if (!shown)
		return -ENOMEM;
	if (shown->done || shown->end_ns)
		return 0;
	shown->end_ns = event->stamp;
	shown->summary.end_ns = end_of(show, &shown->summary, event->stamp);
	summary__add_open(&show->summary, summary__end(&shown->summary));
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

/* Who goes on ends here, unless it joined behind the last that was seen. */
static void end_summary(struct shown *shown, uint64_t end_ns)
{
	struct summary *summary = &shown->summary;

	if (!shown->end_ns)
		summary->end_ns = end_ns > summary->start_ns ? end_ns : summary->start_ns;
}

int show__finish(struct show *show, uint64_t end_ns)
{
	size_t speaking = 0;
	int err;

	end_progress(show);
	err = assembler__end_all(show->assembler);
	/* Who waits has something to say. */
	if (err >= 0)
		err = show__turn(show, UINT64_MAX);
	show->summary.start_ns = show->options.start_ns;
	show->summary.end_ns = end_of(show, &show->summary, end_ns);
	for (size_t i = 0; i < show->all.count; i++) {
		struct shown *shown = show->all.items[i];

		end_summary(shown, end_of(show, &shown->summary, end_ns));
		summary__add_open(&show->summary, summary__end(&shown->summary));
		span(&show->summary, &shown->summary);
	}
	for (size_t i = 0; i < show->all.count; i++)
		speaking += !is_silent(show->all.items[i]);
	for (size_t i = 0; i < show->all.count && err >= 0; i++) {
		struct shown *shown = show->all.items[i];

		if (shown->done || (is_silent(shown) && (speaking > 0 || i > 0)))
			continue;
		err = show_results(show, shown, speaking <= 1);
	}
	if (err < 0 || (speaking <= 1 && show->all.count > 0))
		return err < 0 ? err : 0;
	return show_all_results(show, speaking);
}

/* ---------------------------------------------------------------- events */

/* There is nothing to wait for, until samples come after all: it tries again now and then. */
static int let_go(struct show *show, struct shown *shown)
{
	shown->unsampled = true;
	return pass(show, shown, UINT64_MAX);
}

static int show_samples(struct show *show, const struct event *event)
{
	const bool none = event->kind == EVENT_NOTICE &&
			  event->notice.what == GCTRACE_NOTICE_UNSAMPLED;
	struct shown *shown;

	if (!show->options.samples)
		return 0;
	if (event->kind == EVENT_LOSS)
		return hear_loss(show, event);
	if (event->kind != EVENT_OBJECT_ALLOC && event->kind != EVENT_SAMPLES && !none)
		return 0;
	shown = need(show, event->target);
	if (!shown)
		return -ENOMEM;
	if (none)
		return let_go(show, shown);
	shown->unsampled = false;
	return hear_samples(show, shown, event);
}

/* Told to one who came in its midst: what stands still from the start is headed at once. */
static int hear_stop(struct show *show, const struct event *event)
{
	struct shown *shown = need(show, event->target);

	if (!shown)
		return -ENOMEM;
	return shown__hear_stop(shown, event) ? head(show, shown) : 0;
}

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
	if (event->kind == EVENT_NOTICE)
		say_notice(show, event);
	answer = event->kind == EVENT_PAUSE_BEGIN ? hear_stop(show, event) : 0;
	if (!answer)
		answer = assembler__event(show->assembler, event);
	if (answer == -ENOMEM)
		error("out of memory");
	if (!answer)
		answer = show_samples(show, event);
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
	if (show->notices > SHOWN_NOTICES_MOST)
		warning("%llu more notices are not shown",
			(unsigned long long)(show->notices - SHOWN_NOTICES_MOST));
	assembler__free(show->assembler);
	for (size_t i = 0; i < show->all.count; i++)
		shown__free(show->all.items[i]);
	vec__free(&show->all);
	summary__free(&show->summary);
	free(show);
}
