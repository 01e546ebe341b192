/* SPDX-License-Identifier: BSD-2-Clause */
/* What is shown of a trace that ends with so many collections, live and of its recording. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/show.h"
#include "gctrace/wire.h"
#include "stream/facts.h"
#include "stream/loss.h"
#include "view/view.h"

#define START 1000

/* A view that counts. */
struct counting {
	struct view view;
	uint64_t collections, pauses, results;
	struct summary_figures {
		uint64_t collections, paused_ns, start_ns, end_ns;
	} summary;
};

static int heading(struct view *view, const struct heading *heading)
{
	(void)view;
	(void)heading;
	return 0;
}

static int collection(struct view *view, const struct heading *heading,
		      const struct collection *collection)
{
	(void)heading;
	(void)collection;
	((struct counting *)view)->collections++;
	return 0;
}

static int pause_of(struct view *view, const struct heading *heading, const struct pause *pause,
		    unsigned int collections)
{
	(void)heading;
	(void)pause;
	(void)collections;
	((struct counting *)view)->pauses++;
	return 0;
}

static int results(struct view *view, const struct results *results)
{
	struct counting *counting = (struct counting *)view;

	counting->results++;
	counting->summary = (struct summary_figures){
		.collections = results->summary->collections,
		.paused_ns = summary__paused_ns(results->summary),
		.start_ns = results->summary->start_ns,
		.end_ns = results->summary->end_ns,
	};
	return 0;
}

static const struct view_form form = {
	.heading = heading, .collection = collection, .pause = pause_of, .results = results,
};

struct bench {
	struct counting counting;
	struct facts *facts;
	struct losses *losses;
	struct show *show;
	int answer; /* the first that was not 0 */
};

static void begin(struct bench *bench, uint64_t count, uint64_t recorded)
{
	const struct show_options options = {
		.count = count,
		.recorded = recorded,
		.start_ns = START,
		.file = recorded ? "a recording" : NULL,
	};

	*bench = (struct bench){
		.counting.view.form = &form, .facts = facts__new(), .losses = losses__new(),
	};
	assert_int_equal(facts__set_target(bench->facts, 0, "runtime", "minivm"), 0);
	assert_int_equal(show__new(&options, &bench->counting.view, bench->facts, &bench->show), 0);
	show__count_losses(bench->show, bench->losses);
}

static void end(struct bench *bench)
{
	show__free(bench->show);
	losses__free(bench->losses);
	facts__free(bench->facts);
}

/* As a feed does: nothing more is told once enough was seen. */
static void tell(struct bench *bench, struct event event, uint64_t ns)
{
	const struct event_sink sink = show__sink(bench->show);

	event.time = event.stamp = ns;
	if (!bench->answer)
		bench->answer = sink.event(sink.ctx, &event);
}

static void starts(struct bench *bench, uint64_t gc, uint32_t how, uint64_t ns)
{
	tell(bench, (struct event){ .kind = EVENT_GC_START,
				    .gc_start = { .gc = gc, .generations = 1, .how = how } }, ns);
}

static void ends(struct bench *bench, uint64_t gc, uint64_t ns)
{
	tell(bench, (struct event){ .kind = EVENT_GC_FINISH, .gc_finish = { .gc = gc } }, ns);
}

static void stops(struct bench *bench, bool begins, uint64_t number, uint64_t ns)
{
	tell(bench, (struct event){ .kind = begins ? EVENT_PAUSE_BEGIN : EVENT_PAUSE_END,
				    .pause = { .pause = number } }, ns);
}

static void collects(struct bench *bench, uint64_t gc, uint64_t ns)
{
	stops(bench, true, gc, ns);
	starts(bench, gc, GCTRACE_HOW_COPYING, ns + 10);
	ends(bench, gc, ns + 80);
	stops(bench, false, gc, ns + 100);
}

/* One goes on beside them all, and is not over at the end. */
static void tell_trace(struct bench *bench)
{
	starts(bench, 1, GCTRACE_HOW_CONCURRENT, START + 100);
	collects(bench, 2, START + 200);
	collects(bench, 3, START + 400);
	collects(bench, 4, START + 600);
}

static void test_so_many(void **state)
{
	struct bench live, file;

	(void)state;
	begin(&live, 2, 0);
	tell_trace(&live);
	assert_int_equal(live.answer, 1);
	assert_int_equal(show__last_ns(live.show), START + 500);
	assert_int_equal(show__finish(live.show, show__last_ns(live.show)), 0);

	/* What came in the record that told of the second, too, and what has no end. */
	begin(&file, 0, 2);
	tell_trace(&file);
	assert_int_equal(file.answer, 0);
	assert_int_equal(show__finish(file.show, START + 500), 0);

	assert_int_equal(live.counting.results, 1);
	assert_int_equal(live.counting.summary.collections, 2);
	assert_int_equal(live.counting.summary.paused_ns, 200);
	assert_memory_equal(&live.counting.summary, &file.counting.summary,
			    sizeof(live.counting.summary));
	assert_int_equal(file.counting.collections, 2);
	assert_int_equal(file.counting.pauses, live.counting.pauses);
	end(&live);
	end(&file);
}

/* One that was ended before is what it is, and what has no end in it is told. */
static void test_fewer(void **state)
{
	struct bench file;

	(void)state;
	begin(&file, 0, 9);
	tell_trace(&file);
	assert_int_equal(show__finish(file.show, START + 800), 0);
	assert_int_equal(file.counting.summary.collections, 4);
	assert_int_equal(file.counting.collections, 4);
	end(&file);
}

/* Of a file that is damaged, what is left is told. */
static void test_damaged(void **state)
{
	struct bench file;

	(void)state;
	begin(&file, 0, 2);
	losses__add(file.losses, LOSS_RECORDING, 0, 1);
	tell_trace(&file);
	assert_int_equal(show__finish(file.show, START + 800), 0);
	assert_int_equal(file.counting.summary.collections, 4);
	end(&file);
}

/* Who joins behind the last that was seen was watched for no time, not for less. */
static void test_late_target(void **state)
{
	struct bench bench;

	(void)state;
	begin(&bench, 1, 0);
	collects(&bench, 1, START + 100);
	assert_int_equal(facts__set_target(bench.facts, 1, "runtime", "minivm"), 0);
	assert_int_equal(facts__set_target(bench.facts, 1, "attached_ns", "5000"), 0);
	assert_int_equal(show__joined(bench.show, 1), 0);
	assert_int_equal(show__finish(bench.show, show__last_ns(bench.show)), 0);
	assert_true(bench.counting.summary.end_ns >= bench.counting.summary.start_ns);
	assert_int_equal(bench.counting.summary.end_ns, 5000);
	end(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_so_many),
		cmocka_unit_test(test_fewer),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_late_target),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
