/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Asking a target for one heap dump, from the wish to its end (dump.c draws the way):
 *
 *	dump__new(&options, &ops, &dump);        ops: dump_live.h makes them of a live trace
 *	while (!dump__is_over(dump)) {
 *		feed__pull(...);                 each event goes to dump__event(),
 *						 each record of the dump's ring to dump__record()
 *		dump__turn(dump);
 *	}
 *	... dump__result(dump) ...
 *	dump__free(dump);
 *
 * What the sink gets: the target's events from C_BEGIN to the dump's end in their order, each with
 * whatever kinds the feed is told to want: EVENT_CONTAINER, _ROOTS, _OBJECT or _HEADS, _CLASS,
 * _DEFINE, _PRODUCER, _DUMP_END, and EVENT_LOSS of that time. Collections are not among them, nor
 * what another tracer's dump tells.
 *
 * One thread. That a dump cannot be had is no error of these functions, but its result.
 */
#ifndef GCTRACE_CLI_DUMP_H
#define GCTRACE_CLI_DUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../stream/source.h"

struct dump;

enum dump_outcome {
	DUMP_UNDER_WAY,
	DUMP_COMPLETE,	  /* the target said so; result.lost may have grown all the same */
	DUMP_ABORTED,	  /* by us; what came is a part */
	DUMP_GIVEN_UP,	  /* by the target, unasked; what came is a part */
	DUMP_END_LOST,	  /* its end never came, and losses were counted */
	DUMP_SILENT,	  /* it began, and then nothing more came */
	DUMP_NEVER_BEGAN, /* asked, and no answer */
	DUMP_TAKEN,	  /* another tracer held the request all the time */
	DUMP_TARGET_GONE, /* it ended, or executed something else */
	DUMP_FAILED,	  /* its ring, or the request, could not be had: said */
};

struct dump_result {
	enum dump_outcome outcome;
	bool begun;	   /* C_BEGIN came, or what follows it */
	bool began_by_loss; /* C_BEGIN itself did not */
	uint64_t number;   /* the target's own number of it; EVENT_UNKNOWN */
	uint64_t gc;	   /* the collection before it; EVENT_UNKNOWN */
	/* Come here, where their events are wanted; by heads an object counts in each part. */
	uint64_t objects, references, roots;
	uint64_t heap_bytes;		     /* of those objects */
	uint64_t stream_bytes;		     /* of records in the dump's ring */
	uint64_t lost;			     /* as EVENT_LOSS told in its midst */
	bool has_totals; /* of DUMP_END, which single probes don't tell */
	uint64_t told_objects, told_references, told_roots, told_bytes;
	uint64_t asked_ns, begun_ns, ended_ns; /* 0: not come to that */
	uint64_t stopped_ns; /* the pause that it began in, whole; 0: not known */
	uint64_t held; /* how often the target was asked to wait for us */
	size_t used_most; /* bytes of its ring in use at once, as far as was seen */
};

/* How far it is; `since_ns` counts from its beginning. */
struct dump_progress {
	uint64_t objects, heap_bytes, stream_bytes, since_ns;
	bool waiting; /* it has not begun yet */
};

struct dump_options {
	uint32_t target;	 /* index */
	const char *name;	 /* of it, for messages: escaped; must outlive the dump */
	uint64_t wait_ns;	 /* for another tracer's dump; 0: DUMP_WAIT_NS */
	uint64_t begin_ns;	 /* for its beginning; 0: DUMP_BEGIN_NS */
	uint64_t silence_ns;	 /* between two events of it; 0: DUMP_SILENCE_NS */
	struct event_sink sink;	 /* .event may be NULL */
	/* About ten times a second, from dump__record() or dump__turn(). May be NULL. */
	void (*progress)(void *context, const struct dump_progress *progress);
	void *context;
};

#define DUMP_WAIT_NS UINT64_C(60000000000)
#define DUMP_BEGIN_NS UINT64_C(20000000000)
#define DUMP_SILENCE_NS UINT64_C(30000000000)

/* What it does to the world: a live session, or that of a test. */
struct dump_ops {
	void *context;
	uint64_t (*now_ns)(void *context); /* CLOCK_MONOTONIC */
	/* Is the request up through somebody else? 1, 0, negative errno (-ESRCH: it is gone). */
	int (*is_taken)(void *context);
	/* If it is up only because a tracer was killed: have it lowered soon. */
	void (*lower_leftover)(void *context);
	/* Have a ring, and the target's records in it. 0, or negative errno, said. */
	int (*open_ring)(void *context);
	/* Raise the request and be sure that it is up. 0, or negative errno, said. */
	int (*ask)(void *context);
	/* Have it lowered soon. */
	void (*unask)(void *context);
	/* Have the target wait, or go on, soon. */
	void (*hold)(void *context, bool wait);
	/* Neither request is up any more, nor on its way. */
	bool (*is_silent)(void *context);
	/* The target's records go where they went before. */
	void (*leave_ring)(void *context);
	/* The ring goes; what is left in it is handed on by the next pull. */
	void (*close_ring)(void *context);
	/* What the ring holds unread now. */
	size_t (*used)(void *context);
};

/* Both are copied. NULL: no memory, said. */
struct dump *dump__new(const struct dump_options *options, const struct dump_ops *ops);

/* Gives up what is not over. NULL is legal. */
void dump__free(struct dump *dump);

/* Every event of the trace, of any target. 0, or what the sink answered. */
int dump__event(struct dump *dump, const struct event *event);
struct event_sink dump__sink(struct dump *dump);

/* A record of the dump's ring is about to be handed on; of the ring's `size` bytes `used` are. */
void dump__record(struct dump *dump, size_t bytes, size_t used, size_t size);

/* After each pull, at least ten times a second. */
void dump__turn(struct dump *dump);

/*
 * Stop it: nothing more is asked from now on. It is not over before the target has said so (C_END
 * always comes), or is gone, or silent.
 */
void dump__abort(struct dump *dump);

/*
 * The trace ends: a dump that the target has begun, or may have, goes on to its end, at most until
 * this moment; then it is stopped, and left within a second. One that was not requested yet, or was
 * and is not answered, ends now.
 */
void dump__finish(struct dump *dump, uint64_t until_ns);

/*
 * Let go of requests and ring at once, whatever the target may still tell: the trace ends. It is
 * over then; where no end had come, as one that was stopped.
 */
void dump__give_up(struct dump *dump);

/* The requests are down and the ring is gone. */
bool dump__is_over(const struct dump *dump);

/* Grows until it is over; valid as long as the dump. */
const struct dump_result *dump__result(const struct dump *dump);

const char *dump__name(const struct dump *dump); /* as given */

/* What the target said of it, if it did, in its own words: escaped. NULL: nothing. */
const char *dump__words(const struct dump *dump);

/* Complete, and nothing of it lost. */
bool dump__is_whole(const struct dump *dump);

/*
 * Say what became of it: a note where it is whole, a warning where a part of it came, an error
 * where nothing did. Once it is over.
 */
void dump__tell(const struct dump *dump);

/* For dump_options.progress: a line on a terminal. */
void dump__show_progress(void *context, const struct dump_progress *progress);

#endif
