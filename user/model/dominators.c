/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Dominators by Semi-NCA (Georgiadis, Tarjan, Werneck: Finding dominators in practice, 2006), laid
 * out for a machine whose memory is hundreds of times slower than its arithmetic.
 *
 *	1. number all rows depth first        depth_first()        one cache miss a row
 *	2. semi-dominators, highest first     semidominators()     in blocks that fit the L2 cache
 *	3. idom = nearest common ancestor of parent and semi-dominator
 *
 * semi(w) is the lowest number from which a path leads to w through numbers above w only. It is
 * the least of
 *	- the predecessors below w: and of those the one that pushed w first is the lowest, because
 *	  numbers grow while we go. One store when w is pushed; no list of predecessors anywhere;
 *	- eval(v) of each predecessor v above w: the least semi on v's tree path down from w. Only
 *	  these edges (to rows that were visited already) are written down.
 *
 * BLOCKS. Edges are put into buckets by the upper bits of their target: one bucket for each 64 Ki
 * numbers, in chunks of a page, 6 bytes an edge. Blocks are worked from the last to the first: the
 * bucket is sorted by target (counting), so the predecessors stand in the order of their use and
 * can be fetched ahead; and when the block is done, one ascending pass over it, still in the L2
 * cache, makes each of its rows point out of the block:
 *
 *	  block b               block b+1 (done)           label: least semi up to, without, anc
 *	+-------------------+ +----------------------+     anc:   where to look on
 *	| o<--o<--o     o<-------o   o   o    o      |
 *	|             <---------------'   |    |     |     a walk takes one step for each block at
 *	|     <---------------------------'    |     |     most, whatever the shape of the tree, and
 *	+-------------------+ +----------------|-----+     halves with each walk (path splitting)
 *	                ^----------------------'
 *
 * Two things need no walk. Nothing has a semi-dominator below the last of the nodes that all ways
 * lead through first: what has come down to it (what the whole program shares, which has most of
 * the references) is done. And below the first block with edges into it nobody asks for labels.
 *
 * Four blocks make a span, four spans a larger one, and so on. With its lowest block a span is
 * done, and swept as well: a walk over many blocks then goes by spans (a random graph: 4.2 steps
 * instead of 6.3), for one more pass in order over a share of the rows.
 *
 * DEPTH FIRST without recursion: all children of a row that nobody has visited are pushed, a row
 * is visited when it is popped. Two bits a row (unseen, pushed, visited, leaf) stay in the cache
 * and say whether a row has to be looked at. A mark below the children of a row keeps the parent to
 * return to; the last child needs none, so a list takes no stack. Edges to visited rows wait in
 * a ring until the numbers of their targets have arrived. Leaves are numbered at once.
 *
 * NEAR FIRST. In which order a row's children are visited is free. Collectors and allocators put
 * next to one another what belongs together, so those that lie near their parent are pushed last
 * and visited first: a structure is walked while the cache has it, and what is far away waits. The
 * nearest of all does not go over the stack: whether it is visited next must not depend on states
 * of far ones that have yet to arrive.
 */
#include "dominators.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifndef BLOCK_SHIFT /* a test makes them small */
#define BLOCK_SHIFT 16 /* struct edge keeps that many bits */
#endif
#define BLOCK (1u << BLOCK_SHIFT)
#define SPAN_BLOCKS 4 /* of the next smaller kind in a span */
#define RING 512
#define RING_KEPT 32 /* too young to have arrived */
#define FAR 32	     /* edges ahead: fetch the entry */
#define NEAR 12	     /* edges ahead: fetch where it points to */
#define BESIDE 4096u /* words between rows that are near one another */
#define HELD 64u     /* near ones, until the far ones of their parent are pushed */

enum state { UNSEEN, PUSHED, VISITED, LEAF };

struct edge {
	uint32_t from;
	uint16_t to;
} __attribute__((packed));

#define CHUNK_EDGES 681u
struct chunk {
	uint32_t before; /* chunk + 1; 0: none */
	uint32_t count;
	struct edge edges[CHUNK_EDGES];
} __attribute__((aligned(4)));

struct buckets {
	struct memory *memory;
	uint32_t *last; /* chunk + 1, by block */
	uint32_t blocks;
	struct pile chunks;
};

struct info {
	uint32_t anc, label;
};

struct search {
	struct heap_rows *rows;
	struct memory *memory;
	uint8_t *states;
	uint32_t *stack;
	uint64_t top, stack_room;
	uint32_t *parent, *semi; /* semi: first the lowest predecessor */
	struct buckets buckets;
	struct {
		uint32_t to, from;
	} ring[RING];
	uint32_t waiting;
};

/* ---------------------------------------------------------------------------------------------
 * Buckets of edges
 */

static struct chunk *chunk_at(const struct buckets *buckets, uint32_t number)
{
	return (struct chunk *)(void *)buckets->chunks.at + (number - 1);
}

static bool begin_chunk(struct buckets *buckets, uint32_t block)
{
	struct chunk *fresh = pile__add(&buckets->chunks, buckets->memory, sizeof(*fresh));

	if (!fresh)
		return false;
	fresh->before = buckets->last[block];
	fresh->count = 0;
	buckets->last[block] = (uint32_t)(buckets->chunks.used / sizeof(*fresh));
	return true;
}

static inline bool add_edge(struct buckets *buckets, uint32_t from, uint32_t to)
{
	const uint32_t block = to >> BLOCK_SHIFT;
	struct chunk *chunk;

	if (to >= from) /* a leaf that one row names twice, and ROW_NOWHERE */
		return true;
	if (!buckets->last[block] ||
	    chunk_at(buckets, buckets->last[block])->count == CHUNK_EDGES)
		if (!begin_chunk(buckets, block))
			return false;
	chunk = chunk_at(buckets, buckets->last[block]);
	chunk->edges[chunk->count++] = (struct edge){ from, (uint16_t)(to & (BLOCK - 1)) };
	return true;
}

/* ---------------------------------------------------------------------------------------------
 * Depth first
 */

/* Rows are at least four words apart: four of them share a byte. */
static inline uint32_t shift_of(uint32_t place)
{
	return place >> 1 & 6;
}

static inline uint32_t state_of(const uint8_t *states, uint32_t place)
{
	return states[place >> 4] >> shift_of(place) & 3;
}

static inline bool is_beside(uint32_t place, uint32_t other)
{
	return place - other + BESIDE < 2 * BESIDE;
}

static void find_leaves(struct search *search)
{
	struct row_walk walk = rows__walk(search->rows);

	search->states[ROW_NOWHERE] |= VISITED;
	while (row_walk__next(&walk)) {
		const uint32_t type = rows__at(search->rows, walk.place)[ROW_TYPE];
		const uint32_t leaf = type & ROW_HAS_REFERENCES ? 0 : LEAF;

		search->states[walk.place >> 4] |= (uint8_t)(leaf << shift_of(walk.place));
	}
}

/* Edges whose targets' numbers have arrived go to their buckets; the last `keep` stay. */
static bool empty_ring(struct search *search, uint32_t waiting, uint32_t keep)
{
	const uint32_t gone = waiting - keep;

	for (uint32_t i = 0; i < gone; i++) {
		const uint32_t to = rows__at(search->rows, search->ring[i].to)[ROW_NUMBER];

		if (!add_edge(&search->buckets, search->ring[i].from, to))
			return false;
	}
	memmove(search->ring, search->ring + gone, keep * sizeof(*search->ring));
	return true;
}

static bool grow_stack(struct search *search)
{
	const uint64_t room = search->stack_room + search->stack_room / 2 + 4096;
	uint32_t *stack = memory__resize(search->memory, search->stack, search->stack_room * 4,
					 room * 4);

	if (!stack)
		return false;
	search->stack = stack;
	search->stack_room = room;
	return true;
}

/* Room for all that one reference may push. False: no memory, or the limit. */
static inline bool has_room(struct search *search, uint64_t top)
{
	return __builtin_expect(top + HELD + 2 <= search->stack_room, 1) || grow_stack(search);
}

/* The first of them on top; the new top. */
static uint64_t push_held(struct search *search, uint64_t top, const uint32_t *held, uint32_t count)
{
	while (count)
		search->stack[top++] = held[--count];
	return top;
}

/*
 * Push what the row of number `me` refers to and nobody has visited; number its leaves. The first
 * near one is *next (ROW_NONE: none): it would be popped at once. What can not be foreseen (has it
 * been seen? visited? is it near?) is done without branches.
 */
static bool push_children(struct search *search, uint32_t place, uint32_t me, uint32_t *numbers,
			  uint32_t *next)
{
	uint32_t *const rows = rows__at(search->rows, 0), *at = rows + place + ROW_REFERENCES;
	uint8_t *const states = search->states;
	uint32_t held[HELD], holds = 0, waiting = search->waiting, word, dummy;
	uint64_t top = search->top;

	do {
		word = *at++;
		const uint32_t to = word & ROW_LOW, state = state_of(states, to);
		const uint32_t shift = shift_of(to);

		__builtin_prefetch(rows + to, 1); /* before its state, a miss as well, is known */
		if (__builtin_expect(state == LEAF, 0)) {
			states[to >> 4] ^= (uint8_t)(1u << shift); /* visited */
			search->parent[*numbers] = search->semi[*numbers] = me;
			rows[to + ROW_NUMBER] = (*numbers)++;
			continue;
		}
		if (!has_room(search, top))
			return false;
		search->stack[top] = held[holds] = to;
		top += (state < VISITED) & !is_beside(to, place);
		holds += (state < VISITED) & is_beside(to, place);
		if (__builtin_expect(holds == HELD, 0)) {
			top = push_held(search, top, held, holds);
			holds = 0;
		}
		search->ring[waiting].to = to;
		search->ring[waiting].from = me;
		waiting += (state == VISITED) & (to != place);
		states[to >> 4] |= (uint8_t)((state == UNSEEN) << shift);
		*(state == UNSEEN ? rows + to : &dummy) = me; /* its lowest predecessor */
		if (__builtin_expect(waiting == RING, 0)) {
			if (!empty_ring(search, waiting, RING_KEPT))
				return false;
			waiting = RING_KEPT;
		}
	} while (!(word & ROW_HIGH));
	*next = holds ? held[0] : ROW_NONE;
	search->top = push_held(search, top, held + (holds > 0), holds - (holds > 0));
	search->waiting = waiting;
	return true;
}

/* The next row to visit, and its parent; ROW_NONE: all are. */
static uint32_t pop(struct search *search, uint32_t *parent)
{
	while (search->top) {
		const uint32_t word = search->stack[--search->top];

		if (word & ROW_HIGH)
			*parent = word & ROW_LOW;
		else if (state_of(search->states, word) != VISITED)
			return word;
	}
	return ROW_NONE;
}

/* How many rows were reached; 0: no memory, or the limit. */
static uint32_t depth_first(struct search *search)
{
	uint32_t place = search->rows->root, numbers = 0, parent = 0, next;

	if (!grow_stack(search))
		return 0;
	rows__at(search->rows, place)[ROW_NUMBER] = 0;
	for (; place != ROW_NONE; place = next != ROW_NONE ? next : pop(search, &parent)) {
		uint32_t *row = rows__at(search->rows, place), me = numbers++;
		const uint32_t shift = shift_of(place), references = row[ROW_TYPE];
		bool marked;
		uint64_t before;

		search->semi[me] = row[ROW_NUMBER];
		search->parent[me] = parent;
		row[ROW_NUMBER] = me;
		next = ROW_NONE;
		search->states[place >> 4] =
			(uint8_t)((search->states[place >> 4] & ~(3u << shift)) | VISITED << shift);
		if (!(references & ROW_HAS_REFERENCES))
			continue;
		marked = search->top && !(search->stack[search->top - 1] & ROW_HIGH);
		if (marked)
			search->stack[search->top++] = ROW_HIGH | parent;
		before = search->top;
		if (!push_children(search, place, me, &numbers, &next))
			return 0;
		if (search->top != before || next != ROW_NONE)
			parent = me;
		else
			search->top -= marked;
	}
	return empty_ring(search, search->waiting, 0) ? numbers : 0;
}

/* ---------------------------------------------------------------------------------------------
 * Semi-dominators
 */

/* The edges into a block, sorted: those into its highest number first, up to end[0], and so on. */
struct block_edges {
	uint32_t low, span; /* of the block's numbers */
	uint32_t *end;
	uint32_t *from;
	uint64_t room;
};

static bool sort_block(struct block_edges *edges, const struct buckets *buckets)
{
	const uint32_t block = edges->low >> BLOCK_SHIFT, span = edges->span;
	uint64_t total = 0;
	uint32_t *from;

	memset(edges->end, 0, (span + 1) * sizeof(*edges->end));
	for (uint32_t c = buckets->last[block]; c; c = chunk_at(buckets, c)->before) {
		const struct chunk *chunk = chunk_at(buckets, c);

		total += chunk->count;
		for (uint32_t i = 0; i < chunk->count; i++)
			edges->end[span - chunk->edges[i].to]++;
	}
	if (total + FAR + 1 > edges->room) {
		const uint64_t room = total + total / 4 + FAR + 1;

		from = edges->from ? memory__resize(buckets->memory, edges->from, edges->room * 4,
						    room * 4) :
				     memory__get(buckets->memory, room * 4);
		if (!from)
			return false;
		edges->from = from;
		edges->room = room;
	}
	for (uint32_t i = 0; i < span; i++)
		edges->end[i + 1] += edges->end[i];
	for (uint32_t c = buckets->last[block]; c; c = chunk_at(buckets, c)->before) {
		const struct chunk *chunk = chunk_at(buckets, c);

		for (uint32_t i = 0; i < chunk->count; i++)
			edges->from[edges->end[span - 1 - chunk->edges[i].to]++] =
				chunk->edges[i].from;
	}
	memset(edges->from + total, 0, (FAR + 1) * sizeof(*edges->from)); /* fetched, not used */
	return true;
}

/* The least semi on the tree path from x up to, and without, what is not above w. */
static inline uint32_t eval(struct info *info, uint32_t x, uint32_t w)
{
	uint32_t best = info[x].label, anc;

	while ((anc = info[x].anc) > w) {
		const uint32_t label = info[anc].label;

		if (label < best)
			best = label;
		if (label < info[x].label)
			info[x].label = label;
		info[x].anc = info[anc].anc;
		x = anc;
	}
	return best;
}

/*
 * The last of the roots' nodes that lead to one row only: all ways to what has a higher number go
 * through it, so no semi-dominator there is lower.
 */
static uint32_t lowest_semi(const struct heap_rows *rows)
{
	const uint32_t *row = rows__at(rows, rows->root);

	while (row[ROW_TYPE] & ROW_IS_NODE && row[ROW_TYPE] & ROW_HAS_REFERENCES &&
	       row[ROW_REFERENCES] & ROW_HIGH) {
		const uint32_t *only = rows__at(rows, row[ROW_REFERENCES] & ROW_LOW);

		if (only[ROW_NUMBER] != row[ROW_NUMBER] + 1)
			break;
		row = only;
	}
	return row[ROW_NUMBER];
}

static void work_block(const struct block_edges *edges, const struct search *search,
		       uint32_t lowest, struct info *info)
{
	const uint32_t *from = edges->from, *stop_at = edges->end;
	const uint32_t low = edges->low, *parent = search->parent;
	uint32_t e = 0, *semi = search->semi;

	for (uint32_t w = low + edges->span; w-- > low && w;) {
		const uint32_t stop = *stop_at++;
		uint32_t least = semi[w];

		for (; e < stop; e++) {
			uint32_t found;

			if (least <= lowest && stop - e > FAR)
				e = stop - FAR; /* fetch what is behind, no more */
			__builtin_prefetch(&info[from[e + FAR]], 1);
			__builtin_prefetch(&info[info[from[e + NEAR]].anc], 1);
			if (least <= lowest)
				continue;
			found = eval(info, from[e], w);
			least = found < least ? found : least;
		}
		semi[w] = least;
		info[w] = (struct info){ parent[w], least };
	}
}

/* Each row of the span points out of it afterwards. */
static void sweep(uint32_t low, uint32_t end, struct info *info)
{
	for (uint32_t w = low + 1; w < end; w++) {
		const uint32_t anc = info[w].anc;

		__builtin_prefetch(&info[info[w + FAR < end ? w + FAR : w].anc]);
		if (anc < low || !anc)
			continue;
		if (info[anc].label < info[w].label)
			info[w].label = info[anc].label;
		info[w].anc = info[anc].anc;
	}
}

/* The block, and each larger span that it completes. */
static void sweep_spans(uint32_t low, uint32_t count, struct info *info)
{
	for (uint64_t span = BLOCK;; span *= SPAN_BLOCKS) {
		if (low & (span - 1))
			return;
		sweep(low, count - low < span ? count : low + (uint32_t)span, info);
		if (low + span >= count)
			return;
	}
}

static bool semidominators(struct search *search, uint32_t count, struct info *info)
{
	const uint64_t end_bytes = ((count < BLOCK ? count : BLOCK) + UINT64_C(1)) * 4;
	struct block_edges edges = { .end = memory__get(search->memory, end_bytes) };
	const uint32_t lowest = lowest_semi(search->rows);
	uint32_t first = 0;
	bool done = edges.end;

	while (first < search->buckets.blocks && !search->buckets.last[first])
		first++;
	for (uint32_t block = (count - 1) / BLOCK + 1; done && block-- > first;) {
		edges.low = block << BLOCK_SHIFT;
		edges.span = count - edges.low < BLOCK ? count - edges.low : BLOCK;
		done = sort_block(&edges, &search->buckets);
		if (!done)
			break;
		work_block(&edges, search, lowest, info);
		sweep_spans(edges.low, count, info);
	}
	memory__put(search->memory, edges.from, edges.room * 4);
	memory__put(search->memory, edges.end, end_bytes);
	return done;
}

/* ---------------------------------------------------------------------------------------------
 * All of it
 */

static void free_search(struct search *search)
{
	struct buckets *buckets = &search->buckets;

	memory__put(search->memory, search->states, rows__end(search->rows) / 16 + UINT64_C(1));
	memory__put(search->memory, search->stack, search->stack_room * 4);
	search->states = NULL;
	search->stack = NULL;
	memory__put(search->memory, buckets->last, buckets->blocks * sizeof(*buckets->last));
	memory__keep(search->memory, buckets->chunks.at, buckets->chunks.room);
}

static bool begin_search(struct search *search, const struct dominators *dominators)
{
	search->parent = dominators->idom;
	search->semi = dominators->narrow;
	search->states = memory__get(search->memory, rows__end(search->rows) / 16 + UINT64_C(1));
	search->stack = memory__get(search->memory, 0);
	search->buckets.memory = search->memory;
	search->buckets.blocks = dominators->room / BLOCK + 1;
	search->buckets.last = memory__get(search->memory, search->buckets.blocks *
							   sizeof(*search->buckets.last));
	return search->parent && search->semi && search->states && search->stack &&
	       search->buckets.last;
}

static void intersect(struct dominators *dominators)
{
	uint32_t *idom = dominators->idom; /* the parents, until they are overwritten */
	const uint32_t *semi = dominators->narrow;

	for (uint32_t w = 1; w < dominators->count; w++) {
		uint32_t x = idom[w];

		while (x > semi[w])
			x = idom[x];
		idom[w] = x;
	}
}

int dominators__find(struct dominators *dominators, struct heap_rows *rows, struct memory *memory)
{
	struct search *search = calloc(1, sizeof(*search));
	int err = -ENOMEM;

	if (!search)
		return err;
	search->rows = rows;
	search->memory = memory;
	*dominators = (struct dominators){ .room = rows->count };
	dominators->idom = memory__take(memory, (uint64_t)rows->count * 4);
	dominators->narrow = memory__take(memory, (uint64_t)rows->count * 4);
	dominators->wide = memory__take_kept(memory, (uint64_t)rows->count * 8);
	pile__begin_in_kept(&search->buckets.chunks, memory);
	if (!begin_search(search, dominators))
		goto out;
	find_leaves(search);
	dominators->count = depth_first(search);
	if (!dominators->count)
		goto out;
	memory__put(memory, search->stack, search->stack_room * 4);
	memory__put(memory, search->states, rows__end(rows) / 16 + UINT64_C(1));
	search->stack = NULL;
	search->states = NULL;
	if (!dominators->wide)
		dominators->wide = memory__take(memory, (uint64_t)rows->count * 8);
	if (!dominators->wide ||
	    !semidominators(search, dominators->count, (struct info *)(void *)dominators->wide))
		goto out;
	intersect(dominators);
	err = 0;
out:
	if (err)
		err = memory__error(memory);
	free_search(search);
	free(search);
	if (err)
		dominators__free(dominators, memory);
	return err;
}

void dominators__free(struct dominators *dominators, struct memory *memory)
{
	memory__put(memory, dominators->idom, (uint64_t)dominators->room * 4);
	memory__put(memory, dominators->narrow, (uint64_t)dominators->room * 4);
	memory__put(memory, dominators->wide, (uint64_t)dominators->room * 8);
	*dominators = (struct dominators){ 0 };
}
