/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Estimates against a sampler that is played thousands of times, for populations of all kinds: how
 * often is the truth within the interval, and is the estimate right in the mean?
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "unit/random.h"
#include "model/estimate.h"

#define INTERVAL 524288.0
#define RUNS 4000
#define COVERED 0.95
#define SMALLEST 16 /* bytes of an object */
#define NOISE 0.01 /* of a share near 0.95 that is counted in so many runs: three deviations */

static const struct sampler even = { (uint64_t)INTERVAL, 0 };

static void quantiles_are_those_of_the_tables(void **state)
{
	/* Half of a chi-squared quantile; R: qgamma(p, shape). */
	static const struct {
		double shape, p, x;
	} known[] = {
		{ 1, 0.975, 3.688879454 },    { 1, 0.025, 0.02531780798 },
		{ 2.5, 0.025, 0.4156058145 }, { 10, 0.975, 17.08480345 },
		{ 10, 0.025, 4.795388696 },   { 100, 0.975, 120.5290169 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		const double x = estimate__gamma_quantile(known[i].shape, known[i].p);

		if (fabs(x / known[i].x - 1) > 1e-3)
			fail_msg("shape %g, %g: %.9g instead of %.9g", known[i].shape, known[i].p,
				 x, known[i].x);
	}
	/* Where the approximation begins, nothing jumps. */
	assert_true(fabs(estimate__gamma_quantile(399.99, 0.975) /
				 estimate__gamma_quantile(400.01, 0.975) - 1) < 1e-4);
}

/* ---------------------------------------------------------------- a sampler that is played */

#define KINDS 5

struct kind {
	uint64_t size, objects;
};

struct population {
	const char *name;
	struct kind kinds[KINDS];
};

static const struct population populations[] = {
	{ "none", { { 16, 0 } } },
	{ "one small", { { 16, 1 } } },
	{ "a tenth of an interval", { { 64, 819 } } },
	{ "half an interval", { { 64, 4096 } } },
	{ "one interval", { { 64, 8192 } } },
	{ "two intervals", { { 1024, 1024 } } },
	{ "three and a half", { { 1024, 1792 } } },
	{ "ten intervals", { { 4096, 1280 } } },
	{ "hundred intervals", { { 65536, 800 } } },
	{ "objects of half an interval", { { 262144, 6 } } },
	{ "objects as large as it", { { 524288, 5 } } },
	{ "a single one as large as it", { { 524288, 1 } } },
	{ "twice as large", { { 1048576, 3 } } },
	{ "four times as large", { { 2097152, 2 } } },
	{ "huge", { { 104857600, 1 } } },
	{ "small beside large", { { 32, 32768 }, { 524288, 2 } } },
	{ "small beside huge", { { 48, 20000 }, { 16777216, 3 } } },
	{ "three sizes", { { 24, 60000 }, { 4096, 300 }, { 262144, 4 } } },
};

static double uniform(uint64_t *seed)
{
	return ((double)(random__next(seed) >> 11) + 0.5) / 9007199254740992.0;
}

/* The next object that is taken of those of one size: how many are left out before it. */
static uint64_t gap(uint64_t *seed, double p)
{
	const double gap = floor(log(uniform(seed)) / log1p(-p));

	return gap > 1e15 ? UINT64_MAX / 2 : (uint64_t)gap;
}

static void draw(const struct kind *kind, uint64_t *seed, struct estimate *estimate)
{
	const double p = -expm1(-(double)kind->size / INTERVAL);
	const uint64_t weight = (uint64_t)((double)kind->size / p + 0.5);

	if (1 - p < 1e-15) {
		for (uint64_t i = 0; i < kind->objects; i++)
			estimate__add(estimate, kind->size, weight);
		return;
	}
	for (uint64_t i = gap(seed, p); i < kind->objects; i += 1 + gap(seed, p))
		estimate__add(estimate, kind->size, weight);
}

static double bytes_of(const struct population *of)
{
	double bytes = 0;

	for (unsigned int i = 0; i < KINDS; i++)
		bytes += (double)(of->kinds[i].size * of->kinds[i].objects);
	return bytes;
}

static double objects_of(const struct population *of)
{
	double objects = 0;

	for (unsigned int i = 0; i < KINDS; i++)
		objects += (double)of->kinds[i].objects;
	return objects;
}

struct covering {
	double bytes, objects, mean;
};

static struct covering play(const struct population *of, uint64_t least)
{
	struct covering covering = { 0, 0, 0 };
	const double bytes = bytes_of(of), objects = objects_of(of);
	uint64_t seed = 88172645463325252;

	for (unsigned int run = 0; run < RUNS; run++) {
		struct estimate estimate = { 0 };
		struct bounds in_bytes, in_objects;

		for (unsigned int i = 0; i < KINDS; i++)
			draw(&of->kinds[i], &seed, &estimate);
		in_bytes = estimate__bytes(&estimate, &even);
		in_objects = estimate__objects(&estimate, &even, least);
		covering.bytes += in_bytes.low <= bytes + 1 && bytes <= in_bytes.high + 1;
		covering.objects += in_objects.low <= objects + 1e-6 &&
				    objects <= in_objects.high + 1e-6;
		covering.mean += estimate.bytes / RUNS;
	}
	covering.bytes /= RUNS;
	covering.objects /= RUNS;
	return covering;
}

/* Of one size that was seen, or of any: also those of which no sample tells. */
static void assert_covers(const struct population *of, const char *name)
{
	const bool is_one_size = !of->kinds[1].objects;
	struct covering covering = play(of, SMALLEST);
	const double bytes = bytes_of(of), deviation = sqrt(bytes * INTERVAL / RUNS);

	if (covering.bytes < COVERED - NOISE)
		fail_msg("%s: %.4f of the intervals in bytes hold the truth", name,
			 covering.bytes);
	if (covering.objects < COVERED - NOISE)
		fail_msg("%s: %.4f of the intervals in objects of any size hold the truth", name,
			 covering.objects);
	if (fabs(covering.mean - bytes) > 4 * deviation + 1)
		fail_msg("%s: %.0f bytes in the mean instead of %.0f", name, covering.mean, bytes);
	/* Where nothing is likely to be seen, no size is known. */
	if (!is_one_size || bytes < 4 * INTERVAL)
		return;
	covering = play(of, 0);
	if (covering.objects < COVERED - NOISE)
		fail_msg("%s: %.4f of the intervals in objects of one size hold the truth", name,
			 covering.objects);
}

static void intervals_cover_the_truth(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(populations) / sizeof(*populations); i++)
		assert_covers(&populations[i], populations[i].name);
}

/* Any sizes, from the smallest to larger than the interval, of each up to some intervals' worth. */
static void sizes_of_all_kinds(void **state)
{
	uint64_t seed = 7;

	(void)state;
	for (unsigned int i = 0; i < 60; i++) {
		struct population of = { .name = "mixed" };
		char name[200];
		int length = 0;

		for (unsigned int k = 0; k < 2 + i % (KINDS - 1); k++) {
			const double share = pow(2, 12 * uniform(&seed) - 6);
			struct kind *kind = &of.kinds[k];

			kind->size = SMALLEST + 8 * (uint64_t)pow(2, 16.5 * uniform(&seed)) - 8;
			kind->objects = 1 + (uint64_t)(share * INTERVAL / (double)kind->size);
			length += snprintf(name + length, sizeof(name) - (size_t)length,
					   "%llu of %llu bytes, ",
					   (unsigned long long)kind->objects,
					   (unsigned long long)kind->size);
		}
		assert_covers(&of, name);
	}
}

/* Without the smallest possible one, small objects that no sample shows are forgotten. */
static void what_is_not_seen_is_allowed_for(void **state)
{
	const struct population of = { "", { { 16, 20000 }, { 4096, 10000 } } };

	(void)state;
	assert_true(play(&of, 0).objects < 0.8);
	assert_true(play(&of, SMALLEST).objects >= COVERED - NOISE);
}

/* What a site is asked for is not only whether it covers: it has to say something. */
static void intervals_narrow_with_samples(void **state)
{
	struct estimate estimate = { 0 };
	struct bounds bounds = estimate__bytes(&estimate, &(struct sampler){ 1000, 0 });

	(void)state;
	assert_true(bounds.low == 0);
	assert_true(fabs(bounds.high - 3688.88) < 1);
	for (unsigned int i = 0; i < 10000; i++)
		estimate__add(&estimate, 1, 1000);
	bounds = estimate__bytes(&estimate, &(struct sampler){ 1000, 0 });
	assert_true(bounds.low > 9.7e6 && bounds.high < 10.3e6);
	/* All are sampled: exact. */
	estimate = (struct estimate){ 0 };
	estimate__add(&estimate, 48, 48);
	estimate__add(&estimate, 16, 0);
	bounds = estimate__bytes(&estimate, &(struct sampler){ 0, 0 });
	assert_true(bounds.low == 64 && bounds.high == 64);
	bounds = estimate__objects(&estimate, &(struct sampler){ 0, 0 }, 16);
	assert_true(bounds.low == 2 && bounds.high == 2);
}

static void shares(void **state)
{
	struct estimate part = { 0 }, whole = { 0 };
	struct bounds bounds;
	double share;

	(void)state;
	bounds = estimate__share(&part, &whole, &even, &share);
	assert_true(bounds.low == 0 && bounds.high == 1);
	for (unsigned int i = 0; i < 100; i++)
		estimate__add(i < 25 ? &part : &whole, 16, 524296);
	estimate__sum(&whole, &part);
	bounds = estimate__share(&part, &whole, &even, &share);
	assert_true(fabs(share - 0.25) < 1e-9);
	assert_true(bounds.low > 0.16 && bounds.low < 0.19);
	assert_true(bounds.high > 0.33 && bounds.high < 0.36);
}

/* The first kind is the part. */
static void shares_cover_the_truth(void **state)
{
	static const struct population of[] = {
		{ "equal", { { 1000, 5000 }, { 1000, 5000 } } },
		{ "large ones, and small others", { { 4194304, 10 }, { 1024, 8192 } } },
		{ "huge ones, and small others", { { 33554432, 3 }, { 1024, 2048 } } },
		{ "small ones, and large others", { { 1024, 8192 }, { 4194304, 10 } } },
		{ "few, and many others", { { 1000, 500 }, { 1000, 50000 } } },
		{ "few, and few others", { { 1000, 500 }, { 1000, 800 } } },
	};
	uint64_t seed = 11;

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		const struct kind *kinds = of[i].kinds;
		const double truth = (double)(kinds[0].size * kinds[0].objects) / bytes_of(&of[i]);
		double covered = 0;

		for (unsigned int run = 0; run < RUNS; run++) {
			struct estimate part = { 0 }, whole = { 0 };
			struct bounds bounds;
			double share;

			draw(&kinds[0], &seed, &part);
			draw(&kinds[1], &seed, &whole);
			estimate__sum(&whole, &part);
			bounds = estimate__share(&part, &whole, &even, &share);
			covered += bounds.low <= truth && truth <= bounds.high;
		}
		if (covered / RUNS < COVERED - NOISE)
			fail_msg("%s: %.4f of the intervals hold the truth", of[i].name,
				 covered / RUNS);
	}
}

/* Samples of small objects, by distances that come again and again. */
static uint64_t samples_by(uint64_t *seed, const unsigned int distances, double bytes)
{
	double of[64];
	uint64_t samples = 0;

	for (unsigned int i = 0; i < distances; i++)
		of[i] = -log(uniform(seed)) * INTERVAL;
	for (double at = of[0]; at < bytes; at += of[++samples % distances])
		;
	return samples;
}

static void repeats_widen_the_interval(void **state)
{
	static const unsigned int distances[] = { 1, 2, 5, 20, 64 };
	const double truth = 1000 * INTERVAL;
	uint64_t seed = 12;

	(void)state;
	for (size_t i = 0; i < sizeof(distances) / sizeof(*distances); i++) {
		const struct sampler sampler = { (uint64_t)INTERVAL, 1.0 / distances[i] };
		double covered = 0;

		for (unsigned int run = 0; run < RUNS; run++) {
			const uint64_t samples = samples_by(&seed, distances[i], truth);
			struct estimate estimate = {
				.samples = samples,
				.bytes = (double)samples * INTERVAL,
				.variance = (double)samples * INTERVAL * INTERVAL,
			};
			const struct bounds bounds = estimate__bytes(&estimate, &sampler);

			covered += bounds.low <= truth && truth <= bounds.high;
		}
		if (covered / RUNS < COVERED - NOISE)
			fail_msg("%u distances: %.4f of the intervals hold the truth",
				 distances[i], covered / RUNS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_those_of_the_tables),
		cmocka_unit_test(intervals_cover_the_truth),
		cmocka_unit_test(sizes_of_all_kinds),
		cmocka_unit_test(what_is_not_seen_is_allowed_for),
		cmocka_unit_test(intervals_narrow_with_samples),
		cmocka_unit_test(repeats_widen_the_interval),
		cmocka_unit_test(shares),
		cmocka_unit_test(shares_cover_the_truth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
