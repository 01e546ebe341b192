/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The view of a heap graph for people (heap_view.h): what its files share. A file for each noun:
 *
 *	heap_text.c           life, heading, findings, and the pieces below
 *	heap_text_types.c     the table of types, also of what would be freed
 *	heap_text_tree.c      roots, the dominator tree
 *	heap_text_objects.c   single objects
 *	heap_text_paths.c     paths, one by one and merged
 *	heap_text_summary.c   is it all, and what is missing
 *
 * Lines gather in `out`, and heap_text__flush() writes them. Words of heap_words.h go into `raw`
 * as the target's own bytes, and heap_text__escaped() makes them fit to be shown.
 */
#ifndef GCTRACE_VIEW_HEAP_TEXT_H
#define GCTRACE_VIEW_HEAP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buf.h"
#include "heap_view.h"
#include "terminal.h"

#define HEAP_TEXT_SHARE_COLUMNS 7
#define HEAP_TEXT_INDENT 4

struct heap_text {
	struct heap_view view;
	const struct heap *heap;
	const struct heap_heading *heading;
	struct output *output;
	const struct terminal *terminal;
	struct buf out, raw, name;
};

static inline struct heap_text *heap_text__of(struct heap_view *view)
{
	return (struct heap_text *)view;
}

/* ---- pieces: heap_text.c ---- */

/* Write what has gathered. 0, or negative errno that was said. */
int heap_text__flush(struct heap_text *text);

/*
 * text->raw, escaped, and with words that are too long shortened (shorten.h); it is empty then.
 * Valid until the next call of one of these.
 */
const char *heap_text__escaped(struct heap_text *text);

/* The same of a name, which is shortened in its middle where it is wider than that. */
const char *heap_text__name(struct heap_text *text, size_t columns);

/* "12.5 %" into UNITS_TEXT bytes; "-" where there is no whole. */
char *heap_text__share(char *to, uint64_t part, uint64_t whole);

/* An empty line, and the title of what follows. */
void heap_text__title(struct heap_text *text, const char *words);

/* A line, wrapped to the terminal; the second and further ones are indented. */
void heap_text__line(struct heap_text *text, const char *before, const char *words,
		     size_t indent);

/* ", id 17, age >= 3" into raw, where objects were followed. */
void heap_text__add_life(struct heap_text *text, uint64_t address);

/* ---- trees: heap_text_tree.c ---- */

/*
 * The rest of a line of a tree, behind figures of so many columns: "│  ├─ " and text->raw, escaped,
 * in further lines what has no room. bars has one byte for each level, whether more comes there. Of
 * those above it 10 are drawn at most, and how many more there are is told: "…34   │  ├─ ".
 */
void heap_text__branch(struct heap_text *text, struct buf *bars, size_t figures, uint32_t depth,
		       bool last);

/* ---- what heap_view.h asks for ---- */

int heap_text__types(struct heap_view *view, const struct heap_type_list *list);
int heap_text__freed(struct heap_view *view, uint32_t place, const struct heap_type_list *list);
int heap_text__roots(struct heap_view *view, const struct outline *outline);
int heap_text__tree(struct heap_view *view, const struct outline *outline);
int heap_text__objects(struct heap_view *view, const struct heap_object_list *list);
int heap_text__path(struct heap_view *view, const struct heap_way *way);
int heap_text__merged(struct heap_view *view, const struct path_merge *merge);
int heap_text__summary(struct heap_view *view);

#endif
