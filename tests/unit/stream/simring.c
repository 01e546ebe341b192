/* SPDX-License-Identifier: BSD-2-Clause */
#include "simring.h"

#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>

void simring__init(struct simring *simring, size_t bytes)
{
	memset(simring, 0, sizeof(*simring));
	pthread_mutex_init(&simring->lock, NULL);
	simring->data = aligned_alloc(8, bytes);
	simring->bytes = bytes;
	memset(simring->data, 0xee, bytes);
	ring__over(&simring->ring, &simring->consumer, &simring->producer, simring->data, bytes);
}

void simring__destroy(struct simring *simring)
{
	ring__close(&simring->ring);
	free(simring->data);
	pthread_mutex_destroy(&simring->lock);
}

void simring__start_at(struct simring *simring, uint64_t position)
{
	simring->consumer = simring->producer = position;
}

static uint32_t *head_of(struct simring *simring, uint64_t position)
{
	return (uint32_t *)(void *)(simring->data + (position & (simring->bytes - 1)));
}

uint64_t simring__reserve(struct simring *simring, uint32_t bytes)
{
	uint64_t whole = ((uint64_t)bytes + BPF_RINGBUF_HDR_SZ + 7) & ~UINT64_C(7), position;

	pthread_mutex_lock(&simring->lock);
	position = simring->producer;
	if (position + whole - __atomic_load_n(&simring->consumer, __ATOMIC_ACQUIRE) >
	    simring->bytes - 1) {
		pthread_mutex_unlock(&simring->lock);
		return SIMRING_FULL;
	}
	__atomic_store_n(head_of(simring, position), bytes | BPF_RINGBUF_BUSY_BIT,
			 __ATOMIC_RELAXED);
	__atomic_store_n(&simring->producer, position + whole, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&simring->lock);
	return position;
}

void simring__write(struct simring *simring, uint64_t position, const void *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		simring->data[(position + BPF_RINGBUF_HDR_SZ + i) & (simring->bytes - 1)] =
			((const uint8_t *)bytes)[i];
}

static void finish(struct simring *simring, uint64_t position, uint32_t bit)
{
	uint32_t *head = head_of(simring, position);
	uint32_t bytes = *head & ~BPF_RINGBUF_BUSY_BIT;

	__atomic_store_n(head, bytes | bit, __ATOMIC_RELEASE);
}

void simring__commit(struct simring *simring, uint64_t position)
{
	finish(simring, position, 0);
}

void simring__discard(struct simring *simring, uint64_t position)
{
	finish(simring, position, BPF_RINGBUF_DISCARD_BIT);
}

bool simring__put(struct simring *simring, const struct record *record)
{
	uint64_t position = simring__reserve(simring, record->bytes);

	if (position == SIMRING_FULL)
		return false;
	simring__write(simring, position, record, record->bytes);
	simring__commit(simring, position);
	return true;
}
