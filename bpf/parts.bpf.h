/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Probes with arrays: told in parts, each a record of its own (struct record_part).
 *
 * A record is reserved in the smallest of three constant sizes that holds the part. Where an
 * array ends is only known at run time, and the verifier doesn't relate two numbers to one
 * another: that the arrays' sum fits is said to it by quarters. At most four arrays of at most a
 * quarter each, none starting in the last quarter, cannot leave the record.
 *
 *	entries   0 .. 128    .. 512     .. 2048 = GCTRACE_PART_ENTRIES
 *	room      4 KiB       16 KiB     64 KiB
 */
#ifndef GCTRACE_PARTS_BPF_H
#define GCTRACE_PARTS_BPF_H

#include <gctrace/wire.h>

#include "probe.bpf.h"

#define PART_ARRAYS 4

#define PART_SMALL 4096
#define PART_MIDDLE 16384
#define PART_LARGE 65536
_Static_assert(PART_LARGE / PART_ARRAYS / 8 == GCTRACE_PART_ENTRIES, "a part fits");

enum part_result { PART_TOLD, PART_NO_ROOM, PART_NO_COPY };

static __always_inline void probe__lose_part(const struct probe *probe, int result, __u64 entries)
{
	if (result == PART_NO_ROOM)
		probe__lose(probe, BPF_LOSS_RING_FULL, entries);
	else if (result == PART_NO_COPY)
		probe__lose(probe, BPF_LOSS_COPY, entries);
}

/* The call of a probe with arrays, as far as it is told. */
struct parts {
	__u64 args[6];
	__u64 from[PART_ARRAYS];  /* addresses in the target */
	__u32 width[PART_ARRAYS]; /* bytes of an entry; 0: no such array */
	__u64 first;
	__u64 left; /* from first on */
	__u64 total;
	__u32 count; /* of this part */
	__u32 kind;
};

static __always_inline int parts__record(struct probe *probe, const struct parts *parts,
					 const __u32 room)
{
	struct record_call *call = ring__reserve(probe, sizeof(*call) + room, parts->kind);
	__u64 at = 0, bytes;

	if (!call)
		return PART_NO_ROOM;
	for (int i = 0; i < 6; i++)
		call->args[i] = parts->args[i];
	call->part.first = parts->first;
	call->part.count = parts->count;
	call->part.reserved = 0;
	call->part.total = parts->total;
	for (int i = 0; i < PART_ARRAYS; i++) {
		bytes = (__u64)parts->count * parts->width[i];
		if (!bytes)
			continue;
		/* Without this the compiler knows better and drops what the verifier needs. */
		asm volatile("" : "+r"(bytes), "+r"(at));
		if (bytes > room / PART_ARRAYS || at > room - room / PART_ARRAYS)
			goto bad;
		if (probe__copy((void *)(call + 1) + at, bytes, parts->from[i]))
			goto bad;
		at += bytes;
	}
	call->head.bytes = sizeof(*call) + at;
	ring__submit(probe, call);
	return PART_TOLD;
bad:
	ring__discard(call);
	return PART_NO_COPY;
}

/* Have every page of an area in memory. To be called only where the program may sleep. */
__noinline int parts__touch(__u64 from, __u64 bytes)
{
	for (__u32 page = 0; page <= GCTRACE_BATCH_BYTES / 4096; page++) {
		if (page * 4096 >= bytes)
			break;
		probe__touch(from + page * 4096);
	}
	if (bytes)
		probe__touch(from + bytes - 1);
	return 0;
}

/* The part that comes next, as a record. */
__noinline int parts__one(struct probe *probe, struct parts *parts)
{
	if (!probe || !parts)
		return PART_NO_COPY;
	parts->count = parts->left < GCTRACE_PART_ENTRIES ? parts->left : GCTRACE_PART_ENTRIES;
	if (parts->count <= PART_SMALL / PART_ARRAYS / 8)
		return parts__record(probe, parts, PART_SMALL);
	if (parts->count <= PART_MIDDLE / PART_ARRAYS / 8)
		return parts__record(probe, parts, PART_MIDDLE);
	return parts__record(probe, parts, PART_LARGE);
}

__noinline int parts__touch_all(struct parts *parts)
{
	if (!parts)
		return 0;
	for (int i = 0; i < PART_ARRAYS; i++)
		parts__touch(parts->from[i], parts->count * parts->width[i]);
	return 0;
}

/* Count what became of a part, and go on to the next. 0: there is none. */
__noinline int parts__next(struct probe *probe, struct parts *parts, int result)
{
	if (!probe || !parts)
		return 0;
	probe__lose_part(probe, result, parts->count);
	parts->left -= parts->count;
	parts->first += parts->count;
	for (int i = 0; i < PART_ARRAYS; i++)
		parts->from[i] += parts->count * parts->width[i];
	return parts->left != 0;
}

/*
 * Tell all of a call, at least one part. Returns 0, as the programs do. What is in the loop is
 * checked once for each turn, so it is little.
 */
static __always_inline int parts__tell(struct probe *probe, struct parts *parts)
{
	parts->left = parts->total;
	parts->first = 0;
	for (int i = 0; i < RECORD_PARTS; i++) {
		int result = parts__one(probe, parts);

		if (sleepable && result == PART_NO_COPY) {
			parts__touch_all(parts);
			result = parts__one(probe, parts);
		}
		if (!parts__next(probe, parts, result))
			return 0;
	}
	probe__lose(probe, BPF_LOSS_OVERSIZE, parts->left);
	return 0;
}

#endif
