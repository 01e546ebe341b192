/* SPDX-License-Identifier: BSD-2-Clause */
#include "decode.h"

#include <stdlib.h>

#include "decoding.h"

/* Which reader for which record of a batch, and whether its events are wanted at all. */
static const struct {
	int (*read)(struct decoder *decoder, const uint8_t *at, size_t bytes);
	enum event_kind event;
} readers[GCTRACE_KINDS] = {
	[GCTRACE_PRODUCER] = { decode__producer, EVENT_PRODUCER },
	[GCTRACE_GC_START] = { decode__gc_start, EVENT_GC_START },
	[GCTRACE_GC_FINISH] = { decode__gc_finish, EVENT_GC_FINISH },
	[GCTRACE_PAUSE_BEGIN] = { decode__pause_begin, EVENT_PAUSE_BEGIN },
	[GCTRACE_PAUSE_END] = { decode__pause_end, EVENT_PAUSE_END },
	[GCTRACE_MOVED] = { decode__moved, EVENT_MOVED },
	[GCTRACE_SURVIVING] = { decode__surviving, EVENT_SURVIVING },
	[GCTRACE_CONTAINER] = { decode__container, EVENT_CONTAINER },
	[GCTRACE_ROOTS] = { decode__roots, EVENT_ROOTS },
	[GCTRACE_OBJECTS] = { decode__objects, EVENT_OBJECT },
	[GCTRACE_CLASS] = { decode__class, EVENT_CLASS },
	[GCTRACE_DEFINE] = { decode__define, EVENT_DEFINE },
	[GCTRACE_GENERATION] = { decode__generation, EVENT_GENERATION },
	[GCTRACE_POOL] = { decode__pool, EVENT_POOL },
	[GCTRACE_OBJECT_ALLOC] = { decode__object_alloc, EVENT_OBJECT_ALLOC },
	[GCTRACE_DUMP_END] = { decode__dump_end, EVENT_DUMP_END },
	[GCTRACE_FIGURE] = { decode__figure, EVENT_FIGURE },
	[GCTRACE_REUSE] = { decode__reuse, EVENT_REUSE },
	[GCTRACE_UNNAMED] = { decode__unnamed, EVENT_LOSS },
	[GCTRACE_SAMPLES] = { decode__samples, EVENT_SAMPLES },
	[GCTRACE_NOTICE] = { decode__notice, EVENT_NOTICE },
	[GCTRACE_BESIDE] = { decode__beside, EVENT_BESIDE },
};

struct decode_room *decode_room__new(size_t join_bytes)
{
	struct decode_room *room = malloc(sizeof(*room));

	if (!room)
		return NULL;
	room->over_from = 0;
	room->joins = joins__new(join_bytes);
	if (room->joins)
		return room;
	free(room);
	return NULL;
}

void decode_room__free(struct decode_room *room)
{
	if (!room)
		return;
	joins__free(room->joins);
	free(room);
}

void decode_room__over_from(struct decode_room *room, uint64_t ns)
{
	room->over_from = ns;
}

bool decode_room__is_late(const struct decode_room *room, uint64_t stamp)
{
	return room->over_from && stamp >= room->over_from;
}

/* Were probes being detached when the record that is decoded was written? */
static bool is_late(const struct decoder *decoder)
{
	return decode_room__is_late(decoder->room, decoder->record->stamp);
}

struct decoder *decoder__new(uint32_t target, const struct decode_out *out,
			     struct decode_room *room)
{
	struct decoder *decoder = calloc(1, sizeof(*decoder));

	if (!decoder)
		return NULL;
	decoder->out = *out;
	decoder->room = room;
	decoder->target = target;
	return decoder;
}

void decoder__free(struct decoder *decoder)
{
	if (!decoder)
		return;
	joins__drop_target(decoder->room->joins, decoder->target);
	for (size_t i = 0; i < decoder->producer_count; i++)
		free(decoder->producers[i]);
	free(decoder);
}

int decoder__tell(struct decoder *decoder, const struct event *event)
{
	if (!decoder->answer && decoder__wants(decoder, event->kind))
		decoder->answer = decoder->out.event(decoder->out.ctx, event);
	return decoder->answer;
}

static int lose_between(struct decoder *decoder, unsigned int kind, uint64_t count, uint64_t from,
			uint64_t until)
{
	if (count && !decoder->answer)
		decoder->answer = decoder->out.lose(decoder->out.ctx, kind, count, from, until);
	return decoder->answer;
}

int decoder__lose(struct decoder *decoder, unsigned int kind, uint64_t count)
{
	uint64_t stamp = decoder->record->stamp;

	return lose_between(decoder, kind, count, stamp, stamp);
}

/* ---------------------------------------------------------------------------------------------
 * Numbers of batches
 */

/* Batches are lost: parts of definitions may be among them. */
static int lose_batches(struct decoder *decoder, uint64_t lost, uint64_t from)
{
	if (!lost)
		return decoder->answer;
	decoder__lose(decoder, LOSS_INCOMPLETE,
		      joins__drop_producer(decoder->room->joins, decoder->target,
					    decoder->producer));
	return lose_between(decoder, LOSS_SEQUENCE_GAP, lost, from, decoder->record->stamp);
}

int decoder__expect(struct decoder *decoder, uint64_t batches)
{
	uint64_t from;

	if (!decoder->sequence || is_late(decoder))
		return decoder->answer;
	from = decoder->sequence->settled_ns;
	return lose_batches(decoder,
			    sequence__expect(decoder->sequence, batches, decoder->record->stamp),
			    from);
}

/* NULL: it is one too many, or memory runs out. */
static struct producer *speaker_of(struct decoder *decoder, uint64_t id)
{
	struct producer *producer;

	for (size_t i = 0; i < decoder->producer_count; i++) {
		if (decoder->producers[i]->id == id)
			return decoder->producers[i];
	}
	if (decoder->producer_count == DECODE_PRODUCERS)
		return NULL;
	producer = calloc(1, sizeof(*producer));
	if (!producer)
		return NULL;
	producer->id = id;
	decoder->producers[decoder->producer_count++] = producer;
	return producer;
}

/* Whether the batch is to be used. */
static bool arrive(struct decoder *decoder, const struct gctrace_batch *batch)
{
	enum sequence_verdict verdict;
	uint64_t lost, from;

	decoder->producer = batch->producer;
	decoder->speaker = speaker_of(decoder, batch->producer);
	if (!decoder->speaker) {
		decoder__lose(decoder, LOSS_LIMIT, 1);
		return true;
	}
	if (is_late(decoder))
		return true;
	decoder->sequence = &decoder->speaker->sequence;
	from = decoder->sequence->settled_ns;
	verdict = sequence__arrive(decoder->sequence, batch->sequence, decoder->record->stamp,
				   &lost);
	lose_batches(decoder, lost, from);
	if (verdict == SEQUENCE_LATE)
		decoder->out.recover(decoder->out.ctx, LOSS_SEQUENCE_GAP, 1);
	if (verdict == SEQUENCE_DUPLICATE)
		decoder__lose(decoder, LOSS_DUPLICATE, 1);
	return verdict != SEQUENCE_DUPLICATE;
}

/* ---------------------------------------------------------------------------------------------
 * Batches
 */

static bool is_to_be_read(const struct decoder *decoder, unsigned int kind)
{
	if (decoder__wants(decoder, readers[kind].event))
		return true;
	/* Ends tell of losses even where nobody wants to know of them. */
	return kind == GCTRACE_GC_FINISH || kind == GCTRACE_PAUSE_END ||
	       kind == GCTRACE_DUMP_END || kind == GCTRACE_UNNAMED || kind == GCTRACE_BESIDE ||
	       (kind == GCTRACE_OBJECTS && decoder__wants(decoder, EVENT_HEADS));
}

static int read_record(struct decoder *decoder, const struct gctrace_record *head,
		       const uint8_t *at)
{
	int err;

	if (head->kind >= GCTRACE_KINDS) {
		decoder->out.unknown(decoder->out.ctx, head->kind);
		return 0;
	}
	if (!readers[head->kind].read)
		return decoder__lose(decoder, LOSS_MALFORMED, 1);
	if (!is_to_be_read(decoder, head->kind))
		return 0;
	err = readers[head->kind].read(decoder, at, head->bytes);
	if (decoder->answer || err != -EBADMSG)
		return decoder->answer;
	return decoder__lose(decoder, LOSS_MALFORMED, 1);
}

/*
 * The records of a batch, one after the other by their lengths. Where a length is wrong, what
 * follows can't be found; as many records as the header says and did not come are lost then.
 */
static int walk(struct decoder *decoder, const struct gctrace_batch *batch, const uint8_t *at)
{
	uint64_t offset = batch->header_bytes;
	uint32_t records = 0;

	while (offset < batch->bytes && !decoder->answer) {
		struct gctrace_record head;

		if (!decoding__fixed(&head, sizeof(head), at + offset, batch->bytes - offset) ||
		    head.bytes < sizeof(head) || head.bytes > batch->bytes - offset)
			break;
		read_record(decoder, &head, at + offset);
		records++;
		offset += ((uint64_t)head.bytes + 7) & ~UINT64_C(7);
	}
	if (decoder->answer)
		return decoder->answer;
	if (records < batch->records)
		return decoder__lose(decoder, LOSS_MALFORMED, batch->records - records);
	if (records > batch->records || offset < batch->bytes)
		return decoder__lose(decoder, LOSS_MALFORMED, 1);
	return 0;
}

static bool header_is_right(const struct gctrace_batch *batch, size_t bytes)
{
	return batch->magic == GCTRACE_MAGIC && batch->bytes <= bytes &&
	       batch->bytes <= GCTRACE_BATCH_BYTES && batch->header_bytes >= sizeof(*batch) &&
	       batch->header_bytes % 8 == 0 && batch->header_bytes <= batch->bytes &&
	       batch->major != 0;
}

static int read_batch(struct decoder *decoder, const uint8_t *at, size_t bytes)
{
	struct gctrace_batch batch;

	if (!decoding__fixed(&batch, sizeof(batch), at, bytes))
		return decoder__lose(decoder, LOSS_MALFORMED, 1);
	if (batch.magic == GCTRACE_MAGIC && batch.major > GCTRACE_MAJOR) {
		decoder__lose(decoder, LOSS_VERSION, 1);
		if (!decoder->answer)
			decoder->answer =
				decoder->out.refuse(decoder->out.ctx, batch.major, batch.minor);
		return decoder->answer;
	}
	if (!header_is_right(&batch, bytes))
		return decoder__lose(decoder, LOSS_MALFORMED, 1);
	if (!arrive(decoder, &batch) || decoder->answer)
		return decoder->answer;
	return walk(decoder, &batch, at);
}

int decoder__record(struct decoder *decoder, const struct record *record)
{
	int err;

	decoder->record = record;
	if (record->stamp > decoder->newest && !is_late(decoder))
		decoder->newest = record->stamp;
	decoder->answer = 0;
	decoder->producer = 0;
	decoder->sequence = NULL;
	decoder->speaker = NULL;
	if (record->kind == RECORD_BATCH || record->kind == RECORD_SPLIT)
		return read_batch(decoder, (const uint8_t *)(record + 1),
				  record->bytes - sizeof(*record));
	doubt__pass(decoder);
	/* Single probes name no producer; where there is one only, it is that. */
	if (decoder->producer_count == 1) {
		decoder->producer = decoder->producers[0]->id;
		decoder->sequence = &decoder->producers[0]->sequence;
	}
	err = decode__single(decoder, record);
	if (!decoder->answer && err == -EBADMSG)
		decoder__lose(decoder, LOSS_MALFORMED, 1);
	return decoder->answer;
}

int decoder__end(struct decoder *decoder)
{
	struct record end = { .target = decoder->target };

	decoder->record = &end;
	decoder->answer = 0;
	for (size_t i = 0; i < decoder->producer_count; i++) {
		struct sequence *sequence = &decoder->producers[i]->sequence;
		uint64_t from = sequence->settled_ns;
		uint64_t lost = sequence__end(sequence, decoder->newest);

		lose_between(decoder, LOSS_SEQUENCE_GAP, lost, from, UINT64_MAX);
	}
	lose_between(decoder, LOSS_INCOMPLETE,
		     joins__drop_target(decoder->room->joins, decoder->target), 0, UINT64_MAX);
	return decoder->answer;
}
