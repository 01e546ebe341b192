/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the model believes of objects that a test knows the truth about.
 *
 * The test numbers its objects and says of each where it really is (belief__state()). What the
 * model knows of them it gets from that truth, as a heap dump now and then (belief__dump()): so it
 * is moves and survivals that are tested, through kernel, ring and decoder. Or the recording has
 * dumps of its own, and objects that the truth has, too, are met in the model (belief__meet()).
 */
#ifndef TESTS_PROOF_BELIEF_H
#define TESTS_PROOF_BELIEF_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/identity.h"

struct state {
	uint64_t address, size, class_;
	uint64_t model; /* its id there; 0: none */
	bool here;
	bool unreached; /* nothing refers to it; it may be where it was, until it is collected */
};

struct place_of {
	uint64_t address, id;
};

struct belief {
	bool has_dumps; /* the recording has; objects of which the truth knows nothing are right */
	struct identity *identity;
	struct assembler *assembler;
	VEC(struct state) states;	 /* by the truth's ids */
	VEC(uint64_t) ids;		 /* the truth's, by the model's */
	VEC(struct place_of) by_address; /* of those that are there */
	VEC(uint64_t) dead; /* the model's ids, of the collections since the last comparison */
	bool in_pause;
	uint64_t running;   /* number of the concurrent collection; 0: none */
	uint64_t collections; /* that the test had a truth of: it counts */
	uint64_t compared, deaths, anchors, matched, gone, withdrawn, conflicts, wrong, losses;

	/* The test's own, both may be NULL: a collection has ended; an event, before and after
	 * the model has it. Else than 0 ends the reading. */
	int (*collection)(struct belief *belief, const struct identity_collection *told);
	int (*before)(struct belief *belief, const struct event *event);
	int (*after)(struct belief *belief, const struct event *event);
};

/* Feed a recording to the model. Without memory the program ends. 0 or negative errno. */
int belief__read(struct belief *belief, const char *recording);
void belief__free(struct belief *belief);

/* Of an object of the truth. Valid until the next call. */
struct state *belief__state(struct belief *belief, uint64_t id);

/* The model against all states, and what it said died since the last time. 0 or negative errno. */
int belief__compare(struct belief *belief, uint32_t target);

/* Tell the model where everything is, at the moment of this event. 0 or negative errno. */
int belief__dump(struct belief *belief, const struct event *now);

/* Know the model's objects that lie where one of the truth's does. 0 or negative errno. */
int belief__meet(struct belief *belief, uint32_t target);

/* One line of what was compared; the exit status: 0 fine, 1 wrong, 2 nothing was compared. */
int belief__report(const struct belief *belief);

#endif
