/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two ways to attach, by what the kernel has (kernel.c):
 *
 *   many sites   one descriptor for a program and all its sites in a file. Detaching is one grace
 *                period, and those of several links pass at the same time
 *   one site     two descriptors: a perf event, which is the uprobe and holds the semaphore up, and
 *                a link that runs the program on it with a cookie. The event is made for one thread
 *                and fires in all that share its memory, as long as that one lives. The kernel
 *                frees events one after the other: 80 ms each
 *
 * When the last copy of a descriptor is closed, by whatever end of the process, the kernel takes
 * the breakpoints out and lowers the semaphores.
 *
 * Why not bpf_program__attach_usdt():
 *   - the notes were read and checked by user/target; libbpf would map the target's file and read
 *     it again (a target that truncates it in that moment kills the reader), and needs permission
 *     to open it, which is gone after the drop
 *   - its links are not to be destroyed by several threads, and one after the other takes 100 ms
 *     each; its descriptors are its own
 *   - it refuses a whole probe for one site whose arguments it cannot read, and more than 256
 *     different texts of arguments, which is few for several processes
 */
#include "attach/link.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "attach/closer.h"
#include "attach/kernel.h"
#include "attach/opener.h"

#define THREADS_MAX 32
#define STACK_BYTES (128 * 1024)

/* Links that are attached and detached as one. */
struct group {
	struct link *links;
	size_t count;
};

/* What the threads do: run `one` on every group from `next` on. */
struct work {
	const struct kernel *kernel;
	struct groups VEC_OF(struct group) groups;
	size_t next;
	void (*one)(const struct kernel *kernel, const struct group *group);
};

static int open_uprobe(const struct kernel *kernel, const struct link_site *site)
{
	struct opener_request request = {
		.type = kernel->uprobe,
		.config = site->semaphore_offset << kernel->ref_ctr_shift,
		.offset = site->offset,
		.tid = site->tid,
	};

	if (site->at_return)
		request.config |= UINT64_C(1) << kernel->retprobe_bit;
	if (kernel->opener)
		return opener__open(kernel->opener, site->path, &request);
	return opener__open_here(site->path, &request);
}

static void attach_single(const struct kernel *kernel, struct link *link)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = link->site.cookie);

	link->perf_fd = open_uprobe(kernel, &link->site);
	if (link->perf_fd < 0) {
		link->error = link->perf_fd;
		return;
	}
	link->link_fd = bpf_link_create(link->site.program, link->perf_fd, BPF_PERF_EVENT, &opts);
	if (link->link_fd >= 0 && ioctl(link->perf_fd, PERF_EVENT_IOC_ENABLE, 0) == 0)
		return;
	link->error = -errno;
	if (link->link_fd >= 0)
		close(link->link_fd);
	close(link->perf_fd);
	link->link_fd = link->perf_fd = -1;
}

/* Three arrays of a group's sites; the descriptor, or negative errno. */
static int create_many(const struct group *group)
{
	const struct link_site *first = &group->links[0].site;
	uint64_t *numbers = calloc(group->count, 3 * sizeof(*numbers));
	struct kernel_sites sites = {
		.path = first->path,
		.offsets = numbers,
		.semaphore_offsets = numbers + group->count,
		.cookies = numbers + 2 * group->count,
		.count = group->count,
		.pid = first->tid,
		.at_return = first->at_return,
	};
	int fd;

	if (!numbers)
		return -ENOMEM;
	for (size_t i = 0; i < group->count; i++) {
		const struct link_site *site = &group->links[i].site;

		numbers[i] = site->offset;
		numbers[group->count + i] = site->semaphore_offset;
		numbers[2 * group->count + i] = site->cookie;
	}
	fd = kernel__link_sites(first->program, &sites);
	free(numbers);
	return fd;
}

static void attach_many(const struct group *group)
{
	struct link *first = group->links;
	int fd = create_many(group);

	if (fd >= 0)
		first->link_fd = fd;
	else if (group->count == 1)
		first->error = fd;
	if (fd >= 0 || group->count == 1)
		return;
	/* One site is enough to make it fail: those that are well get links of their own. */
	for (size_t i = 0; i < group->count; i++) {
		struct group alone = { .links = &group->links[i], .count = 1 };

		attach_many(&alone);
	}
}

static void attach_group(const struct kernel *kernel, const struct group *group)
{
	if (group->links[0].site.multi)
		attach_many(group);
	else
		attach_single(kernel, &group->links[0]);
}

static void detach_one(const struct kernel *kernel, const struct group *group)
{
	struct link *link = &group->links[0];
	int fds[2];
	size_t count = 0;

	(void)kernel;
	if (link->link_fd >= 0)
		fds[count++] = link->link_fd;
	if (link->perf_fd >= 0)
		fds[count++] = link->perf_fd;
	closer__close(link->closer, fds, count);
	link->link_fd = link->perf_fd = -1;
}

static void *run(void *argument)
{
	struct work *work = argument;
	size_t i;

	while ((i = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED)) < work->groups.count)
		work->one(work->kernel, &work->groups.items[i]);
	return NULL;
}

/* By threads where there are some to be had; the caller works too, so it gets done anyhow. */
static void run_all(struct work *work)
{
	pthread_t threads[THREADS_MAX];
	size_t count = 0;
	pthread_attr_t attr;
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (pthread_attr_init(&attr) == 0) {
		pthread_attr_setstacksize(&attr, STACK_BYTES);
		while (count < THREADS_MAX && count + 1 < work->groups.count &&
		       pthread_create(&threads[count], &attr, run, work) == 0)
			count++;
		pthread_attr_destroy(&attr);
	}
	run(work);
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static bool same_group(const struct link_site *a, const struct link_site *b)
{
	return a->multi && b->multi && a->program == b->program && a->tid == b->tid &&
	       a->at_return == b->at_return && strcmp(a->path, b->path) == 0;
}

/* Of those sites that begin something, or of all others. */
static int make_groups(struct work *work, struct link *links, size_t count, bool begins)
{
	for (size_t i = 0; i < count; i++) {
		struct group group = { .links = &links[i], .count = 1 };
		struct group *last =
			work->groups.count ? &work->groups.items[work->groups.count - 1] : NULL;

		if (links[i].site.begins != begins)
			continue;
		if (last && last->links + last->count == &links[i] &&
		    same_group(&last->links[0].site, &links[i].site))
			last->count++;
		else if (vec__push(&work->groups, group))
			return -ENOMEM;
	}
	return 0;
}

int links__attach(struct links *links, const struct kernel *kernel, const struct link_site *sites,
		  size_t count)
{
	struct work ends = { .kernel = kernel, .one = attach_group };
	struct work begins = { .kernel = kernel, .one = attach_group };
	struct link *new;
	int err;

	if (count == 0)
		return 0;
	if (vec__reserve(links, count))
		return -ENOMEM;
	new = links->items + links->count;
	for (size_t i = 0; i < count; i++)
		new[i] = (struct link){ .site = sites[i],
					.perf_fd = -1,
					.link_fd = -1,
					.closer = kernel->closer };
	err = make_groups(&ends, new, count, false);
	if (err == 0)
		err = make_groups(&begins, new, count, true);
	if (err == 0) {
		run_all(&ends);
		run_all(&begins);
		for (size_t i = 0; i < count; i++)
			new[i].site.path = NULL;
		links->count += count;
	}
	vec__free(&ends.groups);
	vec__free(&begins.groups);
	return err;
}

/* Where there is no memory for doing it at once, one after the other. */
void links__detach(struct links *links)
{
	struct work work = { .one = detach_one };

	for (size_t i = 0; i < links->count; i++) {
		struct group group = { .links = &links->items[i], .count = 1 };

		if (group.links->link_fd < 0 && group.links->perf_fd < 0)
			continue;
		if (vec__push(&work.groups, group))
			detach_one(NULL, &group);
	}
	if (work.groups.count)
		run_all(&work);
	vec__free(&work.groups);
	vec__reset(links);
}

void links__free(struct links *links)
{
	links__detach(links);
	vec__free(links);
}

void links__detach_thread(struct links *links, pid_t tid)
{
	struct links ended = LINKS_INIT;
	size_t kept = 0;

	if (links->count == 0 || vec__reserve(&ended, links->count))
		return;
	for (size_t i = 0; i < links->count; i++) {
		if (links->items[i].site.tid == tid && !links->items[i].error)
			ended.items[ended.count++] = links->items[i];
		else
			links->items[kept++] = links->items[i];
	}
	links->count = kept;
	links__free(&ended);
}
