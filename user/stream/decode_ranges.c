/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moved and surviving ranges: the hot path. The loops copy from the wire's form into the room's
 * chunk, 512 ranges (12 KiB) at a time, so that what the sink reads next is still in the L1 cache.
 * Everything in units is shifted without a check for overflow: addresses are hostile anyway, and
 * whoever uses them checks them against what they must be.
 */
#include "decoding.h"

#define UNIT_SHIFT 3

/* How to read one form of ranges: `count` of them from `at` into ranges. */
struct form {
	void (*read)(struct range *ranges, const uint8_t *at, size_t count, uint64_t old_base,
		     uint64_t new_base);
	size_t bytes; /* of one range */
};

static void read_moves_narrow(struct range *restrict ranges, const uint8_t *restrict at,
			      size_t count, uint64_t old_base, uint64_t new_base)
{
	for (size_t i = 0; i < count; i++) {
		struct gctrace_move_narrow narrow;

		memcpy(&narrow, at + i * sizeof(narrow), sizeof(narrow));
		ranges[i].old = old_base + ((uint64_t)narrow.old << UNIT_SHIFT);
		ranges[i].new_ = new_base + ((uint64_t)narrow.new_ << UNIT_SHIFT);
		ranges[i].length = (uint64_t)narrow.length << UNIT_SHIFT;
	}
}

static void read_moves_wide(struct range *restrict ranges, const uint8_t *restrict at,
			    size_t count, uint64_t old_base, uint64_t new_base)
{
	for (size_t i = 0; i < count; i++) {
		struct gctrace_move_wide wide;

		memcpy(&wide, at + i * sizeof(wide), sizeof(wide));
		ranges[i].old = old_base + wide.old;
		ranges[i].new_ = new_base + wide.new_;
		ranges[i].length = wide.length;
	}
}

static void read_survivors_narrow(struct range *restrict ranges, const uint8_t *restrict at,
				  size_t count, uint64_t base, uint64_t same)
{
	(void)same;
	for (size_t i = 0; i < count; i++) {
		struct gctrace_survive_narrow narrow;

		memcpy(&narrow, at + i * sizeof(narrow), sizeof(narrow));
		ranges[i].old = base + ((uint64_t)narrow.start << UNIT_SHIFT);
		ranges[i].new_ = ranges[i].old;
		ranges[i].length = (uint64_t)narrow.length << UNIT_SHIFT;
	}
}

static void read_survivors_wide(struct range *restrict ranges, const uint8_t *restrict at,
				size_t count, uint64_t base, uint64_t same)
{
	(void)same;
	for (size_t i = 0; i < count; i++) {
		struct gctrace_survive_wide wide;

		memcpy(&wide, at + i * sizeof(wide), sizeof(wide));
		ranges[i].old = base + wide.start;
		ranges[i].new_ = ranges[i].old;
		ranges[i].length = wide.length;
	}
}

static const struct form move_forms[] = {
	[GCTRACE_RANGES_NARROW] = { read_moves_narrow, sizeof(struct gctrace_move_narrow) },
	[GCTRACE_RANGES_WIDE] = { read_moves_wide, sizeof(struct gctrace_move_wide) },
};

static const struct form survivor_forms[] = {
	[GCTRACE_RANGES_NARROW] = { read_survivors_narrow, sizeof(struct gctrace_survive_narrow) },
	[GCTRACE_RANGES_WIDE] = { read_survivors_wide, sizeof(struct gctrace_survive_wide) },
};

static int tell_ranges(struct decoder *decoder, struct event *event, const struct form *form,
		       const uint8_t *at, size_t count, uint64_t old_base, uint64_t new_base)
{
	event->ranges.ranges = decoder->room->chunk.ranges;
	while (count && !decoder->answer) {
		size_t some = count < DECODE_CHUNK ? count : DECODE_CHUNK;

		form->read(decoder->room->chunk.ranges, at, some, old_base, new_base);
		event->ranges.count = some;
		decoder__tell(decoder, event);
		at += some * form->bytes;
		count -= some;
	}
	return decoder->answer;
}

static bool width_is_right(uint64_t width)
{
	return width == 4 || width == 8;
}

int decode__moved(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_MOVED);
	struct gctrace_moved fixed;
	const struct form *form;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes) ||
	    fixed.form > GCTRACE_RANGES_WIDE || !width_is_right(fixed.width))
		return -EBADMSG;
	form = &move_forms[fixed.form];
	if (fixed.count > (bytes - sizeof(fixed)) / form->bytes)
		return -EBADMSG;
	event.ranges.gc = fixed.gc;
	event.ranges.generation = fixed.generation;
	event.ranges.phase = fixed.phase;
	event.ranges.width = fixed.width;
	return tell_ranges(decoder, &event, form, at + sizeof(fixed), fixed.count, fixed.old_base,
			   fixed.new_base);
}

int decode__surviving(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_SURVIVING);
	struct gctrace_surviving fixed;
	const struct form *form;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes) ||
	    fixed.form > GCTRACE_RANGES_WIDE || !width_is_right(fixed.width))
		return -EBADMSG;
	form = &survivor_forms[fixed.form];
	if (fixed.count > (bytes - sizeof(fixed)) / form->bytes)
		return -EBADMSG;
	event.ranges.gc = fixed.gc;
	event.ranges.generation = fixed.generation;
	event.ranges.width = fixed.width;
	return tell_ranges(decoder, &event, form, at + sizeof(fixed), fixed.count, fixed.base,
			   fixed.base);
}

/* ---------------------------------------------------------------------------------------------
 * Single probes: parallel arrays of plain numbers, one behind the other
 */

static uint64_t plain_number(const uint8_t *array, size_t i, size_t width)
{
	uint64_t wide;
	uint32_t narrow;

	if (width == sizeof(wide)) {
		memcpy(&wide, array + i * sizeof(wide), sizeof(wide));
		return wide;
	}
	memcpy(&narrow, array + i * sizeof(narrow), sizeof(narrow));
	return narrow;
}

/* news == olds for survivors */
static int tell_arrays(struct decoder *decoder, struct event *event, const uint8_t *olds,
		       const uint8_t *news, const uint8_t *lengths, size_t count)
{
	struct range *ranges = decoder->room->chunk.ranges;
	size_t width = event->ranges.width;

	event->ranges.ranges = ranges;
	for (size_t from = 0; from < count && !decoder->answer; from += DECODE_CHUNK) {
		size_t some = count - from < DECODE_CHUNK ? count - from : DECODE_CHUNK;

		for (size_t i = 0; i < some; i++) {
			ranges[i].old = plain_number(olds, from + i, 8);
			ranges[i].new_ = plain_number(news, from + i, 8);
			ranges[i].length = plain_number(lengths, from + i, width);
		}
		event->ranges.count = some;
		decoder__tell(decoder, event);
	}
	return decoder->answer;
}

int decode__single_moved(struct decoder *decoder, const struct record_call *call, size_t left)
{
	struct event event = decoder__event(decoder, EVENT_MOVED);
	const uint8_t *arrays = (const uint8_t *)(call + 1);
	size_t count = call->part.count;

	if (!width_is_right(call->args[0]) || count > left / (16 + call->args[0]) ||
	    call->args[3] > UINT32_MAX)
		return -EBADMSG;
	event.ranges.width = (uint32_t)call->args[0];
	event.ranges.gc = call->args[1];
	event.ranges.generation = call->args[2];
	event.ranges.phase = (uint32_t)call->args[3];
	return tell_arrays(decoder, &event, arrays, arrays + count * 8, arrays + count * 16, count);
}

int decode__single_surviving(struct decoder *decoder, const struct record_call *call, size_t left)
{
	struct event event = decoder__event(decoder, EVENT_SURVIVING);
	const uint8_t *arrays = (const uint8_t *)(call + 1);
	size_t count = call->part.count;

	if (!width_is_right(call->args[0]) || count > left / (8 + call->args[0]))
		return -EBADMSG;
	event.ranges.width = (uint32_t)call->args[0];
	event.ranges.gc = call->args[1];
	event.ranges.generation = call->args[2];
	return tell_arrays(decoder, &event, arrays, arrays, arrays + count * 8, count);
}
