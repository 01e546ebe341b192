/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does the model know where a program's objects lie? Reads a recording (`gctrace record --moves`)
 * beside what the program itself read of their addresses, now and then, between collections
 * (tests/runtimes/dotnet/Addresses.cs says how it writes that down), and compares each time: every
 * object that the model claims lies there, every death that it told happened, and nothing lives on
 * that the runtime calls dead.
 *
 *	address_truth RECORDING TRUTH [dumps]
 *
 * A background collection clears handles of whatever nothing refers to, also of such as lie where
 * it does not sweep. So an object whose handle it has cleared may still be there until the next
 * collection of all generations that stops the world; but nowhere where another one is.
 *
 * The model learns of new objects by what the program has just read, as if it were a heap dump, not
 * while a concurrent collection runs; with `dumps` by those of the recording (record --dump=1s),
 * and what lies at an address that the program has read is that object from then on. Prints what
 * was compared; status 1 where something was wrong, 2 where there was nothing to compare.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "belief.h"

struct look {
	uint64_t time;
	uint32_t collections, entries;
};

struct entry {
	uint32_t key, bytes;
	uint64_t address; /* 0: it is dead */
};

static struct {
	FILE *truth;
	struct look next;
	bool ended;
	bool told, beside, all; /* the trace had since the last look: a collection, a concurrent
				 * one, one of all generations that stopped the world */
	VEC(uint64_t) cleared;	/* unreached objects */
	uint64_t looks;
} all;

static bool read_look(void)
{
	all.ended = fread(&all.next, sizeof(all.next), 1, all.truth) != 1;
	return !all.ended;
}

/* What was cleared earlier has been collected by now. */
static void bury(struct belief *belief)
{
	if (!all.all)
		return;
	for (size_t i = 0; i < all.cleared.count; i++) {
		belief__state(belief, all.cleared.items[i])->here = false;
		belief__state(belief, all.cleared.items[i])->unreached = false;
	}
	vec__reset(&all.cleared);
}

static void take_entry(struct belief *belief, const struct entry *entry)
{
	struct state *state = belief__state(belief, entry->key);

	state->here = entry->address != 0 || all.beside;
	state->size = entry->bytes;
	if (entry->address) {
		state->address = entry->address;
	} else if (all.beside) {
		state->unreached = true;
		if (vec__push(&all.cleared, entry->key))
			abort();
	}
}

/* What has changed since the look before. False: the truth ends in the midst of it. */
static bool take_entries(struct belief *belief)
{
	struct entry entry;

	for (uint32_t i = 0; i < all.next.entries; i++) {
		if (fread(&entry, sizeof(entry), 1, all.truth) != 1)
			return false;
		take_entry(belief, &entry);
	}
	return true;
}

/* `ordered`: it is known what the trace tells of before it and what of behind it. */
static int take_look(struct belief *belief, const struct event *now, bool ordered)
{
	int err;

	bury(belief);
	all.beside |= belief->running != 0; /* handles are cleared long before its end */
	if (!take_entries(belief) || !read_look()) {
		all.ended = true;
		return 0;
	}
	/* Beside one that runs the program's own objects change what may be claimed. */
	if ((!all.told && !belief->running) || !ordered)
		return 0;
	all.told = all.beside = all.all = false;
	all.looks++;
	err = belief__compare(belief, now->target);
	if (err || belief->running)
		return err;
	return belief->has_dumps ? belief__meet(belief, now->target) : belief__dump(belief, now);
}

/*
 * The program looked while it ran, so what is told lies before a look or behind it. But a pause is
 * told from before all threads stand still until they all run again: of a look meanwhile nobody
 * knows whether it came before the collection or after it.
 */
static int before_event(struct belief *belief, const struct event *event)
{
	const bool begins = event->kind == EVENT_PAUSE_BEGIN, ends = event->kind == EVENT_PAUSE_END;
	const uint64_t until = begins || ends ? event->time : event->stamp;
	int err = 0;

	if (belief->in_pause && !ends)
		return 0;
	while (!err && !all.ended && all.next.time < until)
		err = take_look(belief, event, !belief->in_pause);
	return err;
}

static int on_collection(struct belief *belief, const struct identity_collection *told)
{
	if (told->collection->partial || told->collection->cut_off || all.ended)
		return 0;
	all.told = true;
	if (told->collection->concurrent)
		all.beside = true;
	else if (told->collection->generations & 4)
		all.all = true;
	belief->collections++;
	return 0;
}

int main(int argc, char **argv)
{
	struct belief belief = { .collection = on_collection, .before = before_event };
	int status;

	belief.has_dumps = argc == 4 && strcmp(argv[3], "dumps") == 0;
	all.truth = argc == 3 || belief.has_dumps ? fopen(argv[2], "rb") : NULL;
	if (!all.truth || !read_look() || belief__read(&belief, argv[1]))
		return 2;
	fclose(all.truth);
	printf("%llu looks: ", (unsigned long long)all.looks);
	status = belief__report(&belief);
	belief__free(&belief);
	vec__free(&all.cleared);
	return status;
}
