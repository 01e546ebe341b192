/* SPDX-License-Identifier: BSD-2-Clause */
#include "examples.h"

#include <stdbool.h>
#include <stdlib.h>

static bool is_nearer(const struct heap *heap, const struct heap_paths *paths, uint32_t place,
		      uint32_t than)
{
	const uint32_t length = heap_paths__length(paths, place);
	const uint32_t other = heap_paths__length(paths, than);

	if (length != other)
		return length < other;
	return heap__retained(heap, place) > heap__retained(heap, than);
}

static bool is_bigger(const struct heap *heap, const struct heap_paths *paths, uint32_t place,
		      uint32_t than)
{
	const uint64_t bytes = heap__retained(heap, place), other = heap__retained(heap, than);

	if (bytes != other)
		return bytes > other;
	return heap_paths__length(paths, place) < heap_paths__length(paths, than);
}

struct example *examples__find(const struct heap *heap, const struct heap_paths *paths)
{
	const uint32_t types = heap__types(heap)->count;
	struct example *examples = calloc(types, sizeof(*examples));

	for (uint32_t i = 0; i < types && examples; i++)
		examples[i] = (struct example){ HEAP_NONE, HEAP_NONE };
	for (uint32_t p = heap__first(heap); p < heap__end(heap) && examples;
	     p = heap__next(heap, p)) {
		struct example *example;

		if (heap__is_node(heap, p) || heap_paths__length(paths, p) == HEAP_NONE)
			continue;
		example = &examples[heap__type(heap, p)];
		if (example->nearest == HEAP_NONE || is_nearer(heap, paths, p, example->nearest))
			example->nearest = p;
		if (example->biggest == HEAP_NONE || is_bigger(heap, paths, p, example->biggest))
			example->biggest = p;
	}
	return examples;
}
