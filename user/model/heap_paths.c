/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gctrace/wire.h"
#include "heap_private.h"

#define AHEAD 16

/* What stands in length[]: the way's length + 1 (0: not reached from a root), its root's rank. */
#define RANK_SHIFT 30
#define LENGTH_MASK ((UINT32_C(1) << RANK_SHIFT) - 1)

/* Constants in code come when all else has been reached: no way is as long. */
static const uint32_t rank_costs[HEAP_RANKS] = {
	[HEAP_RANK_STATIC] = 0,
	[HEAP_RANK_OTHER] = 1,
	[HEAP_RANK_STACK] = HEAP_PATHS_STACK + 1,
	[HEAP_RANK_CODE] = UINT32_C(1) << RANK_SHIFT,
};

struct heap_paths {
	struct heap *heap;
	uint32_t *length; /* by number */
	uint32_t *before; /* place */
};

/* In the order of their costs: roots of a rank join when what is before them costs as much. */
struct breadth {
	uint32_t *queue; /* places */
	uint64_t head, tail;
	enum heap_root_rank next;
};

enum heap_root_rank heap_root__rank(uint64_t type, uint64_t kind)
{
	if (kind == GCTRACE_ROOT_CONSTANT)
		return HEAP_RANK_CODE;
	switch (type) {
	case GCTRACE_C_STATIC:
	case GCTRACE_C_GLOBALS:
	case GCTRACE_C_HANDLES:
	case GCTRACE_C_THREAD_STATIC:
	case GCTRACE_C_DEPENDENT:
		return HEAP_RANK_STATIC;
	case GCTRACE_C_RT_THREAD:
		return kind == GCTRACE_ROOT_THREAD ? HEAP_RANK_OTHER : HEAP_RANK_STACK;
	}
	return heap_root__is_frame(type) ? HEAP_RANK_STACK : HEAP_RANK_OTHER;
}

static uint32_t number_at(const struct heap *heap, uint32_t place)
{
	return rows__at(&heap->rows, place)[ROW_NUMBER];
}

static void begin_at_roots(const struct heap_paths *paths, struct breadth *breadth)
{
	const struct heap_roots *roots = &paths->heap->roots;

	for (uint32_t i = 0; i < heap_roots__leaves(roots); i++) {
		const uint32_t row = heap_roots__leaf(roots, i)->row;
		const uint32_t number = number_at(paths->heap, row);
		const struct heap_root root = heap__root(paths->heap, row);

		if (heap_root__rank(root.type, root.kind) != breadth->next)
			continue;
		paths->length[number] = 1 | (uint32_t)breadth->next << RANK_SHIFT;
		paths->before[number] = HEAP_NONE;
		breadth->queue[breadth->tail++] = row;
	}
	breadth->next++;
}

static uint32_t cost_of(uint32_t entry)
{
	return (entry & LENGTH_MASK) - 1 + rank_costs[entry >> RANK_SHIFT];
}

/* Is it the turn of the next rank? What waits costs at most one more than what is next of it. */
static bool roots_are_next(const struct heap_paths *paths, const struct breadth *breadth)
{
	uint32_t number;

	if (breadth->next == HEAP_RANKS || breadth->head == breadth->tail)
		return breadth->next != HEAP_RANKS;
	number = number_at(paths->heap, breadth->queue[breadth->head]);
	return cost_of(paths->length[number]) >= rank_costs[breadth->next];
}

static void look_from(const struct heap_paths *paths, struct breadth *breadth, uint32_t place)
{
	const uint32_t *row = rows__at(&paths->heap->rows, place), *at = row + ROW_REFERENCES;
	const uint32_t length = paths->length[row[ROW_NUMBER]];
	uint32_t word, number;

	if (!(row[ROW_TYPE] & ROW_HAS_REFERENCES))
		return;
	do {
		word = *at++;
		number = number_at(paths->heap, word & ROW_LOW);
		if (number == ROW_NONE || paths->length[number])
			continue;
		paths->length[number] = length + 1;
		paths->before[number] = place;
		breadth->queue[breadth->tail++] = word & ROW_LOW;
	} while (!(word & ROW_HIGH));
}

int heap_paths__new(struct heap *heap, struct heap_paths **result)
{
	struct heap_paths *paths = calloc(1, sizeof(*paths));
	const uint64_t bytes = heap->tree.count * UINT64_C(4);
	struct breadth breadth = { 0 };

	if (!paths)
		return -ENOMEM;
	paths->heap = heap;
	paths->length = memory__get(&heap->memory, bytes);
	paths->before = memory__get(&heap->memory, bytes);
	breadth.queue = memory__get(&heap->memory, bytes);
	if (!paths->length || !paths->before || !breadth.queue) {
		memory__put(&heap->memory, breadth.queue, bytes);
		heap_paths__free(paths);
		return memory__error(&heap->memory);
	}
	for (;;) {
		if (roots_are_next(paths, &breadth)) {
			begin_at_roots(paths, &breadth);
			continue;
		}
		if (breadth.head == breadth.tail)
			break;
		if (breadth.head + AHEAD < breadth.tail)
			__builtin_prefetch(rows__at(&heap->rows,
						    breadth.queue[breadth.head + AHEAD]));
		look_from(paths, &breadth, breadth.queue[breadth.head++]);
	}
	memory__put(&heap->memory, breadth.queue, bytes);
	*result = paths;
	return 0;
}

void heap_paths__free(struct heap_paths *paths)
{
	uint64_t bytes;

	if (!paths)
		return;
	bytes = paths->heap->tree.count * UINT64_C(4);
	memory__put(&paths->heap->memory, paths->length, bytes);
	memory__put(&paths->heap->memory, paths->before, bytes);
	free(paths);
}

uint32_t heap_paths__length(const struct heap_paths *paths, uint32_t place)
{
	const uint32_t number = number_at(paths->heap, place);

	if (number == ROW_NONE || !paths->length[number])
		return HEAP_NONE;
	return (paths->length[number] & LENGTH_MASK) - 1;
}

uint32_t heap_paths__cost(const struct heap_paths *paths, uint32_t place)
{
	const uint32_t number = number_at(paths->heap, place);

	if (number == ROW_NONE || !paths->length[number])
		return HEAP_NONE;
	return cost_of(paths->length[number]);
}

uint32_t heap_paths__before(const struct heap_paths *paths, uint32_t place)
{
	const uint32_t number = number_at(paths->heap, place);

	return number == ROW_NONE || !paths->length[number] ? HEAP_NONE : paths->before[number];
}
