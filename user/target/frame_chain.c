/* SPDX-License-Identifier: BSD-2-Clause */
#include "frame_chain.h"

#include "walker.h"

#define STACK_MOST ((uint64_t)64 << 20) /* from sp to the outermost frame */
#define SEARCH_MOST 4096		/* words that are searched for a return address */
#define NATIVE_MOST 256			/* frames without a managed one between them */

int frame_chain__push(struct frame_chain *chain, struct frame *frame, uint64_t sp)
{
	frame->sp = sp;
	frame->fields |= FRAME_SP;
	frame->guessed = frame->fields;
	frame->lasting = 0;
	return walk__push(chain->walk, frame);
}

/* A frame pointer that can be one: on the stack, further out than the last. */
static bool is_frame(const struct frame_chain *chain, uint64_t fp, uint64_t low)
{
	return fp >= low && fp % 8 == 0 && fp - chain->view.thread->sp < STACK_MOST;
}

/* *count: the frames up to the last managed one. */
static int follow(struct frame_chain *chain, uint64_t fp, size_t *count)
{
	const struct walk *walk = chain->walk;
	uint64_t low = chain->view.thread->sp, word, next;
	bool lasting = false;
	struct frame frame;
	int err = 0;

	while (!err && walk->frames.count - *count < NATIVE_MOST && is_frame(chain, fp, low) &&
	       !stack_view__word(&chain->view, fp, &next, &lasting) &&
	       !stack_view__word(&chain->view, fp + 8, &word, &lasting) && word) {
		err = chain->describe(chain->state, word, true, &frame);
		if (!err)
			err = frame_chain__push(chain, &frame, fp + 16);
		if (!err && frame.kind != FRAME_NATIVE)
			*count = walk->frames.count;
		low = fp + 16;
		fp = next;
	}
	return err;
}

int frame_chain__follow(struct frame_chain *chain, uint64_t fp)
{
	struct walk *walk = chain->walk;
	size_t count = walk->frames.count;
	const int err = follow(chain, fp, &count);

	if (err)
		return err;
	walk->is_whole = count && walk->frames.count > count;
	walk->frames.count = count;
	return 0;
}

int frame_chain__search(struct frame_chain *chain)
{
	const uint64_t sp = chain->view.thread->sp & ~(uint64_t)7;
	uint64_t fp = 0, word;
	bool lasting = false;
	struct frame frame;
	int err = 0;

	for (uint64_t at = sp; at - sp < SEARCH_MOST * 8; at += 8, fp = word) {
		if (stack_view__word(&chain->view, at, &word, &lasting))
			return 0;
		if (!is_frame(chain, fp, at + 8))
			continue;
		err = chain->describe(chain->state, word, true, &frame);
		if (!err && frame.kind != FRAME_COMPILED)
			continue;
		if (!err)
			err = frame_chain__push(chain, &frame, at + 8);
		return err ? err : frame_chain__follow(chain, fp);
	}
	return 0;
}
