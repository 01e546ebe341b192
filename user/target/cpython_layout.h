/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where CPython keeps what is read of it: the same within a minor version, different in each.
 *
 * From 3.13 on the interpreter publishes most of it at the beginning of _PyRuntime (struct
 * _Py_DebugOffsets, Include/internal/pycore_debug_offsets.h; made for this purpose); for 3.11 and
 * 3.12 it is known from their headers. Either way what is found by it is checked against what can
 * only be so (cpython_walker.c) before anything is told.
 */
#ifndef GCTRACE_TARGET_CPYTHON_LAYOUT_H
#define GCTRACE_TARGET_CPYTHON_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"

#define CPYTHON_NONE UINT32_MAX

/* No field that is read of a thread state, a frame or a code object ends beyond these. */
#define CPYTHON_THREAD_BYTES 1024
#define CPYTHON_FRAME_BYTES 256
#define CPYTHON_CODE_BYTES 512

/* Offsets in bytes. In a code object code_start is behind all the other fields. */
struct cpython_layout {
	uint32_t interpreters; /* in _PyRuntime: the first interpreter */
	uint32_t interpreter_next, threads, collecting; /* in an interpreter */
	/* The lock's address in an interpreter; NONE: the lock itself is in _PyRuntime, at: */
	uint32_t lock_pointer, lock;
	uint32_t lock_holder, lock_is_held; /* in the lock */
	/* In a thread state. c_frame: the address of what has current_frame; NONE: it has it. */
	uint32_t thread_next, thread_interpreter, thread_id, c_frame, current_frame;
	uint32_t frame_code, frame_at, frame_previous, frame_owner;
	uint32_t code_file, code_name, code_line, code_start;
	uint32_t text_length, text_state, text_ascii, text_wide; /* in a str; its characters */
};

/* Bytes of _PyRuntime that the offsets are in. */
#define CPYTHON_PUBLISHED 640

/*
 * Of a version ("3.11.2"). published: the beginning of _PyRuntime, CPYTHON_PUBLISHED bytes. 0, or
 * -ENOTSUP and the reason in why.
 */
int cpython_layout__find(const char *version, const unsigned char *published,
			 struct cpython_layout *layout, struct buf *why);

#endif
