/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From events to collections.
 *
 * One assembler serves all targets of a trace. It is fed with events in their order and hands
 * out each collection once, when it is over and its figures stand: at the end of the pause that
 * it ended in, or at its gc_finish where no pause is open. So nothing that a collection reports
 * is counted before the collection has ended, and nothing twice.
 *
 * It holds counters, not ranges: memory is bounded by the number of running collections and of
 * pools, whatever is reported. Whoever needs the ranges themselves (object identity) gives a
 * struct range_sink and keeps them by transaction.
 */
#ifndef MODEL_ASSEMBLER_H
#define MODEL_ASSEMBLER_H

#include <stdbool.h>
#include <stdint.h>

#include "collection.h"

/*
 * What a producer said that fits nothing, and no loss explains. Each breaks only the figures of
 * what it touches.
 */
struct assembler_odd {
	uint64_t stray_reports;	 /* of ranges or pools, for a collection that was over */
	uint64_t unfinished;	 /* collections whose gc_finish never came */
	uint64_t unbegun;	 /* gc_finish without a gc_start, other than at the attach */
	uint64_t pauses_unended; /* pause_begin without a pause_end */
	uint64_t pauses_unbegun; /* the reverse, other than at the attach */
	uint64_t overlong;	 /* ranges that wrap around the address space: not counted */
	uint64_t names_dropped;	 /* definitions beyond the memory bound for names */
	uint64_t crowded;	 /* collections with more of something than is kept */
};

/*
 * What comes out. Each function may be NULL. The first answer that is not 0 is the result of
 * assembler__event() (negative: an error; positive: enough was seen); what else that event
 * brings about is done and handed out all the same.
 */
struct assembler_sink {
	void *context;
	int (*collection)(void *context, const struct collection *collection);
	/* A pause is over. `collections`: how many took part in it; 0: it was for others. */
	int (*pause)(void *context, const struct pause *pause, unsigned int collections);
	/* All of this target has been handed out. */
	int (*ended)(void *context, uint32_t target, const struct assembler_odd *odd);
};

/*
 * The ranges of a transaction, for those who keep them. For each collection, in this order: start()
 * at its gc_start, if that is seen; report() as reports arrive, any number, some of them perhaps
 * before start(); pause_end() when a pause that the collection took part in is over: the moves
 * reported by then hold, phase by phase; finish() when the collection is over and deaths can be
 * decided (from pause_end() on collection->end_ns tells that its gc_finish came). `id` is a number
 * that is not used twice in a target. A collection that is partial or cut off gets drop() instead
 * of finish(), and what was not yet applied must not be. `over`: so it is because the trace of the
 * target has ended in its midst: what was known before it is what is known last, whatever else
 * comes. Of generation g only the reports of width `width(g)` count.
 */
struct range_transaction {
	uint64_t id;
	uint32_t target;
	const struct collection *collection; /* as far as it is known; whole at finish() */
	const void *widths;		     /* for range_transaction__width() */
	bool over;
};

struct range_sink {
	void *context;
	int (*start)(void *context, const struct range_transaction *transaction);
	int (*report)(void *context, const struct range_transaction *transaction,
		      const struct event *report);
	int (*pause_end)(void *context, const struct range_transaction *transaction);
	int (*finish)(void *context, const struct range_transaction *transaction);
	int (*drop)(void *context, const struct range_transaction *transaction);
};

/* 4 or 8; 0 where nothing was reported for this generation. */
uint32_t range_transaction__width(const struct range_transaction *transaction,
				  uint64_t generation);

struct assembler;

/* Both sinks are copied; ranges may be NULL. NULL: no memory. */
struct assembler *assembler__new(const struct assembler_sink *sink,
				 const struct range_sink *ranges);
void assembler__free(struct assembler *assembler);

/* Feed one event. 0, -ENOMEM, or what a sink answered. */
int assembler__event(struct assembler *assembler, const struct event *event);

/*
 * Everything that this target tells is heard from this moment on. Until then something was heard
 * and something may have been missed, so what starts before is partial, also where its start
 * was seen.
 */
int assembler__whole_from(struct assembler *assembler, uint32_t target, uint64_t ns);

/*
 * The trace is over at this moment: its probes are detached from then on, one before the other. So
 * what begins later is not told, nor is what ends later and was not seen beginning. What goes on at
 * that moment is cut off where more is reported than starts and ends, also where its end is seen:
 * some of it may have found no probe.
 */
void assembler__over_from(struct assembler *assembler, uint64_t ns);

/*
 * This target ends here (it exited, or the trace is over): what runs is handed out as cut off.
 * EVENT_EXEC and EVENT_EXIT do the same. Afterwards the target is forgotten.
 */
int assembler__end(struct assembler *assembler, uint32_t target);

/* The same for all targets that are left. */
int assembler__end_all(struct assembler *assembler);

/*
 * A stop of this target that goes on now: since when, and for what; valid until the next event.
 * False: none is known.
 */
bool assembler__stopped(const struct assembler *assembler, uint32_t target, uint64_t *since_ns,
			struct text *what);

/* Of one target, up to its end; zeros for one that is not known. */
struct assembler_odd assembler__odd(const struct assembler *assembler, uint32_t target);

#endif
