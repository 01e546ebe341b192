/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Each CPU's event writes into a ring of its own, so what one process did on two CPUs has to be
 * put in order: all rings are read until none has anything new (read_rings), then the events are
 * sorted by time. What is written later comes the next time; it is later than all that it could
 * matter to (a process moves from CPU to CPU, it isn't on two at once).
 *
 * A CPU that goes offline takes its event with it, one that comes online has none: about once a
 * second the list of CPUs is looked at. Where an event can't be had any more, "lost" is said each
 * time, so that processes are looked at instead.
 */
#include "attach/watch.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/vec.h"

#define ONLINE "/sys/devices/system/cpu/online"
/*
 * Of all processes of the host, for as long as a busy machine keeps us waiting: some 2,000 events,
 * about what 50 programs cause that start. A path may take 4 KiB; power of 2.
 */
#define RING_BYTES 262144u
#define MOST_TURNS 16

struct cpu_ring {
	int cpu;
	int fd;
	struct perf_event_mmap_page *page;
	size_t mapped;
};

/* An event and where its name is among the texts. */
struct held {
	struct watch_event event;
	size_t name;
	size_t order;
};

struct watch {
	int epoll;
	VEC(struct cpu_ring) rings;
	VEC(struct held) held;
	struct buf texts;
	struct buf online; /* as read last */
	uint64_t looked_ns;
	bool blind; /* on some CPU */
	unsigned char record[65536] __attribute__((aligned(8)));
};

/* What stands behind every record: sample_id with TID and TIME. */
struct trailer {
	uint32_t pid, tid;
	uint64_t time;
};

static int open_event(int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int add_cpu(struct watch *watch, int cpu)
{
	struct epoll_event wanted = { .events = EPOLLIN };
	struct cpu_ring ring = { .cpu = cpu, .mapped = getpagesize() + RING_BYTES };
	int err;

	/* The data must be a power of 2 of pages. */
	if (ring.mapped < 2 * (size_t)getpagesize())
		ring.mapped = 2 * getpagesize();
	ring.fd = open_event(cpu);
	if (ring.fd < 0)
		return ring.fd == -ENODEV ? 0 : ring.fd; /* just went offline */
	ring.page = mmap(NULL, ring.mapped, PROT_READ | PROT_WRITE, MAP_SHARED, ring.fd, 0);
	if (ring.page == MAP_FAILED) {
		err = -errno;
		close(ring.fd);
		return err;
	}
	if (vec__push(&watch->rings, ring)) {
		munmap(ring.page, ring.mapped);
		close(ring.fd);
		return -ENOMEM;
	}
	return epoll_ctl(watch->epoll, EPOLL_CTL_ADD, ring.fd, &wanted) ? -errno : 0;
}

static bool is_watched(const struct watch *watch, int cpu)
{
	for (size_t i = 0; i < watch->rings.count; i++)
		if (watch->rings.items[i].cpu == cpu)
			return true;
	return false;
}

/* "0-3,8,10-11" */
static bool is_listed(const char *list, int cpu)
{
	while (*list >= '0' && *list <= '9') {
		char *end;
		long first = strtol(list, &end, 10), last = first;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		if (cpu >= first && cpu <= last)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

static int add_cpus(struct watch *watch)
{
	const char *list = buf__str(&watch->online);
	long count = sysconf(_SC_NPROCESSORS_CONF);
	int err = 0;

	for (int cpu = 0; err == 0 && cpu < count; cpu++)
		if (is_listed(list, cpu) && !is_watched(watch, cpu))
			err = add_cpu(watch, cpu);
	return err;
}

static void close_ring(struct cpu_ring *ring)
{
	munmap(ring->page, ring->mapped);
	close(ring->fd);
}

static void drop_cpus(struct watch *watch)
{
	size_t kept = 0;

	for (size_t i = 0; i < watch->rings.count; i++) {
		struct cpu_ring *ring = &watch->rings.items[i];

		if (is_listed(buf__str(&watch->online), ring->cpu))
			watch->rings.items[kept++] = *ring;
		else
			close_ring(ring);
	}
	watch->rings.count = kept;
}

static int look_at_cpus(struct watch *watch)
{
	struct buf online = BUF_INIT;
	int err = files__read(ONLINE, &online);

	watch->looked_ns = clock__monotonic_ns();
	if (err || strcmp(buf__str(&online), buf__str(&watch->online)) == 0) {
		buf__free(&online);
		return err;
	}
	buf__free(&watch->online);
	watch->online = online;
	drop_cpus(watch);
	err = add_cpus(watch);
	watch->blind = err != 0;
	return err;
}

int watch__new(struct watch **out)
{
	struct watch *watch = calloc(1, sizeof(*watch));
	int err;

	if (!watch)
		return -ENOMEM;
	watch->epoll = epoll_create1(EPOLL_CLOEXEC);
	err = watch->epoll < 0 ? -errno : look_at_cpus(watch);
	if (err) {
		watch__free(watch);
		return err;
	}
	*out = watch;
	return 0;
}

void watch__free(struct watch *watch)
{
	if (!watch)
		return;
	for (size_t i = 0; i < watch->rings.count; i++)
		close_ring(&watch->rings.items[i]);
	vec__free(&watch->rings);
	vec__free(&watch->held);
	buf__free(&watch->texts);
	buf__free(&watch->online);
	if (watch->epoll >= 0)
		close(watch->epoll);
	free(watch);
}

int watch__fd(const struct watch *watch)
{
	return watch->epoll;
}

/* ---- Reading ---- */

static void hold(struct watch *watch, struct watch_event *event, const char *name, size_t room)
{
	struct held held = { .event = *event, .name = watch->texts.len };

	held.order = watch->held.count;
	buf__add(&watch->texts, name, strnlen(name, room));
	buf__add_char(&watch->texts, 0);
	vec__push(&watch->held, held);
}

/* Anonymous memory and the kernel's own mappings come with names that are no paths. */
static bool is_file(const char *path)
{
	return path[0] == '/' && path[1] != '/';
}

static void take_mmap(struct watch *watch, struct watch_event *event,
		      const struct perf_event_header *head, size_t bytes)
{
	/* As in linux/perf_event.h: pid, tid, addr, len, pgoff, 24 bytes, prot, flags, name */
	const unsigned char *body = (const unsigned char *)(head + 1);
	size_t name = 8 + 3 * 8 + 24 + 8;

	if (bytes <= name)
		return;
	memcpy(&event->address, body + 8, 8);
	memcpy(&event->length, body + 16, 8);
	event->kind = WATCH_MMAP;
	if (is_file((const char *)body + name))
		hold(watch, event, (const char *)body + name, bytes - name);
}

static void take_task(struct watch *watch, struct watch_event *event,
		      const struct perf_event_header *head, size_t bytes)
{
	uint32_t body[4]; /* pid, ppid, tid, ptid */

	if (bytes < sizeof(body))
		return;
	memcpy(body, head + 1, sizeof(body));
	event->tid = body[2];
	event->parent = body[1];
	event->kind = head->type == PERF_RECORD_FORK ? WATCH_FORK : WATCH_EXIT;
	if (head->type == PERF_RECORD_EXIT || body[0] != body[1])
		hold(watch, event, "", 0);
}

/* One whole record at watch->record. */
static void take(struct watch *watch)
{
	const struct perf_event_header *head = (const void *)watch->record;
	struct watch_event event = { 0 };
	struct trailer trailer;
	uint32_t ids[2] = { 0, 0 };
	size_t bytes;

	if (head->size < sizeof(*head) + sizeof(trailer))
		return;
	bytes = head->size - sizeof(*head) - sizeof(trailer);
	memcpy(&trailer, watch->record + head->size - sizeof(trailer), sizeof(trailer));
	if (bytes >= sizeof(ids))
		memcpy(ids, head + 1, sizeof(ids));
	event.time = trailer.time;
	event.pid = ids[0];
	event.tid = ids[1];
	if (head->type == PERF_RECORD_LOST) {
		event.kind = WATCH_LOST;
		if (bytes >= 16) /* id, lost */
			memcpy(&event.lost, (const char *)(head + 1) + 8, 8);
		hold(watch, &event, "", 0);
	} else if (event.pid <= 0) {
		return; /* of a pid namespace that is not below ours */
	} else if (head->type == PERF_RECORD_MMAP2 && !(head->misc & PERF_RECORD_MISC_MMAP_DATA)) {
		take_mmap(watch, &event, head, bytes);
	} else if (head->type == PERF_RECORD_COMM && (head->misc & PERF_RECORD_MISC_COMM_EXEC)) {
		event.kind = WATCH_EXEC;
		hold(watch, &event, (const char *)(head + 1) + 8, bytes - 8);
	} else if (head->type == PERF_RECORD_FORK || head->type == PERF_RECORD_EXIT) {
		take_task(watch, &event, head, bytes);
	}
}

static void copy_out(const struct cpu_ring *ring, uint64_t from, void *to, size_t bytes)
{
	const unsigned char *data = (const unsigned char *)ring->page + ring->page->data_offset;
	uint64_t size = ring->page->data_size;
	size_t first = size - from % size;

	if (first > bytes)
		first = bytes;
	memcpy(to, data + from % size, first);
	memcpy((unsigned char *)to + first, data, bytes - first);
}

static void read_ring(struct watch *watch, struct cpu_ring *ring)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;

	while (tail < head) {
		struct perf_event_header start;

		copy_out(ring, tail, &start, sizeof(start));
		if (start.size < sizeof(start) || start.size > head - tail) {
			tail = head; /* cannot be; don't turn in a circle */
			break;
		}
		copy_out(ring, tail, watch->record, start.size);
		take(watch);
		tail += start.size;
	}
	__atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

/*
 * While a ring is left behind, a process may go on, and move to the CPU of one that is still to be
 * read: what it did before is then in the first one. Once a turn found all of them empty, those
 * before each event that was taken were taken too. A host that never rests is not waited for.
 */
static void read_rings(struct watch *watch)
{
	size_t before;
	unsigned int turns = 0;

	do {
		before = watch->held.count;
		for (size_t i = 0; i < watch->rings.count; i++)
			read_ring(watch, &watch->rings.items[i]);
	} while (watch->held.count != before && ++turns < MOST_TURNS);
}

static int by_time(const void *a, const void *b)
{
	const struct held *x = a, *y = b;

	if (x->event.time != y->event.time)
		return x->event.time < y->event.time ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void watch__read(struct watch *watch, watch_handler handler, void *context)
{
	struct watch_event lost = { .kind = WATCH_LOST, .name = "" };
	bool looked = clock__monotonic_ns() - watch->looked_ns > NS_PER_S;

	vec__reset(&watch->held);
	buf__reset(&watch->texts);
	read_rings(watch);
	if (looked)
		look_at_cpus(watch);
	if (watch->texts.error || (looked && watch->blind))
		handler(context, &lost);
	if (watch->texts.error)
		return;
	vec__sort(&watch->held, by_time);
	for (size_t i = 0; i < watch->held.count; i++) {
		struct held *held = &watch->held.items[i];

		held->event.name = buf__str(&watch->texts) + held->name;
		handler(context, &held->event);
	}
}
