/* SPDX-License-Identifier: BSD-2-Clause */
/* Objects as they are listed: each reference by the name of its own field. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "samples.h"
#include "unit/model/dump.h"
#include "view/heap_view.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_object_by_two_fields),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
