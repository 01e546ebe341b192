/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whoever follows the sampled allocations of a trace (trace.h), as follower.h does with all
 * objects:
 *
 *	site_follower__new(&options, &follower);
 *	site_follower__begin(follower);		the file that was asked for can be written
 *	site_follower__join(follower, &trace);	before the trace is opened
 *	... the trace is opened, followed or read, and finished ...
 *	site_follower__end(follower, err);	writes it
 *	trace__close(&trace);
 *	site_follower__free(follower);
 *
 * Collections are not shown (or, if verbose, by what they did to samples): what there is of sites
 * is, every now and then.
 */
#ifndef GCTRACE_CLI_SITE_FOLLOWER_H
#define GCTRACE_CLI_SITE_FOLLOWER_H

#include <stdbool.h>
#include <stdint.h>

#include "../model/site_groups.h"

struct trace;

enum site_export { SITE_EXPORT_PPROF, SITE_EXPORT_FOLDED, SITE_EXPORT_FOLDED_ALLOCATED,
		   SITE_EXPORT_FOLDED_OLD, SITE_EXPORT_NONE };

struct site_follower_options {
	enum sites_by by;
	uint32_t depth;	    /* 0: whole stacks */
	uint64_t age;	    /* at least */
	uint64_t top;	    /* rows shown; 0: all */
	const char *type;   /* glob; NULL: all */
	uint64_t every_ns;  /* between two rounds */
	enum site_export as;
	const char *output; /* file of the export */
	bool verbose;	    /* show what each collection did */
	bool live;	    /* paint a table, where the output is a terminal */
};

struct site_follower;

/* 0 or -ENOMEM, said. Options are copied. */
int site_follower__new(const struct site_follower_options *options, struct site_follower **out);
void site_follower__free(struct site_follower *follower);

void site_follower__join(struct site_follower *follower, struct trace *trace);

/* Once in a while: shows a round if one is due, paints. 0 or negative errno, said. */
int site_follower__turn(struct site_follower *follower);

/* Was any sample told, of any target? */
bool site_follower__knew(const struct site_follower *follower);

/* Was more said to live than the heap in use can hold, of any target? */
bool site_follower__is_contradicted(const struct site_follower *follower);

/*
 * Opens the file that the options ask for, with the rights that a trace gives up: draft.h. 0 or
 * negative errno, said.
 */
int site_follower__begin(struct site_follower *follower);

/* err: how the trace went; only a whole one is written. err, or a negative errno, said. */
int site_follower__end(struct site_follower *follower, int err);

#endif
