/* SPDX-License-Identifier: BSD-2-Clause */
/* The mixed load: what the program's threads do until the process ends. */
#ifndef MINIVM_LOAD_H
#define MINIVM_LOAD_H

#include "mutator.h"

void load__init(void);
/* Bodies of threads (mutator__start); they do not return. */
void load__run(struct mutator *m);
void load__run_finalizers(struct mutator *m);

/* By the collector, in a stopped world: are there objects that wait for their finalizer? */
void load__wake_finalizer(void);

#endif
