/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime_script.h"

static void a_pair_is_a_collection_and_a_pause(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &python_translator);
	assert_int_equal(play_call(&s, RECORD_PYTHON_GC_START, 1), 0);
	assert_int_equal(play_call(&s, RECORD_PYTHON_GC_DONE, 628), 0);
	expect_log(&s, "100 t1 pause+\n"
		       "100 t1 gc+ gen 1 generations=3\n"
		       "101 t1 gc- collected=628\n"
		       "101 t1 pause-\n");
	runtime_script__end(&s);
}

static void each_thread_has_its_own(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &python_translator);
	play_call(&s, RECORD_PYTHON_GC_START, 0);
	s.tid = 2;
	play_call(&s, RECORD_PYTHON_GC_START, 2);
	s.tid = 1;
	play_call(&s, RECORD_PYTHON_GC_DONE, 0);
	expect_log(&s, "100 t1 pause+\n"
		       "100 t1 gc+ gen 0 generations=1\n"
		       "101 t2 pause+\n"
		       "101 t2 gc+ gen 2 generations=7\n"
		       "102 t1 gc- collected=0\n"
		       "102 t1 pause-\n");
	runtime_script__end(&s);
}

static void a_collection_whose_end_was_missed_is_over_when_its_thread_begins_another(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &python_translator);
	play_call(&s, RECORD_PYTHON_GC_START, 0);
	s.tid = 2;
	play_call(&s, RECORD_PYTHON_GC_START, 1);
	s.tid = 1;
	play_call(&s, RECORD_PYTHON_GC_START, 2);
	play_call(&s, RECORD_PYTHON_GC_DONE, 7);
	play_call(&s, RECORD_PYTHON_GC_DONE, 8); /* its start was missed */
	s.tid = 2;
	play_call(&s, RECORD_PYTHON_GC_DONE, 9);
	expect_log(&s, "100 t1 pause+\n"
		       "100 t1 gc+ gen 0 generations=1\n"
		       "101 t2 pause+\n"
		       "101 t2 gc+ gen 1 generations=3\n"
		       "102 t1 gc- overdue\n"
		       "102 t1 pause- overdue\n"
		       "102 t1 pause+\n"
		       "102 t1 gc+ gen 2 generations=7\n"
		       "103 t1 gc- collected=7\n"
		       "103 t1 pause-\n"
		       "104 t1 gc- collected=8\n"
		       "104 t1 pause-\n"
		       "105 t2 gc- collected=9\n"
		       "105 t2 pause-\n");
	runtime_script__end(&s);
}

static void odd_numbers_are_not_taken_for_figures(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &python_translator);
	play_call(&s, RECORD_PYTHON_GC_START, (uint64_t)-1);
	play_call(&s, RECORD_PYTHON_GC_DONE, (uint64_t)-1);
	play_call(&s, RECORD_PYTHON_GC_START, INT64_MIN);
	play_call(&s, RECORD_PYTHON_GC_START, 62);
	expect_log(&s, "100 t1 pause+\n"
		       "100 t1 gc+ gen -1\n"
		       "101 t1 gc-\n"
		       "101 t1 pause-\n"
		       "102 t1 pause+\n"
		       "102 t1 gc+ gen -9223372036854775808\n"
		       "103 t1 gc- overdue\n"
		       "103 t1 pause- overdue\n"
		       "103 t1 pause+\n"
		       "103 t1 gc+ gen 62 generations=9223372036854775807\n");
	runtime_script__end(&s);
}

static void a_short_record_is_malformed(void **state)
{
	struct record record = { .bytes = sizeof(record), .kind = RECORD_PYTHON_GC_START,
				 .target = 3 };
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &python_translator);
	assert_int_equal(play_record(&s, &record), -EBADMSG);
	expect_log(&s, "");
	runtime_script__end(&s);
}

static void what_the_sink_answers_is_handed_up(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &python_translator);
	s.answer = 1;
	assert_int_equal(play_call(&s, RECORD_PYTHON_GC_START, 1), 1);
	assert_int_equal(play_call(&s, RECORD_PYTHON_GC_DONE, 1), 1);
	runtime_script__end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pair_is_a_collection_and_a_pause),
		cmocka_unit_test(each_thread_has_its_own),
		cmocka_unit_test(
			a_collection_whose_end_was_missed_is_over_when_its_thread_begins_another),
		cmocka_unit_test(odd_numbers_are_not_taken_for_figures),
		cmocka_unit_test(a_short_record_is_malformed),
		cmocka_unit_test(what_the_sink_answers_is_handed_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
