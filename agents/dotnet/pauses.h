/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pauses: from the moment in which the runtime begins to stop its threads until they run again.
 * There is one at a time (the runtime's lock of its list of threads), told by one thread.
 */
#ifndef GCTRACE_DOTNET_PAUSES_H
#define GCTRACE_DOTNET_PAUSES_H

#include <stdint.h>

void pauses__suspend(int32_t reason);
void pauses__suspended(void);
void pauses__aborted(void);
void pauses__resumed(void);

/* The number of the pause under way, 0: none that was told. Any thread. */
uint64_t pauses__now(void);

#endif
