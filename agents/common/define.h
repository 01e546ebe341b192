/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef GCTRACE_AGENT_DEFINE_H
#define GCTRACE_AGENT_DEFINE_H

#include <gctrace/probes.h>

#include <string.h>

/* Names a number of ours; space: enum gctrace_space. */
static inline void define__name(struct gctrace_writer *writer, uint32_t space, uint64_t id,
				const char *name)
{
	gctrace_write_define(writer, space, id, 0, 0, name, strlen(name));
}

#endif
