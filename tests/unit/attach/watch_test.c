/* SPDX-License-Identifier: BSD-2-Clause */
/* What processes do, as perf tells it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/watch.h"
#include "base/clock.h"
#include "bench.h"

#define CPU1 "/sys/devices/system/cpu/cpu1/online"

/* What came of one process and its children. */
struct seen {
	pid_t pid, child;
	unsigned int maps, execs, forks, exits, thread_exits;
	char mapped[256], comm[64];
	uint64_t last;
	bool lost;
};

static void take(void *context, const struct watch_event *event)
{
	struct seen *seen = context;

	seen->lost |= event->kind == WATCH_LOST;
	if (event->kind == WATCH_FORK && event->parent == seen->pid) {
		seen->forks++;
		seen->child = event->pid;
	}
	if (event->pid != seen->pid)
		return;
	assert_true(event->time >= seen->last);
	seen->last = event->time;
	switch (event->kind) {
	case WATCH_MMAP:
		seen->maps++;
		snprintf(seen->mapped, sizeof(seen->mapped), "%s", event->name);
		assert_true(event->address && event->length);
		break;
	case WATCH_EXEC:
		seen->execs++;
		snprintf(seen->comm, sizeof(seen->comm), "%s", event->name);
		break;
	case WATCH_EXIT:
		seen->exits += event->tid == event->pid;
		seen->thread_exits += event->tid != event->pid;
		break;
	default:
		break;
	}
}

/*
 * Read until *count is reached; a minute at most. The events of all processes of the host come into
 * our rings: where what we wait for may have been lost, false, and the caller does it once more.
 */
static bool read_until(struct watch *watch, struct seen *seen, const unsigned int *count,
		       unsigned int wanted)
{
	uint64_t end = clock__monotonic_ns() + 60 * NS_PER_S;
	struct pollfd fd = { .fd = watch__fd(watch), .events = POLLIN };

	while (*count < wanted && clock__monotonic_ns() < end) {
		poll(&fd, 1, 100);
		watch__read(watch, take, seen);
		if (*count < wanted && seen->lost) {
			seen->lost = false;
			return false;
		}
	}
	assert_true(*count >= wanted);
	return true;
}

static void map_a_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	assert_true(fd >= 0 && at != MAP_FAILED);
	munmap(at, 4096);
	close(fd);
}

static void *nothing(void *unused)
{
	return unused;
}

static void threads_maps_forks_exits(void **state)
{
	struct seen seen = { .pid = getpid() };
	struct watch *watch;
	pthread_t thread;
	pid_t child;

	NEEDS_ROOT;
	assert_int_equal(watch__new(&watch), 0);
	do
		map_a_file("/proc/self/exe");
	while (!read_until(watch, &seen, &seen.maps, 1));
	do {
		pthread_create(&thread, NULL, nothing, NULL);
		pthread_join(thread, NULL);
	} while (!read_until(watch, &seen, &seen.thread_exits, 1));
	assert_int_equal(seen.forks, 0);
	do {
		child = fork();
		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
	} while (!read_until(watch, &seen, &seen.forks, 1));
	assert_int_equal(seen.child, child);
	watch__free(watch);
}

/* False: some of it may have been lost. */
static bool watch_an_exec(struct watch *watch)
{
	struct seen seen = { 0 };
	bool whole;
	int go[2];

	assert_int_equal(pipe(go), 0);
	seen.pid = fork();
	if (seen.pid == 0) {
		char byte;

		if (read(go[0], &byte, 1) == 1)
			execl("/proc/self/exe", "hostile\nname", "--exit", (char *)NULL);
		_exit(1);
	}
	assert_int_equal(write(go[1], "", 1), 1);
	whole = read_until(watch, &seen, &seen.exits, 1) && !seen.lost;
	waitpid(seen.pid, NULL, 0);
	close(go[0]);
	close(go[1]);
	if (whole) {
		assert_int_equal(seen.execs, 1);
		assert_true(seen.maps >= 1);
	}
	return whole;
}

static void an_exec_and_its_maps_in_order(void **state)
{
	struct watch *watch;

	NEEDS_ROOT;
	assert_int_equal(watch__new(&watch), 0);
	while (!watch_an_exec(watch))
		;
	watch__free(watch);
}

/* Rings hold some thousand events: what doesn't fit is told as lost. */
static void note_loss(void *context, const struct watch_event *event)
{
	if (event->kind == WATCH_LOST)
		*(uint64_t *)context += event->lost;
}

static void losses_are_told(void **state)
{
	uint64_t lost = 0;
	struct watch *watch;

	NEEDS_ROOT;
	assert_int_equal(watch__new(&watch), 0);
	/* The kernel tells of a loss when it has room again, on the CPU where it was. */
	for (int round = 0; round < 1000 && !lost; round++) {
		for (int i = 0; i < 10000; i++)
			map_a_file("/proc/self/exe");
		watch__read(watch, note_loss, &lost);
	}
	assert_true(lost > 0);
	watch__free(watch);
}

static bool set_online(const char *value)
{
	FILE *file = fopen(CPU1, "w");
	bool ok = file && fputs(value, file) >= 0;

	if (file && fclose(file))
		ok = false;
	return ok;
}

/* Only on a machine that is for tests alone (tests/kernels). */
static void cpus_come_and_go(void **state)
{
	struct seen seen = { .pid = getpid() };
	struct watch *watch;
	unsigned int before;
	cpu_set_t second;

	NEEDS_ROOT;
	if (!getenv("TEST_CPUS") || !set_online("0")) {
		print_message("skip: it takes a CPU away, and TEST_CPUS does not ask for that\n");
		skip();
	}
	CPU_ZERO(&second);
	assert_int_equal(watch__new(&watch), 0);
	assert_true(set_online("1"));
	usleep(1200000);
	watch__read(watch, take, &seen); /* looks at the CPUs */
	CPU_SET(1, &second);
	assert_int_equal(sched_setaffinity(0, sizeof(second), &second), 0);
	map_a_file("/proc/self/exe");
	assert_true(read_until(watch, &seen, &seen.maps, 1));
	CPU_SET(0, &second);
	assert_int_equal(sched_setaffinity(0, sizeof(second), &second), 0);
	assert_true(set_online("0"));
	usleep(1200000);
	watch__read(watch, take, &seen);
	before = seen.maps;
	map_a_file("/proc/self/exe");
	assert_true(read_until(watch, &seen, &seen.maps, before + 1));
	assert_true(set_online("1"));
	watch__free(watch);
}

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_maps_forks_exits),
		cmocka_unit_test(an_exec_and_its_maps_in_order),
		cmocka_unit_test(losses_are_told),
		cmocka_unit_test(cpus_come_and_go),
	};

	if (argc == 2 && strcmp(argv[1], "--exit") == 0)
		return 0;
	return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
