/* SPDX-License-Identifier: BSD-2-Clause */
#include "dump_ring.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "../attach/session.h"
#include "../base/clock.h"
#include "../base/report.h"
#include "../stream/merge.h"

#define POLL_NS (20 * NS_PER_MS)

/* The slot that is the dump's: it is there from session__dump_begin() on. */
static int find_slot(struct session *session, struct session_ring *slot)
{
	for (size_t i = 0; i < session__ring_count(session); i++) {
		if (session__ring(session, i, slot) == 0 && slot->dump)
			return (int)i;
	}
	return -ENOENT;
}

static int add_to_merge(struct dump_ring *ring)
{
	struct session_ring slot;
	int number = find_slot(ring->session, &slot), fd, err;

	if (number < 0)
		return number;
	fd = fcntl(slot.fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	err = ring__open(&ring->ring, fd, slot.bytes);
	if (err) {
		close(fd);
		return err;
	}
	ring->number = (unsigned int)number;
	err = merge__add_ring(ring->merge, &ring->ring, ring->number);
	if (err) {
		ring__close(&ring->ring);
		close(fd);
	}
	return err;
}

int dump_ring__open(struct dump_ring *ring, struct session *session, struct target *target,
		    struct merge *merge, const struct dump_ring_watch *watch)
{
	int err;

	if (ring->state != DUMP_RING_NONE)
		return -EBUSY;
	ring->session = session;
	ring->merge = merge;
	ring->watch = *watch;
	err = session__dump_begin(session, target);
	if (err)
		return err;
	err = add_to_merge(ring);
	if (err) {
		session__dump_end(session);
		session__dump_release(session);
		return error_errno(err, "the dump's ring cannot be read");
	}
	ring->state = DUMP_RING_OPEN;
	return 0;
}

void dump_ring__leave(struct dump_ring *ring)
{
	if (ring->state == DUMP_RING_OPEN)
		session__dump_end(ring->session);
}

void dump_ring__close(struct dump_ring *ring)
{
	if (ring->state != DUMP_RING_OPEN)
		return;
	session__dump_release(ring->session);
	ring->state = DUMP_RING_CLOSING;
}

static void forget(struct dump_ring *ring)
{
	int fd = ring->ring.fd;

	ring__close(&ring->ring);
	close(fd);
	ring->state = DUMP_RING_NONE;
}

/*
 * A whole ring may be handed on at once, to somebody who takes his time. What the kernel tells of
 * processes meanwhile has to be taken before its own ring is full. All of it happened after what
 * is being handed on, since that round began with a look at it.
 */
static int poll_session(struct dump_ring *ring)
{
	const uint64_t now = clock__monotonic_ns();

	if (now - ring->polled_ns < POLL_NS)
		return 0;
	ring->polled_ns = now;
	return session__poll(ring->session, 0);
}

static int see(void *context, const struct record *record, unsigned int number)
{
	struct dump_ring *ring = context;
	int err;

	/* Whoever watched may be gone when a ring that is closing is read out. */
	if (number == ring->number && ring->state == DUMP_RING_OPEN)
		ring->watch.record(ring->watch.context, record->bytes, ring__used(&ring->ring),
				   ring->ring.bytes);
	err = poll_session(ring);
	return err ? err : ring->sink->record(ring->sink->ctx, record, number);
}

int dump_ring__pull(struct dump_ring *ring, struct merge *merge, uint64_t timeout_ns,
		    const struct record_sink *sink)
{
	const struct record_sink seeing = { see, ring };
	int answer;

	if (ring->state == DUMP_RING_NONE)
		return merge__pull(merge, timeout_ns, sink);
	ring->sink = sink;
	if (ring->state == DUMP_RING_OPEN)
		return merge__pull(merge, timeout_ns, &seeing);
	answer = merge__remove_ring(merge, &ring->ring, &seeing);
	if (answer == 0)
		forget(ring);
	return answer;
}

size_t dump_ring__used(const struct dump_ring *ring)
{
	return ring->state == DUMP_RING_NONE ? 0 : ring__used(&ring->ring);
}

void dump_ring__free(struct dump_ring *ring)
{
	if (ring->state != DUMP_RING_NONE)
		forget(ring);
}
