/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The classes of an hprof file: what stands in an instance, where, and what it is called.
 *
 *	bytes of an instance   | its class's fields | those of the class above | ... |
 *	places                   those of the uppermost class come first
 *
 * A class's plan is made when all classes above it are known, mostly all at once. Its size is known
 * in the end only: to the sum of its fields come gaps and fields that the JVM hides, and these the
 * distances of its instances to the next object tell (hprof_sizes.h).
 *
 * A file may have any number of classes, each above the next. So a plan has what is of the class
 * itself, and leads to those above that have references at all: an instance takes no more steps
 * than it has references, and nothing here takes more than all classes and instances together.
 */
#ifndef STREAM_HPROF_CLASSES_H
#define STREAM_HPROF_CLASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "event.h"
#include "hprof_format.h"
#include "hprof_ids.h"
#include "hprof_names.h"
#include "hprof_sizes.h"
#include "source.h"

/* Classes of arrays of primitive types have no id; these are their numbers. */
#define HPROF_PRIMITIVE_CLASS(type) (UINT64_MAX - 16 + (type))
#define HPROF_CLASS_OF_CLASSES (UINT64_MAX - 17) /* where there is no java.lang.Class */

struct hprof_field {
	uint64_t name;
	uint8_t type; /* enum hprof_type */
};

/* What a class itself refers to, beside its statics, which follow. */
enum hprof_class_place {
	HPROF_AT_SUPER,
	HPROF_AT_LOADER,
	HPROF_AT_SIGNERS,
	HPROF_AT_DOMAIN,
	HPROF_AT_STATICS
};

struct hprof_class {
	uint64_t id, super;
	uint64_t name; /* id of it; 0: not told */
	uint64_t to[HPROF_AT_STATICS];
	uint32_t serial;
	uint32_t stated; /* size */
	bool is_dumped;
	bool is_hidden;	   /* no loader has it: its instances alone keep it alive */
	uint64_t static_bytes, static_references; /* of its object: values, and references */
	size_t statics, statics_count; /* in classes.statics: those that are references */
	size_t fields, fields_count;   /* in classes.fields */

	/*
	 * The number of a class above it, as far up as is known, or of itself; by way of which
	 * others lead there, too.
	 */
	uint32_t top;

	/* The plan. */
	bool is_planned;
	size_t offsets, own;  /* in classes.offsets: its own references, from its values on */
	uint64_t references;  /* of an instance */
	uint64_t bytes;	      /* of an instance's values, and ... */
	uint64_t own_bytes;   /* ... of those that are its own, which come first */
	uint32_t above;	      /* number of the nearest class above with references of its own */
	uint64_t above_bytes; /* from its values to those of that one */
	uint64_t referent;    /* place of it; UINT64_MAX: it is no java.lang.ref.Reference */
	uint32_t strength;    /* enum gctrace_reference_flags of that one */
	bool is_loader; /* of the JVM's own loaders, whose classes are never unloaded */
	bool is_filled; /* there is an instance with bytes for all fields: they get names */

	/* Distances of its instances to what follows them. */
	uint64_t nearest, nearest_count;
	uint32_t witness; /* number of the nearest class above that tells what it hides */
};

struct hprof_static {
	uint64_t name, to;
	uint32_t place;
};

struct hprof_references VEC_OF(struct reference);

struct hprof_classes {
	struct hprof_names *names;
	uint32_t id_bytes;
	VEC(struct hprof_class) of;
	struct hprof_ids ids;
	struct hprof_ids serials;
	VEC(struct hprof_field) fields;
	VEC(struct hprof_static) statics;
	VEC(uint32_t) offsets;
	VEC(uint32_t) chain;   /* of the class that is being planned */
	VEC(uint32_t) planned; /* those above come before those below */
	struct hprof_ids loaders; /* instances of is_loader */
	uint64_t meta; /* after settling: the id of java.lang.Class, or HPROF_CLASS_OF_CLASSES */
	uint64_t unnamed; /* classes whose fields have names that are too long in all */
};

void hprof_classes__free(struct hprof_classes *classes);

/* The class of this id, new if need be; HPROF_NO_NUMBER: no memory. */
uint32_t hprof_classes__make(struct hprof_classes *classes, uint64_t id);
/* HPROF_NO_NUMBER: there is none. */
uint32_t hprof_classes__find(const struct hprof_classes *classes, uint64_t id);

/* The id of a class by its name with slashes; 0: none. */
uint64_t hprof_classes__named(const struct hprof_classes *classes, const char *name);

/* Make the plan. 1; 0: some class above is not known yet; or -ENOMEM. */
int hprof_classes__plan(struct hprof_classes *classes, uint32_t number);

/* All instances have been seen: plan what is left, and find out what sizes need. 0 or -ENOMEM. */
int hprof_classes__settle(struct hprof_classes *classes, const struct hprof_sizes *sizes);

/* After that: bytes of an instance. */
uint64_t hprof_classes__size(const struct hprof_classes *classes, const struct hprof_sizes *sizes,
			     const struct hprof_class *class_);

/* Is that what it may be, and not what it is? */
bool hprof_classes__is_estimate(const struct hprof_classes *classes,
				const struct hprof_sizes *sizes, const struct hprof_class *class_);

/* Tell all of them by EVENT_CLASS, and what their statics are called. As a sink answers. */
int hprof_classes__tell(struct hprof_classes *classes, const struct hprof_sizes *sizes,
			const struct event_sink *sink);

/*
 * Will it never be unloaded? Then its statics are roots, else what its object refers to. All
 * instances must have been seen.
 */
bool hprof_classes__is_lasting(const struct hprof_classes *classes,
			       const struct hprof_class *class_);

/* Tell the statics that are roots. As a sink answers. */
int hprof_classes__tell_roots(const struct hprof_classes *classes, const struct event_sink *sink);

/* Tell the objects that classes are, by EVENT_HEADS or EVENT_OBJECT. The same. */
int hprof_classes__tell_objects(struct hprof_classes *classes, const struct hprof_sizes *sizes,
				bool heads, const struct event_sink *sink);

#endif
