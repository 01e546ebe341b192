/* SPDX-License-Identifier: BSD-2-Clause */
#include "findings.h"

#include <stdbool.h>
#include <stdlib.h>

#include "gctrace/wire.h"
#include "owner.h"

#define ACCUMULATIONS_MOST 3

struct search {
	const struct heap *heap;
	uint64_t least; /* bytes that stand out */
	VEC(uint32_t) waiting; /* places whose subtrees are large */
	struct findings *findings;
};

static int by_bytes(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static bool is_array(const struct heap *heap, uint32_t place)
{
	const struct heap_type type =
		heap_types__at(heap__types(heap), heap__type(heap, place));

	return type.flags & GCTRACE_CLASS_ARRAY;
}

/* Of which type are most of its pieces? */
static void count_pieces(const struct heap *heap, struct finding *finding)
{
	uint64_t *counts = calloc(heap__types(heap)->count, sizeof(*counts));
	uint32_t child = HEAP_NONE;

	finding->of = UINT32_MAX;
	if (!counts)
		return;
	while ((child = heap__next_dominated(heap, finding->place, child)) != HEAP_NONE) {
		const uint32_t type = heap__type(heap, child);

		if (++counts[type] > finding->of_count) {
			finding->of_count = counts[type];
			finding->of = type;
		}
	}
	free(counts);
}

/* Looks at one place: what is large below it waits; does it accumulate the rest? */
static int look_at(struct search *search, uint32_t place)
{
	const struct heap *heap = search->heap;
	const bool is_node = heap__is_node(heap, place);
	const uint64_t bytes = heap__retained(heap, place);
	const uint64_t least = !is_node && is_array(heap, place) && bytes / 2 > search->least ?
				       bytes / 2 :
				       search->least;
	const size_t before = search->waiting.count;
	struct finding finding = { .place = place, .bytes = bytes,
				   .objects = heap__retained_objects(heap, place) };
	uint64_t large = 0, size;
	uint32_t child = HEAP_NONE;
	int err = 0;

	while (!err && (child = heap__next_dominated(heap, place, child)) != HEAP_NONE) {
		const uint64_t of_child = heap__retained(heap, child);

		if (of_child < least || !of_child)
			continue;
		large += of_child;
		err = vec__push(&search->waiting, child);
	}
	if (err || is_node || large > bytes / 2)
		return err;
	size = heap__size(heap, place);
	finding.kind = size > bytes / 2 ? FINDING_LARGE : FINDING_ACCUMULATION;
	finding.owner = owner__of(heap, place);
	if (finding.kind == FINDING_ACCUMULATION)
		count_pieces(heap, &finding);
	else
		finding.of = UINT32_MAX;
	/* What is below it is a part of this. */
	search->waiting.count = before;
	return vec__push(search->findings, finding);
}

static int find_accumulations(struct search *search)
{
	int err = vec__push(&search->waiting, heap__top(search->heap));

	while (!err && search->waiting.count)
		err = look_at(search, search->waiting.items[--search->waiting.count]);
	vec__free(&search->waiting);
	vec__sort(search->findings, by_bytes);
	if (search->findings->count > ACCUMULATIONS_MOST)
		search->findings->count = ACCUMULATIONS_MOST;
	return err;
}

/* ---------------------------------------------------------------- by kinds of roots */

static int add_node(struct search *search, enum finding_kind kind, uint32_t place)
{
	const struct finding finding = {
		.kind = kind,
		.place = place,
		.owner = place,
		.of = UINT32_MAX,
		.bytes = heap__retained(search->heap, place),
		.objects = heap__retained_objects(search->heap, place),
	};

	return finding.bytes >= search->least && finding.bytes ?
		       vec__push(search->findings, finding) :
		       0;
}

/* Of all threads the one whose stack keeps most alive. */
static int add_thread(struct search *search, uint32_t threads)
{
	struct heap_references references = heap__references(search->heap, threads);
	struct heap_reference next;
	uint32_t most = HEAP_NONE;

	while (heap_references__next(&references, &next))
		if (most == HEAP_NONE || heap__retained(search->heap, next.to) >
						 heap__retained(search->heap, most))
			most = next.to;
	return most == HEAP_NONE ? 0 : add_node(search, FINDING_THREAD, most);
}

static int find_roots(struct search *search)
{
	struct heap_references references =
		heap__references(search->heap, heap__top(search->heap));
	struct heap_reference next;
	int err = 0;

	while (!err && heap_references__next(&references, &next)) {
		const uint64_t type = heap__root(search->heap, next.to).type;

		if (type == GCTRACE_C_FINALIZER)
			err = add_node(search, FINDING_FINALIZER, next.to);
		else if (type == GCTRACE_C_RT_THREAD)
			err = add_thread(search, next.to);
	}
	return err;
}

static int find_unreached(struct search *search)
{
	const struct heap_facts *facts = heap__facts(search->heap);
	const struct finding finding = {
		.kind = FINDING_UNREACHED,
		.place = HEAP_NONE,
		.owner = HEAP_NONE,
		.of = UINT32_MAX,
		.bytes = facts->bytes - facts->reached_bytes,
		.objects = facts->objects - facts->reached_objects,
	};

	return finding.bytes >= facts->bytes / FINDING_SHARE && finding.bytes ?
		       vec__push(search->findings, finding) :
		       0;
}

int findings__find(const struct heap *heap, struct findings *findings)
{
	struct search search = {
		.heap = heap,
		.least = heap__facts(heap)->bytes / FINDING_SHARE,
		.waiting = VEC_INIT,
		.findings = findings,
	};
	int err = find_accumulations(&search);

	if (!err)
		err = find_roots(&search);
	if (!err)
		err = find_unreached(&search);
	if (!err && findings->count > FINDINGS_MOST)
		findings->count = FINDINGS_MOST;
	return err;
}
