/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/keeper.h"
#include "../base/privileges.h"
#include "../base/ram.h"
#include "../base/report.h"
#include "../base/vec.h"

#define SLICE_NS (20 * NS_PER_MS)
#define BLOCKED_SLICES 25 /* half a second: for the first read that waits */
#define RUNNING_SLICES 250
#define MISSES_MOST 12
#define RANGES_MOST 16
#define PAGE 4096 /* the least that is mapped as one */
#define MEMORY_NS (10 * NS_PER_S) /* so long is remembered what was not answered */

struct area {
	reader_work *work;
	uint64_t size;
	unsigned char bytes[READER_BYTES] __attribute__((aligned(64)));
};

struct answer {
	int64_t result;
};

/* Of a process that let a read wait. */
struct miss {
	pid_t pid;
	uint64_t count;	    /* in all */
	unsigned int misses; /* lately */
	uint64_t last_ns;
	struct range {
		uint64_t from, to, until_ns;
	} ranges[RANGES_MOST];
	unsigned int next;
};

static struct {
	pthread_mutex_t lock;
	struct keeper keeper;
	pid_t owner; /* who started it: 0, nobody has */
	struct area *area;
	bool is_helper;
	pid_t abandoned[READER_ABANDONED_MOST];
	VEC(struct miss) missed;
	uint64_t failed;
} own = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* ---------------------------------------------------------------- the helper */

static void close_all(int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
}

static void serve(int socket, struct area *area)
{
	struct reader_job job;
	struct answer answer;
	char word;

	while (descriptors__receive(socket, &word, 1, job.fds, &job.fd_count) == 0) {
		job.bytes = area->bytes;
		job.size = area->size;
		job.fd = -1;
		answer.result = area->work(&job);
		if (descriptors__send(socket, &answer, sizeof(answer), &job.fd, job.fd >= 0))
			break;
		close_all(job.fds, job.fd_count);
		if (job.fd >= 0)
			close(job.fd);
	}
}

static int be_the_helper(void *context, int socket)
{
	const uint64_t needed = UINT64_C(1) << CAP_SYS_PTRACE |
				UINT64_C(1) << CAP_CHECKPOINT_RESTORE |
				UINT64_C(1) << CAP_DAC_READ_SEARCH;
	const struct answer ready = { 0 };

	(void)context;
	descriptors__keep_only(socket);
	prctl(PR_SET_NAME, "gctrace-reader");
	if (privileges__keep(needed))
		return 1;
	/* After the change of user, which forgets it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	own.is_helper = true;
	if (getppid() == own.owner && descriptors__send(3, &ready, sizeof(ready), NULL, 0) == 0)
		serve(3, own.area);
	return 0;
}

/* ---------------------------------------------------------------- its life */

/* Those that have ended have room for others. False: too many have not. */
static bool reap(pid_t **room)
{
	*room = NULL;
	for (size_t i = 0; i < READER_ABANDONED_MOST; i++) {
		pid_t *pid = &own.abandoned[i];

		if (*pid && waitpid(*pid, NULL, WNOHANG | __WALL) != 0)
			*pid = 0;
		if (!*pid)
			*room = pid;
	}
	return *room != NULL;
}

static void abandon(void)
{
	pid_t *room;

	close(own.keeper.socket);
	kill(own.keeper.pid, SIGKILL);
	munmap(own.area, sizeof(*own.area));
	own.area = NULL;
	own.owner = 0;
	if (reap(&room))
		*room = own.keeper.pid;
}

static int start(void)
{
	const struct timeval slice = { .tv_usec = (suseconds_t)(SLICE_NS / NS_PER_US) };
	struct answer ready;
	int fds[DESCRIPTORS_MOST], err;
	size_t count;
	pid_t *room;

	if (!reap(&room))
		return -ETIMEDOUT;
	own.area = mmap(NULL, sizeof(*own.area), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (own.area == MAP_FAILED) {
		own.area = NULL;
		ram__refused(sizeof(*own.area));
		return -ENOMEM;
	}
	own.owner = getpid();
	err = keeper__start(&own.keeper, be_the_helper, NULL);
	if (err) {
		munmap(own.area, sizeof(*own.area));
		own.area = NULL;
		own.owner = 0;
		return err;
	}
	setsockopt(own.keeper.socket, SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof(slice));
	for (int i = 0; i < RUNNING_SLICES; i++) {
		err = descriptors__receive(own.keeper.socket, &ready, sizeof(ready), fds, &count);
		if (err != -EAGAIN)
			break;
	}
	if (err)
		abandon();
	return err ? -EAGAIN : 0;
}

/* A process that was forked from us has our memory, and not our helper. */
static int have_helper(void)
{
	if (own.owner == getpid())
		return 0;
	if (own.owner) {
		close(own.keeper.socket);
		munmap(own.area, sizeof(*own.area));
		own.area = NULL;
		own.owner = 0;
		memset(own.abandoned, 0, sizeof(own.abandoned));
	}
	return start();
}

/* ---------------------------------------------------------------- what was not answered */

static struct miss *find_miss(pid_t pid)
{
	for (size_t i = 0; i < own.missed.count; i++)
		if (own.missed.items[i].pid == pid)
			return &own.missed.items[i];
	return NULL;
}

static unsigned int misses_of(pid_t pid)
{
	struct miss *miss = find_miss(pid);

	if (miss && clock__monotonic_ns() - miss->last_ns > MEMORY_NS)
		miss->misses = 0;
	return miss ? miss->misses : 0;
}

/* count: of reads that are not made because of it, too. */
static void count_miss(pid_t pid, bool has_waited)
{
	struct miss *miss = find_miss(pid);

	own.failed++;
	if (!miss && vec__push(&own.missed, (struct miss){ .pid = pid }) == 0)
		miss = &own.missed.items[own.missed.count - 1];
	if (!miss)
		return;
	if (!miss->count++)
		warning("a read of process %d's memory or files was not answered in time: it, and"
			" each further one, is counted as failed", pid);
	if (!has_waited)
		return;
	miss->misses++;
	miss->last_ns = clock__monotonic_ns();
}

static void remember(pid_t pid, const struct iovec *piece)
{
	struct miss *miss = find_miss(pid);
	const uint64_t at = (uintptr_t)piece->iov_base;

	if (!miss)
		return;
	/* It is pages that are there or are not. */
	miss->ranges[miss->next++ % RANGES_MOST] = (struct range){
		.from = at / PAGE * PAGE,
		.to = (at + piece->iov_len + PAGE - 1) / PAGE * PAGE,
		.until_ns = clock__monotonic_ns() + MEMORY_NS,
	};
}

static bool was_not_answered(pid_t pid, const struct iovec *piece)
{
	struct miss *miss = find_miss(pid);
	const uint64_t at = (uintptr_t)piece->iov_base;

	for (size_t i = 0; miss && i < RANGES_MOST; i++) {
		const struct range *range = &miss->ranges[i];

		if (at < range->to && range->from < at + piece->iov_len &&
		    clock__monotonic_ns() < range->until_ns)
			return true;
	}
	return false;
}

/* ---------------------------------------------------------------- calls */

/* Runnable, so not waiting for anything that the target has. */
static bool is_runnable(pid_t pid)
{
	char path[32], text[128];
	const char *state;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	state = strrchr(text, ')');
	return state && state[1] && state[2] == 'R';
}

/* 0; -ETIMEDOUT; -EPIPE: the helper has ended. */
static int await(unsigned int misses, struct answer *answer, int *fds, size_t *count)
{
	const int allowed = BLOCKED_SLICES >> misses > 1 ? BLOCKED_SLICES >> misses : 1;
	int blocked = 0, running = 0, err;

	for (;;) {
		err = descriptors__receive(own.keeper.socket, answer, sizeof(*answer), fds, count);
		if (err != -EAGAIN)
			return err;
		if (is_runnable(own.keeper.pid))
			running++;
		else
			blocked++;
		if (blocked >= allowed || running >= RUNNING_SLICES)
			return -ETIMEDOUT;
	}
}

/* One call, whose request is in the area. The answer is there, then. */
static ssize_t ask(pid_t pid, reader_work *work, size_t size, const int *fds, size_t fd_count,
		   int *fd)
{
	int came[DESCRIPTORS_MOST], err;
	struct answer answer = { 0 };
	size_t count = 0;

	own.area->work = work;
	own.area->size = size;
	err = descriptors__send(own.keeper.socket, "", 1, fds, fd_count);
	if (!err)
		err = await(misses_of(pid), &answer, came, &count);
	if (err) {
		abandon();
		if (err == -ETIMEDOUT)
			count_miss(pid, true);
		return err;
	}
	if (fd && count)
		*fd = came[0];
	else
		close_all(came, count);
	return answer.result <= (int64_t)READER_BYTES ? (ssize_t)answer.result : -EPROTO;
}

/*
 * Into the area, and again by a new helper where the old one was dead before (it dies with the
 * thread that started it).
 */
static ssize_t ask_with(pid_t pid, reader_work *work, const void *request, size_t size,
			const int *fds, size_t fd_count, int *fd)
{
	ssize_t result = -EPIPE;

	if (misses_of(pid) >= MISSES_MOST) {
		count_miss(pid, false);
		return -ETIMEDOUT;
	}
	for (int tries = 0; tries < 2 && result == -EPIPE; tries++) {
		result = have_helper();
		if (result == -ETIMEDOUT)
			count_miss(pid, false);
		if (result)
			return result;
		if (size)
			memcpy(own.area->bytes, request, size);
		result = ask(pid, work, size, fds, fd_count, fd);
	}
	if (result == -EPIPE)
		count_miss(pid, false);
	return result == -EPIPE ? -EAGAIN : result;
}

ssize_t reader__do(reader_work *work, const struct reader_call *call)
{
	ssize_t result;

	if (call->fd)
		*call->fd = -1;
	if (call->request_size > READER_BYTES || call->fd_count > DESCRIPTORS_MOST)
		return -E2BIG;
	if (own.is_helper)
		return -EDEADLK;
	/* As the call itself would say; sending one is no failure of the helper's. */
	for (size_t i = 0; i < call->fd_count; i++)
		if (fcntl(call->fds[i], F_GETFD) < 0)
			return -EBADF;
	pthread_mutex_lock(&own.lock);
	result = ask_with(call->pid, work, call->request, call->request_size, call->fds,
			  call->fd_count, call->fd);
	if (result > 0 && call->answer_room) {
		if ((size_t)result > call->answer_room)
			result = (ssize_t)call->answer_room;
		memcpy(call->answer, own.area->bytes, (size_t)result);
	}
	pthread_mutex_unlock(&own.lock);
	return result;
}

/* ---------------------------------------------------------------- memory */

struct pieces {
	pid_t pid;
	uint32_t count;
	struct iovec from[READER_PIECES];
};

_Static_assert(sizeof(struct pieces) <= READER_BYTES, "a request fits");

static ssize_t read_memory(struct reader_job *job)
{
	struct iovec from[READER_PIECES], to = { job->bytes, READER_BYTES };
	const struct pieces *pieces = (const void *)job->bytes;
	const uint32_t count = pieces->count;
	const pid_t pid = pieces->pid;
	ssize_t n;

	memcpy(from, pieces->from, count * sizeof(*from));
	n = process_vm_readv(pid, &to, 1, from, count, 0);
	return n < 0 ? -errno : n;
}

static void scatter(const struct iovec *to, size_t count, size_t left)
{
	const unsigned char *at = own.area->bytes;

	for (size_t i = 0; i < count && left; i++) {
		const size_t some = to[i].iov_len < left ? to[i].iov_len : left;

		memcpy(to[i].iov_base, at, some);
		at += some;
		left -= some;
	}
}

/* At most READER_BYTES in all. */
static ssize_t read_some(pid_t pid, const struct iovec *to, const struct iovec *from, size_t count)
{
	struct pieces request;
	ssize_t n;

	for (size_t i = 0; i < count; i++)
		if (was_not_answered(pid, &from[i])) {
			/* Of several the caller reads each by itself. */
			if (count == 1)
				count_miss(pid, false);
			return -ETIMEDOUT;
		}
	request.pid = pid;
	request.count = (uint32_t)count;
	memcpy(request.from, from, count * sizeof(*from));
	n = ask_with(pid, read_memory, &request,
		     offsetof(struct pieces, from) + count * sizeof(*from), NULL, 0, NULL);
	if (n > 0)
		scatter(to, count, (size_t)n);
	if (n == -ETIMEDOUT && count == 1)
		remember(pid, from);
	return n;
}

/* One piece that is larger than the area. */
static ssize_t read_large(pid_t pid, const struct iovec *to, const struct iovec *from)
{
	size_t done = 0;

	while (done < from->iov_len) {
		const size_t left = from->iov_len - done;
		const size_t some = left < READER_BYTES ? left : READER_BYTES;
		const struct iovec here = { (char *)to->iov_base + done, some };
		const struct iovec there = { (char *)from->iov_base + done, some };
		const ssize_t n = read_some(pid, &here, &there, 1);

		if (n < 0)
			return done ? (ssize_t)done : n;
		done += (size_t)n;
		if ((size_t)n < some)
			break;
	}
	return (ssize_t)done;
}

ssize_t reader__memory(pid_t pid, const struct iovec *to, const struct iovec *from, size_t count)
{
	size_t first = 0, total = 0;
	ssize_t n = 0;

	if (own.is_helper)
		return -EDEADLK;
	if (pid == getpid()) {
		/* Ours waits for nobody. */
		n = process_vm_readv(pid, to, count, from, count, 0);
		return n < 0 ? -errno : n;
	}
	pthread_mutex_lock(&own.lock);
	while (first < count) {
		size_t bytes = 0, end = first;

		while (end < count && bytes + from[end].iov_len <= READER_BYTES)
			bytes += from[end++].iov_len;
		if (end == first) {
			bytes = from[end++].iov_len;
			n = read_large(pid, to + first, from + first);
		} else {
			n = read_some(pid, to + first, from + first, end - first);
		}
		if (n < 0)
			break;
		total += (size_t)n;
		if ((size_t)n < bytes)
			break;
		first = end;
	}
	pthread_mutex_unlock(&own.lock);
	return n < 0 && !total ? n : (ssize_t)total;
}

/* ---------------------------------------------------------------- files */

struct place {
	uint64_t offset, size;
};

static ssize_t read_file(struct reader_job *job)
{
	const struct place place = *(const struct place *)(const void *)job->bytes;
	size_t done = 0;

	while (done < place.size) {
		unsigned char *to = job->bytes + done;
		const ssize_t n = place.offset == UINT64_MAX ?
					  read(job->fds[0], to, place.size - done) :
					  pread(job->fds[0], to, place.size - done,
						(off_t)(place.offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return done ? (ssize_t)done : -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static ssize_t read_place(pid_t pid, int fd, void *to, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		struct place place = {
			.offset = offset == UINT64_MAX ? offset : offset + done,
			.size = size - done < READER_BYTES ? size - done : READER_BYTES,
		};
		const struct reader_call call = {
			.pid = pid,
			.request = &place,
			.request_size = sizeof(place),
			.fds = &fd,
			.fd_count = 1,
			.answer = (char *)to + done,
			.answer_room = place.size,
		};
		const ssize_t n = reader__do(read_file, &call);

		if (n < 0)
			return done ? (ssize_t)done : n;
		done += (size_t)n;
		if ((size_t)n < place.size)
			break;
	}
	return (ssize_t)done;
}

ssize_t reader__pread(pid_t pid, int fd, void *to, size_t size, uint64_t offset)
{
	return read_place(pid, fd, to, size, offset);
}

ssize_t reader__read(pid_t pid, int fd, void *to, size_t size)
{
	return read_place(pid, fd, to, size, UINT64_MAX);
}

static ssize_t open_file(struct reader_job *job)
{
	int flags;

	memcpy(&flags, job->bytes, sizeof(flags));
	job->fd = openat(job->fds[0], (const char *)job->bytes + sizeof(flags),
			 flags | O_CLOEXEC);
	return job->fd < 0 ? -errno : 0;
}

int reader__open_at(pid_t pid, int dirfd, const char *path, int flags)
{
	unsigned char request[sizeof(flags) + 256];
	const size_t len = strlen(path) + 1;
	int fd;
	const struct reader_call call = {
		.pid = pid,
		.request = request,
		.request_size = sizeof(flags) + len,
		.fds = &dirfd,
		.fd_count = 1,
		.fd = &fd,
	};
	ssize_t result;

	if (len > sizeof(request) - sizeof(flags))
		return -ENAMETOOLONG;
	memcpy(request, &flags, sizeof(flags));
	memcpy(request + sizeof(flags), path, len);
	result = reader__do(open_file, &call);
	return result < 0 ? (int)result : fd;
}

int reader__take(pid_t pid, int fd, size_t limit, struct buf *out)
{
	ssize_t n;
	int err = buf__reserve(out, limit + 1);

	if (err)
		return err;
	n = reader__read(pid, fd, out->data + out->len, limit + 1);
	if (n > 0)
		out->len += (size_t)n > limit ? limit : (size_t)n;
	out->data[out->len] = '\0';
	if (n < 0)
		return (int)n;
	return (size_t)n > limit ? -EFBIG : 0;
}

int reader__text(pid_t pid, int dirfd, const char *name, size_t limit, struct buf *out)
{
	const int fd = reader__open_at(pid, dirfd, name, O_RDONLY);
	int err;

	if (fd < 0)
		return fd;
	err = reader__take(pid, fd, limit, out);
	close(fd);
	return err;
}

uint64_t reader__failed(pid_t pid)
{
	const struct miss *miss;
	uint64_t count;

	pthread_mutex_lock(&own.lock);
	miss = pid ? find_miss(pid) : NULL;
	count = pid ? (miss ? miss->count : 0) : own.failed;
	pthread_mutex_unlock(&own.lock);
	return count;
}
