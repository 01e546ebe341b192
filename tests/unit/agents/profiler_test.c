/* SPDX-License-Identifier: BSD-2-Clause */
/* What the runtime calls back, in the order in which it may. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/dotnet/profiler.h"
#include "fake_runtime.h"
#include "listener.h"

/*
 * One that has let the program go has yet to say that it has finished when another one stops it
 * again: its late word must not end the other's pause.
 */
static void who_finishes_late_ends_no_other_pause(void **state)
{
	static const struct guid unknown = IID_IUnknown;
	const struct callback_table **profiler, *calls;
	void *self;

	(void)state;
	fake_runtime__begin();
	assert_int_equal(profiler__query(&unknown, &self), S_OK);
	profiler = self;
	calls = *profiler;
	calls->runtime_suspend_started(self, SUSPEND_FOR_GC);
	calls->runtime_suspend_finished(self);
	calls->runtime_resume_started(self);
	calls->runtime_suspend_started(self, SUSPEND_FOR_GC_PREP); /* another thread */
	calls->runtime_resume_finished(self);			   /* the first one */
	calls->runtime_suspend_finished(self);
	calls->runtime_resume_started(self);
	calls->runtime_resume_finished(self);
	assert_string_equal(listener__told(), "pause_begin pause=1 why=1\n"
					      "pause_end pause=1\n"
					      "pause_begin pause=2 why=257\n"
					      "pause_end pause=2\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_finishes_late_ends_no_other_pause),
	};

	return cmocka_run_group_tests_name("agents/profiler", tests, NULL, NULL);
}
