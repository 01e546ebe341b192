/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells what is sampled: a thread of our own, four times a second, and sooner when there is no
 * room left for what rounds write down.
 *
 *	classes and stacks that are new -> OBJECT_ALLOC of those that are -> SAMPLES of each round
 *
 * in that order, and never a sample before its OBJECT_ALLOC. Every half minute, and when somebody
 * asks or something was missed, all that live are told again. (With many samples more seldom: it is
 * no more than some MB a second.)
 */
#ifndef GCTRACE_HOTSPOT_TELLER_H
#define GCTRACE_HOTSPOT_TELLER_H

#include <stdbool.h>

/* By the watcher's thread, at each look: is somebody to be told? */
void teller__want(bool is_wanted);

/* Somebody has come who may know nothing yet, or the interval is another. Any thread. */
void teller__start_over(void);

#endif
