/* SPDX-License-Identifier: BSD-2-Clause */
#include "walker.h"

#include <errno.h>
#include <string.h>

#include "jvm_walker.h"
#include "remote.h"

/* Closed by NULL. */
static const struct walker *const walkers[] = {
	&jvm_walker,
	&clr_walker,
	&cpython_walker,
	&node_walker,
	NULL,
};

const struct walker *walker__find(enum runtime_kind kind)
{
	for (size_t i = 0; walkers[i]; i++)
		if (walkers[i]->kind == kind)
			return walkers[i];
	return NULL;
}

static bool copy_from(uint64_t at, size_t bytes, const unsigned char *caught, uint64_t address,
		      void *to, size_t size)
{
	if (address < at || address - at > bytes || size > bytes - (address - at))
		return false;
	memcpy(to, caught + (address - at), size);
	return true;
}

int caught__read(const struct caught_thread *thread, struct remote *memory, uint64_t address,
		 void *to, size_t size, bool *lasting)
{
	if (copy_from(thread->stack_at, thread->stack_bytes, thread->stack, address, to, size) ||
	    copy_from(thread->frame_at, thread->frame_bytes, thread->frame, address, to, size))
		return 0;
	*lasting = false;
	return remote__read(memory, address, to, size);
}

int walker__tell_name(const char *text, struct buf *name)
{
	if (!text)
		return -ENOENT;
	buf__add_str(name, text);
	return 0;
}

int walk__push(struct walk *walk, const struct frame *frame)
{
	if (walk->wanted && walk->frames.count >= walk->wanted)
		return -E2BIG;
	if (walk->frames.count >= WALK_FRAMES) {
		walk->is_cut = true;
		return -E2BIG;
	}
	return vec__push(&walk->frames, *frame);
}

int walk__push_leaf(struct walk *walk, const struct caught_thread *thread, struct frame *frame)
{
	walk->has_leaf = walk->is_managed = true;
	walk->place = PLACE_JIT;
	walk->place_lasting = true;
	frame->sp = thread->sp;
	frame->fields |= FRAME_SP;
	frame->lasting = frame->fields;
	return walk__push(walk, frame);
}
