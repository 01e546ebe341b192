/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pretend HotSpot JVM in this process's own memory, which is read as another's would be: tables
 * of its layout, a code cache, methods, and a thread with a stack and a name. Both ways of laying
 * things out, that of 17 and that of 25, by the same structures.
 *
 *	stack of its thread, innermost first     where
 *	  pkg.Main.nativeOne()V                  the wrapper of a native method, as in the anchor
 *	  pkg.Main.inlined()V                    inlined in the next one
 *	  pkg.Main.compiled()V
 *	  pkg.Main.interpreted()V @3
 *	  the entry frame, whose wrapper says that there is nothing before it
 */
#ifndef GCTRACE_TESTS_JVM_IMAGE_H
#define GCTRACE_TESTS_JVM_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "target/jvm_structs.h"

/* The name of its thread; of 17's, and of 25's, which is 7 units of UTF-16. */
#define IMAGE_OLD_NAME "gardener-\xe4"
#define IMAGE_OLD_NAME_TOLD "gardener-\u00e4"
#define IMAGE_NEW_NAME u"\u4f60 \U0001f600 \xd800!"
#define IMAGE_NEW_NAME_TOLD "\u4f60 \U0001f600 \ufffd!"

enum { IMAGE_FIELDS = 128, IMAGE_VALUES = 32, IMAGE_SEGMENT = 128, IMAGE_SEGMENTS = 64 };
enum { IMAGE_COMPILED, IMAGE_INLINED, IMAGE_INTERPRETED, IMAGE_NATIVE, IMAGE_METHODS };
enum { IMAGE_TID = 4711, IMAGE_WORDS = 512 };

/* Segments at which the pieces of code begin. */
enum {
	IMAGE_AT_INTERPRETER = 0,
	IMAGE_AT_COMPILED = 8,
	IMAGE_AT_ROUTINES = 24,
	IMAGE_AT_STUB = 28,
	IMAGE_AT_FREED = 32,
	IMAGE_AT_WRAPPER = 36,
	IMAGE_AT_END = 44,
};

/* From a piece's beginning to its code, and to the code's end. */
enum { IMAGE_CODE = 256, IMAGE_CODE_END = 448 };
/* In the code of the compiled method: where it calls, and is described. */
enum { IMAGE_CALL = 0x40, IMAGE_DEOPT = 0xa0, IMAGE_COMPLETE = 0x10 };

struct image_field {
	const char *type, *name, *type_string;
	int32_t is_static;
	uint64_t offset;
	void *address;
};

struct image_value {
	const char *name;
	uint64_t value;
};

struct image_space {
	uint64_t low, high;
};

struct image_blob {
	const char *name;
	uint64_t code_begin, code_end, deopt, method, mutable, immutable, scopes;
	uint32_t size, frame_words, code_offset, data_offset, mutable_size, relocation_size;
	uint32_t immutable_size, pcs, dependencies, metadata, scopes_offset, original_pc;
	uint32_t deopt_offset;
	uint16_t complete;
};

struct image_method {
	uint64_t const_method;
	uint16_t access;
};

struct image_const {
	uint64_t constants;
	uint16_t name, signature, code_size;
};

struct image_symbol {
	uint16_t length;
	char body[30];
};

struct image_anchor {
	uint64_t sp, fp, pc;
};

struct image_thread {
	uint64_t os, stack_base, stack_size;
	struct image_anchor anchor;
	uint64_t object;
	uint32_t state;
};

struct image_klass {
	uint64_t name, constants, super, fields;
	uint32_t helper;
	uint16_t field_count;
};

struct image_flag {
	const void *value;
	const char *name;
};

/* What fields of objects are called, after the texts of methods. */
enum {
	IMAGE_TEXT_NAME = 8,
	IMAGE_TEXT_STRING,
	IMAGE_TEXT_CODER,
	IMAGE_TEXT_BYTE,
	IMAGE_TEXT_VALUE,
	IMAGE_TEXT_BYTES,
	IMAGE_TEXT_THREAD_CLASS,
	IMAGE_TEXT_STRING_CLASS,
	IMAGE_TEXT_WORKER_CLASS,
	IMAGE_TEXTS
};

enum { IMAGE_CLASS_THREAD, IMAGE_CLASS_WORKER, IMAGE_CLASS_STRING, IMAGE_CLASS_BYTES,
       IMAGE_CLASSES };

/* In words: where its objects are; in bytes: their fields. */
enum { IMAGE_OF_THREAD = 0, IMAGE_OF_STRING = 4, IMAGE_OF_BYTES = 8, IMAGE_OBJECT_WORDS = 16 };
enum { IMAGE_NAME_AT = 16, IMAGE_CODER_AT = 17, IMAGE_VALUE_AT = 24 };

struct image_pc {
	int32_t offset;
	uint32_t scope;
};

struct image {
	uint64_t variables[JVM_EXPORTS];
	struct image_field fields[IMAGE_FIELDS];
	struct image_value types[IMAGE_VALUES], ints[IMAGE_VALUES], longs[2];
	size_t field_count, type_count, int_count;

	/* Static variables, and what hangs on them. */
	uint64_t thread_list, code_heaps, interpreter, call_stub_return;
	struct { uint32_t length; uint64_t threads; } list;
	uint64_t threads[2];
	struct image_thread thread;
	struct { uint64_t state; int32_t tid; } os;
	struct { uint32_t length; uint64_t items; } heaps;
	uint64_t heap_items[1];
	struct { struct image_space memory, map; uint32_t shift; } heap;
	struct { uint64_t buffer; uint32_t limit; } queue;
	uint64_t collected_heap;
	struct { uint32_t count; uint8_t collects; } collected;

	struct image_method methods[IMAGE_METHODS];
	struct { struct image_const it; unsigned char code[8]; } consts[IMAGE_METHODS];
	struct { uint64_t tags, holder; uint32_t length; } pool;
	uint64_t pool_items[IMAGE_TEXTS];
	struct { uint32_t length; unsigned char bytes[IMAGE_TEXTS]; } tags;
	struct image_klass klass;
	struct image_symbol symbols[IMAGE_TEXTS];

	struct image_klass classes[IMAGE_CLASSES];
	struct { uint32_t length; uint16_t slots[2 * 6]; } field_tables[IMAGE_CLASSES];
	struct { uint32_t length; unsigned char bytes[20]; } field_streams[IMAGE_CLASSES];
	struct image_flag flags[4];
	uint64_t flags_at, flag_count, oops_base, klasses_base, object_at;
	uint32_t oops_shift, klasses_shift;
	unsigned char is_set[2]; /* a switch that is off, and one that is on */

	struct image_pc pcs[4];		/* since 23 behind the mutable data's neighbour */
	unsigned char scopes[32];
	uint64_t mutable[4];
	unsigned char segments[IMAGE_SEGMENTS];
	_Alignas(16) unsigned char code[IMAGE_SEGMENTS * IMAGE_SEGMENT];
	_Alignas(16) uint64_t stack[IMAGE_WORDS];
	_Alignas(16) uint64_t objects[IMAGE_OBJECT_WORDS];
};

static inline uint64_t image__address(const void *at)
{
	return (uint64_t)(uintptr_t)at;
}

static inline struct image_blob *image__blob(struct image *image, int segment)
{
	return (struct image_blob *)(void *)(image->code + segment * IMAGE_SEGMENT + 8);
}

/* In the code of a piece. */
static inline uint64_t image__pc(struct image *image, int segment, uint64_t offset)
{
	return image__address(image__blob(image, segment)) + IMAGE_CODE + offset;
}

static inline void image__field(struct image *image, const char *type, const char *name,
				uint64_t offset)
{
	image->fields[image->field_count++] =
		(struct image_field){ .type = type, .name = name, .offset = offset };
}

static inline void image__static(struct image *image, const char *type, const char *name,
				 void *address)
{
	image->fields[image->field_count++] = (struct image_field){
		.type = type, .name = name, .is_static = 1, .address = address };
}

static inline void image__type(struct image *image, const char *name, uint64_t size)
{
	image->types[image->type_count++] = (struct image_value){ name, size };
}

static inline void image__int(struct image *image, const char *name, int32_t value)
{
	image->ints[image->int_count++] = (struct image_value){ name, (uint32_t)value };
}

#define IMAGE_FIELD(type, name, structure, member) \
	image__field(image, type, name, offsetof(structure, member))
#define IMAGE_MEMBER(type, name, outer, member) \
	image__field(image, type, name, offsetof(struct image, outer.member) - \
					offsetof(struct image, outer))

static inline void image__tell_threads(struct image *image)
{
	image__static(image, "ThreadsSMRSupport", "_java_thread_list", &image->thread_list);
	IMAGE_MEMBER("ThreadsList", "_length", list, length);
	IMAGE_MEMBER("ThreadsList", "_threads", list, threads);
	IMAGE_FIELD("Thread", "_osthread", struct image_thread, os);
	IMAGE_FIELD("JavaThread", "_anchor", struct image_thread, anchor);
	IMAGE_FIELD("JavaThread", "_thread_state", struct image_thread, state);
	IMAGE_FIELD("JavaThread", "_stack_base", struct image_thread, stack_base);
	IMAGE_FIELD("JavaThread", "_stack_size", struct image_thread, stack_size);
	IMAGE_MEMBER("OSThread", "_thread_id", os, tid);
	IMAGE_FIELD("JavaFrameAnchor", "_last_Java_sp", struct image_anchor, sp);
	IMAGE_FIELD("JavaFrameAnchor", "_last_Java_fp", struct image_anchor, fp);
	IMAGE_FIELD("JavaFrameAnchor", "_last_Java_pc", struct image_anchor, pc);
	image__field(image, "JavaCallWrapper", "_anchor", 16);
	image__int(image, "frame::entry_frame_call_wrapper_offset", -6);
	image__int(image, "frame::interpreter_frame_sender_sp_offset", -1);
	image__int(image, "_thread_in_native", 4);
	image__int(image, "_thread_in_vm", 6);
	image__int(image, "_thread_in_Java", 8);
	image__int(image, "_thread_blocked", 10);
}

static inline void image__tell_heaps(struct image *image)
{
	image__static(image, "CodeCache", "_heaps", &image->code_heaps);
	image__static(image, "AbstractInterpreter", "_code", &image->interpreter);
	image__static(image, "StubRoutines", "_call_stub_return_address",
		      &image->call_stub_return);
	IMAGE_MEMBER("GrowableArrayBase", "_len", heaps, length);
	IMAGE_MEMBER("GrowableArray<int>", "_data", heaps, items);
	IMAGE_MEMBER("CodeHeap", "_memory", heap, memory);
	IMAGE_MEMBER("CodeHeap", "_segmap", heap, map);
	IMAGE_MEMBER("CodeHeap", "_log2_segment_size", heap, shift);
	IMAGE_FIELD("VirtualSpace", "_low", struct image_space, low);
	IMAGE_FIELD("VirtualSpace", "_high", struct image_space, high);
	image__type(image, "HeapBlock", 8);
	image__field(image, "HeapBlock", "_header", 0);
	image__field(image, "HeapBlock::Header", "_used", 4);
	IMAGE_MEMBER("StubQueue", "_stub_buffer", queue, buffer);
	IMAGE_MEMBER("StubQueue", "_buffer_limit", queue, limit);
}

static inline void image__tell_old_code(struct image *image)
{
	IMAGE_FIELD("CodeBlob", "_code_begin", struct image_blob, code_begin);
	IMAGE_FIELD("CodeBlob", "_code_end", struct image_blob, code_end);
	IMAGE_FIELD("CompiledMethod", "_method", struct image_blob, method);
	IMAGE_FIELD("CompiledMethod", "_deopt_handler_begin", struct image_blob, deopt);
	IMAGE_FIELD("CompiledMethod", "_scopes_data_begin", struct image_blob, scopes);
	IMAGE_FIELD("nmethod", "_dependencies_offset", struct image_blob, dependencies);
	IMAGE_FIELD("nmethod", "_metadata_offset", struct image_blob, metadata);
}

static inline void image__tell_collections(struct image *image, bool is_new)
{
	image__static(image, "Universe", "_collectedHeap", &image->collected_heap);
	IMAGE_MEMBER("CollectedHeap", "_total_collections", collected, count);
	image__field(image, "CollectedHeap", is_new ? "_is_stw_gc_active" : "_is_gc_active",
		     offsetof(struct image, collected.collects) -
			     offsetof(struct image, collected));
	image->collected_heap = image__address(&image->collected);
}

static inline void image__tell_new_code(struct image *image)
{
	IMAGE_FIELD("CodeBlob", "_code_offset", struct image_blob, code_offset);
	IMAGE_FIELD("CodeBlob", "_data_offset", struct image_blob, data_offset);
	IMAGE_FIELD("CodeBlob", "_mutable_data", struct image_blob, mutable);
	IMAGE_FIELD("CodeBlob", "_mutable_data_size", struct image_blob, mutable_size);
	IMAGE_FIELD("CodeBlob", "_relocation_size", struct image_blob, relocation_size);
	IMAGE_FIELD("nmethod", "_method", struct image_blob, method);
	IMAGE_FIELD("nmethod", "_deopt_handler_offset", struct image_blob, deopt_offset);
	IMAGE_FIELD("nmethod", "_immutable_data", struct image_blob, immutable);
	IMAGE_FIELD("nmethod", "_immutable_data_size", struct image_blob, immutable_size);
	IMAGE_FIELD("nmethod", "_scopes_data_offset", struct image_blob, scopes_offset);
}

static inline void image__tell_code(struct image *image, bool is_new)
{
	IMAGE_FIELD("CodeBlob", "_name", struct image_blob, name);
	IMAGE_FIELD("CodeBlob", "_size", struct image_blob, size);
	IMAGE_FIELD("CodeBlob", "_frame_size", struct image_blob, frame_words);
	IMAGE_FIELD("CodeBlob", "_frame_complete_offset", struct image_blob, complete);
	IMAGE_FIELD("nmethod", "_orig_pc_offset", struct image_blob, original_pc);
	IMAGE_FIELD("nmethod", "_scopes_pcs_offset", struct image_blob, pcs);
	image__type(image, "nmethod", sizeof(struct image_blob));
	image__type(image, "PcDesc", sizeof(struct image_pc));
	IMAGE_FIELD("PcDesc", "_pc_offset", struct image_pc, offset);
	IMAGE_FIELD("PcDesc", "_scope_decode_offset", struct image_pc, scope);
	if (is_new)
		image__tell_new_code(image);
	else
		image__tell_old_code(image);
}

static inline void image__tell_methods(struct image *image)
{
	IMAGE_FIELD("Method", "_constMethod", struct image_method, const_method);
	IMAGE_FIELD("Method", "_access_flags", struct image_method, access);
	image__type(image, "ConstMethod", sizeof(struct image_const));
	IMAGE_FIELD("ConstMethod", "_constants", struct image_const, constants);
	IMAGE_FIELD("ConstMethod", "_name_index", struct image_const, name);
	IMAGE_FIELD("ConstMethod", "_signature_index", struct image_const, signature);
	IMAGE_FIELD("ConstMethod", "_code_size", struct image_const, code_size);
	image__type(image, "ConstantPool", sizeof(image->pool));
	IMAGE_MEMBER("ConstantPool", "_tags", pool, tags);
	IMAGE_MEMBER("ConstantPool", "_pool_holder", pool, holder);
	IMAGE_MEMBER("ConstantPool", "_length", pool, length);
	IMAGE_MEMBER("Array<int>", "_length", tags, length);
	IMAGE_MEMBER("Array<u1>", "_data", tags, bytes);
	IMAGE_FIELD("Klass", "_name", struct image_klass, name);
	IMAGE_FIELD("InstanceKlass", "_constants", struct image_klass, constants);
	IMAGE_FIELD("Symbol", "_length", struct image_symbol, length);
	IMAGE_FIELD("Symbol", "_body[0]", struct image_symbol, body);
}

static inline void image__tell_objects(struct image *image, bool is_new)
{
	IMAGE_FIELD("JavaThread", "_threadObj", struct image_thread, object);
	IMAGE_FIELD("Klass", "_super", struct image_klass, super);
	IMAGE_FIELD("Klass", "_layout_helper", struct image_klass, helper);
	if (is_new)
		IMAGE_FIELD("InstanceKlass", "_fieldinfo_stream", struct image_klass, fields);
	else
		IMAGE_FIELD("InstanceKlass", "_fields", struct image_klass, fields);
	IMAGE_FIELD("InstanceKlass", "_java_fields_count", struct image_klass, field_count);
	image__static(image, "CompressedOops", is_new ? "_base" : "_narrow_oop._base",
		      &image->oops_base);
	image__static(image, "CompressedOops", is_new ? "_shift" : "_narrow_oop._shift",
		      &image->oops_shift);
	image__static(image, "CompressedKlassPointers", is_new ? "_base" : "_narrow_klass._base",
		      &image->klasses_base);
	image__static(image, "CompressedKlassPointers", is_new ? "_shift" : "_narrow_klass._shift",
		      &image->klasses_shift);
	if (is_new)
		image__int(image, "markWord::klass_shift", 42);
	image__static(image, "JVMFlag", "flags", &image->flags_at);
	image__static(image, "JVMFlag", "numFlags", &image->flag_count);
	image__type(image, "JVMFlag", sizeof(struct image_flag));
	IMAGE_FIELD("JVMFlag", "_name", struct image_flag, name);
	IMAGE_FIELD("JVMFlag", "_addr", struct image_flag, value);
}

/* The variables by which the tables are found. */
static inline void image__tell_tables(struct image *image)
{
	const uint64_t values[JVM_EXPORTS] = {
		[JVM_FIELDS] = image__address(image->fields),
		[JVM_FIELD_STRIDE] = sizeof(struct image_field),
		[JVM_FIELD_TYPE] = offsetof(struct image_field, type),
		[JVM_FIELD_NAME] = offsetof(struct image_field, name),
		[JVM_FIELD_IS_STATIC] = offsetof(struct image_field, is_static),
		[JVM_FIELD_OFFSET] = offsetof(struct image_field, offset),
		[JVM_FIELD_ADDRESS] = offsetof(struct image_field, address),
		[JVM_TYPES] = image__address(image->types),
		[JVM_TYPE_STRIDE] = sizeof(struct image_value),
		[JVM_TYPE_SIZE] = offsetof(struct image_value, value),
		[JVM_INTS] = image__address(image->ints),
		[JVM_INT_STRIDE] = sizeof(struct image_value),
		[JVM_INT_VALUE] = offsetof(struct image_value, value),
		[JVM_LONGS] = image__address(image->longs),
		[JVM_LONG_STRIDE] = sizeof(struct image_value),
		[JVM_LONG_VALUE] = offsetof(struct image_value, value),
	};

	memcpy(image->variables, values, sizeof(values));
	image->longs[0] = (struct image_value){ "a_long", (uint64_t)1 << 40 };
}

static inline void image__symbol(struct image *image, int index, const char *text)
{
	image->symbols[index].length = (uint16_t)strlen(text);
	memcpy(image->symbols[index].body, text, strlen(text));
	image->pool_items[index] = image__address(&image->symbols[index]);
	image->tags.bytes[index] = 1;
}

static inline void image__make_methods(struct image *image)
{
	static const char *const names[IMAGE_METHODS] = { "compiled", "inlined", "interpreted",
							  "nativeOne" };

	for (int i = 0; i < IMAGE_METHODS; i++) {
		image__symbol(image, i + 1, names[i]);
		image->methods[i] = (struct image_method){
			image__address(&image->consts[i].it), i == IMAGE_NATIVE ? 0x0100 : 0x0001 };
		image->consts[i].it = (struct image_const){
			.constants = image__address(&image->pool),
			.name = (uint16_t)(i + 1), .signature = 5,
			.code_size = i == IMAGE_NATIVE ? 0 : 8 };
	}
	image__symbol(image, 5, "()V");
	image__symbol(image, 6, "pkg/Main");
	image->tags.bytes[6] = 7;
	image->tags.length = image->pool.length = IMAGE_TEXTS;
	image->pool.tags = image__address(&image->tags);
	image->pool.holder = image__address(&image->klass);
	image->klass.name = image__address(&image->symbols[6]);
	image->klass.constants = image__address(&image->pool);
}

/* A piece of code from one segment to before another. */
static inline void image__piece(struct image *image, int from, int to, const char *name,
				uint32_t frame_words, uint64_t method)
{
	struct image_blob *blob = image__blob(image, from);

	for (int i = from; i < to; i++)
		image->segments[i] = (unsigned char)(i - from);
	image->code[from * IMAGE_SEGMENT + 4] = 1;
	*blob = (struct image_blob){
		.name = name,
		.code_begin = image__address(blob) + IMAGE_CODE, .code_offset = IMAGE_CODE,
		.code_end = image__address(blob) + IMAGE_CODE_END, .data_offset = IMAGE_CODE_END,
		.size = (uint32_t)(to - from) * IMAGE_SEGMENT - 8,
		.frame_words = frame_words, .method = method, .complete = IMAGE_COMPLETE,
	};
}

/* Numbers below 190, as both encodings have them in one byte. */
static inline void image__encode(struct image *image, size_t at, bool is_new, const int values[3])
{
	for (int i = 0; i < 3; i++)
		image->scopes[at + (size_t)i] = (unsigned char)(values[i] + is_new);
}

/* IMAGE_CALL is in what was inlined at bytecode 2 of the compiled method; 0x60 is not. */
static inline void image__describe(struct image *image, bool is_new)
{
	struct image_blob *blob = image__blob(image, IMAGE_AT_COMPILED);
	const uint64_t pcs = image__address(image->pcs), scopes = image__address(image->scopes);

	image__encode(image, 1, is_new, (const int[]){ 0, 1, 3 });
	image__encode(image, 8, is_new, (const int[]){ 1, 2, 1 });
	image->pcs[0] = (struct image_pc){ -1, 0 };
	image->pcs[1] = (struct image_pc){ IMAGE_CALL, 8 };
	image->pcs[2] = (struct image_pc){ 0x60, 1 };
	image->pcs[3] = (struct image_pc){ INT32_MAX, 0 };
	for (int i = 0; i < 2; i++)
		image->mutable[2 + i] = image__address(&image->methods[IMAGE_COMPILED + i]);
	blob->deopt = image__pc(image, IMAGE_AT_COMPILED, IMAGE_DEOPT);
	blob->deopt_offset = IMAGE_CODE + IMAGE_DEOPT;
	blob->original_pc = 8;
	if (is_new) {
		blob->immutable = pcs - 16;
		blob->immutable_size = (uint32_t)(scopes + sizeof(image->scopes) - pcs + 16);
		blob->pcs = 16;
		blob->scopes_offset = (uint32_t)(scopes - pcs + 16);
		blob->mutable = image__address(image->mutable);
		blob->relocation_size = 16;
		blob->mutable_size = 32;
		return;
	}
	/* Behind the code, in the order of 17: metadata, scopes, PcDescs. */
	memcpy((char *)blob + 512, image->mutable + 2, 16);
	memcpy((char *)blob + 528, image->scopes, sizeof(image->scopes));
	memcpy((char *)blob + 560, image->pcs, sizeof(image->pcs));
	blob->metadata = 512;
	blob->scopes = image__address(blob) + 528;
	blob->pcs = 560;
	blob->dependencies = 560 + sizeof(image->pcs);
}

static inline void image__make_code(struct image *image, bool is_new)
{
	memset(image->segments, 255, sizeof(image->segments));
	image->code_heaps = image__address(&image->heaps);
	image->heaps.length = 1;
	image->heaps.items = image__address(image->heap_items);
	image->heap_items[0] = image__address(&image->heap);
	image->heap.memory = (struct image_space){ image__address(image->code),
		image__address(image->code + sizeof(image->code)) };
	image->heap.map = (struct image_space){ image__address(image->segments),
		image__address(image->segments + sizeof(image->segments)) };
	image->heap.shift = 7;
	image__piece(image, IMAGE_AT_INTERPRETER, IMAGE_AT_COMPILED, "Interpreter", 0, 0);
	image__piece(image, IMAGE_AT_COMPILED, IMAGE_AT_ROUTINES, "nmethod", 6,
		     image__address(&image->methods[IMAGE_COMPILED]));
	image__piece(image, IMAGE_AT_ROUTINES, IMAGE_AT_STUB, "StubRoutines (1)", 0, 0);
	image__piece(image, IMAGE_AT_STUB, IMAGE_AT_FREED, "_new_instance_Java", 4, 0);
	image__piece(image, IMAGE_AT_FREED, IMAGE_AT_WRAPPER, "nmethod", 4,
		     image__address(&image->methods[IMAGE_COMPILED]));
	image->code[IMAGE_AT_FREED * IMAGE_SEGMENT + 4] = 0;
	image__piece(image, IMAGE_AT_WRAPPER, IMAGE_AT_END, "native nmethod", 4,
		     image__address(&image->methods[IMAGE_NATIVE]));
	image__describe(image, is_new);
	image->interpreter = image__address(&image->queue);
	image->queue.buffer = image__pc(image, IMAGE_AT_INTERPRETER, 0);
	image->queue.limit = IMAGE_CODE_END - IMAGE_CODE;
	image->call_stub_return = image__pc(image, IMAGE_AT_ROUTINES, 0x20);
}

/* Words of the stack, by number. */
enum { IMAGE_SP = 100, IMAGE_COMPILED_SP = 104, IMAGE_INTERPRETED_SP = 110, IMAGE_FP = 124,
       IMAGE_ENTRY_SP = 126, IMAGE_ENTRY_FP = 140, IMAGE_WRAPPER = 150 };

static inline void image__make_stack(struct image *image)
{
	uint64_t *stack = image->stack;

	/* The wrapper's frame is 4 words, the compiled method's 6: fp and return address last. */
	stack[IMAGE_COMPILED_SP - 1] = image__pc(image, IMAGE_AT_COMPILED, IMAGE_CALL);
	stack[IMAGE_COMPILED_SP - 2] = 0;
	stack[IMAGE_INTERPRETED_SP - 1] = image->queue.buffer + 0x30;
	stack[IMAGE_INTERPRETED_SP - 2] = image__address(&stack[IMAGE_FP]);
	/* The interpreter's, around fp. */
	stack[IMAGE_FP - 3] = image__address(&image->methods[IMAGE_INTERPRETED]);
	stack[IMAGE_FP - 8] = image__address(image->consts[IMAGE_INTERPRETED].code) + 3;
	stack[IMAGE_FP - 1] = image__address(&stack[IMAGE_ENTRY_SP]);
	stack[IMAGE_FP] = image__address(&stack[IMAGE_ENTRY_FP]);
	stack[IMAGE_FP + 1] = image->call_stub_return;
	/* An entry frame; its wrapper's anchor, all 0, is 16 bytes in. */
	stack[IMAGE_ENTRY_FP - 6] = image__address(&stack[IMAGE_WRAPPER]);
}

static inline void image__make_thread(struct image *image)
{
	image->thread_list = image__address(&image->list);
	image->list.length = 1;
	image->list.threads = image__address(image->threads);
	image->threads[0] = image__address(&image->thread);
	image->os.tid = IMAGE_TID;
	image->thread = (struct image_thread){
		.os = image__address(&image->os),
		.stack_base = image__address(image->stack + IMAGE_WORDS),
		.stack_size = sizeof(image->stack),
		.anchor = { .sp = image__address(&image->stack[IMAGE_SP]),
			    .pc = image__pc(image, IMAGE_AT_WRAPPER, 0x40) },
		.state = 10,
	};
}

/* A class with up to two fields, whose names, signatures and offsets follow each other. */
static inline void image__class(struct image *image, int class, int name, bool is_new,
				const int fields[6])
{
	const uint16_t count = fields[3] ? 2 : fields[0] ? 1 : 0;
	unsigned char *to = image->field_streams[class].bytes;
	struct image_klass *klass = &image->classes[class];

	klass->name = image__address(&image->symbols[name]);
	klass->constants = image__address(&image->pool);
	klass->field_count = count;
	klass->fields = is_new ? image__address(&image->field_streams[class]) :
				 image__address(&image->field_tables[class]);
	*to++ = (unsigned char)(count + 1);
	*to++ = 1;
	for (int i = 0; i < count; i++) {
		uint16_t *slots = image->field_tables[class].slots + i * 6;

		slots[1] = (uint16_t)fields[3 * i];
		slots[2] = (uint16_t)fields[3 * i + 1];
		slots[4] = (uint16_t)(fields[3 * i + 2] << 2 | 1);
		/* Its flags say that a number of an initial value follows: one of two bytes. */
		for (int j = 0; j < 3; j++)
			*to++ = (unsigned char)(fields[3 * i + j] + 1);
		memcpy(to, (const unsigned char[]){ 1, 2, 193, 9 }, 4);
		to += 4;
	}
	image->field_tables[class].length = count * 6u;
	image->field_streams[class].length = sizeof(image->field_streams[class].bytes);
}

static inline void image__make_classes(struct image *image, bool is_new)
{
	static const char *const texts[] = {
		"name",	 "Ljava/lang/String;", "coder",		   "B",		 "value",
		"[B",	 "java/lang/Thread",   "java/lang/String", "pkg/Worker",
	};

	for (int i = IMAGE_TEXT_NAME; i < IMAGE_TEXTS; i++)
		image__symbol(image, i, texts[i - IMAGE_TEXT_NAME]);
	image__class(image, IMAGE_CLASS_THREAD, IMAGE_TEXT_THREAD_CLASS, is_new,
		     (const int[6]){ IMAGE_TEXT_NAME, IMAGE_TEXT_STRING, IMAGE_NAME_AT });
	image__class(image, IMAGE_CLASS_WORKER, IMAGE_TEXT_WORKER_CLASS, is_new,
		     (const int[6]){ 0 });
	image->classes[IMAGE_CLASS_WORKER].super =
		image__address(&image->classes[IMAGE_CLASS_THREAD]);
	image__class(image, IMAGE_CLASS_STRING, IMAGE_TEXT_STRING_CLASS, is_new,
		     (const int[6]){ IMAGE_TEXT_CODER, IMAGE_TEXT_BYTE, IMAGE_CODER_AT,
				     IMAGE_TEXT_VALUE, IMAGE_TEXT_BYTES, IMAGE_VALUE_AT });
	image__class(image, IMAGE_CLASS_BYTES, IMAGE_TEXT_BYTES, is_new, (const int[6]){ 0 });
	image->classes[IMAGE_CLASS_BYTES].helper = is_new ? 12 << 16 : 16 << 16;
}

/* References are 4 bytes in the old one, classes are in the first word in the new one. */
static inline void image__object(struct image *image, int word, int class, bool is_new)
{
	const uint64_t klass = image__address(&image->classes[class]) - image->klasses_base;

	if (is_new)
		image->objects[word] = klass >> image->klasses_shift << 42;
	else
		image->objects[word + 1] = klass >> image->klasses_shift;
}

static inline void image__refer(struct image *image, int from, int at, int to, bool is_new)
{
	const uint64_t object = image__address(&image->objects[to]);
	const uint32_t narrow = (uint32_t)((object - image->oops_base) >> image->oops_shift);
	char *place = (char *)&image->objects[from] + at;

	if (is_new)
		memcpy(place, &object, sizeof(object));
	else
		memcpy(place, &narrow, sizeof(narrow));
}

static inline void image__make_name(struct image *image, bool is_new)
{
	const uint32_t size = is_new ? sizeof(IMAGE_NEW_NAME) - 2 : sizeof(IMAGE_OLD_NAME) - 1;
	char *array = (char *)&image->objects[IMAGE_OF_BYTES];

	((unsigned char *)&image->objects[IMAGE_OF_STRING])[IMAGE_CODER_AT] = is_new;
	memcpy(array + (is_new ? 8 : 12), &size, sizeof(size));
	memcpy(array + (is_new ? 12 : 16),
	       is_new ? (const void *)IMAGE_NEW_NAME : IMAGE_OLD_NAME, size);
}

static inline void image__make_objects(struct image *image, bool is_new)
{
	image->is_set[1] = 1;
	image->flags[0] = (struct image_flag){ &image->is_set[0], "UseAnything" };
	image->flags[1] = (struct image_flag){ &image->is_set[!is_new], "UseCompressedOops" };
	image->flags[2] = (struct image_flag){ &image->is_set[is_new], "UseCompactObjectHeaders" };
	image->flags_at = image__address(image->flags);
	image->flag_count = 4; /* the last one has no name */
	image->klasses_base = image__address(image);
	image->klasses_shift = is_new ? 3 : 0;
	image->oops_base = image__address(image) & ~(uint64_t)7;
	image->oops_shift = 3;
	image__make_classes(image, is_new);
	image__object(image, IMAGE_OF_THREAD, IMAGE_CLASS_WORKER, is_new);
	image__object(image, IMAGE_OF_STRING, IMAGE_CLASS_STRING, is_new);
	image__object(image, IMAGE_OF_BYTES, IMAGE_CLASS_BYTES, is_new);
	image__refer(image, IMAGE_OF_THREAD, IMAGE_NAME_AT, IMAGE_OF_STRING, is_new);
	image__refer(image, IMAGE_OF_STRING, IMAGE_VALUE_AT, IMAGE_OF_BYTES, is_new);
	image__make_name(image, is_new);
	image->object_at = image__address(&image->objects[IMAGE_OF_THREAD]);
	image->thread.object = image__address(&image->object_at);
}

static inline void image__make(struct image *image, bool is_new)
{
	memset(image, 0, sizeof(*image));
	image__tell_tables(image);
	image__tell_threads(image);
	image__tell_heaps(image);
	image__tell_collections(image, is_new);
	image__tell_code(image, is_new);
	image__tell_methods(image);
	image__tell_objects(image, is_new);
	image__make_methods(image);
	image__make_code(image, is_new);
	image__make_stack(image);
	image__make_thread(image);
	image__make_objects(image, is_new);
}

/* The addresses of the variables. */
static inline void image__exports(const struct image *image, uint64_t exports[JVM_EXPORTS])
{
	for (int i = 0; i < JVM_EXPORTS; i++)
		exports[i] = image__address(&image->variables[i]);
}

#endif
