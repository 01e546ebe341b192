/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_referrers.h"

#include <errno.h>
#include <stdlib.h>

#include "heap_private.h"

struct heap_referrers {
	struct heap *heap;
	uint32_t *ends; /* by number: where its referrers end, and those of the next begin */
	uint32_t *of;	/* rows have less than 2^32 references: places have 31 bits */
	uint64_t count;
};

static uint32_t number_at(const struct heap *heap, uint32_t place)
{
	return rows__at(&heap->rows, place)[ROW_NUMBER];
}

/* For each reference that counts, in order: its target's number and the place of its row. */
static void each_reference(struct heap_referrers *referrers,
			   void (*take)(struct heap_referrers *, uint32_t to, uint32_t from))
{
	const struct heap *heap = referrers->heap;

	for (uint32_t p = heap__first(heap); p < heap__end(heap); p = heap__next(heap, p)) {
		const uint32_t *row = rows__at(&heap->rows, p), *at = row + ROW_REFERENCES;
		uint32_t word, to;

		if (row[ROW_NUMBER] == ROW_NONE || !(row[ROW_TYPE] & ROW_HAS_REFERENCES))
			continue;
		do {
			word = *at++;
			to = number_at(heap, word & ROW_LOW);
			if (to != ROW_NONE) /* else: to what was never told */
				take(referrers, to, p);
		} while (!(word & ROW_HIGH));
	}
}

static void count(struct heap_referrers *referrers, uint32_t to, uint32_t from)
{
	(void)from;
	referrers->ends[to]++;
	referrers->count++;
}

static void keep(struct heap_referrers *referrers, uint32_t to, uint32_t from)
{
	referrers->of[referrers->ends[to]++] = from;
}

int heap_referrers__new(struct heap *heap, struct heap_referrers **result)
{
	struct heap_referrers *referrers = calloc(1, sizeof(*referrers));
	const uint32_t rows = heap->tree.count;
	uint32_t begin = 0;

	if (!referrers)
		return -ENOMEM;
	referrers->heap = heap;
	referrers->ends = memory__get(&heap->memory, rows * UINT64_C(4));
	if (!referrers->ends)
		goto failed;
	each_reference(referrers, count);
	referrers->of = memory__get(&heap->memory, referrers->count * 4);
	if (!referrers->of)
		goto failed;
	for (uint32_t n = 0; n < rows; n++) {
		const uint32_t own = referrers->ends[n];

		referrers->ends[n] = begin;
		begin += own;
	}
	each_reference(referrers, keep);
	*result = referrers;
	return 0;
failed:
	heap_referrers__free(referrers);
	return memory__error(&heap->memory);
}

void heap_referrers__free(struct heap_referrers *referrers)
{
	struct memory *memory;

	if (!referrers)
		return;
	memory = &referrers->heap->memory;
	memory__put(memory, referrers->of, referrers->count * 4);
	memory__put(memory, referrers->ends, referrers->heap->tree.count * UINT64_C(4));
	free(referrers);
}

const uint32_t *heap_referrers__of(const struct heap_referrers *referrers, uint32_t place,
				   uint64_t *count)
{
	const uint32_t number = number_at(referrers->heap, place);
	uint32_t begin;

	*count = 0;
	if (number == ROW_NONE)
		return NULL;
	begin = number ? referrers->ends[number - 1] : 0;
	*count = referrers->ends[number] - begin;
	return referrers->of + begin;
}
