/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two beans that count cycles, and a thread that may be at the end of its stack: there it cannot
 * call Java, and to call anything with an exception pending is wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/hotspot/beans.c"

static struct {
	int calls_left; /* that succeed; -1: all */
	unsigned wrong_calls;
	bool is_pending;
} fake;

static jlong JNICALL call_long(JNIEnv *jni, jobject bean, jmethodID method, ...)
{
	(void)jni;
	(void)method;
	fake.wrong_calls += fake.is_pending;
	fake.is_pending = !fake.calls_left;
	fake.calls_left -= fake.calls_left > 0;
	return fake.is_pending ? 0 : (jlong)(uintptr_t)bean;
}

static jboolean JNICALL check(JNIEnv *jni)
{
	(void)jni;
	return fake.is_pending;
}

static void JNICALL clear(JNIEnv *jni)
{
	(void)jni;
	fake.is_pending = false;
}

static const struct JNINativeInterface_ functions = {
	.CallLongMethod = call_long,
	.ExceptionCheck = check,
	.ExceptionClear = clear,
};

static uint64_t collections(int calls_left)
{
	JNIEnv jni = &functions;

	fake.calls_left = calls_left;
	return beans__collections(&jni);
}

static void who_cannot_ask_has_the_last_answer(void **state)
{
	(void)state;
	beans.count = 2;
	beans.of[0] = (jobject)(uintptr_t)30;
	beans.of[1] = (jobject)(uintptr_t)4;
	assert_int_equal(collections(-1), 34);
	beans.of[1] = (jobject)(uintptr_t)5;
	assert_int_equal(collections(0), 34);
	assert_int_equal(collections(1), 34);
	assert_int_equal(collections(-1), 35);
	assert_int_equal(fake.wrong_calls, 0);
	assert_false(fake.is_pending);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_cannot_ask_has_the_last_answer),
	};

	return cmocka_run_group_tests_name("agents/hotspot_beans", tests, NULL, NULL);
}
