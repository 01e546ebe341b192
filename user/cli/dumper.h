/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Heap dumps of a live trace's targets, one after the other: once, or again and again. For those
 * who want dumps in what is going on anyway (gctrace record --dump).
 *
 *	dumper__event()    every event of the trace
 *	dumper__turn()     after each round, every DUMPER_TURN_NS at least
 *	dumper__may_stop() before the trace is stopped
 *	dumper__drop()     where nobody reads any more: what is under way is missed by nobody
 *
 * A round goes through the targets that live when their turn comes. One that cannot be asked, or
 * does not answer, is told of and passed over. Rounds start `every_ns` after the one before
 * started, or at once where that took longer (a note says so the first time). After the first
 * round none is begun that could not end before the trace does, by how long those before took. A
 * wish of a later round that the end of the trace or of the process takes back is no failure; one
 * of the first round is.
 */
#ifndef GCTRACE_CLI_DUMPER_H
#define GCTRACE_CLI_DUMPER_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/clock.h"

struct dump_live;
struct event;
struct live;

#define DUMPER_TURN_NS (50 * NS_PER_MS)

struct dumper {
	uint64_t every_ns; /* 0: one round */
	uint64_t until_ns; /* when the trace ends, as far as that is known before; 0: it is not */
	bool is_quiet;	   /* of dumps that are whole: they are shown elsewhere */
	uint64_t finish_ns; /* so long a dump goes on when the trace is to stop; 0: it is stopped */
	struct live *live; /* NULL: not begun */
	struct dump_live *dump; /* under way; NULL */
	uint64_t dump_ns;  /* when that was begun */
	uint64_t longest_ns; /* that one took */
	uint32_t next;	   /* target of this round */
	bool is_in_round, is_done, is_stopping, said_late;
	bool had_round;	   /* each target was asked once, or could not be */
	uint64_t round_ns; /* when the next one starts */
	uint64_t begun;	   /* dumps of which at least a part came */
	uint64_t whole;
	uint64_t incomplete;
	uint64_t failed;   /* wishes of which nothing came */
};

/* After live__begin(). Zeroes but for the first four before that. */
void dumper__begin(struct dumper *dumper, struct live *live);

/* The trace has ended: gives up what is under way, and tells of it. */
void dumper__end(struct dumper *dumper);

/* The trace has ended, and so has whoever read it: gives up what is under way, says nothing. */
void dumper__drop(struct dumper *dumper);

int dumper__event(struct dumper *dumper, const struct event *event);
void dumper__turn(struct dumper *dumper);

/*
 * May the trace stop? With hurry no further dump is begun, and one under way has finish_ns from the
 * first time on that this is asked; without, the round goes on to its end.
 */
bool dumper__may_stop(struct dumper *dumper, bool hurry);

#endif
