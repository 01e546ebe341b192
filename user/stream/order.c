/* SPDX-License-Identifier: BSD-2-Clause */
#include "order.h"

#include <string.h>

#include "gctrace/wire.h"

struct batch_record {
	struct record head;
	struct gctrace_batch batch;
};

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static void batch_of(const struct waiting *waiting, struct gctrace_batch *batch)
{
	struct batch_record start;
	size_t bytes = lane__peek(waiting->lane, waiting->slot, &start, sizeof(start));

	if (bytes == sizeof(start) && start.head.kind == RECORD_BATCH)
		*batch = start.batch;
	else
		memset(batch, 0, sizeof(*batch));
}

static int compare_equal_stamps(const struct waiting *a, const struct waiting *b)
{
	struct gctrace_batch batch_a, batch_b;
	int order;

	if (!a->lane || !b->lane)
		return !a->lane - !b->lane;
	batch_of(a, &batch_a);
	batch_of(b, &batch_b);
	order = compare_numbers(batch_a.producer, batch_b.producer);
	if (!order)
		order = compare_numbers(batch_a.sequence, batch_b.sequence);
	if (!order)
		order = compare_numbers(a->lane->number, b->lane->number);
	if (!order)
		order = compare_numbers(a->slot, b->slot);
	return order;
}

static int compare(const void *a_, const void *b_)
{
	const struct waiting *a = a_, *b = b_;
	int order = compare_numbers(a->stamp, b->stamp);

	return order ? order : compare_equal_stamps(a, b);
}

void order__sort(struct waitings *waitings)
{
	for (size_t i = 1; i < waitings->count; i++) {
		if (compare(&waitings->items[i - 1], &waitings->items[i]) > 0) {
			vec__sort(waitings, compare);
			return;
		}
	}
}
