/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hprof, the heap dump of a JVM: what its numbers mean. Everything is big-endian.
 *
 *	file    = text, a zero byte, u4 bytes of an id, u8 ms since 1970; record ...
 *	record  = u1 tag, u4 microseconds since then, u4 bytes, so many bytes
 *	entry   = u1 tag, what belongs to the tag: in records HEAP_DUMP and HEAP_DUMP_SEGMENT
 *
 * Format: "HPROF Agent" in the manual of demo/jvmti/hprof of the JDK (src/manual.html), what
 * HotSpot writes (heapDumper.cpp), and the further roots of Android (art/runtime/hprof/hprof.cc).
 */
#ifndef STREAM_HPROF_FORMAT_H
#define STREAM_HPROF_FORMAT_H

#include <stdint.h>

#define HPROF_TEXT "JAVA PROFILE " /* then 1.0.1 and its like */

#define HPROF_RECORD_HEAD 9u /* bytes of tag, time and length */

enum hprof_record {
	HPROF_STRING = 0x01,
	HPROF_LOAD_CLASS = 0x02,
	HPROF_STACK_FRAME = 0x04,
	HPROF_STACK_TRACE = 0x05,
	HPROF_START_THREAD = 0x0a,
	HPROF_HEAP_DUMP = 0x0c,
	HPROF_HEAP_DUMP_SEGMENT = 0x1c,
	HPROF_HEAP_DUMP_END = 0x2c
};

enum hprof_entry {
	HPROF_ROOT_UNKNOWN = 0xff,
	HPROF_ROOT_JNI_GLOBAL = 0x01,
	HPROF_ROOT_JNI_LOCAL = 0x02,
	HPROF_ROOT_JAVA_FRAME = 0x03,
	HPROF_ROOT_NATIVE_STACK = 0x04,
	HPROF_ROOT_STICKY_CLASS = 0x05,
	HPROF_ROOT_THREAD_BLOCK = 0x06,
	HPROF_ROOT_MONITOR_USED = 0x07,
	HPROF_ROOT_THREAD_OBJECT = 0x08,
	HPROF_CLASS = 0x20,
	HPROF_INSTANCE = 0x21,
	HPROF_OBJECT_ARRAY = 0x22,
	HPROF_PRIMITIVE_ARRAY = 0x23,
	/* Android's. */
	HPROF_ROOT_INTERNED_STRING = 0x89,
	HPROF_ROOT_FINALIZING = 0x8a,
	HPROF_ROOT_DEBUGGER = 0x8b,
	HPROF_ROOT_REFERENCE_CLEANUP = 0x8c,
	HPROF_ROOT_VM_INTERNAL = 0x8d,
	HPROF_ROOT_JNI_MONITOR = 0x8e,
	HPROF_UNREACHABLE = 0x90,
	HPROF_PRIMITIVE_ARRAY_NODATA = 0xc3,
	HPROF_HEAP_DUMP_INFO = 0xfe
};

enum hprof_type {
	HPROF_OBJECT = 2,
	HPROF_BOOLEAN = 4,
	HPROF_CHAR = 5,
	HPROF_FLOAT = 6,
	HPROF_DOUBLE = 7,
	HPROF_BYTE = 8,
	HPROF_SHORT = 9,
	HPROF_INT = 10,
	HPROF_LONG = 11
};
#define HPROF_TYPES 12u

/* Bytes of a value; of an object as many as an id has. 0: there is no such type. */
static inline uint32_t hprof_type__bytes(uint8_t type, uint32_t id_bytes)
{
	static const uint8_t bytes[HPROF_TYPES] = {
		[HPROF_BOOLEAN] = 1, [HPROF_CHAR] = 2,	[HPROF_FLOAT] = 4, [HPROF_DOUBLE] = 8,
		[HPROF_BYTE] = 1,    [HPROF_SHORT] = 2, [HPROF_INT] = 4,   [HPROF_LONG] = 8,
	};

	if (type == HPROF_OBJECT)
		return id_bytes;
	return type < HPROF_TYPES ? bytes[type] : 0;
}

/* The letter for it in the name of an array of them: [I. 0: there is none. */
static inline char hprof_type__letter(uint8_t type)
{
	static const char letters[HPROF_TYPES + 1] = "\0\0\0\0ZCFDBSIJ";

	return type < HPROF_TYPES ? letters[type] : 0;
}

/* "int"; NULL: no primitive type. */
static inline const char *hprof_type__name(uint8_t type)
{
	static const char *const names[HPROF_TYPES] = {
		[HPROF_BOOLEAN] = "boolean", [HPROF_CHAR] = "char",   [HPROF_FLOAT] = "float",
		[HPROF_DOUBLE] = "double",   [HPROF_BYTE] = "byte",   [HPROF_SHORT] = "short",
		[HPROF_INT] = "int",	     [HPROF_LONG] = "long",
	};

	return type < HPROF_TYPES ? names[type] : (const char *)0;
}

#endif
