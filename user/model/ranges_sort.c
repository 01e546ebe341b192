/* SPDX-License-Identifier: BSD-2-Clause */
/* Ranges in the order of their old starts, from the lowest bits to the highest. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ranges.h"

#define RADIX_BITS 11
#define RADIX_SIZE (1u << RADIX_BITS)
#define RADIX_FROM 256 /* fewer are sorted by qsort */

static int by_old(const void *a, const void *b)
{
	const struct range *left = a, *right = b;

	if (left->old != right->old)
		return left->old < right->old ? -1 : 1;
	return left->length < right->length ? -1 : left->length > right->length;
}

static bool is_sorted(const struct range *ranges, size_t count)
{
	for (size_t i = 1; i < count; i++)
		if (ranges[i].old < ranges[i - 1].old)
			return false;
	return true;
}

static void distribute(const struct range *from, struct range *to, size_t count, uint64_t low,
		       unsigned int shift)
{
	size_t starts[RADIX_SIZE] = { 0 }, at = 0;

	for (size_t i = 0; i < count; i++)
		starts[(from[i].old - low) >> shift & (RADIX_SIZE - 1)]++;
	for (size_t i = 0; i < RADIX_SIZE; i++) {
		size_t in = starts[i];

		starts[i] = at;
		at += in;
	}
	for (size_t i = 0; i < count; i++)
		to[starts[(from[i].old - low) >> shift & (RADIX_SIZE - 1)]++] = from[i];
}

int ranges__sort(struct range *ranges, size_t count)
{
	uint64_t low = UINT64_MAX, high = 0;
	struct range *spare, *from = ranges, *to, *swap;

	if (is_sorted(ranges, count))
		return 0;
	if (count < RADIX_FROM) {
		qsort(ranges, count, sizeof(*ranges), by_old);
		return 0;
	}
	spare = to = malloc(count * sizeof(*spare));
	if (!spare)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		low = ranges[i].old < low ? ranges[i].old : low;
		high = ranges[i].old > high ? ranges[i].old : high;
	}
	for (unsigned int shift = 0; shift < 64 && (high - low) >> shift; shift += RADIX_BITS) {
		distribute(from, to, count, low, shift);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != ranges)
		memcpy(ranges, from, count * sizeof(*ranges));
	free(spare);
	return 0;
}
