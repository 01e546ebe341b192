/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * FollowReferences, from its callback's side.
 *
 *	roots ... | class of A, fields of A | class of B, elements of B | statics of C, ...
 *
 * The JVM visits each object once and tells all of its references in a row: a new referrer is a new
 * visit. All of this is on one thread of the JVM's, in a pause. Nothing is allocated and no lock is
 * taken; what grows stands in regions (agents/common/region.h).
 *
 * Objects are named by their addresses, where those are known (addresses.h). Else each gets a tag
 * when it is met, behind all classes and threads; eight times that is its name.
 *
 * Of what class an object is the JVM says by the tag of that class; of most, only by the address of
 * the class object, and only when it visits them (mirrors.h).
 */
#include "walk.h"
#include "addresses.h"
#include "agents/common/pace.h"
#include "fault.h"
#include "held.h"
#include "mirrors.h"
#include "nodes.h"
#include "roots.h"
#include "threads.h"
#include "types.h"

#define TAGS_FIRST (THREADS_FIRST << 1)

static struct {
	struct gctrace_writer *writer;
	struct totals *totals;
	jlong last_tag;
	bool is_begun, is_over;
} walk;

static void begin(struct gctrace_writer *writer, struct totals *totals)
{
	walk.writer = writer;
	walk.totals = totals;
	walk.last_tag = TAGS_FIRST;
	walk.is_begun = walk.is_over = false;
	nodes__begin(writer, totals);
}

/* ---- Names ---- */

/* What the tag is of gets one, where that is needed: class objects always, but only once. */
static void number(jlong *tag, jlong class_)
{
	if (*tag)
		return;
	if (class_ && class_ == types.classes)
		*tag = types__add();
	else if (!addresses.are_known)
		*tag = ++walk.last_tag;
}

static uint64_t id_of(const jlong *tag, int words)
{
	return addresses.are_known ? addresses__at(tag, words) : addresses__by_tag(*tag);
}

/* Of a class object: which class, also where it has no tag any more. */
static uint64_t number_of(uint64_t id, jlong tag, jlong class_)
{
	return tag || class_ != types.classes ? (uint64_t)tag : mirrors__number(id);
}

/* Where it is to stand: a copy of what has just been written takes longer than all of this. */
static void name(struct named *named, jlong *tag, jlong class_, jlong size, jint length)
{
	named->number = number_of(id_of(tag, addresses.object), *tag, class_);
	if (!named->number) {
		number(tag, class_);
		named->number = (uint64_t)*tag;
	}
	named->id = id_of(tag, addresses.object);
	named->class_ = (uint64_t)class_;
	named->size = (uint64_t)size;
	named->is_array = length >= 0;
	named->is_empty = length == 0;
}

/* ---- References ---- */

static bool go_on(void)
{
	if (!pace__may_go_on() || fault.what)
		walk.is_over = true;
	return !walk.is_over;
}

/* Of what class the referrer is: a tag says it, or else its first reference, which is to that. */
static jlong class_of(jlong referrer_class, jvmtiHeapReferenceKind kind, const struct named *to)
{
	if (referrer_class || kind != JVMTI_HEAP_REFERENCE_CLASS)
		return referrer_class;
	return (jlong)mirrors__number(to->id);
}

static void tell_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
			   const struct named *to, const jlong *tag, const jlong *referrer_tag,
			   jlong referrer_class)
{
	const uint64_t from = referrer_tag == tag ? to->id :
						    id_of(referrer_tag, addresses.referrer);
	const jlong class_ = class_of(referrer_class, kind, to);

	if (nodes__visit(from, (uint64_t)class_, number_of(from, *referrer_tag, class_)) &&
	    !go_on())
		return;
	nodes__refer(kind, info, to);
}

/*
 * Of most objects all that the JVM tells at first is that it is of the same class as the one
 * before. Where the class lasts nothing is told of that.
 */
static bool tell_same_class(const jlong *tag, const jlong *referrer_tag)
{
	if (!mirrors.number || addresses__at(tag, addresses.object) != mirrors.address ||
	    !types__at(mirrors.number)->is_lasting)
		return false;
	if (nodes__visit(addresses__at(referrer_tag, addresses.referrer), mirrors.number, 0))
		go_on();
	return true;
}

/* The tag of a class of which no instance is told before it is visited. */
static void take_off(jlong *tag, const struct named *class_object)
{
	const struct type *type = types__at(class_object->number);

	if (type->kind == TYPE_FIELDS && type->mirror == class_object->id &&
	    addresses.are_known && mirrors__add(class_object->id, class_object->number))
		*tag = 0;
}

/* Nothing moves from now on until the walk is over. */
static void begin_pause(void)
{
	walk.is_begun = true;
	if (addresses.are_known)
		held__note_addresses();
}

static jint JNICALL tell(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
			 jlong class_, jlong referrer_class, jlong size, jlong *tag,
			 jlong *referrer_tag, jint length, void *context)
{
	struct named named;

	(void)context;
	if (!walk.is_begun)
		begin_pause();
	if (kind == JVMTI_HEAP_REFERENCE_CLASS && tell_same_class(tag, referrer_tag))
		return walk.is_over ? JVMTI_VISIT_ABORT : JVMTI_VISIT_OBJECTS;
	name(&named, tag, class_, size, length);
	if (!referrer_tag && roots__is_ours(kind, info, named.number))
		return 0;
	if (referrer_tag) {
		tell_reference(kind, info, &named, tag, referrer_tag, referrer_class);
	} else {
		roots__tell(walk.writer, kind, info, named.id, nodes__name(&named), tag,
			    walk.totals);
		go_on();
	}
	if (*tag && class_ == types.classes)
		take_off(tag, &named);
	return walk.is_over ? JVMTI_VISIT_ABORT : JVMTI_VISIT_OBJECTS;
}

static bool end(jvmtiError error)
{
	if (error)
		fault__raise("the JVM does not walk its heap to the end");
	return !walk.is_over && !fault.what;
}

bool walk__follow(struct visit *visit, struct gctrace_writer *writer, struct totals *totals)
{
	const jvmtiHeapCallbacks callbacks = { .heap_reference_callback = tell };
	jvmtiError error;

	begin(writer, totals);
	error = VM_CALL(visit->jvmti, FollowReferences, 0, NULL, NULL, &callbacks, NULL);
	if (!walk.is_over) {
		roots__settle(writer);
		if (!addresses.are_known)
			held__note_tags(visit);
		nodes__end();
	}
	return end(error);
}

/* ---- The list ---- */

static jint JNICALL list(jlong class_, jlong size, jlong *tag, jint length, void *context)
{
	struct gctrace_object object = { .count = 0 };
	struct named named;

	(void)context;
	name(&named, tag, class_, size, length);
	object.id = named.id;
	object.class_ = named.class_;
	object.size = named.size;
	types__at(named.class_)->is_at_work = true;
	gctrace_write_object(walk.writer, &object);
	walk.totals->objects++;
	walk.totals->bytes += named.size;
	return go_on() ? 0 : JVMTI_VISIT_ABORT;
}

bool walk__list(struct visit *visit, struct gctrace_writer *writer, struct totals *totals)
{
	const jvmtiHeapCallbacks callbacks = { .heap_iteration_callback = list };
	jvmtiError error;

	begin(writer, totals);
	gctrace_write_container(writer, GCTRACE_C_HEAP, 0, 0);
	error = VM_CALL(visit->jvmti, IterateThroughHeap, 0, NULL, &callbacks, NULL);
	return end(error);
}
