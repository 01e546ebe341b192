/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * heapsnapshot: the JSON of V8, for Chrome DevTools (Memory, Load) and memlab; of any runtime.
 *
 *	{"snapshot": {meta: names of the columns, counts},
 *	 "nodes":    [type, name, id, size, edges, 0, 0,  ...]   a row for each
 *	 "edges":    [type, name or index, 7 x row of a node, ...]  those of the first node first
 *	 "strings":  [...]}                                         what names are indices of
 *
 * WHAT A READER SEES. Node 0 is the root that it begins at. Then come objects, as they lie in the
 * graph, and behind them the roots as gctrace shows them, of no size: "(GC roots)", below it a
 * node for each type of container, container, kind and root, so that the path to a root says
 * which thread, frame or static it is. As in gctrace's own graph weak roots and dependent handles
 * have a node, but a weak edge; so dominators and retained sizes are the same, node by node, and
 * those of the roots' nodes too. Fields are properties, elements of arrays are elements; a
 * reference whose place nobody told is internal, "?". Ids are 2 x row + 1: they have 32 bits
 * there, addresses do not fit.
 *
 * WHERE IT MUST DIFFER. Readers keep numbers in 32 bits: an object beyond 4 GiB is shown as 4 GiB,
 * and that is warned of. What no root reaches is there; readers hang it below the root, which
 * changes nothing for what is reached. Edges to objects that were never told are left out.
 *
 * Strings are written at the end, so their numbers are fixed beforehand: first those of types,
 * each followed by its fields, then a name for each node of the roots, and one for "".
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../base/buf.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../model/address_index.h"
#include "../model/heap.h"
#include "export.h"
#include "export_fields.h"
#include "gctrace/wire.h"
#include "heap_words.h"

#define PLACE_SHIFT 2 /* what tells places apart: heap_rows.h */
#define NODE_COLUMNS 7u
#define SIZE_MOST UINT32_MAX

#define NODE_TYPES                                                                          \
	"[\"hidden\",\"array\",\"string\",\"object\",\"code\",\"closure\",\"regexp\",\"number\"," \
	"\"native\",\"synthetic\",\"concatenated string\",\"sliced string\",\"symbol\","   \
	"\"bigint\",\"object shape\"]"
enum node_type { NODE_OBJECT = 3, NODE_SYNTHETIC = 9 };

#define EDGE_TYPES                                                                     \
	"[\"context\",\"element\",\"property\",\"internal\",\"hidden\",\"shortcut\",\"weak\"]"
enum edge_type { EDGE_ELEMENT = 1, EDGE_PROPERTY = 2, EDGE_INTERNAL = 3, EDGE_WEAK = 6 };

enum { STRING_EMPTY, STRING_UNNAMED, STRING_DEPENDENT, STRING_TYPES };

struct snapshot {
	const struct heap *heap;
	FILE *out;
	struct export_fields fields;
	struct address_index rows; /* places without their low bits; rank: row - 1 */
	uint64_t *strings;	   /* for each type: number of its name; its fields follow */
	uint64_t root_strings;	   /* the first of the roots' */
	uint64_t edges;
	uint64_t beyond; /* objects whose size does not fit */
	bool started;	 /* of an array: a comma is due */
};

/* ---------------------------------------------------------------- numbers */

static void put_number(struct snapshot *to, uint64_t value)
{
	char text[24], *at = text + sizeof(text);

	do
		*--at = (char)('0' + value % 10);
	while (value /= 10);
	if (to->started)
		putc_unlocked(',', to->out);
	to->started = true;
	fwrite_unlocked(at, 1, (size_t)(text + sizeof(text) - at), to->out);
}

static void begin_array(struct snapshot *to, const char *name)
{
	fprintf(to->out, ",\n\"%s\":[", name);
	to->started = false;
}

static void end_line(struct snapshot *to)
{
	putc_unlocked('\n', to->out);
}

static uint64_t row_of(const struct snapshot *to, uint32_t place)
{
	return 1 + (uint64_t)address_index__rank(&to->rows, place >> PLACE_SHIFT);
}

/* ---------------------------------------------------------------- edges */

static void put_edge(struct snapshot *to, enum edge_type type, uint64_t name, uint32_t place)
{
	put_number(to, type);
	put_number(to, name);
	put_number(to, NODE_COLUMNS * row_of(to, place));
	end_line(to);
}

static void put_reference(struct snapshot *to, uint32_t type, unsigned int kind,
			  const struct heap_reference *reference, uint32_t *hint)
{
	const bool is_array = heap_types__at(heap__types(to->heap), type).flags &
			      GCTRACE_CLASS_ARRAY;
	const uint32_t field = is_array ? FIELD_NONE :
					  export_fields__number(&to->fields, type, kind,
								reference->place, hint);
	const uint64_t element = !is_array ? EVENT_UNKNOWN :
					     heap_types__place(heap__types(to->heap), type, kind,
							       reference->place).element;

	if (reference->place == PLACE_DEPENDENT)
		put_edge(to, EDGE_INTERNAL, STRING_DEPENDENT, reference->to);
	else if (element <= UINT32_MAX)
		put_edge(to, EDGE_ELEMENT, element, reference->to);
	else if (field != FIELD_NONE)
		put_edge(to, EDGE_PROPERTY, to->strings[type] + 1 + field, reference->to);
	else
		put_edge(to, EDGE_INTERNAL, STRING_UNNAMED, reference->to);
}

static void put_edges_of_object(struct snapshot *to, uint32_t place)
{
	struct heap_references references = heap__references(to->heap, place);
	const unsigned int kind = heap__place_kind(to->heap, place);
	const struct heap_object object = heap__object(to->heap, place);
	struct heap_reference reference;
	struct heap_weak weak;
	uint32_t hint = 0;

	while (heap_references__next(&references, &reference))
		if (reference.to != HEAP_NOWHERE)
			put_reference(to, object.type, kind, &reference, &hint);
	for (uint64_t n = 0; object.has_weak && heap__weak(to->heap, place, n, &weak); n++)
		if (weak.to != HEAP_NOWHERE)
			put_edge(to, EDGE_WEAK, STRING_UNNAMED, weak.to);
}

/* A root that keeps nothing alive has no reference in the graph. */
static bool is_weak(const struct heap_root *root)
{
	return root->level == HEAP_ROOT_REFERENCE && (root->weak || root->dependent) &&
	       root->object != HEAP_NOWHERE;
}

static void put_edges_of_root(struct snapshot *to, uint32_t place)
{
	struct heap_references references = heap__references(to->heap, place);
	const struct heap_root root = heap__root(to->heap, place);
	struct heap_reference reference;
	uint64_t n = 0;

	while (heap_references__next(&references, &reference))
		if (reference.to != HEAP_NOWHERE)
			put_edge(to, EDGE_ELEMENT, ++n, reference.to);
	if (is_weak(&root))
		put_edge(to, EDGE_WEAK, STRING_EMPTY, root.object);
}

static uint64_t count_edges(const struct heap *heap, uint32_t place)
{
	struct heap_references references = heap__references(heap, place);
	struct heap_reference reference;
	struct heap_weak weak;
	uint64_t count = 0;

	while (heap_references__next(&references, &reference))
		count += reference.to != HEAP_NOWHERE;
	if (heap__is_node(heap, place)) {
		const struct heap_root root = heap__root(heap, place);

		return count + is_weak(&root);
	}
	if (heap__object(heap, place).has_weak)
		for (uint64_t n = 0; heap__weak(heap, place, n, &weak); n++)
			count += weak.to != HEAP_NOWHERE;
	return count;
}

static void put_edges(struct snapshot *to)
{
	const struct heap *heap = to->heap;

	begin_array(to, "edges");
	put_edge(to, EDGE_ELEMENT, 1, heap__top(heap));
	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		if (ferror_unlocked(to->out))
			return;
		if (heap__is_node(heap, p))
			put_edges_of_root(to, p);
		else
			put_edges_of_object(to, p);
	}
	putc_unlocked(']', to->out);
}

/* ---------------------------------------------------------------- nodes */

static void put_node(struct snapshot *to, enum node_type type, uint64_t name, uint64_t row,
		     uint64_t size, uint64_t edges)
{
	put_number(to, type);
	put_number(to, name);
	put_number(to, 2 * row + 1);
	put_number(to, size);
	put_number(to, edges);
	put_number(to, 0); /* no stack trace of its allocation */
	put_number(to, 0); /* whether it is detached is not known */
	end_line(to);
}

static void put_object(struct snapshot *to, uint32_t place, uint64_t row)
{
	const struct heap_object object = heap__object(to->heap, place);
	const bool fits = object.size <= SIZE_MOST;

	to->beyond += !fits;
	put_node(to, NODE_OBJECT, to->strings[object.type], row, fits ? object.size : SIZE_MOST,
		 count_edges(to->heap, place));
}

static void put_nodes(struct snapshot *to)
{
	const struct heap *heap = to->heap;
	uint64_t row = 0, string = to->root_strings;

	begin_array(to, "nodes");
	put_node(to, NODE_SYNTHETIC, STRING_EMPTY, row++, 0, 1);
	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p), row++) {
		if (ferror_unlocked(to->out))
			return;
		if (heap__is_node(heap, p))
			put_node(to, NODE_SYNTHETIC, string++, row, 0, count_edges(heap, p));
		else
			put_object(to, p, row);
	}
	putc_unlocked(']', to->out);
}

/* ---------------------------------------------------------------- strings */

/* As JSON: what is valid UTF-8 and no control character stays as it is. */
static void put_string(struct snapshot *to, const struct buf *escaped)
{
	const char *text = buf__str(escaped);

	fputs(to->started ? ",\n\"" : "\"", to->out);
	to->started = true;
	for (size_t i = 0; i < escaped->len; i++) {
		if (text[i] == '"' || text[i] == '\\')
			putc_unlocked('\\', to->out);
		putc_unlocked(text[i], to->out);
	}
	putc_unlocked('"', to->out);
}

/* Both are empty afterwards; `escaped` remembers an error. */
static void put_name(struct snapshot *to, struct buf *name, struct buf *escaped)
{
	escape__move(escaped, name);
	put_string(to, escaped);
	buf__truncate(escaped, 0);
}

static void put_type_strings(struct snapshot *to, uint32_t type, struct buf *name,
			     struct buf *escaped)
{
	heap_words__type(name, to->heap, type);
	put_name(to, name, escaped);
	for (uint32_t i = 0; i < to->fields.types[type].fields; i++) {
		export_fields__name(escaped, to->heap, &to->fields, type, i);
		put_string(to, escaped);
		buf__truncate(escaped, 0);
	}
}

static void put_root_strings(struct snapshot *to, struct buf *name, struct buf *escaped)
{
	const struct heap *heap = to->heap;

	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		if (!heap__is_node(heap, p))
			continue;
		if (p == heap__top(heap))
			buf__add_str(name, "(GC roots)");
		else
			heap_words__node(name, heap, p);
		put_name(to, name, escaped);
	}
}

static int put_strings(struct snapshot *to)
{
	struct buf name = BUF_INIT, escaped = BUF_INIT;
	int err;

	begin_array(to, "strings");
	put_name(to, &name, &escaped);
	buf__add_char(&name, '?');
	put_name(to, &name, &escaped);
	buf__add_str(&name, "(dependent handle)");
	put_name(to, &name, &escaped);
	for (uint32_t i = 0; i < to->fields.count; i++)
		put_type_strings(to, i, &name, &escaped);
	put_root_strings(to, &name, &escaped);
	putc_unlocked(']', to->out);
	err = escaped.error;
	buf__free(&name);
	buf__free(&escaped);
	return err;
}

static int number_strings(struct snapshot *to)
{
	uint64_t next = STRING_TYPES;

	to->strings = memory__get(&to->fields.all.memory,
				  to->fields.count * sizeof(*to->strings));
	if (!to->strings)
		return memory__error(&to->fields.all.memory);
	for (uint32_t i = 0; i < to->fields.count; i++) {
		to->strings[i] = next;
		next += 1 + to->fields.types[i].fields;
	}
	to->root_strings = next;
	return 0;
}

/* ---------------------------------------------------------------- in all */

static int number_rows(struct snapshot *to)
{
	const struct heap *heap = to->heap;
	int err = address_index__init(&to->rows, &to->fields.all.memory, 0);

	for (uint32_t p = heap__first(heap); p < heap__end(heap) && err >= 0;
	     p = heap__next(heap, p)) {
		err = address_index__add(&to->rows, p >> PLACE_SHIFT);
		to->edges += count_edges(heap, p);
	}
	return err < 0 ? err : address_index__seal(&to->rows);
}

static void put_head(struct snapshot *to)
{
	fputs("{\"snapshot\":{\"meta\":{"
	      "\"node_fields\":[\"type\",\"name\",\"id\",\"self_size\",\"edge_count\","
	      "\"trace_node_id\",\"detachedness\"],\n"
	      "\"node_types\":[" NODE_TYPES
	      ",\"string\",\"number\",\"number\",\"number\",\"number\",\"number\"],\n"
	      "\"edge_fields\":[\"type\",\"name_or_index\",\"to_node\"],\n"
	      "\"edge_types\":[" EDGE_TYPES ",\"string_or_number\",\"node\"],\n"
	      "\"trace_function_info_fields\":[\"function_id\",\"name\",\"script_name\","
	      "\"script_id\",\"line\",\"column\"],\n"
	      "\"trace_node_fields\":[\"id\",\"function_info_index\",\"count\",\"size\","
	      "\"children\"],\n"
	      "\"sample_fields\":[\"timestamp_us\",\"last_assigned_id\"],\n"
	      "\"location_fields\":[\"object_index\",\"script_id\",\"line\",\"column\"]},\n",
	      to->out);
	fprintf(to->out,
		"\"node_count\":%" PRIu64 ",\"edge_count\":%" PRIu64
		",\"trace_function_count\":0}",
		to->rows.count + 1, to->edges + 1);
}

static int put_all(struct snapshot *to)
{
	int err;

	put_head(to);
	put_nodes(to);
	put_edges(to);
	fputs(",\n\"trace_function_infos\":[],\"trace_tree\":[],\"samples\":[],\"locations\":[]",
	      to->out);
	err = put_strings(to);
	fputs("}\n", to->out);
	return ferror_unlocked(to->out) ? -EIO : err;
}

static int write_heapsnapshot(struct heap *heap, const struct heap_heading *heading,
			      const struct export_options *options, FILE *out)
{
	struct snapshot to = { .heap = heap, .out = out };
	int err = export_fields__find(&to.fields, heap);

	(void)heading;
	(void)options;
	if (!err)
		err = number_strings(&to);
	if (!err)
		err = number_rows(&to);
	if (!err)
		err = put_all(&to);
	if (!err && to.beyond)
		warning("%" PRIu64 " object%s beyond 4 GiB, which is what heapsnapshot's readers"
			" will show",
			to.beyond, to.beyond == 1 ? " is" : "s are");
	if (!err)
		export_fields__tell(&to.fields);
	address_index__free(&to.rows);
	memory__put(&to.fields.all.memory, to.strings, to.fields.count * sizeof(*to.strings));
	export_fields__free(&to.fields);
	return err;
}

const struct exporter export_heapsnapshot = {
	.name = "heapsnapshot",
	.help = "Chrome DevTools (Memory, Load), memlab",
	.write = write_heapsnapshot,
};
