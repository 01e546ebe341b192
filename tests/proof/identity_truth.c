/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does the model believe what happened? Reads a recording (`gctrace record --moves` of minivm)
 * beside minivm's own truth of the same run, and compares after each collection: every object that
 * the model claims lives there, every death that it told happened.
 *
 *	identity_truth RECORDING TRUTH [EVERY]
 *
 * What the model knows it gets from the truth, as a heap dump every EVERY pauses (25), not while a
 * concurrent collection runs: so it is moves and survivals that are tested here, through kernel,
 * ring and decoder. Prints what was
 * compared; status 1 where something was wrong, 2 where there was nothing to compare.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gctrace/wire.h"
#include "minivm/truth_reader.h"
#include "model/identity.h"
#include "stream/feed.h"
#include "stream/recording.h"

struct state {
	uint64_t address, size, class_;
	uint64_t model; /* its id there; 0: none */
	bool here;
};

struct place_of {
	uint64_t address, id;
};

static struct {
	struct truth_reader truth;
	struct identity *identity;
	struct assembler *assembler;
	VEC(struct state) states;   /* by the truth's ids */
	VEC(uint64_t) ids;	    /* the truth's, by the model's */
	VEC(struct place_of) by_address; /* of the dump just told */
	VEC(uint64_t) dead;	    /* the model's ids, of the collection that is going on */
	uint64_t every, pauses, due; /* the next dump */
	uint64_t running; /* number of the concurrent collection; 0: none */
	bool followed;		    /* truth and trace are at the same collection */
	bool truth_ended;
	uint64_t compared, collections, deaths, anchors, matched, wrong, withdrawn, conflicts;
} all;

static void __attribute__((format(printf, 1, 2))) complain(const char *format, ...)
{
	va_list args;

	if (all.wrong++ >= 20)
		return;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
}

static struct state *state_of(uint64_t id)
{
	if (id >= all.states.count) {
		size_t more = id + 1 - all.states.count;

		if (vec__reserve(&all.states, more))
			abort();
		memset(all.states.items + all.states.count, 0, more * sizeof(*all.states.items));
		all.states.count += more;
	}
	return &all.states.items[id];
}

/* ---------------------------------------------------------------- the truth */

static void take_objects(void)
{
	const struct truth_part *part = all.truth.payload;
	const struct truth_object *objects = (const void *)(part + 1);

	for (uint64_t i = 0; i < part->count; i++) {
		struct state *state = state_of(objects[i].id);

		state->address = objects[i].address;
		state->size = objects[i].size;
		state->class_ = objects[i].class_;
		state->here = true;
	}
}

static void take_gone(void)
{
	const struct truth_part *part = all.truth.payload;
	const uint64_t *ids = (const void *)(part + 1);

	for (uint64_t i = 0; i < part->count; i++)
		state_of(ids[i])->here = false;
}

/* Up to the end of this collection. False: the truth does not tell it. */
static bool advance(uint64_t gc)
{
	while (!all.truth_ended) {
		if (truth__next(&all.truth) <= 0) {
			all.truth_ended = true;
			break;
		}
		if (all.truth.kind == TRUTH_OBJECTS)
			take_objects();
		else if (all.truth.kind == TRUTH_GONE)
			take_gone();
		else if (all.truth.kind == TRUTH_GC_FINISH)
			if (((const struct truth_gc_finish *)all.truth.payload)->gc == gc)
				return true;
	}
	return false;
}

/* ---------------------------------------------------------------- comparing */

static int compare(void *context, const struct object *object, uint64_t address)
{
	uint64_t id = object__id(object);
	const struct state *state;

	(void)context;
	if (id >= all.ids.count || all.ids.items[id] == 0) {
		complain("model id %llu at 0x%llx: nobody told it", (unsigned long long)id,
			 (unsigned long long)address);
		return 0;
	}
	state = state_of(all.ids.items[id]);
	all.compared++;
	if (!state->here && !(object->flags & OBJECT_STATES))
		complain("object %llu is dead, the model has it at 0x%llx",
			 (unsigned long long)all.ids.items[id], (unsigned long long)address);
	else if (state->here && (state->address != address || state->size != object->size))
		complain("object %llu is at 0x%llx, the model has it at 0x%llx",
			 (unsigned long long)all.ids.items[id],
			 (unsigned long long)state->address, (unsigned long long)address);
	return 0;
}

static void compare_deaths(void)
{
	for (size_t i = 0; i < all.dead.count; i++) {
		uint64_t id = all.dead.items[i] < all.ids.count ? all.ids.items[all.dead.items[i]]
								: 0;

		all.deaths++;
		state_of(id)->model = 0;
		if (state_of(id)->here)
			complain("object %llu lives, the model says it died",
				 (unsigned long long)id);
	}
	vec__reset(&all.dead);
}

static int on_collection(void *context, const struct identity_collection *told)
{
	struct identity_view view;
	int err;

	(void)context;
	if (told->collection->partial || told->collection->cut_off)
		return 0;
	all.followed = advance(told->collection->number);
	if (!all.followed)
		return 0;
	all.collections++;
	compare_deaths();
	if (!identity__look(all.identity, told->target, &view, &err) || err)
		abort();
	return objects__each(view.objects, compare, NULL);
}

static void on_left(void *context, uint32_t target, const struct object *object, uint64_t address,
		    enum object_fate fate)
{
	(void)context;
	(void)target;
	(void)address;
	all.withdrawn += fate == OBJECT_WITHDRAWN;
	if (fate == OBJECT_DEAD && vec__push(&all.dead, object__id(object)))
		abort();
	if (fate != OBJECT_DEAD && object__id(object) < all.ids.count)
		state_of(all.ids.items[object__id(object)])->model = 0;
}

/* ---------------------------------------------------------------- a dump out of the truth */

static int by_address(const void *a, const void *b)
{
	const struct place_of *left = a, *right = b;

	return left->address < right->address ? -1 : left->address > right->address;
}

static int learn(void *context, const struct object *object, uint64_t address)
{
	const struct place_of key = { address, 0 }, *found;
	uint64_t id = object__id(object);

	(void)context;
	while (all.ids.count <= id)
		if (vec__push(&all.ids, 0))
			abort();
	if (all.ids.items[id])
		return 0;
	found = bsearch(&key, all.by_address.items, all.by_address.count, sizeof(key), by_address);
	if (!found)
		abort();
	if (state_of(found->id)->model)
		complain("object %llu gets a second id", (unsigned long long)found->id);
	state_of(found->id)->model = id;
	all.ids.items[id] = found->id;
	return 0;
}

static int tell(struct event *event, const struct event *like)
{
	event->target = like->target;
	event->tid = like->tid;
	event->time = event->stamp = like->stamp;
	return identity__event(all.identity, event);
}

static int on_anchor(void *context, const struct identity_anchor *anchor)
{
	(void)context;
	all.anchors++;
	all.matched += anchor->result.matched;
	all.conflicts += anchor->result.conflicts;
	if (anchor->result.gone)
		complain("%llu objects of the model are not there",
			 (unsigned long long)anchor->result.gone);
	return 0;
}

static int dump(const struct event *now)
{
	struct event event = { .kind = EVENT_CONTAINER };
	struct identity_view view;
	int err;

	event.container.type = GCTRACE_C_BEGIN;
	event.container.id2 = EVENT_UNKNOWN;
	err = tell(&event, now);
	vec__reset(&all.by_address);
	for (size_t i = 0; i < all.states.count && !err; i++) {
		const struct state *state = &all.states.items[i];

		if (!state->here)
			continue;
		memset(&event, 0, sizeof(event));
		event.kind = EVENT_OBJECT;
		event.object.id = state->address;
		event.object.size = state->size;
		event.object.class_ = state->class_ + 1;
		err = tell(&event, now);
		if (vec__push(&all.by_address, (struct place_of){ state->address, i }))
			return -ENOMEM;
	}
	vec__sort(&all.by_address, by_address);
	memset(&event, 0, sizeof(event));
	event.kind = EVENT_CONTAINER;
	event.container.type = GCTRACE_C_END;
	if (!err)
		err = tell(&event, now);
	if (err || !identity__look(all.identity, now->target, &view, &err))
		return err;
	return objects__each(view.objects, learn, NULL);
}

/* ---------------------------------------------------------------- the trace */

static int on_event(void *context, const struct event *event)
{
	int err;

	(void)context;
	if (event->kind == EVENT_OBJECT_ALLOC || event->kind == EVENT_EXIT)
		return 0;
	if (event->kind == EVENT_GC_START && event->gc_start.how & GCTRACE_HOW_CONCURRENT)
		all.running = event->gc_start.gc;
	if (event->kind == EVENT_GC_FINISH && event->gc_finish.gc == all.running)
		all.running = 0;
	err = assembler__event(all.assembler, event);
	if (!err)
		err = identity__event(all.identity, event);
	if (err || event->kind != EVENT_PAUSE_END || !all.followed || all.truth_ended)
		return err;
	all.followed = false;
	if (++all.pauses < all.due || all.running)
		return 0;
	all.due = all.pauses + all.every;
	return dump(event);
}

static int read_all(struct recording *recording)
{
	struct event_sink sink = { on_event, NULL };
	struct source source = recording__source(recording);
	struct feed *feed;
	int err = feed__new(NULL, &sink, &feed);

	while (!err)
		err = feed__pull(feed, &source, 0);
	if (err == SOURCE_END)
		err = feed__end(feed);
	if (!losses__none(feed__losses(feed)))
		fprintf(stderr, "something was lost\n");
	feed__free(feed);
	return err;
}

int main(int argc, char **argv)
{
	const struct assembler_sink none = { NULL, NULL, NULL, NULL };
	const struct identity_sink sink = { .collection = on_collection, .anchor = on_anchor,
					    .left = on_left };
	struct range_sink ranges;
	struct recording *recording;

	if (argc < 3 || recording__open(argv[1], &recording))
		return 2;
	if (truth__open_reader(&all.truth, argv[2]))
		return 2;
	all.every = argc > 3 ? strtoull(argv[3], NULL, 10) : 25;
	all.identity = identity__new(&sink);
	if (!all.identity)
		return 2;
	ranges = identity__ranges(all.identity);
	all.assembler = assembler__new(&none, &ranges);
	if (!all.assembler || read_all(recording) < 0)
		return 2;
	recording__close(recording);
	truth__close_reader(&all.truth);
	assembler__free(all.assembler);
	identity__free(all.identity);
	printf("%llu collections, %llu dumps, %llu addresses, %llu deaths, %llu matched, "
	       "%llu conflicts, %llu withdrawn, %llu wrong\n",
	       (unsigned long long)all.collections, (unsigned long long)all.anchors,
	       (unsigned long long)all.compared, (unsigned long long)all.deaths,
	       (unsigned long long)all.matched, (unsigned long long)all.conflicts,
	       (unsigned long long)all.withdrawn, (unsigned long long)all.wrong);
	return all.wrong || all.conflicts ? 1 : all.compared ? 0 : 2;
}
