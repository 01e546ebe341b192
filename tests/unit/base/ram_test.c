/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/draft.h"
#include "base/ram.h"
#include "unit/directory.h"
#include "view/output.h"

#define MIB(n) ((uint64_t)(n) << 20)

static void put(const char *path, const char *text)
{
	char directory[256], *slash;

	strcpy(directory, path);
	for (slash = strchr(directory, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(directory, 0700);
		*slash = '/';
	}
	directory__write(path, text);
}

static void what_is_available_is_the_least(void **state)
{
	(void)state;
	assert_int_equal(ram__available("nothing"), 0);
	put("a/proc/meminfo", "MemTotal:  8388608 kB\nMemFree: 1 kB\nMemAvailable:   4194304 kB\n");
	assert_int_equal(ram__available("a"), MIB(4096));
	/* A group without a limit in one with. */
	put("a/proc/self/cgroup", "0::/outer/inner\n");
	put("a/sys/fs/cgroup/outer/inner/memory.max", "max\n");
	put("a/sys/fs/cgroup/outer/inner/memory.current", "1048576\n");
	assert_int_equal(ram__available("a"), MIB(4096));
	put("a/sys/fs/cgroup/outer/memory.max", "536870912\n");
	put("a/sys/fs/cgroup/outer/memory.current", "104857600\n");
	put("a/sys/fs/cgroup/outer/memory.stat", "anon 1\ninactive_file 10485760\nactive_file 7\n");
	assert_int_equal(ram__available("a"), MIB(512 - 100 + 10));
	put("a/sys/fs/cgroup/outer/inner/memory.high", "209715200\n");
	assert_int_equal(ram__available("a"), MIB(200 - 1));
	/* Nothing is left. */
	put("a/sys/fs/cgroup/outer/inner/memory.max", "1000\n");
	assert_int_equal(ram__available("a"), 0);
}

static void groups_of_version_1_count(void **state)
{
	(void)state;
	put("b/proc/meminfo", "MemAvailable:   4194304 kB\n");
	put("b/proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/job\n0::/\n");
	put("b/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	put("b/sys/fs/cgroup/memory/memory.usage_in_bytes", "104857600\n");
	put("b/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "67108864\n");
	put("b/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "33554432\n");
	put("b/sys/fs/cgroup/memory/job/memory.stat", "cache 1\ntotal_inactive_file 1048576\n");
	assert_int_equal(ram__available("b"), MIB(64 - 32 + 1));
}

static void what_was_refused_ends_all_output(void **state)
{
	struct draft draft;
	struct output output;
	int pipe_ends[2];

	(void)state;
	assert_int_equal(pipe(pipe_ends), 0);
	output__init(&output, pipe_ends[1], -1, "a pipe");
	assert_int_equal(output__write(&output, "x", 1), 0);
	assert_int_equal(draft__open(&draft, "draft"), 0);
	assert_false(ram__ran_out());
	assert_false(ram__report());
#ifdef __SANITIZE_ADDRESS__
	ram__refused(SIZE_MAX / 4);
#else
	{
		void *volatile at = malloc(SIZE_MAX / 4);

		assert_null(at);
	}
#endif
	assert_true(ram__ran_out());
	assert_true(ram__report());
	assert_int_equal(output__write(&output, "x", 1), -ENOMEM);
	assert_int_equal(draft__close(&draft, 0), -ENOMEM);
	assert_int_not_equal(access("draft", F_OK), 0);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

#define in_directory(test) \
	cmocka_unit_test_setup_teardown(test, directory__enter, directory__leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_directory(what_is_available_is_the_least),
		in_directory(groups_of_version_1_count),
		in_directory(what_was_refused_ends_all_output),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
