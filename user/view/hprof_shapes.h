/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the objects of each type are said in an hprof file, so that its reader gets their sizes.
 *
 * hprof has no size of an object. A reader works it out (VisualVM's heap library, ClassDump and
 * ClassDumpSegment, from the JDK's hprof on):
 *
 *	instance   what its class says an instance has: one size for all of them
 *	array      the instance size of java.lang.Object + 4 + elements x bytes of one, rounded up
 *	           to 8; a reference has 4 or 8 bytes, by the instance size of java.lang.Object
 *
 * gctrace has types whose objects differ in size, and sizes that are no multiples of 8. So:
 *
 *	HPROF_FIELDS   instances, with the fields of the type. A class for each size that its
 *	               objects have, all with the type's name: one class, mostly.
 *	HPROF_ARRAY    arrays of references: types whose elements are references, and those whose
 *	               objects differ in size and have none. The elements are as many as make the
 *	               size; the references stand at their indices, the rest are null.
 *	HPROF_BYTES    arrays of a primitive type, which a type is by its name: byte[], int[], ...
 *
 * java.lang.Object is made so large (struct hprof_model) that the arrays of this heap come out: as
 * with a JVM's 8 byte references, or with its 4 byte ones. A type whose objects do not all come out
 * is HPROF_FIELDS, where one object is not too large for that.
 */
#ifndef GCTRACE_VIEW_HPROF_SHAPES_H
#define GCTRACE_VIEW_HPROF_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include "../base/vec.h"
#include "export_fields.h"

struct heap;

enum hprof_form { HPROF_FIELDS, HPROF_ARRAY, HPROF_BYTES };

struct hprof_model {
	uint32_t object;    /* instance size of java.lang.Object */
	uint32_t reference; /* bytes of a reference in an array, as a reader then sees it */
};

/* What the objects of a type that have one size have in common: a class. */
struct hprof_size {
	uint64_t size;
	uint32_t named;	  /* fields of the type, from the first on: export_fields.h */
	uint32_t unnamed; /* further ones */
};

struct hprof_shape {
	enum hprof_form form;
	uint8_t element;   /* enum hprof_type, of HPROF_BYTES */
	bool is_used;	   /* there are objects of it */
	bool varies;	   /* in size */
	uint8_t fits;	   /* set of models in which all objects come out as arrays */
	uint32_t unnamed;  /* the most references that an object has beside those in fields */
	uint64_t size;	   /* of the first object, or as the runtime told */
	VEC(struct hprof_size) sizes; /* ascending: a class for each; one where it is an array */
	uint64_t class_id; /* of the first of them; then in steps of 8 */
	uint64_t string;   /* id of its name; those of its fields follow */
};

struct hprof_shapes {
	struct export_fields fields;
	struct hprof_shape *of;
	uint32_t count;
	const struct hprof_model *model;
	uint64_t lowest, highest; /* addresses of objects */
};

/*
 * Two or three walks over the heap. 0, -ENOMEM or -EDQUOT; hprof_shapes__free() is due in any case.
 */
int hprof_shapes__find(struct hprof_shapes *shapes, const struct heap *heap);
void hprof_shapes__free(struct hprof_shapes *shapes);

/* The most instance fields that are references, of any size. */
uint32_t hprof_shapes__fields(const struct hprof_shapes *shapes, uint32_t type);

/* The class of an object of this size, as an index in the sizes of its type; and that one's id. */
size_t hprof_shapes__class(const struct hprof_shapes *shapes, uint32_t type, uint64_t size);
uint64_t hprof_shapes__id(const struct hprof_shapes *shapes, uint32_t type, size_t index);

/* How many elements make an array of this size; `needed`: those that must be there. */
uint64_t hprof_shapes__elements(const struct hprof_shapes *shapes, uint32_t type, uint64_t size,
				uint64_t needed);

/* The size that a reader will show. */
uint64_t hprof_shapes__shown(const struct hprof_shapes *shapes, uint32_t type, uint64_t size,
			     uint64_t elements);

/*
 * Where the references of an array stand: at their indices as long as these ascend, else behind
 * the one before.
 *
 *	for (struct hprof_elements at = { 0 }; ...; ) index = hprof_elements__next(&at, place);
 */
struct hprof_elements {
	uint64_t end; /* one behind the last */
};
uint64_t hprof_elements__next(struct hprof_elements *elements, uint64_t place);

/* All references of one object: how many elements they need. */
uint64_t hprof_elements__count(const struct heap *heap, uint32_t place);

#endif
