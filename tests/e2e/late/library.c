/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A runtime in a library: collect() tells one collection, if somebody listens. The first one that
 * anybody could have seen is number 1, whether somebody does or not.
 *
 * With HOLD_MS its collections take so long, and are told by single probes, so that whoever comes
 * in the middle hears of the end alone.
 */
#define GCTRACE_PROBES_IMPLEMENTATION
#include <gctrace/probes.h>

#include <time.h>

#ifdef HOLD_MS
void collect(void);

void collect(void)
{
	const struct timespec hold = { .tv_nsec = HOLD_MS * 1000000 };
	static uint64_t gc;

	gc++;
	gctrace_fire_pause_begin(gc, GCTRACE_WHY_COLLECTION);
	gctrace_fire_gc_start(gc, 1, GCTRACE_REASON_EXPLICIT, GCTRACE_HOW_COPYING);
	nanosleep(&hold, NULL);
	gctrace_fire_gc_finish(gc, 0);
	gctrace_fire_pause_end(gc, ~(uint64_t)0, 0);
}
#else
static struct gctrace_emitter emitter;
static _Alignas(8) unsigned char buffer[GCTRACE_BATCH_BYTES];
static struct gctrace_writer writer;
static uint64_t gc;

void collect(void);

void collect(void)
{
	if (gc++ == 0) {
		gctrace_emitter_init(&emitter);
		gctrace_writer_init(&writer, &emitter, buffer);
	}
	if (!gctrace_wants_batch())
		return;
	gctrace_writer_context(&writer, gc, gc);
	gctrace_write_producer(&writer, "", "0", "late", "none");
	gctrace_write_pause_begin(&writer, gc, GCTRACE_WHY_COLLECTION);
	gctrace_write_gc_start(&writer, gc, 1, GCTRACE_REASON_EXPLICIT, GCTRACE_HOW_COPYING);
	gctrace_write_gc_finish(&writer, gc);
	gctrace_write_pause_end(&writer, gc, ~(uint64_t)0);
}
#endif
