/* SPDX-License-Identifier: BSD-2-Clause */
/* Who speaks: the JVM and its version. Which collector it has gctrace knows from outside. */
#ifndef GCTRACE_HOTSPOT_PRODUCER_H
#define GCTRACE_HOTSPOT_PRODUCER_H

#include <gctrace/probes.h>

/* Asks the JVM, in any phase of its life. Once, before the others. */
void producer__learn(void);

void producer__write(struct gctrace_writer *writer);

/* Tells it at once. */
void producer__introduce(void);

#endif
