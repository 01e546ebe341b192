/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * gctrace sample: where every thread of a process is.
 *
 * Three programs. The visit is made to all threads of the host, one after the other, while user
 * space reads, or to the one that is singled out; the walk goes along those of one process, in one
 * go, where the kernel can. For a thread that is off the CPU the user registers that it left user
 * mode with lie on its kernel stack: they are where it is, exactly. For one that is on a CPU they
 * are what they were when it last entered the kernel, behind by anything: those are left to the
 * tick.
 *
 *	visit   a row for each thread of the process, to be read from the iterator's descriptor
 *	walk    the same, to memory that user space has mapped, as many as there is room for
 *	tick    a software clock's event of a CPU where one of the threads was seen, armed for one
 *	        shot by user space: the registers of that moment, and the stack bytes that they
 *	        point to, to the ring
 *
 * Is a thread's row of one moment? The counts of switches and on_cpu are read before and after the
 * registers: unchanged and off the CPU, the thread has not run in between. On x86 reads are made in
 * their order. On arm64 nothing that is cheap in BPF has them so: the row of a thread that wakes
 * just then may be torn there and not say so.
 *
 * Process ids. Ours are those of the pid namespace that the reader lives in: visit and walk run in
 * their reader's context, so current is the reader. The tick does not, and compares the kernel's
 * own number, which those find out.
 */
#include "vmlinux.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "sample.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Fields of the scheduler's that vmlinux.h does not have. */
struct thread_info___cpu {
	u32 cpu;
} __attribute__((preserve_access_index));

struct task_struct___scheduled {
	unsigned int __state;
	unsigned int on_cpu; /* a byte since 7.3 */
	unsigned long nvcsw, nivcsw;
	u64 start_time;
	u64 self_exec_id;
	struct thread_info___cpu thread_info;
} __attribute__((preserve_access_index));

/* Until 5.16 on x86. */
struct task_struct___cpu {
	unsigned int cpu;
} __attribute__((preserve_access_index));

/* Since 6.7. Without it user space does not load what calls it. */
struct bpf_iter_task {
	__u64 opaque[3];
} __attribute__((aligned(8)));

#define BPF_TASK_ITER_PROC_THREADS 2

int bpf_iter_task_new(struct bpf_iter_task *it, struct task_struct *task,
		      unsigned int flags) __ksym __weak;
struct task_struct *bpf_iter_task_next(struct bpf_iter_task *it) __ksym __weak;
void bpf_iter_task_destroy(struct bpf_iter_task *it) __ksym __weak;

struct pt_regs___entry {
	s32 syscallno;
} __attribute__((preserve_access_index));

/* Knobs, set before the programs are loaded. */
const volatile __u32 process = 0;     /* its id in our pid namespace */
const volatile bool copy_stack = false; /* a tick copies SAMPLE_STACK_BYTES */

__u32 kernel_pid = 0; /* the same as the kernel numbers it; 0: not found yet */
bool copy_leaf = false; /* else, SAMPLE_LEAF_BYTES; false: none */
__u64 sweep = 0;      /* user space's number of the one that is going on */
__u64 ticked = 0;     /* ticks that came, of the process's threads or not */
__u32 reader_level = 0;
__u64 reader_namespace = 0;
__u64 lost = 0;	      /* ticks of its threads that found no room in the ring */

/* Rows of the last walk, or SAMPLE_WALK_ASTRAY. */
__u32 walked = 0;
struct sample_thread walk[SAMPLE_WALK_ROWS] = {};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} ring SEC(".maps");

/* Its entry of the namespace of that level. False: it is not known there. */
static __always_inline bool upid_at(struct pid *pid, unsigned int level, struct upid *upid)
{
	const char *numbers = (const char *)pid + bpf_core_field_offset(pid->numbers);

	return level <= pid->level &&
	       !bpf_probe_read_kernel(upid, sizeof(*upid), numbers + level * sizeof(*upid));
}

/* In whose context this runs: its namespace is what numbers are told in. */
static __always_inline void look_at_reader(void)
{
	struct pid *pid = bpf_get_current_task_btf()->thread_pid;
	struct upid upid;

	if (!pid || !upid_at(pid, pid->level, &upid))
		return;
	reader_level = pid->level;
	reader_namespace = (__u64)upid.ns;
}

/* What the reader calls a task; 0: it does not see it. */
static __always_inline __u32 number_for_reader(struct pid *pid)
{
	struct upid upid;

	if (!pid || !upid_at(pid, reader_level, &upid) || (__u64)upid.ns != reader_namespace)
		return 0;
	return upid.nr;
}

/* What follows is read later than what stands before: twice is not the same as once. */
#define read_again() asm volatile("" : : : "memory")

static __always_inline __u64 switches_of(struct task_struct *task)
{
	struct task_struct___scheduled *scheduled = (void *)task;

	return scheduled->nvcsw + scheduled->nivcsw;
}

static __always_inline bool is_on_cpu(struct task_struct *task)
{
	struct task_struct___scheduled *scheduled = (void *)task;

	return scheduled->on_cpu != 0;
}

static __always_inline __u32 cpu_of(struct task_struct *task)
{
	struct task_struct___scheduled *scheduled = (void *)task;
	struct task_struct___cpu *old = (void *)task;

	if (bpf_core_field_exists(scheduled->thread_info.cpu))
		return scheduled->thread_info.cpu;
	if (bpf_core_field_exists(old->cpu))
		return old->cpu;
	return 0;
}

/* PF_IO_WORKER since 5.12, PF_USER_WORKER since 6.4; before that they were other flags. */
#define WORKER_FLAGS (0x00000010 | 0x00004000)

/*
 * The kernel's threads that work for io_uring and vhost are the process's own. What lies where
 * others have their user registers is made up, with ip and sp 0, so that nobody goes there.
 */
static __always_inline void take_worker(struct sample_thread *row, struct task_struct *task)
{
	row->is_worker = (task->flags & WORKER_FLAGS) && !row->ip && !row->sp;
	if (!row->is_worker)
		return;
	row->fp = row->bcp = row->link = 0;
	row->syscall = -1;
	row->args[0] = row->args[1] = row->args[2] = 0;
}

#if defined(__TARGET_ARCH_x86)
static __always_inline void take_registers(struct sample_thread *row, struct pt_regs *regs)
{
	row->ip = regs->ip;
	row->sp = regs->sp;
	row->fp = regs->bp;
	row->bcp = regs->r13;
	row->link = 0;
}

static __always_inline void take_syscall(struct sample_thread *row, struct pt_regs *regs)
{
	long number = regs->orig_ax;

	row->syscall = number < 0 ? -1 : number;
	row->args[0] = regs->di;
	row->args[1] = regs->si;
	row->args[2] = regs->dx;
}

static __always_inline void take_context(struct sample_thread *row,
					 struct bpf_perf_event_data *ctx)
{
	row->ip = ctx->regs.ip;
	row->sp = ctx->regs.sp;
	row->fp = ctx->regs.bp;
	row->bcp = ctx->regs.r13;
	row->link = 0;
}
#else
static __always_inline void take_registers(struct sample_thread *row, struct pt_regs *regs)
{
	struct user_pt_regs *user = (void *)regs;

	row->ip = user->pc;
	row->sp = user->sp;
	row->fp = user->regs[29];
	row->bcp = user->regs[22];
	row->link = user->regs[30];
}

static __always_inline void take_syscall(struct sample_thread *row, struct pt_regs *regs)
{
	struct user_pt_regs *user = (void *)regs;
	struct pt_regs___entry *entry = (void *)regs;
	int number = entry->syscallno;

	row->syscall = number < 0 ? -1 : number;
	row->args[0] = user->regs[0];
	row->args[1] = user->regs[1];
	row->args[2] = user->regs[2];
}

static __always_inline void take_context(struct sample_thread *row,
					 struct bpf_perf_event_data *ctx)
{
	row->ip = ctx->regs.pc;
	row->sp = ctx->regs.sp;
	row->fp = ctx->regs.regs[29];
	row->bcp = ctx->regs.regs[22];
	row->link = ctx->regs.regs[30];
}
#endif

static __always_inline void take_task(struct sample_thread *row, struct task_struct *task)
{
	struct task_struct___scheduled *scheduled = (void *)task;

	row->time = bpf_ktime_get_ns();
	row->born = scheduled->start_time;
	row->switches = switches_of(task);
	row->image = scheduled->self_exec_id;
	row->state = scheduled->__state;
	row->cpu = cpu_of(task);
	row->kernel_tid = task->pid;
	row->torn = 0;
	__builtin_memset(row->comm, 0, sizeof(row->comm));
	bpf_probe_read_kernel_str(row->comm, sizeof(row->comm), task->comm);
}

static __always_inline void take_numbers(struct sample_thread *row, struct task_struct *task)
{
	struct pid *pid = task->thread_pid;
	struct upid upid;

	row->tid = number_for_reader(pid);
	row->inner_tid = row->tid;
	if (pid && pid->level != reader_level)
		row->inner_tid = upid_at(pid, pid->level, &upid) ? upid.nr : 0;
}

/* Is it of the process that was asked for? */
static __always_inline bool is_wanted(struct task_struct *task)
{
	if (kernel_pid)
		return (__u32)task->tgid == kernel_pid;
	if (number_for_reader(task->group_leader->thread_pid) != process)
		return false;
	kernel_pid = task->tgid;
	return true;
}

/* Off the CPU the registers are where it is; on one they are old. */
static __always_inline void take_thread(struct sample_thread *row, struct task_struct *task)
{
	struct pt_regs *regs;

	row->where = is_on_cpu(task) ? SAMPLE_ON_CPU : SAMPLE_OFF_CPU;
	read_again();
	take_task(row, task);
	read_again();
	regs = (struct pt_regs *)bpf_task_pt_regs(task);
	take_registers(row, regs);
	take_syscall(row, regs);
	take_worker(row, task);
	take_numbers(row, task);
	read_again();
	if (row->where == SAMPLE_OFF_CPU)
		row->torn = is_on_cpu(task) || switches_of(task) != row->switches;
}

SEC("iter/task")
int sample_threads(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct sample_thread row = {};

	if (!ctx->meta->seq_num)
		look_at_reader();
	if (!task || !is_wanted(task))
		return 0;
	take_thread(&row, task);
	bpf_seq_write(ctx->meta->seq, &row, sizeof(row));
	return 0;
}

/*
 * All of them at once, in the visit to the process's first thread. Meanwhile no other program gets
 * this CPU, unless the kernel may be preempted, and none of its tasks is freed: so room is bounded.
 *
 * The kernel tells the end of its list by what the thread before it is of. If the last thread is
 * released just before it is passed, that is nothing any more: the list's head is taken for a task,
 * which is of no process, and the walk would begin anew behind it.
 */
SEC("iter/task")
int sample_walk(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct bpf_iter_task threads;

	if (!task)
		return 0;
	look_at_reader();
	walked = 0;
	if (!is_wanted(task))
		return 0;
	bpf_iter_task_new(&threads, task, BPF_TASK_ITER_PROC_THREADS);
	while ((task = bpf_iter_task_next(&threads))) {
		const __u32 at = walked++;

		if (at >= SAMPLE_WALK_ROWS || (__u32)task->tgid != kernel_pid) {
			walked = SAMPLE_WALK_ASTRAY;
			break;
		}
		take_thread(&walk[at], task);
	}
	bpf_iter_task_destroy(&threads);
	return 0;
}

/* As much as is mapped, in one of a few sizes. */
static __always_inline __u32 copy_user(__u8 *to, __u64 from)
{
	if (copy_stack && !bpf_probe_read_user(to, SAMPLE_STACK_BYTES, (const void *)from))
		return SAMPLE_STACK_BYTES;
	if (!bpf_probe_read_user(to, SAMPLE_LEAF_BYTES, (const void *)from))
		return SAMPLE_LEAF_BYTES;
	if (!bpf_probe_read_user(to, SAMPLE_LEAF_BYTES / 4, (const void *)from))
		return SAMPLE_LEAF_BYTES / 4;
	return 0;
}

#define TICK_BYTES (__builtin_offsetof(struct sample_tick, stack) + SAMPLE_LEAF_BYTES)

/* Of a constant size, each. */
static __always_inline struct sample_tick *reserve_tick(void)
{
	if (copy_stack)
		return bpf_ringbuf_reserve(&ring, sizeof(struct sample_tick), 0);
	return bpf_ringbuf_reserve(&ring, TICK_BYTES, 0);
}

static __always_inline void take_tick(struct sample_thread *row, struct bpf_perf_event_data *ctx,
				      struct task_struct *task)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);

	take_task(row, task);
	row->tid = 0;
	row->inner_tid = 0;
	row->cpu = bpf_get_smp_processor_id();
	take_context(row, ctx);
	/* The kernel's addresses are the upper half, whose bit 63 is set. */
	if ((__s64)row->ip >= 0) {
		row->where = SAMPLE_TICK_USER;
		row->syscall = -1;
		row->args[0] = row->args[1] = row->args[2] = 0;
	} else {
		row->where = SAMPLE_TICK_KERNEL;
		take_syscall(row, regs);
		take_registers(row, regs);
	}
	take_worker(row, task);
}

static __always_inline void tell_tick(struct bpf_perf_event_data *ctx)
{
	struct sample_tick *tick = reserve_tick();

	if (!tick) {
		__sync_fetch_and_add(&lost, 1);
		return;
	}
	take_tick(&tick->thread, ctx, bpf_get_current_task_btf());
	tick->sweep = sweep;
	tick->stack_at = tick->thread.sp;
	tick->frame_at = tick->thread.fp + SAMPLE_FRAME_ABOVE - SAMPLE_FRAME_BYTES;
	tick->stack_bytes = 0;
	tick->frame_bytes = 0;
	if (copy_leaf || copy_stack) {
		tick->stack_bytes = copy_user(tick->stack, tick->stack_at);
		if (!bpf_probe_read_user(tick->frame, sizeof(tick->frame),
					 (const void *)tick->frame_at))
			tick->frame_bytes = sizeof(tick->frame);
	}
	bpf_ringbuf_submit(tick, BPF_RB_NO_WAKEUP);
}

/* 1: the kernel counts the shot, so that a refreshed event is off again after it. */
SEC("perf_event")
int sample_tick(struct bpf_perf_event_data *ctx)
{
	if (kernel_pid && bpf_get_current_pid_tgid() >> 32 == kernel_pid)
		tell_tick(ctx);
	__sync_fetch_and_add(&ticked, 1);
	return 1;
}
