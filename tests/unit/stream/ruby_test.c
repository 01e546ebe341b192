/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runtime_script.h"

#define MARK_BEGIN RECORD_RUBY_MARK_BEGIN
#define MARK_END RECORD_RUBY_MARK_END
#define SWEEP_BEGIN RECORD_RUBY_SWEEP_BEGIN
#define SWEEP_END RECORD_RUBY_SWEEP_END

static void play(struct runtime_script *s, const uint16_t *kinds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		assert_int_equal(play_call(s, kinds[i], 0), 0);
}

#define PLAY(s, ...)                                                    \
	play(s, (const uint16_t[]){ __VA_ARGS__ },                      \
	     sizeof((const uint16_t[]){ __VA_ARGS__ }) / sizeof(uint16_t))

static void an_immediate_sweep_is_a_part_of_its_mark(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &ruby_translator);
	PLAY(&s, MARK_BEGIN, SWEEP_BEGIN, SWEEP_END, SWEEP_BEGIN, SWEEP_END, MARK_END);
	expect_log(&s, "100 t1 pause+ mark\n"
		       "100 t1 gc+ mark+sweep\n"
		       "105 t1 pause-\n");
	runtime_script__end(&s);
}

static void steps_that_follow_are_a_line_when_the_next_mark_begins(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &ruby_translator);
	PLAY(&s, MARK_BEGIN, MARK_END, SWEEP_BEGIN, SWEEP_END);
	s.tid = 2;
	PLAY(&s, SWEEP_BEGIN, SWEEP_END);
	s.now = 200;
	PLAY(&s, MARK_BEGIN);
	expect_log(&s, "100 t1 pause+ mark\n"
		       "100 t1 gc+ mark+sweep\n"
		       "101 t1 pause-\n"
		       "102 t1 pause+ sweep\n"
		       "103 t1 pause-\n"
		       "104 t2 pause+ sweep\n"
		       "105 t2 pause-\n"
		       "105 t1 gc- mark+sweep\n"
		       "200 t2 pause+ mark\n"
		       "200 t2 gc+ mark+sweep\n");
	runtime_script__end(&s);
}

static void steps_before_the_first_mark_have_no_beginning(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &ruby_translator);
	PLAY(&s, SWEEP_END, SWEEP_BEGIN, SWEEP_END, MARK_BEGIN);
	expect_log(&s, "101 t1 pause+ sweep\n"
		       "102 t1 pause-\n"
		       "102 t1 gc- mark+sweep\n"
		       "103 t1 pause+ mark\n"
		       "103 t1 gc+ mark+sweep\n");
	runtime_script__end(&s);
}

static void a_mark_that_had_begun_is_told_by_its_end(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &ruby_translator);
	PLAY(&s, SWEEP_END, MARK_END, SWEEP_BEGIN, SWEEP_END);
	expect_log(&s, "101 t1 pause-\n"
		       "102 t1 pause+ sweep\n"
		       "103 t1 pause-\n");
	runtime_script__end(&s);
}

static void a_mark_whose_end_was_missed_is_over_when_the_next_begins(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &ruby_translator);
	PLAY(&s, MARK_BEGIN);
	s.tid = 2;
	PLAY(&s, MARK_BEGIN, MARK_END);
	expect_log(&s, "100 t1 pause+ mark\n"
		       "100 t1 gc+ mark+sweep\n"
		       "101 t1 pause- overdue\n"
		       "101 t1 gc- mark+sweep overdue\n"
		       "101 t2 pause+ mark\n"
		       "101 t2 gc+ mark+sweep\n"
		       "102 t2 pause-\n");
	runtime_script__end(&s);
}

static void a_step_whose_end_was_missed_is_over_when_a_mark_begins(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &ruby_translator);
	PLAY(&s, MARK_BEGIN, MARK_END, SWEEP_BEGIN);
	s.tid = 2;
	PLAY(&s, MARK_BEGIN);
	expect_log(&s, "100 t1 pause+ mark\n"
		       "100 t1 gc+ mark+sweep\n"
		       "101 t1 pause-\n"
		       "102 t1 pause+ sweep\n"
		       "103 t1 pause- overdue\n"
		       "103 t1 gc- mark+sweep overdue\n"
		       "103 t2 pause+ mark\n"
		       "103 t2 gc+ mark+sweep\n");
	runtime_script__end(&s);
}

static void a_step_whose_end_was_missed_is_over_when_the_next_begins(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &ruby_translator);
	PLAY(&s, MARK_END, SWEEP_BEGIN);
	s.tid = 2;
	PLAY(&s, SWEEP_BEGIN, SWEEP_END, MARK_BEGIN);
	expect_log(&s, "100 t1 pause-\n"
		       "101 t1 pause+ sweep\n"
		       "102 t1 pause- overdue\n"
		       "102 t2 pause+ sweep\n"
		       "103 t2 pause-\n"
		       "103 t1 gc- mark+sweep\n"
		       "104 t2 pause+ mark\n"
		       "104 t2 gc+ mark+sweep\n");
	runtime_script__end(&s);
}

/* The steps may have been those within it: there is no sweep to tell of, nor a second pause. */
static void a_mark_that_had_begun_ends_what_steps_were_seen(void **state)
{
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &ruby_translator);
	PLAY(&s, SWEEP_BEGIN, MARK_END, SWEEP_BEGIN, SWEEP_END, MARK_END);
	expect_log(&s, "100 t1 pause+ sweep\n"
		       "101 t1 pause- overdue\n"
		       "102 t1 pause+ sweep\n"
		       "103 t1 pause-\n"
		       "104 t1 gc- mark+sweep overdue\n"
		       "104 t1 pause-\n");
	runtime_script__end(&s);
}

static void a_short_record_is_malformed(void **state)
{
	struct record record = { .bytes = sizeof(record), .kind = MARK_BEGIN, .target = 3 };
	struct runtime_script s;

	(void)state;
	runtime_script__begin(&s, &ruby_translator);
	assert_int_equal(play_record(&s, &record), -EBADMSG);
	expect_log(&s, "");
	runtime_script__end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_immediate_sweep_is_a_part_of_its_mark),
		cmocka_unit_test(steps_that_follow_are_a_line_when_the_next_mark_begins),
		cmocka_unit_test(steps_before_the_first_mark_have_no_beginning),
		cmocka_unit_test(a_mark_that_had_begun_is_told_by_its_end),
		cmocka_unit_test(a_mark_whose_end_was_missed_is_over_when_the_next_begins),
		cmocka_unit_test(a_step_whose_end_was_missed_is_over_when_a_mark_begins),
		cmocka_unit_test(a_step_whose_end_was_missed_is_over_when_the_next_begins),
		cmocka_unit_test(a_mark_that_had_begun_ends_what_steps_were_seen),
		cmocka_unit_test(a_short_record_is_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
