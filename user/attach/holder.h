/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Takes a CPU away from whoever runs on it, for some microseconds: a thread of ours of real-time
 * priority, that is woken there and turns round until it is let go. Who ran there is off the CPU
 * meanwhile, its registers are those that it left user mode with, and its memory is as it left it.
 *
 *	holder__new(&holder)		before privileges are dropped
 *	holder__begin(holder)		afterwards
 *	if (!holder__take(holder, cpu)) {
 *		...			look at who was there
 *		holder__release(holder);
 *	}
 *	holder__free(holder)
 *
 * Why not stop the thread, by ptrace? A stop ends a system call that the thread is about to wait
 * in, and not all are taken up again: epoll_wait(), semtimedop(), sigtimedwait() and recv() with a
 * timeout fail with EINTR, which a program that has no signal handlers need not expect (signal(7)).
 * A thread that loses its CPU notices nothing: that happens to any thread at any time. Nothing
 * is left behind if gctrace is killed, and one that a debugger has is no other case.
 *
 * Threads of a real-time priority of their own go on: ours has the lowest there is. Whoever lost
 * the CPU may be moved to another that is idle: look whether it stood still.
 */
#ifndef ATTACH_HOLDER_H
#define ATTACH_HOLDER_H

#include <stdint.h>

struct holder;

/* The CPU is let go after this time, whatever happens. */
#define HOLDER_MOST_NS ((uint64_t)500000)

/* What it took so far. */
struct holds {
	uint64_t count, ns, longest_ns;
};

/* 0 or negative errno; -EPERM: it may not have that priority. */
int holder__new(struct holder **out);
void holder__free(struct holder *holder);

/* Its thread gives up all privileges, too. 0 or negative errno: it is of no use then. */
int holder__begin(struct holder *holder);

/*
 * 0: it has that CPU, which is not the caller's; -EBUSY: it did not get it in time; -EINVAL: there
 * is none, or it is not for us. Then nothing is held.
 */
int holder__take(struct holder *holder, uint32_t cpu);

/* Behind this the CPU is free. */
void holder__release(struct holder *holder);

/* Take and release another CPU some times: what a hold takes here at least, in ns; 0: not known. */
uint64_t holder__rehearse(struct holder *holder);

/* Without what the rehearsal took. */
struct holds holder__holds(const struct holder *holder);

#endif
