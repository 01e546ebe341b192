/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Threads and modules that go: the runtime frees them, and to ask it for one that is gone is the
 * end of the program. It says so before, also while the world stands still, for who goes need not
 * run managed code. So between gone__hold() and gone__release() nobody goes: what has not gone by
 * then may be asked for.
 *
 * Short, and without anything in between that waits: who goes waits for us.
 */
#ifndef GCTRACE_DOTNET_GONE_H
#define GCTRACE_DOTNET_GONE_H

#include <stdbool.h>
#include <stdint.h>

/* From the runtime: one goes, and a new one, maybe with the same number. */
void gone__goes(uintptr_t id);
void gone__comes(uintptr_t id);

/* Before ids are collected. Of so many that go from then on that they cannot be kept, all have. */
void gone__begin(void);

void gone__hold(void);
void gone__release(void);

/* Between the two above. */
bool gone__has(uintptr_t id);

#endif
