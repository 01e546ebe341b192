/* SPDX-License-Identifier: BSD-2-Clause */
#include "subject.h"

#include <errno.h>
#include <stdlib.h>

#include "gctrace/wire.h"
#include "stream/loss.h"

/* ---------------------------------------------------------------- beginnings and ends */

static void add_sum(struct survival_sum *sum, uint64_t size)
{
	sum->objects++;
	sum->bytes += size;
}

static void on_survived(void *context, const struct survivors *survivors)
{
	struct subject *subject = context;
	const struct identity_sink *sink = &subject->identity->sink;
	struct identity_collection *result = &subject->applying->result;
	struct survival_run run;

	run = survival__survived(&subject->survival, &subject->objects, survivors);
	survival__add(&result->survived, &run.aged);
	survival__add(survivors->moved ? &result->moved : &result->stayed,
		      survivors->moved ? &run.all : &run.aged);
	if (run.promoted)
		survival__add(&result->promoted, &run.all);
	if (sink->survived)
		sink->survived(sink->context, subject->target, survivors);
}

static void on_left(void *context, const struct object *object, uint64_t address,
		    enum object_fate fate)
{
	struct subject *subject = context;
	const struct identity_sink *sink = &subject->identity->sink;
	uint64_t size = objects__size(&subject->objects, object), generation = GENERATION_UNKNOWN;

	subject->figures.died += fate == OBJECT_DEAD;
	subject->figures.withdrawn += fate == OBJECT_WITHDRAWN;
	if (subject->applying) {
		struct identity_collection *result = &subject->applying->result;

		generation = generation_places__at(&subject->applying->before, address).generation;
		if (fate == OBJECT_DEAD || fate == OBJECT_WITHDRAWN)
			add_sum(fate == OBJECT_DEAD ? &result->died : &result->withdrawn, size);
	}
	survival__left(&subject->survival, object, size, generation, fate);
	if (sink->left)
		sink->left(sink->context, subject->target, object, address, fate);
}

struct subject *subject__new(struct identity *identity, uint32_t target)
{
	struct subject *subject = calloc(1, sizeof(*subject));

	if (!subject)
		return NULL;
	subject->identity = identity;
	subject->target = target;
	subject->objects.left = on_left;
	subject->objects.context = subject;
	return subject;
}

static void free_course(struct course *course)
{
	generation_places__free(&course->before);
	generation_places__free(&course->after);
	ranges__free(&course->ranges);
	blocks__free(&course->blocks);
	free(course);
}

void subject__free(struct subject *subject)
{
	struct course *next;

	if (!subject)
		return;
	for (struct course *at = subject->courses; at; at = next) {
		next = at->next;
		free_course(at);
	}
	objects__free(&subject->objects);
	types__free(&subject->types);
	survival__free(&subject->survival);
	generations__free(&subject->generations);
	generation_places__free(&subject->now);
	vec__free(&subject->phase);
	vec__free(&subject->newborns);
	vec__free(&subject->missed);
	unfinished__free(&subject->unfinished);
	free(subject);
}

static void insert(struct subject *subject, struct course *course)
{
	struct course **at = &subject->courses;

	while (*at && (*at)->order <= course->order)
		at = &(*at)->next;
	course->next = *at;
	*at = course;
}

static void take_from_list(struct subject *subject, const struct course *course)
{
	struct course **at = &subject->courses;

	while (*at != course)
		at = &(*at)->next;
	*at = course->next;
}

/* The course of a transaction, made if need be. NULL: no memory. */
static struct course *course_of(struct subject *subject,
				const struct range_transaction *transaction)
{
	struct course *course = subject->courses;

	while (course && course->id != transaction->id)
		course = course->next;
	if (!course) {
		course = calloc(1, sizeof(*course));
		if (!course)
			return NULL;
		course->id = transaction->id;
		course->slot = NO_SLOT;
		course->number = transaction->collection->number;
		course->numbered = !transaction->collection->counted_here;
		insert(subject, course);
	}
	course->partial |= transaction->collection->partial;
	return course;
}

/* ---------------------------------------------------------------- where generations lie */

/* Whoever's generations were told until now: take the picture. */
static int end_noting(struct subject *subject)
{
	struct course *course = subject->noting;

	subject->noting = NULL;
	if (!course)
		return 0;
	return generation_places__take(subject->noting_after ? &course->after : &course->before,
				       &subject->generations);
}

static struct course *course_of_number(struct subject *subject, uint64_t number)
{
	struct course *found = NULL;

	for (struct course *at = subject->courses; at; at = at->next)
		if (number == EVENT_UNKNOWN || (at->numbered && at->number == number))
			found = at;
	return found;
}

int subject__generation(struct subject *subject, const struct event *event)
{
	struct course *course = course_of_number(subject, event->generation.gc);
	uint64_t bytes = event->generation.used;

	if (course != subject->noting || event->generation.after != subject->noting_after) {
		if (end_noting(subject))
			return -ENOMEM;
		subject->noting = course;
		subject->noting_after = event->generation.after;
	}
	if (course && !event->generation.after && bytes != EVENT_UNKNOWN &&
	    blocks__spanned(&course->blocks, event->generation.generation, bytes))
		return -ENOMEM;
	if (event->generation.reserved != EVENT_UNKNOWN && event->generation.reserved > bytes)
		bytes = event->generation.reserved;
	return generations__note(&subject->generations, event->generation.gc,
				 event->generation.after, event->generation.generation,
				 event->generation.start, bytes);
}

/* ---------------------------------------------------------------- room that is given away */

static bool reaches(const struct newborn *newborn, const struct span *span)
{
	if (newborn->address >= span->start)
		return newborn->address < span->end;
	return newborn->size > span->start - newborn->address;
}

/* Those told last may be in the table only later. */
static void forget_newborns(struct subject *subject, uint64_t mask, const struct span *span)
{
	size_t kept = 0;

	for (size_t i = 0; i < subject->newborns.count; i++) {
		const struct newborn *newborn = &subject->newborns.items[i];
		const struct generation_place place =
			generation_places__at(&subject->now, newborn->address);

		if (reaches(newborn, span) && (place.generation == GENERATION_UNKNOWN ||
					       generation__is_in(mask, place.generation)))
			continue;
		subject->newborns.items[kept++] = *newborn;
	}
	subject->newborns.count = kept;
}

int subject__reuse(struct subject *subject, const struct event *event)
{
	const uint64_t mask = event->reuse.generations;
	struct relocation r = { .objects = &subject->objects, .before = &subject->now };
	struct span span = { .start = event->reuse.start };

	if (__builtin_add_overflow(span.start, event->reuse.length, &span.end))
		span.end = UINT64_MAX;
	if (span.end == span.start)
		return 0;
	if (generation_places__take(&subject->now, &subject->generations))
		return -ENOMEM;
	forget_newborns(subject, mask, &span);
	return relocation__forget(&r, mask, &span);
}

/* ---------------------------------------------------------------- losses */

static int withdraw_all(struct subject *subject)
{
	return relocation__withdraw_all(&subject->objects);
}

static int withdraw_slot(struct subject *subject, const struct course *course)
{
	struct relocation r = { .objects = &subject->objects, .slot = course->slot };

	return course->slot == NO_SLOT ? withdraw_all(subject) : relocation__withdraw(&r);
}

/* Could a whole collection have been in what was lost? A batch may well hold several. */
static bool may_hide_collections(uint32_t kind)
{
	return kind != LOSS_TRUNCATED && kind != LOSS_INCOMPLETE;
}

/* Objects that were told by the time of the loss. */
static int forget_doubtful(struct subject *subject)
{
	size_t kept = 0;

	for (size_t i = 0; i < subject->newborns.count; i++)
		if (subject->newborns.items[i].stamp > subject->lost_until)
			subject->newborns.items[kept++] = subject->newborns.items[i];
	subject->newborns.count = kept;
	return withdraw_all(subject);
}

int subject__lose(struct subject *subject, const struct event *event)
{
	int err = 0;

	for (struct course *at = subject->courses; at && !err; at = at->next) {
		at->incomplete = true;
		if (at->sealed && !at->done)
			err = withdraw_slot(subject, at);
	}
	subject->dump.whole = false;
	subject->lost = true;
	if (event->loss.until > subject->lost_until)
		subject->lost_until = event->loss.until;
	if (err || !may_hide_collections(event->loss.kind))
		return err;
	subject->doubt = true;
	return subject->numbered ? 0 : forget_doubtful(subject);
}

int subject__end_doubt(struct subject *subject, uint64_t now, bool proven)
{
	if (!subject->doubt)
		return 0;
	subject->doubt = now <= subject->lost_until;
	return proven ? 0 : forget_doubtful(subject);
}

/* ---------------------------------------------------------------- applying */

static unsigned int free_slot(const struct subject *subject)
{
	unsigned int used = 0, slot = 0;

	for (const struct course *at = subject->courses; at; at = at->next)
		used |= at->slot == NO_SLOT ? 0 : 1u << at->slot;
	while (used >> slot & 1)
		slot++;
	return slot; /* NO_SLOT where all are in use */
}

static bool is_alone(const struct subject *subject, const struct course *course)
{
	for (const struct course *at = subject->courses; at; at = at->next)
		if (at != course && at->slot != NO_SLOT)
			return false;
	return true;
}

/* What the collections that are under way collect, by their slots. */
static void tell_masks(const struct subject *subject, uint64_t masks[OBJECT_SLOTS])
{
	for (unsigned int slot = 0; slot < OBJECT_SLOTS; slot++)
		masks[slot] = UINT64_MAX;
	for (const struct course *at = subject->courses; at; at = at->next)
		if (at->slot != NO_SLOT)
			masks[at->slot] = at->mask;
}

/* From now on it is decided what it may kill. */
static int seal(struct subject *subject, struct course *course)
{
	uint64_t masks[OBJECT_SLOTS];
	struct relocation r = { .objects = &subject->objects, .before = &course->before,
				.masks = masks, .some = subject->some || course->partial };
	int err = end_noting(subject);

	if (!err)
		err = subject__take_in(subject, course->order);
	if (err)
		return err;
	tell_masks(subject, masks);
	course->slot = r.slot = free_slot(subject);
	course->sealed = true;
	subject->applying = course;
	if (course->slot != NO_SLOT)
		err = relocation__condemn(&r, course->mask);
	if (!err && course->incomplete)
		err = withdraw_slot(subject, course);
	subject->applying = NULL;
	return err;
}

/* The same for all that started before. */
static int seal_until(struct subject *subject, const struct course *until)
{
	int err = 0;

	for (struct course *at = subject->courses; at && !err; at = at->next)
		if (at->order > 0 && at->order <= until->order && !at->sealed)
			err = seal(subject, at);
	return err;
}

int subject__seal(struct subject *subject)
{
	int err = 0;

	for (struct course *at = subject->courses; at && !err; at = at->next) {
		if (at->order > 0 && !at->sealed)
			err = seal(subject, at);
		if (!at->concurrent && !at->done)
			break;
	}
	return err;
}

static uint32_t width_of(const void *context, uint64_t generation)
{
	return range_transaction__width(context, generation);
}

static int on_phase(void *context, const struct range *ranges, size_t count)
{
	struct subject *subject = context;
	struct course *course = subject->applying;

	return blocks__phase(&course->blocks, ranges, count, &course->before);
}

/* Empty ranges break nothing, and what clashes are objects. */
static uint64_t odd_ranges(const struct relocation_odd *odd)
{
	return odd->counts[ODD_WRAPPED] + odd->counts[ODD_OVERRUN] +
	       odd->counts[ODD_CONTRADICTORY] + odd->counts[ODD_ONTO_LIVE];
}

/* What was reported by now, phase by phase. */
static int apply(struct subject *subject, struct course *course,
		 const struct range_transaction *transaction, bool ends)
{
	struct ranges_take take = { ends ? RANGES_SURVIVING : RANGES_SURVIVING - 1, width_of,
				    transaction };
	struct relocation r = { .objects = &subject->objects, .slot = course->slot,
				.before = &course->before, .after = &course->after,
				.odd = subject->figures.odd, .survived = on_survived,
				.phase = subject->identity->sink.collection ? on_phase : NULL,
				.context = subject };
	int more, err = end_noting(subject);

	if (!err && !course->after.taken)
		err = generation_places__take(&course->after, &subject->generations);
	if (err)
		return err;
	while ((more = ranges__take(&course->ranges, &take, &subject->phase)) > 0 && !err) {
		course->result.ranges += subject->phase.count;
		r.last = ends && is_alone(subject, course) &&
			 !ranges__more(&course->ranges, take.most);
		err = relocation__phase(&r, subject->phase.items, subject->phase.count);
	}
	course->odd += odd_ranges(&r.odd) - odd_ranges(&subject->figures.odd);
	subject->figures.odd = r.odd;
	return err ? err : more;
}

/* `known`: all of its ranges were applied. */
static int conclude_blocks(struct subject *subject, struct course *course, bool known)
{
	const struct blocks_end end = {
		.mask = course->mask,
		.after = &course->after,
		.stopped = !course->concurrent && !course->partial && !subject->some,
	};

	course->result.blocks = NULL;
	if (!known || course->odd || course->result.ranges == 0)
		return 0;
	if (blocks__conclude(&course->blocks, &end))
		return -ENOMEM;
	if (!course->blocks.clashes)
		course->result.blocks = &course->blocks;
	return 0;
}

/* Nothing more of it will be applied. `known`: what is in no range is dead. */
static int end(struct subject *subject, struct course *course,
	       const struct range_transaction *transaction, bool known)
{
	const struct identity_sink *sink = &subject->identity->sink;
	struct relocation r = { .objects = &subject->objects, .slot = course->slot };
	int err;

	known &= course->slot != NO_SLOT;
	err = known ? relocation__bury(&r) : withdraw_slot(subject, course);
	course->slot = NO_SLOT;
	course->done = true;
	subject->figures.collections++;
	subject->figures.applied += known;
	course->result.target = subject->target;
	course->result.collection = transaction->collection;
	course->result.known = known;
	if (err || !sink->collection)
		return err;
	if (conclude_blocks(subject, course, known))
		return -ENOMEM;
	return sink->collection(sink->context, &course->result);
}

/* Is all that it may report known to be here? */
static bool is_sound(const struct course *course)
{
	return !course->incomplete && !(course->partial && course->moves);
}

/* A pause is over that it took part in, or it has ended outside of any. */
static int go_on(struct subject *subject, struct course *course,
		 const struct range_transaction *transaction, bool ends)
{
	bool sound = is_sound(course), some = ranges__more(&course->ranges, RANGES_SURVIVING);
	int err = seal_until(subject, course);

	if (err)
		return err;
	subject->applying = course;
	if (course->slot == NO_SLOT)
		err = some || ends ? withdraw_all(subject) : 0;
	else if (!sound)
		err = withdraw_slot(subject, course);
	else
		err = apply(subject, course, transaction, ends);
	if (!err && (!sound || course->slot == NO_SLOT))
		ranges__free(&course->ranges);
	if (!err && ends)
		err = end(subject, course, transaction,
			  sound && subject->any_ranges && !transaction->collection->untold);
	subject->applying = NULL;
	return err;
}

/* ---------------------------------------------------------------- what the assembler tells */

int subject__start(struct subject *subject, const struct range_transaction *transaction)
{
	const struct collection *collection = transaction->collection;
	struct course *course = course_of(subject, transaction);
	int err = course ? end_noting(subject) : -ENOMEM;

	if (err)
		return err;
	take_from_list(subject, course);
	course->order = ++subject->orders;
	course->mask = collection->generations;
	/* Its own losses alone: collection->incomplete also says that of the pause around it. */
	course->incomplete |= subject->lost && collection->start_ns <= subject->lost_until;
	course->concurrent = collection->how & (GCTRACE_HOW_CONCURRENT | GCTRACE_HOW_INCREMENTAL);
	insert(subject, course);
	/* If its number follows on the highest one, no collection between them was lost. */
	err = subject__end_doubt(subject, collection->start_ns,
				 course->numbered && subject->numbered &&
				 course->number == subject->highest + 1);
	if (!err)
		err = generation_places__take(&course->before, &subject->generations);
	if (course->numbered && (!subject->numbered || course->number > subject->highest)) {
		subject->numbered = true;
		subject->highest = course->number;
	}
	return err;
}

int subject__report(struct subject *subject, const struct range_transaction *transaction,
		    const struct event *report)
{
	struct course *course = course_of(subject, transaction);

	if (!course)
		return -ENOMEM;
	subject->any_ranges = true;
	course->moves |= report->kind == EVENT_MOVED;
	return ranges__add(&course->ranges, report);
}

int subject__pause_end(struct subject *subject, const struct range_transaction *transaction)
{
	struct course *course = course_of(subject, transaction);

	if (!course)
		return -ENOMEM;
	/* Not the pause's end, but the trace's: more moves may have been to come. */
	if (transaction->over)
		return 0;
	if (course->order > 0)
		return go_on(subject, course, transaction,
			     transaction->collection->end_ns != EVENT_UNKNOWN);
	/* It has moved we do not know what before: nothing is where it was. */
	if (!ranges__has_moves(&course->ranges))
		return 0;
	ranges__free(&course->ranges);
	return withdraw_all(subject);
}

static int forget(struct subject *subject, struct course *course, int err)
{
	int noted = subject->noting == course ? end_noting(subject) : 0;

	take_from_list(subject, course);
	free_course(course);
	return err ? err : noted;
}

int subject__finish(struct subject *subject, const struct range_transaction *transaction)
{
	struct course *course = course_of(subject, transaction);
	int err = 0;

	if (!course)
		return -ENOMEM;
	if (!course->done && course->order == 0)
		err = withdraw_all(subject);
	if (!course->done && !err)
		err = go_on(subject, course, transaction, true);
	err = forget(subject, course, err);
	return err ? err : subject__match_if_due(subject);
}

/* It began before the attach. What it says that lives does; all else may have died. */
static int end_partial(struct subject *subject, struct course *course,
		       const struct range_transaction *transaction)
{
	course->mask = UINT64_MAX;
	if (course->moves || course->incomplete) {
		ranges__free(&course->ranges);
		course->incomplete = true;
	}
	if (!course->sealed)
		course->order = subject->orders;
	return go_on(subject, course, transaction, true);
}

int subject__drop(struct subject *subject, const struct range_transaction *transaction)
{
	struct course *course = course_of(subject, transaction);
	int err = 0;

	if (!course)
		return -ENOMEM;
	/*
	 * Of objects nothing comes any more that could be wrong. A dump told in it would have to
	 * wait for its moves: it is not matched.
	 */
	if (transaction->over) {
		subject->dump.telling = subject->dump.waiting = false;
		return forget(subject, course, 0);
	}
	if (!course->done && transaction->collection->partial && !course->incomplete) {
		err = end_partial(subject, course, transaction);
	} else if (!course->done) {
		course->incomplete = true;
		if (course->order == 0)
			err = withdraw_all(subject);
		if (!err)
			err = go_on(subject, course, transaction, true);
	}
	err = forget(subject, course, err);
	return err ? err : subject__match_if_due(subject);
}
