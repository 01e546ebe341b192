/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_words.h"

#include <inttypes.h>
#include <string.h>

#include "../base/buf.h"
#include "../base/units.h"
#include "../model/owner.h"
#include "gctrace/wire.h"
#include "heap_view.h"

/* ---------------------------------------------------------------- types */

void heap_words__type(struct buf *out, const struct heap *heap, uint32_t index)
{
	const struct heap_type type = heap_types__at(heap__types(heap), index);

	if (type.name.bytes)
		buf__add(out, type.name.at, type.name.bytes);
	else if (type.number == EVENT_UNKNOWN)
		buf__add_str(out, "class ?");
	else
		buf__printf(out, "class %" PRIu64, type.number);
}

void heap_words__type_of(struct buf *out, const struct heap *heap, uint32_t place)
{
	heap_words__type(out, heap, heap__type(heap, place));
}

const char *heap_words__grouping(enum heap_grouping by)
{
	static const char *const names[] = { "type", "package", "loader", "module" };

	return names[by];
}

void heap_words__group(struct buf *out, const struct heap_groups *groups, uint32_t group)
{
	const struct text name = groups->groups.items[group].name;

	if (name.bytes)
		buf__add(out, name.at, name.bytes);
	else if (groups->by == HEAP_BY_PACKAGE)
		buf__add_str(out, "(no package)");
	else
		buf__printf(out, "(%s not told)", heap_words__grouping(groups->by));
}

bool heap_words__is_array(const struct heap *heap, uint32_t place)
{
	if (heap__is_node(heap, place))
		return false;
	return heap_types__at(heap__types(heap), heap__type(heap, place)).flags &
	       GCTRACE_CLASS_ARRAY;
}

/* ---------------------------------------------------------------- roots */

struct root_words {
	const char *name, *text;
};

static const struct root_words *container_words(uint64_t type)
{
	static const struct root_words all[] = {
		[GCTRACE_C_RT_THREAD] = { "thread", "thread stacks" },
		[GCTRACE_C_RT_JIT] = { "jit_frame", "frames of compiled code" },
		[GCTRACE_C_RT_NATIVE] = { "native_frame", "native frames" },
		[GCTRACE_C_RT_NATIVEGC] = { "native_gc_frame", "native frames of the runtime" },
		[GCTRACE_C_RT_COM] = { "com_frame", "COM frames" },
		[GCTRACE_C_RT_INTERPRETED] = { "interpreted_frame", "interpreted frames" },
		[GCTRACE_C_RT_FAST_INTERPRETED] = { "fast_interpreted_frame",
						    "fast interpreted frames" },
		[GCTRACE_C_STATIC] = { "static", "statics" },
		[GCTRACE_C_FINALIZER] = { "finalizer", "objects that wait for their finalizer" },
		[GCTRACE_C_INTERNAL] = { "internal", "the runtime's own" },
		[GCTRACE_C_HANDLES] = { "handles", "handles" },
		[GCTRACE_C_GLOBALS] = { "globals", "globals of native code" },
		[GCTRACE_C_MONITORS] = { "monitors", "locked objects" },
		[GCTRACE_C_DEPENDENT] = { "dependent", "dependent handles" },
		[GCTRACE_C_WEAK] = { "weak", "weak references (keep nothing alive)" },
		[GCTRACE_C_FROZEN] = { "frozen", "frozen objects" },
		[GCTRACE_C_THREAD_STATIC] = { "thread_static", "thread statics" },
		[GCTRACE_C_RT_FRAME] = { "frame", "frames" },
	};

	if (type < sizeof(all) / sizeof(*all) && all[type].name)
		return &all[type];
	return NULL;
}

const char *heap_words__container_name(uint64_t type)
{
	const struct root_words *words = container_words(type);

	return words ? words->name : "own";
}

static const struct root_words *kind_words(uint64_t kind)
{
	static const struct root_words all[] = {
		[GCTRACE_ROOT_LOCAL] = { "local", "local" },
		[GCTRACE_ROOT_STATIC] = { "static", "static" },
		[GCTRACE_ROOT_HANDLE] = { "handle", "handle" },
		[GCTRACE_ROOT_HANDLE_PINNED] = { "pinned_handle", "pinned handle" },
		[GCTRACE_ROOT_HANDLE_WEAK] = { "weak_handle", "weak handle" },
		[GCTRACE_ROOT_FINALIZER] = { "finalizer", "waiting for its finalizer:" },
		[GCTRACE_ROOT_INTERNAL] = { "internal", "internal" },
		[GCTRACE_ROOT_MONITOR] = { "monitor", "monitor" },
		[GCTRACE_ROOT_THREAD] = { "thread", "thread object" },
		[GCTRACE_ROOT_REGISTER] = { "register", "register" },
		[GCTRACE_ROOT_FROZEN] = { "frozen", "frozen" },
		[GCTRACE_ROOT_CONSTANT] = { "constant", "constant in its compiled code" },
	};

	return kind < sizeof(all) / sizeof(*all) && all[kind].name ? &all[kind] : NULL;
}

const char *heap_words__kind_name(uint64_t kind)
{
	const struct root_words *words = kind_words(kind);

	if (words)
		return words->name;
	return kind != EVENT_UNKNOWN && kind >= GCTRACE_ROOT_OWN ? "own" : NULL;
}

/* A name that the target told, or what it is a name of and its number. */
static void add_name(struct buf *out, struct text name, const char *what, uint64_t id)
{
	if (name.bytes)
		buf__add(out, name.at, name.bytes);
	else if (id == EVENT_UNKNOWN)
		buf__add_str(out, what);
	else
		buf__printf(out, "%s %" PRIu64, what, id);
}

static void add_class(struct buf *out, const struct heap *heap, uint64_t number)
{
	const uint32_t type = heap_types__known(heap__types(heap), number);

	if (type != UINT32_MAX)
		heap_words__type(out, heap, type);
	else
		add_name(out, (struct text){ "", 0 }, "class", number);
}

static struct text name_of(const struct heap *heap, uint32_t space, uint64_t id, uint64_t a)
{
	return heap_types__name(heap__types(heap), space, id, a);
}

static void add_container_type(struct buf *out, const struct heap *heap, uint64_t type)
{
	const struct root_words *words = container_words(type);

	if (words)
		buf__add_str(out, words->text);
	else
		add_name(out, name_of(heap, GCTRACE_SPACE_CONTAINER, type, 0), "roots of kind",
			 type);
}

static void add_thread(struct buf *out, const struct heap *heap, uint64_t number)
{
	add_name(out, name_of(heap, GCTRACE_SPACE_THREAD, number, 0), "number", number);
}

static void add_container(struct buf *out, const struct heap *heap, const struct heap_root *root)
{
	if (root->type == GCTRACE_C_RT_THREAD) {
		buf__add_str(out, "thread ");
		add_thread(out, heap, root->id1);
	} else if (heap_root__is_frame(root->type)) {
		add_name(out, name_of(heap, GCTRACE_SPACE_METHOD, root->id2, 0), "method",
			 root->id2);
	} else if (root->type == GCTRACE_C_STATIC) {
		if (root->id1)
			add_class(out, heap, root->id1);
		else
			buf__add_str(out, "all classes");
	} else if (root->type == GCTRACE_C_THREAD_STATIC) {
		add_class(out, heap, root->id1);
		buf__add_str(out, ", thread ");
		add_thread(out, heap, root->id2);
	} else {
		add_container_type(out, heap, root->type);
	}
}

static void add_kind(struct buf *out, const struct heap *heap, uint64_t kind)
{
	const struct root_words *words = kind_words(kind);

	if (words)
		buf__add_str(out, words->text);
	else if (kind == EVENT_UNKNOWN || kind == GCTRACE_ROOT_UNKNOWN)
		buf__add_str(out, "root");
	else
		add_name(out, name_of(heap, GCTRACE_SPACE_ROOT_KIND, kind, 0), "root of kind",
			 kind);
}

static void add_reference(struct buf *out, const struct heap *heap, const struct heap_root *root)
{
	if (root->kind == GCTRACE_ROOT_STATIC && root->id != EVENT_UNKNOWN) {
		add_name(out, name_of(heap, GCTRACE_SPACE_STATIC, root->id1, root->id), "static",
			 root->id);
		return;
	}
	add_kind(out, heap, root->kind);
	if (root->id != EVENT_UNKNOWN && root->kind != GCTRACE_ROOT_THREAD)
		buf__printf(out, root->id > UINT32_MAX ? " 0x%" PRIx64 : " %" PRIu64, root->id);
}

void heap_words__node(struct buf *out, const struct heap *heap, uint32_t place)
{
	const struct heap_root root = heap__root(heap, place);

	switch (root.level) {
	case HEAP_ROOT_ALL:
		buf__add_str(out, "all roots");
		break;
	case HEAP_ROOT_TYPE:
		add_container_type(out, heap, root.type);
		break;
	case HEAP_ROOT_CONTAINER:
		add_container(out, heap, &root);
		break;
	case HEAP_ROOT_KIND:
		add_kind(out, heap, root.kind);
		break;
	case HEAP_ROOT_REFERENCE:
		add_reference(out, heap, &root);
		break;
	}
}

uint32_t heap_words__thread(const struct heap *heap, const struct heap_root *root)
{
	struct heap_root above = *root;

	while (above.parent != HEAP_NONE) {
		const uint32_t place = above.parent;

		above = heap__root(heap, place);
		if (above.level == HEAP_ROOT_CONTAINER && above.type == GCTRACE_C_RT_THREAD)
			return place;
	}
	return HEAP_NONE;
}

void heap_words__root(struct buf *out, const struct heap *heap, uint32_t place)
{
	const struct heap_root root = heap__root(heap, place);
	uint32_t thread;

	if (root.level != HEAP_ROOT_REFERENCE) {
		heap_words__node(out, heap, place);
		return;
	}
	if (root.type == GCTRACE_C_THREAD_STATIC) {
		buf__add_str(out, "thread ");
		add_thread(out, heap, root.id2);
		buf__add_str(out, ": ");
	}
	if (root.type == GCTRACE_C_STATIC || root.type == GCTRACE_C_THREAD_STATIC) {
		buf__add_str(out, "static ");
		if (root.id1) {
			add_class(out, heap, root.id1);
			buf__add_char(out, '.');
		}
		add_reference(out, heap, &root);
		return;
	}
	thread = heap_root__is_frame(root.type) || root.type == GCTRACE_C_RT_THREAD ?
			 heap_words__thread(heap, &root) :
			 HEAP_NONE;
	if (thread != HEAP_NONE) {
		heap_words__node(out, heap, thread);
		buf__add_str(out, ": ");
	}
	if (heap_root__is_frame(root.type)) {
		add_container(out, heap, &root);
		buf__add_str(out, ", ");
	} else if (!container_words(root.type)) {
		add_container_type(out, heap, root.type);
		buf__add_str(out, ", ");
	}
	add_reference(out, heap, &root);
}

/* ---------------------------------------------------------------- references */

void heap_words__place(struct buf *out, const struct heap_place *place, unsigned int kind,
		       uint64_t at)
{
	if (at == PLACE_DEPENDENT)
		buf__add_str(out, "(dependent handle)");
	else if (!place->field.bytes)
		buf__printf(out, "%c%" PRIu64, kind == GCTRACE_PLACE_OFFSET ? '+' : '#', at);
	else
		buf__add(out, place->field.at, place->field.bytes);
	if (place->beyond)
		buf__printf(out, ".+%" PRIu64, place->beyond);
}

void heap_words__field(struct buf *out, const struct heap *heap, uint32_t from, uint64_t at)
{
	const struct heap_place place = heap__place(heap, from, at);
	const bool is_array = heap_words__is_array(heap, from) && at != PLACE_DEPENDENT;

	if (is_array && place.element == EVENT_UNKNOWN)
		buf__add_str(out, "[?]");
	else if (is_array)
		buf__printf(out, "[%" PRIu64 "]", place.element);
	if (is_array && !place.field.bytes)
		return;
	if (at != PLACE_DEPENDENT)
		buf__add_char(out, '.');
	if (at == EVENT_UNKNOWN)
		buf__add_char(out, '?');
	else
		heap_words__place(out, &place, heap__place_kind(heap, from), at);
}

void heap_words__step(struct buf *out, const struct heap *heap, uint32_t from, uint32_t to)
{
	uint64_t at = EVENT_UNKNOWN;

	heap__field(heap, from, to, &at);
	heap_words__field(out, heap, from, at);
}

void heap_words__branch(struct buf *out, const struct heap *heap, uint32_t from, uint32_t to)
{
	if (from == HEAP_NONE)
		heap_words__root(out, heap, to);
	else if (heap_words__is_array(heap, from))
		buf__add_str(out, "[]");
	else if (!heap__is_node(heap, from))
		heap_words__step(out, heap, from, to);
}

/* ---------------------------------------------------------------- what is wrong */

static void add_count(struct buf *out, uint64_t count, const char *one, const char *many)
{
	char number[UNITS_TEXT];

	if (count)
		buf__printf(out, "  %s %s\n", units__exact(number, count),
			    count == 1 ? one : many);
}

static void add_dangling(struct buf *out, const struct heap_facts *facts)
{
	add_count(out, facts->dangling_references, "reference to an object that is not in the dump",
		  "references to objects that are not in the dump");
	add_count(out, facts->dangling_weak_references,
		  "weak reference to an object that is not in the dump",
		  "weak references to objects that are not in the dump");
	add_count(out, facts->dangling_roots, "root whose object is not in the dump",
		  "roots whose objects are not in the dump");
}

void heap_words__missing(struct buf *out, const struct heap_facts *facts)
{
	if (!facts->begun)
		buf__add_str(out, "  its beginning is not there\n");
	if (!facts->ended)
		buf__add_str(out, "  it was cut off: its end is not there\n");
	else if (facts->status != GCTRACE_DUMP_COMPLETE)
		buf__add_str(out, "  it was stopped before its end\n");
	add_count(out, facts->losses, "time something was lost", "times something was lost");
	add_count(out, facts->unfinished, "object whose last part never came",
		  "objects whose last part never came");
	add_dangling(out, facts);
}

void heap_words__odd(struct buf *out, const struct heap_facts *facts)
{
	add_count(out, facts->undefined_types, "class has objects, but no name",
		  "classes have objects, but no name");
	add_count(out, facts->odd.duplicates, "object was told twice", "objects were told twice");
	add_count(out, facts->odd.classes_differ, "object was told with two classes",
		  "objects were told with two classes");
	add_count(out, facts->odd.sizes, "size is beyond all memory, and taken as 0",
		  "sizes are beyond all memory, and taken as 0");
	add_count(out, facts->odd.nameless, "object had no address", "objects had no address");
	add_count(out, facts->odd.begun_again, "time it began anew in its midst",
		  "times it began anew in its midst");
	add_count(out, facts->odd.types_beyond, "class found no room", "classes found no room");
}

bool heap_words__is_estimate(const struct heap *heap, uint32_t type)
{
	return heap_types__at(heap__types(heap), type).flags & EVENT_CLASS_ESTIMATED;
}

void heap_words__accuracy(struct buf *out, const struct heap_facts *facts, bool counts_only)
{
	const bool guess = facts->estimated_types;

	buf__printf(out, "%snothing is sampled; %s are read, never the contents of objects",
		    guess ? "" : "exact: ",
		    counts_only ? guess ? "types" : "types and sizes" :
		    guess	? "types and references" :
				  "types, sizes and references");
}

void heap_words__estimated(struct buf *out, const struct heap_facts *facts, const char *mark)
{
	char count[UNITS_TEXT];

	buf__printf(out, "but the sizes of %s type%s are estimates%s, and so are the sums with"
			 " them: the dump does not say them",
		    units__exact(count, facts->estimated_types),
		    units__s(facts->estimated_types), mark);
}

void heap_words__notes(struct buf *out, const struct heap_facts *facts)
{
	add_count(out, facts->estimated_types, "type whose sizes are estimates",
		  "types whose sizes are estimates");
	add_count(out, facts->absent_classes,
		  "reference to a class that is not loaded, which a JVM's own dump leaves out",
		  "references to classes that are not loaded, which a JVM's own dump leaves out");
	add_count(out, facts->absent_of_garbage,
		  "reference from garbage to an object that is gone",
		  "references from garbage to objects that are gone");
}

/* ---------------------------------------------------------------- findings */

const char *heap_words__finding_name(enum finding_kind kind)
{
	static const char *const names[] = {
		[FINDING_ACCUMULATION] = "accumulation", [FINDING_GROUP] = "group",
		[FINDING_LARGE] = "large_object",
		[FINDING_FINALIZER] = "finalizer",	 [FINDING_THREAD] = "thread",
		[FINDING_UNREACHED] = "unreached",
	};

	return names[kind];
}

static void add_amount(struct buf *out, const struct heap *heap, const struct finding *finding)
{
	const struct heap_facts *facts = heap__facts(heap);
	char bytes[UNITS_TEXT], objects[UNITS_TEXT];

	buf__printf(out, "%s in %s object%s", units__bytes(bytes, finding->bytes),
		    units__count(objects, finding->objects), units__s(finding->objects));
	if (facts->bytes)
		buf__printf(out, " (%.3g %% of the heap)",
			    100.0 * (double)finding->bytes / (double)facts->bytes);
}

/* " through HashMap, HashMap.Entry[]": from below the owner to the pieces. */
static void add_between(struct buf *out, const struct heap *heap, const struct finding *finding)
{
	VEC(uint32_t) between = VEC_INIT;
	uint32_t at = finding->kind == FINDING_GROUP ? finding->owner : finding->place;
	bool cut = false, first = true;

	while (at != finding->owner && at != HEAP_NONE) {
		if (between.count == 3)
			cut = true;
		else if (vec__push(&between, heap__type(heap, at)))
			break;
		at = heap__dominator(heap, at);
	}
	if (between.count || finding->step_count)
		buf__add_str(out, cut ? " through ..., " : " through ");
	for (size_t i = between.count; i-- > 0; first = false) {
		buf__add_str(out, first ? "" : ", ");
		heap_words__type(out, heap, between.items[i]);
	}
	for (size_t i = 0; i < finding->step_count; i++, first = false) {
		buf__add_str(out, first ? "" : ", ");
		heap_words__type(out, heap, finding->steps[i]);
	}
	vec__free(&between);
}

/* "static shop.Cache.instance", of the class object that has it; or a root. */
static void add_root_of(struct buf *out, const struct heap *heap, uint32_t root, uint32_t next)
{
	struct buf step = BUF_INIT;

	if (heap__is_node(heap, root)) {
		heap_words__root(out, heap, root);
		return;
	}
	heap_words__step(&step, heap, root, next);
	buf__printf(out, "static %s", step.len ? buf__str(&step) + 1 : "?");
	if (step.error)
		out->error = step.error;
	buf__free(&step);
}

void heap_words__holder(struct buf *out, const struct heap *heap, const struct holder *holder)
{
	add_root_of(out, heap, holder->root, holder->next);
}

/* The root or static that holds the uppermost object, or some of several. */
static void add_roots_of(struct buf *out, const struct heap *heap, const struct holders *holders,
			 uint32_t top)
{
	const uint32_t above = top == HEAP_NONE ? HEAP_NONE : heap__dominator(heap, top);
	const size_t count = holders->count;

	if (above != HEAP_NONE && (!heap__is_node(heap, above) ||
				   heap__root(heap, above).level == HEAP_ROOT_REFERENCE)) {
		add_root_of(out, heap, above, top);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (i)
			buf__add_str(out, i + 1 < count || holders->more ? ", " : " and ");
		heap_words__holder(out, heap, &holders->of[i]);
	}
	if (holders->more)
		buf__add_str(out, " and others");
	if (!count)
		buf__add_str(out, "roots that the limit of memory leaves no room to find");
}

/* "shop.Cache.entries": the field of the object above that leads to it. */
static bool add_field_of(struct buf *out, const struct heap *heap, uint32_t above, uint32_t object)
{
	uint64_t at;

	if (!heap__field(heap, above, object, &at) || at == EVENT_UNKNOWN || at == PLACE_DEPENDENT)
		return false;
	heap_words__type_of(out, heap, above);
	heap_words__field(out, heap, above, at);
	return true;
}

/* What holds it, from the object above it, if any, to the root. */
static void add_holder(struct buf *out, const struct heap *heap, uint32_t object,
		       const struct holders *holders)
{
	const uint32_t top = findings__top_of(heap, object);
	const uint32_t above = heap__dominator(heap, object);

	buf__add_str(out, "; held by ");
	if (object != top) {
		if (!add_field_of(out, heap, above, object)) {
			buf__add_str(out, "a ");
			heap_words__type_of(out, heap, above);
		}
		buf__add_str(out, ", and that by ");
	}
	add_roots_of(out, heap, holders, top);
}

static void add_group(struct buf *out, const struct heap *heap, const struct finding *finding)
{
	char text[UNITS_TEXT];

	buf__printf(out, "%s ", units__count(text, finding->members));
	heap_words__type_of(out, heap, finding->place);
	buf__add_str(out, " together keep ");
	add_amount(out, heap, finding);
	buf__add_str(out, " alive");
	add_between(out, heap, finding);
	if (finding->of != UINT32_MAX) {
		buf__printf(out, ": %s ", units__count(text, finding->of_count));
		heap_words__type(out, heap, finding->of);
	}
	if (!heap__is_node(heap, finding->owner)) {
		buf__add_str(out, "; part of what a ");
		heap_words__type_of(out, heap, finding->owner);
		buf__add_str(out, " keeps");
		add_holder(out, heap, finding->owner, &finding->holders);
		return;
	}
	buf__add_str(out, "; held by ");
	add_roots_of(out, heap, &finding->holders, HEAP_NONE);
}

/* An array of anything: its type says nothing, the field or root that holds it does. */
static bool add_array(struct buf *out, const struct heap *heap, const struct finding *finding)
{
	static const char *const names[] = { "Object[]", "java.lang.Object[]", "System.Object[]" };
	const uint32_t owner = finding->owner, top = findings__top_of(heap, owner);
	struct buf type = BUF_INIT;
	bool is = false;

	heap_words__type_of(&type, heap, owner);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		is |= !type.error && !strcmp(buf__str(&type), names[i]);
	if (is && owner == top)
		add_roots_of(out, heap, &finding->holders, top);
	else if (is)
		is = add_field_of(out, heap, heap__dominator(heap, owner), owner);
	if (is)
		buf__printf(out, " (%s", buf__str(&type));
	buf__free(&type);
	return is;
}

static void add_accumulation(struct buf *out, const struct heap *heap,
			     const struct finding *finding)
{
	const bool is_array = add_array(out, heap, finding);
	char text[UNITS_TEXT];

	if (!is_array) {
		buf__add_str(out, "a ");
		heap_words__type_of(out, heap, finding->owner);
	}
	buf__printf(out, "%s%s itself) keeps ", is_array ? ", " : " (",
		    units__bytes(text, heap__size(heap, finding->owner)));
	add_amount(out, heap, finding);
	buf__add_str(out, " alive");
	add_between(out, heap, finding);
	if (finding->of != UINT32_MAX) {
		buf__printf(out, ": %s ", units__count(text, finding->of_count));
		heap_words__type(out, heap, finding->of);
	}
	add_holder(out, heap, finding->owner, &finding->holders);
}

void heap_words__finding(struct buf *out, const struct heap *heap, const struct finding *finding)
{
	char text[UNITS_TEXT];

	switch (finding->kind) {
	case FINDING_ACCUMULATION:
		add_accumulation(out, heap, finding);
		break;
	case FINDING_GROUP:
		add_group(out, heap, finding);
		break;
	case FINDING_LARGE:
		buf__add_str(out, "a single ");
		heap_words__type_of(out, heap, finding->place);
		buf__printf(out, " is %s itself and keeps ",
			    units__bytes(text, heap__size(heap, finding->place)));
		add_amount(out, heap, finding);
		buf__add_str(out, " alive");
		add_holder(out, heap, finding->place, &finding->holders);
		break;
	case FINDING_FINALIZER:
		buf__add_str(out, "objects that wait for their finalizer keep ");
		add_amount(out, heap, finding);
		buf__add_str(out, " alive: finalizers are slower than what makes them necessary");
		break;
	case FINDING_THREAD:
		buf__add_str(out, "the stack of ");
		heap_words__node(out, heap, finding->place);
		buf__add_str(out, " alone keeps ");
		add_amount(out, heap, finding);
		buf__add_str(out, " alive");
		break;
	case FINDING_UNREACHED:
		add_amount(out, heap, finding);
		buf__add_str(out,
			     ": present, but no root reaches it; a collection of the whole heap "
			     "frees it");
		break;
	}
}

static void add_type_option(struct buf *out, const struct heap *heap, uint32_t place)
{
	struct buf name = BUF_INIT;

	heap_words__type_of(&name, heap, place);
	buf__add_str(out, "--type ");
	heap_view__quote_glob(out, (struct text){ buf__str(&name), name.len });
	if (name.error)
		out->error = name.error;
	buf__free(&name);
}

void heap_words__more(struct buf *out, const struct heap *heap, const struct finding *finding,
		      const char *subject, bool is_file)
{
	if (finding->kind == FINDING_FINALIZER || finding->kind == FINDING_THREAD) {
		buf__printf(out, "gctrace heap %s --roots", subject);
		return;
	}
	if (finding->kind == FINDING_UNREACHED) {
		buf__printf(out, "gctrace heap %s --sort count", subject);
		return;
	}
	buf__printf(out, "gctrace path %s ", subject);
	if (finding->kind == FINDING_GROUP) {
		add_type_option(out, heap, finding->place);
		buf__add_str(out, " --merge");
		return;
	}
	/* Objects move: in a new dump of a live process an address may mean another. */
	if (is_file) {
		buf__printf(out, "--address 0x%" PRIx64,
			    heap__object(heap, finding->owner).address);
	} else {
		add_type_option(out, heap, finding->owner);
		buf__add_str(out, " --largest");
	}
}

void heap_view__quote(struct buf *out, const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	bool plain = true;

	for (size_t i = 0; i < len; i++)
		plain &= at[i] >= ' ' && at[i] < 0x7f && at[i] != '\'';
	buf__add_str(out, plain ? "'" : "$'");
	for (size_t i = 0; i < len; i++) {
		if (plain)
			buf__add_char(out, (char)at[i]);
		else if (at[i] < ' ' || at[i] >= 0x7f || at[i] == '\'' || at[i] == '\\')
			buf__printf(out, "\\x%02x", at[i]);
		else
			buf__add_char(out, (char)at[i]);
	}
	buf__add_char(out, '\'');
}

/* A pattern that matches these bytes. */
static void add_literally(struct buf *glob, const char *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		buf__add_char(glob, memchr("*?[]\\", at[i], 5) ? '?' : at[i]);
}

#define GLOB_WHOLE 200
#define GLOB_HEAD 100
#define GLOB_TAIL 50

void heap_view__quote_glob(struct buf *out, struct text name)
{
	const char *zero = memchr(name.at, 0, name.bytes);
	struct buf glob = BUF_INIT;

	if (zero) { /* no argument has one, and no pattern what is behind it */
		add_literally(&glob, name.at, (size_t)(zero - name.at));
		buf__add_char(&glob, '*');
	} else if (name.bytes <= GLOB_WHOLE) {
		add_literally(&glob, name.at, name.bytes);
	} else {
		add_literally(&glob, name.at, GLOB_HEAD);
		buf__add_char(&glob, '*');
		add_literally(&glob, name.at + name.bytes - GLOB_TAIL, GLOB_TAIL);
	}
	heap_view__quote(out, buf__str(&glob), glob.len);
	if (glob.error)
		out->error = glob.error;
	buf__free(&glob);
}
