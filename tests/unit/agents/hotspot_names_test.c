/* SPDX-License-Identifier: BSD-2-Clause */
/* Signatures of the JVM become names of Java. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/hotspot/names.h"

#include <string.h>

static void expect(const char *signature, const char *name)
{
	char to[NAMES_ROOM];
	const size_t bytes = names__class(signature, to, sizeof(to));

	assert_int_equal(bytes, strlen(name));
	assert_memory_equal(to, name, bytes);
}

static void classes_arrays_and_numbers(void **state)
{
	(void)state;
	expect("Ljava/util/HashMap$Node;", "java.util.HashMap$Node");
	expect("[Ljava/util/HashMap$Node;", "java.util.HashMap$Node[]");
	expect("[[[Ljava/lang/Object;", "java.lang.Object[][][]");
	expect("LGraph;", "Graph");
	expect("[B", "byte[]");
	expect("[[J", "long[][]");
	expect("I", "int");
	expect("V", "void");
}

static void hidden_classes_have_their_slash(void **state)
{
	(void)state;
	expect("Lorg/a/Main$$Lambda$14.0x0000000800c03000;",
	       "org.a.Main$$Lambda$14/0x0000000800c03000");
	expect("[Lorg/a/B.0x1c;", "org.a.B/0x1c[]");
	assert_true(names__is_hidden("[Lorg/a/B.0x1c;"));
	assert_false(names__is_hidden("Lorg/a/B;"));
}

static void what_is_no_signature_is_taken_as_it_is(void **state)
{
	(void)state;
	expect("", "");
	expect("Q", "Q");
	expect("[", "[]");
	expect("Lopen", "Lopen");
}

static void a_name_without_room_is_cut(void **state)
{
	char to[4];

	(void)state;
	assert_int_equal(names__class("Ljava/lang/String;", to, sizeof(to)), 4);
	assert_memory_equal(to, "java", 4);
	assert_int_equal(names__class("[I", to, sizeof(to)), 4);
	assert_memory_equal(to, "int[", 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_arrays_and_numbers),
		cmocka_unit_test(hidden_classes_have_their_slash),
		cmocka_unit_test(what_is_no_signature_is_taken_as_it_is),
		cmocka_unit_test(a_name_without_room_is_cut),
	};

	return cmocka_run_group_tests_name("agents/hotspot_names", tests, NULL, NULL);
}
