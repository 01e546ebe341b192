/* SPDX-License-Identifier: BSD-2-Clause */
#include "roots.h"
#include "classes.h"
#include "mutator.h"
#include "weak.h"

#include <gctrace/wire.h>
#include <pthread.h>

struct object *internal_slots[8];

#define BLOCKS 4096u

static struct {
	struct handle *blocks[BLOCKS];
	uint32_t count; /* ever used; 0 is none */
	uint32_t free;
	pthread_mutex_t lock;
} handles = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct handle *handle__at(uint32_t number)
{
	return &handles.blocks[number / HANDLE_BLOCK][number % HANDLE_BLOCK];
}

static uint32_t fresh_handle(void)
{
	if (handles.count / HANDLE_BLOCK == BLOCKS)
		die("no more than %u handles", BLOCKS * HANDLE_BLOCK);
	if (!handles.blocks[handles.count / HANDLE_BLOCK])
		handles.blocks[handles.count / HANDLE_BLOCK] =
			reserve(0, HANDLE_BLOCK * sizeof(struct handle), "handles");
	return handles.count++;
}

void roots__init(void)
{
	fresh_handle(); /* number 0 */
}

uint32_t handle__new(enum handle_kind kind, struct object *object, struct object *value)
{
	uint32_t number;

	if (kind == HANDLE_PINNED &&
	    __atomic_fetch_or(&object->head, HEAD_PINNED, __ATOMIC_RELAXED) & HEAD_PINNED)
		return 0;
	pthread_mutex_lock(&handles.lock);
	number = handles.free;
	if (number)
		handles.free = handle__at(number)->next;
	else
		number = fresh_handle();
	*handle__at(number) = (struct handle){ object, value, kind, 0, 0 };
	pthread_mutex_unlock(&handles.lock);
	return number;
}

void handle__free(uint32_t number)
{
	struct handle *handle = handle__at(number);

	if (handle->kind == HANDLE_PINNED)
		__atomic_fetch_and(&handle->object->head, ~(uint64_t)HEAD_PINNED,
				   __ATOMIC_RELAXED);
	pthread_mutex_lock(&handles.lock);
	*handle = (struct handle){ .kind = HANDLE_FREE, .next = handles.free };
	handles.free = number;
	pthread_mutex_unlock(&handles.lock);
}

struct object *handle__get(uint32_t number)
{
	return handle__at(number)->object;
}

uint32_t handles__count(void)
{
	return handles.count;
}

void handles__pinned(struct list *list)
{
	for (uint32_t i = 1; i < handles.count; i++) {
		if (handle__at(i)->kind == HANDLE_PINNED)
			list__push(list, handle__at(i)->object);
	}
}

static void enter(const struct root_visitor *v, uint64_t type, uint64_t id1, uint64_t id2)
{
	if (v->container)
		v->container(v->context, type, id1, id2);
}

static void tell(const struct root_visitor *v, struct object **slot, uint64_t kind, uint64_t id)
{
	if (*slot)
		v->root(v->context, slot, kind, id);
}

static uint64_t frame_container(enum method_kind kind)
{
	static const uint64_t types[] = {
		[METHOD_JIT] = GCTRACE_C_RT_JIT,
		[METHOD_INTERPRETED] = GCTRACE_C_RT_INTERPRETED,
		[METHOD_NATIVE] = GCTRACE_C_RT_NATIVE,
		[METHOD_NATIVE_GC] = GCTRACE_C_RT_NATIVEGC,
		[METHOD_COM] = GCTRACE_C_RT_COM,
		[METHOD_FAST_INTERPRETED] = GCTRACE_C_RT_FAST_INTERPRETED,
	};

	return types[kind];
}

static void visit_thread(struct mutator *m, const struct root_visitor *v)
{
	enter(v, GCTRACE_C_RT_THREAD, m->id, 0);
	tell(v, &m->thread, GCTRACE_ROOT_THREAD, 0);
	for (unsigned i = m->depth; i-- > 0;) {
		const struct frame *frame = &m->frames[i];
		const enum method_kind kind = methods[frame->method].kind;

		enter(v, frame_container(kind), frame->id,
		      kind == METHOD_NATIVE_GC ? 0 : frame->method);
		for (unsigned k = 0; k < frame->count; k++)
			tell(v, &m->locals[frame->first + k], GCTRACE_ROOT_LOCAL, k);
	}
	if (m->locks)
		enter(v, GCTRACE_C_MONITORS, m->id, 0);
	for (unsigned i = 0; i < m->locks; i++)
		tell(v, &m->locked[i], GCTRACE_ROOT_MONITOR, i);
}

/* Of the virtual machine's own, told as a container and a kind of its own. */
#define CONTAINER_STRINGS GCTRACE_C_OWN
#define ROOT_INTERNED GCTRACE_ROOT_OWN

static void visit_statics(const struct root_visitor *v)
{
	unsigned class_ = CLASS_FILLER;

	for (unsigned i = 0; i < STATICS; i++) {
		if (i == STATIC_STRINGS)
			continue;
		if (static_fields[i].class_ != class_)
			enter(v, GCTRACE_C_STATIC, class_ = static_fields[i].class_, 0);
		tell(v, &static_slots[i], GCTRACE_ROOT_STATIC, static_fields[i].position);
	}
	enter(v, CONTAINER_STRINGS, 0, 0);
	tell(v, &static_slots[STATIC_STRINGS], ROOT_INTERNED, 0);
}

static void visit_internal(const struct root_visitor *v)
{
	enter(v, GCTRACE_C_FINALIZER, 0, 0);
	for (size_t i = finalizer_queue.next; i < finalizer_queue.list.count; i++)
		tell(v, (struct object **)&finalizer_queue.list.items[i], GCTRACE_ROOT_FINALIZER,
		     i - finalizer_queue.next);
	enter(v, GCTRACE_C_INTERNAL, 0, 0);
	for (unsigned i = 0; i < sizeof(internal_slots) / sizeof(*internal_slots); i++)
		tell(v, &internal_slots[i], GCTRACE_ROOT_INTERNAL, i);
}

/* What a handle is told as; container 0: not as one of these. */
static const struct {
	uint64_t container, kind;
} told_as[HANDLE_KINDS] = {
	[HANDLE_STRONG] = { GCTRACE_C_HANDLES, GCTRACE_ROOT_HANDLE },
	[HANDLE_GLOBAL] = { GCTRACE_C_GLOBALS, GCTRACE_ROOT_HANDLE },
	[HANDLE_PINNED] = { GCTRACE_C_HANDLES, GCTRACE_ROOT_HANDLE_PINNED },
	[HANDLE_WEAK] = { GCTRACE_C_WEAK, GCTRACE_ROOT_HANDLE_WEAK },
	[HANDLE_WEAK_LONG] = { GCTRACE_C_WEAK, GCTRACE_ROOT_HANDLE_WEAK },
};

/* Handles of one container in [from, to); the container is told with the first. */
static void visit_handles(const struct root_visitor *v, uint64_t container, uint32_t from,
			  uint32_t to)
{
	bool entered = false;

	for (uint32_t i = from; i < to; i++) {
		struct handle *handle = handle__at(i);

		if (told_as[handle->kind].container != container || !handle->object)
			continue;
		if (!entered)
			enter(v, container, 0, 0);
		entered = true;
		tell(v, &handle->object, told_as[handle->kind].kind, i);
	}
}

static void visit_block(const struct root_visitor *v, unsigned block)
{
	const uint32_t from = block ? block * HANDLE_BLOCK : 1;
	uint32_t to = (block + 1) * HANDLE_BLOCK;

	to = to < handles.count ? to : handles.count;
	visit_handles(v, GCTRACE_C_HANDLES, from, to);
	visit_handles(v, GCTRACE_C_GLOBALS, from, to);
}

static unsigned handle_blocks(void)
{
	return (handles.count + HANDLE_BLOCK - 1) / HANDLE_BLOCK;
}

unsigned roots__tasks(void)
{
	return mutators_count + 2 + handle_blocks();
}

void roots__visit(unsigned task, const struct root_visitor *visitor)
{
	if (task < mutators_count)
		visit_thread(&mutators[task], visitor);
	else if (task == mutators_count)
		visit_statics(visitor);
	else if (task == mutators_count + 1)
		visit_internal(visitor);
	else
		visit_block(visitor, task - mutators_count - 2);
}

void roots__visit_weak(const struct root_visitor *visitor)
{
	visit_handles(visitor, GCTRACE_C_WEAK, 1, handles.count);
}

void roots__visit_dependent(const struct root_visitor *visitor)
{
	for (uint32_t i = 1; i < handles.count; i++) {
		struct handle *handle = handle__at(i);

		if (handle->kind != HANDLE_DEPENDENT || !handle->object)
			continue;
		enter(visitor, GCTRACE_C_DEPENDENT, (uint64_t)(uintptr_t)handle->object, 0);
		tell(visitor, &handle->value, GCTRACE_ROOT_HANDLE, i);
	}
}

struct word_visitor {
	void (*see)(void *context, struct object **slot);
	void *context;
};

static void see_word(void *context, struct object **slot, uint64_t kind, uint64_t id)
{
	const struct word_visitor *words = context;

	(void)kind, (void)id;
	words->see(words->context, slot);
}

void roots__each_word(void (*see)(void *context, struct object **slot), void *context)
{
	struct word_visitor words = { see, context };
	const struct root_visitor visitor = { NULL, see_word, &words };

	for (unsigned i = 0; i < roots__tasks(); i++)
		roots__visit(i, &visitor);
	for (uint32_t i = 1; i < handles.count; i++) {
		struct handle *handle = handle__at(i);

		if (handle->kind < HANDLE_WEAK)
			continue;
		if (handle->object)
			see(context, &handle->object);
		if (handle->value)
			see(context, &handle->value);
	}
	weak__each_word(see, context);
}
