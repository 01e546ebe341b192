/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a heap dump would cost that nobody has made: how many objects there are, and how long the
 * program would stand still.
 *
 * Both are worked out from how much of the heap is in use. How large objects are on average, and
 * how long one takes, is known from earlier dumps of the program; where there are none, wide limits
 * are assumed, and `assumed` says so.
 *
 *	objects    bytes / average size
 *	pause      objects * time of one
 */
#ifndef MODEL_DUMP_ESTIMATE_H
#define MODEL_DUMP_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Without earlier dumps. An object of a 64-bit runtime has two words at least (HotSpot, Mono; .NET
 * three); a heap of large arrays has fewer objects than the upper limit makes of it.
 */
#define DUMP_SIZE_LEAST 16
#define DUMP_SIZE_MOST 128
/*
 * minivm, 119 k to 1.25 M objects, `gctrace heap -p PID --top 1`, "told in": 100 ns an object on an
 * idle machine, 1,660 on one with six times more work than cores.
 */
#define DUMP_NS_LEAST 100
#define DUMP_NS_MOST 2000

struct dump_limits {
	double low, high;
};

/* Of earlier dumps. Begins as all zero. */
struct dump_yardstick {
	uint64_t dumps;
	struct dump_limits size, ns; /* bytes, and ns, of an object */
};

/* Of no objects or no time: not taken. */
void dump_yardstick__add(struct dump_yardstick *yardstick, uint64_t objects, uint64_t bytes,
			 uint64_t ns);

struct dump_estimate {
	uint64_t objects_low, objects_high;
	uint64_t ns_low, ns_high;
	bool assumed; /* no earlier dump was there to measure by */
	struct dump_yardstick by; /* what it rests on, assumed or not */
};

/* Of a heap with so many bytes in use. */
struct dump_estimate dump_estimate__of(const struct dump_yardstick *yardstick, uint64_t bytes_low,
				       uint64_t bytes_high);

#endif
