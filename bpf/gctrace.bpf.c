/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Provider gctrace: the probe contract of <gctrace/probes.h>.
 *
 *   scalars   gc__start, gc__finish, pause__begin, pause__end, container__begin, object__alloc:
 *             one record_call each
 *   arrays    moved__references, surviving__references, root__references, object__references:
 *             parts (parts.bpf.h)
 *   texts     class__define: parts too, of bytes
 *   batch     the whole batch behind a struct record
 *
 * Nothing is believed but what bounds a copy: user/stream checks what was copied. Requests have
 * a program as well, since a probe is attached by one; their sites are never reached.
 */
#include "vmlinux.h"

#include "parts.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define SCALARS(probe_name, record_kind, count)                                                    \
	PROBE(probe_name)                                                                          \
	{                                                                                          \
		struct probe probe;                                                                \
		struct probe_args args = {};                                                       \
                                                                                                   \
		if (probe__begin(ctx, &probe, &args, count))                                       \
			return 0;                                                                  \
		return probe__call(&probe, record_kind, &args);                                    \
	}

SCALARS(gc__start, RECORD_GC_START, 4)
SCALARS(gc__finish, RECORD_GC_FINISH, 2)
SCALARS(pause__begin, RECORD_PAUSE_BEGIN, 2)
SCALARS(pause__end, RECORD_PAUSE_END, 3)
SCALARS(container__begin, RECORD_CONTAINER, 3)
SCALARS(object__alloc, RECORD_OBJECT_ALLOC, 5)

/* A length's width as the probe says it; anything else is taken for the wider one. */
static __always_inline __u32 width_of(__u64 said)
{
	return said == 4 ? 4 : 8;
}

/* count, old[], new[], length[], width, gc, generation, phase */
PROBE(moved__references)
{
	struct parts parts = { .kind = RECORD_MOVED };
	struct probe probe;
	struct probe_args args = {};

	if (probe__begin(ctx, &probe, &args, 8))
		return 0;
	parts.total = args.value[0];
	for (int i = 0; i < 3; i++)
		parts.from[i] = args.value[1 + i];
	parts.width[0] = 8;
	parts.width[1] = 8;
	parts.width[2] = width_of(args.value[4]);
	parts.args[0] = parts.width[2];
	for (int i = 1; i < 4; i++)
		parts.args[i] = args.value[4 + i];
	return parts__tell(&probe, &parts);
}

/* count, start[], length[], width, gc, generation */
PROBE(surviving__references)
{
	struct parts parts = { .kind = RECORD_SURVIVING };
	struct probe probe;
	struct probe_args args = {};

	if (probe__begin(ctx, &probe, &args, 6))
		return 0;
	parts.total = args.value[0];
	parts.from[0] = args.value[1];
	parts.from[1] = args.value[2];
	parts.width[0] = 8;
	parts.width[1] = width_of(args.value[3]);
	parts.args[0] = parts.width[1];
	parts.args[1] = args.value[4];
	parts.args[2] = args.value[5];
	return parts__tell(&probe, &parts);
}

/* count, ref[], flags[], kind[] or 0, id[] or 0 */
PROBE(root__references)
{
	struct parts parts = { .kind = RECORD_ROOTS };
	struct probe probe;
	struct probe_args args = {};

	if (probe__begin(ctx, &probe, &args, 5))
		return 0;
	parts.total = args.value[0];
	for (int i = 0; i < 4; i++)
		parts.from[i] = args.value[1 + i];
	parts.width[0] = 8;
	parts.width[1] = args.value[2] ? 4 : 0;
	parts.width[2] = args.value[3] ? 8 : 0;
	parts.width[3] = args.value[4] ? 8 : 0;
	parts.args[0] = (args.value[2] ? RECORD_HAS_FLAGS : 0) |
			(args.value[3] ? RECORD_HAS_KINDS : 0) |
			(args.value[4] ? RECORD_HAS_IDS : 0);
	return parts__tell(&probe, &parts);
}

/* object, flags, count, ref[], flags[] or 0, class, size */
PROBE(object__references)
{
	struct parts parts = { .kind = RECORD_OBJECT };
	struct probe probe;
	struct probe_args args = {};

	if (probe__begin(ctx, &probe, &args, 7))
		return 0;
	parts.total = args.value[2];
	parts.from[0] = args.value[3];
	parts.from[1] = args.value[4];
	parts.width[0] = 8;
	parts.width[1] = args.value[4] ? 4 : 0;
	parts.args[0] = args.value[0];
	parts.args[1] = args.value[1];
	parts.args[2] = args.value[5];
	parts.args[3] = args.value[6];
	parts.args[4] = args.value[4] ? RECORD_HAS_FLAGS : 0;
	return parts__tell(&probe, &parts);
}

/* ---- Classes ---- */

/* What is left of a class to tell: bytes of the name, then of the fields' names. */
struct texts {
	__u64 args[6];
	__u64 from;
	__u64 left;	   /* from there on */
	__u64 fields;	   /* where they are */
	__u64 fields_left; /* 0 once they are what is told */
	__u64 first;	   /* bytes of both told before */
	__u32 count;	   /* bytes of this part */
};

static __always_inline int text__record(struct probe *probe, const struct texts *texts,
					const __u32 room)
{
	struct record_call *call = ring__reserve(probe, sizeof(*call) + room, RECORD_CLASS);
	__u64 bytes = texts->count;

	if (!call)
		return PART_NO_ROOM;
	for (int i = 0; i < 6; i++)
		call->args[i] = texts->args[i];
	call->part.first = texts->first;
	call->part.count = bytes;
	call->part.reserved = 0;
	call->part.total = texts->args[3] + texts->args[4];
	asm volatile("" : "+r"(bytes));
	if (bytes > room || (bytes && probe__copy(call + 1, bytes, texts->from))) {
		ring__discard(call);
		return PART_NO_COPY;
	}
	call->head.bytes = sizeof(*call) + bytes;
	ring__submit(probe, call);
	return PART_TOLD;
}

__noinline int text__one(struct probe *probe, struct texts *texts)
{
	if (!probe || !texts)
		return PART_NO_COPY;
	texts->count = texts->left < RECORD_TEXT_PART ? texts->left : RECORD_TEXT_PART;
	if (texts->count <= 256)
		return text__record(probe, texts, 256);
	if (texts->count <= 4096)
		return text__record(probe, texts, 4096);
	return text__record(probe, texts, RECORD_TEXT_PART);
}

/* Count what became of a part, and go on to the next. 0: there is none. */
__noinline int text__next(struct probe *probe, struct texts *texts, int result)
{
	if (!probe || !texts)
		return 0;
	probe__lose_part(probe, result, texts->count);
	texts->first += texts->count;
	texts->from += texts->count;
	texts->left -= texts->count;
	if (!texts->left) {
		texts->from = texts->fields;
		texts->left = texts->fields_left;
		texts->fields_left = 0;
	}
	return texts->left != 0;
}

/* class, name, bytes of it, super, flags, fields, bytes of them, size */
PROBE(class__define)
{
	struct texts texts = {};
	struct probe_args args = {};
	struct probe probe;

	if (probe__begin(ctx, &probe, &args, 8))
		return 0;
	texts.args[0] = args.value[0];
	texts.args[1] = args.value[3];
	texts.args[2] = args.value[4];
	texts.args[3] = args.value[2];
	texts.args[4] = args.value[6];
	texts.args[5] = args.value[7];
	texts.from = args.value[1];
	texts.left = args.value[2];
	texts.fields = args.value[5];
	texts.fields_left = args.value[6];
	for (int i = 0; i < RECORD_PARTS; i++) {
		int result = text__one(&probe, &texts);

		if (sleepable && result == PART_NO_COPY) {
			parts__touch(texts.from, texts.count);
			result = text__one(&probe, &texts);
		}
		if (!text__next(&probe, &texts, result))
			return 0;
	}
	probe__lose(&probe, BPF_LOSS_OVERSIZE, texts.left + texts.fields_left);
	return 0;
}

/* ---- Batches ---- */

static __always_inline int batch__record(struct probe *probe, __u64 from, __u64 bytes,
					 const __u32 room)
{
	struct record *record = ring__reserve(probe, sizeof(*record) + room, RECORD_BATCH);

	if (!record)
		return PART_NO_ROOM;
	record->bytes = sizeof(*record) + bytes;
	asm volatile("" : "+r"(bytes));
	if (bytes > room || probe__copy(record + 1, bytes, from)) {
		ring__discard(record);
		return PART_NO_COPY;
	}
	ring__submit(probe, record);
	return PART_TOLD;
}

__noinline int batch__one(struct probe *probe, __u64 from, __u64 bytes)
{
	if (!probe)
		return PART_NO_COPY;
	if (bytes <= 4096)
		return batch__record(probe, from, bytes, 4096);
	if (bytes <= 16384)
		return batch__record(probe, from, bytes, 16384);
	return batch__record(probe, from, bytes, GCTRACE_BATCH_BYTES);
}

/* buffer, bytes */
PROBE(batch)
{
	struct gctrace_batch header;
	struct probe probe;
	struct probe_args args = {};
	int result;

	if (probe__begin(ctx, &probe, &args, 2))
		return 0;
	if (sleepable)
		parts__touch(args.value[0], sizeof(header));
	if (probe__copy(&header, sizeof(header), args.value[0])) {
		probe__lose(&probe, BPF_LOSS_COPY, 0);
		return 0;
	}
	if (header.magic != GCTRACE_MAGIC || header.bytes != args.value[1] ||
	    header.bytes < sizeof(header)) {
		probe__lose(&probe, BPF_LOSS_BAD_BATCH, 0);
		return 0;
	}
	if (header.bytes > GCTRACE_BATCH_BYTES) {
		probe__lose(&probe, BPF_LOSS_OVERSIZE, header.records);
		return 0;
	}
	result = batch__one(&probe, args.value[0], header.bytes);
	if (sleepable && result == PART_NO_COPY) {
		parts__touch(args.value[0], header.bytes);
		result = batch__one(&probe, args.value[0], header.bytes);
	}
	probe__lose_part(&probe, result, header.records);
	return 0;
}

/* A request is that this one is attached. */
PROBE(request)
{
	return 0;
}
