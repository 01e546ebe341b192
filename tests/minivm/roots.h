/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Everything outside the heap that refers into it: thread stacks, statics, native handles, the
 * virtual machine's own. Containers and kinds are those of the probe contract (wire.h), so that
 * collector, heap dump and truth see the same roots in the same order.
 */
#ifndef MINIVM_ROOTS_H
#define MINIVM_ROOTS_H

#include "heap.h"

struct root_visitor {
	void (*container)(void *context, uint64_t type, uint64_t id1, uint64_t id2);
	void (*root)(void *context, struct object **slot, uint64_t kind, uint64_t id);
	void *context;
};

/* Roots that keep alive: in roots__tasks() pieces, which may be visited by different threads. */
unsigned roots__tasks(void);
void roots__visit(unsigned task, const struct root_visitor *visitor);

/* Weak handles, then dependent handles (container C_DEPENDENT: its id1 is the key). */
void roots__visit_weak(const struct root_visitor *visitor);
void roots__visit_dependent(const struct root_visitor *visitor);

/* Each word outside the heap that holds a reference, for what moves objects behind their backs. */
void roots__each_word(void (*see)(void *context, struct object **slot), void *context);

/* ---- Native handles ---- */

enum handle_kind {
	HANDLE_FREE,
	HANDLE_STRONG,
	HANDLE_GLOBAL,	   /* of the native interface: keeps alive as well */
	HANDLE_PINNED,	   /* keeps alive and in place */
	HANDLE_WEAK,	   /* cleared before finalizers run */
	HANDLE_WEAK_LONG,  /* cleared when the memory goes */
	HANDLE_DEPENDENT,  /* keeps `value` alive as long as `object` is */
	HANDLE_KINDS
};

struct handle {
	struct object *object, *value;
	uint32_t kind;
	uint32_t next; /* free one */
	uint64_t told; /* number of the dump that told it (dependent ones) */
};

#define HANDLE_BLOCK 1024u

void roots__init(void);
/* A new handle, never 0; 0: the object is pinned by another one already. value: or NULL. */
uint32_t handle__new(enum handle_kind kind, struct object *object, struct object *value);
void handle__free(uint32_t handle);
struct object *handle__get(uint32_t handle);
uint32_t handles__count(void);
struct handle *handle__at(uint32_t number);

/* Adds all pinned objects to a list. */
void handles__pinned(struct list *list);

/* ---- The virtual machine's own ---- */

extern struct object *internal_slots[8];
enum { INTERNAL_MIRRORS, INTERNAL_OUT_OF_MEMORY, INTERNAL_THREADS };

#endif
