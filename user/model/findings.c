/* SPDX-License-Identifier: BSD-2-Clause */
#include "findings.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "accumulation.h"
#include "gctrace/wire.h"
#include "owner.h"

#define ACCUMULATIONS_MOST 3

struct search {
	struct heap *heap;
	uint64_t least; /* bytes that stand out */
	VEC(uint32_t) waiting; /* places whose subtrees are large */
	struct accumulation accumulation;
	struct findings *findings;
};

static int by_bytes(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes < y->bytes ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static int wait_for(void *context, uint32_t place)
{
	struct search *search = context;

	return vec__push(&search->waiting, place);
}

/* ---------------------------------------------------------------- groups */

struct places VEC_OF(uint32_t);

/* Most of what they keep is of this type, which comes to stand in their place. */
static int step_down(struct search *search, struct places *members, uint64_t *bytes,
		     uint32_t *type, bool *found)
{
	const struct heap *heap = search->heap;
	struct accumulation *sums = &search->accumulation;
	struct places next = VEC_INIT;
	uint32_t child;
	int err = 0;

	accumulation__begin(sums);
	for (size_t i = 0; i < members->count; i++)
		for (child = HEAP_NONE; (child = heap__next_dominated(heap, members->items[i],
								      child)) != HEAP_NONE;)
			accumulation__count(sums, child);
	*found = sums->of != UINT32_MAX && sums->of_bytes > *bytes / 5 * 4;
	if (!*found)
		return 0;
	*type = sums->of;
	*bytes = sums->of_bytes;
	for (size_t i = 0; i < members->count && !err; i++)
		for (child = HEAP_NONE;
		     !err && (child = heap__next_dominated(heap, members->items[i], child)) !=
				     HEAP_NONE;)
			if (heap__type(heap, child) == *type)
				err = vec__push(&next, child);
	vec__free(members);
	*members = next;
	return err;
}

/* As far as there is one way down; its end, or where it spreads, are the pieces. */
static int follow_group(struct search *search, struct finding *finding, struct places *members)
{
	uint64_t bytes = finding->bytes;
	uint32_t type = finding->of;
	bool more = true;
	int err = 0;

	while (!err && more && finding->step_count < GROUP_STEPS_MOST) {
		const size_t before = members->count;

		err = step_down(search, members, &bytes, &type, &more);
		if (err || !more || type == finding->of)
			break;
		if (finding->of != UINT32_MAX)
			finding->steps[finding->step_count++] = finding->of;
		finding->of = type;
		finding->of_count = members->count;
		more = members->count / 4 < before;
	}
	return err;
}

/* Adds a member: small ones of this type. */
static int add_member(struct search *search, struct finding *finding, struct places *members,
		      uint32_t place)
{
	const uint64_t bytes = heap__retained(search->heap, place);

	if (bytes >= search->least)
		return 0;
	if (finding->place == HEAP_NONE || bytes > heap__retained(search->heap, finding->place))
		finding->place = place;
	finding->bytes += bytes;
	finding->objects += heap__retained_objects(search->heap, place);
	finding->members++;
	return vec__push(members, place);
}

/* Objects below a node, or below the nodes that it leads to: the next behind `at`. */
static uint32_t next_top(const struct heap *heap, uint32_t at)
{
	uint32_t next = heap__is_node(heap, at) ? heap__next_dominated(heap, at, HEAP_NONE) :
						  HEAP_NONE;

	while (next == HEAP_NONE && at != heap__top(heap)) {
		const uint32_t above = heap__dominator(heap, at);

		next = heap__next_dominated(heap, above, at);
		at = above;
	}
	return next;
}

/* Small objects of this type: below an object, or directly below any root. */
static int add_group(struct search *search, uint32_t type, uint32_t owner)
{
	const struct heap *heap = search->heap;
	const bool tops = heap__is_node(heap, owner);
	struct finding finding = { .kind = FINDING_GROUP, .place = HEAP_NONE, .owner = owner,
				   .of = UINT32_MAX };
	struct places members = VEC_INIT;
	uint32_t at = tops ? heap__top(heap) : HEAP_NONE;
	int err = 0;

	while (!err && (at = tops ? next_top(heap, at) :
				    heap__next_dominated(heap, owner, at)) != HEAP_NONE)
		if (!heap__is_node(heap, at) && heap__type(heap, at) == type)
			err = add_member(search, &finding, &members, at);
	if (!err && finding.members > 1 && !owner__is_class_object(heap, finding.place)) {
		err = follow_group(search, &finding, &members);
		if (!err)
			err = vec__push(search->findings, finding);
	}
	vec__free(&members);
	return err;
}

/* Which types of those that were counted last keep enough together? */
static int add_groups(struct search *search, uint32_t owner)
{
	const uint64_t *sums = search->accumulation.bytes;
	const uint64_t least = heap__facts(search->heap)->bytes / GROUP_SHARE;
	VEC(uint32_t) types = VEC_INIT;
	int err = 0;

	for (uint32_t i = 0; i < heap__types(search->heap)->count && !err; i++)
		if (sums[i] && sums[i] >= least)
			err = vec__push(&types, i);
	for (size_t i = 0; i < types.count && !err; i++)
		err = add_group(search, types.items[i], owner);
	vec__free(&types);
	return err;
}

static int find_top_groups(struct search *search)
{
	const struct heap *heap = search->heap;
	uint32_t at = heap__top(heap);

	accumulation__begin(&search->accumulation);
	while ((at = next_top(heap, at)) != HEAP_NONE)
		if (!heap__is_node(heap, at) && heap__retained(heap, at) < search->least)
			accumulation__count(&search->accumulation, at);
	return add_groups(search, heap__top(heap));
}

/* ---------------------------------------------------------------- points of accumulation */

static int look_at_node(struct search *search, uint32_t place)
{
	uint32_t child = HEAP_NONE;
	int err = 0;

	while (!err && (child = heap__next_dominated(search->heap, place, child)) != HEAP_NONE)
		if (heap__retained(search->heap, child) &&
		    heap__retained(search->heap, child) >= search->least)
			err = wait_for(search, child);
	return err;
}

static bool is_large(const struct heap *heap, uint32_t place)
{
	return heap__size(heap, place) > heap__retained(heap, place) / 2;
}

/* Is most of it in many small pieces, and are these of a kind? */
static bool accumulates(const struct search *search, uint32_t place)
{
	const struct accumulation *found = &search->accumulation;
	const uint64_t bytes = heap__retained(search->heap, place);

	if (found->large > bytes / 2)
		return false;
	return found->wide || found->of_bytes >= (bytes - found->structure_bytes) / 2;
}

/* Looks at one object: what is large below it waits; does it accumulate the rest? */
static int look_at_object(struct search *search, uint32_t place)
{
	const struct heap *heap = search->heap;
	const struct accumulation *found = &search->accumulation;
	const size_t before = search->waiting.count;
	struct finding finding = { .place = place, .owner = place, .of = UINT32_MAX,
				   .bytes = heap__retained(heap, place),
				   .objects = heap__retained_objects(heap, place) };
	int err;

	err = accumulation__look(&search->accumulation, place, search->least, wait_for, search);
	if (err)
		return err;
	if (is_large(heap, place)) {
		finding.kind = FINDING_LARGE;
		finding.owner = owner__of(heap, place);
	} else if (accumulates(search, place)) {
		finding.kind = FINDING_ACCUMULATION;
		finding.owner = found->repeats || found->of == heap__type(heap, place) ?
					owner__of_structure(heap, place) :
					owner__of(heap, place);
		finding.of = found->of;
		finding.of_count = found->of_count;
		finding.step_count = found->step_count;
		memcpy(finding.steps, found->steps, sizeof(found->steps));
	} else {
		return found->large > finding.bytes / 2 ? 0 : add_groups(search, place);
	}
	/* What is below it is a part of this. */
	search->waiting.count = before;
	return vec__push(search->findings, finding);
}

static int find_accumulations(struct search *search)
{
	int err = vec__push(&search->waiting, heap__top(search->heap));

	while (!err && search->waiting.count) {
		const uint32_t place = search->waiting.items[--search->waiting.count];

		err = heap__is_node(search->heap, place) ? look_at_node(search, place) :
							   look_at_object(search, place);
	}
	vec__free(&search->waiting);
	if (!err)
		err = find_top_groups(search);
	vec__sort(search->findings, by_bytes);
	if (search->findings->count > ACCUMULATIONS_MOST)
		search->findings->count = ACCUMULATIONS_MOST;
	return err;
}

/* ---------------------------------------------------------------- holders */

uint32_t findings__top_of(const struct heap *heap, uint32_t place)
{
	uint32_t above = heap__dominator(heap, place);

	while (above != HEAP_NONE && !heap__is_node(heap, above) &&
	       !owner__is_static(heap, above, place)) {
		place = above;
		above = heap__dominator(heap, place);
	}
	return place;
}

/* Does one root, or one static, hold it alone? */
static bool is_held_by_one(const struct heap *heap, uint32_t top)
{
	const uint32_t above = heap__dominator(heap, top);

	if (above == HEAP_NONE)
		return false;
	return !heap__is_node(heap, above) ||
	       heap__root(heap, above).level == HEAP_ROOT_REFERENCE;
}

#define HELD_MOST 32 /* objects whose holders are looked for, of a group a few */
#define MEMBERS_LOOKED_AT 8

struct wanted {
	struct held held[HELD_MOST];
	size_t count;
};

static void want(struct wanted *wanted, uint32_t place, struct finding *finding)
{
	if (wanted->count < HELD_MOST)
		wanted->held[wanted->count++] = (struct held){ place, &finding->holders };
}

/* The members at the top: the largest of them, and a few others. */
static void want_members(struct wanted *wanted, const struct heap *heap, struct finding *finding)
{
	const uint32_t type = heap__type(heap, finding->place);
	uint32_t at = heap__top(heap);
	size_t more = MEMBERS_LOOKED_AT - 1;

	want(wanted, finding->place, finding);
	while (more && (at = next_top(heap, at)) != HEAP_NONE) {
		if (heap__is_node(heap, at) || heap__type(heap, at) != type ||
		    at == finding->place)
			continue;
		want(wanted, at, finding);
		more--;
	}
}

static void want_holders(struct wanted *wanted, const struct heap *heap, struct finding *finding)
{
	uint32_t top;

	if (finding->kind == FINDING_GROUP && heap__is_node(heap, finding->owner)) {
		want_members(wanted, heap, finding);
	} else if (finding->kind <= FINDING_LARGE) {
		top = findings__top_of(heap, finding->owner);
		if (!is_held_by_one(heap, top))
			want(wanted, top, finding);
	}
}

static int find_holders(struct search *search, const struct heap_paths *paths)
{
	struct heap_paths *made = NULL;
	struct wanted wanted = { .count = 0 };
	int err = 0;

	for (size_t i = 0; i < search->findings->count; i++)
		want_holders(&wanted, search->heap, &search->findings->items[i]);
	if (wanted.count && !paths)
		err = heap_paths__new(search->heap, &made);
	if (!err && wanted.count)
		holders__find(search->heap, paths ? paths : made, wanted.held, wanted.count);
	heap_paths__free(made);
	return err == -EDQUOT ? 0 : err; /* the limit leaves no room: the sentence says it */
}

/* ---------------------------------------------------------------- by kinds of roots */

static int add_node(struct search *search, enum finding_kind kind, uint32_t place)
{
	const struct finding finding = {
		.kind = kind,
		.place = place,
		.owner = place,
		.of = UINT32_MAX,
		.bytes = heap__retained(search->heap, place),
		.objects = heap__retained_objects(search->heap, place),
	};

	return finding.bytes >= search->least && finding.bytes ?
		       vec__push(search->findings, finding) :
		       0;
}

/* Of all threads the one whose stack keeps most alive. */
static int add_thread(struct search *search, uint32_t threads)
{
	struct heap_references references = heap__references(search->heap, threads);
	struct heap_reference next;
	uint32_t most = HEAP_NONE;

	while (heap_references__next(&references, &next))
		if (most == HEAP_NONE || heap__retained(search->heap, next.to) >
						 heap__retained(search->heap, most))
			most = next.to;
	return most == HEAP_NONE ? 0 : add_node(search, FINDING_THREAD, most);
}

static int find_roots(struct search *search)
{
	struct heap_references references =
		heap__references(search->heap, heap__top(search->heap));
	struct heap_reference next;
	int err = 0;

	while (!err && heap_references__next(&references, &next)) {
		const uint64_t type = heap__root(search->heap, next.to).type;

		if (type == GCTRACE_C_FINALIZER)
			err = add_node(search, FINDING_FINALIZER, next.to);
		else if (type == GCTRACE_C_RT_THREAD)
			err = add_thread(search, next.to);
	}
	return err;
}

static int find_unreached(struct search *search)
{
	const struct heap_facts *facts = heap__facts(search->heap);
	const struct finding finding = {
		.kind = FINDING_UNREACHED,
		.place = HEAP_NONE,
		.owner = HEAP_NONE,
		.of = UINT32_MAX,
		.bytes = facts->bytes - facts->reached_bytes,
		.objects = facts->objects - facts->reached_objects,
	};

	return finding.bytes >= facts->bytes / FINDING_SHARE && finding.bytes ?
		       vec__push(search->findings, finding) :
		       0;
}

int findings__find(struct heap *heap, const struct heap_paths *paths, struct findings *findings)
{
	struct search search = {
		.heap = heap,
		.least = heap__facts(heap)->bytes / FINDING_SHARE,
		.waiting = VEC_INIT,
		.findings = findings,
	};
	int err = accumulation__init(&search.accumulation, heap);

	if (!err)
		err = find_accumulations(&search);
	if (!err)
		err = find_holders(&search, paths);
	if (!err)
		err = find_roots(&search);
	if (!err)
		err = find_unreached(&search);
	if (!err && findings->count > FINDINGS_MOST)
		findings->count = FINDINGS_MOST;
	accumulation__free(&search.accumulation);
	return err;
}
