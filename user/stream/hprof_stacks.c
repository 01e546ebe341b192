/* SPDX-License-Identifier: BSD-2-Clause */
#include "hprof_stacks.h"

#include <inttypes.h>

#include "gctrace/wire.h"
#include "hprof_format.h"

void hprof_stacks__free(struct hprof_stacks *stacks)
{
	vec__free(&stacks->roots);
	vec__free(&stacks->frames);
	vec__free(&stacks->traces);
	vec__free(&stacks->threads);
	vec__free(&stacks->ids);
	hprof_ids__free(&stacks->by_frame);
	hprof_ids__free(&stacks->by_trace);
	hprof_ids__free(&stacks->by_thread);
}

int hprof_stacks__add_frame(struct hprof_stacks *stacks, const struct hprof_frame_of *frame)
{
	if (vec__push(&stacks->frames, *frame))
		return -ENOMEM;
	return hprof_ids__put(&stacks->by_frame, frame->id, (uint32_t)stacks->frames.count - 1);
}

int hprof_stacks__add_trace(struct hprof_stacks *stacks, uint32_t serial, size_t count)
{
	const struct hprof_trace trace = { stacks->ids.count - count, count };

	if (vec__push(&stacks->traces, trace))
		return -ENOMEM;
	return hprof_ids__put(&stacks->by_trace, serial, (uint32_t)stacks->traces.count - 1);
}

int hprof_stacks__add_root(struct hprof_stacks *stacks, const struct hprof_root *root)
{
	return vec__push(&stacks->roots, *root);
}

int hprof_stacks__thread(struct hprof_stacks *stacks, uint32_t serial, uint32_t trace,
			 uint64_t name)
{
	uint32_t number = hprof_ids__get(&stacks->by_thread, serial);

	if (number == HPROF_NO_NUMBER) {
		const struct hprof_thread_of thread = { .serial = serial };

		number = (uint32_t)stacks->threads.count;
		if (vec__push(&stacks->threads, thread) ||
		    hprof_ids__put(&stacks->by_thread, serial, number))
			return -ENOMEM;
	}
	if (trace)
		stacks->threads.items[number].trace = trace;
	if (name)
		stacks->threads.items[number].name = name;
	return 0;
}

/* ---------------------------------------------------------------- names */

struct teller {
	const struct hprof_stacks *stacks;
	const struct hprof_names *names;
	const struct hprof_classes *classes;
	const struct event_sink *sink;
	struct buf text;
};

static int define(const struct teller *teller, uint32_t space, uint64_t id, struct text name)
{
	const struct event event = {
		.kind = EVENT_DEFINE,
		.define = { .space = space, .id = id, .b = EVENT_UNKNOWN, .name = name },
	};

	return teller->sink->event(teller->sink->ctx, &event);
}

static int define_own(const struct teller *teller)
{
	static const char *const names[HPROF_OWN_END - HPROF_OWN_SYSTEM_CLASS] = {
		"system class",	 "interned string", "debugger", "JNI global",
		"JNI local", "native stack", "thread block",
	};
	static const char *const containers[] = {
		"system classes", "interned strings", "objects that the debugger holds",
	};
	int answer = 0;

	for (uint32_t i = 0; i < sizeof(names) / sizeof(*names) && !answer; i++)
		answer = define(teller, GCTRACE_SPACE_ROOT_KIND, HPROF_OWN_SYSTEM_CLASS + i,
				text__of(names[i]));
	for (uint32_t i = 0; i < sizeof(containers) / sizeof(*containers) && !answer; i++)
		answer = define(teller, GCTRACE_SPACE_CONTAINER, HPROF_OWN_SYSTEM_CLASS + i,
				text__of(containers[i]));
	return answer;
}

static int define_threads(const struct teller *teller)
{
	int answer = 0;

	for (size_t i = 0; i < teller->stacks->threads.count && !answer; i++) {
		const struct hprof_thread_of *thread = &teller->stacks->threads.items[i];
		const struct text name = hprof_names__get(teller->names, thread->name);

		if (name.bytes)
			answer = define(teller, GCTRACE_SPACE_THREAD, thread->serial, name);
	}
	return answer;
}

/* "Shop.main (Shop.java:31)" */
static void add_method(struct teller *teller, const struct hprof_frame_of *frame)
{
	const struct text method = hprof_names__get(teller->names, frame->method);
	const struct text source = hprof_names__get(teller->names, frame->source);
	const uint32_t number = hprof_ids__get(&teller->classes->serials, frame->class_);

	if (number != HPROF_NO_NUMBER) {
		const uint64_t name = teller->classes->of.items[number].name;

		hprof_names__add_class(&teller->text, hprof_names__get(teller->names, name));
		buf__add_char(&teller->text, '.');
	}
	buf__add(&teller->text, method.at, method.bytes);
	if (!source.bytes)
		return;
	buf__add_str(&teller->text, " (");
	buf__add(&teller->text, source.at, source.bytes);
	if (frame->line > 0)
		buf__printf(&teller->text, ":%" PRId32, frame->line);
	buf__add_char(&teller->text, ')');
}

static int define_methods(struct teller *teller)
{
	int answer = 0;

	for (size_t i = 0; i < teller->stacks->frames.count && !answer; i++) {
		const struct hprof_frame_of *frame = &teller->stacks->frames.items[i];

		buf__reset(&teller->text);
		add_method(teller, frame);
		answer = teller->text.error;
		if (!answer)
			answer = define(teller, GCTRACE_SPACE_METHOD, frame->id,
					(struct text){ buf__str(&teller->text), teller->text.len });
	}
	return answer;
}

/* ---------------------------------------------------------------- roots */

static const struct told_as {
	uint64_t container, kind;
	bool is_known;
} told_as[256] = {
	[HPROF_ROOT_UNKNOWN] = { GCTRACE_C_INTERNAL, GCTRACE_ROOT_UNKNOWN, true },
	[HPROF_ROOT_JNI_GLOBAL] = { GCTRACE_C_GLOBALS, HPROF_OWN_JNI_GLOBAL, true },
	[HPROF_ROOT_JNI_LOCAL] = { GCTRACE_C_RT_THREAD, HPROF_OWN_JNI_LOCAL, true },
	[HPROF_ROOT_JAVA_FRAME] = { GCTRACE_C_RT_THREAD, GCTRACE_ROOT_LOCAL, true },
	[HPROF_ROOT_NATIVE_STACK] = { GCTRACE_C_RT_THREAD, HPROF_OWN_NATIVE_STACK, true },
	[HPROF_ROOT_STICKY_CLASS] = { HPROF_OWN_SYSTEM_CLASS, HPROF_OWN_SYSTEM_CLASS, true },
	[HPROF_ROOT_THREAD_BLOCK] = { GCTRACE_C_RT_THREAD, HPROF_OWN_THREAD_BLOCK, true },
	[HPROF_ROOT_MONITOR_USED] = { GCTRACE_C_MONITORS, GCTRACE_ROOT_MONITOR, true },
	[HPROF_ROOT_THREAD_OBJECT] = { GCTRACE_C_RT_THREAD, GCTRACE_ROOT_THREAD, true },
	[HPROF_ROOT_INTERNED_STRING] = { HPROF_OWN_INTERNED, HPROF_OWN_INTERNED, true },
	[HPROF_ROOT_FINALIZING] = { GCTRACE_C_FINALIZER, GCTRACE_ROOT_FINALIZER, true },
	[HPROF_ROOT_DEBUGGER] = { HPROF_OWN_DEBUGGER, HPROF_OWN_DEBUGGER, true },
	[HPROF_ROOT_REFERENCE_CLEANUP] = { GCTRACE_C_INTERNAL, GCTRACE_ROOT_INTERNAL, true },
	[HPROF_ROOT_VM_INTERNAL] = { GCTRACE_C_INTERNAL, GCTRACE_ROOT_INTERNAL, true },
	[HPROF_ROOT_JNI_MONITOR] = { GCTRACE_C_MONITORS, GCTRACE_ROOT_MONITOR, true },
};

/* By thread, those of no frame first, then by frame; otherwise as they came. */
static int compare(const void *a, const void *b)
{
	const struct hprof_root *left = a, *right = b;
	const uint32_t x = left->frame + 1, y = right->frame + 1;

	if (left->thread != right->thread)
		return left->thread < right->thread ? -1 : 1;
	if (x != y)
		return x < y ? -1 : 1;
	if (left->tag != right->tag)
		return left->tag < right->tag ? -1 : 1;
	return left->to < right->to ? -1 : left->to > right->to;
}

/* The frame that a root stands in; NULL: its thread's stack does not tell. */
static const struct hprof_frame_of *frame_of(const struct hprof_stacks *stacks,
					     const struct hprof_root *root)
{
	const uint32_t thread = hprof_ids__get(&stacks->by_thread, root->thread);
	const struct hprof_trace *trace;
	uint32_t number;

	if (thread == HPROF_NO_NUMBER || root->frame == UINT32_MAX)
		return NULL;
	number = hprof_ids__get(&stacks->by_trace, stacks->threads.items[thread].trace);
	if (number == HPROF_NO_NUMBER)
		return NULL;
	trace = &stacks->traces.items[number];
	if (root->frame >= trace->count)
		return NULL;
	number = hprof_ids__get(&stacks->by_frame, stacks->ids.items[trace->first + root->frame]);
	return number == HPROF_NO_NUMBER ? NULL : &stacks->frames.items[number];
}

static int tell_root(const struct teller *teller, const struct hprof_root *root)
{
	const struct told_as *as = &told_as[root->tag];
	const struct hprof_frame_of *frame = frame_of(teller->stacks, root);
	const struct root of = { .to = root->to, .kind = as->kind, .id = root->id };
	struct event event = { .kind = EVENT_ROOTS, .roots = { .type = as->container } };

	if (!as->is_known)
		return 0;
	if (as->container == GCTRACE_C_RT_THREAD)
		event.roots.id1 = root->thread;
	if (frame) {
		event.roots.type = GCTRACE_C_RT_INTERPRETED;
		event.roots.id1 = (uint64_t)root->thread << 32 | root->frame;
		event.roots.id2 = frame->id;
	}
	event.roots.roots = &of;
	event.roots.count = 1;
	return teller->sink->event(teller->sink->ctx, &event);
}

static int begin_thread(const struct teller *teller, uint32_t thread)
{
	const struct event event = {
		.kind = EVENT_CONTAINER,
		.container = { .type = GCTRACE_C_RT_THREAD, .id1 = thread },
	};

	return thread ? teller->sink->event(teller->sink->ctx, &event) : 0;
}

static int tell_roots(const struct teller *teller)
{
	const struct hprof_root *roots = teller->stacks->roots.items;
	uint32_t thread = 0;
	int answer = 0;

	for (size_t i = 0; i < teller->stacks->roots.count && !answer; i++) {
		if (roots[i].thread != thread)
			answer = begin_thread(teller, roots[i].thread);
		thread = roots[i].thread;
		if (!answer)
			answer = tell_root(teller, &roots[i]);
	}
	return answer;
}

int hprof_stacks__tell(struct hprof_stacks *stacks, const struct hprof_names *names,
		       const struct hprof_classes *classes, const struct event_sink *sink)
{
	struct teller teller = { .stacks = stacks, .names = names, .classes = classes,
				 .sink = sink };
	int answer = define_own(&teller);

	if (!answer)
		answer = define_threads(&teller);
	if (!answer)
		answer = define_methods(&teller);
	vec__sort(&stacks->roots, compare);
	if (!answer)
		answer = tell_roots(&teller);
	buf__free(&teller.text);
	return answer;
}
