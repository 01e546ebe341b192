/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Times are u64 nanoseconds of CLOCK_MONOTONIC everywhere (what BPF stamps records with);
 * wall clock is made from them by an offset that is measured once.
 */
#ifndef GCTRACE_BASE_CLOCK_H
#define GCTRACE_BASE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "buf.h"

#define NS_PER_US UINT64_C(1000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S UINT64_C(1000000000)

uint64_t clock__monotonic_ns(void);

/* What must be added to a CLOCK_MONOTONIC time to get ns since 1970 in UTC. */
int64_t clock__wall_offset_ns(void);

/*
 * Append an instant (ns since 1970) as RFC 3339 with microseconds, in the local time zone
 * with its offset: 2026-01-31T23:59:59.123456+01:00; or in UTC, with Z.
 * Always CLOCK_RFC3339_COLUMNS wide locally.
 */
#define CLOCK_RFC3339_COLUMNS 32
void clock__add_rfc3339(struct buf *buf, int64_t wall_ns, bool utc);

#endif
