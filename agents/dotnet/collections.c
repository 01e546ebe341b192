/* SPDX-License-Identifier: BSD-2-Clause */
#include "collections.h"
#include "agents/common/emitter.h"
#include "pauses.h"

#include <stdatomic.h>

static uint64_t numbers;
static _Atomic uint64_t current;

uint64_t collections__now(void)
{
	return atomic_load_explicit(&current, memory_order_relaxed);
}

void collections__started(uint64_t generations, bool is_induced)
{
	numbers++;
	if (!emitter__is_heard())
		return;
	atomic_store(&current, numbers);

	struct gctrace_writer *writer = emitter__take(numbers, pauses__now());

	if (gctrace_wants_gc__start())
		gctrace_write_gc_start(writer, numbers, generations,
				       is_induced ? GCTRACE_REASON_EXPLICIT :
						    GCTRACE_REASON_UNKNOWN,
				       0);
	emitter__release(writer);
}

void collections__finished(void)
{
	const uint64_t gc = collections__now();

	if (!gc)
		return;
	emitter__flush_all();

	struct gctrace_writer *writer = emitter__take(gc, pauses__now());

	if (gctrace_wants_gc__finish())
		gctrace_write_gc_finish(writer, gc);
	if (!pauses__now())
		gctrace_flush(writer);
	emitter__release(writer);
	atomic_store(&current, 0);
}

void collections__event(uint32_t id, const uint8_t *payload, uint32_t bytes)
{
	(void)id;
	(void)payload;
	(void)bytes;
}
