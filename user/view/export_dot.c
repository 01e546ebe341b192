/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A drawing by graphviz of what lies around an object (model/neighbourhood.h): a box for each
 * object, an ellipse for each root, an arrow for all references from one to another, which names
 * their fields. What is not drawn is counted in the boxes.
 *
 * In a quoted string of this language a backslash begins an escape and an ampersand an entity, so
 * both are escaped once more behind what a terminal needs. graphviz reads no string of more than
 * 16 KiB: longer ones are put together from several by a +.
 */
#include <inttypes.h>
#include <string.h>

#include "../base/buf.h"
#include "../base/escape.h"
#include "../base/units.h"
#include "../model/neighbourhood.h"
#include "export.h"
#include "heap_view.h"
#include "heap_words.h"

#define STRING_BYTES 8000 /* of one piece, about */
#define FIELDS_NAMED 3 /* of several from one object to the same other one */

/* A reference, where it is drawn. */
struct arrow {
	uint32_t to; /* index */
	uint64_t at;
};

struct drawing {
	const struct heap *heap;
	const struct neighbourhood *around;
	VEC(struct arrow) arrows; /* of one object */
	struct buf out, raw, escaped;
};

static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* drawing->raw, in a quoted string. */
static void add_escaped(struct drawing *drawing)
{
	size_t piece = drawing->out.len;

	buf__reset(&drawing->escaped);
	escape__move(&drawing->escaped, &drawing->raw);
	if (drawing->escaped.error)
		drawing->out.error = drawing->escaped.error;
	for (const char *at = buf__str(&drawing->escaped); *at; at++) {
		if (drawing->out.len - piece > STRING_BYTES && begins_character(*at)) {
			buf__add_str(&drawing->out, "\" + \"");
			piece = drawing->out.len;
		}
		if (*at == '&')
			buf__add_str(&drawing->out, "&amp;");
		else if (*at == '"' || *at == '\\')
			buf__printf(&drawing->out, "\\%c", *at);
		else
			buf__add_char(&drawing->out, *at);
	}
}

static void add_head(struct drawing *drawing, const struct heap_heading *heading)
{
	buf__add_str(&drawing->out, "digraph heap {\n"
				    "\tgraph [rankdir=LR, labelloc=t, label=\"");
	buf__add_str(&drawing->raw, heading->file ? "gctrace, " : "gctrace ");
	buf__add_str(&drawing->raw, heading->subject);
	add_escaped(drawing);
	buf__add_str(&drawing->out, "\"];\n"
				    "\tnode [shape=box, fontname=\"sans-serif\", fontsize=10];\n"
				    "\tedge [fontname=\"sans-serif\", fontsize=9];\n");
}

/* ---------------------------------------------------------------- nodes */

static void add_name(struct drawing *drawing, uint32_t place)
{
	if (heap__is_node(drawing->heap, place))
		buf__printf(&drawing->out, "\"root %" PRIu32 "\"", place);
	else
		buf__printf(&drawing->out, "\"0x%" PRIx64 "\"",
			    heap__object(drawing->heap, place).address);
}

static void add_more(struct drawing *drawing, const char *arrow, uint64_t count)
{
	char number[UNITS_TEXT];

	if (count)
		buf__printf(&drawing->out, "\\n%s %s more", arrow, units__exact(number, count));
}

static void add_object(struct drawing *drawing, uint32_t place)
{
	const struct heap_object object = heap__object(drawing->heap, place);
	char size[UNITS_TEXT], retained[UNITS_TEXT];

	heap_words__type(&drawing->raw, drawing->heap, object.type);
	add_escaped(drawing);
	buf__printf(&drawing->out, "\\n0x%" PRIx64 "\\n%s", object.address,
		    units__bytes(size, object.size));
	if (object.reached)
		buf__printf(&drawing->out, ", keeps %s", units__bytes(retained, object.retained));
	else
		buf__add_str(&drawing->out, ", not reached");
}

static void add_node(struct drawing *drawing, uint32_t index)
{
	const struct neighbour *node = &drawing->around->of.items[index];
	const bool is_root = heap__is_node(drawing->heap, node->place);

	buf__add_char(&drawing->out, '\t');
	add_name(drawing, node->place);
	buf__add_str(&drawing->out, " [label=\"");
	if (is_root) {
		heap_words__root(&drawing->raw, drawing->heap, node->place);
		add_escaped(drawing);
		buf__add_str(&drawing->out, "\", shape=ellipse");
	} else {
		add_object(drawing, node->place);
		add_more(drawing, "→", node->more_references);
		add_more(drawing, "←", node->more_referrers);
		buf__add_str(&drawing->out, index ? "\"" : "\", style=filled, penwidth=2");
	}
	buf__add_str(&drawing->out, "];\n");
}

/* ---------------------------------------------------------------- arrows */

static int by_target(const void *a, const void *b)
{
	const struct arrow *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int find_arrows(struct drawing *drawing, uint32_t place)
{
	struct heap_references references = heap__references(drawing->heap, place);
	struct heap_reference next;
	int err = 0;

	vec__reset(&drawing->arrows);
	while (!err && heap_references__next(&references, &next)) {
		const uint32_t to = neighbourhood__index(drawing->around, next.to);

		if (to != NEIGHBOUR_NONE)
			err = vec__push(&drawing->arrows, (struct arrow){ to, next.place });
	}
	vec__sort(&drawing->arrows, by_target);
	return err;
}

/* ".left, .right"; a root has no fields. */
static void add_fields(struct drawing *drawing, uint32_t from, const struct arrow *arrows,
		       size_t count)
{
	for (size_t i = 0; i < count && i < FIELDS_NAMED; i++) {
		buf__add_str(&drawing->raw, i ? ", " : "");
		heap_words__field(&drawing->raw, drawing->heap, from, arrows[i].at);
	}
	if (count > FIELDS_NAMED)
		buf__printf(&drawing->raw, ", … %zu more", count - FIELDS_NAMED);
	buf__add_str(&drawing->out, " [label=\"");
	add_escaped(drawing);
	buf__add_str(&drawing->out, "\"]");
}

static int add_arrows(struct drawing *drawing, uint32_t from)
{
	const struct arrow *arrows;
	size_t count;
	int err = find_arrows(drawing, from);

	for (size_t i = 0; i < drawing->arrows.count && !err; i += count) {
		arrows = drawing->arrows.items + i;
		for (count = 1; i + count < drawing->arrows.count; count++)
			if (arrows[count].to != arrows->to)
				break;
		buf__add_char(&drawing->out, '\t');
		add_name(drawing, from);
		buf__add_str(&drawing->out, " -> ");
		add_name(drawing, drawing->around->of.items[arrows->to].place);
		if (!heap__is_node(drawing->heap, from))
			add_fields(drawing, from, arrows, count);
		buf__add_str(&drawing->out, ";\n");
	}
	return err;
}

/* ---------------------------------------------------------------- all of it */

static int draw(struct drawing *drawing, const struct heap_heading *heading, FILE *out)
{
	int err;

	add_head(drawing, heading);
	err = buf__flush(&drawing->out, out);
	for (uint32_t i = 0; i < drawing->around->of.count && !err; i++) {
		add_node(drawing, i);
		err = buf__flush(&drawing->out, out);
	}
	for (uint32_t i = 0; i < drawing->around->of.count && !err; i++) {
		err = add_arrows(drawing, drawing->around->of.items[i].place);
		if (!err)
			err = buf__flush(&drawing->out, out);
	}
	buf__add_str(&drawing->out, "}\n");
	return err ? err : buf__flush(&drawing->out, out);
}

static int write_dot(struct heap *heap, const struct heap_heading *heading,
		     const struct export_options *options, FILE *out)
{
	struct neighbourhood around = { .referrers = NULL };
	struct drawing drawing = { .heap = heap, .around = &around };
	int err = neighbourhood__find(&around, heap, (uint32_t)options->id_place, options->depth,
				      options->most);

	if (!err)
		err = draw(&drawing, heading, out);
	neighbourhood__free(&around);
	vec__free(&drawing.arrows);
	buf__free(&drawing.out);
	buf__free(&drawing.raw);
	buf__free(&drawing.escaped);
	return err;
}

const struct exporter export_dot = {
	.name = "dot",
	.help = "graphviz: a drawing of what lies around one object",
	.of_one_object = true,
	.write = write_dot,
};
