/* SPDX-License-Identifier: BSD-2-Clause */
#include "movement.h"
#include "agents/common/emitter.h"
#include "bounds.h"
#include "collections.h"
#include "pauses.h"
#include "payload.h"
#include "session.h"

#define MOVED_BYTES 24	   /* old, new, length */
#define SURVIVING_BYTES 16 /* start, length */

void movement__want(bool is_wanted)
{
	static bool is_open;

	if (is_wanted == is_open)
		return;
	if (is_wanted && session__open(SESSION_MOVEMENT) < 0)
		return; /* at the next look again */
	if (!is_wanted)
		session__close(SESSION_MOVEMENT);
	is_open = is_wanted;
}

/* Of a range that lies in no known generation: it is newer than what is known. */
#define GENERATION_OTHERWISE 0

static void write_moved(struct gctrace_writer *writer, const struct ranges_of *of,
			struct payload payload, uint32_t count)
{
	for (uint32_t hint = 0; count && payload__left(&payload) >= MOVED_BYTES; count--) {
		const uint64_t from = payload__u64(&payload), to = payload__u64(&payload);
		const uint64_t length = payload__u64(&payload);

		gctrace_write_move(writer, of->gc,
				   bounds__generation(from, GENERATION_OTHERWISE, &hint), 0, from,
				   to, length);
	}
}

/* A background collection tells also what it found in gen0 and gen1, where nobody is at stake. */
static void write_surviving(struct gctrace_writer *writer, const struct ranges_of *of,
			    struct payload payload, uint32_t count)
{
	for (uint32_t hint = 0; count && payload__left(&payload) >= SURVIVING_BYTES; count--) {
		const uint64_t start = payload__u64(&payload), length = payload__u64(&payload);
		const uint32_t generation =
			bounds__generation(start, GENERATION_OTHERWISE, &hint);

		if (of->generations >> generation & 1)
			gctrace_write_survivor(writer, of->gc, generation, start, length);
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
