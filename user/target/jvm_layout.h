/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where what a walk needs is in this very JVM: the few of its exported fields, sizes, constants
 * and static variables that are used, by name once and for all.
 *
 * JVM_NONE: this JVM does not have it. Those that belong to one way of doing a thing (layouts
 * changed between 17 and 25) are there together, or the thing is not done.
 */
#ifndef GCTRACE_TARGET_JVM_LAYOUT_H
#define GCTRACE_TARGET_JVM_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/buf.h"

struct jvm_structs;

#define JVM_NONE UINT64_MAX

struct jvm_layout {
	/* Addresses of static variables. */
	uint64_t thread_list, code_heaps, interpreter, call_stub_return, collected_heap;

	/* CollectedHeap: in a pause, and how many so far. */
	uint64_t heap_collects, heap_collections;

	uint64_t list_length, list_threads;
	uint64_t thread_os, thread_anchor, thread_state, thread_stack_base, thread_stack_size;
	uint64_t os_tid;
	uint64_t anchor_sp, anchor_fp, anchor_pc;
	uint64_t wrapper_anchor; /* JavaCallWrapper */
	uint64_t entry_wrapper;	 /* words from an entry frame's fp to its wrapper; negative */
	uint64_t sender_sp;	 /* words from an interpreter frame's fp; negative */
	uint64_t in_native, in_vm, in_java, blocked; /* values of the state */

	uint64_t array_length, array_bytes;		/* Array<T>, Array<u1> */
	uint64_t growable_length, growable_items;	/* GrowableArray */
	uint64_t heap_memory, heap_segments, heap_shift, space_low, space_high;
	uint64_t block_size, block_header, block_used;
	uint64_t queue_buffer, queue_limit;

	uint64_t blob_name, blob_size, blob_frame_size;
	uint64_t blob_code_begin, blob_code_end;   /* addresses, until 22 */
	uint64_t blob_code_offset, blob_data_offset; /* offsets from the blob: code_end is data's */
	uint64_t blob_mutable, blob_mutable_size, blob_relocation_size;

	uint64_t compiled_size; /* sizeof nmethod */
	uint64_t compiled_method, compiled_level, compiled_original_pc, compiled_frame_complete;
	uint64_t compiled_deopt, compiled_deopt_mh;		  /* addresses */
	uint64_t compiled_deopt_offset, compiled_deopt_mh_offset; /* from the blob */
	uint64_t compiled_pcs, compiled_dependencies, compiled_scopes, compiled_metadata;
	uint64_t compiled_immutable, compiled_immutable_size, compiled_scopes_offset;
	uint64_t pc_size, pc_offset, pc_scope;

	uint64_t method_const, method_access;
	uint64_t const_size, const_constants, const_name, const_signature, const_code_size;
	uint64_t pool_size, pool_tags, pool_holder, pool_length;
	uint64_t klass_name, klass_constants, symbol_length, symbol_body;

	/* Of objects: what names of threads take. */
	uint64_t thread_object; /* a pointer to where the reference to its java.lang.Thread is */
	uint64_t klass_super, klass_helper;
	uint64_t klass_fields, klass_field_count; /* until 20 */
	uint64_t klass_field_stream;
	uint64_t oops_base, oops_shift, klasses_base, klasses_shift; /* addresses */
	uint64_t mark_klass_shift; /* where the class is in an object's first word, if it is */
	uint64_t z_shift;	   /* if there is one, this JVM's ZGC shifts references */
	uint64_t flags, flag_count; /* addresses */
	uint64_t flag_size, flag_name, flag_value;
};

/*
 * 0, or -ENOTSUP: something is missing that no walk can do without; why (may be NULL) gets what,
 * as a sentence's end.
 */
int jvm_layout__find(const struct jvm_structs *structs, struct jvm_layout *layout,
		     struct buf *why);

/* All is there that every name of a thread takes. */
bool jvm_layout__has_objects(const struct jvm_layout *layout);

/* What stands in for frames inlined in compiled code is told the way of 17, or of 25. */
bool jvm_layout__has_old_scopes(const struct jvm_layout *layout);
bool jvm_layout__has_new_scopes(const struct jvm_layout *layout);

#endif
