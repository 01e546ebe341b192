/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The registers tell what a thread was in when it was caught; the anchor that is read now is of
 * now. Where ip is in generated code the registers are walked from, else the anchor: then the
 * thread had left Java code, and the sampler finds out whether it went on since.
 */
#include "jvm.h"

#include <errno.h>
#include <stdlib.h>

#include "jvm_code.h"
#include "jvm_frames.h"
#include "jvm_layout.h"
#include "jvm_memory.h"
#include "jvm_methods.h"
#include "jvm_objects.h"
#include "jvm_scopes.h"
#include "jvm_threads.h"
#include "remote.h"
#include "walker.h"

struct jvm {
	struct jvm_memory *memory;
	struct jvm_layout layout;
	struct jvm_threads *threads;
	struct jvm_code *code;
	struct jvm_methods *methods;
	struct jvm_objects *objects;
	struct jvm_scopes scopes;
	struct jvm_stack stack;
};

void jvm__close(struct jvm *jvm)
{
	if (!jvm)
		return;
	jvm_objects__free(jvm->objects);
	jvm_methods__free(jvm->methods);
	jvm_code__free(jvm->code);
	jvm_threads__free(jvm->threads);
	jvm_memory__free(jvm->memory);
	free(jvm);
}

static int read_layout(struct jvm *jvm, const uint64_t exports[JVM_EXPORTS], struct buf *why)
{
	struct jvm_structs *structs;
	int err = jvm_structs__read(jvm->memory, exports, &structs, why);

	if (!err)
		err = jvm_layout__find(structs, &jvm->layout, why);
	jvm_structs__free(structs);
	return err == -EINVAL ? -ENOTSUP : err;
}

static int open_parts(struct jvm *jvm)
{
	jvm->threads = jvm_threads__new(jvm->memory, &jvm->layout);
	jvm->code = jvm_code__new(jvm->memory, &jvm->layout);
	jvm->methods = jvm_methods__new(jvm->memory, &jvm->layout);
	jvm->objects = jvm_objects__new(jvm->memory, &jvm->layout);
	jvm->scopes = (struct jvm_scopes){ jvm->memory, &jvm->layout };
	return jvm->threads && jvm->code && jvm->methods && jvm->objects ? 0 : -ENOMEM;
}

int jvm__open(struct remote *remote, const uint64_t exports[JVM_EXPORTS], struct jvm **out,
	      struct buf *why)
{
	struct jvm *jvm = calloc(1, sizeof(*jvm));
	int err = -ENOMEM;

	*out = NULL;
	if (jvm)
		jvm->memory = jvm_memory__new(remote);
	if (jvm && jvm->memory)
		err = read_layout(jvm, exports, why);
	if (!err)
		err = open_parts(jvm);
	if (err)
		jvm__close(jvm);
	else
		*out = jvm;
	return err;
}

/* Lists are replaced while the JVM runs: what made no sense in one instant may in the next. */
int jvm__refresh(struct jvm *jvm)
{
	int err;

	jvm_memory__forget(jvm->memory);
	jvm_methods__forget(jvm->methods);
	err = jvm_code__refresh(jvm->code);
	if (err)
		return err;
	err = jvm_threads__refresh(jvm->threads);
	return err == -EINVAL ? jvm_threads__refresh(jvm->threads) : err;
}

/* The flag stands while a pause collects; G1's remark does, too, and is not counted. */
int jvm__pause(struct jvm *jvm, struct walk_pause *pause)
{
	const struct jvm_layout *layout = &jvm->layout;
	struct remote *remote = jvm_memory__remote(jvm->memory);
	uint8_t collects = 0;
	uint32_t count = 0;
	uint64_t heap;
	int err;

	if (layout->collected_heap == JVM_NONE || layout->heap_collects == JVM_NONE ||
	    layout->heap_collections == JVM_NONE)
		return -ENOTSUP;
	err = remote__read(remote, layout->collected_heap, &heap, sizeof(heap));
	if (!err)
		err = remote__read(remote, heap + layout->heap_collects, &collects,
				   sizeof(collects));
	if (!err)
		err = remote__read(remote, heap + layout->heap_collections, &count, sizeof(count));
	*pause = (struct walk_pause){ .is_under_way = collects == 1, .number = count };
	return err;
}

/* Hand-written routines, that of copying memory among them, are the JVM's own as well as Java's. */
static bool is_for_anybody(struct jvm *jvm, uint64_t ip)
{
	struct jvm_blob blob;

	jvm_code__find(jvm->code, ip, &blob);
	return blob.kind == JVM_CODE_LEAF;
}

/*
 * An anchor that is set is kept until the thread is back in Java code: then it is not blocked. In
 * the JVM it may do anything, and collect, load or compile.
 */
static void place(struct jvm *jvm, const struct jvm_thread *thread,
		  const struct caught_thread *caught, bool in_code, struct walk *walk)
{
	const bool is_doubtful = caught->how == CAUGHT_STALE ||
				 (in_code && thread->state != JVM_STATE_JAVA &&
				  is_for_anybody(jvm, caught->ip));

	walk->place = in_code ? PLACE_JIT :
		      thread->state == JVM_STATE_BLOCKED ? PLACE_BLOCKING : PLACE_NATIVE;
	walk->place_lasting = in_code;
	walk->place_guessed = in_code ? is_doubtful :
			      walk->place == PLACE_NATIVE && thread->state != JVM_STATE_NATIVE;
}

void jvm__foresee(struct jvm *jvm, pid_t inner_tid)
{
	jvm_threads__foresee(jvm->threads, inner_tid);
}

int jvm__walk(struct jvm *jvm, const struct caught_thread *caught, struct walk *walk)
{
	struct jvm_thread thread;
	const struct jvm_frames frames = {
		.layout = &jvm->layout, .memory = jvm->memory, .code = jvm->code,
		.methods = jvm->methods, .scopes = &jvm->scopes, .stack = &jvm->stack,
		.caught = caught, .thread = &thread, .walk = walk,
	};
	const bool in_code = jvm_code__has(jvm->code, caught->ip);
	int err = jvm_threads__look(jvm->threads, caught->inner_tid, &thread);

	if (err)
		return err == -ENOENT || err == -EINVAL ? 0 : err;
	jvm->stack.at = 0;
	jvm->stack.is_there = false;
	walk->is_managed = true;
	place(jvm, &thread, caught, in_code, walk);
	err = in_code ? jvm_frames__from_registers(&frames, caught->how == CAUGHT_STALE) :
			jvm_frames__from_anchor(&frames);
	return err == -E2BIG ? 0 : err;
}

int jvm__name(const struct jvm *jvm, uint64_t method, struct buf *name)
{
	return jvm_methods__name(jvm->methods, method, name);
}

int jvm__thread_name(struct jvm *jvm, pid_t inner_tid, struct buf *name)
{
	const uint64_t thread = jvm_threads__address(jvm->threads, inner_tid);

	return thread ? jvm_objects__thread_name(jvm->objects, thread, name) : -ENOENT;
}
