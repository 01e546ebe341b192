/* SPDX-License-Identifier: BSD-2-Clause */
#include "cutoff.h"

#include "base/clock.h"
#include "loss.h"

static int take(void *context, const struct record *record, unsigned int ring)
{
	struct cutoff *cutoff = context;
	const enum ending ending = cutoff->ending();
	int answer;

	/* Losses are counted elsewhere, and take no time. */
	if (ending >= ENDING_OVERDUE && record->kind != RECORD_LOSS) {
		cutoff->unread++;
		return 0;
	}
	answer = cutoff->to->record(cutoff->to->ctx, record, ring);
	if (answer || ending == ENDING_NO || cutoff->has_come_back)
		return answer;
	cutoff->has_come_back = cutoff->comes_back = true;
	return 1;
}

struct record_sink cutoff__sink(struct cutoff *cutoff, const struct record_sink *to)
{
	cutoff->to = to;
	cutoff->comes_back = false;
	return (struct record_sink){ take, cutoff };
}

int cutoff__answer(const struct cutoff *cutoff, int answer)
{
	return cutoff->comes_back && answer == SOURCE_STOPPED ? SOURCE_MORE : answer;
}

int cutoff__tell(const struct cutoff *cutoff, const struct record_sink *to)
{
	const uint64_t now = clock__monotonic_ns();
	const struct record_call loss = {
		.head = {
			.stamp = now,
			.bytes = sizeof(loss),
			.kind = RECORD_LOSS,
			.target = LOSS_ANY_TARGET,
		},
		.args = { LOSS_UNREAD, cutoff->unread, now },
	};

	return cutoff->unread ? to->record(to->ctx, &loss.head, 0) : 0;
}
