/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process that counts on a CPU of its own, which is taken away from it and given back; and one
 * that waits, for moments, by system calls that a stop would end with EINTR.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "attach/holder.h"
#include "base/clock.h"

/* Shared with the children. */
static struct {
	volatile uint64_t count, waits, interrupted;
} *shared;
static pid_t child;
static struct holder *holder;
static uint32_t its_cpu;
static int semaphores;

static void stay_on(uint32_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		abort();
}

/* Two CPUs that we may use: the first is ours, the other the child's. */
static bool find_cpus(uint32_t cpus[2])
{
	cpu_set_t set;
	int found = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return false;
	for (uint32_t cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[found++] = cpu;
	return found == 2;
}

static void go_on_counting(void)
{
	for (;;)
		shared->count++;
}

static const struct timespec moment = { 0, 200000 };

/* By turns. */
static int wait_for_nothing(unsigned int turn, int epoll, int socket)
{
	struct sembuf take = { 0, -1, 0 };
	struct epoll_event event;
	sigset_t set;
	char byte;

	switch (turn % 4) {
	case 0:
		return epoll_wait(epoll, &event, 1, 1);
	case 1:
		return semtimedop(semaphores, &take, 1, &moment);
	case 2:
		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		return sigtimedwait(&set, NULL, &moment);
	default:
		return (int)recv(socket, &byte, 1, 0);
	}
}

static void go_on_waiting(void)
{
	const struct timeval time = { 0, 200 };
	const int epoll = epoll_create1(EPOLL_CLOEXEC);
	int sockets[2];

	if (epoll < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) ||
	    setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof(time)))
		_exit(1);
	for (unsigned int turn = 0; !shared->count; turn++) {
		shared->interrupted += wait_for_nothing(turn, epoll, sockets[0]) < 0 &&
				       errno == EINTR;
		shared->waits++;
		for (volatile unsigned int work = turn % 100 * 100; work; work--)
			;
	}
	_exit(0);
}

static void wait_for_change(const volatile uint64_t *number)
{
	const uint64_t before = *number;

	while (*number == before)
		usleep(100);
}

static void wait_for_progress(void)
{
	wait_for_change(&shared->count);
}

static void start_child(void (*go_on)(void))
{
	shared->count = shared->waits = shared->interrupted = 0;
	child = fork();
	assert_true(child >= 0);
	if (child)
		return;
	stay_on(its_cpu);
	go_on();
}

static int start_counting(void **state)
{
	(void)state;
	if (!holder)
		return 0;
	start_child(go_on_counting);
	wait_for_progress();
	return 0;
}

static int start_waiting(void **state)
{
	(void)state;
	if (holder)
		start_child(go_on_waiting);
	return 0;
}

static int end_child(void **state)
{
	(void)state;
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, __WALL);
	}
	child = 0;
	return 0;
}

static int begin(void **state)
{
	uint32_t cpus[2];

	(void)state;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	assert_true(shared != MAP_FAILED);
	if (!find_cpus(cpus) || holder__new(&holder))
		return 0; /* the tests are skipped */
	assert_int_equal(holder__begin(holder), 0);
	stay_on(cpus[0]);
	its_cpu = cpus[1];
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	assert_true(semaphores >= 0);
	return 0;
}

static int end(void **state)
{
	(void)state;
	if (holder)
		semctl(semaphores, 0, IPC_RMID);
	holder__free(holder);
	return 0;
}

static void need_holder(void)
{
	if (!holder)
		skip();
}

/* The host may take a CPU away for longer than a hold lasts: then it is tried again. */
static void who_is_held_makes_no_progress(void **state)
{
	unsigned int still = 0;

	(void)state;
	need_holder();
	for (unsigned int i = 0; i < 1000 && still < 50; i++) {
		const uint64_t from = clock__monotonic_ns();
		uint64_t before, after;

		if (holder__take(holder, its_cpu))
			continue;
		before = shared->count;
		for (unsigned int j = 0; j < 1000; j++)
			__asm__ volatile("" : : : "memory");
		after = shared->count;
		if (clock__monotonic_ns() - from < HOLDER_MOST_NS / 2) {
			assert_int_equal(after, before);
			still++;
		}
		holder__release(holder);
		wait_for_progress();
	}
	assert_int_equal(still, 50);
	assert_true(holder__holds(holder).count >= 50);
	assert_true(holder__holds(holder).ns >= holder__holds(holder).longest_ns);
}

static void a_hold_ends_by_itself(void **state)
{
	(void)state;
	need_holder();
	while (holder__take(holder, its_cpu))
		;
	wait_for_progress();
	holder__release(holder);
	while (holder__take(holder, its_cpu))
		;
	holder__release(holder);
}

/* Where a stop does this, many times: does it hold for what is watched here? */
static void stop_by_ptrace(void)
{
	int status;

	if (ptrace(PTRACE_SEIZE, child, 0, 0) || ptrace(PTRACE_INTERRUPT, child, 0, 0))
		return;
	waitpid(child, &status, __WALL);
	ptrace(PTRACE_DETACH, child, 0, 0);
}

static void no_system_call_is_disturbed(void **state)
{
	(void)state;
	need_holder();
	while (shared->waits < 3000) {
		if (!holder__take(holder, its_cpu))
			holder__release(holder);
	}
	assert_int_equal(shared->interrupted, 0);
	/*
	 * A stop by ptrace is noticed: so this can fail. A child that is stopped again before it
	 * has run would come to notice nothing.
	 */
	for (unsigned int i = 0; i < 10000 && !shared->interrupted; i++) {
		stop_by_ptrace();
		wait_for_change(&shared->waits);
	}
	assert_true(shared->interrupted > 0);
	shared->count = 1;
	waitpid(child, NULL, 0);
	child = 0;
}

static void a_cpu_that_is_none_is_refused(void **state)
{
	(void)state;
	need_holder();
	assert_int_equal(holder__take(holder, (uint32_t)sched_getcpu()), -EBUSY);
	assert_int_equal(holder__take(holder, 100000), -EINVAL);
	assert_int_equal(holder__take(holder, UINT32_MAX), -EBUSY);
	wait_for_progress();
}

static void one_that_never_began_ends(void **state)
{
	struct holder *other;

	(void)state;
	need_holder();
	assert_int_equal(holder__new(&other), 0);
	holder__free(other);
	holder__free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(who_is_held_makes_no_progress, start_counting,
						end_child),
		cmocka_unit_test_setup_teardown(a_hold_ends_by_itself, start_counting, end_child),
		cmocka_unit_test_setup_teardown(no_system_call_is_disturbed, start_waiting,
						end_child),
		cmocka_unit_test_setup_teardown(a_cpu_that_is_none_is_refused, start_counting,
						end_child),
		cmocka_unit_test(one_that_never_began_ends),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
