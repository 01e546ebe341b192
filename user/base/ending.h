/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The end of a command: from the moment on that it must end, by a signal or the time of -d, it has
 * ENDING_NS, whatever the target, the disk or the reader of its output does.
 *
 *	0     ENDING_ASKED    what is under way is stopped, or finished where that is soon
 *	1.5 s ENDING_OVERDUE  nothing more is read or waited for; what is left is lost, and counted
 *	1.8 s ENDING_LAST     the process ends from where it is, with a message (cli/signals.h)
 *
 * The rest of the 2 s is the kernel's, which takes the probes away. Standard output that takes
 * nothing is given up earlier: it may be what keeps the command from its end.
 */
#ifndef GCTRACE_BASE_ENDING_H
#define GCTRACE_BASE_ENDING_H

#include <stdint.h>

#include "clock.h"

#define ENDING_NS (2 * NS_PER_S)
#define ENDING_OVERDUE_NS (1500 * NS_PER_MS)
#define ENDING_LAST_NS (1800 * NS_PER_MS)
#define ENDING_UNWRITTEN_NS (1000 * NS_PER_MS)

enum ending { ENDING_NO, ENDING_ASKED, ENDING_OVERDUE, ENDING_LAST };

/* How far an end is at a moment; since_ns: when it began, 0: it has not. */
enum ending ending__at(uint64_t since_ns, uint64_t now_ns);

/* When the next of these begins; UINT64_MAX: none. */
uint64_t ending__next_ns(uint64_t since_ns, uint64_t now_ns);

/* Until when a write that found no room waits for some; UINT64_MAX: for as long as it takes. */
uint64_t ending__write_until_ns(uint64_t since_ns, uint64_t now_ns);

/*
 * The end of this process. It begins once: later calls change nothing. Safe in handlers of signals
 * and from any thread.
 */
void ending__begin(uint64_t now_ns);
uint64_t ending__since_ns(void);
enum ending ending__now(void);

#endif
