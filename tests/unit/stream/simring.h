/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A ring in memory, written as the kernel writes a BPF ring buffer: reserved under a lock, the
 * length and the busy bit first, then the producer position; committed by clearing the bit. Any
 * number of threads may write to it.
 */
#ifndef UNIT_SIMRING_H
#define UNIT_SIMRING_H

#include <pthread.h>

#include "attach/ring.h"
#include "bpf/record.h"

struct simring {
	struct ring ring; /* for the reader */
	pthread_mutex_t lock;
	uint64_t consumer, producer;
	uint8_t *data;
	size_t bytes;
};

void simring__init(struct simring *simring, size_t bytes);
void simring__destroy(struct simring *simring);

/* Positions start there instead of at 0; only before anything is reserved. */
void simring__start_at(struct simring *simring, uint64_t position);

#define SIMRING_FULL UINT64_MAX

/* The position of the new item, or SIMRING_FULL. */
uint64_t simring__reserve(struct simring *simring, uint32_t bytes);
/* Write into a reserved item, going over the end. */
void simring__write(struct simring *simring, uint64_t position, const void *bytes, size_t count);
void simring__commit(struct simring *simring, uint64_t position);
void simring__discard(struct simring *simring, uint64_t position);

/* All of that. False: full. */
bool simring__put(struct simring *simring, const struct record *record);

#endif
