/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a dump waits for whoever reads it; time goes by in sleeps alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/common/clock.h"
#include "agents/common/emitter.h"

static uint64_t now_ns, lowered_ns; /* when the request for a pause falls */

static uint64_t fake_now(void)
{
	return now_ns;
}

static int fake_sleep(const struct timespec *time, struct timespec *left)
{
	(void)left;
	now_ns += (uint64_t)time->tv_nsec;
	if (now_ns >= lowered_ns)
		gctrace_request__pause_semaphore = 0;
	return 0;
}

#define clock__now fake_now
#define nanosleep fake_sleep
#include "agents/common/pace.c"

static uint64_t batches;

uint64_t emitter__batches(void)
{
	return batches;
}

bool emitter__has_descriptor(void)
{
	return false;
}

#define SECOND UINT64_C(1000000000)

/* A dump is asked for, and a pause for so long. */
static void begin(uint64_t pause_ns)
{
	now_ns = SECOND;
	gctrace_request__dump_semaphore = gctrace_request__pause_semaphore = 1;
	lowered_ns = pause_ns == UINT64_MAX ? pause_ns : now_ns + pause_ns;
	pace__begin();
}

/* How long the look behind a batch takes. */
static uint64_t wait_behind_batch(void)
{
	const uint64_t since = now_ns;

	batches++;
	assert_true(pace__may_go_on());
	return now_ns - since;
}

static void it_is_waited_while_that_is_asked_for(void **state)
{
	(void)state;
	begin(SECOND);
	assert_int_equal(wait_behind_batch(), SECOND);
	assert_int_equal(wait_behind_batch(), 0);
	begin(5 * SECOND);
	assert_int_equal(wait_behind_batch(), 2 * SECOND);
	assert_int_equal(wait_behind_batch(), 0);
}

static void who_stands_still_is_not_waited_for_with_each_batch(void **state)
{
	(void)state;
	begin(UINT64_MAX);
	for (int i = 0; i < 10000; i++)
		wait_behind_batch();
	assert_int_equal(now_ns, SECOND + WAIT_MOST_NS);
}

static void who_goes_on_is_waited_for_again(void **state)
{
	(void)state;
	begin(UINT64_MAX);
	for (int i = 0; i < 100; i++)
		wait_behind_batch();
	gctrace_request__pause_semaphore = 0;
	assert_int_equal(wait_behind_batch(), 0);
	gctrace_request__pause_semaphore = 1;
	assert_int_equal(wait_behind_batch(), 2 * SECOND);
}

static void a_dump_that_is_not_wanted_is_over(void **state)
{
	(void)state;
	begin(UINT64_MAX);
	gctrace_request__dump_semaphore = 0;
	batches++;
	assert_false(pace__may_go_on());
	assert_int_equal(now_ns, SECOND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_waited_while_that_is_asked_for),
		cmocka_unit_test(who_stands_still_is_not_waited_for_with_each_batch),
		cmocka_unit_test(who_goes_on_is_waited_for_again),
		cmocka_unit_test(a_dump_that_is_not_wanted_is_over),
	};

	return cmocka_run_group_tests_name("agents/pace", tests, NULL, NULL);
}
