/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stacks of allocations: each different one has a number, from 1. They are told from each other by
 * all of their frames, methods and places in them. What one is told by is nothing that was told
 * before of another one.
 *
 * Where classes come and go there are ever more of them, so those are forgotten that no sample has
 * any more. By our own thread, while others go on:
 *
 *	stacks__begin_sweep(), stacks__keep() of what each sample has, stacks__end_sweep()
 *
 * What a thread has got the number of and not yet handed over with a sample, it holds; so each one
 * is held, or some sample's, or was let go of by a thread whose sample the sweep has met.
 *
 * When a class is redefined, a place in a method of it may be of another line from then on. What is
 * sampled behind that is of another EDITION: its stacks are other ones, also where they are equal
 * (which gctrace sees by what they are told as). Of one that was sampled last before, and is told
 * behind it, at most a quarter of a second, lines may be those of the new edition.
 *
 * A frame is a line of text. Of stacks that are deeper than STACKS_DEPTH the outermost frames are
 * left out, and a last line says so.
 */
#ifndef GCTRACE_HOTSPOT_STACKS_H
#define GCTRACE_HOTSPOT_STACKS_H

#include <gctrace/probes.h>

#include <stdbool.h>
#include <stdint.h>

#include "vm.h"

#define STACKS_DEPTH 256

/* Outside of a pause, once. False: no address space; what there was is to be released. */
bool stacks__init(void);
void stacks__release(void);
/* Gives all pages back. */
void stacks__empty(void);

/*
 * The calling thread's. Its number, which is held until that is let go of, behind the sample that
 * has it; 0: it has none, or there is no room for more.
 */
uint32_t stacks__of_caller(jvmtiEnv *jvmti);
void stacks__let_go(uint32_t number);

/* A class is about to be redefined. Any thread. */
void stacks__begin_edition(void);

/* What this number is told by; 0 of 0. */
uint64_t stacks__id(uint32_t number);

/* ---- By our own thread ---- */

/* Tells some of those that were not told. True: there may be more. */
bool stacks__tell(const struct visit *visit, struct gctrace_writer *writer);
/* All are to be told again. */
void stacks__tell_again(void);

uint32_t stacks__count(void);

/* Twice as many as a sweep would have left. */
bool stacks__are_many(void);
void stacks__begin_sweep(void);
void stacks__keep(uint32_t number);
void stacks__end_sweep(void);

/* Stacks and frames for which there was no room, since the last call. */
uint32_t stacks__left_out(void);

#endif
