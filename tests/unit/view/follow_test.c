/* SPDX-License-Identifier: BSD-2-Clause */
/* Followed objects: the same as lines for people and as NDJSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "samples.h"
#include "view/follow.h"

#define START (1000 * NS_PER_S)
#define TEXT(word) { word, sizeof(word) - 1 }

struct shown {
	struct sheet sheet;
	struct heading heading;
	struct follow_view *view;
};

static void begin(struct shown *shown, bool json)
{
	const struct view_options options = { .start_ns = START };

	sheet__begin(&shown->sheet);
	shown->heading = sample__heading();
	shown->view = json ? follow_ndjson__new(&shown->sheet.output)
			   : follow_text__new(&options, &shown->sheet.output,
					      &shown->sheet.terminal, false);
	assert_non_null(shown->view);
}

static void end(struct shown *shown)
{
	shown->view->form->free(shown->view);
	sheet__end(&shown->sheet);
}

static const char *text(struct shown *shown)
{
	return sheet__text(&shown->sheet);
}

/* ---------------------------------------------------------------- a collection */

static void collection(struct shown *shown, bool in_doubt)
{
	const struct collection young = sample__young();
	const struct identity_collection is = {
		.collection = &young,
		.known = true,
		.survived = { 30, 3000 },
		.moved = { 20, 2000 },
		.stayed = { 10, 1000 },
		.promoted = { 5, 500 },
		.died = { 70000, 7000000 },
		.withdrawn = { 3, 300 },
	};
	const struct follow_collection of = { &young, &is, { 12345, 1234500 }, in_doubt };

	assert_int_equal(shown->view->form->collection(shown->view, &shown->heading, &of), 0);
}

static void a_collection(void **state)
{
	struct shown shown;

	(void)state;
	begin(&shown, false);
	collection(&shown, false);
	assert_string_equal(
		text(&shown),
		"  time s    gc what      cause                 known    moved   stayed promoted"
		"     died withdrawn\n"
		"   2.500    41 young     allocation         12.3 k     20       10        5   "
		"  70.0 k       3\n");
	collection(&shown, false);
	assert_int_equal(strncmp(text(&shown), "   2.500", 8), 0);
	end(&shown);
	begin(&shown, true);
	collection(&shown, false);
	assert_string_equal(
		text(&shown),
		"{\"event\":\"identity\",\"pid\":4711,\"gc\":41,\"start_ns\":1002500000000,"
		"\"end_ns\":1002501000000,\"kind\":\"young\",\"cause\":\"allocation\","
		"\"known_objects\":12345,\"known_bytes\":1234500,\"moved_objects\":20,"
		"\"moved_bytes\":2000,\"stayed_objects\":10,\"stayed_bytes\":1000,"
		"\"survived_objects\":30,\"survived_bytes\":3000,\"promoted_objects\":5,"
		"\"promoted_bytes\":500,\"died_objects\":70000,\"died_bytes\":7000000,"
		"\"withdrawn_objects\":3,\"withdrawn_bytes\":300}\n");
	end(&shown);
}

static void blocks(struct shown *shown, uint64_t farthest)
{
	const struct collection_figure large = { .generation = 3,
						 .name = { .at = "LOH", .bytes = 3 } };
	struct collection young = sample__young();
	struct blocks_generation of[] = {
		{ .generation = 0, .spanned = 8192, .survived = 2048, .moved = 1024, .slid = 512,
		  .stayed = 1024, .promoted = 256, .holes_known = true, .holes = 2,
		  .hole_bytes = 96, .largest_hole = 64 },
		{ .generation = GENERATION_UNKNOWN, .spanned = EVENT_UNKNOWN, .survived = 512,
		  .stayed = 512 },
		{ .generation = 3, .spanned = 64, .survived = 64, .stayed = 64 },
	};
	const struct blocks is = { .generations = { .items = of, .count = 3 },
				   .distances = { [9] = 1024 }, .farthest = farthest,
				   .down = 1024 };
	const struct follow_blocks shows = { &young, &is, true };

	young.figures = &large;
	young.figure_count = 1;

	assert_int_equal(shown->view->form->blocks(shown->view, &shown->heading, &shows), 0);
}

static void bytes_by_ranges(void **state)
{
	struct shown shown;

	(void)state;
	begin(&shown, false);
	blocks(&shown, 600);
	assert_string_equal(
		text(&shown),
		"           gen 0: survived 2.00 KiB, moved 1.00 KiB, of that slid 512 B, stayed"
		" 1.00 KiB, promoted\n"
		"             256 B; holes between survivors: 2, in all 96 B, largest 64 B\n"
		"           generation not told: survived 512 B, moved 0 B, stayed 512 B\n"
		"           LOH: survived 64 B, moved 0 B, stayed 64 B, promoted 0 B\n"
		"           moved by 512 B or more in the median, by 600 B at most, to lower"
		" addresses 1.00 KiB\n");
	blocks(&shown, 2000);
	assert_non_null(strstr(text(&shown), "moved by less than 1.00 KiB in the median, by 1.95"
					     " KiB at most"));
	end(&shown);
	begin(&shown, true);
	blocks(&shown, 600);
	assert_non_null(strstr(text(&shown), "\"generations\":[{\"generation\":0,"
					     "\"spanned_bytes\":8192,\"survived_bytes\":2048,"));
	end(&shown);
}

/* ---------------------------------------------------------------- a dump */

static void anchor(struct shown *shown, bool whole, struct anchor result)
{
	const struct identity_anchor is = { .number = 2, .dump = 9, .whole = whole,
					    .result = result };
	const struct follow_anchor of = { &is, START + 3 * NS_PER_S, EVENT_UNKNOWN, 1000, 4096 };

	assert_int_equal(shown->view->form->anchor(shown->view, &shown->heading, &of), 0);
}

static void a_dump(void **state)
{
	const struct anchor result = { .told = 1000, .matched = 180, .new_ = 820, .gone = 19,
				       .conflicts = 1 };
	struct shown shown;

	(void)state;
	begin(&shown, false);
	anchor(&shown, true, result);
	assert_string_equal(text(&shown),
			    "   3.000 dump 2: 1.00 k objects, 4.00 KiB; matched 180,"
			    " new 820, gone 19, conflicts 1; error 0.5 to\n         10 %\n");
	/* Nothing to compare: no rate. */
	anchor(&shown, false, (struct anchor){ .told = 1000, .new_ = 1000 });
	assert_string_equal(text(&shown), "   3.000 dump 2 (a part): 1.00 k objects, 4.00 KiB;"
					  " matched 0, new 1.00 k, gone 0, conflicts 0\n");
	end(&shown);
	begin(&shown, true);
	anchor(&shown, true, result);
	assert_string_equal(
		text(&shown),
		"{\"event\":\"anchor\",\"pid\":4711,\"anchor\":2,\"dump\":9,"
		"\"time_ns\":1003000000000,\"objects\":1000,\"bytes\":4096,\"matched\":180,"
		"\"new\":820,\"gone\":19,\"conflicts\":1,\"error_rate\":0.005,"
		"\"estimated\":{\"error_rate\":[0.005,0.1]}}\n");
	anchor(&shown, false, (struct anchor){ .told = 1000, .new_ = 1000 });
	assert_non_null(strstr(text(&shown), "\"part\":true,"));
	end(&shown);
}

/* ---------------------------------------------------------------- one object */

static struct follow_object step(enum follow_step step)
{
	return (struct follow_object){
		.step = step, .first = step == FOLLOW_SEEN, .id = 12, .address = 0x7f0012345678,
		.time_ns = START + NS_PER_MS,
		.gc = 41, .what = TEXT("young"), .generation = 1, .age = 3, .moves = 2,
		.type = TEXT("a\033[31mb"), .class_ = 5, .size = 48,
	};
}

static void show(struct shown *shown, struct follow_object object)
{
	assert_int_equal(shown->view->form->object(shown->view, &shown->heading, &object), 0);
}

static void an_object(void **state)
{
	struct follow_object object = step(FOLLOW_SEEN);
	struct shown shown;

	(void)state;
	begin(&shown, false);
	object.anchor = 1;
	show(&shown, object);
	object = step(FOLLOW_MOVED);
	object.promoted = object.born = object.in_doubt = true;
	show(&shown, object);
	object = step(FOLLOW_LEFT);
	object.generation = GENERATION_UNKNOWN;
	show(&shown, object);
	assert_string_equal(
		text(&shown),
		"# object 12 of pid 4711: a\\x1b[31mb, 48 B\n"
		"  time s    gc what      address            gen     age   moves"
		" what became of it\n"
		"   0.001    41 young     0x7f0012345678       1    >= 3    >= 2 seen in dump 1\n"
		"   0.001    41 young     0x7f0012345678       1       3       2 moved, promoted,"
		" in doubt\n"
		"   0.001    41 young     0x7f0012345678       -    >= 3    >= 2 died: condemned,"
		" and in no range\n");
	end(&shown);
	begin(&shown, true);
	object.fate = OBJECT_GONE;
	object.anchor = 4;
	object.in_doubt = true;
	show(&shown, object);
	assert_string_equal(
		text(&shown),
		"{\"event\":\"object\",\"pid\":4711,\"id\":12,\"state\":\"gone\","
		"\"time_ns\":1000001000000,\"gc\":41,\"kind\":\"young\",\"anchor\":4,"
		"\"address\":\"0x7f0012345678\",\"age\":3,\"moves\":2,\"at_least\":true,"
		"\"in_doubt\":true,\"type\":\"a\\u001b[31mb\",\"size_bytes\":48}\n");
	end(&shown);
}

/* ---------------------------------------------------------------- the end */

struct ending {
	struct survival_type sums;
	struct population_type alive;
	struct follow_type type;
	struct follow_leak leak;
	struct survival_curve curve;
	struct population_ages ages;
	struct follow_state state;
};

static void fill(struct ending *ending)
{
	*ending = (struct ending){
		.sums = { .seen = { 100, 4800 }, .died = { 90, 4320 }, .moved = { 20, 960 },
			  .promoted = { 5, 240 } },
		.alive = { .objects = 10, .bytes = 480, .unborn = 1, .oldest = 9,
			   .ages.exact[4] = 9, .ages.least[9] = 1 },
		.curve = { .born = 99, .survived = { 50, 20 }, .died = { 50, 30 } },
		.ages = { .exact[4] = 9, .least[9] = 1 },
		.leak.is = { .anchors = 4, .first = 1, .base = 2, .span_ns = 30 * NS_PER_S,
			     .objects = 1204, .bytes = 48 << 10, .cohort = 200,
			     .cohort_alive = 196, .oldest = { { 12, 9 }, { 15, 9 } } },
	};
	ending->type = (struct follow_type){ 3, 5, TEXT("x\n\xff"), &ending->sums,
					     &ending->alive };
	ending->leak.type = &ending->type;
	ending->state = (struct follow_state){
		.types = &ending->type, .type_count = 2, .types_shown = 1,
		.ages = &ending->ages, .curve = &ending->curve, .leaks = &ending->leak,
		.leak_count = 1, .leaks_shown = 1, .known = { 10, 480 }, .whole_anchors = 4,
		.kept = true,
		.figures = { .is = { .seen = 100, .died = 90, .anchors = 4, .matched = 40 },
			     .types = 2 },
	};
	ending->state.figures.is.odd.counts[ODD_WRAPPED] = 2;
	ending->state.figures.is.odd.first[ODD_WRAPPED] =
		(struct range){ 0xfffffffffffffff0, 0x10, 0x20 };
}

static void the_end(void **state)
{
	struct ending ending;
	struct shown shown;

	(void)state;
	fill(&ending);
	begin(&shown, false);
	assert_int_equal(shown.view->form->state(shown.view, &shown.heading, &ending.state), 0);
	assert_string_equal(
		text(&shown),
		"   alive    bytes     seen     died promoted   copied     age  oldest type\n"
		"  10      480 B    100       90        5      960 B      >= 4    >= 9 x\\n\\xff\n"
		"  1 of 2 types, those with the most bytes alive\n"
		"  known      10 alive (480 B); 100 seen, 90 died, 0 withdrawn"
		" (may live, may not)\n"
		"  survival   of 99 observed births, the share that survives its n-th collection:"
		" 1st 50 %, 2nd 40 %\n"
		"  ages       born under our eyes: 9 at 4 to 7; seen first later, so at least: 1 at"
		" 8 to 15\n"
		"  only ages  x\\n\\xff: +1.20 k objects, +48.0 KiB in 30.0 s (96.0 KiB a minute);"
		" of the 200 in dump 1\n"
		"             that dump 2 still had, 98 % are alive; seen first: id 12, 15\n"
		"  dumps      4: matched 40, new 0, gone 0, conflicts 0; error rate of the model"
		" 0 %\n"
		"  odd        2 ranges that reach around the end of the addresses; the first:"
		" 0xfffffffffffffff0 to\n"
		"             0x10, 0x20 bytes\n");
	end(&shown);
}

static void the_end_in_json(void **state)
{
	struct ending ending;
	struct shown shown;
	const char *lines;

	(void)state;
	fill(&ending);
	begin(&shown, true);
	assert_int_equal(shown.view->form->state(shown.view, &shown.heading, &ending.state), 0);
	lines = text(&shown);
	assert_non_null(strstr(lines,
			       "\"age_median\":4,\"age_most\":9,\"at_least\":true,"
			       "\"invalid_utf8\":[{\"at\":\"/name\",\"hex\":\"780aff\"}]}\n"));
	assert_non_null(strstr(lines, "{\"event\":\"survival\",\"pid\":4711,\"births\":99,"
				      "\"survived_objects\":[50,20],\"died_objects\":[50,30],"
				      "\"ages\":[0,0,0,0,9,0,0,0,0,0],"
				      "\"ages_at_least\":[0,0,0,0,0,0,0,0,0,1]}\n"));
	assert_non_null(strstr(lines, "\"kind\":\"leak\",\"text\":\"x\\n\\ufffd: +1.20 k objects"));
	assert_non_null(strstr(lines, "\"cohort_objects\":200,\"cohort_alive_objects\":196,"
				      "\"oldest\":[12,15]"));
	end(&shown);
}

/* What nobody observed is not drawn as a curve of zeros. */
static void without_births(void **state)
{
	struct ending ending;
	struct shown shown;

	(void)state;
	fill(&ending);
	ending.curve = (struct survival_curve){ .born = 0 };
	begin(&shown, false);
	assert_int_equal(shown.view->form->state(shown.view, &shown.heading, &ending.state), 0);
	assert_non_null(strstr(text(&shown), "  survival   not known: no birth was observed"));
	end(&shown);
	begin(&shown, true);
	assert_int_equal(shown.view->form->state(shown.view, &shown.heading, &ending.state), 0);
	assert_null(strstr(text(&shown), "survived_objects"));
	end(&shown);
}

/* Where all was withdrawn before the next dump, nobody knows what would have grown. */
static void nothing_to_judge(void **state)
{
	struct ending ending;
	struct shown shown;

	(void)state;
	fill(&ending);
	ending.state.leak_count = ending.state.leaks_shown = 0;
	begin(&shown, false);
	assert_int_equal(shown.view->form->state(shown.view, &shown.heading, &ending.state), 0);
	assert_non_null(strstr(text(&shown), "  leaks      none: no type kept"));
	ending.state.kept = false;
	assert_int_equal(shown.view->form->state(shown.view, &shown.heading, &ending.state), 0);
	assert_non_null(strstr(text(&shown), "  leaks      not told: no object was known from one"
					     " dump to the next\n"));
	end(&shown);
}

static void narrow_terminals(void **state)
{
	struct ending ending;
	struct shown shown;

	(void)state;
	fill(&ending);
	begin(&shown, false);
	shown.sheet.terminal.columns = 50;
	collection(&shown, false);
	for (const char *line = text(&shown); *line; line = strchr(line, '\n') + 1)
		assert_true(strcspn(line, "\n") <= 50);
	assert_int_equal(shown.view->form->state(shown.view, &shown.heading, &ending.state), 0);
	assert_int_equal(strcspn(text(&shown), "\n"), strlen("   alive    bytes     age type"));
	end(&shown);
}

#define LEGEND                                                                                   \
	"  ?  in doubt: known only if no whole collection was lost; the next one's number tells\n"

static void end_of(struct shown *shown, const struct ending *ending)
{
	assert_int_equal(shown->view->form->state(shown->view, &shown->heading, &ending->state),
			 0);
}

/* What holds only if no collection was lost is marked, and the mark explained. */
static void in_doubt(void **state)
{
	struct ending ending;
	struct shown shown;
	const char *said;

	(void)state;
	fill(&ending);
	begin(&shown, false);
	collection(&shown, true);
	assert_non_null(strstr(text(&shown), "   70.0 k       3     ?\n"));
	/* It was settled since. */
	ending.state.doubted = true;
	end_of(&shown, &ending);
	said = text(&shown);
	assert_null(strstr(said, "(480 B) ?"));
	assert_non_null(strstr(said, LEGEND));
	/* It never was. */
	ending.state.doubted = false;
	ending.state.figures.in_doubt = true;
	end_of(&shown, &ending);
	said = text(&shown);
	assert_non_null(strstr(said, "10 alive (480 B) ?; 100 seen"));
	assert_non_null(strstr(said, LEGEND));
	end(&shown);
	begin(&shown, true);
	collection(&shown, true);
	assert_non_null(strstr(text(&shown), "\"in_doubt\":true,\"known_objects\":12345,"));
	end(&shown);
}

static void in_doubt_on_a_terminal(void **state)
{
	struct ending ending;
	struct shown shown;

	(void)state;
	fill(&ending);
	begin(&shown, false);
	shown.view->form->free(shown.view);
	shown.sheet.terminal.is_terminal = true;
	shown.sheet.terminal.columns = 100;
	shown.view = follow_text__new(&(struct view_options){ .start_ns = START },
				      &shown.sheet.output, &shown.sheet.terminal, true);
	assert_non_null(shown.view);
	collection(&shown, true);
	ending.state.now_ns = START;
	for (int doubt = 0; doubt < 2; doubt++) {
		const char *painted;

		ending.state.figures.in_doubt = doubt;
		assert_int_equal(shown.view->form->paint(shown.view, &shown.heading,
							 &ending.state), 0);
		painted = text(&shown);
		assert_int_equal(!!strstr(painted, "10 objects known ?, 480 B;"), doubt);
		assert_int_equal(!!strstr(painted, "  ?  in doubt: "), doubt);
	}
	/* No line that is left has the mark. */
	ending.state.figures.in_doubt = false;
	ending.state.doubted = true;
	end_of(&shown, &ending);
	assert_null(strstr(text(&shown), "in doubt"));
	end(&shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_collection),
		cmocka_unit_test(bytes_by_ranges),
		cmocka_unit_test(in_doubt),
		cmocka_unit_test(in_doubt_on_a_terminal),
		cmocka_unit_test(a_dump),
		cmocka_unit_test(an_object),	    cmocka_unit_test(the_end),
		cmocka_unit_test(the_end_in_json),  cmocka_unit_test(without_births),
		cmocka_unit_test(nothing_to_judge),
		cmocka_unit_test(narrow_terminals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
