/* SPDX-License-Identifier: BSD-2-Clause */
#include "type_tree_words.h"

#include "../base/buf.h"
#include "../base/report.h"
#include "../base/units.h"
#include "gctrace/wire.h"
#include "heap_words.h"

static void add_root(struct buf *out, const struct heap *heap, uint32_t place)
{
	const struct heap_root root = heap__root(heap, place);

	if (root.level == HEAP_ROOT_REFERENCE) {
		heap_words__root(out, heap, place);
		return;
	}
	if (root.level == HEAP_ROOT_CONTAINER && root.type == GCTRACE_C_STATIC)
		buf__add_str(out, "statics of ");
	else if (root.level == HEAP_ROOT_CONTAINER && root.type != GCTRACE_C_RT_THREAD)
		buf__add_str(out, "frame ");
	heap_words__node(out, heap, place);
}

void type_tree_words__add(struct buf *out, const struct heap *heap,
			  const struct type_tree_node *node)
{
	switch (node->kind) {
	case TYPE_TREE_TYPE:
		heap_words__type(out, heap, (uint32_t)node->id);
		break;
	case TYPE_TREE_ROOT:
		add_root(out, heap, node->place);
		break;
	case TYPE_TREE_SEVERAL:
		buf__add_str(out, "(several kinds of roots)");
		break;
	case TYPE_TREE_DEEPER:
		buf__add_str(out, "(steps left out)");
		break;
	case TYPE_TREE_UNREACHED:
		buf__add_str(out, "(reached by no root)");
		break;
	}
}

void type_tree_words__tell(const struct type_tree *tree)
{
	char objects[UNITS_TEXT], bytes[UNITS_TEXT];

	if (tree->deeper_objects)
		note("%s object%s, %s, deeper than %u types: \"(steps left out)\" stands for the"
		     " rest of the way there",
		     units__count(objects, tree->deeper_objects), units__s(tree->deeper_objects),
		     units__bytes(bytes, tree->deeper_bytes), TYPE_TREE_DEPTH);
}
