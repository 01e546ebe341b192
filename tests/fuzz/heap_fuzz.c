/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Any bytes as the events of a heap dump: whatever a producer says, what comes of it is a heap that
 * can be walked, or an error, within the limit of memory. Who counts only counts the same.
 */
#include "heap_bytes.h"
#include "model/heap_histogram.h"
#include "model/heap_paths.h"
#include "model/heap_referrers.h"

static void walk_place(struct heap *heap, uint32_t place)
{
	struct heap_references references = heap__references(heap, place);
	struct heap_reference next;
	struct heap_object object;
	uint32_t found;
	uint64_t at;

	while (heap_references__next(&references, &next))
		CHECK(heap__field(heap, place, next.to, &at));
	if (heap__is_node(heap, place)) {
		CHECK(heap__root(heap, place).place == place);
		return;
	}
	object = heap__object(heap, place);
	CHECK(heap__find(heap, object.address, &found) < 0 || found == place);
	CHECK(!object.reached || object.retained >= object.size);
	CHECK(!object.reached || heap__dominator(heap, place) != HEAP_NONE);
}

static void use_heap(struct heap *heap)
{
	struct heap_paths *paths = NULL;
	struct heap_referrers *referrers = NULL;
	struct heap_path_search *search = NULL;
	struct heap_type_sums *sums = NULL;
	const uint32_t *way;
	size_t count;
	int found = 1;

	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p))
		walk_place(heap, p);
	CHECK(heap__histogram(heap, &sums) == 0);
	free(sums);
	if (!heap_paths__new(heap, &paths) && !heap_referrers__new(heap, &referrers) &&
	    heap__facts(heap)->objects &&
	    !heap_path_search__new(paths, referrers, heap__first(heap), 1000, &search))
		for (unsigned int i = 0; i < 20 && found == 1; i++)
			found = heap_path_search__next(search, &way, &count);
	heap_path_search__free(search);
	heap_referrers__free(referrers);
	heap_paths__free(paths);
}
