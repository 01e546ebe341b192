/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events: what happened in a target, in one vocabulary, whatever runtime said it and however it
 * came (single probes, batches, a runtime's own probes, a recording). user/stream makes them in
 * their order; nobody behind it sees wire formats or ring records.
 *
 * An event and all that it points to is valid during the call that hands it over, no longer.
 * Texts are counted bytes from the target: not terminated, any bytes, hostile until escaped.
 * Addresses and sizes are in bytes, times are CLOCK_MONOTONIC nanoseconds.
 */
#ifndef STREAM_EVENT_H
#define STREAM_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

#define EVENT_UNKNOWN UINT64_MAX /* for every number that the producer did not tell */

/* Numbers are the target's word: a sum that has no room is not known, rather than wrong. */
static inline void event__sum(uint64_t *total, uint64_t value)
{
	if (*total == EVENT_UNKNOWN || value == EVENT_UNKNOWN ||
	    __builtin_add_overflow(*total, value, total))
		*total = EVENT_UNKNOWN;
}

/* Of an object, as a producer told it: that its class tells (EVENT_UNKNOWN) it cannot say. */
static inline uint64_t event__size(uint64_t told)
{
	return told == EVENT_UNKNOWN ? told - 1 : told;
}

enum event_kind {
	EVENT_PRODUCER = 1,
	EVENT_GC_START,
	EVENT_GC_FINISH,
	EVENT_PAUSE_BEGIN,
	EVENT_PAUSE_END,
	EVENT_MOVED,
	EVENT_SURVIVING,
	EVENT_CONTAINER,
	EVENT_ROOTS,
	EVENT_OBJECT,
	EVENT_CLASS,
	EVENT_DEFINE,
	EVENT_GENERATION,
	EVENT_POOL,
	EVENT_OBJECT_ALLOC,
	EVENT_DUMP_END,
	EVENT_EXEC,
	EVENT_EXIT,
	EVENT_LOSS, /* something of this target was lost before here */
	EVENT_FIGURE,
	EVENT_REUSE,
	EVENT_HEADS, /* objects without their references, where EVENT_OBJECT is not wanted */
	EVENT_SAMPLES,
	EVENT_NOTICE,
	EVENT_BESIDE /* for translators; the feed tells it to nobody */
};

struct range {
	uint64_t old;
	uint64_t new_; /* for EVENT_SURVIVING the same as old */
	uint64_t length;
};

/* Besides enum gctrace_class_flags: sizes of its objects are estimates. */
#define EVENT_CLASS_ESTIMATED (UINT32_C(1) << 31)

struct reference {
	uint64_t to;	/* 0: null */
	uint64_t place; /* position, index or offset, by event.object.places; EVENT_UNKNOWN */
	uint32_t flags; /* enum gctrace_reference_flags */
	uint32_t reserved;
};

/* Of an object or a part of one. */
struct object_head {
	uint64_t id, class_;
	uint64_t size; /* EVENT_UNKNOWN: as its class's, which is told later */
};

/* What became of a sampled object (EVENT_OBJECT_ALLOC with a number). */
struct sample_fate {
	uint64_t sample;
	uint64_t address;    /* EVENT_UNKNOWN: not told: where it lay */
	uint32_t bits;	     /* set of enum gctrace_sample_bits */
	uint32_t generation; /* with GCTRACE_SAMPLE_GENERATION: 0: young, 1: old */
};

struct root {
	uint64_t to;
	uint64_t kind; /* enum gctrace_root_kind */
	uint64_t id;   /* EVENT_UNKNOWN */
	uint32_t flags;
	uint32_t reserved;
};

/* What a collection's pools say of what it condemned (model/pool_fates.h). */
enum event_pools {
	EVENT_POOLS_NOTHING,
	EVENT_POOLS_MIXED,    /* about: the old pool may have been freed into as well */
	EVENT_POOLS_BUFFERED, /* at most: what buffers waste counts as in use */
	EVENT_POOLS_EXACT,
};

struct event {
	enum event_kind kind;
	uint32_t target; /* which image of which process: struct target of user/attach */
	uint32_t tid;	 /* 0: not known */
	uint64_t time;	 /* the producer's own where it told one, else the probe's stamp */
	uint64_t stamp;	 /* of the record that it came in */
	bool late;	 /* `time` is when it was told; it was before, nobody knows when */
	bool doubted;	 /* a start: what it rests on may have been lost before it */
	bool overdue;	 /* an end that was not seen: what comes now shows that it has been */
	union {
		struct {
			uint64_t id;
			struct text name, version, runtime, collector;
		} producer;
		struct {
			uint64_t gc;	      /* EVENT_UNKNOWN: the runtime does not number them */
			uint64_t generations; /* mask; EVENT_UNKNOWN: not told (gctrace_gc_start) */
			uint64_t reason;      /* enum gctrace_reason */
			uint32_t how;	      /* set of enum gctrace_how */
			enum event_pools pools; /* what those tell of it */
			struct text what; /* "remark", "mark start": the runtime's word, or empty */
			struct text cause;    /* the runtime's word for the reason, or empty */
		} gc_start;
		struct {
			uint64_t gc;
			uint64_t collected; /* objects that died, where the runtime counts them */
			uint32_t how;	    /* what only the end tells, beside the start's */
			bool untold;	    /* not all ranges were told: absence means nothing */
			bool may_be_two;    /* GCTRACE_FINISH_MAY_BE_TWO */
			struct text what, cause; /* where they are known only now; else empty */
		} gc_finish;
		struct {
			uint64_t pause;
			uint64_t why; /* enum gctrace_why */
			uint64_t suspend_ns; /* of pause_end; EVENT_UNKNOWN */
			struct text what;
		} pause; /* begin and end */
		struct {
			uint64_t gc, generation;
			uint32_t phase; /* of moves */
			uint32_t width; /* 4 or 8 */
			const struct range *ranges;
			size_t count;
		} ranges; /* moved and surviving */
		struct {
			uint64_t type, id1, id2;
		} container;
		struct {
			uint64_t type, id1, id2; /* of their container; all 0: it is not known */
			const struct root *roots;
			size_t count;
		} roots;
		struct {
			uint64_t id, class_;
			uint64_t size; /* EVENT_UNKNOWN: as its class's, which is told later */
			uint32_t flags;
			uint32_t places; /* GCTRACE_PLACE_* */
			bool more;	 /* further parts of this object follow */
			const struct reference *references;
			size_t count;
		} object;
		struct {
			const struct object_head *heads;
			size_t count;
		} heads;
		struct {
			uint64_t class_, super, size;
			uint32_t flags;
			struct text name;   /* whole */
			struct text fields; /* each ended by a zero byte */
		} class_;
		struct {
			uint32_t space; /* enum gctrace_space */
			uint64_t id, a, b;
			struct text name; /* whole */
		} define;
		struct {
			uint64_t gc, generation, start, used, reserved;
			bool after;
		} generation;
		struct {
			uint64_t generations; /* a mask; UINT64_MAX: all */
			uint64_t start, length;
		} reuse;
		struct {
			uint64_t gc; /* EVENT_UNKNOWN: the one that is running */
			uint64_t before, used, committed, max; /* EVENT_UNKNOWN: not told */
			struct text name;
			bool outside; /* not a part of the heap: code, class metadata */
			bool old;     /* the generation that young collections promote into */
			bool fresh;   /* what the program allocates in */
		} pool;
		struct {
			uint64_t gc, generation; /* EVENT_UNKNOWN: of the whole heap */
			uint64_t value;		 /* EVENT_UNKNOWN: the runtime does not know */
			uint32_t what;		 /* enum gctrace_figure_kind */
		} figure;
		struct {
			uint64_t id, size, class_, stack, weight;
			uint64_t sample; /* its number; 0: nothing more is told of it */
			uint64_t gc;	 /* collections that had ended, as in `samples` */
		} alloc;
		struct {
			uint64_t gc;	   /* collections so far, this one included */
			uint64_t interval; /* bytes from sample to sample; 0: all are sampled */
			const struct sample_fate *samples; /* in the order of their numbers */
			size_t count;
			bool all;  /* a part of a list of all that live: the others are gone */
			bool more; /* further events of this collection, or of this list, follow */
			bool in_doubt; /* not all that it did, or more than that */
			uint8_t repeats; /* of GCTRACE_SAMPLES_REPEATS; 0: none */
			bool unfollowed; /* no sample is: what lives is not told */
		} samples;
		struct {
			uint32_t what; /* enum gctrace_notice_kind */
			struct text text;
		} notice;
		struct {
			unsigned int flags; /* enum gctrace_beside_flags */
		} beside;
		struct {
			uint64_t dump, status, objects, references, roots, bytes;
		} dump_end;
		struct {
			struct text image; /* of exec: the new image's name */
			uint64_t status;   /* of exit: wait status; EVENT_UNKNOWN */
		} process;
		struct {
			uint32_t kind; /* enum loss_kind (user/stream/loss.h) */
			uint64_t count;
			uint64_t until; /* it happened at `time` or later, until then at most */
		} loss;
	};
};

#endif
