/* SPDX-License-Identifier: BSD-2-Clause */
#include "estimate.h"

#include <math.h>

#define TAIL 0.025 /* of each end */
#define TAIL_NORMAL 1.959963984540054
#define SHAPE_EXACT 400.0 /* beyond it the approximation is good to six digits */

void estimate__add(struct estimate *estimate, uint64_t size, uint64_t weight)
{
	const double bytes = (double)(weight > size ? weight : size);
	const double p = size ? (double)size / bytes : 1;
	const double more = sqrt(1 - p) / p;

	estimate->samples++;
	estimate->seen_bytes += size;
	estimate->bytes += bytes;
	estimate->variance += bytes * bytes * (1 - p);
	estimate->objects += 1 / p;
	estimate->objects_variance += (1 - p) / (p * p);
	if (more > estimate->objects_more)
		estimate->objects_more = more;
}

void estimate__sum(struct estimate *estimate, const struct estimate *more)
{
	estimate->samples += more->samples;
	estimate->seen_bytes += more->seen_bytes;
	estimate->bytes += more->bytes;
	estimate->variance += more->variance;
	estimate->objects += more->objects;
	estimate->objects_variance += more->objects_variance;
	if (more->objects_more > estimate->objects_more)
		estimate->objects_more = more->objects_more;
}

/* ---------------------------------------------------------------- the gamma distribution */

/* The share of the distribution below x: a series where x is small, else a continued fraction. */
static double gamma_below(double shape, double x)
{
	const double front = exp(shape * log(x) - x - lgamma(shape));
	double term, sum, b, c, d, h;

	if (x < shape + 1) {
		sum = term = 1 / shape;
		for (double n = shape + 1; term > sum * 1e-12; n++)
			sum += term *= x / n;
		return front * sum;
	}
	/* Lentz's way. */
	b = x + 1 - shape;
	c = 1e300;
	d = 1 / b;
	h = d;
	for (double i = 1, delta = 0; fabs(delta - 1) > 1e-12 && i < 10000; i++) {
		const double a = -i * (i - shape);

		b += 2;
		d = 1 / (a * d + b);
		c = b + a / c;
		delta = c * d;
		h *= delta;
	}
	return 1 - front * h;
}

/* Wilson and Hilferty (1931): the cube root of such a number is nearly normal. z: of p. */
static double gamma_nearly(double shape, double z)
{
	const double root = 1 - 1 / (9 * shape) + z / (3 * sqrt(shape));

	return root > 0 ? shape * root * root * root : 0;
}

static double narrow(double shape, double p, double low, double high)
{
	while (high - low > 1e-9 * high) {
		const double middle = (low + high) / 2;

		if (gamma_below(shape, middle) < p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

double estimate__gamma_quantile(double shape, double p)
{
	const double z = p < 0.5 ? -TAIL_NORMAL : TAIL_NORMAL;
	const double guess = gamma_nearly(shape, z);
	double low, high;

	if (shape > SHAPE_EXACT)
		return guess;
	low = guess;
	high = guess > 0 ? guess : 1e-3;
	while (low > 1e-300 && gamma_below(shape, low) > p)
		low *= 0.9;
	while (gamma_below(shape, high) < p)
		high *= 1.1;
	return narrow(shape, p, low, high);
}

/* ---------------------------------------------------------------- intervals */

static double low_end(double mean, double variance)
{
	if (mean <= 0 || variance <= 0)
		return mean;
	return variance / mean * estimate__gamma_quantile(mean * mean / variance, TAIL);
}

static double high_end(double mean, double variance)
{
	if (mean <= 0 || variance <= 0)
		return mean;
	return variance / mean * estimate__gamma_quantile(mean * mean / variance, 1 - TAIL);
}

/* What the variance of so many samples is taken times. */
static double spread_of(const struct sampler *sampler, uint64_t samples)
{
	return 1 + sampler->repeats * (double)samples;
}

static struct bounds bounds_of(double mean, double variance, double more, double more_variance,
			       double least)
{
	struct bounds bounds = { .low = low_end(mean, variance),
				 .high = high_end(mean + more, variance + more_variance) };

	if (bounds.low < least)
		bounds.low = least;
	if (bounds.high < bounds.low)
		bounds.high = bounds.low;
	return bounds;
}

struct bounds estimate__bytes(const struct estimate *estimate, const struct sampler *sampler)
{
	const double more = (double)sampler->interval;

	return bounds_of(estimate->bytes,
			 estimate->variance * spread_of(sampler, estimate->samples), more,
			 more * more * spread_of(sampler, 1), (double)estimate->seen_bytes);
}

struct bounded estimate__at_most(const struct estimate *estimate, const struct sampler *sampler,
				 double most)
{
	const struct bounds bounds = estimate__bytes(estimate, sampler);

	return (struct bounded){
		.bytes = fmin(estimate->bytes, most),
		.bounds = { fmin(bounds.low, most), fmin(bounds.high, most) },
		.is_less = estimate->bytes > most,
	};
}

/* The deviation that one object more of this size may bring: sqrt(1 - p) / p. */
static double deviation_by(uint64_t size, uint64_t interval)
{
	const double x = interval ? (double)size / (double)interval : 0;

	return x > 0 ? exp(-x / 2) / -expm1(-x) : 0;
}

struct bounds estimate__objects(const struct estimate *estimate, const struct sampler *sampler,
				uint64_t least)
{
	const double more = fmax(estimate->objects_more, deviation_by(least, sampler->interval));

	return bounds_of(estimate->objects,
			 estimate->objects_variance * spread_of(sampler, estimate->samples), more,
			 more * more * spread_of(sampler, 1), (double)estimate->samples);
}

/* What `whole` has and `part` has not. */
static struct estimate rest_of(const struct estimate *part, const struct estimate *whole)
{
	return (struct estimate){
		.samples = whole->samples - part->samples,
		.bytes = fmax(whole->bytes - part->bytes, 0),
		.variance = fmax(whole->variance - part->variance, 0),
		.seen_bytes = whole->seen_bytes - part->seen_bytes,
	};
}

static double root(double x)
{
	return x > 0 ? sqrt(x) : 0; /* rounding may bring it below */
}

/* The ends of the interval of a / b, of two that are independent of each other. */
static double low_ratio(double a, double b, double low_a, double high_b)
{
	const double product = a * b, of_a = low_a * (2 * a - low_a),
		     of_b = high_b * (2 * b - high_b);

	return of_a > 0 ? of_a / (product + root(product * product - of_a * of_b)) : 0;
}

static double high_ratio(double a, double b, double high_a, double low_b)
{
	const double product = a * b, of_a = high_a * (2 * a - high_a),
		     of_b = low_b * (2 * b - low_b);

	return (product + root(product * product - of_a * of_b)) / of_b;
}

/* The part is so much of what the rest is 1 of. */
static double share_of(double ratio)
{
	return isinf(ratio) ? 1 : ratio / (1 + ratio);
}

/*
 * Of the part and of the rest each its own interval: their samples may be of different sizes, and
 * of what is large much less is uncertain than of as many bytes of what is small. They are put
 * together as Donner and Zou (2012) do for ratios.
 */
struct bounds estimate__share(const struct estimate *part, const struct estimate *whole,
			      const struct sampler *sampler, double *share)
{
	const struct estimate rest = rest_of(part, whole);
	const struct bounds of = estimate__bytes(part, sampler),
			    others = estimate__bytes(&rest, sampler);

	*share = 0;
	if (!whole->samples || whole->bytes <= 0)
		return (struct bounds){ 0, 1 };
	*share = part->bytes / whole->bytes;
	return (struct bounds){
		share_of(low_ratio(part->bytes, rest.bytes, of.low, others.high)),
		others.low > 0 ?
			share_of(high_ratio(part->bytes, rest.bytes, of.high, others.low)) :
			1,
	};
}
