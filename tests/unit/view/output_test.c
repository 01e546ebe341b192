/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "view/output.h"

/* What is said on stderr meanwhile. */
static int saved = -1, told = -1;

static void listen_to_errors(void)
{
	char name[] = "/tmp/gctrace-output.XXXXXX";

	told = mkstemp(name);
	unlink(name);
	saved = dup(STDERR_FILENO);
	dup2(told, STDERR_FILENO);
}

static void assert_told(const char *expected)
{
	char text[400] = "";
	ssize_t n = pread(told, text, sizeof(text) - 1, 0);

	dup2(saved, STDERR_FILENO);
	close(saved);
	close(told);
	assert_true(n >= 0);
	assert_string_equal(text, expected);
}

static void closed_pipe_is_quiet(void **state)
{
	struct output output;
	int pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	close(pipes[0]);
	listen_to_errors();
	output__init(&output, pipes[1], -1, "standard output");
	assert_int_equal(output__write(&output, "x\n", 2), -EPIPE);
	assert_int_equal(output__write(&output, "x\n", 2), -EPIPE);
	assert_told("");
	close(pipes[1]);
}

static void full_disk_is_told_once(void **state)
{
	struct output output;
	int full = open("/dev/full", O_WRONLY);

	(void)state;
	listen_to_errors();
	output__init(&output, full, -1, "standard output");
	assert_int_equal(output__write(&output, "x\n", 2), -ENOSPC);
	assert_int_equal(output__write(&output, "y\n", 2), -ENOSPC);
	assert_told("gctrace: cannot write to standard output, the output ends here: "
		    "No space left on device\n");
	close(full);
}

static void closed_descriptor_is_told(void **state)
{
	struct output output;
	int null = open("/dev/null", O_RDONLY);

	(void)state;
	listen_to_errors();
	output__init(&output, null, -1, "standard output");
	assert_int_equal(output__write(&output, "x\n", 2), -EBADF);
	assert_told("gctrace: cannot write to standard output, the output ends here: "
		    "Bad file descriptor\n");
	close(null);
}

/* Lines that lack something for want of memory are not shown at all. */
static void what_is_flushed_is_written_whole_or_not_at_all(void **state)
{
	struct output output;
	struct buf lines = BUF_INIT;
	char got[16] = "";
	int pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	output__init(&output, pipes[1], -1, "standard output");
	buf__add_str(&lines, "x\n");
	assert_int_equal(output__flush(&output, &lines), 0);
	assert_int_equal(lines.len, 0);
	buf__add_str(&lines, "y\n");
	lines.error = -ENOMEM;
	listen_to_errors();
	assert_int_equal(output__flush(&output, &lines), -ENOMEM);
	assert_told("gctrace: out of memory\n");
	assert_int_equal(lines.error, 0);
	close(pipes[1]);
	assert_int_equal(read(pipes[0], got, sizeof(got)), 2);
	assert_string_equal(got, "x\n");
	close(pipes[0]);
	buf__free(&lines);
}

static void *drain(void *from)
{
	struct buf *got = calloc(1, sizeof(*got));
	char bytes[777];
	ssize_t n;

	while ((n = read(*(int *)from, bytes, sizeof(bytes))) > 0)
		buf__add(got, bytes, (size_t)n);
	return got;
}

/* Several times what a pipe holds, to a slow reader, on a descriptor that does not block. */
static void everything_arrives_in_order(void **state)
{
	struct buf sent = BUF_INIT, *got;
	struct output output;
	pthread_t reader;
	int pipes[2];

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(fcntl(pipes[1], F_SETFL, O_NONBLOCK), 0);
	pthread_create(&reader, NULL, drain, &pipes[0]);
	output__init(&output, pipes[1], -1, "a pipe");
	for (int i = 0; i < 100000; i++)
		buf__printf(&sent, "line %d\n", i);
	assert_int_equal(output__write(&output, sent.data, sent.len), 0);
	close(pipes[1]);
	pthread_join(reader, (void **)&got);
	assert_int_equal(got->len, sent.len);
	assert_memory_equal(got->data, sent.data, sent.len);
	close(pipes[0]);
	buf__free(got);
	free(got);
	buf__free(&sent);
}

/* Nobody reads, and a stop was asked for: it comes back, with an error. */
static void stop_ends_waiting(void **state)
{
	int pipes[2], stop = eventfd(1, 0);
	struct output output;
	char *bytes = calloc(1, 1 << 20);

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	listen_to_errors();
	output__init(&output, pipes[1], stop, "standard output");
	assert_int_equal(output__write(&output, bytes, 1 << 20), -ETIMEDOUT);
	assert_int_equal(output__write(&output, bytes, 1), -ETIMEDOUT);
	assert_told("gctrace: standard output is not being read; what was not written by now is"
		    " lost\n");
	free(bytes);
	close(stop);
	close(pipes[0]);
	close(pipes[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closed_pipe_is_quiet),
		cmocka_unit_test(full_disk_is_told_once),
		cmocka_unit_test(closed_descriptor_is_told),
		cmocka_unit_test(what_is_flushed_is_written_whole_or_not_at_all),
		cmocka_unit_test(everything_arrives_in_order),
		cmocka_unit_test(stop_ends_waiting),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
