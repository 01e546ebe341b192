/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "fixture.h"
#include "target/map_query.h"
#include "target/maps.h"
#include "target/process.h"

#define PAGES 4

static struct {
	struct process *process;
	struct maps maps;
	struct map_query query;
	size_t page;
	char *at;
} bench;

static bool kernel_answers(void)
{
	unsigned int major = 0, minor = 0;
	struct utsname name;

	assert_int_equal(uname(&name), 0);
	assert_int_equal(sscanf(name.release, "%u.%u", &major, &minor), 2);
	return major > 6 || (major == 6 && minor >= 11);
}

static void map_file(const char *name, size_t page)
{
	const int fd = open(name, O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	bench.at = mmap(bench.at, PAGES * bench.page, PROT_READ,
			MAP_PRIVATE | (bench.at ? MAP_FIXED : 0), fd,
			(off_t)(page * bench.page));
	assert_ptr_not_equal(bench.at, MAP_FAILED);
	close(fd);
}

static int set_up(void **state)
{
	static char text[8 * 65536];

	fixture__enter(state);
	bench.page = (size_t)sysconf(_SC_PAGESIZE);
	assert_true(8 * bench.page <= sizeof(text));
	for (int i = 0; i < 2; i++) {
		FILE *file = fopen(i ? "other" : "one", "we");

		assert_non_null(file);
		assert_int_equal(fwrite(text, bench.page, 8, file), 8);
		fclose(file);
	}
	bench.at = NULL;
	map_file("one", 0);
	assert_int_equal(process__open(getpid(), &bench.process, NULL), 0);
	assert_int_equal(maps__read(&bench.maps, bench.process), 0);
	bench.query = (struct map_query)MAP_QUERY_INIT;
	map_query__open(&bench.query, bench.process);
	return 0;
}

static int tear_down(void **state)
{
	munmap(bench.at, PAGES * bench.page);
	map_query__close(&bench.query);
	maps__free(&bench.maps);
	process__free(bench.process);
	return fixture__leave(state);
}

static bool is_still(const void *at)
{
	const uint64_t address = (uintptr_t)at;

	return map_query__is_still(&bench.query, maps__at(&bench.maps, address), address);
}

static void all_are_what_they_were(void **state)
{
	(void)state;
	for (size_t i = 0; i < bench.maps.count; i++) {
		const struct map *map = &bench.maps.entries[i];

		/* What is no memory of the process's is not known by address. */
		if (map->path_len && map->path[0] == '[' && !map->read)
			continue;
		assert_true(map_query__is_still(&bench.query, map, map->start));
	}
}

static void another_place_of_the_file_is_another(void **state)
{
	(void)state;
	assert_true(is_still(bench.at + bench.page));
	map_file("one", 1);
	assert_int_equal(is_still(bench.at + bench.page), !kernel_answers());
}

static void another_file_is_another(void **state)
{
	(void)state;
	map_file("other", 0);
	assert_int_equal(is_still(bench.at + bench.page), !kernel_answers());
}

static void what_is_cut_is_the_same_still(void **state)
{
	(void)state;
	munmap(bench.at, bench.page);
	assert_int_equal(is_still(bench.at), !kernel_answers());
	assert_true(is_still(bench.at + bench.page));
}

static void who_cannot_ask_does_not_doubt(void **state)
{
	(void)state;
	map_query__close(&bench.query);
	map_file("other", 0);
	assert_true(is_still(bench.at));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(all_are_what_they_were, set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_place_of_the_file_is_another, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(another_file_is_another, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_cut_is_the_same_still, set_up, tear_down),
		cmocka_unit_test_setup_teardown(who_cannot_ask_does_not_doubt, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("target/map_query", tests, NULL, NULL);
}
