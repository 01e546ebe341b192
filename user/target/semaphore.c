/* SPDX-License-Identifier: BSD-2-Clause */
#include "semaphore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "module.h"
#include "process.h"

int semaphore__open_memory(const struct process *process)
{
	int fd = openat(process->procfd, "mem", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int read_one(int memory_fd, uint64_t address, uint16_t *value)
{
	ssize_t n;

	do
		n = pread(memory_fd, value, sizeof(*value), (off_t)address);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof(*value))
		return 0;
	return n < 0 ? -errno : -ESRCH;
}

int semaphore__read(int memory_fd, const struct module *module, const struct note_probe *probe,
		    uint16_t *value)
{
	bool any = false;

	*value = 0;
	for (size_t i = 0; i < probe->site_count; i++) {
		uint16_t one;
		int err;

		if (!probe->sites[i].semaphore)
			continue;
		any = true;
		err = read_one(memory_fd, probe->sites[i].semaphore + module->bias, &one);
		if (err)
			return err;
		if (one > *value)
			*value = one;
	}
	return any ? 0 : -ENOENT;
}
