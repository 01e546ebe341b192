/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_lives.h"

#include <stdlib.h>

#include "gctrace/wire.h"
#include "replay.h"

enum heap_lives_state { LIVES_BEFORE, LIVES_AWAITED, LIVES_TOLD, LIVES_STAND, LIVES_MISSED };

struct heap_lives {
	struct replay *replay;
	enum heap_lives_state state;
	uint32_t target;	  /* of the dump, once it is awaited */
	struct identity_view now; /* when they stand */
};

/* ---------------------------------------------------------------- what is told */

static int on_dump(void *context, const struct identity_anchor *dump,
		   const struct identity_view *now)
{
	struct heap_lives *lives = context;

	if (lives->state != LIVES_TOLD || dump->target != lives->target)
		return 0;
	lives->now = *now;
	lives->state = LIVES_STAND;
	return REPLAY_ENOUGH;
}

struct heap_lives *heap_lives__new(void)
{
	struct heap_lives *lives = calloc(1, sizeof(*lives));
	const struct replay_sink sink = { .context = lives, .dump = on_dump };

	if (!lives)
		return NULL;
	lives->replay = replay__new(&sink);
	if (lives->replay)
		return lives;
	heap_lives__free(lives);
	return NULL;
}

void heap_lives__free(struct heap_lives *lives)
{
	if (!lives)
		return;
	replay__free(lives->replay);
	free(lives);
}

int heap_lives__whole_from(struct heap_lives *lives, uint32_t target, uint64_t ns)
{
	return replay__whole_from(lives->replay, target, ns);
}

/* The awaited dump's beginning, another one's, or the end of all. */
static void watch(struct heap_lives *lives, const struct event *event)
{
	if (event->target != lives->target || lives->state < LIVES_AWAITED)
		return;
	if (event->kind == EVENT_EXEC || event->kind == EVENT_EXIT)
		lives->state = LIVES_MISSED;
	else if (event->kind == EVENT_CONTAINER && event->container.type == GCTRACE_C_BEGIN)
		lives->state = lives->state == LIVES_AWAITED ? LIVES_TOLD : LIVES_MISSED;
}

int heap_lives__event(struct heap_lives *lives, const struct event *event)
{
	int answer = 0;

	if (lives->state < LIVES_STAND)
		watch(lives, event);
	if (lives->state < LIVES_STAND)
		answer = replay__event(lives->replay, event);
	return answer < 0 ? answer : 0;
}

void heap_lives__await(struct heap_lives *lives, uint32_t target)
{
	lives->target = target;
	lives->state = LIVES_AWAITED;
}

bool heap_lives__stand(const struct heap_lives *lives)
{
	return lives->state == LIVES_STAND;
}

bool heap_lives__are_missed(const struct heap_lives *lives)
{
	return lives->state == LIVES_MISSED;
}

/* ---------------------------------------------------------------- questions */

bool heap_lives__of(const struct heap_lives *lives, uint64_t address, struct heap_life *life)
{
	const struct object *object = objects__at(lives->now.objects, address);

	if (!object)
		return false;
	*life = (struct heap_life){ object__id(object), object->age, object->flags & OBJECT_BORN };
	return true;
}

struct search {
	uint64_t id, address;
};

static int compare(void *context, const struct object *object, uint64_t address)
{
	struct search *search = context;

	search->address = address;
	return object__id(object) == search->id;
}

bool heap_lives__find(const struct heap_lives *lives, uint64_t id, uint64_t *address, int *err)
{
	struct search search = { .id = id };
	const int answer = objects__each(lives->now.objects, compare, &search);

	*err = answer < 0 ? answer : 0;
	*address = search.address;
	return answer > 0;
}

uint64_t heap_lives__collections(const struct heap_lives *lives)
{
	return lives->now.figures.applied;
}

uint64_t heap_lives__ids(const struct heap_lives *lives)
{
	return lives->now.objects->ids;
}

bool heap_lives__in_doubt(const struct heap_lives *lives)
{
	return lives->now.in_doubt;
}

uint64_t heap_lives__memory(const struct heap_lives *lives)
{
	return replay__memory(lives->replay);
}
