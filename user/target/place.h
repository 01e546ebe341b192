/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a thread is, in the words and numbers of SampleThreadLocation (S5): its locations, its
 * accuracies, and the flags that say which fields of a sample are valid.
 */
#ifndef GCTRACE_TARGET_PLACE_H
#define GCTRACE_TARGET_PLACE_H

enum place {
	PLACE_UNKNOWN = 0,
	PLACE_JIT = 1,	    /* in the program's own managed code, interpreted or compiled */
	PLACE_NATIVE = 2,   /* in native code that is none of the below */
	PLACE_GC = 3,	    /* collects */
	PLACE_COMPILER = 4, /* compiles */
	PLACE_LOADER = 5,   /* loads or links a class */
	PLACE_DEBUGGER = 6,
	PLACE_SECURITY = 7, /* no runtime of today has it: never claimed */
	PLACE_PROFILER = 8,
	PLACE_BLOCKING = 9, /* waits: for a lock, for input, for time */
	PLACES
};

enum accuracy {
	ACCURACY_NONE = 0,   /* there is no sample, or not of this field */
	ACCURACY_POOR = 1,   /* a guess */
	ACCURACY_EXACT = 100 /* it was so at the sample's time */
};

enum sample_flag {
	SAMPLE_STACK_ID = 0x1,
	SAMPLE_METHOD_ID = 0x2,
	SAMPLE_LOCATION = 0x4,
	SAMPLE_GENERATED_CODE = 0x8, /* it was in a stub of the runtime's; ip is its caller's */
	SAMPLE_PC = 0x10,	     /* pc_offset: of a bytecode, in interpreted methods */
	SAMPLE_FIELDS = 0x17,	     /* those that can be asked for */
};

/* "JIT", "BLOCKING", …; for a number that is none, "UNKNOWN". */
const char *place__name(enum place place);

/* "NONE", "POOR", "EXACT". */
const char *accuracy__name(enum accuracy accuracy);

#endif
