/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A walker says, for one managed runtime, which method a thread is in and what called that: from
 * the registers that the sampler caught and from the target's memory, without the target's help.
 * The sampler itself knows about threads, system calls and native symbols; all that depends on the
 * runtime is a walker's.
 *
 * To add one: fill in a const struct walker in a file of user/target/ (jvm_*.c, …), declare it
 * here, add it to the table in walker.c.
 *
 *	the sampler                                 the walker
 *	open()            once                      finds its tables; -ENOTSUP: not in this build
 *	refresh()         before each sweep's walks reads what changes: threads, code, in bulk
 *	walk()            for each thread           frames, innermost first
 *	name()            when a method is first shown
 *	close()
 *
 * All calls come from one thread. Nothing in here stops the target: that is the sampler's, and
 * only where the operator asked for it.
 *
 * How a field's accuracy comes about. The target runs on while its memory is read. So a walker
 * does not say EXACT or POOR; it says of each field of each frame what that stands on:
 *
 *	fields     it is there at all (a field that is not is 0, and NONE)
 *	guessed    it would be doubtful even if the thread had stood still: a heuristic, a table
 *	           that may have been changed: POOR
 *	lasting    it was got from what was caught at the very moment (registers, the stack bytes in
 *	           thread->stack) and from tables of the runtime that do not change: EXACT however
 *	           the thread went on
 *
 * A field that is neither guessed nor lasting was read from memory that the thread may have
 * changed: EXACT if the thread stood still from the sample until after the walk, which the sampler
 * finds out afterwards, else POOR. When in doubt: guessed.
 */
#ifndef GCTRACE_TARGET_WALKER_H
#define GCTRACE_TARGET_WALKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "../base/buf.h"
#include "../base/vec.h"
#include "place.h"
#include "runtime.h"

struct maps;
struct process;
struct remote;
struct symbols;

/* How a thread's registers were come by. */
enum caught {
	CAUGHT_OFF_CPU,	    /* it is off the CPU: its registers are those it left user mode with */
	CAUGHT_TICK,	    /* on a CPU, by a timer's tick in user mode: those of that moment */
	CAUGHT_TICK_KERNEL, /* the same in kernel mode: those it entered the kernel with, which
			       is where it will go on: as good */
	CAUGHT_STALE,	    /* on a CPU, seen from another one: those of when it last entered the
			       kernel: behind by microseconds or without bound */
};

/* Stack bytes that a tick copies, from sp on, at most: fewer where no whole stack is asked for. */
#define CAUGHT_STACK 2048
/* The bytes below the frame pointer that a tick copies as well, should they lie elsewhere. */
#define CAUGHT_FRAME 128

struct caught_thread {
	pid_t tid;	 /* in our pid namespace */
	pid_t inner_tid; /* as the target itself numbers it: what a runtime's tables have */
	enum caught how;
	uint64_t time_ns; /* CLOCK_MONOTONIC, of the registers */

	/* x86-64: rip, rsp, rbp, r13; arm64: pc, sp, x29, x22. r13 and x22: HotSpot's bytecode. */
	uint64_t ip, sp, fp, bcp;
	uint64_t link; /* arm64: x30; 0 elsewhere */

	/*
	 * The number of the system call that it is in; -1: in none. Ticks in kernel mode and
	 * threads off the CPU.
	 */
	int32_t syscall;
	bool waits; /* off the CPU, and not only because another thread has it */

	/*
	 * Bytes of its memory as they were at the moment of the registers, by a tick: from sp, and
	 * the CAUGHT_FRAME bytes that end 16 above fp. 0 bytes: none were had. Threads off the CPU
	 * have none: their memory stands still, too, as long as they do. The sampler's; valid
	 * during the walk. Read by caught__read().
	 */
	uint64_t stack_at, frame_at;
	uint32_t stack_bytes, frame_bytes;
	const unsigned char *stack, *frame;
};

enum frame_kind {
	FRAME_NATIVE,	   /* named by the sampler, from symbols: the walker gives ip (and sp) */
	FRAME_INTERPRETED, /* a method in an interpreter */
	FRAME_COMPILED,	   /* a method's machine code */
	FRAME_INLINED,	   /* a method whose code is inside the frame that comes next */
	FRAME_STUB,	   /* generated code of the runtime's that belongs to no method */
};

enum frame_field {
	FRAME_IP = 1,
	FRAME_SP = 2,
	FRAME_METHOD = 4,
	FRAME_PC_OFFSET = 8, /* of interpreted methods: the bytecode that runs, or calls */
};

struct frame {
	enum frame_kind kind;
	uint8_t fields, guessed, lasting; /* enum frame_field: see above */
	uint64_t ip;
	uint64_t sp;
	/*
	 * The walker's number for what name() names: of a method, of a stub too where it has a
	 * name. The same method has the same number while the walker is open and, unless the
	 * runtime reuses it, no other method has it. Never 0 where FRAME_METHOD is set.
	 */
	uint64_t method;
	uint32_t pc_offset;
};

/* The deepest stack that is walked; what is below is told as cut. */
#define WALK_FRAMES 1024

struct walk {
	size_t wanted; /* frames that are asked for; 0: all. The walk may end with them */
	VEC(struct frame) frames; /* innermost first; the walker pushes, the sampler empties */

	/*
	 * What the runtime says of the thread by itself, PLACE_UNKNOWN where it says nothing:
	 * PLACE_JIT where ip is in managed code, PLACE_BLOCKING where it says that it is blocked,
	 * PLACE_NATIVE for a thread in native code, PLACE_LOADER, … The rules by name (GC threads,
	 * compilers) and system calls (PLACE_BLOCKING) are the sampler's and come on top.
	 * guessed and lasting as for frames.
	 */
	enum place place;
	bool place_guessed, place_lasting;

	bool is_managed; /* it is one of the runtime's threads that can run managed code */
	bool is_whole;	 /* the outermost managed frame was reached */
	bool is_cut;	 /* there were more than WALK_FRAMES */

	/*
	 * The first frame is where ip is (caught->ip): true. False: the frames are the managed ones
	 * that called the native code that ip is in, with other native frames maybe in between.
	 */
	bool has_leaf;
};

/* A pause in which the runtime collects. */
struct walk_pause {
	bool is_under_way;
	uint64_t number; /* of collections so far: two looks that agree are at the same one */
};

/* What a walker is opened with. All of it outlives the walker. */
struct walker_target {
	const struct process *process;
	const struct runtime *runtime;
	const struct maps *maps; /* as they were; refresh() gets them again when they were read */
	struct remote *memory;
	struct symbols *symbols; /* of the mappings as they were read last */
	bool may_ask; /* the operator has said that the runtime may be asked to do something */
};

struct walker {
	enum runtime_kind kind;

	/*
	 * 0, -ENOTSUP (why: the reason as one sentence's end, escaped: "its libjvm.so has no
	 * vmStructs"), or another negative errno (-ENOMEM, -ESRCH).
	 */
	int (*open)(const struct walker_target *target, void **state, struct buf *why);
	void (*close)(void *state); /* NULL is legal */

	/*
	 * A new sweep: forget what may have changed. maps: read again, or NULL: as they were.
	 * 0, or negative errno: no walks this time (-ESRCH: the target is gone).
	 */
	int (*refresh)(void *state, const struct maps *maps);
	/* What walk() will read of this thread, but for its stack (remote__foresee). NULL: nothing
	   that is known. */
	void (*foresee)(void *state, const struct caught_thread *thread);

	/*
	 * One thread. The walk comes empty; what could be told is in it afterwards. 0 (also when
	 * nothing could be told), or negative errno that ends the sampling (-ENOMEM, -ESRCH).
	 */
	int (*walk)(void *state, const struct caught_thread *thread, struct walk *walk);

	/*
	 * The whole name of a method, unescaped, appended: "java.util.HashMap.get(Ljava/lang/
	 * Object;)Ljava/lang/Object;" or what the runtime calls it. 0, -ENOENT: no name for it, or
	 * negative errno.
	 */
	int (*name)(void *state, uint64_t method, struct buf *name);

	/*
	 * Is one under way right now? It is asked before and after the threads are caught. 0 or
	 * negative errno: it cannot be told. May be NULL.
	 */
	int (*pause)(void *state, struct walk_pause *pause);

	/*
	 * The name that the program gave a thread, where it is longer than the kernel's 15 bytes;
	 * as name(). May be NULL.
	 */
	int (*thread_name)(void *state, pid_t inner_tid, struct buf *name);
};

extern const struct walker clr_walker;
extern const struct walker cpython_walker;
extern const struct walker node_walker;

/* The walker of a runtime, or NULL: there is none. */
const struct walker *walker__find(enum runtime_kind kind);

/*
 * Bytes of a thread's memory: what was caught with its registers where that holds it (then
 * *lasting stays as it is), else the target's memory as it is now (*lasting becomes false).
 * 0 or negative errno, as remote__read().
 */
int caught__read(const struct caught_thread *thread, struct remote *memory, uint64_t address,
		 void *to, size_t size, bool *lasting);

/* What name() answers where its text is this one; NULL: there is none. */
int walker__tell_name(const char *text, struct buf *name);

/*
 * Append a frame. 0, -ENOMEM, or -E2BIG: there are as many as are wanted, or WALK_FRAMES, and then
 * the walk is marked as cut. The walk is to end there, with 0.
 */
int walk__push(struct walk *walk, const struct frame *frame);

/*
 * The first frame, of a thread that is in the runtime's code: its ip and sp are the thread's, and
 * all that is known of it stands on what was caught. The same.
 */
int walk__push_leaf(struct walk *walk, const struct caught_thread *thread, struct frame *frame);

#endif
