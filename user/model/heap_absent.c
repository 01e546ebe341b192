/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * References of a JVM's own dump to objects that are not in it. Two kinds of them are known and
 * lose nothing (a third one, classes that are loaded and have no record, is known by the address):
 *
 *	archived classes  HotSpot maps class objects from its shared archive (CDS) before anything
 *			  has loaded these classes. An Object[] of the JVM's own, which a JNI global
 *			  alone holds, refers to all of them. The dump has a record for each loaded
 *			  class and passes over other class objects. Only a class object can be
 *			  missing in a Class[] as well.
 *	garbage		  a dump that was made without a collection has dead objects. What those
 *			  refer to may have been collected, or overwritten.
 *
 * All others stay what they are: a loss.
 */
#include "gctrace/wire.h"
#include "heap_private.h"

static uint64_t count_dangling(const struct heap *heap, uint32_t place)
{
	struct heap_references references = heap__references(heap, place);
	struct heap_reference next;
	uint64_t count = 0;

	while (heap_references__next(&references, &next))
		count += next.to == HEAP_NOWHERE;
	return count;
}

static bool is_held_by_jni_global(const struct heap *heap, uint32_t place)
{
	const uint32_t by = heap__dominator(heap, place);

	return by != HEAP_NONE && heap__is_node(heap, by) &&
	       heap__root(heap, by).type == GCTRACE_C_GLOBALS;
}

static bool is_called(const struct heap *heap, uint32_t type, const char *name)
{
	return text__equal(heap_types__at(&heap->types, type).name, text__of(name));
}

/* Does it refer to class objects only, as far as what it refers to is not there? */
static bool refers_to_absent_classes(const struct heap *heap, uint32_t place, uint32_t type)
{
	return is_called(heap, type, "java.lang.Class[]") ||
	       (is_called(heap, type, "java.lang.Object[]") && is_held_by_jni_global(heap, place));
}

static bool is_array(const struct heap *heap, uint32_t type)
{
	return heap_types__at(&heap->types, type).flags & GCTRACE_CLASS_ARRAY;
}

static void explain_weak(struct heap *heap)
{
	const struct weak_entry *of = (const struct weak_entry *)(const void *)heap->weak.at;

	for (uint64_t i = 0; i < heap->weak.used / sizeof(*of); i++) {
		if (of[i].object != HEAP_NOWHERE || heap__is_reached(heap, of[i].from) ||
		    heap_types__known(&heap->types, of[i].to) != UINT32_MAX)
			continue;
		heap->facts.dangling_weak_references--;
		heap->facts.absent_of_garbage++;
	}
}

void heap__explain_absent(struct heap *heap)
{
	struct heap_facts *facts = &heap->facts;
	const uint32_t end = heap__end(heap);

	for (uint32_t p = heap__first(heap); p < end && facts->dangling_references;
	     p = heap__next(heap, p)) {
		const uint32_t type = heap__type(heap, p);
		const bool is_garbage = !heap__is_reached(heap, p);
		uint64_t count;

		if (!is_garbage && !(is_array(heap, type) &&
				     refers_to_absent_classes(heap, p, type)))
			continue;
		count = count_dangling(heap, p);
		facts->dangling_references -= count;
		*(is_garbage ? &facts->absent_of_garbage : &facts->absent_classes) += count;
	}
	if (facts->dangling_weak_references)
		explain_weak(heap);
}
