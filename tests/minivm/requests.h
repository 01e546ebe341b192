/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What gctrace asks for: request semaphores that it raises, looked at by a helper thread 40 times
 * a second, and by a dump before each batch.
 */
#ifndef MINIVM_REQUESTS_H
#define MINIVM_REQUESTS_H

#include <stdbool.h>

void requests__start(void);
void requests__stop(void);

bool requests__dump_is_wanted(void);
/*
 * In a dump: waits while it is asked to, 2 s at most, and not any more for a gctrace that was
 * waited for five times in vain; false: it is no longer wanted.
 */
bool requests__may_go_on(void);

#endif
