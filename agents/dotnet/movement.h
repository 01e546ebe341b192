/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranges that moved and survived, while they are subscribed to. */
#ifndef GCTRACE_DOTNET_MOVEMENT_H
#define GCTRACE_DOTNET_MOVEMENT_H

#include <stdbool.h>
#include <stdint.h>

/* Opens and closes the session; by the watcher's thread, at each look. */
void movement__want(bool is_wanted);

/* SURVIVING_RANGES, MOVED_RANGES: by several threads of the collector at once. */
void movement__event(uint32_t id, const uint8_t *payload, uint32_t bytes);

#endif
