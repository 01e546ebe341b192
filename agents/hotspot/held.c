/* SPDX-License-Identifier: BSD-2-Clause */
#include "held.h"
#include "addresses.h"
#include "fault.h"

#include <string.h>

#define MOST_HELD (1u << 24)
#define MOST_FIELDS 64

static struct region handles; /* struct held */

/* Of java.lang.Class. */
static struct {
	struct {
		jfieldID id;
		uint32_t position;
	} of[MOST_FIELDS];
	uint32_t count;
	bool is_known;
} fields;

static uint32_t room; /* for handles */

bool held__init(void)
{
	return region__reserve(&handles, MOST_HELD * sizeof(struct held));
}

void held__empty(void)
{
	region__empty(&handles);
	fields.count = 0;
	fields.is_known = false;
	room = 0;
}

uint32_t held__of(const struct type *mirrored, const struct held **first)
{
	*first = (const struct held *)(const void *)handles.at + mirrored->held;
	return mirrored->held_count;
}

static struct held *all(size_t *count)
{
	*count = handles.used / sizeof(struct held);
	return (struct held *)(void *)handles.at;
}

void held__note_addresses(void)
{
	size_t count;
	struct held *held = all(&count);

	for (size_t i = 0; i < count; i++)
		held[i].id = addresses__of(held[i].handle);
}

void held__note_tags(struct visit *visit)
{
	size_t count;
	struct held *held = all(&count);
	jlong tag;

	for (size_t i = 0; i < count; i++) {
		if (!VM_CALL(visit->jvmti, GetTag, held[i].handle, &tag))
			held[i].id = addresses__by_tag(tag);
	}
}

/* The loader is among what the walk tells. */
static void note_field(const struct type *type, uint32_t n, jfieldID id)
{
	const struct field *field = types__field(type, n);
	const uint32_t position = types__position(type, type->above + n);

	if (position == TYPES_NO_POSITION || !strcmp(types__text(field->name), "classLoader"))
		return;
	if (fields.count == MOST_FIELDS) {
		fault__raise("java.lang.Class has more fields than there is room for");
		return;
	}
	fields.of[fields.count].id = id;
	fields.of[fields.count++].position = position;
}

static void learn_fields(struct visit *visit, jclass class_)
{
	const struct type *type = types__at(types.classes);
	jclass class_of_classes = VM_CALL(visit->jni, GetObjectClass, class_);
	jfieldID *ids = NULL;
	jint count = 0;

	fields.is_known = true;
	if (!VM_CALL(visit->jvmti, GetClassFields, class_of_classes, &count, &ids)) {
		for (uint32_t i = 0; i < type->own_count && i < (uint32_t)count; i++)
			note_field(type, i, ids[i]);
		vm__free(visit->jvmti, ids);
	}
	VM_CALL(visit->jni, DeleteLocalRef, class_of_classes);
}

static bool hold(jobject handle, uint32_t position)
{
	struct held *held = region__get(&handles, sizeof(*held));

	if (held)
		*held = (struct held){ .handle = handle, .position = position };
	else
		fault__raise("no room for what so many classes hold");
	return held != NULL;
}

static bool have_room(struct visit *visit)
{
	if (room < fields.count)
		room = vm__get_locals(visit) ? VM_LOCALS : 0;
	if (room < fields.count) {
		fault__raise("the JVM has no memory for handles");
		return false;
	}
	room -= fields.count;
	return true;
}

void held__take(struct visit *visit, jclass class_, struct type *mirrored)
{
	if (!fields.is_known)
		learn_fields(visit, class_);
	if (!have_room(visit))
		return;
	mirrored->held = (uint32_t)(handles.used / sizeof(struct held));
	for (uint32_t i = 0; i < fields.count; i++) {
		jobject handle = VM_CALL(visit->jni, GetObjectField, class_, fields.of[i].id);

		if (handle && hold(handle, fields.of[i].position))
			mirrored->held_count++;
	}
}
