/* SPDX-License-Identifier: BSD-2-Clause */
/* Single objects for people, with what they refer to. */
#include <inttypes.h>
#include <stdio.h>

#include "../base/units.h"
#include "heap_text.h"
#include "heap_words.h"

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
			buf__add_str(&text->raw, "to what is not in the dump");
			continue;
		}
		heap_words__field(&text->raw, text->heap, place, next.place);
		buf__add_char(&text->raw, ' ');
		heap_words__type_of(&text->raw, text->heap, next.to);
	}
	if (count > REFERENCES_SHOWN)
		buf__printf(&text->raw, ", … %" PRIu64 " more", count - REFERENCES_SHOWN);
	if (count)
		heap_text__line(text, "                  → ", heap_text__escaped(text), 20);
}

static void add_object(struct heap_text *text, const struct heap_object *object)
{
	char retained[UNITS_TEXT], shallow[UNITS_TEXT], figures[3 * UNITS_TEXT];

	snprintf(figures, sizeof(figures), "%*s %*s  ", UNITS_BYTES_COLUMNS,
		 object->reached ? units__bytes_column(retained, object->retained) : "-    ",
		 UNITS_BYTES_COLUMNS, units__bytes_column(shallow, object->size));
	heap_words__type(&text->raw, text->heap, object->type);
	buf__printf(&text->raw, " 0x%" PRIx64, object->address);
	heap_text__add_life(text, object->address);
	buf__printf(&text->raw, "%s%s%s%s", object->reached ? "" : ", not reached",
		    object->pinned ? ", pinned" : "",
		    object->finalizable ? ", has a finalizer" : "",
		    object->unfinished ? ", the rest of it never came" : "");
	heap_text__line(text, figures, heap_text__escaped(text), 20);
}

int heap_text__objects(struct heap_view *view, const struct heap_object_list *list)
{
	struct heap_text *text = heap_text__of(view);
	char count[UNITS_TEXT];

	heap_text__title(text, "Objects");
	if (!list->count && list->none) {
		heap_text__line(text, "  ", list->none, 2);
		return heap_text__flush(text);
	}
	buf__printf(&text->out, "%8s %8s  object\n", "retained", "shallow");
	for (size_t i = 0; i < list->shown; i++) {
		const struct heap_object object = heap__object(text->heap, list->places[i]);

		add_object(text, &object);
		add_references(text, list->places[i]);
	}
	if (list->count > list->shown)
		buf__printf(&text->out, "  … %s more object%s (--top 0 shows all)\n",
			    units__exact(count, list->count - list->shown),
			    units__s(list->count - list->shown));
	return heap_text__flush(text);
}
