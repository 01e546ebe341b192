/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The classes of a dump, by the numbers that we give them: a class's number is the tag of its class
 * object, so that the JVM hands it to us with every object.
 *
 * Those that are loaded are learnt before the pause (classes.h). One that is loaded meanwhile gets
 * a number then (newcomers.h) or in the pause, is TYPE_STRANGE, and is learnt when the program runs
 * again.
 *
 * PLACES. The JVM tells a field by an index that counts all fields of all interfaces first, then
 * those of the classes above, then its own, statics and numbers included. We tell the position
 * among the reference fields of an instance.
 */
#ifndef GCTRACE_HOTSPOT_TYPES_H
#define GCTRACE_HOTSPOT_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "agents/common/region.h"
#include "vm.h"

#define TYPES_NO_POSITION UINT16_MAX

enum type_kind {
	TYPE_STRANGE,  /* nothing is known of it */
	TYPE_FIELDS,   /* instances have fields */
	TYPE_ELEMENTS, /* an array of references */
	TYPE_PLAIN,    /* an array of numbers */
	TYPE_CLASS     /* java.lang.Class: instances are classes themselves */
};

struct type {
	uint64_t mirror; /* id of its class object; 0: was not met yet */
	jobject handle;	 /* of it, of the dump's thread; NULL: none */
	uint32_t name, name_bytes; /* in types.texts */
	uint32_t super;	 /* number; 0: none */
	uint32_t loader; /* number of the class of what loaded it; 0: the JVM itself */
	uint32_t interfaces, interface_count; /* numbers, in types.interfaces */
	uint32_t own, own_count;	      /* fields that it declares, in types.fields */
	uint32_t above;			      /* the JVM's index of the first of them */
	uint32_t positions, indices;	      /* by the JVM's index, in types.positions */
	uint32_t references;		      /* reference fields of an instance */
	uint32_t referent, next;	      /* positions, where strength is not 0 */
	uint32_t bytes;			      /* of an instance, of TYPE_FIELDS; 0: none was met */
	uint32_t held, held_count; /* what its class object refers to (held.h) */
	uint32_t stamp;
	uint16_t strength; /* of `referent`: enum gctrace_reference_flags */
	uint8_t kind;
	uint8_t kept_by; /* kind of root: a handle of ours, still to be met; 0: none */
	bool is_final;	   /* a reference of what awaits its finalizer */
	bool is_lasting;   /* never unloaded */
	bool is_array;
	bool is_at_work;   /* of TYPE_STRANGE: something of it was met */
};

struct field {
	uint32_t name; /* in types.texts, terminated */
	bool is_static, is_reference;
};

struct types {
	struct region of; /* struct type, by number; that of 0 stands for what has no number */
	struct region texts, fields, positions, interfaces;
	_Atomic(uint32_t) count; /* numbers 1 … count are given */
	uint32_t known;	 /* 1 … known before the pause */
	uint32_t classes; /* the number of java.lang.Class */
};

extern struct types types;

/* Once, outside of a pause. False: no address space. */
bool types__init(void);
/* Gives all memory back. */
void types__empty(void);
/* Before the first number is given. */
void types__begin(void);

/* A new number; 0: there is no room. Any thread, also in a pause. */
uint32_t types__add(void);

/* Never NULL: what has no number is TYPE_STRANGE. */
static inline struct type *types__at(uint64_t number)
{
	return (struct type *)(void *)types.of.at + (number <= types.count ? number : 0);
}

/* Where the JVM's index of a field stands; TYPES_NO_POSITION: it is none that is known. */
static inline uint32_t types__position(const struct type *type, uint32_t index)
{
	const uint16_t *positions = (const uint16_t *)(const void *)types.positions.at;

	return index < type->indices ? positions[type->positions + index] : TYPES_NO_POSITION;
}

static inline struct field *types__field(const struct type *type, uint32_t n)
{
	return (struct field *)(void *)types.fields.at + type->own + n;
}

static inline const char *types__text(uint32_t at)
{
	return (const char *)types.texts.at + at;
}

/*
 * From the top of the hierarchy down to it: its classes' numbers, which hold until the next call.
 * Returns how many; 0 where there are too many.
 */
uint32_t types__chain(const struct type *type, const struct type *chain[]);
#define TYPES_CHAIN_MOST 1024

/* All is known of it and of those above: work out positions, and how strong references are. */
void types__link(struct type *type);

/* Does the class have this name? */
bool types__is_named(const struct type *type, const char *name);

#endif
