/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What samples stand for, and how sure that is.
 *
 * THE SAMPLER takes an allocation of s bytes with the probability p = 1 - exp(-s / interval), as if
 * points were strewn over all allocated bytes, one each `interval` bytes in the mean, and an object
 * was taken that is hit by one or more (HotSpot: ThreadHeapSampler). Each object is taken or not
 * for itself. So
 *
 *	T = sum of s / p	over the samples of any set of objects
 *
 * is the estimate of all its bytes that is right in the mean (Horvitz and Thompson, 1952), whatever
 * the sizes are, as far as the sampler is even (docs/runtimes.md: where HotSpot's is not); s / p is
 * the WEIGHT of a sample. sum of 1 / p estimates how many objects there are. The variance of T is
 * estimated by the sum of weight^2 * (1 - p).
 *
 * THE INTERVAL. With few samples T is far from being normally distributed, and none at all doesn't
 * prove that there is nothing. The interval is that of Fay and Feuer (1997) for sums of weighted
 * Poisson counts: gamma distributions with the mean and the variance of T at the low end, and those
 * of T and one sample more at the high end. For equal weights and small p it is Garwood's
 * exact one (for 0 samples: 0 to 3.69 intervals), and where p comes near 1, as of arrays that are
 * larger than the interval, it closes around T. One sample more counts by the deviation that it
 * would bring, weight * sqrt(1 - p), which is never larger than the interval. The low end is never
 * less than what the samples themselves are large. It covers the truth in at least 95 % of
 * cases: tests/unit/model/estimate_test.c draws samples thousands of times.
 *
 * REPEATS. Where a sampler's random numbers come again, its errors do, too, and add up instead of
 * cancelling out: of n samples with r repeats for each sample only about 1 / r are independent of
 * each other, if r is above 1 / n. So the variance is taken 1 + n r times (HotSpot's sampler is
 * seeded by the address of each new thread: docs/runtimes.md).
 *
 * Objects weigh 1 / p, which is much for small ones: the high end of their number has to allow
 * for one more of the smallest that there may be. Where all are of sizes that were seen (those of
 * one class, say) that is the smallest one seen; where sizes differ from object to object
 * (arrays) small ones may be there without any having been seen, and it is the smallest possible
 * one: 100 arrays of 1 MiB may stand beside 100,000 empty ones of which nothing is known.
 */
#ifndef MODEL_ESTIMATE_H
#define MODEL_ESTIMATE_H

#include <stdbool.h>
#include <stdint.h>

/* A set of samples, as far as estimates need it. All zero is the empty set. */
struct estimate {
	uint64_t samples;
	uint64_t seen_bytes;	   /* of the samples themselves */
	double bytes, variance;
	double objects, objects_variance;
	double objects_more; /* the deviation by one more of the smallest */
};

/* One sample, as its producer told it; a weight below its size is one of its size. */
void estimate__add(struct estimate *estimate, uint64_t size, uint64_t weight);

/* All of another set. */
void estimate__sum(struct estimate *estimate, const struct estimate *more);

struct bounds {
	double low, high;
};

/* How samples are taken. */
struct sampler {
	uint64_t interval; /* bytes, what one sample more may deviate by; 0: it takes all */
	double repeats;	   /* of its random numbers, for each sample */
};

/* The 95 % intervals. */
struct bounds estimate__bytes(const struct estimate *estimate, const struct sampler *sampler);
/* least: the size of the smallest object that there may be; 0: one that was seen. */
struct bounds estimate__objects(const struct estimate *estimate, const struct sampler *sampler,
				uint64_t least);

/* An estimate that cannot be more than `most`: neither it nor the ends of its interval are. */
struct bounded {
	double bytes;
	struct bounds bounds;
	bool is_less; /* than the samples alone say */
};
/* most: INFINITY where no limit is known. */
struct bounded estimate__at_most(const struct estimate *estimate, const struct sampler *sampler,
				 double most);

/*
 * The share of `part` in `whole`, a set that has all samples of part: from 0 to 1; no samples in
 * whole: 0 to 1. *share is the best guess.
 */
struct bounds estimate__share(const struct estimate *part, const struct estimate *whole,
			      const struct sampler *sampler, double *share);

/* For tests: x so that a share p of the gamma distribution of this shape (scale 1) is below it. */
double estimate__gamma_quantile(double shape, double p);

#endif
