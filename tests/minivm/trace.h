/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finding what is alive: from the roots through all references, copying and marking on the way.
 * trace.c opens with how.
 */
#ifndef MINIVM_TRACE_H
#define MINIVM_TRACE_H

#include "workers.h"

enum trace_mode {
	TRACE_YOUNG, /* copies the nursery's; roots: also the remembered set */
	TRACE_FULL,  /* copies the nursery's, marks the others */
	TRACE_MARK   /* marks all but the nursery's, whose objects are all taken for roots */
};

/*
 * In a stopped world, by all workers. Afterwards all that lives is copied or marked, weak
 * references to the rest are cleared, finalizable objects of the rest are in the queue and alive,
 * and the remembered set is that of the new state.
 */
void trace__run(struct gc *gc, enum trace_mode mode);

#endif
