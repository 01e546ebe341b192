/* SPDX-License-Identifier: BSD-2-Clause */
#include "roots.h"
#include "agents/common/define.h"
#include "agents/common/table.h"
#include "agents/common/unnamed.h"
#include "clr.h"
#include "names.h"

#include <string.h>

#define MOST_METHODS (1u << 20)
#define NO_ID UINT64_MAX

/* GCRootKind and flags of the event. */
enum { KIND_STACK, KIND_FINALIZER, KIND_HANDLE, KIND_OTHER };
enum { FLAG_PINNED = 1, FLAG_WEAK = 2, FLAG_INTERIOR = 4, FLAG_REFCOUNTED = 8 };

struct root {
	uint64_t object;
	uint8_t kind;
	uint32_t flags;
	uint64_t id; /* of a stack: the method; of a handle: the handle */
};

static struct table methods; /* those that were told */
static bool is_full; /* who finds no room may be the same one again: the first is counted */

bool roots__init(void)
{
	return table__reserve(&methods, sizeof(struct table_entry), MOST_METHODS);
}

void roots__empty(void)
{
	table__empty(&methods);
	is_full = false;
}

void roots__begin(struct gctrace_writer *writer)
{
	define__name(writer, GCTRACE_SPACE_ROOT_KIND, ROOT_KIND_REFCOUNTED,
		     "reference-counted handle");
	define__name(writer, GCTRACE_SPACE_CONTAINER, CONTAINER_OF_THREADS,
		     "thread statics and native frames");
}

/* What was begun last, by which writer. */
static struct {
	struct gctrace_writer *writer;
	uint64_t type, id1, id2;
} begun;

/* Containers are begun only where they change. */
static void tell(struct gctrace_writer *writer, uint64_t type, uint64_t id1, uint64_t id2,
		 uint64_t object, uint32_t flags, uint64_t kind, uint64_t id)
{
	if (begun.writer != writer || begun.type != type || begun.id1 != id1 || begun.id2 != id2)
		gctrace_write_container(writer, type, id1, id2);
	begun.writer = writer;
	begun.type = type;
	begun.id1 = id1;
	begun.id2 = id2;
	gctrace_write_root(writer, object, flags, kind, id);
}

static void tell_method(struct gctrace_writer *writer, uintptr_t function)
{
	struct name name;

	if (table__find(&methods, function))
		return;
	if (!table__add(&methods, function)) {
		unnamed__add(!is_full);
		is_full = true;
		return;
	}
	name = names__method(function);
	if (name.bytes)
		gctrace_write_define(writer, GCTRACE_SPACE_METHOD, function, 0, 0, name.at,
				     name.bytes);
}

/* Without a method it is a thread's own: what holds its statics, or what native code protects. */
static void tell_stack(struct gctrace_writer *writer, const struct root *root)
{
	if (!root->id) {
		tell(writer, CONTAINER_OF_THREADS, 0, 0, root->object, 0, GCTRACE_ROOT_UNKNOWN,
		     NO_ID);
		return;
	}
	tell_method(writer, root->id);
	tell(writer, GCTRACE_C_RT_JIT, 0, root->id, root->object, 0, GCTRACE_ROOT_LOCAL, NO_ID);
}

static void tell_handle(struct gctrace_writer *writer, const struct root *root)
{
	if (root->flags & FLAG_WEAK)
		tell(writer, GCTRACE_C_WEAK, 0, 0, root->object, GCTRACE_REF_WEAK,
		     GCTRACE_ROOT_HANDLE_WEAK, root->id);
	else
		tell(writer, GCTRACE_C_HANDLES, 0, 0, root->object, 0,
		     root->flags & FLAG_REFCOUNTED ? (uint64_t)ROOT_KIND_REFCOUNTED :
		     root->flags & FLAG_PINNED	   ? (uint64_t)GCTRACE_ROOT_HANDLE_PINNED :
						     (uint64_t)GCTRACE_ROOT_HANDLE,
		     root->id);
}

static void tell_root(struct gctrace_writer *writer, const struct root *root)
{
	switch (root->kind) {
	case KIND_STACK:
		tell_stack(writer, root);
		return;
	case KIND_FINALIZER:
		tell(writer, GCTRACE_C_FINALIZER, 0, 0, root->object, 0, GCTRACE_ROOT_FINALIZER,
		     NO_ID);
		return;
	case KIND_HANDLE:
		tell_handle(writer, root);
		return;
	default:
		tell(writer, GCTRACE_C_INTERNAL, 0, 0, root->object, 0, GCTRACE_ROOT_INTERNAL,
		     root->id ? root->id : NO_ID);
	}
}

static uint32_t read_count(struct payload *payload)
{
	uint32_t count;

	begun.writer = NULL; /* the writer may have served others since */
	payload__u32(payload); /* the event's number */
	count = payload__u32(payload);
	payload__u16(payload);
	return count;
}

void roots__event(struct gctrace_writer *writer, struct payload *payload, struct totals *totals)
{
	const uint32_t count = read_count(payload);

	for (uint32_t i = 0; i < count; i++) {
		struct root root = { .object = payload__u64(payload) };

		root.kind = payload__u8(payload);
		root.flags = payload__u32(payload);
		root.id = payload__u64(payload);
		if (payload->bad)
			return;
		if (!root.object)
			continue;
		tell_root(writer, &root);
		totals->roots++;
	}
}

void roots__dependent_event(struct gctrace_writer *writer, struct payload *payload,
			    struct totals *totals)
{
	const uint32_t count = read_count(payload);

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t key = payload__u64(payload), value = payload__u64(payload);
		const uint64_t handle = payload__u64(payload);

		if (payload->bad)
			return;
		if (!key || !value)
			continue;
		tell(writer, GCTRACE_C_DEPENDENT, key, 0, value, GCTRACE_REF_DEPENDENT,
		     GCTRACE_ROOT_HANDLE, handle);
		totals->roots++;
	}
}

void roots__frozen(struct gctrace_writer *writer, const uint64_t *objects, size_t count,
		   struct totals *totals)
{
	begun.writer = NULL;
	for (size_t i = 0; i < count; i++)
		tell(writer, GCTRACE_C_FROZEN, 0, 0, objects[i], 0, GCTRACE_ROOT_FROZEN, NO_ID);
	totals->roots += count;
}
