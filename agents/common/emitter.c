/* SPDX-License-Identifier: BSD-2-Clause */
#include "emitter.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum state {
	FREE,
	TAKEN,
	TAKEN_TO_FLUSH, /* by whoever releases it */
};

/* On a cache line of its own: threads take neighbours at the same time. */
struct slot {
	_Alignas(64) struct gctrace_writer writer; /* first: a writer is its slot */
	atomic_int state;
};

static struct {
	struct gctrace_emitter emitter;
	struct slot *slots;
	unsigned char *buffers;
	unsigned count;
	int fd;
} e = { .fd = -1 };

/* Anonymous memory with all of its pages there, NULL: none. */
static void *get_touched(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

bool emitter__init(unsigned writers)
{
	e.count = writers;
	e.buffers = get_touched((size_t)writers * GCTRACE_BATCH_BYTES);
	e.slots = get_touched(writers * sizeof(*e.slots));
	if (!e.buffers || !e.slots)
		return false;
	gctrace_emitter_init(&e.emitter);
	for (unsigned i = 0; i < writers; i++)
		gctrace_writer_init(&e.slots[i].writer, &e.emitter,
				    e.buffers + (size_t)i * GCTRACE_BATCH_BYTES);
	return true;
}

void emitter__end(void)
{
	if (e.buffers)
		munmap(e.buffers, (size_t)e.count * GCTRACE_BATCH_BYTES);
	if (e.slots)
		munmap(e.slots, e.count * sizeof(*e.slots));
	e.buffers = NULL;
	e.slots = NULL;
	e.count = 0;
}

/* A pipe that nobody reads any more must not end the program: its signal never gets there. */
static ssize_t write_some(const unsigned char *from, uint32_t bytes)
{
	sigset_t broken_pipe, before, pending;
	ssize_t n;

	sigemptyset(&broken_pipe);
	sigaddset(&broken_pipe, SIGPIPE);
	sigemptyset(&pending);
	sigpending(&pending);
	sigprocmask(SIG_BLOCK, &broken_pipe, &before);
	n = write(e.fd, from, bytes);
	if (n < 0 && errno == EPIPE && !sigismember(&pending, SIGPIPE)) {
		sigtimedwait(&broken_pipe, NULL, &(struct timespec){ 0 });
		errno = EPIPE;
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return n;
}

/* A batch that cannot be written shows as a gap in the sequence. */
static void write_batch(void *context, const void *batch, uint32_t bytes)
{
	const unsigned char *rest = batch;

	(void)context;
	while (bytes) {
		const ssize_t n = write_some(rest, bytes);

		if (n <= 0 && errno != EINTR)
			return;
		if (n > 0) {
			rest += n;
			bytes -= (uint32_t)n;
		}
	}
}

void emitter__to_descriptor(int fd)
{
	e.fd = fd;
	e.emitter.sink = fd < 0 ? NULL : write_batch;
}

bool emitter__is_heard(void)
{
	return gctrace_wants_batch() || e.emitter.sink;
}

bool emitter__has_descriptor(void)
{
	return e.emitter.sink != NULL;
}

uint64_t emitter__batches(void)
{
	return __atomic_load_n(&e.emitter.sequence, __ATOMIC_RELAXED);
}

static bool change(struct slot *slot, int from, int to)
{
	return atomic_compare_exchange_strong(&slot->state, &from, to);
}

static struct slot *take_any(bool from_behind)
{
	for (;;) {
		for (unsigned i = 0; i < e.count; i++) {
			struct slot *slot = &e.slots[from_behind ? e.count - 1 - i : i];

			if (change(slot, FREE, TAKEN))
				return slot;
		}
		sched_yield();
	}
}

bool emitter__wants_ranges(void)
{
	return gctrace_wants_moved__references() || gctrace_wants_surviving__references();
}

struct gctrace_writer *emitter__take(uint64_t gc, uint64_t pause)
{
	struct slot *slot = take_any(false);

	gctrace_writer_context(&slot->writer, gc, pause);
	return &slot->writer;
}

struct gctrace_writer *emitter__take_aside(uint64_t gc, uint64_t pause)
{
	struct slot *slot = take_any(true);

	gctrace_writer_context(&slot->writer, gc, pause);
	return &slot->writer;
}

void emitter__release(struct gctrace_writer *writer)
{
	struct slot *slot = (struct slot *)(void *)writer;

	if (change(slot, TAKEN, FREE))
		return;
	gctrace_flush(writer);
	atomic_store(&slot->state, FREE);
}

static void flush_slot(struct slot *slot)
{
	if (change(slot, FREE, TAKEN)) {
		gctrace_flush(&slot->writer);
		emitter__release(&slot->writer);
		return;
	}
	change(slot, TAKEN, TAKEN_TO_FLUSH);
}

void emitter__flush_all(void)
{
	for (unsigned i = 0; i < e.count; i++)
		flush_slot(&e.slots[i]);
}
