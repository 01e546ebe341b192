/* SPDX-License-Identifier: BSD-2-Clause */
/* A heap graph for people: tables, and trees drawn like those of tree(1). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/report.h"
#include "../base/units.h"
#include "../base/wrap.h"
#include "gctrace/wire.h"
#include "heap_view.h"
#include "heap_words.h"
#include "output.h"
#include "table.h"

#define NAME_COLUMNS 20 /* for a name, at least; a longer one is never cut */
#define SHARE_COLUMNS 7
#define INDENT 4

struct heap_text {
	struct heap_view view;
	const struct heap *heap;
	const struct heap_heading *heading;
	struct output *output;
	const struct terminal *terminal;
	struct buf out, raw, name;
};

static struct heap_text *text_of(struct heap_view *view)
{
	return (struct heap_text *)view;
}

static int flush(struct heap_text *text)
{
	int err = text->out.error ? text->out.error : text->raw.error;

	if (err)
		return error_errno(err, "cannot show the heap");
	err = output__write(text->output, buf__str(&text->out), text->out.len);
	buf__reset(&text->out);
	return err;
}

/* ---------------------------------------------------------------- pieces */

/* text->raw becomes its escaped form in text->name. */
static const char *escaped(struct heap_text *text)
{
	buf__reset(&text->name);
	escape__add(&text->name, buf__str(&text->raw), text->raw.len);
	buf__reset(&text->raw);
	return buf__str(&text->name);
}

static char *share(char *to, uint64_t part, uint64_t whole)
{
	if (!whole)
		return strcpy(to, "-");
	snprintf(to, UNITS_TEXT, "%.1f %%", 100.0 * (double)part / (double)whole);
	return to;
}

static void title(struct heap_text *text, const char *words)
{
	buf__printf(&text->out, "\n%s%s%s\n", terminal__on(text->terminal, STYLE_HEAD), words,
		    terminal__off(text->terminal, STYLE_HEAD));
}

static void line(struct heap_text *text, const char *before, const char *words, size_t indent)
{
	static const char blanks[] = "                    ";
	char prefix[sizeof(blanks)];
	const struct wrap wrap = { terminal__text_columns(text->terminal), prefix, 0 };

	memcpy(prefix, blanks, sizeof(prefix));
	prefix[indent < sizeof(blanks) - 1 ? indent : sizeof(blanks) - 1] = 0;
	buf__add_str(&text->out, before);
	wrap__add(&text->out, &wrap, utf8__columns(before, strlen(before)), words);
	buf__add_char(&text->out, '\n');
}

static void heading_line(struct heap_text *text, const char *words)
{
	const struct wrap wrap = { terminal__text_columns(text->terminal), "#   ", 0 };

	buf__add_str(&text->out, terminal__on(text->terminal, STYLE_DIM));
	buf__add_str(&text->out, "# ");
	wrap__add(&text->out, &wrap, 2, words);
	buf__add_str(&text->out, terminal__off(text->terminal, STYLE_DIM));
	buf__add_char(&text->out, '\n');
}

/* ---------------------------------------------------------------- heading */

static void add_known(struct buf *out, const char *before, struct text text)
{
	if (!text.bytes)
		return;
	buf__add_str(out, before);
	buf__add(out, text.at, text.bytes);
}

static void add_who(struct heap_text *text)
{
	const struct heap_heading *heading = text->heading;
	struct buf *raw = &text->raw;

	if (heading->runtime.bytes)
		add_known(raw, "", heading->runtime);
	else
		buf__add_str(raw, "a runtime that has not said its name");
	add_known(raw, " ", heading->version);
	add_known(raw, ", ", heading->collector);
	if (heading->pid)
		buf__printf(raw, "; pid %" PRIu64, heading->pid);
	if (heading->name.bytes) {
		add_known(raw, " (", heading->name);
		buf__add_char(raw, ')');
	}
	heading_line(text, escaped(text));
}

static void add_what(struct heap_text *text)
{
	const struct heap_facts *facts = text->heading->facts;
	char objects[UNITS_TEXT], bytes[UNITS_TEXT], references[UNITS_TEXT], roots[UNITS_TEXT];
	struct buf *raw = &text->raw;

	buf__add_str(raw, "heap dump");
	if (facts->dump != EVENT_UNKNOWN)
		buf__printf(raw, " %" PRIu64, facts->dump);
	if (text->heading->is_file)
		buf__printf(raw, ", %s", text->heading->subject);
	if (facts->collection != EVENT_UNKNOWN)
		buf__printf(raw, ", after collection %" PRIu64, facts->collection);
	heading_line(text, escaped(text));
	buf__printf(raw, "%s objects, %s, %s references, %s roots",
		    units__count(objects, facts->objects), units__bytes(bytes, facts->bytes),
		    units__count(references, facts->references),
		    units__count(roots, facts->roots));
	if (text->heading->dump_ns)
		buf__printf(raw, ", told in %s", units__ns(bytes, text->heading->dump_ns));
	heading_line(text, escaped(text));
	heading_line(text, "exact: nothing is sampled; types, sizes and references are read, never the"
			   " contents of objects");
}

static int show_heading(struct heap_view *view)
{
	struct heap_text *text = text_of(view);

	add_who(text);
	add_what(text);
	if (!heap__is_complete(text->heap))
		heading_line(text, "NOT WHOLE: what is missing stands at the end; all figures are"
				   " of what came");
	return flush(text);
}

static int show_findings(struct heap_view *view, const struct findings *findings)
{
	struct heap_text *text = text_of(view);

	title(text, "Findings");
	for (size_t i = 0; i < findings->count; i++) {
		char before[UNITS_TEXT];

		snprintf(before, sizeof(before), "%3zu ", i + 1);
		heap_words__finding(&text->raw, text->heap, &findings->items[i]);
		line(text, before, escaped(text), INDENT);
		heap_words__more(&text->raw, text->heap, &findings->items[i],
				 text->heading->subject, text->heading->is_file);
		buf__printf(&text->out, "%*s%s%s%s\n", INDENT, "",
			    terminal__on(text->terminal, STYLE_DIM), escaped(text),
			    terminal__off(text->terminal, STYLE_DIM));
	}
	if (!findings->count)
		line(text, "  ", "nothing stands out: no object, thread or finalizer keeps as much"
				 " as a 20th of the heap alive", 2);
	return flush(text);
}

/* ---------------------------------------------------------------- types */

static int show_types(struct heap_view *view, const struct heap_type_list *list)
{
	static const struct column columns[] = {
		{ "objects", UNITS_COUNT_COLUMNS, ALIGN_RIGHT },
		{ "shallow", UNITS_BYTES_COLUMNS, ALIGN_RIGHT },
		{ "share", SHARE_COLUMNS, ALIGN_RIGHT },
		{ "retained", UNITS_BYTES_COLUMNS, ALIGN_RIGHT },
		{ "type", NAME_COLUMNS, ALIGN_LEFT },
	};
	struct heap_text *text = text_of(view);
	struct table table;
	char figure[UNITS_TEXT];

	title(text, "Types");
	table__init(&table, columns, 5, text->terminal);
	table__titles(&table, &text->out);
	for (size_t i = 0; i < list->shown; i++) {
		const struct heap_type_sums *sums = &list->lines[i].sums;

		table__cell(&table, STYLE_PLAIN, units__count_column(figure, sums->objects));
		table__cell(&table, STYLE_PLAIN, units__bytes_column(figure, sums->bytes));
		table__cell(&table, STYLE_PLAIN, share(figure, sums->bytes, list->of_bytes));
		table__cell(&table, STYLE_PLAIN,
			    sums->reached_objects ?
				    units__bytes_column(figure, sums->retained) :
				    NULL);
		heap_words__type(&text->raw, text->heap, list->lines[i].type);
		table__cell_escaped(&table, STYLE_PLAIN, escaped(text));
		table__end_row(&table, &text->out);
	}
	table__free(&table);
	if (list->count > list->shown) {
		struct heap_type_sums rest = { 0 };
		char bytes[UNITS_TEXT];

		for (size_t i = list->shown; i < list->count; i++) {
			rest.objects += list->lines[i].sums.objects;
			rest.bytes += list->lines[i].sums.bytes;
		}
		buf__printf(&text->out, "  … %zu more types: %s objects, %s (--top 0 shows all)\n",
			    list->count - list->shown, units__count(figure, rest.objects),
			    units__bytes(bytes, rest.bytes));
	}
	return flush(text);
}

/* ---------------------------------------------------------------- trees */

/* "│  ├─ ": bars has one byte for each level above, whether more comes there. */
static void add_branch(struct buf *out, struct buf *bars, uint32_t depth, bool last)
{
	buf__truncate(bars, depth ? depth - 1 : 0);
	for (size_t i = 0; i < bars->len; i++)
		buf__add_str(out, bars->data[i] ? "│  " : "   ");
	if (depth)
		buf__add_str(out, last ? "└─ " : "├─ ");
	if (depth)
		buf__add_char(bars, last ? 0 : 1);
}

static void add_figures(struct heap_text *text, const struct outline_line *line)
{
	const uint64_t whole = text->heading->facts->bytes;
	char bytes[UNITS_TEXT], part[UNITS_TEXT], objects[UNITS_TEXT];

	buf__printf(&text->out, "%*s %*s %*s  ", UNITS_BYTES_COLUMNS,
		    units__bytes_column(bytes, line->bytes), SHARE_COLUMNS,
		    share(part, line->bytes, whole), UNITS_COUNT_COLUMNS,
		    units__count_column(objects, line->objects));
}

static void add_folded(struct heap_text *text, const struct outline_line *line)
{
	char count[UNITS_TEXT], bytes[UNITS_TEXT];

	buf__printf(&text->out, "… %s more, %s", units__exact(count, line->folded),
		    units__bytes(bytes, line->bytes));
	if (line->roots)
		buf__printf(&text->out, " (%s)", units__exact(count, line->roots));
}

static void add_object(struct heap_text *text, uint32_t place)
{
	const struct heap_object object = heap__object(text->heap, place);
	char bytes[UNITS_TEXT];

	heap_words__type(&text->raw, text->heap, object.type);
	buf__add_str(&text->out, escaped(text));
	buf__printf(&text->out, " 0x%" PRIx64 ", %s", object.address,
		    units__bytes(bytes, object.size));
}

static void add_outline(struct heap_text *text, const struct outline *outline)
{
	struct buf bars = BUF_INIT;

	buf__printf(&text->out, "%s%8s %7s %8s  %s%s\n", terminal__on(text->terminal, STYLE_HEAD),
		    "retained", "share", "objects", "what",
		    terminal__off(text->terminal, STYLE_HEAD));
	for (size_t i = 0; i < outline->count; i++) {
		const struct outline_line *at = &outline->items[i];
		const bool is_node = !at->folded && heap__is_node(text->heap, at->place);

		add_figures(text, at);
		add_branch(&text->out, &bars, at->depth, at->last);
		if (at->folded) {
			add_folded(text, at);
		} else if (is_node) {
			heap_words__node(&text->raw, text->heap, at->place);
			buf__add_str(&text->out, escaped(text));
			if (at->roots > 1)
				buf__printf(&text->out, " (%" PRIu64 ")", at->roots);
		} else {
			add_object(text, at->place);
		}
		buf__add_char(&text->out, '\n');
	}
	buf__free(&bars);
}

/* What none of the kinds alone keeps alive. */
static void add_shared(struct heap_text *text, const struct outline *outline)
{
	const struct heap_facts *facts = text->heading->facts;
	struct outline_line rest = { .bytes = facts->reached_bytes,
				     .objects = facts->reached_objects };

	for (size_t i = 0; i < outline->count; i++) {
		if (outline->items[i].depth)
			continue;
		rest.bytes -= outline->items[i].bytes;
		rest.objects -= outline->items[i].objects;
	}
	if (!rest.objects)
		return;
	add_figures(text, &rest);
	buf__add_str(&text->out, "(only several kinds of roots together)\n");
}

static int show_roots(struct heap_view *view, const struct outline *outline)
{
	struct heap_text *text = text_of(view);

	title(text, "Roots, and what each alone keeps alive");
	add_outline(text, outline);
	add_shared(text, outline);
	return flush(text);
}

static int show_tree(struct heap_view *view, const struct outline *outline)
{
	struct heap_text *text = text_of(view);

	title(text, "What keeps what alive (dominator tree)");
	add_outline(text, outline);
	return flush(text);
}

/* ---------------------------------------------------------------- objects */

#define REFERENCES_SHOWN 8

/* What it refers to, by field. */
static void add_references(struct heap_text *text, uint32_t place)
{
	struct heap_references references = heap__references(text->heap, place);
	struct heap_reference next;
	uint64_t count = 0;

	while (heap_references__next(&references, &next)) {
		if (count++ >= REFERENCES_SHOWN)
			continue;
		buf__add_str(&text->raw, count > 1 ? ", " : "");
		if (next.to == HEAP_NOWHERE) {
			buf__add_str(&text->raw, "to what was never told");
			continue;
		}
		heap_words__step(&text->raw, text->heap, place, next.to);
		buf__add_char(&text->raw, ' ');
		heap_words__type_of(&text->raw, text->heap, next.to);
	}
	if (count > REFERENCES_SHOWN)
		buf__printf(&text->raw, ", … %" PRIu64 " more", count - REFERENCES_SHOWN);
	if (count)
		line(text, "                  → ", escaped(text), 20);
}

static int show_objects(struct heap_view *view, const struct heap_object_list *list)
{
	struct heap_text *text = text_of(view);
	char bytes[UNITS_TEXT], count[UNITS_TEXT];

	title(text, "Objects");
	buf__printf(&text->out, "%8s %8s  object\n", "retained", "shallow");
	for (size_t i = 0; i < list->shown; i++) {
		const struct heap_object object = heap__object(text->heap, list->places[i]);

		buf__printf(&text->out, "%*s ", UNITS_BYTES_COLUMNS,
			    object.reached ? units__bytes_column(bytes, object.retained) :
					     "-    ");
		buf__printf(&text->out, "%*s  ", UNITS_BYTES_COLUMNS,
			    units__bytes_column(bytes, object.size));
		heap_words__type(&text->raw, text->heap, object.type);
		buf__add_str(&text->out, escaped(text));
		buf__printf(&text->out, " 0x%" PRIx64 "%s%s%s%s\n", object.address,
			    object.reached ? "" : ", not reached",
			    object.pinned ? ", pinned" : "",
			    object.finalizable ? ", has a finalizer" : "",
			    object.unfinished ? ", the rest of it never came" : "");
		add_references(text, list->places[i]);
	}
	if (list->count > list->shown)
		buf__printf(&text->out, "  … %s more objects (--top 0 shows all)\n",
			    units__exact(count, list->count - list->shown));
	return flush(text);
}

/* ---------------------------------------------------------------- paths */

/* A line of steps, which is broken between them. */
struct steps {
	struct heap_text *text;
	size_t column, width;
	struct buf last; /* the step before; the same again is counted */
	uint64_t times;
};

static void end_step(struct steps *steps)
{
	char times[UNITS_TEXT + 8] = "", count[UNITS_TEXT];
	struct buf *out = &steps->text->out;
	const char *arrow = steps->column > INDENT ? " → " : "";
	size_t columns;

	if (!steps->times)
		return;
	if (steps->times > 1)
		snprintf(times, sizeof(times), " × %s", units__exact(count, steps->times));
	columns = utf8__columns(buf__str(&steps->last), steps->last.len) +
		  utf8__columns(times, strlen(times)) + (*arrow ? 3 : 0);
	if (*arrow && steps->column + columns > steps->width) {
		buf__printf(out, "\n%*s", INDENT + 2, "");
		steps->column = INDENT + 2;
		arrow = "→ ";
	}
	buf__printf(out, "%s%s%s", arrow, buf__str(&steps->last), times);
	steps->column += columns;
	steps->times = 0;
}

/* text->raw is a whole step. */
static void add_step(struct steps *steps)
{
	const char *step = escaped(steps->text);

	if (steps->times && strcmp(step, buf__str(&steps->last)) == 0) {
		steps->times++;
		return;
	}
	end_step(steps);
	buf__reset(&steps->last);
	buf__add_str(&steps->last, step);
	steps->times = 1;
}

static void add_steps(struct heap_text *text, const struct heap_way *way)
{
	struct steps steps = { .text = text, .column = INDENT,
			       .width = terminal__text_columns(text->terminal) };

	buf__printf(&text->out, "%*s", INDENT, "");
	heap_words__root(&text->raw, text->heap, way->places[0]);
	for (size_t i = 1; i < way->count; i++) {
		const bool is_array = heap_words__is_array(text->heap, way->places[i]);
		const bool of_array = heap_words__is_array(text->heap, way->places[i - 1]);

		if (i > 1 && !of_array)
			add_step(&steps);
		if (i > 1)
			heap_words__step(&text->raw, text->heap, way->places[i - 1],
					 way->places[i]);
		if (is_array && i + 1 < way->count)
			continue;
		buf__add_str(&text->raw, " (");
		heap_words__type_of(&text->raw, text->heap, way->places[i]);
		buf__add_char(&text->raw, ')');
	}
	add_step(&steps);
	end_step(&steps);
	buf__free(&steps.last);
	buf__add_char(&text->out, '\n');
}

static int show_path(struct heap_view *view, const struct heap_way *way)
{
	struct heap_text *text = text_of(view);
	const uint32_t place = way->places[way->count - 1];
	const struct heap_object object = heap__object(text->heap, place);
	char shallow[UNITS_TEXT], retained[UNITS_TEXT], count[UNITS_TEXT];

	heap_words__type(&text->raw, text->heap, object.type);
	buf__printf(&text->out, "\n%s 0x%" PRIx64 ", %s, keeps %s alive", escaped(text),
		    object.address, units__bytes(shallow, object.size),
		    units__bytes(retained, object.retained));
	buf__printf(&text->out, "; %s reference%s from a root\n",
		    units__exact(count, way->count - 1), way->count == 2 ? "" : "s");
	add_steps(text, way);
	return flush(text);
}

static void add_merged(struct heap_text *text, const struct path_branch *branch)
{
	if (branch->folded) {
		buf__printf(&text->raw, "… %" PRIu64 " more", branch->folded);
	} else if (branch->from == HEAP_NONE) {
		heap_words__root(&text->raw, text->heap, branch->to);
	} else {
		if (heap_words__is_array(text->heap, branch->from))
			buf__add_str(&text->raw, "[]");
		else if (!heap__is_node(text->heap, branch->from))
			heap_words__step(&text->raw, text->heap, branch->from, branch->to);
		buf__add_str(&text->raw, text->raw.len ? " " : "");
		heap_words__type_of(&text->raw, text->heap, branch->to);
		buf__add_str(&text->raw, branch->repeats ? ", and so on" : "");
	}
	buf__add_str(&text->out, escaped(text));
	buf__add_char(&text->out, '\n');
}

/* Is it the last of its siblings? They stand in preorder. */
static bool is_last(const struct path_merge *merge, size_t at)
{
	const uint32_t depth = merge->branches.items[at].depth;

	for (size_t i = at + 1; i < merge->branches.count; i++)
		if (merge->branches.items[i].depth <= depth)
			return merge->branches.items[i].depth < depth;
	return true;
}

static int show_merged(struct heap_view *view, const struct path_merge *merge)
{
	struct heap_text *text = text_of(view);
	struct buf bars = BUF_INIT;
	char objects[UNITS_TEXT], bytes[UNITS_TEXT], ending[UNITS_TEXT];

	title(text, "The shortest paths to all of them");
	buf__printf(&text->out, "%8s %8s %8s  path\n", "through", "bytes", "end here");
	for (size_t i = 0; i < merge->branches.count; i++) {
		const struct path_branch *branch = &merge->branches.items[i];

		buf__printf(&text->out, "%*s %*s %*s  ", UNITS_COUNT_COLUMNS,
			    units__count_column(objects, branch->objects), UNITS_BYTES_COLUMNS,
			    units__bytes_column(bytes, branch->bytes), UNITS_COUNT_COLUMNS,
			    branch->ending ? units__count_column(ending, branch->ending) : "");
		add_branch(&text->out, &bars, branch->depth, is_last(merge, i));
		add_merged(text, branch);
	}
	buf__free(&bars);
	if (merge->unreached)
		buf__printf(&text->out, "%s of the %s objects are not reached by any root\n",
			    units__exact(objects, merge->unreached),
			    units__exact(bytes, merge->objects));
	return flush(text);
}

static int show_freed(struct heap_view *view, uint32_t place, const struct heap_type_list *list)
{
	struct heap_text *text = text_of(view);
	const struct heap_object object = heap__object(text->heap, place);
	char bytes[UNITS_TEXT], objects[UNITS_TEXT];

	heap_words__type(&text->raw, text->heap, object.type);
	buf__printf(&text->out, "\nWith %s 0x%" PRIx64 " would be freed: %s in %s objects\n",
		    escaped(text), object.address, units__bytes(bytes, object.retained),
		    units__count(objects, object.dominates));
	for (size_t i = 0; i < list->shown; i++) {
		const struct heap_type_sums *sums = &list->lines[i].sums;

		heap_words__type(&text->raw, text->heap, list->lines[i].type);
		buf__printf(&text->out, "%*s %*s  %s\n", UNITS_COUNT_COLUMNS,
			    units__count_column(objects, sums->objects), UNITS_BYTES_COLUMNS,
			    units__bytes_column(bytes, sums->bytes), escaped(text));
	}
	if (list->count > list->shown)
		buf__printf(&text->out, "  … %zu more types (--top 0 shows all)\n",
			    list->count - list->shown);
	return flush(text);
}

/* ---------------------------------------------------------------- summary */

static int show_summary(struct heap_view *view)
{
	struct heap_text *text = text_of(view);
	const struct heap_facts *facts = text->heading->facts;
	const bool whole = heap__is_complete(text->heap);
	char objects[UNITS_TEXT], bytes[UNITS_TEXT], weak[UNITS_TEXT], roots[UNITS_TEXT];

	buf__printf(&text->out, "\nreached    %s objects, %s\n",
		    units__count(objects, facts->reached_objects),
		    units__bytes(bytes, facts->reached_bytes));
	buf__printf(&text->out, "unreached  %s objects, %s\n",
		    units__count(objects, facts->objects - facts->reached_objects),
		    units__bytes(bytes, facts->bytes - facts->reached_bytes));
	buf__printf(&text->out, "weak       %s references and %s roots, which keep nothing alive\n",
		    units__count(weak, facts->weak_references),
		    units__count(roots, facts->weak_roots));
	buf__printf(&text->out, "%s%s%s\n",
		    terminal__on(text->terminal, whole ? STYLE_PLAIN : STYLE_BAD),
		    whole ? "complete: nothing is missing" : "NOT WHOLE:",
		    terminal__off(text->terminal, whole ? STYLE_PLAIN : STYLE_BAD));
	heap_words__missing(&text->out, facts);
	heap_words__odd(&text->out, facts);
	return flush(text);
}

static void free_text(struct heap_view *view)
{
	struct heap_text *text = text_of(view);

	buf__free(&text->out);
	buf__free(&text->raw);
	buf__free(&text->name);
	free(text);
}

struct heap_view *heap_text__new(const struct heap *heap, const struct heap_heading *heading,
				 struct output *output, const struct terminal *terminal)
{
	static const struct heap_view_form form = {
		show_heading, show_findings, show_types, show_roots,   show_objects, show_tree,
		show_path,    show_merged,   show_freed, show_summary, free_text,
	};
	struct heap_text *text = calloc(1, sizeof(*text));

	if (!text) {
		error("out of memory");
		return NULL;
	}
	text->view.form = &form;
	text->heap = heap;
	text->heading = heading;
	text->output = output;
	text->terminal = terminal;
	return &text->view;
}
