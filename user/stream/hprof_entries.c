/* SPDX-License-Identifier: BSD-2-Clause */
#include "hprof_entries.h"

#include "hprof_input.h"

const struct hprof_entry_form hprof_entry__forms[256] = {
	[HPROF_ROOT_UNKNOWN] = { 1, 0 },
	[HPROF_ROOT_JNI_GLOBAL] = { 2, 0 },
	[HPROF_ROOT_JNI_LOCAL] = { 1, 8 },
	[HPROF_ROOT_JAVA_FRAME] = { 1, 8 },
	[HPROF_ROOT_NATIVE_STACK] = { 1, 4 },
	[HPROF_ROOT_STICKY_CLASS] = { 1, 0 },
	[HPROF_ROOT_THREAD_BLOCK] = { 1, 4 },
	[HPROF_ROOT_MONITOR_USED] = { 1, 0 },
	[HPROF_ROOT_THREAD_OBJECT] = { 1, 8 },
	[HPROF_CLASS] = { 7, 8 },
	[HPROF_INSTANCE] = { 2, 8 },
	[HPROF_OBJECT_ARRAY] = { 2, 8 },
	[HPROF_PRIMITIVE_ARRAY] = { 1, 9 },
	[HPROF_ROOT_INTERNED_STRING] = { 1, 0 },
	[HPROF_ROOT_FINALIZING] = { 1, 0 },
	[HPROF_ROOT_DEBUGGER] = { 1, 0 },
	[HPROF_ROOT_REFERENCE_CLEANUP] = { 1, 0 },
	[HPROF_ROOT_VM_INTERNAL] = { 1, 0 },
	[HPROF_ROOT_JNI_MONITOR] = { 1, 8 },
	[HPROF_UNREACHABLE] = { 1, 0 },
	[HPROF_PRIMITIVE_ARRAY_NODATA] = { 1, 9 },
	[HPROF_HEAP_DUMP_INFO] = { 1, 4 },
};

struct hprof_object_entry hprof_entry__object(uint8_t tag, const uint8_t *at, uint32_t id_bytes)
{
	struct hprof_object_entry entry = { .tag = tag, .id = hprof__number(at, id_bytes) };

	at += id_bytes + 4; /* and the number of a stack trace */
	if (tag == HPROF_INSTANCE) {
		entry.class_ = hprof__number(at, id_bytes);
		entry.count = entry.bytes = hprof__number(at + id_bytes, 4);
		return entry;
	}
	entry.count = hprof__number(at, 4);
	if (tag == HPROF_OBJECT_ARRAY) {
		entry.element = HPROF_OBJECT;
		entry.class_ = hprof__number(at + 4, id_bytes);
	} else {
		entry.element = at[4];
	}
	if (tag != HPROF_PRIMITIVE_ARRAY_NODATA)
		entry.bytes = entry.count * hprof_type__bytes(entry.element, id_bytes);
	return entry;
}
