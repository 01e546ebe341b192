/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading what a target may have prepared for us, and writing files for the person who
 * called sudo. gctrace is root in both cases, and neither the target nor another user
 * of a shared directory may gain by that.
 */
#ifndef GCTRACE_BASE_FILES_H
#define GCTRACE_BASE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "buf.h"

/*
 * Append the whole of a regular file (those of /proc are) to buf; a FIFO, device or
 * directory in its place is -EINVAL and is never waited on. More than limit bytes
 * is -EFBIG, with buf as it was: never a part. dirfd as in openat(). 0 or negative errno;
 * says nothing.
 */
int files__read_at(int dirfd, const char *path, size_t limit, struct buf *buf);

/* The same without a limit, for files whose length the kernel decides (/proc, /sys). */
int files__read(const char *path, struct buf *buf);

/*
 * Open an output file, new or emptied: its descriptor (close-on-exec), or negative errno
 * after an error message. Under sudo it is opened with the rights of the user who called
 * sudo, so that no link planted in a shared directory leads anywhere this user could not
 * write; where only root may write, it is opened as root, through no symbolic link at all,
 * and then given to that user. The last part of the path may never be a symbolic link, and
 * a file that is there already must belong to that user and have no other name.
 * Devices and FIFOs (/dev/null, /dev/full) are written to as they are. Mode 0600: a
 * recording tells much about the process.
 */
int files__create(const char *path);

/* Whom files belong to: SUDO_UID and SUDO_GID when root was reached by sudo, else ours. */
void files__owner(uid_t *uid, gid_t *gid);

/* Write all of it, also over EINTR and short writes. 0 or negative errno; says nothing. */
int files__write_all(int fd, const void *bytes, size_t len);

/* Close it if it is open (not negative), and make it -1. */
void files__close(int *fd);

/* What follows the last slash of a path; all of it where there is none. */
const char *files__base_name(const char *path);

/*
 * Do two paths lead to one file, also if that is not there yet? Devices and FIFOs are no such: they
 * take what both have to say.
 */
bool files__are_one(const char *a, const char *b);

/*
 * A file that was made by anybody and is going to be taken apart, opened with the rights that we
 * still have; then they go, if nothing else needs them (privileges__only_files). Further files, and
 * the same one again, can be opened all the same if they were expected before.
 */
int files__open_input(const char *path, int flags);
void files__expect_input(const char *path);

#endif
