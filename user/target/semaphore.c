/* SPDX-License-Identifier: BSD-2-Clause */
#include "semaphore.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <unistd.h>

#include "module.h"
#include "process.h"
#include "reader.h"

int semaphore__open_memory(const struct process *process)
{
	return reader__open_at(process->pid, process->procfd, "mem", O_RDONLY);
}

static int read_one(pid_t pid, int memory_fd, uint64_t address, uint16_t *value)
{
	const ssize_t n = reader__pread(pid, memory_fd, value, sizeof(*value), address);

	if (n == (ssize_t)sizeof(*value))
		return 0;
	return n < 0 ? (int)n : -ESRCH;
}

int semaphore__read(pid_t pid, int memory_fd, const struct module *module,
		    const struct note_probe *probe, uint16_t *value)
{
	bool any = false;

	*value = 0;
	for (size_t i = 0; i < probe->site_count; i++) {
		uint16_t one;
		int err;

		if (!probe->sites[i].semaphore)
			continue;
		any = true;
		err = read_one(pid, memory_fd, probe->sites[i].semaphore + module->bias, &one);
		if (err)
			return err;
		if (one > *value)
			*value = one;
	}
	return any ? 0 : -ENOENT;
}
