/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The bytes of an hprof file or pipe, in order, a window at a time:
 *
 *	if (hprof_input__need(input, 4))
 *		value = hprof_input__u4(input);
 *
 * What was not needed before is not there to be taken. Contents that nobody wants are skipped: in a
 * file they are not even read.
 */
#ifndef STREAM_HPROF_INPUT_H
#define STREAM_HPROF_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "hprof_format.h"
#include "hprof_gzip.h"

struct hprof_input {
	int fd, stop_fd;     /* stop_fd: readable when it is to be given up; -1: none */
	bool is_file; /* one that can be passed over in part */
	struct hprof_gzip *gzip; /* what it is within; NULL */
	uint64_t file_bytes; /* of a file */
	uint8_t *data;
	size_t alloc, at, end;
	uint64_t base;	   /* where data[0] stands in the file */
	uint32_t id_bytes; /* 4 or 8 */
	bool is_over;	   /* nothing more comes */
	int err;	   /* why that is: 0, it is the end; -ECANCELED, a stop; or of a read */
};

/* The descriptor stays the caller's. 0 or -ENOMEM; hprof_input__free() is due in any case. */
int hprof_input__init(struct hprof_input *input, int fd, int stop_fd);
void hprof_input__free(struct hprof_input *input);

/* What is there, and all that comes, is within a gzip file. 0 or -ENOMEM. */
int hprof_input__inflate(struct hprof_input *input);

/* Are so many bytes there now? False: it ends before them. */
bool hprof_input__fill(struct hprof_input *input, size_t bytes);

static inline bool hprof_input__need(struct hprof_input *input, size_t bytes)
{
	return input->end - input->at >= bytes || hprof_input__fill(input, bytes);
}

/* Pass over so many. False: it ends before them. */
bool hprof_input__skip(struct hprof_input *input, uint64_t bytes);

/* How many have been taken or passed over. */
static inline uint64_t hprof_input__position(const struct hprof_input *input)
{
	return input->base + input->at;
}

/* Of what was needed, without taking it. */
static inline uint64_t hprof__number(const uint8_t *at, uint32_t bytes)
{
	uint64_t wide;
	uint32_t narrow;

	if (bytes == 8) {
		memcpy(&wide, at, sizeof(wide));
		return __builtin_bswap64(wide);
	}
	if (bytes == 4) {
		memcpy(&narrow, at, sizeof(narrow));
		return __builtin_bswap32(narrow);
	}
	return bytes == 2 ? (uint64_t)at[0] << 8 | at[1] : at[0];
}

static inline uint64_t hprof_input__number(struct hprof_input *input, uint32_t bytes)
{
	const uint64_t value = hprof__number(input->data + input->at, bytes);

	input->at += bytes;
	return value;
}

static inline uint8_t hprof_input__u1(struct hprof_input *input)
{
	return input->data[input->at++];
}

static inline uint32_t hprof_input__u4(struct hprof_input *input)
{
	return (uint32_t)hprof_input__number(input, 4);
}

static inline uint64_t hprof_input__id(struct hprof_input *input)
{
	return hprof_input__number(input, input->id_bytes);
}

#endif
