/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trace that is shown: what every command that shows collections is made of.
 *
 *	source (live, or a recording) --> feed --> show --> view --> stdout
 *
 *	trace__init(&trace, ...);
 *	trace__open_live(&trace, ...);    then add processes to trace.live
 *	trace__begin(&trace);
 *	status = trace__finish(&trace, trace__follow(&trace, NULL));
 *	trace__close(&trace);
 *
 * or trace__open_file() and trace__read(). Functions return 0 or negative errno after an error
 * message.
 */
#ifndef GCTRACE_CLI_TRACE_H
#define GCTRACE_CLI_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/vec.h"
#include "../view/output.h"
#include "../view/terminal.h"
#include "settings.h"
#include "status.h"

struct event_sink;
struct feed;
struct live;
struct live_options;
struct range_sink;
struct recording;
struct recording_writer;
struct show;
struct view;
struct view_options;

struct trace {
	/* As given to trace__init(). */
	const struct trace_settings *tracing;
	const struct view_settings *viewing;
	const struct output_settings *form;

	int fd;		  /* where the trace goes: stdout, unless set to another before it begins */
	const char *name; /* of that, for messages */

	bool samples;	  /* collections wait for what samples tell of them */
	bool quiet;	  /* count collections, show only headings and results */
	/*
	 * Who gets all events too, behind what is shown of them, and which (FEED_WANTS) besides
	 * those that collections are made of; the caller's, set before the trace begins. NULL:
	 * nobody.
	 */
	const struct event_sink *also;
	uint64_t also_wants;
	/* Who gets the ranges of collections; the caller's. NULL: nobody. */
	const struct range_sink *ranges;
	/*
	 * Makes the view that shows the trace of the one that would: it takes that over, also when
	 * it fails (NULL, said). NULL: that one shows it.
	 */
	struct view *(*dress)(void *context, const struct view_options *options,
			      struct view *inner);
	void *dress_context;
	/* Live: where all records are written too; the caller's. NULL: nowhere. */
	struct recording_writer *writer;

	struct terminal terminal;
	struct output output;
	struct view *view;
	struct live *live;	     /* or */
	struct recording *recording; /* one of these */
	struct feed *feed;
	struct show *show;
	VEC(uint32_t) joined; /* targets of which more is known, to be said after the round */
	uint64_t start_ns;
	uint64_t end_ns; /* when it was stopped; 0: not yet */
	bool enough;	 /* with `also`: as many collections were shown as were to be */
};

/* The settings must outlive the trace. Signals must be installed (signals.h). */
void trace__init(struct trace *trace, const struct trace_settings *tracing,
		 const struct view_settings *viewing, const struct output_settings *form);
void trace__close(struct trace *trace);

/* What is needed of struct live_options besides the settings; NULL: nothing. */
int trace__open_live(struct trace *trace, const struct live_options *options);

/* After the processes that are known at the start have been added. */
int trace__begin(struct trace *trace);

/*
 * Live: until all targets have ended, the time is up, or somebody stops it. What somebody is
 * who does more than that (each may be NULL):
 */
struct trace_hooks {
	void *context;
	/* After each round; negative errno ends the trace. */
	int (*turn)(void *context);
	/* Is it over? Instead of: no target lives. */
	bool (*over)(void *context);
	/* A stop was asked for by a signal. Instead of stopping. */
	void (*interrupted)(void *context);
	/*
	 * It is to stop, by a signal or the time (hurry), or because enough was shown: may it?
	 * Asked after each round until it says so. Instead of: it may.
	 */
	bool (*may_stop)(void *context, bool hurry);
	uint64_t wait_ns; /* a turn at least this often; 0: every 200 ms */
	/* What goes on while nobody reads what is shown (output.h). NULL: nothing. */
	const struct output_aside *aside;
};
int trace__follow(struct trace *trace, const struct trace_hooks *hooks);

/* A recording, as a whole. */
int trace__open_file(struct trace *trace, const char *path);
int trace__read(struct trace *trace);

/* Shows the results; err: what trace__follow() or trace__read() returned. The exit status. */
enum status trace__finish(struct trace *trace, int err);

#endif
