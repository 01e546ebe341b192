/* SPDX-License-Identifier: BSD-2-Clause */
#include "jvm_walker.h"

#include <errno.h>
#include <stdlib.h>

#include "jvm.h"
#include "jvm_native.h"
#include "walker.h"

struct jvm_walker {
	struct jvm *jvm;
	struct jvm_native native;
};

#ifdef __x86_64__
static void close_jvm(void *state)
{
	struct jvm_walker *walker = state;

	if (!walker)
		return;
	jvm__close(walker->jvm);
	free(walker);
}

static int open_jvm(const struct walker_target *target, void **state, struct buf *why)
{
	struct jvm_walker *walker = calloc(1, sizeof(*walker));
	uint64_t exports[JVM_EXPORTS];
	int err = walker ? jvm_structs__find_exports(target->process, target->maps,
						      exports, why) : -ENOMEM;

	*state = NULL;
	if (!err)
		err = jvm__open(target->memory, exports, &walker->jvm, why);
	if (err) {
		close_jvm(walker);
		return err;
	}
	walker->native.symbols = target->symbols;
	walker->native.memory = target->memory;
	jvm_native__use(&walker->native, target->maps);
	*state = walker;
	return 0;
}
#else
static void close_jvm(void *state)
{
	(void)state;
}

static int open_jvm(const struct walker_target *target, void **state, struct buf *why)
{
	(void)target;
	*state = NULL;
	buf__add_str(why, "frames of HotSpot are known on x86-64 only");
	return -ENOTSUP;
}
#endif

static int refresh(void *state, const struct maps *maps)
{
	struct jvm_walker *walker = state;

	if (maps)
		jvm_native__use(&walker->native, maps);
	return jvm__refresh(walker->jvm);
}

static void foresee(void *state, const struct caught_thread *thread)
{
	const struct jvm_walker *walker = state;

	jvm__foresee(walker->jvm, thread->inner_tid);
}

static int look_for_pause(void *state, struct walk_pause *pause)
{
	const struct jvm_walker *walker = state;

	return jvm__pause(walker->jvm, pause);
}

static int walk_thread(void *state, const struct caught_thread *thread, struct walk *walk)
{
	const struct jvm_walker *walker = state;
	int err = jvm__walk(walker->jvm, thread, walk);

	if (!err && walk->is_managed && walk->place == PLACE_NATIVE && !thread->waits)
		jvm_native__place(&walker->native, thread, walk);
	return err;
}

static int name_method(void *state, uint64_t method, struct buf *name)
{
	const struct jvm_walker *walker = state;

	return jvm__name(walker->jvm, method, name);
}

static int name_thread(void *state, pid_t inner_tid, struct buf *name)
{
	const struct jvm_walker *walker = state;

	return jvm__thread_name(walker->jvm, inner_tid, name);
}

const struct walker jvm_walker = {
	.kind = RUNTIME_HOTSPOT,
	.open = open_jvm,
	.close = close_jvm,
	.refresh = refresh,
	.pause = look_for_pause,
	.foresee = foresee,
	.walk = walk_thread,
	.name = name_method,
	.thread_name = name_thread,
};
