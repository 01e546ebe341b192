/* SPDX-License-Identifier: BSD-2-Clause */
/* The graph of a process that runs: it is asked for a dump. */
#include <errno.h>
#include <inttypes.h>

#include "../attach/session.h"
#include "../attach/target.h"
#include "../base/clock.h"
#include "../base/ending.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../stream/feed.h"
#include "../target/offer.h"
#include "../target/process.h"
#include "../target/runtime.h"
#include "dump_live.h"
#include "heap_intake.h"
#include "live.h"
#include "signals.h"

#define PULL_NS (50 * NS_PER_MS)

struct taking {
	struct intake intake;
	struct live *live;
	struct dump_live *of_live;
};

static int see_all(void *context, const struct event *event)
{
	struct taking *taking = context;
	int err = event->kind == EVENT_PRODUCER ? intake__producer(&taking->intake, event) : 0;

	return err ? err : dump__event(dump_live__dump(taking->of_live), event);
}

static int pull_until_over(struct taking *taking, uint64_t wanted)
{
	const struct feed_options options = { .wanted = wanted | FEED_WANTS(EVENT_PAUSE_BEGIN) |
							FEED_WANTS(EVENT_PAUSE_END) |
							FEED_WANTS(EVENT_GC_START) |
							FEED_WANTS(EVENT_NOTICE) };
	const struct event_sink sink = { see_all, taking };
	const struct source source = live__source(taking->live);
	struct dump *dump = dump_live__dump(taking->of_live);
	struct feed *feed;
	int answer = feed__new(&options, &sink, &feed);

	if (answer)
		return error_errno(answer, "cannot start");
	while (answer == SOURCE_MORE && !dump__is_over(dump)) {
		answer = feed__pull(feed, &source, PULL_NS);
		signals__take();
		if (signals__stopping())
			dump__abort(dump);
		if (ending__now() >= ENDING_OVERDUE)
			dump__give_up(dump);
		dump__turn(dump);
	}
	feed__free(feed);
	progress_end();
	return answer < 0 ? answer : 0;
}

/* What came of it, or why nothing did. */
static int judge(struct taking *taking)
{
	const struct dump *dump = dump_live__dump(taking->of_live);
	const struct dump_result *result = dump__result(dump);

	if (!dump__is_whole(dump))
		dump__tell(dump);
	if (!result->begun)
		return -ENODATA;
	taking->intake.source->heading.began_ns = result->begun_ns;
	taking->intake.source->heading.dump_ns =
		result->ended_ns > result->begun_ns ? result->ended_ns - result->begun_ns : 0;
	taking->intake.source->heading.stopped_ns = result->stopped_ns;
	return 0;
}

int heap_source__check_target(struct session *session, const struct words *processes)
{
	const struct target *target = session__target(session, 0);
	struct offer offers[OFFER_COUNT];

	if (processes->count > 1) {
		error("one process at a time: %zu were given", processes->count);
		return -EINVAL;
	}
	if (session__target_count(session) != 1) {
		error("one process at a time: \"%s\" means %zu", escape(processes->items[0]),
		      (size_t)session__target_count(session));
		return -EINVAL;
	}
	if (!target->runtime)
		return 0; /* not known yet: the dump will tell */
	offers__find(target->runtime, &target->modules, offers);
	if (offers[OFFER_DUMP].available)
		return 0;
	error("%s in pid %d makes no heap dump: %s; gctrace probes -p %d shows what it offers",
	      target->runtime->name ? target->runtime->name : "the runtime", target->process->pid,
	      offers[OFFER_DUMP].text, target->process->pid);
	return -ENOENT;
}

static int open_dump(struct taking *taking, const struct target_settings *target)
{
	/* With its collections a runtime says what it is, also one that makes no dump. */
	const struct live_options live_options = {
		.levels = LEVEL_COLLECTIONS | LEVEL_DUMP,
		.fault_in = target->fault_in,
	};
	const struct dump_options dump_options = { .sink = { intake__take, &taking->intake },
						   .progress = dump__show_progress };
	int err = live__new(&live_options, &taking->live);

	if (!err)
		err = live__add_named(taking->live, target);
	if (!err)
		err = heap_source__check_target(live__session(taking->live), &target->processes);
	if (!err)
		err = live__begin(taking->live);
	if (!err && live__wake_by(taking->live, signals__fd()))
		err = error_errno(EIO, "cannot wait for signals");
	if (!err)
		err = dump_live__new(taking->live, &dump_options, false, &taking->of_live);
	if (!err)
		intake__expect(&taking->intake,
			       session__target(live__session(taking->live), 0)->process);
	return err;
}

static void set_live_subject(struct heap_source *source, const struct target_settings *target)
{
	buf__printf(&source->subject, "-p %" PRIu64 "%s", source->heading.pid,
		    target->load_agent ? " --load-agent" : "");
	source->heading.subject = buf__str(&source->subject);
}

int heap_source__live(struct heap_source *source, const struct target_settings *target,
		      const struct heap_source_options *options)
{
	struct taking taking = { .live = NULL };
	int err = intake__begin(&taking.intake, source, options);

	if (!err)
		err = open_dump(&taking, target);
	if (!err)
		err = pull_until_over(&taking, intake__wants(options));
	if (!err)
		err = judge(&taking);
	if (!err) {
		intake__facts(source, taking.intake.said, 0);
		intake__facts(source, live__facts(taking.live), 0);
		set_live_subject(source, target);
	}
	dump_live__free(taking.of_live);
	live__free(taking.live);
	if (!err)
		err = intake__finish(&taking.intake);
	intake__end(&taking.intake);
	return err;
}
