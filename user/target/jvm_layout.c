/* SPDX-License-Identifier: BSD-2-Clause */
#include "jvm_layout.h"

#include <errno.h>
#include <stddef.h>

#include "../base/refuse.h"
#include "jvm_structs.h"

enum need { OPTIONAL, NEEDED };
typedef bool (*look_up)(const struct jvm_structs *structs, const char *name, uint64_t *value);

/*
 * Rows for the same place stand side by side: names that it had in one version and another. It is
 * needed when one of them is.
 */
struct row {
	const char *name;
	size_t place; /* in struct jvm_layout */
	enum need need;
	look_up look_up;
};

#define ROW(look, member, name, need) { name, offsetof(struct jvm_layout, member), need, look }
#define FIELD(member, name) ROW(jvm_structs__offset, member, name, NEEDED)
#define MAYBE(member, name) ROW(jvm_structs__offset, member, name, OPTIONAL)
#define STATIC(member, name) ROW(jvm_structs__address, member, name, NEEDED)
#define MAYBE_STATIC(member, name) ROW(jvm_structs__address, member, name, OPTIONAL)
#define SIZE(member, name) ROW(jvm_structs__size, member, name, NEEDED)
#define CONSTANT(member, name) ROW(jvm_structs__constant, member, name, NEEDED)

static const struct row rows[] = {
	STATIC(thread_list, "ThreadsSMRSupport::_java_thread_list"),
	STATIC(code_heaps, "CodeCache::_heaps"),
	STATIC(interpreter, "AbstractInterpreter::_code"),
	STATIC(call_stub_return, "StubRoutines::_call_stub_return_address"),
	ROW(jvm_structs__address, collected_heap, "Universe::_collectedHeap", OPTIONAL),
	MAYBE(heap_collects, "CollectedHeap::_is_gc_active"),
	MAYBE(heap_collects, "CollectedHeap::_is_stw_gc_active"),
	MAYBE(heap_collections, "CollectedHeap::_total_collections"),

	FIELD(list_length, "ThreadsList::_length"),
	FIELD(list_threads, "ThreadsList::_threads"),
	FIELD(thread_os, "JavaThread::_osthread"),
	FIELD(thread_os, "Thread::_osthread"),
	FIELD(thread_anchor, "JavaThread::_anchor"),
	FIELD(thread_state, "JavaThread::_thread_state"),
	FIELD(thread_stack_base, "JavaThread::_stack_base"),
	FIELD(thread_stack_base, "Thread::_stack_base"),
	FIELD(thread_stack_size, "JavaThread::_stack_size"),
	FIELD(thread_stack_size, "Thread::_stack_size"),
	FIELD(os_tid, "OSThread::_thread_id"),
	FIELD(anchor_sp, "JavaFrameAnchor::_last_Java_sp"),
	FIELD(anchor_fp, "JavaFrameAnchor::_last_Java_fp"),
	FIELD(anchor_pc, "JavaFrameAnchor::_last_Java_pc"),
	FIELD(wrapper_anchor, "JavaCallWrapper::_anchor"),
	CONSTANT(entry_wrapper, "frame::entry_frame_call_wrapper_offset"),
	CONSTANT(sender_sp, "frame::interpreter_frame_sender_sp_offset"),
	CONSTANT(in_native, "_thread_in_native"),
	CONSTANT(in_vm, "_thread_in_vm"),
	CONSTANT(in_java, "_thread_in_Java"),
	CONSTANT(blocked, "_thread_blocked"),

	FIELD(array_length, "Array<int>::_length"),
	FIELD(array_bytes, "Array<u1>::_data"),
	FIELD(growable_length, "GrowableArrayBase::_len"),
	FIELD(growable_length, "GenericGrowableArray::_len"),
	FIELD(growable_items, "GrowableArray<int>::_data"),
	FIELD(heap_memory, "CodeHeap::_memory"),
	FIELD(heap_segments, "CodeHeap::_segmap"),
	FIELD(heap_shift, "CodeHeap::_log2_segment_size"),
	FIELD(space_low, "VirtualSpace::_low"),
	FIELD(space_high, "VirtualSpace::_high"),
	SIZE(block_size, "HeapBlock"),
	FIELD(block_header, "HeapBlock::_header"),
	FIELD(block_used, "HeapBlock::Header::_used"),
	FIELD(queue_buffer, "StubQueue::_stub_buffer"),
	FIELD(queue_limit, "StubQueue::_buffer_limit"),

	FIELD(blob_name, "CodeBlob::_name"),
	FIELD(blob_size, "CodeBlob::_size"),
	FIELD(blob_frame_size, "CodeBlob::_frame_size"),
	MAYBE(blob_code_begin, "CodeBlob::_code_begin"),
	MAYBE(blob_code_end, "CodeBlob::_code_end"),
	MAYBE(blob_code_offset, "CodeBlob::_code_offset"),
	MAYBE(blob_data_offset, "CodeBlob::_data_offset"),
	MAYBE(blob_mutable, "CodeBlob::_mutable_data"),
	MAYBE(blob_mutable_size, "CodeBlob::_mutable_data_size"),
	MAYBE(blob_relocation_size, "CodeBlob::_relocation_size"),

	SIZE(compiled_size, "nmethod"),
	FIELD(compiled_method, "CompiledMethod::_method"),
	FIELD(compiled_method, "nmethod::_method"),
	MAYBE(compiled_level, "nmethod::_comp_level"),
	MAYBE(compiled_original_pc, "nmethod::_orig_pc_offset"),
	MAYBE(compiled_frame_complete, "CodeBlob::_frame_complete_offset"),
	MAYBE(compiled_deopt, "CompiledMethod::_deopt_handler_begin"),
	MAYBE(compiled_deopt_mh, "CompiledMethod::_deopt_mh_handler_begin"),
	MAYBE(compiled_deopt_offset, "nmethod::_deopt_handler_offset"),
	MAYBE(compiled_deopt_mh_offset, "nmethod::_deopt_mh_handler_offset"),
	MAYBE(compiled_pcs, "nmethod::_scopes_pcs_offset"),
	MAYBE(compiled_dependencies, "nmethod::_dependencies_offset"),
	MAYBE(compiled_scopes, "CompiledMethod::_scopes_data_begin"),
	MAYBE(compiled_metadata, "nmethod::_metadata_offset"),
	MAYBE(compiled_immutable, "nmethod::_immutable_data"),
	MAYBE(compiled_immutable_size, "nmethod::_immutable_data_size"),
	MAYBE(compiled_scopes_offset, "nmethod::_scopes_data_offset"),
	SIZE(pc_size, "PcDesc"),
	FIELD(pc_offset, "PcDesc::_pc_offset"),
	FIELD(pc_scope, "PcDesc::_scope_decode_offset"),

	FIELD(method_const, "Method::_constMethod"),
	FIELD(method_access, "Method::_access_flags"),
	SIZE(const_size, "ConstMethod"),
	FIELD(const_constants, "ConstMethod::_constants"),
	FIELD(const_name, "ConstMethod::_name_index"),
	FIELD(const_signature, "ConstMethod::_signature_index"),
	FIELD(const_code_size, "ConstMethod::_code_size"),
	SIZE(pool_size, "ConstantPool"),
	FIELD(pool_tags, "ConstantPool::_tags"),
	FIELD(pool_holder, "ConstantPool::_pool_holder"),
	FIELD(pool_length, "ConstantPool::_length"),
	FIELD(klass_name, "Klass::_name"),
	FIELD(klass_constants, "InstanceKlass::_constants"),
	FIELD(symbol_length, "Symbol::_length"),
	FIELD(symbol_body, "Symbol::_body[0]"),
	FIELD(symbol_body, "Symbol::_body"),

	MAYBE(thread_object, "JavaThread::_threadObj"),
	MAYBE(klass_super, "Klass::_super"),
	MAYBE(klass_helper, "Klass::_layout_helper"),
	MAYBE(klass_fields, "InstanceKlass::_fields"),
	MAYBE(klass_field_count, "InstanceKlass::_java_fields_count"),
	MAYBE(klass_field_stream, "InstanceKlass::_fieldinfo_stream"),
	MAYBE_STATIC(oops_base, "CompressedOops::_narrow_oop._base"),
	MAYBE_STATIC(oops_base, "CompressedOops::_base"),
	MAYBE_STATIC(oops_shift, "CompressedOops::_narrow_oop._shift"),
	MAYBE_STATIC(oops_shift, "CompressedOops::_shift"),
	MAYBE_STATIC(klasses_base, "CompressedKlassPointers::_narrow_klass._base"),
	MAYBE_STATIC(klasses_base, "CompressedKlassPointers::_base"),
	MAYBE_STATIC(klasses_shift, "CompressedKlassPointers::_narrow_klass._shift"),
	MAYBE_STATIC(klasses_shift, "CompressedKlassPointers::_shift"),
	ROW(jvm_structs__constant, mark_klass_shift, "markWord::klass_shift", OPTIONAL),
	MAYBE(z_shift, "ZGlobalsForVMStructs::_ZPointerLoadShift"),
	MAYBE_STATIC(flags, "JVMFlag::flags"),
	MAYBE_STATIC(flag_count, "JVMFlag::numFlags"),
	ROW(jvm_structs__size, flag_size, "JVMFlag", OPTIONAL),
	MAYBE(flag_name, "JVMFlag::_name"),
	MAYBE(flag_value, "JVMFlag::_addr"),
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))
/* Offsets beyond this are no fields': what reads by them may then add them up. */
#define MOST_OFFSET 65536

static uint64_t *place(struct jvm_layout *layout, const struct row *row)
{
	return (uint64_t *)(void *)((char *)layout + row->place);
}

static bool look_one_up(const struct jvm_structs *structs, const struct row *row, uint64_t *value)
{
	const bool is_distance = row->look_up == jvm_structs__offset ||
				 row->look_up == jvm_structs__size;

	return row->look_up(structs, row->name, value) &&
	       (!is_distance || *value <= MOST_OFFSET);
}

/* The first row that is needed and has nothing in its place, or NULL. */
static const struct row *look_all_up(const struct jvm_structs *structs, struct jvm_layout *layout)
{
	const struct row *missing = NULL;
	bool is_there = false;

	for (size_t i = 0; i < ROWS; i++)
		*place(layout, &rows[i]) = JVM_NONE;
	for (size_t i = 0; i < ROWS; i++) {
		const bool is_last = i + 1 == ROWS || rows[i + 1].place != rows[i].place;
		uint64_t value;

		if (look_one_up(structs, &rows[i], &value)) {
			*place(layout, &rows[i]) = value;
			is_there = true;
		}
		if (is_last && !is_there && rows[i].need == NEEDED && !missing)
			missing = &rows[i];
		is_there = is_there && !is_last;
	}
	return missing;
}

int jvm_layout__find(const struct jvm_structs *structs, struct jvm_layout *layout, struct buf *why)
{
	const struct row *missing = look_all_up(structs, layout);
	bool has_code;

	if (missing)
		return refuse(why, -ENOTSUP, "its vmStructs lack %s", missing->name);
	has_code = (layout->blob_code_begin != JVM_NONE && layout->blob_code_end != JVM_NONE) ||
		   (layout->blob_code_offset != JVM_NONE && layout->blob_data_offset != JVM_NONE);
	if (!has_code)
		return refuse(why, -ENOTSUP,
			      "its vmStructs do not tell where a CodeBlob's code is");
	return 0;
}

bool jvm_layout__has_objects(const struct jvm_layout *layout)
{
	const bool has_fields =
		layout->klass_field_stream != JVM_NONE ||
		(layout->klass_fields != JVM_NONE && layout->klass_field_count != JVM_NONE);
	const bool has_flags = layout->flags != JVM_NONE && layout->flag_count != JVM_NONE &&
			       layout->flag_size != JVM_NONE && layout->flag_name != JVM_NONE &&
			       layout->flag_value != JVM_NONE;

	return has_fields && has_flags && layout->thread_object != JVM_NONE &&
	       layout->klass_super != JVM_NONE && layout->klass_helper != JVM_NONE &&
	       layout->oops_base != JVM_NONE && layout->oops_shift != JVM_NONE &&
	       layout->klasses_base != JVM_NONE && layout->klasses_shift != JVM_NONE;
}

bool jvm_layout__has_old_scopes(const struct jvm_layout *layout)
{
	return layout->compiled_pcs != JVM_NONE && layout->compiled_dependencies != JVM_NONE &&
	       layout->compiled_scopes != JVM_NONE && layout->compiled_metadata != JVM_NONE;
}

bool jvm_layout__has_new_scopes(const struct jvm_layout *layout)
{
	return layout->compiled_pcs != JVM_NONE && layout->compiled_immutable != JVM_NONE &&
	       layout->compiled_immutable_size != JVM_NONE &&
	       layout->compiled_scopes_offset != JVM_NONE && layout->blob_mutable != JVM_NONE &&
	       layout->blob_mutable_size != JVM_NONE && layout->blob_relocation_size != JVM_NONE;
}
