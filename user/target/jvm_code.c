/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A segment map's byte is 255 for a free segment, 0 for the first of a piece, else how many
 * segments to go back, again and again until there is a 0. A freed piece keeps its bytes: its
 * header says that it is not in use.
 */
#include "jvm_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "jvm_layout.h"
#include "jvm_memory.h"

#define MOST_HEAPS 8
#define MOST_HOPS 65536
#define FREE_SEGMENT 255
#define MOST_FRAME ((uint64_t)1 << 20) /* bytes; methods have frames of up to some KiB */
#define MOST_BLOB ((uint64_t)1 << 30)
#define WORD 8

struct heap {
	uint64_t low, high;	/* of the committed memory */
	uint64_t map, map_high; /* of the segment map */
	uint32_t shift;
};

struct jvm_code {
	struct jvm_memory *memory;
	const struct jvm_layout *layout;
	struct heap heaps[MOST_HEAPS];
	size_t count;
	uint64_t interpreter, interpreter_end;
	uint64_t entry;
};

struct jvm_code *jvm_code__new(struct jvm_memory *memory, const struct jvm_layout *layout)
{
	struct jvm_code *code = calloc(1, sizeof(*code));

	if (!code)
		return NULL;
	code->memory = memory;
	code->layout = layout;
	return code;
}

void jvm_code__free(struct jvm_code *code)
{
	free(code);
}

static bool read_heap(const struct jvm_code *code, uint64_t address, struct heap *heap)
{
	const struct jvm_layout *layout = code->layout;
	const uint64_t memory = address + layout->heap_memory;
	const uint64_t map = address + layout->heap_segments;

	return jvm_memory__u64(code->memory, memory + layout->space_low, &heap->low) &&
	       jvm_memory__u64(code->memory, memory + layout->space_high, &heap->high) &&
	       jvm_memory__u64(code->memory, map + layout->space_low, &heap->map) &&
	       jvm_memory__u64(code->memory, map + layout->space_high, &heap->map_high) &&
	       jvm_memory__u32(code->memory, address + layout->heap_shift, &heap->shift) &&
	       heap->low < heap->high && heap->map < heap->map_high &&
	       heap->shift >= 3 && heap->shift <= 16;
}

static int read_heaps(struct jvm_code *code)
{
	const struct jvm_layout *layout = code->layout;
	uint64_t array, items, address;
	uint32_t count;

	code->count = 0;
	if (!jvm_memory__u64(code->memory, layout->code_heaps, &array) ||
	    !jvm_memory__u32(code->memory, array + layout->growable_length, &count) ||
	    !jvm_memory__u64(code->memory, array + layout->growable_items, &items) ||
	    count == 0 || count > MOST_HEAPS)
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		if (!jvm_memory__u64(code->memory, items + i * sizeof(address), &address) ||
		    !read_heap(code, address, &code->heaps[i]))
			return -EINVAL;
		code->count = i + 1;
	}
	return 0;
}

static int read_interpreter(struct jvm_code *code)
{
	const struct jvm_layout *layout = code->layout;
	uint64_t queue, buffer;
	uint32_t limit;

	if (!jvm_memory__u64(code->memory, layout->interpreter, &queue) ||
	    !jvm_memory__u64(code->memory, queue + layout->queue_buffer, &buffer) ||
	    !jvm_memory__u32(code->memory, queue + layout->queue_limit, &limit) ||
	    !jvm_code__has(code, buffer) || !limit || limit > MOST_BLOB)
		return -EINVAL;
	code->interpreter = buffer;
	code->interpreter_end = buffer + limit;
	return 0;
}

int jvm_code__refresh(struct jvm_code *code)
{
	int err = read_heaps(code);

	if (!err)
		err = read_interpreter(code);
	if (!err && !jvm_memory__u64(code->memory, code->layout->call_stub_return, &code->entry))
		err = -EINVAL;
	return err;
}

static const struct heap *heap_of(const struct jvm_code *code, uint64_t pc)
{
	for (size_t i = 0; i < code->count; i++)
		if (pc >= code->heaps[i].low && pc < code->heaps[i].high)
			return &code->heaps[i];
	return NULL;
}

bool jvm_code__has(const struct jvm_code *code, uint64_t pc)
{
	return heap_of(code, pc) != NULL;
}

bool jvm_code__is_interpreter(const struct jvm_code *code, uint64_t pc)
{
	return pc >= code->interpreter && pc < code->interpreter_end;
}

bool jvm_code__is_entry(const struct jvm_code *code, uint64_t pc)
{
	return pc && pc == code->entry;
}

/* The beginning of the piece in use that pc is in; 0: none. */
static uint64_t blob_at(const struct jvm_code *code, uint64_t pc)
{
	const struct jvm_layout *layout = code->layout;
	const struct heap *heap = heap_of(code, pc);
	uint64_t segment, block;
	uint8_t back = FREE_SEGMENT, used = 0;

	if (!heap)
		return 0;
	segment = (pc - heap->low) >> heap->shift;
	for (int hops = 0; hops < MOST_HOPS; hops++) {
		if (segment >= heap->map_high - heap->map ||
		    !jvm_memory__u8(code->memory, heap->map + segment, &back) ||
		    back == FREE_SEGMENT || back > segment)
			return 0;
		if (!back)
			break;
		segment -= back;
	}
	block = heap->low + (segment << heap->shift);
	if (back || !jvm_memory__u8(code->memory, block + layout->block_header +
				    layout->block_used, &used) || !used)
		return 0;
	return block + layout->block_size;
}

static bool read_extent(const struct jvm_code *code, struct jvm_blob *blob)
{
	const struct jvm_layout *layout = code->layout;
	struct jvm_memory *memory = code->memory;
	uint32_t size, begin, end;

	if (!jvm_memory__u32(memory, blob->address + layout->blob_size, &size))
		return false;
	blob->size = size;
	if (layout->blob_code_begin != JVM_NONE && layout->blob_code_end != JVM_NONE)
		return jvm_memory__u64(memory, blob->address + layout->blob_code_begin,
				       &blob->begin) &&
		       jvm_memory__u64(memory, blob->address + layout->blob_code_end, &blob->end);
	if (!jvm_memory__u32(memory, blob->address + layout->blob_code_offset, &begin) ||
	    !jvm_memory__u32(memory, blob->address + layout->blob_data_offset, &end))
		return false;
	blob->begin = blob->address + begin;
	blob->end = blob->address + end;
	return true;
}

static bool read_frame(const struct jvm_code *code, struct jvm_blob *blob)
{
	const struct jvm_layout *layout = code->layout;
	uint16_t complete = 0;
	uint32_t words;

	if (!jvm_memory__u32(code->memory, blob->address + layout->blob_frame_size, &words))
		return false;
	/* 16 bits of 32 until 17, all of it in 25: code before it is some bytes. */
	if (layout->compiled_frame_complete != JVM_NONE &&
	    !jvm_memory__u16(code->memory, blob->address + layout->compiled_frame_complete,
			     &complete))
		return false;
	blob->frame_size = (uint64_t)words * WORD;
	blob->complete = complete;
	return true;
}

static void read_name(const struct jvm_code *code, struct jvm_blob *blob)
{
	uint64_t name;

	if (!jvm_memory__u64(code->memory, blob->address + code->layout->blob_name, &name) ||
	    !name ||
	    (jvm_memory__text(code->memory, name, blob->name, sizeof(blob->name)) < 0 &&
	     !jvm_memory__read(code->memory, name, blob->name, sizeof(blob->name))))
		blob->name[0] = 0;
	blob->name[sizeof(blob->name) - 1] = 0;
}

/* Pieces whose frames have no size that holds: what they are called by HotSpot 17 to 25. */
static bool is_leaf(const char *name)
{
	static const char *const names[] = { "StubRoutines", "I2C/C2I adapters", "vtable chunks",
					     "MethodHandles adapters", "Interpreter",
					     "DeoptimizationBlob", "DeoptimizationStub" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return true;
	return !*name;
}

static enum jvm_code_kind kind_of(const struct jvm_code *code, struct jvm_blob *blob)
{
	const bool is_wrapper = strcmp(blob->name, "native nmethod") == 0;
	const bool has_frame = blob->frame_size >= 2 * WORD && blob->frame_size <= MOST_FRAME;

	if (!is_wrapper && strcmp(blob->name, "nmethod") != 0)
		return is_leaf(blob->name) || !has_frame ? JVM_CODE_LEAF : JVM_CODE_STUB;
	if (!jvm_memory__u64(code->memory, blob->address + code->layout->compiled_method,
			     &blob->method) || !blob->method || blob->frame_size > MOST_FRAME)
		return JVM_CODE_NONE;
	return is_wrapper ? JVM_CODE_WRAPPER : JVM_CODE_COMPILED;
}

void jvm_code__find(struct jvm_code *code, uint64_t pc, struct jvm_blob *blob)
{
	*blob = (struct jvm_blob){ .kind = JVM_CODE_NONE };
	if (jvm_code__is_interpreter(code, pc)) {
		*blob = (struct jvm_blob){ .kind = JVM_CODE_INTERPRETER, .begin = code->interpreter,
					   .end = code->interpreter_end };
		return;
	}
	blob->address = blob_at(code, pc);
	if (!blob->address || !read_extent(code, blob) || !read_frame(code, blob) ||
	    blob->size > MOST_BLOB || pc < blob->begin || pc >= blob->end ||
	    blob->begin < blob->address || blob->end - blob->address > blob->size)
		return;
	read_name(code, blob);
	blob->kind = kind_of(code, blob);
}

static bool read_handler(const struct jvm_code *code, const struct jvm_blob *blob,
			 uint64_t address_at, uint64_t offset_at, uint64_t *handler)
{
	uint32_t offset;

	if (address_at != JVM_NONE)
		return jvm_memory__u64(code->memory, blob->address + address_at, handler);
	if (offset_at == JVM_NONE ||
	    !jvm_memory__u32(code->memory, blob->address + offset_at, &offset))
		return false;
	*handler = blob->address + offset;
	return true;
}

int64_t jvm_code__original_pc(struct jvm_code *code, const struct jvm_blob *blob, uint64_t pc)
{
	const struct jvm_layout *layout = code->layout;
	uint64_t handler = 0, handler_mh = 0;
	uint32_t offset;

	if (blob->kind != JVM_CODE_COMPILED || layout->compiled_original_pc == JVM_NONE)
		return -1;
	if (!read_handler(code, blob, layout->compiled_deopt, layout->compiled_deopt_offset,
			  &handler))
		handler = 0;
	if (!read_handler(code, blob, layout->compiled_deopt_mh, layout->compiled_deopt_mh_offset,
			  &handler_mh))
		handler_mh = 0;
	if (pc != handler && pc != handler_mh)
		return -1;
	if (!jvm_memory__u32(code->memory, blob->address + layout->compiled_original_pc, &offset) ||
	    offset >= blob->frame_size)
		return -1;
	return (int64_t)offset;
}

/* x86: e8 with 32 bits of distance; ff /2 by a register, or memory with 8 or 32 bits of offset. */
bool jvm_code__is_after_call(struct jvm_code *code, uint64_t pc)
{
	unsigned char at[7];

	if (pc < sizeof(at) || !jvm_memory__read(code->memory, pc - sizeof(at), at, sizeof(at)))
		return false;
	return at[2] == 0xe8 || (at[5] == 0xff && (at[6] & 0xf8) == 0xd0) ||
	       (at[5] == 0xff && (at[6] & 0xf8) == 0x10) ||
	       (at[4] == 0xff && (at[5] & 0xf8) == 0x50) ||
	       (at[1] == 0xff && (at[2] & 0xf8) == 0x90);
}
