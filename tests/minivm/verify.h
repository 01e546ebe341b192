/* SPDX-License-Identifier: BSD-2-Clause */
/* --verify: the self-check. Walks everything after a collection, aborts when something is wrong. */
#ifndef MINIVM_VERIFY_H
#define MINIVM_VERIFY_H

#include "collector.h"

void verify__init(void);
/* In a stopped world, after a collection. */
void verify__heap(const struct gc *gc);

#endif
