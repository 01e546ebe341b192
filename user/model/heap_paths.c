/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "heap_private.h"

#define AHEAD 16

struct heap_paths {
	struct heap *heap;
	uint32_t *length; /* by number, + 1; 0: not reached from a root itself (nodes above) */
	uint32_t *before; /* place */
};

struct breadth {
	uint32_t *queue; /* places */
	uint64_t head, tail;
};

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

		paths->length[number] = 1;
		paths->before[number] = HEAP_NONE;
		breadth->queue[breadth->tail++] = row;
	}
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
	begin_at_roots(paths, &breadth);
	while (breadth.head < breadth.tail) {
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

	return number == ROW_NONE ? HEAP_NONE : paths->length[number] - 1;
}

uint32_t heap_paths__before(const struct heap_paths *paths, uint32_t place)
{
	const uint32_t number = number_at(paths->heap, place);

	return number == ROW_NONE || !paths->length[number] ? HEAP_NONE : paths->before[number];
}
