/* SPDX-License-Identifier: BSD-2-Clause */
/* What is found out about one thread of a sweep: its code, its method, its stack, by name. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/report.h"
#include "../model/call_stacks.h"
#include "../target/demangle.h"
#include "../target/name_table.h"
#include "../target/native_walk.h"
#include "observer_private.h"

#define LEAF_FRAMES 3 /* what a method needs when no stack is asked for */

/* ---------------------------------------------------------------- names */

/* "futex_wait (libc.so.6)", "(libc.so.6)" for what has no symbol there. */
static int name_native(struct observing *own, uint32_t method, const struct symbol_found *code)
{
	struct buf *name = &own->name;

	buf__reset(name);
	if (code->function) {
		demangle__add(name, code->function);
		buf__add_char(name, ' ');
	}
	buf__printf(name, "(%s)", *code->file ? code->file : "code without a file");
	if (name->error)
		return -ENOMEM;
	return call_stacks__set_name(own->stacks, method,
				     (struct text){ buf__str(name), name->len });
}

/*
 * A library may be unloaded, or the program replaced, and other code come to where it was: an
 * address is a function's only together with the file. What has no symbols is known by its file.
 */
static uint64_t key_of(struct observing *own, const struct symbol_found *code)
{
	char text[32];

	if (!code->function)
		return name_table__number(own->natives, code->file, strlen(code->file));
	snprintf(text, sizeof(text), "%" PRIx32 "+%" PRIx64, code->file_number, code->start);
	return name_table__number(own->natives, text, strlen(text));
}

static int native_method(struct observing *own, const struct symbol_found *code, uint32_t *method)
{
	const uint64_t key = key_of(own, code);
	bool is_new;
	int err = key ? call_stacks__method(own->stacks,
					    code->function ? METHOD_NATIVE : METHOD_NAMELESS, key,
					    method, &is_new) : -ENOMEM;

	return err || !is_new ? err : name_native(own, *method, code);
}

static int managed_method(struct observing *own, uint64_t number, uint32_t *method)
{
	bool is_new;
	int err = call_stacks__method(own->stacks, METHOD_MANAGED, number, method, &is_new);

	if (err || !is_new)
		return err;
	buf__reset(&own->name);
	err = own->walker->name(own->walker_state, number, &own->name);
	if (err && err != -ENOENT)
		return err;
	own->has_named |= !err;
	if (err)
		buf__add_str(&own->name, "?");
	return call_stacks__set_name(own->stacks, *method,
				     (struct text){ buf__str(&own->name), own->name.len });
}

/* Each mapping is asked for once in a sweep, and not any more once one has been found changed. */
static void doubt_map(struct observing *own, uint64_t ip)
{
	const struct map *map = maps__at(&own->maps, ip);
	uint64_t *asked = map ? &own->asked.items[map - own->maps.entries] : NULL;

	if (!map || *asked == own->sweep || !own->maps_ns)
		return;
	*asked = own->sweep;
	if (map_query__is_still(&own->query, map, ip))
		return;
	own->maps_ns = 0;
	own->distrusts_query |= own->maps_are_new;
	if (!own->distrusts_query)
		return;
	debug("what the kernel says of one mapping is not what it said of all: it is not asked"
	      " any more");
	map_query__close(&own->query);
}

/* The number of what a frame is in; 0: of nothing that has a name. */
static int method_of(struct observing *own, const struct frame *frame, uint32_t *method)
{
	struct symbol_found code;

	*method = 0;
	doubt_map(own, frame->ip);
	if (frame->fields & FRAME_METHOD)
		return managed_method(own, frame->method, method);
	if (frame->kind != FRAME_NATIVE)
		return 0;
	symbols__find(own->symbols, frame->ip, &code);
	return native_method(own, &code, method);
}

/* An object that is being moved has no name for a while: then it is what it was. */
void observing__name_thread(struct observing *own, const struct sampled *row, struct seen *seen)
{
	struct buf *name = &own->name;

	buf__reset(name);
	if (own->can_walk && own->walker->thread_name &&
	    own->walker->thread_name(own->walker_state, row->caught.inner_tid, name) == 0 &&
	    name->len)
		seen->is_named = true;
	else if (seen->is_named)
		return;
	else
		buf__add_str(name, row->comm);
	buf__reset(&seen->name);
	buf__add(&seen->name, buf__str(name), name->len);
}

/* ---------------------------------------------------------------- one thread's walk */

static int push_method(struct observing *own, uint32_t method)
{
	return method ? vec__push(&own->frames, method) : 0;
}

static int take_stack(struct observing *own, struct seen *seen)
{
	const struct walk *walk = &own->walk;
	int err = 0;

	vec__reset(&own->frames);
	seen->stack_guessed = !walk->is_whole || walk->is_cut;
	seen->stack_lasting = true;
	if (!walk->has_leaf)
		err = push_method(own, seen->function ? seen->function : seen->method);
	for (size_t i = 0; i < walk->frames.count && !err; i++) {
		const struct frame *frame = &walk->frames.items[i];
		const uint8_t names = frame->kind == FRAME_NATIVE ? FRAME_IP : FRAME_METHOD;
		uint32_t method;

		err = method_of(own, frame, &method);
		if (!err)
			err = push_method(own, method);
		seen->stack_guessed |= (frame->guessed & names) != 0;
		seen->stack_lasting &= (frame->lasting & names) != 0;
	}
	if (!err && own->frames.count)
		err = call_stacks__stack(own->stacks, own->frames.items, own->frames.count,
					 &seen->stack);
	return err;
}

/* The innermost frame that is a method's. Of a thread in a stub, ip is its caller's. */
static int take_method(struct observing *own, struct seen *seen)
{
	const struct walk *walk = &own->walk;
	size_t at = 0;

	seen->in_generated = walk->has_leaf && walk->frames.count &&
			     walk->frames.items[0].kind == FRAME_STUB;
	while (at < walk->frames.count && (walk->frames.items[at].kind == FRAME_STUB ||
					   walk->frames.items[at].kind == FRAME_NATIVE))
		at++;
	if (seen->in_generated && walk->frames.count > 1 &&
	    walk->frames.items[1].fields & FRAME_IP)
		seen->ip = walk->frames.items[1].ip;
	if (at == walk->frames.count || !(walk->frames.items[at].fields & FRAME_METHOD))
		return 0;
	seen->fields = walk->frames.items[at].fields;
	seen->guessed = walk->frames.items[at].guessed;
	seen->lasting = walk->frames.items[at].lasting;
	seen->pc_offset = walk->frames.items[at].pc_offset;
	return managed_method(own, walk->frames.items[at].method, &seen->method);
}

static void begin_walk(struct observing *own)
{
	struct walk empty = { .wanted = own->options.fields & SAMPLE_STACK_ID ? 0 : LEAF_FRAMES };

	empty.frames.items = own->walk.frames.items;
	empty.frames.alloc = own->walk.frames.alloc;
	own->walk = empty;
}

static int run_walk(struct observing *own, const struct sampled *row)
{
	int err = 0;

	begin_walk(own);
	if (own->can_walk)
		err = own->walker->walk(own->walker_state, &row->caught, &own->walk);
	/* Threads of the runtime's own have no managed frames. */
	if (!err && own->options.fields & SAMPLE_STACK_ID && !own->walk.frames.count &&
	    sampled__is_sharp(row))
		err = native_walk__run(&row->caught, &own->maps, &own->memory, &own->walk);
	return err;
}

int observing__look_at(struct observing *own, struct sampled *row, struct seen *seen)
{
	int err;

	seen->is_known = true;
	seen->is_still = false;
	seen->switches = row->switches;
	seen->waits = row->caught.waits;
	seen->method = seen->function = seen->stack = 0;
	seen->fields = seen->guessed = seen->lasting = 0;
	seen->ip = row->caught.ip;
	doubt_map(own, row->caught.ip);
	symbols__find(own->symbols, row->caught.ip, &seen->code);
	err = run_walk(own, row);
	if (!err)
		err = take_method(own, seen);
	/* Where the walk has the leaf, that is managed code, and no function of a file's. */
	if (!err && seen->code.is_code && !(own->walk.has_leaf && seen->method))
		err = native_method(own, &seen->code, &seen->function);
	if (!err && !seen->method) {
		seen->method = seen->function;
		seen->function = 0;
		seen->method_guessed = !seen->code.inside;
	}
	if (!err && own->options.fields & SAMPLE_STACK_ID)
		err = take_stack(own, seen);
	seen->walk = own->walk;
	seen->walk.frames.items = NULL;
	if (!own->maps_ns) {
		row->torn = true;
		seen->is_known = false;
	}
	return err;
}
