/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A Perfetto trace with a heap graph in it: fields and numbers by github.com/google/perfetto,
 * protos/perfetto/trace/trace_packet.proto and protos/third_party/android/art/heap_graph.proto,
 * and what its trace processor makes of them (heap_graph_module.cc, heap_graph_tracker.cc).
 *
 *	Trace { packet: TracePacket }   in this order:
 *	  clock_snapshot   times are CLOCK_MONOTONIC, where the dump says when it was
 *	  process_tree     the process and its name
 *	  heap_graph       many, of one time and one sequence, index 0, 1, 2, ..., all but the last
 *	                   `continued`: objects, then types, then roots, then names of fields
 *
 * The id of an object is its address; the first of a packet is told whole, others as what they add
 * to the one before where addresses grow, which saves half of the file. References are told less
 * reference_field_id_base, for the same reason. 0 would be null, so that base is the lowest - 1.
 *
 * An object names its fields itself (its type could, but only where it told all of them, nulls
 * too), by numbers that are given to pairs of type and place when one first comes; the names are
 * known to mean something only behind the last object. Elements of arrays have no names: Perfetto
 * knows their type as an array. Weak references and weak roots are left out, since what reads
 * this would take them for strong ones.
 */
#include <errno.h>
#include <string.h>

#include "../base/buf.h"
#include "../base/escape.h"
#include "../base/protobuf.h"
#include "export.h"
#include "field_numbers.h"
#include "gctrace/wire.h"
#include "heap_view.h"
#include "heap_words.h"

#define PACKET_BYTES (512u << 10) /* about; one object is never in two */
#define SEQUENCE 1

enum trace { TRACE_PACKET = 1 };
enum trace_packet {
	PACKET_PROCESS_TREE = 2,
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_HEAP_GRAPH = 56,
	PACKET_TIMESTAMP_CLOCK = 58,
};
enum clock_snapshot { SNAPSHOT_CLOCKS = 1, SNAPSHOT_PRIMARY = 2 };
enum clock { CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum builtin_clock { BUILTIN_REALTIME = 1, BUILTIN_MONOTONIC = 3 };
enum process_tree { TREE_PROCESSES = 1 };
enum process { PROCESS_PID = 1, PROCESS_CMDLINE = 3, PROCESS_CMDLINE_IS_COMM = 9 };
enum heap_graph {
	GRAPH_PID = 1,
	GRAPH_OBJECTS = 2,
	GRAPH_FIELD_NAMES = 4,
	GRAPH_CONTINUED = 5,
	GRAPH_INDEX = 6,
	GRAPH_ROOTS = 7,
	GRAPH_TYPES = 9,
	GRAPH_BYTES_ALLOCATED = 10,
};
enum graph_object {
	OBJECT_ID = 1,
	OBJECT_TYPE = 2,
	OBJECT_SIZE = 3,
	OBJECT_REFERENCE_FIELDS = 4,
	OBJECT_REFERENCES = 5,
	OBJECT_REFERENCES_BASE = 6,
	OBJECT_ID_DELTA = 7,
};
enum graph_type { TYPE_ID = 1, TYPE_NAME = 3, TYPE_SUPER = 5, TYPE_KIND = 7 };
enum graph_type_kind { KIND_NORMAL = 1, KIND_NOREFERENCES = 2, KIND_ARRAY = 4 };
enum graph_root { ROOT_OBJECTS = 1, ROOT_TYPE = 2 };
enum interned_string { STRING_ID = 1, STRING_BYTES = 2 };
enum graph_root_type {
	ROOT_UNKNOWN = 0,
	ROOT_JNI_GLOBAL = 1,
	ROOT_JAVA_FRAME = 3,
	ROOT_NATIVE_STACK = 4,
	ROOT_STICKY_CLASS = 5,
	ROOT_MONITOR_USED = 7,
	ROOT_THREAD_OBJECT = 8,
	ROOT_FINALIZING = 10,
	ROOT_VM_INTERNAL = 13,
};

struct graph_writer {
	const struct heap *heap;
	const struct heap_heading *heading;
	FILE *out;
	uint64_t index; /* of the next packet */
	uint64_t last;	/* the address before; 0: none in this packet */
	VEC(uint64_t) targets; /* of one object */
	struct field_numbers fields; /* a field's id is its number + 1 */
	struct buf graph;	   /* the packet that is being filled */
	struct buf trace, packet;  /* scratch, from outside to inside */
	struct buf message, of_fields, of_references;
	struct buf raw, name;
};

/* ---------------------------------------------------------------- packets */

static int write_packet(struct graph_writer *writer)
{
	protobuf__message(&writer->trace, TRACE_PACKET, &writer->packet);
	return buf__flush(&writer->trace, writer->out);
}

static void begin_graph(struct graph_writer *writer)
{
	writer->last = 0;
	protobuf__u64(&writer->graph, GRAPH_PID, writer->heading->pid);
	protobuf__u64(&writer->graph, GRAPH_INDEX, writer->index++);
}

static int end_graph(struct graph_writer *writer, bool continued)
{
	const uint64_t when = writer->heading->facts->begun_ns;

	protobuf__u64(&writer->graph, GRAPH_CONTINUED, continued);
	if (when != EVENT_UNKNOWN) {
		protobuf__u64(&writer->packet, PACKET_TIMESTAMP, when);
		protobuf__u64(&writer->packet, PACKET_TIMESTAMP_CLOCK, BUILTIN_MONOTONIC);
	}
	protobuf__u64(&writer->packet, PACKET_SEQUENCE, SEQUENCE);
	protobuf__message(&writer->packet, PACKET_HEAP_GRAPH, &writer->graph);
	return write_packet(writer);
}

static int go_on(struct graph_writer *writer)
{
	int err;

	if (writer->graph.len < PACKET_BYTES && !writer->graph.error)
		return 0;
	err = end_graph(writer, true);
	begin_graph(writer);
	return err;
}

/* writer->raw, safe to show, as a field of a message. */
static void add_escaped(struct graph_writer *writer, struct buf *out, uint32_t field)
{
	escape__move(&writer->name, &writer->raw);
	protobuf__message(out, field, &writer->name);
}

/* ---------------------------------------------------------------- when, and who */

static void add_clock(struct graph_writer *writer, enum builtin_clock clock, uint64_t ns)
{
	struct buf *snapshot = &writer->of_fields;

	protobuf__u64(&writer->message, CLOCK_ID, clock);
	protobuf__u64(&writer->message, CLOCK_TIMESTAMP, ns);
	protobuf__message(snapshot, SNAPSHOT_CLOCKS, &writer->message);
}

static int write_clocks(struct graph_writer *writer)
{
	const uint64_t when = writer->heading->facts->begun_ns;
	const int64_t offset = writer->heading->clock_offset_ns;

	if (when == EVENT_UNKNOWN)
		return 0;
	add_clock(writer, BUILTIN_MONOTONIC, when);
	if (offset)
		add_clock(writer, BUILTIN_REALTIME, when + (uint64_t)offset);
	protobuf__u64(&writer->of_fields, SNAPSHOT_PRIMARY, BUILTIN_MONOTONIC);
	protobuf__message(&writer->packet, PACKET_CLOCK_SNAPSHOT, &writer->of_fields);
	return write_packet(writer);
}

static int write_process(struct graph_writer *writer)
{
	const struct text name = writer->heading->name;

	protobuf__u64(&writer->message, PROCESS_PID, writer->heading->pid);
	if (name.bytes) {
		buf__add(&writer->raw, name.at, name.bytes);
		add_escaped(writer, &writer->message, PROCESS_CMDLINE);
		protobuf__u64(&writer->message, PROCESS_CMDLINE_IS_COMM, true);
	}
	protobuf__message(&writer->of_fields, TREE_PROCESSES, &writer->message);
	protobuf__message(&writer->packet, PACKET_PROCESS_TREE, &writer->of_fields);
	return write_packet(writer);
}

/* ---------------------------------------------------------------- fields */

/*
 * "shop.Cache.byId". Perfetto takes what stands before a blank for the field's type, which we do
 * not know: before a name that has one itself, an empty type is said.
 */
static void add_field_name(struct graph_writer *writer, const struct numbered_field *field)
{
	struct buf *raw = &writer->raw;

	heap_words__type(raw, writer->heap, field->type);
	heap_words__field(raw, writer->heap, field->example, field->place);
	if (memchr(buf__str(raw), ' ', raw->len))
		buf__add_char(&writer->name, ' ');
	add_escaped(writer, &writer->message, STRING_BYTES);
}

static int write_fields(struct graph_writer *writer)
{
	int err = 0;

	for (uint32_t i = 0; i < writer->fields.of.count && !err; i++) {
		protobuf__u64(&writer->message, STRING_ID, i + UINT64_C(1));
		add_field_name(writer, &writer->fields.of.items[i]);
		protobuf__message(&writer->graph, GRAPH_FIELD_NAMES, &writer->message);
		err = go_on(writer);
	}
	return err;
}

/* ---------------------------------------------------------------- objects */

static void add_id(struct graph_writer *writer, uint64_t address)
{
	if (writer->last && address > writer->last)
		protobuf__u64(&writer->message, OBJECT_ID_DELTA, address - writer->last);
	else
		protobuf__u64(&writer->message, OBJECT_ID, address);
	writer->last = address;
}

/* The addresses that it refers to; 0: what was never told. An address is dear: a search by rank. */
static int find_targets(struct graph_writer *writer, uint32_t place, uint64_t *lowest)
{
	struct heap_references references = heap__references(writer->heap, place);
	struct heap_reference next;
	int err = 0;

	*lowest = UINT64_MAX;
	vec__reset(&writer->targets);
	while (!err && heap_references__next(&references, &next)) {
		const uint64_t to = next.to == HEAP_NOWHERE ?
					    0 :
					    heap__object(writer->heap, next.to).address;

		*lowest = to && to < *lowest ? to : *lowest;
		err = memory__push(&writer->fields.memory, &writer->targets, to);
	}
	return err;
}

static int add_reference(struct graph_writer *writer, uint32_t place, uint32_t type,
			 bool is_array, const struct heap_reference *next)
{
	const struct numbered_field field = { type, heap__place_kind(writer->heap, place),
					      next->place, place };
	uint32_t number;
	int err;

	if (is_array)
		return 0;
	err = field_numbers__need(&writer->fields, &field, &number);
	if (!err)
		protobuf__varint(&writer->of_fields, number + UINT64_C(1));
	return err;
}

static int add_references(struct graph_writer *writer, uint32_t place, uint32_t type)
{
	const bool is_array = heap_words__is_array(writer->heap, place);
	struct heap_references references = heap__references(writer->heap, place);
	struct heap_reference next;
	uint64_t lowest;
	int err = find_targets(writer, place, &lowest);

	for (size_t i = 0; !err && heap_references__next(&references, &next); i++) {
		if (!writer->targets.items[i])
			continue;
		err = add_reference(writer, place, type, is_array, &next);
		protobuf__varint(&writer->of_references, writer->targets.items[i] - lowest + 1);
	}
	if (!writer->of_references.len)
		return err;
	if (!is_array)
		protobuf__message(&writer->message, OBJECT_REFERENCE_FIELDS, &writer->of_fields);
	protobuf__u64(&writer->message, OBJECT_REFERENCES_BASE, lowest - 1);
	protobuf__message(&writer->message, OBJECT_REFERENCES, &writer->of_references);
	return err;
}

static int write_object(struct graph_writer *writer, uint32_t place)
{
	const struct heap_object object = heap__object(writer->heap, place);
	int err;

	add_id(writer, object.address);
	protobuf__u64(&writer->message, OBJECT_TYPE, object.type + UINT64_C(1));
	protobuf__u64(&writer->message, OBJECT_SIZE, object.size);
	err = add_references(writer, place, object.type);
	protobuf__message(&writer->graph, GRAPH_OBJECTS, &writer->message);
	return err ? err : go_on(writer);
}

static int write_objects(struct graph_writer *writer)
{
	const struct heap *heap = writer->heap;
	int err = 0;

	for (uint32_t p = heap__first(heap); p < heap__end(heap) && !err; p = heap__next(heap, p))
		if (!heap__is_node(heap, p))
			err = write_object(writer, p);
	return err;
}

/* ---------------------------------------------------------------- types */

static enum graph_type_kind kind_of(const struct heap_type *type)
{
	if (type->flags & GCTRACE_CLASS_ARRAY)
		return KIND_ARRAY;
	return type->flags & GCTRACE_CLASS_BYTES ? KIND_NOREFERENCES : KIND_NORMAL;
}

static int write_type(struct graph_writer *writer, uint32_t index)
{
	const struct heap_types *types = heap__types(writer->heap);
	const struct heap_type type = heap_types__at(types, index);
	const uint32_t super = type.super ? heap_types__known(types, type.super) : UINT32_MAX;

	protobuf__u64(&writer->message, TYPE_ID, index + UINT64_C(1));
	heap_words__type(&writer->raw, writer->heap, index);
	add_escaped(writer, &writer->message, TYPE_NAME);
	if (super != UINT32_MAX)
		protobuf__u64(&writer->message, TYPE_SUPER, super + UINT64_C(1));
	protobuf__u64(&writer->message, TYPE_KIND, kind_of(&type));
	protobuf__message(&writer->graph, GRAPH_TYPES, &writer->message);
	return go_on(writer);
}

static int write_types(struct graph_writer *writer)
{
	int err = 0;

	for (uint32_t i = 0; i < heap__types(writer->heap)->count && !err; i++)
		err = write_type(writer, i);
	return err;
}

/* ---------------------------------------------------------------- roots */

static enum graph_root_type root_type_of(const struct heap_root *root)
{
	static const enum graph_root_type of_containers[] = {
		[GCTRACE_C_RT_THREAD] = ROOT_THREAD_OBJECT,
		[GCTRACE_C_RT_JIT] = ROOT_JAVA_FRAME,
		[GCTRACE_C_RT_NATIVE] = ROOT_NATIVE_STACK,
		[GCTRACE_C_RT_NATIVEGC] = ROOT_NATIVE_STACK,
		[GCTRACE_C_RT_COM] = ROOT_NATIVE_STACK,
		[GCTRACE_C_RT_INTERPRETED] = ROOT_JAVA_FRAME,
		[GCTRACE_C_RT_FAST_INTERPRETED] = ROOT_JAVA_FRAME,
		[GCTRACE_C_STATIC] = ROOT_STICKY_CLASS,
		[GCTRACE_C_FINALIZER] = ROOT_FINALIZING,
		[GCTRACE_C_INTERNAL] = ROOT_VM_INTERNAL,
		[GCTRACE_C_HANDLES] = ROOT_JNI_GLOBAL,
		[GCTRACE_C_GLOBALS] = ROOT_JNI_GLOBAL,
		[GCTRACE_C_MONITORS] = ROOT_MONITOR_USED,
		[GCTRACE_C_RT_FRAME] = ROOT_JAVA_FRAME,
	};

	/* Beside the thread object itself, a thread's own roots are those of its stack. */
	if (root->type == GCTRACE_C_RT_THREAD && root->kind != GCTRACE_ROOT_THREAD)
		return ROOT_JAVA_FRAME;
	return root->type < sizeof(of_containers) / sizeof(*of_containers) ?
		       of_containers[root->type] :
		       ROOT_UNKNOWN;
}

/* All of one type that come one after the other. */
static int end_roots(struct graph_writer *writer, enum graph_root_type type)
{
	if (!writer->of_references.len)
		return 0;
	protobuf__message(&writer->message, ROOT_OBJECTS, &writer->of_references);
	protobuf__u64(&writer->message, ROOT_TYPE, type);
	protobuf__message(&writer->graph, GRAPH_ROOTS, &writer->message);
	return go_on(writer);
}

static int write_roots(struct graph_writer *writer)
{
	const struct heap *heap = writer->heap;
	enum graph_root_type type = ROOT_UNKNOWN, next;
	int err = 0;

	for (uint32_t p = heap__first(heap); p < heap__end(heap) && !err;
	     p = heap__next(heap, p)) {
		struct heap_root root;

		if (!heap__is_node(heap, p))
			continue;
		root = heap__root(heap, p);
		if (root.level != HEAP_ROOT_REFERENCE || root.weak || root.dependent ||
		    root.object == ROW_NOWHERE)
			continue;
		next = root_type_of(&root);
		if (next != type || writer->of_references.len > PACKET_BYTES)
			err = end_roots(writer, type);
		type = next;
		protobuf__varint(&writer->of_references, root.address);
	}
	return err ? err : end_roots(writer, type);
}

/* ---------------------------------------------------------------- all of it */

static int write_graph(struct graph_writer *writer)
{
	int err;

	begin_graph(writer);
	protobuf__u64(&writer->graph, GRAPH_BYTES_ALLOCATED, writer->heading->facts->bytes);
	err = write_objects(writer);
	if (!err)
		err = write_types(writer);
	if (!err)
		err = write_roots(writer);
	if (!err)
		err = write_fields(writer);
	return err ? err : end_graph(writer, false);
}

static void free_writer(struct graph_writer *writer)
{
	memory__free_vec(&writer->fields.memory, &writer->targets);
	field_numbers__free(&writer->fields);
	buf__free(&writer->graph);
	buf__free(&writer->trace);
	buf__free(&writer->packet);
	buf__free(&writer->message);
	buf__free(&writer->of_fields);
	buf__free(&writer->of_references);
	buf__free(&writer->raw);
	buf__free(&writer->name);
}

static int write_perfetto(struct heap *heap, const struct heap_heading *heading,
			  const struct export_options *options, FILE *out)
{
	struct graph_writer writer = { .heap = heap, .heading = heading, .out = out,
				       .fields.memory = heap__memory_left(heap) };
	int err = write_clocks(&writer);

	(void)options;
	if (!err)
		err = write_process(&writer);
	if (!err)
		err = write_graph(&writer);
	free_writer(&writer);
	return err;
}

const struct exporter export_perfetto = {
	.name = "perfetto",
	.help = "ui.perfetto.dev and its trace processor: the heap graph",
	.is_binary = true,
	.write = write_perfetto,
};
