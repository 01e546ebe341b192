/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gctrace/wire.h"

#include "base/clock.h"
#include "samples.h"

struct page {
	struct sheet sheet;
	struct view *view;
	struct heading heading;
};

static void begin(struct page *page)
{
	const struct view_options options = { .start_ns = 1000 * NS_PER_S };

	sheet__begin(&page->sheet);
	page->view = ndjson_view__new(&options, &page->sheet.output);
	page->heading = sample__heading();
	assert_non_null(page->view);
}

static void end(struct page *page)
{
	view__free(page->view);
	sheet__end(&page->sheet);
}

/* Its lines, until the page's next ones. */
static const char *lines_of(struct page *page, const struct collection *collection)
{
	assert_int_equal(view__collection(page->view, &page->heading, collection), 0);
	return sheet__text(&page->sheet);
}

static void header(void **state)
{
	struct page page;

	(void)state;
	begin(&page);
	assert_int_equal(view__heading(page.view, &page.heading), 0);
	assert_string_equal(
		sheet__text(&page.sheet),
		"{\"event\":\"header\",\"pid\":4711,\"gctrace\":\"" GCTRACE_VERSION "\","
		"\"name\":\"shop\",\"runtime\":\"minivm\",\"runtime_version\":\"1.2\","
		"\"collector\":\"copying nursery\",\"provider\":\"gctrace\","
		"\"known\":[\"collections\",\"causes\",\"pools\",\"moves\"],"
		"\"accuracy\":{\"collections\":\"exact\",\"causes\":\"exact\",\"pools\":\"exact\","
		"\"moves\":\"exact\"},"
		"\"on_request\":[],\"start_ns\":1000000000000,\"clock_offset_ns\":5}\n");
	page.heading = (struct heading){ .known = KNOWN_COLLECTIONS, .on_request = KNOWN_MOVES,
					 .clock_offset_ns = -3, .file = "x.gctrace" };
	assert_int_equal(view__heading(page.view, &page.heading), 0);
	assert_string_equal(
		sheet__text(&page.sheet),
		"{\"event\":\"header\",\"gctrace\":\"" GCTRACE_VERSION "\","
		"\"known\":[\"collections\"],\"accuracy\":{\"collections\":\"exact\"},"
		"\"on_request\":[\"moves\"],\"start_ns\":0,"
		"\"clock_offset_ns\":-3,\"file\":\"x.gctrace\"}\n");
	end(&page);
}

static void everything_of_a_collection(void **state)
{
	struct collection collection = sample__young();
	struct page page;

	(void)state;
	begin(&page);
	assert_string_equal(
		lines_of(&page, &collection),
		"{\"event\":\"gc\",\"pid\":4711,\"gc\":41,\"start_ns\":1002500000000,"
		"\"end_ns\":1002501000000,\"pauses\":1,\"pause_ns\":1500000,"
		"\"pause_max_ns\":1500000,\"suspend_ns\":12345,\"generation\":0,"
		"\"kind\":\"young\",\"cause\":\"allocation\",\"before_bytes\":20971520,"
		"\"after_bytes\":16777216,\"committed_bytes\":33554432,"
		"\"condemned_bytes\":5242880,\"moved_bytes\":921600,\"stayed_bytes\":126976,"
		"\"survived_bytes\":1048576,\"promoted_bytes\":20480,\"dead_bytes\":4194304,"
		"\"dead_objects\":12345,\"estimated\":{\"promoted_bytes\":[10240,30720]}}\n"
		"{\"event\":\"pool\",\"pid\":4711,\"gc\":41,\"name\":\"nursery\","
		"\"before_bytes\":4194304,\"after_bytes\":1048576,\"committed_bytes\":8388608,"
		"\"max_bytes\":8388608}\n"
		"{\"event\":\"pool\",\"pid\":4711,\"gc\":41,\"name\":\"code\","
		"\"after_bytes\":3145728,\"outside\":true}\n");
	end(&page);
}

static void figures_of_the_runtime(void **state)
{
	static const struct collection_figure figures[] = {
		{ GCTRACE_FIGURE_FREE_BEFORE, 0, { "nursery", 7 }, 7 },
		{ GCTRACE_FIGURE_FREE_AFTER, 0, { "nursery", 7 }, EVENT_UNKNOWN },
		{ GCTRACE_FIGURE_PROMOTED, 0, { "nursery", 7 }, 0 },
		{ GCTRACE_FIGURE_PROMOTED, 1, { NULL, 0 }, 5 },
		{ GCTRACE_FIGURE_PINNED, EVENT_UNKNOWN, { NULL, 0 }, 0 },
		{ GCTRACE_FIGURE_FINALIZED_BYTES, EVENT_UNKNOWN, { NULL, 0 }, 64 },
	};
	struct collection collection = sample__young();
	struct page page;
	const char *text;

	(void)state;
	begin(&page);
	collection.how = GCTRACE_HOW_SWEEPING | GCTRACE_HOW_CONCURRENT;
	collection.figures = figures;
	collection.figure_count = sizeof(figures) / sizeof(*figures);
	text = lines_of(&page, &collection);
	assert_non_null(strstr(text, "\"how\":[\"sweeping\",\"concurrent\"]"));
	assert_non_null(strstr(text, "},\"pinned_objects\":0,\"finalized_bytes\":64}\n"));
	assert_non_null(strstr(text, "\"max_bytes\":8388608,\"free_before_bytes\":7,"
				     "\"survived_bytes\":0}\n"));
	end(&page);
}

/* What nobody told is not there: neither 0 nor null. */
static void nothing_of_a_collection(void **state)
{
	struct collection collection = sample__bare();
	struct page page;

	(void)state;
	begin(&page);
	assert_string_equal(lines_of(&page, &collection),
			    "{\"event\":\"gc\",\"pid\":4711,\"gc\":1,\"counted\":true,"
			    "\"end_ns\":1007000000000,\"pauses\":0,\"kind\":\"gc\","
			    "\"partial\":true}\n");
	collection.partial = false;
	collection.concurrent = collection.incomplete = collection.cut_off = true;
	assert_non_null(strstr(lines_of(&page, &collection),
			       "\"concurrent\":true,\"incomplete\":true,\"cut_off\":true}\n"));
	end(&page);
}

static void hostile_words(void **state)
{
	static const char evil[] = "a\n\"b\\\x1b[31m\xff";
	struct collection collection = sample__bare();
	struct page page;
	const char *text;

	(void)state;
	begin(&page);
	collection.cause = (struct text){ evil, sizeof(evil) - 1 };
	text = lines_of(&page, &collection);
	assert_non_null(strstr(text, "\"cause\":\"a\\n\\\"b\\\\\\u001b[31m"));
	assert_non_null(strstr(text, "\"invalid_utf8\":[{\"at\":\"/cause\",\"hex\":"
				     "\"610a22625c1b5b33316dff\"}]}\n"));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	assert_null(strchr(text, '\x1b'));
	end(&page);
}

static void a_part_of_a_stop_names_the_stop(void **state)
{
	struct collection collection = sample__young();
	struct page page;

	(void)state;
	begin(&page);
	assert_null(strstr(lines_of(&page, &collection), "stop"));
	collection.shares_stop = true;
	collection.shared_start_ns = 77;
	collection.shared_ns = 1000;
	assert_non_null(strstr(lines_of(&page, &collection),
			       "\"shares_stop\":true,\"stop_start_ns\":77,\"stop_ns\":1000,"));
	end(&page);
}

static void what_had_stopped_it_is_said_as_far_as_it_is_known(void **state)
{
	struct page page;

	(void)state;
	begin(&page);
	assert_int_equal(view__heading(page.view, &page.heading), 0);
	assert_null(strstr(sheet__text(&page.sheet), "\"stopped_"));
	page.heading.stopped_for = (struct text){ "stop", 4 };
	assert_int_equal(view__heading(page.view, &page.heading), 0);
	assert_non_null(strstr(sheet__text(&page.sheet), "\"stopped_for\":\"stop\","));
	assert_null(strstr(sheet__text(&page.sheet), "\"stopped_since_ns\""));
	page.heading.stopped_since_ns = 7;
	assert_int_equal(view__heading(page.view, &page.heading), 0);
	assert_non_null(strstr(sheet__text(&page.sheet), "\"stopped_since_ns\":7,"));
	assert_null(strstr(sheet__text(&page.sheet), "\"stopped_not_visible\""));
	page.heading.stopped_for.bytes = page.heading.stopped_since_ns = 0;
	page.heading.stopped_not_visible = true;
	assert_int_equal(view__heading(page.view, &page.heading), 0);
	assert_non_null(strstr(sheet__text(&page.sheet), "\"stopped_not_visible\":true,"));
	end(&page);
}

static void stalls_are_said_not_to_be_visible(void **state)
{
	struct page page;

	(void)state;
	begin(&page);
	page.heading.collector = (struct text){ "ZGC", 3 };
	assert_int_equal(view__heading(page.view, &page.heading), 0);
	assert_non_null(strstr(sheet__text(&page.sheet), "\"stalls_not_visible\":true,"));
	page.heading.collector = (struct text){ "G1", 2 };
	assert_int_equal(view__heading(page.view, &page.heading), 0);
	assert_null(strstr(sheet__text(&page.sheet), "stalls"));
	end(&page);
}

/* What of the figures is worked out, or taken from samples, is not called exact. */
static void each_kind_of_figure_has_its_accuracy(void **state)
{
	struct page page;

	(void)state;
	begin(&page);
	page.heading.known = KNOWN_COLLECTIONS | KNOWN_POOLS | KNOWN_FATES | KNOWN_SAMPLES;
	assert_int_equal(view__heading(page.view, &page.heading), 0);
	assert_non_null(strstr(sheet__text(&page.sheet),
			       "\"accuracy\":{\"collections\":\"exact\",\"pools\":\"exact\","
			       "\"fates\":\"estimated\",\"samples\":\"sampled\"}"));
	end(&page);
}

static void pauses_and_results(void **state)
{
	struct collection collection = sample__young();
	struct pause pause = collection.pauses[0];
	struct summary summary;
	struct page page;
	struct results results = { .of = &page.heading, .last = true, .summary = &summary,
				   .shown = 1 };

	(void)state;
	begin(&page);
	assert_int_equal(summary__init(&summary, 5), 0);
	assert_int_equal(view__pause(page.view, &page.heading, &pause, 1), 0);
	assert_string_equal(sheet__text(&page.sheet),
			    "{\"event\":\"pause\",\"pid\":4711,\"pause\":9,"
			    "\"start_ns\":1002500000000,\"end_ns\":1002501500000,"
			    "\"pause_ns\":1500000,\"suspend_ns\":12345,\"kind\":\"collection\","
			    "\"collections\":1}\n");
	assert_int_equal(summary__pause(&summary, &pause, 1), 0);
	assert_int_equal(summary__collection(&summary, &collection), 0);
	summary.start_ns = 1000 * NS_PER_S;
	summary.end_ns = 1003 * NS_PER_S;
	results.lost[LOSS_RING_FULL] = 3;
	results.odd.overlong = 2;
	assert_int_equal(view__results(page.view, &results), 0);
	assert_string_equal(
		sheet__text(&page.sheet),
		"{\"event\":\"summary\",\"pid\":4711,\"complete\":false,"
		"\"lost\":{\"ring_full\":3},\"odd\":{\"overlong\":2},"
		"\"start_ns\":1000000000000,\"end_ns\":1003000000000,\"collections\":1,"
		"\"shown\":1,\"partial_collections\":0,\"incomplete_collections\":0,"
		"\"cut_off_collections\":0,\"pauses\":1,\"pause_total_ns\":1500000,"
		"\"pause_p50_ns\":1500000,\"pause_p99_ns\":1500000,\"pause_max_ns\":1500000,"
		"\"suspend_total_ns\":12345,\"suspend_max_ns\":12345,"
		"\"pauses_unmeasured\":0,\"other_pauses\":0,\"other_pause_total_ns\":0,"
		"\"earlier_pauses\":0,\"earlier_pause_total_ns\":0,"
		"\"dump_pauses\":0,\"dump_pause_total_ns\":0,"
		"\"paused_share\":0.0005,\"promoted_bytes_per_second\":6826.666666666667,"
		"\"moved_bytes\":921600,\"survived_bytes\":1048576,\"promoted_bytes\":20480,"
		"\"dead_bytes\":4194304,\"dead_objects\":12345,"
		"\"estimated\":{\"promoted_bytes_per_second\":[3413.3333333333335,10240],"
		"\"promoted_bytes\":[10240,30720]},"
		"\"kinds\":[{\"kind\":\"young\",\"collections\":1,\"pause_total_ns\":1500000,"
		"\"pause_max_ns\":1500000}],\"longest_pauses\":[{\"pid\":4711,"
		"\"start_ns\":1002500000000,\"pause_ns\":1500000,\"gc\":41,"
		"\"kind\":\"young\",\"cause\":\"allocation\"}]}\n");
	results.of = NULL;
	assert_int_equal(view__results(page.view, &results), 0);
	assert_null(strstr(sheet__text(&page.sheet), "per_second"));
	results.targets = 3;
	assert_int_equal(view__results(page.view, &results), 0);
	assert_non_null(strstr(sheet__text(&page.sheet), "\"processes\":3,"));
	memset(results.lost, 0, sizeof(results.lost));
	results.contradicted = 1;
	assert_int_equal(view__results(page.view, &results), 0);
	assert_non_null(strstr(sheet__text(&page.sheet), "\"complete\":false,\"contradicted\":1,"
							 "\"lost\":{}"));
	summary__free(&summary);
	end(&page);
}

static void a_closed_output_is_its_answer(void **state)
{
	struct page page;

	(void)state;
	begin(&page);
	page.sheet.output.error = -32;
	assert_int_equal(view__heading(page.view, &page.heading), -32);
	assert_string_equal(sheet__text(&page.sheet), "");
	end(&page);
	view__free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header),
		cmocka_unit_test(everything_of_a_collection),
		cmocka_unit_test(figures_of_the_runtime),
		cmocka_unit_test(nothing_of_a_collection),
		cmocka_unit_test(hostile_words),
		cmocka_unit_test(a_part_of_a_stop_names_the_stop),
		cmocka_unit_test(what_had_stopped_it_is_said_as_far_as_it_is_known),
		cmocka_unit_test(stalls_are_said_not_to_be_visible),
		cmocka_unit_test(each_kind_of_figure_has_its_accuracy),
		cmocka_unit_test(pauses_and_results),
		cmocka_unit_test(a_closed_output_is_its_answer),
	};

	return cmocka_run_group_tests_name("view/ndjson", tests, NULL, NULL);
}
