/* SPDX-License-Identifier: BSD-2-Clause */
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

union control {
	char bytes[CMSG_SPACE(DESCRIPTORS_MOST * sizeof(int))];
	struct cmsghdr align;
};

int descriptors__send(int socket, const void *bytes, size_t size, const int *fds, size_t count)
{
	struct iovec part = { .iov_base = (void *)bytes, .iov_len = size };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	union control control;
	ssize_t n;

	memset(&control, 0, sizeof(control));
	if (count) {
		message.msg_control = &control;
		message.msg_controllen = CMSG_SPACE(count * sizeof(*fds));
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = CMSG_LEN(count * sizeof(*fds));
		memcpy(CMSG_DATA(&control.align), fds, count * sizeof(*fds));
	}
	do
		n = sendmsg(socket, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)size ? 0 : -EPIPE;
}

int descriptors__receive(int socket, void *bytes, size_t size, int *fds, size_t *count)
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

	*count = 0;
	do
		n = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (head && head->cmsg_type == SCM_RIGHTS) {
		*count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(*fds);
		memcpy(fds, CMSG_DATA(head), *count * sizeof(*fds));
	}
	if (n < 0 && errno == EAGAIN)
		return -EAGAIN;
	return n == (ssize_t)size ? 0 : -EPIPE;
}

void descriptors__keep_only(int fd)
{
	const int nowhere = open("/dev/null", O_RDWR);

	for (int other = 0; other < 3; other++)
		dup2(nowhere, other);
	if (fd != 3)
		dup2(fd, 3);
	syscall(SYS_close_range, 4u, ~0u, 0u);
}
