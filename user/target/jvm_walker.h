/* SPDX-License-Identifier: BSD-2-Clause */
/* The walker of HotSpot JVMs: see walker.h. 17 and later, x86-64. */
#ifndef GCTRACE_TARGET_JVM_WALKER_H
#define GCTRACE_TARGET_JVM_WALKER_H

extern const struct walker jvm_walker;

#endif
