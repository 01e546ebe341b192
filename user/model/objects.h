/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The live objects of one target, by address.
 *
 *	address     ... | 64 KiB | 64 KiB | ...           chunks: only where there are objects
 *	                    |
 *	                    v
 *	chunk.items     [ object object object ... ]     22 bytes each, in the order of addresses
 *
 * Chunks keep generations apart as far as a collector does: a collection visits only the chunks of
 * what it condemned, of what it reported, and of where that went. A chunk itself takes about 150
 * bytes, so a heap of mostly small objects costs 22.1 bytes an object, and one object alone in its
 * 64 KiB costs 200.
 *
 * chunk.held counts, slot by slot, the objects whose state there is not OBJECT_UNTOUCHED, and
 * objects.held lists the chunks where that is not 0, so that the end of a collection looks at
 * nothing else.
 *
 *	objects.c          chunks by number; objects come, leave, are looked up
 *	objects_settle.c   the end of a phase
 *	chunk.c, chunk_merge.c   the same of one chunk
 *
 * Pointers to objects are valid until the next change of the table.
 */
#ifndef MODEL_OBJECTS_H
#define MODEL_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "chunk.h"

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
