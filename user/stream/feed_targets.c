/* SPDX-License-Identifier: BSD-2-Clause */
#include "feed_targets.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "decode.h"
#include "loss.h"

static void free_states(struct feed_target *target)
{
	decoder__free(target->decoder);
	target->decoder = NULL;
	for (size_t i = 0; i < TRANSLATORS; i++) {
		if (target->states[i])
			translators[i]->free(target->states[i]);
		target->states[i] = NULL;
	}
}

static void free_target(struct feed_target *target)
{
	free_states(target);
	free(target);
}

void feed_targets__free(struct feed_targets *targets)
{
	for (size_t i = 0; i < targets->all.count; i++)
		free_target(targets->all.items[i]);
	vec__free(&targets->all);
}

int feed_target__end(struct feed_target *target)
{
	int answer = target->decoder ? decoder__end(target->decoder) : 0;

	free_states(target);
	return answer;
}

static void forget(struct feed_target *target)
{
	for (size_t i = 0; i < TRANSLATORS; i++) {
		if (target->states[i] && translators[i]->lost)
			translators[i]->lost(target->states[i]);
	}
}

static void doubt(struct feed_doubt *doubt, uint64_t until)
{
	if (!doubt->goes_on || until > doubt->until)
		doubt->until = until;
	doubt->lost = doubt->goes_on = true;
}

void *feed_target__state(struct feed_target *target, size_t translator, uint64_t stamp)
{
	void **state = &target->states[translator];

	/* Up to there a record may be missing behind each. */
	if (target->doubt.goes_on && stamp > target->doubt.until) {
		forget(target);
		target->doubt.goes_on = false;
	}
	if (*state)
		return *state;
	*state = translators[translator]->new(target->index);
	if (*state && target->doubt.lost && translators[translator]->lost)
		translators[translator]->lost(*state);
	return *state;
}

void feed_target__decoder(struct feed_target *target, const struct decode_out *out,
			  struct decode_room *room)
{
	target->decoder = decoder__new(target->index, out, room);
	if (target->decoder && target->doubt.lost)
		decoder__lost(target->decoder, target->doubt.until);
}

/* Where a target is, or where it would have to be put in. */
static size_t place_of(const struct feed_targets *targets, uint64_t index)
{
	return search__front(targets->all.items, targets->all.count, target,
			     (*target)->index < index);
}

struct feed_target *feed_targets__find(const struct feed_targets *targets, uint64_t index)
{
	size_t place = place_of(targets, index);

	if (place < targets->all.count && targets->all.items[place]->index == index)
		return targets->all.items[place];
	return NULL;
}

void feed_targets__lose(struct feed_targets *targets, uint64_t index, uint64_t until)
{
	struct feed_target *one = feed_targets__find(targets, index);

	if (!one)
		doubt(&targets->doubt, until);
	for (size_t i = 0; i < targets->all.count; i++) {
		struct feed_target *target = targets->all.items[i];

		if (target != one && (one || index != LOSS_ANY_TARGET))
			continue;
		forget(target);
		if (target->decoder)
			decoder__lost(target->decoder, until);
		doubt(&target->doubt, until);
	}
}

static struct feed_target *add(struct feed_targets *targets, uint32_t index, struct feed *feed)
{
	size_t place = place_of(targets, index);
	struct feed_target *target;

	if (targets->all.count >= FEED_TARGETS_LIMIT || vec__reserve(&targets->all, 1))
		return NULL;
	target = calloc(1, sizeof(*target));
	if (!target)
		return NULL;
	target->feed = feed;
	target->index = index;
	target->successor = UINT64_MAX;
	target->doubt = targets->doubt;
	memmove(targets->all.items + place + 1, targets->all.items + place,
		(targets->all.count - place) * sizeof(*targets->all.items));
	targets->all.items[place] = target;
	targets->all.count++;
	return target;
}

/* Chains are as long as there were execs; those that go round are hostile. */
static uint32_t owner_of(const struct feed_targets *targets, const struct record *record)
{
	uint32_t index = record->target;

	for (size_t i = 0; i < targets->all.count; i++) {
		const struct feed_target *target = feed_targets__find(targets, index);

		if (!target || !target->ended || record->stamp <= target->ended_ns ||
		    target->successor > UINT32_MAX)
			break;
		index = (uint32_t)target->successor;
	}
	return index;
}

struct feed_target *feed_targets__of(struct feed_targets *targets, const struct record *record,
				     struct feed *feed)
{
	uint32_t index = owner_of(targets, record);
	struct feed_target *target = feed_targets__find(targets, index);

	return target ? target : add(targets, index, feed);
}

static void remove_target(struct feed_targets *targets, struct feed_target *target)
{
	size_t place = place_of(targets, target->index);

	targets->all.count--;
	memmove(targets->all.items + place, targets->all.items + place + 1,
		(targets->all.count - place) * sizeof(*targets->all.items));
	free_target(target);
}

static struct feed_target *predecessor_of(const struct feed_targets *targets, uint64_t index)
{
	for (size_t i = 0; i < targets->all.count; i++) {
		struct feed_target *target = targets->all.items[i];

		if (target->ended && target->successor == index)
			return target;
	}
	return NULL;
}

void feed_targets__forget(struct feed_targets *targets, struct feed_target *target)
{
	while (target) {
		uint64_t index = target->index;

		remove_target(targets, target);
		target = predecessor_of(targets, index);
	}
}
