/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/units.h"
#include "../base/wrap.h"
#include "collections.h"

/* What all of these need. */
struct page {
	struct buf *out;
	const struct terminal *terminal;
	const struct view_options *options;
	const struct results *results;
};

#define NAME_COLUMNS 13 /* what a name says begins here */

/*
 * A line that `before` begins: what it says, which is freed, goes on in further lines below where
 * it began if there is no room. Where there is, it is as it is, with its runs of blanks.
 */
static void put(const struct page *page, enum style style, const char *before, struct buf *said)
{
	const size_t at = utf8__columns(before, strlen(before));
	const struct wrap wrap = { .columns = terminal__text_columns(page->terminal),
				   .indent = at };

	buf__add_str(page->out, terminal__on(page->terminal, style));
	buf__add_str(page->out, before);
	if (at + utf8__columns(buf__str(said), said->len) <= wrap.columns)
		buf__add(page->out, buf__str(said), said->len);
	else
		wrap__add(page->out, &wrap, at, buf__str(said));
	buf__add_str(page->out, terminal__off(page->terminal, style));
	buf__add_char(page->out, '\n');
	if (said->error)
		page->out->error = said->error;
	buf__free(said);
}

/* The same behind a name. */
static void put_named(const struct page *page, const char *name, struct buf *said)
{
	char before[NAME_COLUMNS + 8];

	snprintf(before, sizeof(before), "  %-*s", NAME_COLUMNS - 2, name);
	put(page, STYLE_PLAIN, before, said);
}

/* "124 young, 2 full" */
static void add_kinds(struct buf *out, const struct summary *summary)
{
	for (size_t i = 0; i < summary->kinds.count; i++) {
		const struct summary_kind *kind = &summary->kinds.items[i];

		buf__printf(out, "%s%" PRIu64 " ", i ? ", " : " (", kind->count);
		if (kind->what.bytes)
			escape__add(out, kind->what.at, kind->what.bytes);
		else
			buf__add_str(out, "others");
	}
	if (summary->kinds.count)
		buf__add_char(out, ')');
}

static void add_title(const struct page *page)
{
	const struct results *results = page->results;
	const struct summary *summary = results->summary;
	const struct heading *of = results->of;
	const struct wrap wrap = { .columns = terminal__text_columns(page->terminal), .indent = 2 };
	struct buf said = BUF_INIT;
	char text[UNITS_TEXT];

	if (!of)
		buf__add_str(&said, "all processes");
	else if (of->runtime.bytes)
		escape__add(&said, of->runtime.at, of->runtime.bytes);
	else
		escape__add(&said, of->name.at, of->name.bytes);
	if (of && of->pid)
		buf__printf(&said, " (pid %" PRIu64 ")", of->pid);
	buf__printf(&said, ", %s:", units__ns(text, summary__observed_ns(summary)));
	buf__printf(&said, " %s%" PRIu64 " collection%s",
		    summary->may_be_two ? "at least " : "", summary->collections,
		    units__s(summary->collections));
	add_kinds(&said, summary);
	if (results->shown < summary->collections)
		buf__printf(&said, ", %" PRIu64 " shown", results->shown);
	buf__add_str(page->out, terminal__on(page->terminal, STYLE_HEAD));
	wrap__add(page->out, &wrap, 0, buf__str(&said));
	buf__add_str(page->out, terminal__off(page->terminal, STYLE_HEAD));
	buf__add_char(page->out, '\n');
	if (said.error)
		page->out->error = said.error;
	buf__free(&said);
}

static void add_others(const struct page *page, const char *name, uint64_t count, uint64_t ns,
		       const char *which)
{
	struct buf said = BUF_INIT;
	char text[UNITS_TEXT];

	if (count == 0)
		return;
	buf__printf(&said, "%" PRIu64 " pause%s %s, in all %s", count, units__s(count), which,
		    units__ns(text, ns));
	put_named(page, name, &said);
}

static void add_measured(const struct page *page)
{
	struct histogram *pauses = page->results->summary->pauses;
	const uint64_t observed = summary__observed_ns(page->results->summary);
	struct buf said = BUF_INIT;
	char text[4][UNITS_TEXT];

	if (histogram__count(pauses) == 0)
		return;
	buf__printf(&said, "%" PRIu64 ", in all %s, p50 %s, p99 %s, max %s",
		    histogram__count(pauses), units__ns(text[0], histogram__sum(pauses)),
		    units__ns(text[1], histogram__quantile(pauses, 500)),
		    units__ns(text[2], histogram__quantile(pauses, 990)),
		    units__ns(text[3], histogram__max(pauses)));
	if (page->results->of && observed > 0 && !page->results->summary->open_pauses)
		buf__printf(&said, "; %.3g %% of the time",
			    100.0 * (double)histogram__sum(pauses) / (double)observed);
	put_named(page, "pauses", &said);
}

/* The part of the pauses in which threads were still on their way to stop. */
static void add_suspensions(const struct page *page)
{
	const struct summary *summary = page->results->summary;
	const uint64_t paused = histogram__sum(summary->pauses);
	struct buf said = BUF_INIT;
	char text[2][UNITS_TEXT];

	if (!summary->suspensions || summary->suspensions != histogram__count(summary->pauses))
		return;
	buf__printf(&said, "%s of that until all threads had stopped, longest %s",
		    units__ns(text[0], summary->suspend_ns),
		    units__ns(text[1], summary->suspend_max_ns));
	if (paused > 0)
		buf__printf(&said, "; %.3g %% of the pauses",
			    100.0 * (double)summary->suspend_ns / (double)paused);
	put_named(page, "to stop", &said);
}

/* Stops that the trace saw a part of: that part is the least that they lasted. */
static void add_edges(const struct page *page)
{
	const struct summary *summary = page->results->summary;
	struct buf said = BUF_INIT;
	char text[2][UNITS_TEXT];

	if (!summary->open_pauses)
		return;
	buf__printf(&said, "%" PRIu64 " pause%s in progress when the trace began or ended, %s of"
		    " %s inside it", summary->open_pauses, units__s(summary->open_pauses),
		    units__ns(text[0], summary->open_ns),
		    summary->open_pauses > 1 ? "them" : "it");
	if (page->results->of)
		buf__printf(&said, "; with %s, at least %.3g %% of the time paused",
			    summary->open_pauses > 1 ? "them" : "it",
			    100.0 * summary__paused_share(summary));
	put_named(page, "at least", &said);
}

static void add_stalls(const struct page *page)
{
	const uint64_t count = page->results->summary->stalled;
	struct buf said = BUF_INIT;

	if (!count)
		return;
	buf__printf(&said, "%" PRIu64 " collection%s began because threads were stalled for an"
		    " allocation; stall times are not visible", count, units__s(count));
	put_named(page, "stalls", &said);
}

static void add_pauses(const struct page *page)
{
	const struct summary *summary = page->results->summary;
	struct buf said = BUF_INIT;

	add_measured(page);
	add_suspensions(page);
	add_edges(page);
	add_stalls(page);
	add_others(page, "earlier", summary->earlier_pauses, summary->earlier_pause_ns,
		   "for a collection that began before the trace");
	add_others(page, "dumps", summary->dump_pauses, summary->dump_pause_ns, "for heap dumps");
	add_others(page, "others",
		   summary->other_pauses - summary->earlier_pauses - summary->dump_pauses,
		   summary->other_pause_ns - summary->earlier_pause_ns - summary->dump_pause_ns,
		   "in which no collection was seen");
	if (summary->pauses_unmeasured <= summary->open_pauses)
		return;
	buf__printf(&said, "%" PRIu64 " pause%s whose beginning or end was not seen",
		    summary->pauses_unmeasured - summary->open_pauses,
		    units__s(summary->pauses_unmeasured - summary->open_pauses));
	put_named(page, "unmeasured", &said);
}

static void add_rate(struct buf *said, const char *name, struct rate rate)
{
	char text[UNITS_TEXT];
	double per_second;

	if (rate.ns == 0)
		return;
	per_second = (double)rate.bytes.value * (double)NS_PER_S / (double)rate.ns;
	if (per_second > 1e18)
		return;
	buf__printf(said, "%s%s %s%s/s", said->len ? ", " : "", name,
		    rate.bytes.estimated ? "~" : "", units__bytes(text, (uint64_t)per_second));
}

static void add_rates(const struct page *page)
{
	const struct summary *summary = page->results->summary;
	struct rate promotion = summary__promotion(summary);
	struct buf said = BUF_INIT;

	/* Of one process: heaps of several have no rate in common. */
	if (!page->results->of || (summary->allocated.ns == 0 && promotion.ns == 0))
		return;
	add_rate(&said, "allocated", summary->allocated);
	add_rate(&said, "promoted", promotion);
	put_named(page, "rates", &said);
}

static void add_sum(struct buf *out, const char *name, struct amount bytes)
{
	char text[UNITS_TEXT];

	if (bytes.known)
		buf__printf(out, "%s%s %s%s", out->len ? ", " : "", name,
			    bytes.estimated ? "~" : "", units__bytes(text, bytes.value));
}

/* Of one process they are what the bytes before them were; those of several need not be. */
static void add_objects(struct buf *out, const struct summary *summary, bool same)
{
	const struct amount objects = summary->dead_objects;
	const char *before = out->len ? ", dead " : "dead ";
	char text[UNITS_TEXT];

	same &= summary->dead.known;
	if (objects.known)
		buf__printf(out, "%s%s%s object%s%s", same ? " (" : before,
			    objects.estimated ? "~" : "", units__count(text, objects.value),
			    units__s(objects.value), same ? ")" : "");
}

static void add_sums(const struct page *page)
{
	const struct summary *summary = page->results->summary;
	struct buf said = BUF_INIT;

	if (!summary->moved.known && !summary->dead.known && !summary->dead_objects.known)
		return;
	add_sum(&said, "moved", summary->moved);
	add_sum(&said, "survived", summary->survived);
	add_sum(&said, "promoted", summary->promoted);
	add_sum(&said, "dead", summary->dead);
	add_objects(&said, summary, page->results->of != NULL);
	put_named(page, "objects", &said);
}

/* What the runtime has found out of the ranges that it told. */
static void add_checks(const struct page *page)
{
	const struct summary *summary = page->results->summary;
	struct buf said = BUF_INIT;
	char text[UNITS_TEXT];

	if (!summary->checked_objects)
		return;
	buf__printf(&said, "of %" PRIu64 " collection%s exact, of %" PRIu64 " not told; %s"
		    " addresses checked against handles, %" PRIu64 " wrong (%.2g %%)",
		    summary->checked_collections, units__s(summary->checked_collections),
		    summary->untold_collections,
		    units__count(text, summary->checked_objects), summary->wrong_objects,
		    100.0 * (double)summary->wrong_objects / (double)summary->checked_objects);
	put_named(page, "moves", &said);
}

static void add_long_one(const struct page *page, const char *name, const struct top_pause *top)
{
	const struct heading *of = results__whose(page->results, top->target);
	struct buf said = BUF_INIT;
	char text[UNITS_TEXT];

	buf__printf(&said, "%s at ", units__ns_column(text, top->ns));
	collections__add_time(&said, page->options, of, top->start_ns);
	if (!page->results->of && of && of->pid)
		buf__printf(&said, "  pid %" PRIu64, of->pid);
	if (top->number != EVENT_UNKNOWN)
		buf__printf(&said, "  gc %" PRIu64, top->number);
	buf__add_str(&said, "  ");
	escape__add(&said, top->what.at, top->what.bytes);
	if (top->cause.bytes) {
		buf__add_str(&said, ", ");
		escape__add(&said, top->cause.at, top->cause.bytes);
	}
	put_named(page, name, &said);
}

static void add_longest(const struct page *page)
{
	struct summary *summary = page->results->summary;

	summary__sort_top(summary);
	for (size_t i = 0; i < summary->top.count; i++)
		add_long_one(page, i ? "" : "longest", &summary->top.items[i]);
}

static void add_legend(const struct page *page, unsigned int marks)
{
	static const struct {
		unsigned int mark;
		const char *sign, *words;
	} legends[] = {
		{ MARK_CONCURRENT, "c", "the program ran during a part of it" },
		{ MARK_PARTIAL, "p", "it began before the trace: its figures lack a part" },
		{ MARK_INCOMPLETE, "i", "something of it was lost: its figures may lack a part" },
		{ MARK_SHARED, "s", "it shares a stop with other collections: this is its part" },
		{ MARK_TWO, "2",
		  "it may cover two: a background one, and a young one that it began with" },
		{ MARK_CUT_OFF, "x", "cut off: its figures may lack a part" },
		{ MARK_ESTIMATED, "~", "an estimate (-o json gives its limits)" },
	};

	for (size_t i = 0; i < sizeof(legends) / sizeof(*legends); i++) {
		struct buf said = BUF_INIT;
		char before[8];

		if (!(marks & legends[i].mark))
			continue;
		snprintf(before, sizeof(before), "  %s  ", legends[i].sign);
		buf__add_str(&said, legends[i].words);
		put(page, STYLE_PLAIN, before, &said);
	}
}

static void add_odd(const struct page *page)
{
	for (unsigned int i = 0; odd__name(i); i++) {
		const uint64_t count = odd__of(&page->results->odd, i);
		struct buf said = BUF_INIT;

		if (!count)
			continue;
		buf__printf(&said, "%" PRIu64 " %s", count, odd__text(i, count));
		put(page, STYLE_PLAIN, "  odd: ", &said);
	}
}

static void add_losses(const struct page *page)
{
	const struct results *results = page->results;
	const char *before = "NOT complete: ";

	if (results__complete(results) && !results->of && results->targets == 0) {
		buf__printf(page->out, "%snothing was seen%s: no process here could be traced\n",
			    terminal__on(page->terminal, STYLE_NOTICE),
			    terminal__off(page->terminal, STYLE_NOTICE));
		return;
	}
	if (results__complete(results)) {
		buf__printf(page->out, "%scomplete%s: nothing was lost\n",
			    terminal__on(page->terminal, STYLE_GOOD),
			    terminal__off(page->terminal, STYLE_GOOD));
		return;
	}
	for (unsigned int i = 0; i < LOSS_KINDS; i++) {
		struct buf said = BUF_INIT;

		if (!results->lost[i])
			continue;
		buf__printf(&said, "%" PRIu64 " %s", results->lost[i],
			    loss__text(i, results->lost[i]));
		put(page, STYLE_BAD, before, &said);
		before = "              ";
	}
	if (results->contradicted) {
		struct buf said = BUF_INIT;

		buf__printf(&said, "estimates of what lives contradict the heap in use: %" PRIu64
				   " time%s", results->contradicted,
			    units__s(results->contradicted));
		put(page, STYLE_BAD, before, &said);
	}
}

void collections__add_results(struct buf *out, const struct terminal *terminal,
			      const struct view_options *options, const struct results *results,
			      unsigned int marks)
{
	const struct page page = { out, terminal, options, results };

	if (summary__estimated(results->summary))
		marks |= MARK_ESTIMATED;
	add_title(&page);
	add_pauses(&page);
	add_rates(&page);
	add_sums(&page);
	add_checks(&page);
	add_longest(&page);
	add_legend(&page, marks);
	add_odd(&page);
	add_losses(&page);
}
