/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Folded stacks (folded.h): a line for each path of the type tree, then the bytes of the objects
 * that stand there.
 *
 *	statics;static Cache.instance;Cache;Entry[];Entry;Text 6400
 *
 * A frame is as wide as all below it: what it retains.
 */
#include "../base/buf.h"
#include "export.h"
#include "folded.h"
#include "type_tree_words.h"

struct folding {
	const struct heap *heap;
	struct type_tree tree;
	VEC(uint32_t) path; /* from the node up */
	struct buf line, name;
};

static int find_path(struct folding *folding, uint32_t index)
{
	int err = 0;

	vec__reset(&folding->path);
	for (; index != TYPE_TREE_NONE && !err; index = folding->tree.nodes.items[index].parent)
		err = vec__push(&folding->path, index);
	return err;
}

static int write_line(struct folding *folding, uint32_t index, FILE *out)
{
	const struct type_tree_node *nodes = folding->tree.nodes.items;
	int err = find_path(folding, index);

	if (err)
		return err;
	for (size_t i = folding->path.count; i-- > 0;) {
		buf__reset(&folding->name);
		type_tree_words__add(&folding->name, folding->heap,
				     &nodes[folding->path.items[i]]);
		folded__add(&folding->line, (struct text){ buf__str(&folding->name),
							   folding->name.len });
	}
	if (!folding->line.error)
		folding->line.error = folding->name.error;
	folded__end(&folding->line, nodes[index].bytes);
	return buf__flush(&folding->line, out);
}

static int write_folded(struct heap *heap, const struct heap_heading *heading,
			const struct export_options *options, FILE *out)
{
	struct folding folding = { .heap = heap };
	int err = type_tree__build(&folding.tree, heap);

	(void)heading;
	(void)options;
	for (uint32_t i = 0; i < folding.tree.nodes.count && !err; i++)
		if (folding.tree.nodes.items[i].bytes)
			err = write_line(&folding, i, out);
	if (!err)
		type_tree_words__tell(&folding.tree);
	type_tree__free(&folding.tree);
	vec__free(&folding.path);
	buf__free(&folding.line);
	buf__free(&folding.name);
	return err;
}

const struct exporter export_folded = {
	.name = "folded",
	.help = "flamegraph.pl, inferno, speedscope: a flame graph of retained size",
	.write = write_folded,
};
