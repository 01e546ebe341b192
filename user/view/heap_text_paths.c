/* SPDX-License-Identifier: BSD-2-Clause */
/* Paths from roots to objects, for people. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../base/escape.h"
#include "../base/units.h"
#include "../base/wrap.h"
#include "heap_text.h"
#include "heap_words.h"

#define MERGED_COLUMNS (2 * UNITS_COUNT_COLUMNS + UNITS_BYTES_COLUMNS + 4)

/* A line of steps, which is broken between them. */
struct steps {
	struct heap_text *text;
	size_t column, width;
	struct buf last; /* the step before; the same again is counted */
	uint64_t times;
};

/* In which column a text ends that began in this one. */
static size_t column_behind(size_t column, const char *text)
{
	const char *line = strrchr(text, '\n');

	return line ? utf8__columns(line + 1, strlen(line + 1)) :
		      column + utf8__columns(text, strlen(text));
}

/* The step before is whole: how often it came is known. */
static void count_step(struct steps *steps)
{
	char count[UNITS_TEXT];

	if (steps->times > 1)
		buf__printf(&steps->last, " × %s", units__exact(count, steps->times));
	if (steps->last.error)
		steps->text->out.error = steps->last.error;
	steps->times = 0;
}

/* A step that is wider than a line is broken, too, where it has blanks. */
static void end_step(struct steps *steps)
{
	const struct wrap wrap = { steps->width, NULL, HEAP_TEXT_INDENT + 4, WRAP_NAMES };
	struct buf *out = &steps->text->out;
	const bool is_first = steps->column == HEAP_TEXT_INDENT;
	size_t columns, line;

	if (!steps->times)
		return;
	count_step(steps);
	columns = utf8__columns(buf__str(&steps->last), steps->last.len);
	if (!is_first && steps->column + 3 + columns > steps->width) {
		buf__printf(out, "\n%*s→ ", HEAP_TEXT_INDENT + 2, "");
		steps->column = HEAP_TEXT_INDENT + 4;
	} else if (!is_first) {
		buf__add_str(out, " → ");
		steps->column += 3;
	}
	line = out->len;
	wrap__add(out, &wrap, steps->column, buf__str(&steps->last));
	steps->column = column_behind(steps->column, buf__str(out) + line);
}

/* text->raw is a whole step. */
static void add_step(struct steps *steps)
{
	const char *step = heap_text__escaped(steps->text);

	if (steps->times && strcmp(step, buf__str(&steps->last)) == 0) {
		steps->times++;
		return;
	}
	end_step(steps);
	buf__reset(&steps->last);
	buf__add_str(&steps->last, step);
	steps->times = 1;
}

/* "[3]" goes on in the line of what it is an element of. */
static bool is_element(const struct heap *heap, const struct heap_way *way, size_t i)
{
	uint64_t at = EVENT_UNKNOWN;

	if (!heap_words__is_array(heap, way->places[i - 1]))
		return false;
	heap__field(heap, way->places[i - 1], way->places[i], &at);
	return at != PLACE_DEPENDENT;
}

static void add_steps(struct heap_text *text, const struct heap_way *way)
{
	struct steps steps = { .text = text, .column = HEAP_TEXT_INDENT,
			       .width = terminal__text_columns(text->terminal) };

	buf__printf(&text->out, "%*s", HEAP_TEXT_INDENT, "");
	heap_words__root(&text->raw, text->heap, way->places[0]);
	for (size_t i = 1; i < way->count; i++) {
		const bool goes_on = i + 1 < way->count && is_element(text->heap, way, i + 1);

		if (i > 1 && !is_element(text->heap, way, i))
			add_step(&steps);
		if (i > 1)
			heap_words__step(&text->raw, text->heap, way->places[i - 1],
					 way->places[i]);
		if (goes_on)
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

int heap_text__path(struct heap_view *view, const struct heap_way *way)
{
	struct heap_text *text = heap_text__of(view);
	const uint32_t place = way->places[way->count - 1];
	const struct heap_object object = heap__object(text->heap, place);
	char shallow[UNITS_TEXT], retained[UNITS_TEXT], count[UNITS_TEXT];

	heap_words__type(&text->raw, text->heap, object.type);
	buf__printf(&text->raw, " 0x%" PRIx64, object.address);
	heap_text__add_life(text, object.address);
	buf__printf(&text->raw, ", %s, keeps %s alive", units__bytes(shallow, object.size),
		    units__bytes(retained, object.retained));
	buf__printf(&text->raw, "; %s reference%s from a root", units__exact(count, way->count - 1),
		    units__s(way->count - 1));
	buf__add_char(&text->out, '\n');
	heap_text__line(text, "", heap_text__escaped(text), 2);
	add_steps(text, way);
	return heap_text__flush(text);
}

static void add_merged(struct heap_text *text, const struct path_branch *branch)
{
	if (branch->folded)
		buf__printf(&text->raw, "… %" PRIu64 " more", branch->folded);
	else
		heap_words__branch(&text->raw, text->heap, branch->from, branch->to);
	if (branch->from != HEAP_NONE) {
		buf__add_str(&text->raw, text->raw.len ? " " : "");
		heap_words__type_of(&text->raw, text->heap, branch->to);
		buf__add_str(&text->raw, branch->repeats ? ", and so on" : "");
	}
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

int heap_text__merged(struct heap_view *view, const struct path_merge *merge)
{
	struct heap_text *text = heap_text__of(view);
	struct buf bars = BUF_INIT;
	char objects[UNITS_TEXT], bytes[UNITS_TEXT], ending[UNITS_TEXT];

	heap_text__title(text, "The shortest paths to all of them");
	buf__printf(&text->out, "%8s %8s %8s  path\n", "through", "bytes", "end here");
	for (size_t i = 0; i < merge->branches.count; i++) {
		const struct path_branch *branch = &merge->branches.items[i];

		buf__printf(&text->out, "%*s %*s %*s  ", UNITS_COUNT_COLUMNS,
			    units__count_column(objects, branch->objects), UNITS_BYTES_COLUMNS,
			    units__bytes_column(bytes, branch->bytes), UNITS_COUNT_COLUMNS,
			    branch->ending ? units__count_column(ending, branch->ending) : "");
		add_merged(text, branch);
		heap_text__branch(text, &bars, MERGED_COLUMNS, branch->depth, is_last(merge, i));
	}
	buf__free(&bars);
	if (merge->unreached)
		buf__printf(&text->out, "%s of the %s object%s %s not reached by any root\n",
			    units__exact(objects, merge->unreached),
			    units__exact(bytes, merge->objects), units__s(merge->objects),
			    merge->unreached == 1 ? "is" : "are");
	return heap_text__flush(text);
}
