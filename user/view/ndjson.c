/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A trace as NDJSON: docs/output.md has every field, docs/gctrace.schema.json checks them.
 *
 * The rules, the same in all lines: what nobody told is left out, never 0 or null; bytes and ns are
 * said in the name; flags are there only when they are true; where a figure is estimated, the
 * line's `estimated` has its limits.
 */
#include "view.h"

#include <stdio.h>
#include <stdlib.h>

#include "../base/clock.h"
#include "../base/report.h"
#include "follow.h"
#include "gctrace/wire.h"
#include "json_fields.h"
#include "model/names.h"
#include "output.h"

struct ndjson {
	struct view view;
	struct view_options options;
	struct output *output;
	struct json json;
};

static void begin(struct ndjson *ndjson, const char *event, const struct heading *heading)
{
	json__event(&ndjson->json, event, heading ? heading->pid : 0);
}

static int end(struct ndjson *ndjson)
{
	return json__write(&ndjson->json, ndjson->output);
}

/* ---------------------------------------------------------------- header */

/* What there is to know, in the words of `known`, and how well each is known. */
static const struct {
	unsigned int known;
	const char *name, *accuracy;
} levels[] = {
	{ KNOWN_COLLECTIONS, "collections", "exact" },
	{ KNOWN_CAUSES, "causes", "exact" },
	{ KNOWN_SOME_CAUSES, "some_causes", "exact" },
	{ KNOWN_POOLS, "pools", "exact" },
	{ KNOWN_MOVES, "moves", "exact" },
	{ KNOWN_DEATHS, "deaths", "exact" },
	{ KNOWN_FATES, "fates", "estimated" },
	{ KNOWN_SAMPLES, "samples", "sampled" },
	{ KNOWN_ALLOCATIONS, "allocations", "sampled" },
};

#define LEVELS (sizeof(levels) / sizeof(*levels))

static void add_known(struct json *json, const char *key, unsigned int known)
{
	json__array(json, key);
	for (size_t i = 0; i < LEVELS; i++)
		if (known & levels[i].known)
			json__string(json, NULL, levels[i].name);
	json__end(json);
}

static void add_accuracy(struct json *json, unsigned int known)
{
	json__object(json, "accuracy");
	for (size_t i = 0; i < LEVELS; i++)
		if (known & levels[i].known)
			json__string(json, levels[i].name, levels[i].accuracy);
	json__end(json);
}

static int show_heading(struct view *view, const struct heading *heading)
{
	struct ndjson *ndjson = (struct ndjson *)view;
	struct json *json = &ndjson->json;

	begin(ndjson, "header", heading);
	json__string(json, "gctrace", GCTRACE_VERSION);
	json__text(json, "name", heading->name);
	json__text(json, "runtime", heading->runtime);
	json__text(json, "runtime_version", heading->version);
	json__text(json, "collector", heading->collector);
	json__text(json, "provider", heading->provider);
	add_known(json, "known", heading->known);
	add_accuracy(json, heading->known);
	add_known(json, "on_request", heading->on_request);
	json__text(json, "stopped_for", heading->stopped_for);
	if (heading->stopped_since_ns)
		json__u64(json, "stopped_since_ns", heading->stopped_since_ns);
	json__flag(json, "stopped_not_visible", heading->stopped_not_visible);
	json__flag(json, "stalls_not_visible", heading__has_stalls(heading));
	json__u64(json, "start_ns", heading->start_ns);
	json__i64(json, "clock_offset_ns", heading->clock_offset_ns);
	if (heading->file)
		json__string(json, "file", heading->file);
	return end(ndjson);
}

/* ---------------------------------------------------------------- gc and pool */

/* The figures of a collection that may be estimates, by their names in the line. */
struct figure {
	const char *bytes, *objects;
	const struct portion *portion;
};

#define FIGURES 6

static void list_figures(const struct collection *collection, struct figure figures[FIGURES])
{
	figures[0] = (struct figure){ "condemned_bytes", "condemned_objects",
				      &collection->condemned };
	figures[1] = (struct figure){ "moved_bytes", "moved_objects", &collection->moved };
	figures[2] = (struct figure){ "stayed_bytes", "stayed_objects", &collection->stayed };
	figures[3] = (struct figure){ "survived_bytes", "survived_objects",
				      &collection->survived };
	figures[4] = (struct figure){ "promoted_bytes", "promoted_objects",
				      &collection->promoted };
	figures[5] = (struct figure){ "dead_bytes", "dead_objects", &collection->dead };
}

static void add_limits(struct json *json, const char *key, const struct amount *amount)
{
	if (!amount->known || !amount->estimated)
		return;
	json__array(json, key);
	json__u64(json, NULL, amount->low);
	json__u64(json, NULL, amount->high);
	json__end(json);
}

static void add_figures(struct json *json, const struct collection *collection)
{
	struct figure figures[FIGURES];
	bool estimated = false;

	list_figures(collection, figures);
	for (size_t i = 0; i < FIGURES; i++) {
		const struct portion *portion = figures[i].portion;

		if (portion->bytes.known)
			json__u64(json, figures[i].bytes, portion->bytes.value);
		if (portion->objects.known)
			json__u64(json, figures[i].objects, portion->objects.value);
		estimated |= (portion->bytes.known && portion->bytes.estimated) ||
			     (portion->objects.known && portion->objects.estimated);
	}
	if (!estimated)
		return;
	json__object(json, "estimated");
	for (size_t i = 0; i < FIGURES; i++) {
		add_limits(json, figures[i].bytes, &figures[i].portion->bytes);
		add_limits(json, figures[i].objects, &figures[i].portion->objects);
	}
	json__end(json);
}

static void add_pauses(struct json *json, const struct collection *collection)
{
	json__u64(json, "pauses", collection->pause_count);
	if (collection->pause_ns != EVENT_UNKNOWN) {
		json__u64(json, "pause_ns", collection->pause_ns);
		json__u64(json, "pause_max_ns", collection->pause_max_ns);
	}
	json__known(json, "suspend_ns", collection->suspend_ns);
	if (!collection->shares_stop)
		return;
	json__bool(json, "shares_stop", true);
	json__known(json, "stop_start_ns", collection->shared_start_ns);
	json__known(json, "stop_ns", collection->shared_ns);
}

static void add_pool_figures(struct json *json, const struct collection *collection,
			     const struct collection_pool *pool)
{
	json__known(json, "free_before_bytes",
		    collection__of_pool(collection, pool, GCTRACE_FIGURE_FREE_BEFORE));
	json__known(json, "free_after_bytes",
		    collection__of_pool(collection, pool, GCTRACE_FIGURE_FREE_AFTER));
	json__known(json, "survived_bytes",
		    collection__of_pool(collection, pool, GCTRACE_FIGURE_PROMOTED));
}

static void add_how(struct json *json, uint32_t how)
{
	if (!how)
		return;
	json__array(json, "how");
	for (unsigned int bit = 0; names__how(bit); bit++)
		if (how >> bit & 1)
			json__string(json, NULL, names__how(bit));
	json__end(json);
}

/* What the runtime has counted in the whole heap. */
static void add_counts(struct json *json, const struct collection *collection)
{
	static const struct {
		uint32_t what;
		const char *key;
	} counts[] = {
		{ GCTRACE_FIGURE_PINNED, "pinned_objects" },
		{ GCTRACE_FIGURE_HANDLES, "handles" },
		{ GCTRACE_FIGURE_FINALIZED_BYTES, "finalized_bytes" },
		{ GCTRACE_FIGURE_FINALIZED_OBJECTS, "finalized_objects" },
		{ GCTRACE_FIGURE_MONITORS, "monitors" },
		{ GCTRACE_FIGURE_CHECKED, "moves_checked" },
		{ GCTRACE_FIGURE_WRONG, "moves_wrong" },
	};

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		json__known(json, counts[i].key, collection__of_heap(collection, counts[i].what));
}

static int show_pools(struct ndjson *ndjson, const struct heading *heading,
		 const struct collection *collection)
{
	struct json *json = &ndjson->json;
	int err = 0;

	for (size_t i = 0; i < collection->pool_count && !err; i++) {
		const struct collection_pool *pool = &collection->pools[i];

		begin(ndjson, "pool", heading);
		json__u64(json, "gc", collection->number);
		json__bytes(json, "name", pool->name.at, pool->name.bytes);
		json__known(json, "before_bytes", pool->before);
		json__known(json, "after_bytes", pool->after);
		json__known(json, "committed_bytes", pool->committed);
		json__known(json, "max_bytes", pool->max);
		add_pool_figures(json, collection, pool);
		json__flag(json, "outside", pool->outside);
		err = end(ndjson);
	}
	return err;
}

static int show_collection(struct view *view, const struct heading *heading,
		      const struct collection *collection)
{
	struct ndjson *ndjson = (struct ndjson *)view;
	struct json *json = &ndjson->json;
	int err;

	begin(ndjson, "gc", heading);
	json__u64(json, "gc", collection->number);
	json__flag(json, "counted", collection->counted_here);
	json__known(json, "start_ns", collection->start_ns);
	json__known(json, "end_ns", collection->end_ns);
	add_pauses(json, collection);
	json__known(json, "generation", collection->oldest);
	json__text(json, "kind", collection->what);
	json__text(json, "cause", collection->cause);
	add_how(json, collection->how);
	json__flag(json, "concurrent", collection->concurrent);
	json__flag(json, "partial", collection->partial);
	json__flag(json, "may_be_two", collection->may_be_two);
	json__flag(json, "incomplete", collection->incomplete);
	json__flag(json, "cut_off", collection->cut_off);
	json__known(json, "before_bytes", collection->before_bytes);
	json__known(json, "after_bytes", collection->after_bytes);
	json__known(json, "committed_bytes", collection->committed_bytes);
	add_figures(json, collection);
	add_counts(json, collection);
	err = end(ndjson);
	return err ? err : show_pools(ndjson, heading, collection);
}

static int show_pause(struct view *view, const struct heading *heading, const struct pause *pause,
		 unsigned int collections)
{
	struct ndjson *ndjson = (struct ndjson *)view;
	struct json *json = &ndjson->json;

	begin(ndjson, "pause", heading);
	json__known(json, "pause", pause->number);
	json__known(json, "start_ns", pause->start_ns);
	json__known(json, "end_ns", pause->end_ns);
	json__known(json, "pause_ns", pause->share_ns);
	json__known(json, "suspend_ns", pause->suspend_ns);
	json__text(json, "kind", pause->what);
	json__u64(json, "collections", collections);
	json__flag(json, "partial", pause->partial);
	json__flag(json, "incomplete", pause->incomplete);
	json__flag(json, "in_progress", pause->open);
	if (pause->partial)
		json__known(json, "inside_ns", pause->inside_ns);
	return end(ndjson);
}

/* ---------------------------------------------------------------- summary */

static void add_losses(struct json *json, const struct results *results)
{
	json__bool(json, "complete", results__complete(results));
	if (results->contradicted)
		json__u64(json, "contradicted", results->contradicted);
	json__object(json, "lost");
	for (unsigned int i = 0; i < LOSS_KINDS; i++)
		if (results->lost[i])
			json__u64(json, loss__name(i), results->lost[i]);
	json__end(json);
	json__object(json, "odd");
	for (unsigned int i = 0; odd__name(i); i++)
		if (odd__of(&results->odd, i))
			json__u64(json, odd__name(i), odd__of(&results->odd, i));
	json__end(json);
}

static void add_kinds(struct json *json, const struct summary *summary)
{
	json__array(json, "kinds");
	for (size_t i = 0; i < summary->kinds.count; i++) {
		const struct summary_kind *kind = &summary->kinds.items[i];

		json__object(json, NULL);
		json__text(json, "kind", kind->what);
		json__u64(json, "collections", kind->count);
		json__u64(json, "pause_total_ns", kind->pause_ns);
		json__u64(json, "pause_max_ns", kind->pause_max_ns);
		json__end(json);
	}
	json__end(json);
}

static void add_quantiles(struct json *json, const struct summary *summary)
{
	json__u64(json, "pauses", histogram__count(summary->pauses));
	json__u64(json, "pause_total_ns", summary__paused_ns(summary));
	if (histogram__count(summary->pauses) > 0) {
		json__u64(json, "pause_p50_ns", histogram__quantile(summary->pauses, 500));
		json__u64(json, "pause_p99_ns", histogram__quantile(summary->pauses, 990));
		json__u64(json, "pause_max_ns", histogram__max(summary->pauses));
	}
	if (summary->suspensions > 0 &&
	    summary->suspensions == histogram__count(summary->pauses)) {
		json__u64(json, "suspend_total_ns", summary->suspend_ns);
		json__u64(json, "suspend_max_ns", summary->suspend_max_ns);
	}
	if (summary->stalled)
		json__u64(json, "stalled_collections", summary->stalled);
	json__u64(json, "pauses_unmeasured", summary->pauses_unmeasured);
	if (summary->open_pauses > 0) {
		json__u64(json, "edge_pauses", summary->open_pauses);
		json__u64(json, "edge_pause_total_ns", summary->open_ns);
		json__u64(json, "edge_pause_max_ns", summary->open_max_ns);
	}
	json__u64(json, "other_pauses", summary->other_pauses);
	json__u64(json, "other_pause_total_ns", summary->other_pause_ns);
	json__u64(json, "earlier_pauses", summary->earlier_pauses);
	json__u64(json, "earlier_pause_total_ns", summary->earlier_pause_ns);
	json__u64(json, "dump_pauses", summary->dump_pauses);
	json__u64(json, "dump_pause_total_ns", summary->dump_pause_ns);
}

static void add_longest(struct json *json, const struct results *results)
{
	struct summary *summary = results->summary;

	summary__sort_top(summary);
	json__array(json, "longest_pauses");
	for (size_t i = 0; i < summary->top.count; i++) {
		const struct top_pause *top = &summary->top.items[i];
		const struct heading *of = results__whose(results, top->target);

		json__object(json, NULL);
		if (of && of->pid)
			json__u64(json, "pid", of->pid);
		json__u64(json, "start_ns", top->start_ns);
		json__u64(json, "pause_ns", top->ns);
		json__known(json, "gc", top->number);
		json__text(json, "kind", top->what);
		json__text(json, "cause", top->cause);
		json__end(json);
	}
	json__end(json);
}

static double per_second(uint64_t bytes, uint64_t ns)
{
	return (double)bytes * (double)NS_PER_S / (double)ns;
}

static void add_rate(struct json *json, const char *key, struct rate rate)
{
	if (rate.ns > 0)
		json__double(json, key, per_second(rate.bytes.value, rate.ns));
}

/* Of one process: those of several have no rate in common. */
static void add_rates(struct json *json, const struct summary *summary)
{
	uint64_t observed = summary__observed_ns(summary);

	if (observed > 0)
		json__double(json, "paused_share", summary__paused_share(summary));
	add_rate(json, "allocated_bytes_per_second", summary->allocated);
	add_rate(json, "promoted_bytes_per_second", summary__promotion(summary));
}

static void add_sum(struct json *json, const char *key, struct amount sum)
{
	if (sum.known)
		json__u64(json, key, sum.value);
}

static void add_sums(struct json *json, const struct summary *summary)
{
	add_sum(json, "moved_bytes", summary->moved);
	add_sum(json, "survived_bytes", summary->survived);
	add_sum(json, "promoted_bytes", summary->promoted);
	add_sum(json, "dead_bytes", summary->dead);
	add_sum(json, "dead_objects", summary->dead_objects);
	if (summary->checked_collections) {
		json__u64(json, "exact_collections", summary->checked_collections);
		json__u64(json, "untold_collections", summary->untold_collections);
		json__u64(json, "moves_checked", summary->checked_objects);
		json__u64(json, "moves_wrong", summary->wrong_objects);
	}
}

static void add_rate_limits(struct json *json, const char *key, struct rate rate)
{
	if (!rate.bytes.estimated || rate.ns == 0)
		return;
	json__array(json, key);
	json__double(json, NULL, per_second(rate.bytes.low, rate.ns));
	json__double(json, NULL, per_second(rate.bytes.high, rate.ns));
	json__end(json);
}

static void add_sum_limits(struct json *json, const struct results *results)
{
	const struct summary *summary = results->summary;

	if (!summary__estimated(summary))
		return;
	json__object(json, "estimated");
	if (results->of)
		add_rate_limits(json, "promoted_bytes_per_second", summary__promotion(summary));
	add_limits(json, "moved_bytes", &summary->moved);
	add_limits(json, "survived_bytes", &summary->survived);
	add_limits(json, "promoted_bytes", &summary->promoted);
	add_limits(json, "dead_bytes", &summary->dead);
	add_limits(json, "dead_objects", &summary->dead_objects);
	json__end(json);
}

static void add_identity(struct json *json, const struct follow_figures *figures)
{
	const struct identity_figures *is = &figures->is;
	uint64_t odd = 0;

	json__object(json, "identity");
	json__u64(json, "anchors", is->anchors);
	json__u64(json, "types", figures->types);
	json__u64(json, "seen", is->seen);
	json__u64(json, "died", is->died);
	json__u64(json, "withdrawn", is->withdrawn);
	if (figures->in_doubt)
		json__bool(json, "in_doubt", true);
	json__u64(json, "matched", is->matched);
	json__u64(json, "new", figures->new_);
	json__u64(json, "gone", is->gone);
	json__u64(json, "conflicts", is->conflicts);
	json__u64(json, "stray_births", is->stray_births);
	json__u64(json, "beside", is->beside);
	for (size_t i = 0; i < ODDITIES; i++)
		odd += is->odd.counts[i];
	json__u64(json, "odd_ranges", odd);
	follow__add_json_rate(json, follow__rate(is->matched, is->gone, is->conflicts));
	json__end(json);
}

static int show_results(struct view *view, const struct results *results)
{
	struct ndjson *ndjson = (struct ndjson *)view;
	struct summary *summary = results->summary;
	struct json *json = &ndjson->json;

	begin(ndjson, "summary", results->of);
	add_losses(json, results);
	json__u64(json, "start_ns", summary->start_ns);
	json__u64(json, "end_ns", summary->end_ns);
	if (!results->of)
		json__u64(json, "processes", results->targets);
	json__u64(json, "collections", summary->collections);
	if (summary->may_be_two)
		json__u64(json, "may_be_two_collections", summary->may_be_two);
	json__u64(json, "shown", results->shown);
	json__u64(json, "partial_collections", summary->partial);
	json__u64(json, "incomplete_collections", summary->incomplete);
	json__u64(json, "cut_off_collections", summary->cut_off);
	add_quantiles(json, summary);
	if (results->of)
		add_rates(json, summary);
	add_sums(json, summary);
	add_sum_limits(json, results);
	add_kinds(json, summary);
	add_longest(json, results);
	if (results->identity)
		add_identity(json, results->identity);
	return end(ndjson);
}

static void free_view(struct view *view)
{
	struct ndjson *ndjson = (struct ndjson *)view;

	json__free(&ndjson->json);
	free(ndjson);
}

static const struct view_form form = { show_heading, show_collection, show_pause,
				      show_results, free_view };

struct view *ndjson_view__new(const struct view_options *options, struct output *output)
{
	struct ndjson *ndjson = calloc(1, sizeof(*ndjson));

	if (!ndjson) {
		error("out of memory");
		return NULL;
	}
	ndjson->view.form = &form;
	ndjson->options = *options;
	ndjson->output = output;
	ndjson->json = (struct json)JSON_INIT;
	return &ndjson->view;
}
