/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whoever follows the objects of a trace (trace.h): between what is told and what is shown of it.
 *
 *	source --> feed --> show ---> assembler --ranges--> identity --.
 *	                     |                                 ^       |  what became of objects
 *	                     |  collections, results           | events|
 *	                     v                                 |       v
 *	                  follower (a view: view.h) <----- follower (a sink of events)
 *	                     |
 *	                     v
 *	                  view of the trace, view of followed objects (follow.h)
 *
 *	follower__new(&options, &follower);
 *	follower__join(follower, &trace);     before the trace is opened
 *	... the trace is opened, followed or read, and finished ...
 *	trace__close(&trace);
 *	follower__free(follower);
 *
 * Collections of which no object is known are shown as the view of the trace shows them: by what
 * their ranges add up to.
 */
#ifndef GCTRACE_CLI_FOLLOWER_H
#define GCTRACE_CLI_FOLLOWER_H

#include <stdbool.h>
#include <stdint.h>

struct dumper;
struct trace;

struct follower_options {
	const char *type;     /* glob; NULL: all */
	uint64_t top;	      /* types shown; 0: all */
	uint64_t id;	      /* of the object whose history is shown; 0: none */
	bool by_address;      /* the one that lies at an address after a collection */
	uint64_t address, at;
	bool live;	      /* paint a table, where the output is a terminal */
};

struct follower;

/* 0 or -ENOMEM, said. Options are copied. */
int follower__new(const struct follower_options *options, struct follower **out);
void follower__free(struct follower *follower);

/* The dumper (NULL: none) gets all events, too. Both must outlive the trace. */
void follower__join(struct follower *follower, struct trace *trace, struct dumper *dumper);

/* Once in a while: paints. 0 or negative errno, said. */
int follower__turn(struct follower *follower);

/* Was any object known, of any target? Valid to the end. */
bool follower__knew_objects(const struct follower *follower);
uint64_t follower__anchors(const struct follower *follower);
/* Did nobody tell what moved, and was it missed? After the end. */
bool follower__lacked_moves(const struct follower *follower);

/* After the end: was the object that was to be followed found? False after an error message. */
bool follower__found(const struct follower *follower);

#endif
