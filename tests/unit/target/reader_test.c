/* SPDX-License-Identifier: BSD-2-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "target/reader.h"

#define BYTES ((size_t)1 << 20)

static unsigned char far[BYTES]; /* the child's is as it was at the fork */

static pid_t start_child(void)
{
	pid_t pid;

	for (size_t i = 0; i < BYTES; i++)
		far[i] = (unsigned char)(i * 7 + i / 4096);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	return pid;
}

static void end_child(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* ---------------------------------------------------------------- reads */

static void reads_memory_of_any_size(void **state)
{
	const size_t sizes[] = { 1, 8, 4096, READER_BYTES - 1, READER_BYTES, READER_BYTES + 1,
				 BYTES };
	unsigned char *near = malloc(BYTES);
	const pid_t pid = start_child();

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct iovec to = { near, sizes[i] }, from = { far, sizes[i] };

		memset(near, 0, BYTES);
		assert_int_equal(reader__memory(pid, &to, &from, 1), sizes[i]);
		assert_memory_equal(near, far, sizes[i]);
	}
	end_child(pid);
	free(near);
}

static void reads_many_pieces_at_once(void **state)
{
	static unsigned char near[READER_PIECES][512];
	static struct iovec to[READER_PIECES], from[READER_PIECES];
	const pid_t pid = start_child();

	(void)state;
	for (size_t i = 0; i < READER_PIECES; i++) {
		to[i] = (struct iovec){ near[i], sizeof(near[i]) };
		from[i] = (struct iovec){ far + (READER_PIECES - 1 - i) * 1024, sizeof(near[i]) };
	}
	assert_int_equal(reader__memory(pid, to, from, READER_PIECES), sizeof(near));
	for (size_t i = 0; i < READER_PIECES; i++)
		assert_memory_equal(near[i], far + (READER_PIECES - 1 - i) * 1024, 512);
	/* What is not mapped ends it: what stands before it is had. */
	from[3].iov_base = NULL;
	assert_int_equal(reader__memory(pid, to, from, READER_PIECES), 3 * 512);
	end_child(pid);
	assert_int_equal(reader__memory(pid, to, from, 1), -ESRCH);
}

static void reads_texts_up_to_a_limit(void **state)
{
	const int here = open(".", O_RDONLY | O_DIRECTORY);
	struct buf text = BUF_INIT;
	int fd;

	(void)state;
	fd = open("reader_test.text", O_RDWR | O_CREAT | O_TRUNC, 0600);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	assert_int_equal(reader__text(0, here, "reader_test.text", 10, &text), 0);
	assert_string_equal(buf__str(&text), "0123456789");
	buf__reset(&text);
	assert_int_equal(reader__text(0, here, "reader_test.text", 9, &text), -EFBIG);
	assert_string_equal(buf__str(&text), "012345678");
	buf__reset(&text);
	assert_int_equal(reader__text(0, here, "reader_test.none", 9, &text), -ENOENT);
	unlink("reader_test.text");
	buf__free(&text);
	close(fd);
	close(here);
}

/* Of a process that is gone nothing is open: that is no failure of a read. */
static void no_descriptor_is_no_failure(void **state)
{
	const uint64_t before = reader__failed(0);
	char byte;

	(void)state;
	assert_int_equal(reader__open_at(0, -1, "maps", O_RDONLY), -EBADF);
	assert_int_equal(reader__pread(0, 1000, &byte, 1, 0), -EBADF);
	assert_int_equal(reader__failed(0), before);
}

/* ---------------------------------------------------------------- what is not answered */

static ssize_t give_pid(struct reader_job *job)
{
	const pid_t pid = getpid();

	memcpy(job->bytes, &pid, sizeof(pid));
	return sizeof(pid);
}

static ssize_t wait_for_ever(struct reader_job *job)
{
	(void)job;
	for (;;)
		pause();
	return 0;
}

static pid_t helper(void)
{
	pid_t pid = 0;
	const struct reader_call call = { .answer = &pid, .answer_room = sizeof(pid) };

	assert_int_equal(reader__do(give_pid, &call), sizeof(pid));
	return pid;
}

static void what_waits_fails_and_the_next_goes_on(void **state)
{
	const struct reader_call call = { .pid = 1000001 };
	const uint64_t before = reader__failed(0);
	const pid_t first = helper();

	(void)state;
	assert_int_equal(reader__do(wait_for_ever, &call), -ETIMEDOUT);
	assert_int_equal(reader__failed(0), before + 1);
	assert_int_equal(reader__failed(1000001), 1);
	assert_int_equal(reader__failed(1000002), 0);
	assert_int_not_equal(helper(), first);
	/* It is gone as soon as the kernel lets it, and nobody waits for it. */
	for (int i = 0; i < 1000 && kill(first, 0) == 0; i++) {
		usleep(1000);
		waitpid(first, NULL, WNOHANG);
	}
	assert_int_equal(kill(first, 0), -1);
}

static ssize_t count_a_run(struct reader_job *job)
{
	const ssize_t n = write(job->fds[0], "", 1);

	return n == 1 ? wait_for_ever(job) : -EIO;
}

/* One that lets every read wait gets no more of them after a while; others do. */
static void who_waits_always_is_left_alone(void **state)
{
	int runs[2];
	char bytes[128];
	ssize_t n;

	(void)state;
	assert_int_equal(pipe2(runs, O_NONBLOCK | O_CLOEXEC), 0);
	for (int i = 0; i < 40; i++) {
		const struct reader_call call = { .pid = 1000003, .fds = &runs[1], .fd_count = 1 };

		assert_int_equal(reader__do(count_a_run, &call), -ETIMEDOUT);
	}
	n = read(runs[0], bytes, sizeof(bytes));
	assert_int_equal(n, 12);
	assert_int_equal(reader__failed(1000003), 40);
	assert_true(helper() > 0);
	close(runs[0]);
	close(runs[1]);
}

/* ---------------------------------------------------------------- the helper */

static ssize_t count_descriptors(struct reader_job *job)
{
	uint32_t count = 0;

	(void)job;
	for (int fd = 0; fd < 1024; fd++)
		count += fcntl(fd, F_GETFD) >= 0;
	memcpy(job->bytes, &count, sizeof(count));
	return sizeof(count);
}

static void the_helper_has_its_socket_only(void **state)
{
	uint32_t count = 0;
	const struct reader_call call = { .answer = &count, .answer_room = sizeof(count) };

	(void)state;
	assert_int_equal(reader__do(count_descriptors, &call), sizeof(count));
	assert_int_equal(count, 4); /* and 0 to 2, which lead nowhere */
}

static void the_helper_dies_with_us(void **state)
{
	int fds[2];
	pid_t child, its_helper = 0;

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	child = fork();
	if (child == 0) {
		its_helper = helper(); /* another one than ours */
		_exit(write(fds[1], &its_helper, sizeof(its_helper)) != sizeof(its_helper));
	}
	assert_int_equal(read(fds[0], &its_helper, sizeof(its_helper)), sizeof(its_helper));
	assert_int_not_equal(its_helper, helper());
	waitpid(child, NULL, 0);
	for (int i = 0; i < 10000 && kill(its_helper, 0) == 0; i++)
		usleep(1000);
	assert_int_equal(kill(its_helper, 0), -1);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_memory_of_any_size),
		cmocka_unit_test(reads_many_pieces_at_once),
		cmocka_unit_test(reads_texts_up_to_a_limit),
		cmocka_unit_test(no_descriptor_is_no_failure),
		cmocka_unit_test(what_waits_fails_and_the_next_goes_on),
		cmocka_unit_test(who_waits_always_is_left_alone),
		cmocka_unit_test(the_helper_has_its_socket_only),
		cmocka_unit_test(the_helper_dies_with_us),
	};

	return cmocka_run_group_tests(tests, fixture__enter, fixture__leave);
}
