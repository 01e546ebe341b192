/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * `gctrace run`: stop a thread of ours at the moment when a file becomes executable memory,
 * before one instruction of it has run.
 *
 * The members are the processes that descend from the started one: gctrace puts the first in,
 * a fork puts in the child, the exit of a process takes it out. When a thread of a member returns
 * from an mmap that maps a file executable, it gets a signal; gctrace, which has seized it with
 * ptrace, sees it stopped, looks for probes in what is mapped, attaches, drops the signal and lets
 * it go (user/attach/launch.c). exec needs nothing here, since ptrace reports it.
 *
 * The signal is one that does nothing to a process that does not ask for it: should gctrace be
 * killed at that moment, the process gets it and runs on; SIGSTOP would stop it for good. Threads
 * that block it get SIGSTOP all the same, which nothing blocks.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define SIGSTOP 19
#define SIGWINCH 28
#define PROT_EXEC 4
#define MAP_ANONYMOUS 0x20

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__type(key, __u32); /* tgid in the initial pid namespace */
	__type(value, __u8);
} members SEC(".maps");

/* Threads that were sent SIGWINCH by us; gctrace takes them out when it sees them stopped. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 65536);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, __u32); /* tid */
	__type(value, __u8);
} held SEC(".maps");

/* Forks of members that found no room above: their children are not seen. */
__u64 crowded_out = 0;

SEC("tp_btf/sched_process_fork")
int BPF_PROG(launch_fork, struct task_struct *parent, struct task_struct *child)
{
	__u32 from = parent->tgid, to = child->tgid;
	__u8 is = 1;

	if (from == to || !bpf_map_lookup_elem(&members, &from))
		return 0;
	if (bpf_map_update_elem(&members, &to, &is, BPF_ANY))
		__sync_fetch_and_add(&crowded_out, 1);
	return 0;
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(launch_free, struct task_struct *task)
{
	__u32 pid = task->pid, tgid = task->tgid;

	if (pid == tgid)
		bpf_map_delete_elem(&members, &tgid);
	return 0;
}

/* Is it the return from mmap of a file with the right to execute? */
static inline bool mapped_code(const struct pt_regs *regs, long result)
{
#if defined(__TARGET_ARCH_x86)
	const long number = regs->orig_ax, map = 9;
	const __u64 rights = regs->dx, how = regs->r10;
#elif defined(__TARGET_ARCH_arm64)
	const long number = regs->syscallno, map = 222;
	const __u64 rights = regs->regs[2], how = regs->regs[3];
#endif

	return number == map && (result >= 0 || result < -4095) && rights & PROT_EXEC &&
	       !(how & MAP_ANONYMOUS);
}

static inline bool blocks(__u32 signal)
{
	return bpf_get_current_task_btf()->blocked.sig[0] & 1ull << (signal - 1);
}

SEC("tp_btf/sys_exit")
int BPF_PROG(launch_mmap, struct pt_regs *regs, long result)
{
	__u64 both = bpf_get_current_pid_tgid();
	__u32 tgid = both >> 32, tid = (__u32)both;
	__u8 is = 1;

	if (!mapped_code(regs, result) || !bpf_map_lookup_elem(&members, &tgid))
		return 0;
	if (blocks(SIGWINCH) || bpf_map_update_elem(&held, &tid, &is, BPF_ANY))
		bpf_send_signal_thread(SIGSTOP);
	else if (bpf_send_signal_thread(SIGWINCH))
		bpf_map_delete_elem(&held, &tid);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
