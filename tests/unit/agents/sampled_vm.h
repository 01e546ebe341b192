/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A JVM as far as its sampled allocations are looked at: objects that move and die when it
 * collects, weak handles with a word each, classes that bear tags, stacks of methods with lines.
 * Beside the agent's answer stands the truth: who lives, where, of which class, made by which line.
 *
 * Each object has a size that no other one has, by which it is known wherever it is told.
 */
#ifndef UNIT_SAMPLED_VM_H
#define UNIT_SAMPLED_VM_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#define SAMPLED_OBJECTS (1u << 17) /* ever */
#define SAMPLED_CLASSES 6
#define SAMPLED_SITES 40
#define SAMPLED_DEEP (SAMPLED_SITES - 1) /* its stack is deeper than anybody tells */
#define SAMPLED_INTERVAL 524288u /* of a JVM that nobody has asked for another */
#define SAMPLED_OLD UINT64_C(0x80000000)  /* from there on objects are old */

struct sampled_object {
	uint64_t address; /* 0: it is dead */
	uint64_t size;
	uint64_t gc; /* collections before it; ~0: there was one just then */
	unsigned class_, site;
	unsigned edition; /* of the site's class, when it was made */
	uint32_t interval; /* by which its thread's distance was drawn, if it was sampled */
	bool is_held; /* by the thread that makes it */
};

struct sampled_vm {
	struct sampled_object objects[SAMPLED_OBJECTS];
	uint32_t count; /* of objects, those that died included */
	uint64_t collections;
	uint32_t handles, most_handles; /* weak ones: now, and at most at once */
	unsigned environments, attached, wrong_calls;
	bool is_taken;	      /* another agent has the sampler */
	bool has_no_handles;  /* no memory for them */
	bool has_no_signatures; /* nor for those */
	bool is_concurrent;   /* pauses say nothing of what moves */
	uint32_t interval;    /* as asked for */
	unsigned looked_at;   /* handles that were brought up to date */
};

extern struct sampled_vm sampled_vm;

void sampled_vm__begin(void);

jvmtiEnv *sampled_vm__environment(void);
JNIEnv *sampled_vm__jni(void);

/* The calling thread was made just now. Else it was there before anybody asked for samples. */
void sampled_vm__begin_thread(void);

/* The object's index. Any thread. It is told to whoever is told of samples. */
uint32_t sampled_vm__allocate(unsigned class_, unsigned site);

/* A pause in which some die and others move, percent of each. In the meantime no other is made. */
void sampled_vm__collect(uint64_t *seed, unsigned dying, unsigned moving);

/* Its class was unloaded, and another of the same name is there now. */
void sampled_vm__load_again(unsigned class_);

/* The class of its method gets other lines: not of site 0, which is in all stacks. */
void sampled_vm__redefine(unsigned site);
/* It is unloaded, and another one with the same lines is there now. */
void sampled_vm__unload(unsigned site);
/* There is another one beside it from now on. Any thread. */
void sampled_vm__load_beside(unsigned site);

/* What gctrace is to show of them; valid until the next call. */
const char *sampled_vm__class_name(unsigned class_);
const char *sampled_vm__stack(unsigned site, unsigned edition);

uint32_t sampled_vm__living(void);
/* By its size; NULL: there never was one. */
const struct sampled_object *sampled_vm__object(uint64_t size);

#endif
