/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The present value of a probe's semaphore in a process: is somebody attached?
 *
 * Semaphores are raised and lowered by the kernel; gctrace only ever reads them. They do not
 * count: with two tracers attached the value is 1.
 */
#ifndef GCTRACE_TARGET_SEMAPHORE_H
#define GCTRACE_TARGET_SEMAPHORE_H

#include <stdint.h>
#include <sys/types.h>

struct module;
struct note_probe;
struct process;

/*
 * A descriptor (read only) of the process's memory, for the function below: needs
 * CAP_SYS_PTRACE here and not afterwards, so open it before privileges are dropped. It is
 * of the image at that moment: after an exec reads give 0 bytes (-ESRCH below).
 * Negative errno when it cannot be had.
 */
int semaphore__open_memory(const struct process *process);

/*
 * The largest value among the probe's sites: 0, nobody listens. -ENOENT when the probe has
 * no semaphore, -ESRCH when the process or its image is gone, -ETIMEDOUT when the process did not
 * answer in time (reader.h).
 */
int semaphore__read(pid_t pid, int memory_fd, const struct module *module,
		    const struct note_probe *probe, uint16_t *value);

#endif
