/* SPDX-License-Identifier: BSD-2-Clause */
#include "attach/jvm_relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/files.h"

#define CHUNK ((size_t)1 << 20)

/* Of the spool's file system so much stays free: 5 %, or 256 MiB if that is less. */
#define RESERVE_SHARE 20
#define RESERVE_MOST (UINT64_C(256) << 20)

const char *jvm_relay__spool_directory(void)
{
	const char *directory = getenv("TMPDIR");

	return directory && *directory ? directory : "/tmp";
}

int64_t jvm_relay__room(int spool, uint64_t *reserve)
{
	struct statvfs all;
	uint64_t bytes, left;

	if (fstatvfs(spool, &all))
		return -errno;
	if (!all.f_blocks) /* a tmpfs without a limit has no figures */
		return INT64_MAX;
	bytes = (uint64_t)all.f_blocks * all.f_frsize;
	left = (uint64_t)all.f_bavail * all.f_frsize;
	*reserve = bytes / RESERVE_SHARE < RESERVE_MOST ? bytes / RESERVE_SHARE : RESERVE_MOST;
	return left > *reserve ? (int64_t)(left - *reserve) : 0;
}

int jvm_relay__check_room(int spool)
{
	uint64_t reserve;
	const int64_t room = jvm_relay__room(spool, &reserve);

	return room < 0 ? (int)room : room < (int64_t)CHUNK ? -ENOSPC : 0;
}

int jvm_relay__open_spool(void)
{
	struct buf name = BUF_INIT;
	int fd = -ENOMEM;

	buf__printf(&name, "%s/gctrace.XXXXXX", jvm_relay__spool_directory());
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

static int spool_part(const struct jvm_relay *relay)
{
	const int err = jvm_relay__check_room(relay->spool);

	return err ? err : move(relay->part, relay->spool);
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
			answer = spool_part(relay);
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
