/* SPDX-License-Identifier: BSD-2-Clause */
/* Who speaks: the runtime, its version and collector, and the names of what it numbers itself. */
#ifndef GCTRACE_DOTNET_PRODUCER_H
#define GCTRACE_DOTNET_PRODUCER_H

#include <gctrace/probes.h>

#include <stdbool.h>

/* Asks the runtime. Once, before the others. */
void producer__learn(void);

/*
 * Looks which collector there is, until that is known; not in a pause. Is it known? Not before the
 * runtime is ready, which it is some time after it has initialised the agent that it starts with.
 */
bool producer__learn_collector(void);

/* Writes it; at the beginning of each pause, so that who comes late has missed nothing. */
void producer__write(struct gctrace_writer *writer);

/* Tells it at once, outside any pause. */
void producer__introduce(void);

/* "gen0" … "POH". */
const char *producer__generation(unsigned generation);

/* GCStart's Reason as enum gctrace_reason or a number of our own, which wants its definition. */
uint32_t producer__reason(uint32_t reason);
/* Defines a number of our own; nothing for others. */
void producer__define_reason(struct gctrace_writer *writer, uint32_t reason);

/*
 * Why the background thread stops the program: once more, for what SESSION_MOVEMENT tells; or for a
 * collection of which nobody has told that it is under way.
 */
#define WHY_SURVIVORS GCTRACE_WHY_OWN
#define WHY_BACKGROUND (GCTRACE_WHY_OWN + 1)
/* Defines such a number; nothing for others. */
void producer__define_why(struct gctrace_writer *writer, uint64_t why);

#endif
