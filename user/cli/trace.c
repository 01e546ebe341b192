/* SPDX-License-Identifier: BSD-2-Clause */
#include "trace.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "../attach/session.h"
#include "../attach/target.h"
#include "../base/clock.h"
#include "../base/ending.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../stream/facts.h"
#include "../stream/feed.h"
#include "../stream/recording.h"
#include "../target/offer.h"
#include "../target/process.h"
#include "../target/runtime.h"
#include "../view/view.h"
#include "live.h"
#include "show.h"
#include "signals.h"

#define WAIT_NS (200 * NS_PER_MS) /* at most, between two looks at the clock */

void trace__init(struct trace *trace, const struct trace_settings *tracing,
		 const struct view_settings *viewing, const struct output_settings *form)
{
	*trace = (struct trace){
		.tracing = tracing,
		.viewing = viewing,
		.form = form,
		.fd = STDOUT_FILENO,
		.name = "standard output",
	};
}

void trace__close(struct trace *trace)
{
	feed__free(trace->feed);
	show__free(trace->show);
	view__free(trace->view);
	live__free(trace->live);
	recording__close(trace->recording);
	vec__free(&trace->joined);
}

/* ---------------------------------------------------------------- parts */

static int open_view(struct trace *trace, bool several)
{
	const struct view_options options = {
		.timestamps = trace->viewing->timestamps,
		.verbose = trace->form->verbosity > 0,
		.several = several,
		.start_ns = trace->start_ns,
	};

	output__init(&trace->output, trace->fd, signals__stop_fd(), trace->name);
	terminal__init(&trace->terminal, trace->fd, (enum colour_when)trace->form->colour);
	trace->view = trace->form->form == OUTPUT_JSON
			      ? ndjson_view__new(&options, &trace->output)
			      : collections_view__new(&options, &trace->output, &trace->terminal);
	if (trace->view && trace->dress)
		trace->view = trace->dress(trace->dress_context, &options, trace->view);
	return trace->view ? 0 : -ENOMEM;
}

static void identify(void *context, uint32_t target)
{
	struct trace *trace = context;

	live__identify(trace->live, target);
}

static int open_show(struct trace *trace, const struct facts *facts, const char *file)
{
	const struct show_options options = {
		.count = trace->tracing->count,
		/* Who looks at objects wants all that became of them. */
		.recorded = file && !trace->also ? facts__get_u64(facts, "count", 0) : 0,
		.min_pause_ns = trace->viewing->min_pause_ns,
		.top_pauses = trace->viewing->top_pauses,
		.until_ns = file && trace->tracing->duration_ns
				    ? trace->start_ns + trace->tracing->duration_ns
				    : 0,
		.start_ns = trace->start_ns,
		.file = file,
		.samples = trace->samples,
		.progress = trace->live && !trace->quiet && !trace->also,
		.quiet = trace->quiet,
		.ranges = trace->ranges,
		.identify = trace->live ? identify : NULL,
		.context = trace,
	};

	return show__new(&options, trace->view, facts, &trace->show);
}

/* Showing enough doesn't end a trace that somebody else looks at as well. */
static int tell_both(void *context, const struct event *event)
{
	struct trace *trace = context;
	const struct event_sink show = show__sink(trace->show);
	int answer = trace->enough ? 1 : show.event(show.ctx, event);

	trace->enough = answer > 0;
	return answer < 0 ? answer : trace->also->event(trace->also->ctx, event);
}

/* What collections are made of; objects and references would be decoded in vain. */
static int open_feed(struct trace *trace)
{
	const uint64_t samples = FEED_WANTS(EVENT_OBJECT_ALLOC) | FEED_WANTS(EVENT_SAMPLES);
	const struct feed_options options = {
		.wanted = FEED_WANTS(EVENT_PRODUCER) | FEED_WANTS(EVENT_GC_START) |
			  FEED_WANTS(EVENT_GC_FINISH) | FEED_WANTS(EVENT_PAUSE_BEGIN) |
			  FEED_WANTS(EVENT_PAUSE_END) | FEED_WANTS(EVENT_MOVED) |
			  FEED_WANTS(EVENT_SURVIVING) | FEED_WANTS(EVENT_GENERATION) |
			  FEED_WANTS(EVENT_POOL) | FEED_WANTS(EVENT_FIGURE) |
			  FEED_WANTS(EVENT_DEFINE) | FEED_WANTS(EVENT_NOTICE) |
			  (trace->samples ? samples : 0) | trace->also_wants,
	};
	const struct event_sink both = { tell_both, trace };
	const struct event_sink sink = trace->also ? both : show__sink(trace->show);
	int err = feed__new(&options, &sink, &trace->feed);

	if (err)
		return error_errno(err, "cannot start");
	show__count_losses(trace->show, feed__losses(trace->feed));
	return 0;
}

static int open_rest(struct trace *trace, const struct facts *facts, bool several,
		     const char *file)
{
	int err = open_view(trace, several);

	if (!err)
		err = open_show(trace, facts, file);
	return err ? err : open_feed(trace);
}

/*
 * It is shown after the round, not now: the target may stand still until we return, and whoever
 * reads what is shown may never do so.
 */
static int target_joined(void *context, uint32_t target)
{
	struct trace *trace = context;
	int err = 0;

	if (trace->writer)
		err = recording_writer__facts(trace->writer, live__facts(trace->live));
	if (!err && trace->show && vec__push(&trace->joined, target))
		err = error_errno(-ENOMEM, "cannot go on");
	return err;
}

static int show_joined(struct trace *trace)
{
	int err = 0;

	for (size_t i = 0; i < trace->joined.count && !err; i++)
		err = show__joined(trace->show, trace->joined.items[i]);
	vec__reset(&trace->joined);
	return err;
}

/* What the operator asks for with it is to be known before it is had. */
static void say_what_exact_moves_cost(void)
{
	note("--exact-moves: each pause becomes longer by about 15 ns for every object of the young"
	     " generation, the dead included, so by 0.3 s for 1 GiB of them; full collections, and"
	     " those in which an object could not be moved, are not told: what they collect is"
	     " withdrawn");
}

/* Of a process that cannot be asked for it. */
static void say_who_tells_none(const struct target *target)
{
	struct offer offers[OFFER_COUNT];

	if (!target->runtime || target->runtime->kind != RUNTIME_HOTSPOT)
		return;
	offers__find(target->runtime, &target->modules, offers);
	if (!offers[OFFER_MOVES].available)
		warning("pid %d tells no moves: %s", target->process->pid,
			offers[OFFER_MOVES].text);
}

/* Each type's name is said once as long as any session is open (docs/runtimes.md). */
static void warn_of_other_tools(const struct target *target)
{
	if (target->runtime && target->runtime->kind == RUNTIME_DOTNET &&
	    target__wants_moves(target))
		warning("pid %d: while this trace lasts, a heap snapshot by another tool"
			" (dotnet-gcdump, dotnet-trace) can lack all names of types",
			target->process->pid);
}

int trace__open_live(struct trace *trace, const struct live_options *options)
{
	struct live_options all = options ? *options : (struct live_options){ 0 };

	all.levels |= LEVEL_COLLECTIONS | LEVEL_POOLS;
	all.levels |= trace->tracing->moves ? LEVEL_MOVES : 0;
	all.levels |= trace->tracing->exact_moves ? LEVEL_MOVES | LEVEL_EXACT_MOVES : 0;
	if (trace->tracing->exact_moves)
		say_what_exact_moves_cost();
	all.count = trace->tracing->count;
	all.joined = target_joined;
	all.context = trace;
	return live__new(&all, &trace->live);
}

/* Those that were there before there was something to show them. */
static int announce(struct trace *trace)
{
	struct session *session = live__session(trace->live);
	int err = 0;

	for (uint32_t i = 0; i < session__target_count(session) && err >= 0; i++) {
		if (trace->tracing->exact_moves)
			say_who_tells_none(session__target(session, i));
		warn_of_other_tools(session__target(session, i));
		err = show__joined(trace->show, i);
	}
	return err;
}

int trace__begin(struct trace *trace)
{
	int err = live__begin(trace->live);

	if (!err && live__wake_by(trace->live, signals__fd()))
		err = error_errno(-EIO, "cannot wait for signals");
	if (err)
		return err;
	if (!trace->start_ns)
		trace->start_ns = facts__get_u64(live__facts(trace->live), "started_ns", 0);
	err = open_rest(trace, live__facts(trace->live),
			session__target_count(live__session(trace->live)) > 1, NULL);
	return err ? err : announce(trace);
}

int trace__open_file(struct trace *trace, const char *path)
{
	const struct facts *facts;
	int err = recording__open(path, &trace->recording);

	if (err)
		return err;
	if (!(trace->also_wants & FEED_WANTS(EVENT_OBJECT)))
		recording__leave_references(trace->recording);
	facts = recording__facts(trace->recording);
	if (facts__get(facts, "sample.fields", NULL))
		note("%s has samples of threads: gctrace sample shows them", escape(path));
	trace->start_ns = facts__get_u64(facts, "started_ns", 0);
	err = open_rest(trace, facts, facts__get_target(facts, 1, "pid", NULL) != NULL, path);
	/* Those that were there from the start, even if nothing of them comes. */
	for (uint32_t i = 0; !err && facts__get_target(facts, i, "pid", NULL); i++)
		err = show__joined(trace->show, i);
	return err;
}

/* ---------------------------------------------------------------- loops */

static int show_waiting(struct trace *trace)
{
	const uint64_t now = clock__monotonic_ns();
	const int answer = show__turn(trace->show, now);

	show__progress(trace->show, now);
	trace->enough |= answer > 0;
	return answer < 0 ? answer : 0;
}

/* Was a stop asked for? */
static bool look_at_signals(struct trace *trace)
{
	unsigned int signals = signals__take();

	if (signals & SIGNALS_RESIZE)
		terminal__resize(&trace->terminal);
	if (signals & SIGNALS_RESCAN && trace->live)
		live__rescan(trace->live);
	return signals__stopping();
}

static uint64_t time_left(const struct trace *trace, uint64_t now)
{
	uint64_t duration = trace->tracing->duration_ns;

	if (!duration)
		return UINT64_MAX;
	return now - trace->start_ns >= duration ? 0 : duration - (now - trace->start_ns);
}

/* How long a round waits: it does when it is over its time and may not stop yet, too. */
static uint64_t round_ns(const struct trace_hooks *hooks, uint64_t left)
{
	const uint64_t most = hooks->wait_ns ? hooks->wait_ns : WAIT_NS;

	if (left == 0 && hooks->may_stop)
		return most;
	return left < most ? left : most;
}

static bool is_over(struct trace *trace, const struct trace_hooks *hooks, bool expired)
{
	bool hurry = look_at_signals(trace);

	if (hurry && hooks->interrupted) {
		hooks->interrupted(hooks->context);
		hurry = false;
	}
	hurry |= expired;
	if (ending__now() >= ENDING_OVERDUE)
		return true;
	if (hurry || trace->enough)
		return !hooks->may_stop || hooks->may_stop(hooks->context, hurry);
	return hooks->over ? hooks->over(hooks->context) : live__alive(trace->live) == 0;
}

static void over_from(struct trace *trace, uint64_t ns)
{
	feed__over_from(trace->feed, ns);
	show__over_from(trace->show, ns);
}

/*
 * What comes from here on is not of this trace. One that has seen enough was over with the last
 * that it saw, however late that was read.
 */
static void stop(struct trace *trace, bool has_enough)
{
	if (trace->end_ns)
		return;
	trace->end_ns = has_enough ? show__last_ns(trace->show) : clock__monotonic_ns();
	over_from(trace, trace->end_ns);
	live__stop(trace->live, trace->end_ns);
	/* In front of what comes after it. */
	if (trace->writer)
		recording_writer__facts(trace->writer, live__facts(trace->live));
}

int trace__follow(struct trace *trace, const struct trace_hooks *hooks)
{
	static const struct trace_hooks none;
	struct source source = live__source(trace->live);
	struct recording_tee tee = { .writer = trace->writer, .from = source };
	uint64_t left;
	int answer, err = 0;

	if (trace->writer)
		source = recording_tee__source(&tee);
	if (!hooks)
		hooks = &none;
	if (hooks->aside)
		trace->output.aside = *hooks->aside;
	signals__end_after(trace->start_ns, trace->tracing->duration_ns);
	do {
		left = time_left(trace, clock__monotonic_ns());
		answer = feed__pull(trace->feed, &source, round_ns(hooks, left));
		if (hooks->turn)
			err = hooks->turn(hooks->context);
		if (!err)
			err = show_joined(trace);
		if (!err)
			err = show_waiting(trace);
		if (is_over(trace, hooks, left == 0))
			stop(trace, answer == SOURCE_STOPPED);
	} while (answer == SOURCE_MORE && !err);
	stop(trace, answer == SOURCE_STOPPED);
	return answer < 0 ? answer : err;
}

int trace__read(struct trace *trace)
{
	struct source source = recording__source(trace->recording);
	int answer;

	do {
		answer = feed__pull(trace->feed, &source, 0);
		over_from(trace,
			  facts__get_u64(recording__facts(trace->recording), "ended_ns", 0));
	} while (answer == SOURCE_MORE && !look_at_signals(trace));
	return answer < 0 ? answer : 0;
}

/* ---------------------------------------------------------------- end */

static void tell_unknown(void *context, unsigned int kind, bool in_batch, uint64_t count)
{
	(void)context;
	note("%llu record%s of kind %u (%s) of a later version %s skipped",
	     (unsigned long long)count, units__s(count), kind, in_batch ? "in batches" : "of rings",
	     count == 1 ? "was" : "were");
}

static void tell_times(const struct trace *trace)
{
	struct session_times times;

	if (!trace->live)
		return;
	session__times(live__session(trace->live), &times);
	debug("loading took %llu us, attaching %llu us, detaching %llu us, %zu sites attached now",
	      (unsigned long long)(times.load_ns / NS_PER_US),
	      (unsigned long long)(times.attach_ns / NS_PER_US),
	      (unsigned long long)(times.detach_ns / NS_PER_US), times.sites);
}

static enum status status_of(const struct trace *trace, int err)
{
	if (err == -EPIPE)
		return STATUS_FINE; /* whoever reads has seen enough */
	if (err || feed__refused(trace->feed))
		return STATUS_FAILED;
	if (!losses__none(feed__losses(trace->feed)) && !trace->tracing->allow_loss)
		return STATUS_DATA_LOST;
	return STATUS_FINE;
}

/* When the recorder stopped; where it does not tell (it was cut off), the last that it saw. */
static uint64_t recorded_end(const struct trace *trace)
{
	return facts__get_u64(recording__facts(trace->recording), "ended_ns",
			      show__last_ns(trace->show));
}

enum status trace__finish(struct trace *trace, int err)
{
	const char *damage = NULL;
	int answer;

	if (!trace->end_ns)
		trace->end_ns = recorded_end(trace);
	if (!err) {
		answer = feed__end(trace->feed);
		err = answer < 0 ? answer : 0;
	}
	if (!err)
		err = show__finish(trace->show, trace->end_ns);
	feed__unknown(trace->feed, tell_unknown, NULL);
	if (trace->recording)
		damage = recording__damage(trace->recording);
	if (damage)
		warning("%s", damage);
	tell_times(trace);
	return status_of(trace, err);
}
