/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the files of the follower share:
 *
 *	follower.c        its targets, its life
 *	follower_told.c   what it hears: events, and what the identity makes of them
 *	follower_view.c   what it shows, as a view of the trace
 */
#ifndef GCTRACE_CLI_FOLLOWER_PRIVATE_H
#define GCTRACE_CLI_FOLLOWER_PRIVATE_H

#include "../base/vec.h"
#include "../model/unfinished.h"
#include "../stream/source.h"
#include "../view/pace.h"
#include "../view/view.h"
#include "follow_history.h"
#include "follow_state.h"
#include "follower.h"

/* What became of objects in a collection that is not handed out yet. */
struct outcome {
	const struct collection *collection; /* its place, at which it will be handed out */
	struct identity_collection is;	     /* its blocks: NULL; those that stay are here */
	struct blocks blocks;		     /* figures only */
	bool has_blocks;
	bool ended_object; /* the one that is followed */
};

/* The dump that is being told, or was last. */
struct telling {
	uint64_t gc, time_ns, objects, bytes;
	struct unfinished unfinished;
};

struct followed {
	uint32_t target;
	const struct heading *heading; /* NULL: not headed yet */
	VEC(struct outcome) outcomes;
	struct telling telling;
	struct leak_watch watch;
	struct follow_history history;
	uint64_t new_; /* objects of anchors after the first one */
	bool exited, done;
	bool doubted; /* a collection was shown as in doubt */
};

struct follower {
	struct follower_options options;
	struct identity *identity;
	struct range_sink ranges;
	struct event_sink sink;
	struct view view; /* this is one */
	struct view *inner;
	struct follow_view *out;
	struct trace *trace;
	struct dumper *dumper; /* NULL: none */
	VEC(struct followed *) all;
	struct follow_gathering gathering;
	struct follow_figures total;
	uint64_t anchors;
	bool several, knew, found, met;
	bool ranged; /* something moved, or survived, of any target */
	bool live; /* a table is painted */
	struct pace pace; /* of its paints */
};

/* ---- follower.c ---- */

struct followed *follower__find(const struct follower *follower, uint32_t target);
/* NULL: no memory, said. */
struct followed *follower__need(struct follower *follower, uint32_t target);
bool follower__follows_one(const struct follower *follower);
/* It is over, and shown: what is known of it goes. */
int follower__forget(struct follower *follower, struct followed *followed);
/* False: nothing is known of it, or (*err) something failed. */
bool follower__look(const struct follower *follower, uint32_t target, struct identity_view *now,
		    int *err);
/* It has a heading from here on: 0, or what the output has answered. */
int follower__head(struct follower *follower, struct followed *followed);
/* A step of the one object, after a collection (NULL: none) or a dump (NULL: none). */
int follower__show_step(struct follower *follower, struct followed *followed,
			const struct collection *collection, const struct identity_anchor *anchor);

/* ---- follower_told.c ---- */

extern const struct identity_sink follower__told; /* its context is to be set */
int follower__hear(void *context, const struct event *event); /* for struct event_sink */

/* ---- follower_view.c ---- */

extern const struct view_form follower__form;
struct view *follower__dress(void *context, const struct view_options *options,
			     struct view *inner); /* for trace.dress */

#endif
