/* SPDX-License-Identifier: BSD-2-Clause */
/* gctrace diff: what grew from one heap dump to another, and what keeps it. */
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/escape.h"
#include "../base/ram.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../model/heap_paths.h"
#include "../view/diff_view.h"
#include "../view/heap_words.h"
#include "command.h"
#include "diff_dumps.h"
#include "diff_replay.h"
#include "heap_select.h"
#include "heap_settings.h"
#include "heap_source.h"
#include "settings.h"
#include "signals.h"

struct diff_settings {
	const char *type;
	int sort; /* enum heap_sort */
	uint64_t top;
	const char *limit; /* as it was given; NULL: none */
	struct graph_settings graph;
	struct output_settings output;
};

static const struct diff_settings defaults = { .top = 20, .sort = HEAP_SORT_SHALLOW };

static const struct option diff_options[] = {
	{ .name = "type", .kind = OPTION_STRING, .metavar = "GLOB",
	  .offset = offsetof(struct diff_settings, type),
	  .help = "Compare only types whose names match this pattern, such as 'shop.*'" },
	{ .name = "sort", .kind = OPTION_CHOICE, .choices = heap_sorts, .default_text = "shallow",
	  .offset = offsetof(struct diff_settings, sort),
	  .help = "Order types by how much more they keep alive, by how much their own bytes or"
		  " their number grew, or by name" },
	{ .name = "top", .kind = OPTION_COUNT, .metavar = "COUNT", .default_text = "20",
	  .offset = offsetof(struct diff_settings, top),
	  .help = "How many types, and how many paths, to show; 0: all" },
	{ .name = "fail-if-growth", .kind = OPTION_STRING, .metavar = "LIMIT",
	  .offset = offsetof(struct diff_settings, limit),
	  .help = "Exit with 4 when the bytes that the roots reach (with --type: of those types)"
		  " grew by more than this: a share of A such as 10%, or a size such as 1MiB."
		  " Where a dump is incomplete that is not decided: 3, also with --allow-loss" },
	{ .name = NULL },
};

static const struct option_group diff_group = { "Diff", diff_options };

static const struct option_use options[] = {
	{ &diff_group, 0 },
	{ &graph_group, offsetof(struct diff_settings, graph) },
	{ &output_group, offsetof(struct diff_settings, output) },
	{ &general_group, 0 },
	{ NULL, 0 },
};

/* ---------------------------------------------------------------- the limit */

struct limit {
	bool is_share;
	double share;
	uint64_t bytes;
};

static bool parse_share(const char *text, struct limit *limit)
{
	const size_t digits = strspn(text, "0123456789."), bytes = strlen(text);
	char *end;

	if (!digits || digits + 1 != bytes || text[digits] != '%')
		return false;
	limit->is_share = true;
	limit->share = strtod(text, &end) / 100;
	return end == text + digits;
}

static bool parse_limit(const char *text, struct limit *limit)
{
	*limit = (struct limit){ .is_share = false };
	if (!text || parse_share(text, limit) || !units__parse_bytes(text, &limit->bytes))
		return true;
	error("--fail-if-growth: expected a share such as 10%% or a size such as 1MiB, found"
	      " \"%s\"",
	      escape(text));
	return false;
}

static enum diff_verdict judge(const struct limit *limit, const struct diff_shown *shown)
{
	const int64_t growth = diff__growth(shown);
	const uint64_t was = shown->total.side[DIFF_WAS].reached_bytes;

	if (!shown->whole[DIFF_WAS] || !shown->whole[DIFF_IS])
		return DIFF_UNDECIDED;
	if (growth <= 0)
		return DIFF_WITHIN;
	if (limit->is_share ? (double)growth > limit->share * (double)was
			    : (uint64_t)growth > limit->bytes)
		return DIFF_EXCEEDED;
	return DIFF_WITHIN;
}

/* ---------------------------------------------------------------- what one run works with */

struct differing {
	const struct diff_settings *settings;
	struct diff_dumps dumps;
	struct heap_source sources[DIFF_SIDES];
	struct heap_facts facts[DIFF_SIDES]; /* of heaps that are gone */
	struct heap_diff diff;
	struct path_growth growth;
	struct growth_order branches;
	struct diff_replay replay;
	VEC(uint32_t) order; /* of types */
	struct diff_shown shown;
	char over_limit[160]; /* why objects were not followed: shown.why */
};

static void free_all(struct differing *all)
{
	for (unsigned int side = 0; side < DIFF_SIDES; side++)
		heap_source__free(&all->sources[side]);
	diff_dumps__free(&all->dumps);
	heap_diff__free(&all->diff);
	path_growth__free(&all->growth);
	vec__free(&all->branches);
	diff_replay__free(&all->replay);
	vec__free(&all->order);
}

static int say(int err)
{
	if (err == -EDQUOT)
		return heap_source__over_limit("comparing needs", ram__limit_bytes());
	if (err == -ENOMEM)
		error("the system has no memory to compare the heaps");
	return err;
}

/* ---------------------------------------------------------------- the two heaps */

/* What of the limit is left beside this graph, and what is kept of both; 0: there is none. */
static uint64_t room_beside(const struct differing *all, const struct heap *heap)
{
	const uint64_t limit = ram__limit_bytes();
	const uint64_t used = heap__memory(heap) + all->growth.memory.used;

	if (!limit)
		return 0;
	return limit > used ? limit - used : 1;
}

static int add_paths(struct differing *all, unsigned int side, struct heap *heap,
		     const bool *wanted)
{
	struct path_merge merge = { .objects = 0 };
	struct heap_paths *paths = NULL;
	int err = heap_paths__new(heap, &paths);

	merge.memory.limit = room_beside(all, heap);
	if (!err)
		err = path_merge__add(&merge, heap, paths, wanted);
	heap_paths__free(paths);
	all->growth.memory.limit = ram__limit_bytes();
	if (!err)
		err = path_growth__add(&all->growth, side, heap, &merge, heap_words__branch,
				       heap_words__type);
	path_merge__free(&merge);
	return err;
}

/* Of each heap only what is compared is kept: there is never more than one of them. */
static int take_heap(struct differing *all, unsigned int side)
{
	const struct heap_source_options source_options = {
	};
	struct heap_source *source = &all->sources[side];
	bool *wanted;
	int err = heap_source__file(source, buf__str(&all->dumps.of[side].word), &source_options);

	if (err)
		return err;
	wanted = heap_select__globs(source->heap, all->settings->type);
	err = wanted ? heap_diff__add(&all->diff, side, source->heap, wanted) : -ENOMEM;
	if (!err)
		err = add_paths(all, side, source->heap, wanted);
	free(wanted);
	all->facts[side] = *heap__facts(source->heap);
	all->shown.whole[side] = heap__is_complete(source->heap);
	heap__free(source->heap);
	source->heap = NULL;
	source->heading.facts = &all->facts[side];
	return say(err);
}

/* ---------------------------------------------------------------- object by object */

/* Why not, before the recording is read for it. NULL: it may work. */
static const char *why_not(struct differing *all)
{
	const uint64_t limit = ram__limit_bytes();
	const uint64_t most = all->facts[0].objects > all->facts[1].objects
				      ? all->facts[0].objects
				      : all->facts[1].objects;

	if (!all->dumps.one_file)
		return "the dumps are of two recordings";
	if (!all->dumps.one_trace)
		return "the dumps are of two processes, or of two programs that one executed";
	if (!all->shown.whole[DIFF_WAS] || !all->shown.whole[DIFF_IS])
		return "one of the dumps is not whole";
	if (!limit || most <= limit / DIFF_REPLAY_OBJECT_BYTES)
		return NULL;
	snprintf(all->over_limit, sizeof(all->over_limit),
		 "following the objects needs more memory than the limit allows; raise --mem-limit"
		 " to at least %" PRIu64 " MiB", ram__enough_mib(most * DIFF_REPLAY_OBJECT_BYTES));
	return all->over_limit;
}

static int follow_objects(struct differing *all)
{
	int err = 0;

	all->shown.why = why_not(all);
	if (all->shown.why)
		return 0;
	err = diff_replay__run(&all->replay, &all->dumps, &all->diff);
	all->shown.why = all->replay.why;
	all->shown.lost = all->replay.lost;
	return err;
}

/* ---------------------------------------------------------------- order */

struct ordering {
	const struct heap_diff *diff;
	enum heap_sort sort;
};

static int64_t change_of(const struct diff_type *type, enum heap_sort sort)
{
	if (sort == HEAP_SORT_RETAINED)
		return diff__change(type->side[DIFF_WAS].retained,
				    type->side[DIFF_IS].retained);
	if (sort == HEAP_SORT_COUNT)
		return diff__change(type->side[DIFF_WAS].objects, type->side[DIFF_IS].objects);
	return diff__change(type->side[DIFF_WAS].bytes, type->side[DIFF_IS].bytes);
}

static int by_name(const struct heap_diff *diff, const struct diff_type *x,
		   const struct diff_type *y)
{
	const struct text a = heap_diff__name(diff, x), b = heap_diff__name(diff, y);
	const int order = memcmp(a.at, b.at, a.bytes < b.bytes ? a.bytes : b.bytes);

	if (order || a.bytes == b.bytes)
		return order;
	return a.bytes < b.bytes ? -1 : 1;
}

static int compare_types(const void *a, const void *b, void *context)
{
	const struct ordering *ordering = context;
	const uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct diff_type *x = &ordering->diff->types.items[i];
	const struct diff_type *y = &ordering->diff->types.items[j];
	int64_t more = 0, less = 0;
	int order = 0;

	if (ordering->sort == HEAP_SORT_NAME) {
		order = by_name(ordering->diff, x, y);
	} else {
		more = change_of(x, ordering->sort);
		less = change_of(y, ordering->sort);
		if (more == less) {
			more = change_of(x, HEAP_SORT_SHALLOW);
			less = change_of(y, HEAP_SORT_SHALLOW);
		}
	}
	if (more != less)
		return more > less ? -1 : 1;
	return order ? order : i < j ? -1 : i > j;
}

static int put_in_order(struct differing *all)
{
	struct ordering ordering = { &all->diff, (enum heap_sort)all->settings->sort };
	int err = 0;

	for (size_t i = 0; i < all->diff.types.count && !err; i++)
		err = vec__push(&all->order, (uint32_t)i);
	if (all->order.count > 1)
		qsort_r(all->order.items, all->order.count, sizeof(*all->order.items),
			compare_types, &ordering);
	return say(err ? err : path_growth__order(&all->growth, &all->branches));
}

/* ---------------------------------------------------------------- the whole of it */

static int find_types(const struct differing *all)
{
	if (!all->settings->type || all->diff.types.count)
		return 0;
	error("no object in either dump has a type that matches \"%s\"; gctrace heap shows the"
	      " types",
	      escape(all->settings->type));
	return -ENOENT;
}

static void set_shown(struct differing *all, const struct limit *limit)
{
	const struct diff_settings *settings = all->settings;
	struct diff_shown *shown = &all->shown;

	for (unsigned int side = 0; side < DIFF_SIDES; side++)
		shown->heading[side] = &all->sources[side].heading;
	shown->glob = settings->type;
	shown->diff = &all->diff;
	shown->total = heap_diff__total(&all->diff);
	shown->types = all->order.items;
	shown->type_count = all->order.count;
	shown->types_shown = heap_select__most(all->order.count, settings->top);
	shown->growth = &all->growth;
	shown->branches = &all->branches;
	shown->branches_shown = heap_select__most(all->branches.count, settings->top);
	shown->fates = &all->replay.fates;
	shown->collections = all->replay.collections;
	shown->limit = settings->limit;
	if (settings->limit)
		shown->verdict = judge(limit, shown);
}

static int show(const struct differing *all)
{
	const struct output_settings *settings = &all->settings->output;
	struct terminal terminal;
	struct output output;

	output__init(&output, STDOUT_FILENO, signals__stop_fd(), "standard output");
	terminal__init(&terminal, STDOUT_FILENO, (enum colour_when)settings->colour);
	return settings->form == OUTPUT_JSON ? diff_ndjson__show(&all->shown, &output)
					     : diff_text__show(&all->shown, &output, &terminal);
}

static int compare(struct differing *all, const struct words *words, const struct limit *limit)
{
	int err = diff_dumps__find(&all->dumps, words);

	all->diff.one_trace = all->dumps.one_trace;
	for (unsigned int side = 0; side < DIFF_SIDES && !err; side++)
		err = take_heap(all, side);
	if (!err)
		err = find_types(all);
	if (!err)
		err = follow_objects(all);
	if (!err)
		err = put_in_order(all);
	if (err)
		return err;
	set_shown(all, limit);
	return show(all);
}

/* Where a limit was given, 0 is a pass: it takes two complete dumps, whatever loss is allowed. */
static enum status status_of(const struct differing *all, int err)
{
	if (err && err != -EPIPE)
		return STATUS_FAILED;
	if (all->shown.verdict == DIFF_UNDECIDED ||
	    ((!diff__is_complete(&all->shown) || all->dumps.of[DIFF_WAS].is_uncertain ||
	      all->dumps.of[DIFF_IS].is_uncertain) &&
	     !all->settings->graph.allow_loss))
		return STATUS_DATA_LOST;
	return all->shown.verdict == DIFF_EXCEEDED ? STATUS_LIMIT_PASSED : STATUS_FINE;
}

static enum status run(const struct invocation *invocation)
{
	struct differing all = { .settings = invocation->settings };
	enum status status;
	struct limit limit;

	if (!parse_limit(all.settings->limit, &limit))
		return command__usage(invocation->command);
	output_settings__apply(&all.settings->output);
	if (signals__install())
		return STATUS_FAILED;
	status = status_of(&all, compare(&all, &invocation->operands, &limit));
	free_all(&all);
	return status;
}

const struct command diff_command = {
	.name = "diff",
	.summary = "What grew from one heap dump to another, object by object where that is known",
	.operands = "FILE[@N] FILE[@N]",
	.about = "Compares two heap dumps, A and B. Two of one recording that was made with --moves"
		 " are compared object by object: what was born, what died, what survived. Others,"
		 " also hprof files, by type, and by the paths from the roots. There is never more"
		 " than one heap graph in memory.\n"
		 "  gctrace record -p 4711 --moves --dump=30s -d 5m --output app.gctrace\n"
		 "  gctrace diff app.gctrace@first app.gctrace@last\n"
		 "  gctrace diff monday.gctrace friday.gctrace --fail-if-growth 10%\n",
	.options = options,
	.defaults = &defaults,
	.settings_size = sizeof(struct diff_settings),
	.operands_min = 2,
	.operands_max = 2,
	.run = run,
};
