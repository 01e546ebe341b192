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
#include <sys/syscall.h>
#include <unistd.h>

#include "base/privileges.h"
#include "base/descriptors.h"
#include "base/keeper.h"

struct opener {
	pthread_mutex_t lock;
	struct keeper keeper;
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

/* ---- The helper ---- */

static void serve(int socket)
{
	int file[DESCRIPTORS_MOST];
	struct opener_request request;
	size_t count;

	while (descriptors__receive(socket, &request, sizeof(request), file, &count) == 0 &&
	       count == 1) {
		char path[32];
		int event, err;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", file[0]);
		event = opener__open_here(path, &request);
		err = event < 0 ? event : 0;
		if (descriptors__send(socket, &err, sizeof(err), &event, event >= 0))
			break;
		close(file[0]);
		if (event >= 0)
			close(event);
	}
}

/* When the parent ends, so do we. */
static int be_the_helper(void *context, int socket)
{
	const pid_t parent = *(const pid_t *)context;
	int ready = 0;

	descriptors__keep_only(socket);
	prctl(PR_SET_NAME, "gctrace-opener");
	if (privileges__keep(UINT64_C(1) << CAP_SYS_ADMIN | UINT64_C(1) << CAP_PERFMON))
		return 1;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent && descriptors__send(3, &ready, sizeof(ready), NULL, 0) == 0)
		serve(3);
	return 0;
}

/* It says so when it has given up what it does not need: until then it is as strong as we are. */
static int await_the_helper(const struct opener *opener)
{
	int ready, none[DESCRIPTORS_MOST];
	size_t count;

	return descriptors__receive(opener->keeper.socket, &ready, sizeof(ready), none, &count);
}

int opener__new(struct opener **out)
{
	struct opener *opener = calloc(1, sizeof(*opener));
	pid_t parent = getpid();
	int err;

	if (!opener)
		return -ENOMEM;
	err = keeper__start(&opener->keeper, be_the_helper, &parent);
	if (err) {
		free(opener);
		return err;
	}
	pthread_mutex_init(&opener->lock, NULL);
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
	keeper__end(&opener->keeper);
	pthread_mutex_destroy(&opener->lock);
	free(opener);
}

int opener__open(struct opener *opener, const char *path, const struct opener_request *request)
{
	const int socket = opener->keeper.socket;
	int file = open(path, O_PATH | O_CLOEXEC), event[DESCRIPTORS_MOST], result, err;
	size_t count = 0;

	if (file < 0)
		return -errno;
	pthread_mutex_lock(&opener->lock);
	err = descriptors__send(socket, request, sizeof(*request), &file, 1);
	if (err == 0)
		err = descriptors__receive(socket, &result, sizeof(result), event, &count);
	pthread_mutex_unlock(&opener->lock);
	close(file);
	if (err == 0)
		err = result;
	if (err == 0)
		return count ? event[0] : -EPIPE;
	if (count)
		close(event[0]);
	return err;
}
