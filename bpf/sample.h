/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * What the programs of gctrace sample tell user space: user/attach/sampler.c.
 *
 * The iterator and the walk write one struct sample_thread for each thread; a tick writes one
 * struct sample_tick, of which the stack may be shorter: what is copied is cold memory, and costs a
 * tick most. All fields are as they were in one moment, `time`, unless `torn` says otherwise.
 */
#ifndef GCTRACE_SAMPLE_H
#define GCTRACE_SAMPLE_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define SAMPLE_STACK_BYTES 2048 /* where whole stacks are asked for */
#define SAMPLE_LEAF_BYTES 256	/* else */
#define SAMPLE_FRAME_BYTES 128 /* that end SAMPLE_FRAME_ABOVE above the frame pointer */
#define SAMPLE_FRAME_ABOVE 16

#define SAMPLE_WALK_ROWS 4096 /* threads of which a walk has room for the rows */
#define SAMPLE_WALK_ASTRAY 0xffffffff /* it met more, or what is none: its rows are worth nothing */

enum sample_where {
	SAMPLE_OFF_CPU = 0,
	SAMPLE_ON_CPU = 1,	/* not a tick's: the registers are old */
	SAMPLE_TICK_USER = 2,
	SAMPLE_TICK_KERNEL = 3,
};

struct sample_thread {
	__u64 time;	/* CLOCK_MONOTONIC, ns */
	__u64 born;	/* by the kernel's clock: numbers of threads come again, this does not */
	__u64 switches; /* off the CPU so far: the thread has run since if this has grown */
	__u64 image;	/* grows with each exec: what it runs is another program then */
	__u64 ip, sp, fp, bcp, link; /* in user mode; user/target/walker.h */
	__u64 args[3];	/* of the system call */
	__s64 syscall;	/* its number; -1: in none */
	__u32 kernel_tid; /* in the initial pid namespace */
	__u32 tid;	/* in ours; 0: it has none there */
	__u32 inner_tid; /* in its own */
	__u32 state;	/* task->__state */
	__u32 cpu;
	__u16 where;	/* enum sample_where */
	__u8 torn;	/* it ran while it was looked at: the registers are worth nothing */
	__u8 is_worker; /* of the kernel's, in the process: never in user mode, no registers */
	char comm[16];
};

struct sample_tick {
	struct sample_thread thread;
	__u64 sweep; /* the sampler's number of the sweep that asked for it */
	__u64 stack_at, frame_at;
	__u32 stack_bytes, frame_bytes; /* that were copied */
	__u8 frame[SAMPLE_FRAME_BYTES];
	__u8 stack[SAMPLE_STACK_BYTES]; /* or SAMPLE_LEAF_BYTES: the record ends there */
};

#endif
