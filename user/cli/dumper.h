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
 * started, or at once where that took longer (a note says so the first time). A wish of a later
 * round that the end of the trace or of the process takes back is no failure; one of the first
 * round is.
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
	bool is_quiet;	   /* of dumps that are whole: they are shown elsewhere */
	struct live *live; /* NULL: not begun */
	struct dump_live *dump; /* under way; NULL */
	uint32_t next;	   /* target of this round */
	bool is_in_round, is_done, is_stopping, said_late;
	bool had_round;	   /* each target was asked once, or could not be */
	uint64_t round_ns; /* when the next one starts */
	uint64_t begun;	   /* dumps of which at least a part came */
	uint64_t whole;
	uint64_t failed;   /* wishes of which nothing came */
};

/* After live__begin(). Zeroes but for every_ns and is_quiet before that. */
void dumper__begin(struct dumper *dumper, struct live *live);

/* The trace has ended: gives up what is under way, and tells of it. */
void dumper__end(struct dumper *dumper);

/* The trace has ended, and so has whoever read it: gives up what is under way, says nothing. */
void dumper__drop(struct dumper *dumper);

int dumper__event(struct dumper *dumper, const struct event *event);
void dumper__turn(struct dumper *dumper);

/*
 * May the trace stop? With hurry a dump under way is stopped, and no further one begun; without,
 * the round goes on to its end.
 */
bool dumper__may_stop(struct dumper *dumper, bool hurry);

#endif
