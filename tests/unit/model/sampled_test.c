/* SPDX-License-Identifier: BSD-2-Clause */
/* What samples add to collections keeps nothing of where they were made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gctrace/wire.h"
#include "model/sampled.h"

static void tell(struct sampled *sampled, const struct event *event)
{
	assert_int_equal(sampled__event(sampled, event), 0);
}

/* Of ever new stacks and classes, all of which die. */
static void stacks_take_no_memory(void **state)
{
	struct sampled sampled = SAMPLED_INIT;

	(void)state;
	for (uint64_t i = 1; i <= 20000; i++) {
		const struct sample_fate dies = { .sample = i, .address = EVENT_UNKNOWN,
						  .bits = GCTRACE_SAMPLE_DEAD };

		tell(&sampled, &(struct event){
			.kind = EVENT_OBJECT_ALLOC, .time = i,
			.alloc = { .id = i * 16, .size = 10, .class_ = i, .stack = i,
				   .weight = 1000, .sample = i, .gc = i - 1 } });
		tell(&sampled, &(struct event){
			.kind = EVENT_SAMPLES, .time = i,
			.samples = { .gc = i, .interval = 990, .samples = &dies, .count = 1 } });
		assert_true(sampled.sites.turn.died.bytes == 1000);
	}
	assert_int_equal(sampled.sites.seen, 20000);
	assert_int_equal(sampled.sites.spots.count, 1);
	assert_int_equal(sampled.sites.types.of.count, 1);
	assert_int_equal(sampled.sites.stacks.ends.count, 0);
	sampled__free(&sampled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_take_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
