/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory by the gigabyte, counted against one limit.
 *
 * Big pieces come from the kernel and go back to it; growing moves pages, it copies nothing. Where
 * the kernel has huge pages they lie on those, also after they have grown: filled four times as
 * fast, walked at random a fifth faster. What is counted is what was asked for, touched or not, so
 * `highest` is what the limit must allow. Nothing here is safe for several threads.
 *
 * A page costs most when it is new: the kernel clears it, and under a hypervisor it may have to be
 * fetched first. So what is not needed any more can be kept for what is needed next; it counts as
 * used until the limit wants it back.
 */
#ifndef MODEL_MEMORY_H
#define MODEL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

#define MEMORY_KEPT 4u /* pieces */

struct memory {
	uint64_t limit; /* bytes; 0: none */
	uint64_t used, highest;
	bool refused; /* something would have passed the limit */
	struct kept {
		uint8_t *at;
		uint64_t bytes;
	} kept[MEMORY_KEPT];
};

/* Zeroed; for memory__put() with the same number of bytes. NULL: the limit, or no memory. */
void *memory__get(struct memory *memory, uint64_t bytes);

/* The new place of it, what is added not set to anything. NULL: it is as it was. */
void *memory__resize(struct memory *memory, void *at, uint64_t bytes, uint64_t new_bytes);

/* at may be NULL. */
void memory__put(struct memory *memory, void *at, uint64_t bytes);

/* As memory__put(), for one that others can have: memory__release() comes later. */
void memory__keep(struct memory *memory, void *at, uint64_t bytes);

/* As memory__get(), but what stands in it is not defined: of what was kept, or new. */
void *memory__take(struct memory *memory, uint64_t bytes);

/* The same, of what was kept only. */
void *memory__take_kept(struct memory *memory, uint64_t bytes);

/* What is kept and was not taken goes back. */
void memory__release(struct memory *memory);

/* Which of the two it was, after a NULL: -EDQUOT (the limit) or -ENOMEM. */
int memory__error(const struct memory *memory);

/* Count what comes from elsewhere. 0; -EDQUOT: the limit. */
int memory__count(struct memory *memory, uint64_t bytes);
void memory__uncount(struct memory *memory, uint64_t bytes);

/* vec__push(), and what the array has room for is counted. 0, -ENOMEM or -EDQUOT. */
#define memory__push(memory, vec, ...)                                                       \
	({                                                                                   \
		const uint64_t more_ = (vec)->count < (vec)->alloc ?                         \
					       0 :                                           \
					       (vec__wider((vec)->alloc) - (vec)->alloc) *   \
						       sizeof(*(vec)->items);                \
		int counted_ = more_ ? memory__count((memory), more_) : 0;                   \
		if (counted_ == 0) {                                                         \
			counted_ = vec__push((vec), __VA_ARGS__);                            \
			if (counted_)                                                        \
				memory__uncount((memory), more_);                            \
		}                                                                            \
		counted_;                                                                    \
	})

/* Of an array that grew by memory__push() alone. */
#define memory__free_vec(memory, vec)                                                        \
	do {                                                                                 \
		memory__uncount((memory), (vec)->alloc * sizeof(*(vec)->items));             \
		vec__free(vec);                                                              \
	} while (0)

/* A growing row of bytes. All zero is an empty one; pointers into it last until it grows. */
struct pile {
	uint8_t *at;
	uint64_t used, room;
};

bool pile__grow(struct pile *pile, struct memory *memory, uint64_t bytes);

/* The place of so many more bytes, or NULL. */
static inline void *pile__add(struct pile *pile, struct memory *memory, uint64_t bytes)
{
	if (bytes > pile->room - pile->used && !pile__grow(pile, memory, bytes))
		return NULL;
	pile->used += bytes;
	return pile->at + pile->used - bytes;
}

/*
 * Makes room for so many more bytes whose pages are there already, so that adding them takes no
 * longer than writing them. Without memory, or against the limit, the pile stays as it is.
 */
void pile__warm(struct pile *pile, struct memory *memory, uint64_t bytes);

/* Give back what is not used. */
void pile__trim(struct pile *pile, struct memory *memory);

/* The same, but it is kept, in one piece of at least so many bytes if the limit allows for it. */
void pile__cut(struct pile *pile, struct memory *memory, uint64_t least);

/* An empty one begins in the largest piece that was kept, if there is any. */
void pile__begin_in_kept(struct pile *pile, struct memory *memory);
void pile__free(struct pile *pile, struct memory *memory);

#endif
