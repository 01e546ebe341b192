/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What happens to objects that are not strongly reachable: weak references and handles are
 * cleared, dependent handles decide, finalizable objects get a last life in a queue.
 */
#ifndef MINIVM_WEAK_H
#define MINIVM_WEAK_H

#include "trace.h"

/* Objects to look at after each trace; those before `settled` only when old objects can die. */
struct watch {
	struct list list;
	size_t settled;
};

extern struct watch weak_references, finalizables;

/* Found dead, alive again until their finalizer has run. Roots. */
extern struct finalizer_queue {
	struct list list;
	size_t next; /* the first that still waits */
} finalizer_queue;

/* In a stopped world: takes over what the mutators made. */
void weak__gather(void);

/* What weak__process() asks of the tracer. */
struct weak_tracer {
	enum trace_mode mode;
	bool (*is_alive)(const struct weak_tracer *tracer, struct object *o);
	/* Makes *slot alive, with all that it refers to, and right. */
	void (*keep)(const struct weak_tracer *tracer, struct object **slot);
	void *context;
};

/* After the trace, by one thread. */
void weak__process(const struct weak_tracer *tracer);

void weak__each_word(void (*see)(void *context, struct object **slot), void *context);

/* By the thread that runs finalizers: the next object, or NULL. */
struct object *finalizer_queue__take(void);

#endif
