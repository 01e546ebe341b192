/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Binary search in an array of any type: how many items at its front fulfil a condition, which
 * none behind them does.
 *
 *	size_t begun = search__front(spans, count, span, span->start <= address);
 *
 *	spans[begun - 1] is the last that begins there or before, spans[begun] the first behind
 */
#ifndef GCTRACE_BASE_SEARCH_H
#define GCTRACE_BASE_SEARCH_H

#include <stddef.h>

#define search__front(items, count, item, ...)                                       \
	({                                                                           \
		const __typeof__(*(items)) *items_ = (items);                        \
		size_t low_ = 0, high_ = (count);                                    \
		while (low_ < high_) {                                               \
			const size_t middle_ = low_ + (high_ - low_) / 2;            \
			const __typeof__(*(items)) *item = &items_[middle_];         \
			if (__VA_ARGS__)                                             \
				low_ = middle_ + 1;                                  \
			else                                                         \
				high_ = middle_;                                     \
		}                                                                    \
		low_;                                                                \
	})

#endif
