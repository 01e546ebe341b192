/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause) */
/*
 * Ring records: what the BPF programs write and user/stream reads, from a ring or from a recording.
 *
 * Every record starts with struct record. The programs reserve records in a few constant sizes
 * (the verifier of older kernels wants that), so what was reserved may be larger than record.bytes;
 * what counts is record.bytes. Bodies follow the head at once.
 *
 *   kind                 body
 *   -------------------  ----------------------------------------------------------------------
 *   RECORD_BATCH         a batch as <gctrace/wire.h> describes it: as the target had it, unchecked
 *                        but for magic and size
 *   RECORD_GC_START      struct record_call: the probe's scalar arguments in their order
 *     ... DUMP_END       (design: one record kind for each single probe, see below), then the
 *                        arrays of this part
 *   RECORD_HOTSPOT_*     struct record_text or record_pool, then their texts
 *   RECORD_PYTHON_*, RECORD_RUBY_*   struct record_call
 *   RECORD_EXEC, _EXIT, _LOSS        made by user space from what perf and the counters tell, so
 *                        that a recording holds them in their order
 *
 * Stamps are CLOCK_MONOTONIC nanoseconds, taken at the probe's entry, before the reservation. The
 * parts of one hit (below) have one stamp and stand in their order in one ring.
 */
#ifndef GCTRACE_RECORD_H
#define GCTRACE_RECORD_H

#ifndef __bpf__
#include <linux/types.h>
#endif

enum record_kind {
	RECORD_BATCH = 1,

	/* single probes of provider gctrace: args[] as listed, then arrays of `count` entries */
	RECORD_GC_START = 2,	/* gc, generations, reason, how */
	RECORD_GC_FINISH = 3,	/* gc, batches */
	RECORD_PAUSE_BEGIN = 4, /* pause, why */
	RECORD_PAUSE_END = 5,	/* pause, suspend_ns, batches */
	RECORD_MOVED = 6, /* width, gc, generation, phase; u64 old[], new[], length[] (of width) */
	RECORD_SURVIVING = 7, /* width, gc, generation; u64 start[], length[] (of width) */
	RECORD_CONTAINER = 8, /* type, id1, id2 */
	RECORD_ROOTS = 9,     /* has (RECORD_HAS_*); u64 ref[], u32 flags[], u64 kind[], u64 id[] */
	RECORD_OBJECT = 10,   /* object, flags, class, size, has; u64 ref[], u32 flags[] */
	RECORD_CLASS = 11,    /* class, super, flags, bytes of the whole name, bytes of all fields,
				 size; then this part's bytes of name and fields as one text: part
				 counts bytes of it; part.first below the name's bytes: of that */
	RECORD_OBJECT_ALLOC = 12, /* id, size, class, stack, weight */

	/* runtimes' own probes */
	RECORD_HOTSPOT_GC_BEGIN = 32,	     /* record_call: full */
	RECORD_HOTSPOT_GC_END = 33,	     /* record_call */
	RECORD_HOTSPOT_POOL_BEGIN = 34,	     /* record_pool, manager, pool */
	RECORD_HOTSPOT_POOL_END = 35,	     /* record_pool, manager, pool */
	RECORD_HOTSPOT_VMOP_BEGIN = 36,	     /* record_text (a: mode), name */
	RECORD_HOTSPOT_VMOP_END = 37,	     /* record_text (a: mode), name */
	RECORD_HOTSPOT_SAFEPOINT_BEGIN = 38, /* record_call */
	RECORD_HOTSPOT_SAFEPOINT_END = 39,   /* record_call */
	RECORD_HOTSPOT_CAUSE = 40,	     /* record_text, cause */

	RECORD_PYTHON_GC_START = 64, /* record_call: generation */
	RECORD_PYTHON_GC_DONE = 65,  /* record_call: collected */

	RECORD_RUBY_MARK_BEGIN = 80, /* record_call */
	RECORD_RUBY_MARK_END = 81,
	RECORD_RUBY_SWEEP_BEGIN = 82,
	RECORD_RUBY_SWEEP_END = 83,

	/* made in user space */
	RECORD_EXEC = 128, /* record_text: the new image's name; the target's image has ended. a:
			      the target that the new image is (~0: none): what the target's probes
			      tell with a later stamp belongs to that */
	RECORD_EXIT = 129, /* record_call: wait status where known, else ~0 */
	RECORD_LOSS = 130, /* record_call: enum loss_kind (user/stream/loss.h), growth since the
			      last one, stamp until which it has happened (from the head's on) */
	RECORD_TARGET = 131, /* a target joined; its facts stand in the header or a block */
	RECORD_SPLIT = 132,  /* of a recording: a batch without its objects' references
				(user/stream/split.h) */

	/* samples of threads, made in user space as well: user/stream/sample_record.h */
	RECORD_SAMPLE_NAME = 133,
	RECORD_SAMPLE_STACK = 134,
	RECORD_SAMPLE_ROWS = 135,
	RECORD_SAMPLE_SWEEP = 136
};

struct record {
	__u64 stamp;
	__u32 bytes; /* head and body */
	__u16 kind;  /* enum record_kind */
	__u16 ring;  /* filled in by the reader: which ring it came from */
	__u32 target; /* by the attach cookie: which image of which process (user/attach) */
	__u32 tid;    /* as the initial pid namespace numbers it */
};

/*
 * Which part of an array a record holds; a call with no array has {0, 0, 0}. A part has at most
 * GCTRACE_PART_ENTRIES entries (texts: RECORD_TEXT_PART bytes), a hit is told in at most
 * RECORD_PARTS parts. Arrays stand one behind the other without gaps, in the order listed above;
 * those of 4 bytes an entry may leave the next one unaligned.
 */
#define RECORD_PARTS 32
#define RECORD_TEXT_PART 16384

struct record_part {
	__u64 first; /* entries of the array before this part */
	__u32 count; /* entries in this part */
	__u32 reserved;
	__u64 total; /* entries that the probe named */
};

struct record_call {
	struct record head;
	struct record_part part;
	__u64 args[6];
};

#define RECORD_HAS_FLAGS 1
#define RECORD_HAS_KINDS 2
#define RECORD_HAS_IDS 4

/* Texts in runtimes' probes: copied up to RECORD_TEXT_BYTES, `whole` says how long they were. */
#define RECORD_TEXT_BYTES 256

struct record_text {
	struct record head;
	__u64 a;
	__u32 bytes; /* of the text in this record, behind the struct */
	__u32 whole; /* of the text in the target */
};

struct record_pool {
	struct record head;
	__u64 init, used, committed, max;
	__u32 manager_bytes, manager_whole;
	__u32 pool_bytes, pool_whole;
	/* char manager[RECORD_TEXT_BYTES], pool[RECORD_TEXT_BYTES]: fixed places */
};

/* What the BPF programs count as lost, by kind. */
enum bpf_loss {
	BPF_LOSS_RING_FULL = 0, /* no room in the ring */
	BPF_LOSS_COPY = 1,	/* the target's memory could not be read */
	BPF_LOSS_OVERSIZE = 2,	/* what is beyond the stated bounds of one hit */
	BPF_LOSS_BAD_BATCH = 3, /* not a batch: wrong magic or size */
	BPF_LOSS_KINDS
};

/* By target (and CPU; user/attach/session.h sums them up). They only grow. */
struct loss_counts {
	__u64 records[BPF_LOSS_KINDS]; /* that would have been in a ring */
	__u64 entries[BPF_LOSS_KINDS]; /* that they would have held: of arrays, of a batch (its
					  records), bytes of texts; 0 where that is not known */
};

#endif
