/* SPDX-License-Identifier: BSD-2-Clause */
#include "dump_estimate.h"

static void widen(struct dump_limits *limits, double value, bool first)
{
	if (first || value < limits->low)
		limits->low = value;
	if (first || value > limits->high)
		limits->high = value;
}

void dump_yardstick__add(struct dump_yardstick *yardstick, uint64_t objects, uint64_t bytes,
			 uint64_t ns)
{
	if (!objects || !bytes || !ns)
		return;
	widen(&yardstick->size, (double)bytes / (double)objects, !yardstick->dumps);
	widen(&yardstick->ns, (double)ns / (double)objects, !yardstick->dumps);
	yardstick->dumps++;
}

/* Beyond what a u64 holds: the highest. */
static uint64_t whole(double value)
{
	return value < 0x1p64 ? (uint64_t)value : UINT64_MAX;
}

struct dump_estimate dump_estimate__of(const struct dump_yardstick *yardstick, uint64_t bytes_low,
				       uint64_t bytes_high)
{
	static const struct dump_yardstick any = {
		.size = { DUMP_SIZE_LEAST, DUMP_SIZE_MOST },
		.ns = { DUMP_NS_LEAST, DUMP_NS_MOST },
	};
	const bool assumed = !yardstick->dumps;
	const struct dump_yardstick *by = assumed ? &any : yardstick;
	const double low = (double)bytes_low / by->size.high;
	const double high = (double)bytes_high / by->size.low;

	return (struct dump_estimate){
		.objects_low = whole(low),
		.objects_high = whole(high),
		.ns_low = whole(low * by->ns.low),
		.ns_high = whole(high * by->ns.high),
		.assumed = assumed,
		.by = *by,
	};
}
