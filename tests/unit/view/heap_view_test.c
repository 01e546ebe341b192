/* SPDX-License-Identifier: BSD-2-Clause */
/* A heap for people and for programs: objects, trees, names, and how wide all of it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/escape.h"
#include "gctrace/wire.h"
#include "model/heap_paths.h"
#include "samples.h"
#include "unit/model/dump.h"
#include "view/heap_view.h"
#include "view/heap_words.h"

enum { PAIR = 10, PAIRS, LEAF };
enum { AT_PAIR = 0x1000, AT_PAIRS = 0x2000, AT_LEAF = 0x3000 };

static struct heap *twice_the_same(void)
{
	struct heap_builder *builder = heap_builder__new(0);

	dump__begin(builder);
	dump__class(builder, PAIR, "Pair", "left\0right", 11, 0);
	dump__class(builder, PAIRS, "Pair[]", "", 0, GCTRACE_CLASS_ARRAY);
	dump__root(builder, GCTRACE_C_HANDLES, 0, AT_PAIR, GCTRACE_ROOT_HANDLE, 0, 0);
	dump__refer(builder, AT_PAIR, PAIR, 32, { AT_LEAF, AT_LEAF });
	dump__refer(builder, AT_PAIRS, PAIRS, 32, { AT_PAIR, 0, AT_PAIR });
	dump__leaf(builder, AT_LEAF, LEAF, 16);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return dump__heap(builder);
}

static void list(struct heap_view *view, struct heap *heap)
{
	const uint32_t places[] = { place_of(heap, AT_PAIR), place_of(heap, AT_PAIRS) };

	const struct heap_object_list objects = { .places = places, .count = 2, .shown = 2 };

	assert_int_equal(view->form->objects(view, &objects), 0);
	view->form->free(view);
}

/* The shortest way, of so many steps. */
static void show_path_of(struct heap_view *view, struct heap *heap, uint64_t address, size_t count)
{
	struct heap_paths *paths;
	uint32_t places[4];
	struct heap_way way = { .places = places, .count = count };

	assert_int_equal(heap_paths__new(heap, &paths), 0);
	places[count - 1] = place_of(heap, address);
	for (size_t i = count - 1; i > 0; i--)
		places[i - 1] = heap_paths__before(paths, places[i]);
	assert_int_equal(view->form->path(view, &way), 0);
	heap_paths__free(paths);
	view->form->free(view);
}

/* By way of all three. */
static void show_path_to(struct heap_view *view, struct heap *heap)
{
	show_path_of(view, heap, AT_LEAF, 4);
}

static void expect(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("not there: %s\n%s", words, text);
}

static void test_same_object_by_two_fields(void **state)
{
	struct heap *heap = twice_the_same();
	const struct heap_heading heading = { .facts = heap__facts(heap), .subject = "f@1" };
	struct sheet sheet;
	const char *text;

	(void)state;
	sheet__begin(&sheet);
	list(heap_text__new(heap, &heading, &sheet.output, &sheet.terminal), heap);
	text = sheet__text(&sheet);
	expect(text, "→ .left class 12, .right class 12");
	expect(text, "→ [0] Pair, [2] Pair");
	list(heap_ndjson__new(heap, &heading, &sheet.output), heap);
	text = sheet__text(&sheet);
	expect(text, "\"place\":0,\"name\":\".left\"");
	expect(text, "\"place\":1,\"name\":\".right\"");
	expect(text, "\"place\":2,\"name\":\"[2]\"");
	sheet__end(&sheet);
	heap__free(heap);
}

/* What a dependent handle's key refers to by it stands in no field: of an object, of an array. */
static void test_dependent_handles_are_told_as_such(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);
	struct heap_heading heading = { .subject = "f@1" };
	struct sheet sheet;
	struct heap *heap;

	(void)state;
	dump__begin(builder);
	dump__class(builder, PAIR, "Pair", "left\0right", 11, 0);
	dump__class(builder, PAIRS, "Pair[]", "", 0, GCTRACE_CLASS_ARRAY);
	dump__class(builder, LEAF, "Leaf", "", 0, 0);
	dump__root(builder, GCTRACE_C_FROZEN, 0, AT_PAIRS, GCTRACE_ROOT_FROZEN, U, 0);
	dump__root(builder, GCTRACE_C_DEPENDENT, AT_PAIRS, AT_PAIR, GCTRACE_ROOT_HANDLE, 5, 0);
	dump__root(builder, GCTRACE_C_DEPENDENT, AT_PAIR, AT_LEAF, GCTRACE_ROOT_HANDLE, 6, 0);
	dump__refer(builder, AT_PAIR, PAIR, 32, { AT_PAIR });
	dump__leaf(builder, AT_PAIRS, PAIRS, 32);
	dump__leaf(builder, AT_LEAF, LEAF, 16);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = dump__heap(builder);
	heading.facts = heap__facts(heap);
	sheet__begin(&sheet);
	list(heap_text__new(heap, &heading, &sheet.output, &sheet.terminal), heap);
	expect(sheet__text(&sheet), "→ .left Pair, (dependent handle) Leaf");
	show_path_to(heap_text__new(heap, &heading, &sheet.output, &sheet.terminal), heap);
	expect(sheet__text(&sheet),
	       "frozen (Pair[]) → (dependent handle) (Pair) → (dependent handle) (Leaf)");
	list(heap_ndjson__new(heap, &heading, &sheet.output), heap);
	expect(sheet__text(&sheet), "{\"dependent\":true,\"name\":\"(dependent handle)\"");
	show_path_to(heap_ndjson__new(heap, &heading, &sheet.output), heap);
	expect(sheet__text(&sheet), "{\"kind\":\"dependent\",\"name\":\"(dependent handle)\","
				    "\"type\":\"Leaf\"");
	sheet__end(&sheet);
	heap__free(heap);
}

/* A reference that leads nowhere is a loss, but from a JVM's dump to a class by its address. */
static void assert_dangling(bool is_of_jvm, uint64_t to, const char *expected)
{
	struct heap_builder *builder = heap_builder__new(0);
	struct heap_heading heading = { .subject = "f@1" };
	struct heap_view *view;
	struct sheet sheet;
	struct heap *heap;

	if (is_of_jvm)
		heap_builder__is_of_jvm(builder);
	dump__begin(builder);
	dump__class(builder, PAIR, "Pair", "left\0right", 11, 0);
	dump__root(builder, GCTRACE_C_HANDLES, 0, AT_PAIR, GCTRACE_ROOT_HANDLE, 0, 0);
	dump__refer(builder, AT_PAIR, PAIR, 32, { to });
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = dump__heap(builder);
	heading.facts = heap__facts(heap);
	sheet__begin(&sheet);
	view = heap_ndjson__new(heap, &heading, &sheet.output);
	assert_int_equal(view->form->summary(view), 0);
	expect(sheet__text(&sheet), expected);
	view->form->free(view);
	sheet__end(&sheet);
	heap__free(heap);
}

static void test_what_dangles_is_missing_or_left_out(void **state)
{
	(void)state;
	assert_dangling(false, AT_LEAF, "\"missing\":{\"dangling_references\":1},\"odd\":{}}");
	assert_dangling(true, AT_LEAF, "\"missing\":{\"dangling_references\":1},\"odd\":{}}");
	assert_dangling(false, PAIR, "\"missing\":{\"dangling_references\":1},\"odd\":{}}");
	assert_dangling(true, PAIR, "\"missing\":{},\"odd\":{},"
				    "\"notes\":{\"references_to_absent_classes\":1}}");
}

/* What is freed goes whole to programs; people are told how much more there is, and of one: one. */
static void test_what_is_freed(void **state)
{
	struct heap *heap = twice_the_same();
	const struct heap_heading heading = { .facts = heap__facts(heap), .subject = "f@1" };
	const uint32_t place = place_of(heap, AT_PAIR);
	const struct heap_type_line lines[] = {
		{ .type = heap__type(heap, place), .sums = { .objects = 1, .bytes = 32 } },
		{ .type = heap__type(heap, place_of(heap, AT_LEAF)), .sums = { .objects = 1 } },
	};
	const struct heap_type_list list = { .lines = lines, .count = 2, .shown = 1 };
	struct heap_view *view;
	struct sheet sheet;
	const char *text;

	(void)state;
	sheet__begin(&sheet);
	view = heap_text__new(heap, &heading, &sheet.output, &sheet.terminal);
	assert_int_equal(view->form->freed(view, place, &list), 0);
	view->form->free(view);
	expect(sheet__text(&sheet), "  … 1 more type (-o json has all)\n");
	view = heap_ndjson__new(heap, &heading, &sheet.output);
	assert_int_equal(view->form->freed(view, place, &list), 0);
	view->form->free(view);
	text = sheet__text(&sheet);
	expect(text, "\"name\":\"Pair\"");
	expect(text, "\"name\":\"class 12\"");
	sheet__end(&sheet);
	heap__free(heap);
}

static void show_summary(struct heap_view *view)
{
	assert_int_equal(view->form->heading(view), 0);
	assert_int_equal(view->form->summary(view), 0);
	view->form->free(view);
}

static void test_one_is_no_plural(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);
	struct heap_heading heading = { .subject = "f@1" };
	struct sheet sheet;
	struct heap *heap;
	const char *text;

	(void)state;
	dump__begin(builder);
	dump__root(builder, GCTRACE_C_HANDLES, 0, AT_LEAF, GCTRACE_ROOT_HANDLE, 0, 0);
	dump__leaf(builder, AT_LEAF, LEAF, 16);
	dump__refer(builder, AT_PAIR, PAIR, 32, { AT_PAIRS });
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = dump__heap(builder);
	heading.facts = heap__facts(heap);
	sheet__begin(&sheet);
	show_summary(heap_text__new(heap, &heading, &sheet.output, &sheet.terminal));
	text = sheet__text(&sheet);
	expect(text, "# 2 objects, 48 B, 1 reference, 1 root\n");
	expect(text, "reached    1 object, 16 B\nunreached  1 object, 32 B\n"
		     "weak       0 references and 0 roots, which");
	expect(text, "  1 reference to an object that is not in the dump\n");
	sheet__end(&sheet);
	heap__free(heap);
}

/* Who walks from the roots alone does not know of garbage: no figure says that there is none. */
static void test_what_is_not_walked_is_absent(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);
	struct heap_heading heading = { .subject = "f@1" };
	struct sheet sheet;
	struct heap *heap;

	(void)state;
	heap_builder__reached_only(builder);
	dump__begin(builder);
	dump__root(builder, GCTRACE_C_HANDLES, 0, AT_LEAF, GCTRACE_ROOT_HANDLE, 0, 0);
	dump__leaf(builder, AT_LEAF, LEAF, 16);
	dump__leaf(builder, AT_PAIR, PAIR, 32);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = dump__heap(builder);
	heading.facts = heap__facts(heap);
	sheet__begin(&sheet);
	show_summary(heap_text__new(heap, &heading, &sheet.output, &sheet.terminal));
	expect(sheet__text(&sheet), "reached    1 object, 16 B\nunreached  not walked: how much"
				    " garbage there is is not known\nweakly     1 object, 32 B\n");
	show_summary(heap_ndjson__new(heap, &heading, &sheet.output));
	expect(sheet__text(&sheet), "\"reached_bytes\":16,\"weakly_reached_objects\":1,"
				    "\"weakly_reached_bytes\":32,\"reached_only\":true,");
	sheet__end(&sheet);
	heap__free(heap);
}

static void show_heading(struct heap_view *view)
{
	assert_int_equal(view->form->heading(view), 0);
	view->form->free(view);
}

static void expect_not(const char *text, const char *words)
{
	if (strstr(text, words))
		fail_msg("there: %s\n%s", words, text);
}

/* Types whose sizes are estimates, with and without the graph: nothing is called exact. */
static void test_exact_is_what_is_no_estimate(void **state)
{
	struct heap *heap = twice_the_same();
	struct heap_facts facts = *heap__facts(heap);
	struct heap_heading heading = { .facts = &facts, .subject = "f@1" };
	struct sheet sheet;
	const char *text;

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		heading.counts_only = i & 1;
		facts.estimated_types = i & 2;
		sheet__begin(&sheet);
		show_heading(heap_text__new(heap, &heading, &sheet.output, &sheet.terminal));
		text = sheet__text(&sheet);
		if (facts.estimated_types) {
			expect(text, "# nothing is sampled; types");
			expect(text, "# but the sizes of 2 types are estimates (~)");
			expect_not(text, "exact");
			expect_not(text, "sizes and references are");
		} else {
			expect(text, "# exact: nothing is sampled; types");
			expect_not(text, "estimate");
		}
		show_heading(heap_ndjson__new(heap, &heading, &sheet.output));
		expect(sheet__text(&sheet), facts.estimated_types ?
		       "\"accuracy\":\"estimated_sizes\"" : "\"accuracy\":\"exact\"");
		sheet__end(&sheet);
	}
	heap__free(heap);
}

/* A chain of so many objects. */
static struct heap *make_chain(uint64_t count, const char *type)
{
	struct heap_builder *builder = heap_builder__new(0);

	dump__begin(builder);
	dump__class(builder, PAIR, type, "next", 4, 0);
	dump__root(builder, GCTRACE_C_HANDLES, 0, 0x1000, GCTRACE_ROOT_HANDLE, 0, 0);
	for (uint64_t i = 1; i <= count; i++)
		dump__refer(builder, i * 0x1000, PAIR, 32, { i < count ? (i + 1) * 0x1000 : 0 });
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return dump__heap(builder);
}

static size_t widest_line(const char *text)
{
	size_t widest = 0;

	for (const char *line = text; *line; line += strcspn(line, "\n") + 1) {
		const size_t columns = utf8__columns(line, strcspn(line, "\n"));

		widest = columns > widest ? columns : widest;
	}
	return widest;
}

static char *draw_tree(struct heap *heap, struct sheet *sheet)
{
	const struct heap_heading heading = { .facts = heap__facts(heap), .subject = "f@1" };
	struct heap_view *view = heap_text__new(heap, &heading, &sheet->output, &sheet->terminal);
	struct outline outline = VEC_INIT;
	char *text;

	assert_int_equal(outline__objects(heap, 100, 0, &outline), 0);
	assert_int_equal(view->form->tree(view, &outline), 0);
	text = strdup(sheet__text(sheet));
	view->form->free(view);
	vec__free(&outline);
	return text;
}

/* Only the last bars are drawn, and how many there are besides stands before them. */
static void test_a_deep_tree_stays_narrow(void **state)
{
	struct heap *heap = make_chain(60, "Node");
	struct sheet sheet;
	char *text;

	(void)state;
	sheet__begin(&sheet);
	text = draw_tree(heap, &sheet);
	expect(text, "  └─ Node 0x2000, 32 B\n");
	expect(text, "  …48   ");
	assert_in_range(widest_line(text), 60, 100);
	free(text);
	sheet.terminal.columns = 80;
	text = draw_tree(heap, &sheet);
	expect(text, "  …54   ");
	assert_in_range(widest_line(text), 60, 80);
	free(text);
	sheet__end(&sheet);
	heap__free(heap);
}

static void test_a_long_line_of_a_tree_goes_on_below(void **state)
{
	struct heap *heap = make_chain(2, "One of many words, which are more than have room in a"
					  " line behind figures and bars");
	struct sheet sheet;
	char *text;

	(void)state;
	sheet__begin(&sheet);
	text = draw_tree(heap, &sheet);
	expect(text, "room in a line behind figures\n"
		     "                             and bars 0x1000, 32 B\n");
	assert_in_range(widest_line(text), 90, 100);
	free(text);
	sheet__end(&sheet);
	heap__free(heap);
}

/* As .NET has them. For people lines stay within 100 columns; programs get all of a name. */
static void test_long_names_keep_within_their_lines(void **state)
{
	const char *name = "System.Collections.Concurrent.ConcurrentDictionary<System.ValueTuple<"
			   "System.Guid,System.Int32>,Shop.Carts.InfrastructureOfCarts.Cart>+Node";
	struct heap *heap = make_chain(3, name);
	const struct heap_heading heading = { .facts = heap__facts(heap), .subject = "f@1" };
	const struct heap_type_line line = { .type = heap__type(heap, place_of(heap, 0x1000)) };
	const struct heap_type_list list = { .lines = &line, .count = 1, .shown = 1 };
	struct heap_view *view;
	struct sheet sheet;
	char *text;

	(void)state;
	sheet__begin(&sheet);
	text = draw_tree(heap, &sheet);
	assert_in_range(widest_line(text), 60, 100);
	free(text);
	view = heap_text__new(heap, &heading, &sheet.output, &sheet.terminal);
	assert_int_equal(view->form->types(view, &list), 0);
	assert_int_equal(view->form->freed(view, place_of(heap, 0x1000), &list), 0);
	view->form->free(view);
	assert_in_range(widest_line(sheet__text(&sheet)), 90, 100);
	view = heap_ndjson__new(heap, &heading, &sheet.output);
	assert_int_equal(view->form->types(view, &list), 0);
	view->form->free(view);
	expect(sheet__text(&sheet), name);
	sheet__end(&sheet);
	heap__free(heap);
}

/* A handle or a slot by itself says nothing: the type of what it refers to stands behind it. */
static void test_roots_tell_what_they_refer_to(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);
	struct heap_heading heading = { .subject = "f@1" };
	struct outline outline = VEC_INIT;
	struct heap_view *view;
	struct sheet sheet;
	const char *text;
	struct heap *heap;

	(void)state;
	dump__begin(builder);
	dump__class(builder, PAIR, "app.Cache<app.Key>", "", 0, 0);
	dump__root(builder, GCTRACE_C_HANDLES, 0, AT_PAIR, GCTRACE_ROOT_HANDLE, 0x7f55ba8012b8, 0);
	dump__root(builder, GCTRACE_C_HANDLES, 0, AT_LEAF, GCTRACE_ROOT_HANDLE, 3, 0);
	dump__define(builder, GCTRACE_SPACE_STATIC, PAIR, 7, 0, "current");
	dump__define(builder, GCTRACE_SPACE_THREAD, 0, 4711, 0, "worker 4711");
	dump__root(builder, GCTRACE_C_THREAD_STATIC, PAIR, AT_PAIR + 0x100, GCTRACE_ROOT_STATIC, 7,
		   0);
	dump__leaf(builder, AT_PAIR + 0x100, LEAF, 24);
	dump__leaf(builder, AT_PAIR, PAIR, 32);
	dump__leaf(builder, AT_LEAF, LEAF, 16);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = dump__heap(builder);
	heading.facts = heap__facts(heap);
	sheet__begin(&sheet);
	view = heap_text__new(heap, &heading, &sheet.output, &sheet.terminal);
	assert_int_equal(outline__roots(heap, 4, 0, &outline), 0);
	assert_int_equal(view->form->roots(view, &outline), 0);
	view->form->free(view);
	text = sheet__text(&sheet);
	expect(text, "─ handle 0x7f55ba8012b8 app.Cache<app.Key>\n");
	expect(text, "─ app.Cache<app.Key>, thread worker 4711\n");
	expect(text, "─ current class 12\n");
	view = heap_text__new(heap, &heading, &sheet.output, &sheet.terminal);
	show_path_of(view, heap, AT_PAIR + 0x100, 2);
	expect(sheet__text(&sheet),
	       "thread worker 4711: static app.Cache<app.Key>.current (class 12)");
	vec__free(&outline);
	sheet__end(&sheet);
	heap__free(heap);
}

/* For people a name of 64 KiB is shortened, and says so; programs get all of it. */
static void test_a_name_that_fills_the_screen(void **state)
{
	static char name[1 << 16];
	struct heap_view *view;
	struct sheet sheet;
	struct heap *heap;
	char *text;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	heap = make_chain(2, name);
	sheet__begin(&sheet);
	text = draw_tree(heap, &sheet);
	expect(text, "nnn...(+65499)...nnn");
	assert_in_range(widest_line(text), 60, 100);
	free(text);
	view = heap_ndjson__new(heap,
				&(struct heap_heading){ .facts = heap__facts(heap),
							.subject = "f@1" },
				&sheet.output);
	assert_int_equal(view->form->objects(view, &(struct heap_object_list){
							   (uint32_t[]){ place_of(heap, 0x1000) },
							   1, 1, NULL }), 0);
	expect(sheet__text(&sheet), name);
	view->form->free(view);
	sheet__end(&sheet);
	heap__free(heap);
}

static void assert_recommended(const char *type, const char *subject, bool is_file,
			       const char *expected)
{
	struct heap *heap = make_chain(2, type);
	const uint32_t place = place_of(heap, 0x1000);
	const struct finding finding = { .kind = FINDING_LARGE, .place = place, .owner = place };
	const struct heap_heading heading = { .facts = heap__facts(heap), .subject = subject,
					      .file = is_file ? "f@1" : NULL };
	const struct findings findings = { (struct finding *)&finding, 1, 1 };
	struct heap_view *view;
	struct sheet sheet;
	const char *line;

	sheet__begin(&sheet);
	view = heap_text__new(heap, &heading, &sheet.output, &sheet.terminal);
	assert_int_equal(view->form->findings(view, &findings), 0);
	view->form->free(view);
	line = strstr(sheet__text(&sheet), "gctrace ");
	assert_non_null(line);
	assert_memory_equal(line, expected, strlen(expected));
	assert_int_equal(line[strlen(expected)], '\n');
	sheet__end(&sheet);
	heap__free(heap);
}

/* Whatever the type is called, as of .NET, until the command is given the object has moved. */
static void test_no_address_is_recommended_of_a_process(void **state)
{
	(void)state;
	assert_recommended("Map`2[K,V]+Node", "f@1", true, "gctrace path f@1 --address 0x1000");
	assert_recommended("Map`2[K,V]+Node", "-p 7", false,
			   "gctrace path -p 7 --type 'Map`2?K,V?+Node' --largest");
	assert_recommended("it's", "-p 7", false, "gctrace path -p 7 --type $'it\\x27s' --largest");
	assert_recommended("com.shop.TheTypeOfOrdersThatHaveBeenSentButNotYetBeenPaidForInFull",
			   "-p 7", false,
			   "gctrace path -p 7 --type"
			   " 'com.shop.TheTypeOfOrdersThatHaveBeenSentButNotYetBeenPaidForInFull'"
			   " --largest");
}

/* A Java class that may be unloaded: below its loader, with its own field and one of `Visits`. */
static struct heap *class_that_holds(void)
{
	struct heap_builder *builder = heap_builder__new(0);

	dump__begin(builder);
	dump__class(builder, PAIR, "java.lang.Class", "data", 5, GCTRACE_CLASS_VARIABLE);
	dump__define(builder, GCTRACE_SPACE_FIELD, PAIR, 1, U, "shop.Visits.byId");
	dump__class(builder, LEAF, "java.util.HashMap", "", 0, 0);
	dump__root(builder, GCTRACE_C_HANDLES, 0, AT_PAIR, GCTRACE_ROOT_HANDLE, 0, 0);
	dump__refer(builder, AT_PAIR, PAIR, 32, { AT_PAIRS, AT_LEAF });
	dump__leaf(builder, AT_PAIRS, LEAF, 16);
	dump__leaf(builder, AT_LEAF, LEAF, 16);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return dump__heap(builder);
}

static void assert_holder(struct heap *heap, uint64_t address, const char *expected)
{
	const uint32_t place = place_of(heap, address);
	const struct finding finding = { .kind = FINDING_LARGE, .place = place, .owner = place };
	struct buf words = BUF_INIT;

	heap_words__finding(&words, heap, &finding);
	assert_non_null(strchr(buf__str(&words), ';'));
	assert_string_equal(strchr(buf__str(&words), ';'), expected);
	buf__free(&words);
}

static void test_what_a_static_in_a_class_object_holds_is_told_by_its_name(void **state)
{
	struct heap *heap = class_that_holds();

	(void)state;
	assert_holder(heap, AT_LEAF, "; held by static shop.Visits.byId");
	assert_holder(heap, AT_PAIRS, "; held by java.lang.Class.data, and that by handle 0");
	heap__free(heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_object_by_two_fields),
		cmocka_unit_test(test_dependent_handles_are_told_as_such),
		cmocka_unit_test(test_what_dangles_is_missing_or_left_out),
		cmocka_unit_test(test_what_is_freed),
		cmocka_unit_test(test_one_is_no_plural),
		cmocka_unit_test(test_what_is_not_walked_is_absent),
		cmocka_unit_test(test_exact_is_what_is_no_estimate),
		cmocka_unit_test(test_a_deep_tree_stays_narrow),
		cmocka_unit_test(test_a_long_line_of_a_tree_goes_on_below),
		cmocka_unit_test(test_long_names_keep_within_their_lines),
		cmocka_unit_test(test_roots_tell_what_they_refer_to),
		cmocka_unit_test(test_a_name_that_fills_the_screen),
		cmocka_unit_test(test_no_address_is_recommended_of_a_process),
		cmocka_unit_test(test_what_a_static_in_a_class_object_holds_is_told_by_its_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
