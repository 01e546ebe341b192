/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The concurrent collection: its objects were marked in a pause, its space is swept while the
 * program and young collections run, its survivors are told in a last pause. The sweep is done by
 * a thread of its own; in a deterministic run by the collector, a piece at each young collection.
 */
#ifndef MINIVM_BACKGROUND_H
#define MINIVM_BACKGROUND_H

#include "collector.h"

void background__init(void);
/* In a stopped world, after the marks were set. Takes over a copy of gc. */
void background__begin(const struct gc *gc);
/* The collection under way, or NULL. */
struct gc *background__gc(void);
/* A young collection has ended: the deterministic sweep goes on. */
void background__step(void);
/* Is the sweep done, so that background__end() will not wait? */
bool background__is_swept(void);
/* In a stopped world: sweeps what is left; then nothing runs any more. */
void background__end(void);

/* Between these nothing is swept, so that the heap can be walked. */
void background__hold(void);
void background__release(void);

#endif
