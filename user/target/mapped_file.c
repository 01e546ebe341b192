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
 * Names in map_files have no leading zeros, unlike the same addresses in maps.
 */
#include "mapped_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "maps.h"
#include "process.h"

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

static int open_map_file(const struct process *process, const struct map *map)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, map->start, map->end);
	fd = openat(process->procfd, name, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : reopen_regular(fd);
}

/* The start of the mapping of a file's first page, if the process has one. */
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

static bool same_bytes(const struct process *process, const struct maps *maps,
		       const struct map *map, int fd)
{
	const struct map *first = first_page(maps, map);
	char ours[PAGE], theirs[PAGE];
	ssize_t size, n = -1;
	int memory;

	if (!first)
		return false;
	memory = openat(process->procfd, "mem", O_RDONLY | O_CLOEXEC);
	if (memory < 0)
		return false;
	size = pread(fd, ours, sizeof(ours), 0);
	if (size > 0)
		n = pread(memory, theirs, (size_t)size, (off_t)first->start);
	close(memory);
	return size > 0 && n == size && memcmp(ours, theirs, (size_t)size) == 0;
}

static bool is_mapped_file(const struct process *process, const struct maps *maps,
		       const struct map *map, int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return false;
	if (st.st_ino == map->inode && major(st.st_dev) == map->major &&
	    minor(st.st_dev) == map->minor)
		return true;
	return same_bytes(process, maps, map, fd);
}

/* -ESTALE: what stands there now is another file. */
static int open_checked(const struct process *process, const struct maps *maps,
		       const struct map *map, int fd)
{
	if (fd < 0 || is_mapped_file(process, maps, map, fd))
		return fd;
	close(fd);
	return -ESTALE;
}

static int open_by_path(const struct process *process, const struct maps *maps,
		       const struct map *map)
{
	if (map->path[0] != '/')
		return -ENOENT;
	return open_checked(process, maps, map,
			    process__open_file(process, map->path, O_RDONLY));
}

int mapped_file__open(const struct process *process, const struct maps *maps,
		      const struct map *map)
{
	int first = open_checked(process, maps, map, open_map_file(process, map));
	int fd;

	if (first >= 0 || first == -ENODEV || first == -ESRCH)
		return first;
	fd = open_by_path(process, maps, map);
	/* Without the capability a deleted file cannot be had, and that is the reason. */
	return fd >= 0 || (first != -EPERM && first != -EACCES) ? fd : first;
}
