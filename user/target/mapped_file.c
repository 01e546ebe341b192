/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two ways lead to a mapped file:
 *
 *   1. /proc/PID/map_files/START-END is the mapped file itself, deleted or not, in whatever
 *      mount namespace. It needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN.
 *   2. Without those: the path from maps, below the target's root. It may be another file
 *      by now, so it has to have the device and inode that maps shows.
 *
 * On overlay file systems (before Linux 6.8) and on btrfs, maps shows other numbers than
 * fstat() for the same file. There the first page of the file, which holds the ELF header
 * and usually the build id, is compared with what the process has in memory.
 *
 * Files are found with O_PATH first, and opened when they turn out to be regular ones: what is
 * mapped may be a device, and opening one can have effects.
 *
 * All of that is done in the reader's helper, since the target may have the file system, and the
 * page, answer when it likes.
 *
 * Names in map_files have no leading zeros, unlike the same addresses in maps.
 */
#include "mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "maps.h"
#include "process.h"
#include "reader.h"

#define PAGE 4096

/* A readable descriptor for one that is O_PATH, of a regular file only; takes the latter. */
static int reopen_regular(int place)
{
	struct stat st;
	int fd;

	if (fstat(place, &st))
		fd = -errno;
	else
		fd = S_ISREG(st.st_mode) ? process__reopen(place, O_RDONLY) : -ENODEV;
	close(place);
	return fd;
}

/* The mapping of a file's first page, if the process has one. */
static const struct map *first_page(const struct maps *maps, const struct map *of)
{
	for (size_t i = 0; i < maps->count; i++) {
		const struct map *map = &maps->entries[i];

		if (map->offset == 0 && map->read && map->inode == of->inode &&
		    map->major == of->major && map->minor == of->minor)
			return map;
	}
	return NULL;
}

/* ---------------------------------------------------------------- in the helper */

/* What it has to know of a mapping. */
struct wanted {
	uint64_t start, end, first_page; /* 0: it is not mapped */
	uint64_t inode;
	uint32_t major, minor;
	char path[PATH_MAX]; /* "": none */
};

static int open_map_file(int procfd, const struct wanted *wanted)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, wanted->start,
		 wanted->end);
	fd = openat(procfd, name, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : reopen_regular(fd);
}

static bool same_bytes(int procfd, const struct wanted *wanted, int fd)
{
	char ours[PAGE], theirs[PAGE];
	ssize_t size, n = -1;
	int memory;

	if (!wanted->first_page)
		return false;
	memory = openat(procfd, "mem", O_RDONLY | O_CLOEXEC);
	if (memory < 0)
		return false;
	size = pread(fd, ours, sizeof(ours), 0);
	if (size > 0)
		n = pread(memory, theirs, (size_t)size, (off_t)wanted->first_page);
	close(memory);
	return size > 0 && n == size && memcmp(ours, theirs, (size_t)size) == 0;
}

static bool is_mapped_file(int procfd, const struct wanted *wanted, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	if (st.st_ino == wanted->inode && major(st.st_dev) == wanted->major &&
	    minor(st.st_dev) == wanted->minor)
		return true;
	return same_bytes(procfd, wanted, fd);
}

/* -ESTALE: what stands there now is another file. */
static int open_checked(int procfd, const struct wanted *wanted, int fd)
{
	if (fd < 0 || is_mapped_file(procfd, wanted, fd))
		return fd;
	close(fd);
	return -ESTALE;
}

static int open_by_path(int procfd, const struct wanted *wanted)
{
	if (wanted->path[0] != '/')
		return -ENOENT;
	return open_checked(procfd, wanted,
			    process__open_below(procfd, wanted->path, O_RDONLY));
}

static ssize_t open_wanted(struct reader_job *job)
{
	const int procfd = job->fds[0];
	struct wanted wanted;
	int first, fd;

	memcpy(&wanted, job->bytes, job->size);
	first = open_checked(procfd, &wanted, open_map_file(procfd, &wanted));
	if (first >= 0) {
		job->fd = first;
		return 0;
	}
	if (first == -ENODEV || first == -ESRCH)
		return first;
	fd = open_by_path(procfd, &wanted);
	if (fd >= 0) {
		job->fd = fd;
		return 0;
	}
	/* Without the capability a deleted file cannot be had, and that is the reason. */
	return first != -EPERM && first != -EACCES ? fd : first;
}

/* ---------------------------------------------------------------- who asks it */

int mapped_file__open(const struct process *process, const struct maps *maps,
		      const struct map *map)
{
	const struct map *first = first_page(maps, map);
	struct wanted wanted = {
		.start = map->start,
		.end = map->end,
		.first_page = first ? first->start : 0,
		.inode = map->inode,
		.major = map->major,
		.minor = map->minor,
	};
	int fd;
	const struct reader_call call = {
		.pid = process->pid,
		.request = &wanted,
		.request_size = sizeof(wanted),
		.fds = &process->procfd,
		.fd_count = 1,
		.fd = &fd,
	};
	ssize_t err;

	/* What is longer leads nowhere. */
	if (strlen(map->path) < sizeof(wanted.path))
		strcpy(wanted.path, map->path);
	err = reader__do(open_wanted, &call);
	return err < 0 ? (int)err : fd;
}
