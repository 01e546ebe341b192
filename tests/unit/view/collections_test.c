/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/escape.h"
#include "gctrace/wire.h"
#include "samples.h"
#include "view/collections.h"

static struct view *new_view(struct sheet *sheet, struct view_options options)
{
	struct view *view;

	options.start_ns = 1000 * NS_PER_S;
	view = collections_view__new(&options, &sheet->output, &sheet->terminal);
	assert_non_null(view);
	return view;
}

/* One collection by itself, on so many columns (0: as they are); the sheet is to be ended. */
static const char *show_one(struct sheet *sheet, size_t columns, struct view_options options,
			    const struct collection *collection)
{
	const struct heading heading = sample__heading();
	struct view *view;

	sheet__begin(sheet);
	if (columns)
		sheet->terminal.columns = columns;
	view = new_view(sheet, options);
	assert_int_equal(view__collection(view, &heading, collection), 0);
	view__free(view);
	return sheet__text(sheet);
}

static void heading(void **state)
{
	struct heading heading = sample__heading();
	struct sheet sheet;
	struct view *view;

	(void)state;
	sheet__begin(&sheet);
	view = new_view(&sheet, (struct view_options){ 0 });
	assert_int_equal(view__heading(view, &heading), 0);
	assert_string_equal(sheet__text(&sheet),
			    "# minivm 1.2, copying nursery; pid 4711 (shop)\n"
			    "# known: collections and pauses, causes, pools before and after,"
			    " what moved, survived and died\n");
	heading.known = KNOWN_COLLECTIONS;
	heading.on_request = KNOWN_MOVES;
	heading.runtime.bytes = heading.version.bytes = heading.collector.bytes = 0;
	heading.file = "a\x1b.rec";
	assert_int_equal(view__heading(view, &heading), 0);
	assert_string_equal(sheet__text(&sheet),
			    "# a runtime that has not said its name; pid 4711 (shop)\n"
			    "# from a\\x1b.rec\n"
			    "# known: collections and pauses\n"
			    "# on request: what moved, survived and died (--moves)\n"
			    "# not told by this process: causes, pools before and after\n");
	view__free(view);
	sheet__end(&sheet);
}

static void lines_of_all_kinds(void **state)
{
	struct heading heading = sample__heading();
	struct collection young = sample__young(), bare = sample__bare(), far = young;
	struct sheet sheet;
	struct view *view;

	(void)state;
	sheet__begin(&sheet);
	view = new_view(&sheet, (struct view_options){ 0 });
	young.dead.objects.known = false;
	assert_int_equal(view__collection(view, &heading, &young), 0);
	assert_int_equal(view__collection(view, &heading, &bare), 0);
	far.dead.bytes.known = false;
	far.start_ns = 1012345678 * NS_PER_MS;
	far.number = 123456;
	far.what = (struct text){ "concurrent mark", 15 };
	far.cause = (struct text){ "G1 Humongous Allocation", 23 };
	far.concurrent = far.incomplete = far.cut_off = true;
	far.survived.bytes = amount__between(1, 1 << 20, 2 << 20);
	assert_int_equal(view__collection(view, &heading, &far), 0);
	assert_int_equal(view__collection(view, &heading, &young), 0);
	assert_string_equal(
		sheet__text(&sheet),
		"  time s    gc what     cause              pause   before    after    moved"
		"  survived      dead\n"
		"   2.500    41 young    allocation      1.50 ms  20.0 MiB 16.0 MiB  900 KiB"
		"  1.00 MiB  4.00 MiB\n"
		"   7.000     1 gc       -                      -        -        -        -"
		"         -         - p\n"
		"  time s    gc what          cause         pause   before    after    moved"
		"  survived      dead\n"
		"1011345.678 123456 concurrent... G1 Humo... 1.50 ms  20.0 MiB 16.0 MiB"
		" 900 KiB ~1.00 MiB 12.3 k obj cix\n"
		"   2.500    41 young         allocation 1.50 ms  20.0 MiB 16.0 MiB  900 KiB"
		"  1.00 MiB  4.00 MiB\n");
	view__free(view);
	sheet__end(&sheet);
}

static void details(void **state)
{
	struct heading heading = sample__heading();
	struct collection young = sample__young();
	struct pause other = young.pauses[0];
	struct sheet sheet;
	struct view *view;

	(void)state;
	sheet__begin(&sheet);
	view = new_view(&sheet, (struct view_options){ .verbose = true });
	young.dead.objects.known = false;
	assert_int_equal(view__collection(view, &heading, &young), 0);
	other.what = (struct text){ "deopt", 5 };
	other.suspend_ns = EVENT_UNKNOWN;
	assert_int_equal(view__pause(view, &heading, &other, 1), 0);
	assert_int_equal(view__pause(view, &heading, &other, 0), 0);
	assert_string_equal(
		sheet__text(&sheet),
		"  time s    gc what     cause              pause   before    after    moved"
		"  survived      dead\n"
		"   2.500    41 young    allocation      1.50 ms  20.0 MiB 16.0 MiB  900 KiB"
		"  1.00 MiB  4.00 MiB\n"
		"      condemned 5.00 MiB  stayed 124 KiB  promoted ~20.0 KiB\n"
		"      pool   nursery              4.00 MiB -> 1.00 MiB  of 8.00 MiB"
		"  max 8.00 MiB\n"
		"      beside code                        - -> 3.00 MiB\n"
		"      pause  collection at 2.500: 1.50 ms, stopping all threads 12.3 us\n"
		"      pause  deopt at 2.500: 1.50 ms\n");
	view__free(view);
	sheet__end(&sheet);
}

static size_t longest_line(const char *text)
{
	size_t longest = 0, columns;

	while (*text) {
		const char *end = strchr(text, '\n');

		columns = utf8__columns(text, (size_t)(end - text));
		longest = columns > longest ? columns : longest;
		text = end + 1;
	}
	return longest;
}

/* What has no room goes on in a further line, of a pool below its figures. */
static void details_fit_into_the_terminal(void **state)
{
	struct collection young = sample__young();
	struct sheet sheet;
	const char *text;

	(void)state;
	text = show_one(&sheet, 80, (struct view_options){ .verbose = true }, &young);
	assert_non_null(strstr(text, "promoted ~20.0 KiB\n      dead 12.3 k objects\n"));
	assert_non_null(strstr(text, "MiB  of 8.00 MiB\n"
				     "                                  max 8.00 MiB\n"));
	assert_in_range(longest_line(text), 60, 80);
	sheet__end(&sheet);
}

/* What a runtime has counted itself: beside the pool where there is room, below it else. */
static void figures_of_the_runtime(void **state)
{
	static const struct collection_figure figures[] = {
		{ GCTRACE_FIGURE_FREE_BEFORE, 0, { "nursery", 7 }, 1 << 20 },
		{ GCTRACE_FIGURE_FREE_AFTER, 0, { "nursery", 7 }, 40 },
		{ GCTRACE_FIGURE_PROMOTED, 0, { "nursery", 7 }, 29 << 20 },
		{ GCTRACE_FIGURE_PINNED, EVENT_UNKNOWN, { NULL, 0 }, 3 },
		{ GCTRACE_FIGURE_HANDLES, EVENT_UNKNOWN, { NULL, 0 }, 1234 },
	};
	struct heading heading = sample__heading();
	struct collection young = sample__young();
	struct collection_pool pool = young.pools[0];
	struct sheet sheet;
	struct view *view;

	(void)state;
	sheet__begin(&sheet);
	view = new_view(&sheet, (struct view_options){ .verbose = true });
	young.how = GCTRACE_HOW_COMPACTING | GCTRACE_HOW_CONCURRENT;
	young.figures = figures;
	young.figure_count = sizeof(figures) / sizeof(*figures);
	young.pauses_kept = 0;
	young.pause_count = 0;
	young.pool_count = 1;
	assert_int_equal(view__collection(view, &heading, &young), 0);
	assert_non_null(strstr(sheet__text(&sheet),
			       "\n      kind   compacting concurrent\n"
			       "      counts pinned 3  handles 1.23 k\n"
			       "      pool   nursery              4.00 MiB -> 1.00 MiB  of 8.00 MiB"
			       "  max 8.00 MiB\n"
			       "                                  free 1.00 MiB ->   40 B    alive"
			       " 29.0 MiB\n"));
	pool.committed = pool.max = EVENT_UNKNOWN;
	young.pools = &pool;
	assert_int_equal(view__collection(view, &heading, &young), 0);
	assert_non_null(strstr(sheet__text(&sheet),
			       "      pool   nursery              4.00 MiB -> 1.00 MiB  free"
			       " 1.00 MiB ->   40 B    alive 29.0 MiB\n"));
	view__free(view);
	sheet__end(&sheet);
}

static void fits_into_the_terminal(void **state)
{
	struct collection young = sample__young();
	struct view_options options = { 0 };
	struct sheet sheet;

	(void)state;
	young.dead.objects.known = false;
	for (size_t columns = 36; columns < 200; columns++) {
		for (int several = 0; several < 2; several++) {
			options.several = several;
			assert_true(longest_line(show_one(&sheet, columns, options, &young)) <=
					    columns ||
				    (several && columns < 44));
			sheet__end(&sheet);
		}
	}
	assert_in_range(longest_line(show_one(&sheet, 0, options, &young)), 90, 100);
	sheet__end(&sheet);
}

/* The runtime's longest cause fits, too, and what stands behind it is below its titles. */
static void long_causes_keep_in_step(void **state)
{
	struct heading heading = sample__heading();
	struct collection young = sample__young();
	struct sheet sheet;
	struct view *view;
	const char *text, *row;

	(void)state;
	heading.known = KNOWN_COLLECTIONS | KNOWN_POOLS;
	young.moved.bytes.known = young.survived.bytes.known = false;
	young.dead.bytes.known = young.dead.objects.known = false;
	young.cause = (struct text){ "Old Generation Expanded On Last Scavenge", 40 };
	for (size_t columns = 64; columns < 140; columns++) {
		sheet__begin(&sheet);
		sheet.terminal.columns = columns;
		view = new_view(&sheet, (struct view_options){ .several = true,
							       .timestamps = columns >= 90 });
		assert_int_equal(view__heading(view, &heading), 0);
		sheet__text(&sheet);
		assert_int_equal(view__collection(view, &heading, &young), 0);
		text = sheet__text(&sheet);
		row = strchr(text, '\n') + 1;
		assert_true(longest_line(text) <= columns);
		assert_int_equal(strlen(row), row - text);
		view__free(view);
		sheet__end(&sheet);
	}
}

/* A legend stands below the target in whose lines its sign occurred, and nowhere else. */
static void legends_of_each_target(void **state)
{
	struct heading first = sample__heading(), second = first;
	struct collection young = sample__young();
	struct summary summary;
	struct results results = { .summary = &summary };
	struct sheet sheet;
	struct view *view;

	(void)state;
	sheet__begin(&sheet);
	view = new_view(&sheet, (struct view_options){ 0 });
	assert_int_equal(summary__init(&summary, 5), 0);
	second.target = 1;
	second.pid = 5000;
	young.concurrent = true;
	assert_int_equal(view__heading(view, &first), 0);
	assert_int_equal(view__heading(view, &second), 0);
	assert_int_equal(view__collection(view, &second, &young), 0);
	sheet__text(&sheet);
	results.of = &first;
	assert_int_equal(view__results(view, &results), 0);
	assert_null(strstr(sheet__text(&sheet), "  c  "));
	results.of = &second;
	assert_int_equal(view__results(view, &results), 0);
	assert_non_null(strstr(sheet__text(&sheet), "  c  the program ran"));
	results.of = NULL;
	results.targets = 2;
	assert_int_equal(view__results(view, &results), 0);
	assert_null(strstr(sheet__text(&sheet), "  c  "));
	summary__free(&summary);
	view__free(view);
	sheet__end(&sheet);
}

/* What was announced has its columns from the first line on, which may not have it yet. */
static void titles_come_once(void **state)
{
	struct heading heading = sample__heading();
	struct collection young = sample__young(), poor = young;
	struct sheet sheet;
	struct view *view;

	(void)state;
	sheet__begin(&sheet);
	view = new_view(&sheet, (struct view_options){ 0 });
	poor.moved.bytes.known = poor.survived.bytes.known = false;
	poor.dead.bytes.known = poor.dead.objects.known = false;
	heading.known = KNOWN_COLLECTIONS | KNOWN_POOLS | KNOWN_MOVES;
	assert_int_equal(view__heading(view, &heading), 0);
	assert_int_equal(view__collection(view, &heading, &poor), 0);
	assert_non_null(strstr(sheet__text(&sheet), "moved  survived      dead\n"));
	assert_int_equal(view__collection(view, &heading, &young), 0);
	assert_null(strstr(sheet__text(&sheet), "moved"));
	view__free(view);
	sheet__end(&sheet);
}

/* Columns that nobody tells are left out; what is told all the same brings its column. */
static void columns_that_are_told(void **state)
{
	struct heading heading = sample__heading();
	struct collection young = sample__young(), poor = young;
	struct sheet sheet;
	struct view *view;
	const char *text;

	(void)state;
	sheet__begin(&sheet);
	view = new_view(&sheet, (struct view_options){ 0 });
	poor.moved.bytes.known = poor.survived.bytes.known = false;
	poor.dead.bytes.known = poor.dead.objects.known = false;
	poor.cause = (struct text){ "Old Generation Expanded On Last Scavenge", 40 };
	poor.concurrent = poor.partial = true;
	heading.known = KNOWN_COLLECTIONS;
	assert_int_equal(view__heading(view, &heading), 0);
	sheet__text(&sheet);
	assert_int_equal(view__collection(view, &heading, &poor), 0);
	text = sheet__text(&sheet);
	assert_null(strstr(text, "moved"));
	assert_null(strstr(text, "dead"));
	assert_in_range(longest_line(text), 90, 100);
	poor.dead.objects = amount__exact(7);
	assert_int_equal(view__collection(view, &heading, &poor), 0);
	text = sheet__text(&sheet);
	assert_null(strstr(text, "moved"));
	assert_non_null(strstr(text, "dead\n"));
	assert_non_null(strstr(text, " 7 obj cp\n"));
	assert_int_equal(view__collection(view, &heading, &young), 0);
	assert_non_null(strstr(sheet__text(&sheet), "moved  survived      dead\n"));
	view__free(view);
	sheet__end(&sheet);
}

/* A moment shortly before the trace began is not "-0.000". */
static void no_negative_zero(void **state)
{
	const struct view_options options = { .start_ns = NS_PER_S };
	struct buf text = BUF_INIT;

	(void)state;
	collections__add_time(&text, &options, NULL, NS_PER_S - 1000);
	assert_string_equal(buf__str(&text), "0.000");
	buf__reset(&text);
	collections__add_time(&text, &options, NULL, NS_PER_S - 2 * NS_PER_MS);
	assert_string_equal(buf__str(&text), "-0.002");
	buf__free(&text);
}

/* The terminal was resized: columns are chosen anew, with titles. */
static void follows_the_terminal(void **state)
{
	struct heading heading = sample__heading();
	struct collection young = sample__young();
	struct sheet sheet;
	struct view *view;

	(void)state;
	sheet__begin(&sheet);
	sheet.terminal.columns = 120;
	sheet.terminal.is_terminal = true;
	view = new_view(&sheet, (struct view_options){ 0 });
	assert_int_equal(view__collection(view, &heading, &young), 0);
	assert_non_null(strstr(sheet__text(&sheet), "survived"));
	assert_int_equal(view__collection(view, &heading, &young), 0);
	assert_null(strstr(sheet__text(&sheet), "time s"));
	sheet.terminal.columns = 60;
	assert_int_equal(view__collection(view, &heading, &young), 0);
	assert_null(strstr(sheet__text(&sheet), "survived"));
	for (int i = 0; i < 39; i++)
		assert_int_equal(view__collection(view, &heading, &young), 0);
	assert_null(strstr(sheet__text(&sheet), "time s"));
	assert_int_equal(view__collection(view, &heading, &young), 0);
	assert_non_null(strstr(sheet__text(&sheet), "time s"));
	view__free(view);
	sheet__end(&sheet);
}

/* Two collections, one of them shown, and pauses of every sort; something was lost. */
struct told {
	struct sheet sheet;
	struct view *view;
	struct heading heading;
	struct summary summary;
	struct results results;
};

static void sum_up(struct summary *summary)
{
	struct collection young = sample__young(), next = young;
	struct pause pause = young.pauses[0];

	assert_int_equal(summary__init(summary, 5), 0);
	assert_int_equal(summary__pause(summary, &pause, 1), 0);
	assert_int_equal(summary__collection(summary, &young), 0);
	next.number = 42;
	next.start_ns = young.end_ns + NS_PER_S;
	next.end_ns = next.start_ns + NS_PER_MS;
	next.before_bytes = 26 << 20;
	next.pauses_kept = 0;
	assert_int_equal(summary__collection(summary, &next), 0);
	pause.share_ns = EVENT_UNKNOWN;
	assert_int_equal(summary__pause(summary, &pause, 1), 0);
	pause.share_ns = 7000;
	assert_int_equal(summary__pause(summary, &pause, 0), 0);
	pause.share_ns = 9000;
	pause.why = GCTRACE_WHY_DUMP;
	assert_int_equal(summary__pause(summary, &pause, 0), 0);
	summary->start_ns = 1000 * NS_PER_S;
	summary->end_ns = 1010 * NS_PER_S;
}

static void begin_results(struct told *told)
{
	struct collection young = sample__young();

	sheet__begin(&told->sheet);
	told->view = new_view(&told->sheet, (struct view_options){ 0 });
	told->heading = sample__heading();
	sum_up(&told->summary);
	told->results = (struct results){ .of = &told->heading, .summary = &told->summary,
					  .shown = 1, .odd.unfinished = 1 };
	told->results.lost[LOSS_RING_FULL] = 3;
	told->results.lost[LOSS_SEQUENCE_GAP] = 4;
	young.incomplete = true;
	assert_int_equal(view__collection(told->view, &told->heading, &young), 0);
	sheet__text(&told->sheet);
}

static const char *text_of(struct told *told)
{
	assert_int_equal(view__results(told->view, &told->results), 0);
	return sheet__text(&told->sheet);
}

static void end_results(struct told *told)
{
	summary__free(&told->summary);
	view__free(told->view);
	sheet__end(&told->sheet);
}

static void results_of_a_process(void **state)
{
	struct told told;

	(void)state;
	begin_results(&told);
	assert_string_equal(
		text_of(&told),
		"minivm (pid 4711), 10.0 s: 2 collections (2 young), 1 shown\n"
		"  pauses     1, in all 1.50 ms, p50 1.50 ms, p99 1.50 ms, max 1.50 ms;"
		" 0.015 % of the time\n"
		"  to stop    12.3 us of that until all threads had stopped, longest 12.3 us;"
		" 0.823 % of the pauses\n"
		"  dumps      1 pause for heap dumps, in all 9.00 us\n"
		"  others     1 pause in which no collection was seen, in all 7.00 us\n"
		"  unmeasured 1 pause whose beginning or end was not seen\n"
		"  rates      allocated 9.99 MiB/s, promoted ~4.00 KiB/s\n"
		"  objects    moved 1.76 MiB, survived 2.00 MiB, promoted ~40.0 KiB, dead 8.00 MiB"
		" (24.7 k objects)\n"
		"  longest    1.50 ms  at 2.500  gc 41  young, allocation\n"
		"  i  something of it was lost: its figures may lack a part\n"
		"  ~  an estimate (-o json gives its limits)\n"
		"  odd: 1 collection whose end was never told\n"
		"NOT complete: 3 records found no room in the ring\n"
		"              4 batches never came (gap in their numbers)\n");
	end_results(&told);
}

static void results_fit_into_the_terminal(void **state)
{
	struct told told;
	const char *text;

	(void)state;
	begin_results(&told);
	told.sheet.terminal.columns = 60;
	assert_int_equal(view__heading(told.view, &told.heading), 0);
	text = text_of(&told);
	assert_in_range(longest_line(text), 50, 60);
	assert_non_null(strstr(text, "pools before and\n#   after, what moved"));
	assert_non_null(strstr(text, " ms,\n             max 1.50 ms; 0.015 %"));
	assert_non_null(strstr(text, "promoted\n             ~40.0 KiB"));
	end_results(&told);
}

/* Of all processes: whether it is complete is said even where nobody was traced, if it is not. */
static void results_of_all(void **state)
{
	struct told told;

	(void)state;
	begin_results(&told);
	memset(told.results.lost, 0, sizeof(told.results.lost));
	told.results.of = NULL;
	told.results.targets = 2;
	assert_non_null(strstr(text_of(&told), "\ncomplete: nothing was lost\n"));
	told.results.contradicted = 2;
	assert_non_null(strstr(text_of(&told), "\nNOT complete: estimates of what lives contradict"
					       " the heap in use: 2 times\n"));
	told.results.contradicted = 0;
	told.results.targets = 0;
	assert_null(strstr(text_of(&told), "complete"));
	told.results.lost[LOSS_RING_FULL] = 1;
	assert_non_null(strstr(text_of(&told), "complete: 1 record found no room"));
	end_results(&told);
}

static const struct heading *second_of_two(const void *context, uint32_t target)
{
	return target == 7 ? context : NULL;
}

/* The longest pauses of all processes have the time, and the pid, of the one that they are of. */
static void whose_pauses(void **state)
{
	struct heading heading = sample__heading();
	struct pause pause = sample__young().pauses[0];
	struct summary summary;
	struct results results = { .summary = &summary, .targets = 2, .whose = second_of_two,
				   .whose_context = &heading };
	struct sheet sheet;
	struct view *view;
	const char *text;

	(void)state;
	sheet__begin(&sheet);
	view = new_view(&sheet, (struct view_options){ .timestamps = true });
	heading.clock_offset_ns = INT64_C(1700000000) * (int64_t)NS_PER_S;
	assert_int_equal(summary__init(&summary, 5), 0);
	pause.target = 7;
	assert_int_equal(summary__pause(&summary, &pause, 1), 0);
	assert_int_equal(view__results(view, &results), 0);
	text = sheet__text(&sheet);
	assert_null(strstr(text, "1970-"));
	assert_non_null(strstr(text, " at 2023-11-1"));
	assert_non_null(strstr(text, "  pid 4711  "));
	summary__free(&summary);
	view__free(view);
	sheet__end(&sheet);
}

static void hostile_words(void **state)
{
	static const char evil[] = "x\n\x1b[2J\xe2\x80\xae\xff";
	struct collection bare = sample__bare();
	struct sheet sheet;
	const char *text;

	(void)state;
	bare.what = bare.cause = (struct text){ evil, sizeof(evil) - 1 };
	text = show_one(&sheet, 0, (struct view_options){ .verbose = true }, &bare);
	text = strchr(text, '\n') + 1;
	assert_non_null(strstr(text, "x\\n\\x1b[2J\\u{202e}\\xff"));
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	sheet__end(&sheet);
}

static void wall_clock(void **state)
{
	struct heading heading = sample__heading();
	struct collection young = sample__young();
	struct sheet sheet;
	struct view *view;
	const char *text;

	(void)state;
	sheet__begin(&sheet);
	view = new_view(&sheet, (struct view_options){ .timestamps = true });
	heading.clock_offset_ns = INT64_C(1700000000) * (int64_t)NS_PER_S;
	assert_int_equal(view__collection(view, &heading, &young), 0);
	text = sheet__text(&sheet);
	assert_int_equal(strncmp(text, "time ", 5), 0);
	assert_non_null(strstr(text, "\n2023-11-1"));
	assert_non_null(strstr(text, ":02.500000"));
	view__free(view);
	sheet__end(&sheet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(heading),
		cmocka_unit_test(lines_of_all_kinds),
		cmocka_unit_test(details),
		cmocka_unit_test(details_fit_into_the_terminal),
		cmocka_unit_test(figures_of_the_runtime),
		cmocka_unit_test(fits_into_the_terminal),
		cmocka_unit_test(long_causes_keep_in_step),
		cmocka_unit_test(legends_of_each_target),
		cmocka_unit_test(titles_come_once),
		cmocka_unit_test(columns_that_are_told),
		cmocka_unit_test(no_negative_zero),
		cmocka_unit_test(follows_the_terminal),
		cmocka_unit_test(results_of_a_process),
		cmocka_unit_test(results_fit_into_the_terminal),
		cmocka_unit_test(results_of_all),
		cmocka_unit_test(whose_pauses),
		cmocka_unit_test(hostile_words),
		cmocka_unit_test(wall_clock),
	};

	return cmocka_run_group_tests_name("view/collections", tests, NULL, NULL);
}
