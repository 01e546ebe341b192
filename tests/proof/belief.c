/* SPDX-License-Identifier: BSD-2-Clause */
#include "belief.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "gctrace/wire.h"
#include "stream/feed.h"
#include "stream/recording.h"
#include "told.h"

struct state *belief__state(struct belief *belief, uint64_t id)
{
	if (id >= belief->states.count) {
		size_t more = id + 1 - belief->states.count;

		if (vec__reserve(&belief->states, more))
			abort();
		memset(belief->states.items + belief->states.count, 0,
		       more * sizeof(*belief->states.items));
		belief->states.count += more;
	}
	return &belief->states.items[id];
}

/* ---- The model against the truth ---- */

/* The truth's id of one of the model's; 0: it is not from a dump of the truth. */
static uint64_t true_id(const struct belief *belief, uint64_t model)
{
	return model < belief->ids.count ? belief->ids.items[model] : 0;
}

static bool is_there(const struct state *state)
{
	return state->here && !state->unreached;
}

static int by_address(const void *a, const void *b)
{
	const struct place_of *left = a, *right = b;

	return left->address < right->address ? -1 : left->address > right->address;
}

static int sort_states(struct belief *belief)
{
	vec__reset(&belief->by_address);
	for (size_t i = 0; i < belief->states.count; i++) {
		const struct state *state = &belief->states.items[i];

		if (is_there(state) && vec__push(&belief->by_address,
						 (struct place_of){ state->address, i }))
			return -ENOMEM;
	}
	vec__sort(&belief->by_address, by_address);
	return 0;
}

/* One that nothing refers to may be there, but not where another one is. */
static void check_place(struct belief *belief, uint64_t id, const struct object *object,
			uint64_t address)
{
	const struct place_of *places = belief->by_address.items;
	const size_t begun = search__front(places, belief->by_address.count, place,
					   place->address < address + object->size);
	const struct state *other;

	if (!begun)
		return;
	other = belief__state(belief, places[begun - 1].id);
	if (other->address + other->size > address)
		complain(&belief->wrong, "model id %" PRIu64 " of object %" PRIu64 " at 0x%" PRIx64
			 " stands for object %" PRIu64, object__id(object), id, address,
			 places[begun - 1].id);
}

static int compare(void *context, const struct object *object, uint64_t address)
{
	struct belief *belief = context;
	uint64_t id = true_id(belief, object__id(object));
	const struct state *state;

	if (!id && !belief->has_dumps)
		complain(&belief->wrong, "model id %" PRIu64 " at 0x%" PRIx64 ": nobody told it",
			 object__id(object), address);
	if (!id)
		return 0;
	state = belief__state(belief, id);
	if (state->unreached) {
		check_place(belief, id, object, address);
		return 0;
	}
	belief->compared++;
	if (!state->here && !(object->flags & OBJECT_STATES))
		complain(&belief->wrong,
			 "object %" PRIu64 " is dead, the model has it at 0x%" PRIx64, id, address);
	else if (state->here && (state->address != address || state->size != object->size))
		complain(&belief->wrong, "object %" PRIu64 " is at 0x%" PRIx64 " (%" PRIu64
			 " bytes), the model has it at 0x%" PRIx64 " (%" PRIu32 ")", id,
			 state->address, state->size, address, object->size);
	return 0;
}

static void compare_deaths(struct belief *belief)
{
	for (size_t i = 0; i < belief->dead.count; i++) {
		uint64_t id = true_id(belief, belief->dead.items[i]);
		struct state *state = belief__state(belief, id);

		if (!id)
			continue;
		belief->deaths++;
		state->model = 0;
		if (state->here && !state->unreached)
			complain(&belief->wrong, "object %" PRIu64 " lives, the model says it died",
				 id);
	}
	vec__reset(&belief->dead);
}

int belief__compare(struct belief *belief, uint32_t target)
{
	struct identity_view view;
	int err = sort_states(belief);

	if (err)
		return err;
	compare_deaths(belief);
	if (!identity__look(belief->identity, target, &view, &err))
		return err;
	return objects__each(view.objects, compare, belief);
}

/* ---- Objects that both know ---- */

static int learn(void *context, const struct object *object, uint64_t address)
{
	struct belief *belief = context;
	const struct place_of key = { address, 0 }, *found;
	uint64_t id = object__id(object);

	while (belief->ids.count <= id)
		if (vec__push(&belief->ids, 0))
			abort();
	if (belief->ids.items[id])
		return 0;
	found = bsearch(&key, belief->by_address.items, belief->by_address.count, sizeof(key),
			by_address);
	if (!found && belief->has_dumps)
		return 0;
	if (!found)
		abort();
	if (belief__state(belief, found->id)->model)
		complain(&belief->wrong, "object %" PRIu64 " gets a second id", found->id);
	belief__state(belief, found->id)->model = id;
	belief->ids.items[id] = found->id;
	return 0;
}

int belief__meet(struct belief *belief, uint32_t target)
{
	struct identity_view view;
	int err = sort_states(belief);

	if (err)
		return err;
	if (!identity__look(belief->identity, target, &view, &err))
		return err;
	return objects__each(view.objects, learn, belief);
}

/* ---- A dump out of the truth ---- */

static int tell(struct belief *belief, struct event *event, const struct event *like)
{
	event->target = like->target;
	event->tid = like->tid;
	event->time = event->stamp = like->stamp;
	return identity__event(belief->identity, event);
}

static int tell_object(struct belief *belief, const struct state *state, const struct event *now)
{
	struct event event = { .kind = EVENT_OBJECT };

	if (!is_there(state))
		return 0;
	event.object.id = state->address;
	event.object.size = state->size;
	event.object.class_ = state->class_ + 1;
	return tell(belief, &event, now);
}

static int tell_container(struct belief *belief, uint64_t type, const struct event *now)
{
	struct event event = { .kind = EVENT_CONTAINER };

	event.container.type = type;
	event.container.id2 = EVENT_UNKNOWN;
	return tell(belief, &event, now);
}

int belief__dump(struct belief *belief, const struct event *now)
{
	int err = tell_container(belief, GCTRACE_C_BEGIN, now);

	for (size_t i = 0; i < belief->states.count && !err; i++)
		err = tell_object(belief, &belief->states.items[i], now);
	if (!err)
		err = tell_container(belief, GCTRACE_C_END, now);
	return err ? err : belief__meet(belief, now->target);
}

/* ---- The trace ---- */

static int on_collection(void *context, const struct identity_collection *told)
{
	struct belief *belief = context;

	return belief->collection ? belief->collection(belief, told) : 0;
}

/* Objects that the model may have or not. */
static uint64_t count_unreached(const struct belief *belief)
{
	uint64_t count = 0;

	for (size_t i = 0; i < belief->states.count; i++)
		count += belief->states.items[i].unreached && belief->states.items[i].here;
	return count;
}

static int on_anchor(void *context, const struct identity_anchor *anchor)
{
	struct belief *belief = context;
	belief->anchors++;
	belief->matched += anchor->result.matched;
	belief->conflicts += anchor->result.conflicts;
	belief->gone += anchor->result.gone;
	if (anchor->result.gone > count_unreached(belief))
		complain(&belief->wrong, "%" PRIu64 " objects of the model are not there",
			 anchor->result.gone);
	return 0;
}

static void on_left(void *context, uint32_t target, const struct object *object, uint64_t address,
		    enum object_fate fate)
{
	struct belief *belief = context;
	uint64_t id = object__id(object);

	(void)target;
	(void)address;
	belief->withdrawn += fate == OBJECT_WITHDRAWN;
	if (fate == OBJECT_DEAD && vec__push(&belief->dead, id))
		abort();
	if (fate != OBJECT_DEAD && id < belief->ids.count)
		belief__state(belief, belief->ids.items[id])->model = 0;
}

static int on_event(void *context, const struct event *event)
{
	struct belief *belief = context;
	int err;

	if (event->kind == EVENT_OBJECT_ALLOC || event->kind == EVENT_EXIT)
		return 0;
	err = belief->before ? belief->before(belief, event) : 0;
	if (event->kind == EVENT_GC_START && event->gc_start.how & GCTRACE_HOW_CONCURRENT)
		belief->running = event->gc_start.gc;
	if (event->kind == EVENT_GC_FINISH && event->gc_finish.gc == belief->running)
		belief->running = 0;
	if (event->kind == EVENT_PAUSE_BEGIN || event->kind == EVENT_PAUSE_END)
		belief->in_pause = event->kind == EVENT_PAUSE_BEGIN;
	if (!err)
		err = assembler__event(belief->assembler, event);
	if (!err)
		err = identity__event(belief->identity, event);
	return err || !belief->after ? err : belief->after(belief, event);
}

static int read_all(struct belief *belief, struct recording *recording)
{
	struct event_sink sink = { on_event, belief };
	struct source source = recording__source(recording);
	struct feed *feed;
	int err = feed__new(NULL, &sink, &feed);

	while (!err)
		err = feed__pull(feed, &source, 0);
	if (err == SOURCE_END)
		err = feed__end(feed);
	belief->losses += !losses__none(feed__losses(feed));
	feed__free(feed);
	return err < 0 ? err : 0;
}

int belief__read(struct belief *belief, const char *path)
{
	const struct assembler_sink none = { NULL, NULL, NULL, NULL };
	const struct identity_sink sink = { .context = belief, .collection = on_collection,
					    .anchor = on_anchor, .left = on_left };
	struct range_sink ranges;
	struct recording *recording;
	int err = recording__open(path, &recording);

	if (err)
		return err;
	belief->identity = identity__new(&sink);
	if (!belief->identity)
		abort();
	ranges = identity__ranges(belief->identity);
	belief->assembler = assembler__new(&none, &ranges);
	if (!belief->assembler)
		abort();
	err = read_all(belief, recording);
	recording__close(recording);
	return err;
}

void belief__free(struct belief *belief)
{
	assembler__free(belief->assembler);
	identity__free(belief->identity);
	vec__free(&belief->states);
	vec__free(&belief->ids);
	vec__free(&belief->by_address);
	vec__free(&belief->dead);
}

int belief__report(const struct belief *belief)
{
	if (belief->losses)
		printf("something was lost\n");
	printf("%" PRIu64 " collections, %" PRIu64 " dumps, %" PRIu64 " addresses, %" PRIu64
	       " deaths, %" PRIu64 " matched, %" PRIu64 " conflicts, %" PRIu64 " gone, %" PRIu64
	       " withdrawn, %" PRIu64 " wrong\n",
	       belief->collections, belief->anchors, belief->compared, belief->deaths,
	       belief->matched, belief->conflicts, belief->gone, belief->withdrawn,
	       belief->wrong);
	if (belief->wrong || belief->conflicts)
		return 1;
	return belief->compared ? 0 : 2;
}
