/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What gctrace and its library for HotSpot have agreed on: gctrace names the file when it asks a
 * JVM to load it (-agentpath:, or the attach protocol's `load`), and reads back what Agent_OnAttach
 * answers, which the JVM hands on as "return code: N".
 */
#ifndef GCTRACE_HOTSPOT_CONTRACT_H
#define GCTRACE_HOTSPOT_CONTRACT_H

/*
 * The file, beside gctrace or in the installed library folder. Its options, with commas between:
 *
 *   sample=BYTES   take one allocation in so many bytes, in the mean (524288; 0: all of them; less
 *                  than 2 GiB), while the probe object__alloc is listened to
 *   tags           name objects by tags even where their addresses could be found; gctrace does not
 *                  give it
 *
 * A library that is at work already takes `sample` again, and tells all samples once more.
 */
#define GCTRACE_HOTSPOT_LIBRARY "libgctrace-hotspot.so"

/*
 * What the library answers, beside 0; the JVM's own codes are negative or below 10.
 *
 *   ALREADY_THERE   the library is loaded and at work in this process: attach to its probes
 *   TOO_OLD         the JVM has no JVMTI of Java 11, or is of another make with none of it
 *   NO_MEMORY       not even a buffer or a thread could be had
 *   TOO_EARLY       the JVM is starting and lets no agent in yet: ask again
 */
#define GCTRACE_HOTSPOT_ALREADY_THERE 4001
#define GCTRACE_HOTSPOT_TOO_OLD 4002
#define GCTRACE_HOTSPOT_NO_MEMORY 4003
#define GCTRACE_HOTSPOT_TOO_EARLY 4004

#endif
