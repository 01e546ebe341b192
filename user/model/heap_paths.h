/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who keeps an object alive: ways from a root to it.
 *
 * Ways begin at a root (a node of level HEAP_ROOT_REFERENCE; heap__root() tells the frame, the
 * static and so on that it is) and follow references that keep alive; heap__field() names each
 * step. Length is counted in references, the root's own included.
 *
 * WHICH ROOT. What a static, a global or a handle holds stays, what a stack holds goes with its
 * frame. So a root costs something at the beginning of a way (enum heap_root_rank): a way from a
 * static is preferred to one from a stack that is up to HEAP_PATHS_STACK shorter. A constant in
 * compiled code comes last: it is a way only to what no other root leads to.
 */
#ifndef MODEL_HEAP_PATHS_H
#define MODEL_HEAP_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "heap.h"

/* The better a root explains why an object stays, the lower. */
enum heap_root_rank {
	HEAP_RANK_STATIC, /* statics, globals, handles, thread statics */
	HEAP_RANK_OTHER,  /* the runtime's own, finalizers, monitors, kinds of the producer's own */
	HEAP_RANK_STACK,
	HEAP_RANK_CODE, /* constants in compiled code */
	HEAP_RANKS
};
enum heap_root_rank heap_root__rank(uint64_t container_type, uint64_t kind);

#define HEAP_PATHS_STACK 4 /* references that a way from a stack must be shorter to be preferred */

/*
 * A cheapest way to every object: breadth first from all roots, once for all objects. Costs 8
 * bytes a row, and 4 more while it is made. 0, -ENOMEM or -EDQUOT.
 */
struct heap_paths;
int heap_paths__new(struct heap *heap, struct heap_paths **paths);
void heap_paths__free(struct heap_paths *paths); /* NULL is legal */

/* References from that root: 1 and more; 0 for a root; HEAP_NONE: none reaches it. */
uint32_t heap_paths__length(const struct heap_paths *paths, uint32_t place);

/* The same, and what the root costs: ways are in this order. */
uint32_t heap_paths__cost(const struct heap_paths *paths, uint32_t place);

/* One step towards that root; HEAP_NONE at it, and for what is not reached. */
uint32_t heap_paths__before(const struct heap_paths *paths, uint32_t place);

/*
 * All ways to one object that lead over no object twice, the cheapest first. Looks at `most` steps
 * in all, since there can be more ways than anybody has time for.
 */
struct heap_referrers;
struct heap_path_search;
int heap_path_search__new(const struct heap_paths *paths, const struct heap_referrers *referrers,
			  uint32_t place, uint64_t most, struct heap_path_search **search);
void heap_path_search__free(struct heap_path_search *search); /* NULL is legal */

/*
 * 1: *places has the next way, a root first, the object last, *count of them, valid until the
 * next call. 0: there are no more, or heap_path_search__is_cut() and there may be. Or an error.
 */
int heap_path_search__next(struct heap_path_search *search, const uint32_t **places,
			   size_t *count);
bool heap_path_search__is_cut(const struct heap_path_search *search);

#endif
