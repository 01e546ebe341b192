/* SPDX-License-Identifier: BSD-2-Clause */
#include "movement.h"
#include "agents/common/emitter.h"
#include "bounds.h"
#include "collections.h"
#include "pauses.h"
#include "payload.h"
#include "session.h"

#include <stdatomic.h>
#include <string.h>

#define UNSEEN (1u << 0 | 1u << 1 | 1u << 4)
#define LARGE (1u << 3)

static atomic_bool hears_of_large; /* the runtime calls back for each of them */
static atomic_bool is_sweeping;

static void hear_of_large(bool is_wanted)
{
	const uint32_t high = MONITOR_HIGH | (is_wanted ? HIGH_MONITOR_LARGE_ALLOCATIONS : 0);
	const bool is_set = CLR_CALL(set_event_mask2, MONITOR_LOW, high) >= 0;

	atomic_store(&hears_of_large, is_wanted && is_set);
}

static bool open_session(void)
{
	hear_of_large(true);
	if (session__open(SESSION_MOVEMENT) >= 0)
		return true;
	hear_of_large(false);
	return false;
}

static void close_session(void)
{
	session__close(SESSION_MOVEMENT);
	hear_of_large(false);
}

void movement__want(bool is_wanted)
{
	static bool is_open;
	const bool has_it = is_open && !session__is_lost();

	if (is_wanted && !has_it) {
		is_open = open_session(); /* else at the next look again */
	} else if (!is_wanted && is_open) {
		close_session();
		is_open = false;
	}
}

void movement__sweeps(struct gctrace_writer *writer)
{
	if (!emitter__wants_ranges())
		return;
	atomic_store(&is_sweeping, true);
	gctrace_write_reuse(writer, UNSEEN | (atomic_load(&hears_of_large) ? 0 : LARGE), 0,
			    UINT64_MAX);
}

void movement__swept(void)
{
	atomic_store(&is_sweeping, false);
}

void movement__allocated(uintptr_t object)
{
	struct gctrace_writer *writer;
	size_t bytes = 0;

	if (!atomic_load_explicit(&is_sweeping, memory_order_relaxed) || !emitter__wants_ranges())
		return;
	if (CLR_CALL(get_object_size2, object, &bytes) < 0)
		return;
	writer = emitter__take(0, 0);
	gctrace_write_reuse(writer, UINT64_MAX, object, bytes);
	gctrace_flush(writer); /* nobody may take it for the one before */
	emitter__release(writer);
}

/* Of a range that lies in no known generation: it is newer than what is known. */
#define GENERATION_OTHERWISE 0

static void write_moved(struct gctrace_writer *writer, const struct ranges_of *of,
			struct payload payload, uint32_t count)
{
	struct bounds_part part = { 0 };
	uint64_t range[3]; /* old, new, length */
	const uint8_t *at;

	for (; count && (at = payload__take(&payload, sizeof(range))); count--) {
		memcpy(range, at, sizeof(range));
		if (!bounds_part__has(&part, range[0]))
			part = bounds__part(range[0], GENERATION_OTHERWISE);
		gctrace_write_move(writer, of->gc, part.generation, 0, range[0], range[1],
				   range[2]);
	}
}

/* A background collection tells also what it found in gen0 and gen1, where nobody is at stake. */
static void write_surviving(struct gctrace_writer *writer, const struct ranges_of *of,
			    struct payload payload, uint32_t count)
{
	struct bounds_part part = { 0 };
	uint64_t range[2]; /* start, length */
	const uint8_t *at;

	for (; count && (at = payload__take(&payload, sizeof(range))); count--) {
		memcpy(range, at, sizeof(range));
		if (!bounds_part__has(&part, range[0]))
			part = bounds__part(range[0], GENERATION_OTHERWISE);
		if (of->generations >> part.generation & 1)
			gctrace_write_survivor(writer, of->gc, part.generation, range[0],
					       range[1]);
	}
}

/* u32 index, u32 count, u16; then count ranges. */
void movement__event(uint32_t id, const uint8_t *at, uint32_t bytes)
{
	const struct ranges_of of = collections__with_ranges();
	struct payload payload = payload__of(at, bytes);
	struct gctrace_writer *writer;

	payload__u32(&payload);

	const uint32_t count = payload__u32(&payload);

	payload__u16(&payload);
	if (!of.gc)
		return;
	writer = emitter__take(of.gc, pauses__now());
	if (id == EVENT_MOVED_RANGES)
		write_moved(writer, &of, payload, count);
	else
		write_surviving(writer, &of, payload, count);
	emitter__release(writer);
}
