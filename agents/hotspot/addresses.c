/* SPDX-License-Identifier: BSD-2-Clause */
#include "addresses.h"

#include <stddef.h>

#define OBJECTS 3
#define NEAR 8 /* words to either side */
#define ALL ((1u << OBJECTS) - 1)
#define MARKS_OUTSIDE 21 /* the Java from which walks mark beside the heap */
#define USUAL_REFERRER (-1)

struct addresses addresses;

static bool is_given_up, is_settled; /* nothing else would come of it another time */

struct search {
	jobject objects[OBJECTS];
	jobject array;			/* its one element is the first of them */
	unsigned found[2 * NEAR + 1];	/* sets of objects, by place */
	unsigned referrer[2 * NEAR + 1]; /* was the array there? */
};

/* The nearest place where all was found; 0: none, the tag stands there. */
static int nearest(const unsigned *found, unsigned all)
{
	for (int i = 1; i <= NEAR; i++) {
		if (found[NEAR - i] == all)
			return -i;
		if (found[NEAR + i] == all)
			return i;
	}
	return 0;
}

static jint JNICALL look_at_root(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
				 jlong class_, jlong referrer_class, jlong size, jlong *tag,
				 jlong *referrer_tag, jint length, void *context)
{
	struct search *search = context;

	(void)info;
	(void)class_;
	(void)referrer_class;
	(void)size;
	(void)referrer_tag;
	(void)length;
	if (kind != JVMTI_HEAP_REFERENCE_JNI_LOCAL)
		return 0;
	for (int at = -NEAR; at <= NEAR; at++) {
		for (unsigned i = 0; i < OBJECTS; i++) {
			if (addresses__at(tag, at) == addresses__of(search->objects[i]))
				search->found[NEAR + at] |= 1u << i;
		}
	}
	return nearest(search->found, ALL) ? JVMTI_VISIT_ABORT : 0;
}

static jint JNICALL look_at_element(jvmtiHeapReferenceKind kind,
				    const jvmtiHeapReferenceInfo *info, jlong class_,
				    jlong referrer_class, jlong size, jlong *tag,
				    jlong *referrer_tag, jint length, void *context)
{
	struct search *search = context;

	(void)info;
	(void)class_;
	(void)referrer_class;
	(void)size;
	(void)length;
	if (kind != JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT || !referrer_tag)
		return 0;
	if (addresses__at(tag, addresses.object) != addresses__of(search->objects[0]))
		return JVMTI_VISIT_ABORT;
	for (int at = -NEAR; at <= NEAR; at++) {
		if (addresses__at(referrer_tag, at) == addresses__of(search->array))
			search->referrer[NEAR + at] = 1;
	}
	return JVMTI_VISIT_ABORT;
}

/* Strings: they can be made without a class, and without running any code of Java. */
static bool make_objects(struct visit *visit, struct search *search)
{
	for (unsigned i = 0; i < OBJECTS; i++) {
		search->objects[i] = VM_CALL(visit->jni, NewStringUTF, "");
		if (!search->objects[i])
			return false;
	}

	jclass string = VM_CALL(visit->jni, GetObjectClass, search->objects[0]);

	search->array = VM_CALL(visit->jni, NewObjectArray, 1, string, search->objects[0]);
	return search->array != NULL;
}

/* False: it came to nothing, for want of memory. */
static bool follow(struct visit *visit, jvmtiHeapReferenceCallback callback, jobject from,
		   struct search *search)
{
	const jvmtiHeapCallbacks callbacks = { .heap_reference_callback = callback };

	return !VM_CALL(visit->jvmti, FollowReferences, 0, NULL, from, &callbacks, search);
}

void addresses__find(struct visit *visit)
{
	struct search search = { .array = NULL };

	addresses = (struct addresses){ .referrer = USUAL_REFERRER };
	is_settled = is_given_up;
	if (is_given_up || !make_objects(visit, &search))
		return;
	is_settled = follow(visit, look_at_root, NULL, &search);
	addresses.object = nearest(search.found, ALL);
	if (addresses.object && vm__version() >= MARKS_OUTSIDE) {
		is_settled = follow(visit, look_at_element, search.array, &search);
		addresses.referrer = nearest(search.referrer, 1);
	}
	addresses.are_known = addresses.object && addresses.referrer;
}

void addresses__find_once(struct visit *visit)
{
	if (!is_settled)
		addresses__find(visit);
}

void addresses__give_up(void)
{
	is_given_up = is_settled = true;
	addresses.are_known = false;
}
