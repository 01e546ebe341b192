/* SPDX-License-Identifier: BSD-2-Clause */
#include "histogram.h"

#include <errno.h>
#include <stdlib.h>

/*
 * Block 0 holds the values below 1,024, block n those from 2^(n + 9) to 2^(n + 10) - 1, each in
 * 1,024 buckets that are 2^(n - 1) wide (in block 0: 1).
 */
#define BUCKETS 1024
#define BUCKETS_LOG 10
#define BLOCKS (64 - BUCKETS_LOG + 1)

struct histogram {
	uint64_t count, sum, min, max;
	uint64_t *list; /* the values, while they are few; NULL afterwards */
	bool sorted;
	uint64_t *blocks[BLOCKS];
};

struct histogram *histogram__new(void)
{
	struct histogram *histogram = calloc(1, sizeof(*histogram));

	if (!histogram)
		return NULL;
	histogram->list = malloc(HISTOGRAM_EXACT * sizeof(*histogram->list));
	if (!histogram->list) {
		free(histogram);
		return NULL;
	}
	return histogram;
}

void histogram__free(struct histogram *histogram)
{
	if (!histogram)
		return;
	for (size_t i = 0; i < BLOCKS; i++)
		free(histogram->blocks[i]);
	free(histogram->list);
	free(histogram);
}

static unsigned int block_of(uint64_t value)
{
	if (value < BUCKETS)
		return 0;
	return 63 - (unsigned int)__builtin_clzll(value) - BUCKETS_LOG + 1;
}

static uint64_t bucket_of(uint64_t value, unsigned int block)
{
	return block == 0 ? value : (value >> (block - 1)) - BUCKETS;
}

/* The largest value that goes into this bucket. */
static uint64_t upper_end(unsigned int block, uint64_t bucket)
{
	if (block == 0)
		return bucket;
	return ((bucket + BUCKETS + 1) << (block - 1)) - 1;
}

static int need_block(struct histogram *histogram, uint64_t value)
{
	uint64_t **block = &histogram->blocks[block_of(value)];

	if (!*block)
		*block = calloc(BUCKETS, sizeof(**block));
	return *block ? 0 : -ENOMEM;
}

static void count_in_block(struct histogram *histogram, uint64_t value)
{
	unsigned int block = block_of(value);

	histogram->blocks[block][bucket_of(value, block)]++;
}

/* From the list to buckets; first everything that may fail. */
static int leave_list(struct histogram *histogram)
{
	for (uint64_t i = 0; i < histogram->count; i++)
		if (need_block(histogram, histogram->list[i]))
			return -ENOMEM;
	for (uint64_t i = 0; i < histogram->count; i++)
		count_in_block(histogram, histogram->list[i]);
	free(histogram->list);
	histogram->list = NULL;
	return 0;
}

static int place(struct histogram *histogram, uint64_t value)
{
	int err;

	if (histogram->list && histogram->count < HISTOGRAM_EXACT) {
		histogram->list[histogram->count] = value;
		histogram->sorted = false;
		return 0;
	}
	err = need_block(histogram, value);
	if (!err && histogram->list)
		err = leave_list(histogram);
	if (!err)
		count_in_block(histogram, value);
	return err;
}

int histogram__add(struct histogram *histogram, uint64_t value)
{
	int err = place(histogram, value);

	if (err)
		return err;
	if (histogram->count == 0 || value < histogram->min)
		histogram->min = value;
	if (value > histogram->max)
		histogram->max = value;
	if (__builtin_add_overflow(histogram->sum, value, &histogram->sum))
		histogram->sum = UINT64_MAX;
	histogram->count++;
	return 0;
}

uint64_t histogram__count(const struct histogram *histogram)
{
	return histogram->count;
}

uint64_t histogram__min(const struct histogram *histogram)
{
	return histogram->min;
}

uint64_t histogram__max(const struct histogram *histogram)
{
	return histogram->max;
}

uint64_t histogram__sum(const struct histogram *histogram)
{
	return histogram->sum;
}

bool histogram__is_exact(const struct histogram *histogram)
{
	return histogram->list || histogram->max < 2 * BUCKETS;
}

static int compare(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

static uint64_t nth_of_blocks(const struct histogram *histogram, uint64_t rank)
{
	for (unsigned int block = 0; block < BLOCKS; block++) {
		if (!histogram->blocks[block])
			continue;
		for (uint64_t bucket = 0; bucket < BUCKETS; bucket++) {
			uint64_t in_it = histogram->blocks[block][bucket];

			if (rank <= in_it)
				return upper_end(block, bucket);
			rank -= in_it;
		}
	}
	return histogram->max;
}

/* The place of a quantile among the values, from 1; without an overflow. */
static uint64_t rank_of(uint64_t count, unsigned int thousandths)
{
	uint64_t rank = count / 1000 * thousandths + (count % 1000 * thousandths + 999) / 1000;

	return rank < 1 ? 1 : rank > count ? count : rank;
}

uint64_t histogram__quantile(struct histogram *histogram, unsigned int thousandths)
{
	uint64_t rank, value;

	if (histogram->count == 0)
		return 0;
	rank = rank_of(histogram->count, thousandths);
	if (!histogram->list) {
		value = nth_of_blocks(histogram, rank);
		return value < histogram->max ? value : histogram->max;
	}
	if (!histogram->sorted)
		qsort(histogram->list, histogram->count, sizeof(*histogram->list), compare);
	histogram->sorted = true;
	return histogram->list[rank - 1];
}
