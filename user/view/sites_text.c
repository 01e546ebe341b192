/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sampled allocations for people. An estimate has a ~ before it, and one column says how sure the
 * figure for what lives is: half of its 95 % interval, the wider one, as a share of the figure.
 */
#include "sites.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../base/wrap.h"
#include "collections.h"
#include "output.h"
#include "screen.h"
#include "sites_table.h"
#include "view.h"

#define LEAKS_SHOWN 5
#define REPEATS_SHOWN 0.01 /* for each sample: fewer change little, and are for JSON */

struct sites_text {
	struct sites_view view;
	struct view_options options;
	struct output *output;
	const struct terminal *terminal;
	bool live;
	struct screen screen;
	struct sites_table table;
	struct buf out, said;
};

/* ---------------------------------------------------------------- sentences */

/* What `before` begins, and what goes on below it, so far in. */
static void add_sentence(struct sites_text *text, const struct terminal *terminal,
			 const char *before, size_t indent)
{
	const struct wrap wrap = { terminal__text_columns(terminal), NULL, indent, WRAP_NAMES };

	buf__add_str(&text->out, before);
	wrap__add(&text->out, &wrap, strlen(before), buf__str(&text->said));
	buf__add_char(&text->out, '\n');
	text->out.error = text->out.error ? text->out.error : text->said.error;
	buf__reset(&text->said);
}

static void add_bounded(struct buf *out, const struct bounded *of)
{
	char value[UNITS_TEXT], wider[UNITS_TEXT];
	const double half = fmax(of->bounds.high - of->bytes, of->bytes - of->bounds.low);

	buf__printf(out, "%s%s", half > 0 ? "~" : "",
		    units__bytes(value, (uint64_t)llround(of->bytes)));
	if (half > 0)
		buf__printf(out, " ± %s", units__bytes(wider, (uint64_t)llround(half)));
}

static void add_estimate(struct buf *out, const struct sites *sites,
			 const struct estimate *estimate)
{
	const struct bounded of = estimate__at_most(estimate, &sites->sampler, INFINITY);

	add_bounded(out, &of);
}

static void add_live(struct buf *out, const struct sites_shown *shown)
{
	const struct site_limit *limit = &shown->rows->limit;
	const struct bounded live = estimate__at_most(&shown->rows->live, &shown->sites->sampler,
						      limit->most);
	char text[UNITS_TEXT];

	add_bounded(out, &live);
	if (live.is_less)
		buf__printf(out, " (no more fits into the heap in use; samples alone: ~%s)",
			    units__bytes(text, (uint64_t)llround(shown->rows->live.bytes)));
}

static void add_interval(struct buf *out, const struct sites *sites)
{
	char text[UNITS_TEXT];

	if (sites->sampler.interval)
		buf__printf(out, "one sample for each %s allocated",
			    units__bytes(text, sites->sampler.interval));
	else
		buf__add_str(out, "every allocation");
}

static void add_status(struct sites_text *text, const struct terminal *terminal,
		       const struct heading *heading, const struct sites_shown *shown)
{
	const struct sites *sites = shown->sites;
	struct buf *said = &text->said;
	char a[UNITS_TEXT], b[UNITS_TEXT];

	buf__printf(said, "pid %" PRIu64 " at ", heading->pid);
	collections__add_time(said, &text->options, heading, shown->time_ns);
	buf__printf(said, ", %" PRIu64 " collection%s: ", sites->turns, units__s(sites->turns));
	if (!sites->unfollowed) {
		buf__add_str(said, "alive ");
		add_live(said, shown);
		buf__add_str(said, ", ");
	}
	buf__add_str(said, "allocated ");
	add_estimate(said, sites, &shown->rows->allocated);
	if (sites->unfollowed)
		buf__printf(said, "; %s samples (",
			    units__count(a, shown->rows->allocated.samples));
	else
		buf__printf(said, "; %s of %s samples live (",
			    units__count(a, sites->living.of.count),
			    units__count(b, sites->seen));
	add_interval(said, sites);
	buf__add_str(said, ")");
	if (sites->unfollowed)
		buf__add_str(said, "; what lives, and how old it is, is not known: "
				   SITES_UNFOLLOWED);
	else if (shown->age)
		buf__printf(said, "; below: only what survived %" PRIu64 " or more", shown->age);
	if (sites->doubted)
		buf__add_str(said, "; in doubt: something was lost, and no list of all that live"
				   " has come since");
	if (shown->rows->limit.contradicted) {
		buf__add_str(said, "; ");
		sites__add_contradiction(said, &shown->rows->limit);
	}
	if (sites->sampler.repeats >= REPEATS_SHOWN)
		buf__printf(said, "; new threads make the process's sampler repeat itself, up to"
			    " %.2g times a sample: intervals are wider by that",
			    sites->sampler.repeats);
	if (sites->unknown)
		buf__printf(said, "; of %s more that live the allocation was not told",
			    units__count(a, sites->unknown));
	add_sentence(text, terminal, "", 2);
}

static void add_rest(struct sites_text *text, const struct sites_shown *shown)
{
	const bool objects = shown->groups->by == SITES_BY_OBJECT;
	const size_t all = objects ? shown->rows->objects.count : shown->rows->of.count;

	if (shown->shown < all)
		buf__printf(&text->out, "  %zu of %zu %s%s\n", shown->shown, all,
			    objects ? "samples, the oldest" :
			    shown->groups->by == SITES_BY_TYPE ?
				      "types, those with the most bytes " :
				      "sites, those with the most bytes ",
			    objects			? "" :
			    shown->sites->unfollowed ? "allocated" :
						       "alive");
}

static void add_leak(struct sites_text *text, const struct terminal *terminal,
		     const struct sites_shown *shown, const struct site_leak *leak)
{
	const struct sites *sites = shown->sites;
	const bool by_type = shown->groups->by == SITES_BY_TYPE;
	const uint32_t depth = by_type ? 0 : sites->stacks.nodes.items[leak->key].depth;
	const struct text name = by_type ? sites->types.of.items[leak->key].name :
				 sites__frame(sites, stacks__at(&sites->stacks, leak->key, 1));

	escape__add(&text->said, name.at, name.bytes);
	buf__add_str(&text->said, ": ");
	sites__add_leak(&text->said, shown, leak);
	add_sentence(text, terminal, "  only grows: ", 4);
	for (uint32_t at = 2; shown->last && at <= depth; at++)
		sites_table__add_frame(&text->out, terminal, "by ",
				       stacks__frame(&sites->stacks,
						     stacks__at(&sites->stacks, leak->key, at)));
}

static void add_leaks(struct sites_text *text, const struct terminal *terminal,
		      const struct sites_shown *shown, size_t most)
{
	for (size_t i = 0; i < shown->leaks->count && i < most; i++)
		add_leak(text, terminal, shown, &shown->leaks->items[i]);
	if (shown->leaks->count > most)
		buf__printf(&text->out, "  and %zu more that only grow\n",
			    shown->leaks->count - most);
	if (shown->last && !shown->leaks->count && !shown->sites->unfollowed)
		buf__printf(&text->out, "  only grows: none of the %s\n",
			    shown->groups->by == SITES_BY_TYPE ? "types" : "sites");
}

static void add_legend(struct sites_text *text, const struct terminal *terminal,
		       const struct sites_shown *shown)
{
	char time[UNITS_TEXT];
	struct sites_growth growth;

	buf__printf(&text->said, "estimated from samples; ±: half of the 95 %% interval of what"
				 " %s, in percent of it",
		    shown->sites->unfollowed ? "was allocated" : "lives");
	add_sentence(text, terminal, "  ~  ", 5);
	if (shown->sites->unfollowed) {
		buf__add_str(&text->said, "new a s: allocated in a second");
		add_sentence(text, terminal, "  ", 4);
		return;
	}
	buf__printf(&text->said, "aged: survived %u collections or more; growth: of that",
		    SITE_WATCH_AGE);
	if (sites__growth(shown, 0, &growth) && shown->time_ns > growth.since_ns)
		buf__printf(&text->said, " in the last %s",
			    units__ns(time, shown->time_ns - growth.since_ns));
	buf__add_str(&text->said, "; new a s: allocated in a second");
	if (shown->sites->generations)
		buf__add_str(&text->said, "; to old: share of what was allocated that reaches the"
					  " old generation");
	add_sentence(text, terminal, "  ", 4);
}

/* ---------------------------------------------------------------- the form */

static int show_round(struct sites_view *view, const struct heading *heading,
		      const struct sites_shown *shown)
{
	struct sites_text *text = (struct sites_text *)view;

	if (text->live && !shown->last)
		return 0;
	if (text->live && screen__clear(&text->screen))
		return text->output->error;
	add_status(text, text->terminal, heading, shown);
	if (shown->shown)
		sites_table__add(&text->table, &text->out, text->terminal, shown, SIZE_MAX);
	add_rest(text, shown);
	if (shown->shown && shown->last && shown->groups->by != SITES_BY_OBJECT)
		add_legend(text, text->terminal, shown);
	add_leaks(text, text->terminal, shown, LEAKS_SHOWN);
	return output__flush(text->output, &text->out);
}

static int paint(struct sites_view *view, const struct heading *heading,
		 const struct sites_shown *shown)
{
	struct sites_text *text = (struct sites_text *)view;
	const size_t rows = screen__rows(&text->screen);
	const struct terminal *plain;
	size_t used = 1; /* titles */

	if (!text->live)
		return 0;
	plain = screen__plain(&text->screen);
	add_status(text, plain, heading, shown);
	add_leaks(text, plain, shown, 1);
	for (const char *at = buf__str(&text->out); (at = strchr(at, '\n')); at++)
		used++;
	if (shown->shown && rows > used)
		sites_table__add(&text->table, &text->out, plain, shown, rows - used);
	return screen__show(&text->screen, &text->out);
}

static int show_turn(struct sites_view *view, const struct heading *heading,
		     const struct sites *sites)
{
	struct sites_text *text = (struct sites_text *)view;

	if (text->live)
		return 0;
	collections__add_time(&text->said, &text->options, heading, sites->last_ns);
	buf__printf(&text->said, " gc %" PRIu64 ": moved ", sites->turn.gc);
	add_estimate(&text->said, sites, &sites->turn.moved);
	if (sites->generations) {
		buf__add_str(&text->said, ", promoted ");
		add_estimate(&text->said, sites, &sites->turn.promoted);
	}
	buf__add_str(&text->said, ", died ");
	add_estimate(&text->said, sites, &sites->turn.died);
	if (sites__turn_is_in_doubt(sites))
		buf__add_str(&text->said, "; in doubt: some of it may be missing, or be what a"
					  " collection before it did");
	add_sentence(text, text->terminal, "  ", 4);
	return output__flush(text->output, &text->out);
}

static int see_heading(struct sites_view *view)
{
	struct sites_text *text = (struct sites_text *)view;

	return text->live ? screen__clear(&text->screen) : 0;
}

static void free_view(struct sites_view *view)
{
	struct sites_text *text = (struct sites_text *)view;

	sites_table__free(&text->table);
	screen__free(&text->screen);
	buf__free(&text->out);
	buf__free(&text->said);
	free(text);
}

static const struct sites_view_form form = { show_round, paint, show_turn, see_heading,
					     free_view };

struct sites_view *sites_text__new(const struct view_options *options, struct output *output,
				   const struct terminal *terminal, bool live)
{
	struct sites_text *text = calloc(1, sizeof(*text));

	if (!text) {
		error("out of memory");
		return NULL;
	}
	text->view.form = &form;
	text->options = *options;
	text->output = output;
	text->terminal = terminal;
	text->live = live;
	screen__init(&text->screen, terminal, output);
	sites_table__init(&text->table, terminal);
	return &text->view;
}
