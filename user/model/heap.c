/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap.h"

#include <stdlib.h>

#include "base/search.h"
#include "gctrace/wire.h"
#include "heap_private.h"

void heap__free(struct heap *heap)
{
	struct memory *memory;

	if (!heap)
		return;
	memory = &heap->memory;
	memory__put(memory, heap->places, heap->index.count * sizeof(*heap->places));
	dominator_tree__free(&heap->tree, memory);
	pile__free(&heap->weak, memory);
	if (heap->roots.memory)
		heap_roots__free(&heap->roots);
	if (heap->types.memory)
		heap_types__free(&heap->types);
	address_index__free(&heap->index);
	rows__free(&heap->rows, memory);
	pile__free(&heap->counts, memory);
	memory__release(memory);
	free(heap);
}

static bool has_type(const uint32_t *row)
{
	return !(row[ROW_TYPE] & (ROW_IS_NODE | ROW_DEAD));
}

void heap__count_up(struct heap *heap)
{
	const struct dominator_tree *tree = &heap->tree;
	struct heap_facts *facts = &heap->facts;

	facts->roots = heap_roots__leaves(&heap->roots);
	facts->null_roots = heap->roots.nulls;
	facts->weak_roots = heap->roots.weak;
	facts->dependent_roots = heap->roots.dependent;
	facts->dangling_roots = heap->roots.dangling;
	/* Every node of the roots is reached. */
	facts->reached_objects = tree->count - heap_roots__nodes(&heap->roots) -
				 heap_roots__leaves(&heap->roots);
	facts->reached_bytes = tree->before[tree->count];
	facts->undefined_types = heap_types__undefined(&heap->types);
}

const struct heap_facts *heap__facts(const struct heap *heap)
{
	return &heap->facts;
}

static bool dangles(const struct heap_facts *facts)
{
	return facts->dangling_references || facts->dangling_weak_references ||
	       facts->dangling_roots;
}

bool heap__is_complete(const struct heap *heap)
{
	const struct heap_facts *facts = &heap->facts;

	return facts->begun && facts->ended && facts->status == GCTRACE_DUMP_COMPLETE &&
	       !facts->losses && !facts->unfinished && !dangles(facts) &&
	       !facts->odd.begun_again && !facts->odd.types_beyond && !facts->odd.sizes;
}

bool heap__has_graph(const struct heap *heap)
{
	return heap->has_graph;
}

uint64_t heap__memory(const struct heap *heap)
{
	return heap->memory.used;
}

uint64_t heap__memory_peak(const struct heap *heap)
{
	return heap->memory.highest;
}

uint64_t heap__memory_limit(const struct heap *heap)
{
	return heap->memory.limit;
}

struct memory heap__memory_left(const struct heap *heap)
{
	const uint64_t limit = heap->memory.limit, used = heap->memory.used;

	return (struct memory){ .limit = !limit ? 0 : limit > used ? limit - used : 1 };
}

const struct heap_types *heap__types(const struct heap *heap)
{
	return &heap->types;
}

/* ---------------------------------------------------------------------------------------------
 * Objects
 */

uint32_t heap__first(const struct heap *heap)
{
	(void)heap;
	return ROW_REFERENCES; /* behind the one of nowhere */
}

uint32_t heap__next(const struct heap *heap, uint32_t place)
{
	return rows__next(&heap->rows, place);
}

uint32_t heap__end(const struct heap *heap)
{
	return rows__end(&heap->rows);
}

bool heap__is_node(const struct heap *heap, uint32_t place)
{
	return rows__at(&heap->rows, place)[ROW_TYPE] & ROW_IS_NODE;
}

struct heap_object heap__object(const struct heap *heap, uint32_t place)
{
	const uint32_t *row = rows__at(&heap->rows, place);
	const uint32_t number = row[ROW_NUMBER], type = row[ROW_TYPE];

	return (struct heap_object){
		.address = address_index__address(&heap->index, row[ROW_INDEX]),
		.size = rows__size(&heap->rows, row),
		.type = type & ROW_TYPE_MASK,
		.reached = number != ROW_NONE,
		.unfinished = type & ROW_UNFINISHED,
		.pinned = type & ROW_PINNED,
		.finalizable = type & ROW_FINALIZABLE,
		.has_weak = type & ROW_WEAK,
		.retained = heap__retained(heap, place),
		.dominates = heap__retained_objects(heap, place),
	};
}

uint32_t heap__type(const struct heap *heap, uint32_t place)
{
	return rows__at(&heap->rows, place)[ROW_TYPE] & ROW_TYPE_MASK;
}

uint64_t heap__size(const struct heap *heap, uint32_t place)
{
	return rows__size(&heap->rows, rows__at(&heap->rows, place));
}

bool heap__is_reached(const struct heap *heap, uint32_t place)
{
	return rows__at(&heap->rows, place)[ROW_NUMBER] != ROW_NONE;
}

struct heap_root heap__root(const struct heap *heap, uint32_t place)
{
	struct heap_root root =
		heap_roots__at(&heap->roots, rows__at(&heap->rows, place)[ROW_INDEX]);

	if (root.type == GCTRACE_C_RT_NATIVE && root.level >= HEAP_ROOT_KIND &&
	    heap_types__name(&heap->types, GCTRACE_SPACE_COMPILED, root.id2, 0).bytes)
		root.kind = GCTRACE_ROOT_CONSTANT;
	return root;
}

uint32_t heap__top(const struct heap *heap)
{
	return heap->rows.root;
}

int heap__find(struct heap *heap, uint64_t address, uint32_t *place)
{
	const uint32_t rank = address_index__rank(&heap->index, address);

	*place = HEAP_NONE;
	if (rank == ADDRESS_INDEX_NONE)
		return 0;
	if (!heap->places) {
		heap->places = memory__get(&heap->memory,
					   heap->index.count * sizeof(*heap->places));
		if (!heap->places)
			return memory__error(&heap->memory);
		for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p))
			if (has_type(rows__at(&heap->rows, p)))
				heap->places[rows__at(&heap->rows, p)[ROW_INDEX]] = p;
	}
	*place = heap->places[rank];
	return 0;
}

/* ---------------------------------------------------------------------------------------------
 * References
 */

struct heap_references heap__references(const struct heap *heap, uint32_t place)
{
	return (struct heap_references){ row_cursor__of(rows__at(&heap->rows, place)) };
}

bool heap_references__next(struct heap_references *references, struct heap_reference *next)
{
	if (!row_cursor__next(&references->cursor))
		return false;
	*next = (struct heap_reference){ references->cursor.to, references->cursor.place };
	return true;
}

unsigned int heap__place_kind(const struct heap *heap, uint32_t place)
{
	return (rows__at(&heap->rows, place)[ROW_TYPE] & ROW_KIND) >> ROW_KIND_SHIFT;
}

/* Of an object that is a class: its statics have names of their own. */
static struct text name_in_class(const struct heap *heap, const uint32_t *row, uint64_t place)
{
	const uint64_t address = address_index__address(&heap->index, row[ROW_INDEX]);

	return heap_types__name(&heap->types, GCTRACE_SPACE_STATIC, address, place);
}

struct heap_place heap__place(const struct heap *heap, uint32_t from, uint64_t place)
{
	const uint32_t *row = rows__at(&heap->rows, from);
	struct text name = { "", 0 };

	if (!has_type(row))
		return (struct heap_place){ .element = EVENT_UNKNOWN };
	if (heap_types__is_of_classes(&heap->types, row[ROW_TYPE] & ROW_TYPE_MASK))
		name = name_in_class(heap, row, place);
	if (name.bytes)
		return (struct heap_place){ .element = EVENT_UNKNOWN, .field = name };
	return heap_types__place(&heap->types, row[ROW_TYPE] & ROW_TYPE_MASK,
				 heap__place_kind(heap, from), place);
}

bool heap__field(const struct heap *heap, uint32_t from, uint32_t to, uint64_t *at)
{
	struct row_cursor cursor = row_cursor__of(rows__at(&heap->rows, from));

	while (row_cursor__next(&cursor)) {
		if (cursor.to != to)
			continue;
		*at = cursor.place;
		return true;
	}
	return false;
}

bool heap__weak(const struct heap *heap, uint32_t place, uint64_t n, struct heap_weak *weak)
{
	const struct weak_entry *of = (const struct weak_entry *)(const void *)heap->weak.at;
	const uint64_t count = heap->weak.used / sizeof(*of);
	const uint64_t low = search__front(of, count, entry, entry->from < place);

	if (n >= count - low || of[low + n].from != place)
		return false;
	*weak = (struct heap_weak){
		.address = of[low + n].to,
		.to = of[low + n].object,
		.flags = of[low + n].flags,
		.place = of[low + n].place,
	};
	return true;
}

/* ---------------------------------------------------------------------------------------------
 * The dominator tree
 */

static uint32_t number_of(const struct heap *heap, uint32_t place)
{
	return rows__at(&heap->rows, place)[ROW_NUMBER];
}

uint32_t heap__dominator(const struct heap *heap, uint32_t place)
{
	const uint32_t number = number_of(heap, place);

	if (number == ROW_NONE || number == 0)
		return HEAP_NONE;
	return heap->tree.row[heap->tree.parent[number]];
}

bool heap__dominates(const struct heap *heap, uint32_t place, uint32_t to)
{
	const uint32_t number = number_of(heap, place), of = number_of(heap, to);

	if (number == ROW_NONE || of == ROW_NONE)
		return false;
	return of >= number && of - number < heap->tree.span[number];
}

uint64_t heap__retained(const struct heap *heap, uint32_t place)
{
	const uint32_t number = number_of(heap, place);

	return number == ROW_NONE ? EVENT_UNKNOWN :
				    dominator_tree__retained(&heap->tree, number);
}

uint64_t heap__retained_objects(const struct heap *heap, uint32_t place)
{
	const uint32_t number = number_of(heap, place);

	if (number == ROW_NONE)
		return EVENT_UNKNOWN;
	if (!heap__is_node(heap, place))
		return heap->tree.span[number];
	return heap->tree.span[number] - 1 - heap__root(heap, place).below;
}

uint32_t heap__next_dominated(const struct heap *heap, uint32_t place, uint32_t child)
{
	const struct dominator_tree *tree = &heap->tree;
	const uint32_t number = number_of(heap, place);
	uint32_t next;

	if (number == ROW_NONE)
		return HEAP_NONE;
	if (child == HEAP_NONE)
		next = number + 1;
	else
		next = number_of(heap, child) + tree->span[number_of(heap, child)];
	return next < number + tree->span[number] ? tree->row[next] : HEAP_NONE;
}

struct heap_subtree heap__subtree(const struct heap *heap, uint32_t place)
{
	const uint32_t number = number_of(heap, place);

	if (number == ROW_NONE)
		return (struct heap_subtree){ 0 };
	return (struct heap_subtree){
		.at = number,
		.end = number + heap->tree.span[number],
		.top = number,
		.last = number,
	};
}

uint32_t heap_subtree__next(struct heap_subtree *subtree, const struct heap *heap)
{
	const struct dominator_tree *tree = &heap->tree;

	if (subtree->at >= subtree->end)
		return HEAP_NONE;
	if (subtree->at != subtree->top) {
		/* Up from the last one to the parent of this one, then one down. */
		for (; subtree->last != tree->parent[subtree->at]; subtree->depth--)
			subtree->last = tree->parent[subtree->last];
		subtree->depth++;
	}
	subtree->last = subtree->at;
	return tree->row[subtree->at++];
}
