/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The rows of a heap graph: one for each object, one for each node of its roots.
 *
 * A row is known by its place, in words of 4 bytes from the beginning:
 *
 *             +0        +4       +8      +12          +16 ...
 *            +---------+--------+-------+------------+-----------------------+-------------+
 *   place -> | number  | index  | size  | type+flags | references, u32 each, | places, when|
 *            +---------+--------+-------+------------+ bit 31 on the last    | ROW_PLACED  |
 *                                                    +-----------------------+-------------+
 *
 *   number      in the dominator tree (dominator_tree.h); ROW_NONE: no root reaches it. While
 *               dominators are worked out: first who pushed it, then its depth first number
 *   index       of an object: its rank by address; of a node: see heap_roots.h
 *   size        bytes; with bit 31: which of the sizes that do not fit
 *   references  places of other rows. Nulls and weak references are not among them; place 0 is
 *               a row that stands for every object that was never told
 *   places      where in the object each reference was found, as bytes:
 *
 * PLACES. A row whose n-th reference stands at place n has none (ROW_PLACED is not set), nor has
 * one whose places are unknown. Any other has runs of {step, length}: each reference of a run
 * stands `step` behind the one before it; the first counts from -1. A step is a zigzag number,
 * doubled, plus 1 where a length (less 2) follows; both are LEB128. So an array without gaps
 * costs 2 or 3 bytes, and a reference between nulls costs one. Differences wrap around, so that
 * any number can be told. Two numbers are no places: EVENT_UNKNOWN, and PLACE_DEPENDENT for what
 * stands in the object nowhere, but in a dependent handle whose key it is.
 *
 * A row costs 16 bytes, 4 for each reference, and its places, padded to 4. Two rows are never
 * closer than 16 bytes, so place / 4 tells them apart, too.
 *
 * STARTS. Rows have no length: beside them stands a bit for each of their words, set where a row
 * begins. Whoever walks over all rows finds the next one there, without a look at this one.
 */
#ifndef MODEL_HEAP_ROWS_H
#define MODEL_HEAP_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "memory.h"

#define ROW_NONE UINT32_MAX
#define ROW_NOWHERE 0u	       /* the place of what was never told */
#define ROW_HIGH 0x80000000u
#define ROW_LOW 0x7fffffffu
#define ROW_WORDS_MOST 0x7fffffffu /* places have 31 bits: 8 GiB of rows */

enum row_word { ROW_NUMBER, ROW_INDEX, ROW_SIZE, ROW_TYPE, ROW_REFERENCES };

enum row_flags {
	ROW_HAS_REFERENCES = 1 << 31,
	ROW_PLACED = 1 << 30,
	ROW_KIND = 3 << 28, /* enum gctrace_object_bits: what places are */
	ROW_IS_NODE = 1 << 27, /* of the roots */
	ROW_UNFINISHED = 1 << 26, /* its last part never came */
	ROW_WEAK = 1 << 25, /* it has weak references too */
	ROW_FINALIZABLE = 1 << 24,
	ROW_PINNED = 1 << 23,
	ROW_PART = 1 << 22, /* while it is built: belongs to another row */
	ROW_DEAD = 1 << 21, /* nobody's */
	ROW_TYPE_MASK = (1 << 21) - 1
};
#define ROW_KIND_SHIFT 28

struct heap_rows {
	struct pile pile;
	struct pile starts;  /* u64, a bit for each word: a row begins there, or all of them end */
	struct pile large;   /* u64 sizes that have more than 31 bits */
	uint32_t count;	     /* rows, without the first */
	uint64_t references; /* in all */
	uint32_t root;	     /* place of the node that is above all */
};

static inline uint32_t *rows__at(const struct heap_rows *rows, uint32_t place)
{
	return (uint32_t *)(void *)rows->pile.at + place;
}

/* From now on rows up to this end can be begun. False: no memory, or beyond the limit. */
bool rows__reach(struct heap_rows *rows, struct memory *memory, uint64_t end);

/* A row begins at this place, or the last one ends. */
static inline void rows__begin(struct heap_rows *rows, uint64_t place)
{
	((uint64_t *)(void *)rows->starts.at)[place / 64] |= UINT64_C(1) << place % 64;
}

static inline uint64_t rows__size(const struct heap_rows *rows, const uint32_t *row)
{
	if (!(row[ROW_SIZE] & ROW_HIGH))
		return row[ROW_SIZE];
	return ((const uint64_t *)(const void *)rows->large.at)[row[ROW_SIZE] & ROW_LOW];
}

/* ---------------------------------------------------------------------------------------------
 * Places
 */

#define PLACES_RUN_MOST 20 /* bytes of a run */
#define PLACE_DEPENDENT (UINT64_MAX - 1)

/* Writes places; all that it holds back are the two numbers of the run that goes on. */
struct places_writer {
	struct pile *to;
	struct memory *memory;
	uint64_t last, step, length;
	bool plain; /* so far they are 0, 1, 2, ... */
};

static inline void places_writer__begin(struct places_writer *writer)
{
	writer->to->used = 0;
	writer->last = UINT64_MAX;
	writer->length = 0;
	writer->plain = true;
}

bool places_writer__end_run(struct places_writer *writer);

/* False: no memory, or beyond the limit. */
static inline bool places_writer__add(struct places_writer *writer, uint64_t place)
{
	const uint64_t step = place - writer->last;

	writer->last = place;
	if (writer->length && step == writer->step) {
		writer->length++;
		return true;
	}
	if (writer->length && !places_writer__end_run(writer))
		return false;
	writer->plain &= step == 1 && writer->length == 0 && writer->to->used == 0;
	writer->step = step;
	writer->length = 1;
	return true;
}

/* Reads them; at NULL: 0, 1, 2, ... */
struct places_reader {
	const uint8_t *at;
	uint64_t last, step, left;
};

static inline struct places_reader places_reader__of(const uint8_t *at)
{
	return (struct places_reader){ at, UINT64_MAX, 1, at ? 0 : UINT64_MAX };
}

void places_reader__next_run(struct places_reader *places);

static inline uint64_t places_reader__next(struct places_reader *places)
{
	if (!places->left)
		places_reader__next_run(places);
	places->left--;
	return places->last += places->step;
}

/* Over the references of a row, in order. */
struct row_cursor {
	const uint32_t *at; /* the next one; NULL: no more */
	bool known;	    /* places are */
	struct places_reader places;
	uint32_t to;	/* after row_cursor__next() */
	uint64_t place; /* EVENT_UNKNOWN where not known */
};

struct row_cursor row_cursor__of(const uint32_t *row);
bool row_cursor__next(struct row_cursor *cursor);

static inline uint32_t rows__end(const struct heap_rows *rows)
{
	return (uint32_t)(rows->pile.used / 4);
}

/* Over all rows but the first, front to back: while (row_walk__next(&walk)) ... walk.place */
struct row_walk {
	const uint64_t *starts;
	uint64_t word, bits; /* those of it that are still to come */
	uint32_t place, end;
};

static inline struct row_walk rows__walk(const struct heap_rows *rows)
{
	const uint64_t *starts = (const uint64_t *)(const void *)rows->starts.at;

	return (struct row_walk){ starts, 0, starts[0], 0, rows__end(rows) };
}

static inline bool row_walk__next(struct row_walk *walk)
{
	while (!walk->bits)
		walk->bits = walk->starts[++walk->word];
	walk->place = (uint32_t)(walk->word * 64) + (uint32_t)__builtin_ctzll(walk->bits);
	walk->bits &= walk->bits - 1;
	return walk->place < walk->end;
}

/* The place of the row behind this one; not beyond the last. */
static inline uint32_t rows__next(const struct heap_rows *rows, uint32_t place)
{
	const uint64_t *starts = (const uint64_t *)(const void *)rows->starts.at;
	uint64_t word = ++place / 64, bits = starts[word] >> place % 64 << place % 64;

	while (!bits)
		bits = starts[++word];
	return (uint32_t)(word * 64) + (uint32_t)__builtin_ctzll(bits);
}

void rows__free(struct heap_rows *rows, struct memory *memory);

#endif
