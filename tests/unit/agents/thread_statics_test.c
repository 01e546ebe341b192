/* SPDX-License-Identifier: BSD-2-Clause */
/* How much is asked of the runtime about threads' statics while the program stands still. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/dotnet/thread_statics.c"

struct clr clr;

static struct gctrace_writer writer;
static struct totals totals;
static uint64_t calls, calls_held, unnamed, holds;
static bool is_held;

void unnamed__add(uint64_t names)
{
	unnamed += names;
}

void gone__hold(void)
{
	assert_false(is_held);
	is_held = true;
	holds++;
	calls_held = 0;
}

void gone__release(void)
{
	assert_true(is_held);
	is_held = false;
}

bool gone__has(uintptr_t id)
{
	return id == 13;
}

static HRESULT get_address(void *self, uintptr_t class_, uint32_t token, uintptr_t domain,
			   uintptr_t thread, void **address)
{
	(void)self;
	(void)class_;
	(void)token;
	(void)address;
	assert_true(is_held);
	assert_int_equal(domain, 5);
	assert_int_not_equal(thread, 13);
	calls++;
	assert_true(++calls_held <= field_count());
	return E_FAIL;
}

static int begin(void **state)
{
	(void)state;
	thread_statics__empty();
	calls = unnamed = holds = 0;
	return 0;
}

static void add(size_t thread_total, size_t field_total)
{
	for (size_t i = 0; i < thread_total; i++)
		*(struct thread *)region__get(&threads, sizeof(struct thread)) =
			(struct thread){ .id = i + 1 };
	for (size_t i = 0; i < field_total; i++)
		*(struct field *)region__get(&fields, sizeof(struct field)) =
			(struct field){ .class_ = 7 };
}

static void every_thread_that_is_there_is_asked_for_every_field(void **state)
{
	(void)state;
	add(20, 30);
	thread_statics__tell(&writer, 5, &totals);
	assert_int_equal(calls, 19 * 30);
	assert_int_equal(holds, 20);
	assert_int_equal(unnamed, 0);
}

static void of_too_many_the_rest_is_counted(void **state)
{
	const size_t asked = MOST_CALLS / 2000;

	(void)state;
	add(1000, 2000);
	thread_statics__tell(&writer, 5, &totals);
	assert_int_equal(calls, (asked - 1) * 2000);
	assert_int_equal(unnamed, (1000 - asked) * 2000);
}

static void where_there_is_no_field_nothing_is_asked(void **state)
{
	(void)state;
	add(20, 0);
	thread_statics__tell(&writer, 5, &totals);
	assert_int_equal(calls, 0);
	assert_int_equal(unnamed, 0);
}

int main(void)
{
	static const struct info_table table = { .get_thread_static_address2 = get_address };
	static struct info info = { &table };
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(every_thread_that_is_there_is_asked_for_every_field, begin),
		cmocka_unit_test_setup(of_too_many_the_rest_is_counted, begin),
		cmocka_unit_test_setup(where_there_is_no_field_nothing_is_asked, begin),
	};

	clr.info = &info;
	if (!thread_statics__init())
		return 1;
	return cmocka_run_group_tests_name("agents/thread_statics", tests, NULL, NULL);
}
