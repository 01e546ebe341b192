/* SPDX-License-Identifier: BSD-2-Clause */
#include "clock.h"

#include <stdlib.h>
#include <time.h>

static int64_t read_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * (int64_t)NS_PER_S + ts.tv_nsec;
}

uint64_t clock__monotonic_ns(void)
{
	return (uint64_t)read_ns(CLOCK_MONOTONIC);
}

/* The wall clock read between two monotonic readings; the closest pair of a few tries. */
int64_t clock__wall_offset_ns(void)
{
	int64_t best_gap = INT64_MAX, offset = 0;
	int i;

	for (i = 0; i < 8; i++) {
		int64_t before = read_ns(CLOCK_MONOTONIC);
		int64_t wall = read_ns(CLOCK_REALTIME);
		int64_t gap = read_ns(CLOCK_MONOTONIC) - before;

		if (gap < best_gap) {
			best_gap = gap;
			offset = wall - before - gap / 2;
		}
	}
	return offset;
}

void clock__add_rfc3339(struct buf *buf, int64_t wall_ns, bool utc)
{
	time_t seconds = wall_ns / (int64_t)NS_PER_S;
	long ns = wall_ns % (int64_t)NS_PER_S;
	struct tm tm;
	long minutes;

	if (ns < 0) {
		ns += NS_PER_S;
		seconds--;
	}
	if (utc)
		gmtime_r(&seconds, &tm);
	else
		localtime_r(&seconds, &tm);
	buf__printf(buf, "%04d-%02d-%02dT%02d:%02d:%02d.%06ld", tm.tm_year + 1900, tm.tm_mon + 1,
		    tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, ns / 1000);
	if (utc) {
		buf__add_char(buf, 'Z');
		return;
	}
	minutes = tm.tm_gmtoff / 60;
	buf__printf(buf, "%c%02ld:%02ld", minutes < 0 ? '-' : '+', labs(minutes) / 60,
		    labs(minutes) % 60);
}
