/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JVM tells a thread's object first and then its frames, and only frames say which thread's
 * they are by its number. A thread that has come since threads were told has no number before its
 * first frame: its object waits for that.
 */
#include "roots.h"
#include "agents/common/table.h"
#include "fault.h"
#include "names.h"
#include "threads.h"
#include "types.h"

#include <string.h>

#define MOST_METHODS (1u << 20)
#define NO_ID UINT64_MAX
#define DEPTH_BITS 24

static struct table methods; /* those whose frames were told */
static bool methods_beyond;  /* there were more */

static struct {
	uint64_t object; /* a thread that waits; 0: none */
	uint32_t flags;
	jlong tag;
} waiting;

/* What was begun last. */
static struct {
	uint64_t type, id1, id2;
	uint64_t thread;
} begun;

static jlong left_out; /* a thread's tag */

void roots__leave_out(jlong thread_tag)
{
	left_out = thread_tag;
}

bool roots__init(void)
{
	return table__reserve(&methods, sizeof(struct table_entry), MOST_METHODS);
}

void roots__empty(void)
{
	table__empty(&methods);
	waiting.object = begun.type = 0;
	methods_beyond = false;
}

void roots__begin(struct gctrace_writer *writer)
{
	static const char *const names[] = { "JNI global", "JNI local", "system class",
					     "class of a built-in loader" };

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		gctrace_write_define(writer, GCTRACE_SPACE_ROOT_KIND, GCTRACE_ROOT_OWN + i, 0, 0,
				     names[i], strlen(names[i]));
}

/* Containers are begun only where they change. */
static void begin(struct gctrace_writer *writer, uint64_t type, uint64_t id1, uint64_t id2)
{
	if (begun.type == type && begun.id1 == id1 && begun.id2 == id2)
		return;
	gctrace_write_container(writer, type, id1, id2);
	begun.type = type;
	begun.id1 = id1;
	begun.id2 = id2;
}

/* ---- Threads ---- */

static void begin_thread(struct gctrace_writer *writer, uint64_t number)
{
	begin(writer, GCTRACE_C_RT_THREAD, number, 0);
	begun.thread = number;
}

/* Frames belong to the thread that was begun last. */
static bool is_in_frame_of(uint64_t number)
{
	return begun.thread == number &&
	       (begun.type == GCTRACE_C_RT_FRAME || begun.type == GCTRACE_C_RT_NATIVE);
}

static void tell_thread(struct gctrace_writer *writer, uint64_t number, uint64_t object,
			uint32_t flags)
{
	begin_thread(writer, number);
	gctrace_write_root(writer, object, flags, GCTRACE_ROOT_THREAD, NO_ID);
}

static void end_waiting(struct gctrace_writer *writer, uint64_t number)
{
	if (waiting.object)
		tell_thread(writer, number, waiting.object, waiting.flags);
	waiting.object = 0;
}

void roots__settle(struct gctrace_writer *writer)
{
	end_waiting(writer, THREADS_UNKNOWN);
}

static void meet_thread(struct gctrace_writer *writer, uint64_t object, uint32_t flags, jlong *tag)
{
	roots__settle(writer);
	if (!*tag)
		*tag = threads__add();
	if (threads__number(*tag) != THREADS_UNKNOWN) {
		tell_thread(writer, threads__number(*tag), object, flags);
		return;
	}
	waiting.object = object;
	waiting.flags = flags;
	waiting.tag = *tag;
}

/* ---- Frames ---- */

/* Methods are named behind the pause. */
static void note_method(jmethodID method)
{
	const uint64_t key = (uint64_t)(uintptr_t)method;

	if (!table__find(&methods, key) && !table__add(&methods, key))
		methods_beyond = true;
}

/* A frame is one of its thread's alone: others may be as deep in the same method. */
static uint64_t number_of(const jvmtiHeapReferenceInfoJniLocal *frame)
{
	return (uint64_t)frame->thread_id << DEPTH_BITS | (uint64_t)frame->depth;
}

static void begin_frame(struct gctrace_writer *writer, uint64_t type,
			const jvmtiHeapReferenceInfoJniLocal *frame)
{
	const uint64_t number = (uint64_t)frame->thread_id;

	if (waiting.object)
		threads__note(waiting.tag, number);
	end_waiting(writer, number);
	if (!frame->method || !is_in_frame_of(number))
		begin_thread(writer, number);
	if (!frame->method)
		return;
	note_method(frame->method);
	begin(writer, type, number_of(frame), (uint64_t)(uintptr_t)frame->method);
}

static void tell_local(struct gctrace_writer *writer, const jvmtiHeapReferenceInfoStackLocal *local,
		       uint64_t object, uint32_t flags)
{
	const jvmtiHeapReferenceInfoJniLocal frame = { local->thread_tag, local->thread_id,
						       local->depth, local->method };

	begin_frame(writer, GCTRACE_C_RT_FRAME, &frame);
	gctrace_write_root(writer, object, flags, GCTRACE_ROOT_LOCAL, (uint64_t)local->slot);
}

/* ---- All ---- */

/* What belongs to no thread. */
static void tell_common(struct gctrace_writer *writer, uint64_t container, uint64_t kind,
			uint64_t object, uint32_t flags)
{
	roots__settle(writer);
	begin(writer, container, 0, 0);
	gctrace_write_root(writer, object, flags, kind, NO_ID);
}

static bool is_left_out(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info)
{
	return kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL && left_out &&
	       info->jni_local.thread_tag == left_out;
}

/* Each has one such handle; what else refers to the class is told. */
bool roots__is_ours(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
		    uint64_t number)
{
	struct type *type = types__at(number);

	if (!type->kept_by || type->kept_by != kind ||
	    (kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL && !is_left_out(kind, info)))
		return false;
	type->kept_by = 0;
	return true;
}

void roots__tell(struct gctrace_writer *writer, jvmtiHeapReferenceKind kind,
		 const jvmtiHeapReferenceInfo *info, uint64_t object, uint32_t flags, jlong *tag,
		 struct totals *totals)
{
	if (is_left_out(kind, info))
		return;
	totals->roots++;
	switch (kind) {
	case JVMTI_HEAP_REFERENCE_THREAD:
		meet_thread(writer, object, flags, tag);
		return;
	case JVMTI_HEAP_REFERENCE_STACK_LOCAL:
		tell_local(writer, &info->stack_local, object, flags);
		return;
	case JVMTI_HEAP_REFERENCE_JNI_LOCAL:
		begin_frame(writer, GCTRACE_C_RT_NATIVE, &info->jni_local);
		gctrace_write_root(writer, object, flags, ROOT_KIND_JNI_LOCAL, NO_ID);
		return;
	case JVMTI_HEAP_REFERENCE_JNI_GLOBAL:
		tell_common(writer, GCTRACE_C_GLOBALS, ROOT_KIND_JNI_GLOBAL, object, flags);
		return;
	case JVMTI_HEAP_REFERENCE_MONITOR:
		tell_common(writer, GCTRACE_C_MONITORS, GCTRACE_ROOT_MONITOR, object, flags);
		return;
	case JVMTI_HEAP_REFERENCE_SYSTEM_CLASS:
		tell_common(writer, GCTRACE_C_INTERNAL, ROOT_KIND_SYSTEM_CLASS, object, flags);
		return;
	default:
		tell_common(writer, GCTRACE_C_INTERNAL, GCTRACE_ROOT_INTERNAL, object, flags);
	}
}

void roots__static(struct gctrace_writer *writer, uint64_t class_, uint32_t index, uint64_t object,
		   uint32_t flags, struct totals *totals)
{
	begin(writer, GCTRACE_C_STATIC, class_, 0);
	gctrace_write_root(writer, object, flags, GCTRACE_ROOT_STATIC, index);
	totals->roots++;
}

void roots__class(struct gctrace_writer *writer, uint64_t object, struct totals *totals)
{
	tell_common(writer, GCTRACE_C_INTERNAL, ROOT_KIND_LASTING_CLASS, object,
		    GCTRACE_ALREADY_REPORTED);
	totals->roots++;
}

/* ---- Names ---- */

/*
 * The JVM reports constants in the compiled code of a Java frame as JNI locals of it. Real ones are
 * in frames of native methods; which these are may not be asked within the walk.
 */
static void tell_if_compiled(struct visit *visit, struct gctrace_writer *writer, uint64_t key)
{
	static const char text[] = "compiled";
	jboolean is_native = JNI_TRUE;

	if (!VM_CALL(visit->jvmti, IsMethodNative, (jmethodID)(uintptr_t)key, &is_native) &&
	    !is_native)
		gctrace_write_define(writer, GCTRACE_SPACE_COMPILED, key, 0, 0, text,
				     sizeof(text) - 1);
}

/* "java.lang.Thread.run" */
static void tell_method(struct visit *visit, struct gctrace_writer *writer, uint64_t key)
{
	static char text[NAMES_ROOM + 65536];
	const jmethodID method = (jmethodID)(uintptr_t)key;
	char *name = NULL, *signature = NULL;
	jclass class_ = NULL;
	size_t bytes;

	if (VM_CALL(visit->jvmti, GetMethodName, method, &name, NULL, NULL))
		return;
	VM_CALL(visit->jvmti, GetMethodDeclaringClass, method, &class_);
	if (class_ && !VM_CALL(visit->jvmti, GetClassSignature, class_, &signature, NULL)) {
		bytes = names__class(signature, text, NAMES_ROOM);
		text[bytes++] = '.';
		memcpy(text + bytes, name, strlen(name));
		gctrace_write_define(writer, GCTRACE_SPACE_METHOD, key, 0, 0, text,
				     bytes + strlen(name));
		vm__free(visit->jvmti, signature);
	}
	VM_CALL(visit->jni, DeleteLocalRef, class_);
	vm__free(visit->jvmti, name);
}

void roots__tell_methods(struct visit *visit, struct gctrace_writer *writer)
{
	if (methods_beyond)
		fault__raise("no room for the names of so many methods");
	for (uint32_t i = 0; i < methods.count; i++) {
		const struct table_entry *entry = table__at(&methods, i);

		tell_method(visit, writer, entry->key);
		tell_if_compiled(visit, writer, entry->key);
	}
}
