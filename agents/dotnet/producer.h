/* SPDX-License-Identifier: BSD-2-Clause */
/* Who speaks: the runtime, its version and collector, and the names of what it numbers itself. */
#ifndef GCTRACE_DOTNET_PRODUCER_H
#define GCTRACE_DOTNET_PRODUCER_H

#include <gctrace/probes.h>

/* Asks the runtime. Once, before the others. */
void producer__learn(void);

/* Writes it; at the beginning of each pause, so that who comes late has missed nothing. */
void producer__write(struct gctrace_writer *writer);

/* Tells it at once, outside any pause. */
void producer__introduce(void);

#endif
