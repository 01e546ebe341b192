/* SPDX-License-Identifier: BSD-2-Clause */
#include "keeper.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "privileges.h"

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

void keeper__end(struct keeper *keeper)
{
	int status;

	close(keeper->socket);
	while (waitpid(keeper->pid, &status, 0) < 0 && errno == EINTR)
		;
}

void keeper__leave(struct keeper *keeper)
{
	close(keeper->socket);
}
