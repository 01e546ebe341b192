/* SPDX-License-Identifier: BSD-2-Clause */
#include "weight.h"

/*
 * exp(-x) - 1 without the mathematical library, for 0 <= x <= 40: by a series where x is small, and
 * exp(-2x) - 1 = (exp(-x) - 1) * (exp(-x) + 1).
 */
static double exp_minus_1(double x)
{
	const double y = -x / 64;
	double term = y, sum = y;

	for (int n = 2; n <= 16; n++) {
		term *= y / n;
		sum += term;
	}
	for (int i = 0; i < 6; i++)
		sum *= sum + 2;
	return sum;
}

uint64_t weight__of(uint64_t size, uint32_t interval)
{
	const double x = interval ? (double)size / interval : 0;

	if (!size || !interval || x > 40)
		return size;
	return (uint64_t)((double)size / -exp_minus_1(x) + 0.5);
}
