/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A message is a list of descriptors to be closed, and behind them one end of a pipe. Who asks
 * closes its own copies and waits at the other end, for a word or for nobody's being there any
 * more: the helper's death is an answer as well. A message without descriptors has it end.
 *
 * The kernel takes its time (a grace period), and those of several descriptors pass at once: each
 * message has a thread of its own.
 */
#include "attach/closer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/privileges.h"
#include "base/descriptors.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/keeper.h"

#define CLOSED_NS (10 * NS_PER_S) /* grace periods take a tenth of a second at most */

struct closer {
	struct keeper keeper;
};

/* ---- The helper ---- */

struct task {
	int fds[DESCRIPTORS_MOST];
	size_t count;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static size_t running;

static void close_all(const int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
}

static void finish(const struct task *task)
{
	const int done = task->fds[task->count - 1];

	close_all(task->fds, task->count - 1);
	files__write_all(done, "", 1); /* an error: nobody waits any more */
	close(done);
	pthread_mutex_lock(&lock);
	running--;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static void *run(void *argument)
{
	finish(argument);
	free(argument);
	return NULL;
}

static void start(const struct task *task)
{
	struct task *copy = malloc(sizeof(*copy));
	pthread_t thread;

	pthread_mutex_lock(&lock);
	running++;
	pthread_mutex_unlock(&lock);
	if (copy)
		*copy = *task;
	if (copy && pthread_create(&thread, NULL, run, copy) == 0) {
		pthread_detach(thread);
		return;
	}
	free(copy);
	finish(task);
}

static void wait_for_all(void)
{
	pthread_mutex_lock(&lock);
	while (running)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
}

static int serve(void *context, int socket)
{
	struct task task;
	char word = 0;

	(void)context;
	descriptors__keep_only(socket);
	prctl(PR_SET_NAME, "gctrace-closer");
	setpgid(0, 0); /* kill -9 -GROUP is for the others */
	if (privileges__keep(0) || keeper__say(3, &word, 1) != 1)
		return 1;
	while (descriptors__receive(3, &word, 1, task.fds, &task.count) == 0 && task.count)
		start(&task);
	wait_for_all();
	return 0;
}

/* ---- Who asks it ---- */

struct closer *closer__new(void)
{
	struct closer *closer = calloc(1, sizeof(*closer));
	char ready;

	if (!closer || keeper__start(&closer->keeper, serve, NULL)) {
		free(closer);
		return NULL;
	}
	if (keeper__hear(closer->keeper.socket, &ready, 1) == 1)
		return closer;
	closer__free(closer);
	return NULL;
}

void closer__free(struct closer *closer)
{
	if (!closer)
		return;
	/* Said, since a copy of our end may be another child's, who would have it wait. */
	descriptors__send(closer->keeper.socket, "", 1, NULL, 0);
	keeper__end(&closer->keeper);
	free(closer);
}

static int hand_over(const struct closer *closer, const int *fds, size_t count, int done)
{
	int all[DESCRIPTORS_MOST];

	memcpy(all, fds, count * sizeof(*fds));
	all[count] = done;
	return descriptors__send(closer->keeper.socket, "", 1, all, count + 1);
}

pid_t closer__pid(const struct closer *closer)
{
	return closer->keeper.pid;
}

/* The kernel's grace periods can be held up: then the helper goes on with them alone. */
static void await(int pipe_end)
{
	char none;

	keeper__hear_for(pipe_end, &none, 1, CLOSED_NS);
}

void closer__close(const struct closer *closer, const int *fds, size_t count)
{
	int ends[2];

	if (!closer || pipe2(ends, O_CLOEXEC)) {
		close_all(fds, count);
		return;
	}
	/* Where there is no helper any more, these copies are the last. */
	hand_over(closer, fds, count, ends[1]);
	close_all(fds, count);
	close(ends[1]);
	await(ends[0]);
	close(ends[0]);
}
