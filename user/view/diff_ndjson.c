/* SPDX-License-Identifier: BSD-2-Clause */
/* Two heaps side by side as NDJSON, by the rules of ndjson.c; docs/output.md has every field. */
#include <stdio.h>

#include "../base/report.h"
#include "diff_view.h"
#include "follow.h"
#include "json_fields.h"
#include "output.h"

struct diff_ndjson {
	const struct diff_shown *shown;
	struct output *output;
	struct json json;
	struct buf text; /* scratch */
};

static int end(struct diff_ndjson *ndjson)
{
	if (ndjson->text.error)
		return error_errno(ndjson->text.error, "cannot show the difference");
	return json__write(&ndjson->json, ndjson->output);
}

static void begin(struct diff_ndjson *ndjson, const char *event)
{
	const struct heap_heading *const *heading = ndjson->shown->heading;
	const uint64_t pid = heading[DIFF_IS]->pid;

	json__event(&ndjson->json, event, heading[DIFF_WAS]->pid == pid ? pid : 0);
}

static void add_words(struct diff_ndjson *ndjson, const char *key)
{
	json__bytes(&ndjson->json, key, buf__str(&ndjson->text), ndjson->text.len);
	buf__reset(&ndjson->text);
}

/* ---------------------------------------------------------------- figures */

static void add_side(struct json *json, const struct heap_type_sums *sums, unsigned int side)
{
	static const char *const keys[DIFF_SIDES][4] = {
		{ "was_objects", "was_bytes", "was_reached_objects", "was_reached_bytes" },
		{ "is_objects", "is_bytes", "is_reached_objects", "is_reached_bytes" },
	};

	json__u64(json, keys[side][0], sums->objects);
	json__u64(json, keys[side][1], sums->bytes);
	json__u64(json, keys[side][2], sums->reached_objects);
	json__u64(json, keys[side][3], sums->reached_bytes);
}

static void add_fate(struct json *json, const struct fate *fate)
{
	json__u64(json, "born_objects", fate->born.objects);
	json__u64(json, "born_bytes", fate->born.bytes);
	json__u64(json, "died_objects", fate->died.objects);
	json__u64(json, "died_bytes", fate->died.bytes);
	json__u64(json, "survived_objects", fate->survived.objects);
	json__u64(json, "survived_bytes", fate->survived.bytes);
	json__u64(json, "withdrawn_objects", fate->withdrawn.objects);
	json__u64(json, "withdrawn_bytes", fate->withdrawn.bytes);
}

/* Some that are called born may be those that were withdrawn. */
static void add_limits(struct json *json, const char *key, const struct fate_sum *born,
		       const struct fate_sum *withdrawn)
{
	const uint64_t least = born->objects - (withdrawn->objects < born->objects
							? withdrawn->objects
							: born->objects);

	if (least == born->objects)
		return;
	json__array(json, key);
	json__u64(json, NULL, least);
	json__u64(json, NULL, born->objects);
	json__end(json);
}

static bool is_estimate(const struct fate *fate)
{
	return fate->withdrawn.objects && fate->born.objects;
}

/* ---------------------------------------------------------------- lines */

static void add_rate(struct json *json, const struct fates *fates, const struct fate *fate)
{
	const struct follow_rate rate = follow__rate(fates->matched, fates->gone,
						     fates->conflicts);
	const bool is_rate_estimate = rate.known && rate.low != rate.high;

	if (rate.known)
		json__double(json, "error_rate", rate.low);
	if (!is_rate_estimate && !is_estimate(fate))
		return;
	json__object(json, "estimated");
	if (is_rate_estimate) {
		json__array(json, "error_rate");
		json__double(json, NULL, rate.low);
		json__double(json, NULL, rate.high);
		json__end(json);
	}
	add_limits(json, "born_objects", &fate->born, &fate->withdrawn);
	json__end(json);
}

static int show_all(struct diff_ndjson *ndjson)
{
	const struct diff_shown *shown = ndjson->shown;
	struct json *json = &ndjson->json;
	struct buf *text = &ndjson->text;

	begin(ndjson, "diff");
	json__string(json, "by", shown->why ? "type" : "identity");
	if (shown->why)
		json__string(json, "why", shown->why);
	else
		json__u64(json, "collections", shown->collections);
	diff_words__all(text, shown);
	buf__add_char(text, ' ');
	if (!diff_words__most(text, shown))
		buf__truncate(text, text->len - 1);
	add_words(ndjson, "text");
	if (diff_words__command(text, shown))
		add_words(ndjson, "command");
	for (unsigned int side = 0; side < DIFF_SIDES; side++)
		add_side(json, &shown->total.side[side], side);
	json__i64(json, "growth_bytes", diff__growth(shown));
	if (!shown->why) {
		add_fate(json, &shown->total.fate);
		add_rate(json, shown->fates, &shown->total.fate);
	}
	return end(ndjson);
}

static int show_type(struct diff_ndjson *ndjson, uint32_t index)
{
	const struct diff_type *type = &ndjson->shown->diff->types.items[index];
	struct json *json = &ndjson->json;

	begin(ndjson, "type_diff");
	diff_words__type(&ndjson->text, ndjson->shown, index);
	add_words(ndjson, "name");
	json__known(json, "class", type->class_);
	for (unsigned int side = 0; side < DIFF_SIDES; side++)
		add_side(json, &type->side[side], side);
	json__u64(json, "was_retained_bytes", type->side[DIFF_WAS].retained);
	json__u64(json, "is_retained_bytes", type->side[DIFF_IS].retained);
	if (ndjson->shown->diff->has_fates)
		add_fate(json, &type->fate);
	if (ndjson->shown->diff->has_fates && is_estimate(&type->fate)) {
		json__object(json, "estimated");
		add_limits(json, "born_objects", &type->fate.born, &type->fate.withdrawn);
		json__end(json);
	}
	return end(ndjson);
}

static void add_step(struct json *json, const struct path_growth *growth, uint32_t branch)
{
	json__text(json, "name", path_growth__words(growth, branch));
	json__text(json, "type", path_growth__type(growth, branch));
	json__flag(json, "repeats", growth->branches.items[branch].repeats);
}

static int add_steps(struct json *json, const struct path_growth *growth, uint32_t branch)
{
	struct growth_way way = { .folded = 0 };
	int err = path_growth__way(growth, branch, &way);

	json__array(json, "steps");
	for (size_t i = 0; i < way.steps.count; i++) {
		json__object(json, NULL);
		if (way.steps.items[i] == GROWTH_NONE)
			json__u64(json, "folded", way.folded);
		else
			add_step(json, growth, way.steps.items[i]);
		json__end(json);
	}
	json__end(json);
	vec__free(&way.steps);
	return err;
}

static int show_branch(struct diff_ndjson *ndjson, uint32_t branch)
{
	const struct path_growth *growth = ndjson->shown->growth;
	const struct fate_sum *ending = growth->branches.items[branch].ending;
	struct json *json = &ndjson->json;

	begin(ndjson, "branch_diff");
	json__text(json, "type", path_growth__type(growth, branch));
	json__u64(json, "was_objects", ending[DIFF_WAS].objects);
	json__u64(json, "was_bytes", ending[DIFF_WAS].bytes);
	json__u64(json, "is_objects", ending[DIFF_IS].objects);
	json__u64(json, "is_bytes", ending[DIFF_IS].bytes);
	if (add_steps(json, growth, branch))
		return error_errno(ENOMEM, "cannot show the difference");
	return end(ndjson);
}

static int show_summary(struct diff_ndjson *ndjson)
{
	static const char *const verdicts[] = {
		[DIFF_WITHIN] = "within",
		[DIFF_EXCEEDED] = "exceeded",
		[DIFF_UNDECIDED] = "not decided",
	};
	const struct diff_shown *shown = ndjson->shown;
	struct json *json = &ndjson->json;

	begin(ndjson, "summary");
	json__bool(json, "complete", diff__is_complete(shown));
	json__flag(json, "lost_between", shown->lost);
	json__u64(json, "types", shown->type_count);
	json__u64(json, "branches", shown->branches->count);
	if (shown->limit) {
		json__string(json, "limit", shown->limit);
		json__string(json, "limit_verdict", verdicts[shown->verdict]);
		if (shown->verdict != DIFF_UNDECIDED)
			json__bool(json, "limit_passed", shown->verdict == DIFF_EXCEEDED);
	}
	heap_view__add_missing(json, "was_missing", shown->heading[DIFF_WAS]->facts);
	heap_view__add_missing(json, "is_missing", shown->heading[DIFF_IS]->facts);
	return end(ndjson);
}

static int show(struct diff_ndjson *ndjson)
{
	const struct diff_shown *shown = ndjson->shown;
	int err = 0;

	for (unsigned int side = 0; side < DIFF_SIDES && !err; side++) {
		heap_view__add_header(&ndjson->json, shown->heading[side]);
		err = end(ndjson);
	}
	if (!err)
		err = show_all(ndjson);
	for (size_t i = 0; i < shown->types_shown && !err; i++)
		err = show_type(ndjson, shown->types[i]);
	for (size_t i = 0; i < shown->branches_shown && !err; i++)
		err = show_branch(ndjson, shown->branches->items[i]);
	return err ? err : show_summary(ndjson);
}

int diff_ndjson__show(const struct diff_shown *shown, struct output *output)
{
	struct diff_ndjson ndjson = { .shown = shown, .output = output, .json = JSON_INIT };
	int err;

	json__together(&ndjson.json);
	err = json__apart(&ndjson.json, output, show(&ndjson));
	json__free(&ndjson.json);
	buf__free(&ndjson.text);
	return err;
}
