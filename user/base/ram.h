/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The memory of gctrace itself: how much it may take, and whether any was refused.
 *
 * Running out of memory is an error, never a smaller figure. Thousands of lines depend on an
 * allocation, in libraries too; so the rule is kept in one place. ram.c stands in front of the
 * allocator, for all of the process, and remembers the first request that was refused. From then
 * on no output is written (view/output.h), no draft gets its name (base/draft.h), and main()
 * says what was missing and fails.
 *
 * The limit (--mem-limit) is one of the kernel: RLIMIT_DATA counts every private page that can be
 * written to. Rings shared with BPF programs are not among them: ram__set_aside() takes those
 * off. The base, RAM_BASE_BYTES, is what gctrace needs on top of its data: the program, its
 * libraries, and libbpf while it loads programs.
 */
#ifndef GCTRACE_BASE_RAM_H
#define GCTRACE_BASE_RAM_H

#include <stdbool.h>
#include <stdint.h>

#define RAM_BASE_BYTES (UINT64_C(40) << 20) /* in memory at the peak, limit not counted */
#define RAM_BASE_DATA (UINT64_C(26) << 20)  /* of it private data; the rest is mapped from files */

/* Bound this process; 0: half of ram__available(). Once, while there is one thread. */
void ram__limit(uint64_t bytes);

/* What holds; 0 before ram__limit(). */
uint64_t ram__limit_bytes(void);

/* Of the limit this much goes to what is shared with the kernel. */
void ram__set_aside(uint64_t bytes);

/* In a child, before it becomes another program: the limit that gctrace was started with. */
void ram__unlimit(void);

/*
 * What this process can still get: by MemAvailable, and by the limits of its control groups
 * (v1 and v2), whichever is least. root: "" or, in tests, a directory with proc and sys.
 * 0: unknown.
 */
uint64_t ram__available(const char *root);

/* The system refused a request of that size. Safe in any thread. */
void ram__refused(uint64_t bytes);

/* A request was refused because it is that much more than the limit leaves. */
void ram__over(uint64_t bytes);

/* The limit that such a request needs at least; 0: there was none. */
uint64_t ram__least_needed(void);

/*
 * The limit in MiB to recommend where so many bytes are known to be needed: half as much again and
 * some MiB, for what would have come after a refusal is not known.
 */
uint64_t ram__enough_mib(uint64_t bytes);

/* Has the system refused one? Stays true. */
bool ram__ran_out(void);

/* Say so on stderr, if one was, with the size that was needed at least. Allocates nothing. */
bool ram__report(void);

#endif
