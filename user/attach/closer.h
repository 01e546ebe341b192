/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A helper process that closes the descriptors of links for us, so that a SIGKILL at that very
 * moment leaves no semaphore up.
 *
 * When the last copy of a link's descriptor is closed, the kernel takes the breakpoints out and
 * lowers the semaphores, in the process that closed it. Where a fatal signal waits for that one,
 * the kernel cannot reach the target's page and gives up ("failed to unregister, leaking uprobe",
 * 6.18: get_user_pages() in kernel/events/uprobes.c ends with -EINTR): the target would report, or
 * make heap dumps, for nobody. So the last copy is another process's, which nobody kills; a process
 * that is killed while it holds links, but closes none, has had its signal when the kernel comes
 * to its descriptors.
 *
 * It has no file of ours open, no capability, and ends when we do.
 */
#ifndef ATTACH_CLOSER_H
#define ATTACH_CLOSER_H

#include <stddef.h>
#include <sys/types.h>

struct closer;

/* While the process has one thread. NULL: there is none, and everybody closes on their own. */
struct closer *closer__new(void);
void closer__free(struct closer *closer); /* NULL is legal */

pid_t closer__pid(const struct closer *closer);

/*
 * Close descriptors (DESCRIPTORS_MOST - 1 at most), and come back when the kernel has. Several
 * threads may call it. closer may be NULL.
 */
void closer__close(const struct closer *closer, const int *fds, size_t count);

#endif
