/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pauses: from the moment in which the runtime begins to stop its threads until it lets them go.
 * There is one at a time (the runtime's lock of its list of threads), told by one thread. Between
 * RuntimeResumeStarted and RuntimeResumeFinished that lock is released (RestartEE in the runtime's
 * vm/threadsuspend.cpp): by the second another thread may be in a pause of its own. So the first
 * is a pause's end.
 */
#ifndef GCTRACE_DOTNET_PAUSES_H
#define GCTRACE_DOTNET_PAUSES_H

#include <stdbool.h>
#include <stdint.h>

void pauses__suspend(int32_t reason);
void pauses__suspended(void);
void pauses__aborted(void);
void pauses__resuming(void);

/*
 * At each look of the watcher's thread: tells one who came in the midst of a pause that it is in
 * progress, and since when. Its end is told then.
 */
void pauses__tell_progress(bool listens);

/* The number of the pause under way, 0: none that was told. Any thread. */
uint64_t pauses__now(void);

#endif
