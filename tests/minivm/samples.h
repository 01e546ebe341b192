/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampled allocations, and (--follow-samples) what becomes of them, as a runtime's agent follows
 * its samples by weak handles. A thread takes an allocation each --sample-bytes in the mean, the
 * distances distributed exponentially, so that of objects of one size each has the same chance;
 * what collections do to them is told by their ends (SAMPLES). Who comes late gets a list of all,
 * which is told each SAMPLES_LIST_EVERY collections.
 */
#ifndef MINIVM_SAMPLES_H
#define MINIVM_SAMPLES_H

#include "object.h"

struct gctrace_writer;
struct mutator;
struct weak_tracer;

#define SAMPLES_LIST_EVERY 32

/* Methods, innermost first: each stack has a number of its own. */
uint64_t stack__of(const struct mutator *m);

/* DEFINE of it. By any thread. */
void stack__define(struct gctrace_writer *writer, uint64_t stack);

/* Bytes until the next allocation that m samples. */
int64_t samples__next(struct mutator *m);

/* Bytes that a sample of this size stands for. */
uint64_t samples__weight(uint64_t bytes);

/* m has just made it, and tells it: returns its number. */
uint64_t samples__add(struct mutator *m, const struct object *o, uint64_t bytes, uint64_t stack);

/* In a stopped world: takes over what the mutators made; forgets all when nobody listens. */
void samples__gather(bool is_wanted);

/* After a trace, by one thread: who has died, and where the others are. */
void samples__process(const struct weak_tracer *tracer);
void samples__each_word(void (*see)(void *context, struct object **slot), void *context);

/* At the end of a collection, the gc-th. */
void samples__tell(struct gctrace_writer *writer, uint64_t gc);

#endif
