/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where threads of CPython are. The interpreter keeps its frames in its own memory, not on the
 * native stack:
 *
 *	_PyRuntime -> interpreters -> thread states -> the latest frame -> the one that called it
 *
 * A thread state has the thread's number; a frame its code object, and where in its bytecode it is
 * (f_lasti, as Python itself calls it). So the frames of a thread that stands still are certain;
 * of one that runs they are those of a moment later, and a frame may be read while it changes:
 * what does not lead to a code object ends the walk.
 *
 * The thread is in Python's code while its ip is in the interpreter's loop, _PyEval_EvalFrame-
 * Default. Elsewhere in the same file it may serve the loop, or be a function written in C: both
 * are called from it, and which it is cannot be told.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/search.h"
#include "cpython_code.h"
#include "cpython_layout.h"
#include "mapped_file.h"
#include "maps.h"
#include "process.h"
#include "remote.h"
#include "symbol.h"
#include "symbols.h"
#include "walker.h"

#define INTERPRETERS_MOST 4096 /* lists that run in a circle end here */
#define THREADS_MOST 65536
#define OWNED_BY_C 3 /* frame_owner, 3.12 on: no function's, but where C calls Python */

struct python_thread {
	pid_t tid;
	uint64_t address, interpreter;
};

struct cpython_walker {
	struct cpython_layout layout;
	struct remote *memory;
	const struct maps *maps;
	uint64_t runtime;	/* address of _PyRuntime */
	uint32_t major, minor;	/* the device and */
	uint64_t inode;		/* file that has the interpreter */
	struct symbols *symbols;
	struct cpython_codes *codes;
	VEC(struct python_thread) threads; /* by tid */
	bool has_all_threads;	/* the list did not change while it was read */
};

/* ---------------------------------------------------------------- threads */

static int read_word(struct cpython_walker *walker, uint64_t address, uint64_t *value)
{
	return remote__read(walker->memory, address, value, sizeof(*value));
}

static uint64_t word_in(const unsigned char *bytes, uint32_t at)
{
	uint64_t value;

	memcpy(&value, bytes + at, sizeof(value));
	return value;
}

static uint32_t most(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* A thread state; *next: the one behind it. */
static int read_thread(struct cpython_walker *walker, uint64_t interpreter, uint64_t address,
		       uint64_t *next)
{
	const struct cpython_layout *layout = &walker->layout;
	const uint32_t last = most(most(layout->thread_id, layout->thread_interpreter),
				   layout->thread_next);
	unsigned char bytes[CPYTHON_THREAD_BYTES];
	struct python_thread thread = { .address = address, .interpreter = interpreter };
	int err = remote__read(walker->memory, address, bytes, last + sizeof(uint64_t));

	if (err)
		return err;
	if (word_in(bytes, layout->thread_interpreter) != interpreter)
		return -EPROTO;
	*next = word_in(bytes, layout->thread_next);
	thread.tid = (pid_t)word_in(bytes, layout->thread_id);
	return thread.tid > 0 ? vec__push(&walker->threads, thread) : 0;
}

static int read_threads(struct cpython_walker *walker, uint64_t interpreter)
{
	uint64_t address;
	int err = read_word(walker, interpreter + walker->layout.threads, &address);

	while (!err && address) {
		if (walker->threads.count >= THREADS_MOST)
			return -EPROTO;
		err = read_thread(walker, interpreter, address, &address);
	}
	return err;
}

static int read_interpreters(struct cpython_walker *walker)
{
	uint64_t address;
	int err = read_word(walker, walker->runtime + walker->layout.interpreters, &address);

	for (size_t seen = 0; !err && address; seen++) {
		if (seen >= INTERPRETERS_MOST)
			return -EPROTO;
		err = read_threads(walker, address);
		if (!err)
			err = read_word(walker, address + walker->layout.interpreter_next,
					&address);
	}
	return err;
}

static int compare_tids(const void *a, const void *b)
{
	const struct python_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static const struct python_thread *find_thread(const struct cpython_walker *walker, pid_t tid)
{
	const size_t at = search__front(walker->threads.items, walker->threads.count, thread,
					thread->tid < tid);

	return at < walker->threads.count && walker->threads.items[at].tid == tid
		       ? &walker->threads.items[at] : NULL;
}

/* Lists that are changed while they are read are read again at the next sweep. */
static int refresh(void *state, const struct maps *maps)
{
	struct cpython_walker *walker = state;
	int err;

	if (maps)
		walker->maps = maps;
	vec__reset(&walker->threads);
	err = read_interpreters(walker);
	walker->has_all_threads = !err;
	vec__sort(&walker->threads, compare_tids);
	return err == -ENOMEM || err == -ESRCH ? err : 0;
}

/* ---------------------------------------------------------------- frames */

struct python_frame {
	uint64_t code, at, previous;
	uint8_t owner;
};

static int read_frame(struct cpython_walker *walker, uint64_t address, struct python_frame *frame)
{
	const struct cpython_layout *layout = &walker->layout;
	const uint32_t last = most(most(layout->frame_code, layout->frame_at),
				   most(layout->frame_previous, layout->frame_owner));
	unsigned char bytes[CPYTHON_FRAME_BYTES];
	int err = remote__read(walker->memory, address, bytes, last + sizeof(uint64_t));

	if (err)
		return err;
	frame->code = word_in(bytes, layout->frame_code);
	frame->at = word_in(bytes, layout->frame_at);
	frame->previous = word_in(bytes, layout->frame_previous);
	frame->owner = bytes[layout->frame_owner];
	return 0;
}

static int latest_frame(struct cpython_walker *walker, const struct python_thread *thread,
			uint64_t *address)
{
	uint64_t holder = thread->address;
	int err = 0;

	if (walker->layout.c_frame != CPYTHON_NONE)
		err = read_word(walker, holder + walker->layout.c_frame, &holder);
	return err ? err : read_word(walker, holder + walker->layout.current_frame, address);
}

/* 1: it was pushed; 0: it is no function's; -ENOENT: it makes no sense. */
static int push_frame(struct cpython_walker *walker, const struct python_frame *own,
		      struct walk *walk)
{
	struct frame frame = { .kind = FRAME_INTERPRETED };
	struct cpython_code code;
	int err;

	if (own->owner == OWNED_BY_C)
		return 0;
	err = cpython_codes__find(walker->codes, own->code, &code);
	if (err)
		return err;
	frame.method = code.number;
	frame.fields = code.number ? FRAME_METHOD : 0;
	/* Before its first instruction there is none to tell. */
	if (own->at >= code.start && own->at - code.start < code.size) {
		frame.pc_offset = (uint32_t)(own->at - code.start);
		frame.fields |= FRAME_PC_OFFSET;
	}
	err = walk__push(walk, &frame);
	return err ? err : 1;
}

static int walk_frames(struct cpython_walker *walker, const struct python_thread *thread,
		       struct walk *walk)
{
	struct python_frame frame = { 0 };
	uint64_t address;
	int err = latest_frame(walker, thread, &address);

	for (size_t seen = 0; err >= 0 && address && seen < 2 * WALK_FRAMES; seen++) {
		err = read_frame(walker, address, &frame);
		if (err >= 0)
			err = push_frame(walker, &frame, walk);
		address = frame.previous;
	}
	walk->is_whole = err >= 0 && !address;
	return err == -ENOMEM || err == -ESRCH ? err : 0;
}

/* ---------------------------------------------------------------- where it is */

enum within {
	WITHIN_LOOP,
	WITHIN_INTERPRETER, /* in its file */
	WITHIN_OTHER,
};

static enum within where_is(struct cpython_walker *walker, uint64_t ip)
{
	static const char loop[] = "_PyEval_EvalFrameDefault";
	const struct map *map = maps__at(walker->maps, ip);
	struct symbol_found found;

	if (!map || map->inode != walker->inode || map->major != walker->major ||
	    map->minor != walker->minor)
		return WITHIN_OTHER;
	symbols__find(walker->symbols, ip, &found);
	return found.function && strncmp(found.function, loop, strlen(loop)) == 0
		       ? WITHIN_LOOP : WITHIN_INTERPRETER;
}

/* A collection is under way, and the thread has the lock of the interpreter, so it collects. */
static bool collects(struct cpython_walker *walker, const struct python_thread *thread)
{
	const struct cpython_layout *layout = &walker->layout;
	uint64_t lock = walker->runtime + layout->lock, holder;
	uint32_t collecting, is_held;

	if (remote__read(walker->memory, thread->interpreter + layout->collecting, &collecting,
			 sizeof(collecting)) || collecting != 1)
		return false;
	if (layout->lock_pointer != CPYTHON_NONE &&
	    read_word(walker, thread->interpreter + layout->lock_pointer, &lock))
		return false;
	return !remote__read(walker->memory, lock + layout->lock_is_held, &is_held,
			     sizeof(is_held)) && is_held == 1 &&
	       !read_word(walker, lock + layout->lock_holder, &holder) &&
	       holder == thread->address;
}

static void place(struct cpython_walker *walker, const struct python_thread *own, uint64_t ip,
		  struct walk *walk)
{
	const enum within within = where_is(walker, ip);

	walk->has_leaf = within == WITHIN_LOOP && own;
	walk->place = PLACE_NATIVE;
	walk->place_guessed = true;
	if (!own) {
		walk->place_guessed = !walker->has_all_threads;
	} else if (within == WITHIN_LOOP) {
		/* Finalizers and callbacks run in a collection, too: it is the program's code. */
		walk->place = PLACE_JIT;
		walk->place_guessed = false;
		walk->place_lasting = true;
	} else if (collects(walker, own)) {
		walk->place = PLACE_GC;
	} else if (within == WITHIN_INTERPRETER) {
		walk->place = PLACE_JIT;
	}
}

static int walk(void *state, const struct caught_thread *thread, struct walk *walk)
{
	struct cpython_walker *walker = state;
	const struct python_thread *own = find_thread(walker, thread->inner_tid);
	struct frame *leaf;
	int err;

	place(walker, own, thread->ip, walk);
	walk->is_managed = own || !walker->has_all_threads;
	if (!own)
		return 0;
	err = walk_frames(walker, own, walk);
	if (!walk->frames.count) {
		walk->has_leaf = false;
	} else if (walk->has_leaf) {
		leaf = &walk->frames.items[0];
		leaf->ip = thread->ip;
		leaf->sp = thread->sp;
		leaf->fields |= FRAME_IP | FRAME_SP;
		leaf->lasting = FRAME_IP | FRAME_SP;
	}
	return err;
}

static int name(void *state, uint64_t method, struct buf *name)
{
	const struct cpython_walker *walker = state;

	return walker__tell_name(cpython_codes__name(walker->codes, method), name);
}

/* ---------------------------------------------------------------- opening */

static int find_variables(const struct walker_target *target, const struct map *map,
			  uint64_t *runtime, uint64_t *code_type)
{
	int fd = mapped_file__open(target->process, target->maps, map), err;

	if (fd < 0)
		return fd;
	err = symbol__find_variable(fd, "_PyRuntime", map->start, map->offset, runtime);
	if (!err)
		err = symbol__find_variable(fd, "PyCode_Type", map->start, map->offset, code_type);
	close(fd);
	return err;
}

/* A library libpython3.so only leads to the real one: each file is asked. */
static int find_interpreter(struct cpython_walker *walker, const struct walker_target *target,
			    uint64_t *code_type)
{
	int err = -ENOENT;

	for (const struct map *map = NULL; (map = maps__next_file(target->maps, map));) {
		if (!strstr(map->path, "python"))
			continue;
		err = find_variables(target, map, &walker->runtime, code_type);
		if (err == -ESRCH || err == -ENOMEM)
			return err;
		if (err)
			continue;
		walker->major = map->major;
		walker->minor = map->minor;
		walker->inode = map->inode;
		return 0;
	}
	return err;
}

static int open_tables(struct cpython_walker *walker, const struct walker_target *target,
		       struct buf *why)
{
	unsigned char published[CPYTHON_PUBLISHED];
	const char *version = target->runtime->version;
	uint64_t code_type = 0;
	int err = find_interpreter(walker, target, &code_type);

	if (!err)
		err = remote__read(walker->memory, walker->runtime, published, sizeof(published));
	if (err == -ESRCH || err == -ENOMEM)
		return err;
	if (err || !version) {
		buf__add_str(why, "its CPython exports no _PyRuntime");
		return -ENOTSUP;
	}
	err = cpython_layout__find(version, published, &walker->layout, why);
	if (err)
		return err;
	walker->codes = cpython_codes__new(&walker->layout, code_type, walker->memory);
	return walker->codes ? 0 : -ENOMEM;
}

static void close_walker(void *state)
{
	struct cpython_walker *walker = state;

	if (!walker)
		return;
	cpython_codes__free(walker->codes);
	vec__free(&walker->threads);
	free(walker);
}

static int open_walker(const struct walker_target *target, void **state, struct buf *why)
{
	struct cpython_walker *walker = calloc(1, sizeof(*walker));
	int err;

	*state = NULL;
	if (!walker)
		return -ENOMEM;
	walker->memory = target->memory;
	walker->maps = target->maps;
	walker->symbols = target->symbols;
	err = open_tables(walker, target, why);
	if (err)
		close_walker(walker);
	else
		*state = walker;
	return err;
}

const struct walker cpython_walker = {
	.kind = RUNTIME_CPYTHON,
	.open = open_walker,
	.close = close_walker,
	.refresh = refresh,
	.walk = walk,
	.name = name,
};
