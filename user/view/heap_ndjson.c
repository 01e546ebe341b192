/* SPDX-License-Identifier: BSD-2-Clause */
/* A heap graph as NDJSON, by the rules of ndjson.c; docs/output.md has every field. */
#include <stdlib.h>
#include <string.h>

#include "../base/report.h"
#include "../model/heap_lives.h"
#include "gctrace/wire.h"
#include "heap_view.h"
#include "heap_words.h"
#include "json_fields.h"
#include "output.h"

struct heap_ndjson {
	struct heap_view view;
	const struct heap *heap;
	const struct heap_heading *heading;
	struct output *output;
	struct json json;
	struct buf text; /* scratch */
	uint64_t left_out; /* lines */
};

static struct heap_ndjson *ndjson_of(struct heap_view *view)
{
	return (struct heap_ndjson *)view;
}

static struct json *begin(struct heap_ndjson *ndjson, const char *event)
{
	json__event(&ndjson->json, event, ndjson->heading->pid);
	return &ndjson->json;
}

static int end(struct heap_ndjson *ndjson)
{
	if (ndjson->text.error)
		return error_errno(ndjson->text.error, "cannot show the heap");
	return json__write(&ndjson->json, ndjson->output);
}

/* What heap_words.h put into the scratch buffer. */
static void add_words(struct heap_ndjson *ndjson, const char *key)
{
	json__take(&ndjson->json, key, &ndjson->text);
}

static void add_type(struct heap_ndjson *ndjson, const char *name, uint32_t index)
{
	const struct heap_type type = heap_types__at(heap__types(ndjson->heap), index);

	heap_words__type(&ndjson->text, ndjson->heap, index);
	add_words(ndjson, name);
	json__known(&ndjson->json, "class", type.number);
}

static void add_life(struct heap_ndjson *ndjson, uint64_t address)
{
	const struct heap_lives *lives = ndjson->heading->lives;
	struct heap_life life;

	if (!lives || !heap_lives__of(lives, address, &life))
		return;
	json__u64(&ndjson->json, "id", life.id);
	json__u64(&ndjson->json, "age", life.age);
	json__flag(&ndjson->json, "at_least", !life.born || life.age >= OBJECT_COUNT_MOST);
}

static void add_object(struct heap_ndjson *ndjson, uint32_t place)
{
	const struct heap_object object = heap__object(ndjson->heap, place);
	struct json *json = &ndjson->json;

	add_type(ndjson, "type", object.type);
	json__address(json, "address", object.address);
	json__u64(json, "size_bytes", object.size);
	json__known(json, "retained_bytes", object.retained);
	json__known(json, "retained_objects", object.dominates);
	add_life(ndjson, object.address);
}

/* ---------------------------------------------------------------- heading, findings */

void heap_view__add_header(struct json *json, const struct heap_heading *heading)
{
	const struct heap_facts *facts = heading->facts;

	json__event(json, "header", heading->pid);
	json__string(json, "gctrace", GCTRACE_VERSION);
	json__text(json, "name", heading->name);
	json__text(json, "runtime", heading->runtime);
	json__text(json, "runtime_version", heading->version);
	json__text(json, "collector", heading->collector);
	json__string(json, "accuracy", facts->estimated_types ? "estimated_sizes" : "exact");
	json__string(json, "privacy", "contents of objects are never read");
	json__flag(json, "histogram", heading->counts_only);
	if (heading->file)
		json__string(json, "file", heading->file);
	if (heading->in_file)
		json__u64(json, "in_file", heading->in_file);
	json__known(json, "dump", facts->dump);
	json__known(json, "gc", facts->collection);
	if (heading->dump_ns)
		json__u64(json, "dump_ns", heading->dump_ns);
	if (heading->stopped_ns)
		json__u64(json, "stopped_ns", heading->stopped_ns);
	if (heading->lives) {
		json__u64(json, "followed_collections", heap_lives__collections(heading->lives));
		json__flag(json, "in_doubt", heap_lives__in_doubt(heading->lives));
	}
	json__i64(json, "clock_offset_ns", heading->clock_offset_ns);
}

static int show_heading(struct heap_view *view)
{
	struct heap_ndjson *ndjson = ndjson_of(view);

	heap_view__add_header(&ndjson->json, ndjson->heading);
	return end(ndjson);
}

/* The same roots as in the sentence: one that holds it alone, a static, or some of several. */
static void add_held_by(struct heap_ndjson *ndjson, const struct finding *finding)
{
	const struct heap *heap = ndjson->heap;
	struct holders holders = finding->holders;
	uint32_t top;

	if (!holders.count && !heap__is_node(heap, finding->owner)) {
		top = findings__top_of(heap, finding->owner);
		holders.of[0] = (struct holder){ heap__dominator(heap, top), top,
						 HEAP_RANK_STATIC, 1 };
		holders.count = holders.of[0].root != HEAP_NONE &&
				(!heap__is_node(heap, holders.of[0].root) ||
				 heap__root(heap, holders.of[0].root).level == HEAP_ROOT_REFERENCE);
	}
	if (!holders.count)
		return;
	json__array(&ndjson->json, "held_by");
	for (size_t i = 0; i < holders.count; i++) {
		heap_words__holder(&ndjson->text, heap, &holders.of[i]);
		add_words(ndjson, NULL);
	}
	json__end(&ndjson->json);
	json__flag(&ndjson->json, "held_by_others", holders.more > 0);
}

static void add_object_of(struct heap_ndjson *ndjson, const struct finding *finding)
{
	const struct heap_object object = heap__object(ndjson->heap, finding__object(finding));
	const struct heap_object point = heap__object(ndjson->heap, finding->place);
	struct json *json = &ndjson->json;

	add_type(ndjson, "type", object.type);
	json__address(json, "address", object.address);
	if (finding->kind == FINDING_GROUP) {
		json__u64(json, "members", finding->members);
	} else {
		heap_words__type(&ndjson->text, ndjson->heap, point.type);
		add_words(ndjson, "point_type");
		json__address(json, "point_address", point.address);
	}
	add_held_by(ndjson, finding);
}

static int show_finding(struct heap_ndjson *ndjson, const struct finding *finding)
{
	struct json *json = begin(ndjson, "finding");

	json__string(json, "kind", heap_words__finding_name(finding->kind));
	heap_words__finding(&ndjson->text, ndjson->heap, finding);
	add_words(ndjson, "text");
	heap_words__more(&ndjson->text, ndjson->heap, finding, ndjson->heading->subject,
			 ndjson->heading->file);
	add_words(ndjson, "command");
	json__u64(json, "bytes", finding->bytes);
	json__u64(json, "objects", finding->objects);
	if (finding__is_of_object(finding))
		add_object_of(ndjson, finding);
	if (finding->of != UINT32_MAX) {
		heap_words__type(&ndjson->text, ndjson->heap, finding->of);
		add_words(ndjson, "of_type");
		json__u64(json, "of_objects", finding->of_count);
	}
	return end(ndjson);
}

static int show_findings(struct heap_view *view, const struct findings *findings)
{
	int err = 0;

	for (size_t i = 0; i < findings->count && !err; i++)
		err = show_finding(ndjson_of(view), &findings->items[i]);
	return err;
}

/* ---------------------------------------------------------------- types */

static void add_name(struct heap_ndjson *ndjson, const struct heap_type_list *list, uint32_t index)
{
	if (!list->groups) {
		add_type(ndjson, "name", index);
		return;
	}
	json__string(&ndjson->json, "by", heap_words__grouping(list->groups->by));
	json__text(&ndjson->json, "name", list->groups->groups.items[index].name);
	json__u64(&ndjson->json, "types", list->groups->groups.items[index].types);
}

static void add_retained(struct json *json, const struct heap_type_sums *sums)
{
	json__u64(json, "reached_objects", sums->reached_objects);
	json__u64(json, "reached_bytes", sums->reached_bytes);
	if (sums->reached_objects)
		json__u64(json, "retained_bytes", sums->retained);
}

static void add_ages(struct json *json, const struct population_type *ages)
{
	if (!ages || !ages->objects)
		return;
	json__u64(json, "age_median", population_type__median(ages));
	json__u64(json, "age_most", ages->oldest);
	json__flag(json, "at_least", ages->unborn > 0 || ages->oldest >= OBJECT_COUNT_MOST);
}

static int show_type_lines(struct heap_ndjson *ndjson, const char *event,
			   const struct heap_type_list *list)
{
	int err = 0;

	json__together(&ndjson->json);
	for (size_t i = 0; i < list->shown && !err; i++) {
		const struct heap_type_line *line = &list->lines[i];
		struct json *json = begin(ndjson, event);

		add_name(ndjson, list, line->type);
		json__u64(json, "count", line->sums.objects);
		json__u64(json, "shallow_bytes", line->sums.bytes);
		if (!list->groups)
			json__flag(json, "estimated",
				   heap_words__is_estimate(ndjson->heap, line->type));
		if (!ndjson->heading->counts_only && strcmp(event, "freed"))
			add_retained(json, &line->sums);
		add_ages(json, line->ages);
		if (list->of_bytes)
			json__double(json, "share",
				     (double)line->sums.bytes / (double)list->of_bytes);
		err = end(ndjson);
	}
	return json__apart(&ndjson->json, ndjson->output, err);
}

static int show_types(struct heap_view *view, const struct heap_type_list *list)
{
	ndjson_of(view)->left_out += list->count - list->shown;
	return show_type_lines(ndjson_of(view), list->groups ? "group" : "type", list);
}

/* ---------------------------------------------------------------- trees */

static void add_root(struct heap_ndjson *ndjson, uint32_t place)
{
	static const char *const levels[] = { "all", "kind", "container", "root_kind", "root" };
	const struct heap_root root = heap__root(ndjson->heap, place);
	struct json *json = &ndjson->json;

	json__string(json, "level", levels[root.level]);
	json__string(json, "kind", heap_words__container_name(root.type));
	heap_words__root(&ndjson->text, ndjson->heap, place);
	add_words(ndjson, "name");
	if (root.level >= HEAP_ROOT_CONTAINER) {
		json__known(json, "id1", root.id1);
		json__known(json, "id2", root.id2);
	}
	if (root.level != HEAP_ROOT_REFERENCE)
		return;
	if (heap_words__kind_name(root.kind))
		json__string(json, "root_kind", heap_words__kind_name(root.kind));
	json__known(json, "root_id", root.id);
	if (root.address)
		json__address(json, "address", root.address);
	json__flag(json, "weak", root.weak);
}

static int show_outline(struct heap_ndjson *ndjson, const char *event,
			const struct outline *outline)
{
	int err = 0;

	for (size_t i = 0; i < outline->count && !err; i++) {
		const struct outline_line *line = &outline->items[i];
		struct json *json = begin(ndjson, event);
		const bool is_node = !line->folded && heap__is_node(ndjson->heap, line->place);

		json__u64(json, "depth", line->depth);
		if (is_node)
			add_root(ndjson, line->place);
		else if (!line->folded)
			add_object(ndjson, line->place);
		else
			json__u64(json, "folded", line->folded);
		if (is_node || (line->folded && line->roots))
			json__u64(json, "count", line->roots);
		if (is_node || line->folded) {
			json__u64(json, "retained_bytes", line->bytes);
			json__u64(json, "retained_objects", line->objects);
		}
		err = end(ndjson);
	}
	return err;
}

static int show_roots(struct heap_view *view, const struct outline *outline)
{
	return show_outline(ndjson_of(view), "root", outline);
}

static int show_tree(struct heap_view *view, const struct outline *outline)
{
	return show_outline(ndjson_of(view), "node", outline);
}

/* ---------------------------------------------------------------- objects, paths */

/* The number of a place; of none where nobody told it or there is no place. */
static void add_place(struct json *json, uint64_t place)
{
	if (place == PLACE_DEPENDENT)
		json__flag(json, "dependent", true);
	else
		json__known(json, "place", place);
}

static void add_references(struct heap_ndjson *ndjson, uint32_t place)
{
	struct heap_references references = heap__references(ndjson->heap, place);
	struct heap_reference next;
	struct json *json = &ndjson->json;

	json__array(json, "refers_to");
	while (heap_references__next(&references, &next)) {
		json__object(json, NULL);
		add_place(json, next.place);
		if (next.to == HEAP_NOWHERE) {
			json__flag(json, "dangling", true);
		} else {
			heap_words__field(&ndjson->text, ndjson->heap, place, next.place);
			add_words(ndjson, "name");
			heap_words__type_of(&ndjson->text, ndjson->heap, next.to);
			add_words(ndjson, "type");
			json__address(json, "address", heap__object(ndjson->heap, next.to).address);
		}
		json__end(json);
	}
	json__end(json);
}

static int show_objects(struct heap_view *view, const struct heap_object_list *list)
{
	struct heap_ndjson *ndjson = ndjson_of(view);
	int err = 0;

	ndjson->left_out += list->count - list->shown;
	json__together(&ndjson->json);
	for (size_t i = 0; i < list->shown && !err; i++) {
		const struct heap_object object = heap__object(ndjson->heap, list->places[i]);
		struct json *json = begin(ndjson, "object");

		add_object(ndjson, list->places[i]);
		json__flag(json, "unreached", !object.reached);
		json__flag(json, "pinned", object.pinned);
		json__flag(json, "finalizable", object.finalizable);
		json__flag(json, "unfinished", object.unfinished);
		add_references(ndjson, list->places[i]);
		err = end(ndjson);
	}
	return json__apart(&ndjson->json, ndjson->output, err);
}

/* What leads to the object at `i` of a way, from 1. */
static const char *step_kind(const struct heap *heap, const struct heap_way *way, size_t i)
{
	uint64_t at = EVENT_UNKNOWN;

	if (i == 1)
		return "object";
	heap__field(heap, way->places[i - 1], way->places[i], &at);
	if (at == PLACE_DEPENDENT)
		return "dependent";
	return heap_words__is_array(heap, way->places[i - 1]) ? "element" : "field";
}

static int show_path(struct heap_view *view, const struct heap_way *way)
{
	struct heap_ndjson *ndjson = ndjson_of(view);
	struct json *json = begin(ndjson, "path");

	json__u64(json, "length", way->count - 1);
	add_object(ndjson, way->places[way->count - 1]);
	json__array(json, "steps");
	for (size_t i = 0; i < way->count; i++) {
		json__object(json, NULL);
		if (i == 0) {
			add_root(ndjson, way->places[i]);
		} else {
			json__string(json, "kind", step_kind(ndjson->heap, way, i));
			if (i > 1) {
				heap_words__step(&ndjson->text, ndjson->heap, way->places[i - 1],
						 way->places[i]);
				add_words(ndjson, "name");
			}
			add_object(ndjson, way->places[i]);
		}
		json__end(json);
	}
	json__end(json);
	return end(ndjson);
}

static int show_merged(struct heap_view *view, const struct path_merge *merge)
{
	struct heap_ndjson *ndjson = ndjson_of(view);
	int err = 0;

	for (size_t i = 0; i < merge->branches.count && !err; i++) {
		const struct path_branch *branch = &merge->branches.items[i];
		struct json *json = begin(ndjson, "branch");

		json__u64(json, "depth", branch->depth);
		if (branch->folded)
			json__u64(json, "folded", branch->folded);
		else
			heap_words__branch(&ndjson->text, ndjson->heap, branch->from, branch->to);
		if (ndjson->text.len)
			add_words(ndjson, "name");
		if (branch->from != HEAP_NONE) {
			heap_words__type_of(&ndjson->text, ndjson->heap, branch->to);
			add_words(ndjson, "type");
			json__flag(json, "repeats", branch->repeats);
		}
		json__u64(json, "count", branch->objects);
		json__u64(json, "shallow_bytes", branch->bytes);
		if (!branch->folded)
			json__u64(json, "ending", branch->ending);
		err = end(ndjson);
	}
	return err;
}

static int show_freed(struct heap_view *view, uint32_t place, const struct heap_type_list *list)
{
	struct heap_type_list all = *list;

	(void)place; /* its path stands before */
	all.shown = all.count;
	return show_type_lines(ndjson_of(view), "freed", &all);
}

/* ---------------------------------------------------------------- summary */

static void add_some(struct json *json, const char *key, uint64_t value)
{
	if (value)
		json__u64(json, key, value);
}

static void add_dangling(struct json *json, const struct heap_facts *facts)
{
	add_some(json, "dangling_references", facts->dangling_references);
	add_some(json, "dangling_weak_references", facts->dangling_weak_references);
	add_some(json, "dangling_roots", facts->dangling_roots);
}

void heap_view__add_missing(struct json *json, const char *key, const struct heap_facts *facts)
{
	json__object(json, key);
	json__flag(json, "no_begin", !facts->begun);
	json__flag(json, "no_end", !facts->ended);
	json__flag(json, "aborted", facts->ended && facts->status != GCTRACE_DUMP_COMPLETE);
	add_some(json, "losses", facts->losses);
	add_some(json, "unfinished", facts->unfinished);
	add_dangling(json, facts);
	json__end(json);
}

static void add_odd(struct json *json, const struct heap_facts *facts)
{
	json__object(json, "odd");
	add_some(json, "undefined_types", facts->undefined_types);
	add_some(json, "duplicates", facts->odd.duplicates);
	add_some(json, "classes_differ", facts->odd.classes_differ);
	add_some(json, "sizes", facts->odd.sizes);
	add_some(json, "nameless", facts->odd.nameless);
	add_some(json, "begun_again", facts->odd.begun_again);
	add_some(json, "types_beyond", facts->odd.types_beyond);
	json__end(json);
}

static void add_notes(struct json *json, const struct heap_facts *facts)
{
	if (!facts->absent_classes && !facts->absent_of_garbage && !facts->estimated_types)
		return;
	json__object(json, "notes");
	add_some(json, "estimated_types", facts->estimated_types);
	add_some(json, "references_to_absent_classes", facts->absent_classes);
	add_some(json, "references_from_garbage", facts->absent_of_garbage);
	json__end(json);
}

static void add_graph(struct json *json, const struct heap_facts *facts)
{
	json__u64(json, "references", facts->references);
	json__u64(json, "null_references", facts->nulls);
	json__u64(json, "weak_references", facts->weak_references);
	json__u64(json, "roots", facts->roots);
	json__u64(json, "weak_roots", facts->weak_roots);
	json__u64(json, "dependent_roots", facts->dependent_roots);
	json__u64(json, "reached_objects", facts->reached_objects);
	json__u64(json, "reached_bytes", facts->reached_bytes);
	json__u64(json, facts->reached_only ? "weakly_reached_objects" : "unreached_objects",
		  facts->objects - facts->reached_objects);
	json__u64(json, facts->reached_only ? "weakly_reached_bytes" : "unreached_bytes",
		  facts->bytes - facts->reached_bytes);
}

static int show_summary(struct heap_view *view)
{
	struct heap_ndjson *ndjson = ndjson_of(view);
	const struct heap_facts *facts = ndjson->heading->facts;
	struct json *json = begin(ndjson, "summary");

	json__bool(json, "complete", heap__is_complete(ndjson->heap));
	json__u64(json, "objects", facts->objects);
	json__u64(json, "bytes", facts->bytes);
	if (!ndjson->heading->counts_only)
		add_graph(json, facts);
	else
		json__flag(json, "histogram", true);
	json__flag(json, "reached_only", facts->reached_only);
	if (ndjson->left_out)
		json__u64(json, "left_out", ndjson->left_out);
	heap_view__add_missing(json, "missing", facts);
	add_odd(json, facts);
	add_notes(json, facts);
	return end(ndjson);
}

static void free_ndjson(struct heap_view *view)
{
	struct heap_ndjson *ndjson = ndjson_of(view);

	json__free(&ndjson->json);
	buf__free(&ndjson->text);
	free(ndjson);
}

struct heap_view *heap_ndjson__new(const struct heap *heap, const struct heap_heading *heading,
				   struct output *output)
{
	static const struct heap_view_form form = {
		show_heading, show_findings, show_types, show_roots,   show_objects, show_tree,
		show_path,    show_merged,   show_freed, show_summary, free_ndjson,
	};
	struct heap_ndjson *ndjson = calloc(1, sizeof(*ndjson));

	if (!ndjson) {
		error("out of memory");
		return NULL;
	}
	ndjson->view.form = &form;
	ndjson->heap = heap;
	ndjson->heading = heading;
	ndjson->output = output;
	return &ndjson->view;
}
