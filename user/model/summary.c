/* SPDX-License-Identifier: BSD-2-Clause */
#include "summary.h"

#include <errno.h>

#include "gctrace/wire.h"

int summary__init(struct summary *summary, size_t top)
{
	*summary = (struct summary){ .top_most = top, .open_since_ns = EVENT_UNKNOWN };
	summary->pauses = histogram__new();
	return summary->pauses ? 0 : -ENOMEM;
}

void summary__free(struct summary *summary)
{
	for (size_t i = 0; i < summary->kinds.count; i++)
		text__free(&summary->kinds.items[i].what);
	for (size_t i = 0; i < summary->top.count; i++) {
		text__free(&summary->top.items[i].what);
		text__free(&summary->top.items[i].cause);
	}
	vec__free(&summary->kinds);
	vec__free(&summary->top);
	histogram__free(summary->pauses);
	summary->pauses = NULL;
}

static void add(uint64_t *sum, uint64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

static void add_amount(struct amount *sum, struct amount value)
{
	if (!value.known)
		return;
	sum->known = true;
	sum->estimated |= value.estimated;
	add(&sum->low, value.low);
	add(&sum->value, value.value);
	add(&sum->high, value.high);
}

/* ---------------------------------------------------------------- the longest pauses */

/* A heap, the shortest first, so that a longer one takes its place. */
static void sift_down(struct summary *summary, size_t at)
{
	struct top_pause *items = summary->top.items, swap;
	size_t child;

	while ((child = 2 * at + 1) < summary->top.count) {
		if (child + 1 < summary->top.count && items[child + 1].ns < items[child].ns)
			child++;
		if (items[at].ns <= items[child].ns)
			return;
		swap = items[at];
		items[at] = items[child];
		items[child] = swap;
		at = child;
	}
}

static void sift_up(struct summary *summary, size_t at)
{
	struct top_pause *items = summary->top.items, swap;

	while (at > 0 && items[at].ns < items[(at - 1) / 2].ns) {
		swap = items[at];
		items[at] = items[(at - 1) / 2];
		items[(at - 1) / 2] = swap;
		at = (at - 1) / 2;
	}
}

static int offer_top(struct summary *summary, const struct pause *pause)
{
	struct top_pause top = { .target = pause->target, .start_ns = pause->start_ns,
				 .ns = pause->share_ns, .number = EVENT_UNKNOWN };
	bool full = summary->top.count >= summary->top_most;
	int err;

	if (summary->top_most == 0 || (full && summary->top.items[0].ns >= top.ns))
		return 0;
	err = text__own(&top.what, pause->what);
	if (err)
		return err;
	if (full) {
		text__free(&summary->top.items[0].what);
		text__free(&summary->top.items[0].cause);
		summary->top.items[0] = top;
		sift_down(summary, 0);
		return 0;
	}
	if (vec__push(&summary->top, top)) {
		text__free(&top.what);
		return -ENOMEM;
	}
	sift_up(summary, summary->top.count - 1);
	return 0;
}

/* Now it is known which collection a pause was for. */
static int name_top(struct summary *summary, const struct collection *collection,
		    const struct pause *pause)
{
	int err;

	for (size_t i = 0; i < summary->top.count; i++) {
		struct top_pause *top = &summary->top.items[i];

		if (top->target != collection->target || top->start_ns != pause->start_ns ||
		    (top->number != EVENT_UNKNOWN && top->share_ns >= pause->share_ns))
			continue;
		top->number = collection->number;
		top->share_ns = pause->share_ns;
		err = text__own(&top->what, collection->what);
		return err ? err : text__own(&top->cause, collection->cause);
	}
	return 0;
}

static int name_tops(struct summary *summary, const struct collection *collection)
{
	int err = 0;

	for (size_t i = 0; i < collection->pauses_kept && !err; i++)
		if (collection->pauses[i].start_ns != EVENT_UNKNOWN &&
		    collection->pauses[i].share_ns != EVENT_UNKNOWN)
			err = name_top(summary, collection, &collection->pauses[i]);
	return err;
}

static int longest_first(const void *a, const void *b)
{
	const struct top_pause *left = a, *right = b;

	if (left->ns != right->ns)
		return left->ns > right->ns ? -1 : 1;
	return left->start_ns < right->start_ns ? -1 : left->start_ns > right->start_ns;
}

void summary__sort_top(struct summary *summary)
{
	vec__sort(&summary->top, longest_first);
}

/* A runtime that says so of a pause without a collection has started one that nobody saw. */
static bool is_for_collections(uint64_t why)
{
	return why == GCTRACE_WHY_COLLECTION || why == GCTRACE_WHY_MARK_START ||
	       why == GCTRACE_WHY_REMARK || why == GCTRACE_WHY_RELOCATE;
}

void summary__add_open(struct summary *summary, uint64_t ns)
{
	if (ns == 0)
		return;
	summary->open_pauses++;
	add(&summary->open_ns, ns);
	if (ns > summary->open_max_ns)
		summary->open_max_ns = ns;
}

/* Of a stop that is not known whole, the part inside the trace, if it is one at its edge. */
static void add_unmeasured(struct summary *summary, const struct pause *pause)
{
	summary->pauses_unmeasured++;
	if (pause->inside_ns != EVENT_UNKNOWN)
		summary__add_open(summary, pause->inside_ns);
	else if (pause->open && pause->start_ns != EVENT_UNKNOWN)
		summary->open_since_ns = pause->start_ns;
}

static void add_suspension(struct summary *summary, uint64_t ns)
{
	if (ns == EVENT_UNKNOWN)
		return;
	summary->suspensions++;
	add(&summary->suspend_ns, ns);
	if (ns > summary->suspend_max_ns)
		summary->suspend_max_ns = ns;
}

void summary__begin_stopped(struct summary *summary)
{
	if (!summary->had_pause)
		summary->open_since_ns = summary->start_ns;
}

int summary__pause(struct summary *summary, const struct pause *pause, unsigned int collections)
{
	int err;

	summary->had_pause = true;
	summary->open_since_ns = EVENT_UNKNOWN;
	if (pause->share_ns == EVENT_UNKNOWN || pause->partial) {
		add_unmeasured(summary, pause);
		return 0;
	}
	if (collections == 0) {
		summary->other_pauses++;
		add(&summary->other_pause_ns, pause->share_ns);
		if (is_for_collections(pause->why)) {
			summary->earlier_pauses++;
			add(&summary->earlier_pause_ns, pause->share_ns);
		} else if (pause->why == GCTRACE_WHY_DUMP) {
			summary->dump_pauses++;
			add(&summary->dump_pause_ns, pause->share_ns);
		}
		return 0;
	}
	add_suspension(summary, pause->suspend_ns);
	err = histogram__add(summary->pauses, pause->share_ns);
	return err ? err : offer_top(summary, pause);
}

/* ---------------------------------------------------------------- collections */

static struct summary_kind *find_kind(struct summary *summary, struct text what)
{
	for (size_t i = 0; i < summary->kinds.count; i++)
		if (text__equal(summary->kinds.items[i].what, what))
			return &summary->kinds.items[i];
	return NULL;
}

/* Names beyond those that are kept, and very long ones, are all others. */
static struct summary_kind *kind_of(struct summary *summary, struct text what)
{
	struct summary_kind kind = { .count = 0 }, *known = find_kind(summary, what);

	if (!known && (summary->kinds.count >= SUMMARY_KINDS || what.bytes > 256)) {
		what.bytes = 0;
		known = find_kind(summary, what);
	}
	if (known)
		return known;
	if (text__own(&kind.what, what))
		return NULL;
	if (vec__push(&summary->kinds, kind)) {
		text__free(&kind.what);
		return NULL;
	}
	return &summary->kinds.items[summary->kinds.count - 1];
}

static int count_kind(struct summary *summary, const struct collection *collection)
{
	struct summary_kind *kind = kind_of(summary, collection->what);

	if (!kind)
		return -ENOMEM;
	kind->count++;
	if (collection->pause_ns != EVENT_UNKNOWN) {
		add(&kind->pause_ns, collection->pause_ns);
		if (collection->pause_ns > kind->pause_max_ns)
			kind->pause_max_ns = collection->pause_ns;
	}
	return 0;
}

/*
 * What was allocated from the end of the last collection to the start of this one, over the time
 * from end to end; of a concurrent one over the time until its start: what is allocated while it
 * runs is in no figure. Only what is whole counts, and nothing around which another collection ran;
 * a heap that shrank was freed into by one that was not reported.
 */
static void count_allocation(struct summary *summary, const struct collection *collection)
{
	bool whole = !collection->partial && !collection->incomplete && !collection->cut_off &&
		     !collection->overlapped;

	if (whole && summary->after_known && collection->before_bytes != EVENT_UNKNOWN &&
	    collection->before_bytes >= summary->after_bytes &&
	    collection->end_ns != EVENT_UNKNOWN && collection->start_ns > summary->after_ns) {
		add_amount(&summary->allocated.bytes,
			   amount__exact(collection->before_bytes - summary->after_bytes));
		add(&summary->allocated.ns,
		    (collection->concurrent ? collection->start_ns : collection->end_ns) -
			    summary->after_ns);
	}
	if (collection->end_ns != EVENT_UNKNOWN && summary->after_known &&
	    collection->end_ns < summary->after_ns)
		return;
	summary->after_known = whole && collection->after_bytes != EVENT_UNKNOWN &&
			       collection->end_ns != EVENT_UNKNOWN;
	summary->after_bytes = collection->after_bytes;
	summary->after_ns = collection->end_ns;
}

/* Untold ones count from the first on that was told. */
static void count_checks(struct summary *summary, const struct collection *collection)
{
	const uint64_t checked = collection__of_heap(collection, GCTRACE_FIGURE_CHECKED);
	const uint64_t wrong = collection__of_heap(collection, GCTRACE_FIGURE_WRONG);

	if (checked != EVENT_UNKNOWN && wrong != EVENT_UNKNOWN) {
		summary->checked_collections += !collection->untold;
		add(&summary->checked_objects, checked);
		add(&summary->wrong_objects, wrong);
	}
	summary->untold_collections += summary->checked_collections && collection->untold &&
				       collection->generations != 0;
}

static void count_ranges(struct summary *summary, const struct collection *collection)
{
	add_amount(&summary->moved, collection->moved.bytes);
	add_amount(&summary->survived, collection->survived.bytes);
	add_amount(&summary->promoted, collection->promoted.bytes);
	add_amount(&summary->dead, collection->dead.bytes);
	add_amount(&summary->dead_objects, collection->dead.objects);
	count_checks(summary, collection);
}

int summary__collection(struct summary *summary, const struct collection *collection)
{
	int err = count_kind(summary, collection);

	if (!err)
		err = name_tops(summary, collection);
	if (err)
		return err;
	summary->collections++;
	summary->partial += collection->partial;
	summary->may_be_two += collection->may_be_two;
	summary->incomplete += collection->incomplete;
	summary->cut_off += collection->cut_off;
	summary->concurrent += collection->concurrent;
	summary->stalled += text__is(collection->cause, "Allocation Stall");
	count_allocation(summary, collection);
	count_ranges(summary, collection);
	return 0;
}

uint64_t summary__paused_ns(const struct summary *summary)
{
	uint64_t sum = histogram__sum(summary->pauses);

	add(&sum, summary->open_ns);
	return sum;
}

double summary__paused_share(const struct summary *summary)
{
	const uint64_t observed = summary__observed_ns(summary);
	const double paused = (double)summary__paused_ns(summary);

	return observed ? paused / (double)observed : 0;
}

uint64_t summary__end(struct summary *summary)
{
	const uint64_t start = summary->start_ns, since = summary->open_since_ns;
	uint64_t ns = 0;

	if (since != EVENT_UNKNOWN && summary->end_ns > since)
		ns = summary->end_ns - (since > start ? since : start);
	summary__add_open(summary, ns);
	summary->open_since_ns = EVENT_UNKNOWN;
	return ns;
}

uint64_t summary__observed_ns(const struct summary *summary)
{
	return summary->end_ns > summary->start_ns ? summary->end_ns - summary->start_ns : 0;
}

struct rate summary__promotion(const struct summary *summary)
{
	const struct rate none = { .ns = 0 };

	if (!summary->promoted.known)
		return none;
	return (struct rate){ summary->promoted, summary__observed_ns(summary) };
}

bool summary__estimated(const struct summary *summary)
{
	return summary->moved.estimated || summary->survived.estimated ||
	       summary->promoted.estimated || summary->dead.estimated ||
	       summary->dead_objects.estimated;
}
