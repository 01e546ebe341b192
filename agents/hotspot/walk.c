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
 */
#include "walk.h"
#include "addresses.h"
#include "agents/common/pace.h"
#include "fault.h"
#include "held.h"
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

/* What the tag is of gets one, where that is needed: class objects always. */
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

static struct named name(jlong *tag, jlong class_, jlong size, jint length)
{
	number(tag, class_);
	return (struct named){
		.id = id_of(tag, addresses.object),
		.class_ = (uint64_t)class_,
		.size = (uint64_t)size,
		.number = (uint64_t)*tag,
		.is_empty = length == 0,
	};
}

/* ---- References ---- */

static bool go_on(void)
{
	if (!pace__may_go_on() || fault.what)
		walk.is_over = true;
	return !walk.is_over;
}

static void tell_reference(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
			   const struct named *to, const jlong *tag, const jlong *referrer_tag,
			   jlong referrer_class)
{
	const uint64_t from = referrer_tag == tag ? to->id :
						    id_of(referrer_tag, addresses.referrer);

	if (nodes__visit(from, (uint64_t)referrer_class, (uint64_t)*referrer_tag) && !go_on())
		return;
	nodes__refer(kind, info, to);
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
	if (!referrer_tag && roots__is_ours(kind, info, (uint64_t)*tag))
		return 0;
	named = name(tag, class_, size, length);
	if (referrer_tag) {
		tell_reference(kind, info, &named, tag, referrer_tag, referrer_class);
	} else {
		roots__tell(walk.writer, kind, info, named.id, nodes__name(&named), tag,
			    walk.totals);
		go_on();
	}
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
	const struct named named = name(tag, class_, size, length);
	const struct gctrace_object object = { .id = named.id,
					       .class_ = named.class_,
					       .size = named.size };

	(void)context;
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
