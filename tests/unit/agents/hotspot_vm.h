/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A JVM as far as the agent for HotSpot looks at it: classes with fields, objects that refer to
 * each other, roots, one thread. Its walk is that of HotSpot: roots first, then each object's
 * references in a row, by callbacks whose tags stand beside the objects.
 *
 * A handle is the address of an object's structure, whose first member is what the agent takes for
 * the object's address.
 */
#ifndef UNIT_HOTSPOT_VM_H
#define UNIT_HOTSPOT_VM_H

#include <jvmti.h>
#include <stdbool.h>
#include <stdint.h>

#define FAKE_REFS 8

struct fake_class;

struct fake_reference {
	jvmtiHeapReferenceKind kind;
	jint index;
	struct fake_object *to;
};

struct fake_object {
	uint64_t address;
	struct fake_class *class_;
	uint64_t size;
	jint length; /* of an array; -1: it is none */
	struct fake_reference refs[FAKE_REFS];
	unsigned ref_count;
	uint32_t elements; /* that all refer to refs[0].to, in place of refs */
	jlong tag;
	bool is_visited;
	struct fake_class *mirrors;	/* of a class object */
	struct fake_object *fields[4]; /* of a class object: of the fields of java.lang.Class */
	unsigned locals, globals;	/* handles of a class object */
};

struct fake_field {
	const char *name, *signature;
	jint modifiers;
};

struct fake_class {
	const char *signature;
	struct fake_class *super;
	struct fake_class *interfaces[4];
	struct fake_field fields[4];
	struct fake_object *loader;
	bool is_late;	  /* loaded when classes have been asked for: that is told, but of arrays */
	bool is_fleeting; /* unloaded behind the walk, unless there is a handle */
	bool is_gone;
	struct fake_class *element; /* of an array's class, where it matters */
	struct fake_object mirror;
};

struct fake_root {
	jvmtiHeapReferenceKind kind;
	struct fake_object *to;
	jlong thread; /* 0: that of "main" */
	jint depth, slot;
	jmethodID method;
};

struct fake_vm {
	struct fake_class *classes[32];
	struct fake_object *objects[32]; /* beside class objects */
	struct fake_root roots[16];
	unsigned class_count, object_count, root_count;
	jint version; /* 17 */
	bool has_no_memory;	  /* for strings */
	bool is_starting;	  /* and has no JVMTI for agents */
	bool moves_behind;	  /* each walk all objects are elsewhere */
	bool is_scrambled;	  /* objects do not stand beside their tags */
	bool is_referrer_wrong;	  /* nor the referrers beside theirs, but something else does */
	void (*at_reference)(void); /* called at each, if it is set */
	struct fake_object *own; /* the calling thread; NULL: it is not known */
	unsigned environments, attached, frames; /* there are now */
	unsigned walks;
};

extern struct fake_vm fake_vm;
extern struct fake_class fake_java_class, fake_object_class, fake_string, fake_thread_class;
extern struct fake_object fake_thread;
extern JavaVM *fake_java;

/* A JVM with java.lang.Object, Class, String and Thread, and a thread "main". */
void fake_vm__begin(void);
void fake_vm__class(struct fake_class *class_);
void fake_vm__object(struct fake_object *object);
void fake_vm__root(struct fake_root root);

/* It is loaded now, which is told to whom it ever was to be: also where that is over by now. */
void fake_vm__load(struct fake_class *class_);

#endif
