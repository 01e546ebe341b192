/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Typed growable arrays.
 *
 *	VEC(struct site) sites = VEC_INIT;
 *	if (vec__push(&sites, site))
 *		return -ENOMEM;
 *	for (size_t i = 0; i < sites.count; i++)
 *		use(&sites.items[i]);
 *	vec__free(&sites);
 *
 * All zero is a valid empty array. Pointers into items are valid until the next push.
 * The array owns its memory, not what its items point to. Named types for use in
 * structs and parameters: struct pids VEC_OF(pid_t); expands to the struct's body.
 */
#ifndef GCTRACE_BASE_VEC_H
#define GCTRACE_BASE_VEC_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define VEC_OF(type)           \
	{                      \
		type *items;   \
		size_t count;  \
		size_t alloc;  \
	}
#define VEC(type) struct VEC_OF(type)
#define VEC_INIT { NULL, 0, 0 }

/* What a full array grows to. */
static inline size_t vec__wider(size_t alloc)
{
	return alloc < 4 ? 8 : alloc * 2;
}

/*
 * The new place of items with room for count + extra of them, *alloc updated; NULL when
 * memory runs out (items is then as it was). Use vec__reserve().
 */
static inline void *vec__grow(void *items, size_t count, size_t extra, size_t *alloc, size_t size)
{
	size_t need, bytes;

	if (__builtin_add_overflow(count, extra, &need))
		return NULL;
	if (need <= *alloc && items)
		return items;
	if (need < vec__wider(*alloc))
		need = vec__wider(*alloc);
	if (__builtin_mul_overflow(need, size, &bytes))
		return NULL;
	items = realloc(items, bytes);
	if (items)
		*alloc = need;
	return items;
}

/* Room for extra more items. 0 or -ENOMEM. */
#define vec__reserve(vec, extra)                                                         \
	({                                                                               \
		void *grown_ = vec__grow((vec)->items, (vec)->count, (extra),            \
					 &(vec)->alloc, sizeof(*(vec)->items));          \
		if (grown_)                                                              \
			(vec)->items = grown_;                                           \
		grown_ ? 0 : -ENOMEM;                                                    \
	})

/* Append a copy of item. 0 or -ENOMEM. */
#define vec__push(vec, ...)                                                              \
	({                                                                               \
		int pushed_ = vec__reserve((vec), 1);                                    \
		if (pushed_ == 0)                                                        \
			(vec)->items[(vec)->count++] = (__VA_ARGS__);                    \
		pushed_;                                                                 \
	})

/* Order by compare, a qsort function. */
#define vec__sort(vec, compare)                                                          \
	do {                                                                             \
		if ((vec)->count > 1)                                                    \
			qsort((vec)->items, (vec)->count, sizeof(*(vec)->items), compare); \
	} while (0)

/* Empty it, keep the memory. */
#define vec__reset(vec) ((void)((vec)->count = 0))

#define vec__free(vec)                                                                   \
	do {                                                                             \
		free((vec)->items);                                                      \
		(vec)->items = NULL;                                                     \
		(vec)->count = (vec)->alloc = 0;                                         \
	} while (0)

#endif
