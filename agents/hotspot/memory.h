/* SPDX-License-Identifier: BSD-2-Clause */
/* Reading what may not be there: a wrong address is an answer, not the end of the program. */
#ifndef GCTRACE_HOTSPOT_MEMORY_H
#define GCTRACE_HOTSPOT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False: it cannot be read. One system call; legal in a pause. */
bool memory__read(uint64_t address, void *to, size_t bytes);

/* Whether the kernel lets this process do so at all: some sandboxes do not. */
bool memory__can_read(void);

#endif
