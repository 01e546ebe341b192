/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file system in memory, mounted for a moment over an empty directory that a process sees:
 *
 *	mount = agent_mount__make();
 *	... files are made in it, while nobody sees it ...
 *	agent_mount__enter(process);
 *	place = agent_mount__open_place("/mnt");
 *	agent_mount__put(mount, place);
 *	agent_mount__take_away(mount);
 *
 * A place is the target's, which may swap it for a link at any moment: so it is opened once and
 * known by its descriptor from then on. All answer negative errno where they fail, and say nothing.
 * Descriptors are the caller's to close.
 */
#ifndef GCTRACE_ATTACH_AGENT_MOUNT_H
#define GCTRACE_ATTACH_AGENT_MOUNT_H

struct process;

/* An empty one: a descriptor of its root. It takes CAP_SYS_ADMIN. */
int agent_mount__make(void);

/*
 * Into the mount namespace and root of a process, for good: for a child that was made for it.
 * -EPERM: CAP_SYS_ADMIN or CAP_SYS_CHROOT lacks.
 */
int agent_mount__enter(const struct process *process);

/*
 * A descriptor of this directory, without following links. -ENOTEMPTY: it is none, it is not empty,
 * or it is mounted when it is looked into.
 */
int agent_mount__open_place(const char *directory);

/* From here on it is in view there. */
int agent_mount__put(int mount, int place);

/* It itself, whatever else was mounted on top of it or elsewhere. */
int agent_mount__take_away(int mount);

#endif
