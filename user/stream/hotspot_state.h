/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the translator of HotSpot's probes remembers, and its parts: hotspot.c (operations and
 * pauses), hotspot_cause.c, hotspot_sequence.c (pools), hotspot_beside.c (what the agent adds). For
 * these files alone.
 */
#ifndef STREAM_HOTSPOT_STATE_H
#define STREAM_HOTSPOT_STATE_H

#include <stdbool.h>
#include <string.h>

#include "base/vec.h"
#include "hotspot_words.h"
#include "translator.h"

#define OPERATIONS 4 /* nested in one another; deeper ones are left out */
#define CAUSES 16    /* threads whose last cause is remembered: the oldest one goes */

struct name {
	char at[RECORD_TEXT_BYTES];
	size_t bytes;
};

struct cause {
	uint32_t tid;
	uint64_t stamp; /* 0: free */
	struct name text;
};

struct sequence;

/* What gctrace's agent says of a pause, and what is held back until it has. */
struct beside {
	bool is_heard; /* it has ever said anything */
	enum {
		BESIDE_NONE,
		BESIDE_AWAITED,
		BESIDE_NOTHING, /* nothing was collected */
		BESIDE_TOLD,
		BESIDE_UNTOLD,
	} verdict;		/* on the last pause */
	bool has_finish, has_end, several; /* collections in the pause */
	uint64_t generations;	/* that the one held back condemned */
	struct event finish, end; /* end.kind 0: the safepoint will end the stop */
};

struct hotspot {
	struct name operations[OPERATIONS];
	unsigned int depth;
	uint32_t vm_thread; /* the one that runs operations; 0: not known */

	uint64_t safepoint; /* when it was requested; EVENT_UNKNOWN: none, or that was not seen */
	uint64_t suspend_ns; /* from then until all threads stood still; EVENT_UNKNOWN */

	/* The stop: the whole safepoint, once something was collected in it. */
	enum {
		STOP_NONE,
		STOP_BEGUN,
		STOP_UNBEGUN, /* its begin was not seen */
	} stop;
	struct name stop_operation;
	enum {
		BRACKET_UNKNOWN,   /* no safepoint was seen so far */
		BRACKET_SAFEPOINT,
		BRACKET_GC,	   /* a JVM without probes of safepoints */
	} bracket;

	/* The collector's part of it, of which a stop may have several. */
	bool paused;
	uint64_t pause_start;
	bool pause_full;
	unsigned int pause_collections;

	/*
	 * After a loss. An operation may be running of which nothing is known, until a safepoint
	 * begins or ends; a cycle may be running, until one has ended.
	 */
	bool operation_doubted;
	bool cycle_doubted;

	struct cause causes[CAUSES];
	struct name last_manager;	  /* of the sequence that ended last */
	VEC(struct sequence *) sequences; /* that have not ended (hotspot_sequence.c) */

	struct beside beside;
};

/* One record being translated. */
struct step {
	struct hotspot *hotspot;
	const struct record *record;
	const struct event_sink *sink;
};

static inline int step__tell(const struct step *step, const struct event *event)
{
	return step->sink->event(step->sink->ctx, event);
}

static inline struct event step__event(const struct step *step, enum event_kind kind)
{
	return translator__event(step->record, kind);
}

static inline struct text name__text(const struct name *name)
{
	return (struct text){ name->at, name->bytes };
}

static inline void name__set(struct name *name, struct text text)
{
	name->bytes = text.bytes < sizeof(name->at) ? text.bytes : sizeof(name->at);
	if (name->bytes)
		memcpy(name->at, text.at, name->bytes);
}

static inline bool name__is(const struct name *name, struct text text)
{
	return text__equal(name__text(name), text);
}

/* The operation that runs; its name has no bytes where none is known, it itself is NULL then. */
struct text operation__name(const struct hotspot *hotspot);
const struct hotspot_operation *operation__now(const struct hotspot *hotspot);

/* Is this thread in an operation, or in a pause: does everything stand still? */
bool stands_still(const struct hotspot *hotspot, uint32_t tid);

/* Causes. What is forgotten will not be said of a later collection. */
int cause__note(const struct step *step, struct text text);
void cause__forget(struct hotspot *hotspot, uint32_t tid);
struct text cause__text(struct hotspot *hotspot, uint32_t tid);

/* Events of a collection. */
struct gc_start {
	uint64_t time, generations;
	uint32_t how;
	enum event_pools pools;
	struct text what;
	bool doubted;
};
int gc__start(const struct step *step, const struct gc_start *start);
int gc__finish(const struct step *step, uint64_t time, uint32_t tid, struct text what,
	       uint64_t generations);

/*
 * What is told beside. A pause begins. A collection of which the JVM does not say what it
 * condemns: it collects nothing, as far as the agent agrees. Its end, and that of its pause, by
 * these; and before each record: the agent has said nothing.
 */
void beside__begin(struct hotspot *hotspot);
uint64_t beside__generations(const struct hotspot *hotspot, uint64_t generations, uint32_t how);
int beside__finish(const struct step *step, const struct event *finish, uint64_t generations);
int beside__end(const struct step *step, const struct event *end); /* NULL: of a part of a stop */
int beside__settle(const struct step *step);
int hotspot__beside(void *state, const struct event *event, const struct event_sink *sink);

/* A pool as it was before, and as it is after. 0, what the sink answered, or negative errno. */
int pool__begin(const struct step *step, struct text manager, struct text name, uint64_t used);
int pool__end(const struct step *step, struct text manager, const struct record_pool *record,
	      struct text name);

/*
 * Sequences of which only the end was seen have no end that could be known: each ends with the
 * next record that is not of its manager (`except`). Call it with every record.
 */
int sequences__settle(const struct step *step, struct text except);

/* Say of the cycle that runs what it is: false when none does. */
bool sequences__cycle(struct hotspot *hotspot, const char *what);

/* How many run that are not cycles. */
unsigned int sequences__still(const struct hotspot *hotspot);

void sequences__free(struct hotspot *hotspot);

#endif
