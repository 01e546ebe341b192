/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A profile for `go tool pprof` and its relatives: gzip'd profile.proto, fields and numbers by
 * github.com/google/pprof, proto/profile.proto.
 *
 * Stacks are the paths of the type tree, a function is a type (or a root), and a sample is what
 * stands at a node: how many objects, and their shallow bytes. pprof then works out the rest: flat
 * is the shallow size of a type, cum what its objects together retain, each byte counted once. A
 * sample type of its own for retained sizes would be wrong where pprof sums it up.
 *
 *	message   in the order of the file
 *	1         sample_type: inuse_objects, inuse_space (the names that heap profiles have)
 *	2         sample: locations from the node up to a root, values
 *	3         mapping: one, named like the process
 *	4, 5      location and function, one for each name, both of the same id
 *	6         string_table: each stands behind the first message that needs it
 *	9         time_nanos: when the dump began, by the wall clock
 *	13, 14    comment, default_sample_type
 *
 * A function has no system_name: where both names are the same, pprof takes it for one of C++ that
 * it may shorten, and List<A> and List<B> become List.
 *
 * Ids: a type has its index + 1, any other node its index in the tree, behind all types.
 */
#include <errno.h>
#include <stdlib.h>

#include "../base/buf.h"
#include "../base/escape.h"
#include "../base/gzip.h"
#include "../base/protobuf.h"
#include "export.h"
#include "heap_view.h"
#include "type_tree_words.h"

enum profile {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING_TABLE = 6,
	PROFILE_TIME_NANOS = 9,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_SAMPLE_TYPE = 14,
};
enum value_type { VALUE_TYPE_TYPE = 1, VALUE_TYPE_UNIT = 2 };
enum sample { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2 };
enum mapping { MAPPING_ID = 1, MAPPING_FILENAME = 5, MAPPING_HAS_FUNCTIONS = 7 };
enum location { LOCATION_ID = 1, LOCATION_MAPPING_ID = 2, LOCATION_LINE = 4 };
enum line { LINE_FUNCTION_ID = 1 };
enum function { FUNCTION_ID = 1, FUNCTION_NAME = 2 };

struct profile_writer {
	const struct heap *heap;
	struct type_tree tree;
	struct gzip *gzip;
	uint64_t strings; /* written so far */
	bool *told;	  /* by type: it has its location */
	struct buf out, message, packed;
	struct buf raw, name;
};

#define FLUSH_BYTES (64u << 10)
#define THE_MAPPING 1

static int flush(struct profile_writer *writer)
{
	int err = writer->out.error;

	if (!err)
		err = gzip__write(writer->gzip, buf__str(&writer->out), writer->out.len);
	buf__reset(&writer->out);
	return err;
}

static int flush_if_full(struct profile_writer *writer)
{
	return writer->out.len >= FLUSH_BYTES || writer->out.error ? flush(writer) : 0;
}

/* Its index. */
static uint64_t add_word(struct profile_writer *writer, const char *word)
{
	protobuf__str(&writer->out, PROFILE_STRING_TABLE, word);
	return writer->strings++;
}

/* writer->raw, safe to show. */
static uint64_t add_escaped(struct profile_writer *writer)
{
	escape__move(&writer->name, &writer->raw);
	protobuf__message(&writer->out, PROFILE_STRING_TABLE, &writer->name);
	return writer->strings++;
}

/* ---------------------------------------------------------------- what it is */

static uint64_t add_sample_type(struct profile_writer *writer, const char *type, const char *unit)
{
	const uint64_t index = add_word(writer, type);

	protobuf__u64(&writer->message, VALUE_TYPE_TYPE, index);
	protobuf__u64(&writer->message, VALUE_TYPE_UNIT, add_word(writer, unit));
	protobuf__message(&writer->out, PROFILE_SAMPLE_TYPE, &writer->message);
	return index;
}

static void add_comment(struct profile_writer *writer, const char *words)
{
	protobuf__u64(&writer->out, PROFILE_COMMENT, add_word(writer, words));
}

/* What stands as the program in the reports. */
static void add_mapping(struct profile_writer *writer, struct text name)
{
	protobuf__u64(&writer->message, MAPPING_ID, THE_MAPPING);
	if (name.bytes) {
		buf__add(&writer->raw, name.at, name.bytes);
		protobuf__u64(&writer->message, MAPPING_FILENAME, add_escaped(writer));
	}
	protobuf__u64(&writer->message, MAPPING_HAS_FUNCTIONS, true);
	protobuf__message(&writer->out, PROFILE_MAPPING, &writer->message);
}

static void add_time(struct profile_writer *writer, const struct heap_heading *heading)
{
	const uint64_t begun_ns = heading->facts->begun_ns;

	if (begun_ns != EVENT_UNKNOWN && heading->clock_offset_ns)
		protobuf__u64(&writer->out, PROFILE_TIME_NANOS,
			      begun_ns + (uint64_t)heading->clock_offset_ns);
}

static void add_head(struct profile_writer *writer, const struct heap_heading *heading)
{
	add_word(writer, ""); /* the first one must be */
	add_sample_type(writer, "inuse_objects", "count");
	protobuf__u64(&writer->out, PROFILE_DEFAULT_SAMPLE_TYPE,
		      add_sample_type(writer, "inuse_space", "bytes"));
	add_mapping(writer, heading->name);
	add_time(writer, heading);
	add_comment(writer, "A heap dump by gctrace " GCTRACE_VERSION ". Stacks are paths of the"
			    " dominator tree, by type: what would be freed with what.");
	add_comment(writer, "flat is the shallow size of a type, cum what its objects retain.");
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
	const uint64_t id = id_of(writer, index);
	uint64_t name;

	if (node->kind == TYPE_TREE_TYPE && writer->told[node->id])
		return 0;
	if (node->kind == TYPE_TREE_TYPE)
		writer->told[node->id] = true;
	type_tree_words__add(&writer->raw, writer->heap, node);
	name = add_escaped(writer);
	protobuf__u64(&writer->message, FUNCTION_ID, id);
	protobuf__u64(&writer->message, FUNCTION_NAME, name);
	protobuf__message(&writer->out, PROFILE_FUNCTION, &writer->message);
	protobuf__u64(&writer->packed, LINE_FUNCTION_ID, id);
	protobuf__u64(&writer->message, LOCATION_ID, id);
	protobuf__u64(&writer->message, LOCATION_MAPPING_ID, THE_MAPPING);
	protobuf__message(&writer->message, LOCATION_LINE, &writer->packed);
	protobuf__message(&writer->out, PROFILE_LOCATION, &writer->message);
	return flush_if_full(writer);
}

/* ---------------------------------------------------------------- samples */

/* From the node up: pprof wants the innermost first. */
static int add_sample(struct profile_writer *writer, uint32_t index)
{
	const struct type_tree_node *nodes = writer->tree.nodes.items;

	if (!nodes[index].objects)
		return 0;
	for (uint32_t at = index; at != TYPE_TREE_NONE; at = nodes[at].parent)
		protobuf__varint(&writer->packed, id_of(writer, at));
	protobuf__message(&writer->message, SAMPLE_LOCATION_ID, &writer->packed);
	protobuf__varint(&writer->packed, nodes[index].objects);
	protobuf__varint(&writer->packed, nodes[index].bytes);
	protobuf__message(&writer->message, SAMPLE_VALUE, &writer->packed);
	protobuf__message(&writer->out, PROFILE_SAMPLE, &writer->message);
	return flush_if_full(writer);
}

static int add_all(struct profile_writer *writer, const struct heap_heading *heading)
{
	int err;

	add_head(writer, heading);
	err = flush(writer);
	for (uint32_t i = 0; i < writer->tree.nodes.count && !err; i++)
		err = add_location(writer, i);
	for (uint32_t i = 0; i < writer->tree.nodes.count && !err; i++)
		err = add_sample(writer, i);
	return err ? err : flush(writer);
}

static void free_writer(struct profile_writer *writer)
{
	type_tree__free(&writer->tree);
	free(writer->told);
	buf__free(&writer->out);
	buf__free(&writer->message);
	buf__free(&writer->packed);
	buf__free(&writer->raw);
	buf__free(&writer->name);
}

static int write_pprof(struct heap *heap, const struct heap_heading *heading,
		       const struct export_options *options, FILE *out)
{
	struct profile_writer writer = { .heap = heap };
	int err = type_tree__build(&writer.tree, heap), finished;

	(void)options;
	writer.told = calloc(heap__types(heap)->count, sizeof(*writer.told));
	if (!err && !writer.told)
		err = -ENOMEM;
	if (!err)
		err = gzip__new(out, &writer.gzip);
	if (!err)
		err = add_all(&writer, heading);
	finished = gzip__finish(writer.gzip);
	err = err ? err : finished;
	if (!err)
		type_tree_words__tell(&writer.tree);
	free_writer(&writer);
	return err;
}

const struct exporter export_pprof = {
	.name = "pprof",
	.help = "go tool pprof: flat is the shallow size of a type, cum what it retains",
	.is_binary = true,
	.write = write_pprof,
};
