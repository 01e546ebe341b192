/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The JVM's code cache: which piece of generated code an address is in. It has one to three heaps
 * of segments, with a map of a byte for each segment by which the beginning of a piece is found;
 * every piece begins with a CodeBlob that tells what it is. Source: share/memory/heap.cpp,
 * share/code/{codeBlob,nmethod}.hpp.
 */
#ifndef GCTRACE_TARGET_JVM_CODE_H
#define GCTRACE_TARGET_JVM_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct jvm_code;
struct jvm_layout;
struct jvm_memory;

enum jvm_code_kind {
	JVM_CODE_NONE,	      /* no code of the JVM's making, or none that makes sense */
	JVM_CODE_INTERPRETER,
	JVM_CODE_COMPILED,    /* a method */
	JVM_CODE_WRAPPER,     /* what calls a native method */
	JVM_CODE_STUB,	      /* what returns to its caller by its frame's size */
	JVM_CODE_LEAF,	      /* hand-written routines, adapters: their frames are not known */
};

struct jvm_blob {
	enum jvm_code_kind kind;
	uint64_t address;      /* of the CodeBlob; 0 for the interpreter */
	uint64_t begin, end;   /* of its code */
	uint64_t size;	       /* of all, header included */
	uint64_t frame_size;   /* bytes, return address included; COMPILED, WRAPPER, STUB */
	uint64_t complete;     /* bytes from begin, where the frame stands */
	uint64_t method;       /* COMPILED, WRAPPER: Method* */
	char name[64];	       /* the JVM's, cut there; "" where it has none */
};

/* What is handed in outlives it. NULL: no memory. */
struct jvm_code *jvm_code__new(struct jvm_memory *memory, const struct jvm_layout *layout);
void jvm_code__free(struct jvm_code *code);

/* Read where heaps and interpreter are. 0, or -EINVAL: it makes no sense. */
int jvm_code__refresh(struct jvm_code *code);

/* In one of the heaps: it is the JVM's generated code. */
bool jvm_code__has(const struct jvm_code *code, uint64_t pc);
bool jvm_code__is_interpreter(const struct jvm_code *code, uint64_t pc);

/* Where a call from C++ into Java returns to. */
bool jvm_code__is_entry(const struct jvm_code *code, uint64_t pc);

/* What is at pc; kind is JVM_CODE_NONE where that is nothing that makes sense. */
void jvm_code__find(struct jvm_code *code, uint64_t pc, struct jvm_blob *blob);

/*
 * A frame whose code was made invalid while it ran returns to a handler; where it would have
 * returned to is then at this offset from its sp. Negative: pc is no such handler.
 */
int64_t jvm_code__original_pc(struct jvm_code *code, const struct jvm_blob *blob, uint64_t pc);

/* Is the instruction before pc a call? Of the target's machine. */
bool jvm_code__is_after_call(struct jvm_code *code, uint64_t pc);

#endif
