/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does the model believe what happened? Reads a recording (`gctrace record --moves` of minivm)
 * beside minivm's own truth of the same run, and compares after each collection: every object that
 * the model claims lives there, every death that it told happened.
 *
 *	identity_truth RECORDING TRUTH [EVERY]
 *
 * What the model knows it gets from the truth, as a heap dump every EVERY pauses (25), not while a
 * concurrent collection runs. Prints what was compared; status 1 where something was wrong, 2 where
 * there was nothing to compare.
 */
#include <stdlib.h>

#include "belief.h"
#include "minivm/truth_reader.h"

static struct {
	struct truth_reader truth;
	uint64_t every, pauses, due; /* the next dump */
	bool followed;		     /* truth and trace are at the same collection */
	bool truth_ended;
} all;

static void take_objects(struct belief *belief)
{
	const struct truth_part *part = all.truth.payload;
	const struct truth_object *objects = (const void *)(part + 1);

	for (uint64_t i = 0; i < part->count; i++) {
		struct state *state = belief__state(belief, objects[i].id);

		state->address = objects[i].address;
		state->size = objects[i].size;
		state->class_ = objects[i].class_;
		state->here = true;
	}
}

static void take_gone(struct belief *belief)
{
	const struct truth_part *part = all.truth.payload;
	const uint64_t *ids = (const void *)(part + 1);

	for (uint64_t i = 0; i < part->count; i++)
		belief__state(belief, ids[i])->here = false;
}

/* Up to the end of this collection. False: the truth does not tell it. */
static bool advance(struct belief *belief, uint64_t gc)
{
	while (!all.truth_ended) {
		if (truth__next(&all.truth) <= 0) {
			all.truth_ended = true;
			break;
		}
		if (all.truth.kind == TRUTH_OBJECTS)
			take_objects(belief);
		else if (all.truth.kind == TRUTH_GONE)
			take_gone(belief);
		else if (all.truth.kind == TRUTH_GC_FINISH)
			if (((const struct truth_gc_finish *)all.truth.payload)->gc == gc)
				return true;
	}
	return false;
}

static int on_collection(struct belief *belief, const struct identity_collection *told)
{
	if (told->collection->partial || told->collection->cut_off)
		return 0;
	all.followed = advance(belief, told->collection->number);
	if (!all.followed)
		return 0;
	belief->collections++;
	return belief__compare(belief, told->target);
}

static int after_event(struct belief *belief, const struct event *event)
{
	if (event->kind != EVENT_PAUSE_END || !all.followed || all.truth_ended)
		return 0;
	all.followed = false;
	if (++all.pauses < all.due || belief->running)
		return 0;
	all.due = all.pauses + all.every;
	return belief__dump(belief, event);
}

int main(int argc, char **argv)
{
	struct belief belief = { .collection = on_collection, .after = after_event };
	int status;

	if (argc < 3 || truth__open_reader(&all.truth, argv[2]))
		return 2;
	all.every = argc > 3 ? strtoull(argv[3], NULL, 10) : 25;
	if (belief__read(&belief, argv[1]))
		return 2;
	truth__close_reader(&all.truth);
	status = belief__report(&belief);
	belief__free(&belief);
	return status;
}
