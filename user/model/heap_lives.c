/* SPDX-License-Identifier: BSD-2-Clause */
#include "heap_lives.h"

#include <stdlib.h>

#include "assembler.h"
#include "gctrace/wire.h"

enum heap_lives_state { LIVES_BEFORE, LIVES_AWAITED, LIVES_TOLD, LIVES_STAND, LIVES_MISSED };

struct heap_lives {
	struct assembler *assembler;
	struct identity *identity;
	enum heap_lives_state state;
	uint32_t target;	  /* of the dump, once it is awaited */
	struct identity_view now; /* when they stand */
	struct range_sink ranges; /* of the identity */
};

/* ---------------------------------------------------------------- ranges */

typedef int range_sink__told(void *context, const struct range_transaction *transaction);

/* Once they stand nothing moves any more, even if the same event has more to tell. */
static int tell(const struct heap_lives *lives, range_sink__told *told,
		const struct range_transaction *transaction)
{
	return lives->state >= LIVES_STAND ? 0 : told(lives->ranges.context, transaction);
}

static int on_start(void *context, const struct range_transaction *transaction)
{
	const struct heap_lives *lives = context;

	return tell(lives, lives->ranges.start, transaction);
}

static int on_report(void *context, const struct range_transaction *transaction,
		     const struct event *report)
{
	const struct heap_lives *lives = context;

	return lives->state >= LIVES_STAND ?
		       0 :
		       lives->ranges.report(lives->ranges.context, transaction, report);
}

static int on_pause_end(void *context, const struct range_transaction *transaction)
{
	const struct heap_lives *lives = context;

	return tell(lives, lives->ranges.pause_end, transaction);
}

static int on_finish(void *context, const struct range_transaction *transaction)
{
	const struct heap_lives *lives = context;

	return tell(lives, lives->ranges.finish, transaction);
}

static int on_drop(void *context, const struct range_transaction *transaction)
{
	const struct heap_lives *lives = context;

	return tell(lives, lives->ranges.drop, transaction);
}

/* ---------------------------------------------------------------- what is told */

/*
 * As whoever follows does (follower.h): allocations become objects at the end of each collection,
 * so that ids are given in the same order.
 */
static int on_collection(void *context, const struct collection *collection)
{
	const struct heap_lives *lives = context;
	struct identity_view now;
	int err;

	identity__look(lives->identity, collection->target, &now, &err);
	return err;
}

/* Matched. The answer ends what is under way: what it would apply comes behind the dump. */
static int on_anchor(void *context, const struct identity_anchor *anchor)
{
	struct heap_lives *lives = context;
	int err = 0;

	if (lives->state != LIVES_TOLD || anchor->target != lives->target ||
	    !identity__look(lives->identity, lives->target, &lives->now, &err))
		return err;
	lives->state = LIVES_STAND;
	return 1;
}

struct heap_lives *heap_lives__new(void)
{
	struct heap_lives *lives = calloc(1, sizeof(*lives));
	const struct identity_sink told = { .context = lives, .anchor = on_anchor };
	const struct assembler_sink shown = { .context = lives, .collection = on_collection };
	const struct range_sink ranges = { lives,	 on_start,  on_report,
					   on_pause_end, on_finish, on_drop };

	if (!lives)
		return NULL;
	lives->identity = identity__new(&told);
	if (lives->identity) {
		lives->ranges = identity__ranges(lives->identity);
		lives->assembler = assembler__new(&shown, &ranges);
	}
	if (lives->assembler)
		return lives;
	heap_lives__free(lives);
	return NULL;
}

void heap_lives__free(struct heap_lives *lives)
{
	if (!lives)
		return;
	assembler__free(lives->assembler);
	identity__free(lives->identity);
	free(lives);
}

int heap_lives__whole_from(struct heap_lives *lives, uint32_t target, uint64_t ns)
{
	return assembler__whole_from(lives->assembler, target, ns);
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
		answer = assembler__event(lives->assembler, event);
	if (lives->state < LIVES_STAND && !answer)
		answer = identity__event(lives->identity, event);
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
	return identity__bytes(lives->identity);
}
