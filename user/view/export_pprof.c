/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile for `go tool pprof` and its relatives (profile.h).
 *
 * Stacks are the paths of the type tree, a function is a type (or a root), and a sample is what
 * stands at a node: how many objects, and their shallow bytes. pprof then works out the rest: flat
 * is the shallow size of a type, cum what its objects together retain, each byte counted once. A
 * sample type of its own for retained sizes would be wrong where pprof sums it up.
 *
 * Ids: a type has its index + 1, any other node its index in the tree, behind all types.
 */
#include <errno.h>
#include <stdlib.h>

#include "export.h"
#include "heap_view.h"
#include "profile.h"
#include "type_tree_words.h"

struct profile_writer {
	const struct heap *heap;
	struct type_tree tree;
	struct profile profile;
	bool *told; /* by type: it has its location */
	struct buf raw;
};

static void add_head(struct profile *profile, const struct heap_heading *heading)
{
	const uint64_t begun_ns = heading->facts->begun_ns;

	profile__sample_type(profile, "inuse_objects", "count", false);
	profile__sample_type(profile, "inuse_space", "bytes", true);
	profile__mapping(profile, heading->name);
	if (begun_ns != EVENT_UNKNOWN && heading->clock_offset_ns)
		profile__time(profile, begun_ns + (uint64_t)heading->clock_offset_ns);
	profile__comment(profile, "A heap dump by gctrace " GCTRACE_VERSION ". Stacks are paths of"
				  " the dominator tree, by type: what would be freed with what.");
	profile__comment(profile, "flat is the shallow size of a type, cum what its objects"
				  " retain.");
}

/* ---------------------------------------------------------------- names */

static uint64_t id_of(const struct profile_writer *writer, uint32_t index)
{
	const struct type_tree_node *node = &writer->tree.nodes.items[index];

	if (node->kind == TYPE_TREE_TYPE)
		return node->id + 1;
	return heap__types(writer->heap)->count + UINT64_C(1) + index;
}

static int add_location(struct profile_writer *writer, uint32_t index)
{
	const struct type_tree_node *node = &writer->tree.nodes.items[index];
	struct profile_place place = { .line = 0 };

	if (node->kind == TYPE_TREE_TYPE && writer->told[node->id])
		return 0;
	if (node->kind == TYPE_TREE_TYPE)
		writer->told[node->id] = true;
	buf__reset(&writer->raw);
	type_tree_words__add(&writer->raw, writer->heap, node);
	place.function = (struct text){ buf__str(&writer->raw), writer->raw.len };
	if (writer->raw.error)
		return writer->raw.error;
	return profile__location(&writer->profile, id_of(writer, index), &place);
}

/* ---------------------------------------------------------------- samples */

/* From the node up: pprof wants the innermost first. */
static int add_sample(struct profile_writer *writer, uint32_t index)
{
	const struct type_tree_node *nodes = writer->tree.nodes.items;

	if (!nodes[index].objects)
		return 0;
	for (uint32_t at = index; at != TYPE_TREE_NONE; at = nodes[at].parent)
		profile__step(&writer->profile, id_of(writer, at));
	profile__value(&writer->profile, nodes[index].objects);
	profile__value(&writer->profile, nodes[index].bytes);
	return profile__end_sample(&writer->profile);
}

static int add_all(struct profile_writer *writer, const struct heap_heading *heading)
{
	int err = 0;

	add_head(&writer->profile, heading);
	for (uint32_t i = 0; i < writer->tree.nodes.count && !err; i++)
		err = add_location(writer, i);
	for (uint32_t i = 0; i < writer->tree.nodes.count && !err; i++)
		err = add_sample(writer, i);
	return err;
}

static int write_pprof(struct heap *heap, const struct heap_heading *heading,
		       const struct export_options *options, FILE *out)
{
	struct profile_writer writer = { .heap = heap };
	int err = type_tree__build(&writer.tree, heap);

	(void)options;
	writer.told = calloc(heap__types(heap)->count, sizeof(*writer.told));
	if (!err && !writer.told)
		err = -ENOMEM;
	if (!err)
		err = profile__begin(&writer.profile, out);
	if (!err)
		err = add_all(&writer, heading);
	err = profile__finish(&writer.profile, err);
	if (!err)
		type_tree_words__tell(&writer.tree);
	type_tree__free(&writer.tree);
	free(writer.told);
	buf__free(&writer.raw);
	return err;
}

const struct exporter export_pprof = {
	.name = "pprof",
	.help = "go tool pprof: flat is the shallow size of a type, cum what it retains",
	.is_binary = true,
	.write = write_pprof,
};
