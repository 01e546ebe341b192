/* SPDX-License-Identifier: BSD-2-Clause */
/* What there is and what is missing of a heap, for people. */
#include "../base/units.h"
#include "heap_text.h"
#include "heap_words.h"

static void add_reached(struct heap_text *text, const struct heap_facts *facts)
{
	const uint64_t unreached = facts->objects - facts->reached_objects;
	char objects[UNITS_TEXT], bytes[UNITS_TEXT], weak[UNITS_TEXT], roots[UNITS_TEXT];

	if (text->heading->of_a_part)
		heap_text__title(text, "The whole heap");
	else
		buf__add_char(&text->out, '\n');
	buf__printf(&text->out, "reached    %s object%s, %s\n",
		    units__count(objects, facts->reached_objects),
		    units__s(facts->reached_objects),
		    units__bytes(bytes, facts->reached_bytes));
	units__count(objects, unreached);
	units__bytes(bytes, facts->bytes - facts->reached_bytes);
	if (facts->reached_only)
		buf__printf(&text->out, "unreached  not walked: how much garbage there is is not"
					" known\nweakly     %s object%s, %s\n",
			    objects, units__s(unreached), bytes);
	else
		buf__printf(&text->out, "unreached  %s object%s, %s\n", objects,
			    units__s(unreached), bytes);
	buf__printf(&text->raw, "%s reference%s and %s root%s, which keep nothing alive",
		    units__count(weak, facts->weak_references), units__s(facts->weak_references),
		    units__count(roots, facts->weak_roots), units__s(facts->weak_roots));
	heap_text__line(text, "weak       ", heap_text__escaped(text), 11);
}

int heap_text__summary(struct heap_view *view)
{
	struct heap_text *text = heap_text__of(view);
	const struct heap_facts *facts = text->heading->facts;
	const bool whole = heap__is_complete(text->heap);

	if (!text->heading->counts_only)
		add_reached(text, facts);
	else
		buf__add_char(&text->out, '\n');
	buf__printf(&text->out, "%s%s%s\n",
		    terminal__on(text->terminal, whole ? STYLE_PLAIN : STYLE_BAD),
		    whole ? "complete: nothing is missing" : "NOT WHOLE:",
		    terminal__off(text->terminal, whole ? STYLE_PLAIN : STYLE_BAD));
	heap_words__missing(&text->out, facts);
	heap_words__odd(&text->out, facts);
	heap_words__notes(&text->out, facts);
	return heap_text__flush(text);
}
