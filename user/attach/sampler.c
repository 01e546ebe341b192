/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A tick is asked for by PERF_EVENT_IOC_REFRESH: the event counts one overflow and is off again. It
 * comes a period (20 µs) later, on that CPU. We wait for it spinning, since it is nearer than a
 * sleep could end, and not for ever: the CPU may be one that a hypervisor has taken away. A tick
 * that comes too late carries the number of an older sweep and is not used.
 */
#include "attach/sampler.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/census.h"
#include "attach/kernel.h"
#include "attach/ring.h"
#include "base/clock.h"
#include "base/report.h"
#include "skel/sample.skel.h"

#define PERIOD_NS 20000
#define PATIENCE_NS (400 * NS_PER_US)

#define STATE_INTERRUPTIBLE 0x1
#define STATE_UNINTERRUPTIBLE 0x2
#define STATE_STOPPED 0x4
#define STATE_TRACED 0x8
#define STATE_DEAD (0x10 | 0x20 | 0x80)

struct sampler {
	struct sampler_options options;
	struct sample_bpf *bpf;
	struct census *census;
	struct ring ring;
	int *clocks; /* by CPU; -1: there is none */
	size_t clock_count;
	uint8_t *is_asked; /* by CPU, in this sweep */
	uint64_t number;
	uint64_t lost; /* told so far */
};

/* ---------------------------------------------------------------- life */

static int open_clock(const struct sampler *sampler, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = PERIOD_NS,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	if (ioctl(fd, PERF_EVENT_IOC_SET_BPF,
		  bpf_program__fd(sampler->bpf->progs.sample_tick)) == 0)
		return fd;
	err = -errno;
	close(fd);
	return err;
}

/* CPUs that are off have none (-ENODEV); that all have none would be an error. */
static int open_clocks(struct sampler *sampler)
{
	int count = libbpf_num_possible_cpus(), err = -ENODEV;

	if (count < 0)
		return count;
	sampler->clocks = malloc((size_t)count * sizeof(*sampler->clocks));
	sampler->is_asked = calloc((size_t)count, 1);
	if (!sampler->clocks || !sampler->is_asked)
		return -ENOMEM;
	for (int cpu = 0; cpu < count; cpu++) {
		int fd = open_clock(sampler, cpu);

		sampler->clocks[sampler->clock_count++] = fd < 0 ? -1 : fd;
		if (fd >= 0)
			err = 0;
		else if (fd != -ENODEV && fd != -ENXIO)
			return fd;
	}
	return err;
}

static int load_programs(struct sampler *sampler, bool with_walk)
{
	struct sample_bpf *bpf = sample_bpf__open();

	if (!bpf)
		return -errno;
	sampler->bpf = bpf;
	bpf->rodata->process = (uint32_t)sampler->options.pid;
	bpf->rodata->copy_stack = sampler->options.copies_stack;
	bpf_program__set_autoload(bpf->progs.sample_walk, with_walk);
	return sample_bpf__load(bpf);
}

/* Whether the kernel can walk is found by trying. */
static int load_what_can_be(struct sampler *sampler)
{
	if (!sampler->options.visits) {
		if (!load_programs(sampler, true))
			return 0;
		sample_bpf__destroy(sampler->bpf);
		sampler->bpf = NULL;
		debug("this kernel does not walk along threads: all of the host are visited");
	}
	return load_programs(sampler, false);
}

static int load(struct sampler *sampler)
{
	int err;

	kernel__take_log();
	err = load_what_can_be(sampler);
	if (!err)
		err = census__new(sampler->bpf, &sampler->options, &sampler->census);
	if (!err)
		err = open_clocks(sampler);
	if (!err)
		err = ring__open(&sampler->ring, bpf_map__fd(sampler->bpf->maps.ring),
				 bpf_map__max_entries(sampler->bpf->maps.ring));
	return err;
}

int sampler__new(const struct sampler_options *options, struct sampler **out)
{
	struct sampler *sampler = calloc(1, sizeof(*sampler));
	int err;

	if (!sampler)
		return error_errno(-ENOMEM, "cannot sample");
	sampler->options = *options;
	err = load(sampler);
	if (err) {
		sampler__free(sampler);
		return kernel__explain(err, "starting to sample threads");
	}
	*out = sampler;
	return 0;
}

void sampler__free(struct sampler *sampler)
{
	if (!sampler)
		return;
	for (size_t i = 0; i < sampler->clock_count; i++)
		if (sampler->clocks[i] >= 0)
			close(sampler->clocks[i]);
	ring__close(&sampler->ring);
	census__free(sampler->census);
	sample_bpf__destroy(sampler->bpf);
	free(sampler->clocks);
	free(sampler->is_asked);
	free(sampler);
}

void sampler__copy_leaf(struct sampler *sampler, bool copies)
{
	__atomic_store_n(&sampler->bpf->bss->copy_leaf, copies, __ATOMIC_RELAXED);
}

bool sampler__walks(const struct sampler *sampler)
{
	return census__walks(sampler->census);
}

void sweep__free(struct sweep *sweep)
{
	vec__free(&sweep->rows);
	vec__free(&sweep->ticks);
}

/* ---------------------------------------------------------------- rows of threads */

static enum sampled_state state_of(const struct sample_thread *thread)
{
	if (thread->where != SAMPLE_OFF_CPU)
		return SAMPLED_RUNS;
	if (thread->state & STATE_DEAD)
		return SAMPLED_ENDS;
	if (thread->state & (STATE_STOPPED | STATE_TRACED))
		return SAMPLED_IS_STOPPED;
	if (thread->state & STATE_UNINTERRUPTIBLE)
		return SAMPLED_WAITS_DEEP;
	return thread->state & STATE_INTERRUPTIBLE ? SAMPLED_WAITS : SAMPLED_IS_READY;
}

static enum caught caught_of(const struct sample_thread *thread)
{
	switch (thread->where) {
	case SAMPLE_TICK_USER:
		return CAUGHT_TICK;
	case SAMPLE_TICK_KERNEL:
		return CAUGHT_TICK_KERNEL;
	case SAMPLE_OFF_CPU:
		return CAUGHT_OFF_CPU;
	default:
		return CAUGHT_STALE;
	}
}

/* All but what only the census knows (numbers) and only a tick (stack bytes). */
static void take(struct sampled *row, const struct sample_thread *thread)
{
	struct caught_thread *caught = &row->caught;

	row->state = state_of(thread);
	row->torn = thread->torn;
	row->is_worker = thread->is_worker;
	row->still = false;
	row->cpu = thread->cpu;
	row->born = thread->born;
	row->switches = thread->switches;
	row->image = thread->image;
	memcpy(row->args, thread->args, sizeof(row->args));
	caught->how = caught_of(thread);
	caught->time_ns = thread->time;
	caught->ip = thread->ip;
	caught->sp = thread->sp;
	caught->fp = thread->fp;
	caught->bcp = thread->bcp;
	caught->link = thread->link;
	caught->syscall = caught->how == CAUGHT_STALE ? -1 : (int32_t)thread->syscall;
	caught->waits = row->state == SAMPLED_WAITS || row->state == SAMPLED_WAITS_DEEP;
}

static struct sampled made_of(const struct sample_thread *thread)
{
	struct sampled row = { .kernel_tid = thread->kernel_tid };

	take(&row, thread);
	row.caught.tid = (pid_t)thread->tid;
	row.caught.inner_tid = (pid_t)thread->inner_tid;
	memcpy(row.comm, thread->comm, sizeof(row.comm) - 1);
	return row;
}

/* ---------------------------------------------------------------- ticks */

static uint64_t ticked(const struct sampler *sampler)
{
	return __atomic_load_n(&sampler->bpf->bss->ticked, __ATOMIC_ACQUIRE);
}

/* Arm the clocks of the CPUs that the rows were seen on. How many. */
static unsigned int arm(struct sampler *sampler, const struct sweep *sweep)
{
	unsigned int armed = 0;

	memset(sampler->is_asked, 0, sampler->clock_count);
	for (size_t i = 0; i < sweep->rows.count; i++) {
		const struct sampled *row = &sweep->rows.items[i];

		if (row->caught.how != CAUGHT_STALE || row->cpu >= sampler->clock_count ||
		    sampler->clocks[row->cpu] < 0 || sampler->is_asked[row->cpu])
			continue;
		sampler->is_asked[row->cpu] = 1;
		if (ioctl(sampler->clocks[row->cpu], PERF_EVENT_IOC_REFRESH, 1) == 0)
			armed++;
	}
	return armed;
}

static void wait_for_ticks(const struct sampler *sampler, uint64_t until)
{
	const uint64_t start = clock__monotonic_ns();

	while (ticked(sampler) < until && clock__monotonic_ns() - start < PATIENCE_NS)
		;
}

#define TICK_BYTES (offsetof(struct sample_tick, stack) + SAMPLE_LEAF_BYTES) /* at least */

static int take_tick(struct sampler *sampler, struct sweep *sweep, const struct ring_item *item)
{
	const struct sample_tick *tick = ring__get(&sampler->ring, item);
	const size_t bytes = item->bytes < sizeof(*tick) ? item->bytes : sizeof(*tick);

	if (!tick || vec__reserve(&sweep->ticks, 1))
		return -ENOMEM;
	if (tick->sweep == sampler->number)
		memcpy(&sweep->ticks.items[sweep->ticks.count++], tick, bytes);
	return 0;
}

/* Copy this sweep's ticks out of the ring. */
static int take_ticks(struct sampler *sampler, struct sweep *sweep)
{
	uint64_t position = ring__consumer(&sampler->ring);
	const uint64_t producer = ring__producer(&sampler->ring);
	struct ring_item item;
	int err = 0;

	while (position < producer && !err) {
		err = ring__look(&sampler->ring, position, producer, &item);
		if (err || item.state == RING_BUSY)
			break;
		if (item.state == RING_READY && item.bytes >= TICK_BYTES)
			err = take_tick(sampler, sweep, &item);
		position = item.next;
	}
	ring__release(&sampler->ring, position);
	return err;
}

/* Threads come in the order of the rows, mostly: the search begins behind the last one found. */
static struct sampled *row_of(struct sweep *sweep, uint32_t kernel_tid)
{
	const size_t count = sweep->rows.count;

	for (size_t i = 0; i < count; i++) {
		const size_t at = (sweep->next + i) % count;

		if (sweep->rows.items[at].kernel_tid != kernel_tid)
			continue;
		sweep->next = at + 1;
		return &sweep->rows.items[at];
	}
	return NULL;
}

/* A thread that a tick met and the census had found off the CPU is sharp already. */
static void join_ticks(struct sweep *sweep, size_t first)
{
	for (size_t i = first; i < sweep->ticks.count; i++) {
		const struct sample_tick *tick = &sweep->ticks.items[i];
		struct sampled *row = row_of(sweep, tick->thread.kernel_tid);

		if (!row || sampled__is_sharp(row))
			continue;
		take(row, &tick->thread);
		row->caught.stack_at = tick->stack_at;
		row->caught.stack_bytes = tick->stack_bytes;
		row->caught.frame_at = tick->frame_at;
		row->caught.frame_bytes = tick->frame_bytes;
		sweep->met++;
	}
}

/* The ticks do not move any more: say where their bytes are. */
static void point_to_stacks(struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->ticks.count; i++) {
		const struct sample_tick *tick = &sweep->ticks.items[i];
		struct sampled *row = row_of(sweep, tick->thread.kernel_tid);

		if (!row || row->caught.time_ns != tick->thread.time)
			continue;
		row->caught.stack = tick->stack;
		row->caught.frame = tick->frame;
	}
}

static int catch_running(struct sampler *sampler, struct sweep *sweep)
{
	const uint64_t before = ticked(sampler);
	const size_t first = sweep->ticks.count;
	unsigned int armed;
	int err;

	__atomic_store_n(&sampler->bpf->bss->sweep, sampler->number, __ATOMIC_RELEASE);
	armed = arm(sampler, sweep);
	if (armed)
		wait_for_ticks(sampler, before + armed);
	err = take_ticks(sampler, sweep);
	if (err)
		return err;
	sweep->asked += armed;
	join_ticks(sweep, first);
	point_to_stacks(sweep);
	return 0;
}

/* ---------------------------------------------------------------- sweeps */

static int add_row(void *context, const struct sample_thread *thread)
{
	struct sweep *sweep = context;

	/* One that is not there any more is no row. */
	if (!thread->tid)
		return 0;
	return vec__push(&sweep->rows, made_of(thread));
}

static void count_lost(struct sampler *sampler, struct sweep *sweep)
{
	const uint64_t lost = __atomic_load_n(&sampler->bpf->bss->lost, __ATOMIC_RELAXED);

	sweep->lost += lost - sampler->lost;
	sampler->lost = lost;
}

int sampler__sweep(struct sampler *sampler, struct sweep *sweep)
{
	int err;

	vec__reset(&sweep->rows);
	vec__reset(&sweep->ticks);
	sweep->asked = sweep->met = sweep->lost = 0;
	sweep->is_past = false;
	sweep->number = ++sampler->number;
	sweep->start_ns = clock__monotonic_ns();
	err = census__take(sampler->census, add_row, sweep);
	if (!err && sweep->rows.count == 0)
		err = -ESRCH;
	if (!err)
		err = catch_running(sampler, sweep);
	sweep->end_ns = clock__monotonic_ns();
	count_lost(sampler, sweep);
	return err;
}

static int newer_image(void *context, const struct sample_thread *thread)
{
	uint64_t *image = context;

	if (thread->image > *image)
		*image = thread->image;
	return 0;
}

int sampler__find_image(struct sampler *sampler, uint64_t *image)
{
	*image = 0;
	return census__take(sampler->census, newer_image, image);
}

static int better_row(void *context, const struct sample_thread *thread)
{
	struct sweep *sweep = context;
	struct sampled *row = row_of(sweep, thread->kernel_tid);

	if (row && !sampled__is_sharp(row))
		take(row, thread);
	return 0;
}

static bool is_sharp(const struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->rows.count; i++)
		if (!sampled__is_sharp(&sweep->rows.items[i]))
			return false;
	return true;
}

int sampler__insist(struct sampler *sampler, struct sweep *sweep, unsigned int tries)
{
	int err = 0;

	for (unsigned int i = 0; i < tries && !err && !is_sharp(sweep); i++) {
		sampler->number++;
		err = census__take(sampler->census, better_row, sweep);
		if (!err)
			err = catch_running(sampler, sweep);
	}
	sweep->end_ns = clock__monotonic_ns();
	count_lost(sampler, sweep);
	return err;
}

static void compare(struct sampled *row, const struct sample_thread *thread)
{
	row->still = thread->where == SAMPLE_OFF_CPU && !thread->torn && !row->torn &&
		     row->caught.how == CAUGHT_OFF_CPU && thread->born == row->born &&
		     thread->image == row->image && thread->switches == row->switches;
}

static int compare_row(void *context, const struct sample_thread *thread)
{
	struct sweep *sweep = context;
	struct sampled *row = row_of(sweep, thread->kernel_tid);

	if (!row)
		return 0;
	compare(row, thread);
	sweep->is_past |= thread->image != row->image;
	return 0;
}

int sampler__look_again(struct sampler *sampler, struct sweep *sweep)
{
	return census__take(sampler->census, compare_row, sweep);
}

/* ---------------------------------------------------------------- one thread */

void sampler__single_out(struct sampler *sampler, const struct sampled *row)
{
	census__single_out(sampler->census, row->caught.tid);
}

void sampler__let_be(struct sampler *sampler)
{
	census__let_be(sampler->census);
}

static int catch_row(void *context, const struct sample_thread *thread)
{
	struct sampled *row = context;

	if (row->kernel_tid == thread->kernel_tid)
		take(row, thread);
	return 0;
}

static int compare_one(void *context, const struct sample_thread *thread)
{
	struct sampled *row = context;

	if (row->kernel_tid == thread->kernel_tid)
		compare(row, thread);
	return 0;
}

int sampler__catch_one(struct sampler *sampler, struct sampled *row)
{
	row->caught.stack_bytes = row->caught.frame_bytes = 0;
	return census__take_one(sampler->census, catch_row, row);
}

int sampler__look_again_at_one(struct sampler *sampler, struct sampled *row)
{
	row->still = false;
	return census__take_one(sampler->census, compare_one, row);
}
