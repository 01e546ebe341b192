/* SPDX-License-Identifier: BSD-2-Clause */
#include <inttypes.h>

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

static void line(const struct page *page, const char *name)
{
	buf__printf(page->out, "  %-*s", NAME_COLUMNS - 2, name);
}

static void end_line(const struct page *page)
{
	buf__add_char(page->out, '\n');
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
	const struct wrap wrap = { .columns = WRAP_COLUMNS, .indent = 2 };
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
	buf__printf(&said, " %" PRIu64 " collection%s", summary->collections,
		    summary->collections == 1 ? "" : "s");
	add_kinds(&said, summary);
	if (results->shown < summary->collections)
		buf__printf(&said, ", %" PRIu64 " shown", results->shown);
	buf__add_str(page->out, terminal__on(page->terminal, STYLE_HEAD));
	wrap__add(page->out, &wrap, 0, buf__str(&said));
	buf__add_str(page->out, terminal__off(page->terminal, STYLE_HEAD));
	end_line(page);
	if (said.error)
		page->out->error = said.error;
	buf__free(&said);
}

static void add_others(const struct page *page, const char *name, uint64_t count, uint64_t ns,
		       const char *which)
{
	char text[UNITS_TEXT];

	if (count == 0)
		return;
	line(page, name);
	buf__printf(page->out, "%" PRIu64 " pause%s %s, in all %s", count, count == 1 ? "" : "s",
		    which, units__ns(text, ns));
	end_line(page);
}

static void add_pauses(const struct page *page)
{
	struct summary *summary = page->results->summary;
	struct histogram *pauses = summary->pauses;
	uint64_t count = histogram__count(pauses), observed = summary__observed_ns(summary);
	char text[4][UNITS_TEXT];

	if (count > 0) {
		line(page, "pauses");
		buf__printf(page->out, "%" PRIu64 ", in all %s, p50 %s, p99 %s, max %s", count,
			    units__ns(text[0], histogram__sum(pauses)),
			    units__ns(text[1], histogram__quantile(pauses, 500)),
			    units__ns(text[2], histogram__quantile(pauses, 990)),
			    units__ns(text[3], histogram__max(pauses)));
		if (page->results->of && observed > 0)
			buf__printf(page->out, "; %.3g %% of the time",
				    100.0 * (double)histogram__sum(pauses) / (double)observed);
		end_line(page);
	}
	add_others(page, "earlier", summary->earlier_pauses, summary->earlier_pause_ns,
		   "for a collection that began before the trace");
	add_others(page, "others", summary->other_pauses - summary->earlier_pauses,
		   summary->other_pause_ns - summary->earlier_pause_ns,
		   "in which no collection was seen");
	if (summary->pauses_unmeasured > 0) {
		line(page, "unmeasured");
		buf__printf(page->out, "%" PRIu64 " pause%s whose beginning or end was not seen",
			    summary->pauses_unmeasured,
			    summary->pauses_unmeasured == 1 ? "" : "s");
		end_line(page);
	}
}

static void add_rate(const struct page *page, const char **before, const char *name,
		     struct rate rate)
{
	char text[UNITS_TEXT];
	double per_second;

	if (rate.ns == 0)
		return;
	per_second = (double)rate.bytes.value * (double)NS_PER_S / (double)rate.ns;
	if (per_second > 1e18)
		return;
	buf__printf(page->out, "%s%s %s%s/s", *before, name, rate.bytes.estimated ? "~" : "",
		    units__bytes(text, (uint64_t)per_second));
	*before = ", ";
}

static void add_rates(const struct page *page)
{
	const struct summary *summary = page->results->summary;
	struct rate promotion = summary__promotion(summary);
	const char *before = "";

	/* Of one process: heaps of several have no rate in common. */
	if (!page->results->of || (summary->allocated.ns == 0 && promotion.ns == 0))
		return;
	line(page, "rates");
	add_rate(page, &before, "allocated", summary->allocated);
	add_rate(page, &before, "promoted", promotion);
	end_line(page);
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
			    objects.value == 1 ? "" : "s", same ? ")" : "");
}

static void add_sums(const struct page *page)
{
	const struct summary *summary = page->results->summary;
	const struct wrap wrap = { .columns = WRAP_COLUMNS, .indent = NAME_COLUMNS };
	struct buf said = BUF_INIT;

	if (!summary->moved.known && !summary->dead.known && !summary->dead_objects.known)
		return;
	add_sum(&said, "moved", summary->moved);
	add_sum(&said, "survived", summary->survived);
	add_sum(&said, "promoted", summary->promoted);
	add_sum(&said, "dead", summary->dead);
	add_objects(&said, summary, page->results->of != NULL);
	line(page, "objects");
	wrap__add(page->out, &wrap, NAME_COLUMNS, buf__str(&said));
	end_line(page);
	if (said.error)
		page->out->error = said.error;
	buf__free(&said);
}

static const struct heading *whose(const struct results *results, uint32_t target)
{
	if (results->of || !results->whose)
		return results->of;
	return results->whose(results->whose_context, target);
}

static void add_longest(const struct page *page)
{
	struct summary *summary = page->results->summary;
	char text[UNITS_TEXT];

	summary__sort_top(summary);
	for (size_t i = 0; i < summary->top.count; i++) {
		const struct top_pause *top = &summary->top.items[i];
		const struct heading *of = whose(page->results, top->target);

		line(page, i ? "" : "longest");
		buf__printf(page->out, "%s at ", units__ns_column(text, top->ns));
		collections__add_time(page->out, page->options, of, top->start_ns);
		if (!page->results->of && of && of->pid)
			buf__printf(page->out, "  pid %" PRIu64, of->pid);
		if (top->number != EVENT_UNKNOWN)
			buf__printf(page->out, "  gc %" PRIu64, top->number);
		buf__add_str(page->out, "  ");
		escape__add(page->out, top->what.at, top->what.bytes);
		if (top->cause.bytes) {
			buf__add_str(page->out, ", ");
			escape__add(page->out, top->cause.at, top->cause.bytes);
		}
		end_line(page);
	}
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
		{ MARK_CUT_OFF, "x", "its end was not seen" },
		{ MARK_ESTIMATED, "~", "an estimate (-o json gives its limits)" },
	};

	for (size_t i = 0; i < sizeof(legends) / sizeof(*legends); i++)
		if (marks & legends[i].mark)
			buf__printf(page->out, "  %s  %s\n", legends[i].sign, legends[i].words);
}

static void add_odd(const struct page *page)
{
	for (unsigned int i = 0; odd__name(i); i++)
		if (odd__of(&page->results->odd, i))
			buf__printf(page->out, "  odd: %" PRIu64 " %s\n",
				    odd__of(&page->results->odd, i),
				    odd__text(i, odd__of(&page->results->odd, i)));
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
	buf__add_str(page->out, terminal__on(page->terminal, STYLE_BAD));
	for (unsigned int i = 0; i < LOSS_KINDS; i++) {
		if (!results->lost[i])
			continue;
		buf__printf(page->out, "%s%" PRIu64 " %s", before, results->lost[i],
			    loss__text(i, results->lost[i]));
		before = "\n              ";
	}
	buf__add_str(page->out, terminal__off(page->terminal, STYLE_BAD));
	end_line(page);
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
	add_longest(&page);
	add_legend(&page, marks);
	add_odd(&page);
	add_losses(&page);
}
