/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What became of sampled objects by the end of a collection. The numbers of a record grow: one that
 * does not has run over the largest, or says the same twice.
 */
#include "decoding.h"
#include "varint.h"

struct samples_reader {
	struct cursor cursor;
	uint64_t sample;  /* the last one's number */
	uint64_t address; /* the last one told, / 8 */
	bool any;
};

static void read_sample(struct samples_reader *reader, struct sample_fate *sample)
{
	const uint64_t step = varint__read(&reader->cursor);

	if ((reader->any && !step) ||
	    __builtin_add_overflow(reader->sample, step, &reader->sample))
		reader->cursor.bad = true;
	reader->any = true;
	*sample = (struct sample_fate){
		.sample = reader->sample,
		.address = EVENT_UNKNOWN,
		.bits = varint__read_flags(&reader->cursor),
	};
	if (sample->bits & (GCTRACE_SAMPLE_MOVED | GCTRACE_SAMPLE_ADDRESS)) {
		reader->address += varint__read_signed(&reader->cursor);
		sample->address = reader->address << 3;
	}
	if (sample->bits & GCTRACE_SAMPLE_GENERATION)
		sample->generation = varint__read_flags(&reader->cursor);
}

/* One event at least: that there was a collection is told by an empty one. */
int decode__samples(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct event event = decoder__event(decoder, EVENT_SAMPLES);
	struct samples_reader reader;
	struct gctrace_samples fixed;
	uint32_t left;

	if (!decoding__fixed(&fixed, sizeof(fixed), at, bytes))
		return -EBADMSG;
	if (fixed.lost)
		decoder__lose(decoder, LOSS_SAMPLES, fixed.lost);
	reader = (struct samples_reader){
		.cursor = { at + sizeof(fixed), at + bytes, false },
		.sample = fixed.first,
	};
	decode__time(decoder, &event, fixed.time_ns);
	event.samples.gc = fixed.gc;
	event.samples.interval = fixed.interval;
	event.samples.all = fixed.head.flags & GCTRACE_SAMPLES_ALL;
	event.samples.in_doubt = fixed.head.flags & GCTRACE_SAMPLES_IN_DOUBT;
	event.samples.repeats = (fixed.head.flags & GCTRACE_SAMPLES_REPEATS) >>
				GCTRACE_SAMPLES_REPEATS_SHIFT;
	event.samples.unfollowed = fixed.head.flags & GCTRACE_SAMPLES_UNFOLLOWED;
	event.samples.samples = decoder->room->chunk.samples;
	left = fixed.count;
	do {
		size_t some = left < DECODE_CHUNK ? left : DECODE_CHUNK;

		for (size_t i = 0; i < some; i++)
			read_sample(&reader, &decoder->room->chunk.samples[i]);
		if (reader.cursor.bad)
			return -EBADMSG;
		left -= some;
		event.samples.count = some;
		event.samples.more = left || fixed.head.flags & GCTRACE_MORE;
		decoder__tell(decoder, &event);
	} while (left && !decoder->answer);
	return decoder->answer;
}
