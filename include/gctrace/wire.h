/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The gctrace wire format, version 1: what a runtime says about its heap.
 *
 * Shared by the runtimes (through <gctrace/probes.h>), the BPF programs and gctrace itself. It
 * stands alone: no library, C11, C++11 or BPF.
 *
 *
 * BATCH
 *
 *   A batch is one piece of memory of at most GCTRACE_BATCH_BYTES, told by one hit of the probe
 *   `batch`. Its bytes are little-endian. It starts with struct gctrace_batch, then come records,
 *   each at a multiple of 8 bytes:
 *
 *     +--------------+--------+---------+-----+--------+---------+-----+
 *     | batch header | record | payload | pad | record | payload | pad | ...
 *     +--------------+--------+---------+-----+--------+---------+-----+
 *       header_bytes   8 B      record.bytes - 8         all of it: batch.bytes
 *
 *   record.bytes counts the record's head and its payload, not the padding behind it.
 *
 *   Each batch decodes alone: every base address and every number that a record needs stands in
 *   that record, class numbers are the producer's own and valid for its life. A lost batch takes
 *   nothing else with it.
 *
 * COMPACT NUMBERS
 *
 *   `v`  an unsigned LEB128 number: 7 bits a byte, low ones first, bit 7 says that more follow;
 *        at most 10 bytes.
 *   `z`  a signed number as v: 0, -1, 1, -2, 2 ... become 0, 1, 2, 3, 4 ... (zigzag).
 *
 * SEQUENCE, AND HOW A LOSS SHOWS
 *
 *   A producer (one runtime, or one agent in it) numbers its batches 0, 1, 2, ... whatever thread
 *   fires them. The records that end something (gc_finish, pause_end, dump_end) carry the number
 *   of batches that the producer has fired before the one that they stand in; every batch that
 *   belongs to what they end has been fired by then. So a reader knows exactly what it lacks,
 *   also at the end. 0: not known, since another thread had numbered a batch and was about to fire
 *   it. The first number seen after an attach is the base.
 *
 * ORDER
 *
 *   Within a pause the moves and survivals of several threads come in any order. A move has a
 *   phase: all moves of one phase happen at once, phase n + 1 starts from where phase n ended.
 *   Nothing may be applied before the pause (a compaction) or the collection (deaths) has ended.
 *
 * WHAT IS IN PROGRESS
 *
 *   Who begins to listen in the midst of a pause or a collection is told so by the first batch: by
 *   PAUSE_BEGIN and GC_START with the times at which those began. Both are told once each.
 *
 * GROWTH
 *
 *   The minor version grows when records, fields at a record's end, or numbers of an enumeration
 *   are added: a reader skips a record kind that it does not know by its length, ignores what
 *   follows the fields that it knows, and has no name for a number that it does not know. Numbers
 *   of this file are assigned once and never used again for something else. The major version
 *   changes when an old reader would misread; readers refuse one that they do not know.
 *
 * CHANGES
 *   1.0  first version
 *   1.1  GC_FINISH: how, and the flag FINISH_UNTOLD; the record FIGURE; SPACE_LOADER,
 *        SPACE_MODULE, SPACE_COLLECTION
 *   1.2  the record REUSE; C_FROZEN, C_THREAD_STATIC, C_RT_FRAME; ROOT_FROZEN;
 *        CLASS_OF_CLASSES, and with it SPACE_STATIC of an object
 *   1.3  the record UNNAMED
 *   1.4  OBJECT_ALLOC: sample, gc; the records SAMPLES and NOTICE
 *   1.5  the record BESIDE, FIGURE_CHECKED and FIGURE_WRONG, NOTICE_INEXACT
 *   1.6  SAMPLES_IN_DOUBT
 *   1.7  FINISH_MAY_BE_TWO, SAMPLES_REPEATS, SAMPLES_UNFOLLOWED
 */
#ifndef GCTRACE_WIRE_H
#define GCTRACE_WIRE_H

#ifdef __bpf__
typedef __u8 uint8_t;
typedef __u16 uint16_t;
typedef __u32 uint32_t;
typedef __u64 uint64_t;
#else
#include <stdint.h>
#endif

#ifdef __cplusplus
#define GCTRACE_ASSERT(condition, text) static_assert(condition, text)
#else
#define GCTRACE_ASSERT(condition, text) _Static_assert(condition, text)
#endif

#define GCTRACE_MAGIC 0x31546347u /* "GcT1" */
#define GCTRACE_MAJOR 1
#define GCTRACE_MINOR 7
#define GCTRACE_BATCH_BYTES 65536u /* no batch is larger */
#define GCTRACE_PART_ENTRIES 2048u /* no single probe tells more entries of an array at once */

struct gctrace_batch {
	uint32_t magic;
	uint8_t major;
	uint8_t minor;
	uint16_t header_bytes; /* the first record stands here */
	uint32_t bytes;	       /* of the whole batch */
	uint32_t records;
	uint64_t producer; /* tells the producers of one process apart */
	uint64_t sequence; /* of the producer's batches, from 0 */
	uint64_t gc;	   /* the collection that this belongs to, or 0 */
	uint64_t pause;	   /* the pause that this was fired in, or 0 */
};
GCTRACE_ASSERT(sizeof(struct gctrace_batch) == 48, "batch header");

struct gctrace_record {
	uint16_t kind; /* enum gctrace_kind */
	uint16_t flags; /* by kind; 0 where a kind has none */
	uint32_t bytes; /* head and payload, without the padding */
};
GCTRACE_ASSERT(sizeof(struct gctrace_record) == 8, "record head");

enum gctrace_kind {
	GCTRACE_PRODUCER = 1,
	GCTRACE_GC_START = 2,
	GCTRACE_GC_FINISH = 3,
	GCTRACE_PAUSE_BEGIN = 4,
	GCTRACE_PAUSE_END = 5,
	GCTRACE_MOVED = 6,
	GCTRACE_SURVIVING = 7,
	GCTRACE_CONTAINER = 8,
	GCTRACE_ROOTS = 9,
	GCTRACE_OBJECTS = 10,
	GCTRACE_CLASS = 11,
	GCTRACE_DEFINE = 12,
	GCTRACE_GENERATION = 13,
	GCTRACE_POOL = 14,
	GCTRACE_OBJECT_ALLOC = 15,
	GCTRACE_DUMP_END = 16,
	GCTRACE_FIGURE = 17,
	GCTRACE_REUSE = 18,
	GCTRACE_UNNAMED = 19,
	GCTRACE_SAMPLES = 20,
	GCTRACE_NOTICE = 21,
	GCTRACE_BESIDE = 22,
	GCTRACE_KINDS /* one more than the last one */
};

/*
 * PRODUCER: who speaks. Fired first when somebody starts to listen, and whenever it changes.
 * Behind the struct: the texts, name first, without terminators.
 */
struct gctrace_producer {
	struct gctrace_record head;
	uint32_t name_bytes;	  /* of the process's own name for itself; may be 0 */
	uint32_t version_bytes;	  /* of the producer: "1.2.0" */
	uint32_t runtime_bytes;	  /* "minivm" */
	uint32_t collector_bytes; /* "copying nursery, mark-sweep old space" */
};
GCTRACE_ASSERT(sizeof(struct gctrace_producer) == 24, "producer");

/*
 * GC_START: a collection starts. Which addresses are condemned is decided now: what lies in the
 * generations of the mask at this moment.
 */
struct gctrace_gc_start {
	struct gctrace_record head;
	uint64_t gc;	      /* its number, from 1, growing */
	uint64_t time_ns;     /* CLOCK_MONOTONIC */
	uint64_t generations; /* bit n: generation n is condemned; ~0: the whole heap */
	uint32_t reason;      /* enum gctrace_reason */
	uint32_t how;	      /* set of enum gctrace_how */
};
GCTRACE_ASSERT(sizeof(struct gctrace_gc_start) == 40, "gc_start");

enum gctrace_reason {
	GCTRACE_REASON_UNKNOWN = 0,
	GCTRACE_REASON_ALLOCATION = 1, /* no room in the nursery (or for an object) */
	GCTRACE_REASON_EXPLICIT = 2,   /* the program asked for it */
	GCTRACE_REASON_THRESHOLD = 3,  /* the old space grew past its limit */
	GCTRACE_REASON_LARGE = 4,      /* no room for a large object */
	GCTRACE_REASON_LOW_MEMORY = 5, /* the host or container runs out of memory */
	GCTRACE_REASON_IDLE = 6,
	GCTRACE_REASON_DUMP = 7, /* a heap dump asked for it */
	GCTRACE_REASON_PROMOTION = 8, /* the nursery could not promote */
	GCTRACE_REASON_OWN = 256      /* from here on: the producer's, named by DEFINE */
};

enum gctrace_how {
	GCTRACE_HOW_COPYING = 1,    /* survivors are copied out */
	GCTRACE_HOW_SWEEPING = 2,   /* survivors stay, gaps are free */
	GCTRACE_HOW_COMPACTING = 4, /* survivors slide together */
	GCTRACE_HOW_CONCURRENT = 8, /* the program runs during a part of it */
	GCTRACE_HOW_INCREMENTAL = 16
};

/* GC_FINISH: it has ended; deaths are decided now. */
struct gctrace_gc_finish {
	struct gctrace_record head; /* flags: enum gctrace_finish_flags */
	uint64_t gc;
	uint64_t time_ns;
	uint64_t batches; /* fired by the producer before this one */
	/* Since 1.1; a record of 1.0 ends here. */
	uint32_t how; /* set of enum gctrace_how: what only the end tells, beside the start's */
	uint32_t reserved;
};
GCTRACE_ASSERT(sizeof(struct gctrace_gc_finish) == 40, "gc_finish");

enum gctrace_finish_flags {
	/* Its ranges were not all told, as for a listener who came late: absence means nothing. */
	GCTRACE_FINISH_UNTOLD = 1,
	/* It may have been two: a young one, and the background one that let it in. */
	GCTRACE_FINISH_MAY_BE_TWO = 2
};

/* PAUSE_BEGIN, PAUSE_END: the program's threads stand still in between. */
struct gctrace_pause_begin {
	struct gctrace_record head;
	uint64_t pause; /* its number, from 1, growing */
	uint64_t time_ns;
	uint64_t why; /* enum gctrace_why */
};
GCTRACE_ASSERT(sizeof(struct gctrace_pause_begin) == 32, "pause_begin");

enum gctrace_why {
	GCTRACE_WHY_UNKNOWN = 0,
	GCTRACE_WHY_COLLECTION = 1, /* a whole stop-the-world collection */
	GCTRACE_WHY_MARK_START = 2, /* concurrent collection: roots */
	GCTRACE_WHY_REMARK = 3,	    /* concurrent collection: end of marking */
	GCTRACE_WHY_RELOCATE = 4,   /* concurrent collection: start of moving */
	GCTRACE_WHY_DUMP = 5,
	GCTRACE_WHY_OTHER = 6, /* not for the collector */
	GCTRACE_WHY_OWN = 256  /* from here on: the producer's, named by DEFINE */
};

struct gctrace_pause_end {
	struct gctrace_record head;
	uint64_t pause;
	uint64_t time_ns;
	uint64_t suspend_ns; /* until the last thread stood still; ~0 when not known */
	uint64_t batches;    /* fired by the producer before this one */
};
GCTRACE_ASSERT(sizeof(struct gctrace_pause_end) == 40, "pause_end");

/*
 * MOVED (spec S3): blocks of live objects and where they are now. Old equals new: it stayed.
 * Behind the struct: `count` ranges of `form`:
 *
 *   GCTRACE_RANGES_NARROW  12 bytes each {old, new, length}, u32, in units of 8 bytes; addresses
 *                          are relative to old_base and new_base. Spans 32 GiB.
 *   GCTRACE_RANGES_WIDE    24 bytes each {old, new, length}, u64, plain (the bases are 0).
 */
struct gctrace_moved {
	struct gctrace_record head;
	uint64_t gc;
	uint64_t old_base;
	uint64_t new_base;
	uint32_t generation; /* of the sources */
	uint32_t phase;
	uint32_t count;
	uint8_t form;  /* enum gctrace_ranges */
	uint8_t width; /* 4 or 8: width of a length in the interface that it came through */
	uint16_t reserved;
};
GCTRACE_ASSERT(sizeof(struct gctrace_moved) == 48, "moved");

enum gctrace_ranges { GCTRACE_RANGES_NARROW = 0, GCTRACE_RANGES_WIDE = 1 };

struct gctrace_move_narrow {
	uint32_t old, new_, length;
};

struct gctrace_move_wide {
	uint64_t old, new_, length;
};

/*
 * SURVIVING (spec S4): blocks of live objects of a collection that does not move them. Behind the
 * struct: `count` ranges {start, length} of 8 bytes (narrow) or 16 bytes (wide).
 */
struct gctrace_surviving {
	struct gctrace_record head;
	uint64_t gc;
	uint64_t base;
	uint32_t generation;
	uint32_t count;
	uint8_t form;
	uint8_t width;
	uint16_t reserved0;
	uint32_t reserved1;
};
GCTRACE_ASSERT(sizeof(struct gctrace_surviving) == 40, "surviving");

struct gctrace_survive_narrow {
	uint32_t start, length;
};

struct gctrace_survive_wide {
	uint64_t start, length;
};

/* CONTAINER (spec S2): what the root references that follow belong to. */
struct gctrace_container {
	struct gctrace_record head;
	uint64_t type; /* enum gctrace_container_type */
	uint64_t id1;
	uint64_t id2;
};
GCTRACE_ASSERT(sizeof(struct gctrace_container) == 32, "container");

enum gctrace_container_type {
	GCTRACE_C_BEGIN = 1,	 /* the dump starts; id1: the dump's number, id2: the collection
				    before it (~0: not known) */
	GCTRACE_C_RT_THREAD = 2, /* id1: thread */
	GCTRACE_C_RT_JIT = 3,	 /* stack frames: id1: frame, id2: method */
	GCTRACE_C_RT_NATIVE = 4,
	GCTRACE_C_RT_NATIVEGC = 5, /* id1: frame */
	GCTRACE_C_RT_COM = 6,
	GCTRACE_C_RT_INTERPRETED = 7,
	GCTRACE_C_RT_FAST_INTERPRETED = 8,
	GCTRACE_C_STATIC = 9,	  /* static references; id1: class, 0: of all classes */
	GCTRACE_C_FINALIZER = 10, /* objects that wait for their finalizer */
	GCTRACE_C_INTERNAL = 11,  /* the VM's own */
	GCTRACE_C_HEAP = 12,	  /* what no root reached; it has no root references */
	GCTRACE_C_END = 13,	  /* the dump ends, always; id1: enum gctrace_dump_status */
	GCTRACE_C_HANDLES = 14,	  /* native handles; kinds say which */
	GCTRACE_C_GLOBALS = 15,	  /* globals of a native interface (JNI) */
	GCTRACE_C_MONITORS = 16,  /* locked objects */
	GCTRACE_C_DEPENDENT = 17, /* dependent handles: id1: the key; the references are values */
	GCTRACE_C_WEAK = 18,	  /* weak references: they keep nothing alive */
	GCTRACE_C_FROZEN = 19,	  /* objects outside of the collected heap, which never go */
	GCTRACE_C_THREAD_STATIC = 20, /* a thread's own: id1: class, id2: thread */
	GCTRACE_C_RT_FRAME = 21, /* as C_RT_JIT, where it is not told how the frame is executed */
	GCTRACE_C_OWN = 256	  /* from here on: the producer's, named by DEFINE */
};

enum gctrace_dump_status { GCTRACE_DUMP_COMPLETE = 0, GCTRACE_DUMP_ABORTED = 1 };

/* What spec S1 says of an object, of a report and of a reference. */
enum gctrace_reference_flags {
	GCTRACE_ALREADY_REPORTED = 0x00001, /* named before in this dump */
	GCTRACE_ALREADY_VISITED = 0x00002,  /* its own report was made or is being made */
	GCTRACE_MORE_REFERENCES = 0x10000,  /* of an object: this report is a part, more follow */
	GCTRACE_SPEC_FLAGS = 0x10003,	    /* the seeds' own; those below are additions */
	GCTRACE_REF_WEAK = 0x00100,	    /* keeps nothing alive */
	GCTRACE_REF_SOFT = 0x00200,
	GCTRACE_REF_PHANTOM = 0x00400,
	GCTRACE_REF_DEPENDENT = 0x00800, /* alive only as long as a second object is */
	GCTRACE_OBJECT_PINNED = 0x01000, /* of an object */
	GCTRACE_OBJECT_FINALIZABLE = 0x02000
};

enum gctrace_root_kind {
	GCTRACE_ROOT_UNKNOWN = 0,
	GCTRACE_ROOT_LOCAL = 1, /* id: slot in the frame */
	GCTRACE_ROOT_STATIC = 2, /* id: of one of its class's statics, mostly its position */
	GCTRACE_ROOT_HANDLE = 3, /* id: the handle */
	GCTRACE_ROOT_HANDLE_PINNED = 4,
	GCTRACE_ROOT_HANDLE_WEAK = 5,
	GCTRACE_ROOT_FINALIZER = 6,
	GCTRACE_ROOT_INTERNAL = 7,
	GCTRACE_ROOT_MONITOR = 8,
	GCTRACE_ROOT_THREAD = 9, /* the thread object itself */
	GCTRACE_ROOT_REGISTER = 10,
	GCTRACE_ROOT_FROZEN = 11,
	GCTRACE_ROOT_CONSTANT = 12, /* in the compiled code of the frame's method */
	GCTRACE_ROOT_OWN = 256
};

/*
 * ROOTS (spec S2): references of one container, which is said again because a batch decodes
 * alone. Behind the struct, `count` times: z (reference / 8 - base / 8), v flags, v kind, v id.
 * An odd reference (not a multiple of 8) is told in a record of its own with ROOTS_PLAIN: plain
 * numbers instead of eighths.
 */
struct gctrace_roots {
	struct gctrace_record head;
	uint64_t type;
	uint64_t id1;
	uint64_t id2;
	uint64_t base;
	uint32_t count;
	uint32_t reserved;
};
GCTRACE_ASSERT(sizeof(struct gctrace_roots) == 48, "roots");

enum gctrace_roots_flags { GCTRACE_ROOTS_PLAIN = 1 };

/*
 * OBJECTS (spec S1): objects and what they refer to, packed. Behind the struct, `count` times:
 *
 *   1 byte     enum gctrace_object_bits
 *   z          address, as difference from the object before (the first: from base)
 *   v          class
 *   v          size
 *   v          flags of the object (enum gctrace_reference_flags), only with OBJECT_FLAGS
 *   v          place of the first reference of this part, only with OBJECT_PART
 *   v          number of references, nulls included where they are reported
 *   then for every reference:
 *     v        0: null; else 1 + zigzag of (reference - address of this object)
 *     v        its flags, only with OBJECT_REF_FLAGS
 *     v        its place, only with PLACE_OFFSET (bytes from the object's start) or PLACE_INDEX
 *
 * Address, size and references are in units of 8 bytes, unless OBJECT_PLAIN says bytes: then
 * differences are those of the whole numbers, else those of the numbers / 8, rounded down.
 */
struct gctrace_objects {
	struct gctrace_record head;
	uint64_t base;
	uint32_t count;
	uint32_t reserved;
};
GCTRACE_ASSERT(sizeof(struct gctrace_objects) == 24, "objects");

enum gctrace_object_bits {
	GCTRACE_PLACE_POSITION = 0, /* in field order, nulls reported: the n-th is field n */
	GCTRACE_PLACE_OFFSET = 1,   /* each says its offset */
	GCTRACE_PLACE_UNKNOWN = 2,  /* in no particular order */
	GCTRACE_PLACE_INDEX = 3,    /* each says its field's or element's number */
	GCTRACE_PLACE_MASK = 3,
	GCTRACE_OBJECT_FLAGS = 4,
	GCTRACE_OBJECT_REF_FLAGS = 8,
	GCTRACE_OBJECT_PART = 16,
	GCTRACE_OBJECT_PLAIN = 32
};

/*
 * CLASS: a class, before its first use, in each dump anew. Behind the struct: the name, then the
 * names of its reference fields in the order of their positions (those of super classes first),
 * each ended by a zero byte. A definition longer than a batch comes in parts (CLASS and DEFINE):
 * all but the last carry GCTRACE_MORE, one thread fires them in order, and the texts of the same
 * class (of name and of fields) are to be joined.
 */
struct gctrace_class {
	struct gctrace_record head; /* flags: enum gctrace_define_flags */
	uint64_t class_;
	uint64_t super;	     /* 0: none */
	uint32_t flags;	     /* set of enum gctrace_class_flags */
	uint32_t name_bytes; /* in this part */
	uint32_t fields_bytes; /* in this part */
	uint32_t size; /* of an instance in bytes, 0: varies */
};
GCTRACE_ASSERT(sizeof(struct gctrace_class) == 40, "class");

enum gctrace_define_flags { GCTRACE_MORE = 1 };

enum gctrace_class_flags {
	GCTRACE_CLASS_ARRAY = 1, /* elements are references */
	GCTRACE_CLASS_BYTES = 2, /* an array without references */
	GCTRACE_CLASS_VARIABLE = 4, /* size differs between instances */
	GCTRACE_CLASS_WEAK = 8,	    /* instances are weak references */
	GCTRACE_CLASS_FINALIZABLE = 16,
	GCTRACE_CLASS_INTERNAL = 32, /* the VM's own */
	/*
	 * Instances are classes themselves (java.lang.Class). The places of one are named by DEFINE
	 * of SPACE_STATIC with the object's address instead of a class; others are its class's.
	 */
	GCTRACE_CLASS_OF_CLASSES = 64
};

/* DEFINE: a name for a number. Behind the struct: the name. */
struct gctrace_define {
	struct gctrace_record head; /* flags: enum gctrace_define_flags */
	uint32_t space;		    /* enum gctrace_space */
	uint32_t name_bytes;	    /* in this part */
	uint64_t id;
	uint64_t a; /* by space */
	uint64_t b;
};
GCTRACE_ASSERT(sizeof(struct gctrace_define) == 40, "define");

/*
 * FIELDS. Where references say offsets, a class's fields are told with theirs: all that may hold
 * references, so that a slot between two of them is in the first one, which is a struct. Where an
 * array's elements are structs, the array's class is told with the fields of an element, from
 * position 0 on, and with PLACE_INDEX element and field are counted through: the place of field f
 * of element e is e times the number of fields, plus f.
 */
enum gctrace_space {
	GCTRACE_SPACE_METHOD = 1, /* a: class or 0 */
	GCTRACE_SPACE_THREAD = 2, /* a: the kernel's number, in the process's own namespace, or 0 */
	GCTRACE_SPACE_FIELD = 3,  /* id: class; a: position; b: offset in bytes or ~0 (FIELDS) */
	GCTRACE_SPACE_STATIC = 4, /* id: class, or object that is one; a: as ROOT_STATIC's id */
	GCTRACE_SPACE_REASON = 5,
	GCTRACE_SPACE_WHY = 6,
	GCTRACE_SPACE_ROOT_KIND = 7,
	GCTRACE_SPACE_CONTAINER = 8,
	GCTRACE_SPACE_GENERATION = 9, /* "nursery" */
	GCTRACE_SPACE_STACK = 10,     /* name: frames, innermost first, each ended by a line feed */
	GCTRACE_SPACE_LOADER = 11,    /* id: class; name: of what loaded it ("app") */
	GCTRACE_SPACE_MODULE = 12, /* id: class; name: where it is from: module, assembly, file */
	GCTRACE_SPACE_COLLECTION = 13, /* id: mask of gc_start; what to call one that condemns it */
	/* id: method that is no native code: roots of C_RT_NATIVE in it are ROOT_CONSTANT */
	GCTRACE_SPACE_COMPILED = 14
};

/* GENERATION: where a generation lies; one record for each of its parts. */
struct gctrace_generation {
	struct gctrace_record head; /* flags: enum gctrace_when */
	uint64_t gc;
	uint64_t generation;
	uint64_t start;
	uint64_t used;
	uint64_t reserved;
};
GCTRACE_ASSERT(sizeof(struct gctrace_generation) == 48, "generation");

enum gctrace_when { GCTRACE_BEFORE = 0, GCTRACE_AFTER = 1 };

/*
 * REUSE: of objects that begin in one of these generations and lie in this span, be it in part,
 * nobody knows from now on whether they are still there: new ones may get their room before a range
 * could tell. So it is while a concurrent collection has found out who is dead, and the program
 * already allocates there, but its ranges are told at its end. Said when that begins, in a pause,
 * or of each new object.
 */
struct gctrace_reuse {
	struct gctrace_record head;
	uint64_t generations; /* bit n: generation n; ~0: all there are */
	uint64_t start;
	uint64_t length; /* start 0, length ~0: everywhere */
};
GCTRACE_ASSERT(sizeof(struct gctrace_reuse) == 32, "reuse");

/* POOL: how full a part of the heap was before and after a collection. Behind: its name. */
struct gctrace_pool {
	struct gctrace_record head;
	uint64_t gc;
	uint64_t before;    /* bytes in use when the collection started; ~0: not known */
	uint64_t used;	    /* when it had finished */
	uint64_t committed; /* ~0: not known, as max */
	uint64_t max;
	uint32_t name_bytes;
	uint32_t reserved;
};
GCTRACE_ASSERT(sizeof(struct gctrace_pool) == 56, "pool");

/* FIGURE: a number that the runtime itself has for a collection, of a generation or of all. */
struct gctrace_figure {
	struct gctrace_record head;
	uint64_t gc;
	uint64_t generation; /* ~0: of the whole heap */
	uint64_t value;
	uint32_t what; /* enum gctrace_figure_kind */
	uint32_t reserved;
};
GCTRACE_ASSERT(sizeof(struct gctrace_figure) == 40, "figure");

enum gctrace_figure_kind {
	GCTRACE_FIGURE_FREE_BEFORE = 1, /* bytes of its pool's `before` that no object took */
	GCTRACE_FIGURE_FREE_AFTER = 2,	/* the same of `used` */
	GCTRACE_FIGURE_PROMOTED = 3,	/* bytes that it found alive in this generation */
	GCTRACE_FIGURE_PINNED = 4,	/* objects that it found pinned */
	GCTRACE_FIGURE_HANDLES = 5,	/* handles of the native side */
	GCTRACE_FIGURE_FINALIZED_BYTES = 6, /* kept alive for their finalizers alone */
	GCTRACE_FIGURE_FINALIZED_OBJECTS = 7,
	GCTRACE_FIGURE_MONITORS = 8, /* blocks of locks and hash codes */
	GCTRACE_FIGURE_CHECKED = 9, /* objects whose addresses were compared with what ranges say */
	GCTRACE_FIGURE_WRONG = 10,  /* of those, the ones that lay elsewhere */
	GCTRACE_FIGURE_KINDS	     /* one more than the last one */
};

/*
 * OBJECT_ALLOC: a sampled allocation. Of one with a number of its own (`sample`) SAMPLES tells what
 * becomes of it; its definitions and itself may then be told again, and say the same except for
 * `id`, which is its address when that was told.
 */
struct gctrace_object_alloc {
	struct gctrace_record head;
	uint64_t id;
	uint64_t size;
	uint64_t class_;
	uint64_t stack;	 /* DEFINE of SPACE_STACK, 0: none */
	uint64_t weight; /* bytes that this sample stands for */
	/* Since 1.4; a record of 1.3 ends here. */
	uint64_t sample; /* its number, from 1, growing, never used again; 0: no more is told */
	uint64_t gc;	 /* of collections that had ended when it was allocated, as in SAMPLES */
};
GCTRACE_ASSERT(sizeof(struct gctrace_object_alloc) == 64, "object_alloc");

/*
 * SAMPLES: what a collection did to the sampled objects that OBJECT_ALLOC told with a number. One
 * for each collection, also if nothing changed, so that everybody counts the same: the age of a
 * sample is gc less the gc of its OBJECT_ALLOC, which comes before the first SAMPLES that names it.
 * Where deaths are found later, as by a concurrent collector, another one has the same gc; and
 * where collections follow each other fast, one may stand for several.
 * Behind the struct, `count` times, in the order of their numbers:
 *
 *   v    number of the sample, as difference from the one before (the first: from `first`)
 *   v    set of enum gctrace_sample_bits
 *   z    with SAMPLE_MOVED or SAMPLE_ADDRESS: its address / 8, as difference from the one told
 *        before in this record (the first: from 0)
 *   v    with SAMPLE_GENERATION: the generation that it lies in: 0: young, 1: old
 *
 * Of a sample that is not named nothing changed: it lives, lies where it lay, and in the same
 * generation. What has no room in one record goes on in another of the same gc and time; all but
 * the last carry GCTRACE_MORE.
 *
 * With SAMPLES_ALL they are, taken together, a list of all samples alive after that collection,
 * each with its address: who is not in it is gone. It follows the definitions and OBJECT_ALLOC of
 * all of them, told again. So who came late or lost something knows all from then on. It may be
 * told at any time, also a second time for the same gc, and is no collection of its own. Who gives
 * a stack another number when it comes again defines all that it keeps before each list: the
 * numbers of others may be forgotten.
 *
 * With SAMPLES_IN_DOUBT not all that the collection did is in it, or what one before it did is, as
 * well: sums of it are not those of a collection. A list of all follows, which makes up for it.
 *
 * With SAMPLES_UNFOLLOWED no sample is followed, because the collector would keep alive what is:
 * OBJECT_ALLOC says what was allocated, nothing says what lives, and lists of all are empty. All
 * records of a producer carry it, or none; one comes before each row of OBJECT_ALLOCs, whatever
 * the gc.
 */
struct gctrace_samples {
	struct gctrace_record head; /* flags: enum gctrace_samples_flags */
	uint64_t gc;		    /* collections so far, this one included */
	uint64_t time_ns;	    /* when it had ended (CLOCK_MONOTONIC) */
	uint64_t interval;	    /* mean bytes from sample to sample; 0: all are sampled */
	uint64_t first;
	uint32_t count;
	uint32_t lost; /* since the record before: samples without room, of which nothing is told */
};
GCTRACE_ASSERT(sizeof(struct gctrace_samples) == 48, "samples");

enum gctrace_samples_flags {
	/* GCTRACE_MORE = 1 */
	GCTRACE_SAMPLES_ALL = 2,
	GCTRACE_SAMPLES_IN_DOUBT = 4,
	GCTRACE_SAMPLES_UNFOLLOWED = 8,
	/*
	 * Four bits, a number k: of the sampler's random numbers some had come before, at most
	 * 2^(k - 12) of such repeats for each sample so far (15: or more). 0: none, or not known.
	 */
	GCTRACE_SAMPLES_REPEATS = 0xf0
};

#define GCTRACE_SAMPLES_REPEATS_SHIFT 4
#define GCTRACE_SAMPLES_REPEATS_ONE 12 /* the k of one for each sample */

enum gctrace_sample_bits {
	GCTRACE_SAMPLE_DEAD = 1,
	GCTRACE_SAMPLE_MOVED = 2,
	GCTRACE_SAMPLE_GENERATION = 4,
	GCTRACE_SAMPLE_ADDRESS = 8 /* where it lies, whether or not it moved */
};

/* DUMP_END: after C_END, what the dump told. */
struct gctrace_dump_end {
	struct gctrace_record head;
	uint64_t dump;
	uint64_t status; /* enum gctrace_dump_status */
	uint64_t objects;
	uint64_t references; /* nulls not counted */
	uint64_t roots;
	uint64_t bytes;
	uint64_t batches; /* fired by the producer before this one */
	uint64_t time_ns;
};
GCTRACE_ASSERT(sizeof(struct gctrace_dump_end) == 72, "dump_end");

/*
 * UNNAMED: so many names had no room in the producer: of a dump, before its DUMP_END, or of sampled
 * allocations (classes, stacks), when these are told. What they are of is told without them.
 */
struct gctrace_unnamed {
	struct gctrace_record head;
	uint32_t count; /* at least so many */
	uint32_t reserved;
};
GCTRACE_ASSERT(sizeof(struct gctrace_unnamed) == 16, "unnamed");

/*
 * NOTICE: what the producer has to say to the people who asked it, as that it cannot do what they
 * want. Behind the struct: a sentence.
 */
struct gctrace_notice {
	struct gctrace_record head;
	uint32_t what; /* enum gctrace_notice_kind */
	uint32_t text_bytes;
};
GCTRACE_ASSERT(sizeof(struct gctrace_notice) == 16, "notice");

enum gctrace_notice_kind {
	GCTRACE_NOTICE_OTHER = 0,
	GCTRACE_NOTICE_UNSAMPLED = 1, /* allocations are not sampled, for the reason in the text */
	GCTRACE_NOTICE_INEXACT = 2    /* not all moves are told though they were asked for; why */
};

/*
 * BESIDE: this producer adds to what the runtime's own probes tell, by which collections and pauses
 * are known (HotSpot's). BESIDE_START comes before their start of a pause, the end behind their end
 * of it, on the same thread; in between stand records (MOVED, GENERATION, FIGURE) with ~0 in place
 * of a collection's number: they are of the one that was collected in that pause. Which generations
 * it condemned the runtime's own probes say.
 *
 * Where no BESIDE stands around a collection, or it says BESIDE_UNTOLD, its ranges are not all
 * told.
 */
struct gctrace_beside {
	struct gctrace_record head; /* flags: enum gctrace_beside_flags */
	uint64_t time_ns;	    /* of the end: the pause lasted at least until then */
	uint64_t batches;	    /* of the end: fired by the producer before this one */
};
GCTRACE_ASSERT(sizeof(struct gctrace_beside) == 24, "beside");

enum gctrace_beside_flags {
	GCTRACE_BESIDE_START = 1,
	/*
	 * Of an end; one without either is of a pause that collected nothing but what REUSE says.
	 */
	GCTRACE_BESIDE_TOLD = 2,  /* one collection, and all ranges of it */
	GCTRACE_BESIDE_UNTOLD = 4 /* what was collected is not known */
};

#endif
