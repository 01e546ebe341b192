/* SPDX-License-Identifier: BSD-2-Clause */
/* Which references to what is not in a JVM's own dump are known to lose nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dump.h"
#include "gctrace/wire.h"
#include "model/heap.h"

enum { OBJECTS = 10, CLASSES, HOLDER };
enum { AT_ARRAY = 0x1000, AT_HOLDER = 0x2000, GONE = 0x9000 };

/* An array of that type, which a root of that container holds, refers to what is not there. */
static struct heap_facts facts_of(bool is_of_jvm, const char *type, uint64_t container, bool held)
{
	struct heap_builder *builder = heap_builder__new(0);
	struct heap_facts facts;
	struct heap *heap;

	if (is_of_jvm)
		heap_builder__is_of_jvm(builder);
	dump__begin(builder);
	dump__class(builder, OBJECTS, type, NULL, 0, GCTRACE_CLASS_ARRAY);
	dump__class(builder, HOLDER, "Holder", "held", 4, 0);
	if (container)
		dump__root(builder, container, 0, AT_ARRAY, GCTRACE_ROOT_HANDLE, 1, 0);
	if (held) {
		dump__root(builder, GCTRACE_C_STATIC, HOLDER, AT_HOLDER, GCTRACE_ROOT_STATIC, 0,
			   0);
		dump__refer(builder, AT_HOLDER, HOLDER, 16, { AT_ARRAY });
	}
	dump__refer(builder, AT_ARRAY, OBJECTS, 32, { GONE, 0, GONE + 8 });
	dump__end(builder, GCTRACE_DUMP_COMPLETE);
	heap = dump__heap(builder);
	facts = *heap__facts(heap);
	assert_int_equal(heap__is_complete(heap), !facts.dangling_references);
	assert_int_equal(facts.dangling_references + facts.absent_classes +
			 facts.absent_of_garbage, 2);
	heap__free(heap);
	return facts;
}

/* The JVM's own array of class objects from its archive; a Class[] has nothing else. */
static void test_archived_classes_are_known(void **state)
{
	(void)state;
	assert_int_equal(facts_of(true, "java.lang.Object[]", GCTRACE_C_GLOBALS,
				  false).absent_classes, 2);
	assert_int_equal(facts_of(true, "java.lang.Class[]", GCTRACE_C_STATIC,
				  false).absent_classes, 2);
}

static void test_what_is_not_known_is_a_loss(void **state)
{
	(void)state;
	/* Somebody else holds it as well, or alone. */
	assert_int_equal(facts_of(true, "java.lang.Object[]", GCTRACE_C_GLOBALS,
				  true).dangling_references, 2);
	assert_int_equal(facts_of(true, "java.lang.Object[]", GCTRACE_C_STATIC,
				  false).dangling_references, 2);
	/* Of others than class objects. */
	assert_int_equal(facts_of(true, "java.lang.String[]", GCTRACE_C_GLOBALS,
				  false).dangling_references, 2);
	/* Not the JVM's own dump. */
	assert_int_equal(facts_of(false, "java.lang.Object[]", GCTRACE_C_GLOBALS,
				  false).dangling_references, 2);
	assert_int_equal(facts_of(false, "java.lang.Object[]", 0, false).dangling_references, 2);
}

static void test_garbage_refers_to_what_is_gone(void **state)
{
	(void)state;
	assert_int_equal(facts_of(true, "java.lang.String[]", 0, false).absent_of_garbage, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_archived_classes_are_known),
		cmocka_unit_test(test_what_is_not_known_is_a_loss),
		cmocka_unit_test(test_garbage_refers_to_what_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
