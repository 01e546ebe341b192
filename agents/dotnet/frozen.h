/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frozen objects: string literals, types and the like, which the runtime puts outside of the heap
 * that it collects (.NET 8). They never go, and often nothing refers to them but code: each is a
 * root of its own.
 */
#ifndef GCTRACE_DOTNET_FROZEN_H
#define GCTRACE_DOTNET_FROZEN_H

#include <stdbool.h>
#include <stdint.h>

/* Asks where they are; before the pause, on a thread that is none of the runtime's. */
void frozen__learn(void);

bool frozen__has(uint64_t object);

#endif
