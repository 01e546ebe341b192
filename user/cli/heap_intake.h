/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the source of heap graphs share (heap_source.h): a dump on its way into a
 * graph, wherever it comes from.
 *
 *	heap_source.c         the intake below
 *	heap_source_live.c    a process, which is asked for a dump
 *	heap_source_file.c    a recording; follows the objects up to its dump
 */
#ifndef GCTRACE_CLI_HEAP_INTAKE_H
#define GCTRACE_CLI_HEAP_INTAKE_H

#include <stdint.h>

#include "../stream/feed.h"
#include "heap_source.h"

struct event;
struct facts;
struct heap_builder;
struct process;

/* Which events make a graph, or a count of what there is of each type. */
static inline uint64_t intake__wants(const struct heap_source_options *options)
{
	const uint64_t all = FEED_WANTS(EVENT_PRODUCER) | FEED_WANTS(EVENT_CONTAINER) |
			     FEED_WANTS(EVENT_CLASS) | FEED_WANTS(EVENT_DEFINE) |
			     FEED_WANTS(EVENT_DUMP_END);

	return all | (options->counts_only ? FEED_WANTS(EVENT_HEADS) :
					     FEED_WANTS(EVENT_ROOTS) | FEED_WANTS(EVENT_OBJECT));
}

struct intake {
	struct heap_source *source;
	struct facts *said; /* by the targets themselves */
	struct heap_builder *builder;
	uint64_t limit; /* of memory, in bytes; 0: none */
	bool counts_only;
	bool is_of_jvm; /* the dump is the JVM's own, and not of gctrace's agent */
};

/* 0, or negative errno after an error message, as all of these. intake__end() in any case. */
int intake__begin(struct intake *intake, struct heap_source *source,
		  const struct heap_source_options *options);
void intake__end(struct intake *intake);

/*
 * The dump of this process is about to be asked for: all that can be done before that is done now,
 * and not while it stands still.
 */
void intake__expect(struct intake *intake, const struct process *process);

/* For a sink: an event of the dump; context is the intake. */
int intake__take(void *context, const struct event *event);

/* EVENT_PRODUCER: it says who it is when it starts or is attached to, mostly before the dump. */
int intake__producer(struct intake *intake, const struct event *event);

/* What is known of the target; what was told first goes before what others know. */
void intake__facts(struct heap_source *source, const struct facts *facts, uint32_t target);

/* After all has been told, or as much as came: the source has its graph. */
int intake__finish(struct intake *intake);

#endif
