/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes of samples: as many as there is room for, and what is beyond is counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "agents/hotspot/kinds.c"

/* ---- The JVM: a class is its tag ---- */

static jlong tags[KINDS_MOST + 3];
static bool has_no_tags, has_no_signatures;

static jclass class_at(uint32_t index)
{
	return (jclass)(void *)&tags[index];
}

static jvmtiError JNICALL get_tag(jvmtiEnv *env, jobject class_, jlong *tag)
{
	(void)env;
	*tag = *(jlong *)(void *)class_;
	return has_no_tags ? JVMTI_ERROR_OUT_OF_MEMORY : JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL set_tag(jvmtiEnv *env, jobject class_, jlong tag)
{
	(void)env;
	*(jlong *)(void *)class_ = tag;
	return JVMTI_ERROR_NONE;
}

static jvmtiError JNICALL get_signature(jvmtiEnv *env, jclass class_, char **signature,
					char **generic)
{
	(void)env;
	(void)generic;
	if (has_no_signatures)
		return JVMTI_ERROR_OUT_OF_MEMORY;
	return asprintf(signature, "LC%td;", (jlong *)(void *)class_ - tags) < 0;
}

static const struct jvmtiInterface_1_ functions = {
	.GetClassSignature = get_signature,
	.GetTag = get_tag,
	.SetTag = set_tag,
};
static jvmtiEnv environment = &functions;

void vm__free(jvmtiEnv *jvmti, void *memory)
{
	(void)jvmti;
	free(memory);
}

/* ---- */

static int set_up(void **state)
{
	(void)state;
	if (!kinds.at && !kinds__init())
		return -1;
	kinds__empty();
	memset(tags, 0, sizeof(tags));
	has_no_tags = has_no_signatures = false;
	return 0;
}

static void classes_beyond_the_last_are_counted(void **state)
{
	const uint32_t most = KINDS_MOST;
	uint64_t last;

	(void)state;
	for (uint32_t i = 0; i < most; i++)
		assert_int_equal(kinds__of(&environment, class_at(i)), i + 1);
	assert_int_equal(kinds__left_out(), 0);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(kinds__of(&environment, class_at(most + i)), 0);
	assert_int_equal(kinds__of(&environment, class_at(most)), 0);
	assert_int_equal(kinds__of(&environment, class_at(most - 1)), most);
	assert_int_equal(kinds__left_out(), 4);
	assert_int_equal(kinds__left_out(), 0);

	last = kinds__id(most);
	assert_int_equal(kinds__of(&environment, class_at(most)), 0);
	kinds__empty();
	memset(tags, 0, sizeof(tags));
	assert_int_equal(kinds__left_out(), 0);
	assert_int_equal(kinds__of(&environment, class_at(most)), 1);
	assert_true(kinds__id(1) > last);
}

static void classes_of_which_the_jvm_does_not_tell_are_counted(void **state)
{
	(void)state;
	has_no_signatures = true;
	assert_int_equal(kinds__of(&environment, class_at(0)), 0);
	assert_int_equal(kinds__left_out(), 1);
	has_no_signatures = false;
	assert_int_equal(kinds__of(&environment, class_at(0)), 1);
	has_no_tags = true;
	assert_int_equal(kinds__of(&environment, class_at(0)), 0);
	assert_int_equal(kinds__left_out(), 1);
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(classes_beyond_the_last_are_counted),
		TEST(classes_of_which_the_jvm_does_not_tell_are_counted),
	};

	return cmocka_run_group_tests_name("agents/hotspot_kinds", tests, NULL, NULL);
}
