/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The live objects of one target, by address.
 *
 *	address     ... | 64 KiB | 64 KiB | ...           chunks: only where there are objects
 *	                    |
 *	                    v
 *	chunk.items     [ object object object ... ]     22 bytes each, in the order of addresses
 *	chunk.arrivals  [ object object ]                moved here in this phase, in any order
 *	chunk.told      [ object object ... ]            of a heap dump that is not matched yet
 *
 * An object's address is its chunk's number and 16 bits of its own: any address will do, aligned
 * or not. Chunks keep generations apart as far as a collector does: a collection visits only the
 * chunks of what it condemned, of what it reported, and of where that went. A chunk itself takes
 * about 150 bytes, so a heap of mostly small objects costs 22.1 bytes an object, and one object
 * alone in its 64 KiB costs 200.
 *
 * WHAT IS LIMITED, AND HOW IT SHOWS
 *
 *	id      40 bits, never used twice in a target. Objects beyond are not taken: `refused`.
 *	type    24 bits, an index of types.h; the last one stands for all further types.
 *	size    32 bits; larger sizes stand in `huge`. objects__size() knows both.
 *	birth   24 bits, the collection that ended last before the object was first seen;
 *	        OBJECT_BIRTH_MOST means that or a later one.
 *	age, moves   16 bits; OBJECT_COUNT_MOST means that many or more.
 *
 * STATES. Up to OBJECT_SLOTS collections that run at the same time have a slot each, and in it
 * every object has a state (enum object_state). chunk.held counts those that have one other than
 * OBJECT_UNTOUCHED, and objects.held lists the chunks where that is not 0, so that the end of a
 * collection looks at nothing else.
 *
 * Pointers to objects are valid until the next change of the table.
 */
#ifndef MODEL_OBJECTS_H
#define MODEL_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define OBJECT_SLOTS 3
#define OBJECT_TYPE_MOST ((1u << 24) - 1)
#define OBJECT_BIRTH_MOST ((1u << 24) - 1)
#define OBJECT_COUNT_MOST UINT16_MAX
#define OBJECT_ID_MOST ((UINT64_C(1) << 40) - 1)

enum object_state {
	OBJECT_UNTOUCHED = 0, /* not condemned by it; lives, whatever it says */
	OBJECT_CONDEMNED = 1, /* dead, unless a range has it */
	OBJECT_PERHAPS = 2,   /* may have been condemned: nothing is known, unless a range has it */
	OBJECT_COVERED = 3    /* was condemned, and a range had it */
};

enum object_flags {
	OBJECT_STATES = 0x3f, /* two bits for each slot */
	OBJECT_BORN = 0x40,   /* its birth was observed: age is exact, not a lower bound */
	OBJECT_HIT = 0x80     /* something moved onto it; gone when the phase is over */
};

struct object {
	uint32_t id_low;
	uint32_t id_high : 8;
	uint32_t type : 24;
	uint32_t size; /* bytes; UINT32_MAX: see objects__size() */
	uint32_t birth : 24;
	uint32_t flags : 8; /* set of enum object_flags */
	uint16_t offset;    /* in its chunk */
	uint16_t age;	    /* collections that condemned it and that it survived, if known */
	uint16_t moves;	    /* collections' phases that moved it */
} __attribute__((packed, aligned(2)));
_Static_assert(sizeof(struct object) == 22, "22 bytes an object");

/* How an object leaves the table. */
enum object_fate {
	OBJECT_DEAD,	  /* condemned, and in no range */
	OBJECT_GONE,	  /* not in a later dump of the whole heap */
	OBJECT_WITHDRAWN, /* what was known of it is not any more: may live, may not */
	OBJECT_CONFLICT	  /* another object was found in its place */
};

#define CHUNK_SHIFT 16
#define CHUNK_BYTES (UINT64_C(1) << CHUNK_SHIFT)

struct chunk {
	uint64_t number; /* address / CHUNK_BYTES */
	struct object *items;
	struct object *arrivals;
	struct object *told;
	uint32_t count;
	uint32_t arrival_count, arrival_alloc;
	uint32_t told_count, told_alloc;
	uint32_t held[OBJECT_SLOTS];
	bool listed[OBJECT_SLOTS]; /* in objects.held */
	bool touched;		   /* in objects.touched */
	bool unsorted;		   /* the arrivals are */
	bool hit;		   /* some objects here have OBJECT_HIT */
};

struct object_huge {
	uint64_t id, size;
};

struct chunks VEC_OF(struct chunk *);

struct objects {
	struct chunks sorted; /* by number */
	struct chunks fresh;  /* made since; objects__sort() */
	struct chunk **table; /* all of them, by hash */
	size_t table_size;    /* a power of 2 */
	struct chunk *last;   /* found last */
	struct chunks touched;
	struct chunks held[OBJECT_SLOTS];
	VEC(struct object_huge) huge; /* by id */
	VEC(struct object_huge) told_huge; /* by address, of chunk.told */
	uint64_t ids;		      /* used so far; the first one is 1 */
	uint64_t count;		      /* objects in items */
	uint64_t refused;	      /* for want of an id */

	/* Called for each object that leaves, before it does. May be NULL. */
	void (*left)(void *context, const struct object *object, uint64_t address,
		     enum object_fate fate);
	void *context;
};

static inline uint64_t object__id(const struct object *object)
{
	return (uint64_t)object->id_high << 32 | object->id_low;
}

static inline enum object_state object__state(const struct object *object, unsigned int slot)
{
	return (enum object_state)(object->flags >> (2 * slot) & 3);
}

static inline void object__set_state(struct object *object, unsigned int slot,
				     enum object_state state)
{
	object->flags = (object->flags & ~(3u << (2 * slot))) | (unsigned int)state << (2 * slot);
}

static inline uint64_t chunk__address(const struct chunk *chunk, const struct object *object)
{
	return (chunk->number << CHUNK_SHIFT) + object->offset;
}

/* All zero is an empty table. Frees what it holds, not itself; objects do not leave(). */
void objects__free(struct objects *objects);

/* The chunk of a number; NULL: there is none. */
struct chunk *objects__find(struct objects *objects, uint64_t number);
/* The same, made if need be. NULL: no memory. */
struct chunk *objects__need(struct objects *objects, uint64_t number);

/* Make `sorted` whole. Without memory it lacks the fresh ones: 0 or -ENOMEM. */
int objects__sort(struct objects *objects);
/* Index in `sorted` of the first chunk with this number or a higher one, from `from` on. */
size_t objects__index(const struct objects *objects, size_t from, uint64_t number);

/* Index of the first object of a chunk at this offset or above. */
uint32_t chunk__index(const struct chunk *chunk, uint64_t offset);

/*
 * A new object, to be settled: 0, -ENOMEM. `told`: among chunk.told, without an id, else among
 * the arrivals, with a new one (counted in `refused`, and not there, when there are none left).
 */
struct object_birth {
	uint64_t address, size;
	uint32_t type, birth;
	bool born; /* its birth was observed */
	bool told;
};
int objects__add(struct objects *objects, const struct object_birth *birth);

/* Give it a new id. False: there are none left. */
bool objects__name(struct objects *objects, struct object *object, uint64_t size);

/* Room for `extra` more arrivals; guess: how many are likely to come in all. 0 or -ENOMEM. */
int chunk__reserve(struct chunk *chunk, uint32_t extra, uint32_t guess);

/* It has only its first `count` objects any more; gives memory back. */
void chunk__shrink(struct chunk *chunk, uint32_t count);

/* Remember that a chunk has arrivals or hits. 0 or -ENOMEM. */
int objects__touch(struct objects *objects, struct chunk *chunk);

/* It has (count more of) objects with a state in that slot. 0 or -ENOMEM. */
int objects__hold(struct objects *objects, struct chunk *chunk, unsigned int slot, uint32_t count);

/*
 * Take an object out of the account: it leaves by this fate. The caller removes it from where it
 * stands.
 */
void objects__leave(struct objects *objects, struct chunk *chunk, const struct object *object,
		    enum object_fate fate);

/*
 * Bring the touched chunks in order: arrivals in among the items, hits out (their fate was told).
 * Where several objects lie at one address, none of them can be told from the others: they are
 * withdrawn, and counted in *clashes. 0 or -ENOMEM.
 */
int objects__settle(struct objects *objects, uint64_t *clashes);

/* NULL: none there. */
const struct object *objects__at(struct objects *objects, uint64_t address);

uint64_t objects__huge_size(const struct objects *objects, const struct object *object);

/* In bytes. */
static inline uint64_t objects__size(const struct objects *objects, const struct object *object)
{
	return object->size < UINT32_MAX ? object->size : objects__huge_size(objects, object);
}

/* Each object by its address, until fn answers something else than 0, which is the result. */
int objects__each(struct objects *objects,
		  int (*fn)(void *context, const struct object *object, uint64_t address),
		  void *context);

/* Memory of the table, in bytes: what it has asked for, without malloc's own. */
uint64_t objects__bytes(const struct objects *objects);

/* Give back chunks without objects, if they are many. */
void objects__trim(struct objects *objects);

#endif
