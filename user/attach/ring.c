/* SPDX-License-Identifier: BSD-2-Clause */
#include "ring.h"

#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEAD_BYTES BPF_RINGBUF_HDR_SZ

/*
 * The kernel offers the pages as consumer, producer, data, data again, and lets a reader map a
 * part of them (ringbuf_map_mmap: remap_vmalloc_range checks only that the part lies inside).
 * Only the consumer page may be writable, so there are two mappings.
 */
int ring__open(struct ring *ring, int map_fd, size_t bytes)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *consumer, *producer;
	int err;

	memset(ring, 0, sizeof(*ring));
	ring->fd = -1;
	if (bytes < page || (bytes & (bytes - 1)))
		return -EINVAL;
	consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (consumer == MAP_FAILED)
		return -errno;
	producer = mmap(NULL, page + bytes, PROT_READ, MAP_SHARED, map_fd, (off_t)page);
	if (producer == MAP_FAILED) {
		err = -errno;
		munmap(consumer, page);
		return err;
	}
	/* No child of ours, helper or traced program, has a use for it. */
	madvise(consumer, page, MADV_DONTFORK);
	madvise(producer, page + bytes, MADV_DONTFORK);
	ring__over(ring, consumer, producer, (uint8_t *)producer + page, bytes);
	ring->fd = map_fd;
	ring->mapped = producer;
	ring->mapped_bytes = page + bytes;
	return 0;
}

void ring__over(struct ring *ring, uint64_t *consumer, const uint64_t *producer, const void *data,
		size_t bytes)
{
	*ring = (struct ring){
		.consumer = consumer,
		.producer = producer,
		.data = data,
		.bytes = bytes,
		.fd = -1,
	};
}

void ring__close(struct ring *ring)
{
	if (ring->mapped) {
		munmap(ring->mapped, ring->mapped_bytes);
		munmap(ring->consumer, (size_t)sysconf(_SC_PAGESIZE));
	}
	free(ring->bounce);
	memset(ring, 0, sizeof(*ring));
	ring->fd = -1;
}

uint64_t ring__consumer(const struct ring *ring)
{
	return __atomic_load_n(ring->consumer, __ATOMIC_RELAXED);
}

uint64_t ring__producer(const struct ring *ring)
{
	return __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
}

/* Heads are 8 bytes at a multiple of 8: they never go over the end. */
int ring__look(const struct ring *ring, uint64_t position, uint64_t producer,
	       struct ring_item *item)
{
	const uint8_t *at = ring->data + (position & (ring->bytes - 1));
	uint32_t head = __atomic_load_n((const uint32_t *)(const void *)at, __ATOMIC_ACQUIRE);
	uint64_t whole;

	item->position = position;
	item->bytes = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
	whole = ((uint64_t)item->bytes + HEAD_BYTES + 7) & ~(uint64_t)7;
	item->next = position + whole;
	if (position % 8 || position >= producer || whole > producer - position)
		return -EBADMSG;
	if (head & BPF_RINGBUF_BUSY_BIT)
		item->state = RING_BUSY;
	else if (head & BPF_RINGBUF_DISCARD_BIT)
		item->state = RING_DISCARDED;
	else
		item->state = RING_READY;
	return 0;
}

void ring__peek(const struct ring *ring, const struct ring_item *item, void *to, size_t bytes)
{
	size_t from = (item->position + HEAD_BYTES) & (ring->bytes - 1);
	size_t until_end = ring->bytes - from;
	size_t first = bytes < until_end ? bytes : until_end;

	memcpy(to, ring->data + from, first);
	memcpy((uint8_t *)to + first, ring->data, bytes - first);
}

const void *ring__get(struct ring *ring, const struct ring_item *item)
{
	size_t from = (item->position + HEAD_BYTES) & (ring->bytes - 1);

	if (item->bytes <= ring->bytes - from)
		return ring->data + from;
	if (ring->bounce_bytes < item->bytes) {
		void *bounce = realloc(ring->bounce, item->bytes);

		if (!bounce)
			return NULL;
		ring->bounce = bounce;
		ring->bounce_bytes = item->bytes;
	}
	ring__peek(ring, item, ring->bounce, item->bytes);
	return ring->bounce;
}

void ring__release(struct ring *ring, uint64_t position)
{
	__atomic_store_n(ring->consumer, position, __ATOMIC_RELEASE);
}

size_t ring__used(const struct ring *ring)
{
	return (size_t)(ring__producer(ring) - ring__consumer(ring));
}
