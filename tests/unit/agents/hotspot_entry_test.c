/* SPDX-License-Identifier: BSD-2-Clause */
/* Loading the agent: what is left where it fails, and that it can be tried again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agents/hotspot/entry.c"

#include "hotspot_vm.h"

#include <stdio.h>

/* ---- The watcher's thread ---- */

static bool there_is_a_thread;

bool watcher__start(requests_handler *handler)
{
	assert_ptr_equal(handler, heed);
	return there_is_a_thread;
}

void watcher__stop(void)
{
}

/* ---- */

static size_t mapped_pages(void)
{
	unsigned long pages = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	assert_non_null(file);
	assert_int_equal(fscanf(file, "%lu", &pages), 1);
	fclose(file);
	return pages;
}

static int begin_vm(void **state)
{
	(void)state;
	fake_vm__begin();
	return 0;
}

static void fails(jint JNICALL (*enter)(JavaVM *, char *, void *), jint want)
{
	there_is_a_thread = false;
	assert_int_equal(enter(fake_java, NULL, NULL), want);
	assert_int_equal(fake_vm.environments, 0);
	assert_int_equal(fake_vm.attached, 0);
	assert_false(vm__is_live());
}

static void nothing_is_left_where_it_fails(void **state)
{
	size_t before;

	(void)state;
	fails(Agent_OnAttach, GCTRACE_HOTSPOT_NO_MEMORY); /* the C library takes what it needs */
	before = mapped_pages();
	for (int i = 0; i < 100; i++) {
		fails(Agent_OnAttach, GCTRACE_HOTSPOT_NO_MEMORY);
		fails(Agent_OnLoad, 0);
	}
	/* It would be the buffers 200 times; what is less may be the C library's. */
	assert_true(mapped_pages() < before + 100 * WRITERS * GCTRACE_BATCH_BYTES / 4096);
}

/* Java 17 answers so until its live phase: it is not too old. */
static void one_that_is_starting_takes_it_later(void **state)
{
	(void)state;
	fake_vm.is_starting = true;
	fails(Agent_OnAttach, GCTRACE_HOTSPOT_TOO_EARLY);
	fails(Agent_OnAttach, GCTRACE_HOTSPOT_TOO_EARLY);
	fake_vm.is_starting = false;
	fails(Agent_OnAttach, GCTRACE_HOTSPOT_NO_MEMORY); /* it goes on, to the watcher's thread */
}

static void it_is_loaded_once_after_it_has_failed(void **state)
{
	(void)state;
	fails(Agent_OnAttach, GCTRACE_HOTSPOT_NO_MEMORY);
	there_is_a_thread = true;
	assert_int_equal(Agent_OnAttach(fake_java, NULL, NULL), 0);
	assert_int_equal(fake_vm.environments, 1);
	assert_true(vm__is_live());
	assert_true(addresses.are_known);
	assert_int_equal(Agent_OnAttach(fake_java, NULL, NULL), GCTRACE_HOTSPOT_ALREADY_THERE);
	assert_int_equal(fake_vm.environments, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_is_left_where_it_fails, begin_vm),
		cmocka_unit_test_setup(one_that_is_starting_takes_it_later, begin_vm),
		cmocka_unit_test_setup(it_is_loaded_once_after_it_has_failed, begin_vm),
	};

	return cmocka_run_group_tests_name("agents/hotspot_entry", tests, NULL, NULL);
}
