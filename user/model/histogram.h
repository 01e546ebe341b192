/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A histogram of u64 values with quantiles (HDR type).
 *
 * Up to HISTOGRAM_EXACT values are kept as they are, and every quantile of them is exact. From
 * then on values are counted in buckets: values below 2,048 still exactly, others in buckets
 * whose width is at most 1/1,024 of their value, so that a quantile is at most 0.1 % too high
 * and never too low. Count, sum, minimum and maximum are always exact. No value is out of range.
 *
 * Memory: 8 KiB a block of 1,024 buckets, and blocks exist only for powers of two that occurred
 * (54 at most, some 8 in practice); values of one histogram may be counted from several places
 * only if they take turns.
 */
#ifndef MODEL_HISTOGRAM_H
#define MODEL_HISTOGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define HISTOGRAM_EXACT 1024

struct histogram;

struct histogram *histogram__new(void); /* NULL: no memory */
void histogram__free(struct histogram *histogram);

/* 0 or -ENOMEM (then nothing has changed). */
int histogram__add(struct histogram *histogram, uint64_t value);

uint64_t histogram__count(const struct histogram *histogram);
uint64_t histogram__min(const struct histogram *histogram); /* of an empty one: 0, as below */
uint64_t histogram__max(const struct histogram *histogram);
uint64_t histogram__sum(const struct histogram *histogram); /* UINT64_MAX where it is beyond */

/*
 * The smallest value that at least this part of all values, in thousandths (500: the median),
 * do not exceed: of 100 values, 990 gives the 99th.
 */
uint64_t histogram__quantile(struct histogram *histogram, unsigned int thousandths);

/* All quantiles so far are exact. */
bool histogram__is_exact(const struct histogram *histogram);

#endif
