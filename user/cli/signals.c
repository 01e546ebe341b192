/* SPDX-License-Identifier: BSD-2-Clause */
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/ending.h"
#include "../base/report.h"
#include "status.h"

#define SAME_NS (200 * NS_PER_MS) /* two signals within this are one request */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const int handled[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH };

static struct sigaction original[COUNT(handled)], original_alarm, original_pipe, original_size;
static bool installed, prepared, had_terminal, survives_hangup;
static int fd = -1, stop_fd = -1;

/* Handlers and the main thread share these. */
static volatile unsigned int pending, sent; /* sent: 1 << number */
static volatile bool stopping;
static volatile uint64_t stop_asked_ns;
static volatile uint64_t end_at_ns; /* as planned; 0: no plan */
static volatile bool outlives;

/* The steps of the end; and SIGKILL, for where the kernel keeps a thread from its handlers. */
static timer_t steps, last;
static bool has_timers;

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

static void set(timer_t timer, uint64_t at_ns)
{
	const struct itimerspec when = {
		.it_value = { (time_t)(at_ns / NS_PER_S), (long)(at_ns % NS_PER_S) },
	};

	if (has_timers && at_ns != UINT64_MAX)
		timer_settime(timer, TIMER_ABSTIME, &when, NULL);
}

static void begin_end(uint64_t now)
{
	ending__begin(now);
	wake(stop_fd);
	set(steps, ending__next_ns(ending__since_ns(), now));
	if (!outlives)
		set(last, ending__since_ns() + ENDING_NS);
}

/* Nothing here may wait, nor use what the thread that was interrupted may have in its hands. */
static _Noreturn void end_now(void)
{
	static const char text[] = "\ngctrace: the end took longer than the 2 s that it may: what"
				   " was not shown or written by now is lost\n";
	struct pollfd fd = { STDERR_FILENO, POLLOUT, 0 };
	ssize_t n = poll(&fd, 1, 0) > 0 ? write(STDERR_FILENO, text, sizeof(text) - 1) : 0;

	(void)n;
	_exit(STATUS_DATA_LOST);
}

/* A step of the end has come, or the planned end itself. Whoever waits in the kernel returns. */
static void on_time(int number)
{
	const int saved = errno;
	const uint64_t now = clock__monotonic_ns();

	(void)number;
	if (!ending__since_ns() && end_at_ns && now >= end_at_ns) {
		begin_end(now);
		wake(fd);
	} else if (ending__now() == ENDING_LAST && !outlives) {
		end_now();
	} else {
		set(steps, ending__since_ns() ? ending__next_ns(ending__since_ns(), now) :
			   end_at_ns ? end_at_ns : UINT64_MAX);
	}
	errno = saved;
}

/*
 * timeout(1) and terminals send the same signal twice within microseconds; that is one
 * request. Someone who asks again ends it at once.
 */
static void ask_to_stop(int number)
{
	const uint64_t now = clock__monotonic_ns();

	if (!stopping) {
		stop_asked_ns = now;
		stopping = true;
		__atomic_or_fetch(&pending, SIGNALS_STOP, __ATOMIC_SEQ_CST);
		if (outlives)
			wake(stop_fd);
		else
			begin_end(now);
	} else if (now - stop_asked_ns > SAME_NS) {
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
	sigaction(SIGXFSZ, &ignore, &original_size);
	prepared = true;
	return 0;
}

static int make_timers(void)
{
	struct sigaction action = { .sa_handler = on_time };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	sigset_t alarm;

	sigfillset(&action.sa_mask);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	if (sigaction(SIGALRM, &action, &original_alarm) ||
	    sigprocmask(SIG_UNBLOCK, &alarm, NULL) ||
	    timer_create(CLOCK_MONOTONIC, &event, &steps))
		return -errno;
	event.sigev_signo = SIGKILL;
	if (timer_create(CLOCK_MONOTONIC, &event, &last))
		return -errno;
	has_timers = true;
	return 0;
}

int signals__install(void)
{
	struct sigaction action = { .sa_sigaction = handle, .sa_flags = SA_SIGINFO };
	int err;

	fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fd < 0 || stop_fd < 0)
		return error_errno(errno, "cannot make the descriptors that signals are told by");
	err = make_timers();
	if (err)
		return error_errno(err, "cannot have a bound of time for the end");
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

void signals__end_after(uint64_t start_ns, uint64_t duration_ns)
{
	uint64_t at_ns;

	if (!duration_ns || __builtin_add_overflow(start_ns, duration_ns, &at_ns))
		return;
	end_at_ns = at_ns;
	if (!ending__since_ns())
		set(steps, at_ns);
}

void signals__outlive(void)
{
	outlives = true;
}

void signals__restore(void)
{
	if (prepared) {
		sigaction(SIGPIPE, &original_pipe, NULL);
		sigaction(SIGXFSZ, &original_size, NULL);
	}
	if (installed)
		sigaction(SIGALRM, &original_alarm, NULL);
	for (size_t i = 0; installed && i < COUNT(handled); i++)
		sigaction(handled[i], &original[i], NULL);
}
