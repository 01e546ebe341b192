/* SPDX-License-Identifier: BSD-2-Clause */
#include "samples.h"
#include "classes.h"
#include "collection.h"
#include "mutator.h"
#include "options.h"
#include "report.h"
#include "weak.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define UNTOLD 2u /* no generation */

struct sample {
	uint64_t number;
	struct object *object; /* NULL: it has died, which is to be told */
	uint64_t told_at;      /* its address */
	uint64_t gc, bytes, stack;
	uint32_t class_, generation; /* as told */
};

struct stack {
	uint64_t id;
	char *text;
	size_t bytes;
};

struct sample_list {
	struct sample *items;
	size_t count, capacity;
};

static struct sample_list following; /* in the order of their numbers */
static struct gctrace_sample *telling;
static uint64_t numbers; /* given so far; atomic */

/* New ones, and stacks that were met: with the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sample_list fresh;
static struct stack *stacks;
static size_t stack_count;

static void push(struct sample_list *list, const struct sample *sample)
{
	if (list->count == list->capacity) {
		list->capacity = list->capacity ? 2 * list->capacity : 1024;
		list->items = get_memory(list->items, list->capacity * sizeof(*list->items));
	}
	list->items[list->count++] = *sample;
}

/* ---- Stacks ---- */

/* With the lock. NULL: it was not met. */
static const struct stack *find_stack(uint64_t id)
{
	for (size_t i = 0; i < stack_count; i++) {
		if (stacks[i].id == id)
			return &stacks[i];
	}
	return NULL;
}

static void add_stack(uint64_t id, const struct mutator *m)
{
	struct stack *stack;

	stacks = get_memory(stacks, (stack_count + 1) * sizeof(*stacks));
	stack = &stacks[stack_count++];
	*stack = (struct stack){ .id = id };
	for (unsigned i = m->depth; i-- > 0;)
		stack->bytes += methods[m->frames[i].method].name.bytes + 1;
	stack->text = get_memory(NULL, stack->bytes + 1);
	stack->bytes = 0;
	for (unsigned i = m->depth; i-- > 0;) {
		const struct name *name = &methods[m->frames[i].method].name;

		memcpy(stack->text + stack->bytes, name->text, name->bytes);
		stack->bytes += name->bytes;
		stack->text[stack->bytes++] = '\n';
	}
}

uint64_t stack__of(const struct mutator *m)
{
	uint64_t id = 0;

	for (unsigned i = m->depth; i-- > 0;)
		id = (id ^ m->frames[i].method) * 0x100000001b3u + 1;
	pthread_mutex_lock(&lock);
	if (!find_stack(id))
		add_stack(id, m);
	pthread_mutex_unlock(&lock);
	return id;
}

void stack__define(struct gctrace_writer *writer, uint64_t id)
{
	const struct stack *stack;

	pthread_mutex_lock(&lock);
	stack = find_stack(id);
	gctrace_write_define(writer, GCTRACE_SPACE_STACK, id, 0, 0, stack->text, stack->bytes);
	pthread_mutex_unlock(&lock);
}

/* ---- The sampler ---- */

int64_t samples__next(struct mutator *m)
{
	const double one = ((double)(random_below(&m->sample_random, (uint64_t)1 << 32)) + 0.5) /
			   (double)((uint64_t)1 << 32);

	return opt.sample_bytes ? (int64_t)ceil(-log(one) * (double)opt.sample_bytes) : 0;
}

uint64_t samples__weight(uint64_t bytes)
{
	if (!opt.sample_bytes)
		return bytes;
	return (uint64_t)(0.5 - (double)bytes / expm1(-(double)bytes / (double)opt.sample_bytes));
}

uint64_t samples__add(struct mutator *m, const struct object *o, uint64_t bytes, uint64_t stack)
{
	const struct sample sample = {
		.number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED),
		.object = (struct object *)(uintptr_t)o,
		.told_at = (uint64_t)(uintptr_t)o,
		.gc = collections__finished(),
		.bytes = bytes,
		.stack = stack,
		.class_ = object__class(o),
		.generation = UNTOLD,
	};

	(void)m;
	pthread_mutex_lock(&lock);
	push(&fresh, &sample);
	pthread_mutex_unlock(&lock);
	return sample.number;
}

static int by_number(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

void samples__gather(bool is_wanted)
{
	qsort(fresh.items, fresh.count, sizeof(*fresh.items), by_number);
	for (size_t i = 0; i < fresh.count; i++)
		push(&following, &fresh.items[i]);
	fresh.count = 0;
	if (!is_wanted)
		following.count = 0;
}

/* ---- Collections ---- */

void samples__process(const struct weak_tracer *tracer)
{
	for (size_t i = 0; i < following.count; i++) {
		struct sample *sample = &following.items[i];

		if (!sample->object)
			continue;
		if (tracer->is_alive(tracer, sample->object))
			tracer->keep(tracer, &sample->object);
		else
			sample->object = NULL;
	}
}

void samples__each_word(void (*see)(void *context, struct object **slot), void *context)
{
	for (size_t i = 0; i < following.count; i++) {
		if (following.items[i].object)
			see(context, &following.items[i].object);
	}
}

/* ---- Telling ---- */

/* What has changed since it was told; all of it in a list. */
static bool describe(struct sample *sample, bool is_list, struct gctrace_sample *out)
{
	const uint64_t address = (uint64_t)(uintptr_t)sample->object;
	const uint32_t generation = sample->object && heap__is_young(sample->object) ? 0 : 1;

	*out = (struct gctrace_sample){ .sample = sample->number, .address = address,
					.generation = generation };
	if (!sample->object) {
		out->bits = GCTRACE_SAMPLE_DEAD;
		return true;
	}
	if (address != sample->told_at)
		out->bits |= GCTRACE_SAMPLE_MOVED;
	if (is_list || generation != sample->generation)
		out->bits |= GCTRACE_SAMPLE_GENERATION;
	if (is_list)
		out->bits |= GCTRACE_SAMPLE_ADDRESS;
	sample->told_at = address;
	sample->generation = generation;
	return out->bits;
}

static size_t describe_all(bool is_list)
{
	size_t count = 0;

	telling = get_memory(telling, (following.count + 1) * sizeof(*telling));
	for (size_t i = 0; i < following.count; i++)
		count += describe(&following.items[i], is_list, &telling[count]);
	return count;
}

static void drop_dead(void)
{
	size_t kept = 0;

	for (size_t i = 0; i < following.count; i++) {
		if (following.items[i].object)
			following.items[kept++] = following.items[i];
	}
	following.count = kept;
}

static void tell_again(struct gctrace_writer *writer)
{
	for (size_t i = 0; i < following.count; i++) {
		const struct sample *sample = &following.items[i];

		report__define_class(writer, sample->class_);
		stack__define(writer, sample->stack);
		gctrace_write_object_alloc_as(writer, (uint64_t)(uintptr_t)sample->object,
					      sample->bytes, sample->class_, sample->stack,
					      samples__weight(sample->bytes), sample->number,
					      sample->gc);
	}
}

void samples__tell(struct gctrace_writer *writer, uint64_t gc)
{
	size_t count = describe_all(false);

	gctrace_write_samples(writer, 0, gc, 0, opt.sample_bytes, 0, telling, count);
	drop_dead();
	if (gc % SAMPLES_LIST_EVERY)
		return;
	tell_again(writer);
	count = describe_all(true);
	gctrace_write_samples(writer, GCTRACE_SAMPLES_ALL, gc, 0, opt.sample_bytes, 0, telling,
			      count);
}
