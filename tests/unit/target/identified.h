/* SPDX-License-Identifier: BSD-2-Clause */
/* A program of the test that runs, and the runtime that gctrace takes it for. */
#ifndef UNIT_IDENTIFIED_H
#define UNIT_IDENTIFIED_H

#include "fixture.h"
#include "target/maps.h"
#include "target/module.h"

struct identified {
	struct child child;
	struct process *process;
	struct maps maps;
	struct modules modules;
	struct note_cache *cache;
	struct runtime *runtime;
};

/* Of it->child, which runs; fails the test where it is no runtime. */
void identified__look(struct identified *it);

/* Ends the program too. */
void identified__end(struct identified *it);

#endif
