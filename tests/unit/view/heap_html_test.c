/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page of a small heap whose names want out of it: what it says, and that nothing in the data
 * ends the element that it stands in. What a browser makes of it: tests/e2e/html.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "base/escape.h"
#include "gctrace/wire.h"
#include "model/heap_histogram.h"
#include "samples.h"
#include "unit/model/dump.h"
#include "view/heap_html.h"

enum { EVIL = 10, LONG, ITEM, ITEMS = 40 };
enum { AT_EVIL = 0x1000, AT_LONG = 0x2000, AT_ITEMS = 0x10000 };

static const char evil[] = "</script><script>alert(1)</script>\xff\xe2\x80\xa8\xe2\x80\xae<!--";
static char long_name[3000];

/* evil --.</style>--> long, --.#1--> items, of which each is large enough for nothing. */
static struct heap *make_heap(void)
{
	struct heap_builder *builder = heap_builder__new(0);
	uint64_t to[1 + ITEMS] = { AT_LONG };

	memset(long_name, 'n', sizeof(long_name) - 1);
	dump__begin(builder);
	dump__class(builder, EVIL, evil, "</style>", 9, 0);
	dump__class(builder, LONG, long_name, "", 0, 0);
	dump__class(builder, ITEM, "Item", "", 0, 0);
	dump__container(builder, GCTRACE_C_STATIC, EVIL, 0);
	dump__root(builder, GCTRACE_C_STATIC, EVIL, AT_EVIL, GCTRACE_ROOT_STATIC, 0, 0);
	for (uint64_t i = 0; i < ITEMS; i++) {
		to[1 + i] = AT_ITEMS + i * 64;
		dump__leaf(builder, to[1 + i], ITEM, 16);
	}
	dump__object(builder, &(struct told){ AT_EVIL, EVIL, 400, to, 1 + ITEMS, 0, 0, 0, false });
	dump__leaf(builder, AT_LONG, LONG, 5000);
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	return dump__heap(builder);
}

/* What cli/heap_page.c gathers. */
struct parts {
	struct heap *heap;
	struct heap_paths *paths;
	struct heap_heading heading;
	struct findings findings;
	struct heap_type_line lines[8];
	struct heap_type_list types;
	struct outline roots;
	struct excerpt excerpt;
	struct example *examples;
	struct heap_html page;
	char *text;
	struct json_object *data;
};

static void list_types(struct parts *parts)
{
	struct heap_type_sums *sums;

	assert_int_equal(heap__histogram(parts->heap, &sums), 0);
	for (uint32_t i = 0; i < heap__types(parts->heap)->count; i++)
		if (sums[i].objects)
			parts->lines[parts->types.count++] =
				(struct heap_type_line){ .type = i, .sums = sums[i] };
	parts->types.lines = parts->lines;
	free(sums);
}

static void write_page(struct parts *parts)
{
	struct sheet sheet;

	sheet__begin(&sheet);
	assert_int_equal(heap_html__write(&parts->page, &sheet.output), 0);
	parts->text = strdup(sheet__text(&sheet));
	sheet__end(&sheet);
}

/* Between the element's tags, as the browser finds it. */
static struct json_object *data_of(const char *text)
{
	const char *begin = strstr(text, "<script type=\"application/json\""), *end;
	struct json_tokener *tokener = json_tokener_new();
	struct json_object *data;

	assert_non_null(begin);
	begin = strchr(begin, '>') + 1;
	end = strstr(begin, "</script>");
	data = json_tokener_parse_ex(tokener, begin, (int)(end - begin));
	assert_int_equal(json_tokener_get_error(tokener), json_tokener_success);
	json_tokener_free(tokener);
	return data;
}

static int begin(void **state)
{
	static struct parts parts;
	const struct excerpt_limits limits = { 2, 10, 10, 10 };

	parts = (struct parts){ .heap = make_heap() };
	parts.heading = (struct heap_heading){ .facts = heap__facts(parts.heap), .subject = "f@1" };
	assert_int_equal(heap_paths__new(parts.heap, &parts.paths), 0);
	assert_int_equal(findings__find(parts.heap, NULL, &parts.findings), 0);
	assert_int_equal(outline__roots(parts.heap, UINT64_MAX, 10, &parts.roots), 0);
	assert_int_equal(excerpt__init(&parts.excerpt, parts.heap, parts.paths, &limits), 0);
	assert_int_equal(excerpt__finish(&parts.excerpt), 0);
	parts.examples = examples__find(parts.heap, parts.paths);
	list_types(&parts);
	parts.page = (struct heap_html){ parts.heap, &parts.heading, &parts.findings, &parts.types,
					 100, 10000, parts.examples, &parts.excerpt, &parts.roots,
					 10, 1700000000000000000 };
	write_page(&parts);
	parts.data = data_of(parts.text);
	*state = &parts;
	return 0;
}

static int end(void **state)
{
	struct parts *parts = *state;

	json_object_put(parts->data);
	free(parts->text);
	free(parts->examples);
	excerpt__free(&parts->excerpt);
	vec__free(&parts->findings);
	vec__free(&parts->roots);
	heap_paths__free(parts->paths);
	heap__free(parts->heap);
	return 0;
}

static struct json_object *member(struct json_object *object, const char *name)
{
	struct json_object *found;

	assert_true(json_object_object_get_ex(object, name, &found));
	return found;
}

static struct json_object *cell(struct json_object *table, size_t row, size_t column)
{
	return json_object_array_get_idx(json_object_array_get_idx(table, row), column);
}

static size_t count_of(const char *text, const char *words)
{
	size_t count = 0;

	for (; (text = strstr(text, words)); text++)
		count++;
	return count;
}

static void names_end_no_element(void **state)
{
	const struct parts *parts = *state;

	assert_int_equal(count_of(parts->text, "<script"), 2);
	assert_int_equal(count_of(parts->text, "</script>"), 2);
	assert_int_equal(count_of(parts->text, "</style>"), 1);
	assert_int_equal(count_of(parts->text, "<!--"), 1);
	assert_int_equal(count_of(parts->text, "\xe2\x80\xa8"), 0);
	assert_int_equal(count_of(parts->text, "\xe2\x80\xae"), 0);
	for (const char *at = parts->text; *at;) {
		uint32_t code_point;
		const size_t size = utf8__decode(at, strlen(at), &code_point);

		assert_true(size > 0);
		at += size;
	}
}

static void names_are_shown_as_in_text(void **state)
{
	const struct parts *parts = *state;
	struct json_object *types = member(parts->data, "types");

	assert_string_equal(json_object_get_string(cell(types, 0, 0)), escape(evil));
	assert_non_null(strstr(json_object_get_string(cell(types, 1, 0)),
			       "nn… (2499 bytes more)"));
}

static void all_marks_are_filled_in(void **state)
{
	const struct parts *parts = *state;
	const char *nonce = strstr(parts->text, "script-src 'nonce-");

	assert_int_equal(count_of(parts->text, "{{"), 0);
	assert_non_null(nonce);
	nonce += strlen("script-src 'nonce-");
	assert_int_equal(strspn(nonce, "0123456789abcdef"), 32);
	assert_non_null(strstr(parts->text, "default-src 'none'"));
	assert_null(strstr(parts->text, "http://"));
	assert_null(strstr(parts->text, "https://"));
}

static void the_nonce_is_new_each_time(void **state)
{
	struct parts *parts = *state;
	char *first = parts->text;

	write_page(parts);
	assert_string_not_equal(first, parts->text);
	assert_int_equal(strlen(first), strlen(parts->text));
	free(first);
}

static void what_is_small_is_a_group(void **state)
{
	const struct parts *parts = *state;
	struct json_object *branches = member(parts->data, "branches");
	const size_t singles = (size_t)json_object_get_int(member(parts->data, "singles"));

	assert_int_equal(singles, 3); /* all roots, the evil one, the long one */
	assert_int_equal(json_object_array_length(branches), singles + 1);
	assert_int_equal(json_object_get_int64(cell(branches, 0, 1)), 400 + 5000 + 16 * ITEMS);
	assert_int_equal(json_object_get_int64(cell(branches, singles, 1)), 16 * ITEMS);
	assert_int_equal(json_object_get_int64(cell(branches, singles, 7)), ITEMS);
}

/* static -> evil -> long, and by which field. */
static void ways_have_their_fields(void **state)
{
	const struct parts *parts = *state;
	struct json_object *objects = member(parts->data, "objects");
	struct json_object *fields = member(parts->data, "fields");
	const size_t of_long = excerpt__find(&parts->excerpt, place_of(parts->heap, AT_LONG));
	const size_t before = (size_t)json_object_get_int(cell(objects, of_long, 5));
	const size_t root = (size_t)json_object_get_int(cell(objects, before, 5));
	const size_t field = (size_t)json_object_get_int(cell(objects, of_long, 7));

	assert_string_equal(json_object_get_string(cell(objects, before, 1)), "0x1000");
	assert_int_equal(json_object_get_int(cell(objects, root, 0)), -1);
	assert_string_equal(json_object_get_string(json_object_array_get_idx(fields, field)),
			    ".</style>");
}

/* What the foot says: exact, unless the sizes of types are estimates. */
static void exact_is_what_is_no_estimate(void **state)
{
	struct parts *parts = *state;
	const struct heap_facts *facts = parts->heading.facts;
	struct heap_facts guessed = *facts;
	struct json_object *data;

	assert_string_equal(json_object_get_string(member(parts->data, "accuracy")),
			    "exact: nothing is sampled; types, sizes and references are read, never"
			    " the contents of objects");
	guessed.estimated_types = 2;
	parts->heading.facts = &guessed;
	free(parts->text);
	write_page(parts);
	parts->heading.facts = facts;
	data = data_of(parts->text);
	assert_string_equal(json_object_get_string(member(data, "accuracy")),
			    "nothing is sampled; types and references are read, never the contents"
			    " of objects; but the sizes of 2 types are estimates, and so are the"
			    " sums with them: the dump does not say them");
	json_object_put(data);
	assert_null(strstr(parts->text, "xact: nothing"));
}

static void types_beyond_the_limit_are_counted(void **state)
{
	struct parts *parts = *state;
	struct json_object *data, *folded;

	parts->page.types_most = 0;
	parts->page.excerpt = &parts->excerpt;
	free(parts->text);
	write_page(parts);
	data = data_of(parts->text);
	folded = member(data, "types_folded");
	/* Objects of all three are on the page, and so are their types. */
	assert_int_equal(json_object_get_int(member(folded, "types")), 0);
	assert_int_equal(json_object_array_length(member(data, "types")), 3);
	json_object_put(data);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(names_end_no_element),
		TEST(names_are_shown_as_in_text),
		TEST(all_marks_are_filled_in),
		TEST(the_nonce_is_new_each_time),
		TEST(what_is_small_is_a_group),
		TEST(ways_have_their_fields),
		TEST(exact_is_what_is_no_estimate),
		TEST(types_beyond_the_limit_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
