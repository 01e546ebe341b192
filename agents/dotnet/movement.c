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

/* Of a range that lies in no known generation: collected, so it is in the youngest at least. */
#define GENERATION_OTHERWISE 0

static void write_moved(struct gctrace_writer *writer, uint64_t gc, struct payload payload,
			uint32_t count)
{
	for (uint32_t i = 0, hint = 0; i < count; i++) {
		const uint64_t from = payload__u64(&payload), to = payload__u64(&payload);
		const uint64_t length = payload__u64(&payload);

		gctrace_write_move(writer, gc, bounds__generation(from, GENERATION_OTHERWISE, &hint),
				   0, from, to, length);
	}
}

static void write_surviving(struct gctrace_writer *writer, uint64_t gc, struct payload payload,
			    uint32_t count)
{
	for (uint32_t i = 0, hint = 0; i < count; i++) {
		const uint64_t start = payload__u64(&payload), length = payload__u64(&payload);

		gctrace_write_survivor(writer, gc,
				       bounds__generation(start, GENERATION_OTHERWISE, &hint),
				       start, length);
	}
}

/* u32 index, u32 count, u16; then count ranges. A count beyond the end is cut to what is there. */
void movement__event(uint32_t id, const uint8_t *bytes, uint32_t n)
{
	const uint64_t gc = collections__with_ranges();
	struct payload payload = payload__of(bytes, n);

	payload__u32(&payload);

	uint32_t count = payload__u32(&payload);

	payload__u16(&payload);
	if (!gc || payload.bad)
		return;

	const size_t most = payload__left(&payload) /
			    (id == EVENT_MOVED_RANGES ? MOVED_BYTES : SURVIVING_BYTES);
	struct gctrace_writer *writer = emitter__take(gc, pauses__now());

	count = count < most ? count : (uint32_t)most;
	if (id == EVENT_MOVED_RANGES)
		write_moved(writer, gc, payload, count);
	else
		write_surviving(writer, gc, payload, count);
	emitter__release(writer);
}
