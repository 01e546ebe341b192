/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far what is found can be believed:
 *
 * A walk from an anchor is right while the thread does not return to Java code: the anchor, and
 * all frames from there on, stand still as long. Every frame is checked against the JVM's tables
 * (the return address is in code that is in use, and is described there as one; an interpreter
 * frame's Method is one, and its bytecode lies in it), and the walk ends where something does not
 * fit. What ends at the first entry frame is whole.
 *
 * A walk from registers has a doubtful innermost frame:
 *
 *	in the interpreter: right when the frame stands (sp is below all its slots) and r13, where
 *	the interpreter has its bytecode pointer, lies in the Method that the frame names. In the
 *	few instructions where a frame is made one of the two is another method's. That no stale
 *	Method fits by chance is because the slot is written right after r13 is loaded.
 *
 *	in a compiled method: the method whose code it is is certain, and so is its caller where the
 *	frame stands, which the instructions at ip tell. What was inlined there is the nearest that
 *	is described: a guess.
 *
 *	in a stub: frames of hand-written code are not described. Its caller is a guess: what looks
 *	like a return address, where it would be with and without a frame.
 */
#include "jvm_frames.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "jvm_code.h"
#include "jvm_layout.h"
#include "jvm_memory.h"
#include "jvm_methods.h"
#include "jvm_scopes.h"
#include "jvm_threads.h"
#include "remote.h"
#include "walker.h"

#define WORD 8
/* Interpreter frames, in words from fp (cpu/x86/frame_x86.hpp); checked by what is found there. */
#define SLOT_METHOD (-3)
#define SLOT_BYTECODE (-8)
#define SLOT_LAST (-9) /* the frame stands when sp is here or below */
#define SLOT_RETURN 1

/* Where the walk is: in a frame that has this pc, and sp below everything of its callers. */
struct cursor {
	uint64_t pc, sp, fp;
	bool lasting; /* all that led here was caught with the registers */
	bool guessed;
	unsigned int steps; /* taken so far */
};

static bool read_stack(const struct jvm_frames *frames, uint64_t address, uint64_t *value)
{
	struct jvm_stack *stack = frames->stack;
	const uint64_t at = address & ~(uint64_t)(sizeof(stack->bytes) - 1);

	if (at != stack->at) {
		stack->at = at;
		stack->is_there = remote__read(jvm_memory__remote(frames->memory), at, stack->bytes,
					       sizeof(stack->bytes)) == 0;
	}
	if (stack->is_there)
		memcpy(value, stack->bytes + (address - at), sizeof(*value));
	return stack->is_there;
}

static bool is_within(uint64_t at, uint32_t bytes, uint64_t address)
{
	return address >= at && bytes >= WORD && address - at <= bytes - WORD;
}

/* A word of the thread's stack: as it was caught, or else as it is now. */
static bool read_word(const struct jvm_frames *frames, uint64_t address, uint64_t *value,
		      bool *lasting)
{
	const struct caught_thread *caught = frames->caught;

	if (address % WORD || address < frames->thread->stack_low ||
	    address >= frames->thread->stack_high)
		return false;
	if (is_within(caught->stack_at, caught->stack_bytes, address) ||
	    is_within(caught->frame_at, caught->frame_bytes, address))
		return caught__read(caught, jvm_memory__remote(frames->memory), address, value,
				    sizeof(*value), lasting) == 0;
	*lasting = false;
	return read_stack(frames, address, value);
}

static uint64_t slot(uint64_t fp, int64_t words)
{
	return fp + (uint64_t)(words * WORD);
}

/*
 * The location says "loading a class" where a frame of any depth does: for threads that are at work
 * the walk goes on when the frames that are wanted were had.
 */
static bool looks_for_loader(const struct jvm_frames *frames)
{
	return (frames->walk->place == PLACE_JIT || frames->walk->place == PLACE_NATIVE) &&
	       !frames->caught->waits && !frames->walk->is_cut;
}

static int push(const struct jvm_frames *frames, const struct cursor *at, struct frame frame)
{
	int err;

	frame.ip = at->pc;
	frame.sp = at->sp;
	frame.fields |= FRAME_IP | FRAME_SP;
	if (at->guessed)
		frame.guessed = frame.fields;
	if (at->lasting)
		frame.lasting = frame.fields;
	err = walk__push(frames->walk, &frame);
	return err == -E2BIG && looks_for_loader(frames) ? 0 : err;
}

static int push_method(const struct jvm_frames *frames, const struct cursor *at,
		       const struct jvm_method *method, struct frame frame)
{
	struct walk *walk = frames->walk;

	if (method->is_loader && looks_for_loader(frames)) {
		walk->place = PLACE_LOADER;
		walk->place_guessed = at->guessed;
		walk->place_lasting = at->lasting;
	}
	frame.fields |= FRAME_METHOD;
	frame.method = method->number;
	return push(frames, at, frame);
}

/* Callers lie above: a walk that does not go up goes nowhere. */
static bool go_up(const struct jvm_frames *frames, struct cursor *at, struct cursor next)
{
	if (next.sp <= at->sp || next.sp > frames->thread->stack_high || next.steps >= WALK_FRAMES)
		return false;
	next.steps++;
	*at = next;
	return true;
}

/* ------------------------------------------------------------------------------------------ */

struct interpreted {
	struct jvm_method method;
	uint64_t bytecode; /* 0: the slot has none, as in native methods */
};

static int read_interpreted(const struct jvm_frames *frames, struct cursor *at,
			    struct interpreted *out)
{
	uint64_t method;

	if (at->fp < at->sp ||
	    !read_word(frames, slot(at->fp, SLOT_METHOD), &method, &at->lasting) ||
	    !read_word(frames, slot(at->fp, SLOT_BYTECODE), &out->bytecode, &at->lasting))
		return -ENOENT;
	return jvm_methods__find(frames->methods, method, &out->method);
}

static bool is_in(const struct jvm_method *method, uint64_t bytecode)
{
	return bytecode >= method->code && bytecode - method->code < method->code_size;
}

static int push_interpreted(const struct jvm_frames *frames, const struct cursor *at,
			    const struct jvm_method *method, uint64_t bytecode)
{
	struct frame frame = { .kind = FRAME_INTERPRETED };

	if (is_in(method, bytecode)) {
		frame.fields |= FRAME_PC_OFFSET;
		frame.pc_offset = (uint32_t)(bytecode - method->code);
	}
	return push_method(frames, at, method, frame);
}

static bool leave_interpreted(const struct jvm_frames *frames, struct cursor *at)
{
	struct cursor next = *at;

	return read_word(frames, slot(at->fp, (int64_t)frames->layout->sender_sp), &next.sp,
			 &next.lasting) &&
	       read_word(frames, slot(at->fp, SLOT_RETURN), &next.pc, &next.lasting) &&
	       read_word(frames, at->fp, &next.fp, &next.lasting) && go_up(frames, at, next);
}

/* A frame that called: 1, gone up to its caller; 0, the end; or negative errno. */
static int step_interpreted(const struct jvm_frames *frames, struct cursor *at)
{
	struct interpreted it;
	int err = read_interpreted(frames, at, &it);

	if (!err && !it.method.is_native && !is_in(&it.method, it.bytecode))
		err = -ENOENT;
	if (!err)
		err = push_interpreted(frames, at, &it.method, it.bytecode);
	if (err)
		return err == -ENOENT ? 0 : err;
	return leave_interpreted(frames, at);
}

/* ------------------------------------------------------------------------------------------ */

/*
 * The methods inlined around a place in compiled code, and the compiled method. nearest: the place
 * need not be one that is described; what is inlined is then a guess.
 */
static int push_compiled(const struct jvm_frames *frames, const struct cursor *at,
			 const struct jvm_blob *blob, bool nearest)
{
	struct jvm_scope scopes[JVM_SCOPES_MOST];
	size_t count = jvm_scopes__at(frames->scopes, blob, at->pc, nearest, scopes);
	struct jvm_method method;
	int err = 0;

	for (size_t i = 0; !err && i + 1 < count; i++) {
		struct cursor inlined = *at;

		err = jvm_methods__find(frames->methods, scopes[i].method, &method);
		if (err)
			break;
		inlined.guessed |= nearest;
		err = push_method(frames, &inlined, &method,
				  (struct frame){ .kind = FRAME_INLINED });
	}
	if (!err)
		err = jvm_methods__find(frames->methods, blob->method, &method);
	if (!err)
		err = push_method(frames, at, &method, (struct frame){ .kind = FRAME_COMPILED });
	return err;
}

static int push_stub(const struct jvm_frames *frames, const struct cursor *at, const char *name)
{
	struct frame frame = { .kind = FRAME_STUB };

	if (name && *name) {
		frame.method = jvm_methods__number(frames->methods, name);
		if (!frame.method)
			return -ENOMEM;
		frame.fields = FRAME_METHOD;
	}
	return push(frames, at, frame);
}

/* From a frame that ends `size` bytes above sp, with the caller's fp and the return address. */
static bool leave_sized(const struct jvm_frames *frames, struct cursor *at, uint64_t size)
{
	struct cursor next = *at;

	next.sp = at->sp + size;
	return read_word(frames, next.sp - WORD, &next.pc, &next.lasting) &&
	       (size < 2 * WORD ||
		read_word(frames, next.sp - 2 * WORD, &next.fp, &next.lasting)) &&
	       go_up(frames, at, next);
}

static int step_compiled(const struct jvm_frames *frames, struct cursor *at,
			 const struct jvm_blob *blob)
{
	int64_t original = jvm_code__original_pc(frames->code, blob, at->pc);
	uint64_t pc;
	int err;

	if (original >= 0) {
		if (!read_word(frames, at->sp + (uint64_t)original, &pc, &at->lasting) ||
		    pc < blob->begin || pc >= blob->end)
			return 0;
		at->pc = pc;
	}
	err = push_compiled(frames, at, blob, false);
	if (err)
		return err == -ENOENT ? 0 : err;
	return blob->frame_size && leave_sized(frames, at, blob->frame_size);
}

static int step_stub(const struct jvm_frames *frames, struct cursor *at,
		     const struct jvm_blob *blob)
{
	int err = push_stub(frames, at, blob->name);

	return err ? err : leave_sized(frames, at, blob->frame_size);
}

/* ------------------------------------------------------------------------------------------ */

static bool has_anchor(const struct jvm_frames *frames, const struct jvm_anchor *anchor)
{
	return anchor->sp >= frames->thread->stack_low && anchor->sp < frames->thread->stack_high;
}

/* Some places leave pc out: it is then right below sp, where the call has put it. */
static bool take_anchor(const struct jvm_frames *frames, const struct jvm_anchor *anchor,
			struct cursor *at)
{
	at->pc = anchor->pc;
	at->sp = anchor->sp;
	at->fp = anchor->fp;
	return at->pc || read_word(frames, at->sp - WORD, &at->pc, &at->lasting);
}

/* What C++ had called Java from: in an entry frame's wrapper is the anchor of that time. */
static int step_entry(const struct jvm_frames *frames, struct cursor *at)
{
	const struct jvm_layout *layout = frames->layout;
	const uint64_t from = at->sp;
	struct jvm_anchor anchor;
	uint64_t wrapper;

	if (!read_word(frames, slot(at->fp, (int64_t)layout->entry_wrapper), &wrapper,
		       &at->lasting))
		return 0;
	wrapper += layout->wrapper_anchor;
	if (!read_word(frames, wrapper + layout->anchor_sp, &anchor.sp, &at->lasting) ||
	    !read_word(frames, wrapper + layout->anchor_fp, &anchor.fp, &at->lasting) ||
	    !read_word(frames, wrapper + layout->anchor_pc, &anchor.pc, &at->lasting))
		return 0;
	if (!anchor.sp) {
		frames->walk->is_whole = true;
		return 0;
	}
	return anchor.sp > from && has_anchor(frames, &anchor) && take_anchor(frames, &anchor, at);
}

/* One frame that has called another. 1: there is more; 0: the end; or negative errno. */
static int step(const struct jvm_frames *frames, struct cursor *at)
{
	struct jvm_blob blob;

	if (jvm_code__is_entry(frames->code, at->pc))
		return step_entry(frames, at);
	jvm_code__find(frames->code, at->pc, &blob);
	switch (blob.kind) {
	case JVM_CODE_INTERPRETER:
		return step_interpreted(frames, at);
	case JVM_CODE_COMPILED:
	case JVM_CODE_WRAPPER:
		return step_compiled(frames, at, &blob);
	case JVM_CODE_STUB:
		return step_stub(frames, at, &blob);
	default:
		return 0;
	}
}

static int go_on(const struct jvm_frames *frames, struct cursor *at)
{
	int more;

	do {
		more = step(frames, at);
	} while (more > 0);
	return more;
}

int jvm_frames__from_anchor(const struct jvm_frames *frames)
{
	struct cursor at = { .lasting = false };

	if (!has_anchor(frames, &frames->thread->anchor) ||
	    !take_anchor(frames, &frames->thread->anchor, &at))
		return 0;
	return go_on(frames, &at);
}

/* ------------------------------------------------------------------------------------------ */

/* Nothing certain in the interpreter: a stub's frame; what is called so is for people. */
static int leaf_interpreted(const struct jvm_frames *frames, struct cursor *at)
{
	const uint64_t bytecode = frames->caught->bcp;
	struct interpreted it;
	int err = read_interpreted(frames, at, &it);
	bool stands;

	if (err == -ENOENT)
		return push_stub(frames, at, "interpreter");
	if (err)
		return err;
	stands = at->sp <= slot(at->fp, SLOT_LAST) && is_in(&it.method, bytecode);
	at->guessed |= !stands;
	err = push_interpreted(frames, at, &it.method, stands ? bytecode : 0);
	return err ? err : leave_interpreted(frames, at);
}

/*
 * How many bytes above sp the frame of a compiled method ends, where its thread may be anywhere in
 * it. At its beginning it has no frame yet; at its end, from the pop of rbp on, none any more; in
 * between it has all of it. The end of a method is
 *
 *	add rsp, SIZE / pop rbp / (cmp rsp, [r15 + n] / ja far) / ret
 */
static uint64_t leaf_size(const struct jvm_frames *frames, const struct cursor *at,
			  const struct jvm_blob *blob, bool *guessed)
{
	unsigned char code[16] = { 0 };
	size_t i = 0;

	if (at->pc - blob->begin < blob->complete) {
		*guessed = true;
		return WORD;
	}
	if (!jvm_memory__read(frames->memory, at->pc, code, sizeof(code)))
		return blob->frame_size;
	if (code[0] == 0x5d)
		return 2 * WORD;
	if (code[0] == 0x49 && code[1] == 0x3b && (code[2] == 0x67 || code[2] == 0xa7))
		i = code[2] == 0x67 ? 4 : 7;
	if (code[i] == 0x0f && code[i + 1] == 0x87)
		i += 6;
	return code[i] == 0xc3 ? WORD : blob->frame_size;
}

static int leaf_compiled(const struct jvm_frames *frames, struct cursor *at,
			 const struct jvm_blob *blob)
{
	bool guessed = false;
	uint64_t size = leaf_size(frames, at, blob, &guessed);
	int err = push_compiled(frames, at, blob, true);

	if (err)
		return err == -ENOENT ? 0 : err;
	at->guessed |= guessed;
	return size && leave_sized(frames, at, size);
}

/* A place that some code may have called from, and whose frame can be walked. */
static bool is_return(const struct jvm_frames *frames, const struct cursor *at)
{
	struct jvm_blob blob;

	jvm_code__find(frames->code, at->pc, &blob);
	return blob.kind == JVM_CODE_INTERPRETER ||
	       ((blob.kind == JVM_CODE_COMPILED || blob.kind == JVM_CODE_WRAPPER) &&
		jvm_code__is_after_call(frames->code, at->pc));
}

static int leaf_stub(const struct jvm_frames *frames, struct cursor *at, const char *name)
{
	struct cursor with = *at, without = *at;
	int err = push_stub(frames, at, name);

	if (err)
		return err;
	with.guessed = without.guessed = true;
	if (leave_sized(frames, &without, WORD) && is_return(frames, &without)) {
		*at = without;
		return 1;
	}
	with.sp = at->fp + 2 * WORD;
	if (at->fp >= at->sp && read_word(frames, at->fp, &with.fp, &with.lasting) &&
	    read_word(frames, slot(at->fp, 1), &with.pc, &with.lasting) &&
	    is_return(frames, &with)) {
		*at = with;
		return 1;
	}
	return 0;
}

/* After a stub the caller is in the midst of its code, not at a described place. */
static int go_on_near(const struct jvm_frames *frames, struct cursor *at)
{
	struct jvm_blob blob;
	int err;

	jvm_code__find(frames->code, at->pc, &blob);
	if (blob.kind != JVM_CODE_COMPILED)
		return go_on(frames, at);
	err = push_compiled(frames, at, &blob, true);
	if (err)
		return err == -ENOENT ? 0 : err;
	return leave_sized(frames, at, blob.frame_size) ? go_on(frames, at) : 0;
}

int jvm_frames__from_registers(const struct jvm_frames *frames, bool guessed)
{
	const struct caught_thread *caught = frames->caught;
	struct cursor at = {
		.pc = caught->ip, .sp = caught->sp, .fp = caught->fp,
		.lasting = true, .guessed = guessed,
	};
	struct jvm_blob blob;
	int more;

	if (at.sp % WORD)
		return push_stub(frames, &at, NULL);
	jvm_code__find(frames->code, at.pc, &blob);
	frames->walk->has_leaf = true;
	switch (blob.kind) {
	case JVM_CODE_INTERPRETER:
		more = leaf_interpreted(frames, &at);
		break;
	case JVM_CODE_COMPILED:
	case JVM_CODE_WRAPPER:
		more = leaf_compiled(frames, &at, &blob);
		break;
	default:
		more = leaf_stub(frames, &at, blob.name);
		return more > 0 ? go_on_near(frames, &at) : more;
	}
	return more > 0 ? go_on(frames, &at) : more;
}
