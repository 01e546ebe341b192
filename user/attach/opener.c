/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One message asks, with the file's descriptor attached; one answers, with the event's descriptor
 * or an errno. The helper opens what the descriptor leads to, not a path, so it looks nothing up.
 */
#include "attach/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/privileges.h"

struct opener {
	pthread_mutex_t lock;
	pid_t pid;
	int socket;
};

int opener__open_here(const char *path, const struct opener_request *request)
{
	struct perf_event_attr attr = {
		.type = request->type,
		.size = sizeof(attr),
		.config = request->config,
		.sample_period = 1,
		.wakeup_events = 1,
	};
	int fd;

	attr.uprobe_path = (uintptr_t)path;
	attr.probe_offset = request->offset;
	fd = syscall(SYS_perf_event_open, &attr, request->tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* ---- Messages of `bytes` bytes, with a descriptor or (-1) without ---- */

union control {
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static int send_message(int socket, void *bytes, size_t size, int fd)
{
	struct iovec part = { .iov_base = bytes, .iov_len = size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	union control control;
	ssize_t n;

	memset(&control, 0, sizeof(control));
	if (fd >= 0) {
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.align), &fd, sizeof(fd));
	}
	do
		n = sendmsg(socket, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)size ? 0 : -EPIPE;
}

static int receive_message(int socket, void *bytes, size_t size, int *fd)
{
	struct iovec part = { .iov_base = bytes, .iov_len = size };
	union control control;
	struct msghdr message = {
		.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *head;
	ssize_t n;

	*fd = -1;
	do
		n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(fd, CMSG_DATA(head), sizeof(*fd));
	return n == (ssize_t)size ? 0 : -EPIPE;
}

/* ---- The helper ---- */

static void serve(int socket)
{
	struct opener_request request;
	int file;

	while (receive_message(socket, &request, sizeof(request), &file) == 0) {
		char path[32];
		int event, err;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
		event = opener__open_here(path, &request);
		err = event < 0 ? event : 0;
		if (send_message(socket, &err, sizeof(err), event))
			break;
		close(file);
		if (event >= 0)
			close(event);
	}
}

static void close_all_but(int socket)
{
	int spare = open("/dev/null", O_RDWR);

	/* 0 to 2 lead nowhere, 3 is the socket, nothing else is open. */
	for (int fd = 0; fd < 3; fd++)
		dup2(spare, fd);
	if (socket != 3)
		dup2(socket, 3);
	syscall(SYS_close_range, 4u, ~0u, 0u);
}

static void be_the_helper(int socket, pid_t parent)
{
	/* The terminal's signals are for the parent; when that ends, so do we. */
	static const int ignored[] = { SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGTSTP, SIGPIPE };
	int ready = 0;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	close_all_but(socket);
	prctl(PR_SET_NAME, "gctrace-opener");
	if (privileges__keep(UINT64_C(1) << CAP_SYS_ADMIN | UINT64_C(1) << CAP_PERFMON))
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent && send_message(3, &ready, sizeof(ready), -1) == 0)
		serve(3);
	_exit(0);
}

/* It says so when it has given up what it does not need: until then it is as strong as we are. */
static int await_the_helper(const struct opener *opener)
{
	int ready, none, err = receive_message(opener->socket, &ready, sizeof(ready), &none);

	if (none >= 0)
		close(none);
	return err;
}

int opener__new(struct opener **out)
{
	struct opener *opener = calloc(1, sizeof(*opener));
	pid_t parent = getpid();
	int sockets[2], err;

	if (!opener)
		return -ENOMEM;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets)) {
		err = -errno;
		free(opener);
		return err;
	}
	pthread_mutex_init(&opener->lock, NULL);
	opener->socket = sockets[0];
	opener->pid = fork();
	err = -errno;
	if (opener->pid == 0)
		be_the_helper(sockets[1], parent);
	close(sockets[1]);
	if (opener->pid > 0)
		err = await_the_helper(opener);
	if (err) {
		opener__free(opener);
		return err;
	}
	*out = opener;
	return 0;
}

void opener__free(struct opener *opener)
{
	if (!opener)
		return;
	close(opener->socket);
	if (opener->pid > 0)
		waitpid(opener->pid, NULL, 0);
	pthread_mutex_destroy(&opener->lock);
	free(opener);
}

int opener__open(struct opener *opener, const char *path, const struct opener_request *request)
{
	struct opener_request copy = *request;
	int file = open(path, O_PATH | O_CLOEXEC), event = -1, result, err;

	if (file < 0)
		return -errno;
	pthread_mutex_lock(&opener->lock);
	err = send_message(opener->socket, &copy, sizeof(copy), file);
	if (err == 0)
		err = receive_message(opener->socket, &result, sizeof(result), &event);
	pthread_mutex_unlock(&opener->lock);
	close(file);
	if (err == 0)
		err = result;
	if (err == 0)
		return event >= 0 ? event : -EPIPE;
	if (event >= 0)
		close(event);
	return err;
}
