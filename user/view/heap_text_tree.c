/* SPDX-License-Identifier: BSD-2-Clause */
/* Roots and the dominator tree for people, drawn like the trees of tree(1). */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "../base/escape.h"
#include "../base/units.h"
#include "../base/wrap.h"
#include "heap_text.h"
#include "heap_words.h"

#define BARS_MOST 10
#define BARS_LEAST 2
#define BAR_COLUMNS 3
#define ROOM_LEAST 30 /* for words, however narrow the terminal */
#define BEYOND_COLUMNS 6 /* how many bars are not drawn */
#define FIGURES_COLUMNS (UNITS_BYTES_COLUMNS + HEAP_TEXT_SHARE_COLUMNS + UNITS_COUNT_COLUMNS + 4)

/* How many bars are drawn: in a narrow terminal fewer, so that there is room for words. */
static size_t bars_most(const struct heap_text *text, size_t figures)
{
	const size_t room = terminal__room(text->terminal);
	const size_t others = figures + BEYOND_COLUMNS + BAR_COLUMNS + ROOM_LEAST;
	const size_t fit = room > others ? (room - others) / BAR_COLUMNS : 0;

	return fit < BARS_LEAST ? BARS_LEAST : fit > BARS_MOST ? BARS_MOST : fit;
}

static void add_bars(struct buf *out, const struct buf *bars, size_t count, size_t most,
		     const char *beyond)
{
	const size_t first = count > most ? count - most : 0;

	if (first)
		buf__add_str(out, beyond);
	for (size_t i = first; i < count && i < bars->len; i++)
		buf__add_str(out, bars->data[i] ? "│  " : "   ");
}

/* What stands before further lines: blanks for figures, and the bars that go on. */
static void add_prefix(struct buf *prefix, const struct buf *bars, size_t figures, uint32_t depth,
		       size_t most)
{
	buf__add_repeated(prefix, ' ', figures);
	if (depth > most + 1)
		buf__add_repeated(prefix, ' ', BEYOND_COLUMNS);
	add_bars(prefix, bars, depth, most, "");
	buf__add_str(prefix, "  ");
}

void heap_text__branch(struct heap_text *text, struct buf *bars, size_t figures, uint32_t depth,
		       bool last)
{
	struct wrap wrap = { terminal__room(text->terminal), NULL, 0, WRAP_NAMES };
	const size_t most = bars_most(text, figures);
	struct buf prefix = BUF_INIT, lead = BUF_INIT;
	char beyond[32];
	size_t column;

	buf__truncate(bars, depth ? depth - 1 : 0);
	snprintf(beyond, sizeof(beyond), "…%-*zu", BEYOND_COLUMNS - 1,
		 bars->len > most ? bars->len - most : 0);
	add_bars(&lead, bars, bars->len, most, beyond);
	if (depth)
		buf__add_str(&lead, last ? "└─ " : "├─ ");
	if (depth)
		buf__add_char(bars, last ? 0 : 1);
	add_prefix(&prefix, bars, figures, depth, most);
	column = figures + utf8__columns(buf__str(&lead), lead.len);
	wrap.prefix = buf__str(&prefix);
	if (wrap.columns < column + ROOM_LEAST)
		wrap.columns = column + ROOM_LEAST;
	buf__add_str(&text->out, buf__str(&lead));
	wrap__add(&text->out, &wrap, column, heap_text__escaped(text));
	buf__add_char(&text->out, '\n');
	if (prefix.error || lead.error)
		text->out.error = -ENOMEM;
	buf__free(&prefix);
	buf__free(&lead);
}

static void add_figures(struct heap_text *text, const struct outline_line *line)
{
	const uint64_t whole = text->heading->facts->bytes;
	char bytes[UNITS_TEXT], part[UNITS_TEXT], objects[UNITS_TEXT];

	buf__printf(&text->out, "%*s %*s %*s  ", UNITS_BYTES_COLUMNS,
		    units__bytes_column(bytes, line->bytes), HEAP_TEXT_SHARE_COLUMNS,
		    heap_text__share(part, line->bytes, whole), UNITS_COUNT_COLUMNS,
		    units__count_column(objects, line->objects));
}

static void add_folded(struct heap_text *text, const struct outline_line *line)
{
	char count[UNITS_TEXT], bytes[UNITS_TEXT];

	buf__printf(&text->raw, "… %s more, %s", units__exact(count, line->folded),
		    units__bytes(bytes, line->bytes));
	if (line->roots)
		buf__printf(&text->raw, " (%s)", units__exact(count, line->roots));
}

static void add_object(struct heap_text *text, uint32_t place)
{
	const struct heap_object object = heap__object(text->heap, place);
	char bytes[UNITS_TEXT];

	heap_words__type(&text->raw, text->heap, object.type);
	buf__printf(&text->raw, " 0x%" PRIx64 ", %s", object.address,
		    units__bytes(bytes, object.size));
}

/* A root by itself is hardly known by its handle or its slot: the type of its object tells more. */
static void add_node(struct heap_text *text, const struct outline_line *line)
{
	const struct heap_root root = heap__root(text->heap, line->place);

	heap_words__node(&text->raw, text->heap, line->place);
	if (line->roots > 1)
		buf__printf(&text->raw, " (%" PRIu64 ")", line->roots);
	if (root.level != HEAP_ROOT_REFERENCE || root.object == HEAP_NOWHERE)
		return;
	buf__add_char(&text->raw, ' ');
	heap_words__type_of(&text->raw, text->heap, root.object);
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
		if (at->folded) {
			add_folded(text, at);
		} else if (is_node) {
			add_node(text, at);
		} else {
			add_object(text, at->place);
		}
		heap_text__branch(text, &bars, FIGURES_COLUMNS, at->depth, at->last);
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

int heap_text__roots(struct heap_view *view, const struct outline *outline)
{
	struct heap_text *text = heap_text__of(view);

	heap_text__title(text, "Roots, and what each alone keeps alive");
	add_outline(text, outline);
	add_shared(text, outline);
	return heap_text__flush(text);
}

int heap_text__tree(struct heap_view *view, const struct outline *outline)
{
	struct heap_text *text = heap_text__of(view);

	heap_text__title(text, "What keeps what alive (dominator tree)");
	add_outline(text, outline);
	return heap_text__flush(text);
}
