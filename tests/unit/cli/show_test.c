/* SPDX-License-Identifier: BSD-2-Clause */
/* What is shown of targets whose collections wait for samples: how many, when, and up to when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/show.h"
#include "gctrace/wire.h"
#include "stream/facts.h"
#include "view/view.h"

#define MS UINT64_C(1000000)

/* What the view was told. */
struct seen {
	struct view view;
	struct facts *facts;
	struct losses *losses;
	struct show *show;
	uint64_t collections, pauses;
	uint64_t headings, stopped_since_ns; /* of the last one */
	uint64_t results, last_results; /* pages; those that nothing follows */
	uint64_t end_ns, counted, counted_pauses; /* of the last page */
	uint64_t open_pauses, open_ns;
};

static struct seen *of_view(struct view *view)
{
	return (struct seen *)((char *)view - offsetof(struct seen, view));
}

static int see_heading(struct view *view, const struct heading *heading)
{
	struct seen *seen = of_view(view);

	assert_true(heading->target < 2);
	seen->headings++;
	seen->stopped_since_ns = heading->stopped_for.bytes ? heading->stopped_since_ns : 0;
	return 0;
}

static int see_collection(struct view *view, const struct heading *heading,
			  const struct collection *collection)
{
	(void)heading;
	(void)collection;
	of_view(view)->collections++;
	return 0;
}

static int see_pause(struct view *view, const struct heading *heading, const struct pause *pause,
		     unsigned int collections)
{
	(void)heading;
	assert_int_equal(collections, pause->open ? 0 : 1);
	of_view(view)->pauses++;
	return 0;
}

static int see_results(struct view *view, const struct results *results)
{
	struct seen *seen = of_view(view);

	seen->results++;
	seen->last_results += results->last;
	seen->end_ns = results->summary->end_ns;
	seen->counted = results->summary->collections;
	seen->counted_pauses = histogram__count(results->summary->pauses);
	seen->open_pauses = results->summary->open_pauses;
	seen->open_ns = results->summary->open_ns;
	return 0;
}

static void free_nothing(struct view *view)
{
	(void)view;
}

static const struct view_form form = { see_heading, see_collection, see_pause, see_results,
				       free_nothing };

/* runtime: NULL: not known until it says it. */
static void set_up_with(struct seen *seen, uint64_t count, uint64_t recorded, const char *runtime)
{
	const struct show_options options = { .count = count, .recorded = recorded,
					      .top_pauses = 5, .start_ns = 1,
					      .samples = true };
	char known[16];

	*seen = (struct seen){ .view = { &form }, .facts = facts__new(),
			       .losses = losses__new() };
	snprintf(known, sizeof(known), "%d", KNOWN_COLLECTIONS | KNOWN_POOLS | KNOWN_SAMPLES);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(facts__set_target(seen->facts, i, "pid", "1"), 0);
		assert_int_equal(facts__set_target(seen->facts, i, "known", known), 0);
		assert_int_equal(facts__set_target(seen->facts, i, "attached_ns", "1"), 0);
		if (runtime)
			assert_int_equal(facts__set_target(seen->facts, i, "runtime", runtime), 0);
	}
	assert_int_equal(show__new(&options, &seen->view, seen->facts, &seen->show), 0);
	show__count_losses(seen->show, seen->losses);
	assert_int_equal(show__joined(seen->show, 0), 0);
}

static void set_up(struct seen *seen, uint64_t count, const char *runtime)
{
	set_up_with(seen, count, 0, runtime);
}

static void tear_down(struct seen *seen)
{
	show__free(seen->show);
	losses__free(seen->losses);
	facts__free(seen->facts);
}

static int feed(struct seen *seen, struct event event, uint64_t ms)
{
	const struct event_sink sink = show__sink(seen->show);

	event.time = event.stamp = ms * MS;
	event.tid = 1;
	return sink.event(sink.ctx, &event);
}

static void collect_beside(struct seen *seen, uint32_t target, uint64_t ms)
{
	const struct event start = { .kind = EVENT_GC_START, .target = target,
				     .gc_start = { .gc = EVENT_UNKNOWN, .generations = 1 } };
	const struct event finish = { .kind = EVENT_GC_FINISH, .target = target,
				      .gc_finish = { .gc = EVENT_UNKNOWN,
						     .collected = EVENT_UNKNOWN } };

	assert_int_equal(feed(seen, start, ms), 0);
	assert_int_equal(feed(seen, finish, ms + 1), 0);
}

/* In a pause of 2 ms; what the last of its events is answered. */
static int collect(struct seen *seen, uint32_t target, uint64_t ms)
{
	const struct event begin = { .kind = EVENT_PAUSE_BEGIN, .target = target,
				     .pause = { .pause = EVENT_UNKNOWN,
						.why = GCTRACE_WHY_COLLECTION,
						.suspend_ns = EVENT_UNKNOWN } };
	struct event end = begin;

	end.kind = EVENT_PAUSE_END;
	assert_int_equal(feed(seen, begin, ms), 0);
	collect_beside(seen, target, ms);
	return feed(seen, end, ms + 2);
}

static int tell_samples(struct seen *seen, uint32_t target, uint64_t gc, uint64_t ms)
{
	return feed(seen, (struct event){ .kind = EVENT_SAMPLES, .target = target,
					  .samples = { .gc = gc, .interval = 1000 } }, ms);
}

/* ---- */

/* While the last one waits others end: neither they nor their pauses are of this trace. */
static void enough_is_enough_while_it_waits(void **state)
{
	struct seen seen;

	(void)state;
	set_up(&seen, 2, "HotSpot");
	assert_int_equal(collect(&seen, 0, 100), 0);
	assert_int_equal(tell_samples(&seen, 0, 1, 103), 0);
	assert_int_equal(seen.collections, 1);
	assert_int_equal(collect(&seen, 0, 200), 0);
	for (uint64_t ms = 210; ms < 300; ms += 10)
		assert_int_equal(collect(&seen, 0, ms), 0);
	assert_int_equal(seen.collections, 1);
	assert_int_equal(show__turn(seen.show, 1203 * MS), 1);
	assert_int_equal(seen.collections, 2);
	assert_int_equal(collect(&seen, 0, 1300), 1);
	assert_int_equal(show__finish(seen.show, 1400 * MS), 0);
	assert_int_equal(seen.collections, 2);
	assert_int_equal(seen.pauses, 2);
	assert_int_equal(seen.counted, 2);
	assert_int_equal(seen.counted_pauses, 2);
	assert_int_equal(seen.end_ns, 202 * MS);
	assert_int_equal(seen.last_results, 1);
	tear_down(&seen);
}

/* The recorder had enough with the first one, which still waits when the next one comes. */
static void what_was_recorded_beyond_enough_is_not_counted_either(void **state)
{
	struct seen seen;

	(void)state;
	set_up_with(&seen, 0, 1, "HotSpot");
	assert_int_equal(collect(&seen, 0, 100), 0);
	assert_int_equal(collect(&seen, 0, 110), 0);
	assert_int_equal(show__finish(seen.show, 200 * MS), 0);
	assert_int_equal(seen.collections, 1);
	assert_int_equal(seen.pauses, 1);
	assert_int_equal(seen.counted, 1);
	assert_int_equal(seen.counted_pauses, 1);
	tear_down(&seen);
}

/* In a recording no clock goes on but the one of what is in it. */
static void nobody_waits_for_what_is_not_told_any_more(void **state)
{
	struct seen seen;

	(void)state;
	set_up(&seen, 0, "HotSpot");
	for (uint64_t i = 0; i < 100; i++) {
		collect(&seen, 0, 100 + 100 * i);
		assert_true(seen.collections + 12 > i);
	}
	assert_int_equal(show__finish(seen.show, 20000 * MS), 0);
	assert_int_equal(seen.collections, 100);
	tear_down(&seen);
}

/* Two of which nothing is known yet end at once: what they waited for does not come. */
static void who_still_waits_at_the_end_is_shown(void **state)
{
	struct seen seen;

	(void)state;
	set_up(&seen, 0, NULL);
	collect_beside(&seen, 0, 100);
	collect_beside(&seen, 1, 200);
	assert_int_equal(seen.collections, 0);
	assert_int_equal(show__finish(seen.show, 300 * MS), 0);
	assert_int_equal(seen.collections, 2);
	assert_int_equal(seen.results, 3);
	assert_int_equal(seen.last_results, 1);
	assert_int_equal(seen.counted, 2);
	tear_down(&seen);
}

/* Such a loss is no target, and whoever waits has heard of it. */
static void a_loss_that_is_anybodys_is_all_the_targets(void **state)
{
	const struct event loss = { .kind = EVENT_LOSS, .target = LOSS_ANY_TARGET,
				    .loss = { .kind = LOSS_RECORDING, .count = 1 } };
	const struct event exit = { .kind = EVENT_EXIT };
	struct seen seen;

	(void)state;
	set_up(&seen, 0, "HotSpot");
	assert_int_equal(feed(&seen, loss, 50), 0);
	collect(&seen, 0, 100);
	assert_int_equal(feed(&seen, exit, 200), 0);
	assert_int_equal(show__finish(seen.show, 300 * MS), 0);
	assert_int_equal(seen.collections, 1);
	assert_int_equal(seen.results, 1);
	assert_int_equal(seen.last_results, 1);
	tear_down(&seen);
}

static void notice(struct seen *seen, uint32_t what, const char *text, uint64_t ms)
{
	assert_int_equal(feed(seen, (struct event){ .kind = EVENT_NOTICE, .notice = {
						    what, { text, strlen(text) } } }, ms), 0);
}

/* Whoever cannot have it tries again and again. */
static void what_is_noticed_again_is_said_once(void **state)
{
	char path[] = "/tmp/gctrace-show-XXXXXX", said[512] = "";
	const int file = mkstemp(path), before = dup(STDERR_FILENO);
	struct seen seen;

	(void)state;
	assert_true(file >= 0 && before >= 0);
	unlink(path);
	set_up(&seen, 0, "HotSpot");
	dup2(file, STDERR_FILENO);
	notice(&seen, GCTRACE_NOTICE_OTHER, "no room", 10);
	notice(&seen, GCTRACE_NOTICE_OTHER, "no room", 10);
	notice(&seen, GCTRACE_NOTICE_OTHER, "no way", 10);
	dup2(before, STDERR_FILENO);
	close(before);
	assert_true(pread(file, said, sizeof(said) - 1, 0) > 0);
	close(file);
	assert_string_equal(said, "gctrace: warning: pid 1: no room\n"
				  "gctrace: warning: pid 1: no way\n");
	tear_down(&seen);
}

/* Samples that nobody tells are not waited for, and those of a later try are. */
static void nobody_waits_for_who_cannot_sample(void **state)
{
	struct seen seen;

	(void)state;
	set_up(&seen, 0, "HotSpot");
	collect(&seen, 0, 100);
	assert_int_equal(seen.collections, 0);
	notice(&seen, GCTRACE_NOTICE_UNSAMPLED, "another agent has the sampler", 150);
	assert_int_equal(seen.collections, 1);
	collect(&seen, 0, 200);
	assert_int_equal(seen.collections, 2);
	collect(&seen, 0, 300);
	assert_int_equal(seen.collections, 3);
	assert_int_equal(tell_samples(&seen, 0, 3, 305), 0);
	collect(&seen, 0, 400);
	assert_int_equal(seen.collections, 3);
	assert_int_equal(tell_samples(&seen, 0, 4, 405), 0);
	assert_int_equal(seen.collections, 4);
	tear_down(&seen);
}

/* It is headed at once, with what had stopped it, and what of that is inside the trace counts. */
static void what_stands_still_is_headed_and_counted(void **state)
{
	const struct event begin = { .kind = EVENT_PAUSE_BEGIN, .time = 100 * MS,
				     .stamp = 1001 * MS,
				     .pause = { .pause = 9, .why = GCTRACE_WHY_COLLECTION,
						.suspend_ns = EVENT_UNKNOWN } };
	struct event_sink sink;
	struct seen seen;

	(void)state;
	set_up(&seen, 0, NULL);
	assert_int_equal(facts__set_target(seen.facts, 0, "attached_ns", "1000000000"), 0);
	assert_int_equal(show__joined(seen.show, 0), 0);
	assert_int_equal(seen.headings, 0);
	sink = show__sink(seen.show);
	assert_int_equal(sink.event(sink.ctx, &begin), 0);
	assert_int_equal(seen.headings, 1);
	assert_int_equal(seen.stopped_since_ns, 100 * MS);
	assert_int_equal(show__finish(seen.show, 3000 * MS), 0);
	assert_int_equal(seen.headings, 1);
	assert_int_equal(seen.open_pauses, 1);
	assert_int_equal(seen.open_ns, 2000 * MS);
	tear_down(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(enough_is_enough_while_it_waits),
		cmocka_unit_test(what_was_recorded_beyond_enough_is_not_counted_either),
		cmocka_unit_test(nobody_waits_for_what_is_not_told_any_more),
		cmocka_unit_test(who_still_waits_at_the_end_is_shown),
		cmocka_unit_test(a_loss_that_is_anybodys_is_all_the_targets),
		cmocka_unit_test(what_is_noticed_again_is_said_once),
		cmocka_unit_test(nobody_waits_for_who_cannot_sample),
		cmocka_unit_test(what_stands_still_is_headed_and_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
