/* SPDX-License-Identifier: BSD-2-Clause */
#include "hprof_roots.h"

#include "../base/escape.h"
#include "../base/search.h"
#include "../model/heap.h"
#include "gctrace/wire.h"
#include "heap_words.h"

/* Does it keep an object alive that is there? */
static bool is_strong(const struct heap_root *root)
{
	return root->level == HEAP_ROOT_REFERENCE && !root->weak && !root->dependent &&
	       root->object != HEAP_NOWHERE;
}

static uint64_t id_of(const struct heap *heap, const struct heap_root *root)
{
	return heap__object(heap, root->object).address;
}

static bool is_static(const struct heap_root *root)
{
	return root->type == GCTRACE_C_STATIC;
}

/* ---------------------------------------------------------------- by place */

static int compare_places(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static struct hprof_thread *thread_at(const struct hprof_roots *roots, uint32_t place)
{
	_Static_assert(offsetof(struct hprof_thread, place) == 0, "compared as a place");
	if (place == HEAP_NONE || !roots->threads.count)
		return NULL;
	return bsearch(&place, roots->threads.items, roots->threads.count,
		       sizeof(*roots->threads.items), compare_places);
}

static const struct hprof_frame *frame_at(const struct hprof_roots *roots, uint32_t place)
{
	_Static_assert(offsetof(struct hprof_frame, place) == 0, "compared as a place");
	if (!roots->frames.count)
		return NULL;
	return bsearch(&place, roots->frames.items, roots->frames.count,
		       sizeof(*roots->frames.items), compare_places);
}

/* The node of the frame that a root stands in. */
static const struct hprof_frame *frame_of(const struct hprof_roots *roots, const struct heap *heap,
					  const struct heap_root *root)
{
	uint32_t place = root->parent;

	while (place != HEAP_NONE && heap__root(heap, place).level > HEAP_ROOT_CONTAINER)
		place = heap__root(heap, place).parent;
	return place == HEAP_NONE ? NULL : frame_at(roots, place);
}

/* ---------------------------------------------------------------- what there is */

static int take(struct hprof_roots *roots, const struct heap *heap, uint32_t place)
{
	const struct heap_root root = heap__root(heap, place);
	const bool is_container = root.level == HEAP_ROOT_CONTAINER;

	if (is_container && root.type == GCTRACE_C_RT_THREAD)
		return vec__push(&roots->threads, ((struct hprof_thread){
							  .place = place, .object = HEAP_NONE }));
	if (is_container && heap_root__is_frame(root.type))
		return vec__push(&roots->frames, (struct hprof_frame){ .place = place });
	if (!is_strong(&root))
		return 0;
	if (is_static(&root))
		return vec__push(&roots->statics, ((struct hprof_static){
							  root.id1 ? heap_types__known(
									     heap__types(heap),
									     root.id1) :
								     HPROF_NO_TYPE,
							  place }));
	return vec__push(&roots->others, place);
}

static int compare_statics(const void *a, const void *b)
{
	const struct hprof_static *x = a, *y = b;

	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static void find_thread_objects(struct hprof_roots *roots, const struct heap *heap)
{
	for (size_t i = 0; i < roots->others.count; i++) {
		const struct heap_root root = heap__root(heap, roots->others.items[i]);
		struct hprof_thread *thread;

		if (root.kind != GCTRACE_ROOT_THREAD)
			continue;
		thread = thread_at(roots, heap_words__thread(heap, &root));
		if (thread && thread->object == HEAP_NONE)
			thread->object = roots->others.items[i];
	}
}

static void append_frame(struct hprof_roots *roots, const struct heap *heap, uint32_t index)
{
	struct hprof_frame *frame = &roots->frames.items[index];
	const struct heap_root root = heap__root(heap, frame->place);
	struct hprof_thread *thread = thread_at(roots, heap_words__thread(heap, &root));

	frame->thread = thread ? (uint32_t)(thread - roots->threads.items) : UINT32_MAX;
	if (!thread)
		return;
	frame->number = thread->frames++;
	if (frame->number)
		roots->frames.items[thread->last].next = index;
	else
		thread->first = index;
	thread->last = index;
}

static void number_threads(struct hprof_roots *roots, const struct heap *heap)
{
	uint32_t serial = 0;

	for (int with_object = 1; with_object >= 0; with_object--)
		for (size_t i = 0; i < roots->threads.count; i++)
			if ((roots->threads.items[i].object != HEAP_NONE) == with_object)
				roots->threads.items[i].serial = ++serial;
	for (uint32_t i = 0; i < roots->frames.count; i++)
		append_frame(roots, heap, i);
}

int hprof_roots__find(struct hprof_roots *roots, const struct heap *heap)
{
	int err = 0;

	*roots = (struct hprof_roots){ .statics = VEC_INIT };
	for (uint32_t p = heap__first(heap); p < heap__end(heap) && !err; p = heap__next(heap, p))
		if (heap__is_node(heap, p))
			err = take(roots, heap, p);
	if (err)
		return -ENOMEM;
	vec__sort(&roots->statics, compare_statics);
	find_thread_objects(roots, heap);
	number_threads(roots, heap);
	return 0;
}

void hprof_roots__free(struct hprof_roots *roots)
{
	vec__free(&roots->statics);
	vec__free(&roots->others);
	vec__free(&roots->threads);
	vec__free(&roots->frames);
}

void hprof_roots__statics(const struct hprof_roots *roots, uint32_t type, size_t *first,
			  size_t *count)
{
	const size_t low = search__front(roots->statics.items, roots->statics.count, item,
					 item->type < type);
	size_t end;

	for (end = low; end < roots->statics.count && end - low < HPROF_STATICS_MOST; end++)
		if (roots->statics.items[end].type != type)
			break;
	*first = low;
	*count = end - low;
}

/* ---------------------------------------------------------------- the roots themselves */

static void write_plain(struct hprof_writer *writer, enum hprof_entry tag, uint64_t id)
{
	hprof__entry(writer, tag, 8);
	hprof__u8(writer, id);
}

static bool is_native(uint64_t type)
{
	return type == GCTRACE_C_RT_NATIVE || type == GCTRACE_C_RT_NATIVEGC ||
	       type == GCTRACE_C_RT_COM;
}

static void write_in_frame(const struct hprof_roots *roots, const struct heap_root *root,
			   const struct hprof_frame *frame, struct hprof_writer *writer,
			   uint64_t id)
{
	hprof__entry(writer, is_native(root->type) ? HPROF_ROOT_JNI_LOCAL : HPROF_ROOT_JAVA_FRAME,
		     16);
	hprof__u8(writer, id);
	hprof__u4(writer, roots->threads.items[frame->thread].serial);
	hprof__u4(writer, frame->number);
}

static void write_of_thread(const struct hprof_thread *thread, uint32_t place,
			    struct hprof_writer *writer, uint64_t id)
{
	const bool is_itself = thread->object == place;

	hprof__entry(writer, is_itself ? HPROF_ROOT_THREAD_OBJECT : HPROF_ROOT_NATIVE_STACK,
		     is_itself ? 16 : 12);
	hprof__u8(writer, id);
	hprof__u4(writer, thread->serial);
	if (is_itself)
		hprof__u4(writer, thread->serial); /* of its stack trace */
}

static void write_other(const struct heap_root *root, struct hprof_writer *writer, uint64_t id)
{
	if (root->type == GCTRACE_C_HANDLES || root->type == GCTRACE_C_GLOBALS) {
		hprof__entry(writer, HPROF_ROOT_JNI_GLOBAL, 16);
		hprof__u8(writer, id);
		hprof__u8(writer, root->id == EVENT_UNKNOWN ? 0 : root->id);
	} else if (root->type == GCTRACE_C_MONITORS) {
		write_plain(writer, HPROF_ROOT_MONITOR_USED, id);
	} else {
		write_plain(writer, HPROF_ROOT_UNKNOWN, id);
	}
}

static void write_root(const struct hprof_roots *roots, const struct heap *heap, uint32_t place,
		       struct hprof_writer *writer)
{
	const struct heap_root root = heap__root(heap, place);
	const struct hprof_thread *thread = thread_at(roots, heap_words__thread(heap, &root));
	const struct hprof_frame *frame = frame_of(roots, heap, &root);
	const uint64_t id = id_of(heap, &root);

	if (thread && thread->object == place)
		write_of_thread(thread, place, writer, id);
	else if (frame && frame->thread != UINT32_MAX)
		write_in_frame(roots, &root, frame, writer, id);
	else if (thread)
		write_of_thread(thread, place, writer, id);
	else
		write_other(&root, writer, id);
}

/* Those that found no room among the fields of their class. */
static void write_more_statics(const struct hprof_roots *roots, const struct heap *heap,
			       struct hprof_writer *writer)
{
	size_t of_type = 0;

	for (size_t i = 0; i < roots->statics.count; i++) {
		const struct hprof_static *item = &roots->statics.items[i];
		const struct heap_root root = heap__root(heap, item->place);

		of_type = i && item[-1].type == item->type ? of_type + 1 : 0;
		if (of_type >= HPROF_STATICS_MOST)
			write_plain(writer, HPROF_ROOT_UNKNOWN, id_of(heap, &root));
	}
}

void hprof_roots__write(const struct hprof_roots *roots, const struct heap *heap,
			struct hprof_writer *writer)
{
	for (size_t i = 0; i < roots->others.count; i++)
		write_root(roots, heap, roots->others.items[i], writer);
	write_more_statics(roots, heap, writer);
}

/* ---------------------------------------------------------------- stacks */

static void write_name(const struct heap *heap, uint32_t place, struct hprof_writer *writer,
		       uint64_t id)
{
	struct buf name = BUF_INIT, escaped = BUF_INIT;

	heap_words__node(&name, heap, place);
	escape__move(&escaped, &name);
	hprof__string(writer, id, &escaped);
	buf__free(&escaped);
	buf__free(&name);
}

/* As the runtime told it, or nothing. */
static void write_thread_name(const struct heap *heap, uint32_t place, struct hprof_writer *writer,
			      uint64_t id)
{
	const struct heap_root thread = heap__root(heap, place);
	const struct text name =
		heap_types__name(heap__types(heap), GCTRACE_SPACE_THREAD, thread.id1, 0);
	struct buf escaped = BUF_INIT;

	escape__add(&escaped, name.at, name.bytes);
	hprof__string(writer, id, &escaped);
	buf__free(&escaped);
}

void hprof_roots__names(const struct hprof_roots *roots, const struct heap *heap,
			struct hprof_writer *writer, uint64_t names)
{
	for (size_t i = 0; i < roots->frames.count; i++)
		write_name(heap, roots->frames.items[i].place, writer, names++);
	for (size_t i = 0; i < roots->threads.count; i++)
		write_name(heap, roots->threads.items[i].place, writer, names++);
	for (size_t i = 0; i < roots->threads.count; i++)
		write_thread_name(heap, roots->threads.items[i].place, writer, names++);
}

uint64_t hprof_roots__name_count(const struct hprof_roots *roots)
{
	return roots->frames.count + 2 * (uint64_t)roots->threads.count;
}

static void write_frame(struct hprof_writer *writer, uint64_t id, uint64_t name, uint64_t none,
			uint32_t class_)
{
	hprof__record(writer, HPROF_STACK_FRAME, 4 * 8 + 2 * 4);
	hprof__u8(writer, id);
	hprof__u8(writer, name);
	hprof__u8(writer, none); /* signature */
	hprof__u8(writer, none); /* source file */
	hprof__u4(writer, class_);
	hprof__u4(writer, 0); /* no line */
}

/* Frames have the ids 1, 2, ... in the order of their names. */
static void write_trace(const struct hprof_roots *roots, struct hprof_writer *writer, size_t index)
{
	const struct hprof_thread *thread = &roots->threads.items[index];

	hprof__record(writer, HPROF_STACK_TRACE, 3 * 4 + 8 * ((uint64_t)thread->frames + 1));
	hprof__u4(writer, thread->serial);
	hprof__u4(writer, thread->serial);
	hprof__u4(writer, thread->frames + 1);
	for (uint32_t i = 0, at = thread->first; i < thread->frames; i++) {
		hprof__u8(writer, (uint64_t)at + 1);
		at = roots->frames.items[at].next;
	}
	hprof__u8(writer, roots->frames.count + index + 1);
}

/* It is also the thread's trace. */
static void write_start(const struct hprof_thread *thread, const struct heap *heap,
			struct hprof_writer *writer, uint64_t name, uint64_t none)
{
	const struct heap_root object = heap__root(heap, thread->object);

	hprof__record(writer, HPROF_START_THREAD, 2 * 4 + 4 * 8);
	hprof__u4(writer, thread->serial);
	hprof__u8(writer, id_of(heap, &object));
	hprof__u4(writer, thread->serial);
	hprof__u8(writer, name);
	hprof__u8(writer, none); /* its group, and that one's */
	hprof__u8(writer, none);
}

void hprof_roots__stacks(const struct hprof_roots *roots, const struct heap *heap,
			 struct hprof_writer *writer, uint64_t names, uint64_t none,
			 uint32_t class_)
{
	const uint64_t plain = names + roots->frames.count + roots->threads.count;

	for (size_t i = 0; i < roots->frames.count + roots->threads.count; i++)
		write_frame(writer, i + 1, names + i, none, class_);
	for (size_t i = 0; i < roots->threads.count; i++)
		write_trace(roots, writer, i);
	for (size_t i = 0; i < roots->threads.count; i++) {
		if (roots->threads.items[i].object != HEAP_NONE)
			write_start(&roots->threads.items[i], heap, writer, plain + i, none);
	}
}
