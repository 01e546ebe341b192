/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What every file of the virtual machine may need: ends with a message, clock, growable lists of
 * pointers, random numbers.
 */
#ifndef MINIVM_BASE_H
#define MINIVM_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* "minivm: ..." on stderr, then exit status 1. For what cannot be gone on after. */
void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* The same with exit status 2: the command line is wrong. */
void refuse(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
/* The same with a core: the virtual machine found itself wrong. */
void bug(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Memory that never fails: it dies instead. */
void *get_memory(void *old, size_t bytes);
/* Address space, not memory: pages come when they are touched, as zeroes. hint may be 0. */
void *reserve(uint64_t hint, uint64_t bytes, const char *what);

static inline uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void sleep_ns(uint64_t ns);

static inline uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* A list of pointers; all zero is an empty one. */
struct list {
	void **items;
	size_t count, capacity;
};

void list__grow(struct list *list);
void list__append(struct list *to, struct list *from); /* from is empty afterwards */
void list__free(struct list *list);

static inline void list__push(struct list *list, void *item)
{
	if (list->count == list->capacity)
		list__grow(list);
	list->items[list->count++] = item;
}

/* splitmix64: one word of state, good enough to choose what a program does next. */
static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* 0 <= result < n, n up to 2^32 */
static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
	return (random_next(state) >> 32) * n >> 32;
}

#endif
