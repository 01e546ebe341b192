/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside the decoder: what its files share. decode.c walks batches and watches their numbers,
 * decode_single.c takes records of single probes apart; ranges, references, heads, samples,
 * definitions and marks make the events of both.
 *
 * Functions that read a record answer 0, what the sink answered, or -EBADMSG: malformed. A
 * sink's answer of -EBADMSG is not mixed up with that: see decoder.answer.
 */
#ifndef STREAM_DECODING_H
#define STREAM_DECODING_H

#include <errno.h>
#include <string.h>

#include "decode.h"
#include "gctrace/wire.h"
#include "join.h"
#include "loss.h"
#include "sequence.h"

struct producer {
	uint64_t id;
	struct sequence sequence;
	bool ahead, behind; /* its clock is not ours (decode_marks.c) */
};

/* An object whose references come in several hits of a single probe, from one thread. */
struct open_object {
	uint64_t object;
	uint64_t told; /* references before the hit that is being read */
	uint64_t next; /* references before the next hit */
	uint32_t tid;
	bool used;
	bool more; /* the last hit was not the last one */
};

/*
 * After a loss, hits of single probes may continue what nobody saw the beginning of; up to
 * `until` one may be missing behind each.
 */
struct decode_doubt {
	bool any, goes_on;
	uint64_t until;
	uint32_t sure[DECODE_OBJECTS]; /* threads that have ended an object since */
	size_t sure_count;
};

struct decode_room {
	struct joins *joins;
	uint64_t over_from; /* records from this stamp on may lack others; 0: none do */
	union { /* the hot loops fill these again and again; they stay in the L1 cache */
		struct range ranges[DECODE_CHUNK];
		struct root roots[DECODE_CHUNK];
		struct reference references[DECODE_CHUNK];
		struct object_head heads[DECODE_CHUNK];
		struct sample_fate samples[DECODE_CHUNK];
	} chunk;
};

struct decoder {
	struct decode_out out;
	struct decode_room *room;
	uint32_t target;
	int answer; /* the first that was not 0, while a record is decoded */

	struct producer *producers[DECODE_PRODUCERS];
	size_t producer_count;
	struct open_object objects[DECODE_OBJECTS];
	bool crowded; /* there were more open objects than that: places are not known */
	uint64_t container, id1, id2; /* begun last, by a single probe; 0: not known */
	struct decode_doubt doubt;

	uint64_t newest; /* stamp of all records so far */

	/* of the record that is being decoded */
	const struct record *record;
	uint64_t producer;
	struct sequence *sequence; /* NULL: not watched */
	struct producer *speaker;  /* the same */
};

static inline bool decoder__wants(const struct decoder *decoder, enum event_kind kind)
{
	return decoder->out.wanted >> kind & 1;
}

/* An event with its head filled in; texts, numbers and arrays are 0. */
static inline struct event decoder__event(const struct decoder *decoder, enum event_kind kind)
{
	return (struct event){
		.kind = kind,
		.target = decoder->target,
		.tid = decoder->record->tid,
		.time = decoder->record->stamp,
		.stamp = decoder->record->stamp,
	};
}

int decoder__tell(struct decoder *decoder, const struct event *event);
int decoder__lose(struct decoder *decoder, unsigned int kind, uint64_t count);

/*
 * What ends something says that all batches below this number were fired. It is not listened to
 * once the trace is over: who had more to say then was cut off.
 */
int decoder__expect(struct decoder *decoder, uint64_t batches);

/* Copy the fixed part of a record; false: it is shorter. */
static inline bool decoding__fixed(void *to, size_t size, const void *from, size_t bytes)
{
	if (bytes < size)
		return false;
	memcpy(to, from, size);
	return true;
}

/* ranges */
int decode__moved(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__surviving(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__single_moved(struct decoder *decoder, const struct record_call *call, size_t left);
int decode__single_surviving(struct decoder *decoder, const struct record_call *call, size_t left);

/* references */
int decode__roots(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__objects(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__single_roots(struct decoder *decoder, const struct record_call *call, size_t left);
int decode__single_object(struct decoder *decoder, const struct record_call *call, size_t left);

/* heads: objects for who does not want references, neither of their records nor of single probes */
int decode__heads(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__split_objects(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__single_head(struct decoder *decoder, const struct record_call *call);

/* definitions */
int decode__class(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__define(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__single_class(struct decoder *decoder, const struct record_call *call, size_t left);

/* marks: everything that is a few numbers and perhaps a name */
int decode__producer(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__gc_start(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__gc_finish(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__pause_begin(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__pause_end(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__container(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__generation(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__reuse(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__pool(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__figure(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__object_alloc(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__dump_end(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__unnamed(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__notice(struct decoder *decoder, const uint8_t *at, size_t bytes);
int decode__beside(struct decoder *decoder, const uint8_t *at, size_t bytes);

/* Of the producer's own word for when it was, where its clock is ours; else the event is late. */
void decode__time(struct decoder *decoder, struct event *event, uint64_t time_ns);

/* samples */
int decode__samples(struct decoder *decoder, const uint8_t *at, size_t bytes);

/* doubt: what a loss leaves behind of single probes */
void doubt__container(struct decoder *decoder, uint64_t type, uint64_t id1, uint64_t id2);
bool doubt__object(struct decoder *decoder, bool ends);
void doubt__pass(struct decoder *decoder);

/* single: RECORD_GC_START ... RECORD_OBJECT_ALLOC */
int decode__single(struct decoder *decoder, const struct record *record);

#endif
