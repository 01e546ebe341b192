/* SPDX-License-Identifier: BSD-2-Clause */
/* The heap dump of the probe contract (spec S1, S2). dump.c opens with how. */
#ifndef MINIVM_DUMP_H
#define MINIVM_DUMP_H

#include <stdint.h>

void dump__init(void);

/* In a stopped world, by the collector's thread. gc: the collection that started last. */
void dump__run(uint64_t gc);

#endif
