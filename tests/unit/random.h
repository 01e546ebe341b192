/* SPDX-License-Identifier: BSD-2-Clause */
/* Numbers by chance, the same ones in each run: Marsaglia's xorshift64, of a seed that is not 0. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

static inline uint64_t random__next(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* 0 ... below - 1; the lowest bits are the worst. */
static inline uint64_t random__below(uint64_t *seed, uint64_t below)
{
	return (random__next(seed) >> 11) % below;
}

static inline bool random__chance(uint64_t *seed, unsigned int percent)
{
	return random__below(seed, 100) < percent;
}

#endif
