/* SPDX-License-Identifier: BSD-2-Clause */
#include "mutator.h"
#include "collector.h"
#include "large.h"
#include "nursery.h"
#include "options.h"
#include "report.h"
#include "safepoint.h"
#include "samples.h"
#include "truth_sites.h"

#include <gctrace/wire.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct mutator *mutators;
unsigned mutators_count;

/* Collections after which there is no hope; other threads may take the room first. */
#define MOST_TRIES 1000

static uint64_t buffer_bytes;

void mutators__init(void)
{
	mutators_count = (unsigned)opt.threads + 2;
	mutators = calloc(mutators_count, sizeof(*mutators));
	if (!mutators)
		die("out of memory");
	for (unsigned i = 0; i < mutators_count; i++) {
		struct mutator *m = &mutators[i];
		char name[32];

		snprintf(name, sizeof(name), "worker-%u", i);
		m->index = i;
		m->id = i + 1;
		m->name = name__make(!i ? "main" : i + 1 == mutators_count ? "Finalizer" : name);
		m->random = opt.seed * 1000003 + i;
		m->until_collect = opt.collect_every;
		m->sample_random = opt.seed * 7919 + i + 1;
		m->until_sample = samples__next(m);
		m->reporter = report__of_mutator(i);
	}
	buffer_bytes = opt.nursery / (8 * opt.threads);
	buffer_bytes = buffer_bytes > 32768 ? 32768 : buffer_bytes / 8 * 8;
}

void mutator__adopt(struct mutator *m)
{
	m->tid = (uint64_t)syscall(SYS_gettid);
	safepoint__enter();
}

struct start {
	struct mutator *m;
	void (*body)(struct mutator *m);
};

static void *run(void *argument)
{
	struct start start = *(struct start *)argument;
	char name[16];

	free(argument);
	snprintf(name, sizeof(name), opt.names == NAMES_HOSTILE ? "\x1b[31m\xff%u\n" : "minivm-%u",
		 start.m->index);
	pthread_setname_np(pthread_self(), name);
	mutator__adopt(start.m);
	start.body(start.m);
	safepoint__leave();
	return NULL;
}

void mutator__start(struct mutator *m, void (*body)(struct mutator *m))
{
	struct start *start = get_memory(NULL, sizeof(*start));

	*start = (struct start){ m, body };
	if (pthread_create(&m->handle, NULL, run, start))
		die("cannot start thread %u", m->index);
}

static void close_buffer(struct mutator *m)
{
	filler__write(m->buffer.next, m->buffer.end - m->buffer.next);
	m->buffer = (struct chunk){ 0, 0 };
}

void mutators__close_buffers(void)
{
	for (unsigned i = 0; i < mutators_count; i++) {
		struct mutator *m = &mutators[i];

		close_buffer(m);
		nursery.usage.objects += m->allocated.objects;
		nursery.usage.bytes += m->allocated.bytes;
		m->allocated = (struct usage){ 0, 0 };
		list__append(&remset, &m->slots);
	}
}

struct object **mutator__push(struct mutator *m, enum method_number method, unsigned locals)
{
	struct frame *frame = &m->frames[m->depth];

	if (m->depth == MUTATOR_FRAMES || m->used + locals > MUTATOR_LOCALS)
		bug("stack overflow in thread %u", m->index);
	frame->id = m->id << 40 | ++m->frame_count;
	frame->method = method;
	frame->first = m->used;
	frame->count = locals;
	m->depth++;
	m->used += locals;
	memset(&m->locals[frame->first], 0, locals * sizeof(*m->locals));
	return &m->locals[frame->first];
}

void mutator__pop(struct mutator *m)
{
	m->used = m->frames[--m->depth].first;
}

static void refill(struct mutator *m, uint64_t bytes)
{
	close_buffer(m);
	for (unsigned tries = 0;; tries++) {
		if (tries == MOST_TRIES)
			die("eden has no room for %llu bytes beside pins: raise --nursery",
			    (unsigned long long)bytes);
		safepoint__poll();
		if (space__take(&nursery.eden, bytes, buffer_bytes > bytes ? buffer_bytes : bytes,
				&m->buffer))
			break;
		collector__collect(GCTRACE_REASON_ALLOCATION);
	}
	memset((void *)(uintptr_t)m->buffer.next, 0, m->buffer.end - m->buffer.next);
}

static uint64_t next_id(struct mutator *m)
{
	if (m->next_id == m->last_id) {
		m->next_id = heap__take_ids();
		m->last_id = m->next_id + HEAP_ID_BLOCK;
	}
	return m->next_id++;
}

static struct object *new_small(struct mutator *m, uint64_t bytes, uint64_t head)
{
	struct object *o = chunk__take(&m->buffer, bytes);

	if (!o) {
		refill(m, bytes);
		o = chunk__take(&m->buffer, bytes);
	}
	o->head = head;
	o->id = next_id(m);
	m->allocated.objects++;
	m->allocated.bytes += bytes;
	return o;
}

static void write_pattern(struct object *o, uint64_t bytes, unsigned class_)
{
	const uint64_t first = head__refs(o->head);

	if (sizeof(*o) + 8 * first + 8 <= bytes && !(classes[class_].flags & GCTRACE_CLASS_ARRAY))
		*object__plain(o, 0) = object__pattern(o->id);
}

struct object *mutator__new(struct mutator *m, unsigned class_, uint64_t length)
{
	const uint64_t bytes = shape__size(&shapes[class_], length);
	struct object *o;

	safepoint__poll();
	if (opt.collect_every && !--m->until_collect) {
		m->until_collect = opt.collect_every;
		collector__collect(GCTRACE_REASON_ALLOCATION);
	}
	if (bytes >= opt.large) {
		if (collection__is_wanted_for(bytes))
			collector__collect(GCTRACE_REASON_LARGE);
		o = large__new(bytes, head__make(class_, length), next_id(m));
	} else {
		o = new_small(m, bytes, head__make(class_, length));
	}
	write_pattern(o, bytes, class_);
	if (classes[class_].flags & GCTRACE_CLASS_FINALIZABLE)
		list__push(&m->finalizable, o);
	if (opt.truth_sites)
		truth_sites__born(m, o, bytes);
	m->until_sample -= (int64_t)bytes;
	if (m->until_sample <= 0) {
		m->until_sample = samples__next(m);
		report__sample(m, o, bytes);
	}
	return o;
}

struct object *mutator__new_weak(struct mutator *m, struct object **referent)
{
	struct object *o = mutator__new(m, CLASS_WEAK, 0);

	/* No barrier: the list of weak references knows it. */
	__atomic_store_n(&o->refs[WEAK_REFERENT], *referent, __ATOMIC_RELEASE);
	list__push(&m->weak, o);
	return o;
}

void mutator__lock(struct mutator *m, struct object *o)
{
	if (m->locks == MUTATOR_LOCKED)
		bug("thread %u holds too many monitors", m->index);
	m->locked[m->locks++] = o;
}

void mutator__unlock(struct mutator *m)
{
	m->locks--;
}

void mutator__sleep(struct mutator *m, uint64_t ns)
{
	(void)m;
	safepoint__leave();
	sleep_ns(ns);
	safepoint__enter();
}
