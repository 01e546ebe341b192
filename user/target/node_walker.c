/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where threads of Node are. What V8 compiles has no file, and is named by the perf map of a
 * process that was started with --perf-basic-prof (V8 then leaves code where it is). What V8
 * brings along compiled is in the program itself, as functions called Builtins_...; they are
 * stubs here, and so is a function that V8 interprets: it runs in such ones, and no line of the
 * perf map tells which it is (but with --interpreted-frames-native-stack).
 *
 * V8's own code keeps the chain of frame pointers, and the program's C++ mostly does not.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "code_names.h"
#include "frame_chain.h"
#include "maps.h"
#include "process.h"
#include "remote.h"
#include "symbols.h"
#include "walker.h"

struct node_walker {
	const struct maps *maps;
	struct remote *memory;
	struct symbols *symbols;
	struct code_names *names;
};

/* In a file: is it one of V8's builtins? */
static bool is_builtin(struct node_walker *walker, uint64_t ip)
{
	static const char prefix[] = "Builtins_";
	struct symbol_found found;

	symbols__find(walker->symbols, ip, &found);
	return found.function && strncmp(found.function, prefix, strlen(prefix)) == 0;
}

static int describe(void *state, uint64_t ip, bool is_caller, struct frame *frame)
{
	struct node_walker *walker = state;
	const struct map *map = maps__at(walker->maps, ip - is_caller);
	struct code_name name;
	int known = 0;

	*frame = (struct frame){ .kind = FRAME_NATIVE, .ip = ip, .fields = FRAME_IP };
	if (!map || !map->execute)
		return 0;
	if (map->path_len) {
		if (is_builtin(walker, ip - is_caller))
			frame->kind = FRAME_STUB;
		return 0;
	}
	known = code_names__find(walker->names, ip - is_caller, &name);
	if (known < 0)
		return known;
	frame->kind = known && !name.is_stub ? FRAME_COMPILED : FRAME_STUB;
	if (known) {
		frame->method = name.number;
		frame->fields |= FRAME_METHOD;
		frame->guessed |= name.is_doubtful ? FRAME_METHOD : 0;
	}
	return 0;
}

static int walk_leaf(struct frame_chain *chain, struct frame *leaf)
{
	const struct caught_thread *thread = chain->view.thread;
	int err = walk__push_leaf(chain->walk, thread, leaf);

	return err ? err : frame_chain__follow(chain, thread->fp);
}

static int walk(void *state, const struct caught_thread *thread, struct walk *walk)
{
	struct node_walker *walker = state;
	struct frame_chain chain = { .walk = walk, .describe = describe, .state = walker };
	struct frame leaf;
	int err = describe(walker, thread->ip, false, &leaf);

	if (err)
		return err;
	stack_view__init(&chain.view, thread, walker->memory);
	if (leaf.kind != FRAME_NATIVE) {
		err = walk_leaf(&chain, &leaf);
	} else {
		/* V8's compiler, collector and loader are all in the program's own file. */
		walk->place = PLACE_NATIVE;
		walk->place_guessed = true;
		err = frame_chain__follow(&chain, thread->fp);
		if (!err && !walk->frames.count)
			err = frame_chain__search(&chain);
	}
	return err == -E2BIG ? 0 : err;
}

static void close_walker(void *state)
{
	struct node_walker *walker = state;

	if (!walker)
		return;
	code_names__free(walker->names);
	free(walker);
}

static int open_walker(const struct walker_target *target, void **state, struct buf *why)
{
	struct node_walker *walker = calloc(1, sizeof(*walker));
	int err;

	(void)why;
	*state = NULL;
	if (!walker)
		return -ENOMEM;
	walker->maps = target->maps;
	walker->memory = target->memory;
	walker->symbols = target->symbols;
	err = code_names__open(target->process, NULL, CODE_NODE, &walker->names, NULL);
	if (err == -ENOMEM) {
		close_walker(walker);
		return err;
	}
	*state = walker;
	return 0;
}

static int refresh(void *state, const struct maps *maps)
{
	struct node_walker *walker = state;
	int err;

	if (maps)
		walker->maps = maps;
	err = code_names__refresh(walker->names);
	return err == -ENOMEM || err == -ESRCH ? err : 0;
}

static int name(void *state, uint64_t method, struct buf *name)
{
	const struct node_walker *walker = state;

	return walker__tell_name(code_names__text(walker->names, method), name);
}

const struct walker node_walker = {
	.kind = RUNTIME_NODE,
	.open = open_walker,
	.close = close_walker,
	.refresh = refresh,
	.walk = walk,
	.name = name,
};
