/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "target/remote.h"
#include "target/waiting.h"
#include "target/walker.h"

/* Two pages, the second of which cannot be read. */
static unsigned char *edge(size_t *page)
{
	unsigned char *at;

	*page = (size_t)sysconf(_SC_PAGESIZE);
	at = mmap(NULL, 2 * *page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(at, MAP_FAILED);
	assert_int_equal(mprotect(at + *page, *page, PROT_NONE), 0);
	return at;
}

static void reads_all_or_nothing(void **state)
{
	struct remote remote;
	char got[16] = "";
	size_t page;
	unsigned char *at = edge(&page);

	(void)state;
	remote__init(&remote, getpid());
	memcpy(at + page - 8, "12345678", 8);
	assert_int_equal(remote__read(&remote, (uintptr_t)at + page - 8, got, 8), 0);
	assert_memory_equal(got, "12345678", 8);
	assert_int_equal(remote__read(&remote, (uintptr_t)at + page - 8, got, 9), -EFAULT);
	assert_int_equal(remote__read(&remote, 0, got, 1), -EFAULT);
	assert_int_equal(remote__read(&remote, UINT64_MAX, got, 8), -EFAULT);
	assert_int_equal(remote__read(&remote, 0, got, 0), 0);
	munmap(at, 2 * page);
}

static void one_bad_part_does_not_spoil_the_others(void **state)
{
	enum { PARTS = 2500 };
	static struct remote_part parts[PARTS];
	static uint32_t from[PARTS], to[PARTS];
	struct remote remote;

	(void)state;
	remote__init(&remote, getpid());
	for (uint32_t i = 0; i < PARTS; i++) {
		from[i] = i;
		to[i] = UINT32_MAX;
		parts[i] = (struct remote_part){ .address = i % 7 == 3 ? 8 : (uintptr_t)&from[i],
						 .to = &to[i], .size = sizeof(to[i]) };
	}
	assert_int_equal(remote__read_parts(&remote, parts, PARTS), 0);
	for (uint32_t i = 0; i < PARTS; i++) {
		assert_int_equal(parts[i].err, i % 7 == 3 ? -EFAULT : 0);
		assert_int_equal(to[i], i % 7 == 3 ? UINT32_MAX : i);
	}
}

static void texts_end_at_their_end_or_are_cut(void **state)
{
	struct remote remote;
	char got[8];
	size_t page;
	unsigned char *at = edge(&page);

	(void)state;
	remote__init(&remote, getpid());
	memcpy(at + page - 4, "abc", 4);
	assert_int_equal(remote__read_text(&remote, (uintptr_t)at + page - 4, got, sizeof(got)), 3);
	assert_string_equal(got, "abc");
	assert_int_equal(remote__read_text(&remote, (uintptr_t)at + page - 4, got, 3), -E2BIG);
	assert_string_equal(got, "ab");
	memcpy(at + page - 4, "abcd", 4);
	assert_int_equal(remote__read_text(&remote, (uintptr_t)at + page - 4, got, sizeof(got)),
			 -EFAULT);
	munmap(at, 2 * page);
}

static void who_is_gone(void **state)
{
	struct remote remote;
	char byte;

	(void)state;
	remote__init(&remote, 0x3fffffff);
	assert_int_equal(remote__read(&remote, 8, &byte, 1), -ESRCH);
}

static void what_was_caught_comes_first_and_lasts(void **state)
{
	uint64_t now = 2, caught = 1, got = 0;
	const struct caught_thread thread = {
		.stack_at = (uintptr_t)&now,
		.stack_bytes = sizeof(caught),
		.stack = (const unsigned char *)&caught,
	};
	struct remote remote;
	bool lasting = true;

	(void)state;
	remote__init(&remote, getpid());
	assert_int_equal(caught__read(&thread, &remote, (uintptr_t)&now, &got, 8, &lasting), 0);
	assert_int_equal(got, 1);
	assert_true(lasting);
	/* Half of it was caught: then all of it is read as it is now. */
	assert_int_equal(caught__read(&thread, &remote, (uintptr_t)&now + 4, &got, 8, &lasting), 0);
	assert_false(lasting);
}

static void a_walk_ends_where_it_is_enough(void **state)
{
	const struct frame frame = { .kind = FRAME_NATIVE };
	struct walk walk = { .wanted = 2 };

	(void)state;
	assert_int_equal(walk__push(&walk, &frame), 0);
	assert_int_equal(walk__push(&walk, &frame), 0);
	assert_int_equal(walk__push(&walk, &frame), -E2BIG);
	assert_false(walk.is_cut);
	walk.wanted = 0;
	for (size_t i = walk.frames.count; i < WALK_FRAMES; i++)
		assert_int_equal(walk__push(&walk, &frame), 0);
	assert_int_equal(walk__push(&walk, &frame), -E2BIG);
	assert_true(walk.is_cut);
	vec__free(&walk.frames);
}

static void system_calls_have_names_and_waits(void **state)
{
	(void)state;
	for (long number = 0; number < 600; number++) {
		const char *name = waiting__syscall(number);

		assert_non_null(waiting__for(number));
		if (name && strcmp(name, "futex") == 0)
			assert_string_equal(waiting__for(number), "lock");
		if (name && strcmp(name, "read") == 0)
			assert_string_equal(waiting__for(number), "input");
	}
	assert_null(waiting__syscall(-1));
	assert_null(waiting__syscall(1 << 30));
	assert_string_equal(waiting__for(-1), "memory");
	assert_string_equal(waiting__for(1 << 30), "event");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_all_or_nothing),
		cmocka_unit_test(one_bad_part_does_not_spoil_the_others),
		cmocka_unit_test(texts_end_at_their_end_or_are_cut),
		cmocka_unit_test(who_is_gone),
		cmocka_unit_test(what_was_caught_comes_first_and_lasts),
		cmocka_unit_test(a_walk_ends_where_it_is_enough),
		cmocka_unit_test(system_calls_have_names_and_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
