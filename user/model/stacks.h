/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks of one target as a tree: what they share at their innermost ends is there once.
 *
 *	com.shop.Cache.put(Cache.java:31)           depth 1
 *	|-- com.shop.Store.load(Store.java:80)      depth 2
 *	|   `-- com.shop.Main.main(Main.java:12)    depth 3: a stack ends here
 *	`-- com.shop.Job.run(Job.java:19)           depth 2: another one
 *
 * So a node is a site, at each depth: the node at depth 1 is the line that allocates, whoever
 * called it, and the one where a stack ends is that whole stack. Node 0 is the root: it stands
 * for stacks of which nobody has told anything. Frames are the target's bytes.
 *
 * An END is a stack by its producer's id. A producer may forget one that no sample has any more
 * and give it another id when it comes again (HotSpot's agent), so that there are ever more of
 * them, all at the same nodes. Now and then all stacks are told again that there are: between two
 * of these is a ROUND. Ends of which nothing is heard in a round are forgotten, where there are
 * many more of them than nodes: who never tells a stack by two ids may tell each only once.
 */
#ifndef MODEL_STACKS_H
#define MODEL_STACKS_H

#include <stdint.h>

#include "base/vec.h"
#include "hash_slots.h"
#include "stream/event.h"

#define STACKS_ROOT 0u

struct stack_node {
	uint32_t parent, frame; /* of the root: none */
	uint32_t depth;		/* frames from the root, this one included */
};

struct stack_end {
	uint64_t id;	/* the producer's */
	uint32_t node;	/* where it ends */
	uint32_t round; /* in which it was told or used last */
};

struct stacks {
	VEC(struct text) frames; /* allocated */
	VEC(struct stack_node) nodes;
	VEC(struct stack_end) ends;
	struct hash_slots by_text, by_place, by_id;
	struct memory memory; /* of those, without a limit */
	uint32_t round;
};

/*
 * All zero is an empty one. Answers 0 or -ENOMEM.
 *
 * From EVENT_DEFINE: frames, innermost first, each ended by a line feed (the last one may do
 * without).
 */
int stacks__define(struct stacks *stacks, uint64_t id, struct text frames);

/* Where it ends; at the root as long as nothing was told of it. */
uint32_t stacks__node(const struct stacks *stacks, uint64_t id);

/* The same of one that a sample has: it is not forgotten in this round. */
int stacks__use(struct stacks *stacks, uint64_t id, uint32_t *node);

/* All that there are were told again. Forgets what was not heard of for more than `rounds`. */
int stacks__end_round(struct stacks *stacks, uint32_t rounds);

/* The node that a stack goes through at this depth, or where it ends before; 0: where it ends. */
uint32_t stacks__at(const struct stacks *stacks, uint32_t node, uint32_t depth);

/* What stands at a node; not for the root. */
struct text stacks__frame(const struct stacks *stacks, uint32_t node);

void stacks__free(struct stacks *stacks);

#endif
