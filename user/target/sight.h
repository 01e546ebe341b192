/* SPDX-License-Identifier: BSD-2-Clause */
/* A process as it is at this moment: what it has mapped, and which runtime that is. */
#ifndef GCTRACE_TARGET_SIGHT_H
#define GCTRACE_TARGET_SIGHT_H

#include "maps.h"
#include "module.h"

struct note_cache;
struct process;
struct runtime;

struct sight {
	struct maps maps;
	struct modules modules;
	struct runtime *runtime;
};

/* 0, or negative errno, and there is nothing to be closed. */
int sight__look(struct sight *sight, const struct process *process, struct note_cache *cache);
void sight__close(struct sight *sight);

#endif
