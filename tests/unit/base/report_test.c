/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/report.h"

/* stderr goes to a file between these two. */
static int saved = -1, file = -1;

static void capture(void)
{
	char name[] = "/tmp/gctrace-report.XXXXXX";

	file = mkstemp(name);
	unlink(name);
	saved = dup(STDERR_FILENO);
	dup2(file, STDERR_FILENO);
}

static char *captured(void)
{
	off_t len = lseek(file, 0, SEEK_END);
	char *text = calloc(1, (size_t)len + 1);

	assert_int_equal(pread(file, text, (size_t)len, 0), len);
	dup2(saved, STDERR_FILENO);
	close(saved);
	close(file);
	return text;
}

static void assert_said(const char *expected)
{
	char *text = captured();

	assert_string_equal(text, expected);
	free(text);
}

static void says_who_speaks(void **state)
{
	(void)state;
	capture();
	error("no process %d", 5);
	warning("late");
	note("fine");
	debug("unseen");
	report__verbose(true);
	debug("seen");
	report__verbose(false);
	debug("unseen");
	assert_said("gctrace: no process 5\ngctrace: warning: late\ngctrace: fine\n"
		    "gctrace: debug: seen\n");
}

static void errno_is_told_and_returned(void **state)
{
	(void)state;
	capture();
	assert_int_equal(error_errno(ENOENT, "cannot open %s", "x"), -ENOENT);
	assert_int_equal(error_errno(-EPERM, "cannot"), -EPERM);
	assert_int_equal(error_errno(0, "odd"), -EIO);
	errno = EEXIST;
	error("x");
	assert_int_equal(errno, EEXIST);
	assert_said("gctrace: cannot open x: No such file or directory\n"
		    "gctrace: cannot: Operation not permitted\n"
		    "gctrace: odd: Input/output error\ngctrace: x\n");
}

static void long_messages_are_whole(void **state)
{
	struct buf name = BUF_INIT;
	char *text;

	(void)state;
	buf__add_repeated(&name, '\033', 65536);
	capture();
	error("%s", escape(buf__str(&name)));
	text = captured();
	assert_int_equal(strlen(text), 9 + 4 * 65536 + 1);
	assert_null(strchr(text, '\033'));
	free(text);
	buf__free(&name);
}

static void no_progress_where_nobody_looks(void **state)
{
	(void)state;
	capture();
	progress("%d %%", 50);
	progress_end();
	assert_said("");
}

/* What a terminal of 20 columns gets, up to and with the words `last`. */
static int master, slave;

static void open_terminal(void)
{
	struct winsize size = { .ws_row = 24, .ws_col = 20 };

	master = posix_openpt(O_RDWR | O_NOCTTY);
	assert_true(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_int_equal(ioctl(slave, TIOCSWINSZ, &size), 0);
	saved = dup(STDERR_FILENO);
	dup2(slave, STDERR_FILENO);
}

static void assert_shown(const char *expected, const char *last)
{
	char text[200] = "";
	size_t len = 0;
	ssize_t n = 1;

	dup2(saved, STDERR_FILENO);
	while (n > 0 && !strstr(text, last)) {
		n = read(master, text + len, sizeof(text) - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	}
	assert_string_equal(text, expected);
	close(saved);
	close(slave);
	close(master);
}

static void progress_goes_before_a_message(void **state)
{
	(void)state;
	open_terminal();
	progress("half");
	error("stop");
	progress_end();
	assert_shown("half\r\033[Kgctrace: stop\r\n", "stop\r\n");
}

static void progress_stays_on_its_line(void **state)
{
	(void)state;
	open_terminal();
	progress("1234567890123456789");
	progress("123456789012345\xc3\xbc" "7890");
	progress_end();
	error("x");
	assert_shown("1234567890123456789\r\033[K123456789012345\xc3\xbc...\r\033[Kgctrace: x\r\n",
		     "x\r\n");
}

static void *speak(void *who)
{
	for (int i = 0; i < 500; i++)
		error("%s%s%s%s", (char *)who, (char *)who, (char *)who, (char *)who);
	return NULL;
}

static void lines_of_threads_stay_whole(void **state)
{
	pthread_t threads[2];
	char *text, *line, *rest;

	(void)state;
	capture();
	pthread_create(&threads[0], NULL, speak, "aaaa");
	pthread_create(&threads[1], NULL, speak, "bbbb");
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	text = captured();
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		assert_true(strcmp(line, "gctrace: aaaaaaaaaaaaaaaa") == 0 ||
			    strcmp(line, "gctrace: bbbbbbbbbbbbbbbb") == 0);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(says_who_speaks),
		cmocka_unit_test(errno_is_told_and_returned),
		cmocka_unit_test(long_messages_are_whole),
		cmocka_unit_test(no_progress_where_nobody_looks),
		cmocka_unit_test(progress_goes_before_a_message),
		cmocka_unit_test(progress_stays_on_its_line),
		cmocka_unit_test(lines_of_threads_stay_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
