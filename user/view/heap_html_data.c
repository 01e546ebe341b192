/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a page shows, as JSON (heap_html.h); page/heap.js reads it. Tables are arrays of rows, so
 * that a name is not written a thousand times; -1 is "not known" and "none". A name of more than
 * NAME_MOST bytes is cut, and says so itself: browsers take seconds to lay out one of 64 KiB.
 *
 *	types     [name, objects, bytes, retained, nearest, biggest]     the last two: objects;
 *	          where collections were followed [..., age, at least, oldest, at least]
 *	objects   [type, address, bytes, retained, dominated, before, skipped, step]; the step: an
 *	          element of the one before as "[17]", or the index of a field
 *	          or, of a node of the roots, [-1, name]
 *	branches  [parent, retained, dominated, folded branches, bytes, objects], in the order of
 *	          the objects; behind those, groups: the same, and [..., type, count, object]
 *	fields    names, each once
 *	roots     [depth, name, retained, dominated, roots, folded, object]
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../base/escape.h"
#include "../model/heap_lives.h"
#include "field_numbers.h"
#include "gctrace/wire.h"
#include "heap_html.h"
#include "heap_words.h"
#include "json_fields.h"

#define NAME_MOST 500u
#define SENTENCE_MOST 2000u

struct data {
	const struct heap_html *page;
	struct json *json;
	struct buf raw, text; /* scratch */
	uint32_t *rows;	      /* of types in the table, by type; UINT32_MAX */
	struct field_numbers fields; /* fewer than objects in the excerpt */
	int error;
};

/* ---------------------------------------------------------------- pieces */

/* What heap_words.h put into the raw buffer, as people are shown it. */
static void add_words(struct data *data, const char *key)
{
	escape__move(&data->text, &data->raw);
	json__take(data->json, key, &data->text);
}

static bool is_inside(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80; /* of a character of UTF-8 */
}

static void add_cut(struct data *data, const char *key, size_t most)
{
	const size_t len = data->raw.len;
	size_t kept = most;

	if (len > most) {
		while (kept > most - 3 && is_inside(buf__str(&data->raw)[kept]))
			kept--;
		buf__truncate(&data->raw, kept);
		buf__printf(&data->raw, "… (%zu bytes more)", len - kept);
	}
	add_words(data, key);
}

static void add_name(struct data *data, const char *key)
{
	add_cut(data, key, NAME_MOST);
}

static void add_text(struct data *data, const char *key, struct text text)
{
	if (!text.bytes)
		return;
	buf__add(&data->raw, text.at, text.bytes);
	add_name(data, key);
}

static void add_u64(struct data *data, uint64_t value)
{
	if (value == EVENT_UNKNOWN)
		json__i64(data->json, NULL, -1);
	else
		json__u64(data->json, NULL, value);
}

static void add_index(struct data *data, uint32_t index)
{
	json__i64(data->json, NULL, index == UINT32_MAX ? -1 : (int64_t)index);
}

static uint32_t object_at(const struct data *data, uint32_t place)
{
	return place == HEAP_NONE ? EXCERPT_NONE : excerpt__find(data->page->excerpt, place);
}

/* ---------------------------------------------------------------- what dump it is */

static void add_heading(struct data *data)
{
	const struct heap_heading *heading = data->page->heading;
	struct json *json = data->json;

	json__string(json, "gctrace", GCTRACE_VERSION);
	json__i64(json, "made_ms", data->page->made_ns / 1000000);
	add_text(data, "name", heading->name);
	add_text(data, "runtime", heading->runtime);
	add_text(data, "version", heading->version);
	add_text(data, "collector", heading->collector);
	if (heading->pid)
		json__u64(json, "pid", heading->pid);
	json__string(json, "subject", heading->subject);
	json__bool(json, "is_file", heading->file);
	if (heading->began_ns)
		json__i64(json, "began_ms",
			  ((int64_t)heading->began_ns + heading->clock_offset_ns) / 1000000);
	if (heading->dump_ns)
		json__u64(json, "took_ns", heading->dump_ns);
	json__known(json, "dump", heading->facts->dump);
	json__known(json, "gc", heading->facts->collection);
	if (heading->lives && heap_lives__collections(heading->lives)) {
		json__u64(json, "followed", heap_lives__collections(heading->lives));
		json__bool(json, "in_doubt", heap_lives__in_doubt(heading->lives));
	}
}

static void add_lines(struct data *data, const char *key,
		      void (*words)(struct buf *out, const struct heap_facts *facts))
{
	struct buf lines = BUF_INIT;
	const char *line, *stop;

	words(&lines, data->page->heading->facts);
	json__array(data->json, key);
	for (line = buf__str(&lines); (stop = strchr(line, '\n')); line = stop + 1) {
		line += strspn(line, " ");
		json__bytes(data->json, NULL, line, (size_t)(stop - line));
	}
	json__end(data->json);
	buf__free(&lines);
}

static void add_facts(struct data *data)
{
	const struct heap_facts *facts = data->page->heading->facts;
	struct json *json = data->json;

	heap_words__accuracy(&data->raw, facts, false);
	if (facts->estimated_types) {
		buf__add_str(&data->raw, "; ");
		heap_words__estimated(&data->raw, facts, "");
	}
	json__take(json, "accuracy", &data->raw);
	json__bool(json, "complete", heap__is_complete(data->page->heap));
	add_lines(data, "missing", heap_words__missing);
	add_lines(data, "odd", heap_words__odd);
	add_lines(data, "notes", heap_words__notes);
	json__object(json, "facts");
	json__u64(json, "objects", facts->objects);
	json__u64(json, "bytes", facts->bytes);
	json__u64(json, "references", facts->references);
	json__u64(json, "weak_references", facts->weak_references);
	json__u64(json, "roots", facts->roots);
	json__u64(json, "weak_roots", facts->weak_roots);
	json__u64(json, "reached_objects", facts->reached_objects);
	json__u64(json, "reached_bytes", facts->reached_bytes);
	json__flag(json, "reached_only", facts->reached_only);
	json__end(json);
}

static void add_finding(struct data *data, const struct finding *finding)
{
	const struct heap_html *page = data->page;

	json__object(data->json, NULL);
	heap_words__finding(&data->raw, page->heap, finding);
	add_cut(data, "text", SENTENCE_MOST);
	heap_words__more(&data->raw, page->heap, finding, page->heading->subject,
			 page->heading->file);
	json__take(data->json, "command", &data->raw);
	json__u64(data->json, "bytes", finding->bytes);
	if (finding__is_of_object(finding))
		json__u64(data->json, "object", object_at(data, finding__object(finding)));
	json__end(data->json);
}

static void add_findings(struct data *data)
{
	json__array(data->json, "findings");
	for (size_t i = 0; i < data->page->findings->count; i++)
		add_finding(data, &data->page->findings->items[i]);
	json__end(data->json);
}

/* ---------------------------------------------------------------- types */

size_t heap_html__types(const struct heap_html *page)
{
	uint64_t names = 0;
	size_t i;

	for (i = 0; i < page->types->count && i < page->types_most; i++) {
		names += heap_types__at(heap__types(page->heap), page->types->lines[i].type)
				 .name.bytes;
		if (names > page->names_most)
			break;
	}
	return i;
}

/* Objects of the excerpt are of types that are in the table, too, wherever these stand. */
static void need_types(struct data *data)
{
	const struct excerpt *excerpt = data->page->excerpt;

	for (size_t i = 0; i < excerpt->objects.count; i++) {
		const uint32_t place = excerpt->objects.items[i].place;

		if (!heap__is_node(excerpt->heap, place))
			data->rows[heap__type(excerpt->heap, place)] = 0;
	}
}

static void add_age(struct data *data, uint64_t age, bool at_least)
{
	add_u64(data, age);
	json__bool(data->json, NULL, at_least);
}

/* As in the table for people: heap_text_types.c. */
static void add_ages(struct data *data, const struct population_type *ages)
{
	const uint32_t median = population_type__median(ages);
	const bool known = ages->objects;

	add_age(data, known ? median : EVENT_UNKNOWN,
		ages->unborn || median >= POPULATION_AGES - 1);
	add_age(data, known ? ages->oldest : EVENT_UNKNOWN,
		ages->unborn || ages->oldest >= OBJECT_COUNT_MOST);
}

static void add_type(struct data *data, const struct heap_type_line *line)
{
	const struct example *example = &data->page->examples[line->type];

	json__array(data->json, NULL);
	heap_words__type(&data->raw, data->page->heap, line->type);
	add_name(data, NULL);
	add_u64(data, line->sums.objects);
	add_u64(data, line->sums.bytes);
	add_u64(data, line->sums.reached_objects ? line->sums.retained : EVENT_UNKNOWN);
	add_index(data, object_at(data, example->nearest));
	add_index(data, object_at(data, example->biggest));
	if (line->ages)
		add_ages(data, line->ages);
	json__end(data->json);
}

static void add_types(struct data *data)
{
	const struct heap_type_list *types = data->page->types;
	const size_t listed = heap_html__types(data->page);
	uint64_t folded = 0, objects = 0, bytes = 0;
	uint32_t row = 0;

	json__array(data->json, "types");
	for (size_t i = 0; i < types->count; i++) {
		const struct heap_type_line *line = &types->lines[i];

		if (i < listed || data->rows[line->type] == 0) {
			data->rows[line->type] = row++;
			add_type(data, line);
			continue;
		}
		folded++;
		objects += line->sums.objects;
		bytes += line->sums.bytes;
	}
	json__end(data->json);
	json__object(data->json, "types_folded");
	json__u64(data->json, "types", folded);
	json__u64(data->json, "objects", objects);
	json__u64(data->json, "bytes", bytes);
	json__end(data->json);
}

/* ---------------------------------------------------------------- objects */

/* Its index in the table of fields, which it joins. */
static uint32_t field_of(struct data *data, uint32_t from, uint64_t place)
{
	const struct heap *heap = data->page->heap;
	const struct numbered_field field = { heap__type(heap, from), heap__place_kind(heap, from),
					      place, from };
	uint32_t number = 0;

	if (!data->error)
		data->error = field_numbers__need(&data->fields, &field, &number);
	return number;
}

static void add_step(struct data *data, const struct excerpt_object *object)
{
	const struct excerpt *excerpt = data->page->excerpt;
	const uint32_t from = object->before == EXCERPT_NONE ?
				      HEAP_NONE :
				      excerpt->objects.items[object->before].place;

	if (from == HEAP_NONE || object->skipped || heap__is_node(excerpt->heap, from)) {
		json__i64(data->json, NULL, -1);
	} else if (heap_words__is_array(excerpt->heap, from)) {
		heap_words__field(&data->raw, excerpt->heap, from, object->at);
		add_words(data, NULL);
	} else {
		json__u64(data->json, NULL, field_of(data, from, object->at));
	}
}

static void add_object(struct data *data, const struct excerpt_object *object)
{
	const struct heap *heap = data->page->heap;

	json__array(data->json, NULL);
	if (heap__is_node(heap, object->place)) {
		json__i64(data->json, NULL, -1);
		heap_words__root(&data->raw, heap, object->place);
		add_name(data, NULL);
	} else {
		const struct heap_object found = heap__object(heap, object->place);

		json__u64(data->json, NULL, data->rows[found.type]);
		json__address(data->json, NULL, found.address);
		add_u64(data, found.size);
		add_u64(data, found.retained);
		add_u64(data, found.dominates);
		add_index(data, object->before);
		add_u64(data, object->skipped);
		add_step(data, object);
	}
	json__end(data->json);
}

static void add_fields(struct data *data)
{
	json__array(data->json, "fields");
	for (size_t i = 0; i < data->fields.of.count; i++) {
		const struct numbered_field *field = &data->fields.of.items[i];

		heap_words__field(&data->raw, data->page->heap, field->example, field->place);
		add_name(data, NULL);
	}
	json__end(data->json);
}

static void add_branch(struct data *data, const struct excerpt_branch *branch)
{
	json__array(data->json, NULL);
	add_index(data, branch->parent);
	add_u64(data, branch->bytes);
	add_u64(data, branch->objects);
	add_u64(data, branch->folded.count);
	add_u64(data, branch->folded.bytes);
	add_u64(data, branch->folded.objects);
	if (branch->count) {
		json__u64(data->json, NULL, data->rows[branch->type]);
		add_u64(data, branch->count);
		add_index(data, branch->object);
	}
	json__end(data->json);
}

static void add_excerpt(struct data *data)
{
	const struct excerpt *excerpt = data->page->excerpt;

	json__u64(data->json, "least", excerpt->least);
	json__u64(data->json, "least_group", excerpt->least_group);
	json__u64(data->json, "singles", excerpt->singles);
	json__array(data->json, "objects");
	for (size_t i = 0; i < excerpt->objects.count; i++)
		add_object(data, &excerpt->objects.items[i]);
	json__end(data->json);
	add_fields(data);
	json__array(data->json, "branches");
	for (size_t i = 0; i < excerpt->branches.count; i++)
		add_branch(data, &excerpt->branches.items[i]);
	json__end(data->json);
}

/* ---------------------------------------------------------------- roots */

static void add_root(struct data *data, const struct outline_line *line)
{
	uint32_t object = EXCERPT_NONE;

	if (!line->folded) {
		const struct heap_root root = heap__root(data->page->heap, line->place);

		heap_words__node(&data->raw, data->page->heap, line->place);
		if (root.level == HEAP_ROOT_REFERENCE && root.object != HEAP_NOWHERE)
			object = object_at(data, root.object);
	}
	json__array(data->json, NULL);
	add_u64(data, line->depth);
	add_name(data, NULL);
	add_u64(data, line->bytes);
	add_u64(data, line->objects);
	add_u64(data, line->roots);
	add_u64(data, line->folded);
	add_index(data, object);
	json__end(data->json);
}

static void add_roots(struct data *data)
{
	json__u64(data->json, "roots_most", data->page->roots_most);
	json__array(data->json, "roots");
	for (size_t i = 0; i < data->page->roots->count; i++)
		add_root(data, &data->page->roots->items[i]);
	json__end(data->json);
}

/* ---------------------------------------------------------------- all of it */

static void add_all(struct data *data)
{
	json__begin(data->json);
	add_heading(data);
	add_facts(data);
	add_findings(data);
	need_types(data);
	add_types(data);
	add_excerpt(data);
	add_roots(data);
}

int heap_html__data(const struct heap_html *page, struct json *json)
{
	const size_t types = heap__types(page->heap)->count;
	struct data data = { .page = page, .json = json,
			     .rows = malloc(types * sizeof(*data.rows)) };
	int err = data.rows ? 0 : -ENOMEM;

	if (!err) {
		memset(data.rows, 0xff, types * sizeof(*data.rows));
		add_all(&data);
		err = data.error;
	}
	field_numbers__free(&data.fields);
	free(data.rows);
	buf__free(&data.raw);
	buf__free(&data.text);
	return err;
}
