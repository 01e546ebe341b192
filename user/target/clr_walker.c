/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where threads of CoreCLR are. Three things tell, and each may be missing:
 *
 *   the mappings  compiled code is in mappings of no file (or of the memfd that the runtime maps
 *                 twice), precompiled code in those of its assemblies (*.dll)
 *   the contract  .NET 10 on: the runtime's threads, where they left managed code, and its tables
 *                 of code and methods, which name either kind of code
 *   the perf map  before that: names of what was compiled while the program ran, and of nothing
 *                 precompiled; the runtime writes it when it is told to (DOTNET_PerfMapEnabled, or
 *                 attach/clr_perf_map.h)
 *
 * A thread in managed code: ip is caught, and what is compiled where does not change, so the
 * method is certain. A thread in native code: its latest Frame says where managed code goes on,
 * for certain when it stands still and is not in cooperative mode, in which there may be calls
 * that leave no Frame. Without the contract its frame pointers are followed, and its stack is
 * searched for a return address into managed code: a guess.
 *
 * What called that is a guess in each case: compiled code keeps a chain of frame pointers, but
 * for small methods that make few calls, whose caller the chain leaves out.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clr_code.h"
#include "clr_contract.h"
#include "clr_methods.h"
#include "clr_names.h"
#include "clr_threads.h"
#include "code_names.h"
#include "environment.h"
#include "frame_chain.h"
#include "mapped_file.h"
#include "maps.h"
#include "process.h"
#include "remote.h"
#include "symbol.h"
#include "walker.h"

#define BETWEEN_MOST 2048 /* words of native stack that are looked through */

/* In the number of a method: it is of the perf map, else of the runtime's tables. */
#define BY_MAP ((uint64_t)1 << 63)

struct clr_walker {
	const struct maps *maps;
	struct remote *memory;
	struct code_names *names;
	bool has_names;		      /* the perf map is there */
	struct clr_contract *contract; /* NULL: the runtime publishes none */
	struct clr_threads *threads;   /* NULL: or none that tells of threads, */
	struct clr_names *thread_names; /* NULL: or none that tells of these */
	struct clr_code *code;	       /* of code */
	struct clr_methods *methods;   /* and of methods: these are there together */
};

/* ---------------------------------------------------------------- code */

enum code {
	CODE_NATIVE,
	CODE_MADE, /* by the compiler at run time, or by hand: stubs */
	CODE_PRECOMPILED,
	CODE_COMPILER, /* of the compiler itself */
	CODE_RUNTIME,
};

static bool ends_with(const struct map *map, const char *end)
{
	const size_t len = strlen(end);

	return map->path_len >= len && memcmp(map->path + map->path_len - len, end, len) == 0;
}

static enum code code_at(const struct clr_walker *walker, uint64_t ip)
{
	const struct map *map = maps__at(walker->maps, ip);

	if (!map || !map->execute)
		return CODE_NATIVE;
	if (strncmp(map->path, "/memfd:doublemapper", strlen("/memfd:doublemapper")) == 0 ||
	    !map->path_len)
		return CODE_MADE;
	if (ends_with(map, ".dll"))
		return CODE_PRECOMPILED;
	if (ends_with(map, "/libclrjit.so"))
		return CODE_COMPILER;
	return ends_with(map, "/libcoreclr.so") ? CODE_RUNTIME : CODE_NATIVE;
}

/* By the runtime's own tables. 1: done; 0: they do not know; -ENOMEM or -ESRCH. */
static int describe_by_tables(struct clr_walker *walker, uint64_t at, struct frame *frame)
{
	struct clr_code_found found;
	int err = walker->code ? clr_code__find(walker->code, at, &found) : 0;

	if (err <= 0)
		return err;
	frame->kind = found.is_stub ? FRAME_STUB : FRAME_COMPILED;
	err = found.is_stub ? 0 : clr_methods__find(walker->methods, found.method, &frame->method);
	if (err == -ENOMEM || err == -ESRCH)
		return err;
	if (frame->method)
		frame->fields |= FRAME_METHOD;
	return 1;
}

static int describe_by_map(struct clr_walker *walker, uint64_t at, struct frame *frame)
{
	struct code_name name;
	const int known = code_names__find(walker->names, at, &name);

	if (known < 0)
		return known;
	/* A map has all methods, and stubs only from when it was begun. */
	frame->kind = walker->has_names ? FRAME_STUB : FRAME_COMPILED;
	if (known) {
		frame->kind = name.is_stub ? FRAME_STUB : FRAME_COMPILED;
		frame->method = name.number | BY_MAP;
		frame->fields |= FRAME_METHOD;
		frame->guessed |= name.is_doubtful ? FRAME_METHOD : 0;
	}
	return 0;
}

/* A frame by where it is; of callers, ip is behind the call. 0, -ENOMEM or -ESRCH. */
static int describe(void *state, uint64_t ip, bool is_caller, struct frame *frame)
{
	struct clr_walker *walker = state;
	const enum code code = code_at(walker, ip - is_caller);
	int known;

	*frame = (struct frame){ .kind = FRAME_NATIVE, .ip = ip, .fields = FRAME_IP };
	if (code != CODE_MADE && code != CODE_PRECOMPILED)
		return 0;
	known = describe_by_tables(walker, ip - is_caller, frame);
	if (known)
		return known < 0 ? known : 0;
	if (code == CODE_MADE)
		return describe_by_map(walker, ip - is_caller, frame);
	frame->kind = FRAME_COMPILED;
	return 0;
}

/* ---------------------------------------------------------------- a thread */

static int walk_managed(struct clr_walker *walker, struct frame_chain *chain, struct frame *leaf)
{
	const struct caught_thread *thread = chain->view.thread;
	struct frame caller;
	bool lasting = true;
	uint64_t word;
	int err = walk__push_leaf(chain->walk, thread, leaf);

	/* Stubs make no frame: most are a jump. */
	if (!err && leaf->kind == FRAME_STUB &&
	    !stack_view__word(&chain->view, thread->sp, &word, &lasting)) {
		err = describe(walker, word, true, &caller);
		if (!err && caller.kind == FRAME_COMPILED)
			err = frame_chain__push(chain, &caller, thread->sp + 8);
	}
	return err ? err : frame_chain__follow(chain, thread->fp);
}

/* From where it left managed code; no frames where no Frame tells, or it is no managed code. */
static int walk_anchor(struct clr_walker *walker, struct frame_chain *chain,
		       const struct clr_thread *own)
{
	struct clr_anchor anchor;
	struct frame frame;
	int err = clr_threads__anchor(walker->threads, own, &anchor);

	if (err)
		return err == -ESRCH ? err : 0;
	err = describe(walker, anchor.ip, anchor.is_caller, &frame);
	if (err || frame.kind == FRAME_NATIVE)
		return err;
	frame.sp = anchor.sp;
	frame.fields |= FRAME_SP;
	frame.guessed |= own->is_cooperative || anchor.is_guessed ? frame.fields : 0;
	err = walk__push(chain->walk, &frame);
	return err ? err : frame_chain__follow(chain, anchor.fp);
}

/*
 * Between the native code that a thread is in and the managed code that called it: is there an
 * address in the runtime? Then the runtime may be collecting, loading or anything else there.
 */
static bool is_through_runtime(struct clr_walker *walker, struct stack_view *view, uint64_t end)
{
	uint64_t word, at = view->thread->sp & ~(uint64_t)7;
	bool lasting;

	for (size_t words = 0; at < end; at += sizeof(word), words++)
		if (words == BETWEEN_MOST || stack_view__word(view, at, &word, &lasting) ||
		    code_at(walker, word) == CODE_RUNTIME)
			return true;
	return false;
}

/* called_at: the sp of the managed code that called it; 0: not known for certain. */
static void place_native(struct clr_walker *walker, struct stack_view *view,
			 const struct clr_thread *own, uint64_t called_at, struct walk *walk)
{
	const enum code code = code_at(walker, view->thread->ip);

	walk->place = PLACE_NATIVE;
	if (code == CODE_COMPILER) {
		walk->place = PLACE_COMPILER;
		walk->place_lasting = true;
	} else if (own && clr_threads__is_stopper(walker->threads, own)) {
		walk->place = PLACE_GC;
		walk->place_guessed = code != CODE_RUNTIME;
	} else {
		walk->place_guessed = code == CODE_RUNTIME || !called_at ||
				      is_through_runtime(walker, view, called_at);
		walk->place_lasting = !walk->place_guessed;
	}
}

static int walk_native(struct clr_walker *walker, struct frame_chain *chain)
{
	const struct caught_thread *thread = chain->view.thread;
	const struct clr_thread *own =
		walker->threads ? clr_threads__find(walker->threads, thread->inner_tid) : NULL;
	struct walk *walk = chain->walk;
	bool is_certain;
	int err = 0;

	walk->is_managed = own != NULL;
	if (own)
		err = walk_anchor(walker, chain, own);
	is_certain = !err && own && walk->frames.count && !walk->frames.items[0].guessed;
	place_native(walker, &chain->view, own, is_certain ? walk->frames.items[0].sp : 0, walk);
	if (!err && !walk->frames.count && !walker->threads)
		err = frame_chain__follow(chain, thread->fp);
	if (!err && !walk->frames.count && (own || !walker->threads))
		err = frame_chain__search(chain);
	return err;
}

static int walk(void *state, const struct caught_thread *thread, struct walk *walk)
{
	struct clr_walker *walker = state;
	struct frame_chain chain = { .walk = walk, .describe = describe, .state = walker };
	struct frame leaf;
	int err = describe(walker, thread->ip, false, &leaf);

	if (err)
		return err;
	stack_view__init(&chain.view, thread, walker->memory);
	err = leaf.kind == FRAME_NATIVE ? walk_native(walker, &chain)
					: walk_managed(walker, &chain, &leaf);
	return err == -E2BIG ? 0 : err;
}

/* ---------------------------------------------------------------- opening */

static const char contract_name[] = "DotNetRuntimeContractDescriptor";

/* As much as its version tells. */
static int take_tables(struct clr_walker *walker)
{
	int err = clr_threads__new(walker->contract, walker->memory, &walker->threads);

	if (!err)
		err = clr_names__new(walker->contract, walker->memory, &walker->thread_names);
	if (err && err != -ENOTSUP)
		return err;
	err = clr_methods__new(walker->contract, walker->memory, &walker->methods);
	return err ? err : clr_code__new(walker->contract, walker->memory, &walker->code);
}

/* 0, also where there is none; or an error that ends it. */
static int read_contract(struct clr_walker *walker, const struct walker_target *target,
			 const struct map *map)
{
	uint64_t address;
	int fd = mapped_file__open(target->process, target->maps, map), err;

	if (fd < 0)
		return fd == -ESRCH ? fd : 0;
	err = symbol__find_variable(fd, contract_name, map->start, map->offset, &address);
	close(fd);
	if (!err)
		err = clr_contract__read(walker->memory, address, &walker->contract);
	if (!err)
		err = take_tables(walker);
	return err == -ENOMEM || err == -ESRCH ? err : 0;
}

static int open_names(struct clr_walker *walker, const struct process *process)
{
	struct buf environment = BUF_INIT;
	int err = environment__read(process, &environment);

	if (!err)
		err = code_names__open(process, environment__temporary(&environment), CODE_DOTNET,
				       &walker->names, NULL);
	else if (err != -ESRCH)
		err = code_names__open(process, NULL, CODE_DOTNET, &walker->names, NULL);
	buf__free(&environment);
	walker->has_names = !err;
	return err == -ENOMEM || !walker->names ? err : 0;
}

static void close_walker(void *state)
{
	struct clr_walker *walker = state;

	if (!walker)
		return;
	clr_methods__free(walker->methods);
	clr_code__free(walker->code);
	clr_names__free(walker->thread_names);
	clr_threads__free(walker->threads);
	clr_contract__free(walker->contract);
	code_names__free(walker->names);
	free(walker);
}

static int open_walker(const struct walker_target *target, void **state, struct buf *why)
{
	const struct map *library = maps__named(target->maps, "libcoreclr.so");
	struct clr_walker *walker = calloc(1, sizeof(*walker));
	int err;

	(void)why;
	*state = NULL;
	if (!walker)
		return -ENOMEM;
	walker->maps = target->maps;
	walker->memory = target->memory;
	err = open_names(walker, target->process);
	if (!err && library)
		err = read_contract(walker, target, library);
	if (err)
		close_walker(walker);
	else
		*state = walker;
	return err;
}

static int refresh(void *state, const struct maps *maps)
{
	struct clr_walker *walker = state;
	int err;

	if (maps)
		walker->maps = maps;
	err = code_names__refresh(walker->names);
	walker->has_names = !err;
	if (err == -ENOMEM || err == -ESRCH)
		return err;
	if (walker->code)
		clr_code__forget(walker->code);
	err = walker->threads ? clr_threads__refresh(walker->threads) : 0;
	return err == -ENOMEM || err == -ESRCH ? err : 0;
}

static int name(void *state, uint64_t method, struct buf *name)
{
	const struct clr_walker *walker = state;
	const char *text = method & BY_MAP ? code_names__text(walker->names, method & ~BY_MAP)
			   : walker->methods ? clr_methods__name(walker->methods, method) : NULL;

	return walker__tell_name(text, name);
}

static int thread_name(void *state, pid_t inner_tid, struct buf *name)
{
	const struct clr_walker *walker = state;
	const struct clr_thread *thread =
		walker->thread_names ? clr_threads__find(walker->threads, inner_tid) : NULL;

	return thread ? clr_names__thread(walker->thread_names, thread->address, name) : -ENOENT;
}

const struct walker clr_walker = {
	.kind = RUNTIME_DOTNET,
	.open = open_walker,
	.close = close_walker,
	.refresh = refresh,
	.walk = walk,
	.name = name,
	.thread_name = thread_name,
};
