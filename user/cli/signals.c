/* SPDX-License-Identifier: BSD-2-Clause */
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "../base/report.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH };

static struct sigaction original[COUNT(handled)], original_pipe;
static bool installed, prepared, had_terminal, survives_hangup;
static int fd = -1, stop_fd = -1;

/* Handlers and the main thread share these. */
static volatile unsigned int pending, sent; /* sent: 1 << number */
static volatile bool stopping;
static volatile int64_t stop_asked_ms;

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

/* /dev/tty can be opened as long as the controlling terminal is there. */
static bool has_terminal(void)
{
	int tty = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (tty < 0)
		return false;
	close(tty);
	return true;
}

static void wake(int event)
{
	uint64_t one = 1;
	ssize_t n = write(event, &one, sizeof(one));

	(void)n; /* full: it is readable already */
}

/*
 * timeout(1) and terminals send the same signal twice within microseconds; that is one
 * request. Someone who asks again after a second is not to be kept waiting.
 */
static void ask_to_stop(int number)
{
	int64_t now = now_ms();

	if (!stopping) {
		stop_asked_ms = now;
		stopping = true;
		__atomic_or_fetch(&pending, SIGNALS_STOP, __ATOMIC_SEQ_CST);
		wake(stop_fd);
	} else if (now - stop_asked_ms > 1000) {
		signal(number, SIG_DFL);
		raise(number);
	}
}

static void handle(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if ((number == SIGINT || number == SIGTERM) && info->si_code <= 0)
		__atomic_or_fetch(&sent, 1u << number, __ATOMIC_SEQ_CST);

	if (number == SIGWINCH)
		__atomic_or_fetch(&pending, SIGNALS_RESIZE, __ATOMIC_SEQ_CST);
	else if (number == SIGHUP && (survives_hangup || !had_terminal || has_terminal()))
		__atomic_or_fetch(&pending, SIGNALS_RESCAN, __ATOMIC_SEQ_CST);
	else
		ask_to_stop(number);
	wake(fd);
	errno = saved;
}

int signals__prepare(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	int null;

	do {
		null = open("/dev/null", O_RDONLY);
		if (null < 0)
			return error_errno(errno, "cannot open /dev/null");
	} while (null <= STDERR_FILENO);
	close(null);
	sigaction(SIGPIPE, &ignore, &original_pipe);
	prepared = true;
	return 0;
}

int signals__install(void)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };

	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fd < 0 || stop_fd < 0)
		return error_errno(errno, "cannot make the descriptors that signals are told by");
	had_terminal = has_terminal();
	sigfillset(&action.sa_mask);
	for (size_t i = 0; i < COUNT(handled); i++) {
		sigaction(handled[i], NULL, &original[i]);
		if (handled[i] == SIGHUP)
			survives_hangup = original[i].sa_handler == SIG_IGN;
		if (sigaction(handled[i], &action, NULL))
			return error_errno(errno, "cannot handle signal %d", handled[i]);
	}
	installed = true;
	return 0;
}

int signals__fd(void)
{
	return fd;
}

unsigned int signals__take(void)
{
	uint64_t count;
	ssize_t n = read(fd, &count, sizeof(count));

	(void)n; /* EAGAIN: nothing has come */
	return __atomic_exchange_n(&pending, 0, __ATOMIC_SEQ_CST);
}

int signals__take_sent(void)
{
	static const int numbers[] = { SIGINT, SIGTERM };

	for (size_t i = 0; i < COUNT(numbers); i++)
		if (__atomic_fetch_and(&sent, ~(1u << numbers[i]), __ATOMIC_SEQ_CST) &
		    1u << numbers[i])
			return numbers[i];
	return 0;
}

bool signals__stopping(void)
{
	return stopping;
}

int signals__stop_fd(void)
{
	return stop_fd;
}

void signals__restore(void)
{
	if (prepared)
		sigaction(SIGPIPE, &original_pipe, NULL);
	for (size_t i = 0; installed && i < COUNT(handled); i++)
		sigaction(handled[i], &original[i], NULL);
}
