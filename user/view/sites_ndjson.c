/* SPDX-License-Identifier: BSD-2-Clause */
/* Sampled allocations as NDJSON, by the rules of ndjson.c; docs/output.md has every field. */
#include "sites.h"

#include <math.h>
#include <stdlib.h>

#include "../base/report.h"
#include "json_fields.h"
#include "output.h"
#include "view.h"

#define SMALLEST_ARRAY 16 /* bytes: a head and no element */

struct sites_ndjson {
	struct sites_view view;
	struct output *output;
	struct json json;
	struct buf text; /* scratch */
};

/* What goes into `estimated`, when the rest of the line has been written. */
struct interval {
	const char *field;
	struct bounds bounds;
	bool is_share;
};

struct intervals {
	struct interval of[8];
	size_t count;
};

static struct json *begin(struct sites_ndjson *ndjson, const char *event,
			  const struct heading *heading)
{
	json__event(&ndjson->json, event, heading->pid);
	return &ndjson->json;
}

static int end(struct sites_ndjson *ndjson)
{
	return json__write(&ndjson->json, ndjson->output);
}

static uint64_t rounded(double value)
{
	return value > 0 ? (uint64_t)llround(value) : 0;
}

static void note_interval(struct intervals *intervals, const char *field, struct bounds bounds)
{
	if (bounds.low < bounds.high)
		intervals->of[intervals->count++] = (struct interval){ field, bounds, false };
}

/* Whole numbers, outwards. */
static void add_bounds(struct json *json, const struct bounds *bounds)
{
	json__i64(json, NULL, (int64_t)floor(bounds->low));
	json__i64(json, NULL, (int64_t)ceil(bounds->high));
}

static void add_share_bounds(struct json *json, const struct bounds *bounds)
{
	json__double(json, NULL, bounds->low);
	json__double(json, NULL, bounds->high);
}

static void add_intervals(struct json *json, const struct intervals *intervals)
{
	if (!intervals->count)
		return;
	json__object(json, "estimated");
	for (size_t i = 0; i < intervals->count; i++) {
		const struct interval *interval = &intervals->of[i];

		json__array(json, interval->field);
		if (interval->is_share)
			add_share_bounds(json, &interval->bounds);
		else
			add_bounds(json, &interval->bounds);
		json__end(json);
	}
	json__end(json);
}

static void add_bytes(struct json *json, struct intervals *intervals, const char *field,
		      const struct estimate *estimate, const struct sites *sites)
{
	json__u64(json, field, rounded(estimate->bytes));
	note_interval(intervals, field, estimate__bytes(estimate, &sites->sampler));
}

/* What lives is no more than the heap in use lets live. */
static bool add_live_bytes(struct json *json, struct intervals *intervals, const char *field,
			   const struct estimate *estimate, const struct sites_shown *shown)
{
	const struct bounded bounded = estimate__at_most(estimate, &shown->sites->sampler,
							 shown->rows->limit.most);

	json__u64(json, field, rounded(bounded.bytes));
	note_interval(intervals, field, bounded.bounds);
	return bounded.is_less;
}

static void add_sum_of_live(struct json *json, struct intervals *intervals,
			    const struct estimate *estimate, const struct sites_shown *shown)
{
	if (add_live_bytes(json, intervals, "live_bytes", estimate, shown))
		json__u64(json, "sampled_live_bytes", rounded(estimate->bytes));
}

static void add_limit(struct json *json, const struct site_limit *limit)
{
	if (!limit->known)
		return;
	json__u64(json, "heap_in_use_bytes", limit->in_use);
	if (!limit->contradicted)
		json__u64(json, "most_live_bytes", (uint64_t)limit->most);
	json__flag(json, "contradicted", limit->contradicted);
}

static void add_objects(struct json *json, struct intervals *intervals, const char *field,
			const struct site_row *row, const struct sites *sites)
{
	const uint64_t least = row->varies ? SMALLEST_ARRAY : 0;

	json__u64(json, field, rounded(row->live.objects));
	note_interval(intervals, field, estimate__objects(&row->live, &sites->sampler, least));
}

/* ---------------------------------------------------------------- all together */

static int show_samples(struct sites_ndjson *ndjson, const struct heading *heading,
			const struct sites_shown *shown)
{
	const struct sites *sites = shown->sites;
	const bool objects = shown->groups->by == SITES_BY_OBJECT;
	struct json *json = begin(ndjson, "samples", heading);
	struct intervals intervals = { .count = 0 };

	json__known(json, "time_ns", shown->time_ns);
	json__u64(json, "gc", sites->gc);
	json__u64(json, "collections", sites->turns);
	json__known(json, "since_ns", sites->first_ns);
	json__u64(json, "interval_bytes", sites->sampler.interval);
	if (sites->sampler.repeats > 0)
		json__double(json, "repeats", sites->sampler.repeats);
	json__u64(json, "samples", sites->seen);
	if (sites->unfollowed) {
		json__string(json, "not_followed", SITES_UNFOLLOWED);
	} else {
		json__u64(json, "alive_samples", sites->living.of.count);
		json__u64(json, "died_samples", sites->died);
		if (sites->unknown)
			json__u64(json, "unknown_samples", sites->unknown);
		add_sum_of_live(json, &intervals, &shown->rows->live, shown);
		add_limit(json, &shown->rows->limit);
	}
	add_bytes(json, &intervals, "allocated_bytes", &shown->rows->allocated, sites);
	json__u64(json, "rows", objects ? shown->rows->objects.count : shown->rows->of.count);
	if (shown->age)
		json__u64(json, "age_at_least", shown->age);
	json__flag(json, "in_doubt", sites->doubted);
	json__flag(json, "last", shown->last);
	add_intervals(json, &intervals);
	return end(ndjson);
}

/* ---------------------------------------------------------------- a site or a type */

static void add_stack(struct json *json, const struct sites *sites, uint32_t node)
{
	const struct stacks *stacks = &sites->stacks;

	json__array(json, "stack");
	for (uint32_t at = 1; at <= stacks->nodes.items[node].depth; at++) {
		const struct text frame = stacks__frame(stacks, stacks__at(stacks, node, at));

		json__bytes(json, NULL, frame.at, frame.bytes);
	}
	json__end(json);
}

static void add_type(struct json *json, const struct sites *sites, uint32_t index)
{
	const struct type *type = &sites->types.of.items[index];

	json__text(json, "type", type->name);
	json__known(json, "class", type->class_);
}

static void add_ages(struct json *json, const struct sites_shown *shown,
		     const struct site_row *row)
{
	json__array(json, "live_by_age");
	for (unsigned int place = 0; place < SITE_AGES; place++) {
		const struct estimate *at = &row->ages[place];
		struct intervals intervals = { .count = 0 };

		if (!at->samples)
			continue;
		json__object(json, NULL);
		json__u64(json, "from", site_age__from(place));
		if (place + 1 < SITE_AGES)
			json__u64(json, "to", place ? 2 * site_age__from(place) - 1 : 0);
		json__u64(json, "samples", at->samples);
		add_live_bytes(json, &intervals, "bytes", at, shown);
		add_intervals(json, &intervals);
		json__end(json);
	}
	json__end(json);
}

/* Of what was allocated under our eyes and has either died young or become old. */
static void add_share(struct json *json, struct intervals *intervals, const struct sites *sites,
		      const struct site_row *row)
{
	struct bounds bounds;
	double share;

	if (!sites->generations || !row->decided.samples)
		return;
	bounds = estimate__share(&row->promoted, &row->decided, &sites->sampler,
				 &share);
	json__double(json, "old_share", share);
	if (bounds.low < bounds.high)
		intervals->of[intervals->count++] = (struct interval){ "old_share", bounds, true };
}

static void add_growth(struct json *json, struct intervals *intervals,
		       const struct sites_shown *shown, const struct site_row *row)
{
	struct sites_growth growth;

	if (!sites__growth(shown, row->group, &growth) || shown->time_ns <= growth.since_ns)
		return;
	json__i64(json, "aged_growth_bytes", llround(growth.now.bytes - growth.then.bytes));
	note_interval(intervals, "aged_growth_bytes", sites__growth_bounds(shown, &growth));
	json__u64(json, "aged_growth_ns", shown->time_ns - growth.since_ns);
}

static void add_live(struct json *json, struct intervals *intervals,
		     const struct sites_shown *shown, const struct site_row *row)
{
	const struct sites *sites = shown->sites;

	json__u64(json, "live_samples", row->live.samples);
	add_sum_of_live(json, intervals, &row->live, shown);
	add_objects(json, intervals, "live_objects", row, sites);
	if (sites->generations)
		add_live_bytes(json, intervals, "old_bytes", &row->old, shown);
	if (row->live.samples)
		json__u64(json, "age_most", row->oldest);
	add_ages(json, shown, row);
}

static int show_row(struct sites_ndjson *ndjson, const struct heading *heading,
		    const struct sites_shown *shown, const struct site_row *row)
{
	const struct sites *sites = shown->sites;
	struct json *json = begin(ndjson, "site", heading);
	struct intervals intervals = { .count = 0 };

	if (shown->groups->by == SITES_BY_SITE)
		add_stack(json, sites, row->key);
	add_type(json, sites, row->type);
	json__flag(json, "mixed", row->mixed);
	json__u64(json, "gc", sites->gc);
	if (!sites->unfollowed)
		add_live(json, &intervals, shown, row);
	json__u64(json, "allocated_samples", row->allocated.samples);
	add_bytes(json, &intervals, "allocated_bytes", &row->allocated, sites);
	json__u64(json, "allocated_bytes_per_s", rounded(sites__rate(shown, &row->allocated)));
	if (!sites->unfollowed) {
		add_bytes(json, &intervals, "died_bytes", &row->died, sites);
		if (sites->generations)
			add_bytes(json, &intervals, "promoted_bytes", &row->promoted, sites);
		add_share(json, &intervals, sites, row);
		add_growth(json, &intervals, shown, row);
	}
	add_intervals(json, &intervals);
	return end(ndjson);
}

/* ---------------------------------------------------------------- samples, leaks */

static int show_sample(struct sites_ndjson *ndjson, const struct heading *heading,
		       const struct sites *sites, const struct living *sample)
{
	const struct site_spot *spot = &sites->spots.items[sample->spot];
	struct json *json = begin(ndjson, "sampled", heading);

	json__u64(json, "sample", sample->number);
	json__address(json, "address", sample->address);
	add_type(json, sites, spot->type);
	json__u64(json, "size_bytes", sample->size);
	json__u64(json, "weight_bytes", sample->weight);
	json__u64(json, "gc", sites->gc);
	json__u64(json, "age", sites__age(sites, sample));
	if (sample->generation != SAMPLE_NOWHERE)
		json__u64(json, "generation", sample->generation);
	add_stack(json, sites, site_spot__node(spot, &sites->stacks));
	return end(ndjson);
}

static void say_leak(struct buf *said, const struct sites_shown *shown,
		     const struct site_leak *leak)
{
	const struct sites *sites = shown->sites;
	const struct text name = shown->groups->by == SITES_BY_TYPE ?
					 sites->types.of.items[leak->key].name :
					 sites__frame(sites, stacks__at(&sites->stacks, leak->key,
									1));

	buf__reset(said);
	buf__add(said, name.at, name.bytes);
	buf__add_str(said, ": ");
	sites__add_leak(said, shown, leak);
}

static int show_leak(struct sites_ndjson *ndjson, const struct heading *heading,
		     const struct sites_shown *shown, const struct site_leak *leak)
{
	const struct sites *sites = shown->sites;
	struct json *json = begin(ndjson, "finding", heading);
	struct intervals intervals = { .count = 0 };

	say_leak(&ndjson->text, shown, leak);
	json__string(json, "kind", "site_grows");
	json__bytes(json, "text", buf__str(&ndjson->text), ndjson->text.len);
	if (shown->groups->by == SITES_BY_TYPE)
		add_type(json, sites, leak->key);
	else
		add_stack(json, sites, leak->key);
	json__u64(json, "span_ns", leak->span_ns);
	json__u64(json, "collections", leak->turns);
	add_bytes(json, &intervals, "then_bytes", &leak->then, sites);
	add_bytes(json, &intervals, "now_bytes", &leak->now, sites);
	json__double(json, "alive_share", leak->alive > 0 ? leak->alive : 0);
	json__flag(json, "unlooked", leak->unlooked);
	add_intervals(json, &intervals);
	if (ndjson->text.error)
		json->error = ndjson->text.error;
	return end(ndjson);
}

/* ---------------------------------------------------------------- the form */

static int show_round(struct sites_view *view, const struct heading *heading,
		      const struct sites_shown *shown)
{
	struct sites_ndjson *ndjson = (struct sites_ndjson *)view;
	const struct sites *sites = shown->sites;
	int err;

	json__together(&ndjson->json);
	err = show_samples(ndjson, heading, shown);
	for (size_t i = 0; i < shown->shown && !err; i++)
		err = shown->groups->by == SITES_BY_OBJECT ?
			      show_sample(ndjson, heading, sites,
					  &sites->living.of.items[shown->rows->objects.items[i]]) :
			      show_row(ndjson, heading, shown, &shown->rows->of.items[i]);
	for (size_t i = 0; i < shown->leaks->count && !err; i++)
		err = show_leak(ndjson, heading, shown, &shown->leaks->items[i]);
	return json__apart(&ndjson->json, ndjson->output, err);
}

static int paint(struct sites_view *view, const struct heading *heading,
		 const struct sites_shown *shown)
{
	(void)view;
	(void)heading;
	(void)shown;
	return 0;
}

static int show_turn(struct sites_view *view, const struct heading *heading,
		     const struct sites *sites)
{
	struct sites_ndjson *ndjson = (struct sites_ndjson *)view;
	struct json *json = begin(ndjson, "sampled_gc", heading);
	struct intervals intervals = { .count = 0 };

	json__u64(json, "gc", sites->turn.gc);
	json__known(json, "time_ns", sites->last_ns);
	add_bytes(json, &intervals, "moved_bytes", &sites->turn.moved, sites);
	if (sites->generations)
		add_bytes(json, &intervals, "promoted_bytes", &sites->turn.promoted, sites);
	add_bytes(json, &intervals, "died_bytes", &sites->turn.died, sites);
	json__flag(json, "in_doubt", sites__turn_is_in_doubt(sites));
	add_intervals(json, &intervals);
	return end(ndjson);
}

static int see_heading(struct sites_view *view)
{
	(void)view;
	return 0;
}

static void free_view(struct sites_view *view)
{
	struct sites_ndjson *ndjson = (struct sites_ndjson *)view;

	json__free(&ndjson->json);
	buf__free(&ndjson->text);
	free(ndjson);
}

static const struct sites_view_form form = { show_round, paint, show_turn, see_heading,
					     free_view };

struct sites_view *sites_ndjson__new(struct output *output)
{
	struct sites_ndjson *ndjson = calloc(1, sizeof(*ndjson));

	if (!ndjson) {
		error("out of memory");
		return NULL;
	}
	ndjson->view.form = &form;
	ndjson->output = output;
	ndjson->json = (struct json)JSON_INIT;
	return &ndjson->view;
}
