/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of types beyond what is numbered: none is mixed up with another, and all are counted. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "gctrace/wire.h"
#include "unit/model/dump.h"
#include "view/export_fields.h"

enum { NODE = 100, LEAF, FIRST = 0x10000, REST = 7 };

static void add_leaf(struct heap_builder *builder)
{
	dump__class(builder, LEAF, "Leaf", "", 0, 0);
	dump__leaf(builder, FIRST, LEAF, 16);
}

/* So many objects of types of their own, each with so many references at places of their own. */
static struct heap *wide_heap(uint64_t objects, size_t references)
{
	struct heap_builder *builder = heap_builder__new(0);
	uint64_t *to = calloc(references, sizeof(*to));

	dump__begin(builder);
	add_leaf(builder);
	for (size_t i = 0; i < references; i++)
		to[i] = FIRST;
	for (uint64_t i = 0; i < objects; i++)
		dump__object(builder, &(struct told){ .id = FIRST + 16 * (i + 1), .size = 16,
						      .class_ = 1000 + i, .to = to,
						      .count = references });
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	free(to);
	return dump__heap(builder);
}

static void counts_what_finds_no_number(void **state)
{
	struct heap *heap = wide_heap(1, EXPORT_FIELDS_MOST + REST);
	const uint32_t place = place_of(heap, FIRST + 16), type = heap__type(heap, place);
	struct export_fields fields;
	uint32_t hint = 0;

	(void)state;
	assert_int_equal(export_fields__find(&fields, heap), 0);
	assert_int_equal(fields.beyond, REST);
	assert_int_equal(fields.types[type].fields, EXPORT_FIELDS_MOST);
	for (uint32_t i = 0; i < EXPORT_FIELDS_MOST + REST; i++)
		assert_int_equal(export_fields__number(&fields, type, GCTRACE_PLACE_POSITION, i,
						       &hint),
				 i < EXPORT_FIELDS_MOST ? i : FIELD_NONE);
	export_fields__free(&fields);
	heap__free(heap);
}

/* More names than have numbers: no object may be said to have a field behind the last one. */
static void tells_no_more_than_there_are(void **state)
{
	struct heap_builder *builder = heap_builder__new(0);
	struct buf names = BUF_INIT;
	struct export_fields fields;
	struct heap *heap;
	uint32_t type;

	(void)state;
	for (unsigned int i = 0; i < EXPORT_FIELDS_MOST + REST; i++) {
		buf__printf(&names, "f%u", i);
		buf__add_char(&names, '\0');
	}
	dump__begin(builder);
	add_leaf(builder);
	dump__class(builder, NODE, "Node", buf__str(&names), names.len, 0);
	dump__refer(builder, FIRST + 16, NODE, 16, { FIRST });
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = dump__heap(builder);
	type = heap__type(heap, place_of(heap, FIRST + 16));
	assert_int_equal(export_fields__find(&fields, heap), 0);
	assert_int_equal(fields.types[type].fields, EXPORT_FIELDS_MOST);
	assert_int_equal(fields.types[type].told, EXPORT_FIELDS_MOST);
	assert_int_equal(fields.beyond, REST);
	export_fields__free(&fields);
	heap__free(heap);
	buf__free(&names);
}

/* What it takes at its peak is enough, and a byte less is not. */
static void keeps_to_the_limit(void **state)
{
	struct heap *heap = wide_heap(100, 2000);
	struct export_fields fields;
	uint64_t needed;

	(void)state;
	assert_int_equal(export_fields__find(&fields, heap), 0);
	needed = fields.all.memory.highest;
	assert_true(needed > 100 * 2000 * sizeof(struct numbered_field));
	for (uint64_t less = 0; less < 2; less++) {
		export_fields__free(&fields);
		dump__leave(heap, needed - less);
		assert_int_equal(export_fields__find(&fields, heap), less ? -EDQUOT : 0);
	}
	export_fields__free(&fields);
	heap__free(heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_what_finds_no_number),
		cmocka_unit_test(tells_no_more_than_there_are),
		cmocka_unit_test(keeps_to_the_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
