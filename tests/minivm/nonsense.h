/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranges that make no sense, on demand (--nonsense), to see who is misled by them. */
#ifndef MINIVM_NONSENSE_H
#define MINIVM_NONSENSE_H

#include "collector.h"

#define NONSENSE_EVERY 10 /* collections */

struct reporter;

/* Behind all that is true of a collection but what `r` still holds back. */
void nonsense__tell(struct reporter *r, const struct gc *gc);

#endif
