/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thread of the program: its frames, its piece of eden, and the only ways by which the program
 * touches the heap.
 *
 * The rule of a moving collector: after anything that may allocate, a reference is only good if
 * it was kept in a frame. Functions of the load therefore keep all references in the locals that
 * mutator__push() gives them, and read them anew after each call.
 *
 *     struct object **local = mutator__push(m, METHOD_X, 2);
 *     local[0] = mutator__new(m, CLASS_STRING, 0);
 *     local[1] = mutator__new(m, CLASS_BYTES, 10);        local[0] may be elsewhere now
 *     put(m, local[0], STRING_VALUE, local[1]);
 *     mutator__pop(m);
 */
#ifndef MINIVM_MUTATOR_H
#define MINIVM_MUTATOR_H

#include <pthread.h>

#include "classes.h"
#include "remset.h"

#define MUTATOR_FRAMES 64
#define MUTATOR_LOCALS 1024
#define MUTATOR_LOCKED 4

struct frame {
	uint64_t id; /* of no other frame */
	enum method_number method;
	unsigned first, count; /* in locals[] */
};

struct mutator {
	unsigned index;
	uint64_t id; /* of the thread, from 1 */
	uint64_t tid; /* by the kernel */
	struct name name;
	struct chunk buffer; /* of eden */
	uint64_t next_id, last_id;
	uint64_t random;
	struct usage allocated; /* since the world stood still last, large ones not */
	uint64_t until_collect;
	int64_t until_sample;
	uint64_t sample_random;
	uint64_t frame_count; /* ever */
	struct list slots;	 /* for remset */
	struct list weak;	 /* WeakReferences */
	struct list finalizable;
	struct object *thread; /* its Thread */
	struct object *locked[MUTATOR_LOCKED];
	unsigned locks;
	unsigned depth, used;
	struct frame frames[MUTATOR_FRAMES];
	struct object *locals[MUTATOR_LOCALS];
	struct reporter *reporter;
	pthread_t handle;
};

extern struct mutator *mutators;
extern unsigned mutators_count;

/* Memory for all threads of the program: 0 is main, the last one runs finalizers. */
void mutators__init(void);
/* Runs body(m) in a thread of its own, as a running thread of the virtual machine. */
void mutator__start(struct mutator *m, void (*body)(struct mutator *m));
/* Makes this thread m; it is running then. */
void mutator__adopt(struct mutator *m);

/* In a stopped world: closes all buffers, so that eden can be walked, and sums up. */
void mutators__close_buffers(void);

struct object **mutator__push(struct mutator *m, enum method_number method, unsigned locals);
void mutator__pop(struct mutator *m);

/* A new object, references null; may collect. length: of arrays, else 0. */
struct object *mutator__new(struct mutator *m, unsigned class_, uint64_t length);
/* A WeakReference to what is in *referent (a local). */
struct object *mutator__new_weak(struct mutator *m, struct object **referent);

/* Holds a monitor: keeps the object alive until it is released, in the other order. */
void mutator__lock(struct mutator *m, struct object *o);
void mutator__unlock(struct mutator *m);

/* Sleeps or waits as a safe thread. */
void mutator__sleep(struct mutator *m, uint64_t ns);

static inline struct object *get(const struct object *o, uint64_t place)
{
	return __atomic_load_n(&o->refs[place], __ATOMIC_ACQUIRE);
}

static inline void put(struct mutator *m, struct object *o, uint64_t place, struct object *value)
{
	__atomic_store_n(&o->refs[place], value, __ATOMIC_RELEASE);
	if (value && !heap__is_young(o) && heap__is_young(value))
		remset__note(&m->slots, &o->refs[place]);
}

static inline uint64_t length_of(const struct object *o)
{
	return head__length(object__head(o));
}

#endif
