/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/jvm_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"

#define CHUNK ((size_t)1 << 20)

int jvm_relay__open_spool(void)
{
	const char *directory = getenv("TMPDIR");
	struct buf name = BUF_INIT;
	int fd = -ENOMEM;

	buf__printf(&name, "%s/gctrace.XXXXXX", directory && *directory ? directory : "/tmp");
	if (!name.error) {
		fd = mkostemp(name.data, O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
		else
			unlink(name.data);
	}
	buf__free(&name);
	return fd;
}

/* As much as is there. 0: nothing more comes; 1; or negative errno. */
static int move(int from, int to)
{
	const ssize_t n = splice(from, NULL, to, NULL, CHUNK, 0);

	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 1 : -errno;
	return n > 0;
}

/*
 * Until whoever wrote to the part has closed it, or, where there is no part, the whole. A FIFO that
 * nobody has opened yet has no POLLHUP.
 */
static int take_part(const struct jvm_relay *relay)
{
	struct pollfd ready[] = {
		{ .fd = relay->stop, .events = POLLIN },
		{ .fd = relay->whole, .events = POLLIN },
		{ .fd = relay->part, .events = POLLIN },
	};
	int answer = 1;

	while (answer > 0) {
		if (poll(ready, 3, -1) < 0)
			continue;
		if (ready[0].revents)
			return -ECANCELED;
		if (ready[1].revents & POLLIN)
			answer = move(relay->whole, relay->out);
		if (answer > 0 && ready[2].revents & POLLIN)
			answer = move(relay->part, relay->spool);
		else if (answer > 0 && (ready[1].revents | ready[2].revents) & POLLHUP &&
			 !(ready[1].revents & POLLIN))
			answer = 0;
	}
	return answer;
}

static int take_whole(const struct jvm_relay *relay, int timeout_ms)
{
	struct pollfd ready[] = {
		{ .fd = relay->stop, .events = POLLIN },
		{ .fd = relay->whole, .events = POLLIN },
	};
	int answer = 1, n;

	while (answer > 0) {
		n = poll(ready, 2, timeout_ms);
		if (n < 0)
			continue;
		if (ready[0].revents)
			return -ECANCELED;
		answer = n && ready[1].revents & POLLIN ? move(relay->whole, relay->out) : 0;
	}
	return answer;
}

static int give_part(const struct jvm_relay *relay)
{
	const off_t end = lseek(relay->spool, 0, SEEK_END);
	off_t at = 0;

	while (at < end)
		if (sendfile(relay->out, relay->spool, &at, CHUNK) < 0 && errno != EINTR)
			return -errno;
	return end < 0 ? -errno : 0;
}

int jvm_relay__run(const struct jvm_relay *relay)
{
	int answer = take_part(relay), writer;

	/* The JVM closes the part when it has written all the rest, and opens it before the end. */
	if (!answer)
		answer = take_whole(relay, 0);
	writer = openat(relay->directory, relay->part_name, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (!answer)
		answer = give_part(relay);
	if (!answer)
		answer = take_whole(relay, -1);
	files__close(&writer);
	return answer;
}
