/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * THE TRUTH FILE: what really happened, for tests to compare with what a tracer says.
 *
 * Written by `minivm --truth FILE` (FILE may be a fifo), printed as lines by
 * `minivm --print-truth FILE`. This header stands alone; tests in C include it, and truth_reader.h
 * reads records one by one.
 *
 * The file is a struct truth_head, then records: a struct truth_record each, then `bytes` bytes of
 * payload, a multiple of 8. All numbers have the machine's byte order. Objects are named by their
 * ids, which no two objects ever share; id 0 is null.
 *
 *   CLASS      truth_class, then name, then the names of reference fields, each ended by a 0 byte
 *   PAUSE      truth_pause: when it has ended
 *   GC_START   truth_gc_start
 *   OBJECTS    truth_part, then `count` x truth_object
 *   REFERENCES truth_part, then for each object of the OBJECTS record just before, in its order:
 *              u64 n, then n x u64 id. All reference slots, weak ones too, nulls as 0
 *   GONE       truth_part, then `count` x u64: ids that are not there any more (delta mode)
 *   ROOTS      truth_part, then `count` x truth_root
 *   GC_FINISH  truth_gc_finish
 *   DUMP       truth_dump: the heap dump that the OBJECTS, REFERENCES and ROOTS before it are of
 *   SITE       truth_site: what lives of what one stack allocates of one class. One for each,
 *              behind the GC_FINISH that it is of, with --truth-sites
 *   END        none: the process ended as it should
 *
 * ORDER. A collection is GC_START, then OBJECTS and REFERENCES in turns, then ROOTS, then
 * GC_FINISH, all of the state when it had finished; then, when the world runs again, PAUSE. A
 * concurrent collection's GC_START is followed by whole young collections, then by its own objects
 * and GC_FINISH. A pause may hold a young collection and the GC_START of a concurrent one.
 *
 * WHICH OBJECTS. All that the heap holds, garbage that is not collected yet included. While a
 * concurrent collection runs, objects that it has found dead are left out at once, although a
 * tracer learns of it at its GC_FINISH only.
 *
 * MODES. `--truth-mode full`: all objects after each collection (--truth-every N: after each N-th
 * one only; the others have no OBJECTS). `--truth-mode delta`: only objects that are new or whose
 * address, generation or size is not what it was, GONE for those that are not there any more, and
 * no REFERENCES and ROOTS. Before a DUMP there is always everything. (A delta comes after GONE:
 * addresses are free first.)
 */
#ifndef MINIVM_TRUTH_H
#define MINIVM_TRUTH_H

#include <stdint.h>

#define TRUTH_MAGIC "MVTRUTH1"

struct truth_head {
	char magic[8];
	uint32_t head_bytes;
	uint32_t delta; /* 1: delta mode */
	uint64_t pid;
	uint64_t seed;
};

enum truth_kind {
	TRUTH_CLASS = 1,
	TRUTH_PAUSE,
	TRUTH_GC_START,
	TRUTH_OBJECTS,
	TRUTH_REFERENCES,
	TRUTH_GONE,
	TRUTH_ROOTS,
	TRUTH_GC_FINISH,
	TRUTH_DUMP,
	TRUTH_END,
	TRUTH_SITE
};

struct truth_record {
	uint32_t kind;
	uint32_t reserved;
	uint64_t bytes; /* of the payload */
};

struct truth_class {
	uint64_t number, super;
	uint32_t flags; /* enum gctrace_class_flags */
	uint32_t instance_bytes; /* 0: varies */
	uint32_t fields;
	uint32_t name_bytes; /* the names of the fields fill the rest, then zeroes up to 8 */
};

struct truth_pause {
	uint64_t number, why; /* enum gctrace_why, or 256: the end of a concurrent sweep */
	uint64_t gc; /* the collection in it, the last one if there are several; 0: none */
	uint64_t requested_ns, begin_ns, end_ns; /* CLOCK_MONOTONIC */
};

struct truth_gc_start {
	uint64_t gc, time_ns, pause;
	uint64_t condemned; /* bit n: generation n: 0 nursery, 1 old, 2 large */
	uint32_t reason, how;
};

struct truth_part {
	uint64_t count;
};

struct truth_object {
	uint64_t id, address, size;
	uint32_t class_;
	uint8_t generation;
	uint8_t age;   /* collections survived in the nursery, at most 15 */
	uint16_t flags; /* 1: pinned */
};

struct truth_root {
	uint64_t container, id1, id2; /* enum gctrace_container_type */
	uint64_t kind, kind_id;	      /* enum gctrace_root_kind */
	uint64_t object;	      /* id */
};

struct truth_usage {
	uint64_t objects, bytes;
};

/* As struct gc_counts in collector.h, which says what is counted where. */
struct truth_counts {
	struct truth_usage condemned, moved, stayed, survived, promoted, dead;
};

struct truth_pool {
	uint64_t before, used, committed, max;
};

struct truth_gc_finish {
	uint64_t gc, time_ns, pause;
	uint64_t with_objects; /* 1: OBJECTS (or GONE) came before */
	struct truth_counts counts[3]; /* by generation */
	struct truth_pool pools[3];
};

#define TRUTH_SITE_AGES 16 /* ages 0, 1, 2-3, 4-7, ...: collections survived */

struct truth_site {
	uint64_t stack; /* as DEFINE of SPACE_STACK tells it */
	uint64_t class_;
	uint64_t gc; /* collections that had ended, this one included */
	uint64_t allocated_objects, allocated_bytes; /* ever */
	uint64_t promoted_bytes; /* ever: found outside of the nursery after a collection */
	uint64_t old_bytes;	 /* alive, outside of the nursery */
	uint64_t live_objects[TRUTH_SITE_AGES], live_bytes[TRUTH_SITE_AGES];
};

struct truth_dump {
	uint64_t dump, gc; /* the last collection that has started */
	uint64_t status;   /* enum gctrace_dump_status */
	uint64_t objects, references, roots, bytes; /* as the dump told */
};

#endif
