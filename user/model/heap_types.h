/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The types of a heap dump, and the names that a dump defines for numbers.
 *
 * Types are numbered 0, 1, 2, ... here; 0 is the type of objects whose class number found no room
 * among HEAP_TYPES_MOST, which is counted. A type exists from its definition or its first object
 * on, whatever comes first. A class or name that is defined twice has what was said last.
 */
#ifndef MODEL_HEAP_TYPES_H
#define MODEL_HEAP_TYPES_H

#include "hash_slots.h"
#include "memory.h"
#include "stream/event.h"

#define HEAP_TYPES_MOST ((1u << 21) - 1)
#define HEAP_TYPES_RECENT 256u /* a power of two */

struct heap_type {
	uint64_t number; /* the producer's; EVENT_UNKNOWN for type 0 */
	uint64_t super;	 /* the producer's; 0: none */
	uint64_t size;	 /* of an instance; 0: varies */
	uint32_t flags;	 /* set of enum gctrace_class_flags */
	bool defined;	 /* else only the number is known */
	struct text name;
	struct text fields; /* reference fields by position, each ended by a zero byte */
};

struct heap_types {
	struct memory *memory;
	struct pile of;	      /* struct type_entry */
	struct pile used;     /* a byte for each: there are objects of it */
	struct pile texts;
	struct pile names;    /* struct name_entry */
	struct hash_slots by_number;
	struct {
		uint64_t number;
		uint32_t index; /* 0: nothing here yet */
	} recent[HEAP_TYPES_RECENT];
	uint32_t count;
	uint64_t beyond; /* class numbers, as told, for which there was no room */
};

/* 0, -ENOMEM or -EDQUOT, as the others here. */
int heap_types__init(struct heap_types *types, struct memory *memory);
void heap_types__free(struct heap_types *types);

int heap_types__find_slow(struct heap_types *types, uint64_t number, uint32_t *index);

/* The index of a class number, which may be new. */
static inline int heap_types__find(struct heap_types *types, uint64_t number, uint32_t *index)
{
	const uint32_t at = (uint32_t)number & (HEAP_TYPES_RECENT - 1);

	*index = types->recent[at].index;
	if (*index && types->recent[at].number == number)
		return 0;
	return heap_types__find_slow(types, number, index);
}

/* An object of this type has come. */
static inline void heap_types__use(struct heap_types *types, uint32_t index)
{
	types->used.at[index] = 1;
}

/* EVENT_CLASS and EVENT_DEFINE. */
int heap_types__class(struct heap_types *types, const struct event *class_);
int heap_types__define(struct heap_types *types, const struct event *define);

/* Of an instance, as its class was told; 0: it was not, or they vary. */
uint64_t heap_types__size(const struct heap_types *types, uint32_t index);

/* Its instances are classes themselves: GCTRACE_CLASS_OF_CLASSES. */
bool heap_types__is_of_classes(const struct heap_types *types, uint32_t index);

/* All is told: names can be asked for. */
void heap_types__seal(struct heap_types *types);

/* How many types have objects but no definition. */
uint64_t heap_types__undefined(const struct heap_types *types);

/* How many types have objects whose sizes are estimates. */
uint64_t heap_types__estimated(const struct heap_types *types);

/* Texts are valid until the next definition. */
struct heap_type heap_types__at(const struct heap_types *types, uint32_t index);

/* The index of a class number, or UINT32_MAX. */
uint32_t heap_types__known(const struct heap_types *types, uint64_t number);

/*
 * The name of a number (enum gctrace_space); `a` is a part of the key for fields and statics, and
 * is not looked at for others. Empty: none was told.
 */
struct text heap_types__name(const struct heap_types *sealed, uint32_t space, uint64_t id,
			     uint64_t a);

/*
 * What a place in an object of a type is, by its kind (enum gctrace_object_bits):
 * entries[17].value. Of what is not known, nothing is said.
 */
struct heap_place {
	uint64_t element;  /* of an array; EVENT_UNKNOWN */
	struct text field; /* of the object, or of the struct that the element is; empty */
	uint64_t beyond;   /* bytes behind the field's beginning: it is a struct itself */
};
struct heap_place heap_types__place(const struct heap_types *sealed, uint32_t type,
				    unsigned int kind, uint64_t place);

#endif
