/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Classes of sampled objects: each has a number, which its class object bears as a tag in the
 * sampler's environment, so a class that is unloaded and loaded again gets another one. What it is
 * told by is none of the numbers of dumps, which number all classes anew each time, and none that
 * was told before kinds were emptied.
 *
 * None is forgotten before that, also when its class is unloaded. There is room for a million, some
 * 100 bytes each, with what the JVM needs for the tag.
 */
#ifndef GCTRACE_HOTSPOT_KINDS_H
#define GCTRACE_HOTSPOT_KINDS_H

#include <gctrace/probes.h>

#include <stdbool.h>
#include <stdint.h>

#include "vm.h"

/* Outside of a pause, once. False: no address space; what there was is to be released. */
bool kinds__init(void);
void kinds__release(void);
/* Gives all pages back; the environment with the tags goes, too. */
void kinds__empty(void);

/* Any thread of the JVM's. 0: there is no room, or the JVM does not tell; that is counted. */
uint32_t kinds__of(jvmtiEnv *jvmti, jclass class_);

/* What this number is told by; 0 of 0. */
uint64_t kinds__id(uint32_t number);

/* By our own thread: tells some from `first` on, and answers the one that is to come next. */
uint32_t kinds__tell(struct gctrace_writer *writer, uint32_t first);

/* How often 0 was answered since the last call. */
uint32_t kinds__left_out(void);

#endif
