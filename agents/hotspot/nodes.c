/* SPDX-License-Identifier: BSD-2-Clause */
#include "nodes.h"
#include "agents/common/table.h"
#include "addresses.h"
#include "classes.h"
#include "fault.h"
#include "held.h"
#include "mirrors.h"
#include "roots.h"
#include "seen.h"
#include "types.h"

#include <string.h>

#define MOST_FIELDS (UINT16_MAX + 2) /* of an instance, and its class */
#define FEW_FIELDS 8
#define MOST_STRANGERS (1u << 20)
#define GAP 16 /* nulls that are told, before it is said where an element stands */
#define NOWHERE UINT64_MAX

/* A class of which nothing is known: what is of it has a size of its own. */
struct stranger {
	struct table_entry entry;
	uint64_t size;
};

static struct table strangers;

/*
 * The object whose references come. On cache lines of its own: a store that crosses a page takes
 * longer than all else that is done for an object.
 */
static _Alignas(64) struct {
	struct gctrace_object object;
	struct type *type;
	uint64_t number;   /* of a class object: the class */
	struct gctrace_writer *writer;
	struct totals *totals;
	bool is_told;	   /* already, whole */
	bool has_flags;	   /* some of flags[] are not 0; else all are */
	uint64_t refs[MOST_FIELDS], places[GCTRACE_PART_ENTRIES];
	uint32_t flags[MOST_FIELDS];
} node;

bool nodes__init(void)
{
	return seen__init() && mirrors__init() &&
	       table__reserve(&strangers, sizeof(struct stranger), MOST_STRANGERS);
}

void nodes__empty(void)
{
	seen__empty();
	mirrors__empty();
	table__empty(&strangers);
}

void nodes__begin(struct gctrace_writer *writer, struct totals *totals)
{
	node.writer = writer;
	node.totals = totals;
	node.object = (struct gctrace_object){ .id = 0 };
}

static void count_object(uint64_t size)
{
	node.totals->objects++;
	node.totals->bytes += size;
}

/* ---- Named first ---- */

/* How the references of such objects say their places: in all parts of one alike. */
static uint32_t form_of(const struct type *type)
{
	const bool has_order = type->kind == TYPE_FIELDS ||
			       (type->kind == TYPE_ELEMENTS && type->is_lasting);

	return has_order ? GCTRACE_PLACE_POSITION : GCTRACE_PLACE_INDEX;
}

static void tell_head(const struct named *named, uint32_t flags)
{
	const struct gctrace_object head = { .id = named->id,
					     .class_ = named->class_,
					     .size = named->size,
					     .flags = flags,
					     .place = form_of(types__at(named->class_)) };

	gctrace_write_object(node.writer, &head);
	count_object(named->size);
}

static void tell_whole(const struct named *named)
{
	seen__mark(named->id, SEEN_VISITED);
	tell_head(named, 0);
}

static void name_class(const struct named *named)
{
	struct type *mirrored = types__at(named->number);

	if (mirrored == types__at(0)) {
		fault__raise("no room for so many classes");
		return;
	}
	mirrored->mirror = named->id;
	tell_head(named, GCTRACE_MORE_REFERENCES);
	if (mirrored->is_lasting && mirrored->loader)
		roots__class(node.writer, named->id, node.totals);
}

static void keep_stranger(const struct named *named)
{
	struct stranger *stranger = table__add(&strangers, named->id);

	if (stranger)
		stranger->size = named->size;
	else
		fault__raise("no room for objects of classes that were loaded meanwhile");
}

/* Of a class without a tag: what it is of it says when it is visited. */
static bool is_of_class_to_come(const struct named *named)
{
	return !named->class_ && !named->is_array && addresses.are_known;
}

static void name_new(const struct named *named)
{
	struct type *type = types__at(named->class_);

	if (is_of_class_to_come(named)) {
		if (!seen__mark_end(named->id, named->size))
			fault__raise_of_addresses("no room for marks of where objects end");
		return;
	}
	switch ((enum type_kind)type->kind) {
	case TYPE_FIELDS:
		type->bytes = (uint32_t)named->size;
		return;
	case TYPE_PLAIN:
		tell_whole(named);
		return;
	case TYPE_ELEMENTS:
		if (named->is_empty && type->is_lasting)
			tell_whole(named);
		else
			tell_head(named, GCTRACE_MORE_REFERENCES);
		return;
	case TYPE_CLASS:
		name_class(named);
		return;
	case TYPE_STRANGE:
		type->is_at_work = true;
		keep_stranger(named);
	}
}

uint32_t nodes__name(const struct named *named)
{
	const unsigned before = seen__mark(named->id, SEEN_REPORTED);

	if (before & (SEEN_REPORTED | SEEN_VISITED))
		return before;
	if (before == SEEN_NO_ROOM) /* tags stand close together: they need less */
		fault__raise_of_addresses("no room for marks of objects");
	else
		name_new(named);
	return 0;
}

/* ---- Visited ---- */

static void tell_part(uint32_t flags)
{
	node.object.flags = flags;
	node.object.ref_flags = node.has_flags ? node.flags : NULL;
	gctrace_write_object(node.writer, &node.object);
	node.object.first += node.object.count;
	node.object.count = 0;
	node.has_flags = false;
}

/* Behind those that there are. */
static void add(uint64_t to, uint32_t flags)
{
	node.has_flags |= flags != 0;
	node.refs[node.object.count] = to;
	node.flags[node.object.count++] = flags;
}

/* At a place that is said with it. */
static void add_placed(uint64_t place, uint64_t to, uint32_t flags)
{
	if (node.object.count == GCTRACE_PART_ENTRIES)
		tell_part(GCTRACE_MORE_REFERENCES);
	node.places[node.object.count] = place;
	add(to, flags);
}

/* Not yet enqueued: the reference does not keep what it refers to for a finalizer. */
static void weigh_final(void)
{
	const struct type *type = node.type;

	if (type->is_final && node.refs[type->next])
		node.flags[type->referent] &= ~(uint32_t)type->strength;
}

/* A handle that the walk has not come by is not trusted. */
static void add_held(void)
{
	const struct held *held;
	const uint32_t count = held__of(types__at(node.number), &held);

	for (uint32_t i = 0; i < count; i++) {
		const unsigned before = held[i].id ? seen__mark(held[i].id, 0) : 0;

		if (!(before & SEEN_REPORTED))
			continue;
		add_placed(held[i].position, held[i].id, before);
		node.totals->references++;
	}
}

/* A class object has more to come. */
static void close_class(void)
{
	if (node.object.count)
		tell_part(GCTRACE_MORE_REFERENCES);
}

static void close_node(void)
{
	if (!node.object.id || node.is_told)
		return;
	if (node.type->kind == TYPE_CLASS) {
		close_class();
		return;
	}
	if (node.type->kind == TYPE_FIELDS) {
		weigh_final();
		count_object(node.object.size);
	} else if (node.type->kind == TYPE_STRANGE) {
		count_object(node.object.size);
	}
	tell_part(0);
}

static void open_fields(void)
{
	const size_t count = node.type->references + !node.type->is_lasting;

	if (!node.type->bytes)
		node.type->bytes = (uint32_t)seen__bytes(node.object.id);
	node.object.size = node.type->bytes;
	if (count > MOST_FIELDS) { /* of classes above each other, each of which may have as many */
		fault__raise("an object has more fields than there is room for");
		return;
	}
	node.object.count = count;
	if (count <= FEW_FIELDS)
		memset(node.refs, 0, FEW_FIELDS * sizeof(*node.refs)); /* some stores, no call */
	else
		memset(node.refs, 0, count * sizeof(*node.refs));
}

static void open_strange(void)
{
	const struct stranger *stranger = table__find(&strangers, node.object.id);

	node.type->is_at_work = true; /* it may have got its number since this was named */
	node.object.size = stranger ? stranger->size : seen__bytes(node.object.id);
}

static void open_node(uint64_t id, uint64_t class_, uint64_t number)
{
	node.type = types__at(class_);
	node.number = number;
	node.has_flags = false;
	node.object = (struct gctrace_object){ .id = id,
					       .class_ = class_,
					       .place = form_of(node.type),
					       .refs = node.refs,
					       .places = node.places };
	if (node.type->kind == TYPE_FIELDS)
		open_fields();
	else if (node.type->kind == TYPE_STRANGE)
		open_strange();
}

bool nodes__visit(uint64_t id, uint64_t class_, uint64_t number)
{
	unsigned before;

	if (node.object.id == id)
		return false;
	close_node();
	before = seen__mark(id, SEEN_VISITED);
	open_node(id, class_, number);
	node.is_told = before & SEEN_VISITED;
	if (!(before & SEEN_REPORTED))
		fault__raise_of_addresses("what refers to another was not named before");
	else if (node.is_told && node.type->kind == TYPE_FIELDS)
		fault__raise_of_addresses("an object was visited twice");
	return true;
}

/* ---- References ---- */

/* Few objects have any. */
static void flag_field(uint32_t position, uint32_t flags)
{
	if (!node.has_flags)
		memset(node.flags, 0, node.object.count * sizeof(*node.flags));
	node.has_flags = true;
	node.flags[position] = flags;
}

static void add_field(uint32_t position, uint64_t to, uint32_t flags)
{
	if (position >= node.object.count) {
		fault__raise("a field is none of its class");
		return;
	}
	if (node.type->strength && position == node.type->referent)
		flags |= node.type->strength;
	node.refs[position] = to;
	if (flags)
		flag_field(position, flags);
}

/* Elements that follow each other stand in one part, with the nulls between them. */
static void add_element(uint64_t index, uint64_t to, uint32_t flags)
{
	const uint64_t next = node.object.first + node.object.count, gap = index - next;

	if (index < next || gap > GAP || node.object.count + gap >= GCTRACE_PART_ENTRIES) {
		if (node.object.count)
			tell_part(GCTRACE_MORE_REFERENCES);
		node.object.first = index;
	}
	while (node.object.first + node.object.count < index)
		add(0, 0);
	add(to, flags);
}

/* What keeps a class that may be unloaded. */
static void add_class(const struct named *to, uint32_t flags)
{
	if (node.type->kind == TYPE_FIELDS) {
		add_field(node.type->references, to->id, flags);
		return;
	}
	if (!node.object.class_) {
		if (types__at(to->number)->kind != TYPE_STRANGE)
			fault__raise_of_addresses("an object's class was told behind its fields");
		node.object.class_ = to->number;
		types__at(to->number)->is_at_work = true;
	}
	add_placed(NOWHERE, to->id, flags);
}

static uint64_t place_in_class(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info)
{
	switch (kind) {
	case JVMTI_HEAP_REFERENCE_FIELD: {
		const uint32_t position = types__position(node.type, (uint32_t)info->field.index);

		return position == TYPES_NO_POSITION ? NOWHERE : position;
	}
	case JVMTI_HEAP_REFERENCE_STATIC_FIELD:
		return classes__static_place(node.number, (uint32_t)info->field.index);
	case JVMTI_HEAP_REFERENCE_SUPERCLASS:
		return classes__place(CLASS_PLACE_SUPER);
	case JVMTI_HEAP_REFERENCE_CLASS_LOADER:
		return classes__place(CLASS_PLACE_LOADER);
	case JVMTI_HEAP_REFERENCE_SIGNERS:
		return classes__place(CLASS_PLACE_SIGNERS);
	case JVMTI_HEAP_REFERENCE_PROTECTION_DOMAIN:
		return classes__place(CLASS_PLACE_DOMAIN);
	case JVMTI_HEAP_REFERENCE_INTERFACE:
		return classes__place(CLASS_PLACE_INTERFACE);
	case JVMTI_HEAP_REFERENCE_CONSTANT_POOL:
		return classes__place(CLASS_PLACE_CONSTANT);
	default:
		return classes__place(CLASS_PLACE_OTHER);
	}
}

static void add_of_class(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
			 uint64_t to, uint32_t flags)
{
	types__at(node.number)->is_at_work |= kind == JVMTI_HEAP_REFERENCE_STATIC_FIELD;
	if (kind == JVMTI_HEAP_REFERENCE_STATIC_FIELD && types__at(node.number)->is_lasting)
		roots__static(node.writer, node.number, (uint32_t)info->field.index, to, flags,
			      node.totals);
	else
		add_placed(place_in_class(kind, info), to, flags);
}

/* In an array, or in what is of a class that is not known here. */
static uint64_t place_by_index(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info)
{
	if (kind == JVMTI_HEAP_REFERENCE_FIELD)
		return (uint32_t)info->field.index;
	return kind == JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT ? (uint32_t)info->array.index : NOWHERE;
}

/* That of a class that lasts is not told, and of most objects it is all that the JVM tells. */
static bool is_known_class(jvmtiHeapReferenceKind kind, const struct named *to)
{
	return kind == JVMTI_HEAP_REFERENCE_CLASS && node.type->is_lasting &&
	       types__at(to->number)->mirror == to->id;
}

void nodes__refer(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
		  const struct named *to)
{
	uint32_t flags;

	if (is_known_class(kind, to))
		return;
	flags = nodes__name(to);
	if (node.is_told || (kind == JVMTI_HEAP_REFERENCE_CLASS && node.type->is_lasting))
		return;
	node.totals->references++;
	if (kind == JVMTI_HEAP_REFERENCE_CLASS) {
		add_class(to, flags);
		return;
	}
	if (node.type->kind == TYPE_FIELDS)
		add_field(types__position(node.type, (uint32_t)info->field.index), to->id, flags);
	else if (node.type->kind == TYPE_CLASS)
		add_of_class(kind, info, to->id, flags);
	else if (node.object.place == GCTRACE_PLACE_POSITION)
		add_element((uint32_t)info->array.index, to->id, flags);
	else
		add_placed(place_by_index(kind, info), to->id, flags);
}

/* What class objects hold by their own fields ends them, also those that nothing was told of. */
static void close_classes(void)
{
	for (uint32_t number = 1; number <= types.count; number++) {
		const uint64_t mirror = types__at(number)->mirror;

		if (!mirror)
			continue;
		open_node(mirror, types.classes, number);
		add_held();
		tell_part(0);
	}
}

void nodes__end(void)
{
	close_node();
	close_classes();
	node.object.id = 0;
}
