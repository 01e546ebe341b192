/* SPDX-License-Identifier: BSD-2-Clause */
#include "keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "ending.h"
#include "privileges.h"

#define END_NS (2 * NS_PER_S)  /* for a helper that was told to end */
#define KILL_NS (1 * NS_PER_S) /* for the kernel to end one that was killed */

int keeper__start(struct keeper *keeper, int (*keep)(void *context, int socket), void *context)
{
	sigset_t all, before;
	int sockets[2], err;

	privileges__id();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	keeper->pid = fork();
	err = keeper->pid < 0 ? -errno : 0;
	if (keeper->pid == 0) {
		close(sockets[0]);
		_exit(keep(context, sockets[1]));
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(sockets[1]);
	keeper->socket = sockets[0];
	if (err)
		close(keeper->socket);
	return err;
}

ssize_t keeper__say(int socket, const void *word, size_t len)
{
	ssize_t n = send(socket, word, len, MSG_NOSIGNAL);

	return n < 0 ? -errno : n;
}

ssize_t keeper__hear(int socket, void *word, size_t len)
{
	ssize_t n;

	do {
		n = read(socket, word, len);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/* A signal may end the waiting early: whoever waits looks again. */
static bool has_time(uint64_t until_ns)
{
	return clock__monotonic_ns() < until_ns && ending__now() < ENDING_OVERDUE;
}

ssize_t keeper__hear_for(int socket, void *word, size_t len, uint64_t ns)
{
	struct pollfd ready = { .fd = socket, .events = POLLIN };
	const uint64_t until_ns = clock__monotonic_ns() + ns;

	while (has_time(until_ns))
		if (poll(&ready, 1, 100) > 0)
			return keeper__hear(socket, word, len);
	return -ETIMEDOUT;
}

/* Its status, -ETIMEDOUT or negative errno. */
static int wait_for(pid_t pid, uint64_t until_ns)
{
	const struct timespec rest = { .tv_nsec = NS_PER_MS };
	pid_t ended;
	int status;

	do {
		ended = waitpid(pid, &status, WNOHANG);
		if (ended == pid)
			return status;
		if (ended < 0 && errno != EINTR)
			return -errno;
		nanosleep(&rest, NULL);
	} while (has_time(until_ns));
	return -ETIMEDOUT;
}

int keeper__await(pid_t pid, uint64_t ns)
{
	int answer = wait_for(pid, clock__monotonic_ns() + ns);

	if (answer != -ETIMEDOUT)
		return answer;
	kill(pid, SIGKILL);
	answer = wait_for(pid, clock__monotonic_ns() + KILL_NS);
	return answer < 0 ? answer : -ETIMEDOUT;
}

void keeper__end(struct keeper *keeper)
{
	close(keeper->socket);
	wait_for(keeper->pid, clock__monotonic_ns() + END_NS);
}

void keeper__leave(struct keeper *keeper)
{
	close(keeper->socket);
}
