/* SPDX-License-Identifier: BSD-2-Clause */
#include "map_query.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "maps.h"
#include "process.h"
#include "reader.h"

/* <linux/fs.h> of Linux 6.11, which older headers do not have. */
struct query {
	uint64_t size, flags, address;
	uint64_t start, end, vma_flags, page_size, offset, inode;
	uint32_t major, minor;
	uint32_t name_bytes, build_id_bytes;
	uint64_t name, build_id;
};

#define QUERY _IOWR('f', 17, struct query)

void map_query__open(struct map_query *query, const struct process *process)
{
	map_query__close(query);
	query->pid = process->pid;
	query->fd = reader__open_at(process->pid, process->procfd, "maps", O_RDONLY);
}

void map_query__close(struct map_query *query)
{
	if (query->fd >= 0)
		close(query->fd);
	query->fd = -1;
}

static ssize_t ask(struct reader_job *job)
{
	return ioctl(job->fds[0], QUERY, job->bytes) ? -errno : (ssize_t)sizeof(struct query);
}

bool map_query__is_still(const struct map_query *query, const struct map *map, uint64_t address)
{
	struct query now = { .size = sizeof(now), .address = address };
	const struct reader_call call = {
		.pid = query->pid,
		.request = &now,
		.request_size = sizeof(now),
		.fds = &query->fd,
		.fd_count = 1,
		.answer = &now,
		.answer_room = sizeof(now),
	};
	ssize_t err;

	if (query->fd < 0)
		return true;
	err = reader__do(ask, &call);
	if (err < 0)
		return err != -ENOENT;
	if (now.inode != map->inode || now.major != map->major || now.minor != map->minor)
		return false;
	/* It may have been cut since, or have grown. What has no file has no place in it. */
	return !map->inode || now.offset - now.start == map->offset - map->start;
}
