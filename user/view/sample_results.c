/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the time went, for people: by location, by thread, by method. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "../base/buf.h"
#include "../base/units.h"
#include "../base/wrap.h"
#include "../model/call_stacks.h"
#include "sample.h"
#include "table.h"

struct results {
	struct buf *out;
	const struct terminal *terminal;
	uint64_t top;
	struct buf text; /* scratch */
};

static const struct column place_columns[] = {
	{ "location", 10, ALIGN_LEFT },
	{ "share", 8, ALIGN_RIGHT },
	{ "samples", 10, ALIGN_RIGHT },
	{ "exact", 8, ALIGN_RIGHT },
};

static const struct column thread_columns[] = {
	{ "tid", 7, ALIGN_RIGHT },
	{ "thread", 24, ALIGN_LEFT },
	{ "samples", 10, ALIGN_RIGHT },
	{ "awake", 8, ALIGN_RIGHT },
	{ "time by location", 40, ALIGN_LEFT },
};

static const struct column method_columns[] = {
	{ "share", 8, ALIGN_RIGHT },
	{ "samples", 10, ALIGN_RIGHT },
	{ "exact", 8, ALIGN_RIGHT },
	{ "location", 9, ALIGN_LEFT },
	{ "method", 60, ALIGN_LEFT },
};

#define COUNT(columns) (sizeof(columns) / sizeof(*(columns)))

static void share_cell(struct results *results, struct table *table, uint64_t part,
		       uint64_t whole)
{
	buf__reset(&results->text);
	sample_words__add_share(&results->text, part, whole);
	table__cell(table, STYLE_PLAIN, buf__str(&results->text));
}

static void begin(struct results *results, struct table *table, const struct column *columns,
		  size_t count)
{
	buf__add_char(results->out, '\n');
	table__init(table, columns, count, results->terminal);
	table__titles(table, results->out);
}

/* "… and 12 more" where the table does not show all. */
static void end(struct results *results, struct table *table, size_t shown, size_t all)
{
	table__free(table);
	if (all > shown)
		buf__printf(results->out, "... and %zu more\n", all - shown);
}

static size_t shown_of(const struct results *results, size_t all)
{
	return results->top && all > results->top ? (size_t)results->top : all;
}

/* ---------------------------------------------------------------- tables */

static void add_places(struct results *results, const struct sampling_places *places)
{
	uint64_t left[PLACES];
	struct table table;
	enum place most;

	for (unsigned int place = 0; place < PLACES; place++)
		left[place] = places->of[place];
	begin(results, &table, place_columns, COUNT(place_columns));
	while (most = sampling_places__most(left), left[most]) {
		table__cell(&table, STYLE_PLAIN, place__name(most));
		share_cell(results, &table, left[most], places->samples);
		table__cell_printf(&table, STYLE_PLAIN, "%" PRIu64, left[most]);
		share_cell(results, &table, places->exact[most], left[most]);
		table__end_row(&table, results->out);
		left[most] = 0;
	}
	end(results, &table, 0, 0);
}

static int compare_threads(const void *a, const void *b)
{
	const struct sampling_thread *x = *(const struct sampling_thread *const *)a;
	const struct sampling_thread *y = *(const struct sampling_thread *const *)b;

	if (x->running != y->running)
		return x->running > y->running ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void add_thread(struct results *results, struct table *table,
		       const struct sampling_thread *thread)
{
	table__cell_printf(table, STYLE_PLAIN, "%" PRIu32, thread->tid);
	table__cell_bytes(table, STYLE_PLAIN, thread->name.at, thread->name.bytes);
	table__cell_printf(table, STYLE_PLAIN, "%" PRIu64, thread->places.samples);
	share_cell(results, table, thread->running, thread->places.samples);
	buf__reset(&results->text);
	sample_words__add_places(&results->text, &thread->places);
	table__cell(table, STYLE_PLAIN, results->text.len ? buf__str(&results->text) : NULL);
	table__end_row(table, results->out);
}

/* Those that ran the most come first. */
static void add_threads(struct results *results, const struct sampling *sampling)
{
	const size_t count = sampling->threads.count, shown = shown_of(results, count);
	const struct sampling_thread **order = malloc((count + 1) * sizeof(const void *));
	struct table table;

	if (!order) {
		results->out->error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < count; i++)
		order[i] = &sampling->threads.items[i];
	qsort(order, count, sizeof(*order), compare_threads);
	begin(results, &table, thread_columns, COUNT(thread_columns));
	for (size_t i = 0; i < shown; i++)
		add_thread(results, &table, order[i]);
	end(results, &table, shown, count);
	free(order);
}

static int compare_methods(const void *a, const void *b)
{
	const struct sampling_method *x = *(const struct sampling_method *const *)a;
	const struct sampling_method *y = *(const struct sampling_method *const *)b;

	if (x->samples != y->samples)
		return x->samples > y->samples ? -1 : 1;
	return x->method < y->method ? -1 : x->method > y->method;
}

/* NULL: it was not asked for. */
static const char *most_of(const struct sampling_method *method)
{
	const enum place most = sampling_places__most(method->places);

	return method->places[most] ? place__name(most) : NULL;
}

static void add_method(struct results *results, struct table *table,
		       const struct call_stacks *stacks, const struct sampling_method *method,
		       uint64_t samples)
{
	const struct text name = call_stacks__name(stacks, method->method);

	share_cell(results, table, method->samples, samples);
	table__cell_printf(table, STYLE_PLAIN, "%" PRIu64, method->samples);
	share_cell(results, table, method->exact, method->samples);
	table__cell(table, STYLE_PLAIN, most_of(method));
	if (results->terminal->is_terminal)
		table__cell_name(table, STYLE_PLAIN, name.at, name.bytes);
	else
		table__cell_bytes(table, STYLE_PLAIN, name.at, name.bytes);
	table__end_row(table, results->out);
}

static void add_methods(struct results *results, const struct call_stacks *stacks,
			const struct sampling *sampling)
{
	const struct sampling_method **order =
		malloc((sampling->methods.count + 1) * sizeof(const void *));
	size_t count = 0, shown;
	struct table table;

	if (!order) {
		results->out->error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < sampling->methods.count; i++)
		if (sampling->methods.items[i].samples)
			order[count++] = &sampling->methods.items[i];
	qsort(order, count, sizeof(*order), compare_methods);
	shown = shown_of(results, count);
	if (count) {
		begin(results, &table, method_columns, COUNT(method_columns));
		for (size_t i = 0; i < shown; i++)
			add_method(results, &table, stacks, order[i], sampling->places.samples);
		end(results, &table, shown, count);
	}
	free(order);
}

/* ---------------------------------------------------------------- sentences */

/* Averages of a hold hide nothing: the longest is told beside them. */
static void add_holds(struct buf *text, const struct sampling *sampling)
{
	char average[UNITS_TEXT], most[UNITS_TEXT], all[UNITS_TEXT];

	if (sampling->holds)
		buf__printf(text, " %" PRIu64 " time%s a thread lost its CPU to be looked at, for"
			    " %s on the average, %s at most, %s in all.", sampling->holds,
			    units__s(sampling->holds),
			    units__ns(average, sampling->held_ns / sampling->holds),
			    units__ns(most, sampling->longest_hold_ns),
			    units__ns(all, sampling->held_ns));
}

static void add_sentences(struct results *results, const struct sampling *sampling,
			  bool of_collections)
{
	char over[UNITS_TEXT], average[UNITS_TEXT], most[UNITS_TEXT];
	const uint64_t samples = sampling->places.samples;
	struct buf *text = &results->text;
	struct wrap wrap = { .columns = terminal__text_columns(results->terminal) };

	buf__reset(text);
	buf__printf(text, "%" PRIu64 " sample%s in %" PRIu64 " sweep%s over %s, %zu thread%s; a"
		    " sweep took %s, the longest %s.", samples, units__s(samples),
		    sampling->sweeps, units__s(sampling->sweeps),
		    units__ns(over, sampling->last_ns - sampling->first_ns),
		    sampling->threads.count, units__s(sampling->threads.count),
		    units__ns(average, sampling->sweeps ? sampling->sweep_ns / sampling->sweeps :
							  0),
		    units__ns(most, sampling->longest_sweep_ns));
	if (sampling->missed && of_collections)
		buf__printf(text, " %" PRIu64 " collection%s over before a sweep was.",
			    sampling->missed, sampling->missed == 1 ? " was" : "s were");
	else if (sampling->missed)
		buf__printf(text, " %" PRIu64 " more sweep%s due and not made, since the host was"
			    " busy.", sampling->missed, sampling->missed == 1 ? " was" : "s were");
	buf__printf(text, " %" PRIu64 " are EXACT in all their fields (", sampling->by_accuracy[2]);
	sample_words__add_share(text, sampling->by_accuracy[2], samples);
	buf__printf(text, "), %" PRIu64 " POOR in one or more, %" PRIu64 " NONE.",
		    sampling->by_accuracy[1], sampling->by_accuracy[0]);
	add_holds(text, sampling);
	wrap__add(results->out, &wrap, 0, buf__str(text));
	buf__add_char(results->out, '\n');
}

static void add_lost(struct buf *text, uint64_t count, const char *what, const char *how)
{
	if (count)
		buf__printf(text, "%s%" PRIu64 " %s%s %s", text->len ? ", " : "", count, what,
			    units__s(count), how);
}

static void add_losses(struct results *results, const struct sampling *sampling)
{
	struct buf *text = &results->text;

	buf__reset(text);
	add_lost(text, sampling->lost, "tick", "found no room");
	add_lost(text, sampling->lost_blocks, "block", "of the recording damaged or missing");
	add_lost(text, sampling->unanswered, "read", "of the process not answered in time");
	add_lost(text, sampling->lost_rows, "sample", "missing or malformed");
	if (text->len)
		buf__printf(results->out, "%sincomplete: %s%s\n",
			    terminal__on(results->terminal, STYLE_BAD), buf__str(text),
			    terminal__off(results->terminal, STYLE_BAD));
	else
		buf__printf(results->out, "complete: nothing was lost\n");
}

void sample_text__add_results(struct buf *out, const struct terminal *terminal,
			      const struct sample_view_options *options,
			      const struct call_stacks *stacks, const struct sampling *sampling)
{
	struct results results = { .out = out, .terminal = terminal, .top = options->top };

	if (!sampling->no_places)
		add_places(&results, &sampling->places);
	add_threads(&results, sampling);
	add_methods(&results, stacks, sampling);
	buf__add_char(out, '\n');
	add_sentences(&results, sampling, options->at_collections);
	add_losses(&results, sampling);
	if (results.text.error)
		out->error = results.text.error;
	buf__free(&results.text);
}
